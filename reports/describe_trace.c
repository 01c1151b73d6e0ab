/* SPDX-License-Identifier: MIT
 * describe_trace.c -- what a chrome trace or a memory timeline is made of, for info.
 */
#include <inttypes.h>
#include <stdio.h>

#include "reports/describe.h"

static const char *const detail_words[] = {
	[TRACE_FULL] = "full",
	[TRACE_MEMORY] = "memory",
	[TRACE_TOTALS] = "totals",
};

/* c10::DeviceType, as far as memory is recorded for it. */
static const char *type_name(int32_t type)
{
	static const struct {
		int32_t type;
		const char *name;
	} names[] = {{0, "CPU"},  {1, "CUDA"}, {6, "HIP"},   {9, "XLA"},         {12, "XPU"},
		     {13, "MPS"}, {15, "HPU"}, {19, "MTIA"}, {20, "PrivateUse1"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].type == type)
			return names[i].name;
	}
	return "other";
}

static void describe_trace_device(struct emit *e, const struct model *m,
				  const struct trace_device *t)
{
	const struct device *d = model_device(m, t->index);
	char name[64];

	if (t->index == DEVICE_HOST)
		snprintf(name, sizeof name, "%s", type_name(t->type));
	else
		snprintf(name, sizeof name, "%s %" PRId32, type_name(t->type), t->index);
	emit_row_begin(e);
	emit_str(e, NULL, "", name);
	if (t->index == DEVICE_HOST)
		emit_null(e, "device", NULL);
	else
		emit_i64(e, "device", NULL, t->index);
	emit_str(e, "type", NULL, type_name(t->type));
	emit_u64(e, "events", "events", t->n_events);
	emit_u64(e, "allocs", NULL, t->n_allocs);
	emit_u64(e, "frees", NULL, t->n_frees);
	emit_u64(e, "ooms", NULL, t->n_ooms);
	emit_bytes(e, "alloc_bytes", "allocated in all", t->alloc_bytes);
	emit_bytes(e, "free_bytes", "freed in all", t->free_bytes);
	emit_bytes(e, "peak_allocated_bytes", "most allocated", t->peak_allocated);
	emit_bytes(e, "peak_reserved_bytes", "most reserved", t->peak_reserved);
	emit_bytes(e, "end_allocated_bytes", NULL, t->end_allocated);
	emit_bytes(e, "end_reserved_bytes", NULL, t->end_reserved);
	emit_time_us(e, "first_time_us", NULL, t->first_us);
	emit_time_us(e, "last_time_us", NULL, t->last_us);
	emit_bytes(e, "capacity_bytes", NULL, d && d->capacity ? d->capacity : BYTES_NONE);
	emit_str(e, "name", NULL, d && d->name.i ? model_str(m, d->name) : NULL);
	if (d && d->n_events) {
		emit_u64(e, "unseen", NULL, d->n_unseen);
		emit_bytes(e, "unseen_bytes", NULL, d->unseen_bytes);
	} else {
		emit_null(e, "unseen", NULL);
		emit_null(e, "unseen_bytes", NULL);
	}
	emit_row_end(e);
}

void describe_trace(struct emit *e, const struct model *m)
{
	const struct trace_facts *t = &m->trace;
	char line[300], all[64], memory[64], spans[64];

	if (m->format != CONTAINER_TRACE) {
		emit_null(e, "trace", NULL);
		return;
	}
	units_noun(all, sizeof all, t->n_records, "event", "events");
	units_noun(memory, sizeof memory, t->n_memory, "of memory", "of memory");
	units_noun(spans, sizeof spans, t->n_spans, "span", "spans");
	snprintf(line, sizeof line, "%s: %s, %s", all, memory, spans);
	emit_str(e, NULL, "trace", line);
	emit_object_begin(e, "trace", NULL);
	emit_str(e, "detail", NULL, detail_words[t->detail]);
	emit_u64(e, "events", NULL, t->n_records);
	emit_u64(e, "memory_events", NULL, t->n_memory);
	emit_u64(e, "oom_events", NULL, t->n_ooms);
	emit_u64(e, "without_address", NULL, t->n_no_address);
	emit_u64(e, "without_time", NULL, t->n_zero_time);
	emit_object_begin(e, "spans", NULL);
	emit_u64(e, "cpu_op", NULL, t->n_ops);
	emit_u64(e, "python_function", NULL, t->n_python);
	emit_u64(e, "user_annotation", NULL, t->n_annotations);
	emit_u64(e, "overlapping", NULL, t->n_overlaps);
	emit_object_end(e);
	emit_u64(e, "faults", NULL, t->n_faults);
	emit_table_begin(e, "devices", "Memory events of the trace");
	for (size_t i = 0; i < t->devices.n; i++)
		describe_trace_device(e, m, &t->devices.at[i]);
	emit_table_end(e);
	emit_object_end(e);
}

/* Bytes of each category at the end, and how many rows of each action there are. */
void describe_memory_timeline(struct emit *e, const struct model *m)
{
	static const char *const actions[] = {"preexisting", "create", "increment_version",
					      "destroy"};
	int64_t bytes[TIMELINE_CATEGORIES] = {0};
	uint64_t counts[4] = {0};

	if (m->format != CONTAINER_TIMELINE_JSON && m->format != CONTAINER_TIMELINE_RAW) {
		emit_null(e, "timeline", NULL);
		return;
	}
	for (size_t i = 0; i < m->timeline.n; i++) {
		const struct timeline_row *row = &m->timeline.at[i];

		counts[row->action - TIMELINE_PREEXISTING]++;
		bytes[row->category] += row->bytes;
	}
	emit_object_begin(e, "timeline", NULL);
	emit_u64(e, "rows", "rows", m->timeline.n);
	emit_object_begin(e, "actions", NULL);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		emit_u64(e, actions[i], NULL, counts[i]);
	emit_object_end(e);
	emit_object_begin(e, "end_by_category", NULL);
	for (unsigned c = 0; c < TIMELINE_CATEGORIES; c++)
		emit_bytes(e, timeline_category_name(c), NULL,
			   bytes[c] < 0 ? 0 : (uint64_t)bytes[c]);
	emit_object_end(e);
	emit_object_end(e);
}
