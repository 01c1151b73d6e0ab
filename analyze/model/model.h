/* SPDX-License-Identifier: MIT
 * model.h -- one loaded file: columns of events, segments and their blocks, interned everything.
 *
 * A model is immutable once loaded; everything reachable from it lives until model_free. Two can
 * be open at once. Field meanings follow PyTorch's snapshot keys (torch/csrc/cuda/
 * memory_snapshot.cpp, THCPModule_memorySnapshot in torch/csrc/cuda/Module.cpp).
 *
 *     struct model *m;
 *     if (model_load(&m, "crash.pickle", &options, err) < 0) ...
 *     const struct device *d = &m->devices.at[0];
 *     for (uint64_t e = d->first_event; e < d->first_event + d->n_events; e++)
 *             m->events.action.at[e] ...
 *
 * Rows of the event columns are global; event N of a device (the number people see) is row
 * d->first_event + N.
 */
#ifndef ANALYZE_MODEL_MODEL_H
#define ANALYZE_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/input.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "decode/container.h"
#include "model/ids.h"
#include "model/stacks.h"
#include "model/value.h"

/* What an event did. ACTION_OTHER: a name this program does not know (attr.action_name). */
enum action {
	ACTION_OTHER,
	ACTION_ALLOC,
	ACTION_FREE_REQUESTED,
	ACTION_FREE_COMPLETED,
	ACTION_SEGMENT_ALLOC,
	ACTION_SEGMENT_FREE,
	ACTION_SEGMENT_MAP,
	ACTION_SEGMENT_UNMAP,
	ACTION_OOM,
	ACTION_SNAPSHOT,
	ACTION_ANNOTATE,
	ACTION_USER_DEFINED,
	ACTION_COUNT,
};

/* PyTorch's spelling; "other" for ACTION_OTHER. */
const char *action_name(enum action a);

enum block_state {
	BLOCK_INACTIVE,
	BLOCK_ACTIVE,  /* active_allocated */
	BLOCK_PENDING, /* active_pending_free: freed, waits for another stream */
};

/* PyTorch's spelling. */
const char *block_state_name(enum block_state s);

enum pool_kind { POOL_SMALL, POOL_LARGE, POOL_UNKNOWN };

/* (0, 0) the default pool, (n, 0) a CUDA graph's, (0, n) a user's MemPool. */
struct pool_id {
	int64_t a, b;
};

#define TIME_NONE   INT64_MIN  /* time_us of an event without a time */
#define BYTES_NONE  UINT64_MAX /* an amount the file does not tell */
#define EVENT_START (-1)       /* the number of the moment before event 0 */

/* What most events have in common, kept once for each distinct combination. Row 0: nothing. */
struct attr {
	uint64_t stream;
	struct pool_id pool;
	bool has_stream, has_pool;
	str_id action_name;                                                 /* of ACTION_OTHER */
	str_id compile_context, user_metadata, internal_metadata, category; /* STR_NONE: no key */
	stack_id forward_stack; /* frames with names only; STACK_ABSENT: none */
};

/* Columns, one row an event, all devices behind one another in device order. */
struct events {
	VEC(uint8_t) action;  /* enum action */
	VEC(uint64_t) addr;   /* ACTION_OOM: device_free bytes, BYTES_NONE when absent */
	VEC(uint64_t) size;   /* bytes; alloc, free_*: requested; oom: rounded request */
	VEC(int64_t) time_us; /* Unix time, or TIME_NONE */
	VEC(stack_id) stack;
	VEC(attr_id) attr;
	/* Only in files that count nanoseconds, else empty: 0..999 beyond time_us. */
	VEC(uint16_t) time_ns;
	/* Only when devices are `counted`, else empty: bytes of the device just after the event,
	 * BYTES_NONE where the file does not tell. */
	VEC(uint64_t) allocated, reserved;
};

struct block {
	uint64_t address, size;  /* bytes */
	uint64_t requested_size; /* BYTES_NONE when the file has none; junk when inactive */
	stack_id stack;
	uint8_t state; /* enum block_state */
};

struct segment {
	uint64_t address, total_size;                         /* bytes */
	uint64_t allocated_size, active_size, requested_size; /* as in the file, or BYTES_NONE */
	uint64_t stream;
	uint64_t first_block, n_blocks; /* rows of model.blocks, in file order */
	struct pool_id pool;
	int32_t device;
	uint32_t file_order; /* position in the file's list; set by model_finish */
	stack_id stack;
	uint8_t kind; /* enum pool_kind */
	bool is_expandable;
	bool has_pool;
};

