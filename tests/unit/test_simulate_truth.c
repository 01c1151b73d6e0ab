/* SPDX-License-Identifier: MIT
 * test_simulate_truth.c -- one program recorded under several settings: each simulated from each.
 *
 * The settings' own memory_stats are the truth. Every recording there is also has to come out of
 * the model again, address by address; those that cannot are named with the reason.
 */
#include "tests/lib/tap.h"

#include <dirent.h>

#include "base/input.h"
#include "passes/simulate.h"

static struct error err;
static struct budget budget = {.limit = UINT64_MAX};
static const char *shared;

struct open {
	struct model *m;
	struct replay *r;
	struct simulation s;
};

/* 0, or what went wrong in `err`. */
static int open_file(struct open *o, const char *name)
{
	struct model_options options = {.budget = &budget};
	char path[1024];
	int rc;

	*o = (struct open){0};
	snprintf(path, sizeof path, "%s/%s", shared, name);
	if ((rc = model_load(&o->m, path, &options, &err)) < 0)
		return rc;
	if (!o->m->devices.n)
		return error_set(&err, ERR_UNSUPPORTED, ERR_NO_OFFSET, "no device");
	if ((rc = replay_new(&o->r, o->m, &o->m->devices.at[0], &budget, &err)) < 0)
		return rc;
	return simulation_open(&o->s, o->m, o->r, &o->m->devices.at[0], &budget, &err);
}

static void close_file(struct open *o)
{
	simulation_close(&o->s);
	replay_free(o->r);
	if (o->m)
		model_free(o->m);
}

/* --- one setting from another's trace ---------------------------------------------------------- */

static const struct {
	const char *name, *settings;
} settings[] = {
	{"default", ""},
	{"expandable", "expandable_segments:True"},
	{"round4", "roundup_power2_divisions:4"},
	{"split128", "max_split_size_mb:128"},
	{"split64_round8", "max_split_size_mb:64,roundup_power2_divisions:8"},
};

static char *read_stats(const char *workload, const char *setting)
{
	char path[1024], *text = NULL;
	struct input *in;

	snprintf(path, sizeof path, "%s/data/whatif/whatif_%s_%s.stats.json.zst", shared, workload,
		 setting);
	if (input_open(&in, path, &budget, &err) < 0) {
		ok(false, "%s can be read: %s", path, err.text);
		return NULL;
	}
	if (input_peek(in, 1 << 20, &err) == 0)
		text = strndup((const char *)in->at, (size_t)(in->end - in->at));
	input_close(in);
	return text;
}

static uint64_t stat_of(const char *text, const char *key)
{
	char quoted[100];
	const char *at;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	at = strstr(text, quoted);
	return at ? strtoull(at + strlen(quoted), NULL, 10) : BYTES_NONE;
}

static void check_figure(const struct simulate_range *got, uint64_t real, bool exact,
			 const char *what, const char *name)
{
	if (exact)
		is_u64(got->plain, real, "%s: %s", name, what);
	else if (!ok(got->low <= real && real <= got->high, "%s: %s lies in the range", name, what))
		diag("%" PRIu64 " to %" PRIu64 ", really %" PRIu64, got->low, got->high, real);
}

static void check_pair(const struct open *from, const char *workload, const char *source, size_t to)
{
	static const struct simulate_options o = {.capacity = BYTES_NONE};
	char *stats = read_stats(workload, settings[to].name);
	struct simulate_run r;
	char name[100];
	bool exact;

	snprintf(name, sizeof name, "%s, %s from %s", workload, settings[to].name, source);
	if (!stats || !is_i64(simulation_run(&from->s, settings[to].settings, &o, &r, &err), 0,
			      "%s: simulated", name)) {
		free(stats);
		return;
	}
	exact = !r.placement_matters;
	is_i64(r.own, strcmp(source, settings[to].name) == 0, "%s: known for its own settings",
	       name);
	ok(exact || (!r.own && to != 1), "%s: own and expandable are one figure", name);
	ok(exact || r.placements >= 16, "%s: enough placements", name);
	check_figure(&r.peak_reserved, stat_of(stats, "reserved_bytes.all.peak"), exact,
		     "peak reserved", name);
	check_figure(&r.peak_allocated, stat_of(stats, "allocated_bytes.all.peak"), exact,
		     "peak allocated", name);
	check_figure(&r.device_allocs, stat_of(stats, "num_device_alloc"), exact,
		     "calls for device memory", name);
	is_u64(r.peak_requested, stat_of(stats, "requested_bytes.all.peak"), "%s: requested", name);
	simulate_run_release(&r);
	free(stats);
}

