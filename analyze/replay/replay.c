/* SPDX-License-Identifier: MIT
 * replay.c -- the pass over a trace: totals, peaks, check-points, seeking and stepping.
 */
#include "replay/replay.h"

#include <assert.h>
#include <stdlib.h>

#include "model/rounding.h"
#include "replay/replay_impl.h"

/* A check-point is due when the events since the last one, at this many bytes each, pay for it:
 * together they then take less than a quarter of the event columns (33 bytes an event). */
#define CHECKPOINT_BYTES_PER_EVENT 6
/* Not closer than this: applying so many events takes about a millisecond. */
#define CHECKPOINT_MIN_EVENTS 32768

const char *replay_rule_name(enum replay_rule rule)
{
	static const char *const names[RULE_COUNT] = {
		[RULE_ALLOC_ON_LIVE] = "alloc-on-live",
		[RULE_ALLOC_OUTSIDE] = "alloc-outside",
		[RULE_ALLOC_NO_ROOM] = "alloc-no-room",
		[RULE_ALLOC_STREAM] = "alloc-stream",
		[RULE_FREE_UNKNOWN] = "free-unknown",
		[RULE_FREE_SIZE] = "free-size",
		[RULE_FREE_TWICE] = "free-twice",
		[RULE_SEGMENT_OVERLAP] = "segment-overlap",
		[RULE_SEGMENT_UNKNOWN] = "segment-unknown",
		[RULE_SEGMENT_LIVE] = "segment-live",
		[RULE_END_MISSING] = "end-missing",
		[RULE_END_EXTRA] = "end-extra",
		[RULE_END_SIZE] = "end-size",
		[RULE_END_STATE] = "end-state",
		[RULE_SNAPSHOT_BYTES] = "snapshot-bytes",
		[RULE_TIME_BACKWARDS] = "time-backwards",
	};

	assert(rule < RULE_COUNT);
	return names[rule];
}

struct totals replay_sum(const struct replay *r)
{
	const struct heap *h = &r->heap;

	if (r->d->counted)
		return counted_totals(r, r->position);
	return (struct totals){
		.reserved = r->cut ? BYTES_NONE : h->reserved,
		.allocated = h->allocated,
		.active = h->allocated + h->pending,
		.requested = h->n_unrequested ? BYTES_NONE : h->requested,
	};
}

stack_id replay_block_stack(const struct replay *r, uint32_t origin)
{
	if (!(origin & ORIGIN_BEFORE))
		return r->m->events.stack.at[replay_row(r, origin)];
	if (origin == ORIGIN_UNKNOWN)
		return STACK_ABSENT;
	return r->m->blocks.at[(origin & ~ORIGIN_BEFORE) - 1].stack;
}

stack_id replay_mapping_stack(const struct replay *r, uint32_t origin)
{
	if (!(origin & ORIGIN_BEFORE))
		return r->m->events.stack.at[replay_row(r, origin)];
	if (origin == ORIGIN_UNKNOWN)
		return STACK_ABSENT;
	return r->m->segments.at[(origin & ~ORIGIN_BEFORE) - 1].stack;
}

static int save_checkpoint(struct replay *r, struct error *err)
{
	struct checkpoint c = {
		.event = r->position,
		.next_mapping = r->next_mapping,
		.bytes = heap_image_bytes(&r->heap),
	};
	int rc;

	c.image = budget_realloc(r->budget, NULL, 0, c.bytes, err);
	if (!c.image)
		return (int)err->code;
	heap_save(&r->heap, c.image);
	rc = vec_push(&r->checkpoints, c, r->budget, err);
	if (rc < 0)
		budget_free(r->budget, c.image, c.bytes);
	return rc;
}

static void raise_peak(struct peak *p, uint64_t bytes, int64_t event)
{
	if (bytes > p->bytes) {
		p->bytes = bytes;
		p->event = event;
	}
}

/* Totals that the file tells: any event may raise them. */
static void note_counted_peaks(struct replay *r)
{
	struct replay_summary *s = &r->summary;
	struct totals now = replay_sum(r);

	if (now.reserved != BYTES_NONE &&
	    (s->reserved.bytes == BYTES_NONE || now.reserved > s->reserved.bytes))
		s->reserved = (struct peak){now.reserved, r->position};
	if (now.allocated > s->allocated.bytes) {
		s->allocated = (struct peak){now.allocated, r->position};
		s->at_peak = now;
	}
}

