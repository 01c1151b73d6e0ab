/* SPDX-License-Identifier: MIT
 * batch.h -- what is kept of many files: a few tables of plain values.
 *
 * The tables are declared once, in batch_tables.def; JSON, CSV and SQL are written from the
 * declaration, and JSON is read by it. A row of `files` is one input, in the other tables column 0
 * tells which. Values that are not known are BATCH_NULL.
 *
 *     batch_init(&b, budget, err);
 *     batch_collect(&b, model, side, rules, budget, err);   // one row of files, with all of its others
 *     batch_int(&b, BATCH_FILES, 0, FILES_PEAK)
 */
#ifndef ANALYZE_PASSES_BATCH_H
#define ANALYZE_PASSES_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"
#include "base/strtab.h"
#include "base/vec.h"

enum batch_table_id {
#define BATCH_TABLE(id, name, doc) BATCH_##id,
#define BATCH_COLUMN(t, id, name, kind, doc)
#include "passes/batch_tables.def"
	BATCH_TABLES,
};

/* FILES_NAME, DEVICES_FILE ...: places of columns. */
#define BATCH_TABLE(id, name, doc)           enum {
#define BATCH_COLUMN(t, id, name, kind, doc) t##_##id,
#define BATCH_TABLE_END(id) \
	id##_COLUMNS        \
	}                   \
	;
#include "passes/batch_tables.def"

/* The tables of who holds the bytes of one moment have these columns, largest first. */
enum { HELD_FILE, HELD_DEVICE, HELD_NAME, HELD_BYTES, HELD_BLOCKS };
/* How many sites, and how many annotations, are kept of a file but where a caller wants more. */
#define BATCH_KEPT 20

enum batch_kind { BATCH_NULL, BATCH_TEXT, BATCH_INT, BATCH_REAL };

struct batch_column {
	const char *name;
	enum batch_kind kind;
	const char *doc;
};

struct batch_schema {
	const char *name, *doc;
	const struct batch_column *columns;
	size_t n;
};

/* By enum batch_table_id. */
extern const struct batch_schema batch_schemas[BATCH_TABLES];

/* What a file's object in JSON calls the list of its rows in a table: the table's name, or all_NAME
 * where `files` has a column of this name. Into buf, returned. */
#define BATCH_LIST_NAME 64
const char *batch_list_name(enum batch_table_id t, char buf[BATCH_LIST_NAME]);

struct batch_cell {
	enum batch_kind kind;
	union {
		int64_t i;
		double f;
		str_id s; /* of batch.strings */
	};
};

struct batch {
	struct budget *budget; /* weak */
	struct strtab strings;
	VEC(struct batch_cell) cells[BATCH_TABLES]; /* row after row */
	size_t n_rows[BATCH_TABLES];
};

int batch_init(struct batch *b, struct budget *budget, struct error *err);
void batch_release(struct batch *b);

/* A row of nulls; but in `files`, column 0 becomes `file`. */
int batch_add_row(struct batch *b, enum batch_table_id t, size_t file, struct error *err);

static inline struct batch_cell *batch_cell(const struct batch *b, enum batch_table_id t,
					    size_t row, size_t column)
{
	return &b->cells[t].at[row * batch_schemas[t].n + column];
}

/* Into the last row of a table. Amounts above INT64_MAX, times and texts that stand for "not known"
 * become null. */
void batch_set_int(struct batch *b, enum batch_table_id t, size_t column, int64_t v);
void batch_set_u64(struct batch *b, enum batch_table_id t, size_t column, uint64_t v);
void batch_set_time(struct batch *b, enum batch_table_id t, size_t column, int64_t v);
void batch_set_real(struct batch *b, enum batch_table_id t, size_t column, double v);
int batch_set_text(struct batch *b, enum batch_table_id t, size_t column, const char *text,
		   struct error *err);
/* The same for any row. */
int batch_put_text(struct batch *b, enum batch_table_id t, size_t row, size_t column,
		   const char *text, struct error *err);

/* NULL when the cell is null. */
const char *batch_text(const struct batch *b, enum batch_table_id t, size_t row, size_t column);
/* `none` when the cell is null. */
int64_t batch_int(const struct batch *b, enum batch_table_id t, size_t row, size_t column,
		  int64_t none);
/* NaN when the cell is null; whole numbers too. */
double batch_number(const struct batch *b, enum batch_table_id t, size_t row, size_t column);

/* Rows of `file` in a table other than files: they lie together, in the order of files, once the
 * batch was sorted or read. *first is the first of the answer. */
size_t batch_rows_of(const struct batch *b, enum batch_table_id t, size_t file, size_t *first);

/* Append all rows of `from` behind those of `b`. */
int batch_append(struct batch *b, const struct batch *from, struct error *err);
/* Order files by name as people count, their rows with them; a file that is there twice under one
 * name is kept once, the later row. */
int batch_sort(struct batch *b, struct error *err);

/* Read files[] of a document that batch_json.h wrote, behind the rows of `b`. `version`: of the
 * document's writer, must be equal when not NULL. Errors: ERR_SCHEMA, ERR_FORMAT ... */
int batch_read(struct batch *b, struct input *in, const char *version, struct error *err);

#endif
