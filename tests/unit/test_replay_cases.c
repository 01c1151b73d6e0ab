/* SPDX-License-Identifier: MIT
 * test_replay_cases.c -- the replay of traces made by hand: one situation each, one contradiction each.
 */
#include "tests/lib/mini_allocator.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#include "replay/replay.h"
#include "replay/replay_impl.h"

static struct error err;

static struct replay *new_replay(struct mk_model *k)
{
	struct replay *r;

	if (replay_new(&r, k->m, &k->m->devices.at[0], &k->budget, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return r;
}

static void done(struct mk_model *k, struct replay *r, const char *what)
{
	ok(heap_check(&r->heap, &err) == 0, "%s: the heap is consistent", what);
	replay_free(r);
	ok(mk_model_release(k), "%s: all memory is given back", what);
}

#define BASE UINT64_C(0x7f0000000000)

/* Two live blocks from before the trace die; the second one's true end shows while it lives. */
static void test_slack(void)
{
	struct mk_model k;
	struct replay *r;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_ALLOC, BASE + 8 * MIB, 2 * MIB);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 3 * MIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 3 * MIB);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE + 4 * MIB, 3 * MIB + 300 * KIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + 4 * MIB, 3 * MIB + 300 * KIB);
	mk_model_segment(&k, BASE, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 8 * MIB, 0);
	mk_model_block(&k, BLOCK_ACTIVE, 2 * MIB, 2 * MIB);
	mk_model_block(&k, BLOCK_INACTIVE, 10 * MIB, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	ok(replay_summary(r)->equals_file && !replay_summary(r)->n_mismatches, "slack: consistent");
	is_u64(replay_summary(r)->n_lost_frees, 2, "slack: two blocks of before were freed");
	replay_seek(r, EVENT_START, &err);
	replay_state(r, &s, &err);
	is_u64(s.blocks.at[0].size, 4 * MIB, "a gap of 1 MiB to a live block belongs to the block");
	is_u64(s.blocks.at[1].size, 4 * MIB, "an alloc behind a block tells where it ended");
	is_u64(s.totals.allocated, 8 * MIB, "and both count as allocated");
	is_u64(s.totals.requested, 6 * MIB + 300 * KIB, "but not as requested");
	ok(!r->sizes_open, "no end stays open");
	state_release(&s);
	done(&k, r, "slack");
}

static void test_record_stream(void)
{
	struct mk_model k;
	struct replay *r;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + 1024, 700);
	mk_model_event(&k, ACTION_ALLOC, BASE, 512);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 512);
	mk_model_event(&k, ACTION_SNAPSHOT, 0, 512);
	mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_PENDING, 512, 512);
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB - 512, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	ok(replay_summary(r)->equals_file && !replay_summary(r)->n_mismatches,
	   "record_stream: consistent, and the snapshot event's bytes agree");
	is_u64(replay_summary(r)->start.active, 1024, "a lone first free_completed was pending");
	is_u64(replay_summary(r)->start.allocated, 0, "so it was not allocated");
	replay_seek(r, 2, &err);
	replay_state(r, &s, &err);
	is_u64(s.totals.active, 512, "a requested free stays active");
	is_u64(s.totals.allocated, 0, "but is not allocated");
	is_i64(s.blocks.at[0].free_requested, 2, "the event that requested it is known");
	is_i64(s.blocks.at[0].born, 1, "and the one that made the block");
	is_u64(s.blocks.at[0].state, BLOCK_PENDING, "its state is pending");
	state_release(&s);
	done(&k, r, "record_stream");
}

/* A block of before that is pending at the end has its size in the file. */
static void test_pending_survivor(void)
{
	struct mk_model k;
	struct replay *r;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 3 * MIB);
	mk_model_event(&k, ACTION_ALLOC, BASE + 10 * MIB, 10 * MIB);
	mk_model_segment(&k, BASE, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_PENDING, 10 * MIB, 3 * MIB);
	mk_model_block(&k, BLOCK_ACTIVE, 10 * MIB, 10 * MIB);
	mk_model_done(&k);
	r = new_replay(&k);
	ok(replay_summary(r)->equals_file, "pending survivor: its size comes from the file");
	is_u64(replay_summary(r)->start.allocated, 10 * MIB, "pending survivor: also at the start");
	done(&k, r, "pending survivor");
}

