/* SPDX-License-Identifier: MIT
 * timeline_verdicts.c -- what a timeline by category shows, found out and with its numbers.
 */
#include "passes/timeline_verdicts.h"

#include <assert.h>

const char *verdict_kind_name(enum verdict_kind k)
{
	static const char *const names[VERDICT_KINDS] = {
		[VERDICT_PEAK_PLACE] = "peak_place",
		[VERDICT_OPTIMIZER_SPIKE] = "optimizer_spike",
		[VERDICT_GRADIENTS_SURVIVE] = "gradients_survive",
		[VERDICT_GRADIENTS_GO] = "gradients_freed",
		[VERDICT_STATE_APPEARS] = "state_appears",
		[VERDICT_STATE_BEFORE] = "state_before",
		[VERDICT_STEPS_EQUAL] = "steps_equal",
		[VERDICT_STEPS_DIFFER] = "steps_differ",
		[VERDICT_GROWTH] = "growth",
		[VERDICT_SAW_TOOTH] = "saw_tooth",
	};

	return names[k];
}

bool verdict_is_bad(enum verdict_kind k)
{
	return k == VERDICT_OPTIMIZER_SPIKE || k == VERDICT_GRADIENTS_SURVIVE ||
	       k == VERDICT_STEPS_DIFFER || k == VERDICT_GROWTH || k == VERDICT_SAW_TOOTH;
}

/* Parts of the peak that matter; what differs less is equal. */
#define SHARE_MIN 50 /* one part in so many */
#define EQUAL_MAX 0.05

struct work {
	struct timeline_verdicts *out;
	const struct purpose *p;
	const struct allocations *a;
	int64_t peak_event;
	uint64_t peak_bytes;
	VEC(uint32_t) freed; /* row whose free was requested at each event */
};

static enum category category_of(const struct work *w, size_t row)
{
	return (enum category)w->p->categories.rows.at[row].category;
}

/* --- memory of the steps ----------------------------------------------------------------------- */

static int find_frees(struct work *w, struct error *err)
{
	const struct allocations *a = w->a;
	uint64_t n = a->device->n_events;
	int rc = vec_reserve(&w->freed, n + 1, w->out->budget, err);

	if (rc < 0)
		return rc;
	w->freed.n = n;
	for (uint64_t e = 0; e < n; e++)
		w->freed.at[e] = ALLOCATION_NONE;
	for (size_t i = 0; i < a->rows.n; i++) {
		int32_t event = a->rows.at[i].free_requested;

		if (event >= 0 && event < ALLOCATION_ALIVE)
			w->freed.at[event] = (uint32_t)i;
	}
	return 0;
}

/* Sums along the events. */
struct sums {
	uint64_t allocated, gradients;
	uint64_t old_gradients; /* made before the current step */
	int64_t step_from;      /* first event of the current step */
};

static void sums_start(const struct work *w, struct sums *s)
{
	for (size_t i = 0; i < w->a->n_before; i++) {
		const struct allocation *x = &w->a->rows.at[i];

		if (x->free_requested == EVENT_START)
			continue;
		s->allocated += x->size;
		if (category_of(w, i) == CATEGORY_GRADIENT)
			s->gradients += x->size;
	}
	s->old_gradients = s->gradients;
}

static void sums_event(const struct work *w, struct sums *s, int64_t event)
{
	uint32_t born = allocations_of_event(w->a, event), gone = w->freed.at[event];
	const struct allocation *x;

	if (born != ALLOCATION_NONE) {
		x = &w->a->rows.at[born];
		s->allocated += x->size;
		if (category_of(w, born) == CATEGORY_GRADIENT)
			s->gradients += x->size;
	}
	if (gone == ALLOCATION_NONE)
		return;
	x = &w->a->rows.at[gone];
	s->allocated -= x->size;
	if (category_of(w, gone) != CATEGORY_GRADIENT)
		return;
	s->gradients -= x->size;
	if (x->born < s->step_from)
		s->old_gradients -= x->size;
}

/* Optimizer state that each step made and left behind. */
static void add_state(const struct work *w)
{
	const struct phases *ph = &w->p->phases;

	for (size_t i = w->a->n_before; i < w->a->rows.n; i++) {
		const struct allocation *x = &w->a->rows.at[i];
		int64_t step;

		if (category_of(w, i) != CATEGORY_OPTIMIZER_STATE)
			continue;
		step = phases_step_at(ph, x->born);
		if (step >= 0 && x->free_requested > ph->steps.at[step].last_event)
			w->out->steps.at[step].state_born += x->size;
	}
}

