/* SPDX-License-Identifier: MIT
 * heap_image.c -- a heap as bytes and back, and the check of its invariants.
 */
#include "replay/heap.h"

#include <stdlib.h>
#include <string.h>

#include "replay/heap_rows.h"

struct heap_image {
	uint64_t reserved, allocated, pending, requested, n_unrequested;
	uint64_t n_rows, n_used;
	uint32_t free_row;
	struct heap_block rows[];
};

size_t heap_image_bytes(const struct heap *h)
{
	return sizeof(struct heap_image) + h->rows.n * sizeof h->rows.at[0];
}

void heap_save(const struct heap *h, void *image)
{
	struct heap_image *m = image;

	*m = (struct heap_image){
		.reserved = h->reserved,
		.allocated = h->allocated,
		.pending = h->pending,
		.requested = h->requested,
		.n_unrequested = h->n_unrequested,
		.n_rows = h->rows.n,
		.n_used = h->n_used,
		.free_row = h->free_row,
	};
	memcpy(m->rows, h->rows.at, h->rows.n * sizeof h->rows.at[0]);
}

static int compare_runs(const void *a, const void *b)
{
	uint64_t x = ((const struct run *)a)->start, y = ((const struct run *)b)->start;

	return (x > y) - (x < y);
}

/* The order of runs from the links of the rows. */
static int rebuild_runs(struct heap *h, struct error *err)
{
	VEC(struct run) found = {0};
	int rc = 0;

	runs_clear(&h->runs);
	for (uint32_t row = 1; row < h->rows.n && rc == 0; row++) {
		const struct heap_block *b = heap_row(h, row);
		struct run run = {b->address, 0, row};

		if (b->state == HEAP_UNUSED || b->prev)
			continue;
		while (b->next)
			b = heap_row(h, b->next);
		run.end = block_end(b);
		rc = vec_push(&found, run, h->budget, err);
	}
	if (found.n > 1)
		qsort(found.at, found.n, sizeof found.at[0], compare_runs);
	for (size_t i = 0; i < found.n && rc == 0; i++)
		rc = runs_insert(&h->runs, found.at[i], err);
	vec_release(&found, h->budget);
	return rc;
}

int heap_restore(struct heap *h, const void *image, struct error *err)
{
	const struct heap_image *m = image;
	int rc;

	h->rows.n = h->n_used = 0;
	memset(h->slots, 0, h->n_slots * sizeof *h->slots);
	rc = heap_reserve(h, m->n_rows, err);
	if (rc < 0)
		return rc;
	memcpy(h->rows.at, m->rows, m->n_rows * sizeof h->rows.at[0]);
	h->rows.n = m->n_rows;
	h->n_used = m->n_used;
	h->free_row = m->free_row;
	h->reserved = m->reserved;
	h->allocated = m->allocated;
	h->pending = m->pending;
	h->requested = m->requested;
	h->n_unrequested = m->n_unrequested;
	h->marks.n = h->walked = 0;
	for (uint32_t row = 1; row < h->rows.n; row++)
		if (heap_row(h, row)->state != HEAP_UNUSED)
			heap_hash_insert(h, row);
	return rebuild_runs(h, err);
}

#define FAIL(...) error_set(err, ERR_FORMAT, ERR_NO_OFFSET, __VA_ARGS__)

struct heap_sums {
	uint64_t reserved, allocated, pending, requested, unrequested, rows;
};

static int check_block(const struct heap *h, uint32_t row, uint32_t prev, uint64_t address,
		       struct heap_sums *sums, struct error *err)
{
	const struct heap_block *b = heap_row(h, row);

	if (b->address != address || !b->size)
		return FAIL("block row %u does not follow the one before it", row);
	if (b->prev != prev)
		return FAIL("block row %u links back to %u instead of %u", row, b->prev, prev);
	if (heap_find(h, b->address) != row)
		return FAIL("block row %u is not in the hash", row);
	if (b->mapping >= h->mappings.n || b->state > BLOCK_PENDING)
		return FAIL("block row %u has a bad mapping or state", row);
	sums->rows++;
	if (b->mapping != MAPPING_UNKNOWN)
		sums->reserved += b->size;
	if (!block_is_live(b))
		return 0;
	if (b->state == BLOCK_ACTIVE)
		sums->allocated += b->size;
	else
		sums->pending += b->size;
	if (b->requested == BYTES_NONE)
		sums->unrequested++;
	else
		sums->requested += b->requested;
	return 0;
}

static int check_runs(const struct heap *h, struct heap_sums *sums, struct error *err)
{
	const struct run *run;
	uint64_t last_end = 0;

	for (struct run_at p = {0}; (run = runs_get(&h->runs, p)); p = runs_next(&h->runs, p)) {
		uint64_t address = run->start;
		uint32_t prev = ROW_NONE;

		if (run->start < last_end || run->start >= run->end)
			return FAIL("runs overlap or are out of order");
		for (uint32_t row = run->row; row; row = heap_row(h, row)->next) {
			int rc = check_block(h, row, prev, address, sums, err);

			if (rc < 0)
				return rc;
			address += heap_row(h, row)->size;
			prev = row;
		}
		if (address != run->end)
			return FAIL("blocks do not fill their run");
		last_end = run->end;
	}
	return 0;
}

int heap_check(const struct heap *h, struct error *err)
{
	struct heap_sums s = {0};
	size_t n_slots = 0, n_free = 0;
	int rc = check_runs(h, &s, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < h->n_slots; i++)
		n_slots += h->slots[i].row != ROW_NONE;
	for (uint32_t row = h->free_row; row && n_free <= h->rows.n; row = heap_row(h, row)->next)
		n_free++;
	if (s.rows != h->n_used || n_slots != h->n_used)
		return FAIL("rows, runs and hash hold different numbers of blocks");
	if (n_free + h->n_used + 1 != h->rows.n)
		return FAIL("rows were lost from the free list");
	if (s.reserved != h->reserved || s.allocated != h->allocated || s.pending != h->pending ||
	    s.requested != h->requested || s.unrequested != h->n_unrequested)
		return FAIL("the running sums differ from the sums over blocks");
	return 0;
}
