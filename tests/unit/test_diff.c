/* SPDX-License-Identifier: MIT
 * test_diff.c -- two states compared: sums, matching over moved code, and since when.
 */
#include "tests/lib/tap.h"

#include "passes/allocations.h"
#include "passes/diff.h"
#include "passes/diff_tree.h"
#include "tests/lib/mk_run.h"
#include "tests/lib/mk_state.h"

static struct error err;

static struct diff compare(struct mk_state *base, struct mk_state *new, enum top_by by, bool exact)
{
	struct diff_options o = {.by = by, .exact = exact};
	struct diff_side b = {.model = base->m, .device = &base->device, .state = &base->s};
	struct diff_side n = {.model = new->m, .device = &new->device, .state = &new->s};
	struct diff d = {0};

	is_i64(diff_run(&d, &b, &n, &o, &new->budget, &err), 0, "compared");
	return d;
}

static int64_t sum(const struct diff *d)
{
	int64_t sum = 0;

	for (size_t i = 0; i < d->rows.n; i++)
		sum += diff_delta(d->rows.at[i].base_bytes, d->rows.at[i].new_bytes);
	return sum;
}

static void adds_up(const struct diff *d, const struct mk_state *base, const struct mk_state *new)
{
	is_u64(d->sides[0].total_bytes, base->s.totals.active, "all of base has a row");
	is_u64(d->sides[1].total_bytes, new->s.totals.active, "all of new has a row");
	is_i64(sum(d), diff_delta(base->s.totals.active, new->s.totals.active),
	       "the rows add up to the difference");
}

/* The row of a site by a part of its words on the side that has it. */
static const struct diff_row *row_of(const struct diff *d, const char *part)
{
	char words[512];

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct diff_row *r = &d->rows.at[i];
		int side = r->new != DIFF_NONE;
		const struct model *m = side ? d->new.model : d->base.model;
		const struct top_row *t = &d->sides[side].rows.at[side ? r->new : r->base];

		if (strstr(site_words(m, t->site, words, sizeof words), part))
			return r;
	}
	return NULL;
}

static void is_row(const struct diff *d, const char *part, enum diff_status status, uint64_t base,
		   uint64_t new, enum frame_pairing pairing)
{
	const struct diff_row *r = row_of(d, part);

	if (!ok(r != NULL, "%s has a row", part))
		return;
	is_str(diff_status_name(r->status), diff_status_name(status), "%s: status", part);
	is_u64(r->base_bytes, base, "%s: base", part);
	is_u64(r->new_bytes, new, "%s: new", part);
	is_str(frame_pairing_name(r->pairing), frame_pairing_name(pairing), "%s: how it matched",
	       part);
}

#define OLD "/home/ada/project/"
#define NEW "/srv/build/17/project/"

/* Everything of base; `new`: as it comes back from another checkout. */
static void make_pair(struct mk_state *base, struct mk_state *new)
{
	mk_state_init(base);
	mk_segment(base, POOL_LARGE, 0);
	mk_block(base, 'a', 1 * GIB, mk_stack(base, OLD "src/model.py:40 forward", NULL));
	mk_block(base, 'a', 3 * GIB, mk_stack(base, OLD "src/model.py:44 forward", NULL));
	mk_block(base, 'a', 2 * GIB, mk_stack(base, OLD "src/data.py:7 load", NULL));
	mk_block(base, 'p', 512, mk_stack(base, OLD "src/train.py:90 log", NULL));
	mk_block(base, 'a', 1 * MIB, STACK_ABSENT);
	mk_block(base, 'a', 5 * MIB, mk_stack(base, OLD "tools/util.py:3 helper", NULL));
	mk_block(base, '.', 7 * MIB, STACK_EMPTY);
	mk_state_done(base);

	mk_state_init(new);
	mk_segment(new, POOL_LARGE, 0);
	/* Eleven lines were put in front. */
	mk_block(new, 'a', 20 * GIB, mk_stack(new, NEW "src/model.py:51 forward", NULL));
	mk_block(new, 'a', 3 * GIB, mk_stack(new, NEW "src/model.py:55 forward", NULL));
	mk_block(new, 'a', 1 * GIB, mk_stack(new, NEW "src/data.py:7 load", NULL));
	mk_block(new, 'a', 4 * MIB, mk_stack(new, NEW "src/metrics.py:12 gather", NULL));
	mk_block(new, 'a', 2 * MIB, STACK_ABSENT);
	mk_block(new, 'a', 5 * MIB, mk_stack(new, NEW "tools/helpers.py:3 helper", NULL));
	mk_state_done(new);
}

