/* SPDX-License-Identifier: MIT
 * gate.c -- are files within a budget: limits held against the rows of a batch.
 */
#include "passes/gate.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/gate_names.h"

#define WORDS 2048
/* Names that come near are looked for among so many. */
#define MOST_LOOKED_AT 256
#define NEAR           0.4

struct gate_run {
	struct gate *g;
	const struct gate_budget *limits;
	const struct batch *b, *baseline;
	struct error *err;
};

__attribute__((format(printf, 2, 3))) static const char *keep(struct gate_run *x, const char *fmt,
							      ...)
{
	char words[WORDS];
	char *copy;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	n = strlen(words) + 1;
	copy = arena_bytes(&x->g->words, n, x->err);
	if (copy)
		memcpy(copy, words, n);
	return copy;
}

/* --- the file of the baseline ------------------------------------------------------------------ */

static const char *name_of(const struct batch *b, size_t file)
{
	const char *name = batch_text(b, BATCH_FILES, file, FILES_NAME);

	return name ? name : "";
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool same_name(const struct gate_run *x, size_t file, size_t other)
{
	return !strcmp(name_of(x->b, file), name_of(x->baseline, other));
}

static bool same_last_part(const struct gate_run *x, size_t file, size_t other)
{
	return !strcmp(last_part(name_of(x->b, file)), last_part(name_of(x->baseline, other)));
}

static bool same_rank(const struct gate_run *x, size_t file, size_t other)
{
	int64_t rank = batch_int(x->b, BATCH_FILES, file, FILES_RANK, -1);

	return rank >= 0 && rank == batch_int(x->baseline, BATCH_FILES, other, FILES_RANK, -1);
}

/* The row that a file is compared with, or SIZE_MAX with the reason. */
static size_t baseline_row(const struct gate_run *x, size_t file, const char **why)
{
	static bool (*const ways[])(const struct gate_run *, size_t, size_t) = {
		same_name, same_last_part, same_rank};
	size_t n = x->baseline ? x->baseline->n_rows[BATCH_FILES] : 0;

	*why = x->baseline ? "the baseline has no file of this name or rank"
			   : "no --baseline was given";
	if (n == 1)
		return 0;
	for (size_t i = 0; i < sizeof ways / sizeof *ways && n; i++) {
		size_t found = SIZE_MAX, count = 0;

		for (size_t k = 0; k < n; k++) {
			if (!ways[i](x, file, k))
				continue;
			found = k;
			count++;
		}
		if (count == 1)
			return found;
		if (count > 1) {
			*why = "several files of the baseline could be meant";
			return SIZE_MAX;
		}
	}
	return SIZE_MAX;
}

/* --- names that do not occur ------------------------------------------------------------------- */

struct near {
	char name[3][512];
	double distance[3];
	size_t n;
};

/* Sites of one function are one, but where a line was asked for. */
static void near_add(struct near *near, const struct gate_limit *l, const char *name,
		     double distance)
{
	char words[512];
	size_t at = near->n;

	words[0] = '\0';
	if (l->part == GATE_SITE && !strchr(l->name, ':'))
		gate_site_unlined(name, words, sizeof words);
	else
		strncat(words, name, sizeof words - 1);
	for (size_t i = 0; i < near->n; i++) {
		if (!strcmp(near->name[i], words))
			return;
	}
	while (at > 0 && near->distance[at - 1] > distance)
		at--;
	if (at == 3)
		return;
	near->n += near->n < 3;
	for (size_t i = near->n - 1; i > at; i--) {
		memcpy(near->name[i], near->name[i - 1], sizeof words);
		near->distance[i] = near->distance[i - 1];
	}
	memcpy(near->name[at], words, sizeof words);
	near->distance[at] = distance;
}

/* "; near to it: 'a', 'b'", or the largest; "" when nothing is there. */
static const char *who_is_there(const struct gate_run *x, const struct gate_limit *l, size_t file,
				char *buf, size_t size)
{
	enum batch_table_id t = l->of == GATE_LEAK ? BATCH_SITES : gate_table_of(l);
	size_t first, n = batch_rows_of(x->b, t, file, &first), at = 0;
	struct near near = {.n = 0}, largest = {.n = 0}, *told;

	for (size_t i = first; i < first + n && i < first + MOST_LOOKED_AT; i++) {
		const char *name = batch_text(x->b, t, i, HELD_NAME);
		double d = !name                  ? 1
			   : l->part == GATE_SITE ? gate_site_distance(l->name, name)
						  : gate_name_distance(l->name, name);

		if (name && d <= NEAR)
			near_add(&near, l, name, d);
		if (name && largest.n < 3)
			near_add(&largest, l, name, (double)i);
	}
	told = near.n ? &near : &largest;
	buf[0] = '\0';
	for (size_t i = 0; i < told->n && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s'%s'",
				       i               ? ", "
				       : told == &near ? "; near to it: "
						       : "; the largest: ",
				       told->name[i]);
	return buf;
}

static const char *absent_words(struct gate_run *x, const struct gate_limit *l, size_t file)
{
	const char *when = l->of == GATE_END ? "at the end" : "at the peak";
	char there[WORDS - 256];

	if (l->part == GATE_ANNOTATION && !*who_is_there(x, l, file, there, sizeof there))
		return "the file has no annotations";
	if (l->part == GATE_CATEGORY)
		return keep(x, "nothing %s is of this category; absent=\"allowed\" lets that pass",
			    when);
	return keep(x, "no such %s %s%s; absent=\"allowed\" lets that pass",
		    gate_part_name(l->part), when, who_is_there(x, l, file, there, sizeof there));
}

/* --- who ---------------------------------------------------------------------------------------- */

static double bytes_of(const struct batch *b, enum batch_table_id t, size_t file, size_t name,
		       size_t value, const char *site)
{
	size_t first, n = batch_rows_of(b, t, file, &first);
	double sum = 0;

	for (size_t i = first; i < first + n; i++) {
		const char *s = batch_text(b, t, i, name);

		if (s && !strcmp(s, site))
			sum += batch_number(b, t, i, value);
	}
	return sum;
}

/* What a site held in the baseline. Lines move when code is edited: a site that was not there was
 * what is there no more of the same function. */
static double bytes_before(const struct gate_run *x, enum batch_table_id t, size_t file,
			   size_t other, size_t name, size_t value, const char *site)
{
	double sum = bytes_of(x->baseline, t, other, name, value, site);
	size_t first, n = batch_rows_of(x->baseline, t, other, &first);
	char asked[WORDS], words[WORDS];

	if (sum > 0)
		return sum;
	gate_site_unlined(site, asked, sizeof asked);
	for (size_t i = first; i < first + n; i++) {
		const char *s = batch_text(x->baseline, t, i, name);

		if (s && !strcmp(gate_site_unlined(s, words, sizeof words), asked) &&
		    bytes_of(x->b, t, file, name, value, s) <= 0)
			sum += batch_number(x->baseline, t, i, value);
	}
	return sum;
}

static void find_who(const struct gate_run *x, struct gate_result *r, const struct gate_limit *l,
		     size_t other)
{
	enum batch_table_id t = gate_table_of(l);
	size_t name = t == BATCH_LEAKS ? LEAKS_SITE : HELD_NAME;
	size_t value = t == BATCH_LEAKS ? LEAKS_GROWTH : HELD_BYTES;
	size_t first, n;
	double best = 0;

	if (t == BATCH_TABLES || l->part == GATE_CATEGORY || l->part == GATE_ANNOTATION)
		return;
	/* The tables are of the device with the highest peak. */
	if (r->device >= 0 && r->device != batch_int(x->b, BATCH_FILES, r->file, FILES_DEVICE, -1))
		return;
	n = batch_rows_of(x->b, t, r->file, &first);
	for (size_t i = first; i < first + n; i++) {
		const char *site = batch_text(x->b, t, i, name);
		double bytes = batch_number(x->b, t, i, value), before = (double)NAN, grew = bytes;

		if (!site || (l->name && (!strcmp(site, l->name) || !gate_limit_fits(l, site))))
			continue;
		if (other != SIZE_MAX) {
			before = bytes_before(x, t, r->file, other, name, value, site);
			grew = bytes - before;
		}
		if (!(grew > best))
			continue;
		best = grew;
		r->who = site;
		r->who_bytes = bytes;
		r->who_before = before;
	}
}

/* --- one limit, one file ----------------------------------------------------------------------- */

static bool is_whole(const struct batch *b, size_t file)
{
	const char *status = batch_text(b, BATCH_FILES, file, FILES_STATUS);

	return status && !strcmp(status, "ok");
}

/* The most that growth allows, when so much of the baseline is certain, and when all that may be
 * hidden there is counted. */
static double most_after(const struct gate_limit *l, double before)
{
	return before +
	       (l->is_share && l->of != GATE_FRAGMENTATION ? fabs(before) * l->amount : l->amount);
}

static const char *unread_words(struct gate_run *x, const char *what, const struct batch *b,
				size_t file)
{
	const char *reason = batch_text(b, BATCH_FILES, file, FILES_REASON);

	return keep(x, "the %s could not be read whole%s%.500s", what, reason ? ": " : "",
		    reason ? reason : "");
}

/* The reason why nobody knows; NULL when it is known. */
static const char *doubt(struct gate_run *x, const struct gate_limit *l, size_t file, size_t other,
			 const struct gate_figure *now, const struct gate_figure *then,
			 const char *no_baseline, double most)
{
	if (!is_whole(x->b, file))
		return unread_words(x, "file", x->b, file);
	if (now->why)
		return now->why;
	if (now->absent && !l->may_be_absent)
		return absent_words(x, l, file);
	if (l->is_growth && other == SIZE_MAX)
		return no_baseline;
	if (l->is_growth && !is_whole(x->baseline, other))
		return unread_words(x, "baseline", x->baseline, other);
	if (l->is_growth && then->why)
		return keep(x, "of the baseline: %s", then->why);
	if (now->value > most || now->value + now->hidden > most)
		return "more may belong to it: only the largest are told";
	return NULL;
}

static struct gate_result judge(struct gate_run *x, const struct gate_limit *l, size_t file,
				size_t other, const char *no_baseline)
{
	struct gate_result r = {.file = file,
				.most = l->amount,
				.before = (double)NAN,
				.who_bytes = (double)NAN,
				.who_before = (double)NAN};
	struct gate_figure now, then = {.value = (double)NAN};
	double most = l->amount;

	gate_figure_of(&now, l, x->b, file);
	if (l->is_growth && other != SIZE_MAX)
		gate_figure_of(&then, l, x->baseline, other);
	if (l->is_growth) {
		r.before = then.value;
		r.most = most_after(l, then.value);
		most = most_after(l, then.value + then.hidden);
	}
	r.value = now.value;
	r.device = now.device;
	if (now.value > most) {
		r.answer = GATE_EXCEEDED;
		find_who(x, &r, l, x->baseline ? other : SIZE_MAX);
		return r;
	}
	r.why = doubt(x, l, file, other, &now, &then, no_baseline, r.most);
	r.answer = r.why ? GATE_UNKNOWN : GATE_KEPT;
	return r;
}

/* --- all --------------------------------------------------------------------------------------- */

static int add(struct gate_run *x, struct gate_result r)
{
	x->g->n_exceeded += r.answer == GATE_EXCEEDED;
	x->g->n_unknown += r.answer == GATE_UNKNOWN;
	return vec_push(&x->g->results, r, x->g->budget, x->err);
}

static int run_file(struct gate_run *x, size_t file)
{
	const char *no_baseline;
	size_t other = baseline_row(x, file, &no_baseline);
	int64_t rank = batch_int(x->b, BATCH_FILES, file, FILES_RANK, -1);
	int rc = 0;

	for (size_t k = 0; k < x->limits->limits.n && rc == 0; k++) {
		const struct gate_limit *l = &x->limits->limits.at[k];
		struct gate_result r;

		if (l->ranks && !gate_rank_is_meant(l->ranks, rank))
			continue;
		r = judge(x, l, file, other, no_baseline);
		if (r.answer == GATE_UNKNOWN && !r.why)
			return x->err->code; /* no memory for the words */
		r.limit = k;
		rc = add(x, r);
	}
	return rc;
}

/* Ranks that a limit names and no file has: nothing was held there. */
static int run_missing(struct gate_run *x)
{
	int rc = 0;

	for (size_t k = 0; k < x->limits->limits.n && rc == 0; k++) {
		const struct gate_limit *l = &x->limits->limits.at[k];
		struct gate_result r = {.file = GATE_NO_FILE,
					.limit = k,
					.answer = GATE_UNKNOWN,
					.device = -1,
					.value = (double)NAN,
					.most = l->amount,
					.before = (double)NAN,
					.who_bytes = (double)NAN,
					.who_before = (double)NAN};
		int64_t rank =
			l->ranks && !l->may_be_absent ? gate_missing_rank(l->ranks, x->b) : -1;

		if (rank < 0)
			continue;
		r.why = keep(x,
			     "no file is of rank %" PRId64 " by its name; absent=\"allowed\" lets "
			     "that pass",
			     rank);
		rc = r.why ? add(x, r) : (int)x->err->code;
	}
	return rc;
}

int gate_run(struct gate *out, const struct gate_budget *limits, const struct batch *b,
	     const struct batch *baseline, struct budget *budget, struct error *err)
{
	struct gate g = {.budget = budget};
	struct gate_run x = {.g = &g, .limits = limits, .b = b, .baseline = baseline, .err = err};
	int rc = 0;

	arena_init(&g.words, budget);
	for (size_t i = 0; i < b->n_rows[BATCH_FILES] && rc == 0; i++)
		rc = run_file(&x, i);
	if (rc == 0)
		rc = run_missing(&x);
	if (rc < 0)
		gate_release(&g);
	else
		*out = g;
	return rc;
}

void gate_release(struct gate *g)
{
	vec_release(&g->results, g->budget);
	arena_release(&g->words);
}
