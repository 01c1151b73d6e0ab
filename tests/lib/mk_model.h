/* SPDX-License-Identifier: MIT
 * mk_model.h -- a model of a trace and its final segments, written down line by line.
 *
 *     struct mk_model k;
 *     mk_model_init(&k);
 *     mk_model_device(&k, 0);
 *     mk_model_event(&k, ACTION_SEGMENT_ALLOC, 0x100000, 2 * MIB);
 *     mk_model_event(&k, ACTION_ALLOC, 0x100000, 600);
 *     mk_model_segment(&k, 0x100000, 2 * MIB, POOL_SMALL);
 *     mk_model_block(&k, BLOCK_ACTIVE, 1024, 600);
 *     mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB - 1024, 0);
 *     mk_model_done(&k);                      // k.m
 *     mk_model_release(&k);                   // also says when memory was leaked
 *
 * Calls apply to the last device; a block to the last segment. Failure ends the program.
 */
#ifndef TESTS_LIB_MK_MODEL_H
#define TESTS_LIB_MK_MODEL_H

#include "model/model.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

struct mk_model {
	struct budget budget;
	struct model *m;
};

void mk_model_init(struct mk_model *k);
/* False when something of the budget was not given back. */
bool mk_model_release(struct mk_model *k);
void mk_model_done(struct mk_model *k);

void mk_model_device(struct mk_model *k, int32_t index);
/* Stream 0, no pool, no stack, time = number of the event. Returns the row. */
size_t mk_model_event(struct mk_model *k, enum action action, uint64_t addr, uint64_t size);
size_t mk_model_event_of(struct mk_model *k, enum action action, uint64_t addr, uint64_t size,
			 struct attr attr, stack_id stack);
/* Sums of the segment follow its blocks. Change k->m->segments for more. */
struct segment *mk_model_segment(struct mk_model *k, uint64_t address, uint64_t size,
				 enum pool_kind kind);
struct block *mk_model_block(struct mk_model *k, enum block_state state, uint64_t size,
			     uint64_t requested);
/* A stack of one frame. */
stack_id mk_model_stack(struct mk_model *k, const char *file, int64_t line, const char *name);

#endif
