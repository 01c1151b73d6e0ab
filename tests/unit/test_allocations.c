/* SPDX-License-Identifier: MIT
 * test_allocations.c -- each alloc is joined to its frees, and lives add up to the replay's sums.
 */
#include "passes/allocations.h"
#include "tests/lib/mk_train.h"
#include "tests/lib/tap.h"

static void test_lives(void)
{
	struct mk_train t;
	struct allocations a;
	struct replay *r;
	struct error err;
	struct state s;
	stack_id one, two;
	size_t old, kept, x, y, z;

	mk_train_init(&t);
	one = mk_train_stack(&t, "/app/a.py:1 f", NULL);
	two = mk_train_stack(&t, "/app/a.py:2 g", NULL);
	old = mk_train_before(&t, 4 * MIB, one);
	kept = mk_train_before(&t, 5 * MIB, one);
	x = mk_train_alloc(&t, 2 * MIB, one);       /* event 0 */
	mk_train_free(&t, old, two);                /* 1, 2 */
	y = mk_train_alloc(&t, 3 * MIB, two);       /* 3, at the address of old */
	mk_train_free(&t, x, one);                  /* 4, 5 */
	z = mk_train_alloc(&t, 2 * MIB + 100, one); /* 6, at that of x */
	mk_model_event_of(&t.k, ACTION_FREE_REQUESTED, mk_train_address(z), 2 * MIB + 100,
			  (struct attr){.has_stream = true}, two); /* 7, never completed */
	mk_train_done(&t);
	t.k.m->blocks.at[t.k.m->segments.at[z].first_block].size += 412;
	t.k.m->blocks.at[t.k.m->segments.at[z].first_block].state = BLOCK_PENDING;
	t.k.m->blocks.at[t.k.m->segments.at[z].first_block + 1].address += 412;
	t.k.m->blocks.at[t.k.m->segments.at[z].first_block + 1].size -= 412;

	is_i64(replay_new(&r, t.k.m, &t.k.m->devices.at[0], &t.k.budget, &err), 0, "replayed");
	is_u64(replay_summary(r)->n_mismatches, 0, "the trace is sound");
	is_i64(allocations_run(&a, t.k.m, r, &t.k.m->devices.at[0], &t.k.budget, &err), 0,
	       "joined");
	is_u64(a.rows.n, 5, "five allocations");
	is_u64(a.n_before, 2, "of which two lived before");
	is_u64(a.rows.at[0].address, mk_train_address(old), "they come first, by address");
	is_i64(a.rows.at[0].born, EVENT_START, "born before");
	is_i64(a.rows.at[0].free_requested, 1, "freed");
	is_i64(a.rows.at[0].free_completed, 2, "and done");
	/* The file knows nothing of blocks that died in the trace. */
	is_u64(a.rows.at[0].stack.i, STACK_ABSENT.i, "its stack is lost");
	is_u64(a.rows.at[1].address, mk_train_address(kept), "one is kept");
	is_i64(a.rows.at[1].free_completed, ALLOCATION_ALIVE, "for ever");
	is_u64(a.rows.at[1].stack.i, one.i, "its stack is in the file");
	is_u64(allocations_of_event(&a, 0), 2, "the row of event 0");
	is_u64(allocations_of_event(&a, 1), ALLOCATION_NONE, "a free has none");
	is_u64(allocations_of_event(&a, 3), 3, "the row of event 3");
	is_u64(a.rows.at[3].address, mk_train_address(y), "at an address that was used before");
	is_i64(a.rows.at[2].free_requested, 4, "freed at 4");
	is_i64(a.rows.at[2].free_completed, 5, "done at 5");
	is_u64(allocation_free_stack(&a, 2).i, STACK_ABSENT.i, "an equal stack says nothing");
	is_u64(allocation_free_stack(&a, 0).i, two.i, "another one does");
	is_u64(a.rows.at[4].size, 2 * MIB + 512, "sizes are rounded");
	is_u64(a.rows.at[4].requested, 2 * MIB + 100, "requests are not");
	is_i64(a.rows.at[4].free_requested, 7, "a free that waits");
	is_i64(a.rows.at[4].free_completed, ALLOCATION_ALIVE, "is not done");
	ok(allocation_alive_at(&a.rows.at[4], 7), "and counts");
	ok(!allocation_alive_at(&a.rows.at[4], 5), "but not before its birth");
	ok(allocation_alive_at(&a.rows.at[0], EVENT_START), "the start is a moment");
	ok(!allocation_alive_at(&a.rows.at[0], 2), "a free ends a life");
	is_u64(allocations_at(&a, mk_train_address(y) + MIB, 3), 3, "by address: now");
	is_u64(allocations_at(&a, mk_train_address(y) + MIB, 0), 0, "by address: then");
	is_u64(allocations_at(&a, mk_train_address(y) + 8 * MIB, 3), ALLOCATION_NONE, "nothing");
	is_u64(allocation_place(&a, 4).stream, 0, "a stream");
	is_i64(allocations_time(&a, 3), 3, "the time of an event");
	is_i64(allocations_time(&a, EVENT_START), TIME_NONE, "the start has none");
	is_i64(allocations_time(&a, ALLOCATION_ALIVE), TIME_NONE, "nor has never");
	is_u64(a.n_vanished, 0, "none vanished");
	is_i64(replay_seek(r, 4, &err), 0, "to event 4");
	is_i64(replay_state(r, &s, &err), 0, "its state");
	for (size_t i = 0, n = 0; i < s.blocks.n; i++) {
		uint32_t row = allocations_of_block(&a, &s.blocks.at[i]);

		if (s.blocks.at[i].state == BLOCK_INACTIVE)
			is_u64(row, ALLOCATION_NONE, "a hole is no allocation");
		else
			is_u64(a.rows.at[row].address, s.blocks.at[i].address, "block %zu", n++);
	}
	state_release(&s);
	allocations_release(&a);
	replay_free(r);
	ok(mk_train_release(&t), "all memory was given back");
}

