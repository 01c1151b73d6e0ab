/* SPDX-License-Identifier: MIT
 * test_load.c -- a snapshot's rows in the model: all keys of the newest schema, unknown and odd
 * values, ring buffers, sharing.
 */
#include "tests/lib/mk_snapshot.h"
#include "tests/lib/model_equal.h"
#include "tests/lib/tap.h"

#define BASE UINT64_C(140187732541440)

static bool load_good(struct loaded *l, const char *description, const char *what)
{
	load_text(l, MK_PROTOCOL_4, description);
	if (!ok(l->rc == 0, "%s is read", what)) {
		diag("%s", l->err.text);
		return false;
	}
	return true;
}

static const char *frame_name(const struct model *m, stack_id s, size_t k)
{
	return model_str(m, stacks_frame(&m->stacks, s, k)->name);
}

static void check_newest_events(const struct model *m)
{
	static const uint8_t actions[] = {
		ACTION_SEGMENT_ALLOC,  ACTION_ALLOC,       ACTION_ALLOC,
		ACTION_FREE_REQUESTED, ACTION_OOM,         ACTION_OTHER,
		ACTION_SNAPSHOT,       ACTION_SEGMENT_MAP, ACTION_SEGMENT_ALLOC};
	const struct events *e = &m->events;
	const struct attr *a;

	is_u64(e->action.n, 9, "events");
	for (size_t i = 0; i < 9; i++)
		is_u64(e->action.at[i], actions[i], "action of event %zu", i);
	is_u64(e->addr.at[1], BASE, "addr");
	is_u64(e->size.at[1], 1000, "size");
	is_i64(e->time_us.at[1], 1700000000000002, "time_us");
	is_u64(stacks_depth(&m->stacks, e->stack.at[1]), 3, "frames");
	is_str(frame_name(m, e->stack.at[1], 1), "f", "innermost first");
	is_i64(stacks_frame(&m->stacks, e->stack.at[1], 1)->line, -1, "2^64 - 1 is no line");
	is_u64(e->addr.at[4], 4096, "an oom's device_free");
	is_u64(e->size.at[4], 1048576, "and size");
	is_u64(e->stack.at[3].i, STACK_EMPTY.i, "an empty stack");
	is_u64(e->stack.at[6].i, STACK_ABSENT.i, "no stack");
	a = &m->attrs.at[e->attr.at[2].i];
	is_str(model_str(m, a->user_metadata), "step 1", "user_metadata");
	is_str(model_str(m, a->compile_context), "N/A", "compile_context");
	is_str(model_str(m, a->internal_metadata), "mallocWithAddress", "internal_metadata");
	is_u64(stacks_depth(&m->stacks, a->forward_stack), 2, "forward_frames");
	is_str(frame_name(m, a->forward_stack, 1), "l2", "are lines");
	is_u64(a->has_pool, true, "there is a pool");
	a = &m->attrs.at[e->attr.at[5].i];
	is_str(model_str(m, a->action_name), "workspace_snapshot", "the name of an unknown action");
	a = &m->attrs.at[e->attr.at[6].i];
	is_str(model_str(m, a->action_name), "", "is not that of the next event");
	a = &m->attrs.at[e->attr.at[7].i];
	is_u64(a->stream, UINT64_C(94000000000000), "stream");
	is_i64(a->pool.b, 3, "pool_id");
}

