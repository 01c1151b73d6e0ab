/* SPDX-License-Identifier: MIT
 * load_timeline.c -- the rows of a memory timeline, raw or plain, and the events they make.
 */
#include "model/load_timeline.h"

#include <string.h>

#include "decode/json_stream.h"
#include "model/problem.h"

/* Baseline and categories of a row of a plain timeline. */
#define SIZES (1 + TIMELINE_CATEGORIES)

/* Amounts beyond this are no memory; sums of 2^31 rows of them fit. */
#define BYTES_MAX (INT64_C(1) << 46)

/* Times that are nanoseconds, not microseconds. */
#define NS_FROM INT64_C(100000000000000000)

struct timeline_loader {
	struct model *m;
	struct json_stream stream;
	const struct model_options *options;
	VEC(int64_t) times;   /* of a plain timeline */
	int64_t sizes[SIZES]; /* of the row before */
	size_t n_rows;        /* of a plain timeline, read so far */
	uint64_t n_odd;       /* rows without the right numbers */
	attr_id attrs[TIMELINE_CATEGORIES];
	attr_id version; /* of rows that move bytes to another category */
};

/* ---- rows ---- */

/* A list of at most `want` integers; *n how many there were. */
struct numbers {
	int64_t at[SIZES];
	size_t n;
	bool good;
};

static int read_numbers(void *ctx, struct json_lenient *j)
{
	struct numbers *out = ctx;
	struct json_piece piece;
	bool first = true;
	int rc = json_lenient_enter(j, '[');

	*out = (struct numbers){.good = true};
	while (rc == 0 && (rc = json_lenient_item(j, &first)) > 0) {
		int64_t value = 0;

		rc = json_lenient_value(j, true, &piece);
		out->good &= rc == 0 && json_piece_i64(&piece, &value);
		if (out->n < SIZES)
			out->at[out->n] = value;
		out->n++;
	}
	return rc;
}

static int read_time(void *ctx, struct json_lenient *j)
{
	struct numbers *out = ctx;
	struct json_piece piece;
	int rc = json_lenient_value(j, true, &piece);

	out->good = rc == 0 && json_piece_i64(&piece, &out->at[0]);
	return rc;
}

static bool amount_fits(int64_t bytes)
{
	return bytes <= BYTES_MAX && bytes >= -BYTES_MAX;
}

static int add_row(struct timeline_loader *l, int64_t time_ns, int64_t bytes, unsigned action,
		   unsigned category, struct error *err)
{
	struct timeline_row row = {time_ns, bytes, (uint8_t)action, (uint8_t)category};

	return vec_push(&l->m->timeline, row, l->m->budget, err);
}

static int take_raw(struct timeline_loader *l, const struct numbers *n, struct error *err)
{
	if (!n->good || n->n != 4 || n->at[1] < TIMELINE_PREEXISTING ||
	    n->at[1] > TIMELINE_DESTROY || n->at[3] < 0 || n->at[3] >= TIMELINE_CATEGORIES ||
	    !amount_fits(n->at[2]) || n->at[0] < -1) {
		l->n_odd++;
		return 0;
	}
	return add_row(l, n->at[0], n->at[2], (unsigned)n->at[1], (unsigned)n->at[3], err);
}

/* The time of row `i` in ns, -1 when it stands for what lived before. */
static int64_t plain_time(const struct timeline_loader *l, size_t i)
{
	const int64_t *t = l->times.at;

	if (t[i] < 0 || (i == 0 && l->times.n > 1 && t[0] == t[1]))
		return -1;
	if (t[i] > NS_FROM)
		return t[i];
	return t[i] * 1000;
}

/* A row of totals: what changed since the row before. */
static int take_plain(struct timeline_loader *l, const struct numbers *n, struct error *err)
{
	size_t i = l->n_rows++;
	bool changed = false;
	int64_t time;
	int rc = 0;

	for (size_t k = 0; k < SIZES; k++) {
		if (!n->good || n->n != SIZES || i >= l->times.n || !amount_fits(n->at[k])) {
			l->n_odd++;
			return 0;
		}
	}
	time = plain_time(l, i);
	for (unsigned c = 0; c < TIMELINE_CATEGORIES && rc == 0; c++) {
		int64_t delta = n->at[1 + c] - l->sizes[1 + c];

		if (delta == 0)
			continue;
		changed = true;
		rc = add_row(l, time, delta,
			     time < 0    ? TIMELINE_PREEXISTING
			     : delta > 0 ? TIMELINE_CREATE
					 : TIMELINE_DESTROY,
			     c, err);
	}
	/* Something happened that left all totals as they were. */
	if (!changed && rc == 0)
		rc = add_row(l, time, 0,
			     time < 0 ? TIMELINE_PREEXISTING : TIMELINE_INCREMENT_VERSION,
			     TIMELINE_CATEGORIES - 1, err);
	memcpy(l->sizes, n->at, sizeof l->sizes);
	return rc;
}

