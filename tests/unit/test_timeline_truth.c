/* SPDX-License-Identifier: MIT
 * test_timeline_truth.c -- timelines of real recordings: peaks, sums of layers, the profiler's own
 * categories, and pages that stay small. The recordings lie outside the source tree.
 */
#include <glob.h>

#include "decode/xml_read.h"
#include "passes/info.h"
#include "passes/timeline_verdicts.h"
#include "reports/timeline_report.h"
#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};
static struct rules *rules;
static struct error err;

struct drawn {
	struct model *m;
	struct replay *r;
	struct purpose *p;
	struct timeline_groups g;
	struct timeline_verdicts v;
	struct timeline t;
};

static bool draw(struct drawn *x, const char *path, unsigned width)
{
	struct model_options options = {.budget = &budget};
	struct timeline_options o = {.columns = timeline_picture_columns(width, true),
				     .from = EVENT_START,
				     .max_bands = TIMELINE_MAX_BANDS,
				     .groups = &x->g};
	const struct device *d;
	const struct peak *peak;

	*x = (struct drawn){0};
	if (model_load(&x->m, path, &options, &err) < 0)
		return ok(false, "%s: %s", path, err.text);
	d = &x->m->devices.at[0];
	o.to = (int64_t)d->n_events - 1;
	if (replay_new(&x->r, x->m, d, &budget, &err) < 0)
		return ok(false, "%s: %s", path, err.text);
	peak = &replay_summary(x->r)->allocated;
	if (d->no_addresses) {
		timeline_groups_of_rows(&x->g, x->m, &budget);
		return timeline_run(&x->t, x->m, x->r, d, &o, &budget, &err) == 0;
	}
	if (purpose_new(&x->p, rules, x->m, x->r, d, NULL, &budget, &err) < 0 ||
	    timeline_groups_run(&x->g, GROUP_CATEGORY, &x->p->allocations, &x->p->categories,
				EVENT_START, o.to, peak->event, &budget, &err) < 0 ||
	    timeline_run(&x->t, x->m, x->r, d, &o, &budget, &err) < 0 ||
	    timeline_verdicts_run(&x->v, x->p, peak->event, peak->bytes, &budget, &err) < 0)
		return ok(false, "%s: %s", path, err.text);
	x->t.phases = &x->p->phases;
	x->t.verdicts = &x->v;
	return true;
}

static void erase(struct drawn *x)
{
	timeline_release(&x->t);
	timeline_verdicts_release(&x->v);
	timeline_groups_release(&x->g);
	purpose_free(x->p);
	replay_free(x->r);
	model_free(x->m);
}

static size_t page_bytes(const struct drawn *x, unsigned width)
{
	struct out *out;
	size_t n = SIZE_MAX;

	if (out_open_memory(&out, &err) == 0 && timeline_write_html(out, &x->t, width, &err) == 0) {
		(void)out_memory(out, &n);
		out_abandon(out);
	}
	return n;
}

static void check_file(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	struct study study;
	struct info info;
	struct drawn x;
	unsigned bad = 0;

	if (!draw(&x, path, TIMELINE_MAX_WIDTH)) {
		erase(&x);
		return;
	}
	study_init(&study, x.m, NULL, NULL, &budget);
	if (info_run(&info, &study, &err) == 0) {
		is_u64(x.t.highest[TIMELINE_ALLOCATED], info.devices.at[0].replay.allocated.bytes,
		       "%s: the peak is info's", name);
		is_i64(x.t.peak.event, info.devices.at[0].replay.allocated.event,
		       "%s: and when it is", name);
		info_release(&info);
	}
	study_release(&study);
	for (size_t c = 0; c < x.t.stack.n_columns; c++) {
		uint64_t sum = 0;

		for (size_t l = 0; l < x.g.n; l++)
			sum += x.t.stack.columns[c].bytes[l];
		bad += sum != reduce_cell(&x.t.series, c, TIMELINE_ALLOCATED)->max;
	}
	is_u64(bad, 0, "%s: layers add up to what is allocated", name);
	ok(page_bytes(&x, TIMELINE_MAX_WIDTH) < 2000000, "%s: its widest page has %zu bytes", name,
	   page_bytes(&x, TIMELINE_MAX_WIDTH));
	erase(&x);
}

