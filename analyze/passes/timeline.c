/* SPDX-License-Identifier: MIT
 * timeline.c -- the walk that fills a timeline.
 */
#include "passes/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *timeline_series_name(enum timeline_series s)
{
	static const char *const names[TIMELINE_SERIES] = {
		[TIMELINE_RESERVED] = "reserved",   [TIMELINE_ACTIVE] = "active",
		[TIMELINE_ALLOCATED] = "allocated", [TIMELINE_REQUESTED] = "requested",
		[TIMELINE_BEFORE] = "before_trace",
	};

	return names[s];
}

void timeline_release(struct timeline *t)
{
	if (!t->budget)
		return;
	reduce_release(&t->series);
	stack_release(&t->stack);
	vec_release(&t->ooms, t->budget);
	bands_release(&t->bands);
	*t = (struct timeline){0};
}

/* --- the axis ---------------------------------------------------------------------------------- */

static int64_t event_time(const struct timeline *t, int64_t event)
{
	if (event < 0)
		return TIME_NONE;
	return t->model->events.time_us.at[t->device->first_event + (uint64_t)event];
}

/* Lowest and highest time that the walk will meet, given that times never run back in it. */
static bool window_times(const struct timeline *t, int64_t from, int64_t *first, int64_t *last)
{
	bool found = false;

	for (int64_t e = from < 0 ? 0 : from; e <= t->to; e++) {
		int64_t us = event_time(t, e);

		if (us == TIME_NONE)
			continue;
		if (!found)
			*first = *last = us;
		else if (us > *last)
			*last = us;
		found = true;
	}
	return found;
}

static void timeline_set_axis(struct timeline *t, const struct timeline_options *o)
{
	int64_t first = TIME_NONE, last = TIME_NONE;
	bool later = o->from_first_event && t->from < t->to &&
		     event_time(t, t->from) <= event_time(t, t->from + 1);
	bool timed = window_times(t, later ? t->from + 1 : t->from, &first, &last);

	t->zero_us = timed ? first : TIME_NONE;
	t->by_event = o->by_event || !timed || first == last;
	if (!o->by_event)
		t->reason = !timed          ? TIMELINE_NO_TIMES
			    : first == last ? TIMELINE_ONE_TIME
					    : TIMELINE_AS_ASKED;
	if (t->by_event)
		t->span = (uint64_t)(t->to - t->from) + 1;
	else
		t->span = (uint64_t)last - (uint64_t)first;
}

uint64_t timeline_position_of_event(const struct timeline *t, int64_t event)
{
	int64_t us = TIME_NONE;

	if (event <= t->from)
		return 0;
	if (t->by_event)
		return event > t->to ? t->span : (uint64_t)(event - t->from);
	for (; event >= t->from && us == TIME_NONE; event--)
		us = event > t->to ? event_time(t, t->to) : event_time(t, event);
	if (us == TIME_NONE || us <= t->zero_us)
		return 0;
	return (uint64_t)us - (uint64_t)t->zero_us < t->span ? (uint64_t)us - (uint64_t)t->zero_us
							     : t->span;
}

/* --- annotations ------------------------------------------------------------------------------- */

struct mark_order {
	int64_t time_us;
	size_t mark;
};

static int compare_order(const void *pa, const void *pb)
{
	const struct mark_order *a = pa, *b = pb;

	if (a->time_us != b->time_us)
		return a->time_us < b->time_us ? -1 : 1;
	return (a->mark > b->mark) - (a->mark < b->mark);
}

/* Give each mark the last event that is not later, or the number behind the last one when all are
 * earlier: both are walked once, in order of time. */
static void marks_find_events(const struct timeline *t, struct band_mark *marks,
			      const struct mark_order *order, size_t n)
{
	const struct device *d = t->device;
	int64_t n_events = (int64_t)d->n_events, e = 0, latest = TIME_NONE;

	for (size_t i = 0; i < n; i++) {
		while (e < n_events) {
			int64_t us = event_time(t, e);

			if (us != TIME_NONE && us > order[i].time_us)
				break;
			if (us > latest)
				latest = us;
			e++;
		}
		marks[order[i].mark].event = e == n_events && order[i].time_us > latest ? e : e - 1;
	}
}

static int timeline_add_bands(struct timeline *t, const struct timeline_options *o,
			      struct error *err)
{
	const struct model *m = t->model;
	struct bands_axis axis = {.by_event = t->by_event, .span = t->span};
	VEC(struct band_mark) marks = {0};
	VEC(struct mark_order) order = {0};
	int rc = 0;

