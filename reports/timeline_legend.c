/* SPDX-License-Identifier: MIT
 * timeline_legend.c -- what the colours and lines of a timeline's picture mean, with bytes at the
 * peak: a panel beside the plot in the order of the stack, or rows above a plot without layers.
 */
#include "reports/timeline_frame.h"

#include <stdio.h>
#include <string.h>

#include "reports/emit.h"

#define SWATCH     (11 * SVG_PX)
#define ROW_HEIGHT (19 * SVG_PX)
#define CELL_WIDTH (250 * SVG_PX)
/* Characters of a name from the file; all of it shows under the pointer. */
#define MAX_NAME 20

/* Where entries go: below each other, or in rows of cells. */
struct legend {
	const struct timeline_frame *f;
	svg_len left, right, base; /* of the next entry */
	svg_len row_left, row_right;
};

static void legend_next(struct legend *l)
{
	svg_len width = l->right - l->left;

	if (!l->f->legend && l->right + width <= l->row_right) {
		l->left += width;
		l->right += width;
		return;
	}
	l->left = l->row_left;
	l->right = l->f->legend ? l->row_right : l->left + CELL_WIDTH;
	l->base += ROW_HEIGHT;
}

enum swatch { SWATCH_AREA, SWATCH_LINE };

static void legend_entry(struct legend *l, enum swatch kind, const char *class, const char *name,
			 const char *full_name, const char *amount)
{
	struct xml *x = l->f->x;
	svg_len top = l->base - 10 * SVG_PX;
	svg_len end = l->right - (l->f->legend ? 0 : 24 * SVG_PX);

	if (full_name) {
		svg_group(x, "key");
		svg_tooltip(x, full_name);
	}
	if (kind == SWATCH_AREA)
		svg_rect(x, class, l->left, top, SWATCH, SWATCH);
	else
		svg_line(x, class, l->left, top + SWATCH / 2, l->left + SWATCH, top + SWATCH / 2);
	svg_text(x, "small", SVG_START, l->left + SWATCH + 6 * SVG_PX, l->base, name);
	if (amount)
		svg_text(x, "small", SVG_END, end, l->base, amount);
	if (full_name)
		xml_close(x);
	xml_newline(x);
	legend_next(l);
}

static void legend_bytes(struct legend *l, enum swatch kind, const char *class, const char *name,
			 uint64_t bytes)
{
	char words[UNITS_BUF];

	if (bytes != BYTES_NONE)
		legend_entry(l, kind, class, name, NULL, units_bytes(words, bytes));
}

/* --- layers ------------------------------------------------------------------------------------ */

static void legend_layers(struct legend *l)
{
	const struct timeline *t = l->f->t;
	const struct timeline_groups *g = t->stack.groups;

	for (size_t i = g->n; i-- > 0;) {
		char class[16], name[TIMELINE_LAYER_NAME], full[TIMELINE_LAYER_NAME];
		char words[UNITS_BUF];
		bool cut;

		if (t->stack.highest[i] == 0)
			continue;
		(void)timeline_layer_name(full, t, i, 70);
		cut = g->by != GROUP_CATEGORY && strlen(full) > MAX_NAME;
		legend_entry(l, SWATCH_AREA, timeline_layer_class(class, t, i),
			     timeline_layer_name(name, t, i, MAX_NAME), cut ? full : NULL,
			     units_bytes(words, t->stack.peak[i]));
	}
}

static void legend_lines(struct legend *l)
{
	const struct timeline *t = l->f->t;
	struct timeline_lines lines = timeline_lines(t);

	if (t->known[TIMELINE_RESERVED])
		legend_bytes(l, SWATCH_LINE, "reserved-edge", "Reserved", t->peak.totals.reserved);
	if (t->highest_pending > 0)
		legend_bytes(l, SWATCH_AREA, "active", "Freed, still pending",
			     t->peak.totals.active == BYTES_NONE
				     ? BYTES_NONE
				     : t->peak.totals.active - t->peak.totals.allocated);
	legend_bytes(l, SWATCH_LINE, "ceiling", "Reserved + free", lines.ceiling);
	legend_bytes(l, SWATCH_LINE, "ceiling", "Process limit, below", lines.limit);
	legend_bytes(l, SWATCH_LINE, "ceiling", "Device", lines.capacity);
	legend_entry(l, SWATCH_AREA, "veil-key", "Pale: not all the time", NULL, NULL);
}

