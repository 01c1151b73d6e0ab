/* SPDX-License-Identifier: MIT
 * diff_series.h -- allocated bytes of both sides of a diff over one axis, aligned step by step.
 *
 * Where both traces have steps, step k of one lies over step k of the other, however long each
 * took; what comes before the first step has the width of a step. Else both begin at 0, by time
 * when both have times, or by event.
 */
#ifndef ANALYZE_PASSES_DIFF_SERIES_H
#define ANALYZE_PASSES_DIFF_SERIES_H

#include "passes/allocations.h"
#include "passes/diff.h"
#include "passes/phases.h"
#include "passes/reduce.h"

enum diff_axis { DIFF_BY_STEP, DIFF_BY_TIME, DIFF_BY_EVENT };

struct diff_series {
	enum diff_axis axis;
	double span; /* of the axis, in steps, microseconds or events */
	struct reduction side[2];
	uint64_t highest; /* of both */
	double at[2];     /* place of the moments compared */
};

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int diff_series_init(struct diff_series *out, const struct diff *d,
		     const struct allocations *const a[2], const struct phases *const p[2],
		     size_t columns, struct budget *budget, struct error *err);
void diff_series_release(struct diff_series *s);

#endif
