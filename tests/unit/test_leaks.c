/* SPDX-License-Identifier: MIT
 * test_leaks.c -- what grows, what only seems to, and what real recordings are known to hold.
 */
#include "tests/lib/tap.h"

#include "passes/leaks.h"
#include "passes/purpose.h"
#include "tests/lib/mk_run.h"

static struct error err;

/* One run, looked at. */
struct looked {
	struct rules *rules;
	struct purpose *purpose;
	struct replay *replay;
	struct leaks leaks;
};

static bool look_at(struct looked *l, const struct model *m, struct budget *budget, int64_t until,
		    uint64_t capacity)
{
	const struct device *d = &m->devices.at[0];
	struct leaks_options o = {.until = until < 0 ? (int64_t)d->n_events - 1 : until,
				  .capacity_bytes = capacity};

	*l = (struct looked){0};
	if (rules_new(&l->rules, budget, &err) < 0 ||
	    replay_new(&l->replay, m, d, budget, &err) < 0 ||
	    purpose_new(&l->purpose, l->rules, m, l->replay, d, NULL, budget, &err) < 0)
		return ok(false, "the trace can be analysed: %s", err.text);
	o.categories = &l->purpose->categories;
	return is_i64(leaks_run(&l->leaks, &l->purpose->allocations, &l->purpose->phases, &o,
				budget, &err),
		      0, "leaks are looked for");
}

static void looked_release(struct looked *l)
{
	leaks_release(&l->leaks);
	purpose_free(l->purpose);
	replay_free(l->replay);
	rules_free(l->rules);
}

static const struct leak *leak_at(const struct looked *l, const struct model *m, const char *site)
{
	char words[512];

	for (size_t i = 0; i < l->leaks.found.n; i++) {
		const struct leak *x = &l->leaks.found.at[i];

		if (x->kind != LEAK_CACHE_GROWTH &&
		    strstr(site_words(m, x->site, words, sizeof words), site))
			return x;
	}
	return NULL;
}

static void is_growth(const struct leak *x, double bytes, const char *what)
{
	if (ok(x != NULL, "%s is found", what))
		ok(x->growth > bytes - 0.5 && x->growth < bytes + 0.5, "%s grows by %.0f: %.1f",
		   what, bytes, x->growth);
}

/* --- made up ----------------------------------------------------------------------------------- */

#define FORWARD  "/app/model.py:11 forward"
#define LIVE_MAX 64

/* A loop: weights once, activations and an update each step; `body` adds what is tested. */
struct loop {
	struct mk_run r;
	stack_id weights, activation, update;
	bool annotated;
	unsigned varying; /* activations: 4, and up to so many more */
};

static void loop_init(struct loop *l, bool annotated)
{
	*l = (struct loop){.annotated = annotated};
	mk_run_init(&l->r);
	l->weights = mk_run_stack(&l->r, "/app/train.py:3 main");
	l->activation = mk_run_stack(&l->r, FORWARD);
	l->update = mk_run_stack(&l->r, "/app/train.py:20 update");
	for (int i = 0; i < 5; i++)
		mk_run_alloc(&l->r, 8 * MIB, l->weights);
}

static void loop_step(struct loop *l, size_t s, void (*body)(struct loop *, size_t))
{
	size_t n = 4 + (l->varying ? mk_run_random(&l->r, l->varying) : 0), slots[LIVE_MAX];
	char name[32];

	snprintf(name, sizeof name, "## step %zu ##", s);
	if (l->annotated)
		mk_run_mark(&l->r, name, false);
	for (size_t i = 0; i < n; i++)
		slots[i] = mk_run_alloc(&l->r, 2 * MIB, l->activation);
	body(l, s);
	for (size_t i = 0; i < n; i++)
		mk_run_free(&l->r, slots[i]);
	mk_run_free(&l->r, mk_run_alloc(&l->r, 4 * MIB, l->update));
	if (l->annotated)
		mk_run_mark(&l->r, name, true);
}

static void loop_run(struct loop *l, size_t steps, void (*body)(struct loop *, size_t))
{
	for (size_t s = 0; s < steps; s++)
		loop_step(l, s, body);
	mk_run_done(&l->r);
}

static void loop_release(struct loop *l)
{
	ok(mk_run_release(&l->r), "all memory was given back");
}

static void body_leak(struct loop *l, size_t s)
{
	static size_t held[3];
	stack_id noise = mk_run_stack(&l->r, "/app/data.py:30 batch");

	mk_run_alloc(&l->r, 3 * MIB, mk_run_stack(&l->r, "/app/train.py:12 keep"));
	if (s % 2 == 0)
		mk_run_alloc(&l->r, MIB / 2, mk_run_stack(&l->r, "/app/train.py:14 sometimes"));
	/* Batches of random size that live for three steps. */
	if (s >= 3)
		mk_run_free(&l->r, held[s % 3]);
	held[s % 3] = mk_run_alloc(&l->r, (1 + mk_run_random(&l->r, 64)) * 512 * KIB, noise);
}

