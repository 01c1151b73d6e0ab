/* SPDX-License-Identifier: MIT
 * categories.c -- what each allocation was for: rules, then phase and life.
 */
#include "passes/categories.h"

#include <assert.h>

#include "passes/categories_private.h"

const char *category_reason_words(enum category_reason r)
{
	static const char *const words[REASON_COUNT] = {
		[REASON_NOTHING] = "nothing tells",
		[REASON_RULE] = "a frame of its stack owns what it allocates",
		[REASON_STATE] = "the optimizer made it and kept it",
		[REASON_OPTIMIZER_SCRATCH] = "the optimizer made it and freed it again",
		[REASON_OPTIMIZER_ALIVE] = "the optimizer made it, the trace ends there, and state "
					   "is made elsewhere",
		[REASON_GRADIENT] = "backward left it behind",
		[REASON_GRADIENT_ALIVE] = "backward made it, the trace ends there, and a parameter "
					  "has its size",
		[REASON_BACKWARD_ALIVE] =
			"backward made it, the trace ends there, and no parameter "
			"has its size",
		[REASON_BACKWARD_SCRATCH] = "backward made it and freed it again",
		[REASON_RECOMPUTED] = "forward was run again inside backward",
		[REASON_SAVED] = "forward made it, backward or what follows freed it",
		[REASON_FORWARD_SCRATCH] = "forward made it and freed it again",
		[REASON_FORWARD_ALIVE] = "forward made it, and the trace ends before its free",
		[REASON_HELD] = "forward makes one every step, and all of them are kept",
		[REASON_BUFFER] = "forward made it once and kept it over steps",
		[REASON_LOADED] = "it was made while a model was loaded or built, and kept",
		[REASON_LOADING] =
			"it was made while a model was loaded, and freed before training",
		[REASON_LOSS] = "user code made it between forward and backward",
		[REASON_BATCH] = "user code made it for the forward that follows",
		[REASON_KEPT_INPUT] = "user code made it before the first forward and kept it, and "
				      "no gradient has its size",
		[REASON_GRADIENT_SIZED] =
			"user code made it and kept it, and a gradient without a parameter "
			"has its size",
		[REASON_PREPARATION] = "user code made it and freed it before any forward",
		[REASON_ZEROED] = "zero_grad freed it",
		[REASON_SIZE_PARAMETER] = "it lived before the trace, and a gradient has its size",
		[REASON_SIZE_STATE] = "it lived before the trace, and more blocks than gradients "
				      "have its size",
		[REASON_FREED_BACKWARD] = "it lived before the trace, and backward freed it",
		[REASON_REPLACED_STATE] = "it lived before the trace, and the optimizer freed it",
		[REASON_WORKSPACE] = "it was kept, and has the size of a cuBLAS workspace",
		[REASON_SHORT] = "clipping or loss scaling made it and freed it again",
	};

	assert(r < REASON_COUNT);
	return words[r];
}

/* --- what is known of a row -------------------------------------------------------------------- */

const struct stack_verdict *judge_verdict(const struct judge *j, uint32_t row)
{
	return stack_rules_of(j->stacks, j->a->rows.at[row].stack);
}

/* In files of Python-only stacks an empty stack means a backward thread; a block from before the
 * trace has one, too, when recording began later. */
static bool before_is_backward(const struct judge *j, uint32_t row)
{
	return j->a->rows.at[row].stack.i == STACK_EMPTY.i && j->a->model->stacks_python_only &&
	       j->trusts_empty_from_before;
}

/* The last event of the run in which the row was born; births from before the trace end at once. */
static int64_t end_of_run(const struct judge *j, const struct allocation *x)
{
	int64_t run = x->born < 0 ? -1 : phases_run_at(j->p, x->born);

	return run < 0 ? x->born : j->p->runs.at[run].last_event;
}

