/* SPDX-License-Identifier: MIT
 * leaks_report.h -- what grows step by step, as facts.
 */
#ifndef REPORTS_LEAKS_REPORT_H
#define REPORTS_LEAKS_REPORT_H

#include "passes/leaks.h"
#include "reports/emit.h"

/* All weak. */
struct leaks_report {
	const struct leaks *leaks;
	const struct allocations *allocations;
	const struct phases *phases;
	const char *const *suppressions; /* the expressions, by row of leak.suppression */
	size_t n_suppressions;
	const char *const *files; /* that were joined, in order; the model is that of all */
	size_t n_files;
	size_t n_joined;     /* how many of the files' traces overlap, counted once */
	double limit_growth; /* --fail-on-leak; negative: not asked */
};

void describe_leaks(struct emit *e, const struct leaks_report *r);

#endif
