/* SPDX-License-Identifier: MIT
 * purpose.h -- lives, phases, steps and categories of one device, all in one.
 *
 * What most questions about a program's memory need: who was alive when (allocations), what the
 * program was doing (phases, steps), what for (categories).
 */
#ifndef ANALYZE_PASSES_PURPOSE_H
#define ANALYZE_PASSES_PURPOSE_H

#include "passes/allocations.h"
#include "passes/categories.h"
#include "passes/phases.h"
#include "passes/rules.h"

struct purpose {
	struct budget *budget; /* weak */
	struct stack_rules stacks;
	struct allocations allocations;
	struct phases phases;
	struct categories categories;
};

/* `rules`, `m` and `d` must outlive it; `r` is the device's replay and is left at the end of the
 * trace; `options` may be NULL. Errors: those of phases_run. */
int purpose_new(struct purpose **out, const struct rules *rules, const struct model *m,
		struct replay *r, const struct device *d, const struct phases_options *options,
		struct budget *budget, struct error *err);
/* NULL is a no-op. */
void purpose_free(struct purpose *p);

#endif
