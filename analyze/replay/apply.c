/* SPDX-License-Identifier: MIT
 * apply.c -- one event applied to the heap, and what is done when the two contradict each other.
 *
 * Repair follows the trace: what an event says happened did happen, and whatever stands in its way
 * is given up. So one lost event costs one mismatch, not the rest of the trace.
 */
#include <assert.h>

#include "base/num.h"
#include "model/rounding.h"
#include "replay/heap_rows.h"
#include "replay/replay_impl.h"

uint64_t replay_round(const struct replay *r, uint64_t requested)
{
	const struct alloc_settings *s = &r->m->settings;

	if (r->plain_rounding && requested < UINT64_MAX / 2) {
		uint64_t n = (requested + s->rounding_extra + MIN_BLOCK_BYTES - 1) &
			     ~(uint64_t)(MIN_BLOCK_BYTES - 1);

		return n ? n : MIN_BLOCK_BYTES;
	}
	return round_size(s, requested);
}

void replay_mismatch(struct replay *r, struct mismatch what)
{
	struct error ignored;

	if (!r->recording)
		return;
	r->summary.n_mismatches++;
	/* Without memory for another one the count still tells. */
	if (r->mismatches.n < REPLAY_MAX_MISMATCHES)
		(void)vec_push(&r->mismatches, what, r->budget, &ignored);
}

static uint64_t run_start(const struct replay *r, uint64_t address)
{
	const struct run *run = runs_holding(&r->heap.runs, address);

	return run ? run->start : 0;
}

static void mismatch_at(struct replay *r, enum replay_rule rule, uint32_t number, uint64_t address,
			uint64_t expected, uint64_t found)
{
	if (!r->recording)
		return;
	replay_mismatch(r, (struct mismatch){
				   .rule = rule,
				   .event = number,
				   .segment_address = run_start(r, address),
				   .address = address,
				   .expected = expected,
				   .found = found,
			   });
}

static inline void last_block(struct replay *r, const struct heap_block *b)
{
	r->last.address = b->address;
	r->last.size = b->size;
	r->last.requested = b->requested;
	r->last.pool = r->heap.mappings.at[b->mapping].pool;
	r->last.applied = true;
	r->last_origin = b->origin;
}

/* The alloc lies where no segment is known, or not wholly in one: a run of its own, as far as there
 * is room. In a cut trace a known part of a run may be in the way, whose other parts were mapped
 * before the trace: it is forgotten. */
static int alloc_outside(struct replay *r, uint32_t number, uint64_t address, uint64_t rounded,
			 uint32_t *out, struct error *err)
{
	struct heap *h = &r->heap;
	uint64_t end, first;

	r->saw_outside = true;
	*out = ROW_NONE;
	if (!r->cut)
		mismatch_at(r, RULE_ALLOC_OUTSIDE, number, address, 0, rounded);
	if (!num_add_u64(address, rounded, &end))
		return 0;
	if (!r->cut && end > runs_next_start(&h->runs, address))
		end = runs_next_start(&h->runs, address);
	if (heap_clear(h, address, end, &first))
		mismatch_at(r, RULE_ALLOC_ON_LIVE, number, address, first, rounded);
	if (heap_unmap(h, address, end, err) < 0)
		return (int)err->code;
	*out = heap_map(h, address, end - address, MAPPING_UNKNOWN, err);
	return *out ? 0 : (int)err->code;
}

/* Let the inactive space begin at `address`, inside block `row`. */
static uint32_t alloc_inside(struct replay *r, uint32_t number, uint32_t row, uint64_t address)
{
	struct heap *h = &r->heap;
	struct heap_block *b = heap_row(h, row), *prev;
	uint64_t offset = address - b->address;

	if (block_is_live(b)) {
		/* In the rest that a rule gave to the block: there was none after all. */
		if (b->mapping != MAPPING_UNKNOWN && offset >= b->requested)
			return heap_split(h, row, offset);
		mismatch_at(r, RULE_ALLOC_ON_LIVE, number, address, b->address, b->size);
		row = heap_free_complete(h, row);
		if (!row)
			return ROW_NONE;
		b = heap_row(h, row);
		offset = address - b->address;
		if (!offset)
			return row;
	}
	prev = b->prev ? heap_row(h, b->prev) : NULL;
	if (prev && prev->open_size && block_is_live(prev) && offset <= SPLIT_REST_BYTES) {
		uint32_t grown = b->prev;

		prev->open_size = false;
		heap_extend(h, grown, address);
		return heap_row(h, grown)->next;
	}
	return heap_split(h, row, offset);
}

