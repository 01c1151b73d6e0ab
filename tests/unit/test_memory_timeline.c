/* SPDX-License-Identifier: MIT
 * test_memory_timeline.c -- memory timelines read and written: PyTorch's own bytes, both ways.
 */
#include <string.h>

#include "passes/category_rows.h"
#include "reports/timeline_json.h"
#include "tests/lib/tap.h"

#define LIMIT (UINT64_C(256) << 20)

static struct budget budget = {.limit = LIMIT};

static struct model *load(const char *text, size_t n, bool strict, struct error *err)
{
	struct model_options options = {.budget = &budget, .strict = strict};
	struct model *m = NULL;

	*err = (struct error){0};
	if (model_load_bytes(&m, text, n, "timeline", &options, err) < 0)
		return NULL;
	if (model_check(m, err) < 0) {
		diag("%s", err->text);
		model_free(m);
		return NULL;
	}
	return m;
}

static struct model *load_file(const char *path)
{
	struct model_options options = {.budget = &budget};
	struct model *m = NULL;
	struct error err = {0};

	if (!is_i64(model_load(&m, path, &options, &err), 0, "%s is read", path))
		diag("%s", err.text);
	return m;
}

/* A whole file, decompressed, in memory of malloc. */
static char *contents(const char *path, size_t *n)
{
	struct error err;
	struct input *in;
	char *text = NULL;

	*n = 0;
	if (input_open(&in, path, &budget, &err) < 0)
		return NULL;
	while (input_peek(in, 1, &err) == 0 && in->at < in->end) {
		size_t part = (size_t)(in->end - in->at);

		text = realloc(text, *n + part);
		memcpy(text + *n, in->at, part);
		*n += part;
		in->at = in->end;
	}
	input_close(in);
	return text;
}

static void check_written(const struct model *m, enum timeline_json_form form, const char *want,
			  size_t length, const char *what)
{
	struct error err;
	struct out *o;
	size_t n;

	if (!m || !want || !is_i64(out_open_memory(&o, &err), 0, "memory to write to"))
		return;
	timeline_write_json(o, m->timeline.at, m->timeline.n, form, false);
	out_memory(o, &n);
	is_u64(n, length, "%s: length", what);
	ok(n == length && memcmp(out_memory(o, &n), want, n) == 0, "%s: byte for byte", what);
	out_close(o, &err);
}

/* raw -> raw, raw -> plain, plain -> plain. */
static void check_pair(const char *raw_path, const char *plain_path)
{
	size_t raw_n, plain_n;
	char *raw = contents(raw_path, &raw_n), *plain = contents(plain_path, &plain_n);
	struct model *m = load_file(raw_path);

	ok(raw && plain, "both are there");
	check_written(m, TIMELINE_RAW_JSON, raw, raw_n, "raw to raw");
	check_written(m, TIMELINE_PLAIN_JSON, plain, plain_n, "raw to plain");
	model_free(m);
	m = load_file(plain_path);
	check_written(m, TIMELINE_PLAIN_JSON, plain, plain_n, "plain to plain");
	model_free(m);
	free(raw);
	free(plain);
}

static void test_small(void)
{
	char raw[512], plain[512];
	struct model *m;
	const struct device *d;

	testdata(raw, sizeof raw, "timeline-small.raw.json.gz");
	testdata(plain, sizeof plain, "timeline-small.json");
	check_pair(raw, plain);
	m = load_file(raw);
	d = m ? model_device(m, 0) : NULL;
	if (ok(d != NULL, "there is a device")) {
		is_u64(d->base_allocated, 4608, "what lived before");
		is_u64(d->n_events, 7, "events of the recording");
		is_u64(m->events.allocated.at[1], 4608 + 3072, "a total");
		is_u64(m->events.allocated.at[2], 4608 + 3072, "another category, same total");
		is_i64(m->events.time_us.at[1], INT64_C(1796091622969604), "a time");
		is_u64(m->events.time_ns.at[1], 870, "and its nanoseconds");
		is_str(model_str(m, m->attrs.at[m->events.attr.at[0].i].category), "INPUT",
		       "a category");
		is_u64(m->events.action.at[6], ACTION_FREE_COMPLETED, "a free");
	}
	model_free(m);
	m = load_file(plain);
	d = m ? model_device(m, 0) : NULL;
	if (ok(d != NULL, "the plain one too"))
		is_u64(d->base_allocated, 4608, "has the same base");
	model_free(m);
}

