/* SPDX-License-Identifier: MIT
 * test_load_damage.c -- what of a snapshot is left when its file is cut or damaged, and what a
 * memory limit does.
 */
#include "tests/lib/mk_snapshot.h"
#include "tests/lib/model_equal.h"
#include "tests/lib/tap.h"

#define MIB (UINT64_C(1) << 20)

static uint64_t rows_of(const struct model *m)
{
	uint64_t n = m->annotations.n + m->segments.n;

	for (size_t i = 0; i < m->devices.n; i++)
		n += m->devices.at[i].n_events;
	return n;
}

/* Cut at every byte. Rows come one by one as the cut moves on: a row that is lost although it was
 * whole would show as a step of two when it comes back. */
static void test_every_cut(enum mk_dialect d, const char *description)
{
	struct mk_bytes b = mk_pickle(d, description), wrong = {0};
	struct loaded whole;
	uint64_t before = 0, after;
	size_t n_partial = 0, n_steps = 0;

	load_bytes(&whole, b.at, b.n, UINT64_MAX);
	for (size_t cut = 1; whole.m && cut < b.n; cut++) {
		struct loaded l;
		char words[300] = "";

		load_bytes(&l, b.at, cut, UINT64_MAX);
		const struct error *e = l.m ? &l.m->damage : &l.err;
		if (l.m)
			model_prefix_difference(l.m, whole.m, words, sizeof words);
		after = l.m ? rows_of(l.m) : 0;
		if (after < before || after > before + 1)
			mk_bytes_printf(&wrong, "at %zu: from %" PRIu64 " to %" PRIu64 " rows; ",
					cut, before, after);
		/* The first bytes may be too few to tell what they are. */
		if ((l.m && !l.m->partial) || (e->code != ERR_CUT && cut > 2) || words[0] ||
		    (e->code == ERR_CUT && e->offset != cut))
			mk_bytes_printf(&wrong, "at %zu: %d@%" PRIu64 " %s %s; ", cut, e->code,
					e->offset, e->text, words);
		if (l.m && l.m->problems.n != 1)
			mk_bytes_printf(&wrong, "at %zu: %zu problems; ", cut, l.m->problems.n);
		n_partial += l.m != NULL;
		n_steps += after > before;
		before = after;
		if (!loaded_release(&l))
			mk_bytes_printf(&wrong, "at %zu: memory was not given back; ", cut);
	}
	is_str(wrong.n ? (char *)wrong.at : "", "",
	       "%s: cut at every byte, all that was whole is kept", mk_dialect_name(d));
	is_u64(n_steps, rows_of(whole.m), "every row came");
	ok(n_partial > b.n / 2, "%zu of %zu cuts left something", n_partial, b.n);
	loaded_release(&whole);
	mk_bytes_free(&wrong);
	mk_bytes_free(&b);
}

/* ---- where the cut lies ---- */

#define EVENTS                                                                         \
	"[{'action': 'alloc', 'addr': 1}, {'action': 'alloc', 'addr': 2}, {'action': " \
	"'snapshot', 'addr': 3}]"

/* Cut behind the n-th place of `mark`. */
static void load_cut(struct loaded *l, const char *description, const char *mark, int n)
{
	struct mk_bytes b = mk_pickle(MK_PROTOCOL_4, description);
	size_t length = strlen(mark), cut = 0;

	for (size_t i = 0; i + length <= b.n && !cut; i++)
		if (memcmp(b.at + i, mark, length) == 0 && --n == 0)
			cut = i + length;
	if (!cut)
		abort();
	load_bytes(l, b.at, cut, UINT64_MAX);
	ok(l->m && l->m->partial, "%s, cut behind %s: something is left", description, mark);
	if (!l->m)
		exit(1);
	is_u64(l->m->damage.offset, cut, "the cut is where it is");
	is_u64(l->m->decoded_bytes, cut, "and all before was read");
	mk_bytes_free(&b);
}