/* The inactive block at the alloc's address is too small: what stands behind it is given up. */
static uint32_t alloc_make_room(struct replay *r, uint32_t number, uint32_t row, uint64_t requested,
				uint64_t rounded)
{
	struct heap *h = &r->heap;
	uint64_t address = heap_row(h, row)->address, first;
	uint64_t end = runs_holding(&h->runs, address)->end;

	mismatch_at(r, RULE_ALLOC_NO_ROOM, number, address, requested, heap_row(h, row)->size);
	if (rounded < end - address)
		end = address + rounded;
	heap_clear(h, address, end, &first);
	return heap_find(h, address);
}

/* *out: an inactive block that starts at the alloc's address, made if need be; ROW_NONE when the
 * alloc cannot be applied. */
static int alloc_repair(struct replay *r, uint32_t number, uint64_t address, uint64_t requested,
			uint64_t rounded, uint32_t *out, struct error *err)
{
	struct heap *h = &r->heap;
	uint32_t row = heap_find_holding(h, address);

	if (row && heap_row(h, row)->address == address && block_is_live(heap_row(h, row))) {
		mismatch_at(r, RULE_ALLOC_ON_LIVE, number, address, address,
			    heap_row(h, row)->size);
		heap_free_complete(h, row);
		row = heap_find_holding(h, address);
	}
	if (row && heap_row(h, row)->address != address) {
		row = alloc_inside(r, number, row, address);
		if (!row)
			row = heap_find_holding(h, address);
	}
	if (!row || (r->cut && heap_row(h, row)->size < requested))
		return alloc_outside(r, number, address, rounded, out, err);
	if (heap_row(h, row)->size < requested)
		row = alloc_make_room(r, number, row, requested, rounded);
	*out = row;
	return 0;
}

static void check_stream(struct replay *r, uint32_t number, uint32_t row)
{
	const struct attr *attr = replay_attr(r, number);
	const struct mapping *m = &r->heap.mappings.at[heap_row(&r->heap, row)->mapping];

	if (m != &r->heap.mappings.at[MAPPING_UNKNOWN] && attr->has_stream && !r->of_driver &&
	    attr->stream != m->stream)
		mismatch_at(r, RULE_ALLOC_STREAM, number, heap_row(&r->heap, row)->address,
			    m->stream, attr->stream);
}

static int apply_alloc(struct replay *r, uint32_t number, uint64_t address, uint64_t requested,
		       struct error *err)
{
	struct heap *h = &r->heap;
	uint64_t rounded = replay_round(r, requested), size;
	uint32_t row = heap_find(h, address);
	const struct mapping *m;
	struct heap_block *b;

	if (__builtin_expect(!heap_is_inactive(h, row) || heap_row(h, row)->size < requested, 0)) {
		int rc = alloc_repair(r, number, address, requested, rounded, &row, err);

		if (rc < 0)
			return rc;
		if (!row)
			return 0;
	}
	b = heap_row(h, row);
	m = &h->mappings.at[b->mapping];
	size = b->size;
	if (rounded < size && !r->never_splits &&
	    round_splits(&r->m->settings, size, rounded, rounded <= SMALL_MAX_BYTES,
			 r->of_driver || m->is_expandable || r->m->settings.expandable_segments))
		size = rounded;
	heap_alloc(h, row, size, requested < size ? requested : size, number);
	if (r->recording)
		check_stream(r, number, row);
	last_block(r, heap_row(h, row));
	return 0;
}

/* Frees of a private pool's blocks may name the rounded size: graph checkpoints do. */
static void check_free_size(struct replay *r, uint32_t number, const struct heap_block *b,
			    uint64_t size)
{
	const struct mapping *m = &r->heap.mappings.at[b->mapping];

	if (size == b->requested || b->requested == BYTES_NONE || m->pool.a || m->pool.b ||
	    replay_round(r, size) == replay_round(r, b->requested))
		return;
	mismatch_at(r, RULE_FREE_SIZE, number, b->address, b->requested, size);
}

/* A free of something that is not live. In a cut trace it lived before the trace, unseen. */
static void free_unknown(struct replay *r, uint32_t number, uint64_t address, uint64_t size,
			 bool completed)
{
	bool second = completed && r->lost_pending && r->lost_address == address;

	if (!r->cut)
		mismatch_at(r, RULE_FREE_UNKNOWN, number, address, size, 0);
	else if (r->recording && !second)
		r->summary.n_lost_frees++;
	r->lost_pending = !completed;
	r->lost_address = address;
}

static void apply_free_requested(struct replay *r, uint32_t number, uint64_t address, uint64_t size)
{
	struct heap *h = &r->heap;
	uint32_t row = heap_find(h, address);
	struct heap_block *b = heap_row(h, row);

	if (!row || !block_is_live(b)) {
		free_unknown(r, number, address, size, false);
		return;
	}
	if (r->recording && size != b->requested)
		check_free_size(r, number, b, size);
	if (b->state == BLOCK_PENDING) {
		mismatch_at(r, RULE_FREE_TWICE, number, address, 0, 0);
		return;
	}
	if (r->recording)
		r->summary.n_lost_frees += b->origin >> 31;
	heap_free_request(h, row, number);
	last_block(r, b);
}