static void test_moved_code(void)
{
	struct mk_state base, new;
	struct diff d;

	make_pair(&base, &new);
	d = compare(&base, &new, TOP_SITE, false);
	adds_up(&d, &base, &new);
	is_u64(d.rows.n, 7, "a row for each place");
	is_row(&d, "model.py:51", DIFF_GROWN, 1 * GIB, 20 * GIB, FRAME_MOVED);
	is_row(&d, "model.py:55", DIFF_SAME, 3 * GIB, 3 * GIB, FRAME_MOVED);
	is_row(&d, "data.py:7", DIFF_SHRUNK, 2 * GIB, 1 * GIB, FRAME_MOVED);
	is_row(&d, "metrics.py:12", DIFF_NEW, 0, 4 * MIB, FRAME_UNPAIRED);
	is_row(&d, "train.py:90", DIFF_GONE, 512, 0, FRAME_UNPAIRED);
	is_row(&d, "(no stack)", DIFF_GROWN, 1 * MIB, 2 * MIB, FRAME_SAME);
	is_row(&d, "helpers.py:3", DIFF_SAME, 5 * MIB, 5 * MIB, FRAME_RENAMED);
	ok(row_of(&d, "model.py:51") == &d.rows.at[0], "the largest change comes first");
	diff_release(&d);

	d = compare(&base, &new, TOP_SITE, true);
	adds_up(&d, &base, &new);
	is_u64(d.rows.n, 11, "with --exact only what has no place matches");
	is_row(&d, "(no stack)", DIFF_GROWN, 1 * MIB, 2 * MIB, FRAME_SAME);
	is_row(&d, NEW "src/data.py:7", DIFF_NEW, 0, 1 * GIB, FRAME_UNPAIRED);
	diff_release(&d);
	mk_state_release(&base);
	mk_state_release(&new);
}

static void test_other_keys(void)
{
	static const struct {
		enum top_by by;
		size_t rows;
		const char *words;
	} cases[] = {
		{TOP_STACK, 7, "stack"},   {TOP_FILE, 6, "file"}, {TOP_FUNCTION, 6, "function"},
		{TOP_STREAM, 1, "stream"}, {TOP_POOL, 1, "pool"},
	};
	struct mk_state base, new;

	make_pair(&base, &new);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diff d = compare(&base, &new, cases[i].by, false);

		is_u64(d.rows.n, cases[i].rows, "by %s: rows", cases[i].words);
		adds_up(&d, &base, &new);
		diff_release(&d);
	}
	mk_state_release(&base);
	mk_state_release(&new);
}

static void test_environments(void)
{
	struct mk_state base, new;
	struct diff d;

	mk_state_init(&base);
	mk_segment(&base, POOL_LARGE, 0);
	mk_block(&base, 'a', 4 * MIB,
		 mk_stack(&base,
			  "/home/a/.venv/lib/python3.10/site-packages/torch/optim/adam.py:9 f",
			  NULL));
	mk_state_done(&base);
	mk_state_init(&new);
	mk_segment(&new, POOL_LARGE, 0);
	mk_block(&new, 'a', 6 * MIB,
		 mk_stack(&new, "/opt/conda/lib/python3.12/site-packages/torch/optim/adam.py:9 f",
			  NULL));
	mk_state_done(&new);
	d = compare(&base, &new, TOP_SITE, false);
	is_u64(d.rows.n, 1, "a library is the same one in another environment");
	is_row(&d, "adam.py:9", DIFF_GROWN, 4 * MIB, 6 * MIB, FRAME_MOVED);
	diff_release(&d);
	mk_state_release(&base);
	mk_state_release(&new);
}

