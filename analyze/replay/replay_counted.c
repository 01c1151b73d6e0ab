/* SPDX-License-Identifier: MIT
 * replay_counted.c -- devices whose totals the file tells event by event: traces of a profiler.
 *
 * Nothing is known of segments, and sizes are those of blocks, so each block is a run of its own.
 * What was freed without an alloc before lived at the start; the rest of what lived then, and what
 * threads made that nobody recorded, is known in sum only (replay_state adds it as one block).
 */
#include "base/num.h"
#include "replay/heap_rows.h"
#include "replay/replay_impl.h"
#include "replay/touch.h"

static int map_block(struct replay *r, uint64_t address, uint64_t size, uint32_t origin,
		     uint32_t *out, struct error *err)
{
	uint32_t row;
	int rc = heap_reserve(&r->heap, 2, err);

	if (rc < 0)
		return rc;
	row = heap_map(&r->heap, address, size, MAPPING_UNKNOWN, err);
	if (!row)
		return (int)err->code;
	heap_alloc(&r->heap, row, size, size, origin);
	*out = row;
	return 0;
}

int counted_start(struct replay *r, struct error *err)
{
	struct touch touch = {0};
	uint64_t end;
	uint32_t row;
	int rc;

	if (r->d->no_addresses)
		return 0;
	rc = touch_scan(&touch, r->m, r->d, r->budget, err);
	for (size_t i = 0; i < touch.frees.n && rc == 0; i++) {
		const struct touch_event *e = &touch.frees.at[i];

		if (e->size && num_add_u64(e->address, e->size, &end) &&
		    !runs_overlap(&r->heap.runs, e->address, end))
			rc = map_block(r, e->address, e->size, ORIGIN_UNKNOWN, &row, err);
	}
	touch_release(&touch);
	return rc;
}

static void last_block(struct replay *r, uint32_t row)
{
	const struct heap_block *b = heap_row(&r->heap, row);

	r->last.size = r->last.requested = b->size;
	r->last.applied = true;
	r->last_origin = b->origin;
}

/* Blocks in the way were freed by a thread that was not recorded. */
static int counted_alloc(struct replay *r, uint32_t number, uint64_t address, uint64_t size,
			 struct error *err)
{
	struct run *over;
	uint64_t end;
	uint32_t row;
	int rc;

	if (!size || !num_add_u64(address, size, &end))
		return 0;
	while ((over = runs_overlap(&r->heap.runs, address, end)))
		heap_free_complete(&r->heap, over->row);
	rc = map_block(r, address, size, number, &row, err);
	if (rc == 0)
		last_block(r, row);
	return rc;
}

static void counted_free(struct replay *r, uint64_t address)
{
	uint32_t row = heap_find(&r->heap, address);

	if (!row) {
		r->summary.n_lost_frees += r->recording;
		return;
	}
	if (r->recording)
		r->summary.n_lost_frees += heap_row(&r->heap, row)->origin >> 31;
	last_block(r, row);
	heap_free_complete(&r->heap, row);
}

int counted_apply(struct replay *r, uint32_t number, struct error *err)
{
	uint64_t row = replay_row(r, number);
	uint64_t address = r->m->events.addr.at[row];

	if (r->d->no_addresses)
		return 0;
	if (r->m->events.action.at[row] == ACTION_ALLOC)
		return counted_alloc(r, number, address, r->m->events.size.at[row], err);
	if (r->m->events.action.at[row] == ACTION_FREE_COMPLETED)
		counted_free(r, address);
	return 0;
}

struct totals counted_totals(const struct replay *r, int64_t event)
{
	const struct events *ev = &r->m->events;
	struct totals t = {BYTES_NONE, r->d->base_allocated, BYTES_NONE, BYTES_NONE};

	if (event >= 0) {
		t.allocated = ev->allocated.at[replay_row(r, (uint64_t)event)];
		t.reserved = ev->reserved.at[replay_row(r, (uint64_t)event)];
	} else if (r->d->n_events && ev->action.at[r->d->first_event] == ACTION_FREE_COMPLETED) {
		/* A free leaves reserved bytes as they were. */
		t.reserved = ev->reserved.at[r->d->first_event];
	}
	return t;
}
