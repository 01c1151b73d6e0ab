/* SPDX-License-Identifier: MIT
 * timeline_groups.c -- which layer of a stacked timeline each allocation belongs to.
 */
#include "passes/timeline_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/open_spans.h"

const char *group_by_name(enum group_by by)
{
	static const char *const names[] = {
		[GROUP_CATEGORY] = "category",
		[GROUP_SITE] = "site",
		[GROUP_ANNOTATION] = "annotation",
		[GROUP_STREAM] = "stream",
		[GROUP_NONE] = "none",
	};

	return names[by];
}

void timeline_groups_release(struct timeline_groups *g)
{
	if (!g->budget)
		return;
	vec_release(&g->of_row, g->budget);
	*g = (struct timeline_groups){0};
}

static void set_categories(struct timeline_groups *g)
{
	g->by = GROUP_CATEGORY;
	g->n = g->n_names = CATEGORY_COUNT;
	g->rest = CATEGORY_UNKNOWN;
	for (int c = 0; c < CATEGORY_COUNT; c++)
		g->of[c] = (struct timeline_group){.kind = GROUP_OF_CATEGORY,
						   .category = (enum category)c};
}

void timeline_groups_of_rows(struct timeline_groups *out, const struct model *m,
			     struct budget *budget)
{
	*out = (struct timeline_groups){.budget = budget, .model = m};
	set_categories(out);
}

/* --- distinct names ---------------------------------------------------------------------------- */

struct named {
	struct timeline_group group;
	uint64_t key;     /* equal keys are alike */
	uint64_t at_peak; /* bytes */
	double area;      /* bytes times events */
	double score;
	uint32_t number; /* before sorting */
};

struct namer {
	struct timeline_groups *g;
	const struct allocations *a;
	struct budget *budget;
	struct site_table sites;
	struct open_spans spans;
	struct hashmap known; /* key to its number */
	VEC(struct named) names;
	VEC(uint32_t) of_row; /* number of each row */
	int64_t from, to, peak;
};

/* Names that differ in their numbers only ("step 3", "step 4") are alike. */
static uint64_t hash_without_digits(const struct str *s)
{
	char letters[256];
	size_t n = 0;

	for (uint32_t i = 0; i < s->length && n < sizeof letters; i++) {
		if (s->bytes[i] < '0' || s->bytes[i] > '9')
			letters[n++] = s->bytes[i];
	}
	return hash_bytes(letters, n);
}

static uint64_t name_by_annotation(struct namer *w, struct timeline_group *g, uint32_t row)
{
	int64_t born = w->a->rows.at[row].born, us = allocations_time(w->a, born);

	if (born == EVENT_START) {
		g->kind = GROUP_BEFORE;
		return 1;
	}
	if (us != TIME_NONE)
		g->name = open_spans_innermost(&w->spans, us);
	if (g->name.i == 0) {
		g->kind = GROUP_OUTSIDE;
		return 2;
	}
	g->kind = GROUP_OF_NAME;
	return hash_without_digits(strtab_get(&w->a->model->strings, g->name)) | 4;
}

/* Fill the group of a row; returns what tells it from others. */
static uint64_t name_row(struct namer *w, struct timeline_group *g, uint32_t row)
{
	uint32_t site;

	switch (w->g->by) {
	case GROUP_SITE:
		site = w->sites.of_stack.at[w->a->rows.at[row].stack.i];
		g->kind = GROUP_OF_SITE;
		g->site = w->sites.sites.at[site];
		return site;
	case GROUP_ANNOTATION:
		return name_by_annotation(w, g, row);
	default:
		g->kind = GROUP_OF_STREAM;
		g->stream = allocation_place(w->a, row).stream;
		return g->stream;
	}
}

/* What of a row's life lies in the window. */
static void weigh(const struct namer *w, struct named *n, const struct allocation *x)
{
	int64_t from = x->born > w->from ? x->born : w->from;
	int64_t to = x->free_requested < w->to ? x->free_requested : w->to + 1;

	if (to > from)
		n->area += (double)x->size * (double)(to - from);
	if (x->born <= w->peak && x->free_requested > w->peak)
		n->at_peak += x->size;
}

static int add_row(struct namer *w, uint32_t row, struct error *err)
{
	struct named n = {0};
	const uint64_t *known;
	uint64_t at;
	int rc;

	n.key = name_row(w, &n.group, row);
	known = hashmap_get(&w->known, n.key);
	at = known ? *known : w->names.n;
	if (!known) {
		n.number = (uint32_t)at;
		if ((rc = hashmap_put(&w->known, n.key, at, err)) < 0 ||
		    (rc = vec_push(&w->names, n, w->budget, err)) < 0)
			return rc;
	} else if (w->names.at[at].group.name.i != n.group.name.i) {
		w->names.at[at].group.many = true;
	}
	weigh(w, &w->names.at[at], &w->a->rows.at[row]);
	return vec_push(&w->of_row, (uint32_t)at, w->budget, err);
}

/* --- the largest of them ----------------------------------------------------------------------- */

