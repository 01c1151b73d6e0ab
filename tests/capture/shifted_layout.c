/* SPDX-License-Identifier: MIT
 * shifted_layout.c -- python_layout.c with one offset wrong: what a CPython of another layout is like.
 *
 * SHIFT is "FIELD BYTES": the number of a 16-bit field of struct python_layout, and what is added.
 */
#define python_layout_find right_layout_find
#include "capture/python_layout.c"
#undef python_layout_find

#include <stdio.h>
#include <stdlib.h>

bool python_layout_find(struct python_layout *out, unsigned minor, const void *runtime,
			const char **why)
{
	const char *shift = getenv("SHIFT");
	unsigned field;
	int bytes;

	if (!right_layout_find(out, minor, runtime, why))
		return false;
	if (shift && sscanf(shift, "%u %d", &field, &bytes) == 2)
		((uint16_t *)out)[field] = (uint16_t)(((uint16_t *)out)[field] + bytes);
	return true;
}
