/* SPDX-License-Identifier: MIT
 * load_trace_sweep.c -- what encloses each memory event of a trace: one walk over each thread.
 */
#include <string.h>

#include "base/sort.h"
#include "model/load_trace_private.h"

/* Frames of one stack; Python's own limit of recursion is 1,000. */
#define STACK_FRAMES 1024

/* Children may end so much later than their parent where times are whole microseconds. */
#define ROUNDING_NS 1000

struct open_span {
	int64_t end;
	uint32_t span;
};

/* Open spans of a thread. Annotations begin and end inside the functions that make them, so they
 * nest among themselves but not with functions. */
struct span_stack {
	VEC(struct open_span) at;
};

struct sweep {
	struct trace_loader *l;
	struct model *m;
	VEC(uint32_t) rows;     /* events by thread and time */
	struct span_stack open; /* functions and operators */
	struct span_stack annotations;
	VEC(uint32_t) frames;  /* of each name: frame_id + 1, or 0 */
	VEC(uint32_t) forward; /* of each sequence number: stack_id of its operator, 0: none */
	uint32_t first_sequence;
	VEC(uint32_t) sequence; /* of each event: the node that runs, or NO_SEQUENCE */
	VEC(frame_id) scratch;
	VEC(struct annotation) marks;
	stack_id stack; /* of the open spans, when valid */
	bool stack_valid;
	int32_t device; /* the busiest one: the device of annotations */
};

static bool span_before(const struct trace_span *a, const struct trace_span *b, const void *ctx)
{
	(void)ctx;
	if (a->thread != b->thread)
		return a->thread < b->thread;
	if (a->start != b->start)
		return a->start < b->start;
	if (a->end != b->end)
		return a->end > b->end;
	return a->order < b->order;
}

SORT_DEFINE(sort_spans, struct trace_span, span_before)

/* Events are sorted by device and time: their row tells those of one time apart. */
static bool row_before(const uint32_t *a, const uint32_t *b, const void *ctx)
{
	const struct trace_memory *e = ctx, *x = &e[*a], *y = &e[*b];

	if (x->thread != y->thread)
		return x->thread < y->thread;
	if (x->time != y->time)
		return x->time < y->time;
	return *a < *b;
}

SORT_DEFINE(sort_rows, uint32_t, row_before)

/* ---- frames ---- */

/* "path(line): function": the last digits in brackets before a colon count. */
static bool split_python(const struct str *name, struct frame *f, size_t *path, size_t *function)
{
	for (size_t i = name->length; i-- > 3;) {
		size_t k = i - 2;
		int64_t line = 0, unit = 1;

		if (name->bytes[i] != ' ' || name->bytes[i - 1] != ':' || name->bytes[i - 2] != ')')
			continue;
		for (; k > 0 && name->bytes[k - 1] >= '0' && name->bytes[k - 1] <= '9'; k--) {
			if (unit > 100000000)
				return false;
			line += unit * (name->bytes[k - 1] - '0');
			unit *= 10;
		}
		if (unit == 1 || k == 0 || name->bytes[k - 1] != '(')
			continue;
		f->line = line;
		*path = k - 1;
		*function = i + 1;
		return true;
	}
	return false;
}

static int make_frame(struct sweep *w, const struct trace_span *s, frame_id *out, struct error *err)
{
	struct strtab *t = &w->m->strings;
	struct str name = *strtab_get(t, s->name);
	struct frame f = {.name = s->name, .line = 0};
	size_t path, function;
	int rc;

	if (s->kind == SPAN_PYTHON && split_python(&name, &f, &path, &function)) {
		/* The bytes stay where they are while strings are added. */
		if ((rc = strtab_add(t, name.bytes, path, &f.file, err)) < 0 ||
		    (rc = strtab_add(t, name.bytes + function, name.length - function, &f.name,
				     err)) < 0)
			return rc;
	}
	return stacks_add_frame(&w->m->stacks, f, out, err);
}

