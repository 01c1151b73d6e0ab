/* SPDX-License-Identifier: MIT
 * phase_marks.c -- annotations that tell a phase or a step, placed among the events of a device.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/phases_private.h"
#include "passes/regex.h"

#define MARKER_MATCH_LIMIT 200000

/* The last event not later than a time, for times in any order. Events step back in time by a few
 * microseconds where threads race: the first place where the time is passed counts. */
struct clock {
	const int64_t *time_us;
	int64_t n;
	bool works; /* the trace has times */
};

static int64_t clock_event(const struct clock *c, int64_t time_us)
{
	int64_t low = 0, high = c->n;

	while (low < high) {
		int64_t mid = low + (high - low) / 2;

		if (c->time_us[mid] <= time_us)
			low = mid + 1;
		else
			high = mid;
	}
	return low - 1;
}

static struct clock clock_of(const struct model *m, const struct device *d)
{
	struct clock c = {.n = (int64_t)d->n_events};

	if (d->n_events == 0)
		return c;
	c.time_us = m->events.time_us.at + d->first_event;
	c.works = c.time_us[0] != TIME_NONE && c.time_us[c.n - 1] != TIME_NONE;
	return c;
}

static bool marker_matches(const pcre2_code *code, const struct str *name)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	int rc = -1;

	if (data && context) {
		pcre2_set_match_limit(context, MARKER_MATCH_LIMIT);
		rc = pcre2_match(code, (PCRE2_SPTR)name->bytes, name->length, 0, 0, data, context);
	}
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	return rc >= 0;
}

/* All spans of the device; of all devices when none names this one. */
static int match_spans(struct bands *b, const struct model *m, const struct device *d,
		       const struct clock *clock, struct error *err)
{
	VEC(struct band_mark) marks = {0};
	bool own = false;
	int rc = 0;

	for (size_t i = 0; i < m->annotations.n; i++)
		own |= m->annotations.at[i].device == d->index;
	for (size_t i = 0; i < m->annotations.n && rc == 0; i++) {
		const struct annotation *a = &m->annotations.at[i];
		struct band_mark mark = {a->name, a->is_end, a->time_us, EVENT_START};

		if (a->time_us == TIME_NONE || (own && a->device != d->index))
			continue;
		mark.event = clock_event(clock, a->time_us);
		rc = vec_push(&marks, mark, b->budget, err);
	}
	if (rc == 0)
		rc = bands_match(b, marks.at, marks.n, err);
	vec_release(&marks, b->budget);
	return rc;
}

/* Rules behind this row are not told apart by how often they match. */
#define RULES_TRIED 4096

#define TELLS_NOTHING UINT32_MAX
#define TELLS_MARKER  (UINT32_MAX - 1)

/* What each distinct name tells: a row of rules, or one of the above; by str_id. */
static int judge_names(struct hashmap *tells, const struct bands *b, const struct model *m,
		       const struct rules *rules, const pcre2_code *marker, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->names.n && rc == 0; i++) {
		const struct str *name = strtab_get(&m->strings, b->names.at[i].name);
		uint16_t row = rules_annotation(rules, name->bytes, name->length);
		uint64_t what = row == RULE_NONE ? TELLS_NOTHING : row;

		if (marker && marker_matches(marker, name))
			what = TELLS_MARKER;
		rc = hashmap_put(tells, b->names.at[i].name.i, what, err);
	}
	return rc;
}

/* Of several kinds of step annotations (the profiler's and the program's own) the first rule that
 * has more than one span counts, else the first that has one. */
static uint16_t best_step_rule(const struct phase_marks *k)
{
	uint16_t single = RULE_NONE, several = RULE_NONE;
	bool seen_before[RULES_TRIED] = {false};

	for (size_t i = 0; i < k->steps.n; i++) {
		uint16_t rule = k->steps.at[i].rule;

		if (rule < single)
			single = rule;
		if (rule >= RULES_TRIED)
			continue;
		if (seen_before[rule] && rule < several)
			several = rule;
		seen_before[rule] = true;
	}
	return several != RULE_NONE ? several : single;
}

/* Steps do not nest: what begins inside one is left out. */
static void choose_steps(struct phase_marks *k, bool has_marker)
{
	uint16_t best = has_marker ? RULE_NONE : best_step_rule(k);
	int64_t covered = INT64_MIN;
	size_t n = 0;

	for (size_t i = 0; i < k->steps.n; i++) {
		struct phase_mark mark = k->steps.at[i];

		if (mark.rule != best || mark.start_us < covered)
			continue;
		covered = mark.end_us;
		k->steps.at[n++] = mark;
	}
	k->steps.n = n;
	k->steps_asked = has_marker;
}

static int sort_out(struct phase_marks *k, const struct bands *b, const struct rules *rules,
		    const struct hashmap *tells, bool has_marker, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->spans.n && rc == 0; i++) {
		const struct band_span *s = &b->spans.at[i];
		uint64_t what = *hashmap_get(tells, s->name.i);
		struct phase_mark mark = {
			.name = s->name,
			.rule = what == TELLS_MARKER ? RULE_NONE : (uint16_t)what,
			.begun_before = s->begun_before,
			.never_ended = s->never_ended,
			.start_event = s->start_event,
			.end_event = s->end_event,
			.start_us = s->start_us,
			.end_us = s->end_us,
		};

		if (what == TELLS_MARKER) {
			rc = vec_push(&k->steps, mark, k->budget, err);
		} else if (what != TELLS_NOTHING) {
			const struct rule *r = rules_at(rules, mark.rule);

			mark.phase = r->phase;
			if (!r->is_step)
				rc = vec_push(&k->phases, mark, k->budget, err);
			else if (!has_marker)
				rc = vec_push(&k->steps, mark, k->budget, err);
		}
	}
	if (rc == 0)
		choose_steps(k, has_marker);
	return rc;
}

int phase_marks_init(struct phase_marks *out, const struct model *m, const struct device *d,
		     const struct rules *rules, const char *step_marker, struct budget *budget,
		     struct error *err)
{
	struct phase_marks k = {.budget = budget};
	struct clock clock = clock_of(m, d);
	struct hashmap tells;
	struct bands bands;
	pcre2_code *marker = NULL;
	int rc = 0;

	bands_init(&bands, budget);
	hashmap_init(&tells, budget);
	if (step_marker && (rc = regex_compile(&marker, step_marker, 0, 0, err)) < 0)
		goto out;
	if (clock.works && (rc = match_spans(&bands, m, d, &clock, err)) < 0)
		goto out;
	if ((rc = judge_names(&tells, &bands, m, rules, marker, err)) < 0 ||
	    (rc = sort_out(&k, &bands, rules, &tells, marker != NULL, err)) < 0)
		goto out;
	if (marker && k.steps.n == 0) {
		rc = error_set(err, ERR_USAGE, ERR_NO_OFFSET,
			       "no annotation with a time matches '%.120s'", step_marker);
		goto out;
	}
	*out = k;
	k = (struct phase_marks){.budget = budget};
out:
	phase_marks_release(&k);
	pcre2_code_free(marker);
	hashmap_release(&tells);
	bands_release(&bands);
	return rc;
}

void phase_marks_release(struct phase_marks *k)
{
	if (!k || !k->budget)
		return;
	vec_release(&k->phases, k->budget);
	vec_release(&k->steps, k->budget);
	k->budget = NULL;
}
