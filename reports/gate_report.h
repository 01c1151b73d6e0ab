/* SPDX-License-Identifier: MIT
 * gate_report.h -- what a check found, for people, CI systems and the next check.
 */
#ifndef REPORTS_GATE_REPORT_H
#define REPORTS_GATE_REPORT_H

#include "passes/gate.h"
#include "reports/emit.h"

struct gate_report {
	const struct gate *gate;
	const struct gate_budget *limits;
	const struct batch *batch;
	const char *budget_file;
	enum units units; /* of words */
};

void describe_gate(struct emit *e, const struct gate_report *r);
/* "peak of allocated bytes of train.py step"; which line, by how much, who. Into buf, returned. */
const char *gate_limit_words(const struct gate_limit *l, char *buf, size_t size);
const char *gate_result_words(const struct gate_report *r, const struct gate_result *x, char *buf,
			      size_t size);
/* "7 limits: 3 exceeded, 1 not known, 3 kept"; into buf, returned. */
const char *gate_count_words(const struct gate_report *r, char *buf, size_t size);
/* The name of a result's file, or "no file". */
const char *gate_file_name(const struct gate_report *r, const struct gate_result *x);

/* JUnit's XML as CI systems read it: a suite a file, a case a limit. Errors: ERR_NOMEM. */
int gate_write_junit(struct out *o, const struct gate_report *r, struct error *err);
/* Commands of GitHub Actions, at most two a limit (a step shows ten only): the worst file that
 * exceeds it, the first of which it is not known; then the counts. */
void gate_write_github(struct out *o, const struct gate_report *r);
/* A table, what is exceeded first; it fits into a step's summary. */
void gate_write_markdown(struct out *o, const struct gate_report *r);

/* A budget that today's figures keep with `margin` (0.1: 10 %) to spare. Errors: ERR_NOMEM. */
int gate_write_budget(struct out *o, const struct batch *b, double margin, struct error *err);
/* The budget of the report with each max set to the highest of its results and the margin, in its
 * unit; all else stays as it was written. Errors: ERR_UNSUPPORTED for what it cannot find. */
int gate_update_budget(struct out *o, const struct gate_report *r, double margin,
		       struct error *err);

#endif
