/* SPDX-License-Identifier: MIT
 * trend_private.h -- parts of the pass of trend.h; for trend*.c only.
 */
#ifndef ANALYZE_PASSES_TREND_PRIVATE_H
#define ANALYZE_PASSES_TREND_PRIVATE_H

#include "passes/trend.h"

/* A series over those files that were read. */
struct trend_series {
	const double *at;
	const uint32_t *files; /* of each value */
	size_t n;
	double least; /* a smaller change of level does not count */
};

/* Does it go one way all along? Then *slope is its median slope per file. */
bool trend_has_direction(const struct trend_series *s, double *slope);

/* Add its change points; the change is a copy of `like` with file, from and to set. */
int trend_find_changes(struct trend *t, const struct trend_series *s,
		       const struct trend_change *like, struct error *err);

/* Fill slopes, first files and changes of all sites. */
int trend_judge_sites(struct trend *t, struct error *err);

/* Take the sites of the file added last. */
int trend_add_sites(struct trend *t, const struct model *m, const struct state *at_peak,
		    struct error *err);

#endif
