/* SPDX-License-Identifier: MIT
 * phases.c -- what the program was doing when: the pass, and look-ups in its result.
 */
#include "passes/phases.h"

#include <assert.h>

#include "passes/phases_private.h"

const char *confidence_name(enum confidence c)
{
	static const char *const names[] = {
		[CONFIDENCE_LOW] = "low",
		[CONFIDENCE_MEDIUM] = "medium",
		[CONFIDENCE_HIGH] = "high",
	};

	assert(c <= CONFIDENCE_HIGH);
	return names[c];
}

const char *step_source_name(enum step_source s)
{
	static const char *const names[] = {
		[STEPS_NONE] = "none",
		[STEPS_MARKER] = "marker",
		[STEPS_ANNOTATION] = "annotation",
		[STEPS_OPTIMIZER] = "optimizer",
		[STEPS_ZERO_GRAD] = "zero_grad",
		[STEPS_BACKWARD] = "backward",
		[STEPS_PATTERN] = "pattern",
	};

	assert(s <= STEPS_PATTERN);
	return names[s];
}

enum phase phase_of_run(enum phase p)
{
	switch (p) {
	case PHASE_OPTIMIZER:
	case PHASE_ZERO_GRAD:
	case PHASE_BACKWARD:
	case PHASE_CLIP:
	case PHASE_FORWARD:
	case PHASE_LOAD:
		return p;
	case PHASE_RECOMPUTE:
		return PHASE_BACKWARD;
	case PHASE_GRAPH:
	case PHASE_COMPILED:
		return PHASE_FORWARD;
	case PHASE_INIT:
		return PHASE_LOAD;
	default:
		return PHASE_NONE;
	}
}

int phases_add_step(struct phases *p, const struct allocations *a, int64_t first, int64_t last,
		    bool whole, struct error *err)
{
	struct training_step step = {
		.first_event = first,
		.last_event = last,
		.start_us = allocations_time(a, first),
		.end_us = allocations_time(a, last),
		.whole = whole,
	};

	if (first > last)
		return 0;
	return vec_push(&p->steps, step, p->budget, err);
}

static int find_steps(struct phases *p, const struct allocations *a,
		      const struct stack_rules *stacks, const struct phase_marks *marks,
		      struct error *err)
{
	int rc = phases_steps_of_marks(p, a, marks, err);

	if (rc == 0 && p->source == STEPS_NONE)
		rc = phases_steps_of_runs(p, a, err);
	if (rc == 0 && p->source == STEPS_NONE)
		rc = phases_steps_of_pattern(p, a, stacks, err);
	return rc;
}

int phases_run(struct phases *out, const struct allocations *a, const struct stack_rules *stacks,
	       const struct phases_options *options, struct budget *budget, struct error *err)
{
	struct phases p = {.budget = budget};
	struct phase_marks marks = {0};
	struct error own;
	int rc;

	if (!err)
		err = &own; /* vec_push reads it */
	rc = phase_marks_init(&marks, a->model, a->device, stacks->rules,
			      options ? options->step_marker : NULL, budget, err);
	if (rc == 0)
		rc = phases_find_runs(&p, a, stacks, &marks, err);
	if (rc == 0)
		rc = find_steps(&p, a, stacks, &marks, err);
	phase_marks_release(&marks);
	if (rc < 0)
		phases_release(&p);
	else
		*out = p;
	return rc;
}

void phases_release(struct phases *p)
{
	if (!p || !p->budget)
		return;
	vec_release(&p->steps, p->budget);
	vec_release(&p->runs, p->budget);
	vec_release(&p->of_row, p->budget);
	vec_release(&p->evidence, p->budget);
	p->budget = NULL;
}

int64_t phases_run_at(const struct phases *p, int64_t event)
{
	size_t low = 0, high = p->runs.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->runs.at[mid].first_event <= event)
			low = mid + 1;
		else
			high = mid;
	}
	return (int64_t)low - 1;
}

int64_t phases_step_at(const struct phases *p, int64_t event)
{
	size_t low = 0, high = p->steps.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->steps.at[mid].first_event <= event)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || p->steps.at[low - 1].last_event < event)
		return -1;
	return (int64_t)low - 1;
}
