/* SPDX-License-Identifier: MIT
 * sqlite_file.c -- a database that appears under its name only when it is whole.
 */
#include "reports/sqlite_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/utf8.h"

int sqlite_file_error(const struct sqlite_file *f, int code, struct error *err)
{
	return error_set(err, code == SQLITE_NOMEM ? ERR_NOMEM : ERR_SYSTEM, ERR_NO_OFFSET, "%s",
			 f->db ? sqlite3_errmsg(f->db) : sqlite3_errstr(code));
}

int sqlite_file_run(struct sqlite_file *f, const char *sql, struct error *err)
{
	int code = sqlite3_exec(f->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : sqlite_file_error(f, code, err);
}

int sqlite_file_prepare(struct sqlite_file *f, sqlite3_stmt **out, const char *sql,
			struct error *err)
{
	int code = sqlite3_prepare_v2(f->db, sql, -1, out, NULL);

	return code == SQLITE_OK ? 0 : sqlite_file_error(f, code, err);
}

int sqlite_file_insert(struct sqlite_file *f, sqlite3_stmt *q, struct error *err)
{
	int code = sqlite3_step(q);

	if (code == SQLITE_DONE)
		code = sqlite3_reset(q);
	if (code != SQLITE_OK)
		return sqlite_file_error(f, code, err);
	sqlite3_clear_bindings(q);
	return 0;
}

/* Nobody else opens the file before it has its name: no locks, no journal, no waiting for the disk. */
int sqlite_file_open(struct sqlite_file *f, const char *path, int32_t application_id,
		     int32_t schema, struct error *err)
{
	char pragmas[320];
	int code;

	*f = (struct sqlite_file){.path = path};
	if (asprintf(&f->temporary, "%s.%ld.tmp", path, (long)getpid()) < 0) {
		f->temporary = NULL;
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	unlink(f->temporary);
	code = sqlite3_open_v2(f->temporary, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			       NULL);
	if (code != SQLITE_OK)
		return sqlite_file_error(f, code, err);
	(void)snprintf(pragmas, sizeof pragmas,
		       "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		       " PRAGMA locking_mode = EXCLUSIVE; PRAGMA application_id = %" PRId32 ";"
		       " PRAGMA user_version = %" PRId32 "; BEGIN;",
		       application_id, schema);
	return sqlite_file_run(f, pragmas, err);
}

int sqlite_file_close(struct sqlite_file *f, int rc, struct error *err)
{
	int code;

	if (rc == 0)
		rc = sqlite_file_run(f, "COMMIT;", err);
	code = sqlite3_close(f->db);
	f->db = NULL;
	if (rc == 0 && code != SQLITE_OK)
		rc = sqlite_file_error(f, code, err);
	if (rc == 0 && rename(f->temporary, f->path) < 0)
		rc = error_set_errno(err, errno, "cannot rename");
	if (rc < 0 && f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	f->temporary = NULL;
	return rc;
}

/* ---- rows ---- */

int sqlite_row_open(struct sqlite_row *r, struct sqlite_file *f, const char *insert,
		    struct error *err)
{
	*r = (struct sqlite_row){.file = f};
	return sqlite_file_prepare(f, &r->q, insert, err);
}

void sqlite_row_close(struct sqlite_row *r)
{
	sqlite3_finalize(r->q);
	*r = (struct sqlite_row){0};
}

static void keep_failure(struct sqlite_row *r, int code)
{
	if (r->code == SQLITE_OK)
		r->code = code;
}

void sqlite_row_null(struct sqlite_row *r)
{
	r->next++;
}

void sqlite_row_i64(struct sqlite_row *r, int64_t v)
{
	keep_failure(r, sqlite3_bind_int64(r->q, ++r->next, v));
}

void sqlite_row_f64(struct sqlite_row *r, double v)
{
	keep_failure(r, sqlite3_bind_double(r->q, ++r->next, v));
}

void sqlite_row_known(struct sqlite_row *r, bool known, int64_t v)
{
	if (known)
		sqlite_row_i64(r, v);
	else
		r->next++;
}

void sqlite_row_text(struct sqlite_row *r, const char *text)
{
	keep_failure(r, sqlite3_bind_text(r->q, ++r->next, text, -1, SQLITE_STATIC));
}

/* The length of the character at `s`, 0 when it cannot stand in the text of a database. */
static size_t plain_length(const char *s, size_t n)
{
	uint32_t code;

	return *s ? utf8_decode(s, n, &code) : 0;
}

void sqlite_row_str(struct sqlite_row *r, const char *bytes, size_t n)
{
	size_t i = 0, at = 0;
	char *clean;

	while (i < n && plain_length(bytes + i, n - i))
		i += plain_length(bytes + i, n - i);
	if (i == n) {
		keep_failure(r, sqlite3_bind_text64(r->q, ++r->next, bytes, n, SQLITE_STATIC,
						    SQLITE_UTF8));
		return;
	}
	clean = sqlite3_malloc64((sqlite3_uint64)n * 4);
	if (!clean) {
		keep_failure(r, SQLITE_NOMEM);
		return;
	}
	for (i = 0; i < n;) {
		size_t length = plain_length(bytes + i, n - i);

		if (length) {
			memcpy(clean + at, bytes + i, length);
			at += length;
			i += length;
		} else {
			char escape[16];
			size_t used;
			unsigned columns;
			size_t k = utf8_escape(escape, bytes + i, n - i, &used, &columns);

			memcpy(clean + at, escape, k);
			at += k;
			i += used;
		}
	}
	keep_failure(r, sqlite3_bind_text64(r->q, ++r->next, clean, at, sqlite3_free, SQLITE_UTF8));
}

int sqlite_row_write(struct sqlite_row *r, struct error *err)
{
	const int code = r->code;

	r->next = 0;
	r->code = SQLITE_OK;
	return code == SQLITE_OK ? sqlite_file_insert(r->file, r->q, err)
				 : sqlite_file_error(r->file, code, err);
}
