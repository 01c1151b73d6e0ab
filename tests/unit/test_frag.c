/* SPDX-License-Identifier: MIT
 * test_frag.c -- unreturnable bytes, pinners, free lists and misses of states written by hand.
 */
#include "passes/frag.h"

#include "passes/fragmentation.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

struct fixture {
	struct mk_model k;
	struct replay *r;
	struct state s;
	struct site_table sites;
	struct frag f;
};

static void analyse(struct fixture *x)
{
	const struct device *d = &x->k.m->devices.at[0];
	struct error err = {0};

	is_i64(replay_new(&x->r, x->k.m, d, &x->k.budget, &err), 0, "replayed");
	is_i64(state_from_segments(&x->s, x->k.m, d, &x->k.budget, &err), 0, "the end of the file");
	is_i64(site_table_init(&x->sites, x->k.m, &x->k.budget, &err), 0, "sites");
	is_i64(frag_run(&x->f, x->k.m, &x->s, x->r, &x->sites, &x->k.budget, &err), 0, "analysed");
}

static void finish(struct fixture *x)
{
	frag_release(&x->f);
	site_table_release(&x->sites);
	state_release(&x->s);
	replay_free(x->r);
	ok(mk_model_release(&x->k), "nothing leaked");
}

static const char *site_name(struct fixture *x, uint32_t site)
{
	static char buf[200];

	return site_words(x->k.m, x->sites.sites.at[site], buf, sizeof buf);
}

/* 20 MiB: a 4 | hole 6 | b 2 | hole 8, and a segment that is all cache. */
static void test_one_segment(void)
{
	struct fixture x = {0};
	stack_id a, b;

	mk_model_init(&x.k);
	a = mk_model_stack(&x.k, "/app/a.py", 1, "keep");
	b = mk_model_stack(&x.k, "/app/b.py", 2, "pin");
	mk_model_device(&x.k, 0);
	mk_model_segment(&x.k, 0x10000000, 20 * MIB, POOL_LARGE);
	mk_model_block(&x.k, BLOCK_ACTIVE, 4 * MIB, 4 * MIB - 1000)->stack = a;
	mk_model_block(&x.k, BLOCK_INACTIVE, 6 * MIB, 0);
	mk_model_block(&x.k, BLOCK_ACTIVE, 2 * MIB, 2 * MIB)->stack = b;
	mk_model_block(&x.k, BLOCK_INACTIVE, 8 * MIB, 0);
	mk_model_segment(&x.k, 0x20000000, 20 * MIB, POOL_LARGE);
	mk_model_block(&x.k, BLOCK_INACTIVE, 20 * MIB, 0);
	mk_model_done(&x.k);
	analyse(&x);

	is_u64(x.f.external, 34 * MIB, "idle bytes are all that no block uses");
	is_u64(x.f.internal, 1000, "rounding is internal");
	is_u64(x.f.unreturnable, 14 * MIB, "the cached segment can be returned, the holes cannot");
	ok(fragmentation_of(&x.f.totals) == 34.0 / 40.0, "the share of reserved");
	is_u64(x.f.pools.n, 1, "one free list");
	is_u64(x.f.pools.at[0].largest_request, 20 * MIB, "which serves its largest block");
	if (is_u64(x.f.segments.n, 1, "one segment is pinned")) {
		const struct frag_pinner *p = &x.f.pinners.at[x.f.segments.at[0].first_pinner];

		is_u64(x.f.segments.at[0].n_pinners, 2, "by two blocks");
		is_u64(p[0].joins, 16 * MIB, "the one between the holes joins them");
		is_str(site_name(&x, p[0].site), "/app/b.py:2 pin", "and comes first");
		is_u64(p[1].joins, 10 * MIB, "the other one joins one hole");
	}
	is_u64(x.f.sites.n, 2, "two sites");
	is_u64(x.f.sites.at[0].releases, 0, "neither releases anything alone");
	is_str(site_name(&x, x.f.sites.at[0].site), "/app/a.py:1 keep", "more bytes first");
	frag_simulate(&x.f, x.k.m, &x.k.m->devices.at[0], x.r);
	ok(!x.f.settings[0].simulated, "without a trace there is nothing to play");
	finish(&x);
}

/* 60 MiB expandable, units of 20: [a 5, hole 35] [b 10, hole 10]: the second unit is idle. */
static void test_expandable_units(void)
{
	struct fixture x = {0};
	struct segment *seg;
	stack_id a, b;

	mk_model_init(&x.k);
	a = mk_model_stack(&x.k, "/app/a.py", 1, "keep");
	b = mk_model_stack(&x.k, "/app/b.py", 2, "pin");
	mk_model_device(&x.k, 0);
	seg = mk_model_segment(&x.k, 0x10000000, 60 * MIB, POOL_LARGE);
	seg->is_expandable = true;
	mk_model_block(&x.k, BLOCK_ACTIVE, 5 * MIB, 5 * MIB)->stack = a;
	mk_model_block(&x.k, BLOCK_INACTIVE, 35 * MIB, 0);
	mk_model_block(&x.k, BLOCK_ACTIVE, 10 * MIB, 10 * MIB)->stack = b;
	mk_model_block(&x.k, BLOCK_INACTIVE, 10 * MIB, 0);
	mk_model_done(&x.k);
	analyse(&x);

	is_u64(x.f.external, 45 * MIB, "idle");
	is_u64(x.f.unreturnable, 25 * MIB, "15 in the first unit, 10 in the third");
	is_u64(x.f.sites.n, 2, "two sites");
	is_u64(x.f.sites.at[0].releases, 20 * MIB, "each would release its unit");
	is_u64(x.f.sites.at[0].releases_idle, 10 * MIB, "b first: it has more bytes");
	is_u64(x.f.sites.at[1].releases_idle, 15 * MIB, "then a");
	finish(&x);
}

