/* SPDX-License-Identifier: MIT
 * batch_sql.h -- databases of a batch, opened to be read: by query, and back into tables.
 */
#ifndef REPORTS_BATCH_SQL_H
#define REPORTS_BATCH_SQL_H

#include "passes/batch.h"

struct sqlite3;

/* Does a file with this head look like a database of SQLite? 16 bytes tell. */
bool batch_sql_is_database(const void *head, size_t n);

/* Read only, with the schema that this program writes; `limit`: bytes that SQLite may use from now
 * on. sqlite3_close it. Errors: ERR_SYSTEM and ERR_FORMAT for the file, ERR_UNSUPPORTED, ERR_NOMEM. */
int batch_sql_open(struct sqlite3 **out, const char *path, uint64_t limit, struct error *err);

/* The rows of a database behind those of `b`. Errors: those of batch_sql_open, ERR_SCHEMA for tables
 * that are not as declared, ERR_LIMIT. */
int batch_read_sql(struct batch *b, const char *path, uint64_t limit, struct error *err);

#endif
