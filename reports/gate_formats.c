/* SPDX-License-Identifier: MIT
 * gate_formats.c -- what a check found as JUnit, as annotations, as Markdown; and a new budget.
 */
#include "reports/gate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/xml.h"

#define WORDS 4096

static const char *file_of(const struct gate_report *r, size_t file)
{
	const char *name = batch_text(r->batch, BATCH_FILES, file, FILES_NAME);

	return name ? name : "";
}

/* --- JUnit ------------------------------------------------------------------------------------- */

static void junit_counts(struct xml *x, const struct gate_report *r, size_t file)
{
	size_t tests = 0, failures = 0, errors = 0;

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *g = &r->gate->results.at[i];

		if (file != SIZE_MAX && g->file != file)
			continue;
		tests++;
		failures += g->answer == GATE_EXCEEDED;
		errors += g->answer == GATE_UNKNOWN;
	}
	xml_attr_i64(x, "tests", (int64_t)tests);
	xml_attr_i64(x, "failures", (int64_t)failures);
	xml_attr_i64(x, "errors", (int64_t)errors);
}

static void junit_case(struct xml *x, const struct gate_report *r, const struct gate_result *g)
{
	const struct gate_limit *l = &r->limits->limits.at[g->limit];
	char words[WORDS];

	xml_open(x, "testcase");
	xml_attr(x, "classname", file_of(r, g->file));
	xml_attr_begin(x, "name");
	xml_text(x, gate_limit_words(l, words, sizeof words));
	xml_printf(x, ", line %" PRIu32, l->line);
	xml_attr_end(x);
	if (g->answer != GATE_KEPT) {
		xml_open(x, g->answer == GATE_EXCEEDED ? "failure" : "error");
		xml_attr(x, "message", gate_result_words(r, g, words, sizeof words));
		xml_close(x);
	}
	xml_close(x);
	xml_newline(x);
}

int gate_write_junit(struct out *o, const struct gate_report *r, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, o, err);

	if (rc < 0)
		return rc;
	xml_open(x, "testsuites");
	xml_attr(x, "name", "vramscope check");
	junit_counts(x, r, SIZE_MAX);
	for (size_t f = 0; f < r->batch->n_rows[BATCH_FILES]; f++) {
		xml_newline(x);
		xml_open(x, "testsuite");
		xml_attr(x, "name", file_of(r, f));
		junit_counts(x, r, f);
		xml_newline(x);
		for (size_t i = 0; i < r->gate->results.n; i++) {
			if (r->gate->results.at[i].file == f)
				junit_case(x, r, &r->gate->results.at[i]);
		}
		xml_close(x);
	}
	xml_newline(x);
	xml_close(x);
	return xml_free(x, err);
}

/* --- GitHub, Markdown -------------------------------------------------------------------------- */

/* As the runner undoes it: in values of properties , and : are escaped, too. */
static void github_text(struct out *o, const char *s, bool property)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '%' || c < ' ' || c == 0x7f || (property && (c == ',' || c == ':')))
			out_printf(o, "%%%02X", c);
		else
			out_bytes(o, s, 1);
	}
}

void gate_write_github(struct out *o, const struct gate_report *r)
{
	char words[WORDS];

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *g = &r->gate->results.at[i];

		if (g->answer == GATE_KEPT)
			continue;
		out_text(o, "::error file=");
		github_text(o, r->budget_file, true);
		out_printf(o, ",line=%" PRIu32 ",title=GPU memory::",
			   r->limits->limits.at[g->limit].line);
		github_text(o, file_of(r, g->file), false);
		out_text(o, ": ");
		github_text(o, gate_result_words(r, g, words, sizeof words), false);
		out_text(o, "\n");
	}
}

static void markdown_text(struct out *o, const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < ' ') {
			out_text(o, " ");
			continue;
		}
		if (strchr("\\`*_{}[]<>()#+!|~&", *s))
			out_text(o, "\\");
		out_bytes(o, s, 1);
	}
}

void gate_write_markdown(struct out *o, const struct gate_report *r)
{
	static const char *const answers[] = {"kept", "**exceeded**", "**not known**"};
	char words[WORDS];

	out_printf(o, "### GPU memory: %zu exceeded, %zu not known, %zu kept\n\n",
		   r->gate->n_exceeded, r->gate->n_unknown,
		   r->gate->results.n - r->gate->n_exceeded - r->gate->n_unknown);
	out_text(o, "| file | | limit |\n|---|---|---|\n");
	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *g = &r->gate->results.at[i];

		out_text(o, "| ");
		markdown_text(o, file_of(r, g->file));
		out_printf(o, " | %s | ", answers[g->answer]);
		markdown_text(o, gate_result_words(r, g, words, sizeof words));
		out_text(o, " |\n");
	}
}

/* --- a budget ---------------------------------------------------------------------------------- */

static double highest_of(const struct batch *b, size_t column)
{
	double most = (double)NAN;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		double v = batch_number(b, BATCH_FILES, i, column);

		if (!isnan(v) && (isnan(most) || v > most))
			most = v;
	}
	return most;
}

int gate_write_budget(struct out *o, const struct batch *b, double margin, struct error *err)
{
	static const size_t columns[GATE_OFS] = {FILES_PEAK, FILES_END, FILES_PEAK_RESERVED,
						 FILES_FRAGMENTATION, FILES_LEAK};
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, o, err);

	if (rc < 0)
		return rc;
	xml_open(x, "budget");
	for (unsigned i = 0; i < GATE_OFS; i++) {
		double v = highest_of(b, columns[i]);

		if (isnan(v))
			continue;
		v = v > 0 ? v * (1 + margin) : 0;
		xml_newline(x);
		xml_open(x, "limit");
		xml_attr(x, "of", gate_of_name((enum gate_of)i));
		xml_attr_begin(x, "max");
		if (i == GATE_FRAGMENTATION)
			xml_printf(x, "%.2f%%", ceil((v > 1 ? 1 : v) * 10000) / 100);
		else
			xml_printf(x, "%.0f", ceil(v));
		xml_attr_end(x);
		xml_close(x);
	}
	xml_newline(x);
	xml_close(x);
	return xml_free(x, err);
}