/* Steps that end between birth and free. */
static int64_t steps_spanned(const struct judge *j, const struct allocation *x)
{
	const struct phases *p = j->p;
	int64_t from, to;

	if (p->steps.n == 0)
		return 0;
	from = x->born < p->steps.at[0].first_event ? -1 : phases_step_at(p, x->born);
	if (x->free_requested == ALLOCATION_ALIVE ||
	    x->free_requested > p->steps.at[p->steps.n - 1].last_event)
		to = (int64_t)p->steps.n - 1 + p->steps.at[p->steps.n - 1].whole;
	else
		to = phases_step_at(p, x->free_requested);
	return to - (from < 0 ? 0 : from);
}

/* Sure of a life that the trace shows whole, by stacks; less when it ends with the trace or the
 * phase is told otherwise. */
static enum confidence sure(const struct judge *j, uint32_t row, bool whole)
{
	if (row >= j->a->n_before && j->p->evidence.at[row] == PHASE_BY_STACK && whole)
		return CONFIDENCE_HIGH;
	return CONFIDENCE_MEDIUM;
}

static bool is_freed(const struct allocation *x)
{
	return x->free_requested != ALLOCATION_ALIVE;
}

/* Does a forward run begin in (after, before]? */
static bool forward_begins(const struct judge *j, int64_t after, int64_t before)
{
	int64_t i = phases_run_at(j->p, after) + 1;

	if (after >= j->last_forward)
		return false;
	while (j->p->runs.at[i].phase != PHASE_FORWARD)
		i++;
	return j->p->runs.at[i].first_event <= before;
}

/* --- phase and life ---------------------------------------------------------------------------- */

static void judge_optimizer(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];
	int64_t end = end_of_run(j, a);
	bool goes_on = end + 1 < (int64_t)j->a->device->n_events;

	if (a->free_requested <= end)
		judge_set(x, CATEGORY_TEMPORARY, REASON_OPTIMIZER_SCRATCH, sure(j, row, true));
	else if (!goes_on && j->states_have_owner && judge_verdict(j, row)->owner == RULE_NONE)
		judge_set(x, CATEGORY_TEMPORARY, REASON_OPTIMIZER_ALIVE, CONFIDENCE_LOW);
	else
		judge_set(x, CATEGORY_OPTIMIZER_STATE, REASON_STATE, sure(j, row, true));
}

static void judge_backward(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];
	int64_t end = end_of_run(j, a);
	bool goes_on = end + 1 < (int64_t)j->a->device->n_events;

	if (a->free_requested <= end)
		judge_set(x, CATEGORY_AUTOGRAD_DETAIL, REASON_BACKWARD_SCRATCH, sure(j, row, true));
	else if (goes_on)
		judge_set(x, CATEGORY_GRADIENT, REASON_GRADIENT, sure(j, row, true));
	else
		judge_set(x, CATEGORY_GRADIENT, REASON_GRADIENT_ALIVE, CONFIDENCE_MEDIUM);
}

static bool is_kept_over_steps(const struct judge *j, const struct allocation *a)
{
	return steps_spanned(j, a) >= 2;
}

static void judge_forward(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];

	if (is_kept_over_steps(j, a)) {
		if (j->held_steps.at[a->stack.i] > 2)
			judge_set(x, CATEGORY_ACTIVATION, REASON_HELD, CONFIDENCE_MEDIUM);
		else
			judge_set(x, CATEGORY_PARAMETER, REASON_BUFFER, CONFIDENCE_MEDIUM);
	} else if (!is_freed(a)) {
		judge_set(x, CATEGORY_ACTIVATION, REASON_FORWARD_ALIVE, CONFIDENCE_MEDIUM);
	} else if (a->free_requested > end_of_run(j, a)) {
		judge_set(x, CATEGORY_ACTIVATION, REASON_SAVED, sure(j, row, true));
	} else {
		judge_set(x, CATEGORY_ACTIVATION, REASON_FORWARD_SCRATCH, sure(j, row, true));
	}
}

static void judge_load(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];

	if (a->free_requested > j->first_forward || !is_freed(a))
		judge_set(x, CATEGORY_PARAMETER, REASON_LOADED, sure(j, row, true));
	else
		judge_set(x, CATEGORY_TEMPORARY, REASON_LOADING, sure(j, row, true));
}