/* An alloc over a live block: the trace contradicts itself, and lives still end. */
static void test_vanished(void)
{
	struct mk_train t;
	struct allocations a;
	struct replay *r;
	struct error err;
	stack_id s;
	size_t x;

	mk_train_init(&t);
	s = mk_train_stack(&t, "/app/a.py:1 f", NULL);
	x = mk_train_alloc(&t, 2 * MIB, s);
	mk_model_event_of(&t.k, ACTION_ALLOC, mk_train_address(x), 2 * MIB,
			  (struct attr){.has_stream = true}, s);
	mk_train_done(&t);
	is_i64(replay_new(&r, t.k.m, &t.k.m->devices.at[0], &t.k.budget, &err), 0, "replayed");
	is_i64(allocations_run(&a, t.k.m, r, &t.k.m->devices.at[0], &t.k.budget, &err), 0,
	       "joined");
	is_u64(a.rows.n, 2, "two allocations at one address");
	is_u64(a.n_vanished, 1, "one of them vanished");
	is_i64(a.rows.at[0].free_completed, 1, "with the last event");
	is_i64(a.rows.at[1].free_completed, ALLOCATION_ALIVE, "the other lives");
	allocations_release(&a);
	replay_free(r);
	ok(mk_train_release(&t), "all memory was given back");
}

/* At every event of a real file, lives and the replay agree. */
static void check_file(const char *path)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct model *m;
	struct error err;

	if (!is_i64(model_load(&m, path, &options, &err), 0, "%s: opened", path))
		return;
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];
		VEC(int64_t) change = {0};
		struct allocations a;
		struct replay *r;
		uint64_t bytes = 0, wrong = 0;

		is_i64(replay_new(&r, m, d, &budget, &err), 0, "replayed");
		is_i64(allocations_run(&a, m, r, d, &budget, &err), 0, "joined");
		is_i64(vec_reserve(&change, d->n_events + 1, &budget, &err), 0, "room");
		for (uint64_t e = 0; e <= d->n_events; e++)
			change.at[e] = 0;
		for (size_t k = 0; k < a.rows.n; k++) {
			const struct allocation *x = &a.rows.at[k];

			change.at[x->born + 1] += (int64_t)x->size;
			if (x->free_completed != ALLOCATION_ALIVE)
				change.at[x->free_completed + 1] -= (int64_t)x->size;
		}
		is_i64(replay_seek(r, EVENT_START, &err), 0, "to the start");
		for (uint64_t e = 0; e <= d->n_events; e++) {
			bytes += (uint64_t)change.at[e];
			wrong += bytes != replay_totals(r)->active;
			if (replay_step(r, &err) < 0)
				break;
		}
		is_u64(wrong, 0, "active bytes at every event");
		vec_release(&change, &budget);
		allocations_release(&a);
		replay_free(r);
	}
	model_free(m);
	is_u64(budget.used, 0, "nothing is left");
}

int main(void)
{
	static const char *const files[] = {"oom_memory_fraction.pickle.zst",
					    "oom_small_ring.pickle.zst",
					    "oom_split_pinned.pickle.zst"};
	const char *folder = getenv("TESTDATA");
	char path[4096];

	test_lives();
	test_vanished();
	for (size_t i = 0; folder && i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		check_file(path);
	}
	return done_testing();
}
