/* SPDX-License-Identifier: MIT
 * phase_steps.c -- steps from annotations, and from the sequence of runs.
 *
 * Over runs, a step is what lies between two anchors: groups of runs of one kind that no forward
 * separates. An anchor kind is believed when it comes regularly: SGD allocates its momentum in the
 * first step and nothing later, so its only run must not make one step of a whole training.
 */
#include "passes/phases_private.h"
#include "passes/site.h"

/* --- from annotations -------------------------------------------------------------------------- */

int phases_steps_of_marks(struct phases *p, const struct allocations *a,
			  const struct phase_marks *marks, struct error *err)
{
	int64_t n_events = (int64_t)a->device->n_events;
	size_t n = marks->steps.n;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct phase_mark *m = &marks->steps.at[i];
		/* Up to the next one: what is freed between them belongs to the one before. */
		int64_t last = i + 1 < n ? marks->steps.at[i + 1].start_event : m->end_event;
		int64_t first = m->begun_before ? 0 : m->start_event + 1;
		size_t before = p->steps.n;

		if (m->never_ended || last >= n_events)
			last = i + 1 < n ? marks->steps.at[i + 1].start_event : n_events - 1;
		rc = phases_add_step(p, a, first, last, !m->begun_before && !m->never_ended, err);
		if (rc == 0 && p->steps.n > before) {
			p->steps.at[before].label = m->name;
			p->steps.at[before].start_us = m->start_us;
			p->steps.at[before].end_us = m->end_us;
		}
	}
	if (rc == 0 && p->steps.n > 0) {
		p->source = marks->steps_asked ? STEPS_MARKER : STEPS_ANNOTATION;
		p->confidence = CONFIDENCE_HIGH;
	}
	return rc;
}

/* --- from runs --------------------------------------------------------------------------------- */

/* A group of runs that ends a step. */
struct anchor {
	size_t first_run, last_run; /* of the anchor's own kinds */
	size_t n_pairs;             /* forward-backward pairs since the anchor before */
	uint64_t key;               /* who asked: the user's line */
};

struct anchors {
	VEC(struct anchor) at;
	size_t pairs_behind; /* pairs after the last one */
};

#define KIND(phase) (1u << (phase))

/* Who asked for the first thing that an optimizer run allocates. */
static uint64_t key_of_run(const struct phases *p, const struct allocations *a, size_t run)
{
	const struct phase_run *r = &p->runs.at[run];
	uint64_t row = a->device->first_event + (uint64_t)r->first_event;
	struct site site;

	if (a->model->events.action.at[row] != ACTION_ALLOC)
		return 0;
	site = site_of_stack(a->model, a->model->events.stack.at[row]);
	return (uint64_t)site.kind << 32 | site.frame.i;
}

/* Anchors are runs of `kinds`; the next forward (backward, without any) begins a new group. */
static int find_anchors(struct anchors *out, const struct phases *p, const struct allocations *a,
			unsigned kinds, struct error *err)
{
	enum phase opener = p->has_forward ? PHASE_FORWARD : PHASE_BACKWARD;
	bool optimizer_only = !p->has_forward && !p->has_backward;
	bool grouped = false, forward = !p->has_forward;
	size_t pairs = 0;
	int rc = 0;

	for (size_t i = 0; i < p->runs.n && rc == 0; i++) {
		enum phase phase = p->runs.at[i].phase;

		if (phase == opener || (optimizer_only && !(kinds & KIND(phase))))
			grouped = false;
		if (phase == PHASE_FORWARD)
			forward = true;
		if (phase == PHASE_BACKWARD && forward) {
			pairs++;
			forward = !p->has_forward;
		}
		/* Gradients zeroed before the first forward end nothing. */
		if (!(kinds & KIND(phase)) || (out->at.n == 0 && pairs == 0 && p->has_backward))
			continue;
		if (grouped) {
			out->at.at[out->at.n - 1].last_run = i;
		} else {
			struct anchor x = {i, i, pairs, key_of_run(p, a, i)};

			rc = vec_push(&out->at, x, p->budget, err);
		}
		grouped = true;
		pairs = 0;
	}
	out->pairs_behind = pairs;
	return rc;
}

/* Do they come often enough? More pairs behind the last one than any step has: no. */
static bool anchors_are_regular(const struct phases *p, const struct anchors *x)
{
	size_t most = 0;

	if (!p->has_backward && x->at.n < 2)
		return false;

	for (size_t i = 0; i < x->at.n; i++)
		if (x->at.at[i].n_pairs > most)
			most = x->at.at[i].n_pairs;
	return x->at.n > 0 && x->pairs_behind <= (most ? most : 1);
}

