/* SPDX-License-Identifier: MIT
 * svg.h -- drawing primitives over xml.h.
 *
 * Lengths are whole tenths of a picture unit (a CSS pixel at full size): integers, so that the same
 * input gives the same bytes on every machine. Looks come from classes; a `style` attribute would
 * be refused by the page's policy.
 */
#ifndef REPORTS_SVG_H
#define REPORTS_SVG_H

#include <stdint.h>

#include "reports/xml.h"

#define SVG_PX 10 /* tenths in a unit */

typedef int64_t svg_len;

/* The <svg> element with its accessible name and description; xml_close ends it. `style` is a
 * constant style sheet for a picture that stands alone, or NULL. */
void svg_begin(struct xml *x, svg_len width, svg_len height, const char *title, const char *desc,
	       const char *style);

/* <g class=...>; xml_close ends it. */
void svg_group(struct xml *x, const char *class);
/* What a pointer that rests on the enclosing element shows; first child of a group. */
void svg_tooltip(struct xml *x, const char *text);

void svg_line(struct xml *x, const char *class, svg_len x1, svg_len y1, svg_len x2, svg_len y2);
void svg_rect(struct xml *x, const char *class, svg_len left, svg_len top, svg_len width,
	      svg_len height);
void svg_circle(struct xml *x, const char *class, svg_len cx, svg_len cy, svg_len r);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };
void svg_text(struct xml *x, const char *class, enum svg_anchor anchor, svg_len left, svg_len base,
	      const char *text);

/* A path, written as it goes: begin, then moves, horizontal and vertical lines (all absolute). */
void svg_path_begin(struct xml *x, const char *class);
void svg_path_move(struct xml *x, svg_len px, svg_len py);
void svg_path_line(struct xml *x, svg_len px, svg_len py);
void svg_path_h(struct xml *x, svg_len px);
void svg_path_v(struct xml *x, svg_len py);
void svg_path_close(struct xml *x);
void svg_path_end(struct xml *x);

/* Units that `n` characters of the small label font take, roughly and rather too many. */
svg_len svg_label_width(size_t n);

#endif
