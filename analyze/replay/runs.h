/* SPDX-License-Identifier: MIT
 * runs.h -- disjoint address ranges in order: which one holds an address, which comes next.
 *
 * A run is what the driver mapped in one piece: a cudaMalloc segment or a contiguous part of an
 * expandable one. There are few of them compared to blocks, they change rarely, and only they need
 * an order.
 */
#ifndef ANALYZE_REPLAY_RUNS_H
#define ANALYZE_REPLAY_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/ordered.h"

struct run {
	uint64_t start, end; /* [start, end), never empty */
	uint32_t row;        /* what it belongs to: the user's */
};

struct runs {
	struct ordered order;
};

/* A place in the order; valid until the runs change. */
struct run_at {
	struct ordered_at at;
};

void runs_init(struct runs *r, struct budget *budget);
void runs_release(struct runs *r);
void runs_clear(struct runs *r);

/* How many there are. */
static inline size_t runs_count(const struct runs *r)
{
	return r->order.n;
}

/* The last run that starts at or before `address`, or NULL. */
struct run *runs_before(const struct runs *r, uint64_t address);
/* The run that holds `address`, or NULL. */
struct run *runs_holding(const struct runs *r, uint64_t address);
/* The first run that overlaps [start, end), or NULL; an empty range overlaps nothing. */
struct run *runs_overlap(const struct runs *r, uint64_t start, uint64_t end);
/* The first run behind `address`, or NULL. */
struct run *runs_behind(const struct runs *r, uint64_t address);
/* Start of the first run behind `address`, or UINT64_MAX. */
uint64_t runs_next_start(const struct runs *r, uint64_t address);

/* Add a range that overlaps none of the others. Errors: ERR_LIMIT, ERR_NOMEM. */
int runs_insert(struct runs *r, struct run run, struct error *err);
/* Remove the run that starts at `start`; it must be there. */
void runs_remove(struct runs *r, uint64_t start);

/* In order: for (struct run_at p = {0}; (run = runs_get(r, p)); p = runs_next(r, p)) */
struct run *runs_get(const struct runs *r, struct run_at p);
struct run_at runs_next(const struct runs *r, struct run_at p);

#endif
