/* SPDX-License-Identifier: MIT
 * test_load_schemas.c -- every schema of a snapshot since torch 1.13, and values of the wrong type.
 */
#include "tests/lib/mk_snapshot.h"
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

/* ---- schemas by version ---- */

#define SEGMENT_1                                                                         \
	"'device': 0, 'address': 140187732541440, 'total_size': 2048, 'allocated_size': " \
	"512, 'active_size': 512, 'stream': 0, 'segment_type': 'small'"
#define SEGMENT_21                                                                        \
	SEGMENT_1 ", 'requested_size': 400, 'segment_pool_id': (0, 0), 'is_expandable': " \
		  "False, 'frames': []"
#define BLOCKS_21                                                                      \
	"'blocks': [{'address': 140187732541440, 'size': 512, 'requested_size': 400, " \
	"'state': 'active_allocated', 'frames': [" FRAME "]}, {'address': "            \
	"140187732541952, 'size': 1536, 'requested_size': 0, 'state': 'inactive', "    \
	"'frames': []}]"
#define FRAME "{'name': 'f', 'filename': 'a.py', 'line': 3}"
#define EVENT_2                                                                                   \
	"'action': 'alloc', 'addr': 140187732541440, 'size': 400, 'stream': 0, 'frames': [" FRAME \
	"]"
#define EVENT_22 EVENT_2 ", 'time_us': 5"

static const struct schema {
	const char *name, *writer, *description;
	bool requested; /* the first block says what was requested */
	bool frames;    /* and has a stack */
	uint64_t events;
} schemas[] = {
	{"1.13, a list with history", "PyTorch 1.13 or older",
	 "[{" SEGMENT_1 ", 'blocks': [{'size': 512, 'state': 'active_allocated', 'history': "
	 "[{'addr': 140187732541440, 'real_size': 400, 'frames': [{'filename': 'a.py', 'name': "
	 "'f', "
	 "'line': 3}]}, {'addr': 140187732541600, 'real_size': 9, 'frames': []}]}, {'size': 1536, "
	 "'state': 'inactive', 'history': []}]}]",
	 true, true, 0},
	{"1.13 without history", "PyTorch 1.13 or older",
	 "[{" SEGMENT_1 ", 'blocks': [{'size': 512, 'state': 'active_allocated'}, {'size': 1536, "
	 "'state': 'inactive'}]}]",
	 false, false, 0},
	{"2.0", "PyTorch 2.0",
	 "{'segments': [{" SEGMENT_1 ", 'blocks': [{'size': 512, 'state': 'active_allocated', "
	 "'history': [{'addr': 140187732541440, 'real_size': 400, 'frames': [{'filename': 'a.py', "
	 "'name': 'f', 'line': 3}], 'cpp_frames': 'f()'}]}, {'size': 1536, 'state': "
	 "'inactive'}]}], "
	 "'device_traces': [[{" EVENT_2 "}]]}",
	 true, true, 1},
	{"spring 2023", "PyTorch 2.0",
	 "{'segments': [{" SEGMENT_1 ", 'requested_size': 400, 'blocks': [{'size': 512, "
	 "'requested_size': 400, 'state': 'active_allocated', 'history': [{'addr': "
	 "140187732541440, "
	 "'real_size': 400}]}, {'size': 1536, 'requested_size': 0, 'state': 'inactive'}]}], "
	 "'device_traces': [[{" EVENT_2 "}]]}",
	 true, false, 1},
	{"2.1 in the making", "PyTorch 2.0",
	 "{'segments': [{" SEGMENT_1 ", 'blocks': [{'size': 512, 'requested_size': 400, 'state': "
	 "'active_allocated', 'frames': [" FRAME "]}, {'size': 1536, 'requested_size': 0, 'state': "
	 "'inactive', 'frames': []}]}], 'device_traces': [[{" EVENT_2 "}]]}",
	 true, true, 1},
	{"2.1", "PyTorch 2.1 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_2 "}]]}",
	 true, true, 1},
	{"2.2", "PyTorch 2.2",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22 "}]]}",
	 true, true, 1},
	{"2.3", "PyTorch 2.3 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22 "}]], "
	 "'allocator_settings': {'PYTORCH_CUDA_ALLOC_CONF': '', 'max_split_size': -1}}",
	 true, true, 1},
	{"2.5", "PyTorch 2.5 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22 "}]], "
	 "'allocator_settings': {'max_split_size': -1}, 'external_annotations': []}",
	 true, true, 1},
	{"2.8", "PyTorch 2.8 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'compile_context': 'N/A'}]], 'allocator_settings': {'max_split_size': -1}}",
	 true, true, 1},
	{"2.9", "PyTorch 2.9 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'compile_context': 'N/A'}]], 'allocator_settings': {'max_split_size': -1, "
	 "'graph_capture_record_stream_reuse': False}}",
	 true, true, 1},
	{"2.10", "PyTorch 2.10 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'user_metadata': ''}]]}",
	 true, true, 1},
	{"2.12", "PyTorch 2.12 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'user_metadata': '', 'forward_frames': ['a']}]]}",
	 true, true, 1},
	{"2.13", "PyTorch 2.13 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'user_metadata': '', 'pool_id': (0, 0)}]]}",
	 true, true, 1},
	{"the newest with pinned host memory", "PyTorch 2.14 or newer",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 ", 'pool_id': (0, 0)}]], 'host_segments': [], 'host_traces': []}",
	 true, true, 1},
	{"keys in another order", "PyTorch 2.2",
	 "{'device_traces': [[{'frames': [{'line': 3, 'filename': 'a.py', 'name': 'f'}], "
	 "'time_us': 5, "
	 "'stream': 0, 'size': 400, 'addr': 140187732541440, 'action': 'alloc'}]], 'segments': "
	 "[{" BLOCKS_21 ", " SEGMENT_21 "}]}",
	 true, true, 1},
	{"XPU", "PyTorch for XPU",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 "}]], 'allocator_settings': {'PYTORCH_ALLOC_CONF': '', 'expandable_segments': False}}",
	 true, true, 1},
	{"ROCm", "PyTorch for ROCm",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 "}]], 'allocator_settings': {'PYTORCH_CUDA_ALLOC_CONF': '', 'max_split_size': -1, "
	 "'release_lock_on_hipmalloc': False}}",
	 true, true, 1},
	{"MUSA", "torch_musa",
	 "{'segments': [{" SEGMENT_21 ", " BLOCKS_21 "}], 'device_traces': [[{" EVENT_22
	 "}]], 'allocator_settings': {'PYTORCH_MUSA_ALLOC_CONF': '', 'max_split_size': -1}}",
	 true, true, 1},
	{"made of a profile", "torch.profiler (_profile_to_snapshot)",
	 "{'device_traces': [[{" EVENT_22
	 ", 'category': 'parameter'}], []], 'segments': [{'device': "
	 "0, 'address': 140187732541440, 'total_size': 2048, 'stream': 0, 'blocks': [{'address': "
	 "140187732541440, 'size': 512, 'requested_size': 400, 'state': 'active_allocated', "
	 "'frames': [" FRAME "]}]}]}",
	 true, true, 1},
};