/* Runs of an expandable range split and merge, in other pieces than they were mapped. */
static void test_expandable(void)
{
	struct mk_model k;
	struct replay *r;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_SEGMENT_MAP, BASE, 20 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_MAP, BASE + 40 * MIB, 20 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_MAP, BASE + 20 * MIB, 20 * MIB);
	mk_model_event(&k, ACTION_ALLOC, BASE, 5 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_UNMAP, BASE + 20 * MIB, 20 * MIB);
	mk_model_segment(&k, BASE, 20 * MIB, POOL_LARGE)->is_expandable = true;
	mk_model_block(&k, BLOCK_ACTIVE, 5 * MIB, 5 * MIB);
	mk_model_block(&k, BLOCK_INACTIVE, 15 * MIB, 0);
	mk_model_segment(&k, BASE + 40 * MIB, 20 * MIB, POOL_LARGE)->is_expandable = true;
	mk_model_block(&k, BLOCK_INACTIVE, 20 * MIB, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	ok(replay_summary(r)->equals_file && !replay_summary(r)->n_mismatches,
	   "expandable: consistent");
	is_u64(replay_summary(r)->reserved.bytes, 60 * MIB, "expandable: peak of reserved");
	is_i64(replay_summary(r)->reserved.event, 2, "expandable: and when");
	replay_seek(r, 2, &err);
	replay_state(r, &s, &err);
	is_u64(s.segments.n, 1, "three mapped parts are one run");
	is_u64(s.blocks.n, 1, "with one inactive block");
	is_i64(s.segments.at[0].born, 0, "born with its lowest part");
	is_u64(s.segments.at[0].kind, POOL_LARGE, "its pool is known from the file");
	state_release(&s);
	replay_seek(r, 3, &err);
	replay_state(r, &s, &err);
	is_u64(s.blocks.at[0].size, 5 * MIB, "in an expandable run every block is split");
	state_release(&s);
	done(&k, r, "expandable");
}

static void test_private_pool(void)
{
	struct attr graph = {.has_stream = true, .has_pool = true, .pool = {1, 0}};
	struct segment *seg;
	struct mk_model k;
	struct replay *r;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event_of(&k, ACTION_SEGMENT_ALLOC, BASE, 2 * MIB, graph, STACK_ABSENT);
	mk_model_event_of(&k, ACTION_ALLOC, BASE, 700, graph, STACK_ABSENT);
	mk_model_event_of(&k, ACTION_FREE_REQUESTED, BASE, 1024, graph, STACK_ABSENT);
	mk_model_event_of(&k, ACTION_FREE_COMPLETED, BASE, 1024, graph, STACK_ABSENT);
	mk_model_event_of(&k, ACTION_ALLOC, BASE, 1024, graph, STACK_ABSENT);
	seg = mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
	seg->pool = (struct pool_id){1, 0};
	mk_model_block(&k, BLOCK_ACTIVE, 1024, 1024);
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB - 1024, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	is_u64(replay_summary(r)->n_mismatches, 0,
	       "private pool: a checkpoint's rounded sizes are no contradiction");
	is_u64(replay_summary(r)->history, HISTORY_COMPLETE, "private pool: history is complete");
	replay_seek(r, 0, &err);
	replay_state(r, &s, &err);
	is_i64(s.segments.at[0].pool.a, 1, "the segment knows its pool");
	state_release(&s);
	done(&k, r, "private pool");
}

/* The steps' words: what an event did, and to which block. */
static void test_steps(void)
{
	const struct step *step;
	struct mk_model k;
	struct replay *r;
	stack_id stack;

	mk_model_init(&k);
	stack = mk_model_stack(&k, "/app/train.py", 3, "step");
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE, 20 * MIB);
	mk_model_event_of(&k, ACTION_ALLOC, BASE, 19 * MIB + 512 * KIB,
			  (struct attr){.has_stream = true}, stack);
	mk_model_event(&k, ACTION_OOM, 77, MIB);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 19 * MIB + 512 * KIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 19 * MIB + 512 * KIB);
	mk_model_event(&k, ACTION_SEGMENT_FREE, BASE, 20 * MIB);
	mk_model_done(&k);
	r = new_replay(&k);
	step = replay_last(r);
	replay_seek(r, 0, &err);
	is_i64(replay_step(r, &err), 1, "steps: one event");
	is_u64(step->size, 20 * MIB, "an alloc's size is the block's, rest included");
	is_u64(step->requested, 19 * MIB + 512 * KIB, "its requested bytes are its own");
	is_i64(step->born, 1, "it is born now");
	is_u64(step->born_stack.i, stack.i, "with its own stack");
	ok(step->applied, "and changed the heap");
	replay_step(r, &err);
	ok(step->action == ACTION_OOM && !step->applied, "an oom event changes nothing");
	replay_step(r, &err);
	replay_step(r, &err);
	is_i64(step->born, 1, "a free tells the alloc of its block");
	is_u64(step->born_stack.i, stack.i, "and that one's stack");
	is_u64(step->size, 20 * MIB, "and the block's size");
	replay_step(r, &err);
	is_u64(replay_totals(r)->reserved, 0, "the segment is gone");
	is_i64(replay_step(r, &err), 0, "the trace is over");
	ok(replay_seek(r, 6, &err) == ERR_NO_MOMENT && replay_seek(r, -2, &err) == ERR_NO_MOMENT,
	   "no seek outside the trace");
	is_u64(replay_summary(r)->end.reserved, 0, "nothing is left at the end");
	done(&k, r, "steps");
}

