/* SPDX-License-Identifier: MIT
 * simulate_private.h -- one run of requests through the model, for the simulate_*.c files.
 */
#ifndef ANALYZE_PASSES_SIMULATE_PRIVATE_H
#define ANALYZE_PASSES_SIMULATE_PRIVATE_H

#include "passes/simulate.h"
#include "replay/sim_place.h"

/* Segments where the trace had them. */
struct told {
	const struct requests *q;
	size_t next;       /* row of q->segments: all before it are used */
	VEC(uint8_t) used; /* of q->segments */
	int64_t event;     /* the alloc that is being served */
	uint64_t stray;    /* next address of a segment that the trace does not have */
	uint64_t n_stray;
};

struct player {
	const struct simulation *s;
	struct sim *sim;
	const struct simulate_options *o;
	struct alloc_settings settings;
	bool own;           /* from the trace's start state, at the trace's addresses */
	bool upper_room;    /* the most the trace allows for, in place of the least */
	int64_t last_event; /* stop behind it */
	struct told told;
	struct sim_placer placer;
	struct sim_room room; /* when options tell it */
	size_t next_room;
	struct simulate_run *out; /* of the plain run: ooms and curve; else NULL */
	bool died;
	uint64_t n_fatal; /* the trace's own fatal ooms that happened here too */
	int64_t reached, peak_event;
	uint64_t reserved_before; /* of the curve: after the operation before */
	/* Called after each alloc; non-zero ends the run. May be NULL. */
	int (*look)(struct player *p, const struct request_op *op, bool served);
	void *look_ctx;
};

/* Ready to play; player_close whatever is returned. */
int player_open(struct player *p, enum sim_strategy strategy, uint64_t seed, struct error *err);
int player_play(struct player *p, struct error *err);
void player_close(struct player *p);

static inline uint32_t request_op_row(struct request_op op)
{
	return op.what & REQUEST_MAX;
}

static inline enum request_op_kind request_op_kind(struct request_op op)
{
	return (enum request_op_kind)(op.what >> REQUEST_KIND_SHIFT);
}

int simulate_self_check(struct simulation *s, struct error *err);

#endif