static const char whole_file[] =
	"{'segments': [{'device': 0, 'address': 4096, 'total_size': 512, 'blocks': [{'size': 512, "
	"'state': 'inactive'}]}, {'device': 1, 'address': 8192, 'total_size': 512, 'blocks': "
	"[{'size': 512, 'state': 'inactive'}]}], 'device_traces': [" EVENTS ", [], " EVENTS "], "
	"'allocator_settings': {'PYTORCH_CUDA_ALLOC_CONF': 'x', 'max_split_size': 5, "
	"'roundup_power2_divisions': {'1': 4, '2': 8}, 'expandable_segments': True}, "
	"'external_annotations': [{'name': 'nn', 'stage': 'START'}, {'name': 'mm', 'stage': "
	"'END'}]}";

static void test_places(void)
{
	struct loaded l;

	load_cut(&l, whole_file, "inactive", 1);
	is_u64(l.m->segments.n, 0, "in the first segment: nothing");
	ok(l.m->has_segments && !l.m->has_traces, "but there are segments");
	loaded_release(&l);

	load_cut(&l, whole_file, "inactive", 2);
	is_u64(l.m->segments.n, 1, "in the second one: one");
	is_u64(l.m->devices.n, 1, "of device 0");
	loaded_release(&l);

	load_cut(&l, whole_file, "device_traces", 1);
	is_u64(l.m->segments.n, 2, "behind the segments: both");
	ok(!l.m->has_traces, "no trace");
	loaded_release(&l);

	load_cut(&l, whole_file, "snapshot", 1);
	is_u64(l.m->devices.at[0].n_events, 2, "in the first trace: two events");
	ok(!l.m->devices.at[0].trace_meets_segments,
	   "between them and the segments some are missing");
	ok(l.m->devices.at[1].trace_meets_segments, "device 1 has no trace at all");
	loaded_release(&l);

	load_cut(&l, whole_file, "K\x02u", 1);
	is_u64(l.m->devices.at[0].n_events, 2, "behind its second event: two events");
	loaded_release(&l);
}

static void test_later_places(void)
{
	struct loaded l;

	load_cut(&l, whole_file, "allocator_settings", 1);
	is_u64(l.m->devices.n, 3, "behind the traces: all devices");
	for (int i = 0; i < 3; i++)
		ok(l.m->devices.at[i].trace_meets_segments, "the trace of device %d is whole", i);
	ok(!l.m->settings.known && !l.m->settings_value, "no settings");
	loaded_release(&l);

	load_cut(&l, whole_file, "roundup_power2_divisions", 1);
	ok(l.m->settings.known, "in the settings: some");
	is_u64(l.m->settings.max_split_bytes, 5, "that is there");
	ok(!l.m->settings.expandable_segments, "this not");
	ok(l.m->devices.at[0].trace_meets_segments, "the traces are whole");
	loaded_release(&l);

	load_cut(&l, whole_file, "external_annotations", 1);
	ok(l.m->settings.expandable_segments, "behind the settings: all of them");
	is_u64(l.m->settings.roundup_divisions[1], 8, "and what is in them");
	loaded_release(&l);

	load_cut(&l, whole_file, "mm", 1);
	is_u64(l.m->annotations.n, 1, "in the annotations: the first");
	loaded_release(&l);
}

/* The other way round: the segments are cut, so no trace meets them. */
static void test_traces_first(void)
{
	static const char file[] =
		"{'device_traces': [" EVENTS ", " EVENTS "], 'host_traces': " EVENTS
		", 'host_segments': [{'total_size': 5}], 'segments': [{'device': 0, 'total_size': "
		"512, "
		"'blocks': []}, {'device': 1, 'total_size': 512, 'segment_type': 'large'}]}";
	struct loaded l;

	load_cut(&l, file, "large", 1);
	is_u64(l.m->segments.n, 2, "one segment and the host's");
	is_u64(l.m->devices.at[0].n_events, 3, "all events");
	ok(!l.m->devices.at[0].trace_meets_segments && !l.m->devices.at[1].trace_meets_segments,
	   "no trace meets the segments");
	ok(l.m->devices.at[2].trace_meets_segments, "but the host's, which came before");
	loaded_release(&l);

	load_cut(&l, file, "host_segments", 1);
	is_u64(l.m->segments.n, 0, "no segments");
	is_i64(l.m->devices.at[2].index, DEVICE_HOST, "the host's trace is there");
	ok(!l.m->devices.at[2].trace_meets_segments, "and meets nothing");
	loaded_release(&l);
}

