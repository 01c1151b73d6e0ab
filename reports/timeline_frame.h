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
	svg_len flags;                    /* tips of the flags above the plot */
	svg_len bands;                    /* top of the first row of annotations */
	svg_len axis;                     /* the horizontal axis: bottom of the last row */
	svg_len readings;                 /* base line of the numbers under the pointer */
	uint64_t top_bytes;               /* amount at the top of the plot; > 0 */
};

#define BAND_HEIGHT (18 * SVG_PX)

static inline svg_len frame_x(const struct timeline_frame *f, uint64_t position)
{
	return f->left +
	       (svg_len)((__uint128_t)position * (uint64_t)(f->right - f->left) / f->t->span);
}

static inline svg_len frame_column_x(const struct timeline_frame *f, size_t column)
{
	return f->left + (svg_len)column * (f->right - f->left) / (svg_len)f->t->series.n_columns;
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

/* timeline_series.c: areas and edges, and the numbers under the pointer. */
void timeline_draw_series(const struct timeline_frame *f);
void timeline_draw_readings(const struct timeline_frame *f);
/* timeline_marks.c: peak and ooms, and the annotations. */
void timeline_draw_marks(const struct timeline_frame *f);
void timeline_draw_bands(const struct timeline_frame *f);

#endif
