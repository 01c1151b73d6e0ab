/* SPDX-License-Identifier: MIT
 * explain_argue.c -- the facts that speak for a verdict, those that decide it first.
 */
#include <assert.h>

#include "base/num.h"
#include "passes/explain.h"
#include "passes/explain_private.h"

/* How far back a burst of returned segments still belongs to the failure. */
#define GIVEN_BACK_EVENTS 4096

/* Shorter traces show one step at most. */
#define GROWTH_EVENTS 1000

static void add(struct explain_oom *o, struct evidence e)
{
	for (size_t i = 0; i < o->n_evidence; i++)
		if (o->evidence[i].kind == e.kind && o->evidence[i].why == e.why)
			return;
	if (o->n_evidence < EXPLAIN_MAX_EVIDENCE)
		o->evidence[o->n_evidence++] = e;
}

static void argue_limit(struct explain_oom *o)
{
	uint64_t reserved = o->survey.reserved;
	uint64_t wanted = num_add_saturated(reserved, o->request.attempted);

	if (o->card.allowed.known)
		add(o, (struct evidence){.kind = EVIDENCE_LIMIT_KNOWN,
					 .bytes = o->card.allowed.bytes,
					 .of_bytes = wanted});
	else
		add(o, (struct evidence){
			       .kind = EVIDENCE_LIMIT, .bytes = reserved, .of_bytes = wanted});
}

static void argue_device(struct explain_oom *o)
{
	uint64_t attempted = o->request.attempted, has = o->device_free;

	if (explain_limited(o))
		argue_limit(o);
	else if (has == BYTES_NONE)
		add(o, (struct evidence){.kind = EVIDENCE_NO_DEVICE_FREE});
	else if (o->verdict == VERDICT_REQUEST_TOO_LARGE)
		add(o, (struct evidence){.kind = EVIDENCE_ALL_GIVEN_BACK,
					 .bytes = num_add_saturated(o->survey.reserved, has),
					 .of_bytes = attempted});
	else if (has < attempted)
		add(o, (struct evidence){
			       .kind = EVIDENCE_SHORT, .bytes = attempted - has, .of_bytes = has});
	else
		add(o, (struct evidence){
			       .kind = EVIDENCE_NEARLY, .bytes = has, .of_bytes = attempted});
}

/* Who else is on the card; where it was not the card that refused, that is no reason. */
static void argue_card(struct explain_oom *o)
{
	const struct card_facts *f = &o->card;

	if (explain_limited(o) || o->verdict == VERDICT_REQUEST_TOO_LARGE)
		return;
	if (f->others.known && f->n_others)
		add(o, (struct evidence){.kind = EVIDENCE_OTHERS,
					 .bytes = f->others.bytes,
					 .of_bytes = f->largest.bytes,
					 .count = f->n_others,
					 .count2 = f->largest_pid});
	if (o->balance.outside.known && (o->verdict == VERDICT_OUTSIDE_ALLOCATOR ||
					 o->balance.outside.bytes > o->survey.allocated / 4))
		add(o, (struct evidence){
			       .kind = EVIDENCE_OUTSIDE,
			       .bytes = o->balance.outside.bytes,
			       .of_bytes = f->self.known
						   ? f->self.bytes
						   : num_add_saturated(o->survey.reserved,
								       o->balance.outside.bytes)});
}

/* PyTorch prints its hint whatever the state is. */
static void argue_hint(struct explain_oom *o, const struct explain_context *c)
{
	const struct oom_message *m = o->card.message;
	bool on = c->m && c->m->settings.expandable_segments;

	if (!m || m->hint == OOM_HINT_NONE || o->verdict == VERDICT_UNKNOWN)
		return;
	if (o->verdict == VERDICT_FRAGMENTATION && !(on && m->hint == OOM_HINT_EXPANDABLE))
		return;
	add(o, (struct evidence){.kind = EVIDENCE_HINT_WRONG,
				 .bytes = o->survey.reserved - o->survey.allocated,
				 .of_bytes = o->request.attempted,
				 .count = m->hint,
				 .count2 = on});
}

static void argue_use(struct explain_oom *o)
{
	const struct survey *s = &o->survey;
	uint64_t idle = s->reserved - s->allocated;

	if (s->reserved == 0)
		return;
	/* With 0 blocks: a message does not count them. */
	add(o, (struct evidence){.kind = EVIDENCE_LIVE,
				 .bytes = s->allocated,
				 .of_bytes = s->reserved,
				 .count = s->live_blocks});
	if (idle)
		add(o, (struct evidence){
			       .kind = EVIDENCE_IDLE, .bytes = idle, .of_bytes = s->reserved});
}

static void argue_elsewhere(struct explain_oom *o, enum evidence_kind kind, enum unusable why)
{
	const struct free_blocks *f = &o->survey.free[why];

	if (f->fitting)
		add(o, (struct evidence){.kind = kind,
					 .bytes = f->largest,
					 .of_bytes = f->bytes,
					 .count = f->fitting,
					 .why = why,
					 .stream = f->largest_stream,
					 .pool = f->largest_pool});
}

