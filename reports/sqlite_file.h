/* SPDX-License-Identifier: MIT
 * sqlite_file.h -- a database that appears under its name only when it is whole.
 *
 *     struct sqlite_file f;
 *     rc = sqlite_file_open(&f, path, SQLITE_FILE_EXPORT, 1, err);
 *     if (rc == 0)
 *             rc = sqlite_file_run(&f, "CREATE TABLE ...", err);
 *     return sqlite_file_close(&f, rc, err);
 *
 * It is written under a temporary name beside `path`, in one transaction without a journal: a
 * writer that dies leaves nothing under `path` that a reader could take for a result.
 */
#ifndef REPORTS_SQLITE_FILE_H
#define REPORTS_SQLITE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/error.h"
#include "base/strtab.h"

/* PRAGMA application_id, in letters: whose tables these are. user_version is their schema. */
#define SQLITE_FILE_BATCH  0x56525153 /* VRQS */
#define SQLITE_FILE_EXPORT 0x56525158 /* VRQX */

struct sqlite_file {
	sqlite3 *db;
	char *temporary;  /* owned */
	const char *path; /* weak */
};

/* Errors of all: ERR_SYSTEM, ERR_NOMEM. sqlite_file_close must follow, also after a failure. */
int sqlite_file_open(struct sqlite_file *f, const char *path, int32_t application_id,
		     int32_t schema, struct error *err);
/* Any number of statements without results. */
int sqlite_file_run(struct sqlite_file *f, const char *sql, struct error *err);
/* sqlite3_finalize it before the close. */
int sqlite_file_prepare(struct sqlite_file *f, sqlite3_stmt **out, const char *sql,
			struct error *err);
/* Insert the row whose values are bound, and unbind them. */
int sqlite_file_insert(struct sqlite_file *f, sqlite3_stmt *q, struct error *err);
/* Values of the next row, column by column; what is left out is NULL. */
struct sqlite_row {
	struct sqlite_file *file; /* weak */
	sqlite3_stmt *q;          /* owned */
	int next;                 /* column, from 0 */
	int code;                 /* the first failure of a binding, SQLITE_OK: none */
};

int sqlite_row_open(struct sqlite_row *r, struct sqlite_file *f, const char *insert,
		    struct error *err);
void sqlite_row_null(struct sqlite_row *r);
void sqlite_row_i64(struct sqlite_row *r, int64_t v);
void sqlite_row_f64(struct sqlite_row *r, double v);
/* NULL unless `known`. */
void sqlite_row_known(struct sqlite_row *r, bool known, int64_t v);
/* Lives until the row is written. */
void sqlite_row_text(struct sqlite_row *r, const char *text);
/* Bytes that are no UTF-8, and NUL, become the four characters \xNN. */
void sqlite_row_str(struct sqlite_row *r, const char *bytes, size_t n);
int sqlite_row_write(struct sqlite_row *r, struct error *err);
/* Also of a zeroed one. */
void sqlite_row_close(struct sqlite_row *r);

/* The failure of a call to SQLite, in its own words. */
int sqlite_file_error(const struct sqlite_file *f, int code, struct error *err);
/* rc 0: commit and give it its name. Negative: leave no file. Returns rc, or a failure of its own. */
int sqlite_file_close(struct sqlite_file *f, int rc, struct error *err);

#endif
