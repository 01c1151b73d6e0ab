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
	const char *const *files; /* in order; the model is that of the joined ones */
	size_t n_files, n_joined; /* the last n_joined of them */
};

void describe_leaks(struct emit *e, const struct leaks_report *r);

/* "9.00 MiB a step in 3 places"; "" when nothing leaks. Into buf, returned. */
#define LEAKS_WORDS (2 * UNITS_BUF + 16)
const char *leaks_words(const struct emit *e, const struct leaks_report *r, char buf[LEAKS_WORDS]);

#endif
