/* SPDX-License-Identifier: MIT
 * test_top.c -- blocks grouped each way, sums, filters and the order of rows.
 */
#include "passes/top.h"

#include "passes/holders.h"
#include "tests/lib/mk_state.h"
#include "tests/lib/tap.h"

#define LIB "/v/site-packages/torch/nn/linear.py:9 forward"

static struct top run(struct mk_state *k, enum top_by by, const struct filter *filter)
{
	struct error err = {0};
	struct top t = {0};

	is_i64(top_run(&t, k->m, &k->s, by, filter, NULL, &k->budget, &err), 0, "grouped");
	return t;
}

static uint64_t sum(const struct top *t)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		bytes += t->rows.at[i].bytes;
	return bytes;
}

static const char *site_at(struct mk_state *k, const struct top *t, size_t i)
{
	static char buf[256];

	return i < t->rows.n ? site_words(k->m, t->rows.at[i].site, buf, sizeof buf) : "(no row)";
}

/* Two sites in one file, one of them with two stacks, and a block without a stack. */
static void make(struct mk_state *k)
{
	stack_id a1, a2, b;

	mk_state_init(k);
	a1 = mk_stack(k, LIB, "/app/a.py:1 f", "/app/run.py:5 main", NULL);
	a2 = mk_stack(k, LIB, "/app/a.py:1 f", "/app/run.py:6 main", NULL);
	b = mk_stack(k, "/app/a.py:7 g", NULL);
	k->m->stacks_python_only = true;
	mk_segment(k, POOL_LARGE, 0);
	mk_block(k, 'a', 4 * MIB, a1)->requested = 4 * MIB - 100;
	mk_block(k, '.', 6 * MIB, STACK_EMPTY);
	mk_block(k, 'a', 5 * MIB, a2);
	mk_block(k, 'p', 5 * MIB, b);
	mk_segment(k, POOL_SMALL, 77)->pool = (struct pool_id){3, 0};
	mk_block(k, 'a', 512, STACK_ABSENT);
	mk_block(k, '.', 2 * MIB - 512, STACK_EMPTY);
	mk_state_done(k);
}

static void test_by_site(void)
{
	struct mk_state k;
	struct top t;

	make(&k);
	t = run(&k, TOP_SITE, NULL);
	is_u64(t.rows.n, 3, "three sites");
	is_str(site_at(&k, &t, 0), "/app/a.py:1 f", "the largest first, both stacks together");
	is_u64(t.rows.at[0].bytes, 9 * MIB, "its bytes are sizes of blocks, slack included");
	is_u64(t.rows.at[0].blocks, 2, "and its blocks two");
	is_str(site_at(&k, &t, 1), "/app/a.py:7 g", "a pending block counts");
	is_str(site_at(&k, &t, 2), "(no stack)", "a block without a stack has a row");
	is_u64(t.total_bytes, k.s.totals.active, "the total is the active bytes");
	is_u64(sum(&t), t.total_bytes, "the rows add up to it");
	is_u64(t.blocks, 4, "free blocks do not count");
	top_release(&t);
	mk_state_release(&k);
}

static void test_other_keys(void)
{
	static const struct {
		enum top_by by;
		size_t rows;
		uint64_t first;
		const char *words;
	} cases[] = {
		{TOP_STACK, 4, 5 * MIB, "stack"},
		{TOP_FILE, 2, 14 * MIB, "file"},
		{TOP_FUNCTION, 3, 9 * MIB, "function"},
		{TOP_STREAM, 2, 14 * MIB, "stream"},
		{TOP_POOL, 2, 14 * MIB, "pool"},
		{TOP_ANNOTATION, 1, 14 * MIB + 512, "annotation"},
	};
	struct mk_state k;
	struct top t;

	make(&k);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		t = run(&k, cases[i].by, NULL);
		is_u64(t.rows.n, cases[i].rows, "by %s: rows", cases[i].words);
		is_u64(t.rows.at[0].bytes, cases[i].first, "by %s: the largest", cases[i].words);
		is_u64(sum(&t), k.s.totals.active, "by %s: the sum", cases[i].words);
		top_release(&t);
	}
	t = run(&k, TOP_STREAM, NULL);
	is_u64(t.rows.at[1].stream, 77, "the stream is that of the segment");
	top_release(&t);
	t = run(&k, TOP_POOL, NULL);
	is_i64(t.rows.at[1].pool.a, 3, "and so is the pool");
	top_release(&t);
	t = run(&k, TOP_ANNOTATION, NULL);
	ok(t.rows.at[0].key == TOP_KEY_BEFORE_RECORDING, "blocks older than the trace say so");
	top_release(&t);
	mk_state_release(&k);
}

