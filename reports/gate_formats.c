/* SPDX-License-Identifier: MIT
 * gate_formats.c -- what a check found as JUnit, as annotations, as Markdown.
 */
#include "reports/gate_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/xml.h"

#define WORDS 4096

/* A step's summary takes 1 MiB. */
#define MARKDOWN_ROWS 300

/* --- JUnit ------------------------------------------------------------------------------------- */

static size_t junit_counts(struct xml *x, const struct gate_report *r, size_t file, bool all)
{
	size_t tests = 0, failures = 0, errors = 0;

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *g = &r->gate->results.at[i];

		if (!all && g->file != file)
			continue;
		tests++;
		failures += g->answer == GATE_EXCEEDED;
		errors += g->answer == GATE_UNKNOWN;
	}
	if (!x)
		return tests;
	xml_attr_i64(x, "tests", (int64_t)tests);
	xml_attr_i64(x, "failures", (int64_t)failures);
	xml_attr_i64(x, "errors", (int64_t)errors);
	xml_attr(x, "time", "0");
	return tests;
}

/* Some read the attribute of a failure, some its text. */
static void junit_case(struct xml *x, const struct gate_report *r, const struct gate_result *g)
{
	const struct gate_limit *l = &r->limits->limits.at[g->limit];
	char words[WORDS];

	xml_open(x, "testcase");
	xml_attr(x, "classname", gate_file_name(r, g));
	xml_attr_begin(x, "name");
	xml_text(x, gate_limit_words(l, words, sizeof words));
	xml_printf(x, ", line %" PRIu32, l->line);
	xml_attr_end(x);
	xml_attr(x, "time", "0");
	if (g->answer != GATE_KEPT) {
		bool exceeded = g->answer == GATE_EXCEEDED;

		gate_result_words(r, g, words, sizeof words);
		xml_open(x, exceeded ? "failure" : "error");
		xml_attr(x, "message", words);
		xml_attr(x, "type", exceeded ? "exceeded" : "unknown");
		xml_text(x, r->budget_file);
		xml_printf(x, ":%" PRIu32 ": ", l->line);
		xml_text(x, words);
		xml_close(x);
	}
	xml_close(x);
	xml_newline(x);
}

static void junit_suite(struct xml *x, const struct gate_report *r, size_t file)
{
	const struct gate_result of_file = {.file = file};

	if (!junit_counts(NULL, r, file, false))
		return;
	xml_newline(x);
	xml_open(x, "testsuite");
	xml_attr(x, "name", gate_file_name(r, &of_file));
	junit_counts(x, r, file, false);
	xml_newline(x);
	for (size_t i = 0; i < r->gate->results.n; i++) {
		if (r->gate->results.at[i].file == file)
			junit_case(x, r, &r->gate->results.at[i]);
	}
	xml_close(x);
}

int gate_write_junit(struct out *o, const struct gate_report *r, struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_PLAIN, o, err);

	if (rc < 0)
		return rc;
	xml_open(x, "testsuites");
	xml_attr(x, "name", "vramscope check");
	junit_counts(x, r, GATE_NO_FILE, true);
	for (size_t f = 0; f < r->batch->n_rows[BATCH_FILES]; f++)
		junit_suite(x, r, f);
	junit_suite(x, r, GATE_NO_FILE);
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

static void github_error(struct out *o, const struct gate_report *r, const struct gate_result *g,
			 size_t others)
{
	char words[WORDS];

	out_text(o, "::error file=");
	github_text(o, r->budget_file, true);
	out_printf(
		o, ",line=%" PRIu32 ",title=%s::", r->limits->limits.at[g->limit].line,
		g->answer == GATE_EXCEEDED ? "GPU memory over its budget" : "GPU memory not known");
	github_text(o, gate_file_name(r, g), false);
	out_text(o, ": ");
	github_text(o, gate_result_words(r, g, words, sizeof words), false);
	if (others)
		out_printf(o, "; so %s %zu other file%s", others == 1 ? "does" : "do", others,
			   others == 1 ? "" : "s");
	out_text(o, "\n");
}

static void github_limit(struct out *o, const struct gate_report *r, size_t limit,
			 enum gate_answer answer)
{
	const struct gate_result *worst = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *g = &r->gate->results.at[i];

		if (g->limit != limit || g->answer != answer)
			continue;
		n++;
		if (!worst ||
		    (answer == GATE_EXCEEDED && g->value - g->most > worst->value - worst->most))
			worst = g;
	}
	if (worst)
		github_error(o, r, worst, n - 1);
}

void gate_write_github(struct out *o, const struct gate_report *r)
{
	char words[WORDS];

	for (size_t k = 0; k < r->limits->limits.n; k++) {
		github_limit(o, r, k, GATE_EXCEEDED);
		github_limit(o, r, k, GATE_UNKNOWN);
	}
	out_printf(o, "%s\n", gate_count_words(r, words, sizeof words));
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
	static const struct {
		enum gate_answer answer;
		const char *words;
	} order[] = {{GATE_EXCEEDED, "**exceeded**"},
		     {GATE_UNKNOWN, "**not known**"},
		     {GATE_KEPT, "kept"}};
	size_t rows = 0;
	char words[WORDS];

	out_printf(o, "### GPU memory: %s\n\n", gate_count_words(r, words, sizeof words));
	out_text(o, "| file | | limit |\n|---|---|---|\n");
	for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
		for (size_t i = 0; i < r->gate->results.n; i++) {
			const struct gate_result *g = &r->gate->results.at[i];

			if (g->answer != order[k].answer || rows++ >= MARKDOWN_ROWS)
				continue;
			out_text(o, "| ");
			markdown_text(o, gate_file_name(r, g));
			out_printf(o, " | %s | ", order[k].words);
			markdown_text(o, gate_result_words(r, g, words, sizeof words));
			out_printf(o, " (line %" PRIu32 ") |\n",
				   r->limits->limits.at[g->limit].line);
		}
	}
	if (r->gate->results.n > MARKDOWN_ROWS)
		out_printf(o, "\n%zu more are not shown.\n", r->gate->results.n - MARKDOWN_ROWS);
}
