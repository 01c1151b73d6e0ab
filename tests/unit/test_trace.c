/* SPDX-License-Identifier: MIT
 * test_trace.c -- chrome traces as models: what is kept, what is said, and all that may be broken.
 */
#include <string.h>

#include "model/load_trace.h"
#include "replay/replay.h"
#include "tests/lib/tap.h"

#define LIMIT (UINT64_C(256) << 20)

static struct budget budget = {.limit = LIMIT};

static struct model *load(const char *text, size_t n, bool strict, enum trace_detail detail,
			  struct error *err)
{
	struct model_options options = {
		.budget = &budget, .strict = strict, .trace_detail = detail};
	struct model *m = NULL;

	*err = (struct error){0};
	if (model_load_bytes(&m, text, n, "trace", &options, err) < 0)
		return NULL;
	if (model_check(m, err) < 0) {
		diag("%s", err->text);
		model_free(m);
		return NULL;
	}
	return m;
}

static struct model *load_text(const char *text, struct error *err)
{
	return load(text, strlen(text), false, TRACE_FULL, err);
}

static struct model *load_file(const char *path)
{
	struct model_options options = {.budget = &budget};
	struct model *m = NULL;
	struct error err = {0};

	if (!is_i64(model_load(&m, path, &options, &err), 0, "%s is read", path)) {
		diag("%s", err.text);
		return NULL;
	}
	is_i64(model_check(m, &err), 0, "and holds together");
	return m;
}

static bool has_problem(const struct model *m, const char *words)
{
	for (size_t i = 0; i < m->problems.n; i++) {
		if (strstr(model_str(m, m->problems.at[i]), words))
			return true;
	}
	return false;
}

/* Sums over the memory events equal the totals that stand beside them. */
static void check_totals(const struct model *m, int32_t index, uint64_t events)
{
	const struct device *d = model_device(m, index);
	uint64_t now, differ = 0;

	if (!ok(d != NULL, "device %d is there", (int)index))
		return;
	is_u64(d->n_events, events, "its events");
	now = d->base_allocated;
	for (uint64_t row = d->first_event; row < d->first_event + d->n_events; row++) {
		uint8_t action = m->events.action.at[row];

		if (action == ACTION_ALLOC)
			now += m->events.size.at[row];
		if (action == ACTION_FREE_COMPLETED)
			now -= m->events.size.at[row];
		differ += now != m->events.allocated.at[row];
	}
	is_u64(differ, 0, "the sum after each event is its total");
	is_u64(d->n_unseen, 0, "and nothing went unseen");
}

/* ---- what is kept ---- */

static const char *frame_name(const struct model *m, stack_id s, size_t k)
{
	if (k >= stacks_depth(&m->stacks, s))
		return "(none)";
	return model_str(m, stacks_frame(&m->stacks, s, k)->name);
}

static void test_attribution(void)
{
	char path[512];
	struct model *m = load_file(testdata(path, sizeof path, "trace-steps.json.gz"));
	const struct device *d = m ? model_device(m, 0) : NULL;
	const struct frame *f;
	const struct attr *a;
	stack_id s;

	if (!ok(d != NULL, "device 0 is there")) {
		model_free(m);
		return;
	}
	is_u64(m->trace.n_memory, 9, "memory events");
	is_u64(m->trace.n_ooms, 1, "ooms");
	is_u64(m->trace.n_overlaps, 0, "annotations do not cut functions");
	s = m->events.stack.at[d->first_event];
	is_u64(stacks_depth(&m->stacks, s), 4, "the first alloc lies in four spans");
	is_str(frame_name(m, s, 0), "aten::linear", "an operator");
	is_str(frame_name(m, s, 1), "forward", "a function");
	f = stacks_frame(&m->stacks, s, 1);
	is_str(model_str(m, f->file), "torch/nn/modules/linear.py", "its file");
	is_i64(f->line, 134, "its line");
	is_str(frame_name(m, s, 3), "main", "the outermost");
	s = m->events.stack.at[d->first_event + 1];
	is_str(frame_name(m, s, 0), "aten::mm", "the second is on the backward thread");
	is_str(frame_name(m, s, 1), "autograd::engine::evaluate_function: AddmmBackward0",
	       "below its node");
	a = &m->attrs.at[m->events.attr.at[d->first_event + 1].i];
	is_str(frame_name(m, a->forward_stack, 0), "forward", "its node was made there");
	is_i64(m->events.time_us.at[d->first_event], INT64_C(1796091027126006), "a time");
	is_u64(m->events.time_ns.n, 10, "nanoseconds too");
	is_u64(m->annotations.n, 12, "annotations");
	is_str(model_str(m, m->annotations.at[0].name), "ProfilerStep#0", "the first");
	ok(!m->annotations.at[0].is_end, "begins");
	is_u64(d->capacity, UINT64_C(150109880320), "bytes of the device");
	is_str(model_str(m, d->name), "NVIDIA H200", "its name");
	is_u64(m->events.action.at[d->first_event + 7], ACTION_OOM, "an oom");
	is_u64(m->events.addr.at[d->first_event + 7], BYTES_NONE, "of unknown free bytes");
	is_u64(m->problems.n, 0, "nothing to complain about");
	check_totals(m, 0, 8);
	check_totals(m, DEVICE_HOST, 2);
	model_free(m);
}

