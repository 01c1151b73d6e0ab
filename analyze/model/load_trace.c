/* SPDX-License-Identifier: MIT
 * load_trace.c -- a chrome trace from its first bracket to its last, and what is said about it.
 */
#include "model/load_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/load_trace_private.h"
#include "model/problem.h"

/* Bytes between calls of the progress hook. */
#define PROGRESS_BYTES (UINT64_C(8) << 20)

/* ---- reading ---- */

static void drop_spans(struct trace_loader *l)
{
	vec_release(&l->spans, l->budget);
}

static void drop_memory(struct trace_loader *l)
{
	vec_release(&l->memory, l->budget);
	vec_release(&l->reserved, l->budget);
	hashmap_clear(&l->reserved_rows);
}

/* The budget is spent: keep less. False when there is nothing to give up. */
static bool keep_less(struct trace_loader *l)
{
	struct trace_facts *t = &l->model->trace;

	if (t->detail == TRACE_TOTALS)
		return false;
	if (l->limited_at == UINT64_MAX)
		l->limited_at = input_offset(l->stream.in);
	t->limited = true;
	if (t->detail == TRACE_FULL)
		drop_spans(l);
	else
		drop_memory(l);
	t->detail = t->detail == TRACE_FULL ? TRACE_MEMORY : TRACE_TOTALS;
	return true;
}

static void progress(struct trace_loader *l)
{
	const struct model_options *o = l->options;
	uint64_t at = input_offset(l->stream.in);

	if (at < l->next_progress || !o->progress)
		return;
	l->next_progress = at + PROGRESS_BYTES;
	o->progress(o->progress_ctx, input_raw_offset(l->container->outer),
		    input_raw_size(l->container->outer));
}

static int keep_record(struct trace_loader *l, const struct trace_record *r, struct error *err)
{
	struct json_lenient j = {0};
	int rc = trace_keep(l, &j, r, err);

	/* Totals were counted already: only what is kept is tried again, and that is nothing. */
	if (rc == ERR_LIMIT && keep_less(l))
		rc = 0;
	json_stream_add_faults(&l->stream, &j);
	return rc;
}

static uint64_t count_faults(const struct json_stream *s)
{
	uint64_t n = 0;

	for (int f = 0; f < JSON_FAULT_COUNT; f++)
		n += s->faults[f];
	return n;
}

static int refuse_fault(const struct json_stream *s, struct error *err)
{
	return error_set(err, ERR_FORMAT, s->first_fault, "malformed JSON: %s",
			 json_fault_words(s->first_kind));
}

static int read_events(struct trace_loader *l, struct error *err)
{
	struct trace_record r;
	bool first = true;
	int rc;

	l->stream.in->at++; /* the bracket */
	l->stream.records = true;
	while ((rc = json_stream_item(&l->stream, &first, trace_record_read, &r, err)) > 0) {
		rc = keep_record(l, &r, err);
		if (rc < 0)
			break;
		if (l->options->strict && l->stream.first_fault != UINT64_MAX)
			return refuse_fault(&l->stream, err);
		progress(l);
		l->model->trace.n_records++;
	}
	l->stream.records = false;
	return rc;
}

static int read_base(void *ctx, struct json_lenient *j)
{
	struct json_piece piece;
	int rc = json_lenient_value(j, false, &piece);
	int64_t base;

	if (rc == 0 && json_piece_i64(&piece, &base))
		*(int64_t *)ctx = base;
	return rc;
}

/* The value of a member of the outer object. */
static int read_member(struct trace_loader *l, const char *name, struct error *err)
{
	int c = json_stream_peek(&l->stream, err);

	if (c < 0)
		return c;
	if (strcmp(name, "traceEvents") == 0 && c == '[')
		return read_events(l, err);
	if (strcmp(name, "baseTimeNanoseconds") == 0)
		return json_stream_value(&l->stream, read_base, &l->base_ns, err);
	if (strcmp(name, "deviceProperties") == 0 && c == '[')
		return json_stream_value(&l->stream, trace_read_properties, l, err);
	/* Metadata without a value, as empty fragments leave it. */
	if (c == ',' || c == '}') {
		l->stream.faults[JSON_FAULT_VALUE]++;
		return 0;
	}
	return json_stream_value(&l->stream, json_record_ignore, NULL, err);
}

