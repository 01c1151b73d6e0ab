/* SPDX-License-Identifier: MIT
 * diff_picture.c -- the picture of a diff: both timelines over each other, the flame graph below.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/diff_draw.h"
#include "reports/diff_style.h"
#include "reports/ticks.h"

#define LEFT        (84 * SVG_PX)
#define RIGHT       (24 * SVG_PX)
#define PLOT_HEIGHT (280 * SVG_PX)

struct plot {
	struct xml *x;
	const struct diff_picture *p;
	svg_len left, right, top, bottom;
	uint64_t top_bytes;
};

int diff_picture_init(struct diff_picture *p, const struct diff_report *r, struct error *err)
{
	struct budget *budget = r->diff->budget;
	size_t columns = (size_t)((DIFF_WIDTH - LEFT - RIGHT) / SVG_PX);
	int rc;

	*p = (struct diff_picture){.r = r};
	if ((rc = diff_series_init(&p->series, r->diff, r->allocations, r->phases, columns, budget,
				   err)) < 0)
		return rc;
	rc = diff_tree_init(&p->tree, r->diff, budget, err);
	if (rc < 0)
		diff_series_release(&p->series);
	return rc;
}

void diff_picture_release(struct diff_picture *p)
{
	diff_series_release(&p->series);
	diff_tree_release(&p->tree);
}

/* --- timelines --------------------------------------------------------------------------------- */

static svg_len y_of(const struct plot *f, uint64_t bytes)
{
	return f->bottom -
	       (svg_len)((__uint128_t)bytes * (uint64_t)(f->bottom - f->top) / f->top_bytes);
}

static svg_len x_of(const struct plot *f, double place)
{
	return f->left + (svg_len)(place / f->p->series.span * (double)(f->right - f->left));
}

static svg_len column_x(const struct plot *f, const struct reduction *r, size_t c)
{
	return f->left + (svg_len)c * (f->right - f->left) / (svg_len)r->n_columns;
}

/* Columns behind a trace's own end are not its own. */
static size_t last_column(const struct reduction *r)
{
	size_t last = 0;

	for (size_t c = 0; c < r->n_columns; c++) {
		if (r->columns[c].n_events)
			last = c;
	}
	return last;
}

