/* SPDX-License-Identifier: MIT
 * explain_cause_facts.c -- gathers what causes are told by, once for all ooms of a device.
 */
#include <string.h>

#include "passes/explain_cause.h"

bool cause_reads_file(const struct cause_facts *f, stack_id stack)
{
	uint16_t row = stack_rules_of(&f->stacks, stack)->phase_rule;
	const char *id = row == RULE_NONE ? "" : rules_at(f->rules, row)->id;

	/* torch.load and safetensors. */
	return !strcmp(id, "P02") || !strcmp(id, "P05");
}

/* Looks at all lives; more failures than these nobody reads. */
#define MAX_CAUSES 64

static int zeros(struct sums *s, size_t n, struct budget *budget, struct error *err)
{
	int rc = vec_reserve(s, n, budget, err);

	if (rc < 0)
		return rc;
	if (n)
		memset(s->at, 0, n * sizeof *s->at);
	s->n = n;
	return 0;
}

static void sum_changes(struct cause_facts *f)
{
	for (size_t i = 0; i < f->lives.rows.n; i++) {
		const struct allocation *a = &f->lives.rows.at[i];

		if (a->born >= 0)
			f->change.at[a->born] += a->size;
		if (a->free_requested >= 0 && (size_t)a->free_requested < f->change.n)
			f->change.at[a->free_requested] -= a->size;
	}
}

static int make_room(struct cause_facts *f, const struct model *m, const struct device *d,
		     struct budget *budget, struct error *err)
{
	int rc;

	if ((rc = zeros(&f->site_bytes, f->sites->sites.n, budget, err)) < 0 ||
	    (rc = zeros(&f->python_key, m->stacks.start.n - 1, budget, err)) < 0 ||
	    (rc = zeros(&f->step_bytes, f->phases.steps.n, budget, err)) < 0 ||
	    (rc = zeros(&f->change, (size_t)d->n_events, budget, err)) < 0)
		return rc;
	sum_changes(f);
	return 0;
}

static int gather(struct cause_facts *f, const struct model *m, const struct device *d,
		  struct replay *r, struct budget *budget, struct error *err)
{
	int rc;

	f->history = replay_summary(r)->history;
	if ((rc = allocations_run(&f->lives, m, r, d, budget, err)) < 0 ||
	    (rc = rules_new(&f->rules, budget, err)) < 0 ||
	    (rc = stack_rules_init(&f->stacks, f->rules, m, budget, err)) < 0 ||
	    (rc = phases_run(&f->phases, &f->lives, &f->stacks, NULL, budget, err)) < 0)
		return rc;
	return make_room(f, m, d, budget, err);
}

static void release(struct cause_facts *f, struct budget *budget)
{
	phases_release(&f->phases);
	stack_rules_release(&f->stacks);
	rules_free(f->rules);
	allocations_release(&f->lives);
	vec_release(&f->site_bytes, budget);
	vec_release(&f->python_key, budget);
	vec_release(&f->step_bytes, budget);
	vec_release(&f->change, budget);
}

/* Where the memory would have been enough, what lives is not what it ran out of. */
static bool wants_cause(const struct explain_oom *o)
{
	return !o->retried && o->look.exact && o->verdict != VERDICT_PENDING_FREE &&
	       o->verdict != VERDICT_STRANDED_CACHE && o->verdict != VERDICT_FRAGMENTATION;
}

int explain_causes(struct explain *x, size_t first, const struct model *m, const struct device *d,
		   struct replay *r, const struct site_table *sites, struct error *err)
{
	struct cause_facts f = {.sites = sites};
	size_t n = 0;
	int rc;

	for (size_t i = first; i < x->ooms.n; i++)
		n += wants_cause(&x->ooms.at[i]);
	if (n == 0)
		return 0;
	rc = gather(&f, m, d, r, x->budget, err);
	for (size_t i = first; i < x->ooms.n && rc == 0; i++) {
		struct explain_oom *o = &x->ooms.at[i];

		if (wants_cause(o) && n-- <= MAX_CAUSES)
			cause_find(&f, o, x->holders.at + o->look.first_holder);
	}
	release(&f, x->budget);
	return rc;
}
