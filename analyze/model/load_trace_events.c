/* SPDX-License-Identifier: MIT
 * load_trace_events.c -- the memory events of a trace as columns, device by device in order of time.
 */
#include <string.h>

#include "base/sort.h"
#include "model/load_trace_private.h"

/* By device, in order of time; the profiler's own order tells events of one time apart. */
static bool before(const struct trace_memory *a, const struct trace_memory *b, const void *ctx)
{
	(void)ctx;
	if (a->device != b->device)
		return a->device < b->device;
	if (a->time != b->time)
		return a->time < b->time;
	return a->order < b->order;
}

SORT_DEFINE(sort_memory, struct trace_memory, before)

static enum action action_of(const struct trace_memory *e)
{
	if (e->oom)
		return ACTION_OOM;
	return e->bytes > 0 ? ACTION_ALLOC : e->bytes < 0 ? ACTION_FREE_COMPLETED : ACTION_OTHER;
}

/* Room for all events at once: pages that are not written yet cost nothing. */
static int reserve(struct trace_loader *l, size_t n, struct error *err)
{
	struct events *ev = &l->model->events;
	struct budget *b = l->budget;

	if (vec_reserve(&ev->action, n, b, err) < 0 || vec_reserve(&ev->addr, n, b, err) < 0 ||
	    vec_reserve(&ev->size, n, b, err) < 0 || vec_reserve(&ev->time_us, n, b, err) < 0 ||
	    vec_reserve(&ev->stack, n, b, err) < 0 || vec_reserve(&ev->attr, n, b, err) < 0 ||
	    vec_reserve(&ev->allocated, n, b, err) < 0 || vec_reserve(&ev->reserved, n, b, err) < 0)
		return (int)err->code;
	return l->whole_us ? 0 : vec_reserve(&ev->time_ns, n, b, err) < 0 ? (int)err->code : 0;
}

/* The attr of events of 0 bytes, whose action has a name of its own. */
static int attr_of_nothing(struct trace_loader *l, attr_id *out, struct error *err)
{
	static const char words[] = "memory event of 0 bytes";
	struct model *m = l->model;
	struct attr a = {0};
	int rc = strtab_add(&m->strings, words, sizeof words - 1, &a.action_name, err);

	*out = (attr_id){(uint32_t)m->attrs.n};
	return rc < 0 ? rc : vec_push(&m->attrs, a, l->budget, err);
}

static void put(struct trace_loader *l, size_t row, const struct trace_memory *e, attr_id nothing)
{
	struct events *ev = &l->model->events;
	int64_t ns = e->time;
	enum action action = action_of(e);

	if (__builtin_add_overflow(ns, l->base_ns, &ns))
		ns = INT64_MAX;
	ev->action.at[row] = (uint8_t)action;
	ev->addr.at[row] = e->oom ? BYTES_NONE : e->address;
	ev->size.at[row] = (uint64_t)(e->bytes < 0 ? -e->bytes : e->bytes);
	ev->time_us.at[row] = ns / 1000;
	if (!l->whole_us)
		ev->time_ns.at[row] = (uint16_t)(ns % 1000);
	ev->stack.at[row] = STACK_ABSENT;
	ev->attr.at[row] = action == ACTION_OTHER ? nothing : (attr_id){0};
	ev->allocated.at[row] = e->allocated == AMOUNT_UNTOLD ? BYTES_NONE : e->allocated;
	ev->reserved.at[row] = l->reserved.at[e->reserved];
}

/* What a row moves its device's total by. */
static int64_t change(const struct events *ev, uint64_t row)
{
	uint8_t action = ev->action.at[row];
	int64_t size = (int64_t)ev->size.at[row];

	return action == ACTION_ALLOC ? size : action == ACTION_FREE_COMPLETED ? -size : 0;
}

