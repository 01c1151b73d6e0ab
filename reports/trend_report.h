/* SPDX-License-Identifier: MIT
 * trend_report.h -- a trend over files as facts, a picture or a page.
 */
#ifndef REPORTS_TREND_REPORT_H
#define REPORTS_TREND_REPORT_H

#include "passes/trend.h"
#include "reports/emit.h"
#include "reports/out.h"
#include "reports/xml.h"

/* The keys behind `file`, and their text. `max_rows`: sites that are told of each file. */
void describe_trend(struct emit *e, const struct trend *t, uint64_t max_rows);
/* Its two halves for people: whether anything changes, and the tables. */
void describe_trend_answer(struct emit *e, const struct trend *t);
void describe_trend_rows(struct emit *e, const struct trend *t, uint64_t max_rows);

/* A picture that stands alone, and a page around it. Errors: ERR_NOMEM. */
int trend_write_svg(struct out *to, const struct trend *t, struct error *err);
int trend_write_html(struct out *to, const struct trend *t, struct error *err);

/* The <svg> element in a page. */
void trend_picture(struct xml *x, const struct trend *t);

/* "peak", "x.py:3 f", "writer" of a change; into buf, returned. */
const char *trend_what_words(const struct trend *t, const struct trend_change *c, char *buf,
			     size_t size);
/* The level before or after a change, in words; into buf, returned. */
const char *trend_level_words(const struct trend *t, const struct trend_change *c, bool after,
			      char *buf, size_t size);

#endif