svg_len timeline_legend_rows(const struct timeline *t, svg_len width)
{
	struct timeline_lines lines = timeline_lines(t);
	svg_len cells = width / CELL_WIDTH > 0 ? width / CELL_WIDTH : 1;
	svg_len n = 2; /* the heading, the veil */

	for (size_t i = 0; i < t->stack.groups->n; i++)
		n += t->stack.highest[i] > 0;
	n += t->known[TIMELINE_RESERVED] && t->peak.totals.reserved != BYTES_NONE;
	n += t->highest_pending > 0 && t->peak.totals.active != BYTES_NONE;
	n += (lines.ceiling != BYTES_NONE) + (lines.limit != BYTES_NONE) +
	     (lines.capacity != BYTES_NONE);
	return (n + cells - 1) / cells * ROW_HEIGHT;
}

static void draw_stack_legend(const struct timeline_frame *f, svg_len top)
{
	struct legend l = {.f = f, .base = top + 14 * SVG_PX};
	const struct timeline *t = f->t;
	char words[UNITS_BUF];

	l.row_left = l.left = f->legend ? f->legend : f->left;
	l.row_right = f->width - 16 * SVG_PX;
	l.right = f->legend ? l.row_right : l.left + CELL_WIDTH;
	svg_text(f->x, "strong", SVG_START, l.left, l.base,
		 t->device->n_events ? "At the peak" : "In the file");
	svg_text(f->x, "strong", SVG_END, f->legend ? l.right : l.right - 24 * SVG_PX, l.base,
		 units_bytes(words, t->peak.totals.allocated));
	xml_newline(f->x);
	legend_next(&l);
	l.base += f->legend ? 3 * SVG_PX : 0;
	legend_layers(&l);
	l.base += f->legend ? 8 * SVG_PX : 0;
	legend_lines(&l);
}

/* --- without layers ---------------------------------------------------------------------------- */

static svg_len draw_key(const struct timeline_frame *f, svg_len left, svg_len base,
			const char *class, const char *edge, const char *words)
{
	svg_len top = base - 10 * SVG_PX;

	svg_rect(f->x, class, left, top, SWATCH, SWATCH);
	if (edge)
		svg_line(f->x, edge, left, top, left + SWATCH, top);
	svg_text(f->x, "small", SVG_START, left + SWATCH + 5 * SVG_PX, base, words);
	return left + SWATCH + 22 * SVG_PX + svg_label_width(strlen(words)) * 9 / 10;
}

static void draw_plain_legend(const struct timeline_frame *f, svg_len base)
{
	const struct timeline *t = f->t;
	svg_len at = f->left;

	if (t->known[TIMELINE_RESERVED])
		at = draw_key(f, at, base, "reserved", "reserved-edge", "reserved from the driver");
	if (t->highest_pending > 0)
		at = draw_key(f, at, base, "active", NULL, "active: freed, waiting for a stream");
	at = draw_key(f, at, base, "allocated", "allocated-edge", "allocated, at most");
	at = draw_key(f, at, base, "held", NULL, "allocated all the time");
	if (timeline_shows_before(t))
		(void)draw_key(f, at, base, "before", NULL, "since before event 0");
	xml_newline(f->x);
}

void timeline_draw_legend(const struct timeline_frame *f, svg_len top)
{
	if (timeline_has_stack(f->t))
		draw_stack_legend(f, top);
	else
		draw_plain_legend(f, f->flags - 28 * SVG_PX);
}
