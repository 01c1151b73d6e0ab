/* SPDX-License-Identifier: MIT
 * load_purpose.h -- rules of --rules, steps of --step-marker, and what stands on them.
 *
 * Every function returns STATUS_DONE, or another exit status after one line on stderr.
 */
#ifndef ANALYZE_CLI_LOAD_PURPOSE_H
#define ANALYZE_CLI_LOAD_PURPOSE_H

#include "cli/command.h"
#include "passes/purpose.h"

/* One line on stderr: what is wrong with --step-marker, or why `file` could not be analysed. */
int complain_analysis(const char *file, const struct error *err);

/* The built-in rules, and those of --rules in front of them; rules_free it. */
int load_rules(struct invocation *inv, struct rules **out);

/* Site rules of --rules, where it was given, decide whose code a frame is. */
int load_site_rules(struct invocation *inv, struct model *m);

struct loaded_purpose {
	struct rules *rules;
	struct purpose *purpose;
};

/* `r` is left at the end of the trace. */
int load_purpose(struct invocation *inv, const struct model *m, const struct device *d,
		 struct replay *r, struct loaded_purpose *out);
void loaded_purpose_release(struct loaded_purpose *p);

#endif