static void check_newest_segments(const struct model *m)
{
	const struct segment *s = m->segments.at;

	is_u64(m->segments.n, 3, "segments");
	is_u64(m->blocks.n, 5, "blocks");
	is_u64(s[0].address, BASE, "address");
	is_u64(s[0].total_size, 2097152, "total_size");
	is_u64(s[0].allocated_size, 1024, "allocated_size");
	is_u64(s[0].active_size, 1536, "active_size");
	is_u64(s[0].requested_size, 1300, "requested_size");
	is_u64(s[0].kind, POOL_SMALL, "segment_type");
	is_u64(s[0].n_blocks, 3, "its blocks");
	is_u64(stacks_depth(&m->stacks, s[0].stack), 3, "its frames");
	is_u64(s[1].kind, POOL_LARGE, "segment_type");
	is_i64(s[1].device, 1, "device");
	is_i64(s[1].pool.b, 3, "segment_pool_id");
	ok(s[1].is_expandable && s[1].has_pool, "is_expandable");
	is_i64(s[2].device, DEVICE_HOST, "a host segment");
	is_u64(m->blocks.at[0].state, BLOCK_ACTIVE, "an active block");
	is_u64(m->blocks.at[1].state, BLOCK_PENDING, "one that waits for a stream");
	is_u64(m->blocks.at[1].requested_size, 300, "requested_size");
	is_u64(m->blocks.at[2].state, BLOCK_INACTIVE, "an inactive one");
	is_u64(m->blocks.at[2].address, BASE + 1536, "address");
}

static void check_newest_rest(const struct model *m)
{
	const struct alloc_settings *s = &m->settings;

	is_u64(m->devices.n, 4, "devices with data");
	is_i64(m->devices.at[2].index, 2, "one without segments");
	is_u64(m->devices.at[0].n_events, 7, "events of device 0");
	is_u64(m->devices.at[1].n_events, 0, "of device 1, which has a segment");
	is_u64(m->devices.at[2].n_events, 1, "of device 2");
	is_i64(m->devices.at[3].index, DEVICE_HOST, "the host is last");
	is_u64(m->devices.at[3].n_events, 1, "of the host");
	ok(m->devices.at[0].trace_meets_segments, "traces reach the segments");
	is_u64(m->annotations.n, 2, "annotations");
	ok(!m->annotations.at[0].is_end && m->annotations.at[1].is_end, "START and END");
	is_str(model_str(m, m->annotations.at[1].name), "## step ##", "name");
	is_u64(s->max_split_bytes, 209715200, "max_split_size");
	ok(s->gc_threshold == 0.75, "garbage_collection_threshold");
	ok(s->expandable_segments && s->known, "expandable_segments");
	is_u64(s->roundup_divisions[1], 4, "roundup_power2_divisions of 2 MiB");
	is_u64(s->roundup_divisions[15], 2, "of 32 GiB");
	is_u64(s->max_non_split_rounding_bytes, UINT64_C(64) << 20, "max_non_split_rounding_mb");
	is_u64(s->large_segment_bytes, UINT64_C(40) << 20, "large_segment_size_mb");
	is_str(m->writer, "PyTorch 2.14 or newer", "the writer");
	is_u64(m->unknown_keys.n, 0, "no unknown keys");
	is_u64(m->unknown_actions.n, 1, "one unknown action");
	is_u64(m->problems.n, 0, "no problems");
	ok(!m->partial && m->has_traces && m->has_segments, "all is there");
}

static void test_newest(void)
{
	struct loaded l;

	if (load_good(&l, snapshot_newest, "the newest schema")) {
		check_newest_events(l.m);
		check_newest_segments(l.m);
		check_newest_rest(l.m);
	}
	ok(loaded_release(&l), "memory was given back");
}

/* ---- tolerance ---- */

static uint64_t tally_count(const struct model *m, const struct tally *rows, size_t n,
			    const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(model_str(m, rows[i].name), name) == 0)
			return rows[i].count;
	return 0;
}

