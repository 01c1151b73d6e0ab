/* SPDX-License-Identifier: MIT
 * timeline_series.c -- the areas of a timeline's picture, drawn as steps, and their exact numbers.
 *
 * Within a column the value lay between min and max. The area below min was filled all the time
 * and is drawn full, the one up to max was reached and is drawn light, and the edge follows max: a
 * spike of a single event is one column wide and as high as it was.
 */
#include "reports/timeline_frame.h"

#include <inttypes.h>
#include <stdio.h>

#include "reports/emit.h"
#include "reports/ticks.h"

enum envelope { ENVELOPE_MIN, ENVELOPE_MAX };

static svg_len column_y(const struct timeline_frame *f, size_t column, enum timeline_series s,
			enum envelope e)
{
	const struct reduce_cell *c = reduce_cell(&f->t->series, column, s);
	uint64_t v = e == ENVELOPE_MIN ? c->min : c->max;

	return frame_y(f, v == BYTES_NONE ? 0 : v);
}

/* One run of columns of the same height becomes one horizontal line. */
static void draw_steps(const struct timeline_frame *f, enum timeline_series s, enum envelope e)
{
	svg_len y = column_y(f, 0, s, e);

	svg_path_move(f->x, f->left, y);
	for (size_t c = 1; c < f->t->series.n_columns; c++) {
		svg_len next = column_y(f, c, s, e);

		if (next == y)
			continue;
		svg_path_h(f->x, frame_column_x(f, c));
		svg_path_v(f->x, next);
		y = next;
	}
	svg_path_h(f->x, f->right);
}

static void draw_area(const struct timeline_frame *f, const char *class, enum timeline_series s,
		      enum envelope e)
{
	svg_path_begin(f->x, class);
	draw_steps(f, s, e);
	svg_path_v(f->x, f->bottom);
	svg_path_h(f->x, f->left);
	svg_path_close(f->x);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static void draw_edge(const struct timeline_frame *f, const char *class, enum timeline_series s)
{
	svg_path_begin(f->x, class);
	draw_steps(f, s, ENVELOPE_MAX);
	svg_path_end(f->x);
	xml_newline(f->x);
}

void timeline_draw_series(const struct timeline_frame *f)
{
	const struct timeline *t = f->t;

	if (t->known[TIMELINE_RESERVED]) {
		draw_area(f, "reserved", TIMELINE_RESERVED, ENVELOPE_MAX);
		draw_edge(f, "reserved-edge", TIMELINE_RESERVED);
	}
	if (!t->known[TIMELINE_ALLOCATED])
		return;
	if (t->highest_pending > 0)
		draw_area(f, "active", TIMELINE_ACTIVE, ENVELOPE_MAX);
	draw_area(f, "allocated", TIMELINE_ALLOCATED, ENVELOPE_MAX);
	draw_area(f, "held", TIMELINE_ALLOCATED, ENVELOPE_MIN);
	if (timeline_shows_before(t))
		draw_area(f, "before", TIMELINE_BEFORE, ENVELOPE_MIN);
	draw_edge(f, "allocated-edge", TIMELINE_ALLOCATED);
}

/* --- numbers under the pointer ---------------------------------------------------------------- */

/* Readings at most: a wider picture lets neighbours share one. */
#define MAX_READINGS 1200

static void reading_place(const struct timeline *t, size_t from, size_t to, char *out, size_t size)
{
	char when[TICKS_LABEL], first[UNITS_BUF], last[UNITS_BUF];
	int64_t first_event = EVENT_START, last_event = EVENT_START;
	int n = 0;

	for (size_t c = from; c < to; c++) {
		const struct reduce_column *column = &t->series.columns[c];

		if (column->n_events == 0)
			continue;
		if (first_event == EVENT_START)
			first_event = column->first_event;
		last_event = column->last_event;
	}
	if (!t->by_event)
		n = snprintf(out, size, "%s in \xc2\xb7 ",
			     ticks_duration(when, timeline_column_position(t, from)));
	if (first_event == EVENT_START)
		(void)snprintf(out + n, size - (size_t)n, "no event");
	else if (first_event == last_event)
		(void)snprintf(out + n, size - (size_t)n, "event %s",
			       units_count(first, (uint64_t)first_event));
	else
		(void)snprintf(out + n, size - (size_t)n, "events %s\xe2\x80\x93%s",
			       units_count(first, (uint64_t)first_event),
			       units_count(last, (uint64_t)last_event));
}

/* Lowest and highest of a series in columns from .. to - 1. */
static void reading_range(const struct timeline *t, enum timeline_series s, size_t from, size_t to,
			  char *out, size_t size)
{
	uint64_t min = BYTES_NONE, max = 0;
	char low[UNITS_BUF], high[UNITS_BUF];

	for (size_t c = from; c < to; c++) {
		const struct reduce_cell *cell = reduce_cell(&t->series, c, s);

		if (cell->min < min)
			min = cell->min;
		if (cell->max != BYTES_NONE && cell->max > max)
			max = cell->max;
	}
	if (min == BYTES_NONE)
		(void)snprintf(out, size, "unknown");
	else if (min == max)
		(void)snprintf(out, size, "%s", units_bytes(high, max));
	else
		(void)snprintf(out, size, "%s to %s", units_bytes(low, min),
			       units_bytes(high, max));
}

static void draw_reading(const struct timeline_frame *f, size_t from, size_t to)
{
	static const enum timeline_series shown[] = {TIMELINE_ALLOCATED, TIMELINE_ACTIVE,
						     TIMELINE_RESERVED};
	svg_len left = frame_column_x(f, from), right = frame_column_x(f, to);
	char place[128], range[2 * UNITS_BUF], words[512];
	int n;

	reading_place(f->t, from, to, place, sizeof place);
	n = snprintf(words, sizeof words, "%s", place);
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		reading_range(f->t, shown[i], from, to, range, sizeof range);
		n += snprintf(words + n, sizeof words - (size_t)n, " \xc2\xb7 %s %s",
			      timeline_series_name(shown[i]), range);
	}
	svg_group(f->x, "at");
	svg_rect(f->x, "hit", left, f->top, right - left, f->bottom - f->top);
	svg_line(f->x, "cursor", (left + right) / 2, f->top, (left + right) / 2, f->axis);
	svg_text(f->x, "reading", SVG_START, f->left, f->readings, words);
	xml_close(f->x);
	xml_newline(f->x);
}

/* Nothing happened in a column, so its reading is that of the column before. */
static bool column_is_still(const struct timeline *t, size_t column)
{
	return t->series.columns[column].n_events == 0 && column > 0 &&
	       t->series.columns[column - 1].n_events == 0;
}

void timeline_draw_readings(const struct timeline_frame *f)
{
	size_t n = f->t->series.n_columns, stride = (n + MAX_READINGS - 1) / MAX_READINGS, to;

	xml_open(f->x, "g");
	xml_attr(f->x, "aria-hidden", "true");
	xml_newline(f->x);
	for (size_t from = 0; from < n; from = to) {
		to = from + stride < n ? from + stride : n;
		while (stride == 1 && to < n && column_is_still(f->t, to))
			to++;
		draw_reading(f, from, to);
	}
	xml_close(f->x);
	xml_newline(f->x);
}
