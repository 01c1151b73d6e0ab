/* SPDX-License-Identifier: MIT
 * test_simulate.c -- the model against a plain allocator, and against answers worked out by hand.
 */
#include "passes/simulate.h"

#include "replay/sim_place.h"
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

struct fixture {
	struct mk_model k;
	struct replay *r;
	struct simulation s;
	struct error err;
};

/* Of the finished model x->k. */
static bool open_simulation(struct fixture *x, const char *name)
{
	const struct device *d = &x->k.m->devices.at[0];
	int rc = replay_new(&x->r, x->k.m, d, &x->k.budget, &x->err);

	if (rc == 0)
		rc = simulation_open(&x->s, x->k.m, x->r, d, &x->k.budget, &x->err);
	if (!is_i64(rc, 0, "%s: opened", name))
		diag("%s", x->err.text);
	return rc == 0;
}

static void close_fixture(struct fixture *x, const char *name)
{
	simulation_close(&x->s);
	replay_free(x->r);
	ok(mk_model_release(&x->k), "%s: nothing leaked", name);
}

/* --- the model and the plain allocator --------------------------------------------------------- */

static void check_mini(struct mini_options o, const char *name)
{
	struct fixture x = {0};
	struct mini a;

	o.light = true;
	mini_init(&a, o);
	if (o.seed % 2)
		mini_run(&a, 100); /* lives before the trace */
	mini_record(&a);
	mini_run(&a, 700);
	mini_model(&a, &x.k);
	if (open_simulation(&x, name)) {
		const struct simulate_check *c = &x.s.check;

		if (!ok(c->ok, "%s, seed %" PRIu64 ": the model gives every address", name, o.seed))
			diag("%s at event %" PRId64 ", address %" PRIx64 ": %" PRIx64
			     ", by the model %" PRIx64,
			     simulate_difference_name(c->kind), c->event, c->address, c->expected,
			     c->found);
		ok(c->n_allocs > 200, "%s: there were some", name);
	}
	close_fixture(&x, name);
	mini_release(&a);
}

static void test_mini(void)
{
	uint64_t seeds = tests_quick() ? 4 : 16;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		check_mini((struct mini_options){.seed = seed, .n_streams = 1}, "plain");
		check_mini((struct mini_options){.seed = seed, .n_streams = 3}, "streams");
		check_mini((struct mini_options){.seed = seed, .n_streams = 2, .divisions = 4},
			   "divisions");
		check_mini(
			(struct mini_options){
				.seed = seed, .n_streams = 2, .max_split_bytes = 32 * MIB},
			"max_split");
		check_mini((struct mini_options){.seed = seed, .n_streams = 1, .extra = 32}, "npu");
		check_mini((struct mini_options){.seed = seed, .n_streams = 2, .only_small = true},
			   "small");
		check_mini((struct mini_options){.seed = seed, .n_streams = 2, .expandable = true},
			   "expandable");
	}
}

/* --- worked out by hand ------------------------------------------------------------------------ */

#define AT(mib) (UINT64_C(0x100000000) + (mib)*MIB)

/* A 12 MiB block, freed; then 8 and 16 MiB. By default the 8 go into the 12 (cached, split), the
 * 16 need a segment: 28 MiB. With pages of 20 MiB they lie behind one another: 24 MiB in 40. */
static void make_hand(struct mk_model *k)
{
	mk_model_init(k);
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, AT(0), 12 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(0), 12 * MIB);
	mk_model_event(k, ACTION_FREE_REQUESTED, AT(0), 12 * MIB);
	mk_model_event(k, ACTION_FREE_COMPLETED, AT(0), 12 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(0), 8 * MIB);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, AT(100), 16 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(100), 16 * MIB);
	mk_model_segment(k, AT(0), 12 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_ACTIVE, 8 * MIB, 8 * MIB);
	mk_model_block(k, BLOCK_INACTIVE, 4 * MIB, 0);
	mk_model_segment(k, AT(100), 16 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_ACTIVE, 16 * MIB, 16 * MIB);
	mk_model_done(k);
}

static bool run(struct fixture *x, const char *settings, const struct simulate_options *o,
		struct simulate_run *out)
{
	int rc = simulation_run(&x->s, settings, o, out, &x->err);

	if (!is_i64(rc, 0, "'%s' runs", settings))
		diag("%s", x->err.text);
	return rc == 0;
}

static const struct simulate_options plain = {.capacity = BYTES_NONE};

