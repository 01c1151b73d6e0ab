/* SPDX-License-Identifier: MIT
 * top.c -- who holds the bytes of one state, grouped one way, largest first.
 */
#include "passes/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/holders.h"
#include "passes/open_spans.h"

struct top_walk {
	struct top out;
	const struct model *m;
	const struct state *state;
	const struct filter *filter;
	const struct categories *categories;
	struct budget *budget;
	bool split; /* rows by key and stack */
	struct block_stacks stacks;
	struct site_table sites;
	struct open_spans spans;
	struct hashmap
		rows; /* key_hash of a row, or the next free number behind it, to its index */
};

static enum top_key key_of_site(struct site site)
{
	if (site.kind == SITE_FRAME)
		return TOP_KEY_NAME;
	return site.kind == SITE_BACKWARD ? TOP_KEY_BACKWARD : TOP_KEY_NO_STACK;
}

static void key_by_annotation(struct top_walk *w, struct top_row *row, const struct state_block *b)
{
	int64_t time_us = TIME_NONE;

	if (b->born >= 0)
		time_us =
			w->m->events.time_us.at[w->state->device->first_event + (uint64_t)b->born];
	if (b->born < 0)
		row->key = TOP_KEY_BEFORE_RECORDING;
	else if (time_us == TIME_NONE)
		row->key = TOP_KEY_NO_TIME;
	else
		row->name = open_spans_innermost(&w->spans, time_us);
	if (row->key == TOP_KEY_NAME && row->name.i == 0)
		row->key = TOP_KEY_NONE;
}

/* The row that a block belongs to, without its sums. */
static struct top_row key_of_block(struct top_walk *w, const struct state_segment *seg,
				   const struct state_block *b)
{
	stack_id stack = block_stack(&w->stacks, b);
	struct site site = w->sites.sites.at[w->sites.of_stack.at[stack.i]];
	const struct frame *f = &w->m->stacks.frames.at[site.frame.i];
	struct top_row row = {0};

	/* "No stack" is one row, however the file says it. */
	if (w->split || w->out.by == TOP_STACK)
		row.stack = site.kind == SITE_NO_STACK && !stacks_depth(&w->m->stacks, stack)
				    ? STACK_ABSENT
				    : stack;
	switch (w->out.by) {
	case TOP_STACK:
		row.site = site;
		break;
	case TOP_SITE:
		row.key = key_of_site(site);
		row.site = site;
		break;
	case TOP_FILE:
	case TOP_FUNCTION:
		row.key = key_of_site(site);
		if (row.key == TOP_KEY_NAME) {
			row.file = f->file;
			row.name = w->out.by == TOP_FUNCTION ? f->name : STR_NONE;
		}
		break;
	case TOP_ANNOTATION:
		key_by_annotation(w, &row, b);
		break;
	case TOP_STREAM:
		row.stream = seg->stream;
		break;
	case TOP_POOL:
		row.pool = seg->pool;
		break;
	case TOP_CATEGORY:
		row.category = (enum category)categories_of_block(w->categories, b).category;
		break;
	}
	return row;
}

static uint64_t key_hash(const struct top_row *row)
{
	uint64_t h = hash_u64((uint64_t)row->key << 32 | row->stack.i);

	h = hash_combine(h, (uint64_t)row->site.kind << 32 | row->site.frame.i);
	h = hash_combine(h, (uint64_t)row->file.i << 32 | row->name.i);
	h = hash_combine(h, row->stream ^ (uint64_t)row->category << 60);
	h = hash_combine(h, (uint64_t)row->pool.a);
	return hash_combine(h, (uint64_t)row->pool.b);
}

static bool same_key(const struct top_row *a, const struct top_row *b)
{
	return a->key == b->key && a->stack.i == b->stack.i && a->site.kind == b->site.kind &&
	       a->site.frame.i == b->site.frame.i && a->file.i == b->file.i &&
	       a->name.i == b->name.i && a->stream == b->stream && a->pool.a == b->pool.a &&
	       a->pool.b == b->pool.b && a->category == b->category;
}