/* A cut trace: nothing is known of before, and nothing is made up. */
static void test_cut(void)
{
	struct mk_model k;
	struct replay *r;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE + 4096, 512);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + 4096, 512);
	mk_model_event(&k, ACTION_ALLOC, BASE, 700);
	mk_model_event(&k, ACTION_ALLOC, BASE + 1024, 700);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE + 64 * MIB, 20 * MIB);
	mk_model_event(&k, ACTION_ALLOC, BASE + 64 * MIB, 3 * MIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 700);
	mk_model_segment(&k, BASE + 640 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 20 * MIB, 0);
	k.m->devices.at[0].trace_meets_segments = false;
	mk_model_done(&k);
	r = new_replay(&k);
	is_u64(replay_summary(r)->n_mismatches, 0, "cut: what was there before is no mismatch");
	is_u64(replay_summary(r)->n_lost_frees, 1, "cut: one block of before was freed");
	is_u64(replay_summary(r)->start.reserved, BYTES_NONE, "cut: reserved is not known");
	is_u64(replay_summary(r)->reserved.bytes, BYTES_NONE, "cut: nor is its peak");
	is_u64(replay_summary(r)->allocated.bytes, 3 * MIB + 2048, "cut: allocated is counted");
	is_u64(replay_summary(r)->history, HISTORY_LATE_START, "cut: something was there before");
	replay_seek(r, 5, &err);
	replay_state(r, &s, &err);
	ok(!s.exact, "cut: states say that they are not exact");
	is_u64(s.segments.n, 2, "cut: touching blocks without segment are shown as one");
	is_u64(s.segments.at[0].kind, POOL_UNKNOWN, "cut: of unknown kind");
	is_u64(s.segments.at[0].size, 2048, "cut: as large as its blocks");
	is_u64(s.segments.at[1].size, 20 * MIB, "cut: segments of the trace are known");
	state_release(&s);
	done(&k, r, "cut");
}

/* Pinned host memory is handed out whole. */
static void test_host(void)
{
	struct mk_model k;
	struct replay *r;

	mk_model_init(&k);
	mk_model_device(&k, DEVICE_HOST);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE, 4096);
	mk_model_event(&k, ACTION_ALLOC, BASE, 3000);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + 8192, 5000);
	mk_model_segment(&k, BASE, 4096, POOL_SMALL);
	mk_model_block(&k, BLOCK_ACTIVE, 4096, 3000);
	mk_model_segment(&k, BASE + 8192, 8192, POOL_SMALL);
	mk_model_block(&k, BLOCK_INACTIVE, 8192, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	ok(replay_summary(r)->equals_file && !replay_summary(r)->n_mismatches, "host: consistent");
	is_u64(replay_summary(r)->allocated.bytes, 4096 + 8192, "host: blocks are never split");
	done(&k, r, "host");
}

/* What the file says of its ring decides, when it says so. */
static void test_history_told(void)
{
	for (int overflowed = 0; overflowed < 2; overflowed++) {
		struct mk_model k;
		struct replay *r;

		mk_model_init(&k);
		mk_model_device(&k, 0);
		for (int e = 0; e < 200; e++)
			mk_model_event(&k, ACTION_OTHER, 0, 0);
		mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
		mk_model_block(&k, BLOCK_ACTIVE, 2 * MIB, 2 * MIB)->stack =
			mk_model_stack(&k, "/app/train.py", 3, "step");
		k.m->devices.at[0].overflow_known = true;
		k.m->devices.at[0].overflowed = overflowed;
		mk_model_done(&k);
		r = new_replay(&k);
		is_u64(replay_summary(r)->history,
		       overflowed ? HISTORY_TRUNCATED : HISTORY_LATE_START,
		       "history: the file says that it %s", overflowed ? "overflowed" : "did not");
		replay_free(r);
		mk_model_release(&k);
	}
}