static void test_leak(bool annotated, unsigned varying)
{
	struct loop l;
	struct looked k;

	diag("3 MiB a step and 0.5 MiB every other, %s annotations, steps of %s length",
	     annotated ? "with" : "without", varying ? "varying" : "equal");
	loop_init(&l, annotated);
	l.varying = varying;
	loop_run(&l, 40, body_leak);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, UINT64_C(1) << 30)) {
		is_u64(k.leaks.found.n, 2, "two places leak and no others");
		is_growth(leak_at(&k, l.r.k.m, "train.py:12"), 3.0 * MIB, "what is kept each step");
		is_growth(leak_at(&k, l.r.k.m, "train.py:14"), 0.25 * MIB,
			  "what is kept every other step");
		ok(k.purpose->phases.steps.n >= 38 && k.purpose->phases.steps.n <= 42,
		   "about 40 steps: %zu", k.purpose->phases.steps.n);
		/* 1 GiB less what is there, by 3.25 MiB: some 268 steps on. */
		ok(k.leaks.forecast.known && k.leaks.forecast.step > 260 &&
			   k.leaks.forecast.step < 330,
		   "1 GiB is reached at step %lld", (long long)k.leaks.forecast.step);
	}
	looked_release(&k);
	loop_release(&l);
}

static void body_cycles(struct loop *l, size_t s)
{
	static size_t waiting[5];

	waiting[s % 5] = mk_run_alloc(&l->r, 2 * MIB, mk_run_stack(&l->r, "/app/net.py:7 build"));
	for (int i = 0; s % 5 == 4 && i < 5; i++)
		mk_run_free(&l->r, waiting[i]);
}

static void test_cycles(size_t steps)
{
	struct loop l;
	struct looked k;
	const struct leak *x;

	diag("the collector comes every fifth step; %zu steps", steps);
	loop_init(&l, true);
	loop_run(&l, steps, body_cycles);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		x = leak_at(&k, l.r.k.m, "net.py:7");
		is_u64(k.leaks.found.n, 1, "one finding");
		if (ok(x && x->kind == LEAK_REFERENCE_CYCLE, "a reference cycle")) {
			ok(x->growth < 1 && k.leaks.growth < 1, "which is no leak");
			is_u64(x->burst_bytes, 8 * MIB,
			       "what four steps left behind comes back at once");
			is_i64(x->lived_steps, 4, "the oldest lived for four steps");
			is_u64(k.leaks.collect_bytes, 8 * MIB, "what gc.collect() would give");
		}
	}
	looked_release(&k);
	loop_release(&l);
}

static void body_reserve(struct loop *l, size_t s)
{
	(void)s;
	for (int i = 0; i < 6; i++)
		mk_run_reserve(&l->r, 23 * MIB);
}

static void test_cache_growth(void)
{
	struct loop l;
	struct looked k;

	diag("reserved bytes grow by 138 MiB a step, live ones do not");
	loop_init(&l, true);
	loop_run(&l, 12, body_reserve);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0) &&
	    is_u64(k.leaks.found.n, 1, "one finding")) {
		const struct leak *x = &k.leaks.found.at[0];

		ok(x->kind == LEAK_CACHE_GROWTH, "cache growth");
		ok(x->growth > 137.9 * MIB && x->growth < 138.1 * MIB, "138 MiB a step: %.0f",
		   x->growth);
		ok(x->blocks > 0 && x->blocks % 6 == 0, "in segments: %llu",
		   (unsigned long long)x->blocks);
		ok(k.leaks.growth < 1, "no live byte leaks");
	}
	looked_release(&k);
	loop_release(&l);
}

static void body_saturate(struct loop *l, size_t s)
{
	if (s < 15)
		mk_run_alloc(&l->r, 2 * MIB, mk_run_stack(&l->r, "/app/cache.py:5 put"));
}

static size_t ring[8];

static void body_ring(struct loop *l, size_t s)
{
	if (s >= 8)
		mk_run_free(&l->r, ring[s % 8]);
	ring[s % 8] = mk_run_alloc(&l->r, 2 * MIB, mk_run_stack(&l->r, "/app/cache.py:9 replace"));
}

static void body_nothing(struct loop *l, size_t s)
{
	(void)l;
	(void)s;
}

static size_t last_gradient;

/* Gradients are kept until the next step replaces them; optimizer state is born in the first. */
static void body_train(struct loop *l, size_t s)
{
	if (s > 0)
		mk_run_free(&l->r, last_gradient);
	last_gradient = mk_run_alloc(&l->r, 8 * MIB, mk_run_stack(&l->r, "/app/train.py:40 grad"));
	for (int i = 0; s == 0 && i < 10; i++)
		mk_run_alloc(&l->r, 8 * MIB, mk_run_stack(&l->r, "/app/train.py:41 state"));
}

