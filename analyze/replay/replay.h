/* SPDX-License-Identifier: MIT
 * replay.h -- the state of one device's allocator at any event of its trace, exactly.
 *
 * How it is known. The segments in the file are the state after the last event. A first scan finds
 * what lived before event 0: an address whose first event is a free was live, a block of the final
 * state without any event was live all along; segments likewise. From there every event is applied
 * forward with the allocator's own rules (model/rounding.h), which give each block its size: the
 * trace tells addresses and requested bytes only. In the end the blocks must equal the file's.
 * Where a rule leaves a size open (a block from before the trace that dies in it may own up to
 * 1 MiB behind it) a later allocation inside that space moves the boundary.
 *
 * When the trace does not reach the segments (device.trace_meets_segments is false) nothing is
 * known of what lived before event 0: the walk starts empty, segments are learnt from events only,
 * and reserved bytes are BYTES_NONE.
 *
 * Of a counted device (model.h) the totals are those the file tells, blocks are what its events say,
 * and what its total holds beyond them is one block of address 0 in replay_state.
 *
 *     struct replay *r;
 *     if (replay_new(&r, model, device, budget, err) < 0) ...
 *     replay_seek(r, 1000, err);          // just after event 1000
 *     replay_totals(r)->allocated ...
 *     while (replay_step(r, err) > 0) ... // event by event
 *
 * replay_new costs one pass over the trace and leaves check-points; a later seek costs the events
 * from the nearest one. Stepping back is a seek.
 */
#ifndef ANALYZE_REPLAY_REPLAY_H
#define ANALYZE_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "model/model.h"

/* Sums over the device, in bytes; BYTES_NONE where unknown. DESIGN words: allocated = sizes of
 * blocks handed out, active = allocated + pending, requested = what the program asked for in
 * active blocks, reserved = segments. */
struct totals {
	uint64_t reserved, allocated, active, requested;
};

/* A block at a moment. */
struct state_block {
	uint64_t address, size;
	uint64_t requested;     /* of active and pending blocks; 0 for inactive ones */
	int64_t born;           /* number of its alloc event; EVENT_START when before the trace */
	int64_t free_requested; /* of a pending block: number of that event, or EVENT_START */
	stack_id stack;         /* of its allocation, from the event or from the file's block */
	uint8_t state;          /* enum block_state */
};

/* A contiguous mapped run: a cudaMalloc segment, or a run of an expandable one. */
struct state_segment {
	uint64_t address, size;
	uint64_t allocated, active, requested;
	uint64_t stream;
	struct pool_id pool;
	int64_t born; /* segment_alloc or first segment_map event; EVENT_START: before */
	uint64_t first_block, n_blocks;
	stack_id stack; /* of the request that made it, when known */
	uint8_t kind;   /* enum pool_kind */
	bool is_expandable;
};

/* Everything at one moment: segments by address, blocks of each by address, complete and
 * contiguous. Owned by the caller. */
struct state {
	struct budget *budget; /* weak */
	const struct device *device;
	int64_t event; /* the moment is just after this event; EVENT_START: before event 0 */
	bool exact;    /* false: counted from the first event on, what lived before is unknown */
	struct totals totals;
	VEC(struct state_segment) segments;
	VEC(struct state_block) blocks;
};

void state_release(struct state *s);

/* The state the file itself holds: `--at end`. Works without any event. Block stacks and births
 * are those of the file's blocks where no event tells. Errors: ERR_LIMIT, ERR_NOMEM. */
int state_from_segments(struct state *out, const struct model *m, const struct device *d,
			struct budget *budget, struct error *err);

