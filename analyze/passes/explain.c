/* SPDX-License-Identifier: MIT
 * explain.c -- the walk to every oom event of a file, and what is looked at there.
 */
#include "passes/explain.h"

#include <assert.h>

#include "model/rounding.h"
#include "passes/oom_events.h"
#include "passes/explain_private.h"
#include "passes/open_spans.h"

/* segment_pool_id of plain allocations in recordings: (0, 1). */
#define RECORDED_POOL 1

/* One run over a file. `state` is that of `look`, kept while nothing changes. */
struct explain_walk {
	struct explain out;
	const struct model *m;
	const struct explain_side *side;
	const struct explain_options *options;
	struct study *study;
	struct budget *budget;
	struct holders holders;
	const struct device *d;
	struct replay *replay; /* weak: the study's, of `d` */
	struct open_spans spans;
	struct state state;
	struct explain_look look;
	int64_t looked_at; /* event of the oom that `look` was made for */
};

static uint64_t event_row(const struct device *d, int64_t event)
{
	return d->first_event + (uint64_t)event;
}

/* Does an event change the allocator's state? */
static bool changes_state(enum action a)
{
	return a == ACTION_ALLOC || a == ACTION_FREE_REQUESTED || a == ACTION_FREE_COMPLETED ||
	       a == ACTION_SEGMENT_ALLOC || a == ACTION_SEGMENT_FREE || a == ACTION_SEGMENT_MAP ||
	       a == ACTION_SEGMENT_UNMAP;
}

static bool state_is_fresh(const struct explain_walk *w, int64_t event)
{
	if (w->looked_at < 0)
		return false;
	for (int64_t n = w->looked_at; n < event; n++)
		if (changes_state(w->m->events.action.at[event_row(w->d, n)]))
			return false;
	return true;
}

/* Add up the state of the replay's position. */
static int take_look(struct explain_walk *w, struct error *err)
{
	struct explain_look look = {.first_holder = w->out.holders.n};
	struct state state = {0};
	int rc;

	if ((rc = replay_state(w->replay, &state, err)) < 0)
		return rc;
	state_release(&w->state);
	w->state = state;
	look.totals = state.totals;
	look.exact = state.exact && state.totals.reserved != BYTES_NONE;
	look.no_stack = no_stack_count(w->m, &w->state, replay_summary(w->replay)->history);
	holders_of_state(&w->holders, &w->state);
	look.all_holders = holders_count(&w->holders);
	for (size_t k = 0; k < look.all_holders && k < EXPLAIN_MAX_HOLDERS; k++) {
		rc = vec_push(&w->out.holders, *holders_at(&w->holders, k), w->budget, err);
		if (rc < 0)
			return rc;
		look.n_holders++;
	}
	w->look = look;
	return 0;
}

static void read_request(struct explain_oom *oom, const struct explain_walk *w)
{
	const struct events *e = &w->m->events;
	uint64_t row = event_row(w->d, oom->event);
	const struct attr *attr = &w->m->attrs.at[e->attr.at[row].i];
	struct request *q = &oom->request;

	oom->device = w->d->index;
	oom->time_us = e->time_us.at[row];
	oom->device_free = e->addr.at[row];
	oom->stack = e->stack.at[row];
	oom->site = w->holders.sites.sites.at[w->holders.sites.of_stack.at[oom->stack.i]];
	q->rounded = e->size.at[row];
	q->attempted = round_to_segment(&w->m->settings, q->rounded);
	q->is_small = q->rounded <= SMALL_MAX_BYTES;
	q->stream_known = attr->has_stream;
	q->stream = attr->stream;
	q->pool_known = attr->has_pool;
	if (attr->has_pool)
		q->pool = attr->pool;
	/* The driver was asked for this and nothing else, and its memory has no pools to choose. */
	if (w->m->capture_value) {
		q->attempted = q->rounded;
		q->is_small = false;
		q->pool_known = true;
		q->pool = (struct pool_id){0, RECORDED_POOL};
	}
}

/* A counted device has no segments; what it reserves beyond its blocks is cached. */
static void use_told_totals(struct explain_oom *oom, const struct explain_walk *w)
{
	uint64_t told = oom->look.totals.reserved;
	struct survey *s = &oom->survey;

	if (!w->d->counted || told == BYTES_NONE || told <= s->reserved)
		return;
	s->unsorted = told - s->reserved;
	s->reserved = told;
}

