/* SPDX-License-Identifier: MIT
 * reduce.c -- filling the columns from left to right.
 */
#include "passes/reduce.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "model/model.h"

static size_t column_bytes(const struct reduction *r)
{
	return r->n_columns * sizeof *r->columns;
}

static size_t cell_bytes(const struct reduction *r)
{
	return r->n_columns * r->n_series * sizeof *r->cells;
}

int reduce_init(struct reduction *r, size_t n_columns, size_t n_series, struct budget *budget,
		struct error *err)
{
	assert(n_columns >= 1 && n_series >= 1 && n_series <= REDUCE_MAX_SERIES);
	assert(n_columns <= SIZE_MAX / (REDUCE_MAX_SERIES * sizeof *r->cells));
	*r = (struct reduction){.budget = budget, .n_columns = n_columns, .n_series = n_series};
	r->columns = budget_realloc(budget, NULL, 0, column_bytes(r), err);
	r->cells = r->columns ? budget_realloc(budget, NULL, 0, cell_bytes(r), err) : NULL;
	if (!r->cells) {
		reduce_release(r);
		return (int)err->code;
	}
	memset(r->columns, 0, column_bytes(r));
	return 0;
}

void reduce_release(struct reduction *r)
{
	if (r->columns)
		budget_free(r->budget, r->columns, column_bytes(r));
	if (r->cells)
		budget_free(r->budget, r->cells, cell_bytes(r));
	*r = (struct reduction){0};
}

/* The column being filled begins with what holds now. */
static void reduce_begin_column(struct reduction *r)
{
	struct reduce_cell *cell = &r->cells[r->at * r->n_series];

	for (size_t s = 0; s < r->n_series; s++)
		cell[s] = (struct reduce_cell){r->now[s], r->now[s], r->now[s], r->now[s]};
}

void reduce_start(struct reduction *r, const uint64_t *values)
{
	memcpy(r->now, values, r->n_series * sizeof *values);
	r->at = 0;
	reduce_begin_column(r);
}

static void reduce_advance(struct reduction *r, size_t column)
{
	while (r->at < column) {
		r->at++;
		reduce_begin_column(r);
	}
}

void reduce_add(struct reduction *r, size_t column, int64_t event, const uint64_t *values)
{
	struct reduce_column *c;
	struct reduce_cell *cell;

	assert(column >= r->at && column < r->n_columns);
	reduce_advance(r, column);
	c = &r->columns[column];
	cell = &r->cells[column * r->n_series];
	if (c->n_events++ == 0)
		c->first_event = event;
	c->last_event = event;
	for (size_t s = 0; s < r->n_series; s++) {
		uint64_t v = values[s];

		r->now[s] = cell[s].last = v;
		if (v == BYTES_NONE)
			continue;
		if (v < cell[s].min)
			cell[s].min = v;
		if (v > cell[s].max || cell[s].max == BYTES_NONE)
			cell[s].max = v;
	}
}

void reduce_finish(struct reduction *r)
{
	reduce_advance(r, r->n_columns - 1);
}