static int add_to_row(struct top_walk *w, const struct top_row *key, uint64_t bytes,
		      struct error *err)
{
	uint64_t hash = key_hash(key);
	const uint64_t *known;
	struct top_row *row;
	int rc;

	while ((known = hashmap_get(&w->rows, hash)) && !same_key(&w->out.rows.at[*known], key))
		hash++;
	if (!known) {
		if ((rc = hashmap_put(&w->rows, hash, w->out.rows.n, err)) < 0 ||
		    (rc = vec_push(&w->out.rows, *key, w->budget, err)) < 0)
			return rc;
		row = &w->out.rows.at[w->out.rows.n - 1];
	} else {
		row = &w->out.rows.at[*known];
	}
	row->bytes += bytes;
	row->blocks++;
	w->out.total_bytes += bytes;
	w->out.blocks++;
	return 0;
}

struct block_at {
	const struct state_segment *segment;
	const struct state_block *block;
};

struct block_list {
	VEC(struct block_at) at;
};

static int compare_birth(const void *a, const void *b)
{
	const struct block_at *x = a, *y = b;

	return (x->block->born > y->block->born) - (x->block->born < y->block->born);
}

/* Blocks in the order of their birth, as the walk over annotations wants them. */
static int list_blocks(struct block_list *list, struct top_walk *w, struct error *err)
{
	const struct state *s = w->state;
	int rc = vec_reserve(&list->at, s->blocks.n, w->budget, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->segments.n; i++) {
		const struct state_segment *seg = &s->segments.at[i];

		for (uint64_t k = 0; k < seg->n_blocks; k++) {
			const struct state_block *b = &s->blocks.at[seg->first_block + k];

			if (b->state != BLOCK_INACTIVE)
				list->at.at[list->at.n++] = (struct block_at){seg, b};
		}
	}
	if (w->out.by == TOP_ANNOTATION && list->at.n > 1)
		qsort(list->at.at, list->at.n, sizeof *list->at.at, compare_birth);
	return 0;
}

static int group_blocks(struct top_walk *w, struct error *err)
{
	struct block_list list = {0};
	int rc = list_blocks(&list, w, err);

	for (size_t i = 0; i < list.at.n && rc == 0; i++) {
		const struct state_block *b = list.at.at[i].block;
		struct top_row key;

		if (!filter_passes(w->filter, block_stack(&w->stacks, b))) {
			w->out.left_out_bytes += b->size;
			w->out.left_out_blocks++;
			continue;
		}
		key = key_of_block(w, list.at.at[i].segment, b);
		rc = add_to_row(w, &key, b->size, err);
	}
	vec_release(&list.at, w->budget);
	return rc;
}

static int compare_text(const struct model *m, str_id a, str_id b)
{
	const struct str *x = strtab_get(&m->strings, a), *y = strtab_get(&m->strings, b);
	size_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->bytes, y->bytes, n);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* By what the key says, never by the order of the file. */
static int compare_keys(const struct model *m, const struct top_row *x, const struct top_row *y)
{
	int order = ORDER(x->key, y->key);

	if (!order)
		order = site_compare(m, x->site, y->site);
	if (!order)
		order = compare_text(m, x->file, y->file);
	if (!order)
		order = compare_text(m, x->name, y->name);
	if (!order)
		order = ORDER(x->stream, y->stream);
	if (!order)
		order = ORDER(x->pool.a, y->pool.a);
	if (!order)
		order = ORDER(x->pool.b, y->pool.b);
	return order ? order : ORDER(x->category, y->category);
}

static int compare_key_rows(const void *a, const void *b, void *ctx)
{
	return compare_keys(ctx, a, b);
}

