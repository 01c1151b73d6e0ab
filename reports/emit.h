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
 * Text wraps at 100 columns, numbers are exact with binary units: 3.71 GiB. Label and value pairs
 * that follow each other line up: they are held back until something else is written, so out may be
 * behind by a section. A string longer than 4 KiB is cut in the middle in text.
 */
#ifndef REPORTS_EMIT_H
#define REPORTS_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "reports/out.h"

/* EMIT_HTML: what text tells, as elements of a page: sections, tables, paragraphs. */
enum emit_format { EMIT_JSON, EMIT_TEXT, EMIT_HTML };

/* How text shows amounts of memory; JSON always has plain bytes. The order is that of units_words:
 * the words of --units, ended by NULL. */
enum units { UNITS_BINARY, UNITS_BYTES, UNITS_KIB, UNITS_MIB, UNITS_GIB };
extern const char *const units_words[];

struct emit;
struct xml;

struct emit_options {
	enum emit_format format;
	bool colour;      /* text: bold headings and marks by ANSI codes */
	unsigned columns; /* text: width, 100 when 0 */
	enum units units;
	struct xml *page; /* of EMIT_HTML: where the elements go; weak */
};

int emit_new(struct emit **e, struct out *out, const struct emit_options *o, struct error *err);
/* Ends the document (JSON: final newline). */
void emit_free(struct emit *e);
/* Leave a document that is not complete. */
void emit_abandon(struct emit *e);

bool emit_is_json(const struct emit *e);

/* An amount in the document's units, for prose: into buf, returned. "-" for BYTES_NONE. */
#define UNITS_BUF 48
const char *emit_words_bytes(const struct emit *e, char buf[UNITS_BUF], uint64_t bytes);

/* Containers. Key is NULL inside arrays and for the document itself. In text an object or array
 * with a heading starts a section, an empty line before it, its members two columns further in; one
 * without a heading leaves no trace, its members belong to the section around it. */
void emit_object_begin(struct emit *e, const char *key, const char *heading);
void emit_object_end(struct emit *e);
/* A section for people only: in JSON its members are those of the object around it. */
void emit_section_begin(struct emit *e, const char *heading);
void emit_section_end(struct emit *e);
void emit_array_begin(struct emit *e, const char *key, const char *heading);
void emit_array_end(struct emit *e);

/* Values. BYTES_NONE, TIME_NONE and NULL strings are null in JSON, "-" in text. Directly in an
 * array, key is NULL, and the label "" makes the value a line of its own in text. A number that
 * counts, and that of an event, has its thousands grouped in text: 1,200,000; one that names a rank,
 * step, process or line (i64) has not. */
void emit_bytes(struct emit *e, const char *key, const char *label, uint64_t bytes);
void emit_u64(struct emit *e, const char *key, const char *label, uint64_t n);
void emit_i64(struct emit *e, const char *key, const char *label, int64_t n);
void emit_time_us(struct emit *e, const char *key, const char *label, int64_t us);
/* The number of an event, as --at takes it; "start" in text for EVENT_START. */
void emit_event(struct emit *e, const char *key, const char *label, int64_t event);
/* An address or a stream: a number in JSON, 0x7f... in text. */
void emit_addr(struct emit *e, const char *key, const char *label, uint64_t addr);
/* Infinities and NaN are null. */
void emit_f64(struct emit *e, const char *key, const char *label, double v);
/* part / whole: a fraction of 1 in JSON (null when whole is 0), "12.3 %" in text. */
void emit_share(struct emit *e, const char *key, const char *label, uint64_t part, uint64_t whole);
void emit_bool(struct emit *e, const char *key, const char *label, bool v);
void emit_null(struct emit *e, const char *key, const char *label);
/* Bytes of a C string / of a string from a file: anything that is not UTF-8 or is a control
 * character is escaped in both formats. */
void emit_str(struct emit *e, const char *key, const char *label, const char *text);
void emit_strn(struct emit *e, const char *key, const char *label, const char *bytes, size_t n);
/* Decoded data as the file had it: JSON only. NULL is null. */
void emit_value(struct emit *e, const char *key, const struct model *m, const struct value *v);
/* [a, b]; "default" in text for (0, 0). */
void emit_pool(struct emit *e, const char *key, const char *label, struct pool_id pool, bool known);

/* People only: a paragraph, wrapped (one that begins with "- " hangs by two); a line as it is; an
 * empty line; a heading, with an empty line before it. Control characters and bytes that are no
 * UTF-8 come out escaped. */
void emit_prose(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emit_line(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emit_blank(struct emit *e);
void emit_heading(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A table: in JSON the array `key` of objects, in text aligned columns. Cells are the value calls
 * above, one a column in order, their keys used in JSON and their labels as column titles on the
 * first row; calls with a NULL label are JSON only, and so are objects and arrays inside a row.
 * Rows have the same labelled cells. Columns are as wide as their contents, numbers to the right;
 * the last one takes what is left of the line and is cut in the middle when longer (paths keep
 * their end). At most 24 labelled columns. Text of a table without rows: nothing, not even the
 * heading. A table without a key, inside an object, is for people only. */
void emit_table_begin(struct emit *e, const char *key, const char *heading);
void emit_row_begin(struct emit *e);
void emit_row_end(struct emit *e);
void emit_table_end(struct emit *e);

/* "3.71 GiB", "512 B", "1.00 MiB": two decimals from KiB on; into buf, returned. */
const char *units_bytes(char buf[UNITS_BUF], uint64_t bytes);
/* "1,200,000" */
const char *units_count(char buf[UNITS_BUF], uint64_t n);
/* The same amount in given units: "3,800.25 MiB", "3,984,588,800 B". */
const char *units_bytes_in(char buf[UNITS_BUF], uint64_t bytes, enum units units);
/* "2026-11-28 14:03:07.123456 UTC" */
const char *units_time_us(char buf[UNITS_BUF], int64_t us);
/* "850 ms", "12.3 s", "3 min 20 s", "2 h 5 min" of a length of time. */
const char *units_duration_us(char buf[UNITS_BUF], uint64_t us);
/* "1 event", "2 events", "1,200 events". */
const char *units_noun(char *buf, size_t size, uint64_t n, const char *one, const char *many);

#endif
