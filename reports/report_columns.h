/* SPDX-License-Identifier: MIT
 * report_columns.h -- all events of one device as columns of small numbers, for the page's script.
 *
 * The script replays them, so the columns hold what a replay needs and nothing that follows from
 * it. Numbers are varints: 7 bits a byte, lowest first, the high bit set on all but the last; signed
 * ones are folded (0, -1, 1, -2 ...). Every column is its own gzip member.
 *
 *     column       one entry for        what
 *     ops          each event, or pair  a byte: enum report_op
 *     times        each other event     microseconds since the event before; folded when any of them is
 *                                       below 0. Coarse: of every 16th event and the last, whatever
 *                                       they are
 *     free_times   each free            the same; a pair has one
 *     later_times  each FREE_LATER      the same, of its second event
 *     frees        each free            which allocation: see below
 *     sizes        each allocation      0: the next of size_dict; else 1 + its row
 *     stacks       each allocation      row of the stacks told in stack_dict
 *     attrs        each allocation      row of the attrs of the description
 *     born         each one from before how long before the window, in events; 0: before the trace
 *     size_dict    each distinct pair   requested bytes (-1: unknown) as difference to the pair
 *                                       before, and bytes of the block beyond them, both folded
 *     stack_dict   each distinct stack  node of the tree of report_stacks.h
 *     rare         every other event    action, address, size, 1 + stack row or 0, row of attrs
 *     exceptions   few allocations      row, events of its frees, where ops do not tell; folded, -1:
 *                                       before the trace, -2: alive
 *     segments     each one at start    address, bytes, row of attrs, 2 * expandable + small
 *     addresses    allocations in it    0: see misses; else 1 + its place among the holes of
 *                                       report_holes.h that fit
 *     misses       others               difference to the end of the allocation before, folded, in units
 *                                       of 512 bytes; in bytes when an address is no multiple
 *
 * A free often ends the youngest allocation, or a neighbour of the one freed before. So `frees` counts
 * steps along those that live, in the order of their births; n below REPORT_NEAR:
 *
 *     1 + 3 * n  n steps from the youngest
 *     2 + 3 * n  n steps younger than the younger neighbour of the one freed last
 *     3 + 3 * n  n + 1 steps older than it
 *     0          farther, or it is no longer among them; then follows how many younger ones were born
 *
 * A free that only waits leaves its allocation among the living. Behind the youngest comes an end, and
 * behind that the oldest. In the beginning nothing was freed: the end counts as the neighbour.
 *
 * Allocations from before come first, by their order there, then those of the events.
 */
#ifndef REPORTS_REPORT_COLUMNS_H
#define REPORTS_REPORT_COLUMNS_H

#include "passes/purpose.h"
#include "replay/replay.h"
#include "reports/out.h"
#include "reports/report_stacks.h"

enum report_op {
	REPORT_OP_ALLOC,
	REPORT_OP_FREE,       /* two events: requested and completed at once, at the same time */
	REPORT_OP_FREE_LATER, /* the same, with a time for each */
	REPORT_OP_REQUESTED,  /* a free that waits */
	REPORT_OP_COMPLETED,  /* its end */
	REPORT_OP_FREED,      /* both in one event */
	REPORT_OP_RARE,
};

enum report_column {
	COLUMN_OPS,
	COLUMN_TIMES,
	COLUMN_FREE_TIMES,
	COLUMN_LATER_TIMES,
	COLUMN_FREES,
	COLUMN_SIZES,
	COLUMN_STACKS,
	COLUMN_ATTRS,
	COLUMN_BORN,
	COLUMN_SIZE_DICT,
	COLUMN_STACK_DICT,
	COLUMN_RARE,
	COLUMN_EXCEPTIONS,
	COLUMN_SEGMENTS,
	COLUMN_ADDRESSES, /* this and the next are read later than all others */
	COLUMN_MISSES,
	COLUMN_COUNT,
};

const char *report_column_name(enum report_column c); /* "ops" ... */

/* What is left out, the first first, when a page would become too large. */
enum report_detail {
	REPORT_EXACT,
	REPORT_COARSE_TIMES, /* exact at every 16th event, a line between */
	REPORT_NO_ADDRESSES,
	REPORT_WINDOW, /* ... and only a part of the events */
};

#define REPORT_COARSE_EVENTS 16
#define REPORT_NEAR          126

/* What allocations of one kind have in common. */
struct report_attr {
	uint64_t stream;
	struct pool_id pool;
	uint32_t place; /* the same number where stream and pool are the same */
	uint8_t category, confidence, reason, phase;
	const char *detail; /* weak; or NULL */
};

struct report_columns {
	struct budget *budget;       /* weak */
	const struct device *device; /* weak */
	int64_t from, to;            /* the window: just after `from`, up to `to` */
	enum report_detail detail;
	size_t n_rows, n_before; /* allocations */
	bool byte_addresses;     /* misses are in bytes, and so are holes */
	bool foretold;           /* false: every address is in misses, for want of exact numbers */
	bool has_times;
	bool times_fall; /* some delta is below 0: all are folded */
	int64_t zero_us; /* what the first delta counts from */
	uint64_t loose;  /* allocated bytes at the start that no allocation accounts for */
	VEC(struct report_attr) attrs;
	VEC(uint8_t) raw[COLUMN_COUNT];
	struct out *packed[COLUMN_COUNT]; /* gzip; owned; NULL when there is nothing to tell */
};

struct report_columns_options {
	int64_t from, to; /* EVENT_START and the last event: everything */
	enum report_detail detail;
};

/* `r`: the device's replay, whose position changes. `stacks` grows by those that are used. Errors:
 * ERR_LIMIT, ERR_NOMEM. */
int report_columns_run(struct report_columns *out, const struct purpose *p, struct replay *r,
		       struct report_stacks *stacks, const struct report_columns_options *o,
		       struct budget *budget, struct error *err);
void report_columns_release(struct report_columns *c);

/* Bytes of one column, and of all, packed. */
uint64_t report_column_bytes(const struct report_columns *c, enum report_column column);
uint64_t report_columns_bytes(const struct report_columns *c);

#endif
