/* SPDX-License-Identifier: MIT
 * batch_picture.c -- the memory of a group of ranks in one picture.
 */
#include "reports/batch_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "reports/batch_report.h"
#include "reports/page.h"
#include "reports/svg.h"
#include "reports/ticks.h"

#define WIDTH  900
#define HEIGHT 260
#define LEFT   90
#define RIGHT  16
#define TOP    14
#define BOTTOM 34

#define MAX_PLACES 600 /* across; more steps share one */
#define MAX_LINES  12  /* outliers that are drawn */
#define COLOURS    6

struct level {
	int64_t low, high; /* -1: no file has a value */
	int64_t median;    /* -1: less than half of the files have one */
};

struct picture {
	const struct batch *b;
	const struct batch_groups *g;
	const struct batch_group *group;
	bool by_step;
	size_t n_steps, share; /* steps in a place */
	struct level levels[MAX_PLACES];
	size_t n;
	uint64_t top; /* bytes */
};

static bool int_less(const int64_t *a, const int64_t *b, const void *ctx)
{
	(void)ctx;
	return *a < *b;
}
SORT_DEFINE(sort_ints, int64_t, int_less)

/* The peak of a step, -1 when the file has not the whole of it; without steps a part's highest. */
static int64_t step_value(const struct picture *p, size_t file, size_t step)
{
	enum batch_table_id t = p->by_step ? BATCH_STEPS : BATCH_POINTS;
	size_t first, n = batch_rows_of(p->b, t, file, &first);

	if (step >= n)
		return -1;
	if (!p->by_step)
		return batch_int(p->b, t, first + step, POINTS_ALLOCATED, -1);
	return batch_int(p->b, t, first + step, STEPS_WHOLE, 0)
		       ? batch_int(p->b, t, first + step, STEPS_PEAK, -1)
		       : -1;
}

static int64_t value_at(const struct picture *p, size_t file, size_t place)
{
	int64_t highest = -1;

	for (size_t s = place * p->share; s < (place + 1) * p->share && s < p->n_steps; s++) {
		int64_t v = step_value(p, file, s);

		highest = v > highest ? v : highest;
	}
	return highest;
}

/* By step when half of the files have two of them and more. */
static void choose_axis(struct picture *p)
{
	size_t with_steps = 0, first, n;

	for (size_t i = 0; i < p->group->files.n; i++)
		with_steps += batch_rows_of(p->b, BATCH_STEPS, p->group->files.at[i], &first) > 1;
	p->by_step = 2 * with_steps >= p->group->files.n;
	for (size_t i = 0; i < p->group->files.n; i++) {
		n = batch_rows_of(p->b, p->by_step ? BATCH_STEPS : BATCH_POINTS,
				  p->group->files.at[i], &first);
		p->n_steps = n > p->n_steps ? n : p->n_steps;
	}
	p->share = (p->n_steps + MAX_PLACES - 1) / MAX_PLACES;
	p->n = p->share ? (p->n_steps + p->share - 1) / p->share : 0;
}

/* False: out of memory. */
static bool measure(struct picture *p)
{
	int64_t *values = calloc(p->group->files.n, sizeof *values);

	for (size_t s = 0; s < p->n && values; s++) {
		size_t n = 0;

		for (size_t i = 0; i < p->group->files.n; i++) {
			int64_t v = value_at(p, p->group->files.at[i], s);

			if (v >= 0)
				values[n++] = v;
		}
		p->levels[s] = (struct level){.low = -1, .high = -1, .median = -1};
		if (!n)
			continue;
		sort_ints(values, n, NULL);
		p->levels[s] =
			(struct level){.low = values[0],
				       .high = values[n - 1],
				       .median = 2 * n >= p->group->files.n ? values[n / 2] : -1};
		if ((uint64_t)values[n - 1] > p->top)
			p->top = (uint64_t)values[n - 1];
	}
	free(values);
	return values != NULL;
}

static svg_len across(const struct picture *p, size_t place)
{
	size_t last = p->n > 1 ? p->n - 1 : 1;

	return SVG_PX * LEFT + (svg_len)(place * SVG_PX * (WIDTH - LEFT - RIGHT) / last);
}

static svg_len down(const struct picture *p, int64_t bytes)
{
	double share = p->top ? (double)bytes / (double)p->top : 0;

	return SVG_PX * TOP + (svg_len)((1 - share) * SVG_PX * (HEIGHT - TOP - BOTTOM));
}

