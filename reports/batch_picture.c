/* SPDX-License-Identifier: MIT
 * batch_picture.c -- the steps of a group of ranks in one picture.
 */
#include "reports/batch_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "reports/emit.h"
#include "reports/svg.h"

#define WIDTH     900
#define HEIGHT    260
#define LEFT      90
#define RIGHT     16
#define TOP       14
#define BOTTOM    34
#define MAX_STEPS 600
#define MAX_FILES 4096

struct level {
	int64_t low, median, high;
};

struct picture {
	const struct batch *b;
	const struct batch_group *group;
	struct level levels[MAX_STEPS];
	size_t n;
	int64_t highest;
};

static bool int_less(const int64_t *a, const int64_t *b, const void *ctx)
{
	(void)ctx;
	return *a < *b;
}
SORT_DEFINE(sort_ints, int64_t, int_less)

static int64_t step_peak(const struct batch *b, size_t file, size_t step)
{
	size_t first, n = batch_rows_of(b, BATCH_STEPS, file, &first);

	return step < n ? batch_int(b, BATCH_STEPS, first + step, STEPS_PEAK, -1) : -1;
}

static void measure(struct picture *p)
{
	int64_t values[MAX_FILES];

	for (size_t s = 0; s < MAX_STEPS; s++) {
		size_t n = 0;

		for (size_t i = 0; i < p->group->files.n && n < MAX_FILES; i++) {
			int64_t v = step_peak(p->b, p->group->files.at[i], s);

			if (v >= 0)
				values[n++] = v;
		}
		if (!n)
			return;
		sort_ints(values, n, NULL);
		p->levels[p->n++] = (struct level){values[0], values[n / 2], values[n - 1]};
		if (values[n - 1] > p->highest)
			p->highest = values[n - 1];
	}
}

static svg_len across(const struct picture *p, size_t step)
{
	size_t last = p->n > 1 ? p->n - 1 : 1;

	return SVG_PX * LEFT + (svg_len)(step * SVG_PX * (WIDTH - LEFT - RIGHT) / last);
}

static svg_len down(const struct picture *p, int64_t bytes)
{
	double share = p->highest ? (double)bytes / (double)p->highest : 0;

	return SVG_PX * TOP + (svg_len)((1 - share) * SVG_PX * (HEIGHT - TOP - BOTTOM));
}

static void axes(struct xml *x, const struct picture *p)
{
	char words[UNITS_BUF];
	svg_len base = down(p, 0);

	for (int i = 0; i <= 4; i++) {
		int64_t bytes = p->highest / 4 * i;

		svg_line(x, i ? "grid" : "axis", SVG_PX * LEFT, down(p, bytes),
			 SVG_PX * (WIDTH - RIGHT), down(p, bytes));
		svg_text(x, "label", SVG_END, SVG_PX * (LEFT - 8), down(p, bytes) + 4 * SVG_PX,
			 units_bytes(words, (uint64_t)bytes));
	}
	svg_text(x, "label", SVG_START, SVG_PX * LEFT, base + 20 * SVG_PX, "step 0");
	snprintf(words, sizeof words, "step %zu", p->n - 1);
	svg_text(x, "label", SVG_END, SVG_PX * (WIDTH - RIGHT), base + 20 * SVG_PX, words);
}

static void range(struct xml *x, const struct picture *p)
{
	svg_path_begin(x, "range");
	svg_path_move(x, across(p, 0), down(p, p->levels[0].high));
	for (size_t s = 1; s < p->n; s++)
		svg_path_line(x, across(p, s), down(p, p->levels[s].high));
	for (size_t s = p->n; s-- > 0;)
		svg_path_line(x, across(p, s), down(p, p->levels[s].low));
	svg_path_close(x);
	svg_path_end(x);
	svg_path_begin(x, "median");
	svg_path_move(x, across(p, 0), down(p, p->levels[0].median));
	for (size_t s = 1; s < p->n; s++)
		svg_path_line(x, across(p, s), down(p, p->levels[s].median));
	svg_path_end(x);
}

static void outlier(struct xml *x, const struct picture *p, size_t file)
{
	const char *name = batch_text(p->b, BATCH_FILES, file, FILES_NAME);

	svg_group(x, "rank");
	svg_tooltip(x, name ? name : "");
	svg_path_begin(x, "outlier");
	for (size_t s = 0; s < p->n; s++) {
		int64_t v = step_peak(p->b, file, s);

		if (v < 0)
			break;
		if (s)
			svg_path_line(x, across(p, s), down(p, v));
		else
			svg_path_move(x, across(p, s), down(p, v));
	}
	svg_path_end(x);
	xml_close(x);
}

static bool in_group(const struct batch_group *group, size_t file)
{
	for (size_t i = 0; i < group->files.n; i++) {
		if (group->files.at[i] == file)
			return true;
	}
	return false;
}

void batch_draw_group(struct xml *x, const struct batch *b, const struct batch_groups *g,
		      const struct batch_group *group)
{
	struct picture p = {.b = b, .group = group};

	if (group->files.n < BATCH_GROUP_MIN)
		return;
	measure(&p);
	if (p.n < 2)
		return;
	xml_open(x, "figure");
	svg_begin(x, SVG_PX * WIDTH, SVG_PX * HEIGHT, "Peak of each step over the ranks",
		  "A band from the lowest to the highest rank, the median as a line, outliers as "
		  "lines of their own.",
		  NULL);
	axes(x, &p);
	range(x, &p);
	for (size_t i = 0; i < g->outliers.n; i++) {
		size_t file = g->outliers.at[i].file;

		if ((i == 0 || g->outliers.at[i - 1].file != file) && in_group(group, file) &&
		    step_peak(b, file, 0) >= 0)
			outlier(x, &p, file);
	}
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}
