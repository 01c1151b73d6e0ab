/* SPDX-License-Identifier: MIT
 * load_trace_private.h -- what is kept of a chrome trace while it is read. Private to load_trace*.c.
 *
 * Records come in no order of time, so spans and memory events are kept until the end, 32 and 40
 * bytes each, and are then sorted and swept once (load_trace_sweep.c). Names are kept once.
 */
#ifndef ANALYZE_MODEL_LOAD_TRACE_PRIVATE_H
#define ANALYZE_MODEL_LOAD_TRACE_PRIVATE_H

#include "base/hash.h"
#include "decode/json_stream.h"
#include "model/load_trace.h"

enum span_kind { SPAN_OP, SPAN_PYTHON, SPAN_ANNOTATION };

#define NO_SEQUENCE UINT32_MAX

/* A span of one thread: an operator, a Python function, an annotation. */
struct trace_span {
	int64_t start, end; /* ns since the trace's base; end INT64_MAX: it was never ended */
	str_id name;
	uint32_t order;    /* "Ev Idx" */
	uint32_t sequence; /* of the autograd node it makes or runs, or NO_SEQUENCE */
	uint16_t thread;
	uint8_t kind;
	bool backward; /* it runs a node: "Fwd thread id" */
};

/* Amounts beyond 2^47 are no memory. */
#define AMOUNT_MAX (INT64_C(1) << 46)

/* A [memory] or [OutOfMemory] event. */
struct trace_memory {
	int64_t time; /* ns since the trace's base */
	uint64_t address;
	int64_t bytes : 48;
	uint64_t thread : 16;
	uint64_t allocated : 48; /* AMOUNT_UNTOLD: the file does not tell */
	uint64_t device : 8;     /* row of trace_facts.devices */
	uint64_t oom : 1;
	uint64_t addressed : 1;
	uint32_t reserved; /* row of loader.reserved */
	uint32_t order;    /* "Ev Idx" */
};

#define AMOUNT_UNTOLD ((UINT64_C(1) << 48) - 1)

struct trace_loader {
	struct model *model;
	struct budget *budget; /* weak */
	const struct model_options *options;
	const struct container *container;
	struct json_stream stream;
	VEC(struct trace_span) spans;
	VEC(struct trace_memory) memory;
	VEC(uint64_t) reserved;       /* distinct "Total Reserved"; row 0: not told */
	struct hashmap reserved_rows; /* amount -> row */
	struct hashmap threads;       /* hash of pid and tid -> number */
	char last_thread[64];         /* the bytes of the last pid and tid, and their number */
	uint32_t last_thread_length, last_pid_length;
	uint16_t last_thread_number;
	VEC(char) text;  /* a name with escapes undone */
	int64_t base_ns; /* baseTimeNanoseconds */
	bool whole_us;   /* no time had decimals so far */
	bool latest_has_time;
	VEC(int64_t) latest; /* of each device: time of the event that gave its end totals */
	uint64_t next_progress;
	uint64_t limited_at; /* offset where the memory limit was met, or UINT64_MAX */
	uint64_t n_odd;      /* memory events without amounts that make sense */
};

/* The pieces of a record that matter. */
struct trace_record {
	struct json_piece ph, cat, name, pid, tid, ts, dur;
	struct json_piece address, bytes, type, id, allocated, reserved, order, sequence, forward;
};

/* json_record_fn over a struct trace_record: reads one event. */
int trace_record_read(void *ctx, struct json_lenient *j);

/* What a record is. */
enum trace_kind { TRACE_IS_OTHER, TRACE_IS_SPAN, TRACE_IS_MEMORY };
enum trace_kind trace_record_kind(const struct trace_record *r, enum span_kind *span);

/* deviceProperties, into the model's devices. */
int trace_read_properties(void *ctx, struct json_lenient *j);

/* Keep the record's event: 0, or negative (ERR_LIMIT: nothing was kept of it). */
int trace_keep(struct trace_loader *l, struct json_lenient *j, const struct trace_record *r,
	       struct error *err);

/* Memory events, sorted by device and time, become the model's events and devices. */
int trace_make_events(struct trace_loader *l, struct error *err);
/* Spans become annotations, and the stacks of the events. */
int trace_sweep(struct trace_loader *l, struct error *err);

#endif
