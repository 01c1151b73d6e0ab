/* SPDX-License-Identifier: MIT
 * test_explain.c -- each verdict by the smallest state that has it, with its bytes and advice.
 */
#include "passes/explain.h"

#include "model/rounding.h"
#include "tests/lib/mk_state.h"
#include "tests/lib/tap.h"

/* Look, survey, judge and argue as the walk does, for a request of `size` bytes. */
static struct explain_oom explain(struct mk_state *k, uint64_t size, uint64_t device_free)
{
	struct replay_summary summary = {.history = HISTORY_COMPLETE,
					 .end = {.allocated = BYTES_NONE}};
	struct explain_context c = {.m = k->m, .d = &k->device, .summary = &summary};
	struct explain_oom o = {.device_free = device_free};
	struct holder holders[EXPLAIN_MAX_HOLDERS];
	struct holders h;
	struct error err = {0};

	mk_state_done(k);
	o.request = (struct request){
		.rounded = round_size(&k->m->settings, size),
		.stream_known = true,
		.is_small = size <= SMALL_MAX_BYTES,
	};
	o.request.attempted = round_to_segment(&k->m->settings, o.request.rounded);
	is_i64(holders_init(&h, k->m, &k->budget, &err), 0, "sites");
	holders_of_state(&h, &k->s);
	o.look = (struct explain_look){.totals = k->s.totals, .exact = k->s.exact};
	o.look.all_holders = holders_count(&h);
	for (size_t i = 0; i < holders_count(&h) && i < EXPLAIN_MAX_HOLDERS; i++)
		holders[o.look.n_holders++] = *holders_at(&h, i);
	c.holders = holders;
	is_i64(survey_run(&o.survey, &k->s, k->m, &h.sites, &o.request, &k->budget, &err), 0,
	       "surveyed");
	explain_judge(&o);
	explain_argue(&o, &c);
	holders_release(&h);
	return o;
}

static void balances(const struct explain_oom *o)
{
	const struct survey *s = &o->survey;
	uint64_t sum = s->live + s->slack + s->pending + s->usable;

	for (unsigned u = 0; u < UNUSABLE_COUNT; u++)
		sum += s->unusable[u];
	is_u64(sum, s->reserved, "the balance adds up to reserved");
	is_u64(s->reserved, o->look.totals.reserved, "which is the state's");
	is_u64(s->allocated, o->look.totals.allocated, "and allocated is, too");
}

static void is_verdict(const struct explain_oom *o, enum verdict v, const char *words)
{
	is_str(verdict_name(o->verdict), verdict_name(v), "%s", words);
	balances(o);
}

static const struct evidence *evidence(const struct explain_oom *o, enum evidence_kind kind)
{
	for (size_t i = 0; i < o->n_evidence; i++)
		if (o->evidence[i].kind == kind)
			return &o->evidence[i];
	return NULL;
}

static const struct advice *advice(const struct explain_oom *o, enum advice_kind kind)
{
	for (size_t i = 0; i < o->n_advice; i++)
		if (o->advice[i].kind == kind)
			return &o->advice[i];
	return NULL;
}

static uint64_t factor(const struct explain_oom *o, enum verdict rule)
{
	for (size_t i = 0; i < o->n_factors; i++)
		if (o->factors[i].rule == rule)
			return o->factors[i].bytes;
	return 0;
}

static void test_too_large(void)
{
	struct mk_state k;
	struct explain_oom o;
	const struct advice *a;

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 12 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 8 * MIB, STACK_EMPTY);
	o = explain(&k, 121 * MIB, 100 * MIB);
	is_u64(o.request.attempted, 122 * MIB, "the driver is asked for a multiple of 2 MiB");
	is_verdict(&o, VERDICT_REQUEST_TOO_LARGE, "more than reserved and free together");
	ok(evidence(&o, EVIDENCE_ALL_GIVEN_BACK) &&
		   evidence(&o, EVIDENCE_ALL_GIVEN_BACK)->bytes == 120 * MIB,
	   "evidence: 120 MiB with everything given back");
	a = advice(&o, ADVICE_SMALLER_PIECES);
	ok(a && a->param == 108 * MIB, "advice: what could be had at once");
	is_u64(o.n_advice, 1, "and nothing else");
	mk_state_release(&k);

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 20 * MIB, STACK_ABSENT);
	o = explain(&k, 120 * MIB, 100 * MIB);
	is_verdict(&o, VERDICT_CAPACITY, "exactly as much as reserved and free is only full");
	mk_state_release(&k);
}

