/* SPDX-License-Identifier: MIT
 * test_replay.c -- the replay against a plain allocator that kept every state, and against nonsense.
 */
#include "tests/lib/mini_allocator.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#include "replay/replay.h"
#include "replay/replay_impl.h"

static struct error err;

/* --- against the plain allocator --- */

/* A block from before the trace may have owned a rest nothing tells of; its lower bound is right. */
static bool same_block(const struct state_block *got, const struct mini_block *want, bool open)
{
	bool live = want->state != BLOCK_INACTIVE;
	uint64_t most = open && live && want->born == EVENT_START ? got->size + MIB : got->size;

	return got->address == want->address && got->state == want->state &&
	       want->size >= got->size && want->size <= most &&
	       got->requested == (live ? want->requested : 0) &&
	       got->born == (live ? want->born : EVENT_START);
}

/* Segments of a plain state: blocks of one segment that touch. */
static bool begins_segment(const struct mini_state *s, size_t i)
{
	return i == 0 || s->blocks[i - 1].segment != s->blocks[i].segment ||
	       s->blocks[i - 1].address + s->blocks[i - 1].size != s->blocks[i].address;
}

static bool same_segments(const struct state *got, const struct mini_state *want)
{
	size_t k = 0;

	for (size_t i = 0; i < want->n; i++) {
		const struct state_segment *s = &got->segments.at[k];

		if (!begins_segment(want, i))
			continue;
		if (k >= got->segments.n || s->address != want->blocks[i].address ||
		    s->stream != want->blocks[i].stream ||
		    got->blocks.at[s->first_block].address != s->address)
			return false;
		k++;
	}
	return k == got->segments.n;
}

static struct totals sum_mini(const struct mini_state *s)
{
	struct totals t = {0};

	for (size_t i = 0; i < s->n; i++) {
		const struct mini_block *b = &s->blocks[i];

		t.reserved += b->size;
		if (b->state == BLOCK_INACTIVE)
			continue;
		t.active += b->size;
		t.requested += b->requested;
		if (b->state == BLOCK_ACTIVE)
			t.allocated += b->size;
	}
	return t;
}

static bool same_totals(const struct totals *a, const struct totals *b)
{
	return a->reserved == b->reserved && a->allocated == b->allocated &&
	       a->active == b->active && a->requested == b->requested;
}

/* With open ends inactive blocks may begin lower than they really did: only live ones count. */
static bool same_live_blocks(const struct state *got, const struct mini_state *want)
{
	size_t k = 0;

	for (size_t i = 0; i < want->n; i++) {
		if (want->blocks[i].state == BLOCK_INACTIVE)
			continue;
		while (k < got->blocks.n && got->blocks.at[k].state == BLOCK_INACTIVE)
			k++;
		if (k == got->blocks.n || !same_block(&got->blocks.at[k], &want->blocks[i], true))
			return false;
		k++;
	}
	while (k < got->blocks.n && got->blocks.at[k].state == BLOCK_INACTIVE)
		k++;
	return k == got->blocks.n;
}

static bool same_state(const struct replay *r, const struct mini_state *want)
{
	struct totals sums = sum_mini(want);
	struct state got;
	bool same;

	if (heap_check(&r->heap, &err) < 0 || replay_state(r, &got, &err) < 0)
		return false;
	same = same_segments(&got, want) && got.exact && same_totals(&got.totals, replay_totals(r));
	if (r->sizes_open) {
		same = same && same_live_blocks(&got, want) &&
		       got.totals.reserved == sums.reserved &&
		       got.totals.requested == sums.requested;
	} else {
		same = same && got.blocks.n == want->n && same_totals(&got.totals, &sums);
		for (size_t i = 0; same && i < want->n; i++)
			same = same_block(&got.blocks.at[i], &want->blocks[i], false);
	}
	state_release(&got);
	return same;
}

/* The first event whose state differs, or -2. */
static int64_t first_difference(struct replay *r, const struct mini *a)
{
	if (replay_seek(r, EVENT_START, &err) < 0 || !same_state(r, &a->states[0]))
		return EVENT_START;
	for (size_t i = 0; i < a->n_events; i++)
		if (replay_step(r, &err) != 1 || replay_position(r) != (int64_t)i ||
		    !same_state(r, &a->states[i + 1]))
			return (int64_t)i;
	return replay_step(r, &err) == 0 ? -2 : (int64_t)a->n_events;
}

