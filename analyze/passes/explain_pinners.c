/* SPDX-License-Identifier: MIT
 * explain_pinners.c -- which live blocks split the free memory that a request may use.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "passes/explain_private.h"

struct pinner_walk {
	const struct model *m;
	const struct state *state;
	const struct explain_oom *oom;
	const struct site_table *sites;
	struct block_stacks stacks;
	struct pinner best[EXPLAIN_MAX_PINNERS]; /* longest hole first */
	size_t n;
	uint64_t all;
	struct fit_plan plan;
	const struct state_segment
		*plan_segment; /* where the plan is, and its first and last block */
	uint64_t plan_from, plan_to;
};

static struct site block_site(const struct pinner_walk *w, const struct state_block *b)
{
	return w->sites->sites.at[w->sites->of_stack.at[block_stack(&w->stacks, b).i]];
}

static const struct state_block *block_at(const struct pinner_walk *w,
					  const struct state_segment *seg, uint64_t i)
{
	return &w->state->blocks.at[seg->first_block + i];
}

/* Longest hole first, then the smaller block, then the lower address. */
static bool is_before(const struct pinner *a, const struct pinner *b)
{
	if (a->joins != b->joins)
		return a->joins > b->joins;
	if (a->size != b->size)
		return a->size < b->size;
	return a->address < b->address;
}

static void keep(struct pinner_walk *w, const struct pinner *p)
{
	size_t at = w->n;

	w->all++;
	while (at > 0 && is_before(p, &w->best[at - 1]))
		at--;
	if (at == EXPLAIN_MAX_PINNERS)
		return;
	if (w->n < EXPLAIN_MAX_PINNERS)
		w->n++;
	memmove(w->best + at + 1, w->best + at, (w->n - 1 - at) * sizeof *w->best);
	w->best[at] = *p;
}

/* Free bytes in a row that begin behind block `i`. */
static uint64_t run_behind(const struct pinner_walk *w, const struct state_segment *seg, uint64_t i)
{
	uint64_t run = 0;

	while (++i < seg->n_blocks && block_at(w, seg, i)->state == BLOCK_INACTIVE)
		run += block_at(w, seg, i)->size;
	return run;
}

static void find_pinners(struct pinner_walk *w, const struct state_segment *seg)
{
	uint64_t before = 0, n_live = 0;

	for (uint64_t i = 0; i < seg->n_blocks; i++)
		n_live += block_at(w, seg, i)->state != BLOCK_INACTIVE;
	for (uint64_t i = 0; i < seg->n_blocks; i++) {
		const struct state_block *b = block_at(w, seg, i);
		struct pinner p = {.address = b->address, .size = b->size, .born = b->born};

		if (b->state == BLOCK_INACTIVE) {
			before += b->size;
			continue;
		}
		p.joins = before + b->size + run_behind(w, seg, i);
		before = 0;
		/* A block larger than the holes beside it does not split them: it is what is used. */
		if (b->state != BLOCK_ACTIVE || p.joins - b->size < b->size)
			continue;
		p.segment_address = seg->address;
		p.segment_size = seg->size;
		p.releases = n_live == 1 && !seg->is_expandable ? seg->size : 0;
		p.site = block_site(w, b);
		p.stack = block_stack(&w->stacks, b);
		keep(w, &p);
	}
}

/* Neighbouring blocks that are being weighed: from..to, and what is live among them. */
struct window {
	uint64_t bytes, live_bytes, live_blocks;
};

static void move(struct window *v, const struct state_block *b, int sign)
{
	uint64_t live = b->state == BLOCK_INACTIVE ? 0 : 1;

	if (sign > 0) {
		v->bytes += b->size;
		v->live_blocks += live;
		v->live_bytes += live * b->size;
	} else {
		v->bytes -= b->size;
		v->live_blocks -= live;
		v->live_bytes -= live * b->size;
	}
}