static void test_schemas(void)
{
	for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
		const struct schema *c = &schemas[i];
		struct loaded l;

		if (load_good(&l, c->description, c->name)) {
			const struct block *b = l.m->blocks.at;

			is_str(l.m->writer, c->writer, "its writer");
			is_u64(l.m->segments.n, 1, "its segment");
			is_u64(b[0].address, BASE, "the first block's address");
			if (l.m->blocks.n > 1)
				is_u64(b[1].address, BASE + 512, "the second one's");
			is_u64(b[0].requested_size, c->requested ? 400 : BYTES_NONE,
			       "what was requested");
			is_u64(stacks_depth(&l.m->stacks, b[0].stack), c->frames, "its stack");
			is_u64(l.m->events.action.n, c->events, "events");
			is_u64(l.m->unknown_keys.n, 0, "no unknown keys");
			is_u64(l.m->has_traces, c->events > 0, "whether there are traces");
		}
		ok(loaded_release(&l), "memory was given back");
	}
}

/* 32 bytes more before rounding: 500 bytes take 1,024 there and 512 elsewhere. */
static void test_npu(void)
{
#define AT(address, more) "{'action': 'alloc', 'addr': " address ", 'size': 500" more "}, "
#define GONE(address)     "{'action': 'free_completed', 'addr': " address ", 'size': 500}, "
	/* Nothing lives at the end, so that only neighbours tell. */
	static const struct {
		const char *text, *what;
		uint32_t extra;
	} traces[] = {
		{"{'segments': [], 'device_traces': [[" AT("4096", "") AT("5120", "") AT("6144", "")
			 AT("7168", "") "]]}",
		 "blocks as far apart as torch_npu puts them", 32},
		{"{'segments': [], 'device_traces': [[" AT("4096", "") AT("5120", "") AT("6144", "")
			 AT("7168", "") AT("7680", "") "]]}",
		 "one that would overlap", 0},
		{"{'segments': [], 'device_traces': [[" AT("4096", "") AT("5120", "") AT("6144", "")
			 GONE("6144") AT("7168", "") "]]}",
		 "one whose neighbour is gone", 0},
		{"{'segments': [], 'device_traces': [[" AT("4096", ", 'time_us': 1") AT("5120", "")
			 AT("6144", "") AT("7168", "") "]]}",
		 "a file with times", 0},
	};
#undef AT
#undef GONE
	struct loaded l;

	if (load_good(
		    &l,
		    "{'segments': [{'device': 0, 'address': 4096, 'total_size': 2048, "
		    "'segment_pool_id': (0, 0), 'segment_type': 'small', 'is_expandable': False, "
		    "'stream': 12345, 'blocks': [{'address': 4096, 'size': 1024, "
		    "'requested_size': 500, 'state': 'active_allocated'}, {'address': 5120, "
		    "'size': 512, 'requested_size': 100, 'state': 'active_allocated'}]}], "
		    "'device_traces': [[{'action': 'workspace_snapshot', 'addr': 1, 'size': 2}]]}",
		    "torch_npu")) {
		is_str(l.m->writer, "torch_npu", "its writer");
		is_u64(l.m->settings.rounding_extra, 32, "its rounding");
	}
	ok(loaded_release(&l), "memory was given back");
	if (load_good(
		    &l,
		    "{'segments': [{'device': 0, 'address': 4096, 'total_size': 2048, 'blocks': "
		    "[{'address': 4096, 'size': 512, 'requested_size': 500, 'state': "
		    "'active_allocated'}, {'address': 4608, 'size': 1024, 'requested_size': 1000, "
		    "'state': 'active_allocated'}]}]}",
		    "another"))
		is_u64(l.m->settings.rounding_extra, 0, "rounds as CUDA does");
	ok(loaded_release(&l), "memory was given back");
	for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
		if (load_good(&l, traces[i].text, traces[i].what))
			is_u64(l.m->settings.rounding_extra, traces[i].extra, "its rounding");
		ok(loaded_release(&l), "memory was given back");
	}
}