static void argue_pieces(struct explain_oom *o)
{
	const struct survey *s = &o->survey;
	const struct free_blocks *f = &s->free[UNUSABLE_TOO_SMALL];
	const struct pinned *p = &s->pinned;
	/* Where pieces are not the reason, they have to be large to be worth a line. */
	uint64_t worth = s->reserved / (o->verdict == VERDICT_FRAGMENTATION ? 100 : 20);

	argue_elsewhere(o, EVIDENCE_REFUSED_BLOCK, UNUSABLE_SPLIT_GUARD);
	argue_elsewhere(o, EVIDENCE_REFUSED_BLOCK, UNUSABLE_MIXED_MODES);
	if (f->blocks)
		add(o, (struct evidence){.kind = EVIDENCE_LARGEST_FREE,
					 .bytes = f->largest,
					 .of_bytes = f->bytes,
					 .count = f->blocks});
	if (p->segments && p->idle_bytes >= worth)
		add(o, (struct evidence){.kind = EVIDENCE_PINNED,
					 .bytes = p->idle_bytes,
					 .of_bytes = p->bytes,
					 .count = p->segments,
					 .count2 = p->live_blocks});
	if (p->has_site && p->site_idle_bytes >= worth)
		add(o, (struct evidence){.kind = EVIDENCE_PINNING_SITE,
					 .bytes = p->site_idle_bytes,
					 .of_bytes = p->site_bytes,
					 .count = p->site_segments,
					 .count2 = p->site_blocks,
					 .site = p->site,
					 .alone = p->site_alone});
}

static void argue_places(struct explain_oom *o)
{
	const struct survey *s = &o->survey;

	if (s->pending)
		add(o, (struct evidence){.kind = EVIDENCE_PENDING,
					 .bytes = s->pending,
					 .of_bytes = s->pending_fits,
					 .count = s->pending_blocks});
	argue_elsewhere(o, EVIDENCE_ELSEWHERE, UNUSABLE_OTHER_POOL);
	argue_elsewhere(o, EVIDENCE_ELSEWHERE, UNUSABLE_OTHER_STREAM);
	argue_elsewhere(o, EVIDENCE_ELSEWHERE, UNUSABLE_OTHER_CLASS);
	if (!o->request.pool_known && !s->only_default_pool)
		add(o, (struct evidence){.kind = EVIDENCE_POOL_ASSUMED});
}

static bool gives_back(enum action a)
{
	return a == ACTION_SEGMENT_FREE || a == ACTION_SEGMENT_UNMAP;
}

/* The newest burst of segments that went back to the driver before the failure: the allocator
 * had emptied its cache, so what is still idle could not be returned. */
static void argue_given_back(struct explain_oom *o, const struct explain_context *c)
{
	const struct events *e = &c->m->events;
	struct evidence burst = {.kind = EVIDENCE_GIVEN_BACK};
	int64_t oldest = o->event > GIVEN_BACK_EVENTS ? o->event - GIVEN_BACK_EVENTS : 0;

	for (int64_t n = o->event - 1; n >= oldest; n--) {
		uint64_t row = c->d->first_event + (uint64_t)n;
		enum action a = e->action.at[row];

		if (gives_back(a)) {
			if (burst.count == 0)
				burst.count2 = (uint64_t)n;
			burst.count++;
			burst.bytes = num_add_saturated(burst.bytes, e->size.at[row]);
		} else if (burst.count && a != ACTION_FREE_COMPLETED) {
			break;
		}
	}
	if (burst.count)
		add(o, burst);
}

static void argue_history(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;
	const struct replay_summary *sum = c->summary;

	if (sum->end.allocated != BYTES_NONE &&
	    sum->end.allocated < s->allocated - s->allocated / 10)
		add(o, (struct evidence){.kind = EVIDENCE_DUMPED_LATER,
					 .bytes = sum->end.allocated,
					 .of_bytes = s->allocated,
					 .count = c->d->n_events - 1 - (uint64_t)o->event});
	if (sum->history == HISTORY_TRUNCATED)
		add(o, (struct evidence){.kind = EVIDENCE_LOST, .count = c->d->n_events});
	if (s->before_bytes)
		add(o, (struct evidence){.kind = EVIDENCE_BEFORE,
					 .bytes = s->before_bytes,
					 .of_bytes = s->before_no_stack_bytes,
					 .count = s->before_blocks});
}

/* Growth over a trace that is long enough, and not a window cut out of a longer run. */
static void argue_growth(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;

	if (o->event >= GROWTH_EVENTS && c->summary->history == HISTORY_COMPLETE &&
	    s->late_bytes >= s->allocated / 10 && s->late_bytes > 0)
		add(o, (struct evidence){.kind = EVIDENCE_GROWTH,
					 .bytes = s->late_bytes,
					 .of_bytes = s->allocated});
	if (s->slack >= s->allocated / 20 && s->slack > 0)
		add(o,
		    (struct evidence){
			    .kind = EVIDENCE_SLACK, .bytes = s->slack, .of_bytes = s->allocated});
}

static void argue_message(struct explain_oom *o, const struct explain_context *c)
{
	uint64_t idle = o->survey.reserved - o->survey.allocated;

	argue_device(o);
	argue_card(o);
	if (o->look.totals.allocated != BYTES_NONE)
		argue_use(o);
	if (o->verdict == VERDICT_UNKNOWN && idle)
		add(o, (struct evidence){.kind = EVIDENCE_IDLE_UNSORTED,
					 .bytes = idle,
					 .of_bytes = o->request.attempted});
	argue_hint(o, c);
	explain_advise(o, c);
}

void explain_argue(struct explain_oom *o, const struct explain_context *c)
{
	o->n_evidence = o->n_advice = 0;
	if (o->message_only) {
		argue_message(o, c);
		return;
	}
	if (!o->look.exact) {
		add(o, (struct evidence){.kind = EVIDENCE_NOT_EXACT});
		argue_history(o, c);
		return;
	}
	if (o->verdict == VERDICT_FRAGMENTATION)
		argue_pieces(o);
	if (o->verdict == VERDICT_PENDING_FREE || o->verdict == VERDICT_STRANDED_CACHE)
		argue_places(o);
	argue_device(o);
	argue_card(o);
	argue_use(o);
	argue_places(o);
	argue_history(o, c);
	argue_hint(o, c);
	argue_growth(o, c);
	argue_pieces(o);
	argue_given_back(o, c);
	explain_advise(o, c);
}
