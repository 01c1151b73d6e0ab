/* SPDX-License-Identifier: MIT
 * emit.h -- a fact is said once; the format (JSON or text) decides how it looks.
 *
 * describe_*.c files walk a pass's result and call these. Each call takes the machine's key and,
 * where people see it, their label. In JSON every call with a key writes; labels, prose and column
 * titles are left out. In text, calls whose label is NULL write nothing, and an absent value is "-".
 *
 *     emit_object_begin(e, "peak", "Peak");
 *     emit_bytes(e, "allocated_bytes", "allocated", totals->allocated);
 *     emit_object_end(e);
 *
 * Text wraps at 100 columns, numbers are exact with binary units: 3.71 GiB.
 */
#ifndef REPORTS_EMIT_H
#define REPORTS_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "reports/out.h"

enum emit_format { EMIT_JSON, EMIT_TEXT };

struct emit;

struct emit_options {
	enum emit_format format;
	bool colour;      /* text: bold headings and marks by ANSI codes */
	unsigned columns; /* text: width, 100 when 0 */
};

int emit_new(struct emit **e, struct out *out, const struct emit_options *o, struct error *err);
/* Ends the document (JSON: final newline). */
void emit_free(struct emit *e);

bool emit_is_json(const struct emit *e);

/* Containers. Key is NULL inside arrays and for the document itself. In text an object with a
 * heading starts a section, and its members line up as `label  value`. */
void emit_object_begin(struct emit *e, const char *key, const char *heading);
void emit_object_end(struct emit *e);
void emit_array_begin(struct emit *e, const char *key, const char *heading);
void emit_array_end(struct emit *e);

/* Values. BYTES_NONE, TIME_NONE and NULL strings are null in JSON. */
void emit_bytes(struct emit *e, const char *key, const char *label, uint64_t bytes);
void emit_u64(struct emit *e, const char *key, const char *label, uint64_t n);
void emit_i64(struct emit *e, const char *key, const char *label, int64_t n);
void emit_time_us(struct emit *e, const char *key, const char *label, int64_t us);
void emit_f64(struct emit *e, const char *key, const char *label, double v);
void emit_bool(struct emit *e, const char *key, const char *label, bool v);
void emit_null(struct emit *e, const char *key, const char *label);
/* Bytes of a C string / of a string from a file: anything that is not UTF-8 or is a control
 * character is escaped in both formats. */
void emit_str(struct emit *e, const char *key, const char *label, const char *text);
void emit_strn(struct emit *e, const char *key, const char *label, const char *bytes, size_t n);
/* [a, b] */
void emit_pool(struct emit *e, const char *key, const char *label, struct pool_id pool, bool known);

/* People only: a paragraph, wrapped; a line as it is; an empty line; a heading. */
void emit_prose(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emit_line(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emit_blank(struct emit *e);
void emit_heading(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A table: in JSON the array `key` of objects, in text aligned columns. Cells are the value calls
 * above, one a column in order, their keys used in JSON and their labels as column titles on the
 * first row; calls with a NULL label are JSON only. Columns are as wide as their contents, the last
 * one takes what is left of the line and is cut in the middle when longer (paths keep their end). */
void emit_table_begin(struct emit *e, const char *key, const char *heading);
void emit_row_begin(struct emit *e);
void emit_row_end(struct emit *e);
void emit_table_end(struct emit *e);

/* "3.71 GiB", "512 B", "1.00 MiB": two decimals from KiB on; into buf, returned. */
#define UNITS_BUF 32
const char *units_bytes(char buf[UNITS_BUF], uint64_t bytes);
/* "1,200,000" */
const char *units_count(char buf[UNITS_BUF], uint64_t n);

#endif
