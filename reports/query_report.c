/* SPDX-License-Identifier: MIT
 * query_report.c -- what a question in SQL to a batch's database answers.
 */
#include "reports/query_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "reports/batch_report.h"
#include "reports/batch_sql.h"

/* As many columns as a table of people can have; wider rows are told one value a line. */
#define TABLE_COLUMNS 24

struct query {
	sqlite3 *db;
	sqlite3_stmt *statement;
};

/* One file is looked at, and nothing is written. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)ctx;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return action == SQLITE_ATTACH || action == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
}

static int query_error(const struct query *q, enum err_code code, struct error *err)
{
	return error_set(err, code, ERR_NO_OFFSET, "%s", sqlite3_errmsg(q->db));
}

static int prepare(struct query *q, const char *sql, struct error *err)
{
	const char *rest;

	sqlite3_set_authorizer(q->db, allow, NULL);
	if (sqlite3_prepare_v2(q->db, sql, -1, &q->statement, &rest) != SQLITE_OK)
		return query_error(q, ERR_USAGE, err);
	if (!q->statement)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "no statement");
	if (!sqlite3_stmt_readonly(q->statement) || !sqlite3_column_count(q->statement))
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "only questions are answered");
	if (rest[strspn(rest, " \t\r\n;")])
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "more than one statement");
	return 0;
}

int query_open(struct query **out, const char *db, const char *sql, uint64_t limit,
	       struct error *err)
{
	struct query *q = calloc(1, sizeof *q);
	int rc;

	if (!q)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
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