static bool seeks_agree(struct replay *r, struct mini *a)
{
	for (int i = 0; i < 60; i++) {
		int64_t event = (int64_t)mini_random(a, a->n_events + 1) - 1;

		if (replay_seek(r, event, &err) < 0 || replay_position(r) != event ||
		    !same_state(r, &a->states[event + 1]))
			return false;
	}
	return true;
}

static bool peaks_agree(const struct replay *r, const struct mini *a)
{
	struct totals most = sum_mini(&a->states[0]);
	const struct replay_summary *s = replay_summary(r);
	int64_t when = EVENT_START;

	for (size_t i = 1; i <= a->n_events; i++) {
		struct totals t = sum_mini(&a->states[i]);

		if (t.allocated > most.allocated)
			when = (int64_t)i - 1;
		most.reserved = t.reserved > most.reserved ? t.reserved : most.reserved;
		most.active = t.active > most.active ? t.active : most.active;
		most.requested = t.requested > most.requested ? t.requested : most.requested;
		most.allocated = t.allocated > most.allocated ? t.allocated : most.allocated;
	}
	if (s->reserved.bytes != most.reserved || s->requested.bytes != most.requested)
		return false;
	if (r->sizes_open)
		return true;
	return s->allocated.bytes == most.allocated && s->allocated.event == when &&
	       s->active.bytes == most.active && s->at_peak.allocated == most.allocated;
}

/* One trace: what is wrong with its replay, or NULL. */
static const char *try_trace(struct mini *a, bool *open)
{
	struct mk_model k;
	struct replay *r;
	const char *wrong = NULL;

	mini_model(a, &k);
	if (replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err) < 0)
		return "no replay";
	*open = r->sizes_open;
	if (replay_summary(r)->n_mismatches)
		wrong = "mismatches in a consistent trace";
	else if (!replay_summary(r)->equals_file)
		wrong = "another end than the file's";
	else if (first_difference(r, a) != -2)
		wrong = "a state differs";
	else if (!seeks_agree(r, a))
		wrong = "a state differs after a seek";
	else if (!peaks_agree(r, a))
		wrong = "peaks differ";
	replay_free(r);
	if (!mk_model_release(&k))
		wrong = "memory was not given back";
	return wrong;
}

static void try_many(const char *name, struct mini_options o, size_t before)
{
	int n = tests_quick() ? 10 : 60, n_open = 0, n_tried = 0;

	for (int i = 0; i < n; i++) {
		const char *wrong;
		struct mini a;
		bool open = false;

		if (!tests_wanted((size_t)i, 4))
			continue;
		n_tried++;
		o.seed = (uint64_t)i + 1;
		mini_init(&a, o);
		mini_run(&a, before);
		mini_record(&a);
		mini_run(&a, 40 + mini_random(&a, 200));
		wrong = try_trace(&a, &open);
		n_open += open;
		mini_release(&a);
		if (wrong) {
			ok(false, "%s: %s (seed %d)", name, wrong, i + 1);
			return;
		}
	}
	ok(true, "%s: %d traces equal at every event and after seeks (%d with open ends)", name,
	   n_tried, n_open);
}

static void test_against_mini(void)
{
	struct mini_options plain = {.n_streams = 1};
	struct mini_options streams = {.n_streams = 3};
	struct mini_options split = {.n_streams = 2, .max_split_bytes = 30 * MIB};
	struct mini_options round = {.n_streams = 1, .divisions = 4};
	struct mini_options both = {.n_streams = 2, .max_split_bytes = 64 * MIB, .divisions = 8};
	struct mini_options expandable = {.n_streams = 2, .expandable = true};
	struct mini_options npu = {.n_streams = 1, .extra = 32};
	struct mini_options small = {.n_streams = 2, .only_small = true};

	try_many("default", plain, 0);
	try_many("three streams", streams, 0);
	try_many("max_split_size", split, 0);
	try_many("roundup_power2_divisions", round, 0);
	try_many("both settings", both, 0);
	try_many("expandable", expandable, 0);
	try_many("32 bytes more before rounding", npu, 0);
	try_many("late start, small", small, 150);
	try_many("late start, default", plain, 150);
	try_many("late start, three streams", streams, 300);
	try_many("late start, roundup_power2_divisions", round, 150);
	try_many("late start, max_split_size", split, 150);
	try_many("late start, expandable", expandable, 150);
}

/* --- long traces --- */

