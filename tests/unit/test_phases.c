/* SPDX-License-Identifier: MIT
 * test_phases.c -- steps and phases of small training programs, however little their stacks tell.
 */
#include "passes/phases.h"
#include "tests/lib/mk_train.h"
#include "tests/lib/tap.h"

#define STEPS 6

/* Everything the pass needs, over one model. */
struct bench {
	struct rules *rules;
	struct stack_rules stacks;
	struct replay *replay;
	struct allocations allocations;
	struct phases phases;
};

static int open_bench(struct bench *b, struct mk_train *t, const char *marker, struct error *err)
{
	struct phases_options o = {.step_marker = marker};
	struct budget *budget = &t->k.budget;
	const struct device *d = &t->k.m->devices.at[0];

	*b = (struct bench){0};
	if (rules_new(&b->rules, budget, err) < 0 ||
	    stack_rules_init(&b->stacks, b->rules, t->k.m, budget, err) < 0 ||
	    replay_new(&b->replay, t->k.m, d, budget, err) < 0 ||
	    allocations_run(&b->allocations, t->k.m, b->replay, d, budget, err) < 0)
		return (int)err->code;
	return phases_run(&b->phases, &b->allocations, &b->stacks, &o, budget, err);
}

static void close_bench(struct bench *b)
{
	phases_release(&b->phases);
	allocations_release(&b->allocations);
	replay_free(b->replay);
	stack_rules_release(&b->stacks);
	rules_free(b->rules);
}

/* The steps that were found are those that the loop made; every `every`-th of them. */
static void check_steps(struct mk_train *t, const struct mk_loop *l, enum step_source source,
			size_t want, size_t every, const char *what)
{
	struct bench b;
	struct error err;
	size_t wrong = 0;

	mk_train_done(t);
	if (!is_i64(open_bench(&b, t, NULL, &err), 0, "%s: run", what))
		diag("%s", err.text);
	is_u64(replay_summary(b.replay)->n_mismatches, 0, "%s: the trace is sound", what);
	is_str(step_source_name(b.phases.source), step_source_name(source), "%s: source", what);
	is_u64(b.phases.steps.n, want, "%s: steps", what);
	for (size_t i = 0; i < b.phases.steps.n && l; i++) {
		const struct training_step *s = &b.phases.steps.at[i];

		if (i * every < l->n_steps && s->first_event != l->first_event[i * every]) {
			wrong++;
			diag("step %zu begins at %lld, not at %lld", i, (long long)s->first_event,
			     (long long)l->first_event[i * every]);
		}
		wrong += phases_step_at(&b.phases, s->first_event) != (int64_t)i;
		wrong += phases_step_at(&b.phases, s->last_event) != (int64_t)i;
	}
	is_u64(wrong, 0, "%s: they begin with their batch", what);
	close_bench(&b);
	ok(mk_train_release(t), "%s: all memory was given back", what);
}

static void test_stacks(enum mk_stacks stacks, const char *what)
{
	struct mk_train t;
	struct mk_loop l;

	mk_train_init(&t);
	mk_loop_init(&l, &t, stacks, false);
	for (int i = 0; i < STEPS; i++)
		mk_loop_step(&l, &t);
	check_steps(&t, &l, stacks == MK_STACKS_NONE ? STEPS_PATTERN : STEPS_OPTIMIZER, STEPS, 1,
		    what);
}

/* Nothing is allocated by the optimizer. */
static void test_sgd(bool zeroes, enum step_source source, const char *what)
{
	struct mk_train t;
	struct mk_loop l;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	l.zeroes = zeroes;
	for (int i = 0; i < STEPS; i++) {
		l.adam = i == 0; /* makes its state, as momentum is made */
		mk_loop_step(&l, &t);
	}
	check_steps(&t, &l, source, STEPS, 1, what);
}

static void test_accumulation(void)
{
	struct mk_train t;
	struct mk_loop l;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_PYTHON, false);
	l.micro = 4;
	for (int i = 0; i < STEPS; i++)
		mk_loop_step(&l, &t);
	check_steps(&t, &l, STEPS_OPTIMIZER, STEPS, 1, "four micro-batches");
}

