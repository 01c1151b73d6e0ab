/* SPDX-License-Identifier: MIT
 * describe_leaks.c -- what grows step by step and never comes back, largest growth first.
 */
#include "reports/leaks_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "reports/describe.h"
#include "reports/stack_lines.h"

#define SITE_BYTES 16384

/* The words of people: "reference cycle". */
static const char *kind_words(enum leak_kind k)
{
	static const char *const words[] = {
		[LEAK_TENSOR] = "tensors that the program keeps",
		[LEAK_GRAPH] = "whole graphs that are kept",
		[LEAK_REFERENCE_CYCLE] = "a reference cycle",
		[LEAK_CACHE_GROWTH] = "reserved memory that grows while live memory does not",
		[LEAK_PENDING_FREE] = "frees that wait for a stream",
	};

	return words[k];
}

static bool is_suppressed(const struct leak *l)
{
	return l->suppression != LEAK_NOT_SUPPRESSED;
}

/* A mean of whole bytes is written as a whole number. */
static void emit_growth(struct emit *e, const char *key, double growth)
{
	if (growth >= 0 && growth < 9e15 && growth == floor(growth))
		emit_u64(e, key, NULL, (uint64_t)growth);
	else
		emit_f64(e, key, NULL, growth);
}

static const char *words_growth(const struct emit *e, char buf[UNITS_BUF], double growth)
{
	return emit_words_bytes(e, buf, growth > 0 ? (uint64_t)(growth + 0.5) : 0);
}

/* "step 12 (ProfilerStep#512)" */
static const char *step_words(char *buf, size_t size, const struct leaks_report *r, int64_t step)
{
	const struct phases *p = r->phases;
	str_id label = step >= 0 && (size_t)step < p->steps.n ? p->steps.at[step].label : STR_NONE;

	if (label.i)
		(void)snprintf(buf, size, "step %" PRId64 " (%.60s)", step,
			       model_str(r->allocations->model, label));
	else
		(void)snprintf(buf, size, "step %" PRId64, step);
	return buf;
}

/* --- JSON -------------------------------------------------------------------------------------- */

static void describe_leak(struct emit *e, const struct leaks_report *r, const struct leak *l)
{
	const struct model *m = r->allocations->model;
	char site[SITE_BYTES];
	bool placed = l->kind != LEAK_CACHE_GROWTH;

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "site", NULL,
		 placed ? site_words(m, l->site, site, sizeof site) : "(reserved)");
	emit_array_begin(e, "stack", NULL);
	if (placed)
		describe_stack(e, m, l->stack);
	emit_array_end(e);
	emit_str(e, "category", NULL, placed ? category_name(l->category) : NULL);
	emit_str(e, "kind", NULL, leak_kind_name(l->kind));
	emit_u64(e, "bytes", NULL, l->bytes);
	emit_u64(e, "blocks", NULL, l->blocks);
	emit_growth(e, "growth_bytes_per_step", l->growth);
	emit_f64(e, "blocks_per_step", NULL, l->blocks_per_step);
	emit_i64(e, "first_step", NULL, l->first_step);
	emit_i64(e, "last_step", NULL, l->last_step);
	emit_f64(e, "fit", NULL, l->fit);
	emit_str(e, "confidence", NULL, confidence_name(l->confidence));
	if (l->kind == LEAK_REFERENCE_CYCLE) {
		emit_u64(e, "bursts", NULL, l->bursts);
		emit_u64(e, "burst_bytes", NULL, l->burst_bytes);
		emit_i64(e, "lived_steps", NULL, l->lived_steps);
	}
	emit_object_end(e);
}

static const char *const innocent_keys[LEAKS_INNOCENT_COUNT] = {
	[LEAKS_FROM_BEFORE] = "before_first_step",
	[LEAKS_FROM_WARM_UP] = "warm_up",
	[LEAKS_CURRENT_STEP] = "last_step",
	[LEAKS_KEPT_A_WHILE] = "replaced_or_saturated",
};