/* Every address, size and state of a moment, folded. */
static uint64_t fingerprint(const struct replay *r)
{
	uint64_t h = 0;
	struct state s;

	if (replay_state(r, &s, &err) < 0)
		return 0;
	for (size_t i = 0; i < s.segments.n; i++) {
		h = hash_combine(h, s.segments.at[i].address);
		h = hash_combine(h, s.segments.at[i].size);
		h = hash_combine(h, (uint64_t)s.segments.at[i].born);
		h = hash_combine(h, s.segments.at[i].stream);
	}
	for (size_t i = 0; i < s.blocks.n; i++) {
		h = hash_combine(h, s.blocks.at[i].address);
		h = hash_combine(h, s.blocks.at[i].size + s.blocks.at[i].state);
		h = hash_combine(h, (uint64_t)s.blocks.at[i].born);
		h = hash_combine(h, (uint64_t)s.blocks.at[i].free_requested);
	}
	state_release(&s);
	return h;
}

#define N_PROBES 200

/* A trace with many check-points: seeking gives what walking there gives. */
static void test_long(bool expandable)
{
	struct mini_options o = {
		.seed = 5, .n_streams = 2, .light = true, .expandable = expandable};
	uint64_t walked[N_PROBES];
	size_t every, n_good = 0;
	struct mk_model k;
	struct replay *r;
	struct mini a;

	mini_init(&a, o);
	mini_run(&a, 200);
	mini_record(&a);
	mini_run(&a, 100000);
	mini_model(&a, &k);
	if (replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err) < 0)
		return;
	every = a.n_events / N_PROBES;
	ok(r->checkpoints.n > 3, "long: %zu events, %zu check-points", a.n_events,
	   r->checkpoints.n);
	ok(replay_summary(r)->equals_file, "long: the end is the file's");
	replay_seek(r, EVENT_START, &err);
	for (size_t i = 0; i < N_PROBES; i++) {
		while (replay_position(r) < (int64_t)(i * every))
			replay_step(r, &err);
		walked[i] = fingerprint(r);
	}
	for (size_t n = 0; n < N_PROBES; n++) {
		size_t i = mini_random(&a, N_PROBES);

		replay_seek(r, (int64_t)(i * every), &err);
		n_good += fingerprint(r) == walked[i] && heap_check(&r->heap, &err) == 0;
	}
	is_u64(n_good, N_PROBES, "long: seeking gives what walking gives");
	replay_free(r);
	mini_release(&a);
	ok(mk_model_release(&k), "long: all memory is given back");
}

/* --- cut traces --- */

/* What a cut trace can tell: requested bytes of the blocks it made, live and pending. */
static uint64_t requested_since(const struct mini_state *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->blocks[i].state != BLOCK_INACTIVE && s->blocks[i].born != EVENT_START)
			sum += s->blocks[i].requested;
	return sum;
}

static const char *try_cut(const struct mini *a)
{
	const char *wrong = NULL;
	struct mk_model k;
	struct replay *r;

	mini_model(a, &k);
	k.m->devices.at[0].trace_meets_segments = false;
	if (replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err) < 0)
		return "no replay";
	if (replay_summary(r)->n_mismatches)
		wrong = "mismatches in a consistent trace";
	replay_seek(r, EVENT_START, &err);
	for (size_t i = 0; i < a->n_events && !wrong; i++) {
		replay_step(r, &err);
		if (heap_check(&r->heap, &err) < 0)
			wrong = err.text;
		else if (replay_totals(r)->requested != requested_since(&a->states[i + 1]))
			wrong = "other requested bytes";
	}
	replay_free(r);
	mk_model_release(&k);
	return wrong;
}

/* Traces that do not meet their segments, with anything living before them. */
static void test_many_cut(bool expandable)
{
	const char *wrong = NULL;
	int seed;

	for (seed = 1; seed <= 60 && !wrong; seed++) {
		if (!tests_wanted((size_t)seed, 4))
			continue;
		struct mini_options o = {
			.seed = (uint64_t)seed, .n_streams = 2, .expandable = expandable};
		struct mini a;

		mini_init(&a, o);
		mini_run(&a, 100);
		mini_record(&a);
		mini_run(&a, 200);
		wrong = try_cut(&a);
		mini_release(&a);
	}
	ok(!wrong, "cut, %s: blocks of the trace are counted exactly (seed %d: %s)",
	   expandable ? "expandable" : "default", seed - 1, wrong ? wrong : "all");
}

/* --- contradictions --- */