static void test_history(void)
{
	static const struct {
		const char *name;
		uint64_t n;
		bool frames, live_before;
		enum history want;
	} cases[] = {
		{"one event", 1, true, true, HISTORY_NONE},
		{"no block before", 200, false, false, HISTORY_COMPLETE},
		{"frames, 200 events", 200, true, true, HISTORY_TRUNCATED},
		{"frames, 256 events", 256, true, true, HISTORY_TRUNCATED},
		{"frames, 201 events", 201, true, true, HISTORY_LATE_START},
		{"no frames, 200 events", 200, false, true, HISTORY_LATE_START},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_model k;
		struct replay *r;
		struct block *b;
		stack_id stack;

		mk_model_init(&k);
		stack = mk_model_stack(&k, "/app/train.py", 3, "step");
		mk_model_device(&k, 0);
		for (uint64_t e = 0; e < cases[i].n; e++)
			mk_model_event(&k, ACTION_OTHER, 0, 0);
		mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
		b = mk_model_block(&k, cases[i].live_before ? BLOCK_ACTIVE : BLOCK_INACTIVE,
				   2 * MIB, 2 * MIB);
		if (cases[i].frames)
			b->stack = stack;
		mk_model_done(&k);
		r = new_replay(&k);
		is_str(history_name(replay_summary(r)->history), history_name(cases[i].want),
		       "history: %s", cases[i].name);
		replay_free(r);
		mk_model_release(&k);
	}
}

/* The state of the file itself, with births from the trace. */
static void test_file_state(void)
{
	struct mk_model k;
	struct state s;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_ALLOC, BASE, 600);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 600);
	mk_model_event(&k, ACTION_ALLOC, BASE, 512);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 512);
	mk_model_segment(&k, BASE + 4 * MIB, 2 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_ACTIVE, 2 * MIB, MIB);
	mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_PENDING, 512, 512);
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB - 512, 12345);
	mk_model_done(&k);
	ok(state_from_segments(&s, k.m, &k.m->devices.at[0], &k.budget, &err) == 0, "file state");
	is_u64(s.segments.at[0].address, BASE, "segments are in order of addresses");
	is_i64(s.blocks.at[0].born, 2, "the last alloc made the block");
	is_i64(s.blocks.at[0].free_requested, 3, "its free is known");
	is_u64(s.blocks.at[1].requested, 0, "requested bytes of inactive blocks are not told");
	is_i64(s.blocks.at[2].born, EVENT_START, "a block without event is from before");
	is_u64(s.totals.reserved, 4 * MIB, "reserved");
	is_u64(s.totals.allocated, 2 * MIB, "allocated");
	is_u64(s.totals.active, 2 * MIB + 512, "active");
	is_u64(s.totals.requested, MIB + 512, "requested");
	state_release(&s);
	ok(mk_model_release(&k), "file state: all memory is given back");
}

/* One contradiction of each kind, in an otherwise good trace. */
static void expect_rule(const char *name, enum replay_rule rule, size_t n_events,
			const struct mini_event *events)
{
	const struct mismatch *x;
	struct mk_model k;
	struct replay *r;
	size_t n;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	for (size_t i = 0; i < n_events; i++)
		mk_model_event_of(&k, events[i].action, events[i].addr, events[i].size,
				  (struct attr){.has_stream = true, .stream = events[i].stream},
				  STACK_ABSENT);
	mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_ACTIVE, 512, 512);
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB - 512, 0);
	mk_model_done(&k);
	r = new_replay(&k);
	x = replay_mismatches(r, &n);
	ok(n > 0 && x[0].rule == rule, "%s is told as %s", name,
	   n ? replay_rule_name(x[0].rule) : "nothing");
	ok(n > 0 && (rule == RULE_END_EXTRA || rule == RULE_END_MISSING || rule == RULE_END_SIZE ||
		     rule == RULE_END_STATE || x[0].event == (int64_t)n_events - 1),
	   "%s is told at its event", name);
	done(&k, r, name);
}

#define EXPECT(name, rule, ...)                                                             \
	expect_rule(name, rule,                                                             \
		    sizeof((struct mini_event[]){__VA_ARGS__}) / sizeof(struct mini_event), \
		    (struct mini_event[]){__VA_ARGS__})

