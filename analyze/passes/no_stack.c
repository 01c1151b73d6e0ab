/* SPDX-License-Identifier: MIT
 * no_stack.c -- why blocks have no stack of the user's, and what would have recorded it.
 */
#include "passes/no_stack.h"

#include <assert.h>

#include "passes/holders.h"

const char *no_stack_name(enum no_stack_reason r)
{
	static const char *const names[NO_STACK_REASONS] = {
		[NO_STACK_BEFORE] = "before_recording",
		[NO_STACK_LOST] = "lost_from_ring",
		[NO_STACK_CONTEXT] = "without_context",
		[NO_STACK_BACKWARD] = "backward_thread",
	};

	assert((unsigned)r < NO_STACK_REASONS);
	return names[r];
}

/* Of a block whose stack has no frames. */
static enum no_stack_reason reason_of(const struct model *m, const struct state *s,
				      const struct state_block *b, stack_id stack,
				      enum history history)
{
	/* Stack 0 and the empty one are always there. */
	bool has_stacks = m->stacks.frames.n > 1;

	if (b->born >= 0 &&
	    m->events.stack.at[s->device->first_event + (uint64_t)b->born].i == STACK_ABSENT.i)
		return NO_STACK_CONTEXT;
	if (stack.i == STACK_EMPTY.i && m->stacks_python_only)
		return NO_STACK_BACKWARD;
	if (s->device->n_events > 1 && (b->born != EVENT_START || !has_stacks))
		return NO_STACK_CONTEXT;
	/* A block that lives on to the dump keeps its own stack, whatever the ring lost. */
	if (history == HISTORY_TRUNCATED && b->stack.i == STACK_ABSENT.i &&
	    s->event + 2 < (int64_t)s->device->n_events)
		return NO_STACK_LOST;
	return NO_STACK_BEFORE;
}

struct no_stack no_stack_count(const struct model *m, const struct state *s, enum history history)
{
	struct block_stacks stacks = block_stacks_of(m, s);
	struct no_stack n = {0};

	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct state_block *b = &s->blocks.at[i];
		stack_id stack = block_stack(&stacks, b);
		enum no_stack_reason reason;

		if (b->state == BLOCK_INACTIVE || stacks_depth(&m->stacks, stack) > 0)
			continue;
		reason = reason_of(m, s, b, stack, history);
		n.of[reason].bytes += b->size;
		n.of[reason].blocks++;
	}
	return n;
}

enum no_stack_reason no_stack_main(const struct no_stack *n)
{
	enum no_stack_reason best = NO_STACK_REASONS;

	for (unsigned r = 0; r < NO_STACK_REASONS; r++)
		if (n->of[r].bytes &&
		    (best == NO_STACK_REASONS || n->of[r].bytes > n->of[best].bytes))
			best = (enum no_stack_reason)r;
	return best;
}
