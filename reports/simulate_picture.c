/* SPDX-License-Identifier: MIT
 * simulate_picture.c -- reserved bytes under several settings over each other, and a page around.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "reports/page.h"
#include "reports/page_table.h"
#include "reports/simulate_report.h"
#include "reports/svg.h"
#include "reports/ticks.h"

/* Eight hues that colour-blind people tell apart; after eight, the same dashed. */
#define N_HUES 8

#define PICTURE_STYLE                                                                            \
	".picture{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;" \
	"font-variant-numeric:tabular-nums}\n"                                                   \
	".paper{fill:#ffffff}.plot{fill:#fafbfc}text{fill:#1f2328}\n"                            \
	".small{font-size:11px}.muted{fill:#59636e;font-size:11px}\n"                            \
	".headline{font-size:17px;font-weight:600}\n"                                            \
	".grid{stroke:#d8dee4;stroke-width:1}\n"                                                 \
	".frame{stroke:#8c959f;stroke-width:1;fill:none}\n"                                      \
	".ideal{stroke:#1f2328;stroke-width:1;stroke-dasharray:2 3}\n"                           \
	".c0,.c1,.c2,.c3,.c4,.c5,.c6,.c7{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"    \
	".c0{stroke:#59636e}.c1{stroke:#0072b2}.c2{stroke:#d55e00}.c3{stroke:#009e73}\n"         \
	".c4{stroke:#cc79a7}.c5{stroke:#b58900}.c6{stroke:#56b4e9}.c7{stroke:#6a3d9a}\n"         \
	".dashed{stroke-dasharray:6 4}\n"                                                        \
	".end{fill:#d55e00}\n"                                                                   \
	"@media screen and (prefers-color-scheme:dark){\n"                                       \
	".paper{fill:#16181d}.plot{fill:#1b1e24}text{fill:#e6e9ee}.muted{fill:#a0a8b4}\n"        \
	".grid{stroke:#2e333c}.frame{stroke:#6b7380}.ideal{stroke:#e6e9ee}\n"                    \
	".c0{stroke:#a0a8b4}.c1{stroke:#4aa3df}.c7{stroke:#b39ddb}\n"                            \
	"}\n"

static const char page_style[] = PAGE_STYLE "td.name{text-align:left}\n" PICTURE_STYLE;

#define WIDTH       (1200 * SVG_PX)
#define LEFT        (78 * SVG_PX)
#define RIGHT       (WIDTH - 22 * SVG_PX)
#define PLOT_HEIGHT (340 * SVG_PX)
#define KEY_HEIGHT  (18 * SVG_PX)

struct simulate_frame {
	struct xml *x;
	const struct simulate_report *r;
	svg_len top, bottom, height;
	uint64_t top_bytes;
};

static svg_len at_bytes(const struct simulate_frame *f, uint64_t bytes)
{
	if (bytes > f->top_bytes)
		bytes = f->top_bytes;
	return f->bottom - (svg_len)((__uint128_t)bytes * PLOT_HEIGHT / f->top_bytes);
}

static svg_len at_column(size_t column)
{
	return LEFT + (svg_len)column * (RIGHT - LEFT) / SIMULATE_PICTURE_COLUMNS;
}

static void frame_init(struct simulate_frame *f, struct xml *x, const struct simulate_report *r,
		       bool stands_alone)
{
	uint64_t top = r->s->trace_peak_reserved;

	for (size_t i = 0; i < r->n_runs; i++)
		if (r->runs[i].peak_reserved.high > top)
			top = r->runs[i].peak_reserved.high;
	*f = (struct simulate_frame){.x = x, .r = r};
	f->top = (stands_alone ? 62 : 16) * SVG_PX;
	f->bottom = f->top + PLOT_HEIGHT;
	f->height = f->bottom + 56 * SVG_PX + ((svg_len)r->n_runs + 1) * KEY_HEIGHT;
	f->top_bytes = num_add_saturated(top, top / 14 + 8);
}

