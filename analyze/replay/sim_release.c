/* SPDX-License-Identifier: MIT
 * sim_release.c -- memory given back to the driver: garbage collection, and release before retry.
 */
#include "replay/sim_impl.h"

void sim_drop_segment(struct sim *s, uint32_t row)
{
	struct sim_block *b = sim_row(s, row);

	assert(sim_is_whole(b) && b->state == SIM_FREE);
	sim_take(s, row);
	s->stats.reserved -= b->size;
	s->stats.device_frees++;
	if (s->o.place.gone)
		s->o.place.gone(s->o.place.ctx, b->address, b->size);
	sim_row_drop(s, row);
}

/* The age of a free block: searches of its pool since it came free. */
static uint32_t age(const struct sim *s, const struct sim_block *b)
{
	return s->searches - b->request;
}

/* Calls `see` for the free blocks of the default pool's lists of one kind, in the allocator's
 * order; lanes come sorted by stream. `see` may drop the block. */
static void each_free(struct sim *s, bool small,
		      void (*see)(struct sim *s, uint32_t row, void *ctx), void *ctx)
{
	for (uint32_t lane = 0; lane < s->o.n_lanes; lane++) {
		uint32_t list = lane * 2 + small, next;

		if (!sim_is_default(s, list))
			continue;
		for (uint32_t row = sim_tree_find(s, s->lists[list].free, 0, 0); row; row = next) {
			next = sim_tree_next(s, s->lists[list].free, row);
			see(s, row, ctx);
		}
	}
}

struct garbage {
	double total_age, threshold;
	uint64_t n, reclaimed;
	bool freed;
};

static void weigh(struct sim *s, uint32_t row, void *ctx)
{
	const struct sim_block *b = sim_row(s, row);
	struct garbage *g = ctx;

	if (!sim_is_whole(b))
		return;
	g->total_age += age(s, b);
	g->n++;
}

static void collect(struct sim *s, uint32_t row, void *ctx)
{
	const struct sim_block *b = sim_row(s, row);
	struct garbage *g = ctx;

	if (!sim_is_whole(b) || sim_is_expandable(b) || age(s, b) < g->threshold)
		return;
	g->freed = true;
	g->reclaimed += b->size;
	g->total_age -= age(s, b);
	g->n--;
	sim_drop_segment(s, row);
}

void sim_gc(struct sim *s)
{
	uint64_t keep = (uint64_t)(s->o.settings.gc_threshold * (double)s->room.allowed);
	struct garbage g = {.freed = true};
	uint64_t target;

	if (s->stats.reserved <= keep)
		return;
	target = s->stats.reserved - keep;
	each_free(s, false, weigh, &g);
	while (g.reclaimed < target && g.freed && g.n) {
		g.threshold = g.total_age / (double)g.n;
		g.freed = false;
		each_free(s, false, collect, &g);
	}
}

bool sim_release_available(struct sim *s, uint32_t list, uint64_t rounded)
{
	uint64_t max_split = s->o.settings.max_split_bytes, released = 0;
	uint64_t wanted = rounded < max_split ? max_split : rounded;
	uint32_t row;

	if (max_split == UINT64_MAX)
		return false;
	row = sim_tree_find(s, s->lists[list].free, wanted, 0);
	if (row) {
		if (!sim_is_whole(sim_row(s, row)) || sim_is_expandable(sim_row(s, row)))
			return false;
		sim_drop_segment(s, row);
		return true;
	}
	while (released < wanted) {
		row = sim_tree_end(s, s->lists[list].free);
		if (!row || sim_row(s, row)->size < max_split || !sim_is_whole(sim_row(s, row)) ||
		    sim_is_expandable(sim_row(s, row)))
			break;
		released += sim_row(s, row)->size;
		sim_drop_segment(s, row);
	}
	return released >= wanted;
}

struct gather {
	struct error *err;
	int rc;
};

static void release_or_gather(struct sim *s, uint32_t row, void *ctx)
{
	struct gather *g = ctx;

	if (sim_is_expandable(sim_row(s, row))) {
		if (g->rc == 0)
			g->rc = vec_push(&s->scratch, row, s->budget, g->err);
	} else if (sim_is_whole(sim_row(s, row))) {
		sim_drop_segment(s, row);
	}
}

/* release_blocks: pages are unmapped when all segments are gone, for that changes the order. */
static int release_pool(struct sim *s, bool small, struct error *err)
{
	struct gather g = {.err = err};

	s->scratch.n = 0;
	each_free(s, small, release_or_gather, &g);
	for (size_t i = 0; i < s->scratch.n && g.rc == 0; i++)
		g.rc = sim_unmap(s, s->scratch.at[i], err);
	return g.rc;
}

int sim_release_cached(struct sim *s, struct error *err)
{
	int rc;

	for (size_t i = 0; i < s->pending.n; i++)
		sim_free_completed(s, s->pending.at[i]);
	s->pending.n = 0;
	if ((rc = release_pool(s, false, err)) < 0)
		return rc;
	return release_pool(s, true, err);
}
