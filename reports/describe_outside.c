/* SPDX-License-Identifier: MIT
 * describe_outside.c -- whose memory lies beside PyTorch's allocator.
 */
#include "reports/describe_outside.h"

#include <stdio.h>
#include <string.h>

#include "passes/native_frame.h"
#include "reports/describe.h"

struct library {
	const char *prefix, *name, *hint;
};

/* By the beginning of a library's name; the first that fits. */
static const struct library *find_library(const char *base)
{
	static const struct library libraries[] = {
		{"libnccl.", "NCCL",
		 "fewer process groups, or a smaller NCCL_BUFFSIZE or NCCL_MAX_NCHANNELS"},
		{"libcublasLt.", "cuBLASLt", "a smaller CUBLASLT_WORKSPACE_SIZE"},
		{"libcublas.", "cuBLAS", "fewer threads that multiply: each has a handle"},
		{"libcudnn", "cuDNN", NULL},
		{"libcufft", "cuFFT", "a smaller torch.backends.cuda.cufft_plan_cache.max_size"},
		{"libcurand", "cuRAND", NULL},
		{"libcusolver", "cuSOLVER", NULL},
		{"libcusparse", "cuSPARSE", NULL},
		{"libnvshmem", "NVSHMEM", "a smaller NVSHMEM_SYMMETRIC_SIZE"},
		{"libtorch", "PyTorch, not through its allocator", NULL},
		{"libuct_cuda", "UCX", NULL},
		{"libucp.", "UCX", NULL},
		{"xla_", "XLA", "a smaller XLA_PYTHON_CLIENT_MEM_FRACTION"},
	};

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (!strncmp(base, libraries[i].prefix, strlen(libraries[i].prefix)))
			return &libraries[i];
	return NULL;
}

static const char *base_of(const struct outside *o, const struct outside_group *g)
{
	return path_base(model_str(o->recording, g->module));
}

const char *outside_words(const struct outside *o, const struct outside_group *g, char *buf,
			  size_t size)
{
	const struct library *l = find_library(base_of(o, g));

	if (g->others)
		snprintf(buf, size, "other libraries");
	else if (g->module.i == STR_NONE.i)
		snprintf(buf, size, "(no stack)");
	else if (g->allocator)
		snprintf(buf, size, "PyTorch's allocator, of no segment in the snapshot");
	else if (l)
		snprintf(buf, size, "%s (%s)", l->name, base_of(o, g));
	else
		snprintf(buf, size, "%s", base_of(o, g));
	return buf;
}

const char *outside_hint(const struct outside *o, const struct outside_group *g)
{
	const struct library *l = g->allocator ? NULL : find_library(base_of(o, g));

	return l ? l->hint : NULL;
}

static void row(struct emit *e, const struct outside *o, const struct outside_group *g)
{
	char words[300];

	emit_row_begin(e);
	emit_bytes(e, "bytes", "bytes", g->bytes);
	emit_u64(e, "allocations", "allocations", g->count);
	emit_str(e, "name", "whose", outside_words(o, g, words, sizeof words));
	if (emit_is_json(e))
		emit_str(e, "module", NULL,
			 g->module.i == STR_NONE.i ? NULL : model_str(o->recording, g->module));
	emit_row_end(e);
}

static void groups(struct emit *e, const struct outside *o)
{
	emit_table_begin(e, "groups", "Outside PyTorch's allocator, by the driver's recording");
	for (size_t i = 0; i < o->n_groups; i++)
		row(e, o, &o->groups[i]);
	emit_table_end(e);
}

static void json(struct emit *e, const struct outside *o)
{
	if (!o->known || o->differs) {
		emit_null(e, "driver", NULL);
		return;
	}
	emit_object_begin(e, "driver", NULL);
	emit_event(e, "event", NULL, o->event);
	emit_time_us(e, "time_us", NULL, o->time_us);
	emit_bytes(e, "pytorch_bytes", NULL, o->pytorch);
	emit_bytes(e, "reserved_bytes", NULL, o->reserved);
	emit_bytes(e, "not_recorded_bytes", NULL, o->not_seen);
	emit_bytes(e, "named_bytes", NULL, o->named);
	emit_bytes(e, "between_bytes", NULL, o->between);
	emit_bytes(e, "device_total_bytes", NULL, o->total_known ? o->total : BYTES_NONE);
	emit_bytes(e, "device_free_bytes", NULL, o->total_known ? o->free : BYTES_NONE);
	if (o->total_known)
		emit_i64(e, "unseen_bytes", NULL, o->rest);
	else
		emit_null(e, "unseen_bytes", NULL);
	groups(e, o);
	emit_object_end(e);
}

void describe_outside(struct emit *e, const struct outside *o)
{
	char a[UNITS_BUF], b[UNITS_BUF], c[UNITS_BUF], f[UNITS_BUF], g[UNITS_BUF], kept[120] = "";

	if (emit_is_json(e)) {
		json(e, o);
		return;
	}
	if (!o->known || o->differs)
		return;
	groups(e, o);
	if (o->between)
		snprintf(kept, sizeof kept,
			 " + %s that the driver keeps for small blocks and pools",
			 emit_words_bytes(e, a, o->between));
	if (o->total_known && o->rest >= 0)
		emit_prose(e,
			   "The card's %s just after event %lld of the recording: %s in PyTorch's "
			   "segments + %s of the libraries above%s + %s that no call asked for "
			   "(contexts, code, other processes) + %s free.",
			   emit_words_bytes(e, a, o->total), (long long)o->event,
			   emit_words_bytes(e, b, o->pytorch), emit_words_bytes(e, c, o->named),
			   kept, emit_words_bytes(e, f, (uint64_t)o->rest),
			   emit_words_bytes(e, g, o->free));
	if (o->not_seen)
		emit_prose(e, "%s of PyTorch's segments are not in the recording.",
			   emit_words_bytes(e, a, o->not_seen));
}
