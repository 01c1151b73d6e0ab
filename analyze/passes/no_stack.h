/* SPDX-License-Identifier: MIT
 * no_stack.h -- why blocks have no stack of the user's, and what would have recorded it.
 */
#ifndef ANALYZE_PASSES_NO_STACK_H
#define ANALYZE_PASSES_NO_STACK_H

#include "model/model.h"
#include "replay/replay.h"

enum no_stack_reason {
	NO_STACK_BEFORE,   /* allocated before recording began */
	NO_STACK_LOST,     /* its event was lost from the ring, and it died before the dump */
	NO_STACK_CONTEXT,  /* recorded without context */
	NO_STACK_BACKWARD, /* a backward thread, which has no Python frames, under stacks="python" */
	NO_STACK_REASONS,
};

const char *no_stack_name(enum no_stack_reason r); /* "before_recording" ... */

struct no_stack {
	struct {
		uint64_t bytes, blocks;
	} of[NO_STACK_REASONS];
};

/* The active blocks of a state. `history`: of the device's replay. */
struct no_stack no_stack_count(const struct model *m, const struct state *s, enum history history);

/* The reason with most bytes, NO_STACK_REASONS when every block has a stack. */
enum no_stack_reason no_stack_main(const struct no_stack *n);

#endif
