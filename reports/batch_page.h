/* SPDX-License-Identifier: MIT
 * batch_page.h -- the page over many files, and a page for each of them.
 */
#ifndef REPORTS_BATCH_PAGE_H
#define REPORTS_BATCH_PAGE_H

#include "passes/batch.h"
#include "passes/batch_groups.h"
#include "reports/out.h"
#include "reports/xml.h"

/* index.html; links lead to pages/N.html, N being the file's row. Errors: ERR_NOMEM. */
int batch_write_index(struct out *o, const struct batch *b, const struct batch_groups *g,
		      struct error *err);
int batch_write_page(struct out *o, const struct batch *b, const struct batch_groups *g,
		     size_t file, struct error *err);

/* The lowest, median and highest peak of each step over the group's files, its outliers as lines;
 * nothing for groups of fewer than BATCH_GROUP_MIN files or without steps. */
void batch_draw_group(struct xml *x, const struct batch *b, const struct batch_groups *g,
		      const struct batch_group *group);

#define BATCH_PICTURE_STYLE                                                     \
	".axis{stroke:#59636e;stroke-width:1;fill:none}\n"                      \
	".grid{stroke:#d8dee4;stroke-width:1;fill:none}\n"                      \
	".range{fill:#56b4e9;fill-opacity:.35;stroke:none}\n"                   \
	".median{stroke:#0072b2;stroke-width:2;fill:none}\n"                    \
	".outlier{stroke:#d55e00;stroke-width:2;fill:none}\n"                   \
	"svg text{font:12px system-ui,sans-serif;fill:#59636e}\n"               \
	"@media screen and (prefers-color-scheme:dark){.axis{stroke:#a0a8b4}\n" \
	".grid{stroke:#2e333c}svg text{fill:#a0a8b4}}\n"

#endif
