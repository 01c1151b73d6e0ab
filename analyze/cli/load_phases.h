/* SPDX-License-Identifier: MIT
 * load_phases.h -- the allocations of a device, their phases and the steps of the program.
 */
#ifndef ANALYZE_CLI_LOAD_PHASES_H
#define ANALYZE_CLI_LOAD_PHASES_H

#include "cli/command.h"
#include "passes/allocations.h"
#include "passes/categories.h"
#include "passes/phases.h"
#include "passes/rules.h"

struct loaded_phases {
	struct rules *rules;
	struct stack_rules stacks;
	struct allocations allocations;
	struct phases phases;
	struct categories categories; /* with load_categories only */
};

/* `step_marker` may be NULL. `r` is left at the end of the trace. Returns STATUS_DONE, or another
 * exit status after one line on stderr. */
int load_phases(struct invocation *inv, const struct model *m, const struct device *d,
		struct replay *r, const char *step_marker, struct loaded_phases *out);
/* Fill p->categories, too. */
int load_categories(struct invocation *inv, struct loaded_phases *p);
void loaded_phases_release(struct loaded_phases *p);

#endif