static void describe_json(struct emit *e, const struct leaks_report *r)
{
	const struct leaks *l = r->leaks;
	const struct phases *p = r->phases;

	emit_object_begin(e, "steps", NULL);
	emit_u64(e, "count", NULL, p->steps.n);
	emit_str(e, "source", NULL, p->source == STEPS_NONE ? NULL : step_source_name(p->source));
	emit_str(e, "confidence", NULL,
		 p->source == STEPS_NONE ? NULL : confidence_name(p->confidence));
	emit_object_end(e);
	emit_u64(e, "judged_steps", NULL, l->n_steps);
	emit_bool(e, "enough_steps", NULL, !l->too_few_steps);
	emit_array_begin(e, "sites", NULL);
	for (size_t i = 0; i < l->found.n; i++) {
		if (!is_suppressed(&l->found.at[i]))
			describe_leak(e, r, &l->found.at[i]);
	}
	emit_array_end(e);
	emit_growth(e, "growth_bytes_per_step", l->growth);
	emit_object_begin(e, "forecast", NULL);
	if (l->forecast.limit_bytes)
		emit_u64(e, "limit_bytes", NULL, l->forecast.limit_bytes);
	else
		emit_null(e, "limit_bytes", NULL);
	if (l->forecast.known)
		emit_i64(e, "step", NULL, l->forecast.step);
	else
		emit_null(e, "step", NULL);
	emit_str(e, "confidence", NULL,
		 l->forecast.known ? confidence_name(l->forecast.confidence) : NULL);
	emit_object_end(e);
	emit_u64(e, "suppressed", NULL, l->n_suppressed);
	emit_array_begin(e, "suppressions", NULL);
	for (size_t k = 0; k < r->n_suppressions; k++) {
		uint64_t n = 0;
		double growth = 0;

		for (size_t i = 0; i < l->found.n; i++) {
			n += l->found.at[i].suppression == k;
			growth += l->found.at[i].suppression == k ? l->found.at[i].growth : 0;
		}
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "pattern", NULL, r->suppressions[k]);
		emit_u64(e, "sites", NULL, n);
		emit_growth(e, "growth_bytes_per_step", growth);
		emit_object_end(e);
	}
	emit_array_end(e);
	emit_u64(e, "collect_bytes", NULL, l->collect_bytes);
	emit_object_begin(e, "kept", NULL);
	for (int i = 0; i < LEAKS_INNOCENT_COUNT; i++) {
		emit_object_begin(e, innocent_keys[i], NULL);
		emit_u64(e, "bytes", NULL, l->kept[i].bytes);
		emit_u64(e, "blocks", NULL, l->kept[i].blocks);
		emit_object_end(e);
	}
	emit_object_end(e);
}

/* --- text -------------------------------------------------------------------------------------- */

static void text_steps(struct emit *e, const struct leaks_report *r)
{
	const struct phases *p = r->phases;
	char name[UNITS_BUF], count[UNITS_BUF];

	if (p->source == STEPS_NONE)
		emit_line(e, "%s: no steps were found",
			  describe_device_name(name, r->allocations->device->index));
	else
		emit_line(e, "%s: %s, found by %s (confidence %s)",
			  describe_device_name(name, r->allocations->device->index),
			  units_noun(count, sizeof count, p->steps.n, "step", "steps"),
			  describe_step_source(p->source), confidence_name(p->confidence));
	if (r->leaks->n_steps < p->steps.n)
		emit_line(e, "Looked at the first %s of them",
			  units_count(count, r->leaks->n_steps));
	if (r->n_files > 1 && r->n_joined == r->n_files)
		emit_line(e, "%zu files of one run, joined where their traces overlap", r->n_files);
	else if (r->n_files > 1)
		emit_line(e,
			  "%zu files; only the last %zu follow each other without a gap and are "
			  "looked at",
			  r->n_files, r->n_joined);
}

