/* SPDX-License-Identifier: MIT
 * allocations.c -- one walk over a replay that joins each alloc to its frees.
 */
#include "passes/allocations.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t global_event(const struct allocations *a, int64_t event)
{
	return a->device->first_event + (uint64_t)event;
}

static int compare_address(const void *x, const void *y)
{
	const struct allocation *a = x, *b = y;

	return (a->address > b->address) - (a->address < b->address);
}

/* Rows before event 0, which are sorted by address. */
static uint32_t find_before(const struct allocations *a, uint64_t address)
{
	struct allocation key = {.address = address};
	const struct allocation *found = NULL;

	if (a->n_before)
		found = bsearch(&key, a->rows.at, a->n_before, sizeof key, compare_address);
	return found ? (uint32_t)(found - a->rows.at) : ALLOCATION_NONE;
}

static int add_before(struct allocations *a, const struct state *s, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->segments.n && rc == 0; i++) {
		const struct state_segment *seg = &s->segments.at[i];
		struct allocation_place place = {seg->stream, seg->pool};

		for (uint64_t k = 0; k < seg->n_blocks && rc == 0; k++) {
			const struct state_block *b = &s->blocks.at[seg->first_block + k];
			struct allocation row = {
				.address = b->address,
				.size = b->size,
				.requested = b->requested,
				.born = EVENT_START,
				.free_requested =
					b->state == BLOCK_PENDING ? EVENT_START : ALLOCATION_ALIVE,
				.free_completed = ALLOCATION_ALIVE,
				.stack = b->stack,
			};

			if (b->state == BLOCK_INACTIVE)
				continue;
			rc = vec_push(&a->rows, row, a->budget, err);
			if (rc == 0)
				rc = vec_push(&a->places, place, a->budget, err);
		}
	}
	a->n_before = a->rows.n;
	return rc;
}

static int start(struct allocations *a, struct replay *r, struct error *err)
{
	struct state s = {0};
	int rc = replay_seek(r, EVENT_START, err);

	if (rc == 0)
		rc = replay_state(r, &s, err);
	if (rc == 0)
		rc = add_before(a, &s, err);
	state_release(&s);
	return rc;
}

uint32_t allocations_of_step(const struct allocations *a, const struct step *step)
{
	if (step->born >= 0)
		return a->of_event.at[step->born];
	return find_before(a, step->address);
}

static int note_alloc(struct allocations *a, const struct step *step, int64_t event,
		      struct error *err)
{
	struct allocation row = {
		.address = step->address,
		.size = step->size,
		.requested = step->requested,
		.born = (int32_t)event,
		.free_requested = ALLOCATION_ALIVE,
		.free_completed = ALLOCATION_ALIVE,
		.stack = step->born_stack,
	};

	struct allocation_pool pool = {(uint32_t)a->rows.n, step->pool};
	int rc = 0;

	a->of_event.at[event] = (uint32_t)a->rows.n;
	if (step->pool.a || step->pool.b)
		rc = vec_push(&a->pools, pool, a->budget, err);
	return rc < 0 ? rc : vec_push(&a->rows, row, a->budget, err);
}

static void note_free(struct allocations *a, const struct step *step, int64_t event)
{
	uint32_t i = allocations_of_step(a, step);
	struct allocation *row;

	if (i == ALLOCATION_NONE)
		return;
	row = &a->rows.at[i];
	if (row->free_requested == ALLOCATION_ALIVE)
		row->free_requested = (int32_t)event;
	if (step->action == ACTION_FREE_COMPLETED && row->free_completed == ALLOCATION_ALIVE)
		row->free_completed = (int32_t)event;
}

static int walk(struct allocations *a, struct replay *r, struct error *err)
{
	int rc;

	while ((rc = replay_step(r, err)) > 0) {
		const struct step *step = replay_last(r);
		int64_t event = replay_position(r);

		a->of_event.at[event] = ALLOCATION_NONE;
		if (!step->applied)
			continue;
		if (step->action == ACTION_ALLOC) {
			if ((rc = note_alloc(a, step, event, err)) < 0)
				return rc;
		} else if (step->action == ACTION_FREE_REQUESTED ||
			   step->action == ACTION_FREE_COMPLETED) {
			note_free(a, step, event);
		}
	}
	return rc;
}

/* A trace that contradicts itself (an alloc over a live block, a segment given back with one
 * inside) ends lives without a free. What the state after it does not hold is gone. */