/* ---- wrong types ---- */

static void test_wrong_types(void)
{
	static const struct {
		const char *description, *words;
	} cases[] = {
		{"{'segments': [], 'device_traces': [[{" EVENT_22
		 "} x 123, {'action': 'alloc', 'size': "
		 "'many'}]]}",
		 "device_traces[0][123].size is a string, not an integer"},
		{"{'segments': [], 'device_traces': [[], [{'action': 7}]]}",
		 "device_traces[1][0].action is an integer, not a string"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'addr': 1.5}]]}",
		 "device_traces[0][0].addr is a float, not an integer"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'stream': True}]]}",
		 "device_traces[0][0].stream is a bool, not an integer"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'time_us': []}]]}",
		 "device_traces[0][0].time_us is an empty list, not an integer"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': 'f'}]]}",
		 "device_traces[0][0].frames is a string, not a list of frames"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': [1, 2, 3]}]]}",
		 "device_traces[0][0].frames is a list, not a list of frames"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': {}}]]}",
		 "device_traces[0][0].frames is an empty dict, not a list of frames"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'pool_id': 3}]]}",
		 "device_traces[0][0].pool_id is an integer, not a pair of integers"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'pool_id': (1, 'a')}]]}",
		 "device_traces[0][0].pool_id is a tuple, not a pair of integers"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'forward_frames': "
		 "[1]}]]}",
		 "device_traces[0][0].forward_frames is a list, not a list of strings"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'user_metadata': {'a': "
		 "1}}]]}",
		 "device_traces[0][0].user_metadata is a dict, not a string"},
		{"{'segments': [], 'device_traces': [[{'action': 'oom', 'device_free': 'x'}]]}",
		 "device_traces[0][0].device_free is a string, not an integer"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': [{'name': 'f', "
		 "'filename': 'a', 'line': 'x'}]}]]}",
		 "a frame's line is a string, not an integer"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc', 'frames': [{'name': 1, "
		 "'filename': 'a', 'line': 1}]}]]}",
		 "a frame's name is an integer, not a string"},
		{"{'segments': [{'total_size': 'x'}]}",
		 "segments[0].total_size is a string, not an integer"},
		{"{'segments': [{'total_size': 1} x 5, {'total_size': 1, 'blocks': 5}]}",
		 "segments[5].blocks is an integer, not a list of blocks"},
		{"{'segments': [{'total_size': 1, 'blocks': [1, 2, 3]}]}",
		 "segments[0].blocks is a list, not a list of blocks"},
		{"{'segments': [{'total_size': 1, 'blocks': {'a': 1}}]}",
		 "segments[0].blocks is a dict, not a list of blocks"},
		{"{'segments': [{'total_size': 1, 'device': -2}]}",
		 "segments[0].device is an integer, not a device index"},
		{"{'segments': [{'total_size': 1, 'is_expandable': 'no'}]}",
		 "segments[0].is_expandable is a string, not a bool"},
		{"{'segments': [{'total_size': 1}, {'total_size': 1, 'blocks': [{'size': 1, "
		 "'state': "
		 "'inactive'}, {'size': 1, 'state': 'happy'}]}]}",
		 "segments[1].blocks[1].state is a string, not a known block state"},
		{"{'segments': [{'total_size': 1, 'blocks': [{'size': None, 'state': None}]}]}",
		 "segments[0].blocks[0].state is None, not a known block state"},
		{"{'segments': [{'total_size': 1, 'blocks': [{'size': '1', 'state': "
		 "'inactive'}]}]}",
		 "segments[0].blocks[0].size is a string, not an integer"},
		{"{'segments': [], 'host_segments': [{'total_size': 1, 'blocks': [{'size': '1', "
		 "'state': 'inactive'}]}]}",
		 "host_segments[0].blocks[0].size is a string, not an integer"},
		{"{'segments': [], 'host_traces': [{'action': 'alloc', 'size': '1'}]}",
		 "host_traces[0].size is a string, not an integer"},
		{"{'segments': [], 'external_annotations': [{'name': 1, 'stage': 'END'}]}",
		 "external_annotations[0].name is an integer, not a string"},
		{"{'segments': 5}", "segments is an integer, not a list"},
		{"{'segments': {}}", "segments is an empty dict, not a list"},
		{"{'segments': [], 'device_traces': 'x'}", "device_traces is a string, not a list"},
		{"{'segments': [], 'device_traces': [[], 5]}",
		 "device_traces[1] is an integer, not a list"},
		{"{'segments': [], 'device_traces': [[{'action': 'alloc'}, 5]]}",
		 "device_traces[0][1] is an integer, not an event"},
		{"{'segments': [], 'device_traces': [[{'act': 'alloc'}]]}",
		 "device_traces[0][0] is a dict, not an event"},
		{"{'segments': [], 'device_traces': [{'action': 'alloc'}]}",
		 "device_traces[0] is an event, not a list"},
		{"{'segments': [{'device': 0}]}", "segments[0] is a dict, not a segment"},
		{"{'segments': [{'action': 'alloc'}]}", "segments[0] is an event, not a segment"},
		{"{'segments': [], 'host_segments': ['x']}",
		 "host_segments[0] is a string, not a segment"},
		{"{'segments': [], 'host_traces': [[]]}",
		 "host_traces[0] is an empty list, not an event"},
		{"{'segments': [], 'external_annotations': [{'name': 'x'}]}",
		 "external_annotations[0] is a dict, not an annotation"},
		{"[{'total_size': 1}, 5]", "segments[1] is an integer, not a segment"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (int d = MK_PROTOCOL_0; d <= MK_JIT; d += 2) {
			struct loaded l;

			load_text(&l, (enum mk_dialect)d, cases[i].description);
			is_i64(l.rc, ERR_SCHEMA, "%.60s is refused", cases[i].description);
			is_str(l.err.text, cases[i].words, "with its place");
			ok(loaded_release(&l), "memory was given back");
		}
	}
}

