/* SPDX-License-Identifier: MIT
 * describe_trend.c -- what changes over files in order: a line a file, trends, changes.
 */
#include "reports/trend_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITE_BYTES 16384

static const char *text_of(const struct trend *t, str_id id)
{
	return strtab_get(&t->strings, id)->bytes;
}

const char *trend_what_words(const struct trend *t, const struct trend_change *c, char *buf,
			     size_t size)
{
	static const char *const metrics[TREND_METRICS] = {
		[TREND_PEAK] = "peak",
		[TREND_END] = "live at the end",
		[TREND_RESERVED] = "reserved",
		[TREND_FRAGMENTATION] = "fragmentation",
	};

	if (c->what == TREND_OF_SITE)
		return trend_site_words(t, c->site, buf, size);
	(void)snprintf(buf, size, "%s",
		       c->what == TREND_OF_METRIC   ? metrics[c->metric]
		       : c->what == TREND_OF_WRITER ? "writer"
						    : "allocator settings");
	return buf;
}

const char *trend_level_words(const struct trend *t, const struct trend_change *c, bool after,
			      char *buf, size_t size)
{
	double level = after ? c->to : c->from;
	char words[UNITS_BUF];

	if (c->what == TREND_OF_WRITER || c->what == TREND_OF_SETTINGS) {
		const char *text = text_of(t, after ? c->to_text : c->from_text);

		(void)snprintf(buf, size, "%s", *text ? text : "(none)");
	} else if (c->what == TREND_OF_METRIC && c->metric == TREND_FRAGMENTATION) {
		(void)snprintf(buf, size, "%.1f %%", 100 * level);
	} else {
		(void)snprintf(buf, size, "%s", units_bytes(words, (uint64_t)(level + 0.5)));
	}
	return buf;
}

/* --- short words for people -------------------------------------------------------------------- */

/* Bytes of the folder that all files lie in, its last slash included. */
static size_t common_folder(const struct trend *t)
{
	const char *first = t->files.n ? text_of(t, t->files.at[0].file) : "";
	size_t n = strlen(first);

	for (size_t i = 1; i < t->files.n; i++) {
		const char *file = text_of(t, t->files.at[i].file);
		size_t k = 0;

		while (k < n && file[k] == first[k])
			k++;
		n = k;
	}
	while (n && first[n - 1] != '/')
		n--;
	return n;
}

/* "train.py:12 step" */
static const char *short_site(const struct trend *t, uint32_t site, char *buf, size_t size)
{
	const struct trend_site *s = &t->sites.at[site];
	const char *file = text_of(t, s->frame.file), *slash = strrchr(file, '/');

	if (s->kind != SITE_FRAME)
		return trend_site_words(t, site, buf, size);
	(void)snprintf(buf, size, "%s:%" PRId64 " %s", slash ? slash + 1 : file, s->frame.line,
		       text_of(t, s->frame.name));
	return buf;
}

static uint64_t bytes_of(double metric)
{
	return metric < 0 ? BYTES_NONE : (uint64_t)(metric + 0.5);
}

static void emit_amount(struct emit *e, const char *key, double v)
{
	if (v >= 0 && v < 9e15)
		emit_u64(e, key, NULL, (uint64_t)(v + 0.5));
	else
		emit_i64(e, key, NULL, (int64_t)(v - 0.5));
}

/* --- files ------------------------------------------------------------------------------------- */

