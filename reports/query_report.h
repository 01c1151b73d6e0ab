/* SPDX-License-Identifier: MIT
 * query_report.h -- what a question in SQL to a batch's database answers.
 */
#ifndef REPORTS_QUERY_REPORT_H
#define REPORTS_QUERY_REPORT_H

#include <stdbool.h>

#include "reports/emit.h"

struct query;

/* Open a database, read only, and prepare one statement, which may read, and nothing else. `limit`:
 * bytes that SQLite may use; `max_seconds`: how long the answer may take.
 * Errors: ERR_SYSTEM and ERR_FORMAT for the file, ERR_USAGE for the statement, ERR_NOMEM. */
int query_open(struct query **out, const char *db, const char *sql, uint64_t limit,
	       uint64_t max_seconds, struct error *err);
void query_close(struct query *q);

/* The rows as `columns` and `rows` of a document, or a table; as CSV. Errors: those of SQLite while
 * it runs, ERR_SYSTEM or ERR_USAGE; ERR_LIMIT when it takes too long. The emit may hold on to the query until it is freed. */
int describe_query(struct emit *e, struct query *q, struct error *err);
int query_write_csv(struct out *o, struct query *q, struct error *err);

#endif
