/* SPDX-License-Identifier: MIT
 * allocations.h -- every allocation of one device as a row: what it was, when it was born and died.
 *
 * The trace tells events; most questions are about lives. One walk over the replay joins each alloc
 * to its frees, blocks from before event 0 included, and gives each its block size:
 *
 *     allocations_run(&a, model, replay, device, budget, err);
 *     for (size_t i = 0; i < a.rows.n; i++)
 *             if (allocation_alive_at(&a.rows.at[i], event))
 *                     bytes += a.rows.at[i].size;
 *
 * Order: first what lived before event 0, by address; then the order of birth. So rows from
 * n_before on are sorted by `born`, and a later row is a younger allocation.
 *
 * When the trace does not meet the segments (see replay.h), blocks from before are not known and
 * have no rows.
 */
#ifndef ANALYZE_PASSES_ALLOCATIONS_H
#define ANALYZE_PASSES_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"
#include "replay/replay.h"

/* In place of the event of a free that did not come; later than every event. */
#define ALLOCATION_ALIVE INT32_MAX
#define ALLOCATION_NONE  UINT32_MAX

struct allocation {
	uint64_t address, size; /* bytes of the block */
	uint64_t requested;     /* BYTES_NONE when unknown (only from before the trace) */
	int32_t born;           /* number of its alloc event, or EVENT_START */
	/* Numbers of its free events. Both ALLOCATION_ALIVE at the end of the trace; requested
	 * only: pending there. A free without its request (old files) has the same event twice.
	 * EVENT_START: requested before the trace. */
	int32_t free_requested, free_completed;
	stack_id stack; /* of the alloc */
};

/* What only the segment tells, for rows from before the trace. */
struct allocation_place {
	uint64_t stream;
	struct pool_id pool;
};

/* A pool that only the segment tells, for rows of the trace. */
struct allocation_pool {
	uint32_t row;
	struct pool_id pool;
};

struct allocations {
	struct budget *budget;       /* weak */
	const struct model *model;   /* weak */
	const struct device *device; /* weak */
	VEC(struct allocation) rows;
	size_t n_before;                     /* rows that lived before event 0 */
	VEC(struct allocation_place) places; /* of those */
	VEC(struct allocation_pool) pools;   /* by row; those that are not the default */
	VEC(uint32_t) of_event;              /* row of each alloc event; ALLOCATION_NONE: others */
	/* Allocations that the trace never frees although something else took their place: it
	 * contradicts itself. They end with its last event. */
	uint64_t n_vanished;
};

/* `r` is the device's replay and is left at the end of the trace. Errors: ERR_LIMIT, ERR_NOMEM. */
int allocations_run(struct allocations *out, const struct model *m, struct replay *r,
		    const struct device *d, struct budget *budget, struct error *err);
void allocations_release(struct allocations *a);

/* The row of an alloc event, or ALLOCATION_NONE. */
static inline uint32_t allocations_of_event(const struct allocations *a, int64_t event)
{
	return a->of_event.at[event];
}

/* The row that a block of a state of the same device belongs to, or ALLOCATION_NONE. */
uint32_t allocations_of_block(const struct allocations *a, const struct state_block *b);

/* The row of the block that a step of the replay of the same device was about. */
uint32_t allocations_of_step(const struct allocations *a, const struct step *step);

/* The row that holds `address` just after `event`, or ALLOCATION_NONE. Linear. */
uint32_t allocations_at(const struct allocations *a, uint64_t address, int64_t event);

/* Does the block count as active just after `event`? Pending ones do. */
static inline bool allocation_alive_at(const struct allocation *x, int64_t event)
{
	return x->born <= event && x->free_completed > event;
}

/* The stream of the alloc event; the pool as the event tells it, else as its segment does; and its
 * attr (row 0 for rows from before). The default pool, stream 0 where the file does not tell. */
struct allocation_place allocation_place(const struct allocations *a, uint32_t row);
attr_id allocation_attr(const struct allocations *a, uint32_t row);

/* The stack of the free, or STACK_ABSENT: files repeat the alloc's stack when the freeing call's
 * was not recorded, so an equal one says nothing and is not told. */
stack_id allocation_free_stack(const struct allocations *a, uint32_t row);

/* time_us of an event of the device; TIME_NONE for EVENT_START and ALLOCATION_ALIVE. */
static inline int64_t allocations_time(const struct allocations *a, int64_t event)
{
	if (event < 0 || event >= ALLOCATION_ALIVE)
		return TIME_NONE;
	return a->model->events.time_us.at[a->device->first_event + (uint64_t)event];
}

#endif
