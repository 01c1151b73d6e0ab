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
};

void describe_gate(struct emit *e, const struct gate_report *r);
/* "peak of train.py:3 f"; which line, by how much, who. Into buf, returned. */
const char *gate_limit_words(const struct gate_limit *l, char *buf, size_t size);
const char *gate_result_words(const struct gate_report *r, const struct gate_result *x, char *buf,
			      size_t size);

/* JUnit's XML as CI systems read it: a suite a file, a case a limit. Errors: ERR_NOMEM. */
int gate_write_junit(struct out *o, const struct gate_report *r, struct error *err);
/* Commands of GitHub Actions: ::error file=...,line=...::words */
void gate_write_github(struct out *o, const struct gate_report *r);
void gate_write_markdown(struct out *o, const struct gate_report *r);
/* A budget that today's figures keep with `margin` (0.1: 10 %) to spare. Errors: ERR_NOMEM. */
int gate_write_budget(struct out *o, const struct batch *b, double margin, struct error *err);

#endif