static void test_hand(void)
{
	struct fixture x = {0};
	struct simulate_run r;

	make_hand(&x.k);
	if (!open_simulation(&x, "by hand"))
		return;
	ok(x.s.check.ok, "the model gives the trace");
	is_u64(x.s.peak_live, 24 * MIB, "live at once");
	if (run(&x, "", &plain, &r)) {
		ok(r.own && r.exact, "the file's own settings: exact");
		is_u64(r.peak_reserved.plain, 28 * MIB, "default: reserved");
		is_u64(r.device_allocs.plain, 2, "default: calls");
		is_u64(r.loss.holes, 4 * MIB, "default: the rest of the split segment");
		is_u64(r.survives, SURVIVES_YES, "default: it ends well");
		simulate_run_release(&r);
	}
	if (run(&x, "expandable_segments:True", &plain, &r)) {
		is_u64(r.peak_reserved.plain, 40 * MIB, "expandable: two pages");
		is_u64(r.device_allocs.plain, 2, "expandable: mapped twice");
		is_u64(r.loss.requested + r.loss.holes + r.loss.cached, 40 * MIB,
		       "expandable: parts add up");
		ok(r.exact && r.placements == 1, "expandable: no placement matters");
		simulate_run_release(&r);
	}
	/* 12 MiB are divided in steps of 4: 12; 8 and 16 are powers of two. */
	if (run(&x, "roundup_power2_divisions:2", &plain, &r)) {
		is_u64(r.peak_reserved.plain, 28 * MIB, "divisions that change nothing");
		simulate_run_release(&r);
	}
	if (run(&x, "large_segment_size_mb:40", &plain, &r)) {
		is_u64(r.peak_reserved.plain, 28 * MIB,
		       "8 MiB fit into the cached 12 all the same");
		simulate_run_release(&r);
	}
	close_fixture(&x, "by hand");
}

/* Two blocks of 30 MiB, the first freed before a third of 40 comes. A device of 80 MiB must give
 * the first back; one of 60 is 10 short. */
static void make_full(struct mk_model *k)
{
	mk_model_init(k);
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, AT(0), 30 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(0), 30 * MIB);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, AT(100), 30 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(100), 30 * MIB);
	mk_model_event(k, ACTION_FREE_REQUESTED, AT(0), 30 * MIB);
	mk_model_event(k, ACTION_FREE_COMPLETED, AT(0), 30 * MIB);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, AT(200), 40 * MIB);
	mk_model_event(k, ACTION_ALLOC, AT(200), 40 * MIB);
	mk_model_segment(k, AT(0), 30 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_INACTIVE, 30 * MIB, 0);
	mk_model_segment(k, AT(100), 30 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_ACTIVE, 30 * MIB, 30 * MIB);
	mk_model_segment(k, AT(200), 40 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_ACTIVE, 40 * MIB, 40 * MIB);
	mk_model_done(k);
}

static void test_room(void)
{
	struct simulate_options o = {.capacity = 80 * MIB};
	struct fixture x = {0};
	struct simulate_run r;

	make_full(&x.k);
	if (!open_simulation(&x, "room"))
		return;
	if (run(&x, "", &o, &r)) {
		is_u64(r.survives, SURVIVES_YES, "80 MiB do");
		is_u64(r.retries, 1, "after giving back what was cached");
		is_u64(r.device_frees, 1, "one segment");
		is_u64(r.peak_reserved.plain, 70 * MIB, "reserved then");
		simulate_run_release(&r);
	}
	o.capacity = 60 * MIB;
	if (run(&x, "", &o, &r)) {
		is_u64(r.survives, SURVIVES_NO, "60 MiB do not");
		is_u64(r.n_ooms, 1, "one oom");
		is_i64(r.ooms[0].event, 7, "at the third block");
		is_u64(r.ooms[0].requested, 40 * MIB, "of 40 MiB");
		is_u64(r.ooms[0].short_bytes, 10 * MIB, "10 MiB short");
		is_i64(r.reached, 4, "the last thing that went well is the free");
		simulate_run_release(&r);
	}
	o = (struct simulate_options){.capacity = 160 * MIB, .fraction = 0.5};
	if (run(&x, "", &o, &r)) {
		is_u64(r.retries, 1, "half of 160 MiB: the same as 80");
		simulate_run_release(&r);
	}
	/* 30 + 30 are above 0.5 * 80: the collector gives the idle one back before the limit is
	 * met, so there is no retry. */
	if (run(&x, "garbage_collection_threshold:0.5", &o, &r)) {
		is_u64(r.retries, 0, "garbage collection comes first");
		is_u64(r.device_frees, 1, "and frees the old segment");
		simulate_run_release(&r);
	}
	o.capacity = BYTES_NONE;
	is_i64(simulation_run(&x.s, "", &o, &r, &x.err), ERR_USAGE,
	       "a fraction of an unknown device is refused");
	is_i64(simulation_run(&x.s, "nonsense:1", &plain, &r, &x.err), ERR_USAGE,
	       "so are unknown settings");
	o = (struct simulate_options){.capacity = BYTES_NONE, .scale = 200};
	if (run(&x, "", &o, &r)) {
		is_u64(r.peak_requested, 140 * MIB, "twice the batch: twice the bytes");
		ok(!r.exact && !r.own, "and no more than an estimate");
		simulate_run_release(&r);
	}
	close_fixture(&x, "room");
}

