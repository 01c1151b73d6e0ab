/* SPDX-License-Identifier: MIT
 * batch.c -- what is kept of many files: a few tables of plain values.
 */
#include "passes/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/natural.h"
#include "base/sort.h"
#include "model/model.h"

#define BATCH_TABLE(id, name, doc)           static const struct batch_column id##_columns[] = {
#define BATCH_COLUMN(t, id, name, kind, doc) {name, BATCH_##kind, doc},
#define BATCH_TABLE_END(id) \
	}                   \
	;
#include "passes/batch_tables.def"

const struct batch_schema batch_schemas[BATCH_TABLES] = {
#define BATCH_TABLE(id, name, doc) {name, doc, id##_columns, id##_COLUMNS},
#include "passes/batch_tables.def"
};

const char *batch_list_name(enum batch_table_id t, char buf[BATCH_LIST_NAME])
{
	const char *name = batch_schemas[t].name;
	bool taken = false;

	for (size_t c = 0; c < batch_schemas[BATCH_FILES].n; c++)
		taken |= !strcmp(batch_schemas[BATCH_FILES].columns[c].name, name);
	(void)snprintf(buf, BATCH_LIST_NAME, "%s%s", taken ? "all_" : "", name);
	return buf;
}

#define SAME_PLACES(t, name)                                                                   \
	_Static_assert((int)t##_FILE == HELD_FILE && (int)t##_DEVICE == HELD_DEVICE &&         \
			       (int)t##_##name == HELD_NAME && (int)t##_BYTES == HELD_BYTES && \
			       (int)t##_BLOCKS == HELD_BLOCKS,                                 \
		       "columns of what is held at a moment")

SAME_PLACES(SITES, SITE);
SAME_PLACES(SITES_END, SITE);
SAME_PLACES(CATEGORIES, CATEGORY);
SAME_PLACES(CATEGORIES_END, CATEGORY);
SAME_PLACES(ANNOTATIONS, ANNOTATION);
SAME_PLACES(ANNOTATIONS_END, ANNOTATION);

int batch_init(struct batch *b, struct budget *budget, struct error *err)
{
	*b = (struct batch){.budget = budget};
	return strtab_init(&b->strings, budget, err);
}

void batch_release(struct batch *b)
{
	for (unsigned t = 0; t < BATCH_TABLES; t++)
		vec_release(&b->cells[t], b->budget);
	strtab_release(&b->strings);
	memset(b->n_rows, 0, sizeof b->n_rows);
}

