/* SPDX-License-Identifier: MIT
 * runs.c -- disjoint address ranges in order: which one holds an address, which comes next.
 */
#include "replay/runs.h"

#include <assert.h>

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void runs_init(struct runs *r, struct budget *budget)
{
	ordered_init(&r->order, sizeof(struct run), compare_runs, budget);
}

void runs_clear(struct runs *r)
{
	ordered_clear(&r->order);
}

void runs_release(struct runs *r)
{
	ordered_release(&r->order);
}

/* The first run that starts behind `address`; no run starts at the last byte of all. */
static struct ordered_at place_behind(const struct runs *r, uint64_t address)
{
	struct run key = {.start = address == UINT64_MAX ? address : address + 1};

	return ordered_from(&r->order, &key);
}

struct run *runs_before(const struct runs *r, uint64_t address)
{
	return ordered_before(&r->order, place_behind(r, address));
}

struct run *runs_holding(const struct runs *r, uint64_t address)
{
	struct run *run = runs_before(r, address);

	return run && address < run->end ? run : NULL;
}

struct run *runs_behind(const struct runs *r, uint64_t address)
{
	return ordered_get(&r->order, place_behind(r, address));
}

struct run *runs_overlap(const struct runs *r, uint64_t start, uint64_t end)
{
	struct run *run = start < end ? runs_holding(r, start) : NULL;

	if (run || start >= end)
		return run;
	run = runs_behind(r, start);
	return run && run->start < end ? run : NULL;
}

uint64_t runs_next_start(const struct runs *r, uint64_t address)
{
	const struct run *run = runs_behind(r, address);

	return run ? run->start : UINT64_MAX;
}

struct run *runs_get(const struct runs *r, struct run_at p)
{
	return ordered_get(&r->order, p.at);
}

struct run_at runs_next(const struct runs *r, struct run_at p)
{
	return (struct run_at){ordered_next(&r->order, p.at)};
}

int runs_insert(struct runs *r, struct run run, struct error *err)
{
	assert(run.start < run.end && !runs_overlap(r, run.start, run.end));
	return ordered_insert(&r->order, &run, err);
}

void runs_remove(struct runs *r, uint64_t start)
{
	ordered_remove(&r->order, ordered_from(&r->order, &(struct run){.start = start}));
}