static int frame_of(struct sweep *w, const struct trace_span *s, frame_id *out, struct error *err)
{
	uint32_t *known;
	int rc;

	while (w->frames.n <= s->name.i) {
		if (vec_push(&w->frames, 0, w->l->budget, err) < 0)
			return (int)err->code;
	}
	known = &w->frames.at[s->name.i];
	if (*known) {
		*out = (frame_id){*known - 1};
		return 0;
	}
	rc = make_frame(w, s, out, err);
	if (rc == 0)
		w->frames.at[s->name.i] = out->i + 1;
	return rc;
}

/* The stack of what is open: Python functions, and operators too when `all`. */
static int stack_of_open(struct sweep *w, bool all, stack_id *out, struct error *err)
{
	const struct trace_span *spans = w->l->spans.at;
	int rc;

	w->scratch.n = 0;
	for (size_t i = w->open.at.n; i-- > 0 && w->scratch.n < STACK_FRAMES;) {
		const struct trace_span *s = &spans[w->open.at.at[i].span];
		frame_id f;

		if (s->kind == SPAN_OP && !all)
			continue;
		if ((rc = frame_of(w, s, &f, err)) < 0 ||
		    (rc = vec_push(&w->scratch, f, w->l->budget, err)) < 0)
			return rc;
	}
	return stacks_add(&w->m->stacks, w->scratch.at, w->scratch.n, out, err);
}

/* ---- annotations ---- */

static int add_mark(struct sweep *w, const struct trace_span *s, int64_t ns, bool is_end,
		    struct error *err)
{
	struct annotation a = {.name = s->name, .device = w->device, .is_end = is_end};

	if (__builtin_add_overflow(ns, w->l->base_ns, &ns))
		ns = INT64_MAX;
	a.time_us = ns / 1000;
	return vec_push(&w->marks, a, w->l->budget, err);
}

static bool mark_before(const uint32_t *a, const uint32_t *b, const void *ctx)
{
	const struct annotation *m = ctx;

	if (m[*a].time_us != m[*b].time_us)
		return m[*a].time_us < m[*b].time_us;
	return *a < *b;
}

SORT_DEFINE(sort_marks, uint32_t, mark_before)

/* Marks of all threads in order of time; those of one thread nest. */
static int place_marks(struct sweep *w, struct error *err)
{
	VEC(uint32_t) order = {0};
	struct budget *b = w->l->budget;
	int rc = 0;

	if (vec_reserve(&order, w->marks.n, b, err) < 0 ||
	    vec_reserve(&w->m->annotations, w->marks.n, b, err) < 0)
		rc = (int)err->code;
	for (size_t i = 0; rc == 0 && i < w->marks.n; i++)
		order.at[order.n++] = (uint32_t)i;
	if (rc == 0)
		sort_marks(order.at, order.n, w->marks.at);
	for (size_t i = 0; rc == 0 && i < order.n; i++)
		w->m->annotations.at[w->m->annotations.n++] = w->marks.at[order.at[i]];
	vec_release(&order, b);
	return rc;
}

/* ---- the walk ---- */

/* End the innermost span of a stack at `ns`. */
static int pop(struct sweep *w, struct span_stack *stack, int64_t ns, struct error *err)
{
	const struct open_span *o = &stack->at.at[--stack->at.n];

	if (stack == &w->open) {
		w->stack_valid = false;
		return 0;
	}
	return ns == INT64_MAX ? 0 : add_mark(w, &w->l->spans.at[o->span], ns, true, err);
}

/* End what ended before `time`. */
static int pop_until(struct sweep *w, struct span_stack *stack, int64_t time, struct error *err)
{
	int rc = 0;

	while (stack->at.n && rc == 0 && stack->at.at[stack->at.n - 1].end < time)
		rc = pop(w, stack, stack->at.at[stack->at.n - 1].end, err);
	return rc;
}

