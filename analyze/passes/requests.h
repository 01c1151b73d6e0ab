/* SPDX-License-Identifier: MIT
 * requests.h -- what a program asked of the allocator, apart from how the allocator answered.
 *
 * A trace names addresses, which are the allocator's own answers. Here every allocation is a
 * request with an identity: so many bytes on such a stream and pool, freed at such a moment. These
 * can be put to an allocator with other settings (replay/sim_allocator.h). Kept beside them: where
 * the answers were, to check a simulation against; explicit calls of empty_cache, which the
 * program made and settings do not change; and what the trace tells of how much memory there was.
 *
 * empty_cache leaves no event of its own. Segments given back count as one when the stack names
 * it, when no new segment and no oom follows (a retry after a refusal is followed by either), when
 * what was given back would have served the request, or when the next segment is no larger than
 * what the trace shows the process may hold: then nothing was refused.
 */
#ifndef ANALYZE_PASSES_REQUESTS_H
#define ANALYZE_PASSES_REQUESTS_H

#include "passes/allocations.h"
#include "replay/sim_allocator.h"

enum request_op_kind {
	REQUEST_ALLOC,
	REQUEST_FREE, /* requested and completed at once */
	REQUEST_FREE_REQUESTED,
	REQUEST_FREE_COMPLETED,
	REQUEST_EMPTY_CACHE, /* row: nothing */
	REQUEST_RELEASED,    /* the allocator itself gave memory back; nothing to do */
	REQUEST_OOM,         /* row of ooms */
};

#define REQUEST_KIND_SHIFT 29
#define REQUEST_MAX        ((UINT32_C(1) << REQUEST_KIND_SHIFT) - 1)

/* kind << REQUEST_KIND_SHIFT | row: of `rows` and of allocations.rows, which are the same. */
struct request_op {
	uint32_t what;
	int32_t event;
};

struct asked {
	uint64_t bytes;
	uint32_t lane;
};

/* A segment or pages that the trace got from the driver. */
struct request_segment {
	uint64_t address, size, stream;
	int32_t event;
	bool is_map;
};

struct request_oom {
	uint64_t bytes;    /* rounded by the trace's settings */
	uint64_t reserved; /* at that moment, by the trace */
	uint64_t peak;     /* the most since the oom before, or the start */
	uint64_t device_free;
	int32_t event;
	uint32_t lane;
	bool handled; /* the program went on with another request (oom_events.h) */
};

/* Reserved bytes that fit, up to and including an event: at least low, at most high. */
struct request_room {
	uint64_t low, high;
	int32_t event;
};

enum request_limit {
	REQUEST_UNLIMITED, /* nothing was ever refused: no bound is known */
	REQUEST_DEVICE,    /* the device was full */
	REQUEST_ALLOWED,   /* the process's own limit: device memory was free */
};

struct requests {
	struct budget *budget;     /* weak */
	const struct model *model; /* weak */
	const struct device *device;
	struct allocations allocations;
	struct state start;         /* before event 0 */
	VEC(uint32_t) start_lanes;  /* of start.segments */
	VEC(uint32_t) start_owners; /* request of each of start.blocks; UINT32_MAX: inactive */
	VEC(uint64_t) lowest;       /* of each list (lane * 2 + is_small), for sim_import */
	VEC(struct sim_lane) lanes; /* by pool, the default one first, and stream */
	VEC(struct asked) rows;
	VEC(struct request_op) ops;
	VEC(struct request_segment) segments;
	VEC(struct request_oom) ooms;
	enum request_limit limit;
	VEC(struct request_room) rooms; /* by event; the last one holds to the end */
	uint64_t n_device_frees;        /* segment_free and segment_unmap events */
	uint64_t n_waits;    /* frees that waited for a stream: their order is the trace's */
	uint64_t n_explicit; /* calls of empty_cache */
	uint64_t n_retries;  /* bursts of releases that are followed by new memory or an oom */
	uint64_t peak_reserved;
	bool pools_guessed; /* private pools, and events do not say which */
};

/* `r` is the device's replay; its position changes. Errors: ERR_LIMIT, ERR_NOMEM; ERR_UNSUPPORTED for a
 * device whose trace has no requests to speak of (no events, or totals only). */
int requests_run(struct requests *out, const struct model *m, struct replay *r,
		 const struct device *d, struct budget *budget, struct error *err);
void requests_release(struct requests *q);

/* The last release at or before an event that passed for the allocator's own was the program's:
 * a simulation shows that nothing was refused. False when there is none. */
bool requests_reconsider(struct requests *q, int64_t event);

/* Do the trace and the file tell all: nothing lived before event 0? */
static inline bool requests_are_whole(const struct requests *q)
{
	return !q->start.segments.n && q->start.exact;
}

#endif