static void test_unknown(void)
{
	static const struct {
		const char *key;
		uint64_t count;
	} keys[] = {{"new", 1},
		    {"segments[].new", 2},
		    {"segments[].blocks[].new", 2},
		    {"segments[].blocks[].action_kind", 1},
		    {"device_traces[][].new", 4},
		    {"device_traces[][].total", 4},
		    {"frames[].new", 1},
		    {"external_annotations[].new", 1}};
	struct loaded l;

	if (load_good(&l,
		      "{'segments': [{'total_size': 1, 'new': [], 'blocks': [{'size': 1, 'state': "
		      "'inactive', 'new': 1} x 2, {'size': 1, 'state': 'inactive', 'action_kind': "
		      "{}}]}, {'total_size': 1, 'new': {'k': [1]}}], 'new': {'segments': 1}, "
		      "'device_traces': [[{'action': 'alloc', 'addr': 5, 'size': 6, 'time_us': 7, "
		      "'new': (1,), 'total': 5} x 4, {'action': "
		      "'free', 'addr': 5}, {'action': 'free', 'addr': 6}, {'action': "
		      "'empty_cache'}], "
		      "[{'action': 'alloc', 'addr': 1, 'size': 1, 'frames': [{'name': 'f', "
		      "'filename': 'a', 'new': 2}]}]], 'external_annotations': [{'name': 'x', "
		      "'stage': 'START', 'new': None}], 5: 6}",
		      "a file with unknown keys and actions")) {
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
			is_u64(tally_count(l.m, l.m->unknown_keys.at, l.m->unknown_keys.n,
					   keys[i].key),
			       keys[i].count, "%s is counted", keys[i].key);
		is_u64(l.m->unknown_keys.n, sizeof keys / sizeof keys[0], "and nothing else");
		is_u64(tally_count(l.m, l.m->unknown_actions.at, l.m->unknown_actions.n, "free"), 2,
		       "free is counted");
		is_u64(tally_count(l.m, l.m->unknown_actions.at, l.m->unknown_actions.n,
				   "empty_cache"),
		       1, "empty_cache too");
		is_u64(l.m->unknown_actions.n, 2, "and nothing else");
		is_u64(l.m->events.action.at[4], ACTION_OTHER, "they are kept as events");
	}
	ok(loaded_release(&l), "memory was given back");
}

/* An action nobody knows between others of the same shape leaves no trace in them. */
static void test_action_names(void)
{
	struct loaded l;

	if (load_good(
		    &l,
		    "{'segments': [], 'device_traces': [[{'action': 'odd', 'addr': 1, 'size': 1, "
		    "'time_us': 1, 'stream': 0}, {'action': 'alloc', 'addr': 1, 'size': 1, "
		    "'time_us': 1, 'stream': 0}, {'action': 'odd', 'addr': 1, 'size': 1, "
		    "'time_us': 1, 'stream': 0}, {'action': 'oom', 'addr': 1, 'size': 1, "
		    "'time_us': 1, 'stream': 0, 'device_free': 3}, {'action': 'alloc', 'addr': 1, "
		    "'size': 1, 'time_us': 1, 'stream': 1}, {'action': 'oom', 'addr': 1, 'size': "
		    "1, 'time_us': 1, 'stream': 1}]]}",
		    "an unknown action among known ones")) {
		const struct events *e = &l.m->events;

		is_str(model_str(l.m, l.m->attrs.at[e->attr.at[0].i].action_name), "odd", "named");
		is_str(model_str(l.m, l.m->attrs.at[e->attr.at[1].i].action_name), "", "not named");
		is_str(model_str(l.m, l.m->attrs.at[e->attr.at[2].i].action_name), "odd", "named");
		is_u64(e->addr.at[3], 3, "device_free of the oom");
		is_u64(e->addr.at[5], BYTES_NONE, "none in another");
	}
	ok(loaded_release(&l), "memory was given back");
}

