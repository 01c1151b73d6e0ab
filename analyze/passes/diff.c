/* SPDX-License-Identifier: MIT
 * diff.c -- what changed between two states: of two files, or of one file at two moments.
 */
#include "passes/diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/holders.h"

const char *diff_status_name(enum diff_status s)
{
	static const char *const names[] = {
		[DIFF_NEW] = "new",       [DIFF_GONE] = "gone", [DIFF_GROWN] = "grown",
		[DIFF_SHRUNK] = "shrunk", [DIFF_SAME] = "same",
	};

	return names[s];
}

int64_t diff_delta(uint64_t base_bytes, uint64_t new_bytes)
{
	/* Two's complement; sums of block sizes stay below 2^63 in any file that fits an address
	 * space, and wrap alike in rows and totals where they do not. */
	return (int64_t)(new_bytes - base_bytes);
}

/* --- keys in the words of new ------------------------------------------------------------------ */

/* Hash of what a row stands for, frames and files of base replaced by their partners in new. Parts
 * without a partner get a hash that nothing in new has. */
struct keys {
	const struct diff *d;
	const struct model *m;
	bool is_base;
};

static uint64_t lost(uint64_t id)
{
	return hash_combine(UINT64_C(0x10571057), id);
}

static uint64_t frame_key(const struct keys *k, uint32_t frame)
{
	if (!k->is_base)
		return hash_u64(frame);
	return k->d->match.of_base.at[frame] ? hash_u64(k->d->match.of_base.at[frame])
					     : lost(frame);
}

static uint64_t file_key(const struct keys *k, uint32_t file)
{
	if (!k->is_base)
		return hash_u64(file);
	if (k->d->match.file_how.at[file] == FRAME_UNPAIRED)
		return lost(file);
	return hash_u64(k->d->match.files.at[file]);
}

static uint64_t text_key(const struct keys *k, str_id text)
{
	const struct str *s = strtab_get(&k->m->strings, text);

	return hash_bytes(s->bytes, s->length);
}

static uint64_t stack_key(const struct keys *k, stack_id stack)
{
	uint64_t h = hash_u64(stack.i == STACK_ABSENT.i);

	for (size_t i = 0; i < stacks_depth(&k->m->stacks, stack); i++)
		h = hash_combine(
			h,
			frame_key(k, k->m->stacks.pool.at[k->m->stacks.start.at[stack.i] + i].i));
	return h;
}

static uint64_t row_key(const struct keys *k, const struct top_row *row)
{
	uint64_t h = hash_u64((uint64_t)row->key << 8 | k->d->by);

	switch (k->d->by) {
	case TOP_SITE:
		h = hash_combine(h, row->site.kind);
		return row->site.kind == SITE_FRAME
			       ? hash_combine(h, frame_key(k, row->site.frame.i))
			       : h;
	case TOP_STACK:
		return hash_combine(h, stack_key(k, row->stack));
	case TOP_FILE:
		return hash_combine(h, file_key(k, row->file.i));
	case TOP_FUNCTION:
		return hash_combine(hash_combine(h, file_key(k, row->file.i)),
				    text_key(k, row->name));
	case TOP_CATEGORY:
		return hash_combine(h, (uint64_t)row->category);
	case TOP_STREAM:
		return hash_combine(h, row->stream);
	case TOP_POOL:
		return hash_combine(hash_combine(h, (uint64_t)row->pool.a), (uint64_t)row->pool.b);
	default:
		/* The others are names. */
		return hash_combine(h, text_key(k, row->name));
	}
}

/* --- rows -------------------------------------------------------------------------------------- */

static enum diff_status status_of(const struct diff_row *row)
{
	if (row->base == DIFF_NONE)
		return DIFF_NEW;
	if (row->new == DIFF_NONE)
		return DIFF_GONE;
	if (row->new_bytes == row->base_bytes)
		return DIFF_SAME;
	return row->new_bytes > row->base_bytes ? DIFF_GROWN : DIFF_SHRUNK;
}

static void set_base(struct diff *d, struct diff_row *row, uint32_t i)
{
	const struct top_row *b = &d->sides[0].rows.at[i];

	row->base = i;
	row->base_bytes = b->bytes;
	row->base_blocks = b->blocks;
	if (d->by == TOP_SITE && b->key == TOP_KEY_NAME)
		row->pairing = (enum frame_pairing)d->match.how.at[b->site.frame.i];
	else if (d->by == TOP_FILE || d->by == TOP_FUNCTION)
		row->pairing = (enum frame_pairing)d->match.file_how.at[b->file.i];
}