static void check_files(const char *folder)
{
	static const char *const patterns[] = {"data/runs/hf_gpt2_step_3.pickle.zst",
					       "data/runs/training_run_epoch_9.pickle.zst",
					       "data/runs/big_python.pickle.zst",
					       "data/runs/leak_graph_step_40.pickle.zst",
					       "data/oom/*.pickle.zst",
					       "data/labelled/*_end.pickle.zst",
					       "data/odd/streams.pickle.zst",
					       "data/odd/hostile_names.pickle.zst",
					       "data/odd/cudagraph_mempool.pickle.zst"};
	char path[4096];

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		glob_t found;

		snprintf(path, sizeof path, "%s/%s", folder, patterns[i]);
		if (glob(path, 0, NULL, &found) != 0) {
			ok(false, "%s is not there", patterns[i]);
			continue;
		}
		for (size_t k = 0; k < found.gl_pathc; k++)
			check_file(found.gl_pathv[k]);
		globfree(&found);
	}
}

/* The same three steps, as the profiler drew them and as told from the snapshot alone: at the
 * profiler's peak, within a twentieth of it. The snapshot has cuBLAS's workspaces, too. */
#define WORKSPACES UINT64_C(68157440)

static void check_profiler(const char *folder)
{
	const struct stack_column *at = NULL;
	struct drawn raw, snapshot;
	char path[4096];
	int64_t off = 0;

	snprintf(path, sizeof path, "%s/data/profiler/prof_resnet18.raw.json.gz", folder);
	if (!draw(&raw, path, TIMELINE_DEFAULT_WIDTH))
		return;
	snprintf(path, sizeof path, "%s/data/profiler/prof_resnet18.pickle.zst", folder);
	if (!draw(&snapshot, path, TIMELINE_DEFAULT_WIDTH))
		return;
	/* The column whose highest moment is nearest in time to the profiler's peak. */
	for (size_t c = 0; c < snapshot.t.stack.n_columns; c++) {
		const struct stack_column *s = &snapshot.t.stack.columns[c];
		int64_t us = s->event < 0 ? INT64_MIN / 2 : snapshot.m->events.time_us.at[s->event];

		if (llabs(us - raw.t.peak.time_us) < 500 && (!at || s->total > at->total))
			at = s;
	}
	is_u64(raw.t.peak.totals.allocated, 372864640, "the peak that the profiler saw");
	if (!ok(at != NULL, "the snapshot has that moment")) {
		erase(&raw);
		erase(&snapshot);
		return;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		int64_t diff = (int64_t)at->bytes[c] - (int64_t)raw.t.stack.peak[c];

		/* What the profiler does not know we call scratch. */
		if (c == CATEGORY_TEMPORARY || c == CATEGORY_UNKNOWN) {
			off += diff;
			continue;
		}
		ok(llabs(diff) < (int64_t)raw.t.peak.totals.allocated / 20,
		   "%s: %.1f MiB by the profiler, %.1f from the snapshot",
		   category_name((enum category)c), (double)raw.t.stack.peak[c] / 1048576,
		   (double)at->bytes[c] / 1048576);
	}
	off -= (int64_t)WORKSPACES;
	ok(llabs(off) < (int64_t)raw.t.peak.totals.allocated / 20,
	   "the rest: off by %.1f MiB beside the workspaces", (double)off / 1048576);
	erase(&raw);
	erase(&snapshot);
}

int main(void)
{
	const char *folder = getenv("VRAMSCOPE_SHARED");

	if (!folder || !*folder)
		return skip_all("no real recordings: set VRAMSCOPE_SHARED to their folder");
	if (rules_new(&rules, &budget, &err) < 0)
		return skip_all("%s", err.text);
	check_files(folder);
	check_profiler(folder);
	rules_free(rules);
	is_u64(budget.used, 0, "all memory was given back");
	xml_forget();
	return done_testing();
}
