/* SPDX-License-Identifier: MIT
 * trend.c -- what changes over many files in order: epochs of a run, nightly runs.
 */
#include "passes/trend.h"

#include <stdlib.h>
#include <string.h>

#include "base/natural.h"
#include "passes/fragmentation.h"
#include "passes/trend_private.h"

const char *trend_metric_name(enum trend_metric m)
{
	static const char *const names[] = {
		[TREND_PEAK] = "peak_bytes",
		[TREND_END] = "end_bytes",
		[TREND_RESERVED] = "reserved_bytes",
		[TREND_FRAGMENTATION] = "fragmentation",
	};

	return names[m];
}

int trend_init(struct trend *t, struct budget *budget, struct error *err)
{
	int rc;

	*t = (struct trend){.budget = budget};
	if ((rc = strtab_init(&t->strings, budget, err)) < 0 ||
	    (rc = vec_push(&t->frames, (struct frame){0}, budget, err)) < 0 ||
	    (rc = vec_push(&t->site_of_frame, 0, budget, err)) < 0) {
		trend_release(t);
		return rc;
	}
	return 0;
}

void trend_release(struct trend *t)
{
	if (!t->budget)
		return;
	strtab_release(&t->strings);
	vec_release(&t->files, t->budget);
	vec_release(&t->sites, t->budget);
	vec_release(&t->values, t->budget);
	vec_release(&t->frames, t->budget);
	vec_release(&t->site_of_frame, t->budget);
	vec_release(&t->changes, t->budget);
	t->budget = NULL;
}

/* --- one file ---------------------------------------------------------------------------------- */

static double known(uint64_t bytes)
{
	return bytes == BYTES_NONE ? TREND_UNKNOWN : (double)bytes;
}

static int64_t first_time(const struct model *m, const struct device *d)
{
	for (uint64_t e = d->first_event; e < d->first_event + d->n_events; e++) {
		if (m->events.time_us.at[e] != TIME_NONE)
			return m->events.time_us.at[e];
	}
	return TIME_NONE;
}

/* The setting's text as the program gave it. */
static str_id conf_of(const struct model *m)
{
	const struct value *conf =
		value_member(m->settings_value, &m->strings, "PYTORCH_CUDA_ALLOC_CONF");

	return conf && conf->kind == VALUE_STR ? conf->str : STR_NONE;
}

static int keep_text(struct trend *t, const char *bytes, size_t n, str_id *out, struct error *err)
{
	return strtab_add(&t->strings, bytes, n, out, err);
}

static int keep_words(struct trend *t, const struct model *m, struct trend_file *f,
		      struct error *err)
{
	const struct str *file = strtab_get(&m->strings, m->file);
	const struct str *conf = strtab_get(&m->strings, conf_of(m));
	const char *writer = m->writer ? m->writer : "";
	int rc;

	if ((rc = keep_text(t, file->bytes, file->length, &f->file, err)) < 0 ||
	    (rc = keep_text(t, conf->bytes, conf->length, &f->settings, err)) < 0)
		return rc;
	return keep_text(t, writer, strlen(writer), &f->writer, err);
}

/* The state at the peak gives sites and fragmentation, that of the segments the end. */
static int measure(struct trend *t, const struct model *m, const struct device *d, struct replay *r,
		   struct trend_file *f, struct error *err)
{
	const struct replay_summary *s = replay_summary(r);
	int64_t peak = s->allocated.bytes == BYTES_NONE ? EVENT_START : s->allocated.event;
	struct state state = {0};
	int rc;

	if ((rc = state_from_segments(&state, m, d, t->budget, err)) < 0)
		return rc;
	f->metric[TREND_END] = known(m->has_segments ? state.totals.allocated : s->end.allocated);
	state_release(&state);
	state = (struct state){.budget = t->budget};
	if ((rc = replay_seek(r, peak, err)) < 0 || (rc = replay_state(r, &state, err)) < 0)
		return rc;
	f->metric[TREND_PEAK] = known(s->allocated.bytes);
	f->metric[TREND_RESERVED] = known(s->reserved.bytes);
	f->metric[TREND_FRAGMENTATION] = fragmentation_of(&state.totals);
	rc = trend_add_sites(t, m, &state, err);
	state_release(&state);
	return rc;
}

int trend_add(struct trend *t, const struct model *m, const struct device *d, struct replay *r,
	      struct error *err)
{
	struct trend_file f = {
		.first_time_us = first_time(m, d),
		.device = d->index,
		.partial = m->partial,
		.given = (uint32_t)t->files.n,
	};
	int rc;

	if ((rc = keep_words(t, m, &f, err)) < 0 || (rc = measure(t, m, d, r, &f, err)) < 0)
		return rc;
	return vec_push(&t->files, f, t->budget, err);
}

int trend_add_failed(struct trend *t, const char *file, const char *why, struct error *err)
{
	struct trend_file f = {.first_time_us = TIME_NONE, .given = (uint32_t)t->files.n};
	int rc;

	for (int i = 0; i < TREND_METRICS; i++)
		f.metric[i] = TREND_UNKNOWN;
	if ((rc = keep_text(t, file, strlen(file), &f.file, err)) < 0 ||
	    (rc = keep_text(t, why, strlen(why), &f.error, err)) < 0)
		return rc;
	return vec_push(&t->files, f, t->budget, err);
}

/* --- the whole --------------------------------------------------------------------------------- */

