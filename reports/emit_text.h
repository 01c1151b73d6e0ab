/* SPDX-License-Identifier: MIT
 * emit_text.h -- the state of a text document, shared by emit_text.c and emit_table.c.
 *
 * Strings are held back (escaped, so valid UTF-8) until the width of their column is known: pairs
 * until the section goes on with something else, rows of a table a few hundred at a time.
 */
#ifndef REPORTS_EMIT_TEXT_H
#define REPORTS_EMIT_TEXT_H

#include "reports/emit_private.h"

/* A longer string loses its middle. */
#define TEXT_MAX_BYTES 4096

#define TABLE_MAX_COLUMNS 24
#define TABLE_MAX_TITLE   40
/* Rows whose widths are compared; those behind them follow the widths found so far. */
#define TABLE_CHUNK_ROWS 512

/* Bytes of emit_text.held. */
struct text_span {
	size_t at, n;
};

struct text_pair {
	struct text_span label, value;
};

struct table_column {
	char title[TABLE_MAX_TITLE];
	bool numeric;
	unsigned columns; /* width */
};

struct emit_text {
	char *held; /* owned */
	size_t n_held, held_cap;
	struct text_pair *pairs; /* owned */
	size_t n_pairs, pairs_cap;

	unsigned indent;
	uint64_t headed;          /* bit set: the container of that depth has a heading */
	bool started, want_blank; /* an empty line before the next one */

	/* The open table. */
	char heading[128];
	bool has_heading, titled, in_row;
	unsigned row_depth; /* emit.depth of the open row */
	struct table_column column[TABLE_MAX_COLUMNS];
	unsigned n_columns, n_row_cells;
	size_t n_rows;
	struct text_span *cells; /* owned; rows of n_columns each */
	size_t n_cells, cells_cap;
};

/* Start a line: the empty line before it where wanted, the indent. */
void text_line_begin(struct emit *e);
void text_pad(struct emit *e, unsigned columns);
void text_bold(struct emit *e, bool on);
/* Write what is held back. */
void text_flush(struct emit *e);
/* Write words from `column` on, further lines from `hang` on, within the width; ends the line. */
void text_wrap(struct emit *e, unsigned column, unsigned hang, const char *text, size_t n);
/* False, with the sink failed, when memory ran out. */
bool text_grow(struct emit *e, void **at, size_t *cap, size_t need, size_t elem);
bool text_hold(struct emit *e, const char *bytes, size_t n, struct text_span *span);
bool text_hold_item(struct emit *e, const struct item *item, struct text_span *span);
/* Columns of escaped text. */
unsigned text_columns(const char *text, size_t n);

void table_begin(struct emit *e, const char *key, const char *heading);
void table_row_begin(struct emit *e);
void table_cell(struct emit *e, const struct item *item);
void table_row_end(struct emit *e);
void table_end(struct emit *e);

#endif