static void test_odd_values(void)
{
	struct loaded l;

	if (load_good(&l,
		      "{'segments': [{'total_size': 5, 'total_size': 7, 'device': None, 'frames': "
		      "None, 'blocks': None, 3: 4, 'segment_type': 'medium'}], 'segments': "
		      "[{'total_size': 5, 'total_size': 9, 'address': -1, 'segment_pool_id': [2, "
		      "0], 'blocks': (), 'is_expandable': 1}], 'device_traces': ([{'action': "
		      "'alloc', 'action': 'snapshot', 'addr': -4096, 'frames': (), 'time_us': "
		      "None}, {'action': 'user_defined', 'addr': 0, 'size': 0, 'stream': 0, "
		      "'frames': [{'name': 'START', 'filename': 'step', 'line': 0}]}, {'action': "
		      "'annotate', 'addr': 18446744073709551615, 'user_metadata': 'x'}], []), "
		      "'allocator_settings': None, 'external_annotations': None}",
		      "odd values")) {
		const struct model *m = l.m;

		is_u64(m->segments.n, 1, "the last of equal keys wins");
		is_u64(m->segments.at[0].total_size, 9, "in rows too");
		is_u64(m->segments.at[0].address, UINT64_MAX,
		       "a negative address is an unsigned one");
		is_i64(m->segments.at[0].pool.a, 2, "a list of two is a pair");
		ok(m->segments.at[0].is_expandable, "1 is true");
		is_u64(m->segments.at[0].n_blocks, 0, "an empty tuple of blocks");
		is_u64(m->events.action.at[0], ACTION_SNAPSHOT, "the last action");
		is_u64(m->events.addr.at[0], (uint64_t)-4096, "a negative address");
		is_i64(m->events.time_us.at[0], TIME_NONE, "None is no time");
		is_u64(m->events.action.at[1], ACTION_USER_DEFINED, "user_defined");
		is_u64(m->events.action.at[2], ACTION_ANNOTATE, "annotate");
		is_u64(m->events.addr.at[2], UINT64_MAX, "2^64 - 1");
		ok(m->settings_value == NULL && !m->settings.known, "settings of None are none");
	}
	ok(loaded_release(&l), "memory was given back");
}

static void test_missing(void)
{
	struct loaded l;

	if (load_good(&l, "{'device_traces': [[{'action': 'alloc'}]]}",
		      "a trace without segments")) {
		ok(!l.m->has_segments && l.m->has_traces, "it says so");
		is_u64(l.m->events.addr.at[0], 0, "addr");
		is_i64(l.m->events.time_us.at[0], TIME_NONE, "no time");
		ok(!l.m->attrs.at[l.m->events.attr.at[0].i].has_stream, "no stream");
		ok(!l.m->devices.at[0].trace_meets_segments, "the trace meets no segments");
	}
	loaded_release(&l);
	if (load_good(&l, "{'segments': [{'total_size': 4096}]}", "segments without a trace")) {
		ok(l.m->has_segments && !l.m->has_traces, "it says so");
		is_u64(l.m->segments.at[0].kind, POOL_UNKNOWN, "no kind");
		is_u64(l.m->segments.at[0].allocated_size, BYTES_NONE, "no sums");
		ok(!l.m->segments.at[0].has_pool, "no pool");
		is_u64(l.m->devices.n, 1, "device 0");
	}
	loaded_release(&l);
	if (load_good(&l, "{'segments': [], 'device_traces': [[], [], []]}", "empty traces")) {
		is_u64(l.m->devices.n, 0, "no device");
		ok(l.m->has_segments && l.m->has_traces, "both are there");
	}
	loaded_release(&l);
	if (load_good(
		    &l,
		    "{'segments': [{'total_size': 1, 'device': 3}, {'total_size': 2, 'device': 1}, "
		    "{'total_size': 3, 'device': 3}, {'total_size': 4, 'device': 0}], "
		    "'device_traces': [[], [], [{'action': 'alloc'}]]}",
		    "devices in any order")) {
		is_u64(l.m->devices.n, 4, "four devices");
		for (int i = 0; i < 4; i++)
			is_i64(l.m->devices.at[i].index, i, "device %d", i);
		is_u64(l.m->segments.at[2].total_size, 1, "in the file's order inside a device");
		is_u64(l.m->segments.at[3].total_size, 3, "as they lie");
		is_u64(l.m->segments.at[3].file_order, 2, "which is kept");
		is_u64(l.m->devices.at[2].n_events, 1, "events of device 2");
	}
	loaded_release(&l);
}

/* ---- ring buffers ---- */