const char *leaks_words(const struct emit *e, const struct leaks_report *r, char buf[LEAKS_WORDS])
{
	size_t leaking = 0;
	char growth[UNITS_BUF], places[UNITS_BUF];

	for (size_t i = 0; i < r->leaks->found.n; i++) {
		const struct leak *x = &r->leaks->found.at[i];

		leaking += !is_suppressed(x) && x->kind != LEAK_CACHE_GROWTH && x->growth > 0;
	}
	buf[0] = '\0';
	if (leaking && !r->leaks->too_few_steps)
		(void)snprintf(buf, LEAKS_WORDS, "%s a step in %s",
			       words_growth(e, growth, r->leaks->growth),
			       units_noun(places, sizeof places, leaking, "place", "places"));
	return buf;
}

static void text_answer(struct emit *e, const struct leaks_report *r)
{
	const struct leaks *l = r->leaks;
	char words[LEAKS_WORDS];

	if (l->too_few_steps)
		emit_prose(e,
			   "Leaks cannot be told: %s steps are needed. Record more of them, or say "
			   "which annotations mark a step with --step-marker.",
			   r->phases->steps.n ? "more" : "some");
	else if (*leaks_words(e, r, words))
		emit_line(e, "Leak: %s", words);
	else if (l->found.n == l->n_suppressed)
		emit_line(e, "No leak: nothing grows step after step%s.",
			  l->n_suppressed ? " but what is suppressed" : "");
	else
		emit_line(e, "No leak: live memory does not grow for good.");
}

static void text_forecast(struct emit *e, const struct leaks_report *r)
{
	const struct leaks_forecast *f = &r->leaks->forecast;
	char limit[UNITS_BUF];

	if (!f->known)
		return;
	emit_line(e, "%s will be reached at step %" PRId64 " (confidence %s)",
		  emit_words_bytes(e, limit, f->limit_bytes), f->step,
		  confidence_name(f->confidence));
}

/* Settings that are known to make the cache grow. */
static void text_cache_settings(struct emit *e, const struct model *m)
{
	const struct alloc_settings *s = &m->settings;
	bool split = s->max_split_bytes != UINT64_MAX, rounds = false;

	for (int i = 0; i < 16; i++)
		rounds |= s->roundup_divisions[i] > 1;
	if (split && s->expandable_segments)
		emit_prose(e, "max_split_size and expandable_segments are both set: blocks above "
			      "the limit are not reused for smaller requests and the segment grows "
			      "instead. Unset max_split_size.");
	else if (split)
		emit_prose(e, "max_split_size is set: larger cached blocks are reused only for "
			      "requests of nearly their size.");
	else if (!s->expandable_segments)
		emit_prose(e, "expandable_segments is off: each new size needs a segment of its "
			      "own. Try expandable_segments:True.");
	if (rounds)
		emit_prose(e, "roundup_power2_divisions is set: blocks are larger than what was "
			      "asked for.");
}

