/* SPDX-License-Identifier: MIT
 * test_rules.c -- what the built-in rules say of stacks, and what a user's file changes.
 */
#include "decode/xml_read.h"
#include "passes/rules.h"
#include "tests/lib/mk_train.h"
#include "tests/lib/tap.h"

#define V "/venv/lib/python3.12/site-packages/"

static void add(struct rules *r, struct budget *b, const char *text, int want, const char *words)
{
	struct error err = {0};
	struct input *in;

	is_i64(input_open_bytes(&in, text, strlen(text), b, &err), 0, "opened");
	is_i64(rules_add(r, in, &err), want, "%s", words ? words : "added");
	if (words)
		is_str(err.text, words, "in these words");
	input_close(in);
}

/* The verdict on one stack: the id of its owner or "-", and its phase. */
static void judge(struct mk_train *t, const struct rules *r, stack_id stack, const char *owner,
		  enum phase phase, const char *what)
{
	struct stack_rules s;
	struct error err;
	const struct stack_verdict *v;

	if (!is_i64(stack_rules_init(&s, r, t->k.m, &t->k.budget, &err), 0, "%s: judged", what))
		return;
	v = stack_rules_of(&s, stack);
	is_str(v->owner == RULE_NONE ? "-" : rules_at(r, v->owner)->id, owner, "%s: owner", what);
	is_str(phase_name((enum phase)v->phase), phase_name(phase), "%s: phase", what);
	is_u64(s.n_gave_up, 0, "%s: every expression came to an end", what);
	stack_rules_release(&s);
}

static void test_stacks(struct mk_train *t, const struct rules *r)
{
	judge(t, r, STACK_EMPTY, "-", PHASE_NONE, "an empty stack");
	judge(t, r, mk_train_stack(t, "/app/t.py:3 main", NULL), "-", PHASE_NONE, "user code");
	judge(t, r, mk_train_stack(t, "?? at::cuda::getNewWorkspace()", NULL), "X01", PHASE_NONE,
	      "a workspace");
	judge(t, r,
	      mk_train_stack(t, V "torch/optim/adam.py:9 _init_group",
			     V "torch/optim/optimizer.py:5 wrapper", NULL),
	      "S01", PHASE_OPTIMIZER, "optimizer state");
	judge(t, r,
	      mk_train_stack(t, "C:\\p\\Lib\\site-packages\\torch\\optim\\adam.py:9 _init_group",
			     NULL),
	      "S01", PHASE_OPTIMIZER, "backslashes");
	judge(t, r, mk_train_stack(t, V "torch/optim/optimizer.py:5 zero_grad", NULL), "-",
	      PHASE_ZERO_GRAD, "zero_grad");
	judge(t, r, mk_train_stack(t, V "torch/optim/lr_scheduler.py:5 step", NULL), "-",
	      PHASE_NONE, "a scheduler is no optimizer");
	judge(t, r,
	      mk_train_stack(t, "/app/m.py:3 forward", V "torch/nn/modules/module.py:1 _call_impl",
			     V "torch/optim/lbfgs.py:8 step", NULL),
	      "-", PHASE_FORWARD, "a closure");
	judge(t, r,
	      mk_train_stack(t, V "torch/optim/sgd.py:8 step", "/app/hook.py:3 hook",
			     "?? torch::autograd::Engine::evaluate_function", NULL),
	      "-", PHASE_OPTIMIZER, "an optimizer in a backward hook");
	judge(t, r, mk_train_stack(t, "?? torch::autograd::Engine::evaluate_function(x)", NULL),
	      "-", PHASE_BACKWARD, "autograd");
	judge(t, r,
	      mk_train_stack(t, "/app/f.py:3 backward", V "torch/autograd/function.py:1 apply",
			     NULL),
	      "-", PHASE_BACKWARD, "a Function's backward");
	judge(t, r,
	      mk_train_stack(t, "/app/f.py:3 forward", V "torch/autograd/function.py:1 apply",
			     NULL),
	      "-", PHASE_FORWARD, "a Function's forward");
	judge(t, r,
	      mk_train_stack(t, "/app/m.py:3 forward", V "torch/utils/checkpoint.py:1 recompute_fn",
			     "?? torch::autograd::Engine::evaluate_function", NULL),
	      "-", PHASE_RECOMPUTE, "recomputation");
	judge(t, r, mk_train_stack(t, V "torch/nn/modules/module.py:1 _apply", NULL), "-",
	      PHASE_LOAD, "a module that moves");
	judge(t, r,
	      mk_train_stack(t, "/tmp/torchinductor_me/ab/cxyz.py:3 call",
			     V "torch/nn/modules/module.py:1 _call_impl", NULL),
	      "-", PHASE_COMPILED, "compiled code");
	judge(t, r,
	      mk_train_stack(t, "?? c10d::Reducer::initialize_buckets",
			     "?? at::cuda::getNewWorkspace", NULL),
	      "X06", PHASE_NONE, "the innermost owner");
	judge(t, r, mk_train_stack(t, "?? at::autocast::cached_cast", "/app/m.py:3 forward", NULL),
	      "W01", PHASE_FORWARD, "a cast of weights");
	judge(t, r, mk_train_stack(t, "?? at::autocast::cached_cast", NULL), "-", PHASE_NONE,
	      "only in forward");
}

