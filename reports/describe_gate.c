/* SPDX-License-Identifier: MIT
 * describe_gate.c -- what a check found: which line of the budget, by how much, who.
 */
#include "reports/gate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Beyond so many times too much a percentage says nothing. */
#define MOST_TIMES 10

static const char *const answer_names[] = {"kept", "exceeded", "unknown"};

const char *gate_file_name(const struct gate_report *r, const struct gate_result *x)
{
	const char *name = x->file == GATE_NO_FILE
				   ? "no file"
				   : batch_text(r->batch, BATCH_FILES, x->file, FILES_NAME);

	return name ? name : "";
}

static bool is_percentage(const struct gate_limit *l)
{
	return l->of == GATE_FRAGMENTATION || (l->is_share && !l->is_growth);
}

static bool is_per_step(const struct gate_limit *l)
{
	return l->of == GATE_LEAK || l->per_step;
}

static const char *amount_words(const struct gate_report *r, const struct gate_limit *l, double v,
				char buf[UNITS_BUF])
{
	char bytes[UNITS_BUF];

	if (isnan(v))
		snprintf(buf, UNITS_BUF, "not known");
	else if (is_percentage(l))
		snprintf(buf, UNITS_BUF, "%.1f %%", v * 100);
	else
		snprintf(buf, UNITS_BUF, "%s%.36s%s", v < 0 ? "-" : "",
			 units_bytes_in(bytes, (uint64_t)fabs(v), r->units),
			 is_per_step(l) ? " a step" : "");
	return buf;
}

const char *gate_limit_words(const struct gate_limit *l, char *buf, size_t size)
{
	static const char *const nouns[GATE_OFS] = {
		"peak of allocated bytes", "allocated bytes at the end", "most reserved bytes",
		"fragmentation", "leaks"};
	static const char *const stepwise[GATE_OFS] = {"growth of the steps' peaks",
						       "growth of what steps leave", "", "", ""};
	const char *noun = l->per_step && l->of <= GATE_END ? stepwise[l->of] : nouns[l->of];

	snprintf(buf, size, "%s%s%.1000s%s%.100s%s", noun, l->name ? " of " : "",
		 l->name ? l->name : "", l->ranks ? ", rank " : "", l->ranks ? l->ranks : "",
		 l->is_growth ? ", against the baseline" : "");
	return buf;
}

/* Behind a value: what it may be, and where that comes from. */
static size_t most_words(const struct gate_report *r, const struct gate_limit *l,
			 const struct gate_result *x, char *buf, size_t size)
{
	char most[UNITS_BUF], before[UNITS_BUF], added[UNITS_BUF];
	int n;

	amount_words(r, l, x->most, most);
	if (!l->is_growth)
		return (size_t)snprintf(buf, size, " of at most %s", most);
	if (l->is_share)
		snprintf(added, sizeof added, "%.6g %%", l->amount * 100);
	else
		amount_words(r, l, l->amount, added);
	n = snprintf(buf, size, " of at most %s (the baseline's %s and %s)", most,
		     amount_words(r, l, x->before, before), added);
	return (size_t)n;
}

static size_t over_words(const struct gate_report *r, const struct gate_limit *l,
			 const struct gate_result *x, char *buf, size_t size)
{
	char over[UNITS_BUF];
	double by = x->value - x->most;

	amount_words(r, l, by, over);
	if (is_percentage(l) || !(x->most > 0) || by > MOST_TIMES * x->most)
		return (size_t)snprintf(buf, size, ", %s too much", over);
	return (size_t)snprintf(buf, size, ", %s (%.1f %%) too much", over, by / x->most * 100);
}

static void who_words(const struct gate_report *r, const struct gate_limit *l,
		      const struct gate_result *x, char *buf, size_t size)
{
	char now[UNITS_BUF], before[UNITS_BUF];
	const char *step = is_per_step(l) ? " a step" : "";

	units_bytes_in(now, (uint64_t)fabs(x->who_bytes), r->units);
	if (isnan(x->who_before)) {
		snprintf(buf, size, "; %s %.600s: %s%s",
			 is_per_step(l) ? "most is leaked by" : "most is held by", x->who, now,
			 step);
		return;
	}
	units_bytes_in(before, (uint64_t)fabs(x->who_before), r->units);
	snprintf(buf, size, "; most grew %.600s: %s%s, before %s", x->who, now, step, before);
}

const char *gate_result_words(const struct gate_report *r, const struct gate_result *x, char *buf,
			      size_t size)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char value[UNITS_BUF], device[40] = "";
	size_t n;

	gate_limit_words(l, buf, size);
	n = strlen(buf);
	if (x->answer == GATE_UNKNOWN) {
		snprintf(buf + n, size - n, ": not known: %s", x->why);
		return buf;
	}
	if (x->device >= 0)
		snprintf(device, sizeof device, " (device %" PRId64 ")", x->device);
	n += (size_t)snprintf(buf + n, size - n, "%s: %s", device,
			      amount_words(r, l, x->value, value));
	if (n < size)
		n += most_words(r, l, x, buf + n, size - n);
	if (x->answer != GATE_EXCEEDED)
		return buf;
	if (n < size)
		n += over_words(r, l, x, buf + n, size - n);
	if (x->who && n < size)
		who_words(r, l, x, buf + n, size - n);
	return buf;
}

const char *gate_count_words(const struct gate_report *r, char *buf, size_t size)
{
	const struct gate *g = r->gate;

	snprintf(buf, size, "%zu exceeded, %zu not known, %zu kept", g->n_exceeded, g->n_unknown,
		 g->results.n - g->n_exceeded - g->n_unknown);
	return buf;
}

static void json_result(struct emit *e, const struct gate_report *r, const struct gate_result *x)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char words[4096];

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "file", NULL, x->file == GATE_NO_FILE ? NULL : gate_file_name(r, x));
	emit_u64(e, "line", NULL, l->line);
	emit_str(e, "of", NULL, gate_of_name(l->of));
	for (unsigned p = GATE_SITE; p < GATE_PARTS; p++)
		emit_str(e, gate_part_name((enum gate_part)p), NULL,
			 l->part == (enum gate_part)p ? l->name : NULL);
	emit_str(e, "ranks", NULL, l->ranks);
	emit_bool(e, "against_baseline", NULL, l->is_growth);
	emit_str(e, "unit", NULL,
		 is_percentage(l) ? "share"
		 : is_per_step(l) ? "bytes_per_step"
				  : "bytes");
	emit_str(e, "answer", NULL, answer_names[x->answer]);
	emit_f64(e, "value", NULL, x->value);
	emit_f64(e, "most", NULL, x->most);
	emit_f64(e, "before", NULL, x->before);
	if (x->device >= 0)
		emit_i64(e, "device", NULL, x->device);
	else
		emit_null(e, "device", NULL);
	emit_str(e, "who", NULL, x->who);
	emit_f64(e, "who_value", NULL, x->who_bytes);
	emit_f64(e, "who_before", NULL, x->who_before);
	emit_str(e, "why", NULL, x->why);
	emit_str(e, "text", NULL, gate_result_words(r, x, words, sizeof words));
	emit_object_end(e);
}

static void text_result(struct emit *e, const struct gate_report *r, const struct gate_result *x)
{
	const struct gate_limit *l = &r->limits->limits.at[x->limit];
	char words[4096];

	emit_prose(e, "- %s: %s (%s, line %" PRIu32 "): %s.", answer_names[x->answer],
		   gate_file_name(r, x), r->budget_file, l->line,
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
