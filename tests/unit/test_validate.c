/* SPDX-License-Identifier: MIT
 * test_validate.c -- every rule is met by a file that breaks it, and by no other one.
 */
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

#include "passes/validate.h"

#define BASE UINT64_C(0x7f0000000000)

static struct error err;

/* A consistent model: one small and one large segment, settings known. */
static void build(struct mk_model *k)
{
	mk_model_init(k);
	k->m->settings.known = true;
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_ALLOC, BASE, 600);
	mk_model_segment(k, BASE, 2 * MIB, POOL_SMALL);
	mk_model_block(k, BLOCK_ACTIVE, 1024, 600);
	mk_model_block(k, BLOCK_INACTIVE, 2 * MIB - 1024, 777777777);
	mk_model_segment(k, BASE + 64 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_PENDING, 4 * MIB, 3 * MIB);
	mk_model_block(k, BLOCK_INACTIVE, 16 * MIB, 0);
}

static void expect(struct mk_model *k, const char *rule, const char *says)
{
	struct validation v;
	bool told = false;

	if (model_finish(k->m, &err) < 0 || validate_run(&v, k->m, NULL, &k->budget, &err) < 0) {
		ok(false, "%s: %s", rule, err.text);
		return;
	}
	for (size_t i = 0; i < v.violations.n && !told; i++) {
		const struct violation *x = &v.violations.at[i];

		told = strcmp(x->rule, rule) == 0 && strstr(x->message, says) && x->device == 0;
	}
	ok(told && !v.consistent, "%s is told with '%s'", rule, says);
	if (!told)
		for (size_t i = 0; i < v.violations.n; i++)
			diag("%s: %s", v.violations.at[i].rule, v.violations.at[i].message);
	validate_release(&v);
	ok(mk_model_release(k), "%s: all memory is given back", rule);
}

static void expect_consistent(struct mk_model *k, const char *what, bool tolerated)
{
	struct validation v;

	if (model_finish(k->m, &err) < 0 || validate_run(&v, k->m, NULL, &k->budget, &err) < 0) {
		ok(false, "%s: %s", what, err.text);
		return;
	}
	ok(v.consistent && !v.n_violations, "%s is consistent (%s)", what,
	   v.violations.n ? v.violations.at[0].message : "no violation");
	ok((v.n_tolerated > 0) == tolerated, "%s: departures are counted apart", what);
	validate_release(&v);
	mk_model_release(k);
}

static void test_sums(void)
{
	struct mk_model k;

	build(&k);
	k.m->segments.at[1].total_size += 2 * MIB;
	expect(&k, "segment-total", "says it has 23068672 total bytes, its blocks have 20971520");
	build(&k);
	k.m->segments.at[0].allocated_size = 512;
	expect(&k, "segment-allocated", "512 allocated bytes");
	build(&k);
	k.m->segments.at[1].active_size = 0;
	expect(&k, "segment-active", "0 active bytes");
	build(&k);
	k.m->segments.at[1].requested_size++;
	expect(&k, "segment-requested", "3145729 requested bytes");
}

static void test_blocks(void)
{
	struct mk_model k;

	build(&k);
	k.m->blocks.at[1].address += 512;
	expect(&k, "block-address", "does not begin where");
	build(&k);
	k.m->blocks.at[0].size = 1000;
	expect(&k, "block-size", "no multiple of 512");
	build(&k);
	k.m->blocks.at[2].requested_size = 5 * MIB;
	expect(&k, "block-requested", "which is more");
	build(&k);
	k.m->blocks.at[0].requested_size = 100;
	expect(&k, "block-rest", "at most 512 were to be expected");
	build(&k);
	k.m->blocks.at[2].requested_size = 3 * MIB - 512;
	expect(&k, "block-rest", "for a request of 3145216");
	build(&k);
	mk_model_segment(&k, BASE + 128 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 10 * MIB, 0);
	mk_model_block(&k, BLOCK_INACTIVE, 10 * MIB, 0);
	expect(&k, "inactive-neighbours", "side by side");
}

