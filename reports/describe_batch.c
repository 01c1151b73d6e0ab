/* SPDX-License-Identifier: MIT
 * describe_batch.c -- many files in one document.
 */
#include "reports/batch_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEXT_ROWS 12

static void json_cell(struct emit *e, const struct batch *b, const struct batch_column *column,
		      const struct batch_cell *c)
{
	switch (c->kind) {
	case BATCH_TEXT: {
		const struct str *s = strtab_get(&b->strings, c->s);

		emit_strn(e, column->name, NULL, s->bytes, s->length);
		break;
	}
	case BATCH_INT:
		emit_i64(e, column->name, NULL, c->i);
		break;
	case BATCH_REAL:
		emit_f64(e, column->name, NULL, c->f);
		break;
	default:
		emit_null(e, column->name, NULL);
	}
}

/* Column 0 of the inner tables is said by where they stand. */
static void json_row(struct emit *e, const struct batch *b, enum batch_table_id t, size_t row)
{
	for (size_t c = t == BATCH_FILES ? 0 : 1; c < batch_schemas[t].n; c++)
		json_cell(e, b, &batch_schemas[t].columns[c], batch_cell(b, t, row, c));
}

static void json_file(struct emit *e, const struct batch *b, size_t file)
{
	emit_object_begin(e, NULL, NULL);
	json_row(e, b, BATCH_FILES, file);
	for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES; t++) {
		size_t first, n = batch_rows_of(b, (enum batch_table_id)t, file, &first);
		char name[BATCH_LIST_NAME];

		emit_array_begin(e, batch_list_name((enum batch_table_id)t, name), NULL);
		for (size_t i = 0; i < n; i++) {
			emit_object_begin(e, NULL, NULL);
			json_row(e, b, (enum batch_table_id)t, first + i);
			emit_object_end(e);
		}
		emit_array_end(e);
	}
	emit_object_end(e);
}

const char *batch_outlier_words(const struct batch_outlier *o, char *buf, size_t size)
{
	static const char *const nouns[MEASURES] = {
		[MEASURE_PEAK] = "peak of allocated bytes",
		[MEASURE_RESERVED] = "most reserved bytes",
		[MEASURE_END] = "allocated bytes at the end",
		[MEASURE_FRAGMENTATION] = "fragmentation",
		[MEASURE_LEAK] = "growth a step",
		[MEASURE_STEP] = "peak",
	};
	char value[UNITS_BUF], median[UNITS_BUF], step[48] = "", files[UNITS_BUF];

	units_noun(files, sizeof files, o->n_group, "file", "files");
	if (o->measure == MEASURE_PHASE) {
		snprintf(buf, size, "its peak lies in the phase %s; that of most of the %s in %s",
			 o->text, files, o->usual);
		return buf;
	}
	if (o->measure == MEASURE_SETTINGS) {
		snprintf(buf, size, "its setting %s is %s; that of most of the %s is %s", o->what,
			 *o->text ? o->text : "empty", files, *o->usual ? o->usual : "empty");
		return buf;
	}
	if (o->measure == MEASURE_FRAGMENTATION) {
		snprintf(value, sizeof value, "%.1f %%", o->value * 100);
		snprintf(median, sizeof median, "%.1f %%", o->median * 100);
	} else {
		units_bytes(value, (uint64_t)fabs(o->value));
		units_bytes(median, (uint64_t)fabs(o->median));
	}
	if (o->measure == MEASURE_HOLDER) {
		snprintf(buf, size, "%s holds %s at the peak; the median of %s is %s", o->what,
			 value, files, median);
		return buf;
	}
	if (o->measure == MEASURE_STEP)
		snprintf(step, sizeof step, " of step %" PRId64, o->step);
	snprintf(buf, size, "%s%s is %s; the median of %s is %s", nouns[o->measure], step, value,
		 files, median);
	return buf;
}

static const char *name_of(const struct batch *b, size_t file)
{
	const char *name = batch_text(b, BATCH_FILES, file, FILES_NAME);

	return name ? name : "";
}

