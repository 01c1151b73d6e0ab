/* SPDX-License-Identifier: MIT
 * phase_runs.c -- the phase of each allocation, and the sequence of phases as runs.
 */
#include "passes/phases_private.h"

/* The marks of phases that are open, while events go by. */
struct mark_walk {
	const struct phase_marks *marks;
	size_t next;
	VEC(uint32_t) open; /* begun; some below the top may have ended */
};

struct run_walk {
	struct phases *p;
	const struct allocations *a;
	const struct stack_rules *stacks;
	struct mark_walk marks;
	const stack_id *stack; /* of the device's events */
	const uint8_t *action;
	bool python_only;
	bool stacks_show_optimizer; /* what shows no optimizer frame is none */
};

static bool tells_backward(const struct run_walk *w, stack_id stack)
{
	return w->python_only && stack.i == STACK_EMPTY.i;
}

static enum phase phase_of_stack(const struct run_walk *w, stack_id stack,
				 enum phase_evidence *evidence)
{
	enum phase phase = (enum phase)stack_rules_of(w->stacks, stack)->phase;

	*evidence = phase == PHASE_NONE ? PHASE_BY_NOTHING : PHASE_BY_STACK;
	if (phase == PHASE_NONE && tells_backward(w, stack)) {
		*evidence = PHASE_BY_EMPTY_STACK;
		phase = PHASE_BACKWARD;
	}
	return phase;
}

static int note(struct run_walk *w, int64_t event, enum phase phase, struct error *err)
{
	struct phases *p = w->p;
	struct phase_run *last = p->runs.n ? &p->runs.at[p->runs.n - 1] : NULL;
	struct phase_run run = {phase_of_run(phase), event, event, event, 1};

	/* What ended may have ended before the last that was seen. */
	if (last && event < last->last_seen)
		run.first_event = run.last_event = run.last_seen = event = last->last_seen;

	if (run.phase == PHASE_NONE)
		return 0;
	if (last && last->phase == run.phase) {
		last->last_seen = event;
		last->n_seen++;
		return 0;
	}
	if (last)
		last->last_event = event - 1;
	return vec_push(&p->runs, run, p->budget, err);
}

static bool has_ended(const struct phase_mark *m, int64_t event)
{
	return !m->never_ended && m->end_event < event;
}

/* Take in marks that begin before `event`. A mark is evidence of its phase even when nothing is
 * allocated inside; that of an optimizer when it ends, since closures run forward and backward
 * inside of it. */
static int open_marks(struct run_walk *w, int64_t event, struct error *err)
{
	const struct phase_marks *k = w->marks.marks;
	int rc = 0;

	while (w->marks.next < k->phases.n && rc == 0) {
		const struct phase_mark *m = &k->phases.at[w->marks.next];

		if (!m->begun_before && m->start_event >= event)
			break;
		w->marks.next++;
		if (!m->never_ended && m->end_event < 0)
			continue;
		if (!m->begun_before && m->phase != PHASE_OPTIMIZER)
			rc = note(w, event, m->phase, err);
		w->marks.open.at[w->marks.open.n++] = (uint32_t)w->marks.next - 1;
	}
	while (w->marks.open.n > 0 && rc == 0) {
		const struct phase_mark *m = &k->phases.at[w->marks.open.at[w->marks.open.n - 1]];

		if (!has_ended(m, event))
			break;
		if (m->phase == PHASE_OPTIMIZER)
			rc = note(w, event - 1, m->phase, err);
		w->marks.open.n--;
	}
	return rc;
}

static enum phase phase_of_marks(const struct run_walk *w, stack_id stack)
{
	bool has_frames = stacks_depth(&w->a->model->stacks, stack) > 0;
	enum phase phase;

	if (w->marks.open.n == 0)
		return PHASE_NONE;
	phase = w->marks.marks->phases.at[w->marks.open.at[w->marks.open.n - 1]].phase;
	if (phase == PHASE_OPTIMIZER && has_frames && w->stacks_show_optimizer)
		return PHASE_NONE;
	return phase;
}

static int note_alloc(struct run_walk *w, int64_t event, uint32_t row, struct error *err)
{
	enum phase_evidence evidence;
	enum phase phase = phase_of_stack(w, w->stack[event], &evidence);

	if (phase == PHASE_NONE && (phase = phase_of_marks(w, w->stack[event])) != PHASE_NONE)
		evidence = PHASE_BY_ANNOTATION;
	w->p->of_row.at[row] = (uint8_t)phase;
	w->p->evidence.at[row] = (uint8_t)evidence;
	return note(w, event, phase, err);
}

/* A free with a stack of its own shows what ran, too: zero_grad allocates nothing. */
static int note_free(struct run_walk *w, int64_t event, struct error *err)
{
	enum phase_evidence evidence;
	stack_id stack = w->stack[event];

	if (stack.i == STACK_ABSENT.i)
		return 0;
	return note(w, event, phase_of_stack(w, stack, &evidence), err);
}

