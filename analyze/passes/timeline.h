/* SPDX-License-Identifier: MIT
 * timeline.h -- memory of one device over time or over events, reduced to what a picture can show.
 *
 * One walk over the trace fills columns with the lowest and highest value of each series, so every
 * spike survives; peaks, ooms and annotations are kept exactly, with their place on the axis.
 *
 * The axis. By time, position 0 is the time of the first event shown and positions are
 * microseconds; a time that steps back counts as the one before it, since order is list order. By
 * event, position p is the state just after event `from` + p. Either way `span` positions make the
 * width, and position p lies in column timeline_column(t, p).
 */
#ifndef ANALYZE_PASSES_TIMELINE_H
#define ANALYZE_PASSES_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "model/model.h"
#include "passes/bands.h"
#include "passes/reduce.h"
#include "passes/timeline_stack.h"
#include "replay/replay.h"

struct phases;
struct timeline_verdicts;

enum timeline_series {
	TIMELINE_RESERVED,
	TIMELINE_ACTIVE,
	TIMELINE_ALLOCATED,
	TIMELINE_REQUESTED,
	TIMELINE_BEFORE, /* part of allocated: blocks that lived before event 0 */
	TIMELINE_SERIES,
};

struct timeline_options {
	size_t columns;   /* 1 .. TIMELINE_MAX_COLUMNS */
	bool by_event;    /* false: by time where the file has times */
	int64_t from, to; /* just after these events; from <= to. EVENT_START and the last event
			     show everything */
	bool from_first_event; /* by time the axis begins at event from + 1, not at from */
	size_t max_bands;
	const struct timeline_groups *groups; /* layers of the stack; NULL: no stack */
	/* Count only what was allocated inside the window. Needs groups of allocations; totals
	 * other than allocated are unknown then. */
	bool window_only;
};

#define TIMELINE_MAX_COLUMNS 8192

struct timeline_point {
	int64_t event, time_us; /* EVENT_START: before event 0; TIME_NONE: unknown */
	uint64_t position;
	struct totals totals;
};

struct timeline_oom {
	struct timeline_point at;
	uint64_t requested;   /* bytes, as the event has them */
	uint64_t device_free; /* BYTES_NONE when the file does not tell */
};

/* Why the axis counts events. */
enum timeline_axis_reason {
	TIMELINE_AS_ASKED,
	TIMELINE_NO_TIMES, /* no event has a time */
	TIMELINE_ONE_TIME, /* all events have the same time */
};

struct timeline {
	struct budget *budget;       /* weak */
	const struct model *model;   /* weak */
	const struct device *device; /* weak */
	bool by_event;
	enum timeline_axis_reason reason;
	int64_t from, to;
	int64_t zero_us; /* time of position 0, or TIME_NONE when no event has one */
	uint64_t span;   /* positions; > 0 */
	bool exact;      /* false: what lived before event 0 is unknown and missing */
	bool known[TIMELINE_SERIES];
	struct reduction series; /* TIMELINE_SERIES series */
	struct timeline_point start, end;
	struct timeline_point peak; /* first moment of highest allocated bytes in the window */
	uint64_t highest[TIMELINE_SERIES]; /* each of its own, BYTES_NONE when unknown */
	uint64_t highest_pending; /* active minus allocated: freed, waiting for a stream; a block
					whose free is completed by the next event is not counted */
	uint64_t n_events;        /* in the window */
	VEC(struct timeline_oom) ooms;
	struct bands bands;
	struct timeline_stack stack; /* budget NULL: none was asked for */
	bool window_only;
	uint64_t left_out;         /* of window_only: bytes that lived at its start */
	uint64_t n_unplaced_marks; /* annotations that cannot be put on the axis: no times */
	uint64_t n_times_back;     /* events earlier than the one before them */
	/* Weak, set by the caller: steps and phases to draw, what can be said of them; or NULL. */
	const struct phases *phases;
	const struct timeline_verdicts *verdicts;
};

/* `r` is the device's replay and is left at `to`. Errors: ERR_LIMIT, ERR_NOMEM. */
int timeline_run(struct timeline *out, const struct model *m, struct replay *r,
		 const struct device *d, const struct timeline_options *o, struct budget *budget,
		 struct error *err);
void timeline_release(struct timeline *t);

static inline size_t timeline_column(const struct timeline *t, uint64_t position)
{
	size_t n = t->series.n_columns;
	size_t c = (size_t)((__uint128_t)position * n / t->span);

	return c < n ? c : n - 1;
}

/* The first position of a column. */
static inline uint64_t timeline_column_position(const struct timeline *t, size_t column)
{
	size_t n = t->series.n_columns;

	return (uint64_t)(((__uint128_t)column * t->span + n - 1) / n);
}

static inline bool timeline_has_stack(const struct timeline *t)
{
	return t->stack.budget != NULL;
}

/* Where an event of the device lies, clipped to the axis. */
uint64_t timeline_position_of_event(const struct timeline *t, int64_t event);

const char *timeline_series_name(enum timeline_series s); /* "reserved" ... */

#endif
