/* SPDX-License-Identifier: MIT
 * batch_report.h -- a batch as JSON, text, CSV and a database.
 */
#ifndef REPORTS_BATCH_REPORT_H
#define REPORTS_BATCH_REPORT_H

#include "passes/batch.h"
#include "passes/batch_groups.h"
#include "reports/emit.h"

/* The number of the tables' meaning: user_version of the database, vramscope.batch/N. */
#define BATCH_SCHEMA 1

/* The members of the document: of files[] only when `g` is NULL; `version`: of the program. */
void describe_batch(struct emit *e, const struct batch *b, const struct batch_groups *g,
		    const char *version);
/* Why a file is an outlier, in a sentence; into buf, returned. */
const char *batch_outlier_words(const struct batch_outlier *o, char *buf, size_t size);

/* The files table, RFC 4180. */
void batch_write_csv(struct out *o, const struct batch *b);

/* One text of it, quoted. */
void batch_csv_text(struct out *o, const char *s, size_t n);

/* A database under `path`, whole or not at all. Errors: ERR_SYSTEM, ERR_NOMEM. */
int batch_write_sql(const char *path, const struct batch *b, const struct batch_groups *g,
		    struct error *err);

#endif