static void test_evaluation(void)
{
	struct mk_train t;
	struct mk_loop l;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	for (int i = 0; i < STEPS; i++) {
		mk_loop_step(&l, &t);
		for (int k = 0; k < 5 && i % 3 == 2; k++)
			mk_loop_evaluate(&l, &t);
	}
	/* Steps begin with an evaluation there, and the last one is left over. */
	check_steps(&t, NULL, STEPS_OPTIMIZER, STEPS + 1, 1, "with evaluations");
}

static void test_two_optimizers(void)
{
	struct mk_train t;
	struct mk_loop l;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	for (int i = 0; i < 2 * STEPS; i++) {
		l.site = i % 2;
		mk_loop_step(&l, &t);
	}
	check_steps(&t, &l, STEPS_OPTIMIZER, STEPS, 2, "two optimizers in turn");
}

static void run_annotated(struct mk_train *t, struct mk_loop *l)
{
	char name[40];

	mk_train_init(t);
	mk_loop_init(l, t, MK_STACKS_ALL, false);
	for (int i = 0; i < STEPS; i++) {
		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		mk_train_mark(t, name, false);
		mk_train_mark(t, i % 2 ? "odd" : "even", false);
		mk_loop_step(l, t);
		mk_train_mark(t, i % 2 ? "odd" : "even", true);
		mk_train_mark(t, name, true);
	}
	mk_train_done(t);
}

static void test_annotations(void)
{
	struct mk_train t;
	struct mk_loop l;
	struct bench b;
	struct error err;

	run_annotated(&t, &l);
	is_i64(open_bench(&b, &t, NULL, &err), 0, "annotated: run");
	is_str(step_source_name(b.phases.source), "annotation", "annotated: source");
	is_str(confidence_name(b.phases.confidence), "high", "annotated: sure");
	is_u64(b.phases.steps.n, STEPS, "annotated: steps");
	is_str(model_str(t.k.m, b.phases.steps.at[3].label), "ProfilerStep#3", "annotated: label");
	is_i64(b.phases.steps.at[3].first_event, l.first_event[3], "annotated: begin");
	is_i64(b.phases.steps.at[3].last_event, l.first_event[4] - 1, "annotated: end");
	close_bench(&b);
	is_i64(open_bench(&b, &t, "^odd$", &err), 0, "a marker: run");
	is_str(step_source_name(b.phases.source), "marker", "a marker: source");
	is_u64(b.phases.steps.n, STEPS / 2, "a marker: steps");
	is_i64(b.phases.steps.at[1].first_event, l.first_event[3], "a marker: begin");
	close_bench(&b);
	is_i64(open_bench(&b, &t, "^never$", &err), ERR_USAGE, "a marker that matches nothing");
	close_bench(&b);
	is_i64(open_bench(&b, &t, "(", &err), ERR_USAGE, "a marker that is no expression");
	is_str(err.text, "'(' is no regular expression: missing closing parenthesis at character 2",
	       "and why");
	close_bench(&b);
	ok(mk_train_release(&t), "annotated: all memory was given back");
}

