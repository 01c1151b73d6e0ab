/* SPDX-License-Identifier: MIT
 * describe_gate.c -- what a check found: which line of the budget, by how much, who.
 */
#include "reports/gate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const answer_names[] = {"kept", "exceeded", "unknown"};

static const char *file_of(const struct gate_report *r, const struct gate_result *x)
{
	const char *name = batch_text(r->batch, BATCH_FILES, x->file, FILES_NAME);

	return name ? name : "";
}

static const char *amount_words(const struct gate_limit *l, double v, char buf[UNITS_BUF])
{
	char bytes[UNITS_BUF];

	if (isnan(v))
		snprintf(buf, UNITS_BUF, "not known");
	else if (l->of == GATE_FRAGMENTATION)
		snprintf(buf, UNITS_BUF, "%.1f %%", v * 100);
	else
		snprintf(buf, UNITS_BUF, "%s%.36s%s", v < 0 ? "-" : "",
			 units_bytes(bytes, (uint64_t)fabs(v)),
			 l->of == GATE_LEAK ? " a step" : "");
	return buf;
}

const char *gate_limit_words(const struct gate_limit *l, char *buf, size_t size)
{
	static const char *const nouns[GATE_OFS] = {
		"peak of allocated bytes", "allocated bytes at the end", "most reserved bytes",
		"fragmentation", "growth"};
	const char *part = l->site ? l->site : l->category;
	int n = snprintf(buf, size, "%s%s%s%s", nouns[l->of], part ? " (" : "", part ? part : "",
			 part ? ")" : "");

	if (l->is_growth && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, " against the baseline");
	return buf;
}

const char *gate_result_words(const struct gate_report *r, const struct gate_result *x, char *buf,
			      size_t size)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char limit[1200], value[UNITS_BUF], most[UNITS_BUF], over[UNITS_BUF];
	int n;

	gate_limit_words(l, limit, sizeof limit);
	amount_words(l, x->value, value);
	amount_words(l, x->most, most);
	if (x->answer == GATE_UNKNOWN) {
		snprintf(buf, size, "%s: not known: %s", limit, x->why);
		return buf;
	}
	n = snprintf(buf, size, "%s: %s of at most %s", limit, value, most);
	if (x->answer != GATE_EXCEEDED || n < 0 || (size_t)n >= size)
		return buf;
	n += snprintf(buf + n, size - (size_t)n, ", %s too much",
		      amount_words(l, x->value - x->most, over));
	if (!x->who || (size_t)n >= size)
		return buf;
	units_bytes(value, (uint64_t)x->who_bytes);
	if (isnan(x->who_before)) {
		snprintf(buf + n, size - (size_t)n, "; most is held by %.600s: %s", x->who, value);
	} else {
		units_bytes(most, (uint64_t)x->who_before);
		snprintf(buf + n, size - (size_t)n, "; most grew %.600s: %s, before %s", x->who,
			 value, most);
	}
	return buf;
}

static void json_result(struct emit *e, const struct gate_report *r, const struct gate_result *x)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char words[4096];

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "file", NULL, file_of(r, x));
	emit_u64(e, "line", NULL, l->line);
	emit_str(e, "of", NULL, gate_of_name(l->of));
	emit_str(e, "site", NULL, l->site);
	emit_str(e, "category", NULL, l->category);
	emit_bool(e, "against_baseline", NULL, l->is_growth);
	emit_str(e, "answer", NULL, answer_names[x->answer]);
	emit_f64(e, "value", NULL, x->value);
	emit_f64(e, "most", NULL, x->most);
	emit_str(e, "who", NULL, x->who);
	emit_str(e, "text", NULL, gate_result_words(r, x, words, sizeof words));
	emit_object_end(e);
}

static void text_result(struct emit *e, const struct gate_report *r, const struct gate_result *x)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char words[4096];

	emit_prose(e, "- %s: %s (%s, line %" PRIu32 "): %s.", answer_names[x->answer],
		   file_of(r, x), r->budget_file, l->line,
		   gate_result_words(r, x, words, sizeof words));
}

void describe_gate(struct emit *e, const struct gate_report *r)
{
	const struct gate *g = r->gate;

	emit_str(e, "budget", NULL, r->budget_file);
	emit_u64(e, "n_limits", "limits held against", g->results.n);
	emit_u64(e, "n_exceeded", "exceeded", g->n_exceeded);
	emit_u64(e, "n_unknown", "not known", g->n_unknown);
	emit_array_begin(e, "results", NULL);
	for (size_t i = 0; i < g->results.n; i++) {
		if (emit_is_json(e))
			json_result(e, r, &g->results.at[i]);
		else if (g->results.at[i].answer != GATE_KEPT)
			text_result(e, r, &g->results.at[i]);
	}
	emit_array_end(e);
}