/* Frees repeat the alloc's stack where their own was not recorded. */
static bool frees_have_stacks(const struct allocations *a)
{
	size_t own = 0, freed = 0;

	for (size_t i = a->n_before; i < a->rows.n && freed < 4096; i++) {
		if (a->rows.at[i].free_requested == ALLOCATION_ALIVE)
			continue;
		freed++;
		own += allocation_free_stack(a, (uint32_t)i).i != STACK_ABSENT.i;
	}
	return own * 20 > freed;
}

static int sweep(struct run_walk *w, struct error *err)
{
	bool frees = frees_have_stacks(w->a);
	int64_t n = (int64_t)w->a->device->n_events;
	size_t n_marks = w->marks.marks->phases.n;
	int rc = 0;

	for (int64_t e = 0; e < n && rc == 0; e++) {
		uint32_t row = allocations_of_event(w->a, e);

		if (w->marks.next < n_marks || w->marks.open.n)
			rc = open_marks(w, e, err);
		if (rc == 0 && row != ALLOCATION_NONE)
			rc = note_alloc(w, e, row, err);
		else if (rc == 0 && frees && w->action[e] == ACTION_FREE_REQUESTED)
			rc = note_free(w, e, err);
	}
	if (rc == 0 && n > 0)
		rc = open_marks(w, n, err); /* those that end here */
	if (w->p->runs.n)
		w->p->runs.at[w->p->runs.n - 1].last_event = n - 1;
	return rc;
}

static void look_for_kinds(struct phases *p)
{
	p->has_forward = p->has_backward = p->has_optimizer = false;
	for (size_t i = 0; i < p->runs.n; i++) {
		p->has_forward |= p->runs.at[i].phase == PHASE_FORWARD;
		p->has_backward |= p->runs.at[i].phase == PHASE_BACKWARD;
		p->has_optimizer |= p->runs.at[i].phase == PHASE_OPTIMIZER;
	}
}

/* Was it allocated by nobody in particular, to die in the run `backward`? */
static bool serves(const struct run_walk *w, int64_t event, const struct phase_run *backward)
{
	uint32_t row = allocations_of_event(w->a, event);
	int64_t freed;

	if (row == ALLOCATION_NONE || w->p->of_row.at[row] != PHASE_NONE)
		return false;
	freed = w->a->rows.at[row].free_requested;
	return freed >= backward->first_event && freed <= backward->last_event;
}

/* Models written as functions show no module call. What is allocated by nobody in particular and
 * dies in the backward run that comes next was its forward. */
static int imply_forward(struct run_walk *w, struct error *err)
{
	struct phases *p = w->p;
	VEC(struct phase_run) old = {p->runs.at, p->runs.n, p->runs.cap};
	int64_t from = 0;
	int rc = 0;

	p->runs.at = NULL;
	p->runs.n = p->runs.cap = 0;
	for (size_t i = 0; i < old.n && rc == 0; i++) {
		const struct phase_run *run = &old.at[i];

		for (int64_t e = from; e < run->first_event && rc == 0; e++) {
			if (run->phase != PHASE_BACKWARD || !serves(w, e, run))
				continue;
			p->of_row.at[allocations_of_event(w->a, e)] = PHASE_FORWARD;
			p->forward_implied = true;
			rc = note(w, e, PHASE_FORWARD, err);
		}
		if (rc == 0)
			rc = vec_push(&p->runs, *run, p->budget, err);
		from = run->last_seen + 1;
	}
	for (size_t i = 0; i + 1 < p->runs.n; i++)
		p->runs.at[i].last_event = p->runs.at[i + 1].first_event - 1;
	vec_release(&old, p->budget);
	return rc;
}

int phases_find_runs(struct phases *p, const struct allocations *a,
		     const struct stack_rules *stacks, const struct phase_marks *marks,
		     struct error *err)
{
	struct run_walk w = {
		.p = p,
		.a = a,
		.stacks = stacks,
		.marks = {.marks = marks},
		.stack = a->model->events.stack.at + a->device->first_event,
		.action = a->model->events.action.at + a->device->first_event,
		.python_only = a->model->stacks_python_only,
	};
	size_t n = a->rows.n;
	int rc;

	if ((rc = vec_reserve(&p->of_row, n + 1, p->budget, err)) < 0 ||
	    (rc = vec_reserve(&p->evidence, n + 1, p->budget, err)) < 0 ||
	    (rc = vec_reserve(&w.marks.open, marks->phases.n + 1, p->budget, err)) < 0)
		goto out;
	for (size_t i = 0; i < stacks->of_stack.n; i++)
		w.stacks_show_optimizer |= stacks->of_stack.at[i].phase == PHASE_OPTIMIZER;
	p->of_row.n = p->evidence.n = n;
	for (size_t i = 0; i < n; i++) {
		p->of_row.at[i] = PHASE_NONE;
		p->evidence.at[i] = PHASE_BY_NOTHING;
	}
	if ((rc = sweep(&w, err)) < 0)
		goto out;
	look_for_kinds(p);
	if (!p->has_forward && p->has_backward) {
		rc = imply_forward(&w, err);
		look_for_kinds(p);
	}
out:
	vec_release(&w.marks.open, p->budget);
	return rc;
}
