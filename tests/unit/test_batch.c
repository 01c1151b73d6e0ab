/* SPDX-License-Identifier: MIT
 * test_batch.c -- names of files, tables of many of them, and which are outliers.
 */
#include <stdio.h>
#include <string.h>

#include "passes/batch_groups.h"
#include "passes/name_facts.h"
#include "tests/lib/tap.h"

static void names(void)
{
	static const struct {
		const char *name, *host, *group;
		int64_t rank, step;
		int month, second;
	} rows[] = {
		{"run/rank12.pickle", "", "run/rank*.pickle", 12, -1, 0, 0},
		{"rank_3_step_40.pickle.zst", "", "rank_*_step_40.pickle.zst", 3, 40, 0, 0},
		{"epoch_3.pickle", "", "", -1, 3, 0, 0},
		{"d/node7_Dec_01_10_22_33.pickle", "node7", "d/*_*.pickle", -1, -1, 12, 33},
		{"rank0_Dec_01_10_22_33.pickle", "", "rank*_*.pickle", 0, -1, 12, 33},
		{"h_Dec_41_10_22_33.pickle", "h", "*_*.pickle", -1, -1, 0, 33},
		{"rank1/rank2.pickle", "", "rank1/rank*.pickle", 2, -1, 0, 0},
		{"frank5.pickle", "", "", -1, -1, 0, 0},
		{"rank99999999999999999999.pickle", "", "rank*99999999999.pickle", 999999999, -1, 0,
		 0},
		{"", "", "", -1, -1, 0, 0},
		{"RANK-012.pickle", "", "RANK-*.pickle", 12, -1, 0, 0},
		{"epoch=3-step=500.pickle", "", "", -1, 500, 0, 0},
		{"iteration_10/rank0_memory.pickle", "", "iteration_10/rank*_memory.pickle", 0, 10,
		 0, 0},
		{"global_rank_17_local_rank_1.pickle", "", "global_rank_*_local_rank_*.pickle", 17,
		 -1, 0, 0},
		{"node3_local_rank2.pickle", "", "node3_local_rank*.pickle", 2, -1, 0, 0},
		{"t/n-12_3456.1712345678901.pt.trace.json", "n-12", "t/*_*.*.pt.trace.json", -1, -1,
		 0, 0},
		{"rank3_7.1712345678901234567.pt.trace.json.gz", "", "rank*_*.*.pt.trace.json.gz",
		 3, -1, 0, 0},
		{"a.b_Feb_29_23_59_60.json.gz", "a.b", "*_*.json.gz", -1, -1, 2, 60},
		{"Dec_01_10_22_33.pickle", "", "", -1, -1, 0, 0},
	};
	struct name_patterns *p;
	struct name_facts f;
	struct error err;

	ok(name_patterns_new(&p, NULL, &err) == 0, "the built-in patterns");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		name_facts_of(p, rows[i].name, &f);
		is_i64(f.rank, rows[i].rank, "rank of a name");
		is_i64(f.step, rows[i].step, "step of a name");
		is_str(f.host, rows[i].host, "host of a name");
		is_str(f.group, rows[i].group, "group of a name");
		is_i64(f.month, rows[i].month, "month of a name");
	}
	name_patterns_free(p);

	ok(name_patterns_new(&p, "(?<host>[a-z]+)-gpu(?<rank>\\d+)", &err) == 0, "an own one");
	name_facts_of(p, "alpha-gpu3.pickle", &f);
	is_i64(f.rank, 3, "its rank");
	is_str(f.host, "alpha", "its host");
	is_str(f.group, "*-gpu*.pickle", "its group");
	name_patterns_free(p);
	is_i64(name_patterns_new(&p, "(?<host>", &err), ERR_USAGE, "a broken one");
	is_i64(name_patterns_new(&p, "rank", &err), ERR_USAGE, "one without groups");
}

