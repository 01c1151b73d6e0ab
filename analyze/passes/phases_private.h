/* SPDX-License-Identifier: MIT
 * phases_private.h -- parts of the pass of phases.h; for phase*.c only.
 */
#ifndef ANALYZE_PASSES_PHASES_PRIVATE_H
#define ANALYZE_PASSES_PHASES_PRIVATE_H

#include "passes/bands.h"
#include "passes/phases.h"

/* An annotation that tells something. Events in (start_event, end_event] lie inside. */
struct phase_mark {
	str_id name;
	uint16_t rule;    /* row of the annotation rule; RULE_NONE: the caller's marker */
	enum phase phase; /* PHASE_NONE: a step */
	bool begun_before, never_ended;
	int64_t start_event, end_event, start_us, end_us;
};

struct phase_marks {
	struct budget *budget;         /* weak */
	VEC(struct phase_mark) phases; /* by start, outer ones first */
	VEC(struct phase_mark) steps;  /* by start, none inside another */
	bool steps_asked;              /* they are those of the marker */
};

int phase_marks_init(struct phase_marks *k, const struct model *m, const struct device *d,
		     const struct rules *rules, const char *step_marker, struct budget *budget,
		     struct error *err);
void phase_marks_release(struct phase_marks *k);

/* Fill of_row, evidence and runs of p. */
int phases_find_runs(struct phases *p, const struct allocations *a,
		     const struct stack_rules *stacks, const struct phase_marks *marks,
		     struct error *err);

/* Each fills steps, source and confidence of p, when it finds any. */
int phases_steps_of_marks(struct phases *p, const struct allocations *a,
			  const struct phase_marks *marks, struct error *err);
int phases_steps_of_runs(struct phases *p, const struct allocations *a, struct error *err);
int phases_steps_of_pattern(struct phases *p, const struct allocations *a,
			    const struct stack_rules *stacks, struct error *err);

/* Append [first, last] with the times of these events. */
int phases_add_step(struct phases *p, const struct allocations *a, int64_t first, int64_t last,
		    bool whole, struct error *err);

#endif
