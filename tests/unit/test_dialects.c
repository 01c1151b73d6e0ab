/* SPDX-License-Identifier: MIT
 * test_dialects.c -- the same snapshot gives the same model, whoever wrote it and however packed.
 */
#include "tests/lib/mk_snapshot.h"
#include "tests/lib/model_equal.h"
#include "tests/lib/tap.h"

static bool load_file(struct loaded *l, const char *path)
{
	struct error check = {0};

	*l = (struct loaded){.budget.limit = UINT64_MAX};
	struct model_options options = {.budget = &l->budget};
	l->rc = model_load(&l->m, path, &options, &l->err);
	if (l->rc < 0)
		l->m = NULL;
	return ok(l->rc == 0, "%s is read%s%s", path, l->rc < 0 ? ": " : "",
		  l->rc < 0 ? l->err.text : "") &&
	       ok(model_check(l->m, &check) == 0, "and passes model_check %s", check.text);
}

static void same_files(const char *path, const char *other)
{
	struct loaded a, b;
	char words[300];

	if (load_file(&a, path) && load_file(&b, other)) {
		is_str(model_difference(a.m, b.m, words, sizeof words), "", "they are equal");
		ok(!b.m->partial, "and whole");
		ok(loaded_release(&b), "memory was given back");
	}
	ok(loaded_release(&a), "memory was given back");
}

/* Every dialect of one description, whole. */
static void test_description(const char *what, const char *description)
{
	struct loaded first, other;
	char words[300];

	load_text(&first, MK_PROTOCOL_0, description);
	ok(first.rc == 0, "%s: protocol 0 is read", what);
	for (int d = MK_PROTOCOL_0; d < MK_DIALECTS && first.m; d++) {
		const char *name = mk_dialect_name((enum mk_dialect)d);

		load_text(&other, (enum mk_dialect)d, description);
		if (!ok(other.rc == 0, "%s: %s is read", what, name)) {
			diag("%s", other.err.text);
			continue;
		}
		is_str(model_difference(first.m, other.m, words, sizeof words), "",
		       "%s: %s is equal", what, name);
		is_i64(other.m->pickle_protocol,
		       d == MK_JSON  ? -1
		       : d == MK_JIT ? 2
				     : d,
		       "its protocol");
		ok(loaded_release(&other), "memory was given back");
	}
	ok(loaded_release(&first), "memory was given back");
}

/* Long lists come in batches: events, blocks, segments, frames, annotations. */
static void test_long_lists(void)
{
	struct mk_bytes text = {0};

	mk_bytes_printf(&text, "{'segments': [");
	for (int i = 0; i < 1001; i++)
		mk_bytes_printf(
			&text,
			"{'device': %d, 'address': %d, 'total_size': 2048, 'blocks': [{'size': "
			"2048, 'state': 'inactive'}]}, ",
			i % 3, (i + 1) * 4096);
	mk_bytes_printf(&text, "{'device': 0, 'address': 1, 'total_size': 1300, 'blocks': [");
	for (int i = 0; i < 1300; i++)
		mk_bytes_printf(&text, "{'size': 1, 'state': '%s', 'requested_size': %d}, ",
				i % 2 ? "inactive" : "active_allocated", i);
	mk_bytes_printf(&text, "]}], 'device_traces': [[");
	for (int i = 0; i < 2500; i++)
		mk_bytes_printf(
			&text,
			"{'action': '%s', 'addr': %d, 'size': %d, 'stream': %d, 'time_us': %d, "
			"'frames': %s}, ",
			i % 7 ? "alloc" : "free_completed", i * 512, i, i / 1000, i,
			i == 3       ? "&l [{'name': 'f', 'filename': 'r.py', 'line': 1} x "
				       "2100]"
			: i % 5 == 4 ? "*l"
				     : "[]");
	mk_bytes_printf(&text, "], [{'action': 'alloc', 'addr': 1, 'size': 1, 'frames': *l}]], "
			       "'external_annotations': [{'name': 'n', 'stage': 'END'} x 1234]}");
	test_description("long lists", (char *)text.at);

	struct loaded l;
	load_text(&l, MK_PROTOCOL_4, (char *)text.at);
	is_u64(l.m->segments.n, 1002, "segments");
	is_u64(l.m->blocks.n, 2301, "blocks");
	is_u64(l.m->annotations.n, 1234, "annotations");
	is_u64(l.m->devices.at[0].n_events, 2500, "events");
	is_u64(stacks_depth(&l.m->stacks, l.m->events.stack.at[4]), 2100, "frames of a deep stack");
	is_u64(l.m->events.stack.at[4].i, l.m->events.stack.at[2499].i, "it is one stack");
	is_u64(stacks_count(&l.m->stacks), 1, "and the only one");
	loaded_release(&l);
	mk_bytes_free(&text);
}

static void test_small_files(void)
{
	static const char *const copies[] = {
		"good-container.json",        "good-container.html",
		"good-container.pickle.gz",   "good-container.pickle.zst",
		"good-two-members.pickle.gz", "good-two-frames.pickle.zst",
	};
	char path[4096], other[4096];

	for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
		same_files(testdata(path, sizeof path, "good-container.pickle"),
			   testdata(other, sizeof other, copies[i]));
}

/* python_native holds the same recording and one more event, of its own dump. */
static void test_native(const char *path, const char *native)
{
	struct loaded a, b;
	char words[300];

	if (load_file(&a, path) && load_file(&b, native)) {
		struct device *d = &b.m->devices.at[0];
		uint64_t last = d->first_event + d->n_events - 1;

		is_u64(d->n_events, a.m->devices.at[0].n_events + 1, "native: one more event");
		is_i64(b.m->events.action.at[last], ACTION_SNAPSHOT, "which is the snapshot");
		d->n_events--;
		is_str(model_difference(a.m, b.m, words, sizeof words), "", "else they are equal");
		loaded_release(&b);
	}
	loaded_release(&a);
}

static void test_real_files(void)
{
	char path[4096], other[4096];

	if (!shared_data()) {
		skip("no real recordings");
		return;
	}
	snprintf(path, sizeof path, "%s/data/odd/python_protocol_4.pickle.zst", shared_data());
	for (int p = 0; p < 6; p++) {
		snprintf(other, sizeof other, "%s/data/odd/python_protocol_%d.pickle.zst",
			 shared_data(), p);
		same_files(path, other);
	}
	snprintf(other, sizeof other, "%s/data/odd/python_native.pickle.zst", shared_data());
	test_native(path, other);
}

int main(void)
{
	test_description("newest", snapshot_newest);
	test_description("nothing", "{'segments': [], 'device_traces': []}");
	test_description("an empty list", "[]");
	test_description("only segments", "[{'device': 0, 'address': 4096, 'total_size': 512, "
					  "'blocks': [{'size': 512, 'state': 'inactive'}]}]");
	test_long_lists();
	test_small_files();
	test_real_files();
	return done_testing();
}