static void draw_axes(const struct simulate_frame *f)
{
	struct ticks ticks;

	ticks_bytes(&ticks, f->top_bytes);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = at_bytes(f, ticks.at[i].at);

		svg_line(f->x, "grid", LEFT, y, RIGHT, y);
		svg_text(f->x, "muted", SVG_END, LEFT - 8 * SVG_PX, y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	ticks_count(&ticks, 0, (int64_t)f->r->s->requests.device->n_events - 1, 11);
	for (size_t i = 0; i < ticks.n; i++) {
		size_t column = (size_t)((__uint128_t)ticks.at[i].at * SIMULATE_PICTURE_COLUMNS /
					 f->r->s->requests.device->n_events);

		svg_text(f->x, "muted", SVG_MIDDLE, at_column(column), f->bottom + 18 * SVG_PX,
			 ticks.at[i].label);
	}
	svg_text(f->x, "muted", SVG_MIDDLE, (LEFT + RIGHT) / 2, f->bottom + 36 * SVG_PX,
		 "event number");
	svg_path_begin(f->x, "frame");
	svg_path_move(f->x, LEFT, f->top);
	svg_path_v(f->x, f->bottom);
	svg_path_h(f->x, RIGHT);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static const char *hue(size_t i, char buf[16])
{
	(void)snprintf(buf, 16, "c%u%s", (unsigned)(i % N_HUES), i < N_HUES ? "" : " dashed");
	return buf;
}

static void draw_curve(const struct simulate_frame *f, size_t i)
{
	const struct simulate_run *run = &f->r->runs[i];
	char class[16], words[ALLOC_CONF_BUF + 32];

	if (!run->curve.n)
		return;
	svg_group(f->x, "curve");
	(void)snprintf(words, sizeof words, "%s", simulate_settings_words(run));
	svg_tooltip(f->x, words);
	svg_path_begin(f->x, hue(i, class));
	svg_path_move(f->x, LEFT, at_bytes(f, run->curve.at[0]));
	for (size_t c = 1; c < run->curve.n; c++) {
		if (run->curve.at[c] == run->curve.at[c - 1])
			continue;
		svg_path_h(f->x, at_column(c));
		svg_path_v(f->x, at_bytes(f, run->curve.at[c]));
	}
	svg_path_h(f->x,
		   at_column(run->curve.n < SIMULATE_PICTURE_COLUMNS ? run->curve.n
								     : SIMULATE_PICTURE_COLUMNS));
	svg_path_end(f->x);
	if (run->survives == SURVIVES_NO)
		svg_circle(f->x, "end", at_column(run->curve.n),
			   at_bytes(f, run->curve.at[run->curve.n - 1]), 4 * SVG_PX);
	xml_close(f->x);
	xml_newline(f->x);
}

static void draw_keys(const struct simulate_frame *f)
{
	svg_len y = f->bottom + 58 * SVG_PX;
	char class[16], words[ALLOC_CONF_BUF + 2 * UNITS_BUF], bytes[UNITS_BUF];

	for (size_t i = 0; i < f->r->n_runs; i++, y += KEY_HEIGHT) {
		const struct simulate_run *run = &f->r->runs[i];

		svg_line(f->x, hue(i, class), LEFT, y - 4 * SVG_PX, LEFT + 26 * SVG_PX,
			 y - 4 * SVG_PX);
		(void)snprintf(
			words, sizeof words, "%.300s: %s, %.150s", simulate_settings_words(run),
			units_bytes(bytes, run->peak_reserved.plain), simulate_end_words(run));
		svg_text(f->x, "small", SVG_START, LEFT + 34 * SVG_PX, y, words);
	}
	svg_line(f->x, "ideal", LEFT, y - 4 * SVG_PX, LEFT + 26 * SVG_PX, y - 4 * SVG_PX);
	(void)snprintf(words, sizeof words, "peak of live bytes: %s",
		       units_bytes(bytes, f->r->s->peak_live));
	svg_text(f->x, "small", SVG_START, LEFT + 34 * SVG_PX, y, words);
	xml_newline(f->x);
}

static void title_words(const struct simulate_report *r, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%.200s: reserved memory under %zu settings",
		       model_str(r->model, r->model->file), r->n_runs);
}

static void draw(struct xml *x, const struct simulate_report *r, bool stands_alone)
{
	struct simulate_frame f;
	char title[300];

	frame_init(&f, x, r, stands_alone);
	title_words(r, title, sizeof title);
	svg_begin(x, WIDTH, f.height, title,
		  r->s->check.ok ? "The model reproduces the trace under its own settings."
				 : "An estimate: the model does not reproduce the trace.",
		  stands_alone ? PICTURE_STYLE : NULL);
	svg_rect(x, "paper", 0, 0, WIDTH, f.height);
	svg_rect(x, "plot", LEFT, f.top, RIGHT - LEFT, PLOT_HEIGHT);
	xml_newline(x);
	if (stands_alone) {
		svg_text(x, "headline", SVG_START, LEFT, 26 * SVG_PX,
			 "Reserved GPU memory under other allocator settings");
		svg_text(x, "muted", SVG_START, LEFT, 44 * SVG_PX, title);
	}
	draw_axes(&f);
	if (r->s->peak_live) {
		svg_len y = at_bytes(&f, r->s->peak_live);

		svg_line(x, "ideal", LEFT, y, RIGHT, y);
	}
	for (size_t i = 0; i < r->n_runs; i++)
		draw_curve(&f, i);
	draw_keys(&f);
	xml_close(x);
	xml_newline(x);
}

int simulate_write_svg(struct out *to, const struct simulate_report *r, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, to, err);

	if (rc < 0)
		return rc;
	draw(x, r, true);
	return xml_free(x, err);
}