/* Two segments of three blocks; 16 MiB of the first come free, 8 of the second. Blocks of 8 and 16
 * fit exactly, and no two free ones are ever equal when one is chosen. */
static void test_no_ties(void)
{
	struct fixture x = {0};
	struct simulate_run r;

	mk_model_init(&x.k);
	mk_model_device(&x.k, 0);
	for (unsigned i = 0; i < 2; i++) {
		mk_model_event(&x.k, ACTION_SEGMENT_ALLOC, AT(100 * i), 20 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i), 8 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i + 8), 8 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i + 16), 4 * MIB);
	}
	for (unsigned i = 0; i < 2; i++) {
		mk_model_event(&x.k, ACTION_FREE_REQUESTED, AT(100 * i + 8), 8 * MIB);
		mk_model_event(&x.k, ACTION_FREE_COMPLETED, AT(100 * i + 8), 8 * MIB);
	}
	mk_model_event(&x.k, ACTION_FREE_REQUESTED, AT(0), 8 * MIB);
	mk_model_event(&x.k, ACTION_FREE_COMPLETED, AT(0), 8 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, AT(108), 8 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, AT(0), 16 * MIB);
	for (unsigned i = 0; i < 2; i++) {
		mk_model_segment(&x.k, AT(100 * i), 20 * MIB, POOL_LARGE);
		mk_model_block(&x.k, BLOCK_ACTIVE, (i ? 8 : 16) * MIB, (i ? 8 : 16) * MIB);
		if (i)
			mk_model_block(&x.k, BLOCK_ACTIVE, 8 * MIB, 8 * MIB);
		mk_model_block(&x.k, BLOCK_ACTIVE, 4 * MIB, 4 * MIB);
	}
	mk_model_done(&x.k);
	if (!open_simulation(&x, "ties"))
		return;
	ok(x.s.check.ok, "the model gives the trace");
	if (run(&x, "max_split_size_mb:64", &plain, &r)) {
		is_u64(r.placements, 1, "no two equal blocks were ever free: one placement tells");
		simulate_run_release(&r);
	}
	close_fixture(&x, "ties");
}

/* The same, but the 8 MiB come when 8 are free in each: the lower address gives way, and whether 16
 * MiB in one piece are left depends on it. */
static void test_ties(void)
{
	struct fixture x = {0};
	struct simulate_run r;

	mk_model_init(&x.k);
	mk_model_device(&x.k, 0);
	for (unsigned i = 0; i < 2; i++) {
		mk_model_event(&x.k, ACTION_SEGMENT_ALLOC, AT(100 * i), 20 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i), 8 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i + 8), 8 * MIB);
		mk_model_event(&x.k, ACTION_ALLOC, AT(100 * i + 16), 4 * MIB);
	}
	for (unsigned i = 0; i < 2; i++) {
		mk_model_event(&x.k, ACTION_FREE_REQUESTED, AT(100 * i + 8), 8 * MIB);
		mk_model_event(&x.k, ACTION_FREE_COMPLETED, AT(100 * i + 8), 8 * MIB);
	}
	mk_model_event(&x.k, ACTION_ALLOC, AT(8), 8 * MIB);
	mk_model_event(&x.k, ACTION_FREE_REQUESTED, AT(100), 8 * MIB);
	mk_model_event(&x.k, ACTION_FREE_COMPLETED, AT(100), 8 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, AT(100), 16 * MIB);
	for (unsigned i = 0; i < 2; i++) {
		mk_model_segment(&x.k, AT(100 * i), 20 * MIB, POOL_LARGE);
		for (unsigned k = i; k < 2; k++)
			mk_model_block(&x.k, BLOCK_ACTIVE, (i ? 16 : 8) * MIB, (i ? 16 : 8) * MIB);
		mk_model_block(&x.k, BLOCK_ACTIVE, 4 * MIB, 4 * MIB);
	}
	mk_model_done(&x.k);
	if (!open_simulation(&x, "ties"))
		return;
	ok(x.s.check.ok, "the model gives the trace");
	if (run(&x, "max_split_size_mb:64", &plain, &r)) {
		is_u64(r.placements, SIMULATE_PLACEMENTS, "every placement is tried");
		ok(r.placement_matters && !r.exact, "it matters");
		is_u64(r.peak_reserved.low, 40 * MIB, "at best the two segments do");
		is_u64(r.peak_reserved.high, 56 * MIB, "at worst 16 MiB need one more");
		is_u64(r.peak_reserved.plain, 40 * MIB, "rising addresses do as the trace did");
		simulate_run_release(&r);
	}
	close_fixture(&x, "ties");
}

