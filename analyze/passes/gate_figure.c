/* SPDX-License-Identifier: MIT
 * gate_figure.c -- what a limit of a budget is about, as a figure of one file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/gate.h"
#include "passes/gate_names.h"
#include "passes/trend.h"

/* Fewer whole steps tell no growth. */
#define LEAST_STEPS 4

static const size_t of_file[GATE_OFS] = {FILES_PEAK, FILES_END, FILES_PEAK_RESERVED,
					 FILES_FRAGMENTATION, FILES_LEAK};
/* A leak is looked for on one device only. */
static const size_t of_device[GATE_LEAK] = {DEVICES_PEAK, DEVICES_END, DEVICES_PEAK_RESERVED,
					    DEVICES_FRAGMENTATION};

enum batch_table_id gate_table_of(const struct gate_limit *l)
{
	static const enum batch_table_id at_peak[GATE_PARTS] = {
		BATCH_SITES, BATCH_SITES, BATCH_CATEGORIES, BATCH_ANNOTATIONS};
	static const enum batch_table_id at_end[GATE_PARTS] = {
		BATCH_SITES_END, BATCH_SITES_END, BATCH_CATEGORIES_END, BATCH_ANNOTATIONS_END};

	if (l->of == GATE_FRAGMENTATION)
		return BATCH_TABLES;
	if (l->of == GATE_LEAK || l->per_step)
		return BATCH_LEAKS;
	return l->of == GATE_END ? at_end[l->part] : at_peak[l->part];
}

bool gate_limit_fits(const struct gate_limit *l, const char *name)
{
	return l->part == GATE_SITE ? gate_site_fits(l->name, name) : gate_name_fits(l->name, name);
}

/* The highest of all devices; one that is not known may be the highest. */
static double worst_device(const struct gate_limit *l, const struct batch *b, size_t file,
			   int64_t *device)
{
	size_t first, n = batch_rows_of(b, BATCH_DEVICES, file, &first);
	double worst = batch_number(b, BATCH_FILES, file, of_file[l->of]);

	for (size_t i = first; i < first + n && n > 1 && !isnan(worst); i++) {
		double v = batch_number(b, BATCH_DEVICES, i, of_device[l->of]);

		if (!(v <= worst))
			worst = v;
	}
	for (size_t i = first; i < first + n && n > 1 && *device < 0; i++) {
		if (batch_number(b, BATCH_DEVICES, i, of_device[l->of]) == worst)
			*device = batch_int(b, BATCH_DEVICES, i, DEVICES_DEVICE, -1);
	}
	return worst;
}

/* What whole steps add to each other: the slope that most of them share. */
static double per_step(const struct gate_limit *l, const struct batch *b, size_t file)
{
	size_t first, n = batch_rows_of(b, BATCH_STEPS, file, &first), known = 0;
	size_t column = l->of == GATE_PEAK ? STEPS_PEAK : STEPS_END;
	double *at = calloc(n ? n : 1, sizeof *at), slope = (double)NAN;

	for (size_t i = first; at && i < first + n; i++) {
		double v = batch_number(b, BATCH_STEPS, i, column);

		if (batch_int(b, BATCH_STEPS, i, STEPS_WHOLE, 0) && !isnan(v))
			at[known++] = v;
	}
	if (known >= LEAST_STEPS)
		slope = trend_slope(at, known);
	free(at);
	return slope;
}

static void whole_figure(struct gate_figure *out, const struct gate_limit *l, const struct batch *b,
			 size_t file)
{
	bool steps = l->of == GATE_LEAK || l->per_step;

	if (l->of == GATE_LEAK)
		out->value = batch_number(b, BATCH_FILES, file, FILES_LEAK);
	else if (l->per_step)
		out->value = per_step(l, b, file);
	else
		out->value = worst_device(l, b, file, &out->device);
	if (isnan(out->value))
		out->why = steps ? "too few steps to tell" : "the file does not tell";
}

struct part_sum {
	double named, all, least;
	size_t n, n_named;
	bool whole_name; /* the one row whose name is the limit's, to the letter */
};

static struct part_sum sum_of(const struct gate_limit *l, const struct batch *b,
			      enum batch_table_id t, size_t file, size_t name, size_t bytes)
{
	struct part_sum s = {.least = INFINITY};
	size_t first;

	s.n = batch_rows_of(b, t, file, &first);
	for (size_t i = first; i < first + s.n; i++) {
		const char *text = batch_text(b, t, i, name);
		double v = batch_number(b, t, i, bytes);

		if (isnan(v))
			continue;
		s.all += v;
		s.least = v < s.least ? v : s.least;
		if (!text || !gate_limit_fits(l, text))
			continue;
		s.named += v;
		s.n_named++;
		s.whole_name |= !strcmp(text, l->name);
	}
	return s;
}

/* What the rows leave of the whole may belong to anybody; of a table of the largest, to a name that
 * is there no more. */
static double hidden_bytes(const struct gate_limit *l, const struct part_sum *s, double whole)
{
	double rest = whole > s->all ? whole - s->all : 0;
	bool cut = s->n >= BATCH_KEPT && l->part != GATE_CATEGORY && rest > 0;

	if (!cut)
		return rest;
	if (s->whole_name)
		return 0;
	return rest > s->least ? rest : s->least;
}

static void held_figure(struct gate_figure *out, const struct gate_limit *l, const struct batch *b,
			size_t file)
{
	double whole = batch_number(b, BATCH_FILES, file, of_file[l->of]);
	struct part_sum s = sum_of(l, b, gate_table_of(l), file, HELD_NAME, HELD_BYTES);

	if (isnan(whole) || (!s.n && whole > 0 && l->part != GATE_ANNOTATION)) {
		out->why = l->part == GATE_SITE ? "the file does not tell who holds what"
						: "the file does not tell";
		return;
	}
	out->value = s.named;
	out->absent = !s.n_named;
	out->hidden = s.n ? hidden_bytes(l, &s, whole) : 0;
	if (l->is_share && !l->is_growth) {
		out->value = whole > 0 ? out->value / whole : 0;
		out->hidden = whole > 0 ? out->hidden / whole : 0;
	}
}

/* A site without a leak leaks nothing, but it must be there. */
static void leak_figure(struct gate_figure *out, const struct gate_limit *l, const struct batch *b,
			size_t file)
{
	struct part_sum s = sum_of(l, b, BATCH_LEAKS, file, LEAKS_SITE, LEAKS_GROWTH);

	if (isnan(batch_number(b, BATCH_FILES, file, FILES_LEAK))) {
		out->why = "too few steps to tell";
		return;
	}
	out->value = s.named;
	out->absent = !s.n_named &&
		      !sum_of(l, b, BATCH_SITES, file, HELD_NAME, HELD_BYTES).n_named &&
		      !sum_of(l, b, BATCH_SITES_END, file, HELD_NAME, HELD_BYTES).n_named;
}

void gate_figure_of(struct gate_figure *out, const struct gate_limit *l, const struct batch *b,
		    size_t file)
{
	*out = (struct gate_figure){.value = (double)NAN, .device = -1};
	if (l->part == GATE_WHOLE)
		whole_figure(out, l, b, file);
	else if (l->of == GATE_LEAK)
		leak_figure(out, l, b, file);
	else
		held_figure(out, l, b, file);
}