static void test_truths(void)
{
	const char *shared = shared_data();
	char raw[600], plain[600];
	struct model *m;

	if (!shared) {
		skip("no real recordings: set VRAMSCOPE_SHARED to their folder");
		return;
	}
	snprintf(raw, sizeof raw, "%s/data/profiler/resnet50_memory_timeline.raw.json.gz", shared);
	snprintf(plain, sizeof plain, "%s/data/profiler/resnet50_memory_timeline.json.zst", shared);
	check_pair(raw, plain);
	snprintf(raw, sizeof raw, "%s/data/profiler/prof_resnet18.raw.json.gz", shared);
	snprintf(plain, sizeof plain, "%s/data/profiler/prof_resnet18.json.gz", shared);
	check_pair(raw, plain);
	snprintf(raw, sizeof raw, "%s/public/public_13.raw.gz", shared);
	m = load_file(raw);
	if (m) {
		uint64_t counts[5] = {0}, highest = 0;

		for (size_t i = 0; i < m->timeline.n; i++)
			counts[m->timeline.at[i].action]++;
		for (size_t i = 0; i < m->events.allocated.n; i++)
			if (m->events.allocated.at[i] > highest)
				highest = m->events.allocated.at[i];
		is_u64(m->timeline.n, 16845, "rows of public_13");
		is_u64(counts[TIMELINE_PREEXISTING], 645, "preexisting");
		is_u64(counts[TIMELINE_CREATE], 3345, "create");
		is_u64(counts[TIMELINE_INCREMENT_VERSION], 9510, "increment_version");
		is_u64(counts[TIMELINE_DESTROY], 3345, "destroy");
		is_u64(highest, UINT64_C(3082832104), "its peak");
	}
	model_free(m);
}

static void test_times(void)
{
	/* Python: int(t / 1000). */
	static const struct {
		int64_t ns, us;
	} times[] = {
		{INT64_C(1796091622969604874), INT64_C(1796091622969604)},
		{INT64_C(1796091622969604875), INT64_C(1796091622969605)},
		{INT64_C(1796091622969604999), INT64_C(1796091622969605)},
		{INT64_C(1796091622969605000), INT64_C(1796091622969605)},
		{999, 0},
		{1000, 1},
		{0, 0},
	};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		is_i64(timeline_us(times[i].ns), times[i].us, "%lld ns", (long long)times[i].ns);
}

static void test_odd(void)
{
	static const struct {
		const char *text;
		size_t rows;
		bool partial;
	} odd[] = {
		{"[[], []]", 0, false},
		{"[[-1], [[0, 5, 0, 0, 0, 0, 0, 0, 0]]]", 1, false},
		{"[[5, 2, 512, 0], [6, 9, 1, 0], [7, 2, 1, 8], [8, 2, \"x\", 0], [9, 4, -512, 0]]",
		 2, false},
		{"[[5, 2, 512, 0], [6, 2, 1, 0], [7, 2", 2, true},
		{"[[5, 6], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]", 1, false},
		{"[[1500000000000000, 1500000000000001], [[0, 1, 0, 0, 0, 0, 0, 0, 0], "
		 "[0, 1, 0, 0, 0, 0, 0, 0, 0]",
		 2, true},
		{"[[5.0, 6.0], [[0.0, 1.0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0, 0, 0, 0]]]", 3,
		 false},
		{"[[5, 2, 512, 0], [6, 2, 1, 0] junk", 2, true},
	};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct error err;
		struct model *m = load(odd[i].text, strlen(odd[i].text), false, &err);

		if (!ok(m != NULL, "read: %s", odd[i].text)) {
			diag("%s", err.text);
			continue;
		}
		is_u64(m->timeline.n, odd[i].rows, "its rows");
		is_u64(m->partial, odd[i].partial, "whole or not");
		model_free(m);
	}
}

