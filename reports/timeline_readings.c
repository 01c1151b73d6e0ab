/* SPDX-License-Identifier: MIT
 * timeline_readings.c -- the exact numbers of a timeline's picture, shown where the pointer rests.
 */
#include "reports/timeline_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/emit.h"
#include "reports/ticks.h"

/* Readings at most: a wider picture lets neighbours share one. */
#define MAX_READINGS 1100

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

/* The layers at the highest moment of columns from .. to - 1, from the ground up. */
static void reading_layers(const struct timeline *t, size_t from, size_t to, char *out, size_t size)
{
	const struct stack_column *top = &t->stack.columns[from];
	size_t n = 0;

	out[0] = '\0';
	for (size_t c = from + 1; c < to; c++)
		top = t->stack.columns[c].total > top->total ? &t->stack.columns[c] : top;
	for (size_t g = 0; g < t->stack.groups->n; g++) {
		char name[TIMELINE_LAYER_NAME], bytes[UNITS_BUF];

		if (top->bytes[g] == 0)
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%s %s", n ? " \xc2\xb7 " : "",
				      timeline_layer_name(name, t, g, 16),
				      units_bytes(bytes, top->bytes[g]));
		if (n >= size)
			return;
	}
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
		if (strcmp(range, "unknown"))
			n += snprintf(words + n, sizeof words - (size_t)n, " \xc2\xb7 %s %s",
				      timeline_series_name(shown[i]), range);
	}
	svg_group(f->x, "at");
	svg_rect(f->x, "hit", left, f->top, right - left, f->bottom - f->top);
	svg_line(f->x, "cursor", (left + right) / 2, f->top, (left + right) / 2, f->axis);
	svg_text(f->x, "reading", SVG_START, f->left, f->readings, words);
	if (timeline_has_stack(f->t)) {
		reading_layers(f->t, from, to, words, sizeof words);
		svg_text(f->x, "reading", SVG_START, f->left, f->readings + 16 * SVG_PX, words);
	}
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
