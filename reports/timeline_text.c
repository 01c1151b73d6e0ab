/* SPDX-License-Identifier: MIT
 * timeline_text.c -- a timeline as a chart of characters, for terminals.
 */
#include <stdio.h>
#include <string.h>

#include "reports/ticks.h"
#include "reports/timeline_report.h"

#define ROWS     12
#define GUTTER   11
#define MAX_CHAR 3 /* bytes of one cell */

/* Eighths of a row that `bytes` reach into row `row` (0 = lowest): 0 .. 8. */
static unsigned eighths(uint64_t bytes, uint64_t top, unsigned row)
{
	uint64_t level = (uint64_t)((__uint128_t)bytes * ROWS * 8 / top);

	if (bytes == BYTES_NONE)
		return 0;
	/* Anything at all shows. */
	if (bytes > 0 && level == 0)
		level = 1;
	if (level <= (uint64_t)row * 8)
		return 0;
	return level - (uint64_t)row * 8 >= 8 ? 8 : (unsigned)(level - (uint64_t)row * 8);
}

static const char *chart_cell(const struct timeline *t, size_t column, uint64_t top, unsigned row)
{
	static const char *const blocks[] = {"",
					     "\xe2\x96\x81",
					     "\xe2\x96\x82",
					     "\xe2\x96\x83",
					     "\xe2\x96\x84",
					     "\xe2\x96\x85",
					     "\xe2\x96\x86",
					     "\xe2\x96\x87",
					     "\xe2\x96\x88"};
	unsigned n = eighths(reduce_cell(&t->series, column, TIMELINE_ALLOCATED)->max, top, row);

	if (n > 0)
		return blocks[n];
	if (eighths(reduce_cell(&t->series, column, TIMELINE_RESERVED)->max, top, row) >= 4)
		return "\xe2\x96\x91";
	return " ";
}

static void chart_row(struct emit *e, const struct timeline *t, const char *label, uint64_t top,
		      unsigned row)
{
	char line[GUTTER + 8 + MAX_CHAR * TIMELINE_TEXT_COLUMNS];
	size_t n = (size_t)snprintf(line, sizeof line, "%*s \xe2\x94\x82", GUTTER - 2, label);

	for (size_t c = 0; c < t->series.n_columns; c++) {
		const char *cell = chart_cell(t, c, top, row);
		size_t length = strlen(cell);

		memcpy(line + n, cell, length);
		n += length;
	}
	while (n > 0 && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
	emit_line(e, "%s", line);
}

/* A row of marks where ooms are. */
static void chart_ooms(struct emit *e, const struct timeline *t)
{
	char marks[TIMELINE_TEXT_COLUMNS + 1];
	size_t last = 0;

	if (t->ooms.n == 0)
		return;
	memset(marks, ' ', sizeof marks);
	for (size_t i = 0; i < t->ooms.n; i++) {
		last = timeline_column(t, t->ooms.at[i].at.position);
		marks[last] = '!';
	}
	emit_line(e, "%*s %.*s", GUTTER - 1, "OOM", (int)last + 1, marks);
}

static void chart_axis(struct emit *e, const struct timeline *t)
{
	char left[64], right[64], rule[GUTTER + 8 + MAX_CHAR * TIMELINE_TEXT_COLUMNS];
	char number[TICKS_LABEL];
	size_t n = (size_t)snprintf(rule, sizeof rule, "%*s \xe2\x94\x94", GUTTER - 2, "0");
	int width = (int)t->series.n_columns;

	for (size_t c = 0; c < t->series.n_columns; c++) {
		memcpy(rule + n, "\xe2\x94\x80", 3);
		n += 3;
	}
	rule[n] = '\0';
	emit_line(e, "%s", rule);
	if (t->device->n_events == 0)
		return;
	if (t->by_event) {
		(void)snprintf(left, sizeof left, "%s", t->from < 0 ? "start" : "");
		if (t->from >= 0)
			(void)snprintf(left, sizeof left, "event %lld", (long long)t->from);
		(void)snprintf(right, sizeof right, "event %lld", (long long)t->to);
	} else {
		(void)snprintf(left, sizeof left, "0");
		(void)snprintf(right, sizeof right, "%s", ticks_duration(number, t->span));
	}
	/* A micro sign takes two bytes and one column. */
	if (strstr(right, "\xc2\xb5"))
		width++;
	emit_line(e, "%*s%s%*s", GUTTER, "", left, width - (int)strlen(left), right);
}

void timeline_text_chart(struct emit *e, const struct timeline *t)
{
	struct ticks ticks;
	uint64_t top = 1;

	if (t->series.n_columns > TIMELINE_TEXT_COLUMNS || !t->known[TIMELINE_ALLOCATED])
		return;
	for (int s = 0; s < TIMELINE_SERIES; s++) {
		if (t->known[s] && t->highest[s] > top)
			top = t->highest[s];
	}
	ticks_bytes(&ticks, top);
	emit_blank(e);
	chart_ooms(e, t);
	for (unsigned row = ROWS; row-- > 0;) {
		const char *label = "";

		/* A tick is written beside the row that it falls into. */
		for (size_t i = 1; i < ticks.n; i++) {
			uint64_t at = (uint64_t)((__uint128_t)ticks.at[i].at * ROWS / top);

			if (at == row || (at == ROWS && row == ROWS - 1))
				label = ticks.at[i].label;
		}
		chart_row(e, t, label, top, row);
	}
	chart_axis(e, t);
	emit_line(e, "%*s\xe2\x96\x88 allocated%s", GUTTER, "",
		  t->known[TIMELINE_RESERVED] ? "   \xe2\x96\x91 reserved from the driver" : "");
}