static void test_innocent(const char *what, void (*body)(struct loop *, size_t), unsigned varying)
{
	struct loop l;
	struct looked k;

	diag("no leak: %s", what);
	loop_init(&l, true);
	l.varying = varying;
	loop_run(&l, 40, body);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		is_u64(k.leaks.found.n, 0, "nothing is found: %s", what);
		ok(k.leaks.kept[LEAKS_FROM_BEFORE].bytes == 40 * MIB, "weights are told apart");
	}
	looked_release(&k);
	loop_release(&l);
}

static void body_pending(struct loop *l, size_t s)
{
	(void)s;
	mk_run_free_later(&l->r,
			  mk_run_alloc(&l->r, 2 * MIB, mk_run_stack(&l->r, "/app/copy.py:2 send")));
}

static void test_pending(void)
{
	struct loop l;
	struct looked k;
	const struct leak *x;

	diag("frees that wait for a stream");
	loop_init(&l, true);
	loop_run(&l, 20, body_pending);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		x = leak_at(&k, l.r.k.m, "copy.py:2");
		ok(x && x->kind == LEAK_PENDING_FREE, "are told as such");
		is_growth(x, 2.0 * MIB, "what is pending");
	}
	looked_release(&k);
	loop_release(&l);
}

static size_t kv;

/* A tensor that is replaced by a larger one each step. */
static void body_grow(struct loop *l, size_t s)
{
	stack_id stack = mk_run_stack(&l->r, "/app/decode.py:8 cat");
	size_t larger = mk_run_alloc(&l->r, (s + 1) * MIB, stack);

	if (s > 0)
		mk_run_free(&l->r, kv);
	kv = larger;
}

static void test_grows_in_place(void)
{
	struct loop l;
	struct looked k;

	diag("one block that is replaced by ever larger ones");
	loop_init(&l, true);
	loop_run(&l, 30, body_grow);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		is_u64(k.leaks.found.n, 1, "is found");
		is_growth(leak_at(&k, l.r.k.m, "decode.py:8"), 1.0 * MIB, "the block");
	}
	looked_release(&k);
	loop_release(&l);
}

static void body_late(struct loop *l, size_t s)
{
	if (s >= 20)
		mk_run_alloc(&l->r, 2 * MIB, mk_run_stack(&l->r, "/app/train.py:50 late"));
}

static void test_late(void)
{
	struct loop l;
	struct looked k;
	const struct leak *x;

	diag("a leak that begins in step 20");
	loop_init(&l, true);
	loop_run(&l, 40, body_late);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		x = leak_at(&k, l.r.k.m, "train.py:50");
		is_growth(x, 2.0 * MIB, "what is kept");
		is_i64(x ? x->first_step : -1, 20, "from the step where it began");
		is_i64(x ? x->last_step : -1, 39, "to the last");
		is_u64(x ? x->bytes : 0, 40 * MIB, "with all its bytes");
		is_u64(x ? x->blocks : 0, 20, "and blocks");
	}
	looked_release(&k);
	loop_release(&l);
}

static void test_few_steps(void)
{
	struct loop l;
	struct looked k;

	loop_init(&l, true);
	loop_run(&l, 3, body_leak);
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		ok(k.leaks.too_few_steps, "three steps are too few to tell");
		is_u64(k.leaks.found.n, 0, "and nothing is said");
	}
	looked_release(&k);
	loop_release(&l);
}

static void test_suppress(void)
{
	static const char *const keep[] = {"train\\.py:12"};
	struct filter_options fo = {.keep = keep, .n_keep = 1};
	struct loop l;
	struct looked k;
	struct filter *f;
	struct leaks_options o = {.suppress = &f, .n_suppress = 1};

	loop_init(&l, true);
	loop_run(&l, 20, body_leak);
	is_i64(filter_new(&f, &fo, l.r.k.m, &l.r.k.budget, &err), 0, "a suppression");
	if (look_at(&k, l.r.k.m, &l.r.k.budget, -1, 0)) {
		leaks_release(&k.leaks);
		o.until = (int64_t)l.r.k.m->devices.at[0].n_events - 1;
		is_i64(leaks_run(&k.leaks, &k.purpose->allocations, &k.purpose->phases, &o,
				 &l.r.k.budget, &err),
		       0, "leaks with it");
		is_u64(k.leaks.n_suppressed, 1, "one finding is suppressed");
		ok(k.leaks.growth > 0.2 * MIB && k.leaks.growth < 0.3 * MIB,
		   "and out of the sum: %.0f", k.leaks.growth);
		is_u64(k.leaks.found.at[0].suppression, LEAK_NOT_SUPPRESSED,
		       "suppressed ones come last");
	}
	looked_release(&k);
	filter_free(f);
	loop_release(&l);
}

