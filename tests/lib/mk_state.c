/* SPDX-License-Identifier: MIT
 * mk_state.c -- a model with a few stacks and a state of one device, written down line by line.
 */
#include "tests/lib/mk_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int rc, const struct error *err)
{
	if (rc == 0)
		return;
	printf("Bail out! %s\n", err->text);
	exit(0);
}

void mk_state_init(struct mk_state *k)
{
	struct error err = {0};

	*k = (struct mk_state){.budget = {.limit = UINT64_MAX}, .next_address = UINT64_C(1) << 32};
	must(model_new(&k->m, &k->budget, &err), &err);
	must(model_finish(k->m, &err), &err);
	k->s.budget = &k->budget;
	k->s.device = &k->device;
	k->s.event = EVENT_START;
	k->s.exact = true;
}

void mk_state_release(struct mk_state *k)
{
	state_release(&k->s);
	model_free(k->m);
	if (k->budget.used)
		printf("Bail out! %llu bytes are still taken\n",
		       (unsigned long long)k->budget.used);
}

static frame_id mk_frame(struct mk_state *k, const char *words)
{
	const char *colon = strrchr(words, ':'), *blank;
	struct error err = {0};
	struct frame f = {0};
	frame_id id;

	/* C++ names hold colons: the one before the line is the last with a digit behind it. */
	while (colon && (colon[1] < '0' || colon[1] > '9'))
		colon = memrchr(words, ':', (size_t)(colon - words));
	if (!colon || !(blank = strchr(colon, ' '))) {
		printf("Bail out! no frame: %s\n", words);
		exit(0);
	}
	must(strtab_add(&k->m->strings, words, (size_t)(colon - words), &f.file, &err), &err);
	must(strtab_add(&k->m->strings, blank + 1, strlen(blank + 1), &f.name, &err), &err);
	f.line = strtoll(colon + 1, NULL, 10);
	must(stacks_add_frame(&k->m->stacks, f, &id, &err), &err);
	return id;
}

stack_id mk_stack(struct mk_state *k, ...)
{
	struct error err = {0};
	const char *words;
	frame_id frames[16];
	stack_id id;
	size_t n = 0;
	va_list ap;

	va_start(ap, k);
	while (n < 16 && (words = va_arg(ap, const char *)))
		frames[n++] = mk_frame(k, words);
	va_end(ap);
	must(stacks_add(&k->m->stacks, frames, n, &id, &err), &err);
	return id;
}

struct state_segment *mk_segment(struct mk_state *k, enum pool_kind kind, uint64_t stream)
{
	struct error err = {0};
	struct state_segment seg = {
		.address = k->next_address,
		.stream = stream,
		.born = EVENT_START,
		.first_block = k->s.blocks.n,
		.kind = (uint8_t)kind,
	};

	must(vec_push(&k->s.segments, seg, &k->budget, &err), &err);
	return &k->s.segments.at[k->s.segments.n - 1];
}

struct state_block *mk_block(struct mk_state *k, char state, uint64_t size, stack_id stack)
{
	struct state_segment *seg = &k->s.segments.at[k->s.segments.n - 1];
	struct error err = {0};
	struct state_block b = {
		.address = k->next_address,
		.size = size,
		.requested = state == '.' ? 0 : size,
		.born = EVENT_START,
		.free_requested = EVENT_START,
		.stack = stack,
		.state = state == 'a'   ? BLOCK_ACTIVE
			 : state == 'p' ? BLOCK_PENDING
					: BLOCK_INACTIVE,
	};

	must(vec_push(&k->s.blocks, b, &k->budget, &err), &err);
	k->next_address += size;
	seg->n_blocks++;
	seg->size += size;
	return &k->s.blocks.at[k->s.blocks.n - 1];
}

void mk_state_done(struct mk_state *k)
{
	struct totals *t = &k->s.totals;

	for (size_t i = 0; i < k->s.segments.n; i++) {
		struct state_segment *seg = &k->s.segments.at[i];

		t->reserved += seg->size;
		for (uint64_t b = 0; b < seg->n_blocks; b++) {
			const struct state_block *block = &k->s.blocks.at[seg->first_block + b];

			if (block->state == BLOCK_ACTIVE)
				seg->allocated += block->size;
			if (block->state != BLOCK_INACTIVE) {
				seg->active += block->size;
				seg->requested += block->requested;
			}
		}
		t->allocated += seg->allocated;
		t->active += seg->active;
		t->requested += seg->requested;
	}
}
