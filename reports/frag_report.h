/* SPDX-License-Identifier: MIT
 * frag_report.h -- fragmentation of a moment as facts, a picture or a page.
 */
#ifndef REPORTS_FRAG_REPORT_H
#define REPORTS_FRAG_REPORT_H

#include "passes/frag.h"
#include "replay/moment.h"
#include "reports/emit.h"
#include "reports/out.h"

/* What is known of one moment. All weak. */
struct frag_report {
	const struct model *model;
	const struct state *state;
	const struct site_table *sites;
	const struct frag *frag;
	const struct moment *at;
	uint64_t max_rows; /* of each table in text; JSON has all */
};

/* The keys behind `file`, and their text. */
void describe_frag(struct emit *e, const struct frag_report *r);

/* One row per segment, to scale. Errors: ERR_NOMEM; failures of `to` are told by out_close. */
int frag_write_svg(struct out *to, const struct frag_report *r, struct error *err);
int frag_write_html(struct out *to, const struct frag_report *r, struct error *err);

#endif
