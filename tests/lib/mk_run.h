/* SPDX-License-Identifier: MIT
 * mk_run.h -- a model of a long run, allocation by allocation, of any size and any number.
 *
 *     struct mk_run r;
 *     mk_run_init(&r);
 *     stack_id s = mk_run_stack(&r, "/app/train.py:9 step");
 *     size_t x = mk_run_alloc(&r, 3 * MIB, s);
 *     mk_run_free(&r, x);
 *     mk_run_done(&r);                      // r.k.m, device 0
 *     mk_run_release(&r);
 *
 * Every allocation has an address of its own, in a segment of exactly its size that was there
 * before event 0. Times are numbers of events, in milliseconds.
 */
#ifndef TESTS_LIB_MK_RUN_H
#define TESTS_LIB_MK_RUN_H

#include "tests/lib/mk_model.h"

struct mk_run {
	struct mk_model k;
	struct mk_run_slot {
		uint64_t address, size;
		stack_id stack;
		uint8_t state;
	} * slots;
	size_t n, cap;
	uint64_t next;
	uint64_t random;
};

void mk_run_init(struct mk_run *r);
/* False when something of the budget was not given back. */
bool mk_run_release(struct mk_run *r);
void mk_run_done(struct mk_run *r);

/* One frame: "path:line function". */
stack_id mk_run_stack(struct mk_run *r, const char *frame);
/* `size` is a multiple of 512. Returns a slot. */
size_t mk_run_alloc(struct mk_run *r, uint64_t size, stack_id stack);
/* Lived before the trace. */
size_t mk_run_before(struct mk_run *r, uint64_t size, stack_id stack);
void mk_run_free(struct mk_run *r, size_t slot);
/* Freed, but the free waits for a stream. */
void mk_run_free_later(struct mk_run *r, size_t slot);
/* A segment that the driver gave and nothing uses. */
void mk_run_reserve(struct mk_run *r, uint64_t size);
/* An annotation begins or ends here. */
void mk_run_mark(struct mk_run *r, const char *name, bool is_end);
void mk_run_oom(struct mk_run *r, uint64_t requested, uint64_t device_free);
int64_t mk_run_events(const struct mk_run *r);
uint64_t mk_run_random(struct mk_run *r, uint64_t below);

#endif