/* The forward operator of a node that somebody runs backward. */
static int note_forward(struct sweep *w, const struct trace_span *s, struct error *err)
{
	stack_id stack;
	uint32_t i = s->sequence - w->first_sequence;
	int rc;

	if (s->kind != SPAN_OP || s->backward || s->sequence == NO_SEQUENCE ||
	    s->sequence < w->first_sequence || i >= w->forward.n)
		return 0;
	rc = stack_of_open(w, false, &stack, err);
	if (rc == 0 && stack.i != STACK_EMPTY.i)
		w->forward.at[i] = stack.i;
	return rc;
}

static int push(struct sweep *w, uint32_t i, struct error *err)
{
	const struct trace_span *s = &w->l->spans.at[i];
	bool annotation = s->kind == SPAN_ANNOTATION;
	struct span_stack *stack = annotation ? &w->annotations : &w->open;
	struct open_span o = {s->end, i};
	int rc = 0;

	while (stack->at.n && rc == 0) {
		struct open_span *top = &stack->at.at[stack->at.n - 1];

		if (top->end <= s->start && !(top->end == s->start && s->end == s->start)) {
			rc = pop(w, stack, top->end, err);
			continue;
		}
		if (o.end == INT64_MAX || (o.end > top->end && o.end - top->end <= ROUNDING_NS))
			o.end = top->end;
		if (o.end <= top->end)
			break;
		w->m->trace.n_overlaps++;
		rc = pop(w, stack, s->start, err);
	}
	if (rc == 0)
		rc = vec_push(&stack->at, o, w->l->budget, err);
	if (rc == 0 && annotation)
		return add_mark(w, s, s->start, false, err);
	w->stack_valid = false;
	return rc < 0 ? rc : note_forward(w, s, err);
}

/* The innermost node that runs. */
static uint32_t running_node(const struct sweep *w)
{
	for (size_t i = w->open.at.n; i-- > 0;) {
		const struct trace_span *s = &w->l->spans.at[w->open.at.at[i].span];

		if (s->kind == SPAN_OP && s->backward && s->sequence != NO_SEQUENCE)
			return s->sequence;
	}
	return NO_SEQUENCE;
}

static int attribute(struct sweep *w, uint32_t row, struct error *err)
{
	int64_t time = w->l->memory.at[row].time;
	int rc = pop_until(w, &w->open, time, err);

	if (rc == 0 && !w->stack_valid) {
		rc = stack_of_open(w, true, &w->stack, err);
		w->stack_valid = rc == 0;
	}
	if (rc < 0)
		return rc;
	w->m->events.stack.at[row] = w->stack;
	w->sequence.at[row] = running_node(w);
	return 0;
}

static int sweep_thread(struct sweep *w, size_t *span, size_t *event, uint16_t thread,
			struct error *err)
{
	const struct trace_span *spans = w->l->spans.at;
	const struct trace_memory *e = w->l->memory.at;
	int rc = 0;

	w->stack_valid = false;
	while (rc == 0) {
		bool has_span = *span < w->l->spans.n && spans[*span].thread == thread;
		bool has_event = *event < w->rows.n && e[w->rows.at[*event]].thread == thread;

		if (!has_span && !has_event)
			break;
		if (has_span && (!has_event || spans[*span].start <= e[w->rows.at[*event]].time))
			rc = push(w, (uint32_t)(*span)++, err);
		else
			rc = attribute(w, w->rows.at[(*event)++], err);
	}
	w->open.at.n = 0;
	if (rc == 0)
		rc = pop_until(w, &w->annotations, INT64_MAX, err);
	w->annotations.at.n = 0; /* those that never ended */
	return rc;
}

/* ---- before and after ---- */

static void find_device(struct sweep *w)
{
	const struct trace_facts *t = &w->m->trace;
	uint64_t most = 0;

	for (size_t i = 0; i < t->devices.n; i++) {
		if (t->devices.at[i].index != DEVICE_HOST && t->devices.at[i].n_events > most) {
			most = t->devices.at[i].n_events;
			w->device = t->devices.at[i].index;
		}
	}
}

