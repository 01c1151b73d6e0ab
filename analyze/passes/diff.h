/* SPDX-License-Identifier: MIT
 * diff.h -- what changed between two states: of two files, or of one file at two moments.
 *
 * Every active block of both states belongs to exactly one row, so the rows' differences add up to
 * the difference of the totals, to the byte; blocks from before the trace are blocks like others.
 *
 *     diff_run(&d, &base, &new, &options, budget, err);
 *     d.rows.at[0]        // the largest change
 *
 * A row's key is that of passes/top.h on each side that has it; frame_match.h says which key of
 * base is which of new.
 */
#ifndef ANALYZE_PASSES_DIFF_H
#define ANALYZE_PASSES_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/filter.h"
#include "passes/frame_match.h"
#include "passes/top.h"
#include "replay/moment.h"
#include "replay/replay.h"

enum diff_status { DIFF_NEW, DIFF_GONE, DIFF_GROWN, DIFF_SHRUNK, DIFF_SAME };

const char *diff_status_name(enum diff_status s); /* "new" ... */

/* One of the two states, and where it is from. Everything outlives the diff; both sides may share a
 * model and a replay. */
struct diff_side {
	const struct model *model;
	const struct device *device;
	const struct replay_summary *summary;
	const struct state *state;
	const struct filter *filter;         /* or NULL */
	const struct categories *categories; /* NULL but for TOP_CATEGORY */
	struct moment at;
};

struct diff_options {
	enum top_by by;
	bool exact; /* keys match only when they are equal */
};

struct diff_row {
	enum diff_status status;
	enum frame_pairing pairing; /* by site: how the two sites were found to be one */
	uint32_t base, new;         /* rows of sides[].rows; DIFF_NONE: none */
	uint64_t base_bytes, new_bytes;
	uint64_t base_blocks, new_blocks;
};

#define DIFF_NONE UINT32_MAX

/* Blocks by size: bucket i holds sizes from 2^(i - 1) + 1 to 2^i bytes. */
#define DIFF_BUCKETS 65
struct diff_sizes {
	uint64_t bytes[DIFF_BUCKETS], blocks[DIFF_BUCKETS];
};

struct diff {
	struct budget *budget; /* weak */
	struct diff_side base, new;
	enum top_by by;
	struct top sides[2]; /* base, new: their rows by themselves */
	struct frame_match match;
	struct diff_sizes sizes[2];
	VEC(struct diff_row) rows; /* largest change first */
};

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int diff_run(struct diff *out, const struct diff_side *base, const struct diff_side *new,
	     const struct diff_options *o, struct budget *budget, struct error *err);
void diff_release(struct diff *d);

/* new - base. */
int64_t diff_delta(uint64_t base_bytes, uint64_t new_bytes);

/* The side that holds more of a row: since which event has it held more than the other side does
 * at its moment? EVENT_START: since before recording. ALLOCATION_ALIVE: cannot be told (no change,
 * a row that is no place in the code, or no trace). `a`: the allocations of that side's device. */
struct allocations;
int diff_since(int64_t *out, const struct diff *d, const struct diff_row *row,
	       const struct allocations *a, struct error *err);
/* The side to ask. */
static inline const struct diff_side *diff_larger_side(const struct diff *d,
						       const struct diff_row *row)
{
	return row->new_bytes > row->base_bytes ? &d->new : &d->base;
}

#endif