static void test_segments(void)
{
	struct mk_model k;

	build(&k);
	mk_model_segment(&k, BASE + 32 * MIB, 2 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB, 0);
	expect(&k, "segment-order", "which is above it");
	build(&k);
	mk_model_segment(&k, BASE + 70 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 20 * MIB, 0);
	expect(&k, "segment-disjoint", "begins inside");
	build(&k);
	mk_model_segment(&k, BASE + 128 * MIB, 4 * MIB, POOL_SMALL);
	mk_model_block(&k, BLOCK_INACTIVE, 4 * MIB, 0);
	expect(&k, "segment-size", "which no small segment has");
	build(&k);
	mk_model_segment(&k, BASE + 128 * MIB, 8 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 8 * MIB, 0);
	expect(&k, "segment-size", "which no large segment has");
	build(&k);
	mk_model_segment(&k, BASE + 128 * MIB, 30 * MIB, POOL_LARGE)->is_expandable = true;
	mk_model_block(&k, BLOCK_INACTIVE, 30 * MIB, 0);
	expect(&k, "segment-size", "no expandable large segment has");
}

static void test_events(void)
{
	struct mk_model k;

	build(&k);
	mk_model_event(&k, ACTION_ALLOC, BASE, 600);
	expect(&k, "alloc-on-live", "lands on the live block 0x7f0000000000 of 1024 bytes");
	build(&k);
	mk_model_event(&k, ACTION_ALLOC, BASE + 512 * MIB, 600);
	expect(&k, "alloc-outside", "lies in no segment");
	build(&k);
	mk_model_event(&k, ACTION_ALLOC, BASE + 1024, 9 * MIB);
	expect(&k, "alloc-no-room", "finds 2096128 bytes there");
	build(&k);
	mk_model_event_of(&k, ACTION_ALLOC, BASE + 1024, 600,
			  (struct attr){.has_stream = true, .stream = 9}, STACK_ABSENT);
	expect(&k, "alloc-stream", "is of stream 9, its segment of stream 0");
	build(&k);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 600);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 600);
	expect(&k, "free-unknown", "where no block is live");
	build(&k);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 6000);
	expect(&k, "free-size", "which were allocated as 600");
	build(&k);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 600);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 600);
	expect(&k, "free-twice", "a second time");
	build(&k);
	mk_model_event(&k, ACTION_SNAPSHOT, 0, 3);
	expect(&k, "snapshot-bytes", "says 3 bytes are active");
	build(&k);
	mk_model_event(&k, ACTION_OTHER, 0, 0);
	k.m->events.time_us.at[1] = -5;
	expect(&k, "time-backwards", "time goes back by 5 us");
}

static void test_segment_events(void)
{
	struct mk_model k;

	build(&k);
	for (int i = 0; i < 2; i++)
		mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE + 512 * MIB, 2 * MIB);
	expect(&k, "segment-overlap", "overlaps 2097152 bytes mapped");
	build(&k);
	for (int i = 0; i < 2; i++)
		mk_model_event(&k, ACTION_SEGMENT_FREE, BASE + 512 * MIB, 2 * MIB);
	expect(&k, "segment-unknown", "are not mapped so");
	build(&k);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE + 512 * MIB, 2 * MIB);
	mk_model_event(&k, ACTION_ALLOC, BASE + 512 * MIB, 600);
	mk_model_event(&k, ACTION_SEGMENT_FREE, BASE + 512 * MIB, 2 * MIB);
	expect(&k, "segment-live", "while block 0x7f0020000000 there is live");
}

static void test_end(void)
{
	struct mk_model k;

	build(&k);
	mk_model_event(&k, ACTION_ALLOC, BASE + 1024, 600);
	expect(&k, "end-missing", "block 0x7f0000000400 of 1024 bytes is there at the end");
	build(&k);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, 600);
	expect(&k, "end-extra", "block 0x7f0000000000 of 1024 bytes is in the file");
	build(&k);
	k.m->events.size.at[0] = 700;
	expect(&k, "end-size", "has 600 bytes in the file and 700");
	build(&k);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 600);
	expect(&k, "end-state", "active_allocated in the file and active_pending_free");
	build(&k);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE + 512 * MIB, 2 * MIB);
	expect(&k, "end-missing", "segment 0x7f0020000000 of 2097152 bytes is there");
}

