/* SPDX-License-Identifier: MIT
 * leaks_reserved.c -- reserved and live bytes step by step: cache growth, and when memory runs out.
 */
#include <stdlib.h>

#include "base/num.h"
#include "passes/leaks_private.h"

/* Reserved memory that grows by less is the allocator's daily business. */
#define LEAST_CACHE_GROWTH (UINT64_C(1) << 20)

/* Bytes of block sizes that a trace's event adds or takes away, from the rows. */
static int live_changes(const struct leaks_work *w, int64_t *change, int64_t *start)
{
	*start = 0;
	for (size_t i = 0; i < w->a->rows.n; i++) {
		const struct allocation *x = &w->a->rows.at[i];

		if (x->born < 0)
			*start += (int64_t)x->size;
		else
			change[x->born] += (int64_t)x->size;
		if (x->free_completed >= 0 && x->free_completed < ALLOCATION_ALIVE)
			change[x->free_completed] -= (int64_t)x->size;
	}
	return 0;
}

static int64_t segment_change(const struct model *m, uint64_t e)
{
	int64_t size = (int64_t)m->events.size.at[e];

	switch ((enum action)m->events.action.at[e]) {
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		return size;
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		return -size;
	default:
		return 0;
	}
}

/* Reserved before event 0: what is reserved in the end, all changes undone. */
static int64_t reserved_at_start(const struct allocations *a)
{
	const struct device *d = a->device;
	int64_t bytes = 0;

	for (uint64_t i = 0; i < d->n_segments; i++)
		bytes += (int64_t)a->model->segments.at[d->first_segment + i].total_size;
	for (uint64_t e = 0; e < d->n_events; e++)
		bytes -= segment_change(a->model, d->first_event + e);
	return bytes;
}

int leaks_follow_device(struct leaks_work *w, struct error *err)
{
	const struct device *d = w->a->device;
	size_t bytes = (d->n_events + 1) * sizeof(int64_t);
	int64_t *change = budget_realloc(w->out->budget, NULL, 0, bytes, err);
	int64_t live, reserved = reserved_at_start(w->a), highest = 0;
	size_t step = 0;

	if (!change)
		return (int)err->code;
	for (size_t i = 0; i <= d->n_events; i++)
		change[i] = 0;
	live_changes(w, change, &live);
	w->reserved.n = w->active.n = w->n;
	for (int64_t e = 0; e < (int64_t)d->n_events && e <= w->o->until; e++) {
		if (step + 1 < w->n && e == w->phases->steps.at[step + 1].first_event) {
			w->reserved.at[step] = (uint64_t)reserved;
			w->active.at[step] = (uint64_t)highest;
			step++;
			highest = live;
		}
		live += change[e];
		reserved += segment_change(w->a->model, d->first_event + (uint64_t)e);
		if (live > highest)
			highest = live;
	}
	for (; step < w->n; step++) {
		w->reserved.at[step] = (uint64_t)reserved;
		w->active.at[step] = (uint64_t)highest;
	}
	budget_free(w->out->budget, change, bytes);
	return 0;
}

static uint64_t segments_in(const struct leaks_work *w, size_t from, size_t to)
{
	const struct device *d = w->a->device;
	int64_t first = w->phases->steps.at[from].first_event;
	int64_t last = w->phases->steps.at[to].last_event;
	int64_t n = 0;

	for (int64_t e = first; e <= last && e < (int64_t)d->n_events; e++) {
		int64_t change = segment_change(w->a->model, d->first_event + (uint64_t)e);

		n += (change > 0) - (change < 0);
	}
	return n > 0 ? (uint64_t)n : 0;
}

/* Reserved bytes grow all the time, and less than half of that by what lives. */
int leaks_judge_reserved(struct leaks_work *w, struct error *err)
{
	size_t span = w->last - w->first;
	const uint64_t *r = w->reserved.at + w->first, *l = w->active.at + w->first;
	double grown, live, steps = 0;
	struct leak found;

	if (span < 3)
		return 0;
	if (!leaks_grows_throughout((double)r[0], (double)r[span / 3], (double)r[2 * span / 3],
				    (double)r[span]))
		return 0;
	grown = (double)r[span] - (double)r[0];
	live = (double)l[span] - (double)l[0];
	for (size_t s = 1; s <= span; s++)
		steps += r[s] > r[s - 1];
	if (grown / (double)span < (double)LEAST_CACHE_GROWTH || live > 0.5 * grown || steps < 3)
		return 0;
	found = (struct leak){
		.kind = LEAK_CACHE_GROWTH,
		.category = CATEGORY_UNKNOWN,
		.site = {.kind = SITE_NO_STACK},
		.bytes = (uint64_t)grown,
		.blocks = segments_in(w, w->first + 1, w->last),
		.growth = grown / (double)span,
		.growth_sizes = grown / (double)span,
		.first_step = (int64_t)w->first + 1,
		.last_step = (int64_t)w->last,
		.confidence = leaks_confidence(w, (size_t)steps, 1.0),
	};
	return vec_push(&w->out->found, found, w->out->budget, err);
}

/* A segment may be larger than the request that it is for. */
#define SEGMENT_SLACK (UINT64_C(64) << 20)

uint64_t leaks_capacity(const struct allocations *a, uint64_t start_reserved)
{
	const struct device *d = a->device;
	int64_t reserved = (int64_t)start_reserved;
	uint64_t capacity = 0;

	if (start_reserved == BYTES_NONE)
		reserved = reserved_at_start(a);
	for (uint64_t e = 0; e < d->n_events; e++) {
		uint64_t row = d->first_event + e, device_free = a->model->events.addr.at[row];

		reserved += segment_change(a->model, row);
		if (a->model->events.action.at[row] != ACTION_OOM || device_free == BYTES_NONE ||
		    reserved < 0)
			continue;
		/* Refused although the device had it: another limit lies below what it has. */
		if (device_free / 2 >
		    num_add_saturated(a->model->events.size.at[row], SEGMENT_SLACK))
			device_free = a->model->events.size.at[row];
		capacity = (uint64_t)reserved + device_free;
	}
	return capacity;
}

/* From what the last judged steps need at their highest, at the rate of the leaks. */
void leaks_make_forecast(struct leaks_work *w)
{
	struct leaks_forecast *f = &w->out->forecast;
	uint64_t need = 0;
	double rate = 0, steps;
	enum confidence sure = CONFIDENCE_LOW;

	f->limit_bytes = w->o->capacity_bytes;
	for (size_t i = 0; i < w->out->found.n; i++) {
		const struct leak *l = &w->out->found.at[i];

		rate += l->growth_sizes;
		if (l->confidence > sure)
			sure = l->confidence;
	}
	for (size_t s = w->last > 2 ? w->last - 2 : 0; s <= w->last; s++) {
		if (w->active.at[s] > need)
			need = w->active.at[s];
	}
	if (!f->limit_bytes || rate < 1)
		return;
	steps = need < f->limit_bytes ? (double)(f->limit_bytes - need) / rate : 0;
	if (steps > 1e15)
		return;
	f->known = true;
	f->step = (int64_t)w->last + (int64_t)steps + 1;
	f->confidence = sure;
}
