/* SPDX-License-Identifier: MIT
 * timeline_svg.c -- the picture of a timeline: frame, axes, legend, and its parts in order.
 */
#include "reports/timeline_report.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "reports/ticks.h"
#include "reports/timeline_frame.h"
#include "reports/timeline_words.h"

#define LEFT        (78 * SVG_PX)
#define RIGHT       (22 * SVG_PX)
#define PLOT_HEIGHT (360 * SVG_PX)
/* The legend of a stack, beside the plot where there is room for both. */
#define PANEL      (216 * SVG_PX)
#define PANEL_FROM (860 * SVG_PX)

static svg_len panel_width(unsigned width, bool stacked)
{
	return stacked && (svg_len)width * SVG_PX >= PANEL_FROM ? PANEL : 0;
}

size_t timeline_picture_columns(unsigned width, bool stacked)
{
	assert(width >= TIMELINE_MIN_WIDTH && width <= TIMELINE_MAX_WIDTH);
	return width - (size_t)((LEFT + RIGHT + panel_width(width, stacked)) / SVG_PX);
}

/* What the vertical axis must reach: everything drawn, a little air, and the lines and the last
 * request that failed where they do not squash the rest. */
static uint64_t frame_top_bytes(const struct timeline *t)
{
	struct timeline_lines lines = timeline_lines(t);
	uint64_t top = 0, most;
	uint64_t more[] = {lines.ceiling, lines.limit, lines.capacity, 0};

	for (int s = 0; s < TIMELINE_SERIES; s++) {
		if (t->known[s] && t->highest[s] > top)
			top = t->highest[s];
	}
	if (t->ooms.n > 0)
		more[3] = num_add_saturated(t->ooms.at[t->ooms.n - 1].at.totals.active,
					    t->ooms.at[t->ooms.n - 1].requested);
	most = num_add_saturated(top, top / 2);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		if (more[i] <= most && more[i] > top)
			top = more[i];
	}
	if (top == 0)
		return UINT64_C(1) << 20;
	return num_add_saturated(top, top / 14 + 1);
}

/* Rows under the plot, from the top one down. */
static void frame_set_rows(struct timeline_frame *f)
{
	svg_len y = f->bottom + 4 * SVG_PX;

	if (timeline_shows_steps(f->t, f->right - f->left)) {
		f->steps = y;
		y += BAND_HEIGHT;
	}
	if (timeline_shows_phases(f->t, f->right - f->left)) {
		f->phases = y;
		y += BAND_HEIGHT;
	}
	f->bands = y;
	y += (svg_len)f->t->bands.n_rows * BAND_HEIGHT;
	f->axis = y > f->bottom + 4 * SVG_PX ? y : f->bottom;
}

static void frame_init(struct timeline_frame *f, struct xml *x, const struct timeline *t,
		       unsigned width, bool stands_alone)
{
	bool stacked = timeline_has_stack(t);
	svg_len y = (stands_alone ? 50 : 0) * SVG_PX, panel = panel_width(width, stacked);

	*f = (struct timeline_frame){.t = t, .x = x, .width = (svg_len)width * SVG_PX};
	f->left = LEFT;
	f->right = f->width - RIGHT - panel;
	f->data_left = f->left;
	f->data_right = f->right;
	f->legend = panel ? f->right + 20 * SVG_PX : 0;
	if (stacked)
		y -= 16 * SVG_PX;
	if (stacked && !panel)
		y += timeline_legend_rows(t, f->width - f->left - RIGHT);
	f->flags = y + 46 * SVG_PX;
	f->top = y + 50 * SVG_PX;
	f->bottom = f->top + PLOT_HEIGHT;
	frame_set_rows(f);
	f->readings = f->axis + 56 * SVG_PX;
	f->height = f->axis + (stacked ? 82 : 66) * SVG_PX;
	f->top_bytes = frame_top_bytes(t);
}

/* --- axes ------------------------------------------------------------------------------------- */

