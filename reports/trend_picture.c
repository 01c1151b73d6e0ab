/* SPDX-License-Identifier: MIT
 * trend_picture.c -- peak, live and reserved bytes of many files as lines, changes marked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/svg.h"
#include "reports/ticks.h"
#include "reports/trend_report.h"
#include "reports/trend_style.h"

#define WIDTH       (1200 * SVG_PX)
#define LEFT        (84 * SVG_PX)
#define RIGHT       (30 * SVG_PX)
#define PLOT_HEIGHT (320 * SVG_PX)
#define LABEL_CHARS 60
#define MAX_LABELS  12 /* names below the axis */
#define MAX_DOTS    200

struct picture {
	const struct trend *t;
	struct xml *x;
	svg_len top, bottom, left, right, height;
	uint64_t top_bytes;
};

static const struct line {
	enum trend_metric metric;
	const char *line, *dot, *words;
} lines[] = {
	{TREND_RESERVED, "line-reserved", "dot-reserved", "highest reserved"},
	{TREND_PEAK, "line-peak", "dot-peak", "highest allocated"},
	{TREND_END, "line-end", "dot-end", "live at the end"},
};

#define N_LINES (sizeof lines / sizeof *lines)

static svg_len x_of(const struct picture *p, size_t file)
{
	size_t n = p->t->files.n;

	if (n < 2)
		return (p->left + p->right) / 2;
	return p->left + 14 * SVG_PX +
	       (svg_len)file * (p->right - p->left - 28 * SVG_PX) / (svg_len)(n - 1);
}

static svg_len y_of(const struct picture *p, double bytes)
{
	return p->bottom - (svg_len)(bytes / (double)p->top_bytes * (double)(p->bottom - p->top));
}

/* The file's name without folders, cut. */
static const char *short_name(const struct trend *t, size_t file, size_t chars, char *buf,
			      size_t size)
{
	const char *name = strtab_get(&t->strings, t->files.at[file].file)->bytes;
	const char *slash = strrchr(name, '/');

	name = slash && slash[1] ? slash + 1 : name;
	return clean_elide(buf, size, name, strlen(name), chars);
}

/* Names stand in two lines by turns: those beside each other have the room of two files, and half a
 * name of it is the neighbour's. */
static size_t name_chars(const struct picture *p)
{
	size_t n = p->t->files.n, chars = LABEL_CHARS;
	svg_len room = (p->right - p->left - 28 * SVG_PX) * 4 / 3 / (svg_len)(n > 1 ? n - 1 : 1);

	while (chars > 12 && svg_label_width(chars) > room)
		chars--;
	return chars;
}

static void draw_axes(const struct picture *p)
{
	size_t n = p->t->files.n, step = (n + MAX_LABELS - 1) / MAX_LABELS;
	char name[(LABEL_CHARS + 1) * CLEAN_MAX], number[32];
	struct ticks ticks;
	bool names = n <= 8;

	ticks_bytes(&ticks, p->top_bytes);
	for (size_t i = 0; i < ticks.n; i++) {
		svg_len y = y_of(p, (double)ticks.at[i].at);

		svg_line(p->x, "grid", p->left, y, p->right, y);
		svg_text(p->x, "muted", SVG_END, p->left - 8 * SVG_PX, y + 4 * SVG_PX,
			 ticks.at[i].label);
	}
	xml_newline(p->x);
	for (size_t i = 0; i < n; i += step ? step : 1) {
		svg_len px = x_of(p, i);

		svg_line(p->x, "grid", px, p->bottom, px, p->bottom + 5 * SVG_PX);
		if (names)
			short_name(p->t, i, name_chars(p), name, sizeof name);
		(void)snprintf(number, sizeof number, "%zu", i + 1);
		/* Every other name a line lower, so that neighbours do not touch. */
		svg_text(p->x, "muted",
			 names && n > 1 && i == 0       ? SVG_START
			 : names && n > 1 && i + 1 == n ? SVG_END
							: SVG_MIDDLE,
			 px, p->bottom + (names && i % 2 ? 33 : 19) * SVG_PX,
			 names ? name : number);
	}
	if (!names)
		svg_text(p->x, "muted", SVG_MIDDLE, (p->left + p->right) / 2,
			 p->bottom + 38 * SVG_PX, "file, in order");
	xml_newline(p->x);
}

static void draw_line(const struct picture *p, const struct line *l)
{
	bool open = false;

	svg_path_begin(p->x, l->line);
	for (size_t i = 0; i < p->t->files.n; i++) {
		double v = p->t->files.at[i].metric[l->metric];

		if (v < 0) {
			open = false;
			continue;
		}
		if (open)
			svg_path_line(p->x, x_of(p, i), y_of(p, v));
		else
			svg_path_move(p->x, x_of(p, i), y_of(p, v));
		open = true;
	}
	svg_path_end(p->x);
	xml_newline(p->x);
}