static void apply_free_completed(struct replay *r, uint32_t number, uint64_t address, uint64_t size)
{
	struct heap *h = &r->heap;
	uint32_t row = heap_find(h, address);
	struct heap_block *b = heap_row(h, row);

	if (!row || !block_is_live(b)) {
		free_unknown(r, number, address, size, true);
		return;
	}
	if (r->recording) {
		if (size != b->requested)
			check_free_size(r, number, b, size);
		if (!b->freed)
			r->summary.n_lost_frees += b->origin >> 31;
	}
	last_block(r, b);
	heap_free_complete(h, row);
}

static int apply_map(struct replay *r, uint32_t number, uint64_t address, uint64_t size,
		     struct error *err)
{
	struct heap *h = &r->heap;
	uint32_t mapping = r->next_mapping++;
	const struct run *over;
	uint64_t end;

	assert(mapping < h->mappings.n);
	if (!size || !num_add_u64(address, size, &end)) {
		mismatch_at(r, RULE_SEGMENT_OVERLAP, number, address, 0, size);
		return 0;
	}
	over = runs_overlap(&h->runs, address, end);
	if (over) {
		mismatch_at(r, RULE_SEGMENT_OVERLAP, number, address, over->start,
			    over->end - over->start);
		if (heap_unmap(h, address, end, err) < 0)
			return (int)err->code;
	}
	if (!heap_map(h, address, size, mapping, err))
		return (int)err->code;
	r->last.applied = true;
	return 0;
}

static int apply_unmap(struct replay *r, uint32_t number, uint64_t address, uint64_t size,
		       bool whole, struct error *err)
{
	struct heap *h = &r->heap;
	const struct run *run = runs_holding(&h->runs, address);
	uint64_t end, first = 0;

	if (!num_add_u64(address, size, &end))
		end = UINT64_MAX;
	if (!run || run->end < end || (whole && (run->start != address || run->end != end)) ||
	    heap_row(h, run->row)->mapping == MAPPING_UNKNOWN) {
		if (!r->cut)
			mismatch_at(r, RULE_SEGMENT_UNKNOWN, number, address, size,
				    run ? run->end - run->start : 0);
		if (!runs_overlap(&h->runs, address, end))
			return 0;
	}
	if (heap_clear(h, address, end, &first))
		mismatch_at(r, RULE_SEGMENT_LIVE, number, first, address, size);
	r->last.applied = true;
	return heap_unmap(h, address, end, err);
}

static void check_time(struct replay *r, uint32_t number)
{
	int64_t time = r->m->events.time_us.at[replay_row(r, number)];

	if (time == TIME_NONE)
		return;
	if (time < r->last_time_us)
		replay_mismatch(r, (struct mismatch){
					   .rule = RULE_TIME_BACKWARDS,
					   .event = number,
					   .expected = (uint64_t)r->last_time_us,
					   .found = (uint64_t)time,
				   });
	r->last_time_us = time;
}

static void check_snapshot(struct replay *r, uint32_t number, uint64_t bytes)
{
	uint64_t active = r->heap.allocated + r->heap.pending;

	if (bytes != active && !r->cut && !r->sizes_open)
		replay_mismatch(r, (struct mismatch){
					   .rule = RULE_SNAPSHOT_BYTES,
					   .event = number,
					   .expected = active,
					   .found = bytes,
				   });
}

int apply_event(struct replay *r, uint32_t number, struct error *err)
{
	uint64_t row = replay_row(r, number);
	uint64_t address = r->m->events.addr.at[row], size = r->m->events.size.at[row];
	uint8_t action = r->m->events.action.at[row];
	int rc = heap_reserve(&r->heap, 4, err);

	if (rc < 0)
		return rc;
	r->last.action = (enum action)action;
	r->last.address = address;
	r->last.size = r->last.requested = size;
	r->last.pool = (struct pool_id){0, 0};
	r->last.applied = false;
	r->last_origin = number;
	if (r->recording)
		check_time(r, number);
	if (r->d->counted) {
		rc = counted_apply(r, number, err);
		if (rc == 0)
			r->position = number;
		return rc;
	}
	switch (action) {
	case ACTION_ALLOC:
		rc = apply_alloc(r, number, address, size, err);
		break;
	case ACTION_FREE_REQUESTED:
		apply_free_requested(r, number, address, size);
		break;
	case ACTION_FREE_COMPLETED:
		apply_free_completed(r, number, address, size);
		break;
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		rc = apply_map(r, number, address, size, err);
		break;
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		rc = apply_unmap(r, number, address, size, action == ACTION_SEGMENT_FREE, err);
		break;
	case ACTION_SNAPSHOT:
		check_snapshot(r, number, size);
		break;
	default:
		break;
	}
	if (rc == 0)
		r->position = number;
	return rc;
}
