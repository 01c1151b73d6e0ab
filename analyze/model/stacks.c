/* SPDX-License-Identifier: MIT
 * stacks.c -- interning frames and stacks by value.
 */
#include "model/stacks.h"

#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS 256u

static uint32_t *slots_new(struct budget *b, size_t n, struct error *err)
{
	uint32_t *slots = budget_realloc(b, NULL, 0, n * sizeof *slots, err);

	if (slots)
		memset(slots, 0, n * sizeof *slots);
	return slots;
}

int stacks_init(struct stacks *s, struct budget *budget, struct error *err)
{
	int rc = ERR_NONE;

	*s = (struct stacks){.budget = budget};
	/* Frame 0 is unused; stacks 0 and 1 are both without frames, start[2] ends stack 1. */
	if ((rc = vec_push(&s->frames, (struct frame){0}, budget, err)) < 0 ||
	    (rc = vec_push(&s->start, 0, budget, err)) < 0 ||
	    (rc = vec_push(&s->start, 0, budget, err)) < 0 ||
	    (rc = vec_push(&s->start, 0, budget, err)) < 0 ||
	    (rc = vec_push(&s->hashes, 0, budget, err)) < 0 ||
	    (rc = vec_push(&s->hashes, 0, budget, err)) < 0)
		goto fail;
	s->frame_slots = slots_new(budget, FIRST_SLOTS, err);
	if (!s->frame_slots) {
		rc = err->code;
		goto fail;
	}
	s->n_frame_slots = FIRST_SLOTS;
	s->stack_slots = slots_new(budget, FIRST_SLOTS, err);
	if (!s->stack_slots) {
		rc = err->code;
		goto fail;
	}
	s->n_stack_slots = FIRST_SLOTS;
	return 0;
fail:
	stacks_release(s);
	return rc;
}

void stacks_release(struct stacks *s)
{
	if (!s->budget)
		return;
	vec_release(&s->frames, s->budget);
	vec_release(&s->pool, s->budget);
	vec_release(&s->start, s->budget);
	vec_release(&s->hashes, s->budget);
	budget_free(s->budget, s->frame_slots, s->n_frame_slots * sizeof *s->frame_slots);
	budget_free(s->budget, s->stack_slots, s->n_stack_slots * sizeof *s->stack_slots);
	s->frame_slots = s->stack_slots = NULL;
	s->n_frame_slots = s->n_stack_slots = 0;
}

static uint64_t frame_hash(const struct frame *f)
{
	return hash_combine(hash_u64((uint64_t)f->name.i << 32 | f->file.i), (uint64_t)f->line);
}

static size_t frame_slot(const struct stacks *s, const struct frame *f)
{
	size_t mask = s->n_frame_slots - 1;
	size_t i = frame_hash(f) & mask;

	for (; s->frame_slots[i]; i = (i + 1) & mask) {
		const struct frame *have = &s->frames.at[s->frame_slots[i]];

		if (have->name.i == f->name.i && have->file.i == f->file.i && have->line == f->line)
			break;
	}
	return i;
}

static int frames_grow(struct stacks *s, struct error *err)
{
	size_t n = s->n_frame_slots * 2;
	uint32_t *slots = slots_new(s->budget, n, err);

	if (!slots)
		return err->code;
	budget_free(s->budget, s->frame_slots, s->n_frame_slots * sizeof *slots);
	s->frame_slots = slots;
	s->n_frame_slots = n;
	for (uint32_t row = 1; row < s->frames.n; row++)
		slots[frame_slot(s, &s->frames.at[row])] = row;
	return 0;
}

int stacks_add_frame(struct stacks *s, struct frame frame, frame_id *out, struct error *err)
{
	size_t slot = frame_slot(s, &frame);
	int rc;

	if (s->frame_slots[slot]) {
		out->i = s->frame_slots[slot];
		return 0;
	}
	if (s->frames.n > UINT32_MAX / 4)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many distinct frames");
	if (s->frames.n * 2 >= s->n_frame_slots) {
		rc = frames_grow(s, err);
		if (rc < 0)
			return rc;
		slot = frame_slot(s, &frame);
	}
	rc = vec_push(&s->frames, frame, s->budget, err);
	if (rc < 0)
		return rc;
	out->i = (uint32_t)s->frames.n - 1;
	s->frame_slots[slot] = out->i;
	return 0;
}