/* --- real -------------------------------------------------------------------------------------- */

static struct budget budget = {.limit = UINT64_MAX};

static struct model *load(const char *name)
{
	struct model_options options = {.budget = &budget};
	char path[512];
	struct model *m;

	snprintf(path, sizeof path, "%s/data/%s.pickle.zst", shared_data(), name);
	if (model_load(&m, path, &options, &err) == 0)
		return m;
	ok(false, "%s can be loaded: %s", name, err.text);
	return NULL;
}

static void test_graph(void)
{
	static const struct {
		const char *site;
		double growth;
		enum leak_kind kind;
	} truth[] = {
		{"scen.py:307", 7340032, LEAK_GRAPH},
		{"scen.py:306", 1048576, LEAK_TENSOR},
		{"scen.py:301", 1048576, LEAK_TENSOR},
	};
	struct model *m = load("runs/leak_graph_step_40");
	struct looked k;

	if (m && look_at(&k, m, &budget, -1, 0)) {
		is_u64(k.leaks.found.n, 3, "leak_graph_step_40: three places");
		for (size_t i = 0; i < 3; i++) {
			const struct leak *x = leak_at(&k, m, truth[i].site);

			is_growth(x, truth[i].growth, truth[i].site);
			ok(x && x->kind == truth[i].kind, "%s: its kind", truth[i].site);
		}
		is_u64(k.leaks.found.at[0].blocks, 280, "seven blocks in each of 40 steps");
		ok(k.leaks.growth > 9437183 && k.leaks.growth < 9437185, "9 MiB a step in all");
		looked_release(&k);
	}
	model_free(m);
}

static void test_clean(const char *name)
{
	struct model *m = load(name);
	struct looked k;

	if (m && look_at(&k, m, &budget, -1, 0)) {
		is_u64(k.leaks.found.n, 0, "%s: no leak", name);
		looked_release(&k);
	}
	model_free(m);
}

/* The first half of the trace tells when memory runs out: step 250, the last one. */
static void test_forecast(void)
{
	struct model *m = load("oom/oom_leak");
	struct looked k;
	int64_t half, last;
	uint64_t capacity;

	if (!m || !look_at(&k, m, &budget, -1, 0))
		return;
	is_u64(k.leaks.found.n, 1, "oom_leak: one place");
	is_growth(&k.leaks.found.at[0], 16777216, "oom_leak");
	last = (int64_t)k.purpose->phases.steps.n - 1;
	capacity =
		leaks_capacity(&k.purpose->allocations, replay_summary(k.replay)->start.reserved);
	looked_release(&k);
	half = (int64_t)m->devices.at[0].n_events / 2;
	if (look_at(&k, m, &budget, half, capacity)) {
		int64_t step = k.leaks.forecast.step;

		ok(k.leaks.forecast.known && step * 10 >= last * 9 && step * 10 <= last * 11,
		   "forecast from the first half: step %lld, it died in %lld", (long long)step,
		   (long long)last);
		looked_release(&k);
	}
	model_free(m);
}

static void test_real(void)
{
	static const char *const clean[] = {
		"runs/training_run_epoch_9",
		"runs/resnet50_from_start",
		"runs/hf_gpt2_step_3",
		"labelled/labelled_resnet18_adam_end",
		"labelled/labelled_gpt2_adamw_amp_end",
		"labelled/labelled_lstm_adam_end",
		"labelled/labelled_transformer_adamw_end",
		"labelled/labelled_unet_adamw_end",
		"labelled/labelled_compiled_end",
		"labelled/labelled_lightning_end",
	};

	if (!shared_data()) {
		skip("no real recordings: set VRAMSCOPE_SHARED to their folder");
		return;
	}
	test_graph();
	test_forecast();
	for (size_t i = 0; i < sizeof clean / sizeof *clean; i++)
		test_clean(clean[i]);
	if (!tests_quick())
		test_clean("runs/big_python");
	is_u64(budget.used, 0, "all memory was given back");
}

int main(void)
{
	test_leak(true, 0);
	test_leak(false, 0);
	test_leak(true, 9);
	test_leak(false, 9);
	test_cycles(40);
	test_cycles(38);
	test_cache_growth();
	test_innocent("nothing but a loop", body_nothing, 0);
	test_innocent("steps of varying length", body_nothing, 12);
	test_innocent("a cache that is full after 15 steps", body_saturate, 0);
	test_innocent("a cache that drops its oldest entry", body_ring, 0);
	test_innocent("gradients and optimizer state", body_train, 0);
	test_pending();
	test_grows_in_place();
	test_late();
	test_few_steps();
	test_suppress();
	test_real();
	return done_testing();
}