/* A block over several units, and one that ends exactly on a unit's edge. */
static void test_blocks_over_units(void)
{
	struct fixture x = {0};
	struct segment *seg;
	stack_id a;

	mk_model_init(&x.k);
	a = mk_model_stack(&x.k, "/app/a.py", 1, "keep");
	mk_model_device(&x.k, 0);
	seg = mk_model_segment(&x.k, 0x10000000, 120 * MIB, POOL_LARGE);
	seg->is_expandable = true;
	mk_model_block(&x.k, BLOCK_ACTIVE, 60 * MIB, 60 * MIB)->stack = a;
	mk_model_block(&x.k, BLOCK_INACTIVE, 5 * MIB, 0);
	mk_model_block(&x.k, BLOCK_ACTIVE, 50 * MIB, 50 * MIB)->stack = a;
	mk_model_block(&x.k, BLOCK_INACTIVE, 5 * MIB, 0);
	mk_model_done(&x.k);
	analyse(&x);

	is_u64(x.f.unreturnable, 10 * MIB, "both holes lie beside live blocks");
	is_u64(x.f.sites.n, 1, "one site");
	is_u64(x.f.sites.at[0].releases, 40 * MIB, "the two units with holes, not the full ones");
	is_u64(x.f.sites.at[0].blocks, 2, "its blocks");
	is_u64(x.f.sites.at[0].segments, 1, "in one segment");
	finish(&x);
}

/* 15 MiB lie idle in pieces of 12 and 3 when 14 MiB are asked for: a miss. */
static void test_misses(void)
{
	struct fixture x = {0};
	struct attr none = {0};
	stack_id big;

	mk_model_init(&x.k);
	big = mk_model_stack(&x.k, "/app/big.py", 3, "ask");
	mk_model_device(&x.k, 0);
	mk_model_event(&x.k, ACTION_SEGMENT_ALLOC, 0x10000000, 20 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, 0x10000000, 3 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, 0x10000000 + 3 * MIB, 5 * MIB);
	mk_model_event(&x.k, ACTION_FREE_REQUESTED, 0x10000000, 3 * MIB);
	mk_model_event(&x.k, ACTION_FREE_COMPLETED, 0x10000000, 3 * MIB);
	mk_model_event(&x.k, ACTION_SEGMENT_ALLOC, 0x20000000, 14 * MIB);
	mk_model_event_of(&x.k, ACTION_ALLOC, 0x20000000, 14 * MIB, none, big);
	mk_model_event(&x.k, ACTION_SEGMENT_ALLOC, 0x30000000, 16 * MIB);
	mk_model_event(&x.k, ACTION_ALLOC, 0x30000000, 16 * MIB);
	mk_model_segment(&x.k, 0x10000000, 20 * MIB, POOL_LARGE);
	mk_model_block(&x.k, BLOCK_INACTIVE, 3 * MIB, 0);
	mk_model_block(&x.k, BLOCK_ACTIVE, 5 * MIB, 5 * MIB);
	mk_model_block(&x.k, BLOCK_INACTIVE, 12 * MIB, 0);
	mk_model_segment(&x.k, 0x20000000, 14 * MIB, POOL_LARGE);
	mk_model_block(&x.k, BLOCK_ACTIVE, 14 * MIB, 14 * MIB);
	mk_model_segment(&x.k, 0x30000000, 16 * MIB, POOL_LARGE);
	mk_model_block(&x.k, BLOCK_ACTIVE, 16 * MIB, 16 * MIB);
	mk_model_done(&x.k);
	analyse(&x);

	is_u64(x.f.n_misses, 1,
	       "one request missed: the first found nothing idle, the last too little");
	is_u64(x.f.missed_bytes, 14 * MIB, "its memory");
	if (is_u64(x.f.misses.n, 1, "it is listed")) {
		is_i64(x.f.misses.at[0].event, 6, "at its alloc");
		is_u64(x.f.misses.at[0].idle, 15 * MIB, "with what lay idle");
		is_u64(x.f.misses.at[0].stack.i, big.i, "and its stack");
	}
	is_u64(x.f.curve.n, 9, "a short trace has a point for each event");
	ok(!x.f.settings[0].simulated, "nothing is played unasked");
	frag_simulate(&x.f, x.k.m, &x.k.m->devices.at[0], x.r);
	is_u64(x.f.trace_peak_reserved, 50 * MIB, "the most in the trace");
	is_str(x.f.settings[0].setting, "", "under the defaults");
	ok(x.f.settings[0].simulated && x.f.settings[0].survives, "it is played to its end");
	is_u64(x.f.settings[0].peak_reserved, 50 * MIB, "they were its own");
	is_u64(x.f.settings[0].low, x.f.settings[0].high, "wherever segments lie");
	/* 5, 14 and 16 MiB share pages of 20 MiB; the 3 MiB are given back by then. */
	ok(x.f.settings[1].simulated && x.f.settings[1].high <= 40 * MIB,
	   "less in expandable ones");
	finish(&x);
}

int main(void)
{
	test_one_segment();
	test_expandable_units();
	test_blocks_over_units();
	test_misses();
	return done_testing();
}
