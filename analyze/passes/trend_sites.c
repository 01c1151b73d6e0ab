/* SPDX-License-Identifier: MIT
 * trend_sites.c -- the sites of many files: the same place in each, and how its bytes go on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/top.h"
#include "passes/trend_private.h"

/* --- one file's sites -------------------------------------------------------------------------- */

static int keep_frame(struct trend *t, const struct model *m, uint32_t frame, struct frame *out,
		      struct error *err)
{
	const struct frame *f = &m->stacks.frames.at[frame];
	const struct str *name = strtab_get(&m->strings, f->name);
	const struct str *file = strtab_get(&m->strings, f->file);
	int rc;

	*out = (struct frame){.line = f->line};
	if (f->name.i &&
	    (rc = strtab_add(&t->strings, name->bytes, name->length, &out->name, err)) < 0)
		return rc;
	return f->file.i ? strtab_add(&t->strings, file->bytes, file->length, &out->file, err) : 0;
}

/* Backward and lack of a stack are sites without a frame. */
static int special_site(struct trend *t, enum site_kind kind, uint32_t *site, struct error *err)
{
	struct trend_site fresh = {.kind = kind};

	for (size_t i = 0; i < t->sites.n; i++) {
		if (t->sites.at[i].kind == kind) {
			*site = (uint32_t)i;
			return 0;
		}
	}
	*site = (uint32_t)t->sites.n;
	return vec_push(&t->sites, fresh, t->budget, err);
}

/* The site's row: that of the known frame that this frame is, in its words from now on, or a new
 * one. */
static int site_row(struct trend *t, const struct frame_match *match, const struct model *m,
		    struct site s, uint32_t *site, struct error *err)
{
	struct trend_site fresh = {.kind = SITE_FRAME};
	uint32_t known;
	int rc;

	if (s.kind != SITE_FRAME)
		return special_site(t, s.kind, site, err);
	known = match->of_new.at[s.frame.i];
	if ((rc = keep_frame(t, m, s.frame.i, &fresh.frame, err)) < 0)
		return rc;
	if (known) {
		*site = t->site_of_frame.at[known];
		t->frames.at[known] = t->sites.at[*site].frame = fresh.frame;
		return 0;
	}
	*site = (uint32_t)t->sites.n;
	if ((rc = vec_push(&t->sites, fresh, t->budget, err)) < 0 ||
	    (rc = vec_push(&t->frames, fresh.frame, t->budget, err)) < 0)
		return rc;
	return vec_push(&t->site_of_frame, *site, t->budget, err);
}

int trend_add_sites(struct trend *t, const struct model *m, const struct state *at_peak,
		    struct error *err)
{
	struct frame_list known = {&t->strings, t->frames.at, t->frames.n};
	struct frame_list fresh = {&m->strings, m->stacks.frames.at, m->stacks.frames.n};
	struct frame_match match = {0};
	struct top top = {0};
	int rc;

	if ((rc = top_run(&top, m, at_peak, TOP_SITE, NULL, NULL, t->budget, err)) < 0 ||
	    (rc = frame_match_init(&match, &known, &fresh, false, t->budget, err)) < 0)
		goto out;
	for (size_t i = 0; i < top.rows.n && rc == 0; i++) {
		struct trend_value v = {.file = (uint32_t)t->files.n,
					.bytes = top.rows.at[i].bytes};

		rc = site_row(t, &match, m, top.rows.at[i].site, &v.site, err);
		if (rc < 0)
			break;
		t->sites.at[v.site].last_file = v.file;
		rc = vec_push(&t->values, v, t->budget, err);
	}
out:
	frame_match_release(&match);
	top_release(&top);
	return rc;
}

const char *trend_site_words(const struct trend *t, uint32_t site, char *buf, size_t size)
{
	const struct trend_site *s = &t->sites.at[site];

	if (s->kind == SITE_FRAME)
		(void)snprintf(buf, size, "%s:%" PRId64 " %s",
			       strtab_get(&t->strings, s->frame.file)->bytes, s->frame.line,
			       strtab_get(&t->strings, s->frame.name)->bytes);
	else
		(void)snprintf(buf, size, "%s",
			       s->kind == SITE_BACKWARD ? "(backward)" : "(no stack)");
	return buf;
}

/* --- over all files ---------------------------------------------------------------------------- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_by_site(const void *a, const void *b)
{
	const struct trend_value *x = a, *y = b;
	int order = ORDER(x->site, y->site);

	return order ? order : ORDER(x->file, y->file);
}

/* Where it leaves its first level: the first file that has it, when it is not there from the
 * start. */
static uint32_t first_file(const struct trend_series *s)
{
	size_t k = 0;

	while (k + 1 < s->n && s->at[k + 1] >= s->at[0] && s->at[k + 1] <= s->at[0])
		k++;
	if (k + 1 < s->n && (k > 0 || s->at[0] <= 0))
		k++;
	return s->files[k];
}

static int judge_site(struct trend *t, const struct trend_series *s, uint32_t site,
		      struct error *err)
{
	struct trend_change like = {.what = TREND_OF_SITE, .site = site};
	struct trend_site *x = &t->sites.at[site];
	double highest = 0;

	for (size_t i = 0; i < s->n; i++)
		highest = s->at[i] > highest ? s->at[i] : highest;
	x->first = (uint64_t)s->at[0];
	x->last = (uint64_t)s->at[s->n - 1];
	x->highest = (uint64_t)highest;
	x->has_trend = trend_has_direction(s, &x->slope);
	x->first_file = first_file(s);
	return x->has_trend ? 0 : trend_find_changes(t, s, &like, err);
}

/* Of a site: a hundredth of the largest peak, 1 MiB at least. */
static double least_change(const struct trend *t)
{
	double highest = 0;

	for (size_t i = 0; i < t->files.n; i++) {
		double peak = t->files.at[i].metric[TREND_PEAK];

		highest = peak > highest ? peak : highest;
	}
	return highest / 100 > 1048576.0 ? highest / 100 : 1048576.0;
}

int trend_judge_sites(struct trend *t, struct error *err)
{
	VEC(struct trend_value) values = {0};
	VEC(uint32_t) files = {0}, place = {0};
	VEC(double) at = {0};
	struct trend_series s = {.least = least_change(t)};
	int rc;

	if ((rc = vec_reserve(&values, t->values.n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&files, t->files.n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&place, t->files.n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&at, t->files.n + 1, t->budget, err)) < 0)
		goto out;
	for (size_t i = 0; i < t->files.n; i++) {
		place.at[i] = (uint32_t)s.n;
		if (!t->files.at[i].error.i)
			files.at[s.n++] = (uint32_t)i;
	}
	s.at = at.at;
	s.files = files.at;
	if (t->values.n) {
		memcpy(values.at, t->values.at, t->values.n * sizeof *values.at);
		qsort(values.at, t->values.n, sizeof *values.at, compare_by_site);
	}
	for (size_t i = 0, k; i < t->values.n && rc == 0; i = k) {
		uint32_t site = values.at[i].site;

		for (size_t f = 0; f < s.n; f++)
			at.at[f] = 0;
		for (k = i; k < t->values.n && values.at[k].site == site; k++)
			at.at[place.at[values.at[k].file]] += (double)values.at[k].bytes;
		rc = judge_site(t, &s, site, err);
	}
out:
	vec_release(&values, t->budget);
	vec_release(&files, t->budget);
	vec_release(&place, t->budget);
	vec_release(&at, t->budget);
	return rc;
}