static void test_replay(void)
{
	char path[512];
	struct model *m = load_file(testdata(path, sizeof path, "trace-steps.json.gz"));
	const struct device *d = m ? model_device(m, 0) : NULL;
	uint64_t sum = 0;
	struct replay *r;
	struct state s;
	struct error err;

	if (!d || !is_i64(replay_new(&r, m, d, &budget, &err), 0, "it is replayed")) {
		model_free(m);
		return;
	}
	is_u64(replay_summary(r)->start.allocated, 40 << 20, "what lived before");
	is_u64(replay_summary(r)->allocated.bytes, 52 << 20, "the peak");
	is_i64(replay_summary(r)->allocated.event, 1, "its event");
	is_u64(replay_summary(r)->reserved.bytes, 64 << 20, "reserved");
	is_u64(replay_summary(r)->start.reserved, BYTES_NONE, "not known before an alloc");
	is_u64(replay_summary(r)->active.bytes, BYTES_NONE, "active bytes are not known");
	is_i64(replay_seek(r, 1, &err), 0, "to the peak");
	is_i64(replay_state(r, &s, &err), 0, "its state");
	for (size_t i = 0; i < s.blocks.n; i++)
		sum += s.blocks.at[i].size;
	is_u64(sum, s.totals.allocated, "its blocks are all of its bytes");
	is_u64(s.blocks.n, 3, "two and the rest");
	state_release(&s);
	replay_free(r);
	model_free(m);
}

static void test_orders(void)
{
	char a_path[512], b_path[512];
	struct model *a = load_file(testdata(a_path, sizeof a_path, "trace-steps.json.gz"));
	struct model *b = load_file(testdata(b_path, sizeof b_path, "trace-tail.json"));
	uint64_t differ = 0;

	if (ok(a && b && a->events.action.n == b->events.action.n, "both have the same events")) {
		for (size_t i = 0; i < a->events.action.n; i++)
			differ += a->events.time_us.at[i] != b->events.time_us.at[i] ||
				  a->events.addr.at[i] != b->events.addr.at[i] ||
				  a->events.stack.at[i].i != b->events.stack.at[i].i;
		is_u64(differ, 0, "whatever the order of keys and where the base stands");
	}
	model_free(a);
	model_free(b);
}

static void test_2021(void)
{
	char path[512];
	struct model *m = load_file(testdata(path, sizeof path, "trace-2021.json"));
	const struct device *d = m ? model_device(m, 0) : NULL;

	if (ok(d != NULL, "device 0 is there")) {
		ok(d->no_addresses, "no addresses");
		ok(!d->base_known, "no base");
		is_u64(m->events.allocated.at[d->first_event + 1], 12 << 20, "a running sum");
		is_str(frame_name(m, m->events.stack.at[d->first_event], 0), "aten::linear",
		       "a thread by the name \"655\" is thread 655");
	}
	model_free(m);
}

