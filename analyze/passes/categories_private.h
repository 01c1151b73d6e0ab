/* SPDX-License-Identifier: MIT
 * categories_private.h -- parts of the pass of categories.h; for categories*.c only.
 */
#ifndef ANALYZE_PASSES_CATEGORIES_PRIVATE_H
#define ANALYZE_PASSES_CATEGORIES_PRIVATE_H

#include "passes/categories.h"

struct judge {
	struct categories *c;
	const struct allocations *a;
	const struct stack_rules *stacks;
	const struct phases *p;
	struct budget *budget;
	bool trusts_empty_from_before;
	VEC(uint32_t) held_steps; /* by stack: steps that made something kept over steps */
	VEC(int32_t) held_last;   /* the last such step */
	bool states_have_owner;   /* some rule names the frame that makes state */
	int64_t last_forward;     /* the same of the last one, or -1 */
	int64_t first_forward;    /* event of the first forward run, or INT64_MAX */
};

/* The verdict of the stack of a row. Of an empty one that tells nothing: that of no stack. */
const struct stack_verdict *judge_verdict(const struct judge *j, uint32_t row);

static inline void judge_set(struct allocation_category *x, enum category category,
			     enum category_reason reason, enum confidence confidence)
{
	x->category = (uint8_t)category;
	x->reason = (uint8_t)reason;
	x->confidence = (uint8_t)confidence;
}

/* Blocks that only their size tells of. Rows with REASON_NOTHING, or REASON_KEPT_INPUT, are
 * compared with the gradients of the step that has most. */
int categories_match_sizes(struct judge *j, struct error *err);

#endif
