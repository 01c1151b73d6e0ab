/* SPDX-License-Identifier: MIT
 * fragmentation.c -- the share of reserved memory that no block uses.
 */
#include "passes/fragmentation.h"

double fragmentation_of(const struct totals *t)
{
	if (t->reserved == BYTES_NONE || t->active == BYTES_NONE || t->reserved == 0 ||
	    t->active > t->reserved)
		return 0;
	return (double)(t->reserved - t->active) / (double)t->reserved;
}
