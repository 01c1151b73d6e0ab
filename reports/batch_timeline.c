/* SPDX-License-Identifier: MIT
 * batch_timeline.c -- one file's categories over time, small enough for a row of a table.
 *
 * Layers are drawn from the top of the stack down, each from its upper edge to the ground; parts of
 * equal height are one line. A picture has some hundred bytes, so that a thousand make no large
 * page.
 */
#include "reports/batch_page.h"

#include <stdio.h>

#include "passes/rules.h"
#include "reports/page.h"
#include "reports/svg.h"
#include "reports/ticks.h"

#define LEFT   (90 * SVG_PX)
#define RIGHT  (16 * SVG_PX)
#define TOP    (14 * SVG_PX)
#define BOTTOM (34 * SVG_PX)

/* In the order of the columns, lowest first. */
static const char *const words[CATEGORY_COUNT] = {
	"Parameters",  "Optimizer state", "Inputs",          "Temporaries",
	"Activations", "Gradients",       "Autograd detail", "Unknown",
};

struct thumb {
	const struct batch *b;
	size_t first, n; /* rows of the timeline */
	uint64_t top;    /* bytes */
	svg_len left, right, upper, ground;
};

static uint64_t bytes_at(const struct batch *b, size_t row, size_t column)
{
	int64_t bytes = batch_int(b, BATCH_POINTS, row, column, 0);

	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Up to the upper edge of a layer. */
static uint64_t layer_top(const struct thumb *t, size_t part, size_t layer)
{
	uint64_t sum = 0;

	for (size_t c = 0; c <= layer; c++)
		sum += bytes_at(t->b, t->first + part, POINTS_PARAMETER + c);
	return sum;
}

static svg_len y_of(const struct thumb *t, uint64_t bytes)
{
	svg_len height = t->ground - t->upper;

	if (bytes >= t->top)
		return t->upper;
	/* Whole units are short to write. */
	return t->ground - (svg_len)((double)bytes / (double)t->top * (double)height + SVG_PX / 2) /
				   SVG_PX * SVG_PX;
}

static svg_len x_of(const struct thumb *t, size_t part)
{
	return t->left + (svg_len)part * (t->right - t->left) / (svg_len)t->n;
}

static bool is_seen(const struct thumb *t, size_t layer)
{
	for (size_t i = 0; i < t->n; i++) {
		if (y_of(t, layer_top(t, i, layer)) !=
		    (layer ? y_of(t, layer_top(t, i, layer - 1)) : t->ground))
			return true;
	}
	return false;
}

static void draw_layer(struct xml *x, const struct thumb *t, size_t layer)
{
	svg_len y = y_of(t, layer_top(t, 0, layer));
	char class[4];

	snprintf(class, sizeof class, "c%zu", layer % CATEGORY_COUNT);
	svg_path_begin(x, class);
	svg_path_move(x, t->left, t->ground);
	svg_path_v(x, y);
	for (size_t i = 1; i < t->n; i++) {
		svg_len next = y_of(t, layer_top(t, i, layer));

		if (next == y)
			continue;
		svg_path_h(x, x_of(t, i));
		svg_path_v(x, next);
		y = next;
	}
	svg_path_h(x, t->right);
	svg_path_v(x, t->ground);
	svg_path_close(x);
	svg_path_end(x);
}

static void draw_axis(struct xml *x, const struct thumb *t)
{
	struct ticks ticks;

	ticks_bytes(&ticks, t->top);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = y_of(t, ticks.at[i].at);

		svg_line(x, i ? "grid" : "axis", t->left, y, t->right, y);
		svg_text(x, "label", SVG_END, t->left - 8 * SVG_PX, y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	svg_text(x, "label", SVG_START, t->left, t->ground + 20 * SVG_PX, "start of the recording");
	svg_text(x, "label", SVG_END, t->right, t->ground + 20 * SVG_PX, "end");
}

uint64_t batch_timeline_top(const struct batch *b, size_t file)
{
	size_t first, n = batch_rows_of(b, BATCH_POINTS, file, &first);
	uint64_t top = 0;

	for (size_t i = first; i < first + n; i++) {
		uint64_t bytes = bytes_at(b, i, POINTS_ALLOCATED);

		top = bytes > top ? bytes : top;
	}
	return top;
}

void batch_draw_timeline(struct xml *x, const struct batch *b, size_t file, uint64_t top,
			 unsigned width, unsigned height, bool large)
{
	struct thumb t = {.b = b,
			  .top = top ? top : batch_timeline_top(b, file),
			  .right = width * SVG_PX,
			  .ground = height * SVG_PX};

	t.n = batch_rows_of(b, BATCH_POINTS, file, &t.first);
	if (!t.n || !t.top)
		return;
	if (large) {
		t.left = LEFT;
		t.right -= RIGHT;
		t.upper = TOP;
		t.ground -= BOTTOM;
	}
	xml_open(x, "svg");
	xml_attr_begin(x, "viewBox");
	xml_printf(x, "0 0 %u %u", width, height);
	xml_attr_end(x);
	if (large) {
		xml_attr(x, "role", "img");
		xml_attr(x, "aria-label", "Memory by category over the recording");
		draw_axis(x, &t);
	} else {
		xml_attr(x, "class", "thumb");
		xml_attr(x, "aria-hidden", "true");
	}
	for (size_t layer = CATEGORY_COUNT; layer-- > 0;) {
		if (is_seen(&t, layer))
			draw_layer(x, &t, layer);
	}
	xml_close(x);
}

void batch_draw_categories(struct xml *x)
{
	page_open(x, "ul", "keys");
	for (size_t c = 0; c < CATEGORY_COUNT; c++) {
		char class[4];

		snprintf(class, sizeof class, "c%zu", c);
		xml_open(x, "li");
		xml_open(x, "svg");
		xml_attr(x, "viewBox", "0 0 12 12");
		xml_attr(x, "aria-hidden", "true");
		svg_rect(x, class, 0, 0, 12 * SVG_PX, 12 * SVG_PX);
		xml_close(x);
		xml_text(x, words[c]);
		xml_close(x);
	}
	xml_close(x);
	xml_newline(x);
}