static int check_strict(const struct timeline_loader *l, struct error *err)
{
	const struct json_stream *s = &l->stream;

	if (!l->options->strict)
		return 0;
	if (s->ended) {
		*err = s->damage;
		return (int)err->code;
	}
	if (s->first_fault != UINT64_MAX)
		return error_set(err, ERR_FORMAT, s->first_fault, "malformed JSON: %s",
				 json_fault_words(s->first_kind));
	if (l->n_odd)
		return error_set(err, ERR_FORMAT, input_offset(s->in),
				 "a row of the memory timeline without the right numbers");
	return 0;
}

static int read_rows(struct timeline_loader *l,
		     int (*take)(struct timeline_loader *, const struct numbers *, struct error *),
		     struct error *err)
{
	struct numbers n;
	bool first = true;
	int rc;

	while ((rc = json_stream_item(&l->stream, &first, read_numbers, &n, err)) > 0) {
		rc = take(l, &n, err);
		if (rc == 0)
			rc = check_strict(l, err);
		if (rc < 0)
			break;
	}
	return rc;
}

static int read_times(struct timeline_loader *l, struct error *err)
{
	struct numbers n = {0};
	bool first = true;
	int rc;

	while ((rc = json_stream_item(&l->stream, &first, read_time, &n, err)) > 0) {
		if (!n.good || n.at[0] < -1 || n.at[0] > INT64_MAX / 1000) {
			/* The rows would slip: nothing behind it can be trusted. */
			if (n.at[0] <= NS_FROM || !n.good) {
				l->stream.ended = true;
				error_set(&l->stream.damage, ERR_FORMAT, input_offset(l->stream.in),
					  "a time that is none");
				return 0;
			}
		}
		rc = vec_push(&l->times, n.at[0], l->m->budget, err);
		if (rc < 0)
			break;
	}
	return rc;
}

/* The opening bracket of a list: 1, or 0 when the data ends or is none. */
static int enter(struct timeline_loader *l, struct error *err)
{
	int c = json_stream_peek(&l->stream, err);

	if (c == ',') {
		l->stream.in->at++;
		c = json_stream_peek(&l->stream, err);
	}
	if (c < 0)
		return c;
	if (c == '[') {
		l->stream.in->at++;
		return 1;
	}
	if (!l->stream.ended) {
		l->stream.ended = true;
		error_set(&l->stream.damage, c ? ERR_FORMAT : ERR_CUT, input_offset(l->stream.in),
			  c ? "malformed JSON: no list where one should begin"
			    : "the input ends before its data does");
	}
	return 0;
}

static int read_plain(struct timeline_loader *l, struct error *err)
{
	int rc = enter(l, err);

	if (rc > 0)
		rc = read_times(l, err);
	if (rc == 0 && !l->stream.ended)
		rc = enter(l, err);
	if (rc > 0)
		rc = read_rows(l, take_plain, err);
	if (rc == 0 && !l->stream.ended && l->n_rows != l->times.n)
		l->n_odd += l->n_rows < l->times.n ? l->times.n - l->n_rows : 0;
	return rc;
}

/* ---- events ---- */

static int make_attrs(struct timeline_loader *l, struct error *err)
{
	static const char version[] = "change of category";
	struct model *m = l->m;
	struct attr a = {0};
	int rc = 0;

	for (unsigned c = 0; c < TIMELINE_CATEGORIES && rc == 0; c++) {
		const char *name = timeline_category_name(c);

		a = (struct attr){0};
		l->attrs[c] = (attr_id){(uint32_t)m->attrs.n};
		rc = strtab_add(&m->strings, name, strlen(name), &a.category, err);
		if (rc == 0)
			rc = vec_push(&m->attrs, a, m->budget, err);
	}
	a = (struct attr){0};
	l->version = (attr_id){(uint32_t)m->attrs.n};
	if (rc == 0)
		rc = strtab_add(&m->strings, version, sizeof version - 1, &a.action_name, err);
	return rc < 0 ? rc : vec_push(&m->attrs, a, m->budget, err);
}

