/* SPDX-License-Identifier: MIT
 * heap.c -- the blocks of one device's memory at one instant: alloc, free, split, merge.
 */
#include "replay/heap.h"

#include <assert.h>
#include <string.h>

#include "replay/heap_rows.h"

#define FIRST_SLOTS 1024

int heap_init(struct heap *h, struct budget *budget, struct error *err)
{
	int rc;

	*h = (struct heap){.budget = budget};
	runs_init(&h->runs, budget);
	rc = heap_grow(h, 64, err);
	if (rc < 0)
		goto out;
	rc = vec_push(&h->mappings, ((struct mapping){.kind = POOL_UNKNOWN}), budget, err);
	if (rc < 0)
		goto out;
	memset(&h->rows.at[0], 0, sizeof h->rows.at[0]);
	h->rows.at[0].state = HEAP_UNUSED;
	h->rows.n = 1;
out:
	if (rc < 0)
		heap_release(h);
	return rc;
}

void heap_release(struct heap *h)
{
	if (!h->budget)
		return;
	vec_release(&h->rows, h->budget);
	vec_release(&h->mappings, h->budget);
	vec_release(&h->marks, h->budget);
	budget_free(h->budget, h->slots, h->n_slots * sizeof *h->slots);
	h->slots = NULL;
	h->n_slots = 0;
	runs_release(&h->runs);
}

static int grow_slots(struct heap *h, size_t need, struct error *err)
{
	size_t n = h->n_slots ? h->n_slots : FIRST_SLOTS;
	struct heap_slot *slots;

	while (n < need * 2)
		n *= 2;
	slots = budget_realloc(h->budget, NULL, 0, n * sizeof *slots, err);
	if (!slots)
		return (int)err->code;
	memset(slots, 0, n * sizeof *slots);
	budget_free(h->budget, h->slots, h->n_slots * sizeof *h->slots);
	h->slots = slots;
	h->n_slots = n;
	for (uint32_t row = 1; row < h->rows.n; row++)
		if (h->rows.at[row].state != HEAP_UNUSED)
			heap_hash_insert(h, row);
	return 0;
}

int heap_grow(struct heap *h, size_t n, struct error *err)
{
	int rc = vec_reserve(&h->rows, n, h->budget, err);

	if (rc < 0)
		return rc;
	if (h->rows.n + n >= ORIGIN_BEFORE)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^31 blocks");
	if ((h->n_used + n) * 2 <= h->n_slots)
		return 0;
	return grow_slots(h, h->n_used + n, err);
}

void heap_alloc(struct heap *h, uint32_t row, uint64_t size, uint64_t requested, uint32_t origin)
{
	struct heap_block *b = heap_row(h, row);

	assert(b->state == BLOCK_INACTIVE && size > 0 && size <= b->size);
	if (size < b->size) {
		uint32_t rest = heap_row_new(h, b->address + size, b->size - size, b->mapping);
		struct heap_block *r = heap_row(h, rest);

		r->prev = row;
		r->next = b->next;
		if (b->next)
			heap_row(h, b->next)->prev = rest;
		b->next = rest;
		b->size = size;
	}
	b->state = BLOCK_ACTIVE;
	b->requested = requested;
	b->origin = origin;
	b->open_size = false;
	h->allocated += size;
	if (requested == BYTES_NONE)
		h->n_unrequested++;
	else
		h->requested += requested;
}

void heap_free_request(struct heap *h, uint32_t row, uint32_t number)
{
	struct heap_block *b = heap_row(h, row);

	assert(b->state == BLOCK_ACTIVE);
	b->state = BLOCK_PENDING;
	b->freed = number + 1;
	h->allocated -= b->size;
	h->pending += b->size;
}

uint32_t heap_free_complete(struct heap *h, uint32_t row)
{
	struct heap_block *b = heap_row(h, row);

	assert(block_is_live(b));
	if (b->state == BLOCK_PENDING)
		h->pending -= b->size;
	else
		h->allocated -= b->size;
	if (b->requested == BYTES_NONE)
		h->n_unrequested--;
	else
		h->requested -= b->requested;
	b->state = BLOCK_INACTIVE;
	b->freed = 0;
	if (b->mapping == MAPPING_UNKNOWN) {
		runs_remove(&h->runs, b->address);
		heap_row_drop(h, row);
		return ROW_NONE;
	}
	if (heap_is_inactive(h, b->next))
		heap_absorb_next(h, row);
	if (heap_is_inactive(h, b->prev)) {
		row = b->prev;
		heap_absorb_next(h, row);
	}
	return row;
}

uint32_t heap_split(struct heap *h, uint32_t row, uint64_t offset)
{
	struct heap_block *b = heap_row(h, row);
	uint64_t upper_size = b->size - offset;
	uint32_t upper;

	assert(offset > 0 && offset < b->size && b->mapping != MAPPING_UNKNOWN);
	if (b->state == BLOCK_ACTIVE)
		h->allocated -= upper_size;
	else if (b->state == BLOCK_PENDING)
		h->pending -= upper_size;
	upper = heap_row_new(h, b->address + offset, upper_size, b->mapping);
	b->size = offset;
	heap_row(h, upper)->prev = row;
	heap_row(h, upper)->next = b->next;
	if (b->next)
		heap_row(h, b->next)->prev = upper;
	b->next = upper;
	if (heap_is_inactive(h, heap_row(h, upper)->next))
		heap_absorb_next(h, upper);
	return upper;
}

void heap_extend(struct heap *h, uint32_t row, uint64_t end)
{
	struct heap_block *b = heap_row(h, row);
	uint64_t grown = end - block_end(b);

	assert(block_is_live(b) && heap_is_inactive(h, b->next));
	assert(grown > 0 && grown <= heap_row(h, b->next)->size);
	if (grown < heap_row(h, b->next)->size)
		heap_split(h, b->next, grown);
	heap_absorb_next(h, row);
	if (b->state == BLOCK_ACTIVE)
		h->allocated += grown;
	else
		h->pending += grown;
}
