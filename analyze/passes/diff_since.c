/* SPDX-License-Identifier: MIT
 * diff_since.c -- since when one side of a diff has held more of a row than the other.
 */
#include "passes/diff.h"

#include <stdlib.h>

#include "passes/allocations.h"

/* Live bytes of a row change here. */
struct change {
	int64_t event;
	int64_t bytes;
};

struct changes {
	struct budget *budget;
	VEC(struct change) at;
};

/* Which stacks of a model belong to a row of its side. */
struct members {
	const struct model *m;
	struct site_table sites;
	enum top_by by;
	const struct top_row *row;
};

static bool is_member(const struct members *k, stack_id stack)
{
	struct site site = k->sites.sites.at[k->sites.of_stack.at[stack.i]];
	const struct frame *f = &k->m->stacks.frames.at[site.frame.i];

	switch (k->by) {
	case TOP_STACK:
		return stack.i == k->row->stack.i;
	case TOP_SITE:
		return site.kind == k->row->site.kind && site.frame.i == k->row->site.frame.i;
	case TOP_FILE:
		return site.kind == SITE_FRAME && f->file.i == k->row->file.i;
	case TOP_FUNCTION:
		return site.kind == SITE_FRAME && f->file.i == k->row->file.i &&
		       f->name.i == k->row->name.i;
	default:
		return false;
	}
}

/* Rows of the code only, and not those that stand for the lack of a place in it. */
static bool can_be_told(const struct diff *d, const struct top_row *row)
{
	if (d->by == TOP_STACK)
		return true;
	return row->key == TOP_KEY_NAME &&
	       (d->by == TOP_SITE || d->by == TOP_FILE || d->by == TOP_FUNCTION);
}

static int compare_change(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->event > y->event) - (x->event < y->event);
}

static int collect(struct changes *c, const struct members *k, const struct allocations *a,
		   int64_t until, struct error *err)
{
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct allocation *x = &a->rows.at[i];
		int rc;

		if (x->born > until || !is_member(k, x->stack))
			continue;
		if ((rc = vec_push(&c->at, ((struct change){x->born, (int64_t)x->size}), c->budget,
				   err)) < 0)
			return rc;
		if (x->free_completed <= until &&
		    (rc = vec_push(&c->at, ((struct change){x->free_completed, -(int64_t)x->size}),
				   c->budget, err)) < 0)
			return rc;
	}
	if (c->at.n > 1)
		qsort(c->at.at, c->at.n, sizeof *c->at.at, compare_change);
	return 0;
}

/* The last crossing upwards. */
static int64_t last_crossing(const struct changes *c, int64_t level)
{
	int64_t since = ALLOCATION_ALIVE, live = 0;

	for (size_t i = 0; i < c->at.n;) {
		int64_t event = c->at.at[i].event, before = live;

		for (; i < c->at.n && c->at.at[i].event == event; i++)
			live += c->at.at[i].bytes;
		if (before <= level && live > level)
			since = event;
	}
	return live > level ? since : ALLOCATION_ALIVE;
}

int diff_since(int64_t *out, const struct diff *d, const struct diff_row *row,
	       const struct allocations *a, struct error *err)
{
	bool grew = row->new_bytes > row->base_bytes;
	const struct diff_side *side = grew ? &d->new : &d->base;
	uint32_t i = grew ? row->new : row->base;
	struct members k = {.m = side->model, .by = d->by};
	struct changes c = {.budget = d->budget};
	int rc;

	*out = ALLOCATION_ALIVE;
	if (row->new_bytes == row->base_bytes || i == DIFF_NONE)
		return 0;
	k.row = &d->sides[grew].rows.at[i];
	if (!can_be_told(d, k.row))
		return 0;
	if ((rc = site_table_init(&k.sites, k.m, d->budget, err)) < 0)
		return rc;
	rc = collect(&c, &k, a, side->at.event, err);
	if (rc == 0)
		*out = last_crossing(&c, (int64_t)(grew ? row->base_bytes : row->new_bytes));
	vec_release(&c.at, d->budget);
	site_table_release(&k.sites);
	return rc;
}