/* The size of a block that lived before a sliced trace and may die in it: what `vramscope slice`
 * knew and the format cannot say. */
struct block_before {
	uint64_t address, size;
	int32_t device; /* index of its list in device_traces */
};

struct annotation {
	str_id name;
	int64_t time_us; /* or TIME_NONE */
	int32_t device;  /* the calling thread's current device: a hint */
	bool is_end;     /* stage END; else START */
};

/* Why a trace does not reach back to an empty device. */
enum history {
	HISTORY_NONE,      /* at most one event */
	HISTORY_COMPLETE,  /* nothing was live before event 0 */
	HISTORY_TRUNCATED, /* events were lost at the front */
	HISTORY_LATE_START,
};

const char *history_name(enum history h);

#define DEVICE_HOST (-1) /* index of pinned host memory (host_segments, host_traces) */

/* One list of device_traces and the segments of the same device. */
struct device {
	int32_t index; /* CUDA device, or DEVICE_HOST */
	uint64_t first_event, n_events;
	uint64_t first_segment, n_segments;
	uint64_t max_entries;            /* ring capacity as the file says, or BYTES_NONE */
	bool overflow_known, overflowed; /* the file says whether events were lost */
	/* False: events are missing between the last one and the segments (a cut file), or there
	 * are no segments at all; then the trace says nothing about what lived before it. */
	bool trace_meets_segments;
	/* Totals come from events.allocated and .reserved, not from blocks: chrome traces and
	 * memory timelines. Sizes of events are those of blocks, rounded already; such a device
	 * has no segments. */
	bool counted;
	bool no_addresses;       /* of a counted device: events tell amounts only */
	bool base_known;         /* of a counted device: base_allocated is all that lived */
	uint64_t base_allocated; /* bytes before event 0 of a counted device, or the least that
					its frees need */
	uint64_t n_unseen;       /* places where the file's totals move by more than its events
					say: threads that were not recorded */
	uint64_t unseen_bytes;   /* sum of those differences, up or down */
	uint64_t capacity;       /* bytes of the device as the file tells, or 0 */
	str_id name;             /* "NVIDIA H200", or STR_NONE */
};

/* What is kept of a chrome trace: the first that fits the memory budget. */
enum trace_detail {
	TRACE_FULL,   /* memory events with stacks, annotations */
	TRACE_MEMORY, /* memory events without stacks */
	TRACE_TOTALS, /* sums over the file, no events */
};

/* Sums over the memory events of a device of a trace, whatever its detail. */
struct trace_device {
	int32_t type, id; /* as in the file: "Device Type" (c10), "Device Id" */
	int32_t index;    /* of struct device */
	uint64_t n_events, n_allocs, n_frees, n_ooms, n_addressed;
	uint64_t alloc_bytes, free_bytes;
	uint64_t peak_allocated, peak_reserved; /* highest totals told, BYTES_NONE: none */
	uint64_t end_allocated, end_reserved;   /* totals of the latest event */
	int64_t first_us, last_us;              /* or TIME_NONE */
};

/* What a chrome trace is made of. */
struct trace_facts {
	enum trace_detail detail;
	bool limited;       /* detail is less than was asked for: the memory limit */
	uint64_t n_records; /* trace events of all kinds */
	uint64_t n_spans, n_ops, n_python, n_annotations;
	uint64_t n_memory, n_ooms;
	uint64_t n_no_address; /* memory events without Addr */
	uint64_t n_zero_time;  /* left out: a time of 0 */
	uint64_t n_overlaps;   /* spans of one thread that overlap and were cut */
	uint64_t n_faults;     /* places where the JSON was broken, all kinds */
	VEC(struct trace_device) devices;
};

/* A row of a memory timeline, as torch.profiler's raw export has it. */
struct timeline_row {
	int64_t time_ns;  /* Unix time, or -1: before the recording */
	int64_t bytes;    /* more (> 0) or less */
	uint8_t action;   /* enum timeline_action */
	uint8_t category; /* 0..TIMELINE_CATEGORIES - 1 */
};

enum timeline_action {
	TIMELINE_PREEXISTING = 1,
	TIMELINE_CREATE,
	TIMELINE_INCREMENT_VERSION,
	TIMELINE_DESTROY,
};

/* In torch.profiler's order: PARAMETER OPTIMIZER_STATE INPUT TEMPORARY ACTIVATION GRADIENT
 * AUTOGRAD_DETAIL UNKNOWN. */
#define TIMELINE_CATEGORIES 8

const char *timeline_category_name(unsigned category);

