/* SPDX-License-Identifier: MIT
 * reduce.h -- several step functions over one axis, reduced to a fixed number of columns.
 *
 * A column keeps the lowest and the highest value that held anywhere in it, and those at its two
 * edges, so that a spike of one event among millions is still there and the steps join exactly:
 * column c ends where column c + 1 begins.
 *
 *     reduce_init(&r, 1000, 3, budget, err);
 *     reduce_start(&r, values_before);
 *     for each change, in order: reduce_add(&r, column, event, values);
 *     reduce_finish(&r);
 *     reduce_cell(&r, column, series)->max ...
 *
 * Values are bytes; BYTES_NONE is unknown and takes no part in min and max.
 */
#ifndef ANALYZE_PASSES_REDUCE_H
#define ANALYZE_PASSES_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

#define REDUCE_MAX_SERIES 8

struct reduce_cell {
	uint64_t first, last; /* at the left and at the right edge */
	uint64_t min, max;    /* of all that held in the column, `first` included */
};

struct reduce_column {
	int64_t first_event, last_event; /* of those that changed something; when n_events > 0 */
	uint64_t n_events;
};

struct reduction {
	struct budget *budget; /* weak */
	size_t n_columns, n_series;
	struct reduce_column *columns;
	struct reduce_cell *cells; /* [column * n_series + series] */
	size_t at;                 /* the column being filled */
	uint64_t now[REDUCE_MAX_SERIES];
};

/* Errors: ERR_LIMIT, ERR_NOMEM. n_columns >= 1, n_series <= REDUCE_MAX_SERIES. */
int reduce_init(struct reduction *r, size_t n_columns, size_t n_series, struct budget *budget,
		struct error *err);
void reduce_release(struct reduction *r);

/* What holds at the left edge of column 0. */
void reduce_start(struct reduction *r, const uint64_t *values);
/* From event `event` on, which lies in `column` (never less than before), `values` hold. */
void reduce_add(struct reduction *r, size_t column, int64_t event, const uint64_t *values);
/* The last values hold to the end of the axis. */
void reduce_finish(struct reduction *r);

static inline const struct reduce_cell *reduce_cell(const struct reduction *r, size_t column,
						    size_t series)
{
	return &r->cells[column * r->n_series + series];
}

#endif
