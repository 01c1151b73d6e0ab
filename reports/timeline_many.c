/* SPDX-License-Identifier: MIT
 * timeline_many.c -- several timelines below each other: one small picture each, common axes.
 *
 * By time, traces that overlap (the ranks of a job, the devices of a process) stand where their
 * clocks say; others all begin at the left.
 */
#include "reports/timeline_report.h"

#include <stdio.h>
#include <string.h>

#include "reports/page.h"
#include "reports/ticks.h"
#include "reports/timeline_frame.h"
#include "reports/timeline_words.h"

#define LEFT        (78 * SVG_PX)
#define RIGHT       (22 * SVG_PX)
#define PLOT_HEIGHT (112 * SVG_PX)
/* From one plot to the next: the title of the next. */
#define BETWEEN    (34 * SVG_PX)
#define HEADING    (50 * SVG_PX)
#define KEY_WIDTH  (150 * SVG_PX)
#define KEY_HEIGHT (20 * SVG_PX)

struct many {
	const struct timeline *const *t;
	size_t n;
	struct xml *x;
	svg_len width;
	bool by_event; /* of all, or of none */
	bool one_clock;
	int64_t zero;  /* with one clock: the earliest time */
	uint64_t span; /* of the common axis */
	uint64_t top_bytes;
};

static uint64_t span_of(const struct many *m, const struct timeline *t)
{
	uint64_t before = m->one_clock ? (uint64_t)t->zero_us - (uint64_t)m->zero : 0;

	return before + t->span;
}

static void many_set_axes(struct many *m)
{
	int64_t latest_start = INT64_MIN, earliest_end = INT64_MAX;
	uint64_t top = 1;

	m->by_event = m->t[0]->by_event;
	m->zero = INT64_MAX;
	for (size_t i = 0; i < m->n; i++) {
		const struct timeline *t = m->t[i];

		m->by_event = m->by_event && t->by_event;
		for (int s = 0; s < TIMELINE_SERIES; s++)
			if (t->known[s] && t->highest[s] > top)
				top = t->highest[s];
		if (t->by_event || t->zero_us == TIME_NONE)
			continue;
		if (t->zero_us < m->zero)
			m->zero = t->zero_us;
		if (t->zero_us > latest_start)
			latest_start = t->zero_us;
		if (t->zero_us + (int64_t)t->span < earliest_end)
			earliest_end = t->zero_us + (int64_t)t->span;
	}
	m->one_clock = !m->by_event && latest_start < earliest_end;
	for (size_t i = 0; i < m->n && m->one_clock; i++)
		m->one_clock = !m->t[i]->by_event;
	m->span = 1;
	for (size_t i = 0; i < m->n; i++)
		if (span_of(m, m->t[i]) > m->span)
			m->span = span_of(m, m->t[i]);
	m->top_bytes = top + top / 10 + 1;
}

static struct timeline_frame frame_of(const struct many *m, size_t i, svg_len top)
{
	const struct timeline *t = m->t[i];
	struct timeline_frame f = {.t = t, .x = m->x, .width = m->width};
	uint64_t before = m->one_clock ? (uint64_t)t->zero_us - (uint64_t)m->zero : 0;
	uint64_t room;

	f.left = LEFT;
	f.right = m->width - RIGHT;
	room = (uint64_t)(f.right - f.left);
	f.data_left = f.left + (svg_len)((__uint128_t)before * room / m->span);
	f.data_right = f.left + (svg_len)((__uint128_t)(before + t->span) * room / m->span);
	if (f.data_right <= f.data_left)
		f.data_right = f.data_left + SVG_PX;
	f.top = top;
	f.flags = top - 4 * SVG_PX;
	f.bottom = top + PLOT_HEIGHT;
	f.axis = f.bottom;
	f.top_bytes = m->top_bytes;
	return f;
}

static void draw_title(const struct timeline_frame *f)
{
	char peak[UNITS_BUF], line[sizeof((struct timeline_words *)0)->file + 200];
	struct timeline_words w;

	timeline_words(&w, f->t);
	(void)snprintf(line, sizeof line, "%s \xc2\xb7 %s", w.file, w.device);
	svg_text(f->x, "strong", SVG_START, f->left, f->top - 8 * SVG_PX, line);
	if (!f->t->known[TIMELINE_ALLOCATED])
		return;
	(void)snprintf(line, sizeof line, "peak %s%s",
		       units_bytes(peak, f->t->peak.totals.allocated),
		       f->t->ooms.n ? ", out of memory" : "");
	svg_text(f->x, f->t->ooms.n ? "alarm" : "small", SVG_END, f->right, f->top - 8 * SVG_PX,
		 line);
}