static void check_workload(const char *workload, size_t n)
{
	for (size_t from = 0; from < n; from++) {
		char name[100];
		struct open o;

		snprintf(name, sizeof name, "data/whatif/whatif_%s_%s.pickle.zst", workload,
			 settings[from].name);
		if (is_i64(open_file(&o, name), 0, "%s: opened", name))
			for (size_t to = 0; to < n; to++)
				check_pair(&o, workload, settings[from].name, to);
		close_file(&o);
	}
}

/* --- every recording, by itself ---------------------------------------------------------------- */

/* Files that the model cannot give again, and why. */
static const struct {
	const char *name, *reason;
} known[] = {
	{"public_10.pickle.zst", "made up: addresses at random, no segment events"},
};

static const char *known_reason(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].reason;
	return NULL;
}

static void check_file(const char *folder, const char *name)
{
	const char *reason = known_reason(name);
	char path[1024];
	struct open o;
	int rc;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	rc = open_file(&o, path);
	if (rc == ERR_UNSUPPORTED)
		diag("%s: %s", path, err.text);
	else if (!is_i64(rc, 0, "%s: opened", path))
		diag("%s", err.text);
	else if (reason)
		ok(!o.s.check.ok, "%s: not reproduced, as known: %s", path, reason);
	else if (!ok(o.s.check.ok, "%s: reproduced, %" PRIu64 " addresses", path,
		     o.s.check.n_allocs))
		diag("%s at event %" PRId64, simulate_difference_name(o.s.check.kind),
		     o.s.check.event);
	close_file(&o);
}

static void check_folder(const char *folder)
{
	char path[1024];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", shared, folder);
	dir = opendir(path);
	if (!dir) {
		skip("%s is not there", folder);
		return;
	}
	while ((e = readdir(dir)))
		if (strstr(e->d_name, ".pickle.zst") && !strstr(e->d_name, "huge_python") &&
		    !(tests_quick() && strstr(e->d_name, "big_python")))
			check_file(folder, e->d_name);
	closedir(dir);
}

/* --- crashes ----------------------------------------------------------------------------------- */

static const struct {
	const char *name, *settings;
	enum simulate_survival survives;
} crashes[] = {
	{"oom_varlen", "", SURVIVES_NO},
	{"oom_varlen", "expandable_segments:True", SURVIVES_YES},
	{"oom_split_pinned", "", SURVIVES_NO},
	{"oom_split_pinned", "expandable_segments:True", SURVIVES_YES},
	{"oom_expandable", "expandable_segments:True", SURVIVES_NO},
	{"oom_expandable", "", SURVIVES_NO},
	{"oom_huge_request", "expandable_segments:True", SURVIVES_NO},
	{"oom_leak", "expandable_segments:True", SURVIVES_NO},
	{"oom_kv_cache", "expandable_segments:True", SURVIVES_NO},
};

static void check_crashes(void)
{
	static const struct simulate_options o = {.capacity = BYTES_NONE};

	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
		char path[1024];
		struct simulate_run r;
		struct open f;

		snprintf(path, sizeof path, "data/oom/%s.pickle.zst", crashes[i].name);
		if (is_i64(open_file(&f, path), 0, "%s: opened", path) &&
		    is_i64(simulation_run(&f.s, crashes[i].settings, &o, &r, &err), 0,
			   "%s: simulated", path)) {
			is_u64(r.survives, crashes[i].survives, "%s with '%s'", crashes[i].name,
			       crashes[i].settings);
			ok(r.survives != SURVIVES_NO ||
				   (r.n_ooms && r.ooms[r.n_ooms - 1].short_bytes),
			   "%s: bytes are short where it dies", crashes[i].name);
			simulate_run_release(&r);
		}
		close_file(&f);
	}
}

int main(void)
{
	static const char *const folders[] = {"data/runs",   "data/oom",      "data/odd",
					      "data/whatif", "data/labelled", "data/profiler",
					      "public"};

	shared = shared_data();
	if (!shared)
		return skip_all("no real recordings: set VRAMSCOPE_SHARED to their folder");
	check_workload("varlen", 5);
	check_workload("kv", 3);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		check_folder(folders[i]);
	check_crashes();
	is_u64(budget.used, 0, "all memory is given back");
	return done_testing();
}
