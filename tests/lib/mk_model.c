/* SPDX-License-Identifier: MIT
 * mk_model.c -- a model of a trace and its final segments, written down line by line.
 */
#include "tests/lib/mk_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error error_of_setup;

static void must(int rc)
{
	if (rc >= 0)
		return;
	printf("Bail out! a test model could not be made: %s\n", error_of_setup.text);
	exit(1);
}

#define ERR (&error_of_setup)

void mk_model_init(struct mk_model *k)
{
	k->budget = (struct budget){.limit = UINT64_MAX};
	must(model_new(&k->m, &k->budget, ERR));
	k->m->has_segments = k->m->has_traces = true;
}

bool mk_model_release(struct mk_model *k)
{
	model_free(k->m);
	k->m = NULL;
	return k->budget.used == 0;
}

void mk_model_done(struct mk_model *k)
{
	must(model_finish(k->m, ERR));
	must(model_check(k->m, ERR));
}

static struct device *last_device(struct mk_model *k)
{
	return &k->m->devices.at[k->m->devices.n - 1];
}

void mk_model_device(struct mk_model *k, int32_t index)
{
	struct device d = {
		.index = index,
		.first_event = k->m->events.action.n,
		.first_segment = k->m->segments.n,
		.max_entries = BYTES_NONE,
		.trace_meets_segments = true,
	};

	must(vec_push(&k->m->devices, d, &k->budget, ERR));
}

static attr_id attr_row(struct mk_model *k, struct attr attr)
{
	struct model *m = k->m;

	for (size_t i = 0; i < m->attrs.n; i++) {
		const struct attr *a = &m->attrs.at[i];

		if (a->stream == attr.stream && a->has_stream == attr.has_stream &&
		    a->pool.a == attr.pool.a && a->pool.b == attr.pool.b &&
		    a->has_pool == attr.has_pool && a->action_name.i == attr.action_name.i)
			return (attr_id){(uint32_t)i};
	}
	must(vec_push(&m->attrs, attr, &k->budget, ERR));
	return (attr_id){(uint32_t)(m->attrs.n - 1)};
}

size_t mk_model_event_of(struct mk_model *k, enum action action, uint64_t addr, uint64_t size,
			 struct attr attr, stack_id stack)
{
	struct events *e = &k->m->events;
	struct budget *b = &k->budget;
	attr_id row = attr_row(k, attr);

	must(vec_push(&e->action, (uint8_t)action, b, ERR));
	must(vec_push(&e->addr, addr, b, ERR));
	must(vec_push(&e->size, size, b, ERR));
	must(vec_push(&e->time_us, (int64_t)last_device(k)->n_events, b, ERR));
	must(vec_push(&e->stack, stack, b, ERR));
	must(vec_push(&e->attr, row, b, ERR));
	last_device(k)->n_events++;
	return e->action.n - 1;
}

size_t mk_model_event(struct mk_model *k, enum action action, uint64_t addr, uint64_t size)
{
	return mk_model_event_of(k, action, addr, size, (struct attr){.has_stream = true},
				 STACK_ABSENT);
}

struct segment *mk_model_segment(struct mk_model *k, uint64_t address, uint64_t size,
				 enum pool_kind kind)
{
	struct segment s = {
		.address = address,
		.total_size = size,
		.first_block = k->m->blocks.n,
		.device = last_device(k)->index,
		.kind = (uint8_t)kind,
		.has_pool = true,
	};

	must(vec_push(&k->m->segments, s, &k->budget, ERR));
	return &k->m->segments.at[k->m->segments.n - 1];
}

struct block *mk_model_block(struct mk_model *k, enum block_state state, uint64_t size,
			     uint64_t requested)
{
	struct segment *s = &k->m->segments.at[k->m->segments.n - 1];
	struct block b = {
		.address = s->address,
		.size = size,
		.requested_size = requested,
		.state = (uint8_t)state,
	};

	for (uint64_t i = 0; i < s->n_blocks; i++)
		b.address += k->m->blocks.at[s->first_block + i].size;
	s->n_blocks++;
	if (state == BLOCK_ACTIVE)
		s->allocated_size += size;
	if (state != BLOCK_INACTIVE) {
		s->active_size += size;
		s->requested_size += requested;
	}
	must(vec_push(&k->m->blocks, b, &k->budget, ERR));
	return &k->m->blocks.at[k->m->blocks.n - 1];
}

stack_id mk_model_stack(struct mk_model *k, const char *file, int64_t line, const char *name)
{
	struct frame frame = {.line = line};
	frame_id id;
	stack_id stack;

	must(strtab_add(&k->m->strings, file, strlen(file), &frame.file, ERR));
	must(strtab_add(&k->m->strings, name, strlen(name), &frame.name, ERR));
	must(stacks_add_frame(&k->m->stacks, frame, &id, ERR));
	must(stacks_add(&k->m->stacks, &id, 1, &stack, ERR));
	return stack;
}