void timeline_draw_bytes_axis(const struct timeline_frame *f)
{
	struct ticks ticks;

	ticks_bytes(&ticks, f->top_bytes);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = frame_y(f, ticks.at[i].at);

		svg_line(f->x, "grid", f->left, y, f->right, y);
		svg_text(f->x, "muted", SVG_END, f->left - 8 * SVG_PX, y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	xml_newline(f->x);
}

static void axis_title(const struct timeline_frame *f, const struct ticks *ticks, const char *since,
		       char *out, size_t size)
{
	const struct timeline *t = f->t;

	if (t->device->n_events == 0)
		(void)snprintf(out, size, "no events");
	else if (t->by_event)
		(void)snprintf(out, size, "event number%s",
			       t->reason == TIMELINE_NO_TIMES ? " (the file has no times)" : "");
	else
		(void)snprintf(out, size, "time since %s (%s)", since, ticks->unit);
}

void timeline_draw_position_axis(const struct timeline_frame *f, uint64_t span, const char *since)
{
	const struct timeline *t = f->t;
	unsigned want = (unsigned)((f->right - f->left) / (110 * SVG_PX)) + 2;
	struct ticks ticks = {0};
	char title[96];

	want = want < TICKS_MAX ? want : TICKS_MAX - 1;
	if (!t->by_event)
		ticks_time(&ticks, span, want);
	else if (t->device->n_events > 0)
		ticks_count(&ticks, t->from, t->from + (int64_t)span - 1, want);
	for (size_t i = 0; i < ticks.n; i++) {
		uint64_t position = ticks.at[i].at - (t->by_event ? (uint64_t)t->from : 0);
		svg_len px = f->left + (svg_len)((__uint128_t)position *
						 (uint64_t)(f->right - f->left) / span);

		svg_line(f->x, "grid", px, f->top, px, f->axis + (since ? 5 : 0) * SVG_PX);
		if (since)
			svg_text(f->x, "muted", SVG_MIDDLE, px, f->axis + 19 * SVG_PX,
				 ticks.at[i].label);
	}
	xml_newline(f->x);
	if (!since)
		return;
	axis_title(f, &ticks, since, title, sizeof title);
	svg_text(f->x, "muted", SVG_MIDDLE, (f->left + f->right) / 2, f->axis + 37 * SVG_PX, title);
	xml_newline(f->x);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void draw_heading(const struct timeline_frame *f, const struct timeline_words *w)
{
	char line[sizeof w->file + sizeof w->device + sizeof w->scope + 16];

	(void)snprintf(line, sizeof line, "%s \xc2\xb7 %s \xc2\xb7 %s", w->file, w->device,
		       w->scope);
	svg_text(f->x, "headline", SVG_START, f->left, 26 * SVG_PX, "GPU memory over time");
	svg_text(f->x, "muted", SVG_START, f->left, 44 * SVG_PX, line);
	xml_newline(f->x);
}

/* --- verdicts under a picture that stands alone ----------------------------------------------- */

#define LINE_HEIGHT (17 * SVG_PX)

/* How much of `text` goes into one line. */
static size_t line_length(const char *text, size_t most)
{
	size_t n = strlen(text), at = most;

	if (n <= most)
		return n;
	while (at > 0 && text[at] != ' ')
		at--;
	return at > 0 ? at : most;
}

/* Draw them, or only tell their height. */
static svg_len verdict_lines(const struct timeline_frame *f, svg_len top, bool draw)
{
	size_t most = (size_t)((f->width - f->left - RIGHT) / (7 * SVG_PX));
	char words[TIMELINE_SENTENCE], line[TIMELINE_SENTENCE];
	svg_len y = top;

	for (size_t i = 0; f->t->verdicts && i < f->t->verdicts->n; i++) {
		const char *at = words;

		timeline_verdict_words(words, sizeof words, f->t, &f->t->verdicts->at[i]);
		if (draw)
			svg_rect(f->x,
				 verdict_is_bad(f->t->verdicts->at[i].kind) ? "flag" : "frame-mark",
				 f->left, y + 7 * SVG_PX, 5 * SVG_PX, 5 * SVG_PX);
		while (*at) {
			size_t n = line_length(at, most);

			(void)snprintf(line, sizeof line, "%.*s", (int)n, at);
			if (draw)
				svg_text(f->x, "verdict", SVG_START, f->left + 12 * SVG_PX,
					 y + 13 * SVG_PX, line);
			y += LINE_HEIGHT;
			at += n;
			while (*at == ' ')
				at++;
		}
		if (draw)
			xml_newline(f->x);
	}
	return y > top ? y - top + 12 * SVG_PX : 0;
}

static void draw_picture(struct xml *x, const struct timeline *t, unsigned width, bool stands_alone)
{
	struct timeline_words w;
	struct timeline_frame f;
	svg_len base;
	char title[sizeof w.file + 64], desc[3 * TIMELINE_SENTENCE + 8];

	timeline_words(&w, t);
	frame_init(&f, x, t, width, stands_alone);
	base = f.height;
	if (stands_alone)
		f.height += verdict_lines(&f, base, false);
	(void)snprintf(title, sizeof title, "GPU memory over time: %s, %s", w.file, w.device);
	(void)snprintf(desc, sizeof desc, "%s. %s %s", w.scope, w.peak, w.oom);
	svg_begin(x, f.width, f.height, title, desc, stands_alone ? TIMELINE_PICTURE_STYLE : NULL);
	svg_rect(x, "paper", 0, 0, f.width, f.height);
	svg_rect(x, "plot", f.left, f.top, f.right - f.left, f.bottom - f.top);
	xml_newline(x);
	if (stands_alone)
		draw_heading(&f, &w);
	timeline_draw_legend(&f, f.legend ? f.top : (stands_alone ? 50 : 0) * SVG_PX);
	timeline_draw_bytes_axis(&f);
	timeline_draw_position_axis(&f, t->span,
				    t->from <= 0 ? "event 0" : "the first event shown");
	timeline_draw_series(&f);
	svg_path_begin(x, "frame");
	svg_path_move(x, f.left, f.top);
	svg_path_v(x, f.axis);
	svg_path_h(x, f.right);
	svg_path_end(x);
	xml_newline(x);
	timeline_draw_steps(&f);
	timeline_draw_bands(&f);
	if (timeline_has_stack(t))
		timeline_draw_layer_names(&f);
	timeline_draw_readings(&f);
	timeline_draw_marks(&f);
	if (stands_alone)
		(void)verdict_lines(&f, base, true);
	xml_close(x);
	xml_newline(x);
}

void timeline_picture(struct xml *x, const struct timeline *t, unsigned width)
{
	draw_picture(x, t, width, false);
}

int timeline_write_svg(struct out *to, const struct timeline *t, unsigned width, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, to, err);

	if (rc < 0)
		return rc;
	draw_picture(x, t, width, true);
	return xml_free(x, err);
}
