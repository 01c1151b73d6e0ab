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

/* Lives cost one more walk over the trace; of longer ones only where a cause needs them. */
#define MAX_EVENTS 100000

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

/* What lives when the request is refused, by what it is for. What the lives do not account for (of a
 * counted device the sum alone is known) is of no known category. */
static void sum_categories(const struct cause_facts *f, struct explain_oom *o)
{
	uint64_t *by = o->by_category, sum = 0;

	for (size_t i = 0; i < f->lives.rows.n; i++) {
		const struct allocation *a = &f->lives.rows.at[i];

		if (a->born >= o->event || a->free_requested < o->event)
			continue;
		by[f->categories.rows.at[i].category] += a->size;
		sum += a->size;
	}
	o->categories_known = sum <= o->survey.allocated;
	if (o->categories_known)
		by[CATEGORY_UNKNOWN] += o->survey.allocated - sum;
}

static int gather(struct cause_facts *f, const struct model *m, const struct device *d,
		  struct replay *r, struct budget *budget, struct error *err)
{
	int rc;

	f->history = replay_summary(r)->history;
	if ((rc = allocations_run(&f->lives, m, r, d, budget, err)) < 0 ||
	    (!f->rules && (rc = rules_new(&f->builtin, budget, err)) < 0))
		return rc;
	if (!f->rules)
		f->rules = f->builtin;
	if ((rc = stack_rules_init(&f->stacks, f->rules, m, budget, err)) < 0 ||
	    (rc = phases_run(&f->phases, &f->lives, &f->stacks, NULL, budget, err)) < 0 ||
	    (rc = categories_run(&f->categories, &f->lives, &f->stacks, &f->phases, budget, err)) <
		    0)
		return rc;
	return 0;
}

static void release(struct cause_facts *f, struct budget *budget)
{
	categories_release(&f->categories);
	phases_release(&f->phases);
	stack_rules_release(&f->stacks);
	rules_free(f->builtin);
	allocations_release(&f->lives);
	vec_release(&f->site_bytes, budget);
	vec_release(&f->python_key, budget);
	vec_release(&f->step_bytes, budget);
	vec_release(&f->change, budget);
}

static bool wants_categories(const struct explain_oom *o)
{
	return !o->retried && o->look.exact;
}

/* Where the memory would have been enough, what lives is not what it ran out of. */
static bool wants_cause(const struct explain_oom *o)
{
	return wants_categories(o) && o->verdict != VERDICT_PENDING_FREE &&
	       o->verdict != VERDICT_STRANDED_CACHE && o->verdict != VERDICT_FRAGMENTATION;
}

int explain_causes(struct explain *x, size_t first, const struct model *m, const struct device *d,
		   struct replay *r, const struct site_table *sites,
		   const struct explain_options *options, struct error *err)
{
	struct cause_facts f = {.sites = sites, .rules = options->rules};
	size_t n = 0, n_causes = 0;
	int rc;

	for (size_t i = first; i < x->ooms.n; i++) {
		n += wants_categories(&x->ooms.at[i]);
		n_causes += wants_cause(&x->ooms.at[i]);
	}
	if (n == 0 || (n_causes == 0 && d->n_events > MAX_EVENTS && !options->categories))
		return 0;
	rc = gather(&f, m, d, r, x->budget, err);
	if (rc == 0 && n_causes > 0)
		rc = make_room(&f, m, d, x->budget, err);
	for (size_t i = first; i < x->ooms.n && rc == 0; i++) {
		struct explain_oom *o = &x->ooms.at[i];

		if (wants_cause(o) && n_causes-- <= MAX_CAUSES)
			cause_find(&f, o, x->holders.at + o->look.first_holder);
		if (wants_categories(o) && n-- <= MAX_CAUSES)
			sum_categories(&f, o);
	}
	release(&f, x->budget);
	return rc;
}