	for (size_t i = 0; i < m->annotations.n && rc == 0; i++) {
		const struct annotation *a = &m->annotations.at[i];
		struct band_mark mark = {a->name, a->is_end, a->time_us, EVENT_START};
		struct mark_order place = {a->time_us, marks.n};

		if (a->time_us == TIME_NONE || t->zero_us == TIME_NONE) {
			t->n_unplaced_marks++;
			continue;
		}
		if ((rc = vec_push(&marks, mark, t->budget, err)) == 0)
			rc = vec_push(&order, place, t->budget, err);
	}
	if (rc == 0 && marks.n > 0) {
		qsort(order.at, order.n, sizeof *order.at, compare_order);
		marks_find_events(t, marks.at, order.at, order.n);
		rc = bands_match(&t->bands, marks.at, marks.n, err);
	}
	axis.zero = t->by_event ? t->from : t->zero_us;
	/* Two columns: what is narrower could not be told from its neighbours. */
	axis.narrow = 2 * (t->span / t->series.n_columns) + 1;
	axis.max_drawn = o->max_bands < BANDS_MAX_ROWS ? BANDS_MAX_ROWS : o->max_bands;
	if (rc == 0)
		rc = bands_layout(&t->bands, &axis, err);
	vec_release(&marks, t->budget);
	vec_release(&order, t->budget);
	return rc;
}

/* --- the walk ---------------------------------------------------------------------------------- */

struct walk {
	struct timeline *t;
	struct replay *r;
	uint64_t before;   /* bytes of blocks from before event 0 that are still allocated */
	int64_t latest_us; /* highest time so far, or TIME_NONE */
	uint64_t values[TIMELINE_SERIES];
};

/* What of the state at `from` lived before event 0. */
static int walk_start_before(struct walk *w, struct error *err)
{
	struct state s = {0};
	int rc;

	if (w->t->from == EVENT_START) {
		w->before = replay_totals(w->r)->allocated;
		return 0;
	}
	if ((rc = replay_state(w->r, &s, err)) < 0)
		return rc;
	for (size_t i = 0; i < s.blocks.n; i++) {
		const struct state_block *b = &s.blocks.at[i];

		if (b->state == BLOCK_ACTIVE && b->born == EVENT_START)
			w->before += b->size;
	}
	state_release(&s);
	return 0;
}

static void walk_values(struct walk *w)
{
	const struct totals *now = replay_totals(w->r);

	if (w->t->window_only) {
		for (int s = 0; s < TIMELINE_SERIES; s++)
			w->values[s] = BYTES_NONE;
		w->values[TIMELINE_ALLOCATED] = stack_total(&w->t->stack);
		return;
	}
	w->values[TIMELINE_RESERVED] = now->reserved;
	w->values[TIMELINE_ACTIVE] = now->active;
	w->values[TIMELINE_ALLOCATED] = now->allocated;
	w->values[TIMELINE_REQUESTED] = now->requested;
	w->values[TIMELINE_BEFORE] = w->t->exact ? w->before : BYTES_NONE;
}

static struct timeline_point walk_point(const struct walk *w, int64_t event)
{
	const struct timeline *t = w->t;
	struct timeline_point p = {event, event_time(t, event), 0, *replay_totals(w->r)};

	if (t->window_only)
		p.totals =
			(struct totals){BYTES_NONE, stack_total(&t->stack), BYTES_NONE, BYTES_NONE};
	if (t->by_event)
		p.position = (uint64_t)(event - t->from);
	else if (w->latest_us != TIME_NONE && w->latest_us > t->zero_us)
		p.position = (uint64_t)w->latest_us - (uint64_t)t->zero_us;
	return p;
}

/* Keep what is highest; the first moment counts. */
static void walk_note_highest(struct walk *w, const struct timeline_point *p, bool in_free)
{
	struct timeline *t = w->t;

	if (!in_free && p->totals.active != BYTES_NONE && p->totals.active > p->totals.allocated &&
	    p->totals.active - p->totals.allocated > t->highest_pending)
		t->highest_pending = p->totals.active - p->totals.allocated;
	for (int s = 0; s < TIMELINE_SERIES; s++) {
		uint64_t v = w->values[s];

		if (v == BYTES_NONE || (t->known[s] && v <= t->highest[s]))
			continue;
		t->known[s] = true;
		t->highest[s] = v;
		if (s != TIMELINE_ALLOCATED)
			continue;
		t->peak = *p;
		if (timeline_has_stack(t))
			stack_note_peak(&t->stack);
	}
}