/* allocator_settings, understood. Defaults of PyTorch where the file is silent. */
struct alloc_settings {
	uint64_t max_split_bytes;              /* UINT64_MAX: unlimited */
	uint64_t max_non_split_rounding_bytes; /* default 20 MiB */
	uint64_t large_segment_bytes;          /* default 20 MiB */
	double gc_threshold;                   /* 0: off */
	bool expandable_segments;
	bool known;                     /* the file has allocator_settings */
	uint16_t roundup_divisions[16]; /* [i]: sizes from 2^i MiB; 0 and 1 are off */
	/* Added to a request before rounding to 512: 32 in files of torch_npu, else 0; told by the
	 * block sizes. */
	uint32_t rounding_extra;
};

struct tally {
	str_id name; /* of a key: with its place, "device_traces[][].foo" */
	uint64_t count;
};

struct model {
	struct budget *budget; /* weak */
	struct arena arena;
	struct strtab strings;
	struct stacks stacks;
	struct events events;
	/* Of each frame: whose code it is, where site rules say so (site_use_rules); else empty. */
	VEC(uint8_t) frame_owners;
	/* Of each frame: the program or library it lies in, where its file is a source file that
	 * symbols told (symbols_resolve), else STR_NONE; empty when there are none. */
	VEC(str_id) frame_modules;
	VEC(struct attr) attrs;
	VEC(struct segment) segments; /* device by device, in file order inside one */
	VEC(struct block) blocks;
	VEC(struct annotation) annotations;
	VEC(struct block_before) blocks_before; /* by device, then address */
	uint64_t n_trace_lists;     /* device_traces of a whole file, one a device; 0: not known */
	VEC(struct device) devices; /* ascending index, host last; only those with data */
	struct alloc_settings settings;
	const struct value *settings_value; /* allocator_settings as in the file, or NULL */

	const struct value *capture_value; /* what the recorder of capture/ adds, or NULL */

	/* About the file. */
	str_id file;
	enum container_format format;
	enum compression compression;
	int pickle_protocol; /* -1 when not a pickle */
	uint64_t raw_bytes, decoded_bytes;
	const char *writer; /* guess, for people: "PyTorch 2.10 or newer" */
	bool has_traces;    /* the file has a device_traces key */
	bool has_segments;
	bool stacks_python_only; /* there are frames, and all of them are Python frames */
	bool partial;            /* damage says where and why reading stopped */
	struct error damage;
	VEC(struct tally) unknown_keys;
	VEC(struct tally) unknown_actions;
	VEC(str_id) problems;              /* sentences worth a person's attention */
	struct trace_facts trace;          /* of CONTAINER_TRACE */
	VEC(struct timeline_row) timeline; /* of memory timelines, in the order of the file */
};

struct model_options {
	struct budget *budget;
	/* May be NULL. Called every few MiB while reading, and once more when reading ends, also in
	 * failure: how far it came, in bytes of the file as it lies; UINT64_MAX in all for a pipe. */
	void (*progress)(void *ctx, uint64_t read_bytes, uint64_t all_bytes);
	void *progress_ctx;             /* weak */
	enum trace_detail trace_detail; /* of chrome traces: keep no more than this */
	bool strict; /* refuse a chrome trace or timeline whose JSON is broken anywhere */
};

/* Load any input container.h opens. Errors: those of container_open and pickle_read, ERR_SCHEMA
 * with the path of a value of the wrong type. A damaged input is no error: model->partial. */
int model_load(struct model **out, const char *name, const struct model_options *options,
	       struct error *err);
/* The same from bytes in memory; `label` stands for the file's name. */
int model_load_bytes(struct model **out, const void *bytes, size_t length, const char *label,
		     const struct model_options *options, struct error *err);
void model_free(struct model *m);

/* Verify every invariant of the tables (ids in range, ranges disjoint and complete, interning
 * without duplicates). For tests and debug builds; a failure is a bug of ours, never bad input.
 * Returns 0, or negative with the first violation in words. */
int model_check(const struct model *m, struct error *err);

/* An empty model to fill by hand, for loaders and tests; finish with model_finish, which sorts out
 * devices and settings and counts. */
int model_new(struct model **out, struct budget *budget, struct error *err);
int model_finish(struct model *m, struct error *err);

/* The device with this index, or NULL. */
const struct device *model_device(const struct model *m, int32_t index);

/* The size of a block from before the trace as the file tells it, or 0. */
uint64_t model_size_before(const struct model *m, int32_t device, uint64_t address);

/* NUL-terminated bytes of a string id of this model; "" for none. */
const char *model_str(const struct model *m, str_id id);

#endif