static void offer_plan(struct pinner_walk *w, const struct state_segment *seg, uint64_t from,
		       uint64_t to, const struct window *v)
{
	struct fit_plan *plan = &w->plan;

	if (plan->blocks && (v->live_bytes > plan->live_bytes ||
			     (v->live_bytes == plan->live_bytes && v->live_blocks >= plan->blocks)))
		return;
	*plan = (struct fit_plan){.blocks = v->live_blocks,
				  .live_bytes = v->live_bytes,
				  .hole = v->bytes,
				  .segment_address = seg->address};
	w->plan_segment = seg;
	w->plan_from = from;
	w->plan_to = to;
}

/* Whose blocks the plan moves. */
static void name_plan(struct pinner_walk *w)
{
	const struct state_block *largest = NULL;

	if (!w->plan.blocks)
		return;
	w->plan.one_site = true;
	for (uint64_t i = w->plan_from; i <= w->plan_to; i++) {
		const struct state_block *b = block_at(w, w->plan_segment, i);

		if (b->state == BLOCK_INACTIVE)
			continue;
		if (largest && site_compare(w->m, block_site(w, largest), block_site(w, b)))
			w->plan.one_site = false;
		if (!largest || b->size > largest->size)
			largest = b;
	}
	assert(largest);
	w->plan.site = block_site(w, largest);
}

/* The cheapest row of neighbours in one segment that is long enough. Both ends only go forward. A
 * row at the end of a segment cannot grow into the next one. */
static void find_plan(struct pinner_walk *w, const struct state_segment *seg)
{
	uint64_t need = w->oom->request.rounded, from = 0;
	struct window v = {0};

	if (seg->size < need)
		return;
	for (uint64_t to = 0; to < seg->n_blocks; to++) {
		move(&v, block_at(w, seg, to), 1);
		while (v.bytes - block_at(w, seg, from)->size >= need)
			move(&v, block_at(w, seg, from++), -1);
		/* Without a live block in it the request would have been served. */
		if (v.bytes >= need && v.live_blocks)
			offer_plan(w, seg, from, to, &v);
	}
}

int explain_pinners(struct explain *x, struct explain_oom *o, const struct state *s,
		    const struct model *m, const struct site_table *sites, struct error *err)
{
	struct pinner_walk w = {
		.m = m, .state = s, .oom = o, .sites = sites, .stacks = block_stacks_of(m, s)};
	int rc;

	for (size_t i = 0; i < s->segments.n; i++) {
		const struct state_segment *seg = &s->segments.at[i];

		if (!survey_looks_into(&o->request, seg))
			continue;
		find_pinners(&w, seg);
		find_plan(&w, seg);
	}
	name_plan(&w);
	if ((rc = vec_reserve(&x->pinners, w.n, x->budget, err)) < 0)
		return rc;
	o->first_pinner = x->pinners.n;
	o->n_pinners = w.n;
	o->all_pinners = w.all;
	o->plan = w.plan;
	for (size_t i = 0; i < w.n; i++)
		x->pinners.at[x->pinners.n++] = w.best[i];
	return 0;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

static bool is_of(const struct model *m, struct site site, const struct holder *holders, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (site_compare(m, site, holders[i].site) == 0)
			return true;
	return false;
}

int explain_fewest_blocks(uint64_t *out, const struct state *s, const struct model *m,
			  const struct site_table *sites, const struct holder *holders, size_t n,
			  uint64_t need, struct budget *budget, struct error *err)
{
	struct block_stacks stacks = block_stacks_of(m, s);
	VEC(uint64_t) sizes = {0};
	uint64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; i < s->blocks.n && rc == 0; i++) {
		const struct state_block *b = &s->blocks.at[i];
		uint32_t row = sites->of_stack.at[block_stack(&stacks, b).i];

		if (b->state != BLOCK_INACTIVE && is_of(m, sites->sites.at[row], holders, n))
			rc = vec_push(&sizes, b->size, budget, err);
	}
	if (rc == 0) {
		if (sizes.n > 1)
			qsort(sizes.at, sizes.n, sizeof *sizes.at, by_size);
		*out = 0;
		for (size_t i = 0; i < sizes.n && sum < need; i++) {
			sum += sizes.at[i];
			++*out;
		}
		if (sum < need)
			*out = 0;
	}
	vec_release(&sizes, budget);
	return rc;
}
