/* SPDX-License-Identifier: MIT
 * timeline_csv.c -- the columns of a timeline as comma-separated numbers.
 */
#include <inttypes.h>
#include <string.h>

#include "reports/timeline_report.h"

static void csv_i64(struct out *to, bool known, int64_t v)
{
	if (known)
		out_printf(to, "%" PRId64, v);
}

static void csv_bytes(struct out *to, uint64_t v)
{
	out_text(to, ",");
	if (v != BYTES_NONE)
		out_printf(to, "%" PRIu64, v);
}

/* A name from a file, quoted where RFC 4180 wants it. */
static void csv_name(struct out *to, const char *name)
{
	bool quoted = name[strcspn(name, ",\"\r\n")] != '\0';

	if (quoted)
		out_text(to, "\"");
	for (const char *p = name; *p; p++) {
		if (*p == '"')
			out_text(to, "\"");
		out_bytes(to, (unsigned char)*p < ' ' ? " " : p, 1);
	}
	if (quoted)
		out_text(to, "\"");
}

static void csv_layer_titles(struct out *to, const struct timeline *t)
{
	char name[TIMELINE_GROUP_NAME];

	out_text(to, ",highest_event");
	for (size_t g = 0; g < t->stack.groups->n; g++) {
		out_text(to, ",");
		csv_name(to, timeline_group_name(t->stack.groups, g, name));
	}
}

static void csv_layers(struct out *to, const struct timeline *t, size_t column)
{
	const struct stack_column *c = &t->stack.columns[column];

	out_text(to, ",");
	csv_i64(to, c->event >= 0, c->event);
	for (size_t g = 0; g < t->stack.groups->n; g++)
		csv_bytes(to, c->bytes[g]);
}

void timeline_write_csv(struct out *to, const struct timeline *t)
{
	out_text(to, "column,since_start_us,first_event,last_event,events");
	for (int s = 0; s < TIMELINE_SERIES; s++) {
		const char *name = timeline_series_name(s);

		out_printf(to, ",%s_first,%s_last,%s_min,%s_max", name, name, name, name);
	}
	if (timeline_has_stack(t))
		csv_layer_titles(to, t);
	out_text(to, "\n");
	for (size_t c = 0; c < t->series.n_columns; c++) {
		const struct reduce_column *column = &t->series.columns[c];

		out_printf(to, "%zu,", c);
		csv_i64(to, !t->by_event, (int64_t)timeline_column_position(t, c));
		out_text(to, ",");
		csv_i64(to, column->n_events > 0, column->first_event);
		out_text(to, ",");
		csv_i64(to, column->n_events > 0, column->last_event);
		out_printf(to, ",%" PRIu64, column->n_events);
		for (int s = 0; s < TIMELINE_SERIES; s++) {
			const struct reduce_cell *cell = reduce_cell(&t->series, c, s);

			csv_bytes(to, cell->first);
			csv_bytes(to, cell->last);
			csv_bytes(to, cell->min);
			csv_bytes(to, cell->max);
		}
		if (timeline_has_stack(t))
			csv_layers(to, t, c);
		out_text(to, "\n");
	}
}