/* A whole trace of nonsense: every event is possible at every place. */
static bool survives_nonsense(uint64_t seed)
{
	static const enum action actions[] = {ACTION_ALLOC,
					      ACTION_ALLOC,
					      ACTION_ALLOC,
					      ACTION_FREE_REQUESTED,
					      ACTION_FREE_COMPLETED,
					      ACTION_SEGMENT_ALLOC,
					      ACTION_SEGMENT_FREE,
					      ACTION_SEGMENT_MAP,
					      ACTION_SEGMENT_UNMAP,
					      ACTION_SNAPSHOT,
					      ACTION_OOM,
					      ACTION_OTHER};
	struct mini dice = {.random = seed * 0x9e3779b97f4a7c15u + 1};
	struct mk_model k;
	struct replay *r;
	bool good = true;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	for (int i = 0; i < 400; i++) {
		uint64_t addr = mini_random(&dice, 40) * MIB / 2;
		uint64_t size = mini_random(&dice, 12) * MIB / 2 + mini_random(&dice, 2) * 300;

		if (mini_random(&dice, 50) == 0)
			addr = UINT64_MAX - mini_random(&dice, 3) * MIB;
		if (mini_random(&dice, 50) == 0)
			size = UINT64_MAX - mini_random(&dice, 3) * MIB;
		mk_model_event(&k, actions[mini_random(&dice, 12)], addr, size);
	}
	for (int i = 0; i < 3; i++) {
		mk_model_segment(&k, mini_random(&dice, 20) * MIB, mini_random(&dice, 6) * MIB,
				 POOL_LARGE)
			->is_expandable = mini_random(&dice, 2);
		for (int b = (int)mini_random(&dice, 4); b > 0; b--)
			mk_model_block(&k, (enum block_state)mini_random(&dice, 3),
				       mini_random(&dice, 3) * MIB, mini_random(&dice, 3) * MIB);
	}
	k.m->devices.at[0].trace_meets_segments = seed % 3 != 0;
	if (model_finish(k.m, &err) < 0)
		return false;
	if (replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err) < 0)
		return false;
	for (int64_t e = EVENT_START; e < 400 && good; e += 7) {
		struct totals there;

		good = replay_seek(r, e, &err) == 0 && heap_check(&r->heap, &err) == 0;
		there = *replay_totals(r);
		replay_seek(r, 399, &err);
		replay_seek(r, e, &err);
		good = good && same_totals(&there, replay_totals(r));
	}
	replay_seek(r, EVENT_START, &err);
	while (good && replay_step(r, &err) == 1)
		good = heap_check(&r->heap, &err) == 0;
	good = good && same_totals(replay_totals(r), &replay_summary(r)->end);
	replay_free(r);
	return mk_model_release(&k) && good;
}

static void test_nonsense(void)
{
	int n = tests_quick() ? 200 : 2000, n_tried = 0;

	/* Seeds that are 0, 1 and 2 modulo 3 differ in kind. */
	for (int i = 1; i <= n; i++) {
		if (!tests_wanted((size_t)i, 4))
			continue;
		n_tried++;
		if (!survives_nonsense((uint64_t)i)) {
			ok(false, "nonsense: seed %d: %s", i, err.text);
			return;
		}
	}
	ok(true, "nonsense: %d contradictory traces keep the heap consistent", n_tried);
}

/* The budget's end is an error that leaves nothing behind, wherever it comes. */
static void test_limit(void)
{
	struct mini_options o = {.n_streams = 1, .seed = 3};
	uint64_t loaded, step = tests_quick() ? 4096 : 512, n_failed = 0;
	struct mk_model k;
	struct mini a;
	int rc = ERR_LIMIT;

	mini_init(&a, o);
	mini_run(&a, 100);
	mini_record(&a);
	mini_run(&a, 300);
	mini_model(&a, &k);
	loaded = k.budget.used;
	for (uint64_t extra = 0; rc == ERR_LIMIT; extra += step) {
		struct replay *r;

		k.budget.limit = loaded + extra;
		rc = replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err);
		if (rc == 0)
			replay_free(r);
		n_failed += rc == ERR_LIMIT;
		if (k.budget.used != loaded)
			break;
	}
	is_i64(rc, 0, "limit: with enough memory it works, with less the limit is told");
	ok(n_failed > 3, "limit: it was met in several places");
	is_u64(k.budget.used, loaded, "limit: nothing is left behind");
	k.budget.limit = UINT64_MAX;
	mk_model_release(&k);
	mini_release(&a);
}

int main(void)
{
	test_against_mini();
	test_long(false);
	test_long(true);
	test_many_cut(false);
	test_many_cut(true);
	test_nonsense();
	test_limit();
	return done_testing();
}