/* A table over the sequence numbers of nodes that run, when they lie as close as counters do. */
static int make_forward(struct sweep *w, struct error *err)
{
	uint32_t low = UINT32_MAX, high = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->l->spans.n; i++) {
		const struct trace_span *s = &w->l->spans.at[i];

		if (!s->backward || s->sequence == NO_SEQUENCE)
			continue;
		low = s->sequence < low ? s->sequence : low;
		high = s->sequence > high ? s->sequence : high;
		n++;
	}
	if (!n || high - low > 16 * n + 1024)
		return 0;
	w->first_sequence = low;
	n = (size_t)(high - low) + 1;
	if (vec_reserve(&w->forward, n, w->l->budget, err) < 0)
		return (int)err->code;
	memset(w->forward.at, 0, n * sizeof *w->forward.at);
	w->forward.n = n;
	return 0;
}

static int prepare(struct sweep *w, struct error *err)
{
	struct budget *b = w->l->budget;
	size_t n = w->l->memory.n;

	if (n > UINT32_MAX - 1 || w->l->spans.n > UINT32_MAX - 1)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "a trace with more than 2^32 events");
	if (vec_reserve(&w->rows, n, b, err) < 0 || vec_reserve(&w->sequence, n, b, err) < 0)
		return (int)err->code;
	for (size_t i = 0; i < n; i++) {
		w->rows.at[i] = (uint32_t)i;
		w->sequence.at[i] = NO_SEQUENCE;
	}
	w->rows.n = w->sequence.n = n;
	sort_rows(w->rows.at, n, w->l->memory.at);
	sort_spans(w->l->spans.at, w->l->spans.n, NULL);
	find_device(w);
	return make_forward(w, err);
}

/* The forward stacks of nodes, as attrs of the events they made. */
static int resolve_forward(struct sweep *w, struct error *err)
{
	struct hashmap attrs; /* stack and attr -> attr */
	struct model *m = w->m;
	int rc = 0;

	hashmap_init(&attrs, w->l->budget);
	for (size_t i = 0; i < w->sequence.n && rc == 0; i++) {
		uint32_t k = w->sequence.at[i] - w->first_sequence;
		attr_id *at = &m->events.attr.at[i];
		struct attr a = m->attrs.at[at->i];
		uint64_t key;
		const uint64_t *known;

		if (w->sequence.at[i] == NO_SEQUENCE || w->sequence.at[i] < w->first_sequence ||
		    k >= w->forward.n || !w->forward.at[k])
			continue;
		key = (uint64_t)at->i << 32 | w->forward.at[k];
		known = hashmap_get(&attrs, key);
		if (known) {
			*at = (attr_id){(uint32_t)*known};
			continue;
		}
		a.forward_stack = (stack_id){w->forward.at[k]};
		rc = hashmap_put(&attrs, key, m->attrs.n, err);
		*at = (attr_id){(uint32_t)m->attrs.n};
		if (rc == 0)
			rc = vec_push(&m->attrs, a, w->l->budget, err);
	}
	hashmap_release(&attrs);
	return rc;
}

static void release(struct sweep *w)
{
	struct budget *b = w->l->budget;

	vec_release(&w->rows, b);
	vec_release(&w->open.at, b);
	vec_release(&w->annotations.at, b);
	vec_release(&w->frames, b);
	vec_release(&w->forward, b);
	vec_release(&w->sequence, b);
	vec_release(&w->scratch, b);
	vec_release(&w->marks, b);
}

int trace_sweep(struct trace_loader *l, struct error *err)
{
	struct sweep w = {.l = l, .m = l->model};
	size_t span = 0, event = 0;
	int rc = prepare(&w, err);

	while (rc == 0 && (span < l->spans.n || event < w.rows.n)) {
		uint16_t thread = UINT16_MAX;

		if (span < l->spans.n)
			thread = l->spans.at[span].thread;
		if (event < w.rows.n && l->memory.at[w.rows.at[event]].thread < thread)
			thread = (uint16_t)l->memory.at[w.rows.at[event]].thread;
		rc = sweep_thread(&w, &span, &event, thread, err);
	}
	if (rc == 0)
		rc = resolve_forward(&w, err);
	if (rc == 0)
		rc = place_marks(&w, err);
	release(&w);
	return rc;
}