static int measure_steps(struct work *w, struct error *err)
{
	const struct phases *ph = &w->p->phases;
	struct sums s = {0};
	int64_t event = 0;
	int rc = 0;

	sums_start(w, &s);
	for (size_t i = 0; i < ph->steps.n && rc == 0; i++) {
		const struct training_step *step = &ph->steps.at[i];
		struct step_memory m = {.peak_event = step->first_event - 1};

		for (; event < step->first_event; event++)
			sums_event(w, &s, event);
		s.step_from = step->first_event;
		s.old_gradients = s.gradients;
		m.peak = s.allocated;
		m.old_at_top = s.old_gradients;
		for (; event <= step->last_event; event++) {
			sums_event(w, &s, event);
			if (s.allocated <= m.peak)
				continue;
			m.peak = s.allocated;
			m.peak_event = event;
			m.old_at_top = s.old_gradients;
		}
		m.end = s.allocated;
		m.gradients = s.gradients;
		rc = vec_push(&w->out->steps, m, w->out->budget, err);
	}
	if (rc == 0)
		add_state(w);
	return rc;
}

/* --- verdicts ---------------------------------------------------------------------------------- */

static struct timeline_verdict *add(struct work *w, enum verdict_kind kind)
{
	struct timeline_verdict *v = &w->out->at[w->out->n++];

	assert(w->out->n <= VERDICTS_MAX);
	*v = (struct timeline_verdict){.kind = kind,
				       .step = -1,
				       .last_step = -1,
				       .event = EVENT_START,
				       .category = CATEGORY_UNKNOWN};
	return v;
}

static void judge_peak(struct work *w)
{
	const struct phases *ph = &w->p->phases;
	uint64_t parts[CATEGORY_COUNT] = {0}, spike = 0, n_spike = 0;
	int64_t run = phases_run_at(ph, w->peak_event);
	struct timeline_verdict *v;
	int largest = CATEGORY_UNKNOWN;

	for (size_t i = 0; i < w->a->rows.n; i++) {
		const struct allocation *x = &w->a->rows.at[i];
		const struct allocation_category *c = &w->p->categories.rows.at[i];

		if (x->born > w->peak_event || x->free_requested <= w->peak_event)
			continue;
		parts[c->category] += x->size;
		if (c->category != CATEGORY_TEMPORARY || c->phase != PHASE_OPTIMIZER)
			continue;
		spike += x->size;
		n_spike++;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++)
		if (parts[c] > parts[largest])
			largest = c;
	v = add(w, VERDICT_PEAK_PLACE);
	v->event = w->peak_event;
	v->step = v->last_step = phases_step_at(ph, w->peak_event);
	v->phase = run >= 0 ? ph->runs.at[run].phase : PHASE_NONE;
	v->category = (enum category)largest;
	v->bytes = parts[largest];
	v->of = w->peak_bytes;
	if (spike <= w->peak_bytes / 10 || n_spike < 2)
		return;
	v = add(w, VERDICT_OPTIMIZER_SPIKE);
	v->event = w->peak_event;
	v->bytes = spike;
	v->of = w->peak_bytes;
	v->count = n_spike;
}

/* Are gradients of one step still there when the next one is at its highest? Being alive at the
 * boundary alone is no fault: many programs zero them first thing in the next step. */
static void judge_gradients(struct work *w)
{
	const struct timeline_verdicts *o = w->out;
	uint64_t most = 0, left = 0, judged = 0, kept = 0;
	int64_t step = -1;
	struct timeline_verdict *v;

	for (size_t i = 1; i < o->steps.n; i++) {
		const struct step_memory *m = &o->steps.at[i];

		/* A step that the trace ends in may not have come to its peak. */
		if (!w->p->phases.steps.at[i].whole)
			continue;
		judged++;
		if (o->steps.at[i - 1].gradients > left)
			left = o->steps.at[i - 1].gradients;
		if (m->old_at_top > m->peak / SHARE_MIN) {
			kept++;
			if (m->old_at_top > most) {
				most = m->old_at_top;
				step = (int64_t)i;
			}
		}
	}
	if (judged == 0 || !w->p->phases.has_backward)
		return;
	if (kept > 0) {
		v = add(w, VERDICT_GRADIENTS_SURVIVE);
		v->step = step;
		v->event = o->steps.at[step].peak_event;
		v->bytes = most;
		v->of = o->steps.at[step].peak;
		v->count = kept;
		v->low = judged;
	} else {
		v = add(w, VERDICT_GRADIENTS_GO);
		v->bytes = left; /* alive at a boundary, at most */
		v->count = judged;
	}
}

