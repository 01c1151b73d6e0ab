/* SPDX-License-Identifier: MIT
 * test_truth.c -- replays of real recordings against what their allocators said of themselves.
 */
#include "tests/lib/tap.h"

#include <dirent.h>

#include "base/input.h"
#include "passes/validate.h"
#include "replay/heap.h"
#include "replay/replay.h"

#define MIB 1048576.0

static struct error err;
static struct budget budget = {.limit = UINT64_MAX};
static const char *shared;

static struct model *load(const char *name)
{
	struct model_options options = {.budget = &budget};
	char path[512];
	struct model *m;

	snprintf(path, sizeof path, "%s/%s", shared, name);
	if (model_load(&m, path, &options, &err) == 0)
		return m;
	ok(false, "%s can be loaded: %s", name, err.text);
	return NULL;
}

static struct replay *replay(const struct model *m, int32_t index)
{
	const struct device *d = model_device(m, index);
	struct replay *r;

	if (d && replay_new(&r, m, d, &budget, &err) == 0)
		return r;
	ok(false, "device %d can be replayed: %s", index, err.text);
	return NULL;
}

/* --- prefixes of one run --- */

/* Text: what differs first; NULL: nothing. */
static const char *difference(const struct state *a, const struct state *b)
{
	if (a->segments.n != b->segments.n || a->blocks.n != b->blocks.n)
		return "another number of segments or blocks";
	for (size_t i = 0; i < a->segments.n; i++) {
		const struct state_segment *x = &a->segments.at[i], *y = &b->segments.at[i];

		if (x->address != y->address || x->size != y->size || x->stream != y->stream ||
		    x->is_expandable != y->is_expandable || x->kind != y->kind ||
		    x->pool.a != y->pool.a || x->pool.b != y->pool.b)
			return "a segment";
		if (x->allocated != y->allocated || x->active != y->active ||
		    x->requested != y->requested || x->n_blocks != y->n_blocks)
			return "a segment's sums";
	}
	for (size_t i = 0; i < a->blocks.n; i++) {
		const struct state_block *x = &a->blocks.at[i], *y = &b->blocks.at[i];

		if (x->address != y->address || x->size != y->size || x->state != y->state ||
		    x->requested != y->requested)
			return "a block";
	}
	return NULL;
}

/* The state of `whole` where the trace of `part` ends equals part's own segments. */
static void check_prefix(struct replay *r, const char *whole, const char *part)
{
	struct model *m = load(part);
	const struct device *d = m ? model_device(m, 0) : NULL;
	struct state here = {0}, there = {0};
	const char *what;

	if (!d)
		return;
	if (replay_seek(r, (int64_t)d->n_events - 1, &err) < 0 ||
	    replay_state(r, &here, &err) < 0 ||
	    state_from_segments(&there, m, d, &budget, &err) < 0)
		what = err.text;
	else
		what = difference(&here, &there);
	ok(!what, "%s at event %lld is %s, block by block (%s)", whole, (long long)d->n_events - 1,
	   part, what ? what : "equal");
	state_release(&here);
	state_release(&there);
	model_free(m);
}

static void check_prefixes(const char *whole, const char *format, int first, int last, int step)
{
	struct model *m = load(whole);
	struct replay *r = m ? replay(m, 0) : NULL;

	for (int k = first; r && k <= last; k += step) {
		char part[200];

		snprintf(part, sizeof part, format, k);
		check_prefix(r, whole, part);
	}
	replay_free(r);
	if (m)
		model_free(m);
}

/* --- memory_stats --- */

