/* SPDX-License-Identifier: MIT
 * timeline_frame.h -- where things lie in the picture of a timeline; shared by its parts.
 */
#ifndef REPORTS_TIMELINE_FRAME_H
#define REPORTS_TIMELINE_FRAME_H

#include "passes/timeline.h"
#include "reports/svg.h"

struct timeline_frame {
	const struct timeline *t;
	struct xml *x;
	svg_len width, height;            /* of the whole */
	svg_len left, right, top, bottom; /* of the plot */
	svg_len data_left, data_right;    /* the timeline's part of it, where axes are shared */
	svg_len flags;                    /* tips of the flags above the plot */
	svg_len steps, phases;            /* tops of these rows; 0: none */
	svg_len bands;                    /* top of the first row of annotations */
	svg_len axis;                     /* the horizontal axis: bottom of the last row */
	svg_len readings;                 /* base line of the numbers under the pointer */
	svg_len legend;                   /* left edge of the panel beside the plot; 0: none */
	uint64_t top_bytes;               /* amount at the top of the plot; > 0 */
};

#define BAND_HEIGHT (18 * SVG_PX)

static inline svg_len frame_x(const struct timeline_frame *f, uint64_t position)
{
	return f->data_left + (svg_len)((__uint128_t)position *
					(uint64_t)(f->data_right - f->data_left) / f->t->span);
}

static inline svg_len frame_column_x(const struct timeline_frame *f, size_t column)
{
	return f->data_left +
	       (svg_len)column * (f->data_right - f->data_left) / (svg_len)f->t->series.n_columns;
}

static inline svg_len frame_y(const struct timeline_frame *f, uint64_t bytes)
{
	if (bytes > f->top_bytes)
		bytes = f->top_bytes;
	return f->bottom -
	       (svg_len)((__uint128_t)bytes * (uint64_t)(f->bottom - f->top) / f->top_bytes);
}

/* Blocks from before event 0 are told apart where there are events and such blocks. */
static inline bool timeline_shows_before(const struct timeline *t)
{
	return t->device->n_events > 0 && t->known[TIMELINE_BEFORE] &&
	       t->highest[TIMELINE_BEFORE] > 0;
}

/* What the driver could have given at an oom, with what was reserved; BYTES_NONE when unknown. */
uint64_t timeline_ceiling(const struct timeline_oom *oom);

/* The amounts that lines mark; BYTES_NONE: unknown or not worth a line. */
struct timeline_lines {
	uint64_t ceiling;  /* reserved and free at the last oom, together */
	uint64_t limit;    /* of the process is below: refused although the device had more */
	uint64_t capacity; /* of the device */
};
struct timeline_lines timeline_lines(const struct timeline *t);

/* timeline_series.c: areas and edges. */
void timeline_draw_series(const struct timeline_frame *f);
/* timeline_layers.c: the stack. */
void timeline_draw_stack(const struct timeline_frame *f);
void timeline_draw_layer_names(const struct timeline_frame *f);
/* timeline_readings.c: the numbers under the pointer. */
void timeline_draw_readings(const struct timeline_frame *f);
/* timeline_legend.c */
svg_len timeline_legend_rows(const struct timeline *t, svg_len width); /* height without a panel */
void timeline_draw_legend(const struct timeline_frame *f, svg_len top);
/* timeline_marks.c: peak and ooms, lines, and the annotations. */
void timeline_draw_marks(const struct timeline_frame *f);
void timeline_draw_bands(const struct timeline_frame *f);
/* timeline_steps.c: steps and phases, a row each, where there is room for them. */
bool timeline_shows_steps(const struct timeline *t, svg_len width);
bool timeline_shows_phases(const struct timeline *t, svg_len width);
void timeline_draw_steps(const struct timeline_frame *f);

/* The class of a layer's colour, "layer-3"; the rest is always grey. */
const char *timeline_layer_class(char buf[16], const struct timeline *t, size_t group);
/* A layer's name for people: "Optimizer state", a site cut to `max_chars`. */
#define TIMELINE_LAYER_NAME 512
const char *timeline_layer_name(char buf[TIMELINE_LAYER_NAME], const struct timeline *t,
				size_t group, size_t max_chars);

/* timeline_svg.c: the axes of a plot. `since`: what times count from; NULL: grid lines only. */
void timeline_draw_bytes_axis(const struct timeline_frame *f);
void timeline_draw_position_axis(const struct timeline_frame *f, uint64_t span, const char *since);

#endif
