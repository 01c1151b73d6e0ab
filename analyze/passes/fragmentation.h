/* SPDX-License-Identifier: MIT
 * fragmentation.h -- the one number for fragmentation in every command.
 */
#ifndef ANALYZE_PASSES_FRAGMENTATION_H
#define ANALYZE_PASSES_FRAGMENTATION_H

#include "replay/replay.h"

/* External bytes (reserved less active: holes and cached segments) as a share of reserved, 0 to 1.
 * 0 when nothing is reserved, or when the totals are unknown. */
double fragmentation_of(const struct totals *t);

#endif
