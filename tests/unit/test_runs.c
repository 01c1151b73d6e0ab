/* SPDX-License-Identifier: MIT
 * test_runs.c -- the ordered ranges against a plain array of cells.
 */
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

#include "replay/runs.h"

#define N_CELLS 3000

/* owner[i]: start + 1 of the run that covers cell i, or 0. */
static uint32_t owner[N_CELLS];

static bool agrees(const struct runs *r)
{
	struct run *run;
	uint64_t at = 0;
	size_t n = 0;

	for (struct run_at p = {0}; (run = runs_get(r, p)); p = runs_next(r, p), n++) {
		for (; at < run->start; at++)
			if (owner[at])
				return false;
		for (; at < run->end; at++)
			if (owner[at] != run->start + 1)
				return false;
	}
	return n == runs_count(r);
}

static bool finds(const struct runs *r, uint64_t cell, uint64_t end)
{
	const struct run *run = runs_holding(r, cell), *over = runs_overlap(r, cell, end);
	uint64_t next = cell + 1, first = cell;

	if ((run ? run->start + 1 : 0) != owner[cell])
		return false;
	while (next < N_CELLS && owner[next] != next + 1)
		next++;
	if (runs_next_start(r, cell) != (next < N_CELLS ? next : UINT64_MAX))
		return false;
	while (first < end && !owner[first])
		first++;
	return (over ? over->start + 1 : 0) == (first < end ? owner[first] : 0);
}

int main(void)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct mini dice = {.random = 42};
	bool same = true, found = true;
	struct error err;
	struct runs r;
	size_t most = 0;

	runs_init(&r, &budget);
	ok(!runs_before(&r, 5) && !runs_holding(&r, 5) && !runs_overlap(&r, 0, 9),
	   "nothing is found where nothing is");
	for (int i = 0; i < 20000 && same && found; i++) {
		uint64_t cell = mini_random(&dice, N_CELLS - 8);
		uint64_t end = cell + 1 + mini_random(&dice, 5);

		if (!runs_overlap(&r, cell, end) && mini_random(&dice, 3)) {
			if (runs_insert(&r, (struct run){cell, end, 0}, &err) < 0)
				return 1;
			for (uint64_t k = cell; k < end; k++)
				owner[k] = (uint32_t)cell + 1;
		} else if (owner[cell] && mini_random(&dice, i < 10000 ? 4 : 2) == 0) {
			uint64_t start = owner[cell] - 1;

			for (uint64_t k = start; k < N_CELLS && owner[k] == start + 1; k++)
				owner[k] = 0;
			runs_remove(&r, start);
		}
		most = runs_count(&r) > most ? runs_count(&r) : most;
		if (i % 100 == 0)
			same = agrees(&r);
		found = finds(&r, cell, end);
	}
	ok(same, "the order is that of the cells");
	ok(found, "every address finds its run, the next one, and what overlaps");
	ok(most > 2 * ORDERED_PER_CHUNK, "several chunks were filled (%zu runs)", most);
	runs_clear(&r);
	ok(!runs_count(&r) && !runs_get(&r, (struct run_at){0}), "cleared, nothing is left");
	runs_release(&r);
	is_u64(budget.used, 0, "all memory is given back");
	return done_testing();
}
