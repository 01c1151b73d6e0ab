/* SPDX-License-Identifier: MIT
 * categories.h -- what each allocation was for, how sure that is, and which evidence says so.
 *
 * Three kinds of evidence. Rules: some frames own what they allocate. Phase and life: what backward
 * allocates and leaves behind is a gradient, what it frees again is scratch. Sizes: a block from
 * before the trace without a stack, as large as a gradient, is its parameter or its state.
 *
 * An allocation has one category for its whole life, told from all of the trace: that a block was
 * a gradient is known when it outlives backward.
 *
 *     categories_run(&c, &allocations, &stack_rules, &phases, budget, err);
 *     c.rows.at[row].category ...
 */
#ifndef ANALYZE_PASSES_CATEGORIES_H
#define ANALYZE_PASSES_CATEGORIES_H

#include <stdint.h>

#include "passes/allocations.h"
#include "passes/phases.h"
#include "passes/rules.h"

/* What decided. */
enum category_reason {
	REASON_NOTHING,
	REASON_RULE,              /* an owner rule */
	REASON_STATE,             /* the optimizer made it and kept it */
	REASON_OPTIMIZER_SCRATCH, /* ... and freed it again */
	REASON_OPTIMIZER_ALIVE,   /* the trace ends in that step; its state is made elsewhere */
	REASON_GRADIENT,          /* backward left it behind */
	REASON_GRADIENT_ALIVE,    /* the trace ends in that backward; a parameter has its size */
	REASON_BACKWARD_ALIVE,    /* ... and none has */
	REASON_BACKWARD_SCRATCH,  /* backward freed it again */
	REASON_RECOMPUTED,        /* forward again, inside backward */
	REASON_SAVED,             /* forward made it, backward or what follows freed it */
	REASON_FORWARD_SCRATCH,   /* forward freed it again */
	REASON_FORWARD_ALIVE,     /* forward made it; the trace ends */
	REASON_HELD,              /* forward makes and keeps one every step */
	REASON_BUFFER,            /* forward made it once and kept it over steps */
	REASON_LOADED,            /* made while the model was loaded, and kept */
	REASON_LOADING,           /* made while the model was loaded, and freed soon */
	REASON_LOSS,              /* user code between forward and backward */
	REASON_BATCH,             /* user code before forward; freed within the next steps */
	REASON_KEPT_INPUT,        /* user code before the first forward; kept, no gradient fits */
	REASON_GRADIENT_SIZED,    /* ... kept, as large as a gradient without a parameter */
	REASON_PREPARATION,       /* user code; freed before any forward */
	REASON_ZEROED,            /* freed by zero_grad */
	REASON_SIZE_PARAMETER,    /* from before the trace, as large as a gradient */
	REASON_SIZE_STATE,        /* ... and there are more of them */
	REASON_FREED_BACKWARD,    /* from before the trace, freed in the first backward */
	REASON_REPLACED_STATE,    /* from before the trace, freed by the optimizer: replaced */
	REASON_WORKSPACE,         /* kept, and of the size of a cuBLAS workspace */
	REASON_SHORT,             /* clipping, loss scaling: freed soon */
	REASON_COUNT,
};

/* The reason as half a sentence: "the optimizer made it and kept it". */
const char *category_reason_words(enum category_reason r);

struct allocation_category {
	uint8_t category;       /* enum category */
	uint8_t confidence;     /* enum confidence */
	uint8_t reason;         /* enum category_reason */
	uint8_t phase;          /* enum phase that it was allocated in */
	uint16_t rule;          /* row of the rule that decided or told the phase, or RULE_NONE */
	uint16_t user_category; /* row of a category rule, or RULE_NONE */
};

struct categories {
	struct budget *budget;                 /* weak */
	const struct allocations *allocations; /* weak */
	const struct stack_rules *stacks;      /* weak */
	VEC(struct allocation_category) rows;  /* of each row of the allocations */
};

/* All arguments must outlive it. Errors: ERR_LIMIT, ERR_NOMEM. */
int categories_run(struct categories *out, const struct allocations *a,
		   const struct stack_rules *stacks, const struct phases *p, struct budget *budget,
		   struct error *err);
void categories_release(struct categories *c);

/* Of an active block of a state of the same device. One that is no row of the allocations (the
 * trace does not meet the segments) is judged by its stack alone. */
struct allocation_category categories_of_block(const struct categories *c,
					       const struct state_block *b);

/* The finer label (WORKSPACE, KV_CACHE, WEIGHT_CAST ...), or NULL. */
const char *category_detail(const struct categories *c, struct allocation_category x);

#endif