/* Of the state that was looked at last. */
static int find_outside(struct outside *out, const struct explain_walk *w, int64_t time_us,
			uint64_t device_free, struct error *err)
{
	if (!w->side || !w->side->driver || w->d->index == DEVICE_HOST)
		return 0;
	return outside_find(out, w->side->driver, w->m, &w->state, time_us, device_free, w->budget,
			    err);
}

/* A message has the card's size, too, but rounded. */
static void use_recorded_total(struct explain_oom *oom)
{
	struct card_facts *f = &oom->card;

	if (!oom->outside.total_known || oom->outside.differs ||
	    (f->total.known && !amount_is(&f->total, oom->outside.total)))
		return;
	f->total = amount_exact(oom->outside.total);
	f->total_from = FACT_DRIVER;
}

/* What the observer was told is exact; the event has the request of the program. */
static int find_card(struct explain_oom *oom, const struct explain_walk *w, struct error *err)
{
	struct request *q = &oom->request;
	struct oom_key key = {
		.device = oom->device,
		.is_host = oom->device == DEVICE_HOST,
		.attempted = q->attempted,
		.rounded = q->rounded,
		.device_free = oom->device_free,
		.allocated = oom->look.exact ? oom->survey.allocated : BYTES_NONE,
		.reserved = oom->look.exact ? oom->survey.reserved : BYTES_NONE,
		.capacity =
			w->d->capacity ? w->d->capacity : outside_recorded_total(w->m, w->d->index),
	};
	int rc = find_outside(&oom->outside, w, oom->time_us, oom->device_free, err);

	if (rc < 0)
		return rc;
	card_facts_find(&oom->card, w->side, &key);
	if (oom->card.observer_fits && w->side->observer->attempted != BYTES_NONE)
		q->attempted = w->side->observer->attempted;
	if (oom->device_free == BYTES_NONE && oom->card.message && oom->card.message->free.known)
		oom->device_free = oom->card.message->free.bytes;
	use_recorded_total(oom);
	explain_balance(oom);
	return 0;
}