static int walk_oom(struct walk *w, const struct timeline_point *p, struct error *err)
{
	const struct events *ev = &w->t->model->events;
	uint64_t row = w->t->device->first_event + (uint64_t)p->event;
	struct timeline_oom oom = {*p, ev->size.at[row], ev->addr.at[row]};

	return vec_push(&w->t->ooms, oom, w->t->budget, err);
}

static int walk_event(struct walk *w, int64_t event, struct error *err)
{
	const struct step *step = replay_last(w->r);
	struct timeline *t = w->t;
	uint64_t was = w->values[TIMELINE_ALLOCATED];
	int64_t us = event_time(t, event);
	struct timeline_point p;

	if (us != TIME_NONE && w->latest_us != TIME_NONE && us < w->latest_us)
		t->n_times_back++;
	else if (us != TIME_NONE)
		w->latest_us = us;
	p = walk_point(w, event);
	if (timeline_has_stack(t)) {
		stack_step(&t->stack, step, event, timeline_column(t, p.position),
			   t->window_only ? BYTES_NONE : p.totals.allocated);
		p = walk_point(w, event);
	}
	/* Blocks from before the trace only ever go. */
	if (step->born == EVENT_START && !t->window_only &&
	    (step->action == ACTION_FREE_REQUESTED || step->action == ACTION_FREE_COMPLETED)) {
		uint64_t gone = p.totals.allocated < was ? was - p.totals.allocated : 0;

		w->before -= gone < w->before ? gone : w->before;
	}
	walk_values(w);
	reduce_add(&t->series, timeline_column(t, p.position), event, w->values);
	walk_note_highest(w, &p, step->action == ACTION_FREE_REQUESTED);
	return step->action == ACTION_OOM ? walk_oom(w, &p, err) : 0;
}

static int timeline_walk(struct timeline *t, struct replay *r, struct error *err)
{
	struct walk w = {.t = t, .r = r, .latest_us = TIME_NONE};
	int rc;

	if ((rc = replay_seek(r, t->from, err)) < 0 || (rc = walk_start_before(&w, err)) < 0)
		return rc;
	w.latest_us = event_time(t, t->from);
	if (t->window_only) {
		t->left_out = replay_totals(r)->allocated;
		t->stack.since = t->from;
	}
	if (timeline_has_stack(t))
		stack_start(&t->stack, t->from,
			    t->window_only ? BYTES_NONE : replay_totals(r)->allocated);
	t->start = walk_point(&w, t->from);
	walk_values(&w);
	reduce_start(&t->series, w.values);
	walk_note_highest(&w, &t->start, false);
	for (int64_t e = t->from + 1; e <= t->to; e++) {
		if ((rc = replay_step(r, err)) < 0 || (rc > 0 && (rc = walk_event(&w, e, err)) < 0))
			return rc;
	}
	reduce_finish(&t->series);
	if (timeline_has_stack(t))
		stack_finish(&t->stack);
	t->end = walk_point(&w, t->to);
	return 0;
}

int timeline_run(struct timeline *out, const struct model *m, struct replay *r,
		 const struct device *d, const struct timeline_options *o, struct budget *budget,
		 struct error *err)
{
	struct timeline t = {
		.budget = budget, .model = m, .device = d, .from = o->from, .to = o->to};
	int rc;

	assert(o->columns >= 1 && o->columns <= TIMELINE_MAX_COLUMNS);
	assert(!o->window_only || (o->groups && o->groups->allocations));
	assert(o->from >= EVENT_START && o->from <= o->to && o->to < (int64_t)d->n_events);
	bands_init(&t.bands, budget);
	t.exact = d->trace_meets_segments || (d->counted && d->base_known);
	t.window_only = o->window_only;
	t.n_events = (uint64_t)(t.to - t.from);
	memset(t.highest, 0xff, sizeof t.highest);
	timeline_set_axis(&t, o);
	if ((rc = reduce_init(&t.series, o->columns, TIMELINE_SERIES, budget, err)) < 0 ||
	    (o->groups && (rc = stack_init(&t.stack, o->groups, o->columns, budget, err)) < 0) ||
	    (rc = timeline_walk(&t, r, err)) < 0 || (rc = timeline_add_bands(&t, o, err)) < 0) {
		timeline_release(&t);
		return rc;
	}
	*out = t;
	return 0;
}