static void test_not_snapshots(void)
{
	static const struct {
		const char *description, *words;
	} cases[] = {
		{"{}", "it holds an empty dict without 'segments' and 'device_traces'"},
		{"{'a': 1}", "it holds a dict without 'segments' and 'device_traces'"},
		{"{'segments': None}", "without 'segments' and 'device_traces'"},
		{"[1, 2, 3]", "it holds a list"},
		{"[1, 2]", "it holds a pair of integers"},
		{"['a']", "it holds a list"},
		{"[{'action': 'alloc'}]", "it holds a list"},
		{"[[{'action': 'alloc'}]]", "it holds a list"},
		{"{'action': 'alloc'}", "it holds an event"},
		{"{'total_size': 1}", "it holds a segment"},
		{"[" FRAME "]", "it holds a list of frames"},
		{"[" FRAME " x 1500]", "it holds a list"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct loaded l;

		load_text(&l, MK_PROTOCOL_4, cases[i].description);
		is_i64(l.rc, ERR_UNSUPPORTED, "%s is refused", cases[i].description);
		ok(strstr(l.err.text, "not a memory snapshot: ") == l.err.text &&
			   strstr(l.err.text, cases[i].words),
		   "%s", l.err.text);
		ok(loaded_release(&l), "memory was given back");
	}
}

int main(void)
{
	test_schemas();
	test_npu();
	test_wrong_types();
	test_not_snapshots();
	return done_testing();
}