static uint32_t stack_hash(const frame_id *frames, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ frames[i].i) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static size_t stack_slot(const struct stacks *s, const frame_id *frames, size_t n, uint32_t hash)
{
	size_t mask = s->n_stack_slots - 1;
	size_t i = hash & mask;

	for (; s->stack_slots[i]; i = (i + 1) & mask) {
		uint32_t row = s->stack_slots[i];

		if (s->hashes.at[row] == hash && stacks_depth(s, (stack_id){row}) == n &&
		    memcmp(&s->pool.at[s->start.at[row]], frames, n * sizeof *frames) == 0)
			break;
	}
	return i;
}

static int stacks_grow(struct stacks *s, struct error *err)
{
	size_t n = s->n_stack_slots * 2;
	uint32_t *slots = slots_new(s->budget, n, err);

	if (!slots)
		return err->code;
	budget_free(s->budget, s->stack_slots, s->n_stack_slots * sizeof *slots);
	s->stack_slots = slots;
	s->n_stack_slots = n;
	for (uint32_t row = 2; row < s->hashes.n; row++) {
		size_t i = s->hashes.at[row] & (n - 1);

		while (slots[i])
			i = (i + 1) & (n - 1);
		slots[i] = row;
	}
	return 0;
}

static int stack_insert(struct stacks *s, const frame_id *frames, size_t n, uint32_t hash,
			stack_id *out, struct error *err)
{
	int rc;

	if (s->hashes.n > UINT32_MAX / 4)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many distinct stacks");
	if (s->hashes.n * 2 >= s->n_stack_slots && (rc = stacks_grow(s, err)) < 0)
		return rc;
	if ((rc = vec_reserve(&s->pool, n, s->budget, err)) < 0 ||
	    (rc = vec_reserve(&s->start, 1, s->budget, err)) < 0 ||
	    (rc = vec_push(&s->hashes, hash, s->budget, err)) < 0)
		return rc;
	memcpy(&s->pool.at[s->pool.n], frames, n * sizeof *frames);
	s->pool.n += n;
	s->start.at[s->start.n++] = s->pool.n;
	out->i = (uint32_t)s->hashes.n - 1;
	/* Found again rather than kept: growing has moved the slots. */
	size_t i = hash & (s->n_stack_slots - 1);
	while (s->stack_slots[i])
		i = (i + 1) & (s->n_stack_slots - 1);
	s->stack_slots[i] = out->i;
	return 0;
}

int stacks_add(struct stacks *s, const frame_id *frames, size_t n, stack_id *out, struct error *err)
{
	if (n == 0) {
		*out = STACK_EMPTY;
		return 0;
	}
	uint32_t hash = stack_hash(frames, n);
	uint32_t row = s->stack_slots[stack_slot(s, frames, n, hash)];

	if (row) {
		out->i = row;
		return 0;
	}
	return stack_insert(s, frames, n, hash, out, err);
}

size_t stacks_count(const struct stacks *s)
{
	return s->hashes.n - 2;
}

size_t stacks_frame_count(const struct stacks *s)
{
	return s->frames.n - 1;
}

bool stacks_are_unique(const struct stacks *s)
{
	for (uint32_t i = 1; i < s->frames.n; i++)
		if (s->frame_slots[frame_slot(s, &s->frames.at[i])] != i)
			return false;
	for (uint32_t i = 2; i < s->hashes.n; i++) {
		const frame_id *frames = &s->pool.at[s->start.at[i]];
		size_t n = stacks_depth(s, (stack_id){i});

		if (s->stack_slots[stack_slot(s, frames, n, stack_hash(frames, n))] != i)
			return false;
	}
	return true;
}