static void check_ring(const char *description, uint64_t max0, int over0, uint64_t max1, int over1)
{
	struct mk_bytes text = {0};
	struct loaded l;

	mk_bytes_printf(&text,
			"{'segments': [], 'device_traces': [[{'action': 'alloc'}], [{'action': "
			"'alloc'}]], 'host_traces': [{'action': 'alloc'}], %s}",
			description);
	if (load_good(&l, (char *)text.at, description)) {
		const struct device *d = l.m->devices.at;

		is_u64(d[0].max_entries, max0, "capacity of device 0");
		is_i64(d[0].overflow_known ? d[0].overflowed : -1, over0, "did it wrap");
		is_u64(d[1].max_entries, max1, "capacity of device 1");
		is_i64(d[1].overflow_known ? d[1].overflowed : -1, over1, "did it wrap");
		is_u64(d[2].max_entries, BYTES_NONE, "the host's ring is not known");
		is_u64(l.m->unknown_keys.n, 0, "the keys are known");
	}
	ok(loaded_release(&l), "memory was given back");
	mk_bytes_free(&text);
}

static void test_ring_facts(void)
{
	check_ring("'trace_alloc_max_entries': [100, 200], 'trace_alloc_overflowed': [True, False]",
		   100, 1, 200, 0);
	check_ring("'trace_alloc_max_entries': (100, 200), 'trace_alloc_overflowed': (False, True)",
		   100, 0, 200, 1);
	check_ring("'trace_alloc_max_entries': [100, 200, 300], 'trace_alloc_overflowed': [True]",
		   100, 1, 200, -1);
	check_ring("'trace_alloc_max_entries': 77, 'trace_alloc_overflowed': True", 77, 1, 77, 1);
	check_ring("'allocator_settings': {'trace_alloc_max_entries': 77, "
		   "'trace_alloc_overflowed': False}",
		   77, 0, 77, 0);
	check_ring("'allocator_settings': {'trace_alloc_max_entries': [5, 6], "
		   "'trace_alloc_overflowed': [True, True]}",
		   5, 1, 6, 1);
	check_ring("'trace_alloc_max_entries': [], 'trace_alloc_overflowed': 'x'", BYTES_NONE, -1,
		   BYTES_NONE, -1);
}

static void check_order(const char *times, const char *want, bool rotated)
{
	struct mk_bytes text = {0}, got = {0};
	struct loaded l;
	const char *at = times;

	mk_bytes_printf(&text, "{'segments': [], 'device_traces': [[");
	for (int i = 0; *at; i++) {
		char *end;
		long t = strtol(at, &end, 10);

		if (end == at) {
			mk_bytes_printf(&text, "{'action': 'alloc', 'addr': %d}, ", i);
			end += 1;
		} else {
			mk_bytes_printf(&text, "{'action': 'alloc', 'addr': %d, 'time_us': %ld}, ",
					i, t);
		}
		at = *end ? end + 1 : end;
	}
	mk_bytes_printf(&text, "]]}");
	if (load_good(&l, (char *)text.at, times)) {
		for (size_t i = 0; i < l.m->events.addr.n; i++)
			mk_bytes_printf(&got, "%" PRIu64 " ", l.m->events.addr.at[i]);
		is_str((char *)got.at, want, "the order");
		is_u64(l.m->problems.n, rotated, "and a word about it");
	}
	ok(loaded_release(&l), "memory was given back");
	mk_bytes_free(&text);
	mk_bytes_free(&got);
}

static void test_rotation(void)
{
	check_order("5 6 7 1 2 3", "3 4 5 0 1 2 ", true);
	check_order("7 1 2 3 4", "1 2 3 4 0 ", true);
	check_order("2 3 4 5 1", "4 0 1 2 3 ", true);
	check_order("5 6 5 5 5", "2 3 4 0 1 ", true);
	check_order("1 2 3 4", "0 1 2 3 ", false);
	check_order("5 6 1 2 3 9", "0 1 2 3 4 5 ", false);
	check_order("5 6 1 7 2 3", "0 1 2 3 4 5 ", false);
	check_order("5 6 - 1 2 3", "0 1 2 3 4 5 ", false);
	check_order("5 6 1 2 -", "0 1 2 3 4 ", false);
	check_order("5", "0 ", false);
}