static void test_strict(void)
{
	static const char good[] = "[[5, 2, 512, 0], [6, 4, -512, 0]]";
	static const char *const bad[] = {
		"[[5, 2, 512, 0], [6, 4, -512, 0],]",
		"[[5, 2, 512, 0] [6, 4, -512, 0]]",
		"[[5, 2, 512, 0], [6, 4, -512]]",
		"[[5, 2, 512, 0], [6, 4, -512, 0]",
	};
	struct error err;
	struct model *m = load(good, sizeof good - 1, true, &err);

	ok(m != NULL, "a sound one passes strict");
	model_free(m);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		m = load(bad[i], strlen(bad[i]), true, &err);
		ok(!m, "strict refuses %s", bad[i]);
		model_free(m);
		m = load(bad[i], strlen(bad[i]), false, &err);
		ok(m != NULL, "which is read without it");
		model_free(m);
	}
}

/* A trace's blocks as rows: as much as its totals. */
static void test_rows_of_trace(void)
{
	char path[512];
	struct model *m = load_file(testdata(path, sizeof path, "trace-steps.json.gz"));
	const struct device *d = m ? model_device(m, 0) : NULL;
	struct category_rows rows;
	struct allocations a;
	struct replay *r;
	struct error err;
	int64_t sum = 0, highest = 0;

	if (!d || replay_new(&r, m, d, &budget, &err) < 0)
		return;
	is_i64(allocations_run(&a, m, r, d, &budget, &err), 0, "its allocations");
	is_i64(category_rows_run(&rows, &a, NULL, &budget, &err), 0, "as rows");
	for (size_t i = 0; i < rows.rows.n; i++) {
		sum += rows.rows.at[i].bytes;
		highest = sum > highest ? sum : highest;
	}
	is_i64(rows.rows.at[0].time_ns, -1, "what lived before comes first");
	is_i64(highest, 52 << 20, "the peak is the trace's");
	is_i64(sum, 44 << 20, "and the end");
	category_rows_release(&rows);
	allocations_release(&a);
	is_i64(category_rows_of_events(&rows, m, d, &budget, &err), 0, "from totals alone");
	sum = 0;
	for (size_t i = 0; i < rows.rows.n; i++)
		sum += rows.rows.at[i].bytes;
	is_i64(sum, 44 << 20, "the same end");
	category_rows_release(&rows);
	replay_free(r);
	model_free(m);
}

static void test_gzip(void)
{
	static const struct timeline_row row = {5, 512, TIMELINE_CREATE, 0};
	const uint8_t *bytes;
	struct input *in;
	struct error err;
	struct out *o;
	size_t n;

	if (!is_i64(out_open_memory(&o, &err), 0, "memory to write to"))
		return;
	timeline_write_json(o, &row, 1, TIMELINE_RAW_JSON, true);
	bytes = (const uint8_t *)out_memory(o, &n);
	ok(n > 10 && bytes[0] == 0x1f && !bytes[4] && !bytes[5] && !bytes[6] && !bytes[7],
	   "gzip without a time");
	if (is_i64(input_open_bytes(&in, bytes, n, &budget, &err), 0, "it opens")) {
		is_i64(input_need(in, 16, &err), 0, "and unpacks");
		ok(memcmp(in->at, "[[5, 2, 512, 0]]", 16) == 0, "to the row");
		input_close(in);
	}
	out_close(o, &err);
}

int main(void)
{
	test_small();
	test_times();
	test_odd();
	test_strict();
	test_rows_of_trace();
	test_gzip();
	test_truths();
	is_u64(budget.used, 0, "nothing is kept at the end");
	return done_testing();
}
