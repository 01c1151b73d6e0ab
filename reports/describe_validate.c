/* SPDX-License-Identifier: MIT
 * describe_validate.c -- is the file consistent with itself, and where not.
 */
#include "reports/describe.h"

#include <stdio.h>
#include <string.h>

/* Violations of a rule that text tells one by one; the others are mostly alike. */
#define TEXT_MAX_EACH  3
#define TEXT_MAX_RULES 64

static void json_violation(struct emit *e, const struct violation *v)
{
	emit_row_begin(e);
	emit_str(e, "rule", NULL, v->rule);
	emit_i64(e, "device", NULL, v->device);
	if (v->event == VIOLATION_NO_EVENT)
		emit_null(e, "event", NULL);
	else
		emit_event(e, "event", NULL, v->event);
	/* Absent ones are null, as amounts are. */
	emit_bytes(e, "segment_address", NULL, v->segment_address);
	emit_bytes(e, "address", NULL, v->address);
	emit_bytes(e, "expected", NULL, v->expected);
	emit_bytes(e, "found", NULL, v->found);
	emit_str(e, "message", NULL, v->message);
	emit_row_end(e);
}

/* Distinct rules in order of appearance. */
static size_t list_rules(const char *rules[TEXT_MAX_RULES], const struct validation *v)
{
	size_t n = 0;

	for (size_t k = 0; k < v->violations.n; k++) {
		size_t r = 0;

		while (r < n && strcmp(rules[r], v->violations.at[k].rule))
			r++;
		if (r == n && n < TEXT_MAX_RULES)
			rules[n++] = v->violations.at[k].rule;
	}
	return n;
}

static void text_violation(struct emit *e, const struct violation *v)
{
	char event[UNITS_BUF], device[UNITS_BUF];

	describe_device_name(device, v->device);

	if (v->event == VIOLATION_NO_EVENT)
		emit_prose(e, "- %s: %s", device, v->message);
	else
		emit_prose(e, "- %s, %s: %s", device, describe_event(event, v->event), v->message);
}

static void text_rule(struct emit *e, const struct validation *v, const char *rule)
{
	uint64_t count = 0, told = 0;
	char title[120], words[64];

	for (size_t k = 0; k < v->violations.n; k++)
		count += !strcmp(v->violations.at[k].rule, rule);
	units_noun(words, sizeof words, count, "violation", "violations");
	snprintf(title, sizeof title, "%.40s: %s", rule, words);
	emit_section_begin(e, title);
	for (size_t k = 0; k < v->violations.n && told < TEXT_MAX_EACH; k++) {
		if (strcmp(v->violations.at[k].rule, rule))
			continue;
		text_violation(e, &v->violations.at[k]);
		told++;
	}
	if (told < count)
		emit_line(e, "  and %s more", units_count(words, count - told));
	emit_section_end(e);
}

static void text_violations(struct emit *e, const struct validation *v)
{
	const char *rules[TEXT_MAX_RULES];
	size_t n = list_rules(rules, v);
	char first[UNITS_BUF];

	if (v->violations.n < v->n_violations)
		emit_prose(e, "Below are the first %s of them.",
			   units_count(first, v->violations.n));
	for (size_t r = 0; r < n; r++)
		text_rule(e, v, rules[r]);
}

void describe_validate(struct emit *e, const struct model *m, const struct validation *v)
{
	char count[64];

	emit_bool(e, "consistent", NULL, v->consistent);
	emit_bool(e, "partial", NULL, m->partial);
	emit_u64(e, "count", NULL, v->n_violations);
	emit_u64(e, "tolerated", NULL, v->n_tolerated);
	emit_array_begin(e, "violations", NULL);
	for (size_t k = 0; emit_is_json(e) && k < v->violations.n; k++)
		json_violation(e, &v->violations.at[k]);
	emit_array_end(e);
	units_noun(count, sizeof count, v->n_violations, "violation", "violations");
	if (v->consistent)
		emit_line(e, "Consistent%s.", m->partial ? " as far as it could be read" : "");
	else
		emit_line(e, "Not consistent: %s.", count);
	if (v->n_tolerated)
		emit_prose(
			e, "%s that a genuine file may show %s not counted.",
			units_noun(count, sizeof count, v->n_tolerated, "departure", "departures"),
			v->n_tolerated == 1 ? "is" : "are");
	if (v->consistent || emit_is_json(e))
		return;
	text_violations(e, v);
}
