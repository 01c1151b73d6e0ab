/* SPDX-License-Identifier: MIT
 * heap_rows.h -- rows, hash and links of a heap, for the heap_*.c files only.
 */
#ifndef ANALYZE_REPLAY_HEAP_ROWS_H
#define ANALYZE_REPLAY_HEAP_ROWS_H

#include "replay/heap.h"

#include <assert.h>

static inline struct heap_block *heap_row(const struct heap *h, uint32_t row)
{
	return &h->rows.at[row];
}

static inline uint64_t block_end(const struct heap_block *b)
{
	return b->address + b->size;
}

static inline bool block_is_live(const struct heap_block *b)
{
	return b->state == BLOCK_ACTIVE || b->state == BLOCK_PENDING;
}

static inline void heap_hash_insert(struct heap *h, uint32_t row)
{
	uint32_t tag = heap_hash(h->rows.at[row].address);
	size_t mask = h->n_slots - 1, i = tag & mask;

	while (h->slots[i].row)
		i = (i + 1) & mask;
	h->slots[i] = (struct heap_slot){row, tag};
}

/* Removal closes the gap by shifting later entries of the probe run back, so that no tombstones
 * pile up however long the trace is. */
static inline void heap_hash_remove(struct heap *h, uint32_t row)
{
	uint32_t tag = heap_hash(h->rows.at[row].address);
	size_t mask = h->n_slots - 1, i = tag & mask;

	while (h->slots[i].row != row)
		i = (i + 1) & mask;
	for (size_t j = (i + 1) & mask; h->slots[j].row; j = (j + 1) & mask) {
		size_t home = h->slots[j].tag & mask;

		if (((j - home) & mask) >= ((j - i) & mask)) {
			h->slots[i] = h->slots[j];
			i = j;
		}
	}
	h->slots[i].row = ROW_NONE;
}

/* A row for [address, address + size), inactive, unlinked, in the hash. */
static inline uint32_t heap_row_new(struct heap *h, uint64_t address, uint64_t size,
				    uint32_t mapping)
{
	uint32_t row = h->free_row;

	if (row) {
		h->free_row = h->rows.at[row].next;
	} else {
		assert(h->rows.n < h->rows.cap);
		row = (uint32_t)h->rows.n++;
	}
	h->rows.at[row] = (struct heap_block){
		.address = address,
		.size = size,
		.mapping = mapping,
		.origin = ORIGIN_UNKNOWN,
		.state = BLOCK_INACTIVE,
	};
	h->n_used++;
	heap_hash_insert(h, row);
	return row;
}

static inline void heap_row_drop(struct heap *h, uint32_t row)
{
	heap_hash_remove(h, row);
	h->rows.at[row].state = HEAP_UNUSED;
	h->rows.at[row].next = h->free_row;
	h->free_row = row;
	h->n_used--;
}

/* The block behind `row` disappears into it. */
static inline void heap_absorb_next(struct heap *h, uint32_t row)
{
	struct heap_block *b = heap_row(h, row);
	uint32_t gone = b->next;
	const struct heap_block *g = heap_row(h, gone);

	b->size += g->size;
	b->next = g->next;
	if (b->next)
		heap_row(h, b->next)->prev = row;
	heap_row_drop(h, gone);
}

static inline bool heap_is_inactive(const struct heap *h, uint32_t row)
{
	return row && h->rows.at[row].state == BLOCK_INACTIVE;
}

#endif
