/* SPDX-License-Identifier: MIT
 * batch_output.h -- what batch and merge leave in their folder, and say.
 */
#ifndef ANALYZE_CLI_BATCH_OUTPUT_H
#define ANALYZE_CLI_BATCH_OUTPUT_H

#include "cli/command.h"
#include "passes/batch.h"
#include "reports/batch_page.h"

/* Make the folder and those above it. STATUS_DONE, or STATUS_SYSTEM after a line on stderr. */
int batch_make_folder(const char *folder);

/* Sort `b`, compare its files, write the summary into `folder` (only the database with `db_only`),
 * tell it on standard output. STATUS_DONE, STATUS_INPUT when a file was not read whole, or another
 * status after a line on stderr. `pages`: NULL when there are no interactive ones;
 * `jobs`: with more than one, pages are written by a process of their own. */
int batch_output(struct invocation *inv, struct batch *b, const char *folder, bool db_only,
		 const struct batch_pages *pages, size_t jobs);

#endif