static void describe_top_sites(struct emit *e, const struct trend *t, uint32_t file,
			       uint64_t max_rows)
{
	size_t n;
	const struct trend_value *v = trend_values_of(t, file, &n);
	char site[SITE_BYTES];

	emit_array_begin(e, "top", NULL);
	for (size_t i = 0; i < n && i < max_rows; i++) {
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "site", NULL, trend_site_words(t, v[i].site, site, sizeof site));
		emit_u64(e, "bytes", NULL, v[i].bytes);
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void describe_file(struct emit *e, const struct trend *t, uint32_t i, uint64_t max_rows,
			  size_t folder)
{
	const struct trend_file *f = &t->files.at[i];
	char words[UNITS_BUF];
	size_t n;
	const struct trend_value *top = trend_values_of(t, i, &n);
	char site[SITE_BYTES];

	emit_row_begin(e);
	emit_bytes(e, "peak_bytes", "peak", bytes_of(f->metric[TREND_PEAK]));
	emit_bytes(e, "end_bytes", "end", bytes_of(f->metric[TREND_END]));
	emit_bytes(e, "reserved_bytes", "reserved", bytes_of(f->metric[TREND_RESERVED]));
	if (emit_is_json(e)) {
		if (f->metric[TREND_FRAGMENTATION] < 0)
			emit_null(e, "fragmentation", NULL);
		else
			emit_f64(e, "fragmentation", NULL, f->metric[TREND_FRAGMENTATION]);
		emit_time_us(e, "first_time_us", NULL, f->first_time_us);
		emit_i64(e, "device", NULL, f->device);
		emit_bool(e, "partial", NULL, f->partial);
		emit_str(e, "error", NULL, f->error.i ? text_of(t, f->error) : NULL);
		describe_top_sites(e, t, i, max_rows);
	} else {
		(void)snprintf(words, sizeof words, "%5.1f %%",
			       100 * f->metric[TREND_FRAGMENTATION]);
		emit_str(e, NULL, "frag", f->metric[TREND_FRAGMENTATION] < 0 ? NULL : words);
		emit_str(e, NULL, "largest at the peak",
			 n ? short_site(t, top->site, site, sizeof site) : NULL);
	}
	emit_str(e, "file", NULL, text_of(t, f->file));
	emit_str(e, NULL, "file", text_of(t, f->file) + folder);
	emit_row_end(e);
}

/* --- sites ------------------------------------------------------------------------------------- */

static double magnitude(double v)
{
	return v < 0 ? -v : v;
}

static int compare_sites(const void *a, const void *b, void *ctx)
{
	const struct trend *t = ctx;
	const struct trend_site *x = &t->sites.at[*(const uint32_t *)a];
	const struct trend_site *y = &t->sites.at[*(const uint32_t *)b];

	if (magnitude(x->slope) > magnitude(y->slope) || magnitude(x->slope) < magnitude(y->slope))
		return magnitude(x->slope) < magnitude(y->slope) ? 1 : -1;
	return *(const uint32_t *)a > *(const uint32_t *)b ? 1 : -1;
}

static void describe_site(struct emit *e, const struct trend *t, uint32_t site, size_t folder)
{
	const struct trend_site *s = &t->sites.at[site];
	char words[SITE_BYTES], slope[UNITS_BUF], right[UNITS_BUF + 1];

	emit_row_begin(e);
	if (emit_is_json(e)) {
		emit_amount(e, "slope_bytes_per_file", s->slope);
	} else {
		(void)snprintf(right, sizeof right, "%c%s", s->slope < 0 ? '-' : '+',
			       emit_words_bytes(e, slope, (uint64_t)(magnitude(s->slope) + 0.5)));
		emit_str(e, NULL, "a file", right);
	}
	emit_bytes(e, "first_bytes", "first", s->first);
	emit_bytes(e, "last_bytes", "last", s->last);
	emit_str(e, NULL, "since", text_of(t, t->files.at[s->first_file].file) + folder);
	emit_str(e, "first_file", NULL, text_of(t, t->files.at[s->first_file].file));
	emit_str(e, "site", "site", trend_site_words(t, site, words, sizeof words));
	emit_row_end(e);
}

/* Most trends are few; the list is sorted on the way. */
static void describe_sites(struct emit *e, const struct trend *t, size_t folder)
{
	uint32_t *rows = malloc((t->sites.n + 1) * sizeof *rows);
	size_t n = 0;

	for (size_t i = 0; rows && i < t->sites.n; i++) {
		if (t->sites.at[i].has_trend)
			rows[n++] = (uint32_t)i;
	}
	if (n > 1)
		qsort_r(rows, n, sizeof *rows, compare_sites, (void *)(uintptr_t)t);
	emit_table_begin(e, "sites", "Sites with a trend (at the peak)");
	for (size_t i = 0; i < n; i++)
		describe_site(e, t, rows[i], folder);
	emit_table_end(e);
	free(rows);
}

static void describe_metrics(struct emit *e, const struct trend *t)
{
	emit_table_begin(e, "trends", "Trends");
	for (int k = 0; k < TREND_METRICS; k++) {
		struct trend_change c = {.metric = (enum trend_metric)k};
		char slope[UNITS_BUF], words[UNITS_BUF + 1], what[64];

		if (!t->has_trend[k])
			continue;
		emit_row_begin(e);
		emit_str(e, "what", NULL, trend_metric_name(c.metric));
		emit_str(e, NULL, "what", trend_what_words(t, &c, what, sizeof what));
		if (k == TREND_FRAGMENTATION)
			(void)snprintf(words, sizeof words, "%+.2f %%", 100 * t->slope[k]);
		else
			(void)snprintf(words, sizeof words, "%c%s", t->slope[k] < 0 ? '-' : '+',
				       emit_words_bytes(e, slope,
							(uint64_t)(magnitude(t->slope[k]) + 0.5)));
		emit_f64(e, "slope_per_file", NULL, t->slope[k]);
		emit_str(e, NULL, "a file", words);
		emit_row_end(e);
	}
	emit_table_end(e);
}

/* --- changes ----------------------------------------------------------------------------------- */

static void emit_level(struct emit *e, const char *key, const struct trend *t,
		       const struct trend_change *c, bool after)
{
	double level = after ? c->to : c->from;

	if (c->what == TREND_OF_WRITER || c->what == TREND_OF_SETTINGS)
		emit_str(e, key, NULL, text_of(t, after ? c->to_text : c->from_text));
	else if (c->what == TREND_OF_METRIC && c->metric == TREND_FRAGMENTATION)
		emit_f64(e, key, NULL, level);
	else
		emit_amount(e, key, level);
}

static void describe_change(struct emit *e, const struct trend *t, const struct trend_change *c,
			    size_t folder)
{
	const char *file = text_of(t, t->files.at[c->file].file);
	char what[SITE_BYTES], from[256], to[256];

	emit_row_begin(e);
	if (emit_is_json(e)) {
		emit_str(e, "file", NULL, file);
		emit_str(e, "what", NULL,
			 c->what == TREND_OF_METRIC ? trend_metric_name(c->metric)
			 : c->what == TREND_OF_SETTINGS
				 ? "settings"
				 : trend_what_words(t, c, what, sizeof what));
		emit_level(e, "from", t, c, false);
		emit_level(e, "to", t, c, true);
	} else {
		emit_str(e, NULL, "from", trend_level_words(t, c, false, from, sizeof from));
		emit_str(e, NULL, "to", trend_level_words(t, c, true, to, sizeof to));
		emit_str(e, NULL, "what",
			 c->what == TREND_OF_SITE ? short_site(t, c->site, what, sizeof what)
						  : trend_what_words(t, c, what, sizeof what));
		emit_str(e, NULL, "from this file on", file + folder);
	}
	emit_row_end(e);
}

void describe_trend_answer(struct emit *e, const struct trend *t)
{
	size_t folder = common_folder(t);
	char files[UNITS_BUF];
	size_t failed = 0, trends = 0;

	for (size_t i = 0; i < t->files.n; i++)
		failed += t->files.at[i].error.i != 0;
	for (size_t i = 0; i < t->sites.n; i++)
		trends += t->sites.at[i].has_trend;
	for (int k = 0; k < TREND_METRICS; k++)
		trends += t->has_trend[k];
	emit_line(e, "%s%s%.*s%s", units_noun(files, sizeof files, t->files.n, "file", "files"),
		  folder ? " in " : "", (int)folder,
		  t->files.n ? text_of(t, t->files.at[0].file) : "",
		  failed ? ", some of them unreadable" : "");
	if (!trends && !t->changes.n)
		emit_line(e, "Flat: nothing has a trend, and nothing changes from one file to the "
			     "next.");
	else if (!trends && t->changes.at[t->changes.n - 1].file + 2 < t->files.n)
		emit_line(e,
			  "Flat from '%s' on: nothing has a trend, and nothing changes behind it.",
			  text_of(t, t->files.at[t->changes.at[t->changes.n - 1].file].file) +
				  folder);
	else if (!trends)
		emit_line(e, "No trend; levels change in '%s'.",
			  text_of(t, t->files.at[t->changes.at[t->changes.n - 1].file].file) +
				  folder);
	emit_blank(e);
}

void describe_trend(struct emit *e, const struct trend *t, uint64_t max_rows)
{
	if (!emit_is_json(e))
		describe_trend_answer(e, t);
	describe_trend_rows(e, t, max_rows);
}

void describe_trend_rows(struct emit *e, const struct trend *t, uint64_t max_rows)
{
	size_t folder = common_folder(t);

	emit_table_begin(e, "files", NULL);
	for (size_t i = 0; i < t->files.n; i++)
		describe_file(e, t, (uint32_t)i, max_rows, folder);
	emit_table_end(e);
	describe_metrics(e, t);
	describe_sites(e, t, folder);
	emit_table_begin(e, "changes", "Changes");
	for (size_t i = 0; i < t->changes.n; i++)
		describe_change(e, t, &t->changes.at[i], folder);
	emit_table_end(e);
}