static int read_document(struct trace_loader *l, struct error *err)
{
	char name[JSON_STREAM_NAME];
	bool first = true;
	int rc;

	if (json_stream_peek(&l->stream, err) == 0xef)
		l->stream.in->at += 3;
	rc = json_stream_peek(&l->stream, err);
	if (rc == '[')
		return read_events(l, err);
	if (rc <= 0)
		return rc;
	l->stream.in->at++;
	while ((rc = json_stream_member(&l->stream, &first, name, err)) > 0) {
		rc = read_member(l, name, err);
		if (rc < 0)
			break;
		if (l->options->strict && l->stream.first_fault != UINT64_MAX)
			return refuse_fault(&l->stream, err);
	}
	return rc;
}

/* ---- what is said ---- */

static int say_faults(struct trace_loader *l, struct error *err)
{
	const struct json_stream *s = &l->stream;
	bool first = true;
	int rc = 0;

	for (int f = 0; f < JSON_FAULT_COUNT && rc == 0; f++) {
		char where[64] = "";

		if (!s->faults[f])
			continue;
		if (first && s->first_fault != UINT64_MAX)
			snprintf(where, sizeof where, "; the file is broken first at byte %llu",
				 (unsigned long long)s->first_fault);
		first = false;
		rc = model_problem(l->model, err, "broken JSON: %llu %s%s",
				   (unsigned long long)s->faults[f],
				   json_fault_words((enum json_fault)f), where);
	}
	return rc;
}

static int say_detail(struct trace_loader *l, struct error *err)
{
	const struct trace_facts *t = &l->model->trace;

	if (!t->limited)
		return 0;
	return model_problem(
		l->model, err,
		"the memory limit was reached at byte %llu of the trace; %s (raise --limit)",
		(unsigned long long)l->limited_at,
		t->detail == TRACE_MEMORY ? "memory events are kept without stacks and annotations"
					  : "only totals are kept");
}

static int say_devices(struct trace_loader *l, struct error *err)
{
	struct model *m = l->model;
	int rc = 0;

	for (size_t i = 0; i < m->devices.n && rc == 0; i++) {
		const struct device *d = &m->devices.at[i];
		char name[32] = "the processor's memory";

		if (d->index != DEVICE_HOST)
			snprintf(name, sizeof name, "device %d", (int)d->index);
		if (d->n_unseen)
			rc = model_problem(
				m, err,
				"%s: in %llu places the totals move by more than the events say, "
				"%llu bytes together: threads that were not recorded",
				name, (unsigned long long)d->n_unseen,
				(unsigned long long)d->unseen_bytes);
		if (rc == 0 && d->counted && !d->base_known && d->n_events)
			rc = model_problem(
				m, err,
				"%s: the trace tells no totals; they count from %llu bytes, the "
				"least that its frees need, and what else lived before is unknown",
				name, (unsigned long long)d->base_allocated);
	}
	return rc;
}

static int say_oddities(struct trace_loader *l, struct error *err)
{
	const struct trace_facts *t = &l->model->trace;
	struct model *m = l->model;
	int rc = 0;

	if (t->n_zero_time)
		rc = model_problem(m, err,
				   "%llu events have no time or the time 0 and are left out",
				   (unsigned long long)t->n_zero_time);
	if (rc == 0 && l->n_odd)
		rc = model_problem(m, err, "%llu memory events have no amount that makes sense",
				   (unsigned long long)l->n_odd);
	if (rc == 0 && t->n_overlaps)
		rc = model_problem(
			m, err,
			"%llu spans overlap the next one of their thread and were cut there",
			(unsigned long long)t->n_overlaps);
	if (rc == 0 && t->n_no_address)
		rc = model_problem(
			m, err,
			"%llu memory events have no address: blocks cannot be followed, sums can",
			(unsigned long long)t->n_no_address);
	if (rc == 0 && !t->n_memory && !t->n_ooms)
		rc = model_problem(m, err,
				   "the trace has no memory events: the profiler ran without "
				   "profile_memory=True");
	return rc;
}

/* What stands behind the document. */
static int say_trailing(struct trace_loader *l, struct error *err)
{
	int c = l->stream.ended ? 0 : json_stream_peek(&l->stream, err);

	if (c < 0)
		return c;
	if (c == 0 || l->stream.ended)
		return 0;
	if (l->options->strict)
		return error_set(err, ERR_FORMAT, input_offset(l->stream.in),
				 "malformed JSON: more stands behind the end of the trace");
	return model_problem(l->model, err,
			     c == '{' || c == '['
				     ? "a second document begins at byte %llu and was not read"
				     : "what stands behind the end of the trace, from byte %llu "
				       "on, was ignored",
			     (unsigned long long)input_offset(l->stream.in));
}

