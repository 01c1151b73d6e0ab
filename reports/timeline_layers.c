/* SPDX-License-Identifier: MIT
 * timeline_layers.c -- the stack of a timeline's picture: a layer for each group, in exact bytes.
 *
 * Layers are drawn from the top of the stack down, each from its upper edge to the ground, so that
 * no seam of the paper shows between two. Within a column the stack is that of its highest moment;
 * a veil lies over what was not filled all the time.
 */
#include "reports/timeline_frame.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "reports/clean.h"

const char *timeline_layer_class(char buf[16], const struct timeline *t, size_t group)
{
	const struct timeline_groups *g = t->stack.groups;
	size_t colour = group == g->rest ? TIMELINE_MAX_GROUPS - 1 : group;

	assert(colour < TIMELINE_MAX_GROUPS);
	(void)snprintf(buf, 16, "layer-%zu", colour);
	return buf;
}

/* "train.py:12 main" of "/home/me/train.py:12 main". */
static const char *without_folders(const char *site)
{
	const char *from = site;

	for (const char *p = site; *p && *p != ':'; p++) {
		if (*p == '/')
			from = p + 1;
	}
	return from;
}

const char *timeline_layer_name(char buf[TIMELINE_LAYER_NAME], const struct timeline *t,
				size_t group, size_t max_chars)
{
	static const char *const words[CATEGORY_COUNT] = {
		[CATEGORY_PARAMETER] = "Parameters",
		[CATEGORY_OPTIMIZER_STATE] = "Optimizer state",
		[CATEGORY_INPUT] = "Inputs",
		[CATEGORY_TEMPORARY] = "Temporaries",
		[CATEGORY_ACTIVATION] = "Activations",
		[CATEGORY_GRADIENT] = "Gradients",
		[CATEGORY_AUTOGRAD_DETAIL] = "Autograd detail",
		[CATEGORY_UNKNOWN] = "Unknown",
	};
	const struct timeline_group *x = &t->stack.groups->of[group];
	char name[TIMELINE_GROUP_NAME];
	const char *from;

	if (x->kind == GROUP_OF_CATEGORY)
		return words[x->category];
	assert((max_chars + 1) * CLEAN_MAX <= TIMELINE_LAYER_NAME);
	from = timeline_group_name(t->stack.groups, group, name);
	if (x->kind == GROUP_OF_SITE && strlen(from) > max_chars)
		from = without_folders(from);
	return clean_elide(buf, TIMELINE_LAYER_NAME, from, strlen(from), max_chars);
}

/* --- areas ------------------------------------------------------------------------------------- */

/* Bytes up to the upper edge of a layer. */
static uint64_t layer_top(const struct timeline *t, size_t column, size_t group)
{
	const struct stack_column *c = &t->stack.columns[column];
	uint64_t sum = 0;

	for (size_t g = 0; g <= group; g++)
		sum += c->bytes[g];
	return sum;
}

static void draw_layer(const struct timeline_frame *f, size_t group)
{
	const struct timeline *t = f->t;
	svg_len y = frame_y(f, layer_top(t, 0, group));
	char class[16];

	if (t->stack.highest[group] == 0)
		return;
	svg_path_begin(f->x, timeline_layer_class(class, t, group));
	svg_path_move(f->x, f->data_left, f->bottom);
	svg_path_v(f->x, y);
	for (size_t c = 1; c < t->series.n_columns; c++) {
		svg_len next = frame_y(f, layer_top(t, c, group));

		if (next == y)
			continue;
		svg_path_h(f->x, frame_column_x(f, c));
		svg_path_v(f->x, next);
		y = next;
	}
	svg_path_h(f->x, f->data_right);
	svg_path_v(f->x, f->bottom);
	svg_path_close(f->x);
	svg_path_end(f->x);
	xml_newline(f->x);
}

static svg_len column_low(const struct timeline_frame *f, size_t column)
{
	uint64_t v = reduce_cell(&f->t->series, column, TIMELINE_ALLOCATED)->min;

	return frame_y(f, v == BYTES_NONE ? 0 : v);
}

