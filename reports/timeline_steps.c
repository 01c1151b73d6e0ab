/* SPDX-License-Identifier: MIT
 * timeline_steps.c -- steps and phases of a program under a timeline's picture, a row each.
 *
 * They are drawn where they can be told apart: rows of slivers say nothing. Where annotations name
 * them already, those are enough.
 */
#include "reports/timeline_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passes/phases.h"
#include "reports/emit.h"

/* Width that one step, one phase needs on average. */
#define STEP_ROOM  (5 * SVG_PX)
#define PHASE_ROOM (5 * SVG_PX)
/* More of them would hide the picture behind lines. */
#define MAX_STEP_LINES 80

static bool named_already(const struct timeline *t)
{
	return t->bands.n_rows > 0 &&
	       (t->phases->source == STEPS_ANNOTATION || t->phases->source == STEPS_MARKER);
}

static bool in_window(const struct timeline *t, int64_t first, int64_t last)
{
	return last > t->from && first <= t->to;
}

static size_t steps_shown(const struct timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->phases->steps.n; i++)
		n += in_window(t, t->phases->steps.at[i].first_event,
			       t->phases->steps.at[i].last_event);
	return n;
}

bool timeline_shows_steps(const struct timeline *t, svg_len width)
{
	size_t n = t->phases ? steps_shown(t) : 0;

	return n > 0 && !named_already(t) && width / (svg_len)n >= STEP_ROOM;
}

bool timeline_shows_phases(const struct timeline *t, svg_len width)
{
	size_t n = 0;

	if (!t->phases || named_already(t))
		return false;
	for (size_t i = 0; i < t->phases->runs.n; i++)
		n += in_window(t, t->phases->runs.at[i].first_event,
			       t->phases->runs.at[i].last_event);
	return n > 0 && width / (svg_len)n >= PHASE_ROOM;
}

static void row_name(const struct timeline_frame *f, svg_len top, const char *name)
{
	svg_text(f->x, "muted", SVG_END, f->left - 8 * SVG_PX, top + 12 * SVG_PX, name);
}

static void draw_span(const struct timeline_frame *f, const char *class, svg_len top, int64_t first,
		      int64_t last, const char *name, const char *short_name)
{
	svg_len left = frame_x(f, timeline_position_of_event(f->t, first - 1));
	svg_len right = frame_x(f, timeline_position_of_event(f->t, last));
	svg_len width = right - left, room = width - 4 * SVG_PX;
	const char *words = room >= svg_label_width(strlen(name)) ? name : short_name;

	if (width < 5)
		return;
	svg_group(f->x, "annotation");
	svg_tooltip(f->x, name);
	svg_rect(f->x, class, left, top, width, BAND_HEIGHT - SVG_PX);
	if (words[0] && room >= svg_label_width(strlen(words)))
		svg_text(f->x, "band-name", SVG_MIDDLE, (left + right) / 2, top + 12 * SVG_PX + 5,
			 words);
	xml_close(f->x);
	xml_newline(f->x);
}

static void draw_steps_row(const struct timeline_frame *f)
{
	const struct phases *p = f->t->phases;

	row_name(f, f->steps, "steps");
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct training_step *s = &p->steps.at[i];
		char name[64], number[24], class[24];

		if (!in_window(f->t, s->first_event, s->last_event))
			continue;
		(void)snprintf(name, sizeof name, "step %zu%s", i, s->whole ? "" : " (not whole)");
		(void)snprintf(number, sizeof number, "%zu", i);
		(void)snprintf(class, sizeof class, "band step-%zu", i % 2);
		draw_span(f, class, f->steps, s->first_event, s->last_event, name, number);
	}
}

static const char *phase_class(enum phase p)
{
	switch (p) {
	case PHASE_FORWARD:
		return "band forward";
	case PHASE_BACKWARD:
		return "band backward";
	case PHASE_OPTIMIZER:
		return "band optimizer";
	default:
		return "band other-phase";
	}
}

static void draw_phases_row(const struct timeline_frame *f)
{
	const struct phases *p = f->t->phases;

	row_name(f, f->phases, "phases");
	for (size_t i = 0; i < p->runs.n; i++) {
		const struct phase_run *r = &p->runs.at[i];

		if (in_window(f->t, r->first_event, r->last_event))
			draw_span(f, phase_class(r->phase), f->phases, r->first_event,
				  r->last_event, phase_name(r->phase), "");
	}
}

/* Where steps begin, across the plot. */
static void draw_step_lines(const struct timeline_frame *f)
{
	const struct phases *p = f->t->phases;

	if (steps_shown(f->t) > MAX_STEP_LINES)
		return;
	for (size_t i = 0; i < p->steps.n; i++) {
		int64_t first = p->steps.at[i].first_event;
		svg_len px;

		if (first <= f->t->from + 1 || first > f->t->to)
			continue;
		px = frame_x(f, timeline_position_of_event(f->t, first - 1));
		svg_line(f->x, "step-line", px, f->top, px, f->bottom);
	}
	xml_newline(f->x);
}

void timeline_draw_steps(const struct timeline_frame *f)
{
	if (!f->t->phases)
		return;
	draw_step_lines(f);
	if (f->steps)
		draw_steps_row(f);
	if (f->phases)
		draw_phases_row(f);
}