static int finish_document(struct trace_loader *l, struct error *err)
{
	struct model *m = l->model;
	int rc = say_trailing(l, err);

	if (rc < 0)
		return rc;
	m->decoded_bytes = input_offset(l->stream.in);
	m->trace.n_faults = count_faults(&l->stream);
	if (l->stream.ended) {
		m->partial = true;
		m->damage = l->stream.damage;
	}
	if (l->options->strict && (l->stream.ended || m->trace.n_faults)) {
		if (!l->stream.ended)
			return refuse_fault(&l->stream, err);
		*err = l->stream.damage;
		return (int)err->code;
	}
	return 0;
}

/* ---- the whole ---- */

static void clear_events(struct model *m)
{
	struct events *ev = &m->events;
	struct budget *b = m->budget;

	vec_release(&ev->action, b);
	vec_release(&ev->addr, b);
	vec_release(&ev->size, b);
	vec_release(&ev->time_us, b);
	vec_release(&ev->time_ns, b);
	vec_release(&ev->stack, b);
	vec_release(&ev->attr, b);
	vec_release(&ev->allocated, b);
	vec_release(&ev->reserved, b);
	for (size_t i = 0; i < m->devices.n; i++)
		m->devices.at[i].n_events = 0;
}

/* Give up stacks and annotations: some events may have theirs already. */
static void clear_stacks(struct trace_loader *l)
{
	struct events *ev = &l->model->events;

	keep_less(l);
	for (size_t i = 0; i < ev->stack.n; i++)
		ev->stack.at[i] = STACK_ABSENT;
	vec_release(&l->model->annotations, l->budget);
}

/* Make rows of what was kept; when the memory does not suffice, of less. */
static int build(struct trace_loader *l, struct error *err)
{
	struct trace_facts *t = &l->model->trace;
	int rc = 0;

	if (t->detail != TRACE_TOTALS)
		rc = trace_make_events(l, err);
	while (rc == ERR_LIMIT && keep_less(l)) {
		clear_events(l->model);
		rc = t->detail == TRACE_TOTALS ? 0 : trace_make_events(l, err);
	}
	if (rc == 0 && t->detail == TRACE_FULL) {
		rc = trace_sweep(l, err);
		if (rc == ERR_LIMIT) {
			clear_stacks(l);
			rc = 0;
		}
	}
	for (size_t i = 0; i < t->devices.n; i++) {
		struct trace_device *d = &t->devices.at[i];

		if (d->first_us != TIME_NONE)
			d->first_us = (d->first_us + l->base_ns) / 1000;
		if (d->last_us != TIME_NONE)
			d->last_us = (d->last_us + l->base_ns) / 1000;
	}
	return rc;
}

static void release(struct trace_loader *l)
{
	drop_spans(l);
	drop_memory(l);
	vec_release(&l->latest, l->budget);
	vec_release(&l->text, l->budget);
	hashmap_release(&l->reserved_rows);
	hashmap_release(&l->threads);
}

int load_trace(struct model *m, const struct container *c, const struct model_options *options,
	       struct error *err)
{
	struct trace_loader l = {
		.model = m,
		.budget = m->budget,
		.options = options,
		.container = c,
		.whole_us = true,
		.limited_at = UINT64_MAX,
	};
	int rc;

	json_stream_init(&l.stream, c->payload);
	hashmap_init(&l.reserved_rows, l.budget);
	hashmap_init(&l.threads, l.budget);
	m->trace.detail = options->trace_detail;
	rc = vec_push(&l.reserved, BYTES_NONE, l.budget, err);
	if (rc == 0)
		rc = read_document(&l, err);
	if (rc == 0)
		rc = finish_document(&l, err);
	/* Times beyond the year 2200 would not fit. */
	if (l.base_ns < 0 || l.base_ns > INT64_MAX / 2)
		l.base_ns = 0;
	if (rc == 0)
		rc = build(&l, err);
	m->writer = "torch.profiler (Kineto)";
	m->has_traces = true;
	if (rc == 0)
		rc = model_finish(m, err);
	if (rc == 0)
		rc = say_faults(&l, err);
	if (rc == 0)
		rc = say_detail(&l, err);
	if (rc == 0)
		rc = say_oddities(&l, err);
	if (rc == 0)
		rc = say_devices(&l, err);
	release(&l);
	return rc;
}
