/* SPDX-License-Identifier: MIT
 * diff_draw.h -- the parts of a diff's picture; for diff_picture.c, diff_flame.c and diff_html.c.
 */
#ifndef REPORTS_DIFF_DRAW_H
#define REPORTS_DIFF_DRAW_H

#include "passes/diff_series.h"
#include "passes/diff_tree.h"
#include "reports/diff_report.h"
#include "reports/svg.h"

#define DIFF_WIDTH (1200 * SVG_PX)

struct diff_picture {
	const struct diff_report *r;
	struct diff_series series;
	struct diff_tree tree;
};

int diff_picture_init(struct diff_picture *p, const struct diff_report *r, struct error *err);
void diff_picture_release(struct diff_picture *p);
/* The <svg> element; with a style and a heading of its own when it stands alone. */
void diff_picture_draw(struct xml *x, const struct diff_picture *p, bool stands_alone);

/* diff_flame.c: the tree from `top` on; and how much room it takes. */
svg_len diff_flame_height(const struct diff_tree *t);
void diff_flame_draw(struct xml *x, const struct diff_picture *p, svg_len left, svg_len right,
		     svg_len top);

#endif
