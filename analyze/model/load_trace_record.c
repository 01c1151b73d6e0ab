/* SPDX-License-Identifier: MIT
 * load_trace_record.c -- one event of a chrome trace: its members, and what is kept of it.
 */
#include <stdlib.h>
#include <string.h>

#include "model/load_trace_private.h"

/* ---- members ---- */

struct member {
	const char *name;
	uint8_t length;
	uint8_t place; /* offset of the piece in struct trace_record */
};

#define MEMBER(name, field)                                                  \
	{                                                                    \
		name, sizeof(name) - 1, offsetof(struct trace_record, field) \
	}

static const struct member event_members[] = {
	MEMBER("ph", ph),   MEMBER("cat", cat), MEMBER("name", name), MEMBER("pid", pid),
	MEMBER("tid", tid), MEMBER("ts", ts),   MEMBER("dur", dur),
};

static const struct member arg_members[] = {
	MEMBER("Addr", address),
	MEMBER("Bytes", bytes),
	MEMBER("Device Type", type),
	MEMBER("Device Id", id),
	MEMBER("Total Allocated", allocated),
	MEMBER("Total Reserved", reserved),
	MEMBER("Ev Idx", order),
	MEMBER("Profiler Event Index", order),
	MEMBER("Sequence number", sequence),
	MEMBER("Fwd thread id", forward),
};

_Static_assert(sizeof(struct trace_record) < 256 + sizeof(struct json_piece), "places fit a byte");

static const struct member *find_member(const struct member *at, size_t n,
					const struct json_piece *name)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i].length == name->length && at[i].name[0] == (char)name->at[0] &&
		    memcmp(at[i].name, name->at, name->length) == 0)
			return &at[i];
	}
	return NULL;
}

static int read_known(struct json_lenient *j, const struct member *at, size_t n,
		      const struct json_piece *name, struct trace_record *r)
{
	const struct member *m = name->length ? find_member(at, n, name) : NULL;
	struct json_piece ignored;
	struct json_piece *piece =
		m ? (struct json_piece *)(void *)((char *)r + m->place) : &ignored;

	if (m && piece->kind != JSON_PIECE_NONE)
		json_lenient_fault(j, JSON_FAULT_DUPLICATE, name->at);
	return json_lenient_value(j, false, piece);
}

static int read_args(struct json_lenient *j, struct trace_record *r)
{
	struct json_piece name;
	bool first = true;
	int rc = json_lenient_enter(j, '{');

	while (rc == 0 && (rc = json_lenient_member(j, &first, &name)) > 0)
		rc = read_known(j, arg_members, sizeof arg_members / sizeof *arg_members, &name, r);
	return rc;
}

/* The arguments: skipped when the event is known to be of no interest. */
static int read_event_args(struct json_lenient *j, struct trace_record *r)
{
	struct json_piece ignored;
	enum span_kind kind;

	while (j->at < j->end && (*j->at == ' ' || *j->at == '\n'))
		j->at++;
	if (j->at < j->end && *j->at == '{' &&
	    (!r->ph.kind || !r->name.kind || trace_record_kind(r, &kind) != TRACE_IS_OTHER))
		return read_args(j, r);
	return json_lenient_value(j, false, &ignored);
}

int trace_record_read(void *ctx, struct json_lenient *j)
{
	struct trace_record *r = ctx;
	struct json_piece name;
	bool first = true;
	int rc = json_lenient_enter(j, '{');

	memset(r, 0, sizeof *r);
	while (rc == 0 && (rc = json_lenient_member(j, &first, &name)) > 0) {
		if (name.length == 4 && memcmp(name.at, "args", 4) == 0)
			rc = read_event_args(j, r);
		else
			rc = read_known(j, event_members,
					sizeof event_members / sizeof *event_members, &name, r);
	}
	return rc;
}

