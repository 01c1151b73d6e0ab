/* SPDX-License-Identifier: MIT
 * batch_page.h -- the page over many files, and a page for each of them.
 */
#ifndef REPORTS_BATCH_PAGE_H
#define REPORTS_BATCH_PAGE_H

#include "passes/batch.h"
#include "passes/batch_groups.h"
#include "reports/out.h"
#include "reports/xml.h"

/* Which files have an interactive page: pages/NAME.html. `name_of` puts NAME into `out` and returns
 * it, NULL: none. */
struct batch_pages {
	const char *(*name_of)(void *ctx, const char *file, char out[65]); /* NULL: no file has */
	void *ctx;
};

/* index.html; links lead to pages/N.html, N being the file's row. Errors: ERR_NOMEM. */
int batch_write_index(struct out *o, const struct batch *b, const struct batch_groups *g,
		      const struct batch_pages *pages, struct error *err);
int batch_write_page(struct out *o, const struct batch *b, const struct batch_groups *g,
		     const struct batch_pages *pages, size_t file, struct error *err);

/* --- parts of them ----------------------------------------------------------------------------- */

/* A file's name, "" when there is none. */
const char *batch_name(const struct batch *b, size_t file);
/* A <td> with the value in words, and in data-v as a number. */
void batch_html_cell(struct xml *x, const struct batch *b, enum batch_table_id t, size_t row,
		     size_t column);

/* The highest allocated bytes of a file's timeline; 0: it has none. */
uint64_t batch_timeline_top(const struct batch *b, size_t file);
/* Its categories over time as an <svg> of this size; `top` bytes are its height, 0: those of the
 * file. A large one has an axis. Nothing when there is no timeline. */
void batch_draw_timeline(struct xml *x, const struct batch *b, size_t file, uint64_t top,
			 unsigned width, unsigned height, bool large);
void batch_draw_categories(struct xml *x); /* what the colours stand for */

/* The lowest, median and highest memory over the group's files, step by step, or over their
 * recordings where there are no steps; its outliers as lines, and below which they are and why.
 * Nothing for groups of fewer than BATCH_GROUP_MIN files. `cut`: leading characters of names that
 * are not shown. */
void batch_draw_group(struct xml *x, const struct batch *b, const struct batch_groups *g,
		      const struct batch_group *group, size_t cut);

/* Sorts and filters the table of the index. */
extern const char batch_index_script[];

#define BATCH_TIMELINE_STYLE                                                           \
	".c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#f0e442}.c3{fill:#cc79a7}\n"       \
	".c4{fill:#009e73}.c5{fill:#d55e00}.c6{fill:#56b4e9}.c7{fill:#8c959f}\n"       \
	".axis{stroke:#59636e;stroke-width:1;fill:none}\n"                             \
	".grid{stroke:#d8dee4;stroke-width:1;fill:none}\n"                             \
	".keys{list-style:none;margin:8px 0;padding:0;color:#59636e;font-size:13px}\n" \
	".keys li{display:inline-block;margin-right:18px}\n"                           \
	".keys svg{display:inline-block;width:12px;height:12px;min-width:0;"           \
	"margin-right:6px}\n"                                                          \
	"svg text{font:12px system-ui,sans-serif;fill:#59636e}\n"                      \
	"@media screen and (prefers-color-scheme:dark){.axis{stroke:#a0a8b4}\n"        \
	".grid{stroke:#2e333c}svg text{fill:#a0a8b4}.keys{color:#a0a8b4}}\n"

#define BATCH_GROUP_STYLE                                             \
	".range{fill:#56b4e9;fill-opacity:.35;stroke:#56b4e9}\n"      \
	".median{stroke:#0072b2;stroke-width:2;fill:none}\n"          \
	".o0,.o1,.o2,.o3,.o4,.o5{stroke-width:2;fill:none}\n"         \
	".o0{stroke:#d55e00}.o1{stroke:#009e73}.o2{stroke:#cc79a7}\n" \
	".o3{stroke:#e69f00}.o4{stroke:#7a5195}.o5{stroke:#8c959f}\n" \
	".lines li{display:block}\n"

#endif
