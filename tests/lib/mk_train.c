/* SPDX-License-Identifier: MIT
 * mk_train.c -- a model of a training program's trace, written down allocation by allocation.
 */
#include "tests/lib/mk_train.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE         UINT64_C(0x7f0000000000)
#define SEGMENT_SIZE (32 * MIB)
#define TORCH        "/venv/lib/python3.12/site-packages/torch/"

static void must(int rc, const struct error *err)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err->text);
		exit(1);
	}
}

void mk_train_init(struct mk_train *t)
{
	memset(t, 0, sizeof *t);
	mk_model_init(&t->k);
	mk_model_device(&t->k, 0);
}

bool mk_train_release(struct mk_train *t)
{
	return mk_model_release(&t->k);
}

uint64_t mk_train_address(size_t slot)
{
	return BASE + slot * 2 * SEGMENT_SIZE;
}

stack_id mk_train_stack(struct mk_train *t, ...)
{
	frame_id frames[16];
	size_t n = 0;
	struct error err;
	stack_id stack;
	const char *words;
	va_list ap;

	va_start(ap, t);
	while ((words = va_arg(ap, const char *)) && n < 16) {
		const char *name = strchr(words, ' ') + 1, *colon = name;
		struct frame f = {.line = 0};
		size_t length = (size_t)(name - 1 - words);

		while (colon > words && *colon != ':')
			colon--;
		if (*colon == ':' && words[0] != '?') {
			f.line = strtol(colon + 1, NULL, 10);
			length = (size_t)(colon - words);
		}
		must(strtab_add(&t->k.m->strings, words, length, &f.file, &err), &err);
		must(strtab_add(&t->k.m->strings, name, strlen(name), &f.name, &err), &err);
		must(stacks_add_frame(&t->k.m->stacks, f, &frames[n++], &err), &err);
	}
	va_end(ap);
	must(stacks_add(&t->k.m->stacks, frames, n, &stack, &err), &err);
	return stack;
}

static size_t take_slot(struct mk_train *t, uint64_t size, stack_id stack)
{
	size_t slot = 0;

	while (slot < t->n_slots && t->slots[slot].live)
		slot++;
	if (slot == MK_TRAIN_SLOTS || size < 2 * MIB || size > 16 * MIB) {
		printf("Bail out! no slot for %llu bytes\n", (unsigned long long)size);
		exit(1);
	}
	if (slot == t->n_slots)
		t->n_slots++;
	t->slots[slot] = (struct mk_slot){true, true, size, stack};
	return slot;
}

size_t mk_train_alloc(struct mk_train *t, uint64_t size, stack_id stack)
{
	size_t slot = take_slot(t, size, stack);

	mk_model_event_of(&t->k, ACTION_ALLOC, mk_train_address(slot), size,
			  (struct attr){.has_stream = true}, stack);
	return slot;
}

size_t mk_train_before(struct mk_train *t, uint64_t size, stack_id stack)
{
	return take_slot(t, size, stack);
}

void mk_train_free(struct mk_train *t, size_t slot, stack_id stack)
{
	struct mk_slot *s = &t->slots[slot];
	struct attr attr = {.has_stream = true};

	mk_model_event_of(&t->k, ACTION_FREE_REQUESTED, mk_train_address(slot), s->size, attr,
			  stack);
	mk_model_event_of(&t->k, ACTION_FREE_COMPLETED, mk_train_address(slot), s->size, attr,
			  stack);
	s->live = false;
}

int64_t mk_train_events(const struct mk_train *t)
{
	return (int64_t)t->k.m->events.action.n;
}

void mk_train_mark(struct mk_train *t, const char *name, bool is_end)
{
	struct annotation a = {.is_end = is_end, .time_us = mk_train_events(t) - 1};
	struct error err;

	must(strtab_add(&t->k.m->strings, name, strlen(name), &a.name, &err), &err);
	must(vec_push(&t->k.m->annotations, a, &t->k.budget, (&err)), &err);
}

void mk_train_done(struct mk_train *t)
{
	for (size_t i = 0; i < t->n_slots; i++) {
		const struct mk_slot *s = &t->slots[i];
		uint64_t used = s->live ? s->size : 0;

		mk_model_segment(&t->k, mk_train_address(i), SEGMENT_SIZE, POOL_LARGE);
		if (s->live)
			mk_model_block(&t->k, BLOCK_ACTIVE, s->size, s->size)->stack = s->stack;
		mk_model_block(&t->k, BLOCK_INACTIVE, SEGMENT_SIZE - used, 0);
	}
	mk_model_done(&t->k);
}

/* --- a training loop --------------------------------------------------------------------------- */

#define MODULE TORCH "nn/modules/module.py:1773 _call_impl"

static stack_id backward_stack(const struct mk_loop *l, struct mk_train *t)
{
	if (l->stacks == MK_STACKS_ALL)
		return mk_train_stack(t, "?? torch::autograd::generated::MmBackward0::apply",
				      "?? torch::autograd::Engine::evaluate_function",
				      "?? torch::autograd::Engine::thread_main", NULL);
	return l->stacks == MK_STACKS_NONE ? STACK_ABSENT : STACK_EMPTY;
}

