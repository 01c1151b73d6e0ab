/* SPDX-License-Identifier: MIT
 * replay_impl.h -- the inside of struct replay, for the files of this folder.
 */
#ifndef ANALYZE_REPLAY_REPLAY_IMPL_H
#define ANALYZE_REPLAY_REPLAY_IMPL_H

#include "replay/heap.h"
#include "replay/replay.h"

struct checkpoint {
	int64_t event; /* the image is the state just after it */
	uint32_t next_mapping;
	size_t bytes;
	void *image; /* owned; of heap_save */
};

struct replay {
	const struct model *m;
	const struct device *d;
	struct budget *budget; /* weak */
	struct heap heap;
	int64_t position;      /* number of the last event applied */
	uint32_t next_mapping; /* row of heap.mappings of the next segment_alloc or segment_map */
	struct step last;
	uint32_t last_origin; /* of the block of `last` */

	/* How this device rounds and splits. */
	bool plain_rounding; /* no roundup_power2_divisions: rounding is one addition and mask */
	bool never_splits;   /* pinned host memory: a block is handed out whole */
	bool of_driver;      /* recorded below PyTorch: blocks take what they need */
	bool cut;            /* the trace does not meet the segments */
	bool sizes_open;     /* a block from before the trace may own bytes nothing tells of */

	/* Of the first pass; later ones do not record again. */
	bool recording;
	uint64_t lost_address; /* of the last free_requested of a block nothing is known of */
	bool lost_pending;     /* its free_completed has not come yet */
	bool saw_outside;      /* a block lay outside every known segment */
	int64_t last_time_us;
	VEC(struct mismatch) mismatches;
	struct replay_summary summary;

	VEC(struct checkpoint) checkpoints; /* by event; the first is the start */
	struct totals totals;               /* at the current position, after a seek or step */
};

/* Row of the event columns. */
static inline uint64_t replay_row(const struct replay *r, uint64_t number)
{
	return r->d->first_event + number;
}

static inline const struct attr *replay_attr(const struct replay *r, uint64_t number)
{
	return &r->m->attrs.at[r->m->events.attr.at[replay_row(r, number)].i];
}

/* round_size by the model's settings. */
uint64_t replay_round(const struct replay *r, uint64_t requested);
struct totals replay_sum(const struct replay *r);
/* The stack of the allocation behind an origin of a block; of a mapping. */
stack_id replay_block_stack(const struct replay *r, uint32_t origin);
stack_id replay_mapping_stack(const struct replay *r, uint32_t origin);

void replay_mismatch(struct replay *r, struct mismatch what);

/* Fill the heap with the state before event 0, and heap.mappings for the whole trace. */
int initial_build(struct replay *r, struct error *err);

/* Apply event `number` = position + 1 to the heap, and say in r->last what it did. */
int apply_event(struct replay *r, uint32_t number, struct error *err);

/* The same for a counted device (replay_counted.c), and its totals just after an event. */
int counted_start(struct replay *r, struct error *err);
int counted_apply(struct replay *r, uint32_t number, struct error *err);
struct totals counted_totals(const struct replay *r, int64_t event);

/* Compare the heap with the file's segments: mismatches, and summary.equals_file. */
int reconcile_end(struct replay *r, struct error *err);

/* The rows of model.segments of a device by address, in a fresh array of d->n_segments (NULL when
 * there are none), which the caller frees with budget_free. */
struct segment_at {
	uint64_t address;
	uint64_t row;
};

int segments_by_address(struct segment_at **out, const struct model *m, const struct device *d,
			struct budget *budget, struct error *err);

#endif
