/* SPDX-License-Identifier: MIT
 * mk_run.c -- a model of a long run, allocation by allocation, of any size and any number.
 */
#include "tests/lib/mk_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int rc, const struct error *err)
{
	if (rc >= 0)
		return;
	printf("Bail out! a test run could not be made: %s\n", err->text);
	exit(1);
}

void mk_run_init(struct mk_run *r)
{
	*r = (struct mk_run){.next = UINT64_C(0x7f0000000000), .random = 88172645463325252u};
	mk_model_init(&r->k);
	mk_model_device(&r->k, 0);
}

bool mk_run_release(struct mk_run *r)
{
	free(r->slots);
	r->slots = NULL;
	return mk_model_release(&r->k);
}

stack_id mk_run_stack(struct mk_run *r, const char *frame)
{
	const char *colon = strrchr(frame, ':'), *space = colon ? strchr(colon, ' ') : NULL;
	char file[512];

	if (!space || (size_t)(colon - frame) >= sizeof file) {
		printf("Bail out! '%s' is no frame\n", frame);
		exit(1);
	}
	memcpy(file, frame, (size_t)(colon - frame));
	file[colon - frame] = '\0';
	return mk_model_stack(&r->k, file, strtol(colon + 1, NULL, 10), space + 1);
}

int64_t mk_run_events(const struct mk_run *r)
{
	return (int64_t)r->k.m->events.action.n;
}

static void event(struct mk_run *r, enum action action, uint64_t address, uint64_t size,
		  stack_id stack)
{
	size_t row = mk_model_event_of(&r->k, action, address, size,
				       (struct attr){.has_stream = true}, stack);

	r->k.m->events.time_us.at[row] = (int64_t)row * 1000;
}

static size_t add_slot(struct mk_run *r, uint64_t size, stack_id stack, uint8_t state)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->slots = realloc(r->slots, r->cap * sizeof *r->slots);
		if (!r->slots) {
			printf("Bail out! out of memory\n");
			exit(1);
		}
	}
	r->slots[r->n] = (struct mk_run_slot){r->next, size, stack, state};
	r->next += size + 2 * MIB;
	return r->n++;
}

size_t mk_run_alloc(struct mk_run *r, uint64_t size, stack_id stack)
{
	size_t slot = add_slot(r, size, stack, BLOCK_ACTIVE);

	event(r, ACTION_ALLOC, r->slots[slot].address, size, stack);
	return slot;
}

size_t mk_run_before(struct mk_run *r, uint64_t size, stack_id stack)
{
	return add_slot(r, size, stack, BLOCK_ACTIVE);
}

void mk_run_free_later(struct mk_run *r, size_t slot)
{
	struct mk_run_slot *s = &r->slots[slot];

	event(r, ACTION_FREE_REQUESTED, s->address, s->size, s->stack);
	s->state = BLOCK_PENDING;
}

void mk_run_free(struct mk_run *r, size_t slot)
{
	struct mk_run_slot *s = &r->slots[slot];

	mk_run_free_later(r, slot);
	event(r, ACTION_FREE_COMPLETED, s->address, s->size, s->stack);
	s->state = BLOCK_INACTIVE;
}

void mk_run_reserve(struct mk_run *r, uint64_t size)
{
	size_t slot = add_slot(r, size, STACK_ABSENT, BLOCK_INACTIVE);

	event(r, ACTION_SEGMENT_ALLOC, r->slots[slot].address, size, STACK_ABSENT);
}

void mk_run_mark(struct mk_run *r, const char *name, bool is_end)
{
	struct annotation a = {.is_end = is_end, .time_us = mk_run_events(r) * 1000 - 500};
	struct error err;

	must(strtab_add(&r->k.m->strings, name, strlen(name), &a.name, &err), &err);
	must(vec_push(&r->k.m->annotations, a, &r->k.budget, (&err)), &err);
}

void mk_run_oom(struct mk_run *r, uint64_t requested, uint64_t device_free)
{
	event(r, ACTION_OOM, device_free, requested, STACK_ABSENT);
}

uint64_t mk_run_random(struct mk_run *r, uint64_t below)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random % below;
}

void mk_run_done(struct mk_run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct mk_run_slot *s = &r->slots[i];
		enum block_state state = (enum block_state)s->state;

		mk_model_segment(&r->k, s->address, s->size,
				 s->size > MIB ? POOL_LARGE : POOL_SMALL);
		mk_model_block(&r->k, state, s->size, s->size)->stack = s->stack;
	}
	mk_model_done(&r->k);
}
