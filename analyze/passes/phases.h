/* SPDX-License-Identifier: MIT
 * phases.h -- what the program was doing when: the phase of each allocation, runs of phases, steps.
 *
 * A training program goes forward, backward, optimizer, over and over. Stacks show the phase (the
 * rules of rules.h); in files of Python-only stacks the autograd threads show it by having none;
 * annotations (record_function) where stacks say nothing. From the sequence of phases come the
 * steps, from the best source there is:
 *
 *     a --step-marker | annotations of steps | optimizer runs | zeroed gradients | forward-backward
 *     pairs | the period of the allocations themselves | nothing
 *
 * Everything that depends on steps or phases stands on this one pass.
 */
#ifndef ANALYZE_PASSES_PHASES_H
#define ANALYZE_PASSES_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/allocations.h"
#include "passes/rules.h"

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

const char *confidence_name(enum confidence c); /* "low" ... */

enum step_source {
	STEPS_NONE,
	STEPS_MARKER,     /* the caller's expression over annotations */
	STEPS_ANNOTATION, /* ProfilerStep#3, ## step 3 ## ... */
	STEPS_OPTIMIZER,  /* a step ends with an optimizer run, or with Optimizer.step#... */
	STEPS_ZERO_GRAD,  /* ... with gradients being zeroed: the optimizer allocates nothing */
	STEPS_BACKWARD,   /* every forward with its backward; accumulation would not show */
	STEPS_PATTERN,    /* allocations repeat with this period */
};

const char *step_source_name(enum step_source s); /* "annotation" ... */

/* Events of steps follow each other without a gap, but before the first, behind the last, and
 * between the spans of annotations. */
struct training_step {
	int64_t first_event, last_event; /* first <= last */
	int64_t start_us, end_us;        /* of the annotation, else of these events; or TIME_NONE */
	str_id label;                    /* the annotation's name, or STR_NONE */
	bool whole;                      /* false: the trace ends, or begins, in the middle of it */
};

/* Allocations and frees of one phase, with whatever nobody knows the phase of behind them, until
 * the first of another phase. Only these phases make runs, and each stands for its like: FORWARD
 * (compiled, graph), BACKWARD (recompute), OPTIMIZER, ZERO_GRAD, CLIP, LOAD (init). */
struct phase_run {
	enum phase phase;
	int64_t first_event, last_event; /* last_event + 1 is the next run's first */
	int64_t last_seen;               /* the last event that itself shows the phase */
	uint64_t n_seen;
};

/* The run's phase that stands for `p`, PHASE_NONE when it makes no runs. */
enum phase phase_of_run(enum phase p);

enum phase_evidence {
	PHASE_BY_NOTHING,
	PHASE_BY_STACK,       /* a rule over its frames */
	PHASE_BY_EMPTY_STACK, /* Python-only stacks: another thread than Python's, autograd's */
	PHASE_BY_ANNOTATION,
};

struct phases_options {
	const char *step_marker; /* PCRE2 over annotation names; NULL: none */
};

struct phases {
	struct budget *budget; /* weak */
	VEC(struct training_step) steps;
	enum step_source source;
	enum confidence confidence; /* in the steps */
	VEC(struct phase_run) runs;
	VEC(uint8_t) of_row;   /* enum phase of each row of the allocations */
	VEC(uint8_t) evidence; /* enum phase_evidence of each */
	bool has_forward, has_backward, has_optimizer; /* are there such runs? */
	/* No frame of a forward module call: user code before a backward was taken for it. */
	bool forward_implied;
};

/* `stacks`: the rules over the model of `a`. Errors: ERR_USAGE for a bad step_marker, or one that
 * matches no annotation; ERR_LIMIT, ERR_NOMEM. */
int phases_run(struct phases *out, const struct allocations *a, const struct stack_rules *stacks,
	       const struct phases_options *options, struct budget *budget, struct error *err);
void phases_release(struct phases *p);

/* Index of the run, of the step that holds an event; -1: none. */
int64_t phases_run_at(const struct phases *p, int64_t event);
int64_t phases_step_at(const struct phases *p, int64_t event);

#endif