static void draw_dots(const struct picture *p, const struct line *l)
{
	char name[(LABEL_CHARS + 1) * CLEAN_MAX], bytes[UNITS_BUF], words[sizeof name + 128];

	if (p->t->files.n > MAX_DOTS)
		return;
	for (size_t i = 0; i < p->t->files.n; i++) {
		double v = p->t->files.at[i].metric[l->metric];

		if (v < 0)
			continue;
		(void)snprintf(words, sizeof words, "%s: %s %s",
			       short_name(p->t, i, LABEL_CHARS, name, sizeof name), l->words,
			       units_bytes(bytes, (uint64_t)v));
		svg_group(p->x, l->dot);
		svg_tooltip(p->x, words);
		svg_circle(p->x, l->dot, x_of(p, i), y_of(p, v), 35);
		xml_close(p->x);
	}
	xml_newline(p->x);
}

/* Half-way between the file before and the one that is different; one mark a file. */
static void draw_changes(const struct picture *p)
{
	const struct trend *t = p->t;
	char what[512], from[256], to[256], words[1200], clean[(200 + 1) * CLEAN_MAX];

	for (size_t i = 0; i < t->changes.n; i++) {
		const struct trend_change *c = &t->changes.at[i];
		svg_len px = (x_of(p, c->file) + x_of(p, c->file ? c->file - 1 : 0)) / 2;

		if (i && t->changes.at[i - 1].file == c->file)
			continue;
		trend_what_words(t, c, what, sizeof what);
		(void)snprintf(words, sizeof words, "%s: from %s to %s",
			       clean_elide(clean, sizeof clean, what, strlen(what), 200),
			       trend_level_words(t, c, false, from, sizeof from),
			       trend_level_words(t, c, true, to, sizeof to));
		svg_group(p->x, "change");
		svg_tooltip(p->x, words);
		svg_line(p->x, "change", px, p->top, px, p->bottom);
		svg_circle(p->x, "change-flag", px, p->top, 40);
		xml_close(p->x);
		xml_newline(p->x);
	}
}

static void draw_legend(const struct picture *p, svg_len base)
{
	svg_len at = p->left;

	for (size_t i = 0; i < N_LINES; i++) {
		svg_line(p->x, lines[i].line, at, base - 4 * SVG_PX, at + 22 * SVG_PX,
			 base - 4 * SVG_PX);
		svg_text(p->x, "small", SVG_START, at + 28 * SVG_PX, base, lines[i].words);
		at += 56 * SVG_PX + svg_label_width(strlen(lines[i].words));
	}
	if (p->t->changes.n) {
		svg_line(p->x, "change", at + 11 * SVG_PX, base - 11 * SVG_PX, at + 11 * SVG_PX,
			 base + 2 * SVG_PX);
		svg_text(p->x, "small", SVG_START, at + 20 * SVG_PX, base, "a level changes");
	}
	xml_newline(p->x);
}

static void draw(struct xml *x, const struct trend *t, bool stands_alone)
{
	struct picture p = {.t = t, .x = x, .left = LEFT, .right = WIDTH - RIGHT};
	char files[UNITS_BUF], desc[256], peak[UNITS_BUF];
	double highest = 0;

	for (size_t i = 0; i < t->files.n; i++) {
		for (size_t k = 0; k < N_LINES; k++) {
			double v = t->files.at[i].metric[lines[k].metric];

			highest = v > highest ? v : highest;
		}
	}
	p.top_bytes = highest > 0 ? (uint64_t)(highest * 1.08) + 1 : UINT64_C(1) << 20;
	p.top = (stands_alone ? 88 : 40) * SVG_PX;
	p.bottom = p.top + PLOT_HEIGHT;
	p.height = p.bottom + 52 * SVG_PX;
	(void)snprintf(desc, sizeof desc, "%s; the highest amount is %s.",
		       units_noun(files, sizeof files, t->files.n, "file", "files"),
		       units_bytes(peak, (uint64_t)highest));
	svg_begin(x, WIDTH, p.height, "GPU memory from file to file", desc,
		  stands_alone ? TREND_PICTURE_STYLE : NULL);
	svg_rect(x, "paper", 0, 0, WIDTH, p.height);
	svg_rect(x, "plot", p.left, p.top, p.right - p.left, p.bottom - p.top);
	xml_newline(x);
	if (stands_alone) {
		svg_text(x, "headline", SVG_START, p.left, 26 * SVG_PX,
			 "GPU memory from file to file");
		svg_text(x, "muted", SVG_START, p.left, 44 * SVG_PX, desc);
	}
	draw_legend(&p, p.top - 16 * SVG_PX);
	draw_axes(&p);
	draw_changes(&p);
	for (size_t i = 0; i < N_LINES; i++)
		draw_line(&p, &lines[i]);
	for (size_t i = 0; i < N_LINES; i++)
		draw_dots(&p, &lines[i]);
	svg_path_begin(x, "frame");
	svg_path_move(x, p.left, p.top);
	svg_path_v(x, p.bottom);
	svg_path_h(x, p.right);
	svg_path_end(x);
	xml_close(x);
	xml_newline(x);
}

void trend_picture(struct xml *x, const struct trend *t)
{
	draw(x, t, false);
}

int trend_write_svg(struct out *to, const struct trend *t, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, to, err);

	if (rc < 0)
		return rc;
	draw(x, t, true);
	return xml_free(x, err);
}
