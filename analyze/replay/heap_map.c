/* SPDX-License-Identifier: MIT
 * heap_map.c -- mapping and unmapping ranges of a heap, and finding the block around an address.
 */
#include "replay/heap.h"

#include <assert.h>

#include "replay/heap_rows.h"

/* A mark for every so many blocks: a walk from one to the next stays short, and making them is
 * cheap. */
#define BLOCKS_PER_MARK 32

/* Walks between marks are paid for by the events that made blocks come and go since; when the
 * steps taken exceed the blocks there are, new marks are due. So the price is O(1) per event on
 * average, however the input is made up. */
static void make_marks(struct heap *h)
{
	struct error ignored;
	struct run *run;

	h->marks.n = 0;
	h->walked = 0;
	for (struct run_at p = {0}; (run = runs_get(&h->runs, p)); p = runs_next(&h->runs, p)) {
		size_t k = 0;

		for (uint32_t row = run->row; row; row = heap_row(h, row)->next) {
			struct heap_mark mark = {heap_row(h, row)->address, row};

			/* Without memory for marks walks are longer, nothing else. */
			if (k++ % BLOCKS_PER_MARK == BLOCKS_PER_MARK - 1 &&
			    vec_push(&h->marks, mark, h->budget, &ignored) < 0)
				return;
		}
	}
}

/* Number of marks at or before `address`. */
static size_t marks_before(const struct heap *h, uint64_t address)
{
	size_t low = 0, high = h->marks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->marks.at[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t heap_find_holding(struct heap *h, uint64_t address)
{
	uint32_t row = heap_find(h, address);
	const struct run *run;

	if (row)
		return row;
	run = runs_holding(&h->runs, address);
	if (!run)
		return ROW_NONE;
	if (h->walked > h->n_used + 2 * BLOCKS_PER_MARK)
		make_marks(h);
	row = run->row;
	for (size_t k = marks_before(h, address); k > 0; k--) {
		const struct heap_mark *mark = &h->marks.at[k - 1];
		const struct heap_block *b = heap_row(h, mark->row);

		if (mark->address < run->start)
			break;
		h->walked++;
		if (b->state != HEAP_UNUSED && b->address == mark->address) {
			row = mark->row;
			break;
		}
	}
	while (block_end(heap_row(h, row)) <= address) {
		row = heap_row(h, row)->next;
		h->walked++;
	}
	return row;
}

/* Is the memory behind `a` the same virtual range as `b`? Ranges of different pools never touch
 * in practice (each reserves more than the device has), so the stream decides. */
static bool mappings_join(const struct heap *h, uint32_t a, uint32_t b)
{
	const struct mapping *x = &h->mappings.at[a], *y = &h->mappings.at[b];

	return x->is_expandable && y->is_expandable && x->stream == y->stream;
}

/* Enter the mapped range into the order, as part of the runs it is joined to. */
static int join_runs(struct heap *h, struct run new, bool with_prev, bool with_next,
		     struct error *err)
{
	if (with_next) {
		struct run *next = runs_holding(&h->runs, new.end);

		new.end = next->end;
		runs_remove(&h->runs, next->start);
	}
	if (with_prev) {
		runs_before(&h->runs, new.start - 1)->end = new.end;
		return 0;
	}
	return runs_insert(&h->runs, new, err);
}

uint32_t heap_map(struct heap *h, uint64_t address, uint64_t size, uint32_t mapping,
		  struct error *err)
{
	uint64_t end = address + size;
	uint32_t row = heap_row_new(h, address, size, mapping);
	const struct run *next = runs_holding(&h->runs, end);
	uint32_t before = address ? heap_find_holding(h, address - 1) : ROW_NONE;
	uint32_t behind = next && next->start == end ? next->row : ROW_NONE;

	if (before && !mappings_join(h, heap_row(h, before)->mapping, mapping))
		before = ROW_NONE;
	if (behind && !mappings_join(h, mapping, heap_row(h, behind)->mapping))
		behind = ROW_NONE;
	if (join_runs(h, (struct run){address, end, row}, before, behind, err) < 0)
		return ROW_NONE;
	if (mapping != MAPPING_UNKNOWN)
		h->reserved += size;
	if (behind) {
		heap_row(h, row)->next = behind;
		heap_row(h, behind)->prev = row;
		if (heap_is_inactive(h, behind))
			heap_absorb_next(h, row);
	}
	if (before) {
		heap_row(h, row)->prev = before;
		heap_row(h, before)->next = row;
		if (heap_is_inactive(h, before)) {
			heap_absorb_next(h, before);
			row = before;
		}
	}
	return row;
}

size_t heap_clear(struct heap *h, uint64_t start, uint64_t end, uint64_t *first)
{
	const struct run *run;
	size_t n = 0;

	while (start < end && (run = runs_overlap(&h->runs, start, end))) {
		uint32_t row = heap_find_holding(h, run->start > start ? run->start : start);
		uint64_t behind = block_end(heap_row(h, row));

		if (block_is_live(heap_row(h, row))) {
			if (!n++)
				*first = heap_row(h, row)->address;
			row = heap_free_complete(h, row);
			if (row)
				behind = block_end(heap_row(h, row));
		}
		start = behind;
	}
	return n;
}

/* Remove the inactive blocks that tile [start, end) of `run`. */
static int cut_run(struct heap *h, struct run run, uint64_t start, uint64_t end, struct error *err)
{
	uint32_t row = heap_find_holding(h, start);
	uint32_t before, behind;

	if (heap_row(h, row)->address < start)
		row = heap_split(h, row, start - heap_row(h, row)->address);
	before = heap_row(h, row)->prev;
	h->reserved -= end - start;
	for (behind = row; start < end; row = behind) {
		if (block_end(heap_row(h, row)) > end)
			heap_split(h, row, end - heap_row(h, row)->address);
		start = block_end(heap_row(h, row));
		behind = heap_row(h, row)->next;
		heap_row_drop(h, row);
	}
	if (before) {
		heap_row(h, before)->next = ROW_NONE;
		runs_before(&h->runs, run.start)->end = block_end(heap_row(h, before));
	} else {
		runs_remove(&h->runs, run.start);
	}
	if (!behind)
		return 0;
	heap_row(h, behind)->prev = ROW_NONE;
	return runs_insert(&h->runs, (struct run){end, run.end, behind}, err);
}

int heap_unmap(struct heap *h, uint64_t start, uint64_t end, struct error *err)
{
	const struct run *run;
	uint64_t first;

	heap_clear(h, start, end, &first);
	while ((run = runs_overlap(&h->runs, start, end))) {
		uint64_t from = run->start > start ? run->start : start;
		uint64_t to = run->end < end ? run->end : end;
		int rc = cut_run(h, *run, from, to, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}