/* Sums grow only at an alloc (and reserved bytes at a segment event). */
static void note_peaks(struct replay *r)
{
	struct replay_summary *s = &r->summary;
	const struct heap *h = &r->heap;

	raise_peak(&s->active, h->allocated + h->pending, r->position);
	raise_peak(&s->requested, h->requested, r->position);
	raise_peak(&s->reserved, h->reserved, r->position);
	if (h->allocated > s->allocated.bytes) {
		s->allocated = (struct peak){h->allocated, r->position};
		s->at_peak = replay_sum(r);
	}
}

static void start_summary(struct replay *r)
{
	struct replay_summary *s = &r->summary;

	s->start = s->at_peak = replay_sum(r);
	if (r->d->counted) {
		s->reserved = (struct peak){s->start.reserved, EVENT_START};
		s->allocated = (struct peak){s->start.allocated, EVENT_START};
		s->active = s->requested = (struct peak){BYTES_NONE, EVENT_START};
		return;
	}
	s->reserved = (struct peak){r->heap.reserved, EVENT_START};
	s->allocated = (struct peak){r->heap.allocated, EVENT_START};
	s->active = (struct peak){r->heap.allocated + r->heap.pending, EVENT_START};
	s->requested = (struct peak){r->heap.requested, EVENT_START};
}

static bool grows(uint8_t action)
{
	return action == ACTION_ALLOC || action == ACTION_SEGMENT_ALLOC ||
	       action == ACTION_SEGMENT_MAP;
}

static int first_pass(struct replay *r, struct error *err)
{
	const uint8_t *action = r->m->events.action.at;
	uint64_t saved = 0;
	bool unrequested = false;

	for (uint64_t i = 0; i < r->d->n_events; i++) {
		int rc = apply_event(r, (uint32_t)i, err);

		if (rc == 0 && i - saved >= CHECKPOINT_MIN_EVENTS &&
		    (i - saved) * CHECKPOINT_BYTES_PER_EVENT >= heap_image_bytes(&r->heap)) {
			rc = save_checkpoint(r, err);
			saved = i;
		}
		if (rc < 0)
			return rc;
		if (r->d->counted) {
			note_counted_peaks(r);
		} else if (grows(action[replay_row(r, i)])) {
			note_peaks(r);
			unrequested |= r->heap.n_unrequested > 0;
		}
	}
	r->summary.end = replay_sum(r);
	if (r->d->counted)
		return 0;
	if (unrequested || r->summary.start.requested == BYTES_NONE)
		r->summary.requested = (struct peak){BYTES_NONE, EVENT_START};
	if (r->cut)
		r->summary.reserved = (struct peak){BYTES_NONE, EVENT_START};
	return 0;
}

/* Do blocks that lived before the trace carry frames? Then history was on when they were made, and
 * their allocs were in the ring once. */
static bool survivors_have_frames(const struct replay *r)
{
	for (size_t row = 1; row < r->heap.rows.n; row++) {
		const struct heap_block *b = &r->heap.rows.at[row];

		if ((b->state == BLOCK_ACTIVE || b->state == BLOCK_PENDING) &&
		    b->origin & ORIGIN_BEFORE &&
		    stacks_depth(&r->m->stacks, replay_block_stack(r, b->origin)) > 0)
			return true;
	}
	return false;
}

static bool is_round_number(uint64_t n)
{
	return n % 100 == 0 || (n & (n - 1)) == 0;
}

/* Was there nothing before event 0? `had_live`: the state before it had live blocks. */
static enum history history_of(const struct replay *r, bool had_live)
{
	const struct device *d = r->d;

	if (d->n_events <= 1)
		return HISTORY_NONE;
	if (d->overflow_known && d->overflowed)
		return HISTORY_TRUNCATED;
	if (!had_live)
		return HISTORY_COMPLETE;
	if (d->max_entries != BYTES_NONE && d->n_events >= d->max_entries)
		return HISTORY_TRUNCATED;
	if (!d->overflow_known && is_round_number(d->n_events) && survivors_have_frames(r))
		return HISTORY_TRUNCATED;
	return HISTORY_LATE_START;
}

static bool has_divisions(const struct alloc_settings *s)
{
	for (int i = 0; i < 16; i++)
		if (s->roundup_divisions[i] > 1)
			return true;
	return false;
}

