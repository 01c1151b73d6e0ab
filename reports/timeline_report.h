/* SPDX-License-Identifier: MIT
 * timeline_report.h -- a timeline as a picture, a page, a table or facts.
 */
#ifndef REPORTS_TIMELINE_REPORT_H
#define REPORTS_TIMELINE_REPORT_H

#include "passes/timeline.h"
#include "reports/emit.h"
#include "reports/out.h"
#include "reports/xml.h"

/* What a picture of this width, in CSS pixels, has for its plot: ask timeline_run for as many
 * columns. A stack has its legend beside the plot. Width is TIMELINE_MIN_WIDTH .. TIMELINE_MAX_WIDTH. */
#define TIMELINE_MIN_WIDTH     480
#define TIMELINE_MAX_WIDTH     4000
#define TIMELINE_DEFAULT_WIDTH 1200
/* With at most so many bands a page stays below 2 MB whatever their names are. */
#define TIMELINE_MAX_BANDS 1500
size_t timeline_picture_columns(unsigned width, bool stacked);

/* A picture that stands alone, light or dark as its reader prefers. Errors: ERR_NOMEM; those of
 * writing are told by out_close. */
int timeline_write_svg(struct out *to, const struct timeline *t, unsigned width, struct error *err);

/* A self-contained page: the picture and its numbers, no script, nothing loaded. Same errors. */
int timeline_write_html(struct out *to, const struct timeline *t, unsigned width,
			struct error *err);

/* Several devices or files: a small picture of each over a common axis of time and of bytes, in one
 * picture or page. n >= 1. Same errors. */
int timelines_write_svg(struct out *to, const struct timeline *const *t, size_t n, unsigned width,
			struct error *err);
int timelines_write_html(struct out *to, const struct timeline *const *t, size_t n, unsigned width,
			 struct error *err);

/* One line a column, exact numbers, titles in the first line. */
void timeline_write_csv(struct out *to, const struct timeline *t);

/* Facts for JSON and text; `file` and the document's object are the caller's. */
void describe_timeline(struct emit *e, const struct timeline *t);

/* The chart of a timeline of at most TIMELINE_TEXT_COLUMNS columns, in text. */
#define TIMELINE_TEXT_COLUMNS 84
void timeline_text_chart(struct emit *e, const struct timeline *t);

/* For timeline_write_html: the <svg> element within a page whose style includes
 * TIMELINE_PICTURE_STYLE. */
void timeline_picture(struct xml *x, const struct timeline *t, unsigned width);

/* Light colours plain, so that readers of SVG without media queries show them; dark ones only on
 * screens, so that print is light. Palette: Okabe and Ito. */