static void text_leak(struct emit *e, const struct leaks_report *r, const struct leak *l, size_t n)
{
	const struct model *m = r->allocations->model;
	char site[SITE_BYTES], growth[UNITS_BUF], bytes[UNITS_BUF], blocks[UNITS_BUF];
	char first[128], last[128];

	if (l->kind == LEAK_CACHE_GROWTH)
		emit_heading(e, "%zu. reserved memory: %s a step", n,
			     words_growth(e, growth, l->growth));
	else if (l->kind == LEAK_REFERENCE_CYCLE)
		emit_heading(e, "%zu. %s: up to %s, and back", n,
			     site_words(m, l->site, site, sizeof site),
			     emit_words_bytes(e, growth, l->burst_bytes));
	else
		emit_heading(e, "%zu. %s: %s a step", n, site_words(m, l->site, site, sizeof site),
			     words_growth(e, growth, l->growth));
	emit_line(e, "   %s, confidence %s", kind_words(l->kind), confidence_name(l->confidence));
	if (l->kind == LEAK_CACHE_GROWTH) {
		emit_line(e, "   %s more%s%s, from %s to %s", emit_words_bytes(e, bytes, l->bytes),
			  l->blocks ? " in " : "",
			  l->blocks ? units_noun(blocks, sizeof blocks, l->blocks, "segment",
						 "segments")
				    : "",
			  step_words(first, sizeof first, r, l->first_step),
			  step_words(last, sizeof last, r, l->last_step));
		text_cache_settings(e, m);
		return;
	}
	if (l->kind == LEAK_REFERENCE_CYCLE) {
		char times[UNITS_BUF], lived[UNITS_BUF];

		emit_prose(
			e,
			"   Freed in bursts, %s so far, after at most %s: by Python's cycle "
			"collector, or a list that is emptied now and "
			"then. %s wait for it now. gc.collect() after each step would keep them "
			"from piling up.",
			units_noun(times, sizeof times, l->bursts, "time", "times"),
			units_noun(lived, sizeof lived, (uint64_t)l->lived_steps, "step", "steps"),
			emit_words_bytes(e, bytes, l->bytes));
	} else {
		emit_line(e, "   %s in %s (%s) alive, from %s to %s",
			  emit_words_bytes(e, bytes, l->bytes),
			  units_noun(blocks, sizeof blocks, l->blocks, "block", "blocks"),
			  category_name(l->category),
			  step_words(first, sizeof first, r, l->first_step),
			  step_words(last, sizeof last, r, l->last_step));
	}
	text_stack(e, m, l->stack);
}

static void text_kept(struct emit *e, const struct leaks *l)
{
	static const char *const what[LEAKS_INNOCENT_COUNT] = {
		[LEAKS_FROM_BEFORE] = "made before the first step: parameters, inputs",
		[LEAKS_FROM_WARM_UP] =
			"made in the first steps: optimizer state, caches, workspaces",
		[LEAKS_CURRENT_STEP] = ("made in the last step: gradients kept until the next, "
					"activations"),
		[LEAKS_KEPT_A_WHILE] = "made in between: replaced now and then, or in a full cache",
	};

	if (l->too_few_steps)
		return;
	emit_table_begin(e, NULL, "Alive at the end and no leak");
	for (int i = 0; i < LEAKS_INNOCENT_COUNT; i++) {
		if (!l->kept[i].blocks)
			continue;
		emit_row_begin(e);
		emit_bytes(e, NULL, "requested", l->kept[i].bytes);
		emit_u64(e, NULL, "blocks", l->kept[i].blocks);
		emit_str(e, NULL, "what", what[i]);
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_text(struct emit *e, const struct leaks_report *r)
{
	const struct leaks *l = r->leaks;
	size_t n = 0;
	char growth[UNITS_BUF];

	text_steps(e, r);
	emit_blank(e);
	text_answer(e, r);
	text_forecast(e, r);
	for (size_t i = 0; i < l->found.n; i++) {
		if (!is_suppressed(&l->found.at[i]))
			text_leak(e, r, &l->found.at[i], ++n);
	}
	if (l->n_suppressed) {
		emit_heading(e, "Suppressed");
		for (size_t i = 0; i < l->found.n; i++) {
			const struct leak *x = &l->found.at[i];
			char site[SITE_BYTES];

			if (is_suppressed(x))
				emit_line(e, "%s a step: %s (%s)",
					  words_growth(e, growth, x->growth),
					  site_words(r->allocations->model, x->site, site,
						     sizeof site),
					  r->suppressions[x->suppression]);
		}
	}
	text_kept(e, l);
}

void describe_leaks(struct emit *e, const struct leaks_report *r)
{
	emit_i64(e, "device", NULL, r->allocations->device->index);
	if (r->n_files > 1) {
		emit_array_begin(e, "files", NULL);
		for (size_t i = 0; i < r->n_files; i++)
			emit_str(e, NULL, NULL, r->files[i]);
		emit_array_end(e);
		emit_u64(e, "joined_files", NULL, r->n_joined);
	}
	if (emit_is_json(e))
		describe_json(e, r);
	else
		describe_text(e, r);
	emit_bool(e, "partial", NULL, r->allocations->model->partial);
}