static void is_mark(const struct rules *r, const char *name, const char *id)
{
	uint16_t row = rules_annotation(r, name, strlen(name));

	is_str(row == RULE_NONE ? "-" : rules_at(r, row)->id, id, "annotation '%s'", name);
}

static void test_annotations(const struct rules *r)
{
	is_mark(r, "ProfilerStep#12", "N01");
	is_mark(r, "## step 3 ##", "N02");
	is_mark(r, "iteration_7", "N02");
	is_mark(r, "Optimizer.step#AdamW.step", "N03");
	is_mark(r, "Optimizer.zero_grad#SGD.zero_grad", "N04");
	is_mark(r, "## optimizer ##", "N05");
	is_mark(r, "backward_pass", "N06");
	is_mark(r, "## forward ##", "N07");
	is_mark(r, "enumerate(DataLoader)#_SingleProcess.__next__", "N08");
	is_mark(r, "stepmother", "-");
	is_mark(r, "feedforward", "-");
	is_mark(r, "", "-");
}

static void test_user(struct mk_train *t, struct rules *r)
{
	struct budget *b = &t->k.budget;
	size_t before = rules_count(r);
	stack_id own = mk_train_stack(t, "/app/cache.py:3 grow",
				      V "torch/optim/adam.py:1 _init_group", NULL);

	add(r, b, "<rules><owner id='x' category='NONE' function='f'/></rules>", ERR_FORMAT, NULL);
	add(r, b, "<rules>\n<owner id='x' category='INPUT' function='('/></rules>", ERR_USAGE,
	    "line 2: '(' is no regular expression: missing closing parenthesis at character 2");
	is_u64(rules_count(r), before, "a wrong file changes nothing");
	judge(t, r, own, "S01", PHASE_OPTIMIZER, "before");
	add(r, b,
	    "<rules><owner id='x' category='UNKNOWN' detail='KV_CACHE' path='cache\\.py$'/>"
	    "<category name='mine' function='^grow$'/></rules>",
	    0, NULL);
	is_u64(rules_count(r), before + 2, "two more");
	judge(t, r, own, "x", PHASE_OPTIMIZER, "a user's rule");
	/* Further out than the built-in one, and still first. */
	judge(t, r,
	      mk_train_stack(t, V "torch/optim/adam.py:1 _init_group", "/app/cache.py:3 g", NULL),
	      "x", PHASE_OPTIMIZER, "a user's rule goes first");
	add(r, b, "<rules><phase id='O01' is='load' path='nothing'/></rules>", 0, NULL);
	is_u64(rules_count(r), before + 2, "one replaced by its id");
	judge(t, r, mk_train_stack(t, V "torch/optim/adam.py:1 f", NULL), "-", PHASE_NONE,
	      "the old one is gone");
	add(r, b, "<rules builtin='replace'><phase id='p' is='data' function='^f$'/></rules>", 0,
	    NULL);
	is_u64(rules_count(r), 4, "all built-in ones replaced");
	judge(t, r, mk_train_stack(t, "/app/y.py:1 f", NULL), "-", PHASE_DATA, "by this");
}

/* Nested quantifiers: an expression that gives up does not match, and is counted. */
static void test_slow(struct mk_train *t, struct rules *r)
{
	char words[300] = "/app/";
	struct stack_rules s;
	struct error err;
	stack_id stack;

	memset(words + 5, 'a', 200);
	memcpy(words + 205, ".py:1 f", 8);
	stack = mk_train_stack(t, words, NULL);
	add(r, &t->k.budget, "<rules><phase id='slow' is='data' path='(a+)+(a+)+[bc]'/></rules>", 0,
	    NULL);
	is_i64(stack_rules_init(&s, r, t->k.m, &t->k.budget, &err), 0, "judged");
	ok(s.n_gave_up > 0, "it gave up");
	is_u64(stack_rules_of(&s, stack)->phase, PHASE_DATA, "the other rule counts");
	stack_rules_release(&s);
}

int main(void)
{
	struct mk_train t;
	struct rules *r;
	struct error err;

	mk_train_init(&t);
	if (!is_i64(rules_new(&r, &t.k.budget, &err), 0, "the built-in rules")) {
		diag("%s", err.text);
		return done_testing();
	}
	ok(rules_count(r) > 91, "all of them");
	test_stacks(&t, r);
	test_annotations(r);
	test_user(&t, r);
	test_slow(&t, r);
	rules_free(r);
	mk_train_done(&t);
	ok(mk_train_release(&t), "all memory was given back");
	xml_forget();
	return done_testing();
}