/* A closure: forward and backward run inside of the optimizer's step. */
static void test_closure(void)
{
	struct mk_train t;
	struct bench b;
	struct error err;
	stack_id forward, scratch;
	unsigned wrong = 0;

	mk_train_init(&t);
	forward = mk_train_stack(&t, "/app/model.py:9 forward",
				 "/v/site-packages/torch/nn/modules/module.py:1773 _call_impl",
				 "/app/train.py:8 closure",
				 "/v/site-packages/torch/optim/lbfgs.py:330 step",
				 "/v/site-packages/torch/optim/optimizer.py:500 wrapper",
				 "/app/train.py:12 main", NULL);
	scratch = mk_train_stack(&t, "/v/site-packages/torch/optim/lbfgs.py:400 step",
				 "/v/site-packages/torch/optim/optimizer.py:500 wrapper",
				 "/app/train.py:12 main", NULL);
	for (int i = 0; i < 4; i++) {
		mk_train_free(&t, mk_train_alloc(&t, 4 * MIB, forward), forward);
		mk_train_free(&t, mk_train_alloc(&t, 4 * MIB, scratch), scratch);
	}
	mk_train_done(&t);
	is_i64(open_bench(&b, &t, NULL, &err), 0, "a closure: run");
	for (size_t i = 0; i < b.phases.of_row.n; i++)
		wrong += b.phases.of_row.at[i] != (i % 2 ? PHASE_OPTIMIZER : PHASE_FORWARD);
	is_u64(wrong, 0, "what a closure runs is no optimizer");
	is_u64(b.phases.steps.n, 4, "and its steps are found");
	close_bench(&b);
	ok(mk_train_release(&t), "a closure: all memory was given back");
}

static void test_runs(void)
{
	static const enum phase want[] = {PHASE_LOAD,      PHASE_FORWARD,   PHASE_BACKWARD,
					  PHASE_OPTIMIZER, PHASE_ZERO_GRAD, PHASE_FORWARD,
					  PHASE_BACKWARD,  PHASE_OPTIMIZER};
	struct mk_train t;
	struct mk_loop l;
	struct bench b;
	struct error err;
	int64_t next = 0;
	unsigned gaps = 0;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_PYTHON, false);
	mk_loop_step(&l, &t);
	mk_loop_step(&l, &t);
	mk_train_done(&t);
	is_i64(open_bench(&b, &t, NULL, &err), 0, "runs: run");
	is_u64(b.phases.runs.n, sizeof want / sizeof *want, "runs: of two steps");
	for (size_t i = 0; i < b.phases.runs.n; i++) {
		const struct phase_run *r = &b.phases.runs.at[i];

		is_str(phase_name(r->phase), phase_name(want[i]), "runs: number %zu", i);
		gaps += r->first_event != next;
		next = r->last_event + 1;
	}
	is_u64(gaps, 0, "runs: without gaps");
	is_i64(next, mk_train_events(&t), "runs: to the end");
	is_i64(phases_run_at(&b.phases, 0), 0, "runs: the first event");
	close_bench(&b);
	ok(mk_train_release(&t), "runs: all memory was given back");
}

/* Layers repeat inside of a forward, and scripts allocate at random: no steps. */
static void test_no_steps(void)
{
	struct mk_train t;
	stack_id a, b;

	mk_train_init(&t);
	a = mk_train_stack(&t, "/app/model.py:9 forward",
			   "/v/site-packages/torch/nn/modules/module.py:1773 _call_impl",
			   "/app/run.py:12 main", NULL);
	b = mk_train_stack(&t, "/app/model.py:10 forward",
			   "/v/site-packages/torch/nn/modules/module.py:1773 _call_impl",
			   "/app/run.py:12 main", NULL);
	for (int i = 0; i < 24; i++) {
		mk_train_free(&t, mk_train_alloc(&t, 4 * MIB, a), a);
		mk_train_free(&t, mk_train_alloc(&t, 4 * MIB, b), b);
	}
	check_steps(&t, NULL, STEPS_NONE, 0, 1, "layers of one forward");
	mk_train_init(&t);
	check_steps(&t, NULL, STEPS_NONE, 0, 1, "no events");
}

int main(void)
{
	test_stacks(MK_STACKS_ALL, "all stacks");
	test_stacks(MK_STACKS_PYTHON, "Python stacks");
	test_stacks(MK_STACKS_NONE, "no stacks");
	test_sgd(true, STEPS_ZERO_GRAD, "an optimizer that allocates once");
	test_sgd(false, STEPS_BACKWARD, "and gradients that stay");
	test_accumulation();
	test_evaluation();
	test_two_optimizers();
	test_annotations();
	test_closure();
	test_runs();
	test_no_steps();
	return done_testing();
}
