/* SPDX-License-Identifier: MIT
 * sim_impl.h -- the inside of struct sim, for the sim_*.c files of this folder.
 */
#ifndef ANALYZE_REPLAY_SIM_IMPL_H
#define ANALYZE_REPLAY_SIM_IMPL_H

#include <assert.h>

#include "base/vec.h"
#include "replay/sim_allocator.h"

#define SIM_NONE 0u /* row 0 is unused */

enum sim_state { SIM_FREE, SIM_ACTIVE, SIM_PENDING, SIM_UNMAPPED, SIM_UNUSED };

#define SIM_RANGE_BIT 0x80000000u /* in sim_block.segment: an expandable range, by its row */

struct sim_block {
	uint64_t address, size;
	uint32_t prev, next;  /* neighbours in the segment or range; next also links unused rows */
	uint32_t left, right; /* in the tree of its list: free and unmapped ones only */
	uint32_t list;        /* lane * 2 + is_small */
	uint32_t segment;
	uint32_t request; /* of active and pending ones; of free ones the age base (see sim_gc) */
	uint8_t state;    /* enum sim_state */
};

struct sim_list {
	uint32_t free;     /* root, by (size, address) */
	uint32_t unmapped; /* root, by address */
};

struct sim {
	struct budget *budget; /* weak */
	struct sim_options o;
	struct sim_room room;
	struct sim_stats stats;
	VEC(struct sim_block) rows;
	uint32_t unused_row;
	struct sim_list *lists; /* 2 * n_lanes */
	uint32_t *row_of;       /* of each request, SIM_NONE without a block */
	uint64_t *bytes_of;     /* requested bytes of each request that has a block */
	VEC(uint64_t) ranges;   /* first address of each expandable range */
	VEC(uint32_t) scratch;
	uint32_t n_segments;
	uint32_t searches; /* of the default large pool, while garbage is collected */
	VEC(uint32_t) pending;
	bool plain_rounding;
};

static inline struct sim_block *sim_row(const struct sim *s, uint32_t row)
{
	return &s->rows.at[row];
}

static inline bool sim_is_expandable(const struct sim_block *b)
{
	return b->segment & SIM_RANGE_BIT;
}

static inline bool sim_is_small(const struct sim_block *b)
{
	return b->list & 1;
}

/* A cudaMalloc segment, or range, in one block. */
static inline bool sim_is_whole(const struct sim_block *b)
{
	return !b->prev && !b->next;
}

static inline bool sim_is_default(const struct sim *s, uint32_t list)
{
	const struct sim_lane *l = &s->o.lanes[list / 2];

	return l->pool.a == 0 && l->pool.b == 0;
}

static inline uint64_t sim_page_bytes(const struct sim *s, uint32_t list)
{
	return list & 1 ? UINT64_C(2) << 20 : s->o.settings.large_segment_bytes;
}

/* --- trees (sim_tree.c): treaps whose priorities are a hash of the row ------------------------- */

void sim_tree_insert(struct sim *s, uint32_t *root, uint32_t row, bool by_size);
void sim_tree_remove(struct sim *s, uint32_t *root, uint32_t row, bool by_size);
/* The first row whose (size, address) is at least this, or SIM_NONE. */
uint32_t sim_tree_find(const struct sim *s, uint32_t root, uint64_t size, uint64_t address);
/* The last row of exactly this size. */
uint32_t sim_tree_last(const struct sim *s, uint32_t root, uint64_t size);
/* The last row of all, or SIM_NONE. */
uint32_t sim_tree_end(const struct sim *s, uint32_t root);
/* By address, in trees of unmapped areas. */
uint32_t sim_tree_from(const struct sim *s, uint32_t root, uint64_t address);

/* The row behind `row` in its order. */
static inline uint32_t sim_tree_next(const struct sim *s, uint32_t root, uint32_t row)
{
	const struct sim_block *b = sim_row(s, row);

	return sim_tree_find(s, root, b->size, b->address + 1);
}

/* --- blocks (sim_block.c) ---------------------------------------------------------------------- */

/* Room for `n` rows more: row functions cannot fail after it, but may not be called more often. */
int sim_reserve(struct sim *s, size_t n, struct error *err);
uint32_t sim_row_new(struct sim *s, struct sim_block b);
void sim_row_drop(struct sim *s, uint32_t row);
/* Cut the first `size` bytes off a block; the rest, with its state, becomes a new row behind it,
 * in no tree. One row. */
uint32_t sim_cut(struct sim *s, uint32_t row, uint64_t size);
/* Join neighbours of like state that are free or unmapped; they leave their trees, `row` is in
 * none. */
void sim_merge(struct sim *s, uint32_t row);
/* Into the tree of its state. */
void sim_put(struct sim *s, uint32_t row);
void sim_take(struct sim *s, uint32_t row);
/* Pending or active to free, merged, in its tree. */
void sim_release_block(struct sim *s, uint32_t row);

/* --- new memory (sim_grow.c) ------------------------------------------------------------------- */

/* Get memory for a request of `rounded` bytes from the driver: *row is a free block in no tree.
 * 1, or 0 when refused, or negative. */
int sim_grow(struct sim *s, uint32_t list, uint64_t rounded, uint32_t *row, struct error *err);
/* Give the whole pages inside a free block back. */
int sim_unmap(struct sim *s, uint32_t row, struct error *err);

/* --- giving back (sim_release.c) --------------------------------------------------------------- */

/* Give a whole free segment back. */
void sim_drop_segment(struct sim *s, uint32_t row);
void sim_gc(struct sim *s);
/* release_available_cached_blocks: false when it could not free enough. */
bool sim_release_available(struct sim *s, uint32_t list, uint64_t rounded);
/* release_cached_blocks. */
int sim_release_cached(struct sim *s, struct error *err);

#endif