enum trace_kind trace_record_kind(const struct trace_record *r, enum span_kind *span)
{
	if (r->ph.length != 1)
		return TRACE_IS_OTHER;
	if ((*r->ph.at == 'i' || *r->ph.at == 'I') && r->name.length && *r->name.at == '[')
		return json_piece_is(&r->name, "[memory]") ||
				       json_piece_is(&r->name, "[OutOfMemory]")
			       ? TRACE_IS_MEMORY
			       : TRACE_IS_OTHER;
	if (*r->ph.at != 'X')
		return TRACE_IS_OTHER;
	if (json_piece_is(&r->cat, "python_function"))
		*span = SPAN_PYTHON;
	else if (json_piece_is(&r->cat, "cpu_op") || json_piece_is(&r->cat, "Operator"))
		*span = SPAN_OP;
	else if (json_piece_is(&r->cat, "user_annotation"))
		*span = SPAN_ANNOTATION;
	else
		return TRACE_IS_OTHER;
	return TRACE_IS_SPAN;
}

/* ---- what is kept ---- */

static uint64_t id_hash(const struct json_piece *p)
{
	int64_t n;

	/* "25738" and 25738 are the same thread. */
	if (json_piece_i64(p, &n))
		return hash_u64((uint64_t)n);
	return p->length ? hash_bytes(p->at, p->length) : 0;
}

static bool same_bytes(const char *at, const struct json_piece *p)
{
	return !p->length || memcmp(at, p->at, p->length) == 0;
}

static bool same_thread(const struct trace_loader *l, const struct trace_record *r)
{
	uint32_t n = r->pid.length + r->tid.length;

	/* Where the one ends and the other begins is told by the lengths of both. */
	return n > 0 && n == l->last_thread_length && r->pid.length == l->last_pid_length &&
	       same_bytes(l->last_thread, &r->pid) &&
	       same_bytes(l->last_thread + r->pid.length, &r->tid);
}

/* The number of the record's thread; those beyond 65,535 share one. */
static int thread_of(struct trace_loader *l, const struct trace_record *r, uint16_t *out,
		     struct error *err)
{
	uint64_t key;
	const uint64_t *known;
	int rc = 0;

	if (same_thread(l, r)) {
		*out = l->last_thread_number;
		return 0;
	}
	key = hash_combine(id_hash(&r->pid), id_hash(&r->tid));
	known = hashmap_get(&l->threads, key);
	if (known)
		*out = (uint16_t)*known;
	else if (l->threads.n >= UINT16_MAX)
		*out = UINT16_MAX;
	else {
		*out = (uint16_t)l->threads.n;
		rc = hashmap_put(&l->threads, key, *out, err);
	}
	l->last_thread_length = 0;
	if (rc == 0 && r->pid.length <= 32 && r->tid.length <= 32) {
		if (r->pid.length)
			memcpy(l->last_thread, r->pid.at, r->pid.length);
		if (r->tid.length)
			memcpy(l->last_thread + r->pid.length, r->tid.at, r->tid.length);
		l->last_thread_length = r->pid.length + r->tid.length;
		l->last_pid_length = r->pid.length;
		l->last_thread_number = *out;
	}
	return rc;
}

static int intern(struct trace_loader *l, struct json_lenient *j, const struct json_piece *p,
		  str_id *out, struct error *err)
{
	if (!p->length)
		return strtab_add(&l->model->strings, "", 0, out, err);
	if (p->plain)
		return strtab_add(&l->model->strings, (const char *)p->at, p->length, out, err);
	l->text.n = 0;
	if (vec_reserve(&l->text, JSON_TEXT_ROOM(p->length), l->budget, err) < 0)
		return (int)err->code;
	return strtab_add(&l->model->strings, l->text.at, json_piece_text(j, p, l->text.at), out,
			  err);
}