/* ---- the 13 kinds of broken traces ---- */

#define HEAD "{\"schemaVersion\": 1, \"traceEvents\": [\n"
#define SPAN(name)                                                                              \
	"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name "\", \"pid\": 1, \"tid\": 1, " \
	"\"ts\": 100.000, \"dur\": 50.000, \"args\": {\"Ev Idx\": 1}},\n"
#define MEMORY_AT(ts, more)                                                                        \
	"{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, "           \
	"\"ts\": " ts                                                                              \
	", \"args\": {\"Device Type\": 1, \"Device Id\": 0, \"Addr\": 4096, \"Bytes\": 512, " more \
	"\"Total Allocated\": 512, \"Total Reserved\": 1024}}"
#define MEMORY MEMORY_AT("110.000", "")
#define TAIL   "\n], \"traceName\": \"x\"}"

static const struct {
	const char *what, *text, *problem;
	const char *name; /* of the operator around the memory event, or NULL */
	uint64_t memory;
	bool partial, sound; /* sound: nothing that --strict minds */
} kinds[] = {
	{"backslashes of Windows paths", HEAD SPAN("C:\\Users\\me\\x") MEMORY TAIL,
	 "backslashes that begin no escape", "C:\\Users\\me\\x", 1, false, false},
	{"quotes inside names", HEAD SPAN("f({\"device\": \"cpu\"}, \"a\")") MEMORY TAIL,
	 "quotes inside strings", "f({\"device\": \"cpu\"}, \"a\")", 1, false, false},
	{"line ends inside names", HEAD SPAN("one\ntwo") MEMORY TAIL,
	 "line ends and control characters", "one\ntwo", 1, false, false},
	{"control characters", HEAD SPAN("one\001two") MEMORY TAIL,
	 "line ends and control characters", "one\001two", 1, false, false},
	{"invalid UTF-8", HEAD SPAN("one\xfftwo\xc3") MEMORY TAIL, "bytes that are no UTF-8",
	 "one\xef\xbf\xbdtwo\xef\xbf\xbd", 1, false, false},
	{"bare inf and nan",
	 HEAD SPAN("op") MEMORY_AT("110.000", "\"x\": inf, \"y\": -inf, \"z\": nan, ") TAIL,
	 "values that are none of JSON", "op", 1, false, false},
	{"commas too many and missing", HEAD SPAN("op") "," MEMORY "\n" MEMORY ",\n" TAIL,
	 "commas too many or missing", "op", 2, false, false},
	{"a name without a value", HEAD SPAN("op") MEMORY_AT("110.000", "\"x\": , ") TAIL,
	 "names without a value", "op", 1, false, false},
	{"a cut file", HEAD SPAN("op") MEMORY ",\n{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[mem",
	 "the file is damaged", "op", 1, true, false},
	{"log lines", HEAD SPAN("op") "WARNING: [x] it \"was\" late {1}\n" MEMORY TAIL,
	 "pieces of text that are no JSON", "op", 1, false, false},
	{"a log line inside an event",
	 HEAD SPAN("op") "{\"ph\": \"i\",\nERROR: late\n"
			 "\"name\": \"other\"}, " MEMORY TAIL,
	 "pieces of text that are no JSON", "op", 1, false, false},
	{"times of 0", HEAD SPAN("op") MEMORY_AT("0.000", "") ", " MEMORY TAIL,
	 "events have no time or the time 0", "op", 1, false, true},
	{"a name twice in one object",
	 HEAD SPAN("op") MEMORY_AT("110.000", "\"Bytes\": 512, ") TAIL,
	 "names that stand twice in one object", "op", 1, false, false},
	{"two documents", HEAD SPAN("op") MEMORY TAIL "\n" HEAD MEMORY TAIL,
	 "a second document begins", "op", 1, false, false},
	{"an event that makes no sense",
	 HEAD SPAN("op") "{\"ph\": \"X\", \"args\": {\"x\": [1, 2}]}, " MEMORY TAIL,
	 "events that could not be read", "op", 1, false, false},
	{"a string that never ends",
	 HEAD SPAN("op") "{\"ph\": \"X\", \"name\": \"never, \"pid\": 1},\n" MEMORY TAIL,
	 "events that could not be read", "op", 1, false, false},
};