static stack_id user_stack(const struct mk_loop *l, struct mk_train *t, int line)
{
	char words[64];

	snprintf(words, sizeof words, "/app/train.py:%d main", line);
	return l->stacks == MK_STACKS_NONE ? STACK_ABSENT : mk_train_stack(t, words, NULL);
}

static stack_id forward_stack(const struct mk_loop *l, struct mk_train *t, int layer)
{
	char words[64];

	snprintf(words, sizeof words, "/app/model.py:%d forward", 10 + layer);
	return l->stacks == MK_STACKS_NONE
		       ? STACK_ABSENT
		       : mk_train_stack(t, words, MODULE, "/app/train.py:20 main", NULL);
}

static stack_id optimizer_stack(const struct mk_loop *l, struct mk_train *t, const char *function)
{
	char words[128], user[64];

	snprintf(words, sizeof words, TORCH "optim/adam.py:99 %s", function);
	snprintf(user, sizeof user, "/app/train.py:%u main", 30 + l->site);
	return l->stacks == MK_STACKS_NONE
		       ? STACK_ABSENT
		       : mk_train_stack(t, words, TORCH "optim/optimizer.py:500 wrapper", user,
					NULL);
}

static uint64_t layer_size(int layer)
{
	return (uint64_t)(4 + layer) * MIB;
}

void mk_loop_init(struct mk_loop *l, struct mk_train *t, enum mk_stacks stacks, bool before)
{
	*l = (struct mk_loop){
		.stacks = stacks, .zeroes = true, .adam = true, .batch = -1, .loss = -1};
	for (int i = 0; i < MK_LAYERS; i++) {
		stack_id stack =
			stacks == MK_STACKS_NONE || before
				? STACK_ABSENT
				: mk_train_stack(t, TORCH "nn/modules/module.py:900 _apply",
						 "/app/train.py:5 main", NULL);

		l->parameter[i] = (int64_t)(before ? mk_train_before(t, layer_size(i), stack)
						   : mk_train_alloc(t, layer_size(i), stack));
		l->gradient[i] = l->activation[i] = -1;
		l->state[2 * i] = l->state[2 * i + 1] = -1;
	}
}

static void drop(struct mk_train *t, int64_t *slot, stack_id stack)
{
	if (*slot >= 0)
		mk_train_free(t, (size_t)*slot, stack);
	*slot = -1;
}

void mk_loop_forward(struct mk_loop *l, struct mk_train *t)
{
	stack_id scratch = forward_stack(l, t, 9);

	for (int i = 0; i < MK_LAYERS; i++) {
		size_t x = mk_train_alloc(t, 2 * MIB, scratch);

		l->activation[i] = (int64_t)mk_train_alloc(t, 8 * MIB, forward_stack(l, t, i));
		mk_train_free(t, x, scratch);
	}
	drop(t, &l->loss, user_stack(l, t, 21));
	l->loss = (int64_t)mk_train_alloc(t, 2 * MIB, user_stack(l, t, 21));
}

void mk_loop_backward(struct mk_loop *l, struct mk_train *t)
{
	stack_id stack = backward_stack(l, t);

	for (int i = MK_LAYERS; i-- > 0;) {
		size_t x = mk_train_alloc(t, 3 * MIB, stack);
		int64_t gradient = (int64_t)mk_train_alloc(t, layer_size(i), stack);

		if (l->gradient[i] < 0)
			l->gradient[i] = gradient;
		else
			drop(t, &gradient, stack); /* added to the one that is there */
		drop(t, &l->activation[i], stack);
		mk_train_free(t, x, stack);
	}
}

void mk_loop_optimizer(struct mk_loop *l, struct mk_train *t)
{
	stack_id scratch = optimizer_stack(l, t, "_multi_tensor_adam");

	for (int i = 0; i < MK_LAYERS && l->adam; i++) {
		size_t x = mk_train_alloc(t, layer_size(i), scratch);

		for (int k = 0; k < 2; k++)
			if (l->state[2 * i + k] < 0)
				l->state[2 * i + k] = (int64_t)mk_train_alloc(
					t, layer_size(i), optimizer_stack(l, t, "_init_group"));
		mk_train_free(t, x, scratch);
	}
}

void mk_loop_evaluate(struct mk_loop *l, struct mk_train *t)
{
	for (int i = 0; i < MK_LAYERS; i++) {
		stack_id stack = forward_stack(l, t, i);

		mk_train_free(t, mk_train_alloc(t, 8 * MIB, stack), stack);
	}
}

void mk_loop_step(struct mk_loop *l, struct mk_train *t)
{
	stack_id zero = l->stacks == MK_STACKS_NONE
				? STACK_ABSENT
				: mk_train_stack(t, TORCH "optim/optimizer.py:900 zero_grad",
						 "/app/train.py:18 main", NULL);
	int64_t batch;

	l->first_event[l->n_steps++] = mk_train_events(t);
	batch = (int64_t)mk_train_alloc(t, 5 * MIB / 2, user_stack(l, t, 15));
	drop(t, &l->batch, user_stack(l, t, 15));
	l->batch = batch;
	for (int i = 0; i < MK_LAYERS && l->zeroes; i++)
		drop(t, &l->gradient[i], zero);
	for (unsigned i = 0; i < (l->micro ? l->micro : 1); i++) {
		mk_loop_forward(l, t);
		mk_loop_backward(l, t);
	}
	mk_loop_optimizer(l, t);
}
