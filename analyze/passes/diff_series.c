/* SPDX-License-Identifier: MIT
 * diff_series.c -- allocated bytes of both sides of a diff over one axis, aligned step by step.
 */
#include "passes/diff_series.h"

#include <string.h>

struct side {
	const struct allocations *a;
	const struct phases *p;
	size_t step; /* the next one that begins */
	int64_t zero_us, last_us;
};

static int64_t time_at(const struct allocations *a, uint64_t e)
{
	return a->model->events.time_us.at[a->device->first_event + e];
}

static bool has_times(struct side *s)
{
	uint64_t n = s->a->device->n_events;

	s->zero_us = s->last_us = TIME_NONE;
	for (uint64_t e = 0; e < n; e++) {
		int64_t us = time_at(s->a, e);

		if (us == TIME_NONE)
			continue;
		if (s->zero_us == TIME_NONE)
			s->zero_us = us;
		if (us > s->last_us)
			s->last_us = us;
	}
	/* Differences stay far from overflow: times of sane clocks only. */
	return s->zero_us > -(INT64_C(1) << 61) && s->last_us < INT64_C(1) << 61 &&
	       s->last_us > s->zero_us;
}

static double span_of(const struct side *s, enum diff_axis axis)
{
	if (axis == DIFF_BY_STEP)
		return (double)s->p->steps.n + 1;
	if (axis == DIFF_BY_TIME)
		return (double)(s->last_us - s->zero_us);
	return (double)s->a->device->n_events;
}

static double place_in_step(const struct side *s, int64_t event)
{
	int64_t first = 0, end = (int64_t)s->a->device->n_events;

	if (s->step > 0)
		first = s->p->steps.at[s->step - 1].first_event;
	if (s->step < s->p->steps.n)
		end = s->p->steps.at[s->step].first_event;
	return (double)s->step +
	       (end > first ? (double)(event - first) / (double)(end - first) : 0);
}

/* Events come in order. */
static double place_of(struct side *s, enum diff_axis axis, int64_t event)
{
	int64_t us;

	if (event < 0)
		return 0;
	while (s->step < s->p->steps.n && s->p->steps.at[s->step].first_event <= event)
		s->step++;
	if (axis == DIFF_BY_STEP)
		return place_in_step(s, event);
	if (axis == DIFF_BY_EVENT)
		return (double)event;
	us = time_at(s->a, (uint64_t)event);
	return us == TIME_NONE || us < s->zero_us ? 0 : (double)(us - s->zero_us);
}

static size_t column_of(const struct diff_series *d, double place, size_t n)
{
	double c = place / d->span * (double)n;

	return c <= 0 ? 0 : c >= (double)n ? n - 1 : (size_t)c;
}

/* Sizes of blocks that each event adds or takes. */
static void sum_changes(const struct allocations *a, int64_t *change, uint64_t *start)
{
	*start = 0;
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct allocation *x = &a->rows.at[i];

		if (x->born < 0)
			*start += x->size;
		else
			change[x->born] += (int64_t)x->size;
		if (x->free_requested >= 0 && x->free_requested < ALLOCATION_ALIVE)
			change[x->free_requested] -= (int64_t)x->size;
	}
}

static int fill(struct diff_series *d, int which, struct side *s, int64_t moment, size_t columns,
		struct budget *budget, struct error *err)
{
	uint64_t n = s->a->device->n_events, live;
	size_t bytes = (n + 1) * sizeof(int64_t);
	int64_t *change = budget_realloc(budget, NULL, 0, bytes, err);
	struct reduction *r = &d->side[which];
	int rc;

	if (!change)
		return (int)err->code;
	memset(change, 0, bytes);
	if ((rc = reduce_init(r, columns, 1, budget, err)) == 0) {
		sum_changes(s->a, change, &live);
		reduce_start(r, &live);
		d->highest = live > d->highest ? live : d->highest;
		for (int64_t e = 0; e < (int64_t)n; e++) {
			double place = place_of(s, d->axis, e);

			if (e == moment)
				d->at[which] = place;
			if (!change[e])
				continue;
			live += (uint64_t)change[e];
			reduce_add(r, column_of(d, place, columns), e, &live);
			d->highest = live > d->highest ? live : d->highest;
		}
		reduce_finish(r);
	}
	budget_free(budget, change, bytes);
	return rc;
}

int diff_series_init(struct diff_series *out, const struct diff *d,
		     const struct allocations *const a[2], const struct phases *const p[2],
		     size_t columns, struct budget *budget, struct error *err)
{
	struct side side[2] = {{.a = a[0], .p = p[0]}, {.a = a[1], .p = p[1]}};
	struct diff_series s = {.axis = DIFF_BY_EVENT};
	bool timed = has_times(&side[0]) && has_times(&side[1]);
	int rc = 0;

	if (p[0]->steps.n >= 2 && p[1]->steps.n >= 2)
		s.axis = DIFF_BY_STEP;
	else if (timed)
		s.axis = DIFF_BY_TIME;
	s.span = 1;
	for (int i = 0; i < 2; i++) {
		double span = span_of(&side[i], s.axis);

		s.span = span > s.span ? span : s.span;
	}
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = fill(&s, i, &side[i], i ? d->new.at.event : d->base.at.event, columns, budget,
			  err);
	if (rc < 0)
		diff_series_release(&s);
	else
		*out = s;
	return rc;
}

void diff_series_release(struct diff_series *s)
{
	for (int i = 0; i < 2; i++) {
		if (s->side[i].budget)
			reduce_release(&s->side[i]);
	}
}
