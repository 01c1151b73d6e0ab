/* SPDX-License-Identifier: MIT
 * test_load_marks.c -- annotations that stand among the events of a snapshot.
 */
#include "tests/lib/mk_snapshot.h"
#include "tests/lib/tap.h"

static bool load_good(struct loaded *l, const char *description, const char *what)
{
	load_text(l, MK_PROTOCOL_4, description);
	if (!ok(l->rc == 0, "%s is read", what)) {
		diag("%s", l->err.text);
		return false;
	}
	return true;
}

/* Ranges among the events, of two devices; a file's own annotations come first. */
static void test_user_defined(void)
{
#define MARK(stage, time)                                                                \
	"{'action': 'user_defined', 'addr': 0, 'size': 0, 'stream': 0, 'time_us': " time \
	", 'frames': [{'name': '" stage "', 'filename': 'step', 'line': 0}]}"
	struct loaded l;

	if (load_good(&l,
		      "{'segments': [], 'device_traces': [[" MARK("START", "5") ", " MARK(
			      "END", "9") ", " MARK("OTHER", "9") "], [" MARK("START", "7") "]]}",
		      "user-defined events")) {
		const struct annotation *a = l.m->annotations.at;

		if (is_u64(l.m->annotations.n, 3, "annotations of both devices")) {
			is_i64(a[0].time_us, 5, "in the order of time");
			is_i64(a[1].time_us, 7, "over devices");
			is_i64(a[1].device, 1, "each with its own");
			ok(!a[0].is_end && !a[1].is_end && a[2].is_end, "START and END");
			is_str(model_str(l.m, a[2].name), "step", "the name in place of a file");
		}
		is_u64(l.m->devices.at[0].n_events, 3, "the events stay");
	}
	ok(loaded_release(&l), "memory was given back");
	if (load_good(&l,
		      "{'segments': [], 'device_traces': [[" MARK(
			      "START", "5") "]], 'external_annotations': [{'stage': 'END', 'name': "
					    "'own', 'device': 0, 'time_us': 6}]}",
		      "both"))
		is_u64(l.m->annotations.n, 1, "a file's own annotations are all");
	ok(loaded_release(&l), "memory was given back");
#undef MARK
}

int main(void)
{
	test_user_defined();
	return done_testing();
}