/* ---- sharing ---- */

static void test_sharing(void)
{
	struct loaded l;

	if (load_good(
		    &l,
		    "{'segments': [&s {'total_size': 9, 'device': 0, 'blocks': &b [{'size': 4, "
		    "'state': 'inactive'}, &k {'size': 5, 'state': 'active_allocated'}]}, *s, "
		    "{'total_size': 8, 'device': 1, 'address': 100, 'blocks': *b}, {'total_size': "
		    "8, 'device': 1, 'blocks': [*k, *k]}], 'device_traces': [&t [&e {'action': "
		    "'alloc', 'addr': 1}, &f {'action': 'alloc', 'addr': 2}, {'action': "
		    "'snapshot'}], *t, [*f, *e, *f], [*e, *f], []], 'host_segments': [*s], "
		    "'host_traces': *t, 'external_annotations': [&n {'name': 'x', 'stage': "
		    "'END'}, {'name': 'y', 'stage': 'END'}, *n]}",
		    "rows that are shared")) {
		static const uint64_t addrs[][3] = {{1, 2, 0}, {1, 2, 0}, {2, 1, 2}, {1, 2}};
		const struct model *m = l.m;

		for (size_t d = 0; d < 4; d++)
			for (uint64_t k = 0; k < m->devices.at[d].n_events; k++)
				is_u64(m->events.addr.at[m->devices.at[d].first_event + k],
				       addrs[d][k], "device %zu, event %" PRIu64, d, k);
		is_u64(m->devices.at[4].n_events, 3, "the host has its own copies");
		is_u64(m->segments.n, 5, "segments are listed as often as in the file");
		is_u64(m->segments.at[1].n_blocks, 2, "with their blocks");
		is_u64(m->blocks.at[m->segments.at[3].first_block].size, 5, "also mixed ones");
		is_u64(m->annotations.n, 3, "annotations too");
		is_str(model_str(m, m->annotations.at[2].name), "x", "in order");
	}
	ok(loaded_release(&l), "memory was given back");
}

/* Events between other data, a thousand and more, and one of another trace among them. */
static void test_scattered(void)
{
	struct mk_bytes text = {0};
	struct loaded l;

	mk_bytes_printf(&text,
			"{'extra': [&a {'action': 'alloc', 'addr': 999999}], 'segments': [], "
			"'device_traces': [[");
	for (int i = 0; i < 1500; i++)
		mk_bytes_printf(&text, i == 1200 ? "*a, " : "{'action': 'alloc', 'addr': %d}, ", i);
	mk_bytes_printf(&text, "], [{'action': 'alloc', 'addr': 7}]]}");
	for (int d = MK_PROTOCOL_0; d < MK_DIALECTS; d++) {
		size_t wrong = 0;

		load_text(&l, (enum mk_dialect)d, (char *)text.at);
		if (!ok(l.rc == 0, "%s", mk_dialect_name((enum mk_dialect)d)))
			continue;
		is_u64(l.m->devices.at[0].n_events, 1500, "events");
		for (uint64_t i = 0; i < 1500; i++)
			wrong += l.m->events.addr.at[l.m->devices.at[0].first_event + i] !=
				 (i == 1200 ? 999999 : i);
		is_u64(wrong, 0, "each in its place");
		is_u64(l.m->events.addr.at[l.m->devices.at[1].first_event], 7, "and the other");
		ok(loaded_release(&l), "memory was given back");
	}
	mk_bytes_free(&text);
}

int main(void)
{
	test_newest();
	test_unknown();
	test_action_names();
	test_odd_values();
	test_missing();
	test_ring_facts();
	test_rotation();
	test_sharing();
	test_scattered();
	return done_testing();
}
