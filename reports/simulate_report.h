/* SPDX-License-Identifier: MIT
 * simulate_report.h -- a trace under other allocator settings, as facts, a picture or a page.
 */
#ifndef REPORTS_SIMULATE_REPORT_H
#define REPORTS_SIMULATE_REPORT_H

#include "passes/simulate.h"
#include "reports/emit.h"
#include "reports/out.h"
#include "reports/xml.h"

/* All weak. */
struct simulate_report {
	const struct model *model;
	const struct simulation *s;
	const struct simulate_run *runs;
	size_t n_runs;
	const struct simulate_advice *advice;
	size_t n_advice;
	bool advised;   /* a search was asked for */
	unsigned scale; /* percent; 100: as recorded */
};

/* The keys behind `file`, and their text. */
void describe_simulate(struct emit *e, const struct simulate_report *r);

/* "fits", "passes" (an oom of the trace), "out of memory", "not sure". */
const char *simulate_end_words(const struct simulate_run *run);
/* The settings for people: "(defaults)" for "". */
const char *simulate_settings_words(const struct simulate_run *run);

/* Reserved bytes over the events, one curve a run. Errors: ERR_NOMEM; failures of `to` are told by
 * out_close. */
#define SIMULATE_PICTURE_COLUMNS 1100
int simulate_write_svg(struct out *to, const struct simulate_report *r, struct error *err);
int simulate_write_html(struct out *to, const struct simulate_report *r, struct error *err);

#endif
