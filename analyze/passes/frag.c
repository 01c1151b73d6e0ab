/* SPDX-License-Identifier: MIT
 * frag.c -- fragmentation of one state: free lists, what cannot be returned, and its pinners.
 */
#include "passes/frag.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "model/rounding.h"
#include "passes/frag_history.h"

/* ---- free lists ---- */

static bool same_list(const struct frag_pool *p, const struct state_segment *s)
{
	return p->stream == s->stream && p->pool.a == s->pool.a && p->pool.b == s->pool.b &&
	       p->is_small == (s->kind == POOL_SMALL);
}

static uint64_t list_hash(const struct state_segment *s)
{
	uint64_t h = hash_combine(s->stream, (uint64_t)s->pool.a);

	return hash_combine(hash_combine(h, (uint64_t)s->pool.b), s->kind == POOL_SMALL);
}

/* The row of a segment's free list, added when new. */
static int list_of(struct frag *f, struct hashmap *rows, const struct state_segment *s,
		   struct frag_pool **out, struct error *err)
{
	uint64_t key = list_hash(s);
	uint64_t *row;
	int rc;

	for (; (row = hashmap_get(rows, key)); key++) {
		if (same_list(&f->pools.at[*row], s)) {
			*out = &f->pools.at[*row];
			return 0;
		}
	}
	struct frag_pool p = {
		.stream = s->stream, .pool = s->pool, .is_small = s->kind == POOL_SMALL};
	if ((rc = vec_push(&f->pools, p, f->budget, err)) < 0 ||
	    (rc = hashmap_put(rows, key, f->pools.n - 1, err)) < 0)
		return rc;
	*out = &f->pools.at[f->pools.n - 1];
	return 0;
}

static int compare_pools(const void *a, const void *b)
{
	const struct frag_pool *p = a, *q = b;

	if (p->reserved != q->reserved)
		return p->reserved < q->reserved ? 1 : -1;
	if (p->stream != q->stream)
		return p->stream < q->stream ? -1 : 1;
	if (p->is_small != q->is_small)
		return p->is_small - q->is_small;
	if (p->pool.a != q->pool.a)
		return p->pool.a < q->pool.a ? -1 : 1;
	return (p->pool.b > q->pool.b) - (p->pool.b < q->pool.b);
}

static int find_pools(struct frag *f, const struct state *s, struct error *err)
{
	struct hashmap rows;
	int rc = 0;

	hashmap_init(&rows, f->budget);
	for (size_t i = 0; rc == 0 && i < s->segments.n; i++) {
		const struct state_segment *seg = &s->segments.at[i];
		struct frag_pool *p;

		rc = list_of(f, &rows, seg, &p, err);
		if (rc < 0)
			break;
		p->reserved = num_add_saturated(p->reserved, seg->size);
		for (uint64_t b = seg->first_block; b < seg->first_block + seg->n_blocks; b++) {
			const struct state_block *block = &s->blocks.at[b];

			if (block->state != BLOCK_INACTIVE)
				continue;
			p->free_bytes = num_add_saturated(p->free_bytes, block->size);
			if (block->size > p->largest_free)
				p->largest_free = block->size;
		}
		/* The small pool serves requests of at most 1 MiB, whatever it has. */
		p->largest_request = p->largest_free;
		if (p->is_small && p->largest_request > SMALL_MAX_BYTES)
			p->largest_request = SMALL_MAX_BYTES;
	}
	hashmap_release(&rows);
	if (rc == 0 && f->pools.n > 1)
		qsort(f->pools.at, f->pools.n, sizeof *f->pools.at, compare_pools);
	return rc;
}

/* ---- segments and pinners ---- */

/* While the sites of one state are gathered: site -> row of frag.sites, and for the segment or
 * unit at hand who is in it. */
struct gather {
	struct frag *f;
	const struct state *s;
	const struct site_table *sites;
	struct hashmap site_rows;
	uint64_t unit_bytes; /* of the segment at hand; its whole size when not expandable */
};

static uint32_t block_site(const struct gather *g, const struct state_block *b)
{
	return g->sites->of_stack.at[b->stack.i];
}

static int site_row(struct gather *g, uint32_t site, struct frag_site **out, struct error *err)
{
	uint64_t *row = hashmap_get(&g->site_rows, site);
	int rc;

	if (!row) {
		if ((rc = vec_push(&g->f->sites, ((struct frag_site){.site = site}), g->f->budget,
				   err)) < 0 ||
		    (rc = hashmap_put(&g->site_rows, site, g->f->sites.n - 1, err)) < 0)
			return rc;
		*out = &g->f->sites.at[g->f->sites.n - 1];
		return 0;
	}
	*out = &g->f->sites.at[*row];
	return 0;
}