static uint32_t order_of(const struct json_piece *p)
{
	int64_t n;

	return json_piece_i64(p, &n) && n >= 0 && n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static bool has_decimals(const struct json_piece *p)
{
	return memchr(p->at, '.', p->length) != NULL;
}

static int keep_span(struct trace_loader *l, struct json_lenient *j, const struct trace_record *r,
		     enum span_kind kind, int64_t time, struct error *err)
{
	struct trace_span s = {.start = time, .end = INT64_MAX, .kind = (uint8_t)kind};
	int64_t duration, forward;
	int rc = thread_of(l, r, &s.thread, err);

	if (rc == 0)
		rc = intern(l, j, &r->name, &s.name, err);
	if (rc < 0)
		return rc;
	if (json_piece_us_to_ns(&r->dur, &duration) && duration >= 0 &&
	    __builtin_add_overflow(time, duration, &s.end))
		s.end = INT64_MAX;
	s.order = order_of(&r->order);
	s.sequence = order_of(&r->sequence);
	s.backward = json_piece_i64(&r->forward, &forward) && forward > 0;
	return vec_push(&l->spans, s, l->budget, err);
}

/* The row of trace.devices; negative: error. */
static int device_row(struct trace_loader *l, int32_t type, int32_t id, uint8_t *out,
		      struct error *err)
{
	struct trace_facts *t = &l->model->trace;
	struct trace_device d = {
		.type = type,
		.id = id,
		.index = type == 0 ? DEVICE_HOST
			 : id < 0  ? 0
				   : id,
		.peak_allocated = BYTES_NONE,
		.peak_reserved = BYTES_NONE,
		.end_allocated = BYTES_NONE,
		.end_reserved = BYTES_NONE,
		.first_us = TIME_NONE,
		.last_us = TIME_NONE,
	};

	for (size_t i = 0; i < t->devices.n; i++) {
		if (t->devices.at[i].index == d.index) {
			*out = (uint8_t)i;
			return 0;
		}
	}
	if (t->devices.n == UINT8_MAX) {
		*out = UINT8_MAX - 1;
		return 0;
	}
	*out = (uint8_t)t->devices.n;
	if (vec_push(&l->latest, INT64_MIN, l->budget, err) < 0)
		return (int)err->code;
	return vec_push(&t->devices, d, l->budget, err);
}

static bool amount(const struct json_piece *p, uint64_t *out)
{
	int64_t n;

	if (!json_piece_i64(p, &n) || n < 0 || n > AMOUNT_MAX)
		return false;
	*out = (uint64_t)n;
	return true;
}

static void keep_highest(uint64_t *highest, uint64_t value)
{
	if (*highest == BYTES_NONE || value > *highest)
		*highest = value;
}

/* Sums that need no order. Times are ns since the base, which may not be known yet. */
static void add_totals(struct trace_loader *l, uint8_t device, const struct trace_memory *e,
		       uint64_t reserved)
{
	struct trace_device *d = &l->model->trace.devices.at[device];

	d->n_events++;
	d->n_addressed += e->addressed;
	if (e->oom)
		d->n_ooms++;
	else if (e->bytes > 0) {
		d->n_allocs++;
		d->alloc_bytes += (uint64_t)e->bytes;
	} else if (e->bytes < 0) {
		d->n_frees++;
		d->free_bytes += (uint64_t)-e->bytes;
	}
	if (d->first_us == TIME_NONE || e->time < d->first_us)
		d->first_us = e->time;
	if (d->last_us == TIME_NONE || e->time > d->last_us)
		d->last_us = e->time;
	if (e->allocated != AMOUNT_UNTOLD)
		keep_highest(&d->peak_allocated, e->allocated);
	if (reserved != BYTES_NONE)
		keep_highest(&d->peak_reserved, reserved);
	if (e->time >= l->latest.at[device] && e->allocated != AMOUNT_UNTOLD) {
		l->latest.at[device] = e->time;
		d->end_allocated = e->allocated;
		d->end_reserved = reserved;
	}
}

static int reserved_row(struct trace_loader *l, uint64_t reserved, uint32_t *out, struct error *err)
{
	const uint64_t *row;
	int rc;

	*out = 0;
	if (reserved == BYTES_NONE)
		return 0;
	row = hashmap_get(&l->reserved_rows, reserved);
	if (row) {
		*out = (uint32_t)*row;
		return 0;
	}
	*out = (uint32_t)l->reserved.n;
	rc = hashmap_put(&l->reserved_rows, reserved, *out, err);
	return rc < 0 ? rc : vec_push(&l->reserved, reserved, l->budget, err);
}

static int keep_memory(struct trace_loader *l, const struct trace_record *r, int64_t time,
		       struct error *err)
{
	struct trace_facts *t = &l->model->trace;
	struct trace_memory e = {.time = time, .oom = r->name.at[1] == 'O'};
	int64_t type = 0, id = -1, bytes, address = 0;
	uint64_t told, reserved = BYTES_NONE;
	uint16_t thread = 0;
	uint8_t device;
	int rc;

	if (!json_piece_i64(&r->bytes, &bytes) || bytes > AMOUNT_MAX || bytes < -AMOUNT_MAX) {
		l->n_odd++;
		return 0;
	}
	if (!json_piece_i64(&r->type, &type) || type < 0 || type > 255)
		type = 0;
	if (!json_piece_i64(&r->id, &id) || id < -1 || id > INT16_MAX)
		id = -1;
	if ((rc = device_row(l, (int32_t)type, (int32_t)id, &device, err)) < 0)
		return rc;
	e.bytes = bytes;
	e.addressed = json_piece_i64(&r->address, &address);
	e.address = (uint64_t)address;
	e.allocated = amount(&r->allocated, &told) ? told : AMOUNT_UNTOLD;
	e.device = device;
	e.order = order_of(&r->order);
	if (amount(&r->reserved, &told) && type != 0)
		reserved = told;
	t->n_memory += !e.oom;
	t->n_ooms += e.oom;
	t->n_no_address += !e.addressed && !e.oom;
	add_totals(l, device, &e, reserved);
	if (t->detail == TRACE_TOTALS)
		return 0;
	if ((rc = thread_of(l, r, &thread, err)) < 0 ||
	    (rc = reserved_row(l, reserved, &e.reserved, err)) < 0)
		return rc;
	e.thread = thread;
	return vec_push(&l->memory, e, l->budget, err);
}

int trace_keep(struct trace_loader *l, struct json_lenient *j, const struct trace_record *r,
	       struct error *err)
{
	struct trace_facts *t = &l->model->trace;
	enum span_kind kind = SPAN_OP;
	enum trace_kind what = trace_record_kind(r, &kind);
	int64_t time;

	if (what == TRACE_IS_OTHER)
		return 0;
	if (!json_piece_us_to_ns(&r->ts, &time) || time <= 0) {
		t->n_zero_time++;
		return 0;
	}
	if (l->whole_us)
		l->whole_us = !has_decimals(&r->ts);
	if (what == TRACE_IS_MEMORY)
		return keep_memory(l, r, time, err);
	t->n_spans++;
	t->n_ops += kind == SPAN_OP;
	t->n_python += kind == SPAN_PYTHON;
	t->n_annotations += kind == SPAN_ANNOTATION;
	return t->detail == TRACE_FULL ? keep_span(l, j, r, kind, time, err) : 0;
}

/* ---- deviceProperties ---- */

static int read_property(struct json_lenient *j, struct trace_loader *l)
{
	struct json_piece name, value, id = {0}, title = {0}, memory = {0};
	struct device d = {.max_entries = BYTES_NONE};
	struct error ignored;
	int64_t index, bytes;
	bool first = true;
	int rc = json_lenient_enter(j, '{');

	while (rc == 0 && (rc = json_lenient_member(j, &first, &name)) > 0) {
		rc = json_lenient_value(j, false, &value);
		if (json_piece_is(&name, "id"))
			id = value;
		else if (json_piece_is(&name, "name"))
			title = value;
		else if (json_piece_is(&name, "totalGlobalMem"))
			memory = value;
	}
	if (rc < 0 || !json_piece_i64(&id, &index) || index < 0 || index > INT16_MAX)
		return rc;
	for (size_t i = 0; i < l->model->devices.n; i++) {
		if (l->model->devices.at[i].index == index)
			return 0;
	}
	d.index = (int32_t)index;
	if (json_piece_i64(&memory, &bytes) && bytes > 0)
		d.capacity = (uint64_t)bytes;
	/* Names and amounts of devices are extras: without memory for them the rest still counts. */
	if (title.kind == JSON_PIECE_STRING)
		(void)intern(l, j, &title, &d.name, &ignored);
	(void)vec_push(&l->model->devices, d, l->budget, &ignored);
	return 0;
}

int trace_read_properties(void *ctx, struct json_lenient *j)
{
	bool first = true;
	int rc = json_lenient_enter(j, '[');

	while (rc == 0 && (rc = json_lenient_item(j, &first)) > 0)
		rc = read_property(j, ctx);
	return rc;
}