struct sorting {
	const struct trend *t;
	enum trend_order order;
};

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_files(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct trend_file *x = a, *y = b;
	int order = 0;

	if (s->order == TREND_BY_NAME)
		order = natural_compare(strtab_get(&s->t->strings, x->file)->bytes,
					strtab_get(&s->t->strings, y->file)->bytes);
	else if (s->order == TREND_BY_TIME)
		order = ORDER(x->first_time_us, y->first_time_us);
	return order ? order : ORDER(x->given, y->given);
}

static int compare_values(const void *a, const void *b)
{
	const struct trend_value *x = a, *y = b;
	int order = ORDER(x->file, y->file);

	if (!order)
		order = ORDER(y->bytes, x->bytes);
	return order ? order : ORDER(x->site, y->site);
}

static int sort_files(struct trend *t, enum trend_order order, struct error *err)
{
	struct sorting s = {t, order};
	VEC(uint32_t) place = {0};
	int rc = vec_reserve(&place, t->files.n + 1, t->budget, err);

	if (rc < 0)
		return rc;
	if (t->files.n > 1)
		qsort_r(t->files.at, t->files.n, sizeof *t->files.at, compare_files, &s);
	for (size_t i = 0; i < t->files.n; i++)
		place.at[t->files.at[i].given] = (uint32_t)i;
	for (size_t i = 0; i < t->values.n; i++)
		t->values.at[i].file = place.at[t->values.at[i].file];
	for (size_t i = 0; i < t->sites.n; i++)
		t->sites.at[i].last_file = place.at[t->sites.at[i].last_file];
	if (t->values.n > 1)
		qsort(t->values.at, t->values.n, sizeof *t->values.at, compare_values);
	vec_release(&place, t->budget);
	return 0;
}

/* Smaller changes are noise: 1 MiB and a hundredth, or two hundredths of all reserved. */
static double least_change(enum trend_metric metric, const double *at, size_t n)
{
	double highest = 0;

	if (metric == TREND_FRAGMENTATION)
		return 0.02;
	for (size_t i = 0; i < n; i++)
		highest = at[i] > highest ? at[i] : highest;
	return highest / 100 > 1048576.0 ? highest / 100 : 1048576.0;
}

static int judge_metrics(struct trend *t, struct error *err)
{
	VEC(double) at = {0};
	VEC(uint32_t) files = {0};
	int rc;

	if ((rc = vec_reserve(&at, t->files.n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&files, t->files.n + 1, t->budget, err)) < 0)
		goto out;
	for (int k = 0; k < TREND_METRICS && rc == 0; k++) {
		struct trend_change like = {.what = TREND_OF_METRIC,
					    .metric = (enum trend_metric)k};
		struct trend_series s = {.at = at.at, .files = files.at};

		for (size_t i = 0; i < t->files.n; i++) {
			if (t->files.at[i].metric[k] < 0)
				continue;
			files.at[s.n] = (uint32_t)i;
			at.at[s.n++] = t->files.at[i].metric[k];
		}
		s.least = least_change(like.metric, at.at, s.n);
		t->has_trend[k] = trend_has_direction(&s, &t->slope[k]);
		if (!t->has_trend[k])
			rc = trend_find_changes(t, &s, &like, err);
	}
out:
	vec_release(&at, t->budget);
	vec_release(&files, t->budget);
	return rc;
}

static int judge_words(struct trend *t, struct error *err)
{
	const struct trend_file *before = NULL;
	int rc = 0;

	for (size_t i = 0; i < t->files.n && rc == 0; i++) {
		const struct trend_file *f = &t->files.at[i];
		struct trend_change c = {.file = (uint32_t)i};

		if (f->error.i)
			continue;
		if (before && before->writer.i != f->writer.i) {
			c.what = TREND_OF_WRITER;
			c.from_text = before->writer;
			c.to_text = f->writer;
			rc = vec_push(&t->changes, c, t->budget, err);
		}
		if (rc == 0 && before && before->settings.i != f->settings.i) {
			c.what = TREND_OF_SETTINGS;
			c.from_text = before->settings;
			c.to_text = f->settings;
			rc = vec_push(&t->changes, c, t->budget, err);
		}
		before = f;
	}
	return rc;
}

static double size_of(const struct trend_change *c)
{
	return c->to > c->from ? c->to - c->from : c->from - c->to;
}

/* By file; metrics before sites, and larger ones first. */
static int compare_changes(const void *a, const void *b)
{
	const struct trend_change *x = a, *y = b;
	int order = ORDER(x->file, y->file);

	if (!order)
		order = ORDER(x->what != TREND_OF_METRIC, y->what != TREND_OF_METRIC);
	if (!order && x->what == TREND_OF_METRIC)
		order = ORDER(x->metric, y->metric);
	if (!order)
		order = ORDER(size_of(y), size_of(x));
	if (!order)
		order = ORDER(x->what, y->what);
	return order ? order : ORDER(x->site, y->site);
}

int trend_finish(struct trend *t, enum trend_order order, struct error *err)
{
	int rc;

	if ((rc = sort_files(t, order, err)) < 0 || (rc = judge_metrics(t, err)) < 0 ||
	    (rc = judge_words(t, err)) < 0 || (rc = trend_judge_sites(t, err)) < 0)
		return rc;
	if (t->changes.n > 1)
		qsort(t->changes.at, t->changes.n, sizeof *t->changes.at, compare_changes);
	return 0;
}

const struct trend_value *trend_values_of(const struct trend *t, uint32_t file, size_t *n)
{
	size_t low = 0, high = t->values.n, end;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->values.at[mid].file < file)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < t->values.n && t->values.at[end].file == file;)
		end++;
	*n = end - low;
	return *n ? &t->values.at[low] : NULL;
}