#define TIMELINE_PICTURE_STYLE                                                                    \
	".picture{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"  \
	"font-variant-numeric:tabular-nums}\n"                                                    \
	".paper{fill:#ffffff}\n"                                                                  \
	".plot{fill:#fafbfc}\n"                                                                   \
	"text{fill:#1f2328}\n"                                                                    \
	".small{font-size:11px}\n"                                                                \
	".muted{fill:#59636e;font-size:11px}\n"                                                   \
	".headline{font-size:17px;font-weight:600}\n"                                             \
	".grid{stroke:#d8dee4;stroke-width:1}\n"                                                  \
	".frame{stroke:#8c959f;stroke-width:1;fill:none}\n"                                       \
	".reserved{fill:#dfe3e8}\n"                                                               \
	".reserved-edge{fill:none;stroke:#6e7781;stroke-width:1.2}\n"                             \
	".active{fill:#a7b3c2}\n"                                                                 \
	".allocated{fill:#8fc3e6}\n"                                                              \
	".held{fill:#4a9fd4}\n"                                                                   \
	".allocated-edge{fill:none;stroke:#0072b2;stroke-width:1.2}\n"                            \
	".before{fill:#1f5f8b}\n"                                                                 \
	".strong{font-weight:600}.verdict{font-size:12.5px}.frame-mark{fill:#8c959f}\n"           \
	".layer-0,.layer-1,.layer-2,.layer-3,.layer-4,.layer-5,.layer-6,.layer-7{"                \
	"stroke:#1f2328;stroke-opacity:.28;stroke-width:.8}\n"                                    \
	".layer-0{fill:#0072b2}.layer-1{fill:#e69f00}.layer-2{fill:#f0e442}\n"                    \
	".layer-3{fill:#cc79a7}.layer-4{fill:#009e73}.layer-5{fill:#d55e00}\n"                    \
	".layer-6{fill:#56b4e9}.layer-7{fill:#666666}\n"                                          \
	".veil,.veil-key{fill:#ffffff;fill-opacity:.5}\n"                                         \
	".veil-key{stroke:#8c959f;stroke-width:.8}\n"                                             \
	".stack-edge{fill:none;stroke:#1f2328;stroke-opacity:.75;stroke-width:.9}\n"              \
	".on-layer-0,.on-layer-1,.on-layer-2,.on-layer-3,.on-layer-4,.on-layer-5,.on-layer-6,"    \
	".on-layer-7{font-weight:600;font-size:12px;pointer-events:none}\n"                       \
	".on-layer-0,.on-layer-7{fill:#ffffff}\n"                                                 \
	".on-layer-1,.on-layer-2,.on-layer-3,.on-layer-4,.on-layer-5,.on-layer-6{fill:#111111}\n" \
	".step-line{stroke:#1f2328;stroke-opacity:.3;stroke-width:1;stroke-dasharray:2 3}\n"      \
	".step-0{fill:#d8dee4}.step-1{fill:#eceff2}\n"                                            \
	".forward{fill:#8fd3bf}.backward{fill:#f2b68a}.optimizer{fill:#f5d68c}"                   \
	".other-phase{fill:#d8dee4}\n"                                                            \
	".ceiling{stroke:#d55e00;stroke-width:1;stroke-dasharray:5 4}\n"                          \
	".oom{stroke:#d55e00;stroke-width:1.2}.earlier{stroke-opacity:.45}\n"                     \
	".flag,.alarm{fill:#d55e00}\n"                                                            \
	".alarm{font-weight:600;font-size:11px}\n"                                                \
	".asked{fill:#d55e00;fill-opacity:.35;stroke:#d55e00;stroke-width:1}\n"                   \
	".peak{fill:#ffffff;stroke:#0072b2;stroke-width:2}\n"                                     \
	".on-plot{font-weight:600;font-size:12px;paint-order:stroke;stroke:#fafbfc;"              \
	"stroke-width:4px;stroke-linejoin:round}\n"                                               \
	".band{stroke:#ffffff;stroke-width:1}\n"                                                  \
	".hue-0{fill:#f2cfe0}.hue-1{fill:#b9e3d5}.hue-2{fill:#f8dfa6}\n"                          \
	".hue-3{fill:#c6e4f7}.hue-4{fill:#f5c9a8}.hue-5{fill:#e4e1c0}\n"                          \
	".thin.hue-0{fill:#cc79a7}.thin.hue-1{fill:#009e73}.thin.hue-2{fill:#e69f00}\n"           \
	".thin.hue-3{fill:#56b4e9}.thin.hue-4{fill:#d55e00}.thin.hue-5{fill:#a9a55a}\n"           \
	".hue-mixed{fill:#c8ced6}.thin.hue-mixed{fill:#8c959f}\n"                                 \
	".band-name{font-size:11px;unicode-bidi:isolate;pointer-events:none}\n"                   \
	".hit{fill:none;pointer-events:all}\n"                                                    \
	".cursor{stroke:#1f2328;stroke-width:1}\n"                                                \
	".at .cursor,.at .reading{display:none}\n"                                                \
	".at:hover .cursor,.at:hover .reading{display:inline}\n"                                  \
	".reading{font-size:12px}\n"                                                              \
	"@media screen and (prefers-color-scheme:dark){\n"                                        \
	".paper{fill:#16181d}\n"                                                                  \
	".plot{fill:#1b1e24}\n"                                                                   \
	"text{fill:#e6e9ee}\n"                                                                    \
	".muted{fill:#a0a8b4}\n"                                                                  \
	".grid{stroke:#2e333c}\n"                                                                 \
	".frame{stroke:#6b7380}\n"                                                                \
	".reserved{fill:#343a44}\n"                                                               \
	".reserved-edge{stroke:#98a1ae}\n"                                                        \
	".active{fill:#5b6675}.allocated{fill:#2f6f9c}\n"                                         \
	".held{fill:#2384c4}\n"                                                                   \
	".allocated-edge{stroke:#8fd0f7}\n"                                                       \
	".before{fill:#174a6e}\n"                                                                 \
	".veil,.veil-key{fill:#16181d}\n"                                                         \
	".stack-edge{stroke:#e6e9ee;stroke-opacity:.7}\n"                                         \
	".on-layer-0,.on-layer-7{fill:#ffffff}\n"                                                 \
	".on-layer-1,.on-layer-2,.on-layer-3,.on-layer-4,.on-layer-5,.on-layer-6{fill:#111111}\n" \
	".step-line{stroke:#e6e9ee;stroke-opacity:.35}\n"                                         \
	".step-0{fill:#3a414c}.step-1{fill:#2a2f38}\n"                                            \
	".forward{fill:#1f5c4a}.backward{fill:#74401f}.optimizer{fill:#6b5312}"                   \
	".other-phase{fill:#3a414c}\n"                                                            \
	".ceiling,.oom{stroke:#ff8a3d}\n"                                                         \
	".flag,.alarm{fill:#ff8a3d}\n"                                                            \
	".asked{fill:#ff8a3d;stroke:#ff8a3d}\n"                                                   \
	".peak{fill:#16181d;stroke:#8fd0f7}\n"                                                    \
	".on-plot{stroke:#1b1e24}\n"                                                              \
	".band{stroke:#16181d}\n"                                                                 \
	".hue-0{fill:#6b3f57}.hue-1{fill:#1f5c4a}.hue-2{fill:#6b5312}\n"                          \
	".hue-3{fill:#274f6b}.hue-4{fill:#74401f}.hue-5{fill:#55532f}\n"                          \
	".hue-mixed{fill:#474d57}\n"                                                              \
	".cursor{stroke:#e6e9ee}\n"                                                               \
	"}\n"

#endif