static void test_advice(void)
{
	struct simulate_advice advice[SIMULATE_MAX_ADVICE];
	struct fixture x = {0};
	size_t n = 99;

	make_hand(&x.k);
	if (!open_simulation(&x, "advice"))
		return;
	is_i64(simulation_advise(&x.s, &plain, advice, &n, &x.err), 0, "searched");
	is_u64(n, 0, "nothing is better than 28 MiB for 24");
	close_fixture(&x, "advice");
}

/* --- invariants under every setting ------------------------------------------------------------ */

#define N_REQUESTS 600

static uint64_t some_size(struct mini *random)
{
	switch (mini_random(random, 4)) {
	case 0:
		return 1 + mini_random(random, MIB);
	case 1:
		return 1 + mini_random(random, 12 * MIB);
	default:
		return 1 + mini_random(random, 120 * MIB);
	}
}

/* One life after another, under a limit that is too small now and then. PyTorch compares whole
 * segments with it but maps whole pages: `beyond` bytes may be more. */
static const char *drive(struct sim *s, struct mini *random, uint64_t beyond, struct error *err)
{
	uint64_t limit = 800 * MIB;

	sim_set_room(s, (struct sim_room){limit, UINT64_MAX});
	for (uint32_t i = 0; i < N_REQUESTS; i++) {
		uint32_t other = (uint32_t)mini_random(random, i + 1);
		int rc = sim_alloc(s, i, some_size(random), (uint32_t)mini_random(random, 3), err);

		if (rc < 0)
			return err->text;
		if (mini_random(random, 3))
			sim_free_completed(s, other);
		else
			sim_free_requested(s, other);
		if (mini_random(random, 40) == 0 && sim_empty_cache(s, err) < 0)
			return err->text;
		if (sim_check(s, err) < 0)
			return err->text;
		if (sim_stats(s)->peak_reserved > limit + beyond)
			return "more is reserved than allowed";
	}
	for (uint32_t i = 0; i < N_REQUESTS; i++)
		sim_free_completed(s, i);
	if (sim_empty_cache(s, err) < 0 || sim_check(s, err) < 0)
		return err->text;
	return sim_stats(s)->active ? "something lives after the end" : NULL;
}

static void check_invariants(const char *settings, enum sim_strategy strategy)
{
	static const struct sim_lane lanes[] = {{0, {0, 0}}, {7, {0, 0}}, {0, {1, 0}}};
	struct budget budget = {.limit = UINT64_MAX};
	struct mini random;
	struct sim_placer placer;
	struct alloc_conf conf;
	struct error err = {0};
	const char *wrong = "not made";
	struct sim *s;

	mini_init(&random, (struct mini_options){.seed = 5});
	sim_placer_init(&placer, strategy, 1, &budget);
	is_i64(alloc_conf_parse(&conf, settings, &err), 0, "'%s' is understood", settings);
	struct sim_options o = {
		.settings = conf.settings,
		.lanes = lanes,
		.n_lanes = 3,
		.n_requests = N_REQUESTS,
		.range_bytes = 200000 * MIB,
		.place = sim_placer_place(&placer),
	};

	if (sim_new(&s, &o, &budget, &err) == 0) {
		wrong = drive(
			s, &random,
			conf.settings.expandable_segments ? conf.settings.large_segment_bytes : 0,
			&err);
		/* Only the private pool keeps memory when everything is given back. */
		ok(sim_loss(s).private_idle == sim_stats(s)->reserved,
		   "'%s': all that is left is private", settings);
		sim_free(s);
	}
	ok(!wrong, "'%s', placement %d: invariants hold%s%s", settings, strategy, wrong ? ": " : "",
	   wrong ? wrong : "");
	sim_placer_release(&placer);
	is_u64(budget.used, 0, "nothing is left");
	mini_release(&random);
}

static void test_invariants(void)
{
	static const char *const settings[] = {
		"",
		"expandable_segments:True",
		"max_split_size_mb:32",
		"garbage_collection_threshold:0.5",
		"roundup_power2_divisions:4,max_split_size_mb:64,max_non_split_rounding_mb:40",
		"large_segment_size_mb:40",
		"expandable_segments:True,large_segment_size_mb:40,max_split_size_mb:64",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		for (int k = SIM_RISING; k <= SIM_SHUFFLED; k++)
			check_invariants(settings[i], (enum sim_strategy)k);
}

int main(void)
{
	test_invariants();
	test_hand();
	test_room();
	test_no_ties();
	test_ties();
	test_advice();
	test_mini();
	return done_testing();
}