/* ---- damage ---- */

/* Any byte changed: whatever comes out is a valid model, or an error with words. */
static void test_every_byte(enum mk_dialect d)
{
	struct mk_bytes b = mk_pickle(d, snapshot_newest);
	size_t loaded = 0, partial = 0, refused = 0, wrong = 0;

	for (size_t i = 0; i < b.n; i++) {
		const uint8_t was = b.at[i];
		const uint8_t now[] = {(uint8_t)(was ^ 0x01), (uint8_t)(was ^ 0x20), '(', '.',
				       0xff};

		for (size_t k = 0; k < (tests_quick() ? 1 : sizeof now); k++) {
			struct loaded l;

			b.at[i] = now[k];
			load_bytes(&l, b.at, b.n, 64 * MIB);
			loaded += l.m != NULL;
			partial += l.m && l.m->partial;
			refused += l.m == NULL;
			wrong += l.rc != 0 && (l.rc != (int)l.err.code || !l.err.text[0]);
			wrong += !loaded_release(&l);
		}
		b.at[i] = was;
	}
	is_u64(wrong, 0, "%s: %zu models, %zu of them partial, %zu refusals", mk_dialect_name(d),
	       loaded, partial, refused);
	ok(loaded > 0 && refused > 0, "both happen");
	mk_bytes_free(&b);
}

/* Damage of the pickle itself keeps what came before: it is not said to be of a wrong type. */
static void test_garbage_tail(void)
{
	static const char *const tails[] = {"\xff",
					    "N\xff",
					    ("\x8c\x01"
					     "a\xff"),
					    "K\x01\xff",
					    "]\xff",
					    "}\xff",
					    "(\xff",
					    "](\xff"};
	struct mk_bytes b = mk_pickle(MK_PROTOCOL_4, whole_file);
	size_t wrong = 0, n = 0;

	for (size_t cut = 200; cut < b.n; cut++) {
		for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
			struct mk_bytes t = {0};
			struct loaded l;

			mk_bytes_add(&t, b.at, cut);
			mk_bytes_add(&t, tails[k], strlen(tails[k]));
			load_bytes(&l, t.at, t.n, UINT64_MAX);
			if (l.rc == ERR_SCHEMA) {
				diag("cut at %zu, tail %zu: %s", cut, k, l.err.text);
				wrong++;
			}
			n++;
			loaded_release(&l);
			mk_bytes_free(&t);
		}
	}
	is_u64(wrong, 0, "%zu tails of garbage: no wrong types", n);
	mk_bytes_free(&b);
}

/* ---- the limit ---- */

static struct mk_bytes many_events(void)
{
	struct mk_bytes text = {0};

	mk_bytes_printf(&text, "{'segments': [], 'device_traces': [[");
	for (int i = 0; i < 40000; i++)
		mk_bytes_printf(
			&text,
			"{'action': 'alloc', 'addr': %d, 'size': %d, 'stream': 0, "
			"'time_us': %d, 'frames': [{'name': 'f%d', 'filename': 'a', 'line': "
			"%d}]}, ",
			i, i, i, i % 977, i);
	mk_bytes_printf(&text, "]]}");
	struct mk_bytes b = mk_pickle(MK_PROTOCOL_4, (char *)text.at);
	mk_bytes_free(&text);
	return b;
}