static void test_broken(void)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct error err;
		struct model *m = load_text(kinds[i].text, &err);
		const struct device *d = m ? model_device(m, 0) : NULL;

		if (!ok(m != NULL, "%s: read", kinds[i].what)) {
			diag("%s", err.text);
			continue;
		}
		is_u64(m->trace.n_memory, kinds[i].memory, "its memory events");
		is_u64(m->partial, kinds[i].partial, "whole or not");
		if (!ok(has_problem(m, kinds[i].problem), "it is said: %s", kinds[i].problem)) {
			for (size_t k = 0; k < m->problems.n; k++)
				diag("%s", model_str(m, m->problems.at[k]));
		}
		if (ok(d && d->n_events, "the events are there"))
			is_str(frame_name(m, m->events.stack.at[d->first_event], 0), kinds[i].name,
			       "and the operator's name");
		model_free(m);
		m = load(kinds[i].text, strlen(kinds[i].text), true, TRACE_FULL, &err);
		ok((m != NULL) == kinds[i].sound, "strict refuses it, or not");
		if (!m)
			ok(err.code == ERR_FORMAT || err.code == ERR_CUT, "as damage: %s",
			   err.text);
		model_free(m);
	}
}

/* Whole files with a wrong suffix are told by their content: gzip is undone whatever the name. */
static void test_compression(void)
{
	char path[512];
	struct model *m = load_file(testdata(path, sizeof path, "trace-steps.json.gz"));

	if (m)
		is_u64(m->compression, COMPRESSION_GZIP, "compressed");
	model_free(m);
}

static void test_sound(void)
{
	struct error err;
	struct model *m = load(HEAD SPAN("op") MEMORY TAIL, strlen(HEAD SPAN("op") MEMORY TAIL),
			       true, TRACE_FULL, &err);

	if (ok(m != NULL, "a sound trace passes strict"))
		is_u64(m->trace.n_faults, 0, "without a fault");
	model_free(m);
	m = load_text("[" SPAN("op") MEMORY "]", &err);
	if (ok(m != NULL, "a bare list of events"))
		is_u64(m->trace.n_memory, 1, "is a trace");
	model_free(m);
	m = load_text("{\"schemaVersion\": 1, \"x\": , \"traceEvents\": [" MEMORY "]}", &err);
	if (ok(m != NULL, "metadata without a value"))
		is_u64(m->trace.n_memory, 1, "does no harm");
	model_free(m);
	m = load_text("{\"schemaVersion\": 1, \"traceEvents\": []}", &err);
	if (ok(m != NULL, "a trace without events"))
		ok(has_problem(m, "profile_memory=True"), "says what was missing");
	model_free(m);
}

static void test_unseen(void)
{
	struct error err;
	struct model *m =
		load_text(HEAD MEMORY
			  ",\n{\"ph\": \"i\", \"name\": \"[memory]\", \"ts\": 120, \"args\": "
			  "{\"Device Type\": 1, \"Device Id\": 0, \"Addr\": 8192, \"Bytes\": 100, "
			  "\"Total Allocated\": 700, \"Total Reserved\": 1024}}" TAIL,
			  &err);

	if (ok(m != NULL, "a total that moves by more than its event")) {
		is_u64(model_device(m, 0)->n_unseen, 1, "is counted");
		is_u64(model_device(m, 0)->unseen_bytes, 88, "with its bytes");
		ok(has_problem(m, "threads that were not recorded"), "and said");
	}
	model_free(m);
}

/* ---- bounds ---- */

static void test_every_cut(void)
{
	static const char text[] = HEAD SPAN("o\\u0041p") MEMORY ",\n" MEMORY TAIL;
	uint64_t last = 0, bad = 0;

	for (size_t n = sizeof HEAD; n < sizeof text - 1; n++) {
		struct error err;
		struct model *m = load(text, n, false, TRACE_FULL, &err);

		bad += !m || m->trace.n_memory < last || !m->partial;
		last = m ? m->trace.n_memory : last;
		model_free(m);
	}
	is_u64(bad, 0, "a trace cut at any byte gives what was whole before");
	is_u64(budget.used, 0, "and all memory is given back");
}

