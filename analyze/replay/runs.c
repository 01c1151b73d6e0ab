/* SPDX-License-Identifier: MIT
 * runs.c -- disjoint address ranges in order: which one holds an address, which comes next.
 */
#include "replay/runs.h"

#include <assert.h>
#include <string.h>

void runs_init(struct runs *r, struct budget *budget)
{
	*r = (struct runs){.budget = budget};
}

void runs_clear(struct runs *r)
{
	for (size_t i = 0; i < r->chunks.n; i++)
		budget_free(r->budget, r->chunks.at[i], sizeof *r->chunks.at[i]);
	r->chunks.n = 0;
	r->n = 0;
}

void runs_release(struct runs *r)
{
	if (!r->budget)
		return;
	runs_clear(r);
	vec_release(&r->chunks, r->budget);
}

/* Number of chunks whose first run starts at or before `address`. */
static size_t chunks_before(const struct runs *r, uint64_t address)
{
	size_t low = 0, high = r->chunks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (r->chunks.at[mid]->at[0].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint32_t runs_before_in(const struct run_chunk *c, uint64_t address)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (c->at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Place of the first run that starts behind `address`; may be one past the last of all. */
static struct run_at place_behind(const struct runs *r, uint64_t address)
{
	size_t k = chunks_before(r, address);
	uint32_t i;

	if (!k)
		return (struct run_at){0, 0};
	i = runs_before_in(r->chunks.at[k - 1], address);
	if (i == r->chunks.at[k - 1]->n)
		return (struct run_at){k, 0};
	return (struct run_at){k - 1, i};
}

struct run *runs_before(const struct runs *r, uint64_t address)
{
	size_t k = chunks_before(r, address);

	if (!k)
		return NULL;
	return &r->chunks.at[k - 1]->at[runs_before_in(r->chunks.at[k - 1], address) - 1];
}

struct run *runs_holding(const struct runs *r, uint64_t address)
{
	struct run *run = runs_before(r, address);

	return run && address < run->end ? run : NULL;
}

struct run *runs_overlap(const struct runs *r, uint64_t start, uint64_t end)
{
	struct run *run = start < end ? runs_holding(r, start) : NULL;

	if (run || start >= end)
		return run;
	run = runs_get(r, place_behind(r, start));
	return run && run->start < end ? run : NULL;
}

uint64_t runs_next_start(const struct runs *r, uint64_t address)
{
	const struct run *run = runs_get(r, place_behind(r, address));

	return run ? run->start : UINT64_MAX;
}

struct run *runs_get(const struct runs *r, struct run_at p)
{
	if (p.chunk >= r->chunks.n)
		return NULL;
	assert(p.i < r->chunks.at[p.chunk]->n);
	return &r->chunks.at[p.chunk]->at[p.i];
}

struct run_at runs_next(const struct runs *r, struct run_at p)
{
	if (p.i + 1 < r->chunks.at[p.chunk]->n)
		return (struct run_at){p.chunk, p.i + 1};
	return (struct run_at){p.chunk + 1, 0};
}

/* A new chunk at place k that holds the last `take` runs of the one before it. */
static int add_chunk(struct runs *r, size_t k, uint32_t take, struct error *err)
{
	struct run_chunk *c;
	int rc = vec_reserve(&r->chunks, 1, r->budget, err);

	if (rc < 0)
		return rc;
	c = budget_realloc(r->budget, NULL, 0, sizeof *c, err);
	if (!c)
		return (int)err->code;
	memmove(&r->chunks.at[k + 1], &r->chunks.at[k], (r->chunks.n - k) * sizeof r->chunks.at[0]);
	r->chunks.at[k] = c;
	r->chunks.n++;
	c->n = take;
	if (take) {
		struct run_chunk *left = r->chunks.at[k - 1];

		left->n -= take;
		memcpy(c->at, &left->at[left->n], take * sizeof c->at[0]);
	}
	return 0;
}

int runs_insert(struct runs *r, struct run run, struct error *err)
{
	size_t k = chunks_before(r, run.start);
	struct run_chunk *c;
	uint32_t i;
	int rc;

	assert(run.start < run.end && !runs_overlap(r, run.start, run.end));
	if (!r->chunks.n) {
		rc = add_chunk(r, 0, 0, err);
		if (rc < 0)
			return rc;
	}
	k = k ? k - 1 : 0;
	if (r->chunks.at[k]->n == RUNS_PER_CHUNK) {
		rc = add_chunk(r, k + 1, RUNS_PER_CHUNK / 2, err);
		if (rc < 0)
			return rc;
		if (r->chunks.at[k + 1]->at[0].start <= run.start)
			k++;
	}
	c = r->chunks.at[k];
	i = runs_before_in(c, run.start);
	memmove(&c->at[i + 1], &c->at[i], (c->n - i) * sizeof c->at[0]);
	c->at[i] = run;
	c->n++;
	r->n++;
	return 0;
}

void runs_remove(struct runs *r, uint64_t start)
{
	size_t k = chunks_before(r, start) - 1;
	struct run_chunk *c = r->chunks.at[k];
	uint32_t i = runs_before_in(c, start) - 1;

	assert(c->at[i].start == start);
	c->n--;
	memmove(&c->at[i], &c->at[i + 1], (c->n - i) * sizeof c->at[0]);
	r->n--;
	if (c->n)
		return;
	budget_free(r->budget, c, sizeof *c);
	r->chunks.n--;
	memmove(&r->chunks.at[k], &r->chunks.at[k + 1], (r->chunks.n - k) * sizeof r->chunks.at[0]);
}