/* What did not fit together, for `validate`. */
enum replay_rule {
	RULE_ALLOC_ON_LIVE,   /* alloc over a live block */
	RULE_ALLOC_OUTSIDE,   /* alloc where no segment is */
	RULE_ALLOC_NO_ROOM,   /* alloc larger than the free space at its address */
	RULE_ALLOC_STREAM,    /* alloc in a segment of another stream */
	RULE_FREE_UNKNOWN,    /* free of an address that holds no live block */
	RULE_FREE_SIZE,       /* free with another size than the alloc */
	RULE_FREE_TWICE,      /* free_requested of a block already pending */
	RULE_SEGMENT_OVERLAP, /* segment_alloc or _map over mapped memory */
	RULE_SEGMENT_UNKNOWN, /* segment_free or _unmap of what is not mapped */
	RULE_SEGMENT_LIVE,    /* segment_free or _unmap with a live block inside */
	RULE_END_MISSING,     /* live at the end of the trace, not live in the file */
	RULE_END_EXTRA,       /* live in the file, not at the end of the trace */
	RULE_END_SIZE,        /* sizes differ between the end of the trace and the file */
	RULE_END_STATE,       /* live in both, but pending in one of them only */
	RULE_SNAPSHOT_BYTES,  /* a snapshot event's active bytes differ from the replay's */
	RULE_TIME_BACKWARDS,  /* time_us decreases */
	RULE_COUNT,
};

const char *replay_rule_name(enum replay_rule r); /* "alloc-on-live" ... */

struct mismatch {
	enum replay_rule rule;
	int64_t event;            /* where, or EVENT_START for the comparison at the end */
	uint64_t segment_address; /* 0 when none */
	uint64_t address;
	uint64_t expected, found; /* bytes, an address or a stream, by rule */
};

/* Stored mismatches end here; n_mismatches goes on counting. */
#define REPLAY_MAX_MISMATCHES 10000

struct peak {
	uint64_t bytes; /* BYTES_NONE when unknown */
	int64_t event;  /* first moment that reached it; EVENT_START: before event 0 */
};

/* What one pass over the trace finds out. */
struct replay_summary {
	struct totals start, end; /* end: after the last event, by the replay */
	struct peak reserved, allocated, active, requested; /* each the highest of its own */
	struct totals at_peak; /* the totals at the peak of allocated bytes */
	uint64_t n_mismatches;
	uint64_t n_lost_frees; /* frees of blocks that lived before event 0 */
	bool equals_file;      /* the end state equals the file's segments block by block */
	enum history history;
};

struct replay;

/* Errors: ERR_LIMIT, ERR_NOMEM. Inconsistent traces are no error: they give mismatches, and the
 * walk repairs its state as the trace says and goes on. `m` must outlive it. */
int replay_new(struct replay **out, const struct model *m, const struct device *d,
	       struct budget *budget, struct error *err);
void replay_free(struct replay *r);

const struct replay_summary *replay_summary(const struct replay *r);
/* Stored mismatches in order; *n of them. */
const struct mismatch *replay_mismatches(const struct replay *r, size_t *n);

/* Go to the moment just after event `event` (EVENT_START .. n_events - 1; else ERR_NO_MOMENT). */
int replay_seek(struct replay *r, int64_t event, struct error *err);
int64_t replay_position(const struct replay *r);
/* Apply the next event: 1, or 0 at the end of the trace, or negative. */
int replay_step(struct replay *r, struct error *err);
const struct totals *replay_totals(const struct replay *r);

/* What the last replay_step did to the heap, for passes that follow lifetimes: valid after a step
 * that returned 1. */
struct step {
	enum action action;
	uint64_t address;
	uint64_t size; /* block size in bytes (not requested), or segment bytes */
	uint64_t requested;
	int64_t born;        /* of the block concerned; EVENT_START when before the trace */
	stack_id born_stack; /* of its allocation */
	struct pool_id
		pool; /* of the segment that holds the block; the default where none is known */
	bool applied; /* false: the event contradicted the state or changes nothing */
};
const struct step *replay_last(const struct replay *r);

/* Copy the current state out. */
int replay_state(const struct replay *r, struct state *out, struct error *err);

#endif