static svg_len column_high(const struct timeline_frame *f, size_t column)
{
	uint64_t v = reduce_cell(&f->t->series, column, TIMELINE_ALLOCATED)->max;

	return frame_y(f, v == BYTES_NONE ? 0 : v);
}

/* A run of columns whose lowest is below their highest: around it and back. */
static void draw_veil_run(const struct timeline_frame *f, size_t from, size_t to)
{
	svg_path_move(f->x, frame_column_x(f, from), column_low(f, from));
	for (size_t c = from; c < to; c++) {
		svg_path_v(f->x, column_high(f, c));
		svg_path_h(f->x, frame_column_x(f, c + 1));
	}
	for (size_t c = to; c-- > from;) {
		svg_path_v(f->x, column_low(f, c));
		svg_path_h(f->x, frame_column_x(f, c));
	}
	svg_path_close(f->x);
}

static void draw_veil(const struct timeline_frame *f)
{
	size_t n = f->t->series.n_columns, to;

	svg_path_begin(f->x, "veil");
	for (size_t c = 0; c < n; c = to) {
		to = c + 1;
		if (column_low(f, c) - column_high(f, c) < SVG_PX)
			continue;
		while (to < n && column_low(f, to) - column_high(f, to) >= SVG_PX)
			to++;
		draw_veil_run(f, c, to);
	}
	svg_path_end(f->x);
	xml_newline(f->x);
}

void timeline_draw_stack(const struct timeline_frame *f)
{
	for (size_t g = f->t->stack.groups->n; g-- > 0;)
		draw_layer(f, g);
	draw_veil(f);
}

/* --- names on the layers ----------------------------------------------------------------------- */

/* The clear height of a layer over columns from .. to - 1, and its middle. */
static svg_len clear_height(const struct timeline_frame *f, size_t group, size_t from, size_t to,
			    svg_len *middle)
{
	svg_len low = 0, high = f->bottom;

	for (size_t c = from; c < to; c++) {
		svg_len upper = frame_y(f, layer_top(f->t, c, group));
		svg_len lower = group ? frame_y(f, layer_top(f->t, c, group - 1)) : f->bottom;

		/* What is veiled is no place for words. */
		if (column_low(f, c) > upper)
			upper = column_low(f, c);
		low = upper > low ? upper : low;
		high = lower < high ? lower : high;
	}
	*middle = (low + high) / 2;
	return high - low;
}

#define NAME_HEIGHT (15 * SVG_PX)

static void draw_layer_name(const struct timeline_frame *f, size_t group)
{
	const struct timeline *t = f->t;
	size_t n = t->series.n_columns, best = n, wide;
	svg_len column = (f->data_right - f->data_left) / (svg_len)n;
	svg_len most = NAME_HEIGHT, at = 0;
	char name[TIMELINE_LAYER_NAME], class[32], layer[16];
	const char *words = timeline_layer_name(name, t, group, 28);

	if (t->stack.highest[group] == 0 || column == 0)
		return;
	wide = (size_t)((svg_label_width(strlen(words)) + 10 * SVG_PX) / column) + 1;
	for (size_t c = 0; c + wide <= n; c += 4) {
		svg_len middle, height = clear_height(f, group, c, c + wide, &middle);

		if (height <= most)
			continue;
		most = height;
		at = middle;
		best = c;
	}
	if (best == n)
		return;
	(void)snprintf(class, sizeof class, "on-%s", timeline_layer_class(layer, t, group));
	svg_text(f->x, class, SVG_MIDDLE, frame_column_x(f, best) + (svg_len)wide * column / 2,
		 at + 4 * SVG_PX, words);
	xml_newline(f->x);
}

void timeline_draw_layer_names(const struct timeline_frame *f)
{
	for (size_t g = 0; g < f->t->stack.groups->n; g++)
		draw_layer_name(f, g);
}
