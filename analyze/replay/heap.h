/* SPDX-License-Identifier: MIT
 * heap.h -- the blocks of one device's memory at one instant.
 *
 * Every mapped run is tiled by blocks, each linked to its neighbours in the same run. Blocks are
 * rows of a pool that is reused through a free list; a hash finds a block by its first address.
 * No two inactive neighbours stay unmerged, except where the trace forced a boundary that the
 * allocator's rules would not have made. When a block is cut, its row stays with the low part; when
 * blocks merge, the lowest row stays: so the first row of a run never changes.
 *
 * What no segment covers (an alloc outside every segment that is known) becomes a run of its own
 * of one block, with mapping MAPPING_UNKNOWN; it does not count as reserved.
 *
 * Functions that create rows cannot fail after heap_reserve(h, n): each needs the number it says.
 */
#ifndef ANALYZE_REPLAY_HEAP_H
#define ANALYZE_REPLAY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/model.h"
#include "replay/runs.h"

#define ROW_NONE 0u

/* Where a block or mapping comes from: the number of its event, or, with this bit, from before the
 * trace; then the other bits are its row + 1 in model.blocks or model.segments, 0 when it has
 * none there. */
#define ORIGIN_BEFORE  0x80000000u
#define ORIGIN_MAX     0x7ffffff0u
#define ORIGIN_UNKNOWN ORIGIN_BEFORE

#define HEAP_UNUSED 3 /* state of a row in the free list */

struct heap_block {
	uint64_t address, size; /* bytes */
	uint64_t requested;     /* of active and pending blocks; BYTES_NONE when not known */
	uint32_t prev, next;    /* neighbours, ROW_NONE at the edge of the run; next also links
				 * the free list */
	uint32_t mapping;       /* row of heap.mappings its lowest byte came with */
	uint32_t origin;
	uint32_t freed; /* of a pending block: 1 + number of its free_requested, 0: before */
	uint8_t state;  /* enum block_state, or HEAP_UNUSED */
	bool open_size; /* lived before the trace and ends where only a rule says */
};

/* One segment_alloc or segment_map, or a run from before the trace. */
struct mapping {
	uint64_t stream;
	struct pool_id pool;
	uint32_t origin;
	uint8_t kind; /* enum pool_kind */
	bool is_expandable;
};

#define MAPPING_UNKNOWN 0u

struct heap_slot {
	uint32_t row, tag; /* tag: hash of the address */
};

/* A place to start walking from towards an address; a hint, checked when used. */
struct heap_mark {
	uint64_t address;
	uint32_t row;
};

struct heap {
	struct budget *budget;        /* weak */
	VEC(struct heap_block) rows;  /* row 0 is unused */
	VEC(struct mapping) mappings; /* row 0: MAPPING_UNKNOWN; only grows, not part of a copy */
	struct heap_slot *slots;      /* open addressing, at most half full */
	size_t n_slots;               /* power of two */
	size_t n_used;                /* rows in use */
	uint32_t free_row;
	struct runs runs;            /* run.row: its first block */
	VEC(struct heap_mark) marks; /* by address, every few blocks when they were made */
	size_t walked;               /* steps walked since then */
	uint64_t reserved, allocated, pending, requested; /* bytes; active = allocated + pending */
	uint64_t n_unrequested; /* active blocks whose requested bytes are not known */
};

int heap_init(struct heap *h, struct budget *budget, struct error *err);
void heap_release(struct heap *h);

/* Make room for `n` new rows and runs. Errors: ERR_LIMIT, ERR_NOMEM. */
int heap_grow(struct heap *h, size_t n, struct error *err);

static inline int heap_reserve(struct heap *h, size_t n, struct error *err)
{
	if (__builtin_expect(h->rows.cap - h->rows.n >= n && (h->n_used + n) * 2 <= h->n_slots, 1))
		return 0;
	return heap_grow(h, n, err);
}

static inline uint32_t heap_hash(uint64_t address)
{
	return (uint32_t)hash_u64(address);
}

/* The block that starts at `address`, or ROW_NONE. */
static inline uint32_t heap_find(const struct heap *h, uint64_t address)
{
	uint32_t tag = heap_hash(address);
	size_t mask = h->n_slots - 1;

	for (size_t i = tag & mask; h->slots[i].row; i = (i + 1) & mask)
		if (h->slots[i].tag == tag && h->rows.at[h->slots[i].row].address == address)
			return h->slots[i].row;
	return ROW_NONE;
}

/* The block that holds `address`, or ROW_NONE. Cheap on average, not meant for every event. */
uint32_t heap_find_holding(struct heap *h, uint64_t address);

/* Hand out `size` bytes (at most the block's) at the low end of inactive block `row`; a rest
 * becomes an inactive block. One new row. */
void heap_alloc(struct heap *h, uint32_t row, uint64_t size, uint64_t requested, uint32_t origin);
/* active -> pending, by the event `number`. */
void heap_free_request(struct heap *h, uint32_t row, uint32_t number);
/* active or pending -> inactive, merged with inactive neighbours. Returns the row that holds its
 * bytes now, ROW_NONE when it was a run without segment (which is gone). */
uint32_t heap_free_complete(struct heap *h, uint32_t row);

/* Cut a block in two at `offset` bytes (0 < offset < size); the upper part is inactive and merges
 * with an inactive block behind it. An active block keeps its lower part. Returns the upper part's
 * row. One new row. */
uint32_t heap_split(struct heap *h, uint32_t row, uint64_t offset);
/* Move the end of active `row` up to `end`, inside the inactive block behind it (or its end). One
 * new row. */
void heap_extend(struct heap *h, uint32_t row, uint64_t end);

/* Map [address, address + size), which must not overlap anything, as one inactive block; joined to
 * neighbouring runs of the same expandable range. One new row and run.
 * Returns its row, or ROW_NONE with *err set. */
uint32_t heap_map(struct heap *h, uint64_t address, uint64_t size, uint32_t mapping,
		  struct error *err);
/* Unmap whatever lies in [start, end). Live blocks inside are given up first.
 * Two new rows and a run. Errors: ERR_LIMIT, ERR_NOMEM. */
int heap_unmap(struct heap *h, uint64_t start, uint64_t end, struct error *err);
/* Make everything in [start, end) that is mapped inactive. Returns how many blocks were not, and
 * the address of the first of them in *first (when there was one). */
size_t heap_clear(struct heap *h, uint64_t start, uint64_t end, uint64_t *first);

/* Copy rows and sums (not mappings) into bytes of heap_image_bytes, and back. */
size_t heap_image_bytes(const struct heap *h);
void heap_save(const struct heap *h, void *image);
int heap_restore(struct heap *h, const void *image, struct error *err);

/* Verify every invariant; for tests. 0, or negative with the first violation in words. */
int heap_check(const struct heap *h, struct error *err);

#endif