/* 100 MiB live, 2 MiB idle. */
static void make_full(struct mk_state *k)
{
	stack_id s;

	mk_state_init(k);
	s = mk_stack(k, "/app/train.py:3 step", NULL);
	mk_segment(k, POOL_LARGE, 0);
	mk_block(k, 'a', 60 * MIB, s)->requested = 59 * MIB;
	mk_block(k, 'a', 40 * MIB, s);
	mk_block(k, '.', 2 * MIB, STACK_EMPTY);
}

static void test_full(void)
{
	const struct advice *a;
	struct mk_state k;
	struct explain_oom o;

	make_full(&k);
	o = explain(&k, 30 * MIB, 30 * MIB + 128 * MIB - 1);
	is_verdict(&o, VERDICT_CAPACITY, "full, and just below the margin that proves a limit");
	is_u64(o.survey.live, 99 * MIB, "live is what was asked for");
	is_u64(o.survey.slack, 1 * MIB, "slack is the rest of the blocks");
	is_u64(factor(&o, VERDICT_FRAGMENTATION), 2 * MIB, "the hole is a factor");
	ok(evidence(&o, EVIDENCE_NEARLY) != NULL, "evidence: refused although more was free");
	ok(advice(&o, ADVICE_EXPANDABLE) == NULL, "no expandable segments for a full card");
	mk_state_release(&k);

	make_full(&k);
	o = explain(&k, 30 * MIB, 30 * MIB + 128 * MIB);
	is_verdict(&o, VERDICT_PROCESS_LIMIT, "128 MiB more than attempted were free");
	a = advice(&o, ADVICE_RAISE_LIMIT);
	ok(a && a->bytes == 30 * MIB && a->high == 158 * MIB,
	   "advice: raise the limit by the attempt at most, the device has 158 MiB");
	ok(o.n_advice && o.advice[0].kind == ADVICE_RAISE_LIMIT, "before anything else");
	ok(evidence(&o, EVIDENCE_LIMIT) && evidence(&o, EVIDENCE_LIMIT)->bytes == 102 * MIB &&
		   evidence(&o, EVIDENCE_LIMIT)->of_bytes == 132 * MIB,
	   "evidence: the limit lies between reserved and reserved + attempted");
	mk_state_release(&k);

	make_full(&k);
	o = explain(&k, 30 * MIB, 10 * MIB);
	is_verdict(&o, VERDICT_CAPACITY, "too little was free");
	ok(evidence(&o, EVIDENCE_SHORT) && evidence(&o, EVIDENCE_SHORT)->bytes == 20 * MIB,
	   "evidence: 20 MiB too little");
	ok(o.n_advice && o.advice[0].kind == ADVICE_LOOK_OUTSIDE && o.advice[0].param == 112 * MIB,
	   "so small a process first looks for others");
	a = advice(&o, ADVICE_FREE_HOLDERS);
	ok(a && a->param == 22 * MIB && a->count == 1 && a->bytes == 100 * MIB,
	   "advice: room for 22 MiB (the driver keeps its last 2), one site has it");
	mk_state_release(&k);
}

static void test_crumbs(void)
{
	struct mk_state k;
	struct explain_oom o;

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 381 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 19 * MIB, STACK_EMPTY);
	o = explain(&k, 20 * MIB, 19 * MIB);
	is_verdict(&o, VERDICT_CAPACITY, "below 5 % idle is full, though the crumbs would do");
	mk_state_release(&k);

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 380 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 20 * MIB, STACK_EMPTY);
	o = explain(&k, 22 * MIB, 20 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "5 % are not");
	mk_state_release(&k);

	mk_state_init(&k);
	o = explain(&k, 2 * MIB, 1024 * MIB);
	is_verdict(&o, VERDICT_PROCESS_LIMIT, "refused before it had anything");
	mk_state_release(&k);
}

