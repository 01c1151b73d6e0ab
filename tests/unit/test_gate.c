/* SPDX-License-Identifier: MIT
 * test_gate.c -- budgets: what they may say, whom they mean, and that nothing unknown is kept.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "passes/gate.h"
#include "passes/gate_names.h"
#include "passes/rules_builtin.h"
#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};

static int read_text(struct gate_budget *g, const char *text, struct error *err)
{
	struct input *in;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, err);

	if (rc == 0) {
		rc = gate_budget_read(g, in, &budget, err);
		input_close(in);
	}
	return rc;
}

/* --- what a budget may say --------------------------------------------------------------------- */

static bool fits_schema(const char *text)
{
	struct xml_doc *doc;
	struct input *in;
	struct error err;
	int rc = input_open_bytes(&in, text, strlen(text), &budget, &err);

	if (rc == 0) {
		rc = xml_read(&doc, in, &(struct xml_options){.schema = budget_rng}, &err);
		input_close(in);
	}
	if (rc == 0)
		xml_doc_free(doc);
	return rc == 0;
}

/* What the schema refuses has words of ours; what it lets through may still make no sense. */
static void wrong_budgets(void)
{
	static const struct {
		const char *text, *words;
		bool fits;
	} rows[] = {
		{"", "line 1: the file is empty", false},
		{"<budget/>", "line 1: no limits", false},
		{"<limits/>", "line 1: <limits> is no budget", false},
		{"<budget a='1'/>", "line 1: <budget> has no attributes, and no 'a'", false},
		{"<budget>hello</budget>", "line 1: text between the limits: 'hello'", false},
		{"<budget>\n<limt/></budget>", "line 2: <limt> is not known here", false},
		{"<budget><limit of='peak' max='1'>x</limit></budget>", "has nothing inside",
		 false},
		{"<budget><limit max='1'/></budget>", "does not say of what", false},
		{"<budget><limit of='peek' max='1'/></budget>", "did you mean 'peak'?", false},
		{"<budget><limit of='time' max='1'/></budget>",
		 "known are peak, end, reserved, fragmentation and leak", false},
		{"<budget><limit of='peak' maxi='1'/></budget>", "did you mean 'max'?", false},
		{"<budget><limit of='peak' sites='a' max='1'/></budget>", "did you mean 'site'?",
		 false},
		{"<budget><limit of='peak' site='' max='1'/></budget>", "site is empty", false},
		{"<budget><limit of='peak'/></budget>", "either max or growth, and has neither",
		 false},
		{"<budget><limit of='peak' max='1' growth='1'/></budget>", "and has both", false},
		{"<budget><limit of='peak' max='1 GiB'/></budget>", "'1 GiB' is no amount", false},
		{"<budget><limit of='peak' max='-1'/></budget>", "'-1' is no amount", false},
		{"<budget><limit of='peak' max='1.'/></budget>", "'1.' is no amount", false},
		{"<budget><limit of='peak' max='1gb'/></budget>", "'1gb' is no amount", false},
		{"<budget><limit of='peak' max='5%/step'/></budget>", "is no amount", false},
		{"<budget><limit of='peak' max='1' rank='-1'/></budget>", "are no ranks", false},
		{"<budget><limit of='peak' max='1' rank='1,'/></budget>", "are no ranks", false},
		{"<budget><limit of='peak' max='1' rank='7-1'/></budget>", "are no ranks", true},
		{"<budget><limit of='peak' max='1' absent='yes'/></budget>", "not 'yes'", false},
		{"<budget><limit of='peak' max='1' site='a' category='B'/></budget>",
		 "one of site, category and annotation at a time", false},
		{"<budget><limit of='peak' max='1' category='activation'/></budget>",
		 "did you mean 'ACTIVATION'?", true},
		{"<budget><limit of='peak' max='1' category='wheels'/></budget>",
		 "no category is called 'wheels'; known are PARAMETER", true},
		{"<budget><limit of='reserved' max='1' site='a'/></budget>",
		 "reserved is not told for a site", true},
		{"<budget><limit of='leak' max='1' category='INPUT'/></budget>",
		 "leak is not told for a category", true},
		{"<budget><limit of='peak' max='5%'/></budget>", "a percentage of what?", true},
		{"<budget><limit of='leak' site='a' max='5%'/></budget>", "of what?", true},
		{"<budget><limit of='fragmentation' max='5'/></budget>", "is a share", true},
		{"<budget><limit of='reserved' max='5/step'/></budget>", "/step is told", true},
		{"<budget><limit of='peak' growth='5/step'/></budget>", "/step is told", true},
		{"<budget", "line 1", false},
		{"<!DOCTYPE b [<!ENTITY a 'b'>]><budget/>", "entities are not allowed", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gate_budget g = {0};
		struct error err;
		int rc = read_text(&g, rows[i].text, &err);

		ok(rc < 0 && strstr(err.text, rows[i].words), "%s: %s", rows[i].text, err.text);
		ok(fits_schema(rows[i].text) == rows[i].fits, "the schema, of %s", rows[i].text);
		if (rc == 0)
			gate_budget_release(&g);
	}
}

static void amounts(void)
{
	static const struct {
		const char *text;
		double amount;
		bool is_share, per_step;
	} rows[] = {
		{"<budget><limit of='peak' max='0'/></budget>", 0, false, false},
		{"<budget><limit of='peak' max='1.5K'/></budget>", 1536, false, false},
		{"<budget><limit of='peak' max='2MiB'/></budget>", 0x1p21, false, false},
		{"<budget><limit of='peak' max='2MB'/></budget>", 0x1p21, false, false},
		{"<budget><limit of='peak' max='1TiB'/></budget>", 0x1p40, false, false},
		{"<budget><limit of='peak' max='77B'/></budget>", 77, false, false},
		{"<budget><limit of='leak' max='64KiB/step'/></budget>", 65536, false, true},
		{"<budget><limit of='end' max='9/step'/></budget>", 9, false, true},
		{"<budget><limit of='fragmentation' max='12.5%'/></budget>", 0.125, true, false},
		{"<budget><limit of='peak' growth='50%' rank='1-7,9'/></budget>", 0.5, true, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gate_budget g;
		struct error err;

		if (!ok(read_text(&g, rows[i].text, &err) == 0, "%s", rows[i].text))
			continue;
		ok(fits_schema(rows[i].text), "it fits the schema");
		ok(g.limits.n == 1 && g.limits.at[0].amount == rows[i].amount &&
			   g.limits.at[0].is_share == rows[i].is_share &&
			   g.limits.at[0].per_step == rows[i].per_step,
		   "its amount is %g", g.limits.at[0].amount);
		gate_budget_release(&g);
	}
}

/* --- whom a name means ------------------------------------------------------------------------- */

static void names(void)
{
	static const char site[] = "/home/me/src/train.py:12 step";
	static const struct {
		const char *pattern, *site;
		bool fits;
	} rows[] = {
		{site, site, true},
		{"train.py:12 step", site, true},
		{"train.py step", site, true},
		{"train.py:12", site, true},
		{"train.py", site, true},
		{"src/train.py step", site, true},
		{"*.py step", site, true},
		{"src/*", site, true},
		{"*", site, true},
		{"rain.py step", site, false},
		{"train.py:1", site, false},
		{"train.py:13 step", site, false},
		{"train.py ste", site, false},
		{"step", site, false},
		{"", site, false},
		{"(backward)", "(backward)", true},
		{"backward", "(backward)", false},
		{" f", ":12 f", false},
		{"f.py:3 <lambda>", "/a/f.py:3 <lambda>", true},
		{"Net.h:7 at::run(int)", "C:\\torch\\Net.h:7 at::run(int)", true},
		{"Net.h at::*", "C:\\torch\\Net.h:7 at::run(int)", true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(gate_site_fits(rows[i].pattern, rows[i].site) == rows[i].fits, "'%s' and '%s'",
		   rows[i].pattern, rows[i].site);
	ok(gate_name_fits("ProfilerStep#*", "ProfilerStep#12"), "a * at the end");
	ok(gate_name_fits("*a*b", "xxaxxbxb"), "it takes as much as it needs");
	ok(!gate_name_fits("*a*b", "xxaxxbx"), "and no more");
	ok(gate_site_distance("train.py stop", site) < 0.1, "a letter is near");
	ok(gate_site_distance("src/train.py:13 step", site) < 0.1, "a moved line is near");
	ok(gate_site_distance("data.py load", site) > 0.5, "another function is not");
	ok(gate_rank_is_meant("1-7,9", 9) && gate_rank_is_meant("1-7,9", 1) &&
		   !gate_rank_is_meant("1-7,9", 8) && !gate_rank_is_meant("0", -1),
	   "ranks");
}

/* --- answers ----------------------------------------------------------------------------------- */

static void add_held(struct batch *b, enum batch_table_id t, const char *name, int64_t bytes)
{
	struct error err;

	batch_add_row(b, t, b->n_rows[BATCH_FILES] - 1, &err);
	batch_set_text(b, t, HELD_NAME, name, &err);
	batch_set_int(b, t, HELD_BYTES, bytes);
}

/* A file of 100 bytes at the peak: 60 of step, 30 of load, 10 of save; 50 at the end; a leak of 4 a
 * step. `grown` bytes go on top of step. */
static void add_file(struct batch *b, const char *name, int64_t rank, int64_t grown)
{
	struct error err;

	batch_add_row(b, BATCH_FILES, 0, &err);
	batch_set_text(b, BATCH_FILES, FILES_NAME, name, &err);
	batch_set_text(b, BATCH_FILES, FILES_STATUS, "ok", &err);
	if (rank >= 0)
		batch_set_int(b, BATCH_FILES, FILES_RANK, rank);
	batch_set_int(b, BATCH_FILES, FILES_DEVICE, 0);
	batch_set_int(b, BATCH_FILES, FILES_PEAK, 100 + grown);
	batch_set_int(b, BATCH_FILES, FILES_PEAK_RESERVED, 200);
	batch_set_int(b, BATCH_FILES, FILES_END, 50);
	batch_set_real(b, BATCH_FILES, FILES_FRAGMENTATION, 0.25);
	batch_set_real(b, BATCH_FILES, FILES_LEAK, 4);
	add_held(b, BATCH_SITES, "/r/train.py:12 step", 60 + grown);
	add_held(b, BATCH_SITES, "/r/data.py:7 load", 30);
	add_held(b, BATCH_SITES, "/r/train.py:40 save", 10);
	add_held(b, BATCH_CATEGORIES, "ACTIVATION", 100 + grown);
	add_held(b, BATCH_SITES_END, "/r/data.py:7 load", 50);
	batch_add_row(b, BATCH_LEAKS, b->n_rows[BATCH_FILES] - 1, &err);
	batch_set_text(b, BATCH_LEAKS, LEAKS_SITE, "/r/train.py:12 step", &err);
	batch_set_real(b, BATCH_LEAKS, LEAKS_GROWTH, 4);
	for (int64_t i = 0; i < 6; i++) {
		batch_add_row(b, BATCH_STEPS, b->n_rows[BATCH_FILES] - 1, &err);
		batch_set_int(b, BATCH_STEPS, STEPS_WHOLE, 1);
		batch_set_int(b, BATCH_STEPS, STEPS_PEAK, 70 + 5 * i);
		batch_set_int(b, BATCH_STEPS, STEPS_END, i == 0 ? 1000 : 30);
	}
}

/* The answers to one limit, a letter a result: k, x (exceeded), u. */
static const char *answers(const char *limit, const struct batch *b, const struct batch *baseline,
			   const char **why)
{
	static char letters[16], words[600], who[200];
	char text[400];
	struct gate_budget l;
	struct gate g;
	struct error err;

	snprintf(text, sizeof text, "<budget><limit %s/></budget>", limit);
	letters[0] = words[0] = who[0] = '\0';
	if (read_text(&l, text, &err) < 0)
		return err.text[0] ? "no budget" : "";
	if (gate_run(&g, &l, b, baseline, &budget, &err) == 0) {
		for (size_t i = 0; i < g.results.n && i < sizeof letters - 1; i++) {
			const struct gate_result *r = &g.results.at[i];

			letters[i] = "kxu"[r->answer];
			letters[i + 1] = '\0';
			snprintf(words, sizeof words, "%s", r->why ? r->why : r->who ? r->who : "");
		}
		gate_release(&g);
	}
	gate_budget_release(&l);
	*why = words;
	return letters;
}

static void expect(const char *limit, const struct batch *b, const struct batch *baseline,
		   const char *want, const char *want_why)
{
	const char *why = "", *got = answers(limit, b, baseline, &why);

	is_str(got, want, "limit");
	ok(want_why ? strstr(why, want_why) != NULL : !*why, "%s: %s", limit, why);
}

static void one_file(void)
{
	struct batch b;
	struct error err;

	batch_init(&b, &budget, &err);
	add_file(&b, "rank0.pickle", 0, 0);
	expect("of='peak' max='100'", &b, NULL, "k", NULL);
	expect("of='peak' max='99'", &b, NULL, "x", "/r/train.py:12 step");
	expect("of='end' max='49'", &b, NULL, "x", "/r/data.py:7 load");
	expect("of='reserved' max='200'", &b, NULL, "k", NULL);
	expect("of='fragmentation' max='25%'", &b, NULL, "k", NULL);
	expect("of='fragmentation' max='24.9%'", &b, NULL, "x", NULL);
	expect("of='leak' max='4/step'", &b, NULL, "k", NULL);
	expect("of='leak' max='3'", &b, NULL, "x", "/r/train.py:12 step");
	/* Steps: peaks add 5 each; what the first one leaves is no growth. */
	expect("of='peak' max='5/step'", &b, NULL, "k", NULL);
	expect("of='peak' max='4.9/step'", &b, NULL, "x", "/r/train.py:12 step");
	expect("of='end' max='0/step'", &b, NULL, "k", NULL);
	/* Parts, their sums and their shares. */
	expect("of='peak' site='train.py' max='70'", &b, NULL, "k", NULL);
	expect("of='peak' site='train.py' max='69'", &b, NULL, "x", "/r/train.py:12 step");
	expect("of='peak' site='train.py' max='70%'", &b, NULL, "k", NULL);
	expect("of='peak' site='train.py' max='69%'", &b, NULL, "x", "/r/train.py:12 step");
	expect("of='peak' category='ACTIVATION' max='100'", &b, NULL, "k", NULL);
	expect("of='leak' site='data.py load' max='0'", &b, NULL, "k", NULL);
	expect("of='leak' site='train.py step' max='0'", &b, NULL, "x", "/r/train.py:12 step");
	/* What does not occur. */
	expect("of='peak' site='train.py stop' max='1'", &b, NULL, "u", "'/r/train.py step'");
	expect("of='peak' site='train.py:13 step' max='1'", &b, NULL, "u",
	       "near to it: '/r/train.py:12");
	expect("of='peak' site='zzz' max='1'", &b, NULL, "u", "the largest: '/r/train.py step'");
	expect("of='peak' site='zzz' max='1' absent='allowed'", &b, NULL, "k", NULL);
	expect("of='leak' site='zzz' max='1'", &b, NULL, "u", "no such site");
	expect("of='leak' site='zzz' max='1' absent='allowed'", &b, NULL, "k", NULL);
	expect("of='end' category='INPUT' max='1'", &b, NULL, "u", "does not tell");
	expect("of='peak' category='INPUT' max='1'", &b, NULL, "u", "is of this category");
	expect("of='peak' annotation='a' max='1'", &b, NULL, "u", "no annotations");
	expect("of='peak' max='1TiB' rank='1'", &b, NULL, "u", "no file is of rank 1");
	expect("of='peak' max='1TiB' rank='0-3'", &b, NULL, "ku", "no file is of rank 1");
	expect("of='peak' max='1TiB' rank='0-3' absent='allowed'", &b, NULL, "k", NULL);
	expect("of='peak' growth='5%'", &b, NULL, "u", "no --baseline");
	batch_release(&b);
}

static void doubts(void)
{
	struct batch b;
	struct error err;
	char name[32];

	batch_init(&b, &budget, &err);
	add_file(&b, "cut.pickle", -1, 0);
	batch_set_text(&b, BATCH_FILES, FILES_STATUS, "partial", &err);
	batch_set_text(&b, BATCH_FILES, FILES_REASON, "it ends early", &err);
	expect("of='peak' max='99'", &b, NULL, "x", "/r/train.py:12 step");
	expect("of='peak' max='100'", &b, NULL, "u", "it ends early");
	batch_release(&b);

	/* A table of the largest only: 40 bytes belong to nobody that is told. */
	batch_init(&b, &budget, &err);
	batch_add_row(&b, BATCH_FILES, 0, &err);
	batch_set_text(&b, BATCH_FILES, FILES_STATUS, "ok", &err);
	batch_set_int(&b, BATCH_FILES, FILES_PEAK, 240);
	for (int i = 0; i < BATCH_KEPT; i++) {
		snprintf(name, sizeof name, "/r/a.py:%d f", i);
		add_held(&b, BATCH_SITES, name, 10);
	}
	expect("of='peak' site='z.py' max='39' absent='allowed'", &b, NULL, "u", "more may belong");
	expect("of='peak' site='z.py' max='40' absent='allowed'", &b, NULL, "k", NULL);
	expect("of='peak' site='/r/a.py:3 f' max='10'", &b, NULL, "k", NULL);
	expect("of='peak' site='a.py' max='239'", &b, NULL, "u", "more may belong");
	batch_release(&b);

	/* Totals only. */
	batch_init(&b, &budget, &err);
	batch_add_row(&b, BATCH_FILES, 0, &err);
	batch_set_text(&b, BATCH_FILES, FILES_STATUS, "ok", &err);
	batch_set_int(&b, BATCH_FILES, FILES_PEAK, 240);
	expect("of='peak' site='z.py' max='1' absent='allowed'", &b, NULL, "u", "does not tell");
	expect("of='end' max='1'", &b, NULL, "u", "does not tell");
	expect("of='leak' max='1'", &b, NULL, "u", "too few steps");
	expect("of='peak' max='1/step'", &b, NULL, "u", "too few steps");
	batch_release(&b);
}

static void two_devices(void)
{
	struct batch b;
	struct error err;

	batch_init(&b, &budget, &err);
	add_file(&b, "a.pickle", -1, 0);
	for (int64_t i = 0; i < 2; i++) {
		batch_add_row(&b, BATCH_DEVICES, 0, &err);
		batch_set_int(&b, BATCH_DEVICES, DEVICES_DEVICE, i);
		batch_set_int(&b, BATCH_DEVICES, DEVICES_PEAK, 100 - i);
		batch_set_int(&b, BATCH_DEVICES, DEVICES_PEAK_RESERVED, 200 + 50 * i);
	}
	expect("of='peak' max='100'", &b, NULL, "k", NULL);
	expect("of='reserved' max='249'", &b, NULL, "x", NULL);
	expect("of='end' max='1000'", &b, NULL, "u", "does not tell");
	batch_release(&b);
}

static void growth(void)
{
	struct batch now, then;
	struct error err;

	batch_init(&now, &budget, &err);
	batch_init(&then, &budget, &err);
	add_file(&now, "new/rank0.pickle", 0, 20);
	add_file(&now, "new/rank1.pickle", 1, 0);
	add_file(&then, "old/rank0.pickle", 0, 0);
	expect("of='peak' growth='20%'", &now, &then, "kk", NULL);
	expect("of='peak' growth='19'", &now, &then, "xk", NULL);
	expect("of='peak' growth='19' rank='0'", &now, &then, "x", "/r/train.py:12 step");
	expect("of='peak' site='data.py' growth='0'", &now, &then, "kk", NULL);
	expect("of='leak' growth='0%'", &now, &then, "kk", NULL);
	expect("of='fragmentation' growth='0%'", &now, &then, "kk", NULL);
	/* Many: each its own, by name or rank. */
	add_file(&then, "old/run_rank_1.pickle", 1, 0);
	expect("of='peak' growth='0'", &now, &then, "xk", NULL);
	add_file(&then, "older/rank1.pickle", 1, 0);
	add_file(&then, "oldest/rank1.pickle", 1, 0);
	expect("of='peak' growth='20'", &now, &then, "ku", "several files");
	batch_release(&then);

	batch_init(&then, &budget, &err);
	add_file(&then, "a", -1, 0);
	add_file(&then, "b", -1, 0);
	expect("of='peak' growth='20'", &now, &then, "uu", "no file of this name or rank");
	batch_release(&then);

	/* A site that is new grew from nothing; one whose line moved did not. */
	batch_init(&then, &budget, &err);
	add_file(&then, "a", -1, 0);
	batch_put_text(&then, BATCH_SITES, 0, HELD_NAME, "/r/train.py:10 step", &err);
	batch_put_text(&then, BATCH_SITES, 1, HELD_NAME, "/r/old.py:1 load", &err);
	expect("of='peak' site='data.py' growth='29'", &now, &then, "xx", "/r/data.py:7 load");
	expect("of='peak' site='train.py:12 step' growth='59'", &now, &then, "xx", NULL);
	expect("of='peak' growth='0' rank='0'", &now, &then, "x", "/r/data.py:7 load");
	batch_release(&then);
	batch_release(&now);
}

int main(void)
{
	wrong_budgets();
	amounts();
	names();
	one_file();
	doubts();
	two_devices();
	growth();
	is_u64(budget.used, 0, "all memory was given back");
	return done_testing();
}