static int add_row(struct diff *d, struct hashmap *of_key, uint64_t key, uint32_t i, bool is_base,
		   struct error *err)
{
	const struct top_row *t = &d->sides[!is_base].rows.at[i];
	struct diff_row row = {.base = DIFF_NONE, .new = DIFF_NONE, .pairing = FRAME_UNPAIRED};
	const uint64_t *known = hashmap_get(of_key, key);
	int rc;

	/* Two keys of one side that come to the same: stacks whose frames have one partner each.
	 * The later stays by itself. */
	if (is_base && known && d->rows.at[*known].base == DIFF_NONE) {
		row = d->rows.at[*known];
		row.pairing = FRAME_SAME;
		set_base(d, &row, i);
		d->rows.at[*known] = row;
		return 0;
	}
	if (!is_base) {
		row.new = i;
		row.new_bytes = t->bytes;
		row.new_blocks = t->blocks;
		if (!known && (rc = hashmap_put(of_key, key, d->rows.n, err)) < 0)
			return rc;
	} else {
		set_base(d, &row, i);
		row.pairing = FRAME_UNPAIRED;
	}
	return vec_push(&d->rows, row, d->budget, err);
}

static int join_rows(struct diff *d, struct error *err)
{
	struct keys base = {d, d->base.model, true}, new = {d, d->new.model, false};
	struct hashmap of_key;
	int rc = 0;

	hashmap_init(&of_key, d->budget);
	for (uint32_t i = 0; i < d->sides[1].rows.n && rc == 0; i++)
		rc = add_row(d, &of_key, row_key(&new, &d->sides[1].rows.at[i]), i, false, err);
	for (uint32_t i = 0; i < d->sides[0].rows.n && rc == 0; i++)
		rc = add_row(d, &of_key, row_key(&base, &d->sides[0].rows.at[i]), i, true, err);
	for (size_t i = 0; i < d->rows.n; i++)
		d->rows.at[i].status = status_of(&d->rows.at[i]);
	hashmap_release(&of_key);
	return rc;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static uint64_t change_of(const struct diff_row *r)
{
	return r->new_bytes > r->base_bytes ? r->new_bytes - r->base_bytes
					    : r->base_bytes - r->new_bytes;
}

/* Largest change first, growth before shrinkage; then the larger; the sides' own order settles the
 * rest, which depends on the content only. */
static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	int order = ORDER(change_of(y), change_of(x));

	if (!order)
		order = ORDER(y->new_bytes, x->new_bytes);
	if (!order)
		order = ORDER(x->new, y->new);
	return order ? order : ORDER(x->base, y->base);
}

/* --- the whole --------------------------------------------------------------------------------- */

static unsigned bucket_of(uint64_t size)
{
	return size <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(size - 1);
}

static void count_sizes(struct diff_sizes *out, const struct diff_side *side)
{
	struct block_stacks stacks = block_stacks_of(side->model, side->state);

	for (size_t i = 0; i < side->state->blocks.n; i++) {
		const struct state_block *b = &side->state->blocks.at[i];
		unsigned bucket = bucket_of(b->size);

		if (b->state == BLOCK_INACTIVE ||
		    !filter_passes(side->filter, block_stack(&stacks, b)))
			continue;
		out->bytes[bucket] += b->size;
		out->blocks[bucket]++;
	}
}

static struct frame_list frames_of(const struct model *m)
{
	return (struct frame_list){&m->strings, m->stacks.frames.at, m->stacks.frames.n};
}

int diff_run(struct diff *out, const struct diff_side *base, const struct diff_side *new,
	     const struct diff_options *o, struct budget *budget, struct error *err)
{
	struct diff d = {.budget = budget, .base = *base, .new = *new, .by = o->by};
	struct frame_list from = frames_of(base->model), to = frames_of(new->model);
	int rc;

	if ((rc = top_run(&d.sides[0], base->model, base->state, o->by, base->filter,
			  base->categories, budget, err)) < 0 ||
	    (rc = top_run(&d.sides[1], new->model, new->state, o->by, new->filter, new->categories,
			  budget, err)) < 0 ||
	    (rc = frame_match_init(&d.match, &from, &to, o->exact || base->model == new->model,
				   budget, err)) < 0 ||
	    (rc = join_rows(&d, err)) < 0)
		goto out;
	if (d.rows.n > 1)
		qsort(d.rows.at, d.rows.n, sizeof *d.rows.at, compare_rows);
	count_sizes(&d.sizes[0], base);
	count_sizes(&d.sizes[1], new);
	*out = d;
	d = (struct diff){.budget = budget};
out:
	diff_release(&d);
	return rc;
}

void diff_release(struct diff *d)
{
	if (!d || !d->budget)
		return;
	top_release(&d->sides[0]);
	top_release(&d->sides[1]);
	frame_match_release(&d->match);
	vec_release(&d->rows, d->budget);
	d->budget = NULL;
}
