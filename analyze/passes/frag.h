/* SPDX-License-Identifier: MIT
 * frag.h -- fragmentation of one state with names: what is lost, where, and who keeps it lost.
 *
 *     reserved = active + external,  active = requested + internal
 *
 * External bytes are the inactive ones: holes between blocks, and cached segments. Those in a
 * segment (of an expandable one: in a page unit) without a live block can go back to the driver;
 * the others are unreturnable, and the live blocks there are their pinners. Internal bytes are
 * rounding and the slack of blocks that were not split.
 *
 * Sources: release_cached_blocks, unmap_block and should_split of CUDACachingAllocator.cpp; page
 * units are 2 MiB in the small pool and 20 MiB (large_segment_size_mb) in the large one.
 */
#ifndef ANALYZE_PASSES_FRAG_H
#define ANALYZE_PASSES_FRAG_H

#include "base/vec.h"
#include "passes/site.h"
#include "replay/replay.h"

/* One free list of the allocator: a request is served from its own only. */
struct frag_pool {
	uint64_t stream;
	struct pool_id pool;
	bool is_small; /* size class */
	uint64_t reserved, free_bytes, largest_free;
	uint64_t largest_request; /* largest request it can serve now without the driver */
};

/* A live block in a segment that has idle bytes. */
struct frag_pinner {
	uint32_t block; /* row of state.blocks */
	uint32_t site;  /* row of the sites given */
	uint64_t joins; /* bytes of the free run that its removal would make, itself included */
};

struct frag_segment {
	uint32_t segment;      /* row of state.segments */
	uint64_t unreturnable; /* inactive bytes that its live blocks keep from the driver */
	uint64_t first_pinner, n_pinners; /* rows of frag.pinners, those that join most first */
};

/* What one site keeps. */
struct frag_site {
	uint32_t site;
	uint32_t last_segment;  /* while counting: 1 + the last one it was met in */
	uint64_t blocks, bytes; /* its live blocks in segments with unreturnable bytes */
	uint64_t segments;      /* how many of these it is in */
	uint64_t releases; /* bytes of the segments (units) where all live blocks are its own */
	uint64_t releases_idle; /* the inactive ones of them */
};

/* A request that got new memory from the driver although as much lay idle. */
struct frag_miss {
	int64_t event; /* its alloc */
	stack_id stack;
	uint64_t requested;
	uint64_t mapped; /* bytes asked of the driver for it */
	uint64_t idle;   /* inactive bytes at that moment */
};

#define FRAG_CURVE_POINTS 256
#define FRAG_MISSES_KEPT  32

struct frag_point {
	int64_t event;
	uint64_t reserved, active; /* at the moment of highest fragmentation of its stretch */
};

/* What the whole trace would have reserved under other settings. */
struct frag_setting {
	const char *setting;  /* as in PYTORCH_CUDA_ALLOC_CONF; "" are the defaults */
	bool simulated;       /* else nobody asked, or the model does not reproduce the trace */
	bool survives, fails; /* neither: it depends on what no file tells */
	uint64_t peak_reserved, low, high; /* the latter two: by where the driver puts segments */
};

#define FRAG_SETTINGS 5

struct frag {
	struct budget *budget; /* weak */
	int32_t device;
	int64_t event;
	bool exact;
	struct totals totals;
	uint64_t external, internal, unreturnable;
	uint64_t device_free;              /* told by an oom event that follows, else BYTES_NONE */
	VEC(struct frag_pool) pools;       /* most reserved first */
	VEC(struct frag_segment) segments; /* with live blocks; most unreturnable first */
	VEC(struct frag_pinner) pinners;
	VEC(struct frag_site) sites;     /* what it releases alone, most first */
	VEC(struct frag_point) curve;    /* over the whole trace */
	VEC(struct frag_miss) misses;    /* the largest by mapped bytes, at most FRAG_MISSES_KEPT */
	uint64_t n_misses, missed_bytes; /* all of them */
	struct frag_setting settings[FRAG_SETTINGS];
	uint64_t trace_peak_reserved; /* the most in the trace itself, where that was played */
};

/* `state`: the moment; `r`: a replay of the same device, which is walked from the start when the
 * file has a trace (its position changes). `sites` of the model. Errors: ERR_LIMIT, ERR_NOMEM. */
int frag_run(struct frag *out, const struct model *m, const struct state *state, struct replay *r,
	     const struct site_table *sites, struct budget *budget, struct error *err);
void frag_release(struct frag *f);

/* Playing a trace costs several times what reading it does; longer ones than this are played only on
 * request. */
#define FRAG_SIMULATE_EVENTS 20000

/* Play the trace under each of `settings`. `r` is the device's replay; its position changes. A trace
 * that cannot be played is no error: nothing is simulated then. */
void frag_simulate(struct frag *f, const struct model *m, const struct device *d, struct replay *r);

#endif
