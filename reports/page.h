/* SPDX-License-Identifier: MIT
 * page.h -- the frame of a self-contained HTML page: head, policy, style, footer.
 *
 * Every page allows its own style (and script) by hash and loads nothing. It reads well without
 * script, in light and dark, and on paper.
 *
 *     static const char style[] = PAGE_STYLE MY_PICTURE_STYLE;
 *
 *     page_begin(x, style, file, "GPU memory over time");
 *     ... content of <main> ...
 *     page_end(x, "Sizes are binary.");
 */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "reports/xml.h"

/* `x` is of XML_HTML. The title is "FILE: WHAT"; `style` is a constant. */
void page_begin(struct xml *x, const char *style, const char *file, const char *what);
/* The same with a constant script, which page_script puts where it shall run. */
void page_begin_with(struct xml *x, const char *style, const char *script, const char *file,
		     const char *what);
void page_script(struct xml *x, const char *script);
void page_end(struct xml *x, const char *footer);

/* <name class=...>, without when `class` is NULL; xml_close ends it. */
void page_open(struct xml *x, const char *name, const char *class);
void page_element(struct xml *x, const char *name, const char *class, const char *text);
void page_paragraph(struct xml *x, const char *class, const char *text);
/* One cell of a <dl class="facts">: what, how much, and a remark or NULL. */
void page_fact(struct xml *x, const char *what, const char *figure, const char *more);

#define PAGE_STYLE                                                                               \
	"html{color-scheme:light dark;background:#f3f5f7;color:#1f2328}\n"                       \
	"body{margin:0 auto;padding:24px 20px 40px;max-width:1280px;"                            \
	"font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"      \
	"font-variant-numeric:tabular-nums}\n"                                                   \
	"h1{font-size:24px;line-height:1.2;margin:0 0 2px}\n"                                    \
	"h2{font-size:17px;margin:32px 0 8px}\n"                                                 \
	"p{margin:6px 0;max-width:76em}\n"                                                       \
	".scope{color:#59636e;margin-bottom:14px;overflow-wrap:anywhere}\n"                      \
	".oom-words{border-left:4px solid #d55e00;padding-left:10px}\n"                          \
	".notes{margin:8px 0;padding-left:20px;color:#59636e}\n"                                 \
	".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:10px;" \
	"margin:18px 0;padding:0}\n"                                                             \
	".facts div{background:#ffffff;border:1px solid #d8dee4;border-radius:8px;"              \
	"padding:10px 14px}\n"                                                                   \
	".facts dt{color:#59636e;font-size:13px}\n"                                              \
	".facts dd{margin:0;overflow-wrap:anywhere}\n"                                           \
	".facts .figure{font-size:21px;font-weight:600}\n"                                       \
	".facts .more{color:#59636e;font-size:13px}\n"                                           \
	"figure{margin:0;background:#ffffff;border:1px solid #d8dee4;border-radius:8px;"         \
	"overflow-x:auto}\n"                                                                     \
	"figure svg{display:block;width:100%;height:auto;min-width:640px;border-radius:8px}\n"   \
	".scroll{overflow-x:auto}\n"                                                             \
	"table{border-collapse:collapse;background:#ffffff;border:1px solid #d8dee4;"            \
	"font-size:14px}\n"                                                                      \
	"th,td{padding:5px 12px;border-bottom:1px solid #d8dee4;text-align:right;"               \
	"white-space:nowrap}\n"                                                                  \
	"th{font-weight:600;background:#f6f8fa}\n"                                               \
	"th:first-child,td:first-child,tbody th{text-align:left}\n"                              \
	"tbody th{font-weight:400;background:none}\n"                                            \
	"th.words,td.words{text-align:left}\n"                                                   \
	"td.words{unicode-bidi:isolate}\n"                                                       \
	".name{white-space:normal;overflow-wrap:anywhere;unicode-bidi:isolate;max-width:46em}\n" \
	"footer{margin-top:28px;color:#59636e;font-size:13px}\n"                                 \
	"@media screen and (prefers-color-scheme:dark){\n"                                       \
	"html{background:#0f1115;color:#e6e9ee}\n"                                               \
	".facts div,figure,table{background:#16181d;border-color:#2e333c}\n"                     \
	"th{background:#1b1e24}\n"                                                               \
	"th,td{border-color:#2e333c}\n"                                                          \
	".scope,.notes,.facts dt,.facts .more,footer{color:#a0a8b4}\n"                           \
	".oom-words{border-color:#ff8a3d}\n"                                                     \
	"}\n"                                                                                    \
	"@media print{\n"                                                                        \
	"html{background:#ffffff}\n"                                                             \
	"body{max-width:none;padding:0}\n"                                                       \
	"h2{break-after:avoid}\n"                                                                \
	"figure,tr,.facts div{break-inside:avoid}\n"                                             \
	"}\n"

#endif