static void test_pending(void)
{
	struct mk_state k;
	struct explain_oom o;

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, '.', 8 * MIB, STACK_EMPTY);
	mk_block(&k, 'p', 30 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 2 * MIB, STACK_EMPTY);
	mk_block(&k, 'a', 60 * MIB, STACK_ABSENT);
	o = explain(&k, 40 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_PENDING_FREE, "with its free neighbours a pending block would do");
	is_u64(o.survey.pending, 30 * MIB, "pending bytes");
	is_u64(o.survey.pending_fits, 40 * MIB, "and the piece that they would leave");
	ok(o.n_advice && o.advice[0].kind == ADVICE_RECORD_STREAM, "advice: record_stream");
	mk_state_release(&k);

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, '.', 8 * MIB, STACK_EMPTY);
	mk_block(&k, 'p', 30 * MIB, STACK_ABSENT);
	mk_block(&k, 'a', 60 * MIB, STACK_ABSENT);
	o = explain(&k, 39 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "a piece too small would not");
	is_u64(o.survey.pending_fits, 0, "and is not told as one");
	mk_state_release(&k);

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 60 * MIB, STACK_ABSENT);
	mk_segment(&k, POOL_LARGE, 9);
	mk_block(&k, 'p', 40 * MIB, STACK_ABSENT);
	o = explain(&k, 40 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_PENDING_FREE,
		   "a whole segment of another stream would go back to the driver");
	mk_state_release(&k);
}

static void test_stranded(void)
{
	static const struct {
		const char *words;
		uint64_t stream;
		int64_t graph;
		enum unusable why;
		enum advice_kind advice;
	} cases[] = {
		{"another stream", 5, 0, UNUSABLE_OTHER_STREAM, ADVICE_OTHER_STREAM},
		{"a graph's pool", 0, 2, UNUSABLE_OTHER_POOL, ADVICE_SHARE_POOL},
		{"a graph's pool on another stream", 5, 2, UNUSABLE_OTHER_POOL, ADVICE_SHARE_POOL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_state k;
		struct explain_oom o;
		const struct evidence *v;

		mk_state_init(&k);
		mk_segment(&k, POOL_LARGE, 0);
		mk_block(&k, 'a', 60 * MIB, STACK_ABSENT);
		mk_segment(&k, POOL_LARGE, cases[i].stream)->pool.a = cases[i].graph;
		mk_block(&k, '.', 40 * MIB, STACK_EMPTY);
		mk_block(&k, 'a', 2 * MIB, STACK_ABSENT);
		o = explain(&k, 40 * MIB, 4 * MIB);
		is_verdict(&o, VERDICT_STRANDED_CACHE, cases[i].words);
		is_u64(o.survey.unusable[cases[i].why], 40 * MIB, "its bytes under that reason");
		v = evidence(&o, EVIDENCE_ELSEWHERE);
		ok(v && v->why == cases[i].why && v->bytes == 40 * MIB && v->count == 1,
		   "evidence: one block of 40 MiB");
		ok(o.n_advice && o.advice[0].kind == cases[i].advice, "advice for that place");
		mk_state_release(&k);
	}
}

static void test_other_class(void)
{
	struct mk_state k;
	struct explain_oom o;

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 12 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 8 * MIB, STACK_EMPTY);
	o = explain(&k, 4096, 1 * MIB);
	is_u64(o.request.attempted, 2 * MIB, "a small request asks for 2 MiB");
	is_verdict(&o, VERDICT_STRANDED_CACHE, "a small request may not use the large pool");
	is_u64(o.survey.unusable[UNUSABLE_OTHER_CLASS], 8 * MIB, "all of it");
	mk_state_release(&k);
}

static void test_pieces(void)
{
	const struct advice *a;
	const struct evidence *v;
	struct mk_state k;
	struct explain_oom o;
	stack_id big, small;

	mk_state_init(&k);
	big = mk_stack(&k, "/app/a.py:1 big", NULL);
	small = mk_stack(&k, "/app/a.py:2 small", NULL);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 40 * MIB, big);
	for (int i = 0; i < 3; i++) {
		mk_segment(&k, POOL_LARGE, 0);
		mk_block(&k, 'a', 2 * MIB, small);
		mk_block(&k, '.', 38 * MIB, STACK_EMPTY);
	}
	o = explain(&k, 60 * MIB, 10 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "three holes of 38 MiB for 60");
	v = evidence(&o, EVIDENCE_LARGEST_FREE);
	ok(v && v->bytes == 38 * MIB && v->of_bytes == 114 * MIB && v->count == 3,
	   "evidence: three pieces, the largest of 38 MiB");
	v = evidence(&o, EVIDENCE_PINNED);
	ok(v && v->count == 3 && v->count2 == 3 && v->bytes == 114 * MIB &&
		   v->of_bytes == 120 * MIB,
	   "evidence: three segments kept by three blocks");
	v = evidence(&o, EVIDENCE_PINNING_SITE);
	ok(v && v->alone && v->bytes == 114 * MIB && v->of_bytes == 6 * MIB,
	   "evidence: one site alone keeps them");
	a = advice(&o, ADVICE_EXPANDABLE);
	ok(a && a->bytes == 60 * MIB, "advice: one page of 20 MiB of each hole");
	a = advice(&o, ADVICE_MAX_SPLIT);
	ok(a && a->param == 32 * MIB && a->bytes == 114 * MIB,
	   "advice: max_split_size_mb:32 keeps small blocks out of them");
	a = advice(&o, ADVICE_MOVE_PINNERS);
	ok(a && a->count == 3 && a->param == 3 && a->bytes == 114 * MIB,
	   "advice: move the pinners");
	mk_state_release(&k);
}

