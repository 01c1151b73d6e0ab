/* SPDX-License-Identifier: MIT
 * test_gate_report.c -- a check's JUnit, a budget changed in place, and batches read from databases.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reports/batch_report.h"
#include "reports/batch_sql.h"
#include "reports/gate_report.h"
#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};

/* The shape that CI systems read, after the schema of Jenkins' xunit plugin: what it has and what
 * is used here of it. */
static const char junit_grammar[] =
	"<grammar xmlns='http://relaxng.org/ns/structure/1.0'"
	" datatypeLibrary='http://www.w3.org/2001/XMLSchema-datatypes'>"
	"<start><element name='testsuites'><optional><attribute name='name'/></optional>"
	"<ref name='counts'/><zeroOrMore><ref name='suite'/></zeroOrMore></element></start>"
	"<define name='counts'>"
	"<attribute name='tests'><data type='nonNegativeInteger'/></attribute>"
	"<attribute name='failures'><data type='nonNegativeInteger'/></attribute>"
	"<attribute name='errors'><data type='nonNegativeInteger'/></attribute>"
	"<attribute name='time'><data type='decimal'/></attribute></define>"
	"<define name='suite'><element name='testsuite'><attribute name='name'/>"
	"<ref name='counts'/><zeroOrMore><element name='testcase'>"
	"<attribute name='name'/><attribute name='classname'/>"
	"<attribute name='time'><data type='decimal'/></attribute>"
	"<optional><choice><element name='failure'><ref name='why'/></element>"
	"<element name='error'><ref name='why'/></element></choice></optional>"
	"</element></zeroOrMore></element></define>"
	"<define name='why'><attribute name='message'/><attribute name='type'/><text/></define>"
	"</grammar>";

static void add_file(struct batch *b, const char *name, int64_t rank, int64_t peak)
{
	struct error err;

	batch_add_row(b, BATCH_FILES, 0, &err);
	batch_set_text(b, BATCH_FILES, FILES_NAME, name, &err);
	batch_set_text(b, BATCH_FILES, FILES_STATUS, "ok", &err);
	batch_set_int(b, BATCH_FILES, FILES_RANK, rank);
	batch_set_int(b, BATCH_FILES, FILES_PEAK, peak);
	batch_set_real(b, BATCH_FILES, FILES_FRAGMENTATION, 0.125);
	batch_add_row(b, BATCH_SITES, b->n_rows[BATCH_FILES] - 1, &err);
	batch_set_text(b, BATCH_SITES, HELD_NAME, "<a&b>.py:1 f", &err);
	batch_set_int(b, BATCH_SITES, HELD_BYTES, peak);
}

static int read_budget(struct gate_budget *g, const char *text, struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, err);

	if (rc == 0) {
		rc = gate_budget_read(g, in, &budget, err);
		input_close(in);
	}
	return rc;
}

static void junit(const struct gate_report *r)
{
	struct xml_doc *doc = NULL;
	struct input *in;
	struct out *out;
	struct error err = {0};
	const struct xml_node *suite, *test;
	const char *text;
	size_t n;

	out_open_memory(&out, &err);
	ok(gate_write_junit(out, r, &err) == 0, "JUnit is written");
	text = out_memory(out, &n);
	input_open_bytes(&in, text, n, &budget, &err);
	if (ok(xml_read(&doc, in, &(struct xml_options){.schema = junit_grammar}, &err) == 0,
	       "it has the shape that is read everywhere: %s", err.text)) {
		is_str(xml_node_attr(doc->root, "tests"), "4", "tests");
		is_str(xml_node_attr(doc->root, "failures"), "1", "failures");
		is_str(xml_node_attr(doc->root, "errors"), "1", "errors");
		suite = xml_child(doc->root, "testsuite");
		is_str(xml_node_attr(suite, "name"), "rank0.pickle", "a suite is a file");
		test = xml_child(suite, "testcase");
		is_str(xml_node_attr(test, "name"), "peak of allocated bytes, line 2",
		       "a case is a limit");
		ok(!test->first, "one that is kept has nothing to tell");
		suite = xml_next(suite, "testsuite");
		test = xml_child(suite, "testcase");
		ok(strstr(xml_child_text(test, "failure"), "b.xml:2: ") &&
			   strstr(xml_child_text(test, "failure"), "<a&b>.py:1 f"),
		   "one that is exceeded tells where and who");
		suite = xml_next(suite, "testsuite");
		is_str(xml_node_attr(suite, "name"), "no file", "ranks without a file");
		xml_doc_free(doc);
	}
	input_close(in);
	out_abandon(out);
}

static void updated(const struct gate_report *r, double margin, const char *want)
{
	struct out *out;
	struct error err;
	const char *text;
	size_t n;

	out_open_memory(&out, &err);
	ok(gate_update_budget(out, r, margin, &err) == 0, "the budget is changed");
	text = out_memory(out, &n);
	is_str(text, want, "only its amounts");
	out_abandon(out);
}