static void draw_oom_lines(const struct timeline_frame *f)
{
	svg_len last = -1;

	for (size_t i = 0; i < f->t->ooms.n; i++) {
		svg_len px = frame_x(f, f->t->ooms.at[i].at.position);

		if (last >= 0 && px - last < SVG_PX)
			continue;
		svg_line(f->x, "oom", px, f->top, px, f->bottom);
		last = px;
	}
}

static void draw_one(const struct many *m, size_t i, svg_len top)
{
	struct timeline_frame f = frame_of(m, i, top);

	svg_rect(f.x, "plot", f.left, f.top, f.right - f.left, f.bottom - f.top);
	draw_title(&f);
	timeline_draw_bytes_axis(&f);
	if (i + 1 == m->n)
		timeline_draw_position_axis(
			&f, m->span,
			m->one_clock ? "the earliest event" : "the first event of each");
	if (f.t->known[TIMELINE_ALLOCATED] || f.t->known[TIMELINE_RESERVED])
		timeline_draw_series(&f);
	draw_oom_lines(&f);
	if (f.t->known[TIMELINE_ALLOCATED] && f.t->device->n_events > 0)
		svg_circle(f.x, "peak", frame_x(&f, f.t->peak.position),
			   frame_y(&f, f.t->peak.totals.allocated), 3 * SVG_PX);
	svg_path_begin(f.x, "frame");
	svg_path_move(f.x, f.left, f.top);
	svg_path_v(f.x, f.bottom);
	svg_path_h(f.x, f.right);
	svg_path_end(f.x);
	xml_newline(f.x);
}

/* --- one legend for all ------------------------------------------------------------------------ */

/* Layers of different files are alike only when they are categories. */
static const struct timeline *common_layers(const struct many *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (timeline_has_stack(m->t[i]) && m->t[i]->stack.groups->by == GROUP_CATEGORY)
			return m->t[i];
	return NULL;
}

static size_t keys_per_row(const struct many *m)
{
	svg_len n = (m->width - LEFT - RIGHT) / KEY_WIDTH;

	return n > 0 ? (size_t)n : 1;
}

static svg_len legend_height(const struct many *m)
{
	size_t n = common_layers(m) ? CATEGORY_COUNT : 0;

	return (svg_len)((n + keys_per_row(m) - 1) / keys_per_row(m)) * KEY_HEIGHT + 10 * SVG_PX;
}

static void draw_legend(const struct many *m, svg_len top)
{
	const struct timeline *t = common_layers(m);
	char class[16], name[TIMELINE_LAYER_NAME];

	for (size_t g = 0; t && g < t->stack.groups->n; g++) {
		svg_len left = LEFT + (svg_len)(g % keys_per_row(m)) * KEY_WIDTH;
		svg_len base = top + (svg_len)(g / keys_per_row(m)) * KEY_HEIGHT + 12 * SVG_PX;

		svg_rect(m->x, timeline_layer_class(class, t, g), left, base - 10 * SVG_PX,
			 11 * SVG_PX, 11 * SVG_PX);
		svg_text(m->x, "small", SVG_START, left + 17 * SVG_PX, base,
			 timeline_layer_name(name, t, g, 40));
	}
	xml_newline(m->x);
}

/* --- the whole --------------------------------------------------------------------------------- */

