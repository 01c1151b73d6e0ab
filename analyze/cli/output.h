/* SPDX-License-Identifier: MIT
 * output.h -- where a command's result goes: standard output or -o FILE, and in which format.
 *
 * Open it only when the result is known, so that a failing command writes nothing.
 */
#ifndef ANALYZE_CLI_OUTPUT_H
#define ANALYZE_CLI_OUTPUT_H

#include "cli/command.h"
#include "reports/emit.h"
#include "reports/out.h"

struct output {
	struct out *out;
	struct emit *emit; /* NULL when opened by output_open_raw */
	const char *file;  /* for messages; NULL: standard output */
};

/* Check -o and --json before the work is done: STATUS_USAGE with a line on stderr when the suffix
 * of -o FILE names no format of an emit (.json, .txt, none) or contradicts --json. */
int output_check(const struct invocation *inv);

/* An emit in the format of --json or of the suffix of -o FILE; colour on terminals. Returns
 * STATUS_DONE, or another exit status after one line on stderr. */
int output_open(const struct invocation *inv, struct output *o);

/* Bytes of the command's own making (SVG, HTML ...), to -o FILE or standard output. */
int output_open_raw(const struct invocation *inv, struct output *o);

/* End the document and close. Returns `status`, or STATUS_SYSTEM after one line on stderr when not
 * everything could be written. */
int output_close(struct output *o, int status);
/* Leave no file. */
void output_abandon(struct output *o);

/* The suffix of a file name with its dot, lower case not applied: ".json", "" when none. */
const char *output_suffix(const char *file);

#endif
