/* SPDX-License-Identifier: MIT
 * test_categories.c -- what the allocations of small training programs are told to be.
 */
#include "decode/xml_read.h"
#include "passes/purpose.h"
#include "tests/lib/mk_train.h"
#include "tests/lib/tap.h"

struct bench {
	struct rules *rules;
	struct replay *replay;
	struct purpose *p;
};

static void open_bench(struct bench *b, struct mk_train *t, const char *what)
{
	struct budget *budget = &t->k.budget;
	const struct device *d;
	struct error err;

	mk_train_done(t);
	d = &t->k.m->devices.at[0];
	*b = (struct bench){0};
	is_i64(rules_new(&b->rules, budget, &err), 0, "%s: rules", what);
	is_i64(replay_new(&b->replay, t->k.m, d, budget, &err), 0, "%s: replayed", what);
	if (!is_i64(purpose_new(&b->p, b->rules, t->k.m, b->replay, d, NULL, budget, &err), 0,
		    "%s: told", what))
		diag("%s", err.text);
}

static void close_bench(struct bench *b, struct mk_train *t, const char *what)
{
	purpose_free(b->p);
	replay_free(b->replay);
	rules_free(b->rules);
	ok(mk_train_release(t), "%s: all memory was given back", what);
}

/* MiB of each category just after an event. */
static void check_sums(const struct bench *b, int64_t event, const double want[CATEGORY_COUNT],
		       const char *what)
{
	uint64_t sums[CATEGORY_COUNT] = {0};
	const struct allocations *a = &b->p->allocations;

	for (size_t i = 0; i < a->rows.n; i++)
		if (allocation_alive_at(&a->rows.at[i], event))
			sums[b->p->categories.rows.at[i].category] += a->rows.at[i].size;
	for (int c = 0; c < CATEGORY_COUNT; c++)
		is_u64(sums[c], (uint64_t)(want[c] * (double)MIB), "%s: %s", what,
		       category_name((enum category)c));
}

static struct allocation_category of_slot(const struct bench *b, int64_t slot, int64_t event)
{
	uint32_t row = allocations_at(&b->p->allocations, mk_train_address((size_t)slot), event);

	return b->p->categories.rows.at[row];
}

/* Three layers of 4, 5 and 6 MiB; activations of 8; batch 2.5; loss 2. */
static void test_training(enum mk_stacks stacks, const char *what)
{
	static const double at_forward[] = {15, 30, 2.5, 0, 26, 0, 0, 0};
	static const double at_backward[] = {15, 30, 2.5, 0, 2, 15, 0, 0};
	struct allocation_category x;
	struct mk_train t;
	struct mk_loop l, then;
	struct bench b;
	int64_t after_forward, after_backward;

	mk_train_init(&t);
	mk_loop_init(&l, &t, stacks, false);
	for (int i = 0; i < 4; i++)
		mk_loop_step(&l, &t);
	/* One more step by hand, for its moments. */
	l.first_event[l.n_steps++] = mk_train_events(&t);
	mk_train_free(&t, (size_t)l.batch, mk_train_stack(&t, "/app/train.py:15 main", NULL));
	l.batch = (int64_t)mk_train_alloc(&t, 5 * MIB / 2,
					  mk_train_stack(&t, "/app/train.py:15 main", NULL));
	for (int i = 0; i < MK_LAYERS; i++) {
		mk_train_free(
			&t, (size_t)l.gradient[i],
			mk_train_stack(&t, "/v/site-packages/torch/optim/optimizer.py:9 zero_grad",
				       "/app/train.py:18 main", NULL));
		l.gradient[i] = -1;
	}
	mk_loop_forward(&l, &t);
	after_forward = mk_train_events(&t) - 1;
	mk_loop_backward(&l, &t);
	after_backward = mk_train_events(&t) - 1;
	then = l;
	mk_loop_optimizer(&l, &t);
	mk_loop_step(&l, &t);
	open_bench(&b, &t, what);
	check_sums(&b, after_forward, at_forward, what);
	check_sums(&b, after_backward, at_backward, what);
	x = of_slot(&b, then.parameter[0], after_forward);
	is_str(category_reason_words((enum category_reason)x.reason),
	       "it was made while a model was loaded or built, and kept", "%s: a parameter", what);
	is_str(rules_at(b.rules, x.rule)->id, "P01", "%s: and its rule", what);
	is_str(confidence_name((enum confidence)x.confidence), "high", "%s: sure", what);
	x = of_slot(&b, then.state[0], after_forward);
	is_str(rules_at(b.rules, x.rule)->id, "S01", "%s: the rule of state", what);
	x = of_slot(&b, then.gradient[0], after_backward);
	is_u64(x.reason, REASON_GRADIENT, "%s: a gradient", what);
	is_str(confidence_name((enum confidence)x.confidence),
	       stacks == MK_STACKS_ALL ? "high" : "medium", "%s: how sure", what);
	is_u64(of_slot(&b, then.loss, after_forward).reason, REASON_LOSS, "%s: the loss", what);
	is_u64(of_slot(&b, then.batch, after_forward).reason, REASON_BATCH, "%s: the batch", what);
	close_bench(&b, &t, what);
}

