/* SPDX-License-Identifier: MIT
 * diff_report.h -- a diff as facts, a picture or a page.
 */
#ifndef REPORTS_DIFF_REPORT_H
#define REPORTS_DIFF_REPORT_H

#include "passes/allocations.h"
#include "passes/diff.h"
#include "passes/phases.h"
#include "reports/emit.h"
#include "reports/out.h"

/* A diff with what else is known of its sides. All weak. */
struct diff_report {
	const struct diff *diff;
	const struct phases *phases[2]; /* base, new */
	const struct allocations *allocations[2];
	/* Of the row with the largest change: diff_since. ALLOCATION_ALIVE: cannot be told. */
	int64_t since;
	uint64_t max_rows;
};

/* The keys behind `file`, and their text. */
void describe_diff(struct emit *e, const struct diff_report *r);
/* Its two halves for people: what changed in a few lines, and the tables. */
void describe_diff_answer(struct emit *e, const struct diff_report *r);
void describe_diff_rows(struct emit *e, const struct diff_report *r);

/* A picture that stands alone, and a page around it. Errors: ERR_LIMIT, ERR_NOMEM. */
int diff_write_svg(struct out *to, const struct diff_report *r, struct error *err);
int diff_write_html(struct out *to, const struct diff_report *r, struct error *err);

/* "+1.50 GiB", "-512 B", "0 B" of a difference; into buf, returned. */
const char *diff_words_delta(const struct emit *e, char buf[UNITS_BUF + 1], uint64_t base,
			     uint64_t new);

#endif
