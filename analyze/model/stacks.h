/* SPDX-License-Identifier: MIT
 * stacks.h -- interned frames and stacks: equal ones have one id, whichever dialect wrote them.
 *
 * A stack lists its frames innermost first, as PyTorch does. stack 0 (STACK_ABSENT) is "no stack
 * was kept", stack 1 (STACK_EMPTY) "a stack without frames": snapshots tell them apart.
 */
#ifndef ANALYZE_MODEL_STACKS_H
#define ANALYZE_MODEL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/ids.h"

#define STACK_ABSENT ((stack_id){0})
#define STACK_EMPTY  ((stack_id){1})

struct frame {
	str_id name; /* function; STR_NONE when the frame has no such key */
	str_id file;
	int64_t line; /* 0 or -1 when unknown (UINT64_MAX in files is -1) */
};

struct stacks {
	struct budget *budget;    /* weak */
	VEC(struct frame) frames; /* row 0 is unused */
	uint32_t *frame_slots;    /* open addressing over frames, 0 = free */
	size_t n_frame_slots;
	VEC(frame_id) pool;    /* the frames of all stacks, one stack behind the other */
	VEC(uint64_t) start;   /* stack s is pool[start[s] .. start[s + 1] - 1] */
	VEC(uint32_t) hashes;  /* of each stack */
	uint32_t *stack_slots; /* open addressing over stacks, 0 = free */
	size_t n_stack_slots;
};

int stacks_init(struct stacks *s, struct budget *budget, struct error *err);
void stacks_release(struct stacks *s);

/* Errors of both: ERR_LIMIT, ERR_NOMEM. */
int stacks_add_frame(struct stacks *s, struct frame frame, frame_id *out, struct error *err);
/* n = 0 gives STACK_EMPTY. */
int stacks_add(struct stacks *s, const frame_id *frames, size_t n, stack_id *out,
	       struct error *err);

static inline size_t stacks_depth(const struct stacks *s, stack_id id)
{
	return (size_t)(s->start.at[id.i + 1] - s->start.at[id.i]);
}

/* Frame k of a stack, 0 = innermost; k < stacks_depth. */
static inline const struct frame *stacks_frame(const struct stacks *s, stack_id id, size_t k)
{
	return &s->frames.at[s->pool.at[s->start.at[id.i] + k].i];
}

/* Distinct stacks with at least one frame, and distinct frames. */
size_t stacks_count(const struct stacks *s);
size_t stacks_frame_count(const struct stacks *s);

/* Is every frame and every stack found under its own value? For model_check. */
bool stacks_are_unique(const struct stacks *s);

#endif