/* What a genuine file may show. */
static void test_tolerated(void)
{
	struct mk_model k;
	struct segment *s;

	build(&k);
	expect_consistent(&k, "a good file", false);
	build(&k);
	s = mk_model_segment(&k, BASE + 128 * MIB, 3 * MIB, POOL_LARGE);
	s->pool = (struct pool_id){0, 1};
	mk_model_block(&k, BLOCK_ACTIVE, 3 * MIB, 1 * MIB);
	expect_consistent(&k, "a private pool of odd sizes", false);
	build(&k);
	k.m->settings.known = false;
	k.m->blocks.at[0].requested_size = k.m->segments.at[0].requested_size = 100;
	k.m->events.size.at[0] = 100;
	k.m->blocks.at[0].size = 1024;
	k.m->events.action.at[0] = ACTION_OTHER;
	expect_consistent(&k, "an odd rounding under unknown settings", false);
	build(&k);
	k.m->events.action.at[0] = ACTION_FREE_COMPLETED;
	k.m->segments.at[0].pool = k.m->segments.at[1].pool = (struct pool_id){0, 3};
	k.m->blocks.at[0].state = BLOCK_INACTIVE;
	k.m->segments.at[0].allocated_size = k.m->segments.at[0].active_size = 0;
	k.m->segments.at[0].requested_size = 0;
	k.m->blocks.at[0].size = 2 * MIB;
	k.m->segments.at[0].n_blocks = 1;
	mk_model_event(&k, ACTION_ALLOC, BASE + 512 * MIB, 600);
	expect_consistent(&k, "a dump of one pool", true);
	build(&k);
	k.m->events.action.at[0] = ACTION_OTHER;
	for (int i = 0; i < 20; i++)
		mk_model_event(&k, ACTION_ALLOC, BASE + 1024, 600);
	expect_consistent(&k, "a trace whose frees were skipped", true);
	build(&k);
	k.m->events.action.at[0] = ACTION_OTHER;
	for (int i = 0; i < 20; i++)
		mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + 1024, 600);
	expect_consistent(&k, "a trace whose allocs were skipped", true);
}

/* Whatever the plain allocator does is consistent. */
static void test_mini(void)
{
	bool good = true;

	for (uint64_t seed = 1; seed <= 20 && good; seed++) {
		struct mini_options o = {.seed = seed,
					 .n_streams = 2,
					 .expandable = seed % 3 == 0,
					 .max_split_bytes = seed % 4 == 1 ? 40 * MIB : 0,
					 .divisions = seed % 5 == 1 ? 4 : 0};
		struct validation v;
		struct mk_model k;
		struct mini a;

		mini_init(&a, o);
		mini_run(&a, seed * 10);
		mini_record(&a);
		mini_run(&a, 200);
		mini_model(&a, &k);
		if (validate_run(&v, k.m, NULL, &k.budget, &err) < 0)
			break;
		good = v.consistent;
		ok(good, "trace %d of the plain allocator: %s", (int)seed,
		   v.violations.n ? v.violations.at[0].message : "consistent");
		validate_release(&v);
		mk_model_release(&k);
		mini_release(&a);
	}
}

/* Segments of a second device need a second list of events. */
static void test_devices(void)
{
	for (uint64_t lists = 0; lists <= 2; lists++) {
		struct validation v;
		struct mk_model k;

		build(&k);
		mk_model_device(&k, 1);
		mk_model_segment(&k, BASE, 2 * MIB, POOL_SMALL);
		mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB, 0);
		k.m->n_trace_lists = lists;
		if (model_finish(k.m, &err) == 0 &&
		    is_i64(validate_run(&v, k.m, NULL, &k.budget, &err), 0, "checked")) {
			is_u64(v.n_violations, lists == 1, "with %u lists", (unsigned)lists);
			if (lists == 1 && v.n_violations)
				is_str(v.violations.at[0].rule, "segment-device", "by its rule");
			validate_release(&v);
		}
		mk_model_release(&k);
	}
}

int main(void)
{
	test_sums();
	test_blocks();
	test_segments();
	test_events();
	test_segment_events();
	test_end();
	test_tolerated();
	test_mini();
	test_devices();
	return done_testing();
}
