/* SPDX-License-Identifier: MIT
 * purpose.c -- lives, phases, steps and categories of one device, all in one.
 */
#include "passes/purpose.h"

int purpose_new(struct purpose **out, const struct rules *rules, const struct model *m,
		struct replay *r, const struct device *d, const struct phases_options *options,
		struct budget *budget, struct error *err)
{
	struct error own;
	struct purpose *p;
	int rc;

	if (!err)
		err = &own;
	p = budget_realloc(budget, NULL, 0, sizeof *p, err);
	if (!p)
		return (int)err->code;
	*p = (struct purpose){.budget = budget};
	if ((rc = stack_rules_init(&p->stacks, rules, m, budget, err)) < 0 ||
	    (rc = allocations_run(&p->allocations, m, r, d, budget, err)) < 0 ||
	    (rc = phases_run(&p->phases, &p->allocations, &p->stacks, options, budget, err)) < 0 ||
	    (rc = categories_run(&p->categories, &p->allocations, &p->stacks, &p->phases, budget,
				 err)) < 0)
		purpose_free(p);
	else
		*out = p;
	return rc;
}

void purpose_free(struct purpose *p)
{
	if (!p)
		return;
	categories_release(&p->categories);
	phases_release(&p->phases);
	allocations_release(&p->allocations);
	stack_rules_release(&p->stacks);
	budget_free(p->budget, p, sizeof *p);
}
