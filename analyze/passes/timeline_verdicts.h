/* SPDX-License-Identifier: MIT
 * timeline_verdicts.h -- what a timeline by category shows, found out and with its numbers.
 *
 * Steps are those of phases.h, numbered from 0; amounts are sizes of allocated blocks. Each verdict
 * stands on its own facts, and is left out where the file cannot tell.
 */
#ifndef ANALYZE_PASSES_TIMELINE_VERDICTS_H
#define ANALYZE_PASSES_TIMELINE_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/leaks.h"
#include "passes/purpose.h"

/* Memory of one step. */
struct step_memory {
	uint64_t peak, end;  /* highest allocated; allocated after its last event */
	int64_t peak_event;  /* the first of them */
	uint64_t gradients;  /* GRADIENT alive after its last event */
	uint64_t old_at_top; /* GRADIENT of earlier steps alive at its peak */
	uint64_t state_born; /* OPTIMIZER_STATE made in it and alive after it */
};

enum verdict_kind {
	VERDICT_PEAK_PLACE,        /* the step and phase of the peak, and what it is made of */
	VERDICT_OPTIMIZER_SPIKE,   /* temporaries of the optimizer stand in the peak */
	VERDICT_GRADIENTS_SURVIVE, /* those of a step are alive at the peak of the next */
	VERDICT_GRADIENTS_GO,      /* they are not */
	VERDICT_STATE_APPEARS,     /* in its first step, and is constant from then on */
	VERDICT_STATE_BEFORE,      /* it was there before the recording */
	VERDICT_STEPS_EQUAL,       /* all but the first */
	VERDICT_STEPS_DIFFER,
	VERDICT_GROWTH,    /* the end of each step is higher: see leaks */
	VERDICT_SAW_TOOTH, /* rises over some steps, falls at once: reference cycles */
	VERDICT_KINDS,
};

const char *verdict_kind_name(enum verdict_kind k); /* "peak_place" ... */

/* Does it ask for something to be done? */
bool verdict_is_bad(enum verdict_kind k);

#define VERDICTS_MAX VERDICT_KINDS

struct timeline_verdict {
	enum verdict_kind kind;
	int64_t step, last_step; /* first and last one meant, or -1 */
	int64_t event;           /* or EVENT_START */
	enum phase phase;        /* of PEAK_PLACE, or PHASE_NONE */
	enum category category;  /* the largest part of PEAK_PLACE */
	uint64_t bytes, of;      /* the amount, and what it is a part of; 0: no whole */
	uint64_t low, high;      /* of steps */
	double spread;           /* of steps: (high - low) / high */
	double period;           /* of SAW_TOOTH: steps */
	uint64_t count;          /* steps, blocks or bursts, by kind */
};

struct timeline_verdicts {
	struct budget *budget; /* weak */
	VEC(struct step_memory) steps;
	struct timeline_verdict at[VERDICTS_MAX];
	size_t n;
};

/* `peak_event` and `peak_bytes` are those of the device's highest allocated memory. Errors:
 * ERR_LIMIT, ERR_NOMEM. */
int timeline_verdicts_run(struct timeline_verdicts *out, const struct purpose *p,
			  int64_t peak_event, uint64_t peak_bytes, struct budget *budget,
			  struct error *err);
void timeline_verdicts_release(struct timeline_verdicts *v);

#endif
