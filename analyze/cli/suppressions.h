/* SPDX-License-Identifier: MIT
 * suppressions.h -- a file that says which findings are known and wanted, as LeakSanitizer reads it.
 *
 *     # kept on purpose
 *     leak:replay_buffer\.py
 *     leak:train\.py:\d+ log_metrics
 *
 * One `leak:RE` a line; empty lines and lines that begin with # are skipped. RE is PCRE2 over
 * `path:line function` of each frame of a finding's stack.
 */
#ifndef ANALYZE_CLI_SUPPRESSIONS_H
#define ANALYZE_CLI_SUPPRESSIONS_H

#include "cli/command.h"
#include "model/model.h"
#include "passes/filter.h"

#define SUPPRESSIONS_MAX 1024

struct suppressions {
	struct budget *budget;
	char *text; /* of the file, cut into patterns */
	size_t text_bytes;
	char **patterns; /* SUPPRESSIONS_MAX of room */
	struct filter **filters;
	size_t n;
};

/* `file` NULL: none. Returns STATUS_DONE, or another exit status after one line on stderr. */
int suppressions_open(struct invocation *inv, const char *file, const struct model *m,
		      struct suppressions *out);
void suppressions_release(struct suppressions *s);

#endif