/* Lines inside one function: a constant shift wins over equal numbers. */
static void test_lines(void)
{
	static const int old_lines[] = {10, 12, 30}, new_lines[] = {12, 14, 32};
	struct mk_state base, new;
	struct diff d;
	char frame[64];

	mk_state_init(&base);
	mk_state_init(&new);
	mk_segment(&base, POOL_LARGE, 0);
	mk_segment(&new, POOL_LARGE, 0);
	for (int i = 0; i < 3; i++) {
		snprintf(frame, sizeof frame, "/a/t.py:%d f", old_lines[i]);
		mk_block(&base, 'a', (uint64_t)(i + 1) * MIB, mk_stack(&base, frame, NULL));
		snprintf(frame, sizeof frame, "/a/t.py:%d f", new_lines[i]);
		mk_block(&new, 'a', (uint64_t)(i + 1) * MIB, mk_stack(&new, frame, NULL));
	}
	mk_state_done(&base);
	mk_state_done(&new);
	d = compare(&base, &new, TOP_SITE, false);
	is_u64(d.rows.n, 3, "three places");
	for (size_t i = 0; i < d.rows.n; i++)
		ok(d.rows.at[i].status == DIFF_SAME, "each is found two lines on");
	diff_release(&d);
	mk_state_release(&base);
	mk_state_release(&new);
}

static void test_empty(void)
{
	struct mk_state base, new, unused;
	struct diff d;

	mk_state_init(&base);
	mk_state_done(&base);
	make_pair(&unused, &new);
	mk_state_release(&unused);
	d = compare(&base, &new, TOP_SITE, false);
	adds_up(&d, &base, &new);
	for (size_t i = 0; i < d.rows.n; i++)
		ok(d.rows.at[i].status == DIFF_NEW, "all is new");
	diff_release(&d);
	mk_state_release(&base);
	mk_state_release(&new);
}

static void test_tree(void)
{
	struct mk_state base, new;
	struct diff_tree t;
	struct diff d;
	uint64_t own[2] = {0};

	make_pair(&base, &new);
	d = compare(&base, &new, TOP_SITE, false);
	is_i64(diff_tree_init(&t, &d, &new.budget, &err), 0, "a tree of calls");
	for (size_t i = 0; i < t.at.n; i++) {
		uint64_t weight = t.at.at[i].own[0] > t.at.at[i].own[1] ? t.at.at[i].own[0]
									: t.at.at[i].own[1];

		own[0] += t.at.at[i].own[0];
		own[1] += t.at.at[i].own[1];
		for (uint32_t c = t.at.at[i].first_child; c != DIFF_NO_NODE; c = t.at.at[c].next)
			weight += t.at.at[c].weight;
		is_u64(t.at.at[i].weight, weight, "node %zu is as wide as what it holds", i);
	}
	is_u64(own[0], base.s.totals.active, "base is in it");
	is_u64(own[1], new.s.totals.active, "and new");
	diff_tree_release(&t);
	diff_release(&d);
	mk_state_release(&base);
	mk_state_release(&new);
}