static int end_vanished(struct allocations *a, const struct replay *r, struct error *err)
{
	VEC(uint8_t) alive = {0};
	struct state s = {0};
	int rc = vec_reserve(&alive, a->rows.n + 1, a->budget, err);

	if (rc < 0 || (rc = replay_state(r, &s, err)) < 0)
		goto out;
	for (size_t i = 0; i < a->rows.n; i++)
		alive.at[i] = 0;
	for (size_t i = 0; i < s.blocks.n; i++) {
		uint32_t row = allocations_of_block(a, &s.blocks.at[i]);

		if (row != ALLOCATION_NONE)
			alive.at[row] = 1;
	}
	for (size_t i = 0; i < a->rows.n; i++) {
		struct allocation *x = &a->rows.at[i];

		if (x->free_completed != ALLOCATION_ALIVE || alive.at[i])
			continue;
		if (x->free_requested == ALLOCATION_ALIVE)
			x->free_requested = (int32_t)s.event;
		x->free_completed = (int32_t)s.event;
		a->n_vanished++;
	}
out:
	state_release(&s);
	vec_release(&alive, a->budget);
	return rc;
}

int allocations_run(struct allocations *out, const struct model *m, struct replay *r,
		    const struct device *d, struct budget *budget, struct error *err)
{
	struct allocations a = {.budget = budget, .model = m, .device = d};
	struct error own;
	int rc;

	if (!err)
		err = &own; /* vec_push reads it */
	if ((rc = vec_reserve(&a.of_event, d->n_events + 1, budget, err)) < 0)
		goto out;
	a.of_event.n = d->n_events;
	if ((rc = start(&a, r, err)) < 0 || (rc = walk(&a, r, err)) < 0)
		goto out;
	if (replay_summary(r)->n_mismatches > 0 && (rc = end_vanished(&a, r, err)) < 0)
		goto out;
	*out = a;
	a = (struct allocations){.budget = budget};
out:
	allocations_release(&a);
	return rc < 0 ? rc : 0;
}

void allocations_release(struct allocations *a)
{
	if (!a || !a->budget)
		return;
	vec_release(&a->rows, a->budget);
	vec_release(&a->places, a->budget);
	vec_release(&a->pools, a->budget);
	vec_release(&a->of_event, a->budget);
	a->budget = NULL;
}

uint32_t allocations_of_block(const struct allocations *a, const struct state_block *b)
{
	if (b->state == BLOCK_INACTIVE)
		return ALLOCATION_NONE;
	if (b->born >= 0)
		return a->of_event.at[b->born];
	return find_before(a, b->address);
}

uint32_t allocations_at(const struct allocations *a, uint64_t address, int64_t event)
{
	for (size_t i = a->rows.n; i-- > 0;) {
		const struct allocation *x = &a->rows.at[i];

		if (allocation_alive_at(x, event) && address >= x->address &&
		    address - x->address < x->size)
			return (uint32_t)i;
	}
	return ALLOCATION_NONE;
}

attr_id allocation_attr(const struct allocations *a, uint32_t row)
{
	int32_t born = a->rows.at[row].born;

	return born < 0 ? (attr_id){0} : a->model->events.attr.at[global_event(a, born)];
}

static int compare_pool(const void *key, const void *element)
{
	const uint32_t row = *(const uint32_t *)key;
	const struct allocation_pool *pool = element;

	return (row > pool->row) - (row < pool->row);
}

static struct pool_id segment_pool(const struct allocations *a, uint32_t row)
{
	const struct allocation_pool *found = NULL;

	if (a->pools.n)
		found = bsearch(&row, a->pools.at, a->pools.n, sizeof *a->pools.at, compare_pool);
	return found ? found->pool : (struct pool_id){0, 0};
}

struct allocation_place allocation_place(const struct allocations *a, uint32_t row)
{
	const struct attr *attr;

	assert(row < a->rows.n);
	if (row < a->n_before)
		return a->places.at[row];
	attr = &a->model->attrs.at[allocation_attr(a, row).i];
	return (struct allocation_place){attr->stream,
					 attr->has_pool ? attr->pool : segment_pool(a, row)};
}

stack_id allocation_free_stack(const struct allocations *a, uint32_t row)
{
	const struct allocation *x = &a->rows.at[row];
	stack_id stack;

	if (x->free_requested < 0 || x->free_requested == ALLOCATION_ALIVE)
		return STACK_ABSENT;
	stack = a->model->events.stack.at[global_event(a, x->free_requested)];
	return stack.i == x->stack.i ? STACK_ABSENT : stack;
}