static char *many(size_t n, size_t *length)
{
	static const char one[] = SPAN("op") MEMORY ",\n";
	size_t head = sizeof HEAD - 1, size = sizeof one - 1;
	char *text = malloc(head + n * size + 3);

	memcpy(text, HEAD, head);
	for (size_t i = 0; i < n; i++)
		memcpy(text + head + i * size, one, size);
	memcpy(text + head + n * size - 2, "]}", 3);
	*length = head + n * size;
	return text;
}

static void test_details(void)
{
	size_t length;
	char *text = many(20000, &length);
	struct error err;
	struct model *m = load(text, length, false, TRACE_MEMORY, &err);

	if (ok(m != NULL, "memory events only")) {
		is_u64(m->trace.n_spans, 20000, "spans are counted");
		is_u64(m->events.action.n, 20000, "events kept");
		is_u64(m->stacks.frames.n, 1, "without frames");
	}
	model_free(m);
	m = load(text, length, false, TRACE_TOTALS, &err);
	if (ok(m != NULL, "totals only")) {
		is_u64(m->events.action.n, 0, "no events");
		is_u64(m->trace.devices.at[0].alloc_bytes, 20000 * 512, "but their bytes");
	}
	model_free(m);
	budget.limit = 1500000;
	m = load(text, length, false, TRACE_FULL, &err);
	if (ok(m != NULL, "with 1.5 MB")) {
		is_u64(m->trace.detail, TRACE_TOTALS, "totals are left");
		is_u64(m->trace.n_memory, 20000, "over all of the file");
		ok(has_problem(m, "only totals are kept"), "and it says so");
	}
	model_free(m);
	budget.limit = 2500000;
	m = load(text, length, false, TRACE_FULL, &err);
	if (ok(m != NULL, "with 2.5 MB")) {
		is_u64(m->trace.detail, TRACE_MEMORY, "stacks are given up");
		is_u64(m->events.action.n, 20000, "events are not");
	}
	model_free(m);
	budget.limit = LIMIT;
	is_u64(budget.used, 0, "all memory is given back");
	free(text);
}

/* ---- real files ---- */

static void test_truths(void)
{
	const char *shared = shared_data();
	char path[600];
	struct model *m;

	if (!shared) {
		skip("no real recordings: set VRAMSCOPE_SHARED to their folder");
		return;
	}
	snprintf(path, sizeof path, "%s/public/public_14.trace.json.gz", shared);
	m = load_file(path);
	if (m) {
		is_u64(m->trace.n_memory, 28010, "memory events of public_14");
		check_totals(m, 1, 26770);
		check_totals(m, DEVICE_HOST, 1240);
		is_u64(model_device(m, 1)->base_allocated / (1 << 20), 3906, "its base in MiB");
		is_u64(m->trace.n_faults, 0, "nothing is broken");
	}
	model_free(m);
	snprintf(path, sizeof path, "%s/public/public_15.trace.json.gz", shared);
	m = load_file(path);
	if (m)
		is_u64(m->trace.n_memory, 12838, "memory events of public_15");
	model_free(m);
	snprintf(path, sizeof path, "%s/data/profiler/resnet50_profile.json.gz", shared);
	m = load_file(path);
	if (m) {
		is_u64(m->trace.n_spans, 35080, "spans of resnet50_profile");
		check_totals(m, 0, 6830);
		check_totals(m, DEVICE_HOST, 560);
	}
	model_free(m);
	snprintf(path, sizeof path, "%s/data/profiler/prof_resnet18.trace.json.gz", shared);
	m = load_file(path);
	if (m)
		check_totals(m, 0, 1989);
	model_free(m);
}

int main(void)
{
	test_attribution();
	test_replay();
	test_orders();
	test_2021();
	test_broken();
	test_compression();
	test_sound();
	test_unseen();
	test_every_cut();
	test_details();
	test_truths();
	is_u64(budget.used, 0, "nothing is kept at the end");
	return done_testing();
}