static void reports(void)
{
	static const char text[] =
		"<?xml version='1.0'?><budget>\n"
		"<!-- <limit max='1'/> --><limit of='peak' max = '1.5KiB' />\n"
		"<limit of='peak' site='max=\"7\"/>' absent='allowed' max='1K'/>\n"
		"<limit\n\tmax=\"12.5%\" of=\"fragmentation\" rank=\"0,5\"></limit></budget>\n";
	struct gate_report r = {.budget_file = "b.xml"};
	struct gate_budget limits;
	struct gate gate;
	struct batch b;
	struct error err = {0};

	batch_init(&b, &budget, &err);
	add_file(&b, "rank0.pickle", 0, 1500);
	add_file(&b, "rank1.pickle", 1, 2000);
	if (!ok(read_budget(&limits, text, &err) == 0, "the budget is read: %s", err.text))
		return;
	ok(gate_run(&gate, &limits, &b, NULL, &budget, &err) == 0, "and held against");
	r.gate = &gate;
	r.limits = &limits;
	r.batch = &b;
	is_u64(gate.results.n, 6, "results: two files, two files, rank 0 and no rank 5");
	updated(&r, 0,
		"<?xml version='1.0'?><budget>\n"
		"<!-- <limit max='1'/> --><limit of='peak' max = '1.96KiB' />\n"
		"<limit of='peak' site='max=\"7\"/>' absent='allowed' max='0.00K'/>\n"
		"<limit\n\tmax=\"12.50%\" of=\"fragmentation\" rank=\"0,5\"></limit></budget>\n");
	updated(&r, 0.5,
		"<?xml version='1.0'?><budget>\n"
		"<!-- <limit max='1'/> --><limit of='peak' max = '2.93KiB' />\n"
		"<limit of='peak' site='max=\"7\"/>' absent='allowed' max='0.00K'/>\n"
		"<limit\n\tmax=\"18.75%\" of=\"fragmentation\" rank=\"0,5\"></limit></budget>\n");
	gate_release(&gate);
	/* The first and the last: two files over 1.5 KiB or not, 12.5 % of rank 0, no rank 5. */
	limits.limits.at[1] = limits.limits.at[2];
	limits.limits.n = 2;
	gate_run(&gate, &limits, &b, NULL, &budget, &err);
	junit(&r);
	gate_release(&gate);
	gate_budget_release(&limits);
	batch_release(&b);
}

/* --- databases --------------------------------------------------------------------------------- */

static bool same_cell(const struct batch *a, const struct batch *b, enum batch_table_id t,
		      size_t row, size_t to, size_t column)
{
	const char *x = batch_text(a, t, row, column), *y = batch_text(b, t, to, column);
	double v = batch_number(a, t, row, column), w = batch_number(b, t, to, column);

	if (x || y)
		return x && y && !strcmp(x, y);
	return v == w || (v != v && w != w);
}

static void databases(void)
{
	static const char bad[] = "SQLite format 3";
	char path[] = "/tmp/vramscope-test-gate-XXXXXX";
	struct batch a, b;
	struct batch_groups groups = {0};
	struct error err = {0};
	size_t differ = 0;
	FILE *f;
	int fd = mkstemp(path);

	close(fd);
	batch_init(&a, &budget, &err);
	batch_init(&b, &budget, &err);
	add_file(&a, "x", 7, 1);
	add_file(&a, "y", -1, INT64_MAX);
	add_file(&a, "", 0, -5);
	ok(batch_write_sql(path, &a, &groups, &err) == 0, "a database is written: %s", err.text);
	add_file(&b, "before", 3, 3);
	ok(batch_read_sql(&b, path, UINT64_MAX, &err) == 0, "and read: %s", err.text);
	for (unsigned t = 0; t < BATCH_TABLES; t++) {
		size_t n = a.n_rows[t], shift = b.n_rows[t] - n;

		for (size_t i = 0; i < n; i++) {
			for (size_t c = t != BATCH_FILES; c < batch_schemas[t].n; c++)
				differ +=
					!same_cell(&a, &b, (enum batch_table_id)t, i, i + shift, c);
		}
	}
	is_u64(b.n_rows[BATCH_FILES], 4, "its rows come behind those there");
	is_u64(differ, 0, "equal to the last cell");
	is_i64(batch_int(&b, BATCH_SITES, 3, HELD_FILE, -1), 3, "and know their file");
	f = fopen(path, "w");
	fwrite(bad, 1, sizeof bad, f);
	fclose(f);
	ok(batch_sql_is_database(bad, sizeof bad), "what looks like a database");
	ok(batch_read_sql(&b, path, UINT64_MAX, &err) < 0, "may be none: %s", err.text);
	unlink(path);
	ok(batch_read_sql(&b, path, UINT64_MAX, &err) < 0, "or be gone: %s", err.text);
	batch_release(&a);
	batch_release(&b);
}

int main(void)
{
	reports();
	databases();
	is_u64(budget.used, 0, "all memory was given back");
	return done_testing();
}