static int compare_score(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void sort_names(struct namer *w)
{
	double peak = 0, area = 0;

	for (size_t i = 0; i < w->names.n; i++) {
		peak += (double)w->names.at[i].at_peak;
		area += w->names.at[i].area;
	}
	for (size_t i = 0; i < w->names.n; i++) {
		struct named *n = &w->names.at[i];

		n->score = (peak > 0 ? (double)n->at_peak / peak : 0) +
			   (area > 0 ? n->area / area : 0);
	}
	if (w->names.n > 1)
		qsort(w->names.at, w->names.n, sizeof *w->names.at, compare_score);
}

static int choose(struct namer *w, struct error *err)
{
	struct timeline_groups *g = w->g;
	size_t n = w->names.n, own = n <= TIMELINE_MAX_GROUPS - 1 ? n : TIMELINE_MAX_GROUPS - 1;
	VEC(uint8_t) of_number = {0};
	int rc = vec_reserve(&of_number, n + 1, w->budget, err);

	if (rc < 0 || (rc = vec_reserve(&g->of_row, w->of_row.n + 1, w->budget, err)) < 0)
		goto out;
	sort_names(w);
	for (size_t i = 0; i < n; i++) {
		of_number.at[w->names.at[i].number] = (uint8_t)(i < own ? i : own);
		if (i < own)
			g->of[i] = w->names.at[i].group;
	}
	for (size_t i = 0; i < w->of_row.n; i++)
		g->of_row.at[g->of_row.n++] = of_number.at[w->of_row.at[i]];
	g->of[own] = (struct timeline_group){.kind = GROUP_REST};
	g->n = own + 1;
	g->rest = own;
	g->n_names = n;
out:
	vec_release(&of_number, w->budget);
	return rc;
}

static int group_by_names(struct timeline_groups *g, const struct allocations *a, int64_t from,
			  int64_t to, int64_t peak, struct error *err)
{
	struct namer w = {.g = g, .a = a, .budget = g->budget, .from = from, .to = to};
	int rc = 0;

	w.peak = peak >= from && peak <= to ? peak : INT64_MIN;
	hashmap_init(&w.known, g->budget);
	if (g->by == GROUP_SITE)
		rc = site_table_init(&w.sites, a->model, g->budget, err);
	else if (g->by == GROUP_ANNOTATION)
		rc = open_spans_init(&w.spans, a->model, a->device->index, g->budget, err);
	for (size_t i = 0; i < a->rows.n && rc == 0; i++)
		rc = add_row(&w, (uint32_t)i, err);
	if (rc == 0)
		rc = choose(&w, err);
	vec_release(&w.names, g->budget);
	vec_release(&w.of_row, g->budget);
	hashmap_release(&w.known);
	site_table_release(&w.sites);
	open_spans_release(&w.spans);
	return rc;
}

int timeline_groups_run(struct timeline_groups *out, enum group_by by, const struct allocations *a,
			const struct categories *c, int64_t from, int64_t to, int64_t peak,
			struct budget *budget, struct error *err)
{
	struct timeline_groups g = {
		.budget = budget, .model = a->model, .allocations = a, .by = by};
	int rc;

	if (by == GROUP_CATEGORY) {
		set_categories(&g);
		rc = vec_reserve(&g.of_row, a->rows.n + 1, budget, err);
		for (size_t i = 0; i < a->rows.n && rc == 0; i++)
			g.of_row.at[g.of_row.n++] = c->rows.at[i].category;
	} else {
		rc = group_by_names(&g, a, from, to, peak, err);
	}
	if (rc < 0)
		timeline_groups_release(&g);
	else
		*out = g;
	return rc;
}

/* --- words ------------------------------------------------------------------------------------- */

/* Digits of a name that stands for many become "N". */
static void name_of_many(char *buf, size_t size, const char *name)
{
	size_t n = 0;

	for (const char *p = name; *p && n + 1 < size; p++) {
		if (*p < '0' || *p > '9')
			buf[n++] = *p;
		else if (n == 0 || buf[n - 1] != 'N')
			buf[n++] = 'N';
	}
	buf[n] = '\0';
}

const char *timeline_group_name(const struct timeline_groups *g, size_t group,
				char buf[TIMELINE_GROUP_NAME])
{
	const struct timeline_group *x = &g->of[group];
	const char *name = "the rest";

	switch (x->kind) {
	case GROUP_OF_CATEGORY:
		return category_name(x->category);
	case GROUP_OF_SITE:
		return site_words(g->model, x->site, buf, TIMELINE_GROUP_NAME);
	case GROUP_OF_NAME:
		if (x->many) {
			name_of_many(buf, TIMELINE_GROUP_NAME, model_str(g->model, x->name));
			return buf;
		}
		name = model_str(g->model, x->name);
		break;
	case GROUP_OF_STREAM:
		if (x->stream == 0)
			name = "stream 0 (default)";
		else
			(void)snprintf(buf, TIMELINE_GROUP_NAME, "stream %#" PRIx64, x->stream);
		if (x->stream)
			return buf;
		break;
	case GROUP_BEFORE:
		name = "from before event 0";
		break;
	case GROUP_OUTSIDE:
		name = "outside of annotations";
		break;
	case GROUP_REST:
		break;
	}
	(void)snprintf(buf, TIMELINE_GROUP_NAME, "%s", name);
	return buf;
}
