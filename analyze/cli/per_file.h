/* SPDX-License-Identifier: MIT
 * per_file.h -- commands that say the same about each FILE: info, explain, validate, top.
 *
 * With one FILE its keys stand at the top of the document, several put one object each into
 * files[]. A file that cannot be read gives a line on stderr (and, among several, an object with
 * `file` and `error`); the others are still reported.
 */
#ifndef ANALYZE_CLI_PER_FILE_H
#define ANALYZE_CLI_PER_FILE_H

#include "cli/command.h"
#include "model/model.h"
#include "reports/emit.h"

struct per_file {
	/* From a model to a result. Returns an exit status; STATUS_DONE and STATUS_FOUND have set
	 * *result, anything else has put its line on stderr. */
	int (*compute)(struct invocation *inv, const struct model *m, void **result);
	/* The keys behind `file` and their text. The document object and, in text with several
	 * files, a heading with the file's name are there already. */
	void (*describe)(struct emit *e, const struct model *m, const void *result);
	void (*release)(void *result);
};

/* Returns the exit status of the whole: the highest of the files'. */
int per_file_run(struct invocation *inv, const struct per_file *p);

#endif