static void judge_short(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	if (steps_spanned(j, &j->a->rows.at[row]) < 2)
		judge_set(x, CATEGORY_TEMPORARY, REASON_SHORT, CONFIDENCE_MEDIUM);
}

/* Code of the user's own, outside of the model. Where it ran tells what for: before a forward it
 * makes the batch, between forward and backward the loss. */
static void judge_user(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];
	int64_t run = phases_run_at(j->p, a->born);
	enum phase around = run < 0 ? PHASE_NONE : j->p->runs.at[run].phase;
	bool last = run + 1 >= (int64_t)j->p->runs.n;
	bool then_backward = !last && j->p->runs.at[run + 1].phase == PHASE_BACKWARD;

	if (is_kept_over_steps(j, a)) {
		if (j->p->has_forward && a->born < j->first_forward &&
		    stacks_depth(&j->a->model->stacks, a->stack) > 0)
			judge_set(x, CATEGORY_INPUT, REASON_KEPT_INPUT, CONFIDENCE_LOW);
		return;
	}
	if (around == PHASE_FORWARD && (then_backward || (last && j->p->has_backward) ||
					(last && a->born > j->p->runs.at[run].last_seen))) {
		judge_set(x, CATEGORY_ACTIVATION, REASON_LOSS, CONFIDENCE_MEDIUM);
		return;
	}
	if (around == PHASE_BACKWARD && a->born < j->p->runs.at[run].last_seen) {
		judge_backward(j, row, x);
		return;
	}
	if (forward_begins(j, a->born, a->free_requested) ||
	    (around == PHASE_FORWARD && a->free_requested > j->p->runs.at[run].last_seen))
		judge_set(x, CATEGORY_INPUT, REASON_BATCH, CONFIDENCE_LOW);
	else if (is_freed(a))
		judge_set(x, CATEGORY_TEMPORARY, REASON_PREPARATION, CONFIDENCE_LOW);
}

static void judge_phase(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	switch ((enum phase)x->phase) {
	case PHASE_OPTIMIZER:
		judge_optimizer(j, row, x);
		break;
	case PHASE_BACKWARD:
		judge_backward(j, row, x);
		break;
	case PHASE_RECOMPUTE:
		judge_set(x, CATEGORY_ACTIVATION, REASON_RECOMPUTED, sure(j, row, true));
		break;
	case PHASE_GRAPH:
	case PHASE_COMPILED:
	case PHASE_FORWARD:
		judge_forward(j, row, x);
		break;
	case PHASE_LOAD:
	case PHASE_INIT:
		judge_load(j, row, x);
		break;
	case PHASE_ZERO_GRAD:
	case PHASE_CLIP:
	case PHASE_SCALER:
		judge_short(j, row, x);
		break;
	case PHASE_NONE:
	case PHASE_DATA:
	case PHASE_COMMUNICATION:
	case PHASE_COUNT:
		judge_user(j, row, x);
		break;
	}
}

/* From before the trace: no birth to place among the runs, but the stack of blocks that the file
 * still holds, and the free of others. */
