/* SPDX-License-Identifier: MIT
 * taken_stack.h -- the stack of an event: taken before the recorder's lock, named under it.
 *
 * Innermost first. Native frames end where CPython's loop begins, and its Python frames follow:
 * what the interpreter does between two of them says nothing to anybody.
 */
#ifndef CAPTURE_TAKEN_STACK_H
#define CAPTURE_TAKEN_STACK_H

#include "capture/python_names.h"
#include "capture/stack.h"

struct taken_stack {
	uint32_t n_native, n_python;
	uint64_t native[STACK_MAX];
	struct python_frame python[PYTHON_FRAMES_MAX];
};

/* May take locks of the dynamic linker. */
void taken_stack_fill(struct taken_stack *s, bool native, bool python);
/* With the recorder's lock held, by the thread that took it. `names` may be NULL when no Python frames
 * were wanted. 0 when there are no frames, or no room for them. */
uint32_t taken_stack_id(const struct taken_stack *s, struct ring *ring, struct python_names *names);

#endif
