/* SPDX-License-Identifier: MIT
 * progress.h -- a bar on stderr for work that lasts over a second, when stderr is a terminal.
 */
#ifndef ANALYZE_CLI_PROGRESS_H
#define ANALYZE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
	char what[52]; /* "reading crash.pickle", cut */
	bool enabled, shown;
	struct timespec start, last;
	uint64_t done, all; /* as of the last step; all is UINT64_MAX when unknown */
};

/* Starts the clock; `verb`: "reading". */
void progress_start(struct progress *p, const char *verb, const char *file);
/* Of a struct progress *: the shape of model_options.progress. */
void progress_step(void *progress, uint64_t done, uint64_t all);
/* Erase the bar. */
void progress_end(struct progress *p);

#endif