static void test_limit(void)
{
	struct mk_bytes b = many_events();
	uint64_t enough = 0, worst = 0;
	size_t limited = 0, wrong = 0, step = tests_quick() ? 256 * 1024 : 37 * 1024;

	for (uint64_t limit = 0; limit < 16 * MIB && !enough; limit += step) {
		struct loaded l;
		double mib;
		unsigned long long at, all, need;

		load_bytes(&l, b.at, b.n, limit);
		if (l.m) {
			enough = limit;
		} else if (sscanf(l.err.text,
				  "the memory limit of %lf MiB was reached after %llu of %llu "
				  "bytes "
				  "of the file; about %llu MiB would do, see --limit",
				  &mib, &at, &all, &need) == 4) {
			limited++;
			wrong += all != b.n || at > all || l.rc != ERR_LIMIT;
			worst = limit > 2 * MIB && need > worst ? need : worst;
		} else if (l.rc != ERR_LIMIT || limit > 2 * MIB ||
			   !strstr(l.err.text, "raise it with --limit")) {
			diag("limit %" PRIu64 ": %d %s", limit, l.rc, l.err.text);
			wrong++;
		}
		if (!loaded_release(&l))
			wrong++;
	}
	is_u64(wrong, 0, "below the need, the limit, how far it came and the need are told");
	ok(limited > 5, "%zu limits were too low", limited);
	ok(enough > 0, "%" PRIu64 " bytes are enough", enough);
	ok(worst * MIB < 3 * enough + 2 * MIB, "no guess was wild (at most %" PRIu64 " MiB)",
	   worst);
	mk_bytes_free(&b);
}

/* ---- sharing ---- */

/* Small files that name long lists again and again: what cannot be shared costs memory, so that the
 * limit ends it; what can costs nothing. */
static void test_sharing(void)
{
	static const struct {
		const char *what, *description;
		int rc;
	} cases[] = {
		{"blocks",
		 "{'segments': [{'total_size': 1, 'blocks': &b [{'size': 1, 'state': 'inactive'} x "
		 "3000]}, {'total_size': 1, 'blocks': *b} x 3000]}",
		 ERR_LIMIT},
		{"segments",
		 "{'segments': [&s {'total_size': 1, 'blocks': [{'size': 1, 'state': 'inactive'} x "
		 "3000]}, *s x 3000]}",
		 ERR_LIMIT},
		{"traces",
		 "{'segments': [], 'device_traces': [&t [{'action': 'alloc'} x 3000], *t x 3000]}",
		 ERR_LIMIT},
		{"frames",
		 "{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': &f [{'name': "
		 "'f', "
		 "'filename': 'a', 'line': 1} x 3000]}, {'action': 'alloc', 'frames': *f} x "
		 "3000]]}",
		 0},
		{"frames among other things",
		 "{'segments': [], 'x': [{'action': 'alloc', 'frames': &f [{'name': 'f', "
		 "'filename': "
		 "'a', 'line': 1} x 3000, 1]}, {'action': 'alloc', 'frames': *f} x 3000]}",
		 0},
		{"lines",
		 "{'segments': [], 'device_traces': [[{'action': 'alloc', 'forward_frames': &f "
		 "['l' x "
		 "3000]}, {'action': 'alloc', 'forward_frames': *f} x 3000]]}",
		 0},
		{"settings",
		 "{'segments': [], 'allocator_settings': [&a [1 x 300], &b [*a x 300], &c [*b x "
		 "300], "
		 "[*c x 300]]}",
		 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_bytes b = mk_pickle(MK_PROTOCOL_4, cases[i].description);
		struct loaded l;

		load_bytes(&l, b.at, b.n, 64 * MIB);
		is_i64(l.rc, cases[i].rc, "shared %s", cases[i].what);
		ok(loaded_release(&l), "memory was given back");
		mk_bytes_free(&b);
	}
}

int main(void)
{
	for (int d = MK_PROTOCOL_0; d < MK_DIALECTS; d++) {
		test_every_cut((enum mk_dialect)d, snapshot_newest);
		test_every_cut((enum mk_dialect)d, whole_file);
	}
	test_places();
	test_later_places();
	test_traces_first();
	for (int d = MK_PROTOCOL_0; d < MK_DIALECTS; d++)
		test_every_byte((enum mk_dialect)d);
	test_garbage_tail();
	test_sharing();
	test_limit();
	return done_testing();
}