/* Equal amounts: by the words of the site, whichever came first in the file. */
static void test_ties(void)
{
	struct mk_state k;
	struct top t;
	stack_id z, a;

	mk_state_init(&k);
	z = mk_stack(&k, "/app/z.py:1 f", NULL);
	a = mk_stack(&k, "/app/a.py:10 f", NULL);
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 4 * MIB, z);
	mk_block(&k, 'a', 4 * MIB, a);
	mk_block(&k, 'a', 4 * MIB, mk_stack(&k, "/app/a.py:9 f", NULL));
	mk_state_done(&k);
	t = run(&k, TOP_SITE, NULL);
	is_str(site_at(&k, &t, 0), "/app/a.py:9 f", "lines order as numbers");
	is_str(site_at(&k, &t, 1), "/app/a.py:10 f", "then the next");
	is_str(site_at(&k, &t, 2), "/app/z.py:1 f", "then the next file");
	top_release(&t);
	mk_state_release(&k);
}

static void test_filter(void)
{
	static const char *const keep[] = {"run\\.py:6"};
	struct filter_options options = {.keep = keep, .n_keep = 1};
	struct error err = {0};
	struct filter *f;
	struct mk_state k;
	struct top t;

	make(&k);
	is_i64(filter_new(&f, &options, k.m, &k.budget, &err), 0, "a filter");
	t = run(&k, TOP_SITE, f);
	is_u64(t.rows.n, 1, "one site passes");
	is_u64(t.total_bytes, 5 * MIB, "the total shrinks with the rows");
	is_u64(t.left_out_bytes, 9 * MIB + 512, "what is left out is told");
	is_u64(t.left_out_blocks, 3, "with its blocks");
	is_u64(t.total_bytes + t.left_out_bytes, k.s.totals.active, "nothing is lost");
	ok(t.filtered, "and the result says that it is filtered");
	top_release(&t);
	filter_free(f);
	mk_state_release(&k);
}

/* A block from before the trace with an empty stack, in a file of Python-only stacks. */
static void test_before_recording(void)
{
	struct mk_state k;
	struct top t;

	mk_state_init(&k);
	k.m->stacks_python_only = true;
	k.device.n_events = 10;
	mk_segment(&k, POOL_LARGE, 0);
	mk_block(&k, 'a', 4 * MIB, STACK_EMPTY);
	mk_state_done(&k);
	t = run(&k, TOP_SITE, NULL);
	is_str(site_at(&k, &t, 0), "(no stack)", "recording began later: nobody knows");
	top_release(&t);
	k.s.blocks.at[0].born = 3;
	t = run(&k, TOP_SITE, NULL);
	is_str(site_at(&k, &t, 0), "(backward)", "born in the trace: a backward thread");
	top_release(&t);
	k.s.blocks.at[0].born = EVENT_START;
	k.device.n_events = 0;
	t = run(&k, TOP_SITE, NULL);
	is_str(site_at(&k, &t, 0), "(backward)", "a list of segments: recorded like the others");
	top_release(&t);
	mk_state_release(&k);
}

static void test_empty(void)
{
	struct mk_state k;
	struct top t;

	mk_state_init(&k);
	mk_state_done(&k);
	t = run(&k, TOP_SITE, NULL);
	is_u64(t.rows.n + t.total_bytes, 0, "no blocks, no rows");
	top_release(&t);
	mk_state_release(&k);
}

int main(void)
{
	test_by_site();
	test_other_keys();
	test_ties();
	test_filter();
	test_before_recording();
	test_empty();
	return done_testing();
}
