/* SPDX-License-Identifier: MIT
 * reconcile.c -- the end of a trace against the file's segments, block by block.
 */
#include <stdlib.h>

#include "replay/heap_rows.h"
#include "replay/replay_impl.h"

struct reconcile {
	struct replay *r;
	struct segment_at *segments; /* of the file, by address */
	size_t n_segments, i;        /* i: the segment the cursor is in */
	uint64_t k;                  /* and its block there */
	bool equal;
};

static int compare_segments(const void *a, const void *b)
{
	const struct segment_at *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

int segments_by_address(struct segment_at **out, const struct model *m, const struct device *d,
			struct budget *budget, struct error *err)
{
	struct segment_at *at = NULL;

	if (d->n_segments) {
		at = budget_realloc(budget, NULL, 0, d->n_segments * sizeof *at, err);
		if (!at)
			return (int)err->code;
	}
	for (uint64_t i = 0; i < d->n_segments; i++) {
		uint64_t row = d->first_segment + i;

		at[i] = (struct segment_at){m->segments.at[row].address, row};
	}
	if (d->n_segments > 1)
		qsort(at, d->n_segments, sizeof *at, compare_segments);
	*out = at;
	return 0;
}

static void differ(struct reconcile *c, enum replay_rule rule, uint64_t segment, uint64_t address,
		   uint64_t expected, uint64_t found)
{
	c->equal = false;
	replay_mismatch(c->r, (struct mismatch){
				      .rule = rule,
				      .event = EVENT_START,
				      .segment_address = segment,
				      .address = address,
				      .expected = expected,
				      .found = found,
			      });
}

static const struct segment *file_segment(const struct reconcile *c)
{
	return c->i < c->n_segments ? &c->r->m->segments.at[c->segments[c->i].row] : NULL;
}

/* The next block of the file, or NULL when the cursor is behind the last block of its segment. */
static const struct block *file_block(const struct reconcile *c)
{
	const struct segment *s = file_segment(c);

	return s && c->k < s->n_blocks ? &c->r->m->blocks.at[s->first_block + c->k] : NULL;
}

static void next_file_segment(struct reconcile *c)
{
	c->i++;
	c->k = 0;
}

static void compare_block(struct reconcile *c, uint64_t segment, const struct heap_block *b,
			  const struct block *f)
{
	bool live = block_is_live(b), file_live = f->state != BLOCK_INACTIVE;

	if (live && !file_live)
		differ(c, RULE_END_MISSING, segment, b->address, 0, b->size);
	else if (!live && file_live)
		differ(c, RULE_END_EXTRA, segment, b->address, f->size, 0);
	else if (b->size != f->size && (live || c->equal))
		differ(c, RULE_END_SIZE, segment, b->address, f->size, b->size);
	else if (live && b->requested != f->requested_size)
		differ(c, RULE_END_SIZE, segment, b->address, f->requested_size, b->requested);
	else if (live && b->state != f->state)
		differ(c, RULE_END_STATE, segment, b->address, f->state, b->state);
}

/* A block that only one side has. Inactive ones follow from differences told already. */
static void only_in_trace(struct reconcile *c, uint64_t segment, const struct heap_block *b)
{
	if (block_is_live(b))
		differ(c, RULE_END_MISSING, segment, b->address, 0, b->size);
	else if (c->equal)
		differ(c, RULE_END_SIZE, segment, b->address, 0, b->size);
}

static void only_in_file(struct reconcile *c, uint64_t segment, const struct block *f)
{
	if (f->state != BLOCK_INACTIVE)
		differ(c, RULE_END_EXTRA, segment, f->address, f->size, 0);
	else if (c->equal)
		differ(c, RULE_END_SIZE, segment, f->address, f->size, 0);
}

/* Blocks of a run, with the file's cursor at the segment that starts with it. The file may tell
 * the run in several segments that touch. */
static void compare_run(struct reconcile *c, const struct run *run)
{
	uint32_t row = run->row;

	for (;;) {
		const struct heap_block *b = row ? heap_row(&c->r->heap, row) : NULL;
		const struct segment *s = file_segment(c);
		const struct block *f = file_block(c);

		if (s && !f && c->k && s->address < run->end) {
			next_file_segment(c);
			s = file_segment(c);
			f = s && s->address < run->end ? file_block(c) : NULL;
		}
		if (f && f->address >= run->end)
			f = NULL;
		if (!b && !f)
			break;
		if (b && f && b->address == f->address)
			compare_block(c, run->start, b, f);
		else if (b && (!f || b->address < f->address))
			only_in_trace(c, run->start, b);
		else
			only_in_file(c, run->start, f);
		if (b && (!f || b->address <= f->address))
			row = b->next;
		if (f && (!b || f->address <= b->address))
			c->k++;
	}
	/* Blocks are left when the segment is longer than the run. */
	if (c->k) {
		const struct segment *s = file_segment(c);

		if (s && c->k < s->n_blocks)
			differ(c, RULE_END_SIZE, run->start, 0, s->total_size,
			       run->end - run->start);
		next_file_segment(c);
	}
}

static void compare_all(struct reconcile *c)
{
	const struct heap *h = &c->r->heap;
	const struct segment *s;
	const struct run *run;

	for (struct run_at p = {0}; (run = runs_get(&h->runs, p)); p = runs_next(&h->runs, p)) {
		while ((s = file_segment(c)) && s->address < run->start) {
			differ(c, RULE_END_EXTRA, s->address, 0, s->total_size, 0);
			next_file_segment(c);
		}
		if (heap_row(h, run->row)->mapping == MAPPING_UNKNOWN)
			differ(c, RULE_END_MISSING, 0, run->start, 0, run->end - run->start);
		else if (!s || s->address != run->start)
			differ(c, RULE_END_MISSING, run->start, 0, 0, run->end - run->start);
		else
			compare_run(c, run);
	}
	for (; (s = file_segment(c)); next_file_segment(c))
		differ(c, RULE_END_EXTRA, s->address, 0, s->total_size, 0);
}

int reconcile_end(struct replay *r, struct error *err)
{
	struct reconcile c = {.r = r, .n_segments = r->d->n_segments, .equal = true};
	int rc = segments_by_address(&c.segments, r->m, r->d, r->budget, err);

	if (rc < 0)
		return rc;
	compare_all(&c);
	r->summary.equals_file = c.equal;
	budget_free(r->budget, c.segments, c.n_segments * sizeof *c.segments);
	return 0;
}
