/* SPDX-License-Identifier: MIT
 * taken_stack.c -- the stack of an event: taken before the recorder's lock, named under it.
 */
#include "capture/taken_stack.h"

static uint32_t before_loop(const uint64_t *pcs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (python_frames_in_loop(pcs[i]))
			return i;
	}
	return n;
}

void taken_stack_fill(struct taken_stack *s, bool native, bool python)
{
	s->n_python = python ? python_frames_take(s->python) : 0;
	s->n_native = native ? stack_native(s->native) : 0;
	uint32_t n = python ? before_loop(s->native, s->n_native) : s->n_native;
	if (s->n_python)
		s->n_native = n;
	else if (n < s->n_native)
		python_frames_missing(s->native[n]);
}

uint32_t taken_stack_id(const struct taken_stack *s, struct ring *ring, struct python_names *names)
{
	uint64_t words[STACK_MAX + PYTHON_FRAMES_MAX];
	uint32_t n = 0;

	for (; n < s->n_native; n++)
		words[n] = s->native[n];
	for (uint32_t i = 0; names && i < s->n_python; i++) {
		uint32_t id = python_names_id(names, ring, &s->python[i]);

		if (id)
			words[n++] = STACK_PYTHON | id;
	}
	return ring_stack(ring, words, n);
}
