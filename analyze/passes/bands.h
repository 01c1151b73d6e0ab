/* SPDX-License-Identifier: MIT
 * bands.h -- START and END marks joined to spans, and spans laid out as bands in nested rows.
 *
 * Files carry no thread with their marks and lose the oldest ones, so matching is tolerant: an END
 * closes the latest open START of its own name, whatever else is open; an END without a START
 * began before the first mark, a START without an END never ended.
 *
 * Positions are on the axis of the picture: any unsigned unit, `span` of them wide.
 */
#ifndef ANALYZE_PASSES_BANDS_H
#define ANALYZE_PASSES_BANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"

struct band_mark {
	str_id name;
	bool is_end;
	int64_t time_us;
	int64_t event; /* the last event not later; EVENT_START: none; behind the last: its number + 1 */
};

struct band_span {
	str_id name;
	bool begun_before; /* no START was found: start_* are those of the first mark of all */
	bool never_ended;  /* no END was found: end_* are those of the last mark of all */
	int64_t start_us, end_us;
	int64_t start_event, end_event;
};

/* A rectangle of the picture: one span, or neighbours in a row too narrow to tell apart. */
struct band {
	str_id name;                    /* STR_NONE: of several names */
	uint64_t count;                 /* spans in it */
	uint64_t from, to;              /* positions, clipped to the axis; from <= to */
	uint32_t row;                   /* 0 = outermost */
	bool begun_before, never_ended; /* of a single span */
};

/* Spans of all spellings of one name. */
struct band_name {
	str_id name;
	uint64_t count;
	uint64_t total_us, longest_us;
};

/* Deeper nesting is counted, not drawn. */
#define BANDS_MAX_ROWS 12

struct bands {
	struct budget *budget;       /* weak */
	VEC(struct band_span) spans; /* by start, longest first among equals */
	VEC(struct band_name) names; /* in order of first appearance in spans */
	VEC(struct band) drawn;      /* row by row, left to right */
	uint32_t n_rows;
	uint64_t n_unmatched_starts, n_unmatched_ends;
	uint64_t n_outside; /* spans that do not touch the axis */
	uint64_t n_deeper;  /* spans nested deeper than BANDS_MAX_ROWS */
};

void bands_init(struct bands *b, struct budget *budget);
void bands_release(struct bands *b);

/* Fill spans and names from marks in the order of the file. Errors: ERR_LIMIT, ERR_NOMEM. */
int bands_match(struct bands *b, const struct band_mark *marks, size_t n_marks, struct error *err);

struct bands_axis {
	bool by_event;
	int64_t zero;     /* the time_us or the event at position 0 */
	uint64_t span;    /* > 0 */
	uint64_t narrow;  /* spans shorter than this many positions are joined with neighbours */
	size_t max_drawn; /* more bands than this: `narrow` is doubled until they fit */
};

/* Fill `drawn` from spans; may be called again for another axis. Errors: ERR_LIMIT, ERR_NOMEM. */
int bands_layout(struct bands *b, const struct bands_axis *axis, struct error *err);

#endif
