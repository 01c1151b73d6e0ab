/* SPDX-License-Identifier: MIT
 * test_trend.c -- many files in order: levels that change, trends, the order itself.
 */
#include "tests/lib/tap.h"

#include "passes/trend.h"
#include "tests/lib/mk_run.h"

static struct error err;
static struct budget budget = {.limit = UINT64_MAX};

/* One file: weights, and what one place holds at the peak. */
static void add_file(struct trend *t, const char *name, uint64_t bytes, const char *frame)
{
	struct mk_run r;
	struct replay *replay = NULL;

	mk_run_init(&r);
	mk_run_alloc(&r, 64 * MIB, mk_run_stack(&r, "/app/train.py:3 main"));
	for (uint64_t left = bytes; left; left -= MIB)
		mk_run_alloc(&r, MIB, mk_run_stack(&r, frame));
	mk_run_done(&r);
	if (strtab_add(&r.k.m->strings, name, strlen(name), &r.k.m->file, &err) < 0 ||
	    replay_new(&replay, r.k.m, &r.k.m->devices.at[0], &r.k.budget, &err) < 0)
		ok(false, "a file can be made: %s", err.text);
	else if (trend_add(t, r.k.m, &r.k.m->devices.at[0], replay, &err) < 0)
		ok(false, "a file can be added: %s", err.text);
	replay_free(replay);
	mk_run_release(&r);
}

static struct trend begin(void)
{
	struct trend t = {0};

	is_i64(trend_init(&t, &budget, &err), 0, "a trend begins");
	return t;
}

static void end(struct trend *t)
{
	trend_release(t);
	is_u64(budget.used, 0, "all memory was given back");
}

static const char *name_at(const struct trend *t, uint32_t file)
{
	return strtab_get(&t->strings, t->files.at[file].file)->bytes;
}

static const struct trend_change *change_of(const struct trend *t, enum trend_metric metric)
{
	for (size_t i = 0; i < t->changes.n; i++) {
		if (t->changes.at[i].what == TREND_OF_METRIC && t->changes.at[i].metric == metric)
			return &t->changes.at[i];
	}
	return NULL;
}

static void test_change(void)
{
	struct trend t = begin();
	const struct trend_change *c;
	char name[32];

	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof name, "night_%d", i);
		add_file(&t, name, (i < 7 ? 10 : 30) * MIB, "/app/model.py:5 forward");
	}
	is_i64(trend_finish(&t, TREND_BY_NAME, &err), 0, "finished");
	c = change_of(&t, TREND_PEAK);
	if (ok(c != NULL, "the peak changes once")) {
		is_str(name_at(&t, c->file), "night_7", "in the file where it does");
		is_u64((uint64_t)c->from, 74 * MIB, "from this level");
		is_u64((uint64_t)c->to, 94 * MIB, "to this one");
	}
	is_u64(t.changes.n, 4, "peak, end, reserved, and the site that did it");
	ok(!t.has_trend[TREND_PEAK], "a jump is no trend");
	end(&t);
}

static void test_slope(void)
{
	struct trend t = begin();
	size_t n = 0, grown = 0;
	char name[32];

	/* As a shell would give them: 0 1 10 11 2 ... */
	for (int i = 0; i < 12; i++) {
		int number = (int[]){0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9}[i];

		snprintf(name, sizeof name, "epoch_%d", number);
		add_file(&t, name, (uint64_t)(number + 1) * 4 * MIB,
			 number < 5 ? "/app/model.py:5 forward" : "/srv/b/app/model.py:9 forward");
	}
	is_i64(trend_finish(&t, TREND_BY_NAME, &err), 0, "finished");
	is_str(name_at(&t, 2), "epoch_2", "numbers in names count as numbers");
	is_str(name_at(&t, 11), "epoch_11", "up to the last");
	ok(t.has_trend[TREND_PEAK], "the peak has a trend");
	ok(t.slope[TREND_PEAK] > 4.0 * MIB - 1 && t.slope[TREND_PEAK] < 4.0 * MIB + 1,
	   "of 4 MiB a file: %.0f", t.slope[TREND_PEAK]);
	is_u64(t.changes.n, 0, "a trend is no jump");
	for (size_t i = 0; i < t.sites.n; i++) {
		n += t.sites.at[i].has_trend;
		if (t.sites.at[i].has_trend)
			grown = i;
	}
	is_u64(t.sites.n, 2, "the code that moved is still one place");
	is_u64(n, 1, "one site has the trend");
	ok(t.sites.at[grown].slope > 4.0 * MIB - 1 && t.sites.at[grown].slope < 4.0 * MIB + 1,
	   "of the same slope");
	is_str(name_at(&t, t.sites.at[grown].first_file), "epoch_0", "from the first file on");
	end(&t);
}

