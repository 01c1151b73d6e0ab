/* SPDX-License-Identifier: MIT
 * load_phases.c -- the allocations of a device, their phases and the steps of the program.
 */
#include "cli/load_phases.h"

static int compute(struct invocation *inv, const struct model *m, const struct device *d,
		   struct replay *r, const struct phases_options *o, struct loaded_phases *p,
		   struct error *err)
{
	int rc;

	if ((rc = rules_new(&p->rules, &inv->budget, err)) < 0 ||
	    (rc = stack_rules_init(&p->stacks, p->rules, m, &inv->budget, err)) < 0 ||
	    (rc = allocations_run(&p->allocations, m, r, d, &inv->budget, err)) < 0)
		return rc;
	return phases_run(&p->phases, &p->allocations, &p->stacks, o, &inv->budget, err);
}

int load_phases(struct invocation *inv, const struct model *m, const struct device *d,
		struct replay *r, const char *step_marker, struct loaded_phases *out)
{
	struct phases_options o = {.step_marker = step_marker};
	struct loaded_phases p = {0};
	struct error err;

	if (compute(inv, m, d, r, &o, &p, &err) < 0) {
		loaded_phases_release(&p);
		if (err.code == ERR_USAGE) {
			complain("%s", err.text);
			return STATUS_USAGE;
		}
		return complain_error("analyse", model_str(m, m->file), &err);
	}
	*out = p;
	return STATUS_DONE;
}

int load_categories(struct invocation *inv, struct loaded_phases *p)
{
	const struct model *m = p->allocations.model;
	struct error err;

	if (categories_run(&p->categories, &p->allocations, &p->stacks, &p->phases, &inv->budget,
			   &err) < 0)
		return complain_error("analyse", model_str(m, m->file), &err);
	return STATUS_DONE;
}

void loaded_phases_release(struct loaded_phases *p)
{
	categories_release(&p->categories);
	phases_release(&p->phases);
	allocations_release(&p->allocations);
	stack_rules_release(&p->stacks);
	rules_free(p->rules);
	*p = (struct loaded_phases){0};
}