/* Recording began when the model was there: sizes tell. */
static void test_late_start(void)
{
	static const double want[] = {15, 0, 2.5, 0, 26, 0, 0, 0};
	struct mk_train t;
	struct mk_loop l;
	struct bench b;
	int64_t moment;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, true);
	l.batch = (int64_t)mk_train_alloc(&t, 5 * MIB / 2,
					  mk_train_stack(&t, "/app/train.py:15 main", NULL));
	mk_loop_forward(&l, &t);
	moment = mk_train_events(&t) - 1;
	mk_loop_backward(&l, &t);
	mk_loop_optimizer(&l, &t);
	mk_loop_step(&l, &t);
	mk_loop_step(&l, &t);
	open_bench(&b, &t, "a late start");
	check_sums(&b, moment, want, "a late start");
	is_u64(of_slot(&b, l.parameter[1], moment).reason, REASON_SIZE_PARAMETER, "told by size");
	is_str(confidence_name((enum confidence)of_slot(&b, l.parameter[1], moment).confidence),
	       "low", "with little confidence");
	close_bench(&b, &t, "a late start");
}

/* State from before, too: Adam's two of each size. */
static void test_state_before(void)
{
	static const double want[] = {15, 30, 2.5, 0, 26, 0, 0, 0};
	struct mk_train t;
	struct mk_loop l;
	struct bench b;
	int64_t moment;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_PYTHON, true);
	for (int i = 0; i < 2 * MK_LAYERS; i++)
		l.state[i] =
			(int64_t)mk_train_before(&t, (uint64_t)(4 + i / 2) * MIB, STACK_ABSENT);
	l.batch = (int64_t)mk_train_alloc(&t, 5 * MIB / 2,
					  mk_train_stack(&t, "/app/train.py:15 main", NULL));
	mk_loop_forward(&l, &t);
	moment = mk_train_events(&t) - 1;
	mk_loop_backward(&l, &t);
	mk_loop_optimizer(&l, &t);
	mk_loop_step(&l, &t);
	open_bench(&b, &t, "state from before");
	check_sums(&b, moment, want, "state from before");
	close_bench(&b, &t, "state from before");
}

/* Outputs that are kept in step after step are no buffers; what is made once is. */
static void test_kept(void)
{
	struct allocation_category x;
	struct mk_train t;
	struct mk_loop l;
	struct bench b;
	size_t list = 0, buffer = 0;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	for (int i = 0; i < 6; i++) {
		stack_id leak = mk_train_stack(
			&t, "/app/model.py:50 forward",
			"/v/site-packages/torch/nn/modules/module.py:1773 _call_impl",
			"/app/train.py:20 main", NULL);
		stack_id once = mk_train_stack(
			&t, "/app/rope.py:7 build", "/app/model.py:51 forward",
			"/v/site-packages/torch/nn/modules/module.py:1773 _call_impl",
			"/app/train.py:20 main", NULL);

		mk_loop_step(&l, &t);
		list = mk_train_alloc(&t, 2 * MIB, leak);
		if (i == 0)
			buffer = mk_train_alloc(&t, 7 * MIB, once);
		if (i == 1)
			l.site = (unsigned)list; /* of the second step */
	}
	list = l.site;
	mk_loop_step(&l, &t);
	open_bench(&b, &t, "kept");
	x = of_slot(&b, (int64_t)list, mk_train_events(&t) - 1);
	is_str(category_name((enum category)x.category), "ACTIVATION", "a list that grows");
	is_u64(x.reason, REASON_HELD, "is held");
	x = of_slot(&b, (int64_t)buffer, mk_train_events(&t) - 1);
	is_str(category_name((enum category)x.category), "PARAMETER", "a buffer");
	is_u64(x.reason, REASON_BUFFER, "was made once");
	close_bench(&b, &t, "kept");
}

int main(void)
{
	test_training(MK_STACKS_ALL, "all stacks");
	test_training(MK_STACKS_PYTHON, "Python stacks");
	test_late_start();
	test_state_before();
	test_kept();
	xml_forget();
	return done_testing();
}
