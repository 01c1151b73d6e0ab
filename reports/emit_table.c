/* SPDX-License-Identifier: MIT
 * emit_table.c -- tables in text: aligned columns within the width of the line.
 */
#include "reports/emit_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "reports/utf8.h"

#define COLUMN_GAP 2
/* What a column of words keeps when the line is too narrow. */
#define COLUMN_MIN 16

void table_begin(struct emit *e, const char *key, const char *heading)
{
	struct emit_text *t = e->text;

	(void)key;
	e->depth++;
	/* Inside a row: JSON only, like every container there. */
	if (t->in_row)
		return;
	text_flush(e);
	t->n_columns = 0;
	t->n_rows = 0;
	t->n_cells = 0;
	t->titled = false;
	t->has_heading = heading != NULL;
	if (heading)
		snprintf(t->heading, sizeof t->heading, "%s", heading);
}

void table_row_begin(struct emit *e)
{
	struct emit_text *t = e->text;

	e->depth++;
	if (t->in_row)
		return;
	t->in_row = true;
	t->n_row_cells = 0;
	t->row_depth = e->depth;
}

void table_cell(struct emit *e, const struct item *item)
{
	struct emit_text *t = e->text;
	struct table_column *c = &t->column[t->n_row_cells];
	struct text_span span;
	unsigned columns;

	assert(t->n_row_cells < TABLE_MAX_COLUMNS);
	if (t->n_row_cells == t->n_columns) {
		assert(!t->titled && t->n_rows == 0);
		*c = (struct table_column){.numeric = item->numeric};
		snprintf(c->title, sizeof c->title, "%s", item->label);
		c->columns = text_columns(c->title, strlen(c->title));
		t->n_columns++;
	}
	if (!text_grow(e, (void **)&t->cells, &t->cells_cap, t->n_cells + 1, sizeof *t->cells) ||
	    !text_hold_item(e, item, &span))
		span = (struct text_span){0, 0};
	else
		t->cells[t->n_cells++] = span;
	columns = text_columns(t->held + span.at, span.n);
	if (columns > c->columns)
		c->columns = columns;
	t->n_row_cells++;
}

/* Make the columns fit: the last one takes what is left; when that is too little, columns of words
 * give way, the widest first. */
static void table_fit(struct emit *e)
{
	struct emit_text *t = e->text;
	unsigned room = e->options.columns > t->indent ? e->options.columns - t->indent : 0;
	struct table_column *last = &t->column[t->n_columns - 1];

	for (;;) {
		unsigned before = 0; /* columns of all but the last, with gaps */
		struct table_column *widest = NULL;

		for (struct table_column *c = t->column; c < last; c++) {
			before += c->columns + COLUMN_GAP;
			if (!c->numeric && c->columns > COLUMN_MIN &&
			    (!widest || c->columns > widest->columns))
				widest = c;
		}
		if (before + last->columns <= room)
			return;
		if (room > before + COLUMN_MIN) {
			if (!last->numeric)
				last->columns = room - before;
			return;
		}
		if (!widest)
			return;
		widest->columns--;
	}
}

/* Escaped text in at most `room` columns; what is longer loses its middle, more at the front. */
static void table_put_cut(struct emit *e, const char *text, size_t n, unsigned room)
{
	unsigned all = text_columns(text, n);
	unsigned head = (room - 3) / 4, tail = room - 3 - head;
	unsigned column = 0;
	bool dots = false;

	if (all <= room || room < 8) {
		out_bytes(e->out, text, n);
		return;
	}
	for (size_t i = 0; i < n;) {
		uint32_t code;
		size_t length = utf8_decode(text + i, n - i, &code);
		unsigned width = utf8_columns(code);

		if (column + width <= head || column >= all - tail) {
			out_bytes(e->out, text + i, length);
		} else if (!dots) {
			out_text(e->out, "...");
			dots = true;
		}
		column += width;
		i += length;
	}
}

static void table_put_cell(struct emit *e, unsigned column, const char *text, size_t n)
{
	const struct table_column *c = &e->text->column[column];
	bool last = column + 1 == e->text->n_columns;
	unsigned columns = text_columns(text, n);
	unsigned pad = columns < c->columns ? c->columns - columns : 0;

	if (c->numeric)
		text_pad(e, pad);
	table_put_cut(e, text, n, c->numeric ? columns : c->columns);
	if (!c->numeric && !last)
		text_pad(e, pad);
	if (!last)
		text_pad(e, COLUMN_GAP);
}

static void table_put_titles(struct emit *e)
{
	struct emit_text *t = e->text;
	bool any = false;

	t->titled = true;
	for (unsigned i = 0; i < t->n_columns; i++)
		any = any || t->column[i].title[0];
	if (!any)
		return;
	text_line_begin(e);
	text_bold(e, true);
	for (unsigned i = 0; i < t->n_columns; i++)
		table_put_cell(e, i, t->column[i].title, strlen(t->column[i].title));
	text_bold(e, false);
	out_bytes(e->out, "\n", 1);
}

static void table_flush(struct emit *e)
{
	struct emit_text *t = e->text;

	if (!t->n_rows || !t->n_columns || t->n_cells != t->n_rows * t->n_columns)
		goto out; /* also when memory ran out */
	if (!t->titled && t->has_heading) {
		t->want_blank = true;
		text_line_begin(e);
		text_bold(e, true);
		out_text(e->out, t->heading);
		text_bold(e, false);
		out_bytes(e->out, "\n", 1);
	}
	if (t->has_heading)
		t->indent += 2;
	table_fit(e);
	if (!t->titled)
		table_put_titles(e);
	for (size_t r = 0; r < t->n_rows; r++) {
		text_line_begin(e);
		for (unsigned i = 0; i < t->n_columns; i++) {
			const struct text_span *s = &t->cells[r * t->n_columns + i];

			table_put_cell(e, i, t->held + s->at, s->n);
		}
		out_bytes(e->out, "\n", 1);
	}
	if (t->has_heading)
		t->indent -= 2;
out:
	t->n_rows = 0;
	t->n_cells = 0;
	t->n_held = 0;
}

void table_row_end(struct emit *e)
{
	struct emit_text *t = e->text;

	if (e->depth-- > t->row_depth)
		return;
	assert(t->n_row_cells == t->n_columns);
	t->in_row = false;
	if (++t->n_rows == TABLE_CHUNK_ROWS)
		table_flush(e);
}

void table_end(struct emit *e)
{
	struct emit_text *t = e->text;

	e->depth--;
	if (t->in_row)
		return;
	table_flush(e);
	if (t->titled)
		t->want_blank = true;
}