/* What lived before a device's events: told by the first total, else what frees need at least. */
static void find_base(const struct events *ev, struct device *d)
{
	int64_t sum = 0, lowest = 0;

	d->base_known = false;
	for (uint64_t row = d->first_event; row < d->first_event + d->n_events; row++) {
		sum += change(ev, row);
		if (ev->allocated.at[row] != BYTES_NONE) {
			int64_t base = (int64_t)ev->allocated.at[row] - sum;

			d->base_known = base >= 0;
			d->base_allocated = base > 0 ? (uint64_t)base : 0;
			return;
		}
		lowest = sum < lowest ? sum : lowest;
	}
	d->base_allocated = (uint64_t)-lowest;
}

/* Fill totals that were not told, and count where those told move by more than the events. */
static void follow_totals(struct events *ev, struct device *d)
{
	uint64_t now = d->base_allocated;

	for (uint64_t row = d->first_event; row < d->first_event + d->n_events; row++) {
		uint64_t *told = &ev->allocated.at[row];
		int64_t bytes = change(ev, row);
		uint64_t expected = now + (uint64_t)bytes;

		if (bytes < 0 && (uint64_t)-bytes > now)
			expected = 0;
		if (*told == BYTES_NONE) {
			*told = expected;
		} else if (*told != expected) {
			d->n_unseen++;
			d->unseen_bytes += *told > expected ? *told - expected : expected - *told;
		}
		now = *told;
	}
}

/* The n events from row `first` on are those of one device of the trace. */
static int add_device(struct trace_loader *l, const struct trace_device *t, uint64_t first,
		      uint64_t n, struct error *err)
{
	struct model *m = l->model;
	struct device fresh = {.index = t->index, .max_entries = BYTES_NONE}, *d = NULL;

	for (size_t i = 0; i < m->devices.n && !d; i++)
		d = m->devices.at[i].index == t->index ? &m->devices.at[i] : NULL;
	if (!d) {
		if (vec_push(&m->devices, fresh, l->budget, err) < 0)
			return (int)err->code;
		d = &m->devices.at[m->devices.n - 1];
	}
	d->first_event = first;
	d->n_events = n;
	d->counted = true;
	d->no_addresses = !t->n_addressed;
	find_base(&m->events, d);
	follow_totals(&m->events, d);
	return 0;
}

static void set_lengths(struct events *ev, size_t n, bool whole_us)
{
	ev->action.n = ev->addr.n = ev->size.n = ev->time_us.n = n;
	ev->stack.n = ev->attr.n = ev->allocated.n = ev->reserved.n = n;
	ev->time_ns.n = whole_us ? 0 : n;
}

/* Rows that were put are let go bit by bit, from the back: two copies of all are too much. */
#define SHRINK_ROWS 65536

static void shrink(struct trace_loader *l, size_t n)
{
	size_t size = sizeof *l->memory.at;
	struct error ignored;
	void *less =
		budget_realloc(l->budget, l->memory.at, l->memory.cap * size, n * size, &ignored);

	if (less) {
		l->memory.at = less;
		l->memory.cap = n;
	}
	l->memory.n = n;
}

int trace_make_events(struct trace_loader *l, struct error *err)
{
	const struct trace_facts *t = &l->model->trace;
	size_t n = l->memory.n, first = 0;
	attr_id nothing;
	int rc;

	sort_memory(l->memory.at, n, NULL);
	if ((rc = reserve(l, n, err)) < 0 || (rc = attr_of_nothing(l, &nothing, err)) < 0)
		return rc;
	for (size_t i = n; i-- > 0;) {
		put(l, i, &l->memory.at[i], nothing);
		if (t->detail == TRACE_MEMORY && i && i % SHRINK_ROWS == 0)
			shrink(l, i);
	}
	set_lengths(&l->model->events, n, l->whole_us);
	for (size_t i = 0; i < t->devices.n && rc == 0; i++) {
		if (t->devices.at[i].n_events)
			rc = add_device(l, &t->devices.at[i], first, t->devices.at[i].n_events,
					err);
		first += t->devices.at[i].n_events;
	}
	return rc;
}