static void axes(struct xml *x, const struct picture *p)
{
	svg_len under = down(p, 0) + 20 * SVG_PX;
	struct ticks ticks;
	char words[48];

	ticks_bytes(&ticks, p->top);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = down(p, (int64_t)ticks.at[i].at);

		svg_line(x, i ? "grid" : "axis", SVG_PX * LEFT, y, SVG_PX * (WIDTH - RIGHT), y);
		svg_text(x, "label", SVG_END, SVG_PX * (LEFT - 8), y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	svg_text(x, "label", SVG_START, SVG_PX * LEFT, under,
		 p->by_step ? "step 0" : "start of the recording");
	snprintf(words, sizeof words, "step %zu", p->n_steps - 1);
	svg_text(x, "label", SVG_END, SVG_PX * (WIDTH - RIGHT), under, p->by_step ? words : "end");
}

/* Places without any value are crossed. */
static void range(struct xml *x, const struct picture *p)
{
	bool open = false;

	svg_path_begin(x, "range");
	for (size_t s = 0; s < p->n; s++) {
		if (p->levels[s].high < 0)
			continue;
		if (open)
			svg_path_line(x, across(p, s), down(p, p->levels[s].high));
		else
			svg_path_move(x, across(p, s), down(p, p->levels[s].high));
		open = true;
	}
	for (size_t s = p->n; s-- > 0;) {
		if (p->levels[s].high >= 0)
			svg_path_line(x, across(p, s), down(p, p->levels[s].low));
	}
	svg_path_close(x);
	svg_path_end(x);
}

/* A file's line, or the median's with SIZE_MAX. */
static void line(struct xml *x, const struct picture *p, size_t file, const char *class)
{
	bool open = false;

	svg_path_begin(x, class);
	for (size_t s = 0; s < p->n; s++) {
		int64_t v = file == SIZE_MAX ? p->levels[s].median : value_at(p, file, s);

		if (v >= 0 && open)
			svg_path_line(x, across(p, s), down(p, v));
		else if (v >= 0)
			svg_path_move(x, across(p, s), down(p, v));
		open = v >= 0 || (open && file == SIZE_MAX);
	}
	svg_path_end(x);
}

static bool has_line(const struct picture *p, size_t file)
{
	for (size_t s = 0; s < p->n; s++) {
		if (value_at(p, file, s) >= 0)
			return true;
	}
	return false;
}

static bool in_group(const struct picture *p, size_t file)
{
	const char *name = batch_text(p->b, BATCH_FILES, file, FILES_GROUP);

	return name && !strcmp(name, p->group->name);
}

/* The first departure of each outlier of the group that has a line; *n of them, at most MAX_LINES
 * into `out`. */
static size_t find_outliers(const struct picture *p, const struct batch_outlier *out[MAX_LINES])
{
	size_t n = 0;

	for (size_t i = 0; i < p->g->outliers.n; i++) {
		const struct batch_outlier *o = &p->g->outliers.at[i];

		if ((i && p->g->outliers.at[i - 1].file == o->file) || !in_group(p, o->file) ||
		    !has_line(p, o->file))
			continue;
		if (n < MAX_LINES)
			out[n] = o;
		n++;
	}
	return n;
}

static const char *line_class(size_t i, char buf[8])
{
	snprintf(buf, 8, "o%zu", i % COLOURS);
	return buf;
}

static void key(struct xml *x, const char *class, const char *name, const char *words)
{
	xml_open(x, "li");
	xml_open(x, "svg");
	xml_attr(x, "viewBox", "0 0 12 12");
	xml_attr(x, "aria-hidden", "true");
	svg_line(x, class, 0, 6 * SVG_PX, 12 * SVG_PX, 6 * SVG_PX);
	xml_close(x);
	if (*name) {
		page_element(x, "b", "name", name);
		xml_text(x, ": ");
	}
	xml_text(x, words);
	xml_close(x);
	xml_newline(x);
}

static void keys(struct xml *x, const struct picture *p,
		 const struct batch_outlier *const lines[MAX_LINES], size_t n, size_t cut)
{
	char words[2400], class[8];

	page_open(x, "ul", "keys lines");
	key(x, "median", "", "the median; around it all from the lowest to the highest");
	for (size_t i = 0; i < n && i < MAX_LINES; i++)
		key(x, line_class(i, class), batch_name(p->b, lines[i]->file) + cut,
		    batch_outlier_words(lines[i], words, sizeof words));
	if (n > MAX_LINES) {
		snprintf(words, sizeof words, "%zu more outliers are not drawn", n - MAX_LINES);
		xml_element(x, "li", words);
	}
	xml_close(x);
	xml_newline(x);
}

void batch_draw_group(struct xml *x, const struct batch *b, const struct batch_groups *g,
		      const struct batch_group *group, size_t cut)
{
	struct picture p = {.b = b, .g = g, .group = group};
	const struct batch_outlier *lines[MAX_LINES];
	char words[200], files[UNITS_BUF], class[8];
	size_t n;

	if (group->files.n < BATCH_GROUP_MIN)
		return;
	choose_axis(&p);
	if (p.n < 2 || !measure(&p) || !p.top)
		return;
	n = find_outliers(&p, lines);
	snprintf(words, sizeof words, "%s: lowest, median and highest %s%s.",
		 units_noun(files, sizeof files, group->files.n, "file", "files"),
		 p.by_step ? "peak of each step" : "memory over the recording",
		 p.share > 1 ? ", several steps in one place" : "");
	page_paragraph(x, "scope", words);
	xml_open(x, "figure");
	xml_open(x, "svg");
	xml_attr_begin(x, "viewBox");
	xml_printf(x, "0 0 %d %d", WIDTH, HEIGHT);
	xml_attr_end(x);
	xml_attr(x, "role", "img");
	xml_attr(x, "aria-label", words);
	axes(x, &p);
	range(x, &p);
	line(x, &p, SIZE_MAX, "median");
	for (size_t i = 0; i < n && i < MAX_LINES; i++)
		line(x, &p, lines[i]->file, line_class(i, class));
	xml_close(x);
	xml_close(x);
	xml_newline(x);
	keys(x, &p, lines, n, cut);
}