static void test_rules(void)
{
	EXPECT("alloc over a live block", RULE_ALLOC_ON_LIVE, {ACTION_ALLOC, BASE, 512, 0},
	       {ACTION_ALLOC, BASE, 512, 0});
	EXPECT("alloc outside", RULE_ALLOC_OUTSIDE, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_ALLOC, BASE + 32 * MIB, 512, 0});
	EXPECT("alloc without room", RULE_ALLOC_NO_ROOM, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_ALLOC, BASE + 512, 3 * MIB, 0});
	EXPECT("alloc of another stream", RULE_ALLOC_STREAM, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_ALLOC, BASE + 512, 512, 7});
	EXPECT("free of nothing", RULE_FREE_UNKNOWN, {ACTION_ALLOC, BASE + 512, 512, 0},
	       {ACTION_FREE_COMPLETED, BASE + 512, 512, 0},
	       {ACTION_FREE_COMPLETED, BASE + 512, 512, 0});
	EXPECT("free of another size", RULE_FREE_SIZE, {ACTION_ALLOC, BASE + 512, 512, 0},
	       {ACTION_FREE_REQUESTED, BASE + 512, 5120, 0});
	EXPECT("second free", RULE_FREE_TWICE, {ACTION_ALLOC, BASE + 512, 512, 0},
	       {ACTION_FREE_REQUESTED, BASE + 512, 512, 0},
	       {ACTION_FREE_REQUESTED, BASE + 512, 512, 0});
	EXPECT("segment over another", RULE_SEGMENT_OVERLAP,
	       {ACTION_SEGMENT_ALLOC, BASE + 8 * MIB, 2 * MIB, 0},
	       {ACTION_SEGMENT_ALLOC, BASE + 8 * MIB, 2 * MIB, 0});
	EXPECT("segment_free of nothing", RULE_SEGMENT_UNKNOWN,
	       {ACTION_SEGMENT_ALLOC, BASE + 8 * MIB, 2 * MIB, 0},
	       {ACTION_SEGMENT_FREE, BASE + 8 * MIB, 2 * MIB, 0},
	       {ACTION_SEGMENT_FREE, BASE + 8 * MIB, 2 * MIB, 0});
	EXPECT("segment_free under a live block", RULE_SEGMENT_LIVE,
	       {ACTION_SEGMENT_ALLOC, BASE + 8 * MIB, 2 * MIB, 0},
	       {ACTION_ALLOC, BASE + 8 * MIB, 512, 0},
	       {ACTION_SEGMENT_FREE, BASE + 8 * MIB, 2 * MIB, 0});
	EXPECT("a block the file lacks", RULE_END_MISSING, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_ALLOC, BASE + 512, 512, 0});
	EXPECT("a block the trace freed", RULE_END_EXTRA, {ACTION_FREE_REQUESTED, BASE, 512, 0},
	       {ACTION_FREE_COMPLETED, BASE, 512, 0});
	EXPECT("another size in the file", RULE_END_SIZE, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_ALLOC, BASE, 400, 0});
	EXPECT("another state in the file", RULE_END_STATE, {ACTION_ALLOC, BASE, 512, 0},
	       {ACTION_FREE_REQUESTED, BASE, 512, 0});
	EXPECT("a snapshot's bytes", RULE_SNAPSHOT_BYTES, {ACTION_OTHER, 0, 0, 0},
	       {ACTION_SNAPSHOT, 0, 513, 0});
}

static void test_time(void)
{
	const struct mismatch *x;
	struct mk_model k;
	struct replay *r;
	size_t n;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	for (int i = 0; i < 4; i++)
		mk_model_event(&k, ACTION_OTHER, 0, 0);
	k.m->events.time_us.at[1] = 50;
	k.m->events.time_us.at[2] = TIME_NONE;
	mk_model_done(&k);
	r = new_replay(&k);
	x = replay_mismatches(r, &n);
	ok(n == 1 && x[0].rule == RULE_TIME_BACKWARDS && x[0].event == 3,
	   "time going backwards is told, events without time are not");
	done(&k, r, "time");
}

int main(void)
{
	test_slack();
	test_record_stream();
	test_pending_survivor();
	test_expandable();
	test_private_pool();
	test_steps();
	test_cut();
	test_host();
	test_history();
	test_history_told();
	test_file_state();
	test_rules();
	test_time();
	return done_testing();
}