static void judge_before(const struct judge *j, uint32_t row, struct allocation_category *x)
{
	const struct allocation *a = &j->a->rows.at[row];
	stack_id freed_by = allocation_free_stack(j->a, row);
	bool backward = before_is_backward(j, row);

	if (stack_rules_of(j->stacks, freed_by)->phase == PHASE_ZERO_GRAD) {
		judge_set(x, CATEGORY_GRADIENT, REASON_ZEROED, CONFIDENCE_HIGH);
		return;
	}
	if (x->phase == PHASE_NONE && backward)
		x->phase = PHASE_BACKWARD;
	switch ((enum phase)x->phase) {
	case PHASE_OPTIMIZER:
		judge_set(x, CATEGORY_OPTIMIZER_STATE, REASON_STATE, CONFIDENCE_MEDIUM);
		return;
	case PHASE_BACKWARD:
		judge_set(x, CATEGORY_GRADIENT, REASON_GRADIENT, CONFIDENCE_MEDIUM);
		return;
	case PHASE_LOAD:
	case PHASE_INIT:
		judge_set(x, CATEGORY_PARAMETER, REASON_LOADED, CONFIDENCE_MEDIUM);
		return;
	case PHASE_GRAPH:
	case PHASE_COMPILED:
	case PHASE_FORWARD:
		judge_forward(j, row, x);
		return;
	default:
		break;
	}
	if (is_freed(a) && a->free_requested >= 0) {
		int64_t run = phases_run_at(j->p, a->free_requested);

		if (run >= 0 && j->p->runs.at[run].phase == PHASE_OPTIMIZER &&
		    a->free_requested <= j->p->runs.at[run].last_seen)
			judge_set(x, CATEGORY_OPTIMIZER_STATE, REASON_REPLACED_STATE,
				  CONFIDENCE_MEDIUM);
		else if (run >= 0 && j->p->runs.at[run].phase == PHASE_BACKWARD &&
			 steps_spanned(j, a) < 1)
			judge_set(x, CATEGORY_ACTIVATION, REASON_FREED_BACKWARD, CONFIDENCE_LOW);
	} else if (j->p->has_forward && stacks_depth(&j->a->model->stacks, a->stack) > 0) {
		judge_set(x, CATEGORY_INPUT, REASON_KEPT_INPUT, CONFIDENCE_LOW);
	}
}

/* Lives decide over what an owner rule says of scratch and of state. */
static void judge_owner(const struct judge *j, uint32_t row, const struct stack_verdict *v,
			struct allocation_category *x)
{
	const struct rule *r = rules_at(j->stacks->rules, v->owner);
	const struct allocation *a = &j->a->rows.at[row];
	bool born_here = row >= j->a->n_before;
	enum category category = r->category;

	x->rule = v->owner;
	if (category == CATEGORY_OPTIMIZER_STATE && x->phase == PHASE_OPTIMIZER && born_here) {
		judge_optimizer(j, row, x);
		x->rule = v->owner;
		return;
	}
	if (category == CATEGORY_AUTOGRAD_DETAIL && x->phase == PHASE_BACKWARD &&
	    a->free_requested > end_of_run(j, a) && born_here) {
		judge_backward(j, row, x);
		return;
	}
	judge_set(x, category, REASON_RULE, CONFIDENCE_HIGH);
}

static void judge_row(const struct judge *j, uint32_t row)
{
	struct allocation_category *x = &j->c->rows.at[row];
	const struct stack_verdict *v = judge_verdict(j, row);
	bool before = row < j->a->n_before;

	*x = (struct allocation_category){
		.category = CATEGORY_UNKNOWN,
		.phase = before ? v->phase : j->p->of_row.at[row],
		.rule = v->phase_rule,
		.user_category = v->user_category,
	};
	if (v->owner != RULE_NONE)
		judge_owner(j, row, v, x);
	else if (before)
		judge_before(j, row, x);
	else
		judge_phase(j, row, x);
}

/* --- the pass ---------------------------------------------------------------------------------- */

/* A stack that makes something to keep in step after step fills a list; a model's lazy buffers are
 * made once. Rows are in order of birth, so steps do not decrease. */
static int count_held(struct judge *j, struct error *err)
{
	size_t n = j->a->model->stacks.start.n;
	int rc;

	if ((rc = vec_reserve(&j->held_steps, n, j->budget, err)) < 0 ||
	    (rc = vec_reserve(&j->held_last, n, j->budget, err)) < 0)
		return rc;
	j->held_steps.n = j->held_last.n = n;
	for (size_t i = 0; i < n; i++) {
		j->held_steps.at[i] = 0;
		j->held_last.at[i] = -1;
	}
	for (size_t i = j->a->n_before; i < j->a->rows.n; i++) {
		const struct allocation *a = &j->a->rows.at[i];
		int32_t step;

		if (phase_of_run((enum phase)j->p->of_row.at[i]) != PHASE_FORWARD ||
		    !is_kept_over_steps(j, a))
			continue;
		step = (int32_t)phases_step_at(j->p, a->born);
		if (step != j->held_last.at[a->stack.i]) {
			j->held_last.at[a->stack.i] = step;
			j->held_steps.at[a->stack.i]++;
		}
	}
	return 0;
}