int batch_add_row(struct batch *b, enum batch_table_id t, size_t file, struct error *err)
{
	size_t n = batch_schemas[t].n;

	if (vec_reserve(&b->cells[t], n, b->budget, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		b->cells[t].at[b->cells[t].n++] = (struct batch_cell){.kind = BATCH_NULL};
	b->n_rows[t]++;
	if (t != BATCH_FILES)
		batch_set_int(b, t, 0, (int64_t)file);
	return 0;
}

void batch_set_int(struct batch *b, enum batch_table_id t, size_t column, int64_t v)
{
	*batch_cell(b, t, b->n_rows[t] - 1, column) =
		(struct batch_cell){.kind = BATCH_INT, .i = v};
}

void batch_set_u64(struct batch *b, enum batch_table_id t, size_t column, uint64_t v)
{
	if (v <= INT64_MAX)
		batch_set_int(b, t, column, (int64_t)v);
}

void batch_set_time(struct batch *b, enum batch_table_id t, size_t column, int64_t v)
{
	if (v != TIME_NONE)
		batch_set_int(b, t, column, v);
}

void batch_set_real(struct batch *b, enum batch_table_id t, size_t column, double v)
{
	if (isfinite(v))
		*batch_cell(b, t, b->n_rows[t] - 1, column) =
			(struct batch_cell){.kind = BATCH_REAL, .f = v};
}

int batch_put_text(struct batch *b, enum batch_table_id t, size_t row, size_t column,
		   const char *text, struct error *err)
{
	struct batch_cell c = {.kind = BATCH_NULL};

	if (text) {
		c.kind = BATCH_TEXT;
		if (strtab_add(&b->strings, text, strlen(text), &c.s, err) < 0)
			return err->code;
	}
	*batch_cell(b, t, row, column) = c;
	return 0;
}

int batch_set_text(struct batch *b, enum batch_table_id t, size_t column, const char *text,
		   struct error *err)
{
	return batch_put_text(b, t, b->n_rows[t] - 1, column, text, err);
}

const char *batch_text(const struct batch *b, enum batch_table_id t, size_t row, size_t column)
{
	const struct batch_cell *c = batch_cell(b, t, row, column);

	return c->kind == BATCH_TEXT ? strtab_get(&b->strings, c->s)->bytes : NULL;
}

int64_t batch_int(const struct batch *b, enum batch_table_id t, size_t row, size_t column,
		  int64_t none)
{
	const struct batch_cell *c = batch_cell(b, t, row, column);

	return c->kind == BATCH_INT ? c->i : none;
}

double batch_number(const struct batch *b, enum batch_table_id t, size_t row, size_t column)
{
	const struct batch_cell *c = batch_cell(b, t, row, column);

	if (c->kind == BATCH_INT)
		return (double)c->i;
	return c->kind == BATCH_REAL ? c->f : (double)NAN;
}

size_t batch_rows_of(const struct batch *b, enum batch_table_id t, size_t file, size_t *first)
{
	size_t low = 0, high = b->n_rows[t], end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (batch_int(b, t, middle, 0, 0) < (int64_t)file)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < b->n_rows[t] && batch_int(b, t, end, 0, 0) == (int64_t)file; end++)
		continue;
	*first = low;
	return end - low;
}

/* Append row `row` of `from`; its file becomes `file`. */
static int copy_row(struct batch *b, const struct batch *from, enum batch_table_id t, size_t row,
		    size_t file, struct error *err)
{
	int rc = batch_add_row(b, t, file, err);

	for (size_t c = t == BATCH_FILES ? 0 : 1; c < batch_schemas[t].n && rc == 0; c++) {
		struct batch_cell cell = *batch_cell(from, t, row, c);

		if (cell.kind == BATCH_TEXT)
			rc = batch_set_text(b, t, c, strtab_get(&from->strings, cell.s)->bytes,
					    err);
		else
			*batch_cell(b, t, b->n_rows[t] - 1, c) = cell;
	}
	return rc;
}

/* File `file` of `from` with all of its rows. */
static int copy_file(struct batch *b, const struct batch *from, size_t file, struct error *err)
{
	size_t to = b->n_rows[BATCH_FILES];
	int rc = copy_row(b, from, BATCH_FILES, file, 0, err);

	for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES && rc == 0; t++) {
		size_t first, n = batch_rows_of(from, (enum batch_table_id)t, file, &first);

		for (size_t i = 0; i < n && rc == 0; i++)
			rc = copy_row(b, from, (enum batch_table_id)t, first + i, to, err);
	}
	return rc;
}

int batch_append(struct batch *b, const struct batch *from, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < from->n_rows[BATCH_FILES] && rc == 0; i++)
		rc = copy_file(b, from, i, err);
	return rc;
}

static int name_order(const struct batch *b, size_t x, size_t y)
{
	const char *a = batch_text(b, BATCH_FILES, x, FILES_NAME);
	const char *c = batch_text(b, BATCH_FILES, y, FILES_NAME);

	return natural_compare(a ? a : "", c ? c : "");
}

static bool file_less(const size_t *x, const size_t *y, const void *ctx)
{
	int order = name_order(ctx, *x, *y);

	return order ? order < 0 : *x < *y;
}
SORT_DEFINE(sort_files, size_t, file_less)

int batch_sort(struct batch *b, struct error *err)
{
	VEC(size_t) order = {0};
	struct batch sorted;
	int rc = batch_init(&sorted, b->budget, err);

	for (size_t i = 0; i < b->n_rows[BATCH_FILES] && rc == 0; i++)
		rc = vec_push(&order, i, b->budget, err);
	if (rc == 0)
		sort_files(order.at, order.n, b);
	for (size_t i = 0; i < order.n && rc == 0; i++) {
		if (i + 1 < order.n && !name_order(b, order.at[i], order.at[i + 1]))
			continue;
		rc = copy_file(&sorted, b, order.at[i], err);
	}
	vec_release(&order, b->budget);
	if (rc < 0) {
		batch_release(&sorted);
		return rc;
	}
	batch_release(b);
	*b = sorted;
	return 0;
}
