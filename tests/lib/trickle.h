/* SPDX-License-Identifier: MIT
 * trickle.h -- an input that delivers a few bytes at a time, so that every boundary is met.
 */
#ifndef TESTS_LIB_TRICKLE_H
#define TESTS_LIB_TRICKLE_H

#include "base/input.h"

/* At most `step` bytes at once; must outlive the input. */
struct trickle {
	const uint8_t *at;
	size_t left, step;
};

int trickle_open(struct input **out, struct trickle *state, struct budget *budget,
		 struct error *err);

#endif