/* The band between the lowest and the highest of each column. */
static void draw_area(const struct plot *f, const struct reduction *r, const char *class)
{
	size_t last = last_column(r);

	svg_path_begin(f->x, class);
	svg_path_move(f->x, f->left, y_of(f, reduce_cell(r, 0, 0)->max));
	for (size_t c = 0; c <= last; c++) {
		svg_path_v(f->x, y_of(f, reduce_cell(r, c, 0)->max));
		svg_path_h(f->x, column_x(f, r, c + 1));
	}
	for (size_t c = last + 1; c-- > 0;) {
		svg_path_v(f->x, y_of(f, reduce_cell(r, c, 0)->min));
		svg_path_h(f->x, column_x(f, r, c));
	}
	svg_path_close(f->x);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static void draw_edge(const struct plot *f, const struct reduction *r, const char *class)
{
	size_t last = last_column(r);

	svg_path_begin(f->x, class);
	svg_path_move(f->x, f->left, y_of(f, reduce_cell(r, 0, 0)->max));
	for (size_t c = 0; c <= last; c++) {
		svg_path_v(f->x, y_of(f, reduce_cell(r, c, 0)->max));
		svg_path_h(f->x, column_x(f, r, c + 1));
	}
	svg_path_end(f->x);
	xml_newline(f->x);
}

static void draw_moment(const struct plot *f, int side)
{
	const struct diff *d = f->p->r->diff;
	const struct diff_side *s = side ? &d->new : &d->base;
	char words[128], bytes[UNITS_BUF];

	if (s->state->totals.allocated == BYTES_NONE)
		return;
	(void)snprintf(words, sizeof words, "%s: compared here, %s allocated",
		       side ? "new" : "base", units_bytes(bytes, s->state->totals.allocated));
	svg_group(f->x, side ? "new-dot" : "base-dot");
	svg_tooltip(f->x, words);
	svg_circle(f->x, side ? "new-dot" : "base-dot", x_of(f, f->p->series.at[side]),
		   y_of(f, s->state->totals.allocated), 45);
	xml_close(f->x);
	xml_newline(f->x);
}

static void draw_bytes_axis(const struct plot *f)
{
	struct ticks ticks;

	ticks_bytes(&ticks, f->top_bytes);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = y_of(f, ticks.at[i].at);

		svg_line(f->x, "grid", f->left, y, f->right, y);
		svg_text(f->x, "muted", SVG_END, f->left - 8 * SVG_PX, y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	xml_newline(f->x);
}

static void draw_axis(const struct plot *f)
{
	const struct diff_series *s = &f->p->series;
	struct ticks ticks = {0};
	char title[96];

	if (s->axis == DIFF_BY_TIME)
		ticks_time(&ticks, (uint64_t)s->span, 10);
	else
		ticks_count(&ticks, 0, (int64_t)s->span, 10);
	for (size_t i = 0; i < ticks.n; i++) {
		/* The place of step 0 is 1: what comes before it stands in front. */
		double place = (double)ticks.at[i].at + (s->axis == DIFF_BY_STEP ? 1 : 0);
		svg_len px = x_of(f, place);

		if (place > s->span)
			continue;
		svg_line(f->x, "grid", px, f->top, px, f->bottom + 5 * SVG_PX);
		svg_text(f->x, "muted", SVG_MIDDLE, px, f->bottom + 19 * SVG_PX, ticks.at[i].label);
	}
	(void)snprintf(title, sizeof title, "%s%s%s",
		       s->axis == DIFF_BY_STEP   ? "step (events inside a step are spread evenly)"
		       : s->axis == DIFF_BY_TIME ? "time since each trace's first event ("
						 : "event number",
		       s->axis == DIFF_BY_TIME ? ticks.unit : "",
		       s->axis == DIFF_BY_TIME ? ")" : "");
	svg_text(f->x, "muted", SVG_MIDDLE, (f->left + f->right) / 2, f->bottom + 36 * SVG_PX,
		 title);
	xml_newline(f->x);
}

static void draw_timelines(const struct plot *f)
{
	const struct diff_series *s = &f->p->series;
	bool same_trace = f->p->r->diff->base.model == f->p->r->diff->new.model;

	svg_rect(f->x, "plot", f->left, f->top, f->right - f->left, f->bottom - f->top);
	xml_newline(f->x);
	draw_bytes_axis(f);
	draw_axis(f);
	if (!same_trace)
		draw_area(f, &s->side[0], "base-area");
	draw_area(f, &s->side[1], same_trace ? "base-area" : "new-area");
	if (!same_trace)
		draw_edge(f, &s->side[0], "base-edge");
	draw_edge(f, &s->side[1], same_trace ? "base-edge" : "new-edge");
	draw_moment(f, 0);
	draw_moment(f, 1);
	svg_path_begin(f->x, "frame");
	svg_path_move(f->x, f->left, f->top);
	svg_path_v(f->x, f->bottom);
	svg_path_h(f->x, f->right);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static svg_len draw_key(struct xml *x, svg_len at, svg_len base, const char *class,
			const char *words)
{
	svg_rect(x, class, at, base - 10 * SVG_PX, 12 * SVG_PX, 11 * SVG_PX);
	svg_text(x, "small", SVG_START, at + 17 * SVG_PX, base, words);
	return at + 34 * SVG_PX + svg_label_width(strlen(words)) * 9 / 10;
}

static svg_len draw_line_key(struct xml *x, svg_len at, svg_len base, const char *class,
			     const char *words)
{
	svg_line(x, class, at, base - 4 * SVG_PX, at + 20 * SVG_PX, base - 4 * SVG_PX);
	svg_text(x, "small", SVG_START, at + 26 * SVG_PX, base, words);
	return at + 44 * SVG_PX + svg_label_width(strlen(words)) * 9 / 10;
}

static void draw_timeline_legend(const struct plot *f)
{
	svg_len base = f->top - 12 * SVG_PX, at = f->left;

	if (f->p->r->diff->base.model == f->p->r->diff->new.model) {
		at = draw_line_key(f->x, at, base, "base-edge", "allocated");
	} else {
		at = draw_line_key(f->x, at, base, "base-edge", "base: allocated");
		at = draw_line_key(f->x, at, base, "new-edge", "new");
	}
	svg_circle(f->x, "base-dot", at + 6 * SVG_PX, base - 4 * SVG_PX, 45);
	svg_circle(f->x, "new-dot", at + 20 * SVG_PX, base - 4 * SVG_PX, 45);
	svg_text(f->x, "small", SVG_START, at + 31 * SVG_PX, base, "the moments compared");
	xml_newline(f->x);
}

static void draw_flame_legend(struct xml *x, svg_len left, svg_len base)
{
	svg_len at = left;

	svg_text(x, "part", SVG_START, at, base, "Who holds it, from the outermost call down");
	at += 330 * SVG_PX;
	at = draw_key(x, at, base, "grew-4", "grew");
	at = draw_key(x, at, base, "grew-1", "grew a little");
	at = draw_key(x, at, base, "same", "same");
	at = draw_key(x, at, base, "shrank-1", "shrank a little");
	(void)draw_key(x, at, base, "shrank-4", "shrank");
	xml_newline(x);
}

/* --- the whole --------------------------------------------------------------------------------- */

void diff_picture_draw(struct xml *x, const struct diff_picture *p, bool stands_alone)
{
	const struct diff *d = p->r->diff;
	svg_len y = (stands_alone ? 50 : 0) * SVG_PX, flame, height;
	struct plot f = {.x = x, .p = p, .left = LEFT, .right = DIFF_WIDTH - RIGHT};
	char base[UNITS_BUF], new[UNITS_BUF], delta[UNITS_BUF + 1], desc[256];

	f.top = y + 36 * SVG_PX;
	f.bottom = f.top + PLOT_HEIGHT;
	f.top_bytes = p->series.highest + p->series.highest / 14 + 1;
	flame = f.bottom + 84 * SVG_PX;
	height = flame + diff_flame_height(&p->tree) + 14 * SVG_PX;
	(void)snprintf(
		desc, sizeof desc, "From %s to %s: %s.", units_bytes(base, d->sides[0].total_bytes),
		units_bytes(new, d->sides[1].total_bytes),
		diff_words_delta(NULL, delta, d->sides[0].total_bytes, d->sides[1].total_bytes));
	svg_begin(x, DIFF_WIDTH, height, "What changed in GPU memory", desc,
		  stands_alone ? DIFF_PICTURE_STYLE : NULL);
	svg_rect(x, "paper", 0, 0, DIFF_WIDTH, height);
	xml_newline(x);
	if (stands_alone) {
		svg_text(x, "headline", SVG_START, f.left, 26 * SVG_PX,
			 "What changed in GPU memory");
		svg_text(x, "muted", SVG_START, f.left, 44 * SVG_PX, desc);
	}
	draw_timeline_legend(&f);
	draw_timelines(&f);
	draw_flame_legend(x, 24 * SVG_PX, flame - 12 * SVG_PX);
	diff_flame_draw(x, p, 24 * SVG_PX, DIFF_WIDTH - RIGHT, flame);
	xml_close(x);
	xml_newline(x);
}

int diff_write_svg(struct out *to, const struct diff_report *r, struct error *err)
{
	struct diff_picture p;
	struct xml *x;
	int rc = diff_picture_init(&p, r, err);

	if (rc < 0)
		return rc;
	if ((rc = xml_new(&x, XML_PLAIN, to, err)) == 0) {
		diff_picture_draw(x, &p, true);
		rc = xml_free(x, err);
	}
	diff_picture_release(&p);
	return rc;
}