static void test_expandable_is_on(void)
{
	struct mk_state k;
	struct explain_oom o;

	mk_state_init(&k);
	k.m->settings.known = k.m->settings.expandable_segments = true;
	mk_segment(&k, POOL_LARGE, 0)->is_expandable = true;
	mk_block(&k, 'a', 30 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 30 * MIB, STACK_EMPTY);
	o = explain(&k, 60 * MIB, 31 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "a hole in an expandable segment");
	ok(!advice(&o, ADVICE_EXPANDABLE) && !advice(&o, ADVICE_MAX_SPLIT),
	   "what is on already is not advised");
	mk_state_release(&k);
}

static void test_guards(void)
{
	struct mk_state k;
	struct explain_oom o;

	mk_state_init(&k);
	k.m->settings.known = true;
	k.m->settings.max_split_bytes = 64 * MIB;
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 100 * MIB, STACK_ABSENT);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, '.', 100 * MIB, STACK_EMPTY);
	o = explain(&k, 30 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "max_split_size keeps a large block from it");
	is_u64(o.survey.unusable[UNUSABLE_SPLIT_GUARD], 100 * MIB, "all of it");
	ok(o.n_advice && o.advice[0].kind == ADVICE_LIFT_GUARD, "advice: lift the setting");
	mk_state_release(&k);

	mk_state_init(&k);
	k.m->settings.known = true;
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 40 * MIB, STACK_ABSENT);
	mk_segment(&k, POOL_LARGE, 0)->is_expandable = true;
	mk_block(&k, '.', 40 * MIB, STACK_EMPTY);
	o = explain(&k, 30 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_FRAGMENTATION, "expandable segments were turned off meanwhile");
	is_u64(o.survey.unusable[UNUSABLE_MIXED_MODES], 40 * MIB, "all of it");
	ok(o.n_advice && o.advice[0].kind == ADVICE_ONE_MODE, "advice: keep one mode");
	mk_state_release(&k);
}

static void test_unknown(void)
{
	struct mk_state k;
	struct explain_oom o;

	make_full(&k);
	k.s.exact = false;
	o = explain(&k, 30 * MIB, 10 * MIB);
	is_str(verdict_name(o.verdict), "unknown", "a state that is not exact");
	ok(evidence(&o, EVIDENCE_NOT_EXACT) != NULL, "evidence says why");
	is_u64(o.n_advice, 0, "no advice from half a truth");
	mk_state_release(&k);

	make_full(&k);
	o = explain(&k, 30 * MIB, BYTES_NONE);
	is_verdict(&o, VERDICT_UNKNOWN, "full, and nobody knows what the device had free");
	ok(evidence(&o, EVIDENCE_NO_DEVICE_FREE) != NULL, "evidence says so");
	mk_state_release(&k);

	mk_state_init(&k);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 40 * MIB, STACK_ABSENT);
	mk_block(&k, '.', 40 * MIB, STACK_EMPTY);
	o = explain(&k, 30 * MIB, 4 * MIB);
	is_verdict(&o, VERDICT_UNKNOWN, "a block that would serve, in the right place");
	is_u64(o.survey.usable, 40 * MIB, "and the balance calls it usable");
	mk_state_release(&k);
}

int main(void)
{
	test_too_large();
	test_full();
	test_crumbs();
	test_pending();
	test_stranded();
	test_other_class();
	test_pieces();
	test_expandable_is_on();
	test_guards();
	test_unknown();
	return done_testing();
}