/* Two optimizers that take turns (a GAN's) make one step: the smallest period of who asked. */
static size_t period_of_keys(const struct anchors *x)
{
	for (size_t period = 1; period <= 4; period++) {
		size_t same = 0, n = x->at.n;

		if (n < 2 * period)
			break;
		for (size_t i = 0; i + period < n; i++)
			same += x->at.at[i].key == x->at.at[i + period].key;
		if (same * 10 >= (n - period) * 9)
			return period;
	}
	return 1;
}

static int64_t next_alloc(const struct allocations *a, int64_t event)
{
	int64_t n = (int64_t)a->device->n_events;

	while (event < n && allocations_of_event(a, event) == ALLOCATION_NONE)
		event++;
	return event;
}

/* The first event of the step behind an anchor: the next allocation. Gradients are zeroed at the
 * end of a step or at the beginning, also behind its batch: such runs, which only free, belong to
 * neither. */
static int64_t event_behind(const struct phases *p, const struct allocations *a,
			    const struct anchor *x)
{
	size_t run = x->last_run;

	while (run > 0 && p->runs.at[run].phase == PHASE_ZERO_GRAD)
		run--;
	return next_alloc(a, p->runs.at[run].last_seen + 1);
}

/* Where training begins: behind the last loading before the first run of training. */
static int64_t event_of_training(const struct phases *p, const struct allocations *a)
{
	int64_t event = 0;

	for (size_t i = 0; i < p->runs.n && p->runs.at[i].phase == PHASE_LOAD; i++)
		event = p->runs.at[i].last_seen + 1;
	return next_alloc(a, event);
}

/* Does a forward or backward run begin in [from, end of trace]? */
static bool goes_on(const struct phases *p, int64_t from)
{
	for (size_t i = p->runs.n; i-- > 0 && p->runs.at[i].last_seen >= from;)
		if (p->runs.at[i].phase == PHASE_FORWARD || p->runs.at[i].phase == PHASE_BACKWARD)
			return true;
	return false;
}

static int cut_at_anchors(struct phases *p, const struct allocations *a, const struct anchors *x,
			  struct error *err)
{
	size_t period = period_of_keys(x);
	int64_t n_events = (int64_t)a->device->n_events, from = event_of_training(p, a);
	bool whole = a->n_before == 0 || x->at.at[0].n_pairs > 0 || !p->has_backward;
	int rc = 0;

	for (size_t i = period - 1; i < x->at.n && rc == 0; i += period) {
		int64_t behind = event_behind(p, a, &x->at.at[i]);

		rc = phases_add_step(p, a, from, behind - 1, whole, err);
		whole = true;
		from = behind;
	}
	if (rc == 0 && from < n_events && goes_on(p, from))
		rc = phases_add_step(p, a, from, n_events - 1, false, err);
	return rc;
}

int phases_steps_of_runs(struct phases *p, const struct allocations *a, struct error *err)
{
	static const struct {
		unsigned kinds;
		enum step_source source;
		enum confidence confidence;
	} tries[] = {
		{KIND(PHASE_OPTIMIZER), STEPS_OPTIMIZER, CONFIDENCE_HIGH},
		{KIND(PHASE_OPTIMIZER) | KIND(PHASE_ZERO_GRAD), STEPS_ZERO_GRAD, CONFIDENCE_MEDIUM},
		{KIND(PHASE_BACKWARD) | KIND(PHASE_CLIP) | KIND(PHASE_OPTIMIZER), STEPS_BACKWARD,
		 CONFIDENCE_LOW},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof tries / sizeof *tries && rc == 0; i++) {
		struct anchors x = {0};

		rc = find_anchors(&x, p, a, tries[i].kinds, err);
		if (rc == 0 && anchors_are_regular(p, &x) &&
		    (rc = cut_at_anchors(p, a, &x, err)) == 0 && p->steps.n > 0) {
			p->source = tries[i].source;
			p->confidence = tries[i].confidence;
			if (x.at.n < 2 && p->confidence == CONFIDENCE_HIGH)
				p->confidence = CONFIDENCE_MEDIUM;
		}
		vec_release(&x.at, p->budget);
		if (p->steps.n > 0)
			break;
	}
	return rc;
}