static void add(struct batch *b, const char *name, int64_t peak, int64_t site)
{
	struct error err;

	ok(batch_add_row(b, BATCH_FILES, 0, &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_NAME, name, &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_STATUS, "ok", &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_GROUP, "rank*", &err) == 0 &&
		   batch_add_row(b, BATCH_SITES, b->n_rows[BATCH_FILES] - 1, &err) == 0 &&
		   batch_set_text(b, BATCH_SITES, SITES_SITE, "a.py:1 f", &err) == 0,
	   "a row");
	batch_set_int(b, BATCH_FILES, FILES_PEAK, peak);
	batch_set_int(b, BATCH_SITES, SITES_BYTES, site);
}

static void outliers(void)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct batch b;
	struct batch_groups g;
	struct error err;
	char name[16];

	ok(batch_init(&b, &budget, &err) == 0, "a batch");
	for (int i = 11; i >= 0; i--) {
		snprintf(name, sizeof name, "rank%d", i);
		add(&b, name, i == 7 ? 2000000000 : 1000000000 + i * 1000000, 5000000);
	}
	add(&b, "rank3", 1003000000, 9000000);
	ok(batch_sort(&b, &err) == 0, "sorted");
	is_u64(b.n_rows[BATCH_FILES], 12, "a name that is there twice counts once");
	is_str(batch_text(&b, BATCH_FILES, 2, FILES_NAME), "rank2", "numbers count as numbers");
	is_i64(batch_int(&b, BATCH_SITES, 3, SITES_BYTES, -1), 9000000, "the later one is kept");
	ok(batch_groups_run(&g, &b, &budget, &err) == 0, "compared");
	is_u64(g.groups.n, 1, "one group");
	is_u64(g.outliers.n, 2, "two departures");
	is_u64(g.outliers.at[0].file, 3, "the holder");
	is_i64(g.outliers.at[0].measure, MEASURE_HOLDER, "for its site");
	is_str(g.outliers.at[0].what, "a.py:1 f", "with its name");
	is_u64(g.outliers.at[1].file, 7, "the peak");
	is_i64(g.outliers.at[1].measure, MEASURE_PEAK, "for its peak");
	batch_groups_release(&g);
	batch_release(&b);
	is_u64(budget.used, 0, "nothing is held");
}

/* --- failures, settings ------------------------------------------------------------------------ */

struct failed_rank {
	const char *group, *site;
	int64_t requested, time;
	const char *setting, *phase;
};

static void add_failed(struct batch *b, int i, const struct failed_rank *r)
{
	struct error err;
	char name[32];

	snprintf(name, sizeof name, "%s%d", *r->group ? r->group : "lone", i);
	ok(batch_add_row(b, BATCH_FILES, 0, &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_NAME, name, &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_STATUS, "ok", &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_GROUP, *r->group ? r->group : NULL, &err) ==
			   0 &&
		   batch_set_text(b, BATCH_FILES, FILES_PEAK_PHASE, r->phase, &err) == 0 &&
		   batch_add_row(b, BATCH_SETTINGS, b->n_rows[BATCH_FILES] - 1, &err) == 0 &&
		   batch_set_text(b, BATCH_SETTINGS, SETTINGS_KEY, "expandable", &err) == 0 &&
		   batch_set_text(b, BATCH_SETTINGS, SETTINGS_VALUE, r->setting, &err) == 0,
	   "a row");
	if (!r->site)
		return;
	ok(batch_set_text(b, BATCH_FILES, FILES_VERDICT, "capacity", &err) == 0 &&
		   batch_set_text(b, BATCH_FILES, FILES_OOM_SITE, r->site, &err) == 0,
	   "its failure");
	batch_set_int(b, BATCH_FILES, FILES_OOM_REQUESTED, r->requested);
	batch_set_time(b, BATCH_FILES, FILES_OOM_TIME, r->time);
}

