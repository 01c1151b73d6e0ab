/* SPDX-License-Identifier: MIT
 * mk_snapshot.c -- loading descriptions, and the richest one.
 */
#include "tests/lib/mk_snapshot.h"

#include <stdio.h>
#include <stdlib.h>

void load_bytes(struct loaded *l, const void *bytes, size_t n, uint64_t limit)
{
	*l = (struct loaded){.budget.limit = limit};
	struct model_options options = {.budget = &l->budget};
	struct error check = {0};

	l->rc = model_load_bytes(&l->m, bytes, n, "test", &options, &l->err);
	if (l->rc < 0)
		l->m = NULL;
	if (l->m && model_check(l->m, &check) < 0) {
		fprintf(stderr, "model_check: %s\n", check.text);
		abort();
	}
}

void load_text(struct loaded *l, enum mk_dialect dialect, const char *description)
{
	struct mk_bytes b = mk_pickle(dialect, description);

	load_bytes(l, b.at, b.n, UINT64_MAX);
	mk_bytes_free(&b);
}

bool loaded_release(struct loaded *l)
{
	model_free(l->m);
	l->m = NULL;
	return l->budget.used == 0;
}

#define FRAMES_A                                                                               \
	"[{'name': 'aten::empty', 'filename': 'Empty.cpp', 'line': 10}, &g {'name': 'f', "     \
	"'filename': '/src/train.py', 'line': 18446744073709551615}, &h {'name': '<module>', " \
	"'filename': '/src/train.py', 'line': 7, 'fx_node_op': 'call'}]"

const char snapshot_newest[] =
	"{'segments': ["
	"{'device': 0, 'address': 140187732541440, 'total_size': 2097152, 'allocated_size': 1024, "
	"'active_size': 1536, 'requested_size': 1300, 'stream': 0, 'segment_type': 'small', "
	"'segment_pool_id': (0, 0), 'is_expandable': False, 'frames': &a " FRAMES_A
	", 'blocks': [{'address': 140187732541440, 'size': 1024, 'requested_size': 1000, 'state': "
	"'active_allocated', 'frames': *a}, {'address': 140187732542464, 'size': 512, "
	"'requested_size': 300, 'state': 'active_pending_free', 'frames': [*g]}, {'address': "
	"140187732542976, 'size': 2095616, 'requested_size': 99, 'state': 'inactive', 'frames': "
	"[]}]}, "
	"{'device': 1, 'address': 140187740000000, 'total_size': 20971520, 'allocated_size': 0, "
	"'active_size': 0, 'requested_size': 0, 'stream': 94000000000000, 'segment_type': 'large', "
	"'segment_pool_id': (0, 3), 'is_expandable': True, 'frames': [], 'forward_frames': ['l1', "
	"'l2'], 'blocks': [{'address': 140187740000000, 'size': 20971520, 'requested_size': 0, "
	"'state': 'inactive', 'frames': []}]}], "
	"'device_traces': [["
	"{'action': 'segment_alloc', 'addr': 140187732541440, 'size': 2097152, 'stream': 0, "
	"'time_us': 1700000000000001, 'compile_context': 'N/A', 'user_metadata': '', 'pool_id': "
	"(0, 0), 'frames': *a}, "
	"{'action': 'alloc', 'addr': 140187732541440, 'size': 1000, 'stream': 0, 'time_us': "
	"1700000000000002, 'compile_context': 'N/A', 'user_metadata': 'step 1', 'pool_id': (0, 0), "
	"'frames': *a}, "
	"{'action': 'alloc', 'addr': 140187732542464, 'size': 300, 'stream': 0, 'time_us': "
	"1700000000000003, 'compile_context': 'N/A', 'user_metadata': 'step 1', "
	"'internal_metadata': 'mallocWithAddress', 'pool_id': (0, 0), 'frames': [*g], "
	"'forward_frames': ['l1', 'l2']}, "
	"{'action': 'free_requested', 'addr': 140187732542464, 'size': 300, 'stream': 0, "
	"'time_us': 1700000000000004, 'compile_context': 'N/A', 'user_metadata': 'step 1', "
	"'pool_id': (0, 0), 'frames': []}, "
	"{'action': 'oom', 'device_free': 4096, 'size': 1048576, 'stream': 0, 'time_us': "
	"1700000000000005, 'compile_context': 'N/A', 'user_metadata': '', 'pool_id': (0, 0), "
	"'frames': *a}, "
	"{'action': 'workspace_snapshot', 'addr': 140187732541440, 'size': 5, 'stream': 0, "
	"'time_us': 1700000000000006, 'compile_context': 'N/A', 'user_metadata': '', 'pool_id': "
	"(0, 0), 'frames': []}, "
	"{'action': 'snapshot', 'addr': 0, 'size': 1536, 'stream': 0, 'time_us': "
	"1700000000000007, 'compile_context': 'N/A', 'user_metadata': '', 'pool_id': (0, 0)}], "
	"[], "
	"[{'action': 'segment_map', 'addr': 140187740000000, 'size': 20971520, 'stream': "
	"94000000000000, 'time_us': 1700000000000008, 'compile_context': 'N/A', 'user_metadata': "
	"'', 'pool_id': (0, 3), 'frames': [*h]}]], "
	"'allocator_settings': {'PYTORCH_CUDA_ALLOC_CONF': 'expandable_segments:True,"
	"max_non_split_rounding_mb:64, large_segment_size_mb:40', 'max_split_size': 209715200, "
	"'garbage_collection_threshold': 0.75, 'expandable_segments': True, "
	"'roundup_power2_divisions': {'1': 0, '2': 4, '4': 8, '32768': 2}, "
	"'graph_capture_record_stream_reuse': False}, "
	"'external_annotations': [{'stage': 'START', 'name': '## step ##', 'device': 0, 'time_us': "
	"1700000000000000}, {'name': '## step ##', 'stage': 'END', 'device': 0, 'time_us': "
	"1700000000000009}], "
	"'host_segments': [{'device': -1, 'address': 94000000004096, 'total_size': 4096, "
	"'allocated_size': 4096, 'active_size': 4096, 'requested_size': 4096, 'stream': 0, "
	"'segment_type': 'small', 'segment_pool_id': (0, 0), 'is_expandable': False, 'frames': [], "
	"'blocks': [{'address': 94000000004096, 'size': 4096, 'requested_size': 4096, 'state': "
	"'active_allocated', 'frames': []}]}], "
	"'host_traces': [{'action': 'segment_alloc', 'addr': 94000000004096, 'size': 4096, "
	"'stream': 0, 'time_us': 1700000000000010, 'compile_context': 'N/A', 'user_metadata': '', "
	"'pool_id': (0, 0), 'frames': []}]}";