static int build(struct replay *r, struct error *err)
{
	bool had_live;
	int rc = heap_init(&r->heap, r->budget, err);

	if (rc == 0)
		rc = r->d->counted ? counted_start(r, err) : initial_build(r, err);
	if (rc == 0)
		rc = save_checkpoint(r, err);
	if (rc < 0)
		return rc;
	had_live = r->heap.allocated + r->heap.pending + r->d->base_allocated > 0;
	start_summary(r);
	r->recording = true;
	rc = first_pass(r, err);
	if (rc == 0 && !r->cut)
		rc = reconcile_end(r, err);
	r->recording = false;
	r->totals = replay_sum(r);
	had_live |= r->summary.n_lost_frees > 0 || (r->cut && r->saw_outside);
	r->summary.history = history_of(r, had_live);
	return rc;
}

int replay_new(struct replay **out, const struct model *m, const struct device *d,
	       struct budget *budget, struct error *err)
{
	struct replay *r;
	int rc;

	if (d->n_events >= ORIGIN_MAX || m->blocks.n >= ORIGIN_MAX || m->segments.n >= ORIGIN_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "a device has more than 2^31 events or blocks");
	r = budget_realloc(budget, NULL, 0, sizeof *r, err);
	if (!r)
		return (int)err->code;
	*r = (struct replay){
		.m = m,
		.d = d,
		.budget = budget,
		.position = EVENT_START,
		.plain_rounding = !has_divisions(&m->settings),
		.never_splits = d->index == DEVICE_HOST,
		.of_driver = m->capture_value != NULL,
		.cut = !d->trace_meets_segments && d->n_events > 0,
		.last_time_us = INT64_MIN,
	};
	rc = build(r, err);
	if (rc < 0) {
		replay_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->checkpoints.n; i++)
		budget_free(r->budget, r->checkpoints.at[i].image, r->checkpoints.at[i].bytes);
	vec_release(&r->checkpoints, r->budget);
	vec_release(&r->mismatches, r->budget);
	heap_release(&r->heap);
	budget_free(r->budget, r, sizeof *r);
}

const struct replay_summary *replay_summary(const struct replay *r)
{
	return &r->summary;
}

const struct mismatch *replay_mismatches(const struct replay *r, size_t *n)
{
	*n = r->mismatches.n;
	return r->mismatches.at;
}

/* The last check-point at or before `event`. */
static const struct checkpoint *checkpoint_before(const struct replay *r, int64_t event)
{
	size_t low = 0, high = r->checkpoints.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->checkpoints.at[mid].event <= event)
			low = mid + 1;
		else
			high = mid;
	}
	assert(low > 0);
	return &r->checkpoints.at[low - 1];
}

/* Apply the next event. After a failure the heap may be half changed: the position says "behind
 * the trace", so that nothing but a seek, which restores it, goes on from there. */
static int advance(struct replay *r, struct error *err)
{
	int rc = apply_event(r, (uint32_t)(r->position + 1), err);

	if (rc < 0)
		r->position = (int64_t)r->d->n_events;
	return rc;
}

static int restore(struct replay *r, const struct checkpoint *c, struct error *err)
{
	int rc = heap_restore(&r->heap, c->image, err);

	r->position = rc < 0 ? (int64_t)r->d->n_events : c->event;
	r->next_mapping = c->next_mapping;
	return rc;
}

int replay_seek(struct replay *r, int64_t event, struct error *err)
{
	const struct checkpoint *c;
	int rc = 0;

	if (event < EVENT_START || event >= (int64_t)r->d->n_events)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "there is no event %lld: the trace has %llu", (long long)event,
				 (unsigned long long)r->d->n_events);
	c = checkpoint_before(r, event);
	if (event < r->position || c->event > r->position)
		rc = restore(r, c, err);
	while (rc == 0 && r->position < event)
		rc = advance(r, err);
	r->totals = replay_sum(r);
	return rc;
}

int64_t replay_position(const struct replay *r)
{
	return r->position;
}

int replay_step(struct replay *r, struct error *err)
{
	int rc;

	if (r->position + 1 >= (int64_t)r->d->n_events)
		return 0;
	rc = advance(r, err);
	if (rc < 0)
		return rc;
	r->totals = replay_sum(r);
	if (r->last_origin & ORIGIN_BEFORE)
		r->last.born = EVENT_START;
	else
		r->last.born = (int64_t)r->last_origin;
	r->last.born_stack = replay_block_stack(r, r->last_origin);
	return 1;
}

const struct step *replay_last(const struct replay *r)
{
	return &r->last;
}

const struct totals *replay_totals(const struct replay *r)
{
	return &r->totals;
}
