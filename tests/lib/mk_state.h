/* SPDX-License-Identifier: MIT
 * mk_state.h -- a model with a few stacks and a state of one device, written down line by line.
 *
 *     struct mk_state k;
 *     mk_state_init(&k);
 *     stack_id s = mk_stack(&k, "/app/train.py:10 step", "/x/site-packages/t.py:3 f", NULL);
 *     mk_segment(&k, POOL_LARGE, 0);
 *     mk_block(&k, 'a', 2 * MIB, s);     // active; 'p' pending, '.' free
 *     mk_state_done(&k);                 // k.m, k.s
 *     mk_state_release(&k);
 *
 * Frames are given innermost first. Blocks are born before the trace unless mk_born says more.
 */
#ifndef TESTS_LIB_MK_STATE_H
#define TESTS_LIB_MK_STATE_H

#include "model/model.h"
#include "replay/replay.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

struct mk_state {
	struct budget budget;
	struct model *m;
	struct device device;
	struct state s;
	uint64_t next_address;
};

void mk_state_init(struct mk_state *k);
void mk_state_release(struct mk_state *k);

/* "path:line function" each, ended by NULL. */
stack_id mk_stack(struct mk_state *k, ...) __attribute__((sentinel));

/* A new segment behind the last one; blocks follow. */
struct state_segment *mk_segment(struct mk_state *k, enum pool_kind kind, uint64_t stream);
/* `state`: 'a', 'p' or '.'. Requested = size unless changed in what is returned. */
struct state_block *mk_block(struct mk_state *k, char state, uint64_t size, stack_id stack);

/* Sum up segments and totals. */
void mk_state_done(struct mk_state *k);

#endif
