/* SPDX-License-Identifier: MIT
 * fragmentation.h -- one number for how much reserved memory is lost between live blocks.
 */
#ifndef ANALYZE_PASSES_FRAGMENTATION_H
#define ANALYZE_PASSES_FRAGMENTATION_H

#include "replay/replay.h"

/* Inactive bytes in segments that a live block keeps from being returned, as a share of reserved
 * bytes. 0 when nothing is reserved or nobody knows what is. */
double fragmentation_of(const struct state *s);

#endif