static void test_flat(void)
{
	struct trend t = begin();
	char name[32];

	/* Noise of less than a hundredth. */
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "f%d", i);
		add_file(&t, name, 200 * MIB + (uint64_t)(i * 7 % 3) * MIB, "/app/model.py:5 f");
	}
	is_i64(trend_finish(&t, TREND_AS_GIVEN, &err), 0, "finished");
	is_u64(t.changes.n, 0, "noise changes nothing");
	for (int k = 0; k < TREND_METRICS; k++)
		ok(!t.has_trend[k], "and has no trend: %s",
		   trend_metric_name((enum trend_metric)k));
	end(&t);
}

static void test_failed_and_new(void)
{
	struct trend t = begin();
	size_t n;
	const struct trend_value *v;

	add_file(&t, "a", 8 * MIB, "/app/model.py:5 f");
	is_i64(trend_add_failed(&t, "b", "no such file", &err), 0, "a file that is not there");
	add_file(&t, "c", 8 * MIB, "/app/model.py:5 f");
	add_file(&t, "d", 80 * MIB, "/app/other.py:8 g");
	is_i64(trend_finish(&t, TREND_BY_NAME, &err), 0, "finished");
	is_str(strtab_get(&t.strings, t.files.at[1].error)->bytes, "no such file",
	       "keeps its place");
	ok(t.files.at[1].metric[TREND_PEAK] < 0, "without numbers");
	is_str(name_at(&t, change_of(&t, TREND_PEAK) ? change_of(&t, TREND_PEAK)->file : 0), "d",
	       "the change is where the next readable file has it");
	v = trend_values_of(&t, 3, &n);
	is_u64(n, 2, "the last file has two sites");
	is_u64(n ? v[0].bytes : 0, 80 * MIB, "the largest first");
	(void)trend_values_of(&t, 1, &n);
	is_u64(n, 0, "the one that is not there has none");
	end(&t);
}

/* Ten dumps of one training: optimizer state comes in the second, then nothing changes. */
static void test_real(void)
{
	struct model_options options = {.budget = &budget};
	struct trend t;

	if (!shared_data()) {
		skip("no real recordings: set VRAMSCOPE_SHARED to their folder");
		return;
	}
	t = begin();
	for (int i = 9; i >= 0; i--) {
		char path[512];
		struct model *m;
		struct replay *r;

		snprintf(path, sizeof path, "%s/data/runs/training_run_epoch_%d.pickle.zst",
			 shared_data(), i);
		if (model_load(&m, path, &options, &err) < 0) {
			ok(false, "%s can be loaded: %s", path, err.text);
			continue;
		}
		if (replay_new(&r, m, &m->devices.at[0], &budget, &err) < 0 ||
		    trend_add(&t, m, &m->devices.at[0], r, &err) < 0)
			ok(false, "%s can be added: %s", path, err.text);
		replay_free(r);
		model_free(m);
	}
	is_i64(trend_finish(&t, TREND_BY_NAME, &err), 0, "finished");
	for (int k = 0; k < TREND_METRICS; k++)
		ok(!t.has_trend[k], "no trend: %s", trend_metric_name((enum trend_metric)k));
	for (size_t i = 0; i < t.sites.n; i++)
		ok(!t.sites.at[i].has_trend, "nor of a site");
	ok(t.changes.n > 0, "something changes");
	for (size_t i = 0; i < t.changes.n; i++)
		is_u64(t.changes.at[i].file, 1, "only from the first epoch to the second");
	end(&t);
}

int main(void)
{
	test_change();
	test_slope();
	test_flat();
	test_failed_and_new();
	test_real();
	return done_testing();
}
