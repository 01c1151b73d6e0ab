/* SPDX-License-Identifier: MIT
 * fragmentation.c -- one number for how much reserved memory is lost between live blocks.
 */
#include "passes/fragmentation.h"

double fragmentation_of(const struct state *s)
{
	uint64_t pinned = 0, reserved = s->totals.reserved;

	if (reserved == 0 || reserved == BYTES_NONE)
		return 0.0;
	for (size_t i = 0; i < s->segments.n; i++) {
		const struct state_segment *g = &s->segments.at[i];

		if (g->active > 0)
			pinned += g->size - g->active;
	}
	return (double)pinned / (double)reserved;
}