/* Largest first. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct model *m = ctx;
	const struct top_row *x = a, *y = b;
	int order = ORDER(y->bytes, x->bytes);

	if (!order)
		order = compare_keys(m, x, y);
	return order ? order : stack_compare(m, x->stack, y->stack);
}

/* The key with the most bytes first. */
static int compare_split_rows(const void *a, const void *b, void *ctx)
{
	const struct model *m = ctx;
	const struct top_row *x = a, *y = b;
	int order = ORDER(y->group_bytes, x->group_bytes);

	if (!order)
		order = compare_keys(m, x, y);
	return order ? order : compare_rows(a, b, ctx);
}

static void sort_split(struct top *t, const struct model *m)
{
	void *ctx = (void *)(uintptr_t)m;

	qsort_r(t->rows.at, t->rows.n, sizeof *t->rows.at, compare_key_rows, ctx);
	for (size_t i = 0, end; i < t->rows.n; i = end) {
		uint64_t bytes = 0;

		for (end = i; end < t->rows.n && !compare_keys(m, &t->rows.at[i], &t->rows.at[end]);
		     end++)
			bytes += t->rows.at[end].bytes;
		for (size_t k = i; k < end; k++)
			t->rows.at[k].group_bytes = bytes;
	}
	qsort_r(t->rows.at, t->rows.n, sizeof *t->rows.at, compare_split_rows, ctx);
	for (size_t i = 1; i < t->rows.n; i++) {
		struct top_row *row = &t->rows.at[i];

		row->group = row[-1].group + (compare_keys(m, row - 1, row) != 0);
	}
}

static int run(struct top *out, struct top_walk *w, struct error *err)
{
	const struct model *m = w->m;
	int rc;

	hashmap_init(&w->rows, w->budget);
	if ((rc = site_table_init(&w->sites, m, w->budget, err)) < 0)
		goto out;
	if (w->out.by == TOP_ANNOTATION &&
	    (rc = open_spans_init(&w->spans, m, w->state->device->index, w->budget, err)) < 0)
		goto out;
	if ((rc = group_blocks(w, err)) < 0)
		goto out;
	if (w->out.rows.n > 0 && w->split)
		sort_split(&w->out, m);
	else if (w->out.rows.n > 1)
		qsort_r(w->out.rows.at, w->out.rows.n, sizeof *w->out.rows.at, compare_rows,
			(void *)(uintptr_t)m);
	*out = w->out;
	w->out = (struct top){.budget = w->budget};
out:
	top_release(&w->out);
	open_spans_release(&w->spans);
	site_table_release(&w->sites);
	hashmap_release(&w->rows);
	return rc;
}

static struct top_walk walk_of(const struct model *m, const struct state *state, enum top_by by,
			       const struct filter *filter, const struct categories *categories,
			       struct budget *budget)
{
	return (struct top_walk){
		.out = {.budget = budget,
			.by = by,
			.device = state->device->index,
			.event = state->event,
			.exact = state->exact,
			.filtered = filter != NULL},
		.m = m,
		.state = state,
		.filter = filter,
		.categories = categories,
		.budget = budget,
		.stacks = block_stacks_of(m, state),
	};
}

int top_run(struct top *out, const struct model *m, const struct state *state, enum top_by by,
	    const struct filter *filter, const struct categories *categories, struct budget *budget,
	    struct error *err)
{
	struct top_walk w = walk_of(m, state, by, filter, categories, budget);

	return run(out, &w, err);
}

int top_run_split(struct top *out, const struct model *m, const struct state *state, enum top_by by,
		  const struct filter *filter, const struct categories *categories,
		  struct budget *budget, struct error *err)
{
	struct top_walk w = walk_of(m, state, by, filter, categories, budget);

	w.split = true;
	return run(out, &w, err);
}

void top_release(struct top *t)
{
	if (!t || !t->budget)
		return;
	vec_release(&t->rows, t->budget);
	t->budget = NULL;
}
