/* SPDX-License-Identifier: MIT
 * holders.c -- the sites that hold the bytes of one state, largest first.
 */
#include "passes/holders.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int str_compare(const struct model *m, str_id a, str_id b)
{
	const struct str *x = strtab_get(&m->strings, a), *y = strtab_get(&m->strings, b);
	size_t n = x->length < y->length ? x->length : y->length;
	int order = a.i == b.i ? 0 : memcmp(x->bytes, y->bytes, n);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

static int frame_compare(const struct model *m, frame_id a, frame_id b)
{
	const struct frame *x = &m->stacks.frames.at[a.i], *y = &m->stacks.frames.at[b.i];
	int order = a.i == b.i ? 0 : str_compare(m, x->file, y->file);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : str_compare(m, x->name, y->name);
}

int site_compare(const struct model *m, struct site a, struct site b)
{
	if (a.kind != b.kind)
		return a.kind < b.kind ? -1 : 1;
	return a.kind == SITE_FRAME ? frame_compare(m, a.frame, b.frame) : 0;
}

int stack_compare(const struct model *m, stack_id a, stack_id b)
{
	size_t n = stacks_depth(&m->stacks, a), o = stacks_depth(&m->stacks, b);

	if (a.i == b.i)
		return 0;
	for (size_t k = 0; k < n && k < o; k++) {
		frame_id x = m->stacks.pool.at[m->stacks.start.at[a.i] + k];
		frame_id y = m->stacks.pool.at[m->stacks.start.at[b.i] + k];
		int order = frame_compare(m, x, y);

		if (order)
			return order;
	}
	if (n != o)
		return n < o ? -1 : 1;
	return (a.i > b.i) - (a.i < b.i); /* absent before empty */
}

int holders_init(struct holders *h, const struct model *m, struct budget *budget, struct error *err)
{
	struct holders fresh = {.budget = budget, .m = m};
	size_t n_stacks = m->stacks.start.n - 1;
	int rc;

	if ((rc = site_table_init(&fresh.sites, m, budget, err)) < 0 ||
	    (rc = vec_reserve(&fresh.of_site, fresh.sites.sites.n, budget, err)) < 0 ||
	    (rc = vec_reserve(&fresh.of_stack, n_stacks, budget, err)) < 0 ||
	    (rc = vec_reserve(&fresh.stacks, n_stacks, budget, err)) < 0 ||
	    (rc = vec_reserve(&fresh.rows, fresh.sites.sites.n, budget, err)) < 0) {
		holders_release(&fresh);
		return rc;
	}
	memset(fresh.of_stack.at, 0, n_stacks * sizeof *fresh.of_stack.at);
	fresh.of_stack.n = n_stacks;
	for (size_t i = 0; i < fresh.sites.sites.n; i++)
		fresh.of_site.at[fresh.of_site.n++] =
			(struct holder){.site = fresh.sites.sites.at[i]};
	*h = fresh;
	return 0;
}

void holders_release(struct holders *h)
{
	if (!h || !h->budget)
		return;
	site_table_release(&h->sites);
	vec_release(&h->of_site, h->budget);
	vec_release(&h->of_stack, h->budget);
	vec_release(&h->rows, h->budget);
	vec_release(&h->stacks, h->budget);
	h->budget = NULL;
}

struct block_stacks block_stacks_of(const struct model *m, const struct state *s)
{
	/* A list of segments alone: nothing says that recording began late. */
	struct block_stacks b = {.trusts_empty_from_before = s->device->n_events == 0};

	for (size_t i = 0; i < s->blocks.n && !b.trusts_empty_from_before; i++) {
		const struct state_block *block = &s->blocks.at[i];

		b.trusts_empty_from_before = block->born == EVENT_START &&
					     block->state != BLOCK_INACTIVE &&
					     stacks_depth(&m->stacks, block->stack) > 0;
	}
	return b;
}

static void forget(struct holders *h)
{
	for (size_t i = 0; i < h->stacks.n; i++)
		h->of_stack.at[h->stacks.at[i]] = 0;
	for (size_t i = 0; i < h->rows.n; i++) {
		struct holder *row = &h->of_site.at[h->rows.at[i]];

		*row = (struct holder){.site = row->site};
	}
	h->stacks.n = h->rows.n = 0;
}

static void add_block(struct holders *h, stack_id stack, uint64_t bytes)
{
	uint32_t row = h->sites.of_stack.at[stack.i];
	struct holder *holder = &h->of_site.at[row];

	/* Sizes are never 0 (replay), so 0 bytes means "not touched". */
	if (h->of_stack.at[stack.i] == 0)
		h->stacks.at[h->stacks.n++] = stack.i;
	if (holder->blocks == 0)
		h->rows.at[h->rows.n++] = row;
	h->of_stack.at[stack.i] += bytes;
	holder->bytes += bytes;
	holder->blocks++;
}

static void find_largest_stacks(struct holders *h)
{
	for (size_t i = 0; i < h->stacks.n; i++) {
		stack_id stack = {h->stacks.at[i]};
		struct holder *holder = &h->of_site.at[h->sites.of_stack.at[stack.i]];
		uint64_t bytes = h->of_stack.at[stack.i];

		if (bytes > holder->stack_bytes ||
		    (bytes == holder->stack_bytes &&
		     stack_compare(h->m, stack, holder->stack) < 0)) {
			holder->stack = stack;
			holder->stack_bytes = bytes;
		}
	}
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct holders *h = ctx;
	const struct holder *x = &h->of_site.at[*(const uint32_t *)a];
	const struct holder *y = &h->of_site.at[*(const uint32_t *)b];

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return site_compare(h->m, x->site, y->site);
}

void holders_of_state(struct holders *h, const struct state *s)
{
	struct block_stacks stacks = block_stacks_of(h->m, s);

	forget(h);
	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct state_block *b = &s->blocks.at[i];

		if (b->state != BLOCK_INACTIVE && b->size > 0)
			add_block(h, block_stack(&stacks, b), b->size);
	}
	find_largest_stacks(h);
	if (h->rows.n > 1)
		qsort_r(h->rows.at, h->rows.n, sizeof *h->rows.at, compare_rows, h);
}
