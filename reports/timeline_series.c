/* SPDX-License-Identifier: MIT
 * timeline_series.c -- the areas of a timeline's picture, drawn as steps.
 *
 * Within a column the value lay between min and max. The area below min was filled all the time
 * and is drawn full, the one up to max was reached and is drawn light, and the edge follows max: a
 * spike of a single event is one column wide and as high as it was.
 */
#include "reports/timeline_frame.h"

enum envelope { ENVELOPE_MIN, ENVELOPE_MAX };

static svg_len column_y(const struct timeline_frame *f, size_t column, enum timeline_series s,
			enum envelope e)
{
	const struct reduce_cell *c = reduce_cell(&f->t->series, column, s);
	uint64_t v = e == ENVELOPE_MIN ? c->min : c->max;

	return frame_y(f, v == BYTES_NONE ? 0 : v);
}

/* One run of columns of the same height becomes one horizontal line. */
static void draw_steps(const struct timeline_frame *f, enum timeline_series s, enum envelope e)
{
	svg_len y = column_y(f, 0, s, e);

	svg_path_move(f->x, f->data_left, y);
	for (size_t c = 1; c < f->t->series.n_columns; c++) {
		svg_len next = column_y(f, c, s, e);

		if (next == y)
			continue;
		svg_path_h(f->x, frame_column_x(f, c));
		svg_path_v(f->x, next);
		y = next;
	}
	svg_path_h(f->x, f->data_right);
}

static void draw_area(const struct timeline_frame *f, const char *class, enum timeline_series s,
		      enum envelope e)
{
	svg_path_begin(f->x, class);
	draw_steps(f, s, e);
	svg_path_v(f->x, f->bottom);
	svg_path_h(f->x, f->data_left);
	svg_path_close(f->x);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static void draw_edge(const struct timeline_frame *f, const char *class, enum timeline_series s)
{
	svg_path_begin(f->x, class);
	draw_steps(f, s, ENVELOPE_MAX);
	svg_path_end(f->x);
	xml_newline(f->x);
}

void timeline_draw_series(const struct timeline_frame *f)
{
	const struct timeline *t = f->t;

	if (t->known[TIMELINE_RESERVED]) {
		draw_area(f, "reserved", TIMELINE_RESERVED, ENVELOPE_MAX);
		draw_edge(f, "reserved-edge", TIMELINE_RESERVED);
	}
	if (!t->known[TIMELINE_ALLOCATED])
		return;
	if (t->highest_pending > 0)
		draw_area(f, "active", TIMELINE_ACTIVE, ENVELOPE_MAX);
	if (timeline_has_stack(t)) {
		timeline_draw_stack(f);
		draw_edge(f, "stack-edge", TIMELINE_ALLOCATED);
		return;
	}
	draw_area(f, "allocated", TIMELINE_ALLOCATED, ENVELOPE_MAX);
	draw_area(f, "held", TIMELINE_ALLOCATED, ENVELOPE_MIN);
	if (timeline_shows_before(t))
		draw_area(f, "before", TIMELINE_BEFORE, ENVELOPE_MIN);
	draw_edge(f, "allocated-edge", TIMELINE_ALLOCATED);
}
