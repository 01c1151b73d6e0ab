/* SPDX-License-Identifier: MIT
 * trickle.c -- the reader behind trickle.h.
 */
#include "tests/lib/trickle.h"

#include <string.h>

static long trickle_read(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	struct trickle *r = ctx;
	size_t n = r->step < room ? r->step : room;

	(void)err;
	n = n < r->left ? n : r->left;
	if (n)
		memcpy(to, r->at, n);
	r->at += n;
	r->left -= n;
	return (long)n;
}

int trickle_open(struct input **out, struct trickle *state, struct budget *budget,
		 struct error *err)
{
	return input_open_reader(out, trickle_read, state, budget, err);
}
