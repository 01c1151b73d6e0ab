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

size_t timeline_picture_columns(unsigned width)
{
	assert(width >= TIMELINE_MIN_WIDTH && width <= TIMELINE_MAX_WIDTH);
	return width - (LEFT + RIGHT) / SVG_PX;
}

/* What the vertical axis must reach: everything drawn, a little air, and the ceiling of the last
 * oom with its request where that does not squash the rest. */
static uint64_t frame_top_bytes(const struct timeline *t)
{
	uint64_t top = 0, ceiling, asked;

	for (int s = 0; s < TIMELINE_SERIES; s++) {
		if (t->known[s] && t->highest[s] > top)
			top = t->highest[s];
	}
	if (t->ooms.n > 0 && top > 0) {
		const struct timeline_oom *oom = &t->ooms.at[t->ooms.n - 1];
		uint64_t most = num_add_saturated(top, top / 2);

		ceiling = timeline_ceiling(oom);
		asked = num_add_saturated(oom->at.totals.active, oom->requested);
		if (ceiling <= most && ceiling > top)
			top = ceiling;
		if (asked <= most && asked > top)
			top = asked;
	}
	if (top == 0)
		return UINT64_C(1) << 20;
	return num_add_saturated(top, top / 14 + 1);
}

static void frame_init(struct timeline_frame *f, struct xml *x, const struct timeline *t,
		       unsigned width, bool stands_alone)
{
	svg_len y = (stands_alone ? 50 : 0) * SVG_PX;

	*f = (struct timeline_frame){.t = t, .x = x, .width = (svg_len)width * SVG_PX};
	f->left = LEFT;
	f->right = f->width - RIGHT;
	f->flags = y + 46 * SVG_PX;
	f->top = y + 50 * SVG_PX;
	f->bottom = f->top + PLOT_HEIGHT;
	f->bands = f->bottom + 4 * SVG_PX;
	f->axis = t->bands.n_rows ? f->bands + (svg_len)t->bands.n_rows * BAND_HEIGHT : f->bottom;
	f->readings = f->axis + 56 * SVG_PX;
	f->height = f->axis + 66 * SVG_PX;
	f->top_bytes = frame_top_bytes(t);
}

/* --- axes ------------------------------------------------------------------------------------- */

static void draw_bytes_axis(const struct timeline_frame *f)
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

static void axis_title(const struct timeline_frame *f, const struct ticks *ticks, char *out,
		       size_t size)
{
	const struct timeline *t = f->t;

	if (t->device->n_events == 0)
		(void)snprintf(out, size, "no events");
	else if (t->by_event)
		(void)snprintf(out, size, "event number%s",
			       t->reason == TIMELINE_NO_TIMES ? " (the file has no times)" : "");
	else
		(void)snprintf(out, size, "time since %s (%s)",
			       t->from <= 0 ? "event 0" : "the first event shown", ticks->unit);
}

static void draw_position_axis(const struct timeline_frame *f)
{
	const struct timeline *t = f->t;
	unsigned want = (unsigned)((f->right - f->left) / (110 * SVG_PX)) + 2;
	struct ticks ticks = {0};
	char title[96];

	want = want < TICKS_MAX ? want : TICKS_MAX - 1;
	if (!t->by_event)
		ticks_time(&ticks, t->span, want);
	else if (t->device->n_events > 0)
		ticks_count(&ticks, t->from, t->to, want);
	for (size_t i = 0; i < ticks.n; i++) {
		uint64_t position = ticks.at[i].at - (t->by_event ? (uint64_t)t->from : 0);
		svg_len px = frame_x(f, position);

		svg_line(f->x, "grid", px, f->top, px, f->axis + 5 * SVG_PX);
		svg_text(f->x, "muted", SVG_MIDDLE, px, f->axis + 19 * SVG_PX, ticks.at[i].label);
	}
	xml_newline(f->x);
	axis_title(f, &ticks, title, sizeof title);
	svg_text(f->x, "muted", SVG_MIDDLE, (f->left + f->right) / 2, f->axis + 37 * SVG_PX, title);
	xml_newline(f->x);
}

/* --- legend ----------------------------------------------------------------------------------- */

static svg_len draw_key(const struct timeline_frame *f, svg_len left, svg_len base,
			const char *class, const char *edge, const char *words)
{
	svg_len size = 11 * SVG_PX, top = base - 10 * SVG_PX;

	svg_rect(f->x, class, left, top, size, size);
	if (edge)
		svg_line(f->x, edge, left, top, left + size, top);
	svg_text(f->x, "small", SVG_START, left + size + 5 * SVG_PX, base, words);
	return left + size + 22 * SVG_PX + svg_label_width(strlen(words)) * 9 / 10;
}

static void draw_legend(const struct timeline_frame *f, svg_len base)
{
	const struct timeline *t = f->t;
	svg_len at = f->left;

	if (t->known[TIMELINE_RESERVED])
		at = draw_key(f, at, base, "reserved", "reserved-edge", "reserved from the driver");
	if (t->highest_pending > 0)
		at = draw_key(f, at, base, "active", NULL, "active: freed, waiting for a stream");
	at = draw_key(f, at, base, "allocated", "allocated-edge", "allocated, at most");
	at = draw_key(f, at, base, "held", NULL, "allocated all the time");
	if (timeline_shows_before(t))
		(void)draw_key(f, at, base, "before", NULL, "since before event 0");
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

static void draw_picture(struct xml *x, const struct timeline *t, unsigned width, bool stands_alone)
{
	struct timeline_words w;
	struct timeline_frame f;
	char title[sizeof w.file + 64], desc[3 * TIMELINE_SENTENCE + 8];

	timeline_words(&w, t);
	frame_init(&f, x, t, width, stands_alone);
	(void)snprintf(title, sizeof title, "GPU memory over time: %s, %s", w.file, w.device);
	(void)snprintf(desc, sizeof desc, "%s. %s %s", w.scope, w.peak, w.oom);
	svg_begin(x, f.width, f.height, title, desc, stands_alone ? TIMELINE_PICTURE_STYLE : NULL);
	svg_rect(x, "paper", 0, 0, f.width, f.height);
	svg_rect(x, "plot", f.left, f.top, f.right - f.left, f.bottom - f.top);
	xml_newline(x);
	if (stands_alone)
		draw_heading(&f, &w);
	draw_legend(&f, f.flags - 28 * SVG_PX);
	draw_bytes_axis(&f);
	draw_position_axis(&f);
	timeline_draw_series(&f);
	svg_path_begin(x, "frame");
	svg_path_move(x, f.left, f.top);
	svg_path_v(x, f.axis);
	svg_path_h(x, f.right);
	svg_path_end(x);
	xml_newline(x);
	timeline_draw_bands(&f);
	timeline_draw_readings(&f);
	timeline_draw_marks(&f);
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