static int push_event(struct timeline_loader *l, const struct timeline_row *row, uint64_t total,
		      struct error *err)
{
	struct events *ev = &l->m->events;
	struct budget *b = l->m->budget;
	bool moves = row->action == TIMELINE_INCREMENT_VERSION || row->bytes == 0;
	uint8_t action = moves            ? ACTION_OTHER
			 : row->bytes > 0 ? ACTION_ALLOC
					  : ACTION_FREE_COMPLETED;
	uint64_t size = (uint64_t)(row->bytes < 0 ? -row->bytes : row->bytes);
	attr_id attr = moves ? l->version : l->attrs[row->category];

	if (vec_push(&ev->action, action, b, err) < 0 || vec_push(&ev->addr, 0, b, err) < 0 ||
	    vec_push(&ev->size, size, b, err) < 0 ||
	    vec_push(&ev->time_us, row->time_ns / 1000, b, err) < 0 ||
	    vec_push(&ev->time_ns, (uint16_t)(row->time_ns % 1000), b, err) < 0 ||
	    vec_push(&ev->stack, STACK_ABSENT, b, err) < 0 ||
	    vec_push(&ev->attr, attr, b, err) < 0 || vec_push(&ev->allocated, total, b, err) < 0 ||
	    vec_push(&ev->reserved, BYTES_NONE, b, err) < 0)
		return (int)err->code;
	return 0;
}

static int make_events(struct timeline_loader *l, struct error *err)
{
	struct model *m = l->m;
	struct device d = {
		.max_entries = BYTES_NONE,
		.counted = true,
		.no_addresses = true,
		.base_known = true,
	};
	int64_t total = 0;
	int rc = make_attrs(l, err);

	for (size_t i = 0; i < m->timeline.n; i++)
		total += m->timeline.at[i].time_ns < 0 ? m->timeline.at[i].bytes : 0;
	d.base_allocated = total > 0 ? (uint64_t)total : 0;
	for (size_t i = 0; i < m->timeline.n && rc == 0; i++) {
		const struct timeline_row *row = &m->timeline.at[i];

		if (row->time_ns < 0)
			continue;
		if (row->action != TIMELINE_INCREMENT_VERSION)
			total += row->bytes;
		rc = push_event(l, row, total > 0 ? (uint64_t)total : 0, err);
	}
	d.n_events = m->events.action.n;
	return rc < 0 ? rc : vec_push(&m->devices, d, m->budget, err);
}

/* ---- the whole ---- */

static int say_oddities(struct timeline_loader *l, struct error *err)
{
	const struct json_stream *s = &l->stream;
	uint64_t faults = 0;
	int rc = model_problem(l->m, err,
			       "a memory timeline tells neither device, stacks, addresses nor "
			       "reserved bytes; it stands as device 0");

	for (int f = 0; f < JSON_FAULT_COUNT; f++)
		faults += s->faults[f];
	if (rc == 0 && faults)
		rc = model_problem(l->m, err, "the JSON is broken in %llu places",
				   (unsigned long long)faults);
	if (rc == 0 && l->n_odd)
		rc = model_problem(l->m, err,
				   "%llu rows do not have the right numbers and are left out",
				   (unsigned long long)l->n_odd);
	return rc;
}

static int read_document(struct timeline_loader *l, struct error *err)
{
	int rc;

	if (json_stream_peek(&l->stream, err) == 0xef)
		l->stream.in->at += 3;
	rc = enter(l, err);
	if (rc <= 0)
		return rc;
	return l->m->format == CONTAINER_TIMELINE_RAW ? read_rows(l, take_raw, err)
						      : read_plain(l, err);
}

int load_timeline(struct model *m, const struct container *c, const struct model_options *options,
		  struct error *err)
{
	struct timeline_loader l = {.m = m, .options = options};
	int rc;

	json_stream_init(&l.stream, c->payload);
	rc = read_document(&l, err);
	m->decoded_bytes = input_offset(l.stream.in);
	if (rc == 0 && l.stream.ended) {
		m->partial = true;
		m->damage = l.stream.damage;
	}
	if (rc == 0)
		rc = check_strict(&l, err);
	if (rc == 0)
		rc = make_events(&l, err);
	m->writer = "torch.profiler (export_memory_timeline)";
	m->has_traces = true;
	if (rc == 0)
		rc = model_finish(m, err);
	if (rc == 0)
		rc = say_oddities(&l, err);
	vec_release(&l.times, m->budget);
	return rc;
}