/* One file at two moments, with blocks from before; since when a place holds more. */
static void test_since(void)
{
	struct mk_run r;
	struct replay *replay;
	struct allocations a;
	struct state states[2] = {0};
	struct diff_side sides[2];
	struct diff_options o = {.by = TOP_SITE};
	struct diff d;
	stack_id s;
	size_t x;
	int64_t since;

	mk_run_init(&r);
	s = mk_run_stack(&r, "/app/t.py:5 f");
	mk_run_before(&r, 4 * MIB, mk_run_stack(&r, "/app/t.py:1 g"));
	mk_run_alloc(&r, 2 * MIB, s);
	x = mk_run_alloc(&r, 2 * MIB, s); /* 1: more for a while */
	mk_run_free(&r, x);               /* 2, 3 */
	mk_run_alloc(&r, 6 * MIB, s);     /* 4: and for good */
	mk_run_done(&r);
	is_i64(replay_new(&replay, r.k.m, &r.k.m->devices.at[0], &r.k.budget, &err), 0, "replayed");
	for (int i = 0; i < 2; i++) {
		struct moment at = {.event = i ? 4 : 0};

		is_i64(moment_state(&states[i], &at, r.k.m, replay, &r.k.budget, &err), 0,
		       "a moment");
		sides[i] = (struct diff_side){.model = r.k.m,
					      .device = &r.k.m->devices.at[0],
					      .summary = replay_summary(replay),
					      .state = &states[i],
					      .at = at};
	}
	is_i64(diff_run(&d, &sides[0], &sides[1], &o, &r.k.budget, &err), 0, "compared");
	is_i64(sum(&d), 6 * (int64_t)MIB, "the rows add up, blocks from before included");
	is_i64(allocations_run(&a, r.k.m, replay, &r.k.m->devices.at[0], &r.k.budget, &err), 0,
	       "lives");
	is_i64(diff_since(&since, &d, &d.rows.at[0], &a, &err), 0, "since when");
	is_i64(since, 4, "since the event after which it never fell back");
	allocations_release(&a);
	diff_release(&d);
	state_release(&states[0]);
	state_release(&states[1]);
	replay_free(replay);
	ok(mk_run_release(&r), "all memory was given back");
}

/* Two real runs of one program in fp32 and bf16: every byte is attributed. */
static void test_real(void)
{
	static const char *const names[] = {"public_05", "public_06"};
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct diff_options o = {.by = TOP_SITE};
	struct model *m[2] = {NULL};
	struct replay *r[2] = {NULL};
	struct state s[2] = {0};
	struct diff_side side[2];
	struct diff d;

	if (!shared_data()) {
		skip("no real recordings: set VRAMSCOPE_SHARED to their folder");
		return;
	}
	for (int i = 0; i < 2; i++) {
		char path[512];

		snprintf(path, sizeof path, "%s/public/%s.pickle.zst", shared_data(), names[i]);
		if (model_load(&m[i], path, &options, &err) < 0 ||
		    replay_new(&r[i], m[i], &m[i]->devices.at[0], &budget, &err) < 0) {
			skip("%s is not there: %s", names[i], err.text);
			goto out;
		}
		side[i] = (struct diff_side){.model = m[i],
					     .device = &m[i]->devices.at[0],
					     .summary = replay_summary(r[i]),
					     .state = &s[i]};
		side[i].at.event = side[i].summary->allocated.event;
		is_i64(moment_state(&s[i], &side[i].at, m[i], r[i], &budget, &err), 0, "its peak");
	}
	is_i64(diff_run(&d, &side[0], &side[1], &o, &budget, &err), 0, "fp32 against bf16");
	is_i64(sum(&d), diff_delta(s[0].totals.active, s[1].totals.active),
	       "the rows add up to the difference of the peaks");
	is_i64(sum(&d), 254844928, "243.04 MiB");
	diff_release(&d);
out:
	for (int i = 0; i < 2; i++) {
		state_release(&s[i]);
		replay_free(r[i]);
		model_free(m[i]);
	}
	is_u64(budget.used, 0, "all memory was given back");
}

int main(void)
{
	test_moved_code();
	test_other_keys();
	test_environments();
	test_lines();
	test_empty();
	test_tree();
	test_since();
	test_real();
	return done_testing();
}