static void draw_many(const struct many *m, bool stands_alone)
{
	svg_len top = stands_alone ? HEADING : 10 * SVG_PX, plots = top + legend_height(m);
	svg_len height = plots + (svg_len)m->n * (PLOT_HEIGHT + BETWEEN) + 46 * SVG_PX;
	char line[200];

	(void)snprintf(line, sizeof line, "%zu timelines, %s", m->n,
		       m->by_event    ? "by event"
		       : m->one_clock ? "on one clock, one scale"
				      : "each from its first event, on one scale");
	svg_begin(m->x, m->width, height, "GPU memory over time", line,
		  stands_alone ? TIMELINE_PICTURE_STYLE : NULL);
	svg_rect(m->x, "paper", 0, 0, m->width, height);
	xml_newline(m->x);
	if (stands_alone) {
		svg_text(m->x, "headline", SVG_START, LEFT, 26 * SVG_PX, "GPU memory over time");
		svg_text(m->x, "muted", SVG_START, LEFT, 44 * SVG_PX, line);
		xml_newline(m->x);
	}
	draw_legend(m, top);
	for (size_t i = 0; i < m->n; i++)
		draw_one(m, i, plots + (svg_len)i * (PLOT_HEIGHT + BETWEEN) + BETWEEN - 8 * SVG_PX);
	xml_close(m->x);
	xml_newline(m->x);
}

static void many_init(struct many *m, struct xml *x, const struct timeline *const *t, size_t n,
		      unsigned width)
{
	*m = (struct many){.t = t, .n = n, .x = x, .width = (svg_len)width * SVG_PX};
	many_set_axes(m);
}

int timelines_write_svg(struct out *to, const struct timeline *const *t, size_t n, unsigned width,
			struct error *err)
{
	struct many m;
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, to, err);

	if (rc < 0)
		return rc;
	many_init(&m, x, t, n, width);
	draw_many(&m, true);
	return xml_free(x, err);
}

static const char page_style[] = PAGE_STYLE TIMELINE_PICTURE_STYLE;

static void page_row(struct xml *x, const struct timeline *t)
{
	char bytes[UNITS_BUF], place[TIMELINE_PLACE];
	const uint64_t amounts[] = {t->highest[TIMELINE_ALLOCATED], t->highest[TIMELINE_RESERVED],
				    t->end.totals.allocated};
	struct timeline_words w;

	timeline_words(&w, t);
	xml_open(x, "tr");
	xml_open(x, "th");
	xml_attr(x, "scope", "row");
	xml_attr(x, "class", "name");
	xml_text(x, w.file);
	xml_text(x, " \xc2\xb7 ");
	xml_text(x, w.device);
	xml_close(x);
	for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
		xml_element(x, "td",
			    amounts[i] == BYTES_NONE ? "unknown" : units_bytes(bytes, amounts[i]));
	xml_element(x, "td", timeline_place(place, t, &t->peak));
	xml_element(x, "td", units_count(bytes, t->ooms.n));
	xml_close(x);
	xml_newline(x);
}

static void page_table(struct xml *x, const struct many *m)
{
	static const char *const columns[] = {
		"Device", "Highest allocated", "Highest reserved", "Allocated at the end",
		"Peak",   "Out of memory"};

	page_open(x, "div", "scroll");
	xml_open(x, "table");
	xml_open(x, "thead");
	xml_open(x, "tr");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		xml_open(x, "th");
		xml_attr(x, "scope", "col");
		xml_text(x, columns[i]);
		xml_close(x);
	}
	xml_close(x);
	xml_close(x);
	xml_newline(x);
	xml_open(x, "tbody");
	xml_newline(x);
	for (size_t i = 0; i < m->n; i++)
		page_row(x, m->t[i]);
	xml_close(x);
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

int timelines_write_html(struct out *to, const struct timeline *const *t, size_t n, unsigned width,
			 struct error *err)
{
	struct many m;
	struct xml *x;
	char words[64];
	int rc = xml_new(&x, XML_HTML, to, err);

	if (rc < 0)
		return rc;
	many_init(&m, x, t, n, width);
	(void)snprintf(words, sizeof words, "%zu timelines", n);
	page_begin(x, page_style, words, "GPU memory over time");
	page_paragraph(x, "scope",
		       m.one_clock ? "The traces overlap in time and stand where their clocks say."
				   : "Each begins at the left, whatever its clock says.");
	xml_open(x, "figure");
	xml_newline(x);
	draw_many(&m, false);
	xml_close(x);
	xml_newline(x);
	xml_element(x, "h2", "Devices");
	page_table(x, &m);
	page_end(x, "Sizes are binary: 1 GiB = 1,073,741,824 bytes. All pictures have the same "
		    "scales. Pale parts of a stack were not filled all the time.");
	return xml_free(x, err);
}
