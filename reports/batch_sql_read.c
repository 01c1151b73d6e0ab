/* SPDX-License-Identifier: MIT
 * batch_sql_read.c -- a database of a batch, back into tables.
 */
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "reports/batch_report.h"
#include "reports/batch_sql.h"
#include "reports/out.h"

static int sql_error(sqlite3 *db, enum err_code code, struct error *err)
{
	return error_set(err, sqlite3_errcode(db) == SQLITE_NOMEM ? ERR_LIMIT : code, ERR_NO_OFFSET,
			 "%s", sqlite3_errmsg(db));
}

bool batch_sql_is_database(const void *head, size_t n)
{
	static const char magic[] = "SQLite format 3";

	return n >= sizeof magic && !memcmp(head, magic, sizeof magic);
}

static int check_version(sqlite3 *db, struct error *err)
{
	sqlite3_stmt *s = NULL;
	int version = -1, rc = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL) != SQLITE_OK ||
	    sqlite3_step(s) != SQLITE_ROW)
		rc = sql_error(db, ERR_FORMAT, err);
	else
		version = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	if (rc == 0 && version != BATCH_SCHEMA)
		rc = error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
			       "no database of this program (its user_version is %d, not %d)",
			       version, BATCH_SCHEMA);
	return rc;
}

/* Whoever made the file may mean harm: nothing of it is code, and no question about it can ask for
 * much more than one about ours does. Virtual tables read their own formats, so there are none. */
static void harden(sqlite3 *db)
{
	static const char *const modules[] = {"json_each", "json_tree", NULL};
	static const struct {
		int id, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, 64 << 20},          {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},           {SQLITE_LIMIT_COMPOUND_SELECT, 100},
		{SQLITE_LIMIT_VDBE_OP, 1000000},          {SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	sqlite3_drop_modules(db, (const char **)(uintptr_t)modules);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(db, limits[i].id, limits[i].most);
	/* Sorting and grouping stay within the memory that was allowed. */
	sqlite3_exec(db, "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;", NULL, NULL,
		     NULL);
}

int batch_sql_open(sqlite3 **out, const char *path, uint64_t limit, struct error *err)
{
	sqlite3 *db = NULL;
	int rc;

	if (limit <= INT64_MAX)
		sqlite3_hard_heap_limit64((sqlite3_int64)limit);
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		rc = db ? sql_error(db, ERR_SYSTEM, err)
			: error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	} else {
		harden(db);
		rc = check_version(db, err);
	}
	if (rc < 0)
		sqlite3_close(db);
	else
		*out = db;
	return rc;
}

/* --- rows -------------------------------------------------------------------------------------- */

/* Where the file of a file_id went: they are counted from 0 in the order of files. */
struct reading {
	sqlite3 *db;
	struct batch *b;
	size_t first;    /* row of files of file_id 0 */
	sqlite3_int64 n; /* files of this database */
};

static void select_words(struct out *o, enum batch_table_id t)
{
	const struct batch_schema *s = &batch_schemas[t];

	out_text(o, t == BATCH_FILES ? "SELECT file_id" : "SELECT ");
	for (size_t c = 0; c < s->n; c++)
		out_printf(o, "%s%s", c || t == BATCH_FILES ? ", " : "", s->columns[c].name);
	out_printf(o, " FROM %s ORDER BY file_id, rowid", s->name);
}

static int take_cell(struct reading *r, enum batch_table_id t, size_t column, sqlite3_stmt *s,
		     int at, struct error *err)
{
	int type = sqlite3_column_type(s, at);

	switch (batch_schemas[t].columns[column].kind) {
	case BATCH_TEXT:
		if (type != SQLITE_TEXT)
			break;
		return batch_set_text(r->b, t, column, (const char *)sqlite3_column_text(s, at),
				      err);
	case BATCH_INT:
		if (type == SQLITE_INTEGER)
			batch_set_int(r->b, t, column, sqlite3_column_int64(s, at));
		break;
	default:
		if (type == SQLITE_FLOAT || type == SQLITE_INTEGER)
			batch_set_real(r->b, t, column, sqlite3_column_double(s, at));
	}
	return 0;
}

static int take_row(struct reading *r, enum batch_table_id t, sqlite3_stmt *s, struct error *err)
{
	sqlite3_int64 id = sqlite3_column_int64(s, 0);
	int rc;

	if (t == BATCH_FILES ? id != r->n : id < 0 || id >= r->n)
		return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "%s has file_id %lld out of order",
				 batch_schemas[t].name, (long long)id);
	r->n += t == BATCH_FILES;
	rc = batch_add_row(r->b, t, r->first + (size_t)id, err);
	for (size_t c = t != BATCH_FILES; c < batch_schemas[t].n && rc == 0; c++)
		rc = take_cell(r, t, c, s, (int)c + (t == BATCH_FILES), err);
	return rc;
}

static int read_table(struct reading *r, enum batch_table_id t, struct error *err)
{
	sqlite3_stmt *s = NULL;
	struct out *words;
	size_t n;
	int code, rc = out_open_memory(&words, err);

	if (rc < 0)
		return rc;
	select_words(words, t);
	code = sqlite3_prepare_v2(r->db, out_memory(words, &n), -1, &s, NULL);
	out_abandon(words);
	if (code != SQLITE_OK)
		return error_set(
			err, ERR_SCHEMA, ERR_NO_OFFSET,
			"its tables are not those of this version: %s; make it anew with batch",
			sqlite3_errmsg(r->db));
	while (rc == 0 && (code = sqlite3_step(s)) == SQLITE_ROW)
		rc = take_row(r, t, s, err);
	if (rc == 0 && code != SQLITE_DONE)
		rc = sql_error(r->db, ERR_FORMAT, err);
	sqlite3_finalize(s);
	return rc;
}

int batch_read_sql(struct batch *b, const char *path, uint64_t limit, struct error *err)
{
	struct reading r = {.b = b, .first = b->n_rows[BATCH_FILES]};
	int rc = batch_sql_open(&r.db, path, limit, err);

	if (rc < 0)
		return rc;
	for (unsigned t = 0; t < BATCH_TABLES && rc == 0; t++)
		rc = read_table(&r, (enum batch_table_id)t, err);
	sqlite3_close(r.db);
	return rc;
}
