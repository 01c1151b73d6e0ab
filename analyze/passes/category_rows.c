/* SPDX-License-Identifier: MIT
 * category_rows.c -- allocations and events as the rows of a memory timeline.
 */
#include "passes/category_rows.h"

#include "base/sort.h"

#define UNKNOWN (TIMELINE_CATEGORIES - 1)

/* Rows with the event they come from, which orders what time and action leave open. */
struct ordered {
	struct timeline_row row;
	uint32_t event;
};

struct builder {
	const struct model *m;
	const struct device *d;
	struct budget *budget;
	VEC(struct ordered) rows;
	VEC(int64_t) times; /* of each event, ns; those without take the one before */
};

static bool row_before(const struct ordered *a, const struct ordered *b, const void *ctx)
{
	(void)ctx;
	if (a->row.time_ns != b->row.time_ns)
		return a->row.time_ns < b->row.time_ns;
	if (a->row.action != b->row.action)
		return a->row.action < b->row.action;
	return a->event < b->event;
}

SORT_DEFINE(sort_ordered, struct ordered, row_before)

static int find_times(struct builder *b, struct error *err)
{
	const struct events *ev = &b->m->events;
	int64_t last = 0;
	uint64_t n = b->d->n_events;

	if (vec_reserve(&b->times, n, b->budget, err) < 0)
		return (int)err->code;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = b->d->first_event + i;
		int64_t us = ev->time_us.at[row], ns;

		if (us != TIME_NONE && us >= 0 && !__builtin_mul_overflow(us, 1000, &ns))
			last = ns + (ev->time_ns.n ? ev->time_ns.at[row] : 0);
		b->times.at[b->times.n++] = last;
	}
	return 0;
}

static int add(struct builder *b, int64_t event, int64_t bytes, unsigned category,
	       struct error *err)
{
	struct ordered o = {.row.bytes = bytes, .row.category = (uint8_t)category};

	if (!bytes)
		return 0;
	if (event < 0) {
		o.row.time_ns = -1;
		o.row.action = TIMELINE_PREEXISTING;
	} else {
		o.row.time_ns = b->times.at[event];
		o.row.action = bytes > 0 ? TIMELINE_CREATE : TIMELINE_DESTROY;
		o.event = (uint32_t)event;
	}
	return vec_push(&b->rows, o, b->budget, err);
}

/* Blocks end with the trace at the latest. */
static int add_allocation(struct builder *b, const struct allocation *x, unsigned category,
			  struct error *err)
{
	int32_t end = x->free_requested < x->free_completed ? x->free_requested : x->free_completed;
	int rc;

	/* Freed before the trace, pending still: the profiler would not have seen it. */
	if (x->free_requested == EVENT_START || x->size > INT64_MAX)
		return 0;
	rc = add(b, x->born, (int64_t)x->size, category, err);
	if (rc == 0 && end != ALLOCATION_ALIVE && end >= 0 && end < (int64_t)b->times.n)
		rc = add(b, end, -(int64_t)x->size, category, err);
	return rc;
}

static int finish(struct builder *b, struct category_rows *out, struct error *err)
{
	struct category_rows r = {.budget = b->budget};

	sort_ordered(b->rows.at, b->rows.n, NULL);
	if (vec_reserve(&r.rows, b->rows.n, b->budget, err) < 0)
		return (int)err->code;
	for (size_t i = 0; i < b->rows.n; i++)
		r.rows.at[r.rows.n++] = b->rows.at[i].row;
	*out = r;
	return 0;
}

static void release(struct builder *b)
{
	vec_release(&b->rows, b->budget);
	vec_release(&b->times, b->budget);
}

int category_rows_run(struct category_rows *out, const struct allocations *a,
		      const uint8_t *categories, struct budget *budget, struct error *err)
{
	struct builder b = {.m = a->model, .d = a->device, .budget = budget};
	uint64_t before = 0;
	int rc = find_times(&b, err);

	for (size_t i = 0; i < a->rows.n && rc == 0; i++) {
		rc = add_allocation(&b, &a->rows.at[i], categories ? categories[i] : UNKNOWN, err);
		if (a->rows.at[i].born < 0)
			before += a->rows.at[i].size;
	}
	if (rc == 0 && b.d->counted && b.d->base_allocated > before)
		rc = add(&b, EVENT_START, (int64_t)(b.d->base_allocated - before), UNKNOWN, err);
	if (rc == 0)
		rc = finish(&b, out, err);
	release(&b);
	return rc;
}

int category_rows_of_events(struct category_rows *out, const struct model *m,
			    const struct device *d, struct budget *budget, struct error *err)
{
	struct builder b = {.m = m, .d = d, .budget = budget};
	uint64_t now = d->base_allocated;
	int rc = find_times(&b, err);

	if (rc == 0)
		rc = add(&b, EVENT_START, (int64_t)now, UNKNOWN, err);
	for (uint64_t i = 0; i < d->n_events && rc == 0; i++) {
		uint64_t total = m->events.allocated.at[d->first_event + i];

		rc = add(&b, (int64_t)i, (int64_t)(total - now), UNKNOWN, err);
		now = total;
	}
	if (rc == 0)
		rc = finish(&b, out, err);
	release(&b);
	return rc;
}

void category_rows_release(struct category_rows *r)
{
	vec_release(&r->rows, r->budget);
}
