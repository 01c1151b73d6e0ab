/* SPDX-License-Identifier: MIT
 * sim_allocator.h -- PyTorch's caching allocator as a model: requests in, reserved bytes out.
 *
 * The native allocator of torch 2.1 to newest under any settings, rule by rule (malloc,
 * get_free_block, alloc_block, garbage_collect_cached_blocks, release_available_cached_blocks,
 * release_cached_blocks, map_block, unmap_block of CUDACachingAllocator.cpp). Which block serves a
 * request depends on sizes, on the order of requests and frees, and, among blocks of equal size,
 * on addresses; these come from a struct sim_place, because no file tells where the driver would
 * have put a segment that was never asked for.
 *
 *     struct sim *s;
 *     if (sim_new(&s, &options, budget, err) < 0) ...
 *     sim_alloc(s, request, bytes, lane, err);    // 1: served, 0: out of memory
 *     sim_free_requested(s, request);
 *     sim_free_completed(s, request);
 *     sim_stats(s)->peak_reserved ...
 *
 * No function takes a NULL error. Requests are numbers below options.n_requests, one a life. A lane is what shares a cache: a pool
 * id and a stream; each lane has a list of small and one of large free blocks.
 */
#ifndef ANALYZE_REPLAY_SIM_ALLOCATOR_H
#define ANALYZE_REPLAY_SIM_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "model/model.h"
#include "replay/replay.h"

struct sim;

struct sim_lane {
	uint64_t stream;
	struct pool_id pool;
};

/* Where the driver puts what it is asked for. */
struct sim_place {
	/* Address of a new segment of `size` bytes, or of a new virtual range. */
	uint64_t (*at)(void *ctx, uint64_t size, uint32_t lane, bool is_range);
	/* A segment went back; may be NULL. */
	void (*gone)(void *ctx, uint64_t address, uint64_t size);
	void *ctx; /* weak */
};

struct sim_options {
	struct alloc_settings settings;
	const struct sim_lane *lanes; /* weak; by pool (default first) and stream, no two alike */
	uint32_t n_lanes;
	uint32_t n_requests;
	uint64_t range_bytes; /* virtual addresses of an expandable range; a multiple of 20 MiB */
	struct sim_place place;
};

/* Reserved bytes that the process may hold. */
struct sim_room {
	uint64_t allowed; /* by its own limit, or UINT64_MAX: none set */
	uint64_t device;  /* by the device, or UINT64_MAX: not known to end */
};

struct sim_stats {
	uint64_t reserved, allocated, active, requested; /* bytes now; requested: of active ones */
	uint64_t peak_reserved, peak_allocated, peak_active, peak_requested;
	uint64_t device_allocs; /* cudaMalloc and map calls that worked */
	uint64_t device_frees;  /* cudaFree and unmap calls */
	uint64_t retries;       /* misses that gave cached memory back first */
	/* Choices between free blocks of equal size in different segments: only these depend on
	 * addresses. Counted up to the first. */
	uint64_t ties;
	/* Of the last sim_alloc that returned 0: bytes asked of the driver for it, and the room
	 * there was. */
	uint64_t refused_bytes, refused_room;
};

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int sim_new(struct sim **out, const struct sim_options *o, struct budget *budget,
	    struct error *err);
void sim_free(struct sim *s);

void sim_set_room(struct sim *s, struct sim_room room);

/* Start from a known state instead of an empty device, before any request. `lanes[i]` is the lane
 * of state segment i, `requests[k]` the request that owns state block k (ignored when inactive).
 * `lowest[lane * 2 + is_small]` is the lowest address known to belong to the lane's expandable
 * range, UINT64_MAX when none is: a state shows only what is mapped. */
int sim_import(struct sim *s, const struct state *state, const uint32_t *lanes,
	       const uint32_t *requests, const uint64_t *lowest, struct error *err);

/* 1 when the request was served, 0 when it ran out of memory (then it has no block), or negative:
 * ERR_LIMIT, ERR_NOMEM. A request that is already served: 1. */
int sim_alloc(struct sim *s, uint32_t request, uint64_t bytes, uint32_t lane, struct error *err);
/* What has no block is ignored: a life that ended in an oom. */
void sim_free_requested(struct sim *s, uint32_t request);
void sim_free_completed(struct sim *s, uint32_t request);
int sim_empty_cache(struct sim *s, struct error *err);

const struct sim_stats *sim_stats(const struct sim *s);
/* Address of the block that serves a request, 0 without one; *size its bytes. */
uint64_t sim_address(const struct sim *s, uint32_t request, uint64_t *size);

/* Where reserved bytes go at this moment; all of them sum up to reserved. */
struct sim_loss {
	uint64_t requested;    /* what the program asked for and still holds, pending ones too */
	uint64_t rounding;     /* to 512 bytes, or to divisions */
	uint64_t slack;        /* rests of blocks that were not split */
	uint64_t holes;        /* free, in a segment or mapped page with live blocks */
	uint64_t cached;       /* free, whole segments or pages: could go back to the driver */
	uint64_t pending;      /* blocks whose free waits for a stream; part of requested */
	uint64_t private_idle; /* holes and cached bytes outside the default pool; part of those */
};

struct sim_loss sim_loss(const struct sim *s);

/* Every block by address order of its run, for comparisons: calls `see` for each that is mapped;
 * request UINT32_MAX when free. */
void sim_each_block(const struct sim *s,
		    void (*see)(void *ctx, uint64_t address, uint64_t size, uint32_t request),
		    void *ctx);

/* Verify every invariant; for tests. 0, or negative with the first violation in words. */
int sim_check(const struct sim *s, struct error *err);

#endif
