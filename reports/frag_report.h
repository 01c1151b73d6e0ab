/* SPDX-License-Identifier: MIT
 * frag_report.h -- fragmentation of a moment as facts, a picture or a page.
 */
#ifndef REPORTS_FRAG_REPORT_H
#define REPORTS_FRAG_REPORT_H

#include "passes/frag.h"
#include "replay/moment.h"
#include "reports/emit.h"
#include "reports/out.h"
#include "reports/xml.h"

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

/* The <svg> element in a page whose style includes FRAG_PICTURE_STYLE. Errors: ERR_NOMEM. */
int frag_picture(struct xml *x, const struct frag_report *r, struct error *err);

#define FRAG_PICTURE_STYLE                                                                       \
	".picture{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;" \
	"font-variant-numeric:tabular-nums}\n"                                                   \
	".paper{fill:#ffffff}text{fill:#1f2328}\n"                                               \
	".muted{fill:#59636e;font-size:11px}\n"                                                  \
	".headline{font-size:17px;font-weight:600}\n"                                            \
	".hole{fill:url(#hatch);stroke:#8c959f;stroke-width:.5}\n"                               \
	".hatch-paper{fill:#f3f5f7}.hatch-line{stroke:#8c959f;stroke-width:1}\n"                 \
	".h0{fill:#0072b2}.h1{fill:#e69f00}.h2{fill:#009e73}.h3{fill:#cc79a7}\n"                 \
	".h4{fill:#56b4e9}.h5{fill:#f0e442}.h6{fill:#9a6324}.h7{fill:#8c959f}\n"                 \
	".pending{fill:#b3b3e6}\n"                                                               \
	".pin{fill:#d55e00}\n"                                                                   \
	"@media screen and (prefers-color-scheme:dark){\n"                                       \
	".paper{fill:#16181d}text{fill:#e6e9ee}.muted{fill:#a0a8b4}\n"                           \
	".hatch-paper{fill:#1b1e24}.hatch-line{stroke:#5a626e}\n"                                \
	"}\n"

#endif