/* --- the page ---------------------------------------------------------------------------------- */

static void table(struct xml *x, const struct simulate_report *r)
{
	static const char *const columns[] = {"Settings", "Peak reserved", "Lowest", "Highest",
					      "Rounding", "Rests",         "Holes",  "Idle",
					      "Calls",    "End",           NULL};
	char b[UNITS_BUF];

	page_table_begin(x, "Peak of reserved memory, and where it is then", columns);
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct simulate_run *run = &r->runs[i];

		page_row_begin(x, simulate_settings_words(run));
		page_cell(x, NULL, units_bytes(b, run->peak_reserved.plain));
		page_cell(x, NULL, units_bytes(b, run->peak_reserved.low));
		page_cell(x, NULL, units_bytes(b, run->peak_reserved.high));
		page_cell(x, NULL, units_bytes(b, run->loss.rounding));
		page_cell(x, NULL, units_bytes(b, run->loss.slack));
		page_cell(x, NULL, units_bytes(b, run->loss.holes));
		page_cell(x, NULL, units_bytes(b, run->loss.cached));
		page_cell(x, NULL, units_count(b, run->device_allocs.plain));
		page_cell(x, NULL, simulate_end_words(run));
		page_row_end(x);
	}
	page_table_end(x);
}

static void facts(struct xml *x, const struct simulate_report *r)
{
	char b[UNITS_BUF];

	page_open(x, "dl", "facts");
	page_fact(x, "Self-check", r->s->check.ok ? "exact" : "estimate",
		  r->s->check.ok ? "every address of the trace reproduced"
				 : simulate_difference_name(r->s->check.kind));
	page_fact(x, "Peak of live bytes", units_bytes(b, r->s->peak_live), "perfect compaction");
	page_fact(x, "Peak reserved in the trace", units_bytes(b, r->s->trace_peak_reserved), NULL);
	page_fact(x, "Requests", units_count(b, r->s->requests.rows.n), NULL);
	xml_close(x);
	xml_newline(x);
}

int simulate_write_html(struct out *to, const struct simulate_report *r, struct error *err)
{
	char scope[300];
	struct xml *x;
	int rc = xml_new(&x, XML_HTML, to, err);

	if (rc < 0)
		return rc;
	page_begin(x, page_style, model_str(r->model, r->model->file),
		   "Reserved memory under other allocator settings");
	title_words(r, scope, sizeof scope);
	page_paragraph(x, "scope", scope);
	facts(x, r);
	xml_open(x, "figure");
	draw(x, r, false);
	xml_close(x);
	table(x, r);
	page_end(x,
		 "Sizes are binary. Lowest and highest: by where the driver might put segments.");
	return xml_free(x, err);
}