static bool states_have_owner(const struct allocations *a, const struct stack_rules *s)
{
	for (size_t i = a->n_before; i < a->rows.n; i++) {
		uint16_t owner = stack_rules_of(s, a->rows.at[i].stack)->owner;

		if (owner != RULE_NONE &&
		    rules_at(s->rules, owner)->category == CATEGORY_OPTIMIZER_STATE)
			return true;
	}
	return false;
}

static int64_t first_forward(const struct phases *p)
{
	for (size_t i = 0; i < p->runs.n; i++)
		if (p->runs.at[i].phase == PHASE_FORWARD)
			return p->runs.at[i].first_event;
	return INT64_MAX;
}

static int64_t last_forward(const struct phases *p)
{
	for (size_t i = p->runs.n; i-- > 0;)
		if (p->runs.at[i].phase == PHASE_FORWARD)
			return p->runs.at[i].first_event;
	return -1;
}

static bool some_before_has_frames(const struct allocations *a)
{
	for (size_t i = 0; i < a->n_before; i++)
		if (stacks_depth(&a->model->stacks, a->rows.at[i].stack) > 0)
			return true;
	return false;
}

int categories_run(struct categories *out, const struct allocations *a,
		   const struct stack_rules *stacks, const struct phases *p, struct budget *budget,
		   struct error *err)
{
	struct categories c = {.budget = budget, .allocations = a, .stacks = stacks};
	struct judge j = {
		.c = &c,
		.a = a,
		.stacks = stacks,
		.p = p,
		.budget = budget,
		.states_have_owner = states_have_owner(a, stacks),
		.trusts_empty_from_before = some_before_has_frames(a),
		.first_forward = first_forward(p),
		.last_forward = last_forward(p),
	};
	struct error own;
	int rc;

	if (!err)
		err = &own; /* vec_push reads it */
	if ((rc = count_held(&j, err)) < 0 ||
	    (rc = vec_reserve(&c.rows, a->rows.n + 1, budget, err)) < 0)
		goto out;
	c.rows.n = a->rows.n;
	for (size_t i = 0; i < a->rows.n; i++)
		judge_row(&j, (uint32_t)i);
	if ((rc = categories_match_sizes(&j, err)) < 0)
		goto out;
	*out = c;
	c = (struct categories){.budget = budget};
out:
	categories_release(&c);
	vec_release(&j.held_steps, budget);
	vec_release(&j.held_last, budget);
	return rc;
}

void categories_release(struct categories *c)
{
	if (!c || !c->budget)
		return;
	vec_release(&c->rows, c->budget);
	c->budget = NULL;
}

struct allocation_category categories_of_block(const struct categories *c,
					       const struct state_block *b)
{
	uint32_t row = allocations_of_block(c->allocations, b);
	const struct stack_verdict *v = stack_rules_of(c->stacks, b->stack);
	struct allocation_category x = {
		.category = CATEGORY_UNKNOWN,
		.phase = v->phase,
		.rule = v->phase_rule,
		.user_category = v->user_category,
	};

	if (row != ALLOCATION_NONE)
		return c->rows.at[row];
	if (v->owner != RULE_NONE) {
		judge_set(&x, rules_at(c->stacks->rules, v->owner)->category, REASON_RULE,
			  CONFIDENCE_HIGH);
		x.rule = v->owner;
	} else if (v->phase == PHASE_LOAD || v->phase == PHASE_INIT) {
		judge_set(&x, CATEGORY_PARAMETER, REASON_LOADED, CONFIDENCE_MEDIUM);
	}
	return x;
}

const char *category_detail(const struct categories *c, struct allocation_category x)
{
	switch ((enum category_reason)x.reason) {
	case REASON_RULE:
	case REASON_STATE:
		return x.rule == RULE_NONE ? NULL : rules_at(c->stacks->rules, x.rule)->detail;
	case REASON_RECOMPUTED:
		return "RECOMPUTED";
	case REASON_LOADING:
		return "LOADING";
	case REASON_WORKSPACE:
		return "WORKSPACE";
	default:
		return x.phase == PHASE_GRAPH ? "GRAPH" : NULL;
	}
}
