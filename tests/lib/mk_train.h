/* SPDX-License-Identifier: MIT
 * mk_train.h -- a model of a training program's trace, written down allocation by allocation.
 *
 *     struct mk_train t;
 *     mk_train_init(&t);
 *     stack_id s = mk_train_stack(&t, "/app/model.py:3 forward", "/app/train.py:9 main", NULL);
 *     size_t x = mk_train_alloc(&t, 2 * MIB, s);
 *     mk_train_free(&t, x, s);
 *     mk_train_done(&t);                      // t.k.m, one device
 *     mk_train_release(&t);
 *
 * Every allocation lies in a segment of its own that is there before event 0. Times are numbers of
 * events. Frames are given innermost first; "?? function" is one without a Python file.
 *
 * On top of that, whole steps of a loop as PyTorch runs it: see struct mk_loop.
 */
#ifndef TESTS_LIB_MK_TRAIN_H
#define TESTS_LIB_MK_TRAIN_H

#include "tests/lib/mk_model.h"

#define MK_TRAIN_SLOTS 512

struct mk_train {
	struct mk_model k;
	struct mk_slot {
		bool live, touched;
		uint64_t size;
		stack_id stack;
	} slots[MK_TRAIN_SLOTS];
	size_t n_slots;
};

void mk_train_init(struct mk_train *t);
bool mk_train_release(struct mk_train *t); /* as mk_model_release */
void mk_train_done(struct mk_train *t);

stack_id mk_train_stack(struct mk_train *t, ...) __attribute__((sentinel));

/* Sizes from 2 MiB to 16 MiB. Returns a slot, for the free and for mk_train_address. */
size_t mk_train_alloc(struct mk_train *t, uint64_t size, stack_id stack);
/* The same without an event: it lived before the trace. Before the first event only. */
size_t mk_train_before(struct mk_train *t, uint64_t size, stack_id stack);
void mk_train_free(struct mk_train *t, size_t slot, stack_id stack);
uint64_t mk_train_address(size_t slot);
/* A START or END at this place of the trace. */
void mk_train_mark(struct mk_train *t, const char *name, bool is_end);
/* Events so far. */
int64_t mk_train_events(const struct mk_train *t);

enum mk_stacks {
	MK_STACKS_ALL,    /* autograd's threads have C++ frames */
	MK_STACKS_PYTHON, /* they have empty stacks */
	MK_STACKS_NONE,
};

#define MK_LAYERS 3

/* A training program and what it holds now. */
struct mk_loop {
	enum mk_stacks stacks;
	bool zeroes;    /* calls zero_grad, which frees the gradients */
	bool adam;      /* the optimizer makes state once and scratch in each step */
	unsigned micro; /* forward-backward pairs a step; 0 is 1 */
	unsigned site;  /* which call of the optimizer: its line in the program */
	/* Slots; -1: none. */
	int64_t parameter[MK_LAYERS], gradient[MK_LAYERS], state[2 * MK_LAYERS];
	int64_t batch, loss, activation[MK_LAYERS];
	int64_t first_event[64]; /* of each step done */
	size_t n_steps;
};

/* Load the parameters; `before`: they were there before the trace, without stacks. */
void mk_loop_init(struct mk_loop *l, struct mk_train *t, enum mk_stacks stacks, bool before);
void mk_loop_forward(struct mk_loop *l, struct mk_train *t);
void mk_loop_backward(struct mk_loop *l, struct mk_train *t);
void mk_loop_optimizer(struct mk_loop *l, struct mk_train *t);
/* A forward whose activations are freed at once. */
void mk_loop_evaluate(struct mk_loop *l, struct mk_train *t);
void mk_loop_step(struct mk_loop *l, struct mk_train *t);

#endif
