/* SPDX-License-Identifier: MIT
 * ordered.c -- rows of one size kept in order while they come and go.
 */
#include "base/ordered.h"

#include <assert.h>
#include <string.h>

void ordered_init(struct ordered *o, size_t row_bytes, ordered_compare compare,
		  struct budget *budget)
{
	*o = (struct ordered){.budget = budget, .row_bytes = row_bytes, .compare = compare};
}

static void chunk_free(struct ordered *o, struct ordered_chunk *c)
{
	budget_free(o->budget, c->rows, ORDERED_PER_CHUNK * o->row_bytes);
}

void ordered_clear(struct ordered *o)
{
	for (size_t i = 0; i < o->chunks.n; i++)
		chunk_free(o, &o->chunks.at[i]);
	o->chunks.n = 0;
	o->n = 0;
}

void ordered_release(struct ordered *o)
{
	if (!o->budget)
		return;
	ordered_clear(o);
	vec_release(&o->chunks, o->budget);
}

static void *row_of(const struct ordered *o, const struct ordered_chunk *c, uint32_t i)
{
	return c->rows + i * o->row_bytes;
}

/* The last chunk whose first row is not behind `key`, or the first chunk. */
static size_t chunk_of(const struct ordered *o, const void *key)
{
	size_t low = 0, high = o->chunks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->compare(o->chunks.at[mid].rows, key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

static uint32_t place_in(const struct ordered *o, const struct ordered_chunk *c, const void *key)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (o->compare(row_of(o, c, mid), key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct ordered_at ordered_from(const struct ordered *o, const void *key)
{
	struct ordered_at p = {chunk_of(o, key), 0};

	if (p.chunk == o->chunks.n)
		return p;
	p.i = place_in(o, &o->chunks.at[p.chunk], key);
	return p.i < o->chunks.at[p.chunk].n ? p : (struct ordered_at){p.chunk + 1, 0};
}

void *ordered_get(const struct ordered *o, struct ordered_at p)
{
	if (p.chunk >= o->chunks.n)
		return NULL;
	assert(p.i < o->chunks.at[p.chunk].n);
	return row_of(o, &o->chunks.at[p.chunk], p.i);
}

struct ordered_at ordered_next(const struct ordered *o, struct ordered_at p)
{
	if (p.i + 1 < o->chunks.at[p.chunk].n)
		return (struct ordered_at){p.chunk, p.i + 1};
	return (struct ordered_at){p.chunk + 1, 0};
}

void *ordered_before(const struct ordered *o, struct ordered_at p)
{
	if (p.i)
		return row_of(o, &o->chunks.at[p.chunk], p.i - 1);
	if (!p.chunk)
		return NULL;
	return row_of(o, &o->chunks.at[p.chunk - 1], o->chunks.at[p.chunk - 1].n - 1);
}

/* A new chunk at place k that holds the last `take` rows of the one before it. */
static int add_chunk(struct ordered *o, size_t k, uint32_t take, struct error *err)
{
	struct ordered_chunk c = {.n = take};
	int rc = vec_reserve(&o->chunks, 1, o->budget, err);

	if (rc < 0)
		return rc;
	c.rows = budget_realloc(o->budget, NULL, 0, ORDERED_PER_CHUNK * o->row_bytes, err);
	if (!c.rows)
		return (int)err->code;
	if (take) {
		struct ordered_chunk *left = &o->chunks.at[k - 1];

		left->n -= take;
		memcpy(c.rows, row_of(o, left, left->n), take * o->row_bytes);
	}
	memmove(&o->chunks.at[k + 1], &o->chunks.at[k], (o->chunks.n - k) * sizeof c);
	o->chunks.at[k] = c;
	o->chunks.n++;
	return 0;
}

int ordered_insert(struct ordered *o, const void *row, struct error *err)
{
	size_t k = chunk_of(o, row);
	struct ordered_chunk *c;
	uint32_t i;
	int rc;

	if (!o->chunks.n && (rc = add_chunk(o, 0, 0, err)) < 0)
		return rc;
	if (o->chunks.at[k].n == ORDERED_PER_CHUNK) {
		if ((rc = add_chunk(o, k + 1, ORDERED_PER_CHUNK / 2, err)) < 0)
			return rc;
		k += o->compare(o->chunks.at[k + 1].rows, row) < 0;
	}
	c = &o->chunks.at[k];
	i = place_in(o, c, row);
	assert(i == c->n || o->compare(row_of(o, c, i), row) != 0);
	memmove(row_of(o, c, i + 1), row_of(o, c, i), (c->n - i) * o->row_bytes);
	memcpy(row_of(o, c, i), row, o->row_bytes);
	c->n++;
	o->n++;
	return 0;
}

void ordered_remove(struct ordered *o, struct ordered_at p)
{
	struct ordered_chunk *c = &o->chunks.at[p.chunk];

	assert(p.i < c->n);
	c->n--;
	memmove(row_of(o, c, p.i), row_of(o, c, p.i + 1), (c->n - p.i) * o->row_bytes);
	o->n--;
	if (c->n)
		return;
	chunk_free(o, c);
	o->chunks.n--;
	memmove(&o->chunks.at[p.chunk], &o->chunks.at[p.chunk + 1],
		(o->chunks.n - p.chunk) * sizeof *c);
}
