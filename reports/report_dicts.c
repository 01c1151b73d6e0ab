/* SPDX-License-Identifier: MIT
 * report_dicts.c -- numbers of columns, and what many rows share: sizes, stacks, kinds.
 */
#include <string.h>

#include "reports/report_writer.h"

void writer_put(struct writer *w, enum report_column column, uint64_t v)
{
	if (w->rc < 0)
		return;
	w->rc = vec_reserve(&w->c->raw[column], 10, w->c->budget, w->err);
	if (w->rc < 0)
		return;
	uint8_t *at = w->c->raw[column].at + w->c->raw[column].n;
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		at[n++] = (uint8_t)(v | 0x80);
	at[n++] = (uint8_t)v;
	w->c->raw[column].n += n;
}

void writer_put_signed(struct writer *w, enum report_column column, int64_t v)
{
	writer_put(w, column, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void writer_put_size(struct writer *w, uint64_t size, uint64_t requested)
{
	/* Pairs whose 64-bit hashes meet would become one: less likely than a broken disk. */
	uint64_t key = hash_combine(hash_u64(size + 1), requested);
	const uint64_t *found = hashmap_get(&w->sizes, key);

	writer_put(w, COLUMN_SIZES, found ? *found + 1 : 0);
	if (found)
		return;
	/* BYTES_NONE is -1. */
	writer_put_signed(w, COLUMN_SIZE_DICT, (int64_t)(requested - w->last_requested));
	writer_put_signed(w, COLUMN_SIZE_DICT, (int64_t)(size - requested));
	w->last_requested = requested;
	if (w->rc == 0)
		w->rc = hashmap_put(&w->sizes, key, w->n_sizes++, w->err);
}

uint32_t writer_stack(struct writer *w, stack_id stack)
{
	uint32_t row = 0;

	if (w->rc == 0)
		w->rc = report_stacks_row(w->stacks, stack, &row, w->err);
	while (w->rc == 0 && w->stack_local.n <= row)
		w->rc = vec_push(&w->stack_local, 0, w->c->budget, w->err);
	if (w->rc < 0)
		return 0;
	if (!w->stack_local.at[row]) {
		w->stack_local.at[row] = ++w->n_stacks;
		writer_put(w, COLUMN_STACK_DICT, row);
	}
	return w->stack_local.at[row] - 1;
}

static uint64_t place_key(const struct report_attr *x)
{
	uint64_t key = hash_combine(hash_u64(x->stream + 1), (uint64_t)x->pool.a);

	return hash_combine(key, (uint64_t)x->pool.b);
}

/* The number of a stream and pool. */
static uint32_t place_of(struct writer *w, const struct report_attr *x)
{
	uint64_t key = place_key(x);
	const uint64_t *found = hashmap_get(&w->places, key);

	if (found)
		return (uint32_t)*found;
	if (w->rc == 0)
		w->rc = hashmap_put(&w->places, key, w->n_places++, w->err);
	return w->rc == 0 ? w->n_places - 1 : 0;
}

uint32_t writer_attr(struct writer *w, const struct report_attr *x)
{
	uint64_t key = place_key(x);
	const uint64_t *found;

	key = hash_combine(key, (uint64_t)(x->category | x->confidence << 8 | x->reason << 16) |
					(uint64_t)x->phase << 32);
	key = hash_combine(key, x->detail ? hash_bytes(x->detail, strlen(x->detail)) : 0);
	found = hashmap_get(&w->attrs, key);
	if (found)
		return (uint32_t)*found;
	if (w->rc == 0)
		w->rc = vec_push(&w->c->attrs, *x, w->c->budget, w->err);
	if (w->rc == 0)
		w->c->attrs.at[w->c->attrs.n - 1].place = place_of(w, x);
	if (w->rc == 0)
		w->rc = hashmap_put(&w->attrs, key, w->c->attrs.n - 1, w->err);
	return w->rc == 0 ? (uint32_t)w->c->attrs.n - 1 : 0;
}

uint32_t writer_place(struct writer *w, uint64_t stream, struct pool_id pool)
{
	struct report_attr x = {.stream = stream, .pool = pool, .category = CATEGORY_UNKNOWN};

	return writer_attr(w, &x);
}
