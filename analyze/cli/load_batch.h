/* SPDX-License-Identifier: MIT
 * load_batch.h -- what a batch left behind, read again: its folder, summary.json or summary.sqlite.
 */
#ifndef ANALYZE_CLI_LOAD_BATCH_H
#define ANALYZE_CLI_LOAD_BATCH_H

#include "cli/command.h"
#include "passes/batch.h"

/* Append the rows of `path` when it is what a batch left; *found tells. Anything else, and what is
 * no regular file or folder, is left alone. Returns STATUS_DONE, or another exit status after one
 * line on stderr. */
int load_batch(struct invocation *inv, struct batch *b, const char *path, bool *found);

#endif