/* One segment or page unit [begin, end): what of it is idle, and whose live blocks are in it. */
struct unit {
	uint64_t begin, end;
	uint64_t idle;
	uint32_t site; /* of its live blocks */
	bool live, one_site;
};

static void unit_add(struct gather *g, struct unit *u, const struct state_block *b)
{
	uint64_t begin = b->address > u->begin ? b->address : u->begin;
	uint64_t end = b->address + b->size < u->end ? b->address + b->size : u->end;

	if (b->state == BLOCK_INACTIVE) {
		u->idle += end - begin;
		return;
	}
	uint32_t site = block_site(g, b);
	u->one_site = !u->live || (u->one_site && u->site == site);
	u->site = site;
	u->live = true;
}

/* What ends a unit: its idle bytes are unreturnable when something in it lives. */
static int unit_end(struct gather *g, const struct unit *u, uint64_t *unreturnable,
		    struct error *err)
{
	struct frag_site *row;

	if (!u->live)
		return 0;
	*unreturnable += u->idle;
	if (!u->one_site || u->idle == 0)
		return 0;
	int rc = site_row(g, u->site, &row, err);
	if (rc == 0) {
		row->releases += u->end - u->begin;
		row->releases_idle += u->idle;
	}
	return rc;
}

/* Walk the blocks of a segment once, unit by unit; a block may lie in several. */
static int walk_units(struct gather *g, const struct state_segment *seg, uint64_t *unreturnable,
		      struct error *err)
{
	const uint64_t seg_end = seg->address + seg->size;
	uint64_t b = seg->first_block, last = seg->first_block + seg->n_blocks;
	uint64_t at = seg->address;
	int rc = 0;

	while (rc == 0 && at < seg_end && b < last) {
		const struct state_block *block = &g->s->blocks.at[b];
		struct unit u = {.begin = at};

		u.end = seg_end - at > g->unit_bytes ? at + g->unit_bytes : seg_end;
		while (b < last && g->s->blocks.at[b].address < u.end) {
			block = &g->s->blocks.at[b];
			unit_add(g, &u, block);
			if (block->address + block->size > u.end)
				break;
			b++;
		}
		rc = unit_end(g, &u, unreturnable, err);
		at = u.end;
		/* A block that fills the next units alone neither pins idle bytes nor is idle
		 * beside live ones; skip to the unit where it ends. */
		if (b < last && block->address < at && block->address + block->size > at) {
			uint64_t rest = block->address + block->size - at;

			at += rest / g->unit_bytes * g->unit_bytes;
			if (at == block->address + block->size)
				b++;
		}
	}
	return rc;
}

static uint64_t free_before(const struct state *s, const struct state_segment *seg, uint64_t b)
{
	return b > seg->first_block && s->blocks.at[b - 1].state == BLOCK_INACTIVE
		       ? s->blocks.at[b - 1].size
		       : 0;
}

static uint64_t free_behind(const struct state *s, const struct state_segment *seg, uint64_t b)
{
	return b + 1 < seg->first_block + seg->n_blocks &&
			       s->blocks.at[b + 1].state == BLOCK_INACTIVE
		       ? s->blocks.at[b + 1].size
		       : 0;
}

static int compare_pinners(const void *a, const void *b)
{
	const struct frag_pinner *p = a, *q = b;

	if (p->joins != q->joins)
		return p->joins < q->joins ? 1 : -1;
	return (p->block > q->block) - (p->block < q->block);
}

/* The live blocks of a segment with idle bytes, and their sites' shares. */
static int add_pinners(struct gather *g, const struct state_segment *seg, struct frag_segment *row,
		       struct error *err)
{
	struct frag *f = g->f;
	int rc;