static void json_groups(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	emit_array_begin(e, "groups", NULL);
	for (size_t i = 0; i < g->groups.n; i++) {
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "group", NULL, g->groups.at[i].name);
		emit_array_begin(e, "files", NULL);
		for (size_t k = 0; k < g->groups.at[i].files.n; k++)
			emit_str(e, NULL, NULL, name_of(b, g->groups.at[i].files.at[k]));
		emit_array_end(e);
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void json_outliers(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	char words[2400];

	emit_array_begin(e, "outliers", NULL);
	for (size_t i = 0; i < g->outliers.n; i++) {
		const struct batch_outlier *o = &g->outliers.at[i];
		bool measured = batch_measure_is_amount(o->measure);

		emit_object_begin(e, NULL, NULL);
		emit_str(e, "file", NULL, name_of(b, o->file));
		emit_str(e, "measure", NULL, batch_measure_name(o->measure));
		emit_str(e, "what", NULL, o->what);
		if (o->measure == MEASURE_STEP)
			emit_i64(e, "step", NULL, o->step);
		emit_f64(e, "value", NULL, measured ? o->value : (double)NAN);
		emit_f64(e, "median", NULL, measured ? o->median : (double)NAN);
		emit_f64(e, "score", NULL, measured ? o->score : (double)NAN);
		emit_str(e, "text", NULL, batch_outlier_words(o, words, sizeof words));
		emit_object_end(e);
	}
	emit_array_end(e);
}

static uint64_t known_bytes(int64_t bytes)
{
	return bytes < 0 ? BYTES_NONE : (uint64_t)bytes;
}

static void json_failures(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	static const size_t columns[] = {FILES_VERDICT, FILES_CAUSE, FILES_OOM_SITE};

	emit_array_begin(e, "failures", NULL);
	for (size_t i = 0; i < g->failures.n; i++) {
		const struct batch_failure *f = &g->failures.at[i];
		size_t file = f->first;

		emit_object_begin(e, NULL, NULL);
		emit_u64(e, "files", NULL, f->n);
		emit_u64(e, "of_files", NULL, f->of);
		emit_str(e, "group", NULL, f->group);
		emit_str(e, "first", NULL, name_of(b, file));
		for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
			json_cell(e, b, &batch_schemas[BATCH_FILES].columns[columns[k]],
				  batch_cell(b, BATCH_FILES, file, columns[k]));
		emit_bytes(e, "least_requested_bytes", NULL, known_bytes(f->least));
		emit_bytes(e, "most_requested_bytes", NULL, known_bytes(f->most));
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void json_differences(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	emit_array_begin(e, "differences", NULL);
	for (size_t i = 0; i < g->differences.n; i++) {
		const struct batch_difference *d = &g->differences.at[i];

		emit_object_begin(e, NULL, NULL);
		emit_str(e, "file", NULL, name_of(b, d->file));
		emit_str(e, "name", NULL, d->name);
		emit_str(e, "value", NULL, d->value);
		emit_str(e, "usual", NULL, d->usual);
		emit_object_end(e);
	}
	emit_array_end(e);
}

/* --- text -------------------------------------------------------------------------------------- */

static void text_failures(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	emit_table_begin(e, NULL, "Out of memory");
	for (size_t i = 0; i < g->failures.n && i < TEXT_ROWS; i++) {
		const struct batch_failure *f = &g->failures.at[i];
		size_t file = f->first;

		emit_row_begin(e);
		emit_u64(e, NULL, "files", f->n);
		emit_u64(e, NULL, "of", f->of);
		emit_str(e, NULL, "verdict", batch_text(b, BATCH_FILES, file, FILES_VERDICT));
		emit_bytes(e, NULL, "asked for", known_bytes(f->least));
		emit_str(e, NULL, "first file", name_of(b, file));
		emit_str(e, NULL, "by", batch_text(b, BATCH_FILES, file, FILES_OOM_SITE));
		emit_row_end(e);
	}
	emit_table_end(e);
	if (g->first_to_fail != SIZE_MAX && g->n_ooms > 1)
		emit_prose(e, "First to fail: %s.", name_of(b, g->first_to_fail));
}

/* The largest departure of each file. */
static void text_outliers(struct emit *e, const struct batch *b, const struct batch_groups *g)
{
	char words[2400];
	size_t shown = 0;

	for (size_t i = 0; i < g->outliers.n; i++) {
		const struct batch_outlier *o = &g->outliers.at[i];

		if (i && g->outliers.at[i - 1].file == o->file)
			continue;
		if (shown++ == 0)
			emit_heading(e, "Outliers");
		if (shown <= TEXT_ROWS)
			emit_prose(e, "- %s: %s.", name_of(b, o->file),
				   batch_outlier_words(o, words, sizeof words));
	}
	if (shown > TEXT_ROWS)
		emit_line(e, "- and %s (--json tells all)",
			  units_noun(words, sizeof words, shown - TEXT_ROWS, "more file",
				     "more files"));
}

static void text_unread(struct emit *e, const struct batch *b)
{
	char count[UNITS_BUF];
	size_t shown = 0;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		const char *status = batch_text(b, BATCH_FILES, i, FILES_STATUS);
		const char *reason = batch_text(b, BATCH_FILES, i, FILES_REASON);

		if (!status || !strcmp(status, "ok"))
			continue;
		if (shown++ == 0)
			emit_heading(e, "Not read, or not whole");
		if (shown <= TEXT_ROWS)
			emit_prose(e, "- %s: %s: %s", name_of(b, i), status, reason ? reason : "-");
	}
	if (shown > TEXT_ROWS)
		emit_line(e, "- and %s more", units_count(count, shown - TEXT_ROWS));
}

void describe_batch(struct emit *e, const struct batch *b, const struct batch_groups *g,
		    const char *version)
{
	emit_str(e, "version", NULL, version);
	if (g) {
		emit_u64(e, "n_files", "files", b->n_rows[BATCH_FILES]);
		emit_u64(e, "n_failed", "not read", g->n_failed);
		emit_u64(e, "n_partial", "damaged", g->n_partial);
		emit_u64(e, "n_ooms", "out of memory", g->n_ooms);
		emit_str(e, "first_to_fail", NULL,
			 g->first_to_fail == SIZE_MAX ? NULL : name_of(b, g->first_to_fail));
	}
	if (!emit_is_json(e)) {
		text_failures(e, b, g);
		text_outliers(e, b, g);
		text_unread(e, b);
		return;
	}
	emit_array_begin(e, "files", NULL);
	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++)
		json_file(e, b, i);
	emit_array_end(e);
	if (g) {
		json_groups(e, b, g);
		json_outliers(e, b, g);
		json_differences(e, b, g);
		json_failures(e, b, g);
	}
}