static void failures(void)
{
	static const struct failed_rank rows[] = {
		{"a", "t.py:1 f", 1000, 30, "no", "backward"},
		{"a", "t.py:1 f", 1100, 20, "no", "backward"},
		{"a", "t.py:1 f", 1101, 10, "no", "backward"}, /* more than a tenth above */
		{"a", NULL, 0, 0, "yes", "optimizer"},
		{"a", NULL, 0, 0, "no", "backward"},
		{"b", "(backward)", 500, 40, "no", NULL},
		{"b", "(backward)", 501, 50, "no", NULL}, /* no place: equal requests only */
		{"", "t.py:1 f", 1000, 60, "no", NULL},
		{"", NULL, 0, 0, "yes", NULL},
		{"", NULL, 0, 0, "yes", NULL},
	};
	struct budget budget = {.limit = UINT64_MAX};
	struct batch_groups g;
	struct error err;
	struct batch b;

	ok(batch_init(&b, &budget, &err) == 0, "a batch");
	for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
		add_failed(&b, i, &rows[i]);
	ok(batch_sort(&b, &err) == 0, "sorted");
	ok(batch_groups_run(&g, &b, &budget, &err) == 0, "compared");
	is_str(batch_text(&b, BATCH_FILES, g.first_to_fail, FILES_NAME), "a2", "first to fail");
	is_u64(g.n_ooms, 6, "files that ran out");
	is_u64(g.failures.n, 4, "failures");
	is_u64(g.failures.at[0].n, 3, "the same line, up to a tenth more");
	is_i64(g.failures.at[0].least, 1000, "the smallest request");
	is_i64(g.failures.at[0].most, 1100, "the largest");
	is_u64(g.failures.at[0].of, 10, "of all, since one has no group");
	ok(!g.failures.at[0].group, "and so no group");
	is_str(batch_text(&b, BATCH_FILES, g.failures.at[0].first, FILES_NAME), "a1",
	       "the first by time, not by size");
	is_u64(g.failures.at[1].of, 5, "one of the five of its group");
	is_str(g.failures.at[1].group, "a", "which has a name");
	is_u64(g.differences.n, 2, "settings unlike most");
	is_str(g.differences.at[0].value, "yes", "of the group");
	is_str(g.differences.at[0].usual, "no", "mostly");
	is_str(batch_text(&b, BATCH_FILES, g.differences.at[1].file, FILES_NAME), "lone7",
	       "and of those without one");
	is_u64(g.outliers.n, 2, "two departures");
	is_i64(g.outliers.at[0].measure, MEASURE_PHASE, "the phase of the peak");
	is_str(g.outliers.at[0].usual, "backward", "that of most");
	is_i64(g.outliers.at[1].measure, MEASURE_SETTINGS, "a setting");
	is_str(g.outliers.at[1].what, "expandable", "by name");
	batch_groups_release(&g);
	batch_release(&b);
	is_u64(budget.used, 0, "nothing is held");
}

/* Two kinds of ranks are no outliers of each other. */
static void two_kinds(void)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct batch_groups g;
	struct error err;
	struct batch b;
	char name[16];

	ok(batch_init(&b, &budget, &err) == 0, "a batch");
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof name, "rank%d", i);
		add(&b, name, i < 4 ? 2000000000 : 1000000000, i < 3 ? 9000000 : 5000000);
	}
	ok(batch_groups_run(&g, &b, &budget, &err) == 0, "compared");
	is_u64(g.outliers.n, 3, "a quarter may be outliers, a third not");
	is_i64(g.outliers.at[0].measure, MEASURE_HOLDER, "by the holder only");
	batch_groups_release(&g);
	batch_release(&b);
}

static void damaged_documents(void)
{
	static const char *const texts[] = {
		"{\"schema\": \"vramscope.batch/1\", \"files\": [{\"status\": \"ok\"",
		"[]",
		"{}",
		"{\"files\": [{\"status\": 3}]}",
		"nothing",
		"{\"schema\": \"vramscope.batch/1\", \"version\": \"2\", \"files\": []}",
	};
	struct budget budget = {.limit = UINT64_MAX};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct batch b;
		struct input *in;
		struct error err;

		ok(batch_init(&b, &budget, &err) == 0, "a batch");
		ok(input_open_bytes(&in, texts[i], strlen(texts[i]), &budget, &err) == 0, "text");
		ok(batch_read(&b, in, "1", &err) < 0, "refused");
		input_close(in);
		batch_release(&b);
	}
	is_u64(budget.used, 0, "nothing is held");
}

int main(void)
{
	names();
	outliers();
	failures();
	two_kinds();
	damaged_documents();
	return done_testing();
}