	row->first_pinner = f->pinners.n;
	for (uint64_t b = seg->first_block; b < seg->first_block + seg->n_blocks; b++) {
		const struct state_block *block = &g->s->blocks.at[b];
		struct frag_site *site;

		if (block->state == BLOCK_INACTIVE)
			continue;
		struct frag_pinner p = {.block = (uint32_t)b,
					.site = block_site(g, block),
					.joins = block->size + free_before(g->s, seg, b) +
						 free_behind(g->s, seg, b)};
		if ((rc = vec_push(&f->pinners, p, f->budget, err)) < 0 ||
		    (rc = site_row(g, p.site, &site, err)) < 0)
			return rc;
		site->blocks++;
		site->bytes += block->size;
		site->segments += site->last_segment != row->segment + 1;
		site->last_segment = row->segment + 1;
	}
	row->n_pinners = f->pinners.n - row->first_pinner;
	if (row->n_pinners > 1)
		qsort(&f->pinners.at[row->first_pinner], row->n_pinners, sizeof *f->pinners.at,
		      compare_pinners);
	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct frag_segment *p = a, *q = b;

	if (p->unreturnable != q->unreturnable)
		return p->unreturnable < q->unreturnable ? 1 : -1;
	return (p->segment > q->segment) - (p->segment < q->segment);
}

static int compare_sites(const void *a, const void *b)
{
	const struct frag_site *p = a, *q = b;

	if (p->releases != q->releases)
		return p->releases < q->releases ? 1 : -1;
	if (p->bytes != q->bytes)
		return p->bytes < q->bytes ? 1 : -1;
	return (p->site > q->site) - (p->site < q->site);
}

static int find_segments(struct gather *g, const struct model *m, struct error *err)
{
	struct frag *f = g->f;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->s->segments.n; i++) {
		const struct state_segment *seg = &g->s->segments.at[i];
		struct frag_segment row = {.segment = (uint32_t)i};

		g->unit_bytes = seg->size;
		if (seg->is_expandable)
			g->unit_bytes = seg->kind == POOL_SMALL ? SMALL_SEGMENT_BYTES
								: m->settings.large_segment_bytes;
		if (seg->size == 0 || g->unit_bytes == 0)
			continue;
		rc = walk_units(g, seg, &row.unreturnable, err);
		if (rc < 0 || row.unreturnable == 0)
			continue;
		f->unreturnable += row.unreturnable;
		rc = add_pinners(g, seg, &row, err);
		if (rc == 0)
			rc = vec_push(&f->segments, row, f->budget, err);
	}
	if (f->segments.n > 1)
		qsort(f->segments.at, f->segments.n, sizeof *f->segments.at, compare_segments);
	if (f->sites.n > 1)
		qsort(f->sites.at, f->sites.n, sizeof *f->sites.at, compare_sites);
	return rc;
}

/* ---- the whole ---- */

static uint64_t told_device_free(const struct model *m, const struct state *s)
{
	const uint64_t next = (uint64_t)(s->event + 1);

	if (next >= s->device->n_events ||
	    m->events.action.at[s->device->first_event + next] != ACTION_OOM)
		return BYTES_NONE;
	return m->events.addr.at[s->device->first_event + next];
}

int frag_run(struct frag *out, const struct model *m, const struct state *state, struct replay *r,
	     const struct site_table *sites, struct budget *budget, struct error *err)
{
	struct frag f = {
		.budget = budget,
		.device = state->device->index,
		.event = state->event,
		.exact = state->exact,
		.totals = state->totals,
		.device_free = told_device_free(m, state),
		.settings = {{.setting = ""},
			     {.setting = "expandable_segments:True"},
			     {.setting = "max_split_size_mb:32"},
			     {.setting = "max_split_size_mb:128"},
			     {.setting = "roundup_power2_divisions:4"}},
	};
	struct gather g = {.f = &f, .s = state, .sites = sites};
	int rc;

	f.external =
		f.totals.reserved == BYTES_NONE ? BYTES_NONE : f.totals.reserved - f.totals.active;
	f.internal = f.totals.requested == BYTES_NONE ? BYTES_NONE
						      : f.totals.active - f.totals.requested;
	hashmap_init(&g.site_rows, budget);
	if ((rc = find_pools(&f, state, err)) == 0 && (rc = find_segments(&g, m, err)) == 0)
		rc = frag_history(&f, m, state->device, r, err);
	hashmap_release(&g.site_rows);
	if (rc < 0) {
		frag_release(&f);
		return rc;
	}
	*out = f;
	return 0;
}

void frag_release(struct frag *f)
{
	if (!f->budget)
		return;
	vec_release(&f->pools, f->budget);
	vec_release(&f->segments, f->budget);
	vec_release(&f->pinners, f->budget);
	vec_release(&f->sites, f->budget);
	vec_release(&f->curve, f->budget);
	vec_release(&f->misses, f->budget);
}