static void judge_state(struct work *w)
{
	const struct timeline_verdicts *o = w->out;
	uint64_t before = 0, later = 0, most = 0;
	struct timeline_verdict *v;
	int64_t first = -1;

	for (size_t i = 0; i < w->a->n_before; i++)
		if (category_of(w, i) == CATEGORY_OPTIMIZER_STATE)
			before += w->a->rows.at[i].size;
	for (size_t i = 0; i < o->steps.n; i++) {
		if (o->steps.at[i].state_born > most) {
			most = o->steps.at[i].state_born;
			first = (int64_t)i;
		}
	}
	for (size_t i = 0; i < o->steps.n; i++)
		if ((int64_t)i > first)
			later += o->steps.at[i].state_born;
	/* State that is replaced in every step does not appear. */
	if (first >= 0 && most > before && later <= most / SHARE_MIN) {
		v = add(w, VERDICT_STATE_APPEARS);
		v->step = first;
		v->bytes = most;
		v->of = o->steps.at[first].gradients;
		v->high = o->steps.n - 1 - (size_t)first; /* steps behind it */
		v->low = later;
	} else if (before > 0 && most <= before / SHARE_MIN) {
		v = add(w, VERDICT_STATE_BEFORE);
		v->bytes = before;
	}
}

/* Steps that can be compared: whole, and not the first, which warms up. */
static void judge_steps(struct work *w)
{
	const struct timeline_verdicts *o = w->out;
	struct timeline_verdict *v, x = {.low = UINT64_MAX, .step = -1};
	int64_t highest = -1;

	for (size_t i = 1; i < o->steps.n; i++) {
		const struct step_memory *m = &o->steps.at[i];

		if (!w->p->phases.steps.at[i].whole)
			continue;
		if (x.step < 0)
			x.step = (int64_t)i;
		x.last_step = (int64_t)i;
		x.count++;
		if (m->peak < x.low)
			x.low = m->peak;
		if (m->peak > x.high) {
			x.high = m->peak;
			highest = (int64_t)i;
		}
	}
	if (x.count < 2 || x.high == 0)
		return;
	x.spread = (double)(x.high - x.low) / (double)x.high;
	v = add(w, x.spread <= EQUAL_MAX ? VERDICT_STEPS_EQUAL : VERDICT_STEPS_DIFFER);
	v->step = x.step;
	v->last_step = x.last_step;
	v->count = x.count;
	v->low = x.low;
	v->high = x.high;
	v->spread = x.spread;
	v->event = o->steps.at[highest].peak_event;
	v->bytes = o->steps.at[0].peak;
}

/* What piles up, and what comes back in bursts. */
static int judge_growth(struct work *w, struct error *err)
{
	struct leaks_options o = {.until = (int64_t)w->a->device->n_events - 1,
				  .categories = &w->p->categories};
	struct leaks leaks = {0};
	struct timeline_verdict *v;
	const struct leak *saw = NULL;
	double growth = 0;
	int rc = leaks_run(&leaks, w->a, &w->p->phases, &o, w->out->budget, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < leaks.found.n; i++) {
		const struct leak *l = &leaks.found.at[i];

		if (l->kind == LEAK_REFERENCE_CYCLE && (!saw || l->burst_bytes > saw->burst_bytes))
			saw = l;
		if (l->kind == LEAK_TENSOR || l->kind == LEAK_GRAPH)
			growth += l->growth_sizes;
	}
	if (growth >= 1) {
		v = add(w, VERDICT_GROWTH);
		v->bytes = (uint64_t)growth;
		v->count = leaks.n_steps;
	}
	if (saw) {
		v = add(w, VERDICT_SAW_TOOTH);
		v->bytes = saw->burst_bytes;
		v->count = saw->bursts;
		v->period = (double)(saw->lived_steps > 0 ? saw->lived_steps : 1);
		v->step = saw->first_step;
		v->last_step = saw->last_step;
	}
	leaks_release(&leaks);
	return 0;
}

int timeline_verdicts_run(struct timeline_verdicts *out, const struct purpose *p,
			  int64_t peak_event, uint64_t peak_bytes, struct budget *budget,
			  struct error *err)
{
	struct timeline_verdicts v = {.budget = budget};
	struct work w = {.out = &v,
			 .p = p,
			 .a = &p->allocations,
			 .peak_event = peak_event,
			 .peak_bytes = peak_bytes};
	int rc = find_frees(&w, err);

	if (rc == 0)
		rc = measure_steps(&w, err);
	if (rc == 0 && peak_bytes != BYTES_NONE && peak_bytes > 0) {
		judge_peak(&w);
		judge_gradients(&w);
		judge_state(&w);
		judge_steps(&w);
		rc = judge_growth(&w, err);
	}
	vec_release(&w.freed, budget);
	if (rc < 0)
		timeline_verdicts_release(&v);
	else
		*out = v;
	return rc < 0 ? rc : 0;
}

void timeline_verdicts_release(struct timeline_verdicts *v)
{
	if (!v->budget)
		return;
	vec_release(&v->steps, v->budget);
	*v = (struct timeline_verdicts){0};
}
