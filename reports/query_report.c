/* SPDX-License-Identifier: MIT
 * query_report.c -- what a question in SQL to a batch's database answers.
 */
#include "reports/query_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "reports/batch_report.h"
#include "reports/batch_sql.h"

/* As many columns as a table of people can have; wider rows are told one value a line. */
#define TABLE_COLUMNS 24

#define REFUSED "only questions are answered, about this file only"

#define MAX_SECONDS 1000000000

/* Instructions of SQLite between two looks at the clock. */
#define OFTEN 10000

struct query {
	sqlite3 *db;
	sqlite3_stmt *statement;
	uint64_t max_seconds;
	time_t end;
	bool late, refused;
};

/* What a PRAGMA may be asked; the others set something, or tell about the machine. */
static bool is_asking(const char *name, const char *value)
{
	static const struct {
		const char *name;
		bool of_something; /* its value is what it is asked about */
	} rows[] = {
		{"application_id", false}, {"encoding", false},       {"foreign_key_list", true},
		{"freelist_count", false}, {"index_info", true},      {"index_list", true},
		{"index_xinfo", true},     {"integrity_check", true}, {"page_count", false},
		{"page_size", false},      {"quick_check", true},     {"table_info", true},
		{"table_list", true},      {"table_xinfo", true},     {"user_version", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!sqlite3_stricmp(name, rows[i].name))
			return !value || rows[i].of_something;
	return false;
}

/* Functions that reach out of the file; some builds of SQLite have them. */
static bool is_within(const char *function)
{
	static const char *const out[] = {"edit", "fts3_tokenizer", "load_extension", "readfile",
					  "writefile"};

	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		if (!sqlite3_stricmp(function, out[i]))
			return false;
	return true;
}

/* One file is looked at, and nothing is written or set. */
static bool is_allowed(int action, const char *a, const char *b)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return true;
	case SQLITE_FUNCTION:
		return is_within(b);
	case SQLITE_PRAGMA:
		return is_asking(a, b);
	case SQLITE_UPDATE:
		/* SQLite asks so when it declares the columns of json_each and of pragma_table_info.
		 * Statements that are no questions are refused all the same. */
		return !strcmp(a, "sqlite_master");
	default:
		return false;
	}
}

static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	struct query *q = ctx;

	(void)c;
	(void)d;
	if (is_allowed(action, a, b))
		return SQLITE_OK;
	q->refused = true;
	return SQLITE_DENY;
}

static time_t now(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int look_at_clock(void *ctx)
{
	struct query *q = ctx;

	q->late = now() >= q->end;
	return q->late;
}

static int query_error(const struct query *q, enum err_code code, struct error *err)
{
	if (q->refused)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, REFUSED);
	if (q->late)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "no answer after %" PRIu64 " s (--timeout)", q->max_seconds);
	return error_set(err, code, ERR_NO_OFFSET, "%s", sqlite3_errmsg(q->db));
}

static int prepare(struct query *q, const char *sql, struct error *err)
{
	const char *rest;
	int code;

	sqlite3_set_authorizer(q->db, allow, q);
	q->end = now() + (time_t)(q->max_seconds < MAX_SECONDS ? q->max_seconds : MAX_SECONDS);
	sqlite3_progress_handler(q->db, OFTEN, look_at_clock, q);
	code = sqlite3_prepare_v2(q->db, sql, -1, &q->statement, &rest);
	if (code != SQLITE_OK)
		return query_error(q, ERR_USAGE, err);
	if (!q->statement)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "no statement");
	if (!sqlite3_stmt_readonly(q->statement) || !sqlite3_column_count(q->statement))
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, REFUSED);
	if (rest[strspn(rest, " \t\r\n;")])
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "more than one statement");
	return 0;
}

int query_open(struct query **out, const char *db, const char *sql, uint64_t limit,
	       uint64_t max_seconds, struct error *err)
{
	struct query *q = calloc(1, sizeof *q);
	int rc;

	if (!q)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	q->max_seconds = max_seconds;
	rc = batch_sql_open(&q->db, db, limit, err);
	if (rc == 0)
		rc = prepare(q, sql, err);
	if (rc < 0)
		query_close(q);
	else
		*out = q;
	return rc;
}

void query_close(struct query *q)
{
	sqlite3_finalize(q->statement);
	sqlite3_close(q->db);
	free(q);
}

/* Bytes are told in units that people read where the column's name says that it has bytes. */
static bool is_bytes(const char *name)
{
	size_t n = strlen(name);

	return !strcmp(name, "bytes") || (n > 6 && !strcmp(name + n - 6, "_bytes"));
}

static void emit_cell(struct emit *e, sqlite3_stmt *s, int c)
{
	const char *name = sqlite3_column_name(s, c);
	int64_t i;

	switch (sqlite3_column_type(s, c)) {
	case SQLITE_INTEGER:
		i = sqlite3_column_int64(s, c);
		if (i >= 0 && is_bytes(name))
			emit_bytes(e, name, name, (uint64_t)i);
		else
			emit_i64(e, name, name, i);
		break;
	case SQLITE_FLOAT:
		emit_f64(e, name, name, sqlite3_column_double(s, c));
		break;
	case SQLITE_NULL:
		emit_null(e, name, name);
		break;
	default:
		emit_strn(e, name, name, (const char *)sqlite3_column_text(s, c),
			  (size_t)sqlite3_column_bytes(s, c));
	}
}

int describe_query(struct emit *e, struct query *q, struct error *err)
{
	sqlite3_stmt *s = q->statement;
	int n = sqlite3_column_count(s), code;
	bool wide = n > TABLE_COLUMNS && !emit_is_json(e);

	if (!wide)
		emit_table_begin(e, "rows", NULL);
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		if (!wide)
			emit_row_begin(e);
		for (int c = 0; c < n; c++)
			emit_cell(e, s, c);
		if (!wide)
			emit_row_end(e);
		else
			emit_blank(e);
	}
	if (!wide)
		emit_table_end(e);
	return code == SQLITE_DONE ? 0 : query_error(q, ERR_SYSTEM, err);
}

int query_write_csv(struct out *o, struct query *q, struct error *err)
{
	sqlite3_stmt *s = q->statement;
	int n = sqlite3_column_count(s), code;

	for (int c = 0; c < n; c++) {
		const char *name = sqlite3_column_name(s, c);

		if (c)
			out_text(o, ",");
		batch_csv_text(o, name, strlen(name));
	}
	out_text(o, "\r\n");
	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		for (int c = 0; c < n; c++) {
			if (c)
				out_text(o, ",");
			if (sqlite3_column_type(s, c) == SQLITE_INTEGER)
				out_printf(o, "%" PRId64, (int64_t)sqlite3_column_int64(s, c));
			else if (sqlite3_column_type(s, c) == SQLITE_FLOAT)
				out_printf(o, "%.17g", sqlite3_column_double(s, c));
			else if (sqlite3_column_type(s, c) != SQLITE_NULL)
				batch_csv_text(o, (const char *)sqlite3_column_text(s, c),
					       (size_t)sqlite3_column_bytes(s, c));
		}
		out_text(o, "\r\n");
	}
	return code == SQLITE_DONE ? 0 : query_error(q, ERR_SYSTEM, err);
}
