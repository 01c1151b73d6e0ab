/* SPDX-License-Identifier: MIT
 * explain_cause_facts.c -- gathers what causes are told by, once for all ooms of a device.
 */
#include <string.h>

#include "passes/explain_cause.h"

bool cause_reads_file(const struct cause_facts *f, stack_id stack)
{
	uint16_t row = stack_rules_of(&f->p->stacks, stack)->phase_rule;
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
	for (size_t i = 0; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = &f->p->allocations.rows.at[i];

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
	    (rc = zeros(&f->step_bytes, f->p->phases.steps.n, budget, err)) < 0 ||
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

	for (size_t i = 0; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = &f->p->allocations.rows.at[i];

		if (a->born >= o->event || a->free_requested < o->event)
			continue;
		by[f->p->categories.rows.at[i].category] += a->size;
		sum += a->size;
	}
	o->categories_known = sum <= o->survey.allocated;
	if (o->categories_known)
		by[CATEGORY_UNKNOWN] += o->survey.allocated - sum;
}

static void release(struct cause_facts *f, struct budget *budget)
{
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

int explain_causes(struct explain *x, size_t first, struct study *study, const struct device *d,
		   const struct site_table *sites, const struct explain_options *options,
		   struct error *err)
{
	struct cause_facts f = {.sites = sites};
	size_t n = 0, n_causes = 0;
	int rc = 0;

	for (size_t i = first; i < x->ooms.n; i++) {
		n += wants_categories(&x->ooms.at[i]);
		n_causes += wants_cause(&x->ooms.at[i]);
	}
	if (n == 0 || (n_causes == 0 && d->n_events > MAX_EVENTS && !options->categories))
		return 0;
	f.p = study_purpose(study, d, err);
	if (!f.p)
		return (int)err->code;
	f.rules = study->rules;
	f.history = replay_summary(study->replay)->history;
	if (n_causes > 0)
		rc = make_room(&f, study->m, d, x->budget, err);
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
