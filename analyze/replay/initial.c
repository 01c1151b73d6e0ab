/* SPDX-License-Identifier: MIT
 * initial.c -- the state before event 0, from the file's segments and the first event everywhere.
 *
 * Sizes. A block that survives has its size in the file. One that dies in the trace is known by its
 * requested bytes only; the rules give its size, except in large segments that are not expandable,
 * where it may own a rest of up to 1 MiB behind it. Every inactive block there is larger than
 * that, so:
 *   - a gap of up to 1 MiB before the next live block, or the segment's end, is such a rest;
 *   - else the true end is where an inactive block begins, and the first alloc in that space while
 *     the block lives tells where (it takes the low end of an inactive block);
 *   - without such an alloc the end stays open: no rest is assumed.
 */
#include <stdlib.h>

#include "base/num.h"
#include "model/rounding.h"
#include "replay/heap_rows.h"
#include "replay/touch.h"
#include "replay/undo.h"

struct lived {
	uint64_t address, size; /* size 0: not known */
	uint64_t requested;
	uint32_t origin;
	uint32_t freed; /* number of the event that freed it, when size is not known */
	uint8_t state;
};

struct initial {
	struct replay *r;
	struct touch touch;
	struct runs runs;
	VEC(struct lived) lived;
};

/* Blocks of the file that are live: those without any event lived all along. */
static int add_survivors(struct initial *b, struct error *err)
{
	const struct model *m = b->r->m;
	const struct device *d = b->r->d;

	for (uint64_t s = d->first_segment; s < d->first_segment + d->n_segments; s++) {
		const struct segment *seg = &m->segments.at[s];

		for (uint64_t i = seg->first_block; i < seg->first_block + seg->n_blocks; i++) {
			const struct block *k = &m->blocks.at[i];
			struct lived one = {
				.address = k->address,
				.size = k->size,
				.requested = k->requested_size,
				.origin = ORIGIN_BEFORE | (uint32_t)(i + 1),
				.state = k->state,
			};
			int rc;

			if (k->state == BLOCK_INACTIVE || !k->size ||
			    touch_has(&b->touch, k->address))
				continue;
			rc = vec_push(&b->lived, one, b->r->budget, err);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* Blocks whose first event is a free. A lone free_completed as the first event means that the
 * request came before the trace; in a trace that has no requests at all it stands for both. */
static int add_freed(struct initial *b, struct error *err)
{
	bool has_requests = b->touch.seen & 1u << ACTION_FREE_REQUESTED;

	if (vec_reserve(&b->lived, b->touch.frees.n, b->r->budget, err) < 0)
		return (int)err->code;
	for (size_t i = 0; i < b->touch.frees.n; i++) {
		const struct touch_event *e = &b->touch.frees.at[i];
		bool pending = e->action == ACTION_FREE_COMPLETED && has_requests;

		b->lived.at[b->lived.n++] = (struct lived){
			.address = e->address,
			.size = model_size_before(b->r->m, b->r->d->index, e->address),
			.requested = e->size,
			.origin = ORIGIN_UNKNOWN,
			.freed = e->event,
			.state = pending ? BLOCK_PENDING : BLOCK_ACTIVE,
		};
	}
	return 0;
}

/* Pending blocks of the file that were requested free in the trace, but whose memory was not
 * reused: their size is in the file too. `pending` maps their addresses to rows of lived. */
static void forget_reborn(const struct replay *r, struct hashmap *pending)
{
	const struct events *events = &r->m->events;
	uint64_t end = r->d->first_event + r->d->n_events;

	for (uint64_t e = r->d->first_event; e < end && pending->n; e++) {
		uint8_t action = events->action.at[e];

		if (action == ACTION_ALLOC || action == ACTION_FREE_COMPLETED)
			hashmap_remove(pending, events->addr.at[e]);
	}
}

static int add_pending_sizes(struct initial *b, struct error *err)
{
	const struct model *m = b->r->m;
	const struct device *d = b->r->d;
	struct hashmap pending;
	bool any = false;
	int rc = 0;

	for (uint64_t s = d->first_segment; s < d->first_segment + d->n_segments && !any; s++)
		for (uint64_t i = 0; i < m->segments.at[s].n_blocks && !any; i++)
			any = m->blocks.at[m->segments.at[s].first_block + i].state ==
			      BLOCK_PENDING;
	if (!any)
		return 0;
	hashmap_init(&pending, b->r->budget);
	for (size_t i = 0; i < b->lived.n && rc == 0; i++)
		if (!b->lived.at[i].size && b->lived.at[i].state == BLOCK_ACTIVE)
			rc = hashmap_put(&pending, b->lived.at[i].address, i, err);
	if (rc == 0)
		forget_reborn(b->r, &pending);
	for (uint64_t s = d->first_segment; s < d->first_segment + d->n_segments && rc == 0; s++) {
		const struct segment *seg = &m->segments.at[s];

		for (uint64_t i = seg->first_block; i < seg->first_block + seg->n_blocks; i++) {
			const struct block *k = &m->blocks.at[i];
			const uint64_t *at = hashmap_get(&pending, k->address);

			if (!at || k->state != BLOCK_PENDING)
				continue;
			b->lived.at[*at].size = k->size;
			b->lived.at[*at].requested = k->requested_size;
			b->lived.at[*at].origin = ORIGIN_BEFORE | (uint32_t)(i + 1);
		}
	}
	hashmap_release(&pending);
	return rc;
}

static int compare_lived(const void *a, const void *b)
{
	uint64_t x = ((const struct lived *)a)->address, y = ((const struct lived *)b)->address;

	return (x > y) - (x < y);
}

/* Size of a block that dies in the trace; `room` bytes reach to the next live block or the end of
 * its run. See the head of this file. */
static uint64_t size_by_rule(struct initial *b, const struct lived *one, const struct mapping *m,
			     uint64_t room, bool *open)
{
	const struct alloc_settings *s = &b->r->m->settings;
	uint64_t rounded = replay_round(b->r, one->requested), slack = SPLIT_REST_BYTES;
	const struct touch_event *e;

	*open = false;
	if (b->r->never_splits || rounded >= room)
		return room;
	if (b->r->of_driver || rounded <= SMALL_MAX_BYTES || m->is_expandable ||
	    s->expandable_segments)
		return rounded;
	if (rounded >= s->max_split_bytes)
		slack = s->max_non_split_rounding_bytes;
	if (room - rounded <= slack)
		return room;
	e = touch_large_alloc(&b->touch, one->address + rounded, one->address + rounded + slack);
	if (e && e->event < one->freed)
		return e->address - one->address;
	*open = true;
	return rounded;
}

static int place(struct initial *b, const struct lived *one, uint64_t next_address, uint32_t *tail,
		 struct error *err)
{
	struct heap *h = &b->r->heap;
	uint32_t row = *tail;
	uint64_t room, size;
	bool open = false;
	int rc = heap_reserve(h, 2, err);

	if (rc < 0)
		return rc;
	if (!row || one->address < heap_row(h, row)->address ||
	    one->address >= block_end(heap_row(h, row)))
		row = heap_find_holding(h, one->address);
	if (!heap_is_inactive(h, row))
		return 0; /* outside every segment, or over another block: its free will tell */
	if (heap_row(h, row)->address < one->address)
		row = heap_split(h, row, one->address - heap_row(h, row)->address);
	room = heap_row(h, row)->size;
	if (next_address - one->address < room)
		room = next_address - one->address;
	if (one->size)
		size = one->size < room ? one->size : room;
	else
		size = size_by_rule(b, one, &h->mappings.at[heap_row(h, row)->mapping], room,
				    &open);
	heap_alloc(h, row, size, one->requested, one->origin);
	if (one->state == BLOCK_PENDING) {
		heap_free_request(h, row, 0);
		heap_row(h, row)->freed = 0;
	}
	heap_row(h, row)->open_size = open;
	b->r->sizes_open |= open;
	*tail = heap_row(h, row)->next;
	return 0;
}

static int place_all(struct initial *b, struct error *err)
{
	struct heap *h = &b->r->heap;
	struct run *run;
	uint32_t tail = ROW_NONE;

	for (struct run_at p = {0}; (run = runs_get(&b->runs, p)); p = runs_next(&b->runs, p)) {
		int rc = heap_reserve(h, 2, err);

		if (rc < 0)
			return rc;
		if (!heap_map(h, run->start, run->end - run->start, run->row, err))
			return (int)err->code;
	}
	if (b->lived.n > 1)
		qsort(b->lived.at, b->lived.n, sizeof b->lived.at[0], compare_lived);
	for (size_t i = 0; i < b->lived.n; i++) {
		uint64_t next = i + 1 < b->lived.n ? b->lived.at[i + 1].address : UINT64_MAX;
		int rc;

		if (next == b->lived.at[i].address)
			continue; /* twice in the file; one is enough */
		rc = place(b, &b->lived.at[i], next, &tail, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int initial_build(struct replay *r, struct error *err)
{
	struct initial b = {.r = r};
	int rc = touch_scan(&b.touch, r->m, r->d, r->budget, err);

	if (rc == 0)
		rc = undo_segments(r, b.touch.n_segment_events, &b.runs, err);
	if (rc == 0 && !r->cut)
		rc = add_survivors(&b, err);
	if (rc == 0 && !r->cut)
		rc = add_freed(&b, err);
	if (rc == 0 && !r->cut)
		rc = add_pending_sizes(&b, err);
	if (rc == 0)
		rc = place_all(&b, err);
	touch_release(&b.touch);
	runs_release(&b.runs);
	vec_release(&b.lived, r->budget);
	return rc;
}