static char *read_text(const char *name)
{
	char path[512], *text = NULL;
	struct input *in;

	snprintf(path, sizeof path, "%s/%s", shared, name);
	if (input_open(&in, path, &budget, &err) < 0) {
		ok(false, "%s can be read: %s", name, err.text);
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

static void check_stats(const char *name, const char *stats)
{
	struct model *m = load(name);
	struct replay *r = m ? replay(m, 0) : NULL;
	char *text = read_text(stats);

	if (r && text) {
		const struct replay_summary *s = replay_summary(r);
		const struct {
			const char *what;
			uint64_t peak, end;
		} rows[] = {
			{"allocated_bytes", s->allocated.bytes, s->end.allocated},
			{"active_bytes", s->active.bytes, s->end.active},
			{"requested_bytes", s->requested.bytes, s->end.requested},
			{"reserved_bytes", s->reserved.bytes, s->end.reserved},
		};

		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			char key[64];

			snprintf(key, sizeof key, "%s.all.peak", rows[i].what);
			is_u64(rows[i].peak, stat_of(text, key), "%s: %s", name, key);
			snprintf(key, sizeof key, "%s.all.current", rows[i].what);
			is_u64(rows[i].end, stat_of(text, key), "%s: %s", name, key);
		}
	}
	free(text);
	replay_free(r);
	if (m)
		model_free(m);
}

/* --- public files --- */

static bool close_to(uint64_t bytes, double mib)
{
	double off = (double)bytes / MIB - mib;

	return off > -0.1 && off < 0.1;
}

/* The table's sums at the start leave out the rests that blocks which die in the trace own; they
 * are a bound to within those few. */
static bool start_close_to(const struct replay_summary *s, double mib)
{
	double off = (double)s->start.allocated / MIB - mib;

	return s->n_lost_frees <= 1 ? close_to(s->start.allocated, mib) : off > -4.0 && off < 4.0;
}

static void check_row(const char *line)
{
	double req[3], rnd[3], res[3];
	unsigned long long events;
	char file[100], name[160];
	const struct replay_summary *s;
	struct model *m;
	struct replay *r;
	int device;

	if (sscanf(line,
		   "| %90[^ |] | %d | %llu | %lf | %lf | %lf | %lf | %lf | %lf | %lf | %lf | %lf",
		   file, &device, &events, &req[0], &req[1], &req[2], &rnd[0], &rnd[1], &rnd[2],
		   &res[0], &res[1], &res[2]) != 12)
		return;
	snprintf(name, sizeof name, "public/%s.zst", file);
	m = load(name);
	r = m ? replay(m, device) : NULL;
	if (r) {
		s = replay_summary(r);
		is_u64(model_device(m, device)->n_events, events, "%s: events", file);
		ok(close_to(s->start.requested, req[0]) && close_to(s->requested.bytes, req[1]) &&
			   close_to(s->end.requested, req[2]),
		   "%s: requested at start, peak and end", file);
		ok(close_to(s->start.reserved, res[0]) && close_to(s->reserved.bytes, res[1]) &&
			   close_to(s->end.reserved, res[2]),
		   "%s: reserved at start, peak and end", file);
		ok(start_close_to(s, rnd[0]), "%s: allocated at start (%.1f, table %.1f)", file,
		   (double)s->start.allocated / MIB, rnd[0]);
		ok(close_to(s->end.allocated, rnd[2]), "%s: allocated at end", file);
		ok((double)s->allocated.bytes / MIB > rnd[1] - 0.1,
		   "%s: the peak is not below the table's bound", file);
	}
	replay_free(r);
	if (m)
		model_free(m);
}

static void check_peak(const char *file, double mib)
{
	struct model *m = load(file);
	struct replay *r = m ? replay(m, 0) : NULL;

	if (r)
		ok(close_to(replay_summary(r)->allocated.bytes, mib), "%s: peak of allocated",
		   file);
	replay_free(r);
	if (m)
		model_free(m);
}

static void check_public(void)
{
	static const struct {
		const char *file;
		double mib;
	} peaks[] = {
		{"public/public_01.pickle.zst", 1658.4},  {"public/public_02.pickle.zst", 6701.1},
		{"public/public_03.pickle.zst", 8691.2},  {"public/public_04.pickle.zst", 23092.2},
		{"public/public_05.pickle.zst", 535.0},   {"public/public_06.pickle.zst", 778.0},
		{"public/public_07.pickle.zst", 22203.0},
	};
	char *text = read_text("public/GROUND-TRUTH.md");

	for (char *line = text, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		check_row(line);
	}
	free(text);
	for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++)
		check_peak(peaks[i].file, peaks[i].mib);
}

/* --- every file there is --- */

/* The one file that tools made up, not an allocator. */
#define MADE_UP "public_10.pickle.zst"

static bool is_snapshot(const char *name)
{
	if (strstr(name, "huge") || strstr(name, "_memory_timeline") ||
	    strstr(name, "prof_resnet18.html"))
		return false;
	return strstr(name, ".pickle.zst") || strstr(name, ".html.zst");
}

static void check_file(const char *folder, const char *name)
{
	char path[300];
	struct validation v;
	struct model *m;
	bool equal = true;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	m = load(path);
	if (!m)
		return;
	for (size_t i = 0; i < m->devices.n; i++) {
		struct replay *r = replay(m, m->devices.at[i].index);

		equal = equal && r && replay_summary(r)->equals_file &&
			!replay_summary(r)->n_mismatches;
		replay_free(r);
	}
	if (validate_run(&v, m, NULL, &budget, &err) == 0) {
		if (strcmp(name, MADE_UP) == 0)
			ok(!v.consistent && !equal, "%s is inconsistent", path);
		else
			ok(v.consistent && equal, "%s is consistent, its end is the file's (%s)",
			   path, v.violations.n ? v.violations.at[0].message : "no violation");
		validate_release(&v);
	}
	model_free(m);
}

static void check_folder(const char *folder)
{
	char path[512];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", shared, folder);
	dir = opendir(path);
	if (!dir) {
		skip("%s is not there", folder);
		return;
	}
	while ((e = readdir(dir)))
		if (is_snapshot(e->d_name) && !(tests_quick() && strstr(e->d_name, "big_python")))
			check_file(folder, e->d_name);
	closedir(dir);
}

int main(void)
{
	static const char *const folders[] = {"data/runs",     "data/oom",      "data/odd",
					      "data/labelled", "data/profiler", "public"};
	static const char *const whatif[] = {
		"varlen_default",        "varlen_expandable", "varlen_split128", "varlen_round4",
		"varlen_split64_round8", "kv_default",        "kv_expandable",   "kv_round4"};

	shared = shared_data();
	if (!shared)
		return skip_all("no real recordings: set VRAMSCOPE_SHARED to their folder");
	check_prefixes("data/runs/training_run_epoch_9.pickle.zst",
		       "data/runs/training_run_epoch_%d.pickle.zst", 0, 9, 1);
	check_prefixes("data/runs/leak_graph_step_40.pickle.zst",
		       "data/runs/leak_graph_step_%d.pickle.zst", 10, 40, 10);
	check_prefixes("data/runs/hf_gpt2_step_3.pickle.zst",
		       "data/runs/hf_gpt2_step_%d.pickle.zst", 0, 3, 3);
	for (size_t i = 0; i < sizeof whatif / sizeof whatif[0]; i++) {
		char name[100], stats[100];

		snprintf(name, sizeof name, "data/whatif/whatif_%s.pickle.zst", whatif[i]);
		snprintf(stats, sizeof stats, "data/whatif/whatif_%s.stats.json.zst", whatif[i]);
		check_stats(name, stats);
		check_file("data/whatif", strrchr(name, '/') + 1);
	}
	check_stats("data/odd/python_native.pickle.zst", "data/odd/python_stats.json.zst");
	check_public();
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		check_folder(folders[i]);
	is_u64(budget.used, 0, "all memory is given back");
	return done_testing();
}