/* Of the largest sites that together hold enough, the fewest blocks that do. */
static int count_blocks(struct explain_oom *oom, const struct explain_walk *w, struct error *err)
{
	for (size_t i = 0; i < oom->n_advice; i++) {
		struct advice *a = &oom->advice[i];
		int rc;

		if (a->kind != ADVICE_FREE_HOLDERS)
			continue;
		rc = explain_fewest_blocks(&a->count2, &w->state, w->m, &w->holders.sites,
					   w->out.holders.at + oom->look.first_holder,
					   (size_t)a->count, a->param, w->budget, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int explain_one(struct explain_walk *w, const struct oom_event *event, struct error *err)
{
	struct explain_oom oom = {.event = event->event, .retried = event->retried, .rank = -1};
	int rc;

	if (!state_is_fresh(w, event->event)) {
		if ((rc = replay_seek(w->replay, event->event - 1, err)) < 0 ||
		    (rc = take_look(w, err)) < 0)
			return rc;
	}
	w->looked_at = event->event;
	read_request(&oom, w);
	oom.look = w->look;
	rc = survey_run(&oom.survey, &w->state, w->m, &w->holders.sites, &oom.request, w->budget,
			err);
	if (rc < 0)
		return rc;
	use_told_totals(&oom, w);
	if ((rc = find_card(&oom, w, err)) < 0)
		return rc;
	if (!oom.retried &&
	    (rc = explain_pinners(&w->out, &oom, &w->state, w->m, &w->holders.sites, err)) < 0)
		return rc;
	if (oom.time_us != TIME_NONE)
		oom.n_phases =
			open_spans_list(&w->spans, oom.time_us, oom.phases, EXPLAIN_MAX_PHASES);
	explain_judge(&oom);
	explain_argue(&oom, &(struct explain_context){
				    .m = w->m,
				    .d = w->d,
				    .summary = replay_summary(w->replay),
				    .holders = w->out.holders.at + oom.look.first_holder,
			    });
	if (!oom.retried && (rc = count_blocks(&oom, w, err)) < 0)
		return rc;
	return vec_push(&w->out.ooms, oom, w->budget, err);
}

/* Causes stand on the whole trace, doubts on the causes. */
static int conclude(struct explain_walk *w, size_t first, struct error *err)
{
	int rc = explain_causes(&w->out, first, w->study, w->d, &w->holders.sites, w->options, err);

	for (size_t i = first; i < w->out.ooms.n && rc == 0; i++)
		explain_doubt(&w->out.ooms.at[i], replay_summary(w->replay)->history);
	return rc;
}

static int explain_device(struct explain_walk *w, const struct device *d, struct error *err)
{
	struct oom_events events = {0};
	size_t first = w->out.ooms.n;
	int rc;

	if ((rc = oom_events_find(&events, w->m, d, w->budget, err)) < 0 || events.at.n == 0)
		return rc;
	w->d = d;
	w->looked_at = -1;
	if ((rc = open_spans_init(&w->spans, w->m, d->index, w->budget, err)) < 0)
		goto out;
	w->replay = study_replay(w->study, d, err);
	rc = w->replay ? 0 : (int)err->code;
	for (size_t i = 0; i < events.at.n && rc == 0; i++)
		rc = explain_one(w, &events.at.at[i], err);
	if (rc == 0)
		rc = conclude(w, first, err);
	if (rc == 0)
		explain_simulate(&w->out, first, w->m, d, w->replay);
out:
	open_spans_release(&w->spans);
	vec_release(&events.at, w->budget);
	return rc;
}

static uint64_t known_bytes(uint64_t bytes)
{
	return bytes == BYTES_NONE ? 0 : bytes;
}

/* Remember a device's peak when it is the highest so far. */
static int offer_peak(struct explain_walk *w, const struct device *d, struct error *err)
{
	struct explain_peak *peak = &w->out.peak;
	const struct replay_summary *s;
	int rc = 0;

	w->d = d;
	w->replay = study_replay(w->study, d, err);
	if (!w->replay)
		return (int)err->code;
	s = replay_summary(w->replay);
	if (peak->n_devices++ == 0 ||
	    known_bytes(s->allocated.bytes) > known_bytes(peak->look.totals.allocated)) {
		w->out.holders.n = 0;
		peak->known = true;
		peak->device = d->index;
		peak->event = s->allocated.event;
		peak->time_us = peak->event < 0
					? TIME_NONE
					: w->m->events.time_us.at[event_row(d, peak->event)];
		if ((rc = replay_seek(w->replay, peak->event, err)) == 0 &&
		    (rc = take_look(w, err)) == 0) {
			peak->look = w->look;
			rc = find_outside(&peak->outside, w, peak->time_us, BYTES_NONE, err);
		}
	}
	return rc;
}

static void choose_main(struct explain *e)
{
	const struct explain_oom *best = NULL;

	for (size_t i = 0; i < e->ooms.n; i++) {
		const struct explain_oom *o = &e->ooms.at[i];

		if (best && (o->retried != best->retried ? o->retried : o->time_us < best->time_us))
			continue;
		best = o;
		e->main_oom = i;
	}
}

static bool wanted(const struct explain_options *o, const struct device *d)
{
	return o->one_device ? d->index == o->device : d->index != DEVICE_HOST;
}

static int each_device(struct explain_walk *w, const struct explain_options *o,
		       int (*visit)(struct explain_walk *, const struct device *, struct error *),
		       struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < w->m->devices.n && rc == 0; i++)
		if (wanted(o, &w->m->devices.at[i]))
			rc = visit(w, &w->m->devices.at[i], err);
	return rc;
}

int explain_run(struct explain *out, struct study *study, const struct explain_options *options,
		struct error *err)
{
	const struct model *m = study->m;
	struct budget *budget = study->budget;
	struct explain_walk w = {.out = {.budget = budget},
				 .m = m,
				 .side = options->side,
				 .options = options,
				 .study = study,
				 .budget = budget};
	struct error own;
	int rc;

	if (!err)
		err = &own;
	if (options->one_device && !model_device(m, options->device))
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET, "the file has no device %d",
				 (int)options->device);
	if ((rc = holders_init(&w.holders, m, budget, err)) < 0)
		return rc;
	rc = each_device(&w, options, explain_device, err);
	if (rc == 0 && w.out.ooms.n == 0)
		rc = each_device(&w, options, offer_peak, err);
	if (rc == 0) {
		if (w.side && w.side->log)
			w.out.n_messages = w.side->log->messages.n;
		choose_main(&w.out);
		*out = w.out;
	} else {
		explain_release(&w.out);
	}
	state_release(&w.state);
	holders_release(&w.holders);
	return rc;
}

void explain_release(struct explain *e)
{
	if (!e || !e->budget)
		return;
	vec_release(&e->ooms, e->budget);
	vec_release(&e->holders, e->budget);
	vec_release(&e->pinners, e->budget);
	e->budget = NULL;
}
