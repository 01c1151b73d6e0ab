/* SPDX-License-Identifier: MIT
 * survey.h -- what the memory of one moment could do for one request, byte by byte.
 *
 * The allocator serves a request from a free block of the same pool, stream and size class that is
 * large enough, or asks the driver (CUDACachingAllocator.cpp, get_free_block, alloc_block). A
 * survey sorts every reserved byte by what it means to the request:
 *
 *     reserved = live + slack + pending + usable + sum of unusable[] + unsorted
 */
#ifndef ANALYZE_PASSES_SURVEY_H
#define ANALYZE_PASSES_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/holders.h"
#include "replay/replay.h"

struct request {
	uint64_t rounded;   /* bytes of the block */
	uint64_t attempted; /* bytes asked of the driver */
	uint64_t stream;
	bool stream_known; /* else any stream is taken for its own */
	struct pool_id pool;
	bool pool_known; /* the event tells its pool; else the default pool is assumed */
	bool is_small;   /* size class: the small pool serves up to 1 MiB */
};

/* Why a free block cannot serve, the first that holds. */
enum unusable {
	UNUSABLE_OTHER_POOL, /* a CUDA graph's or MemPool's, or the default one */
	UNUSABLE_OTHER_STREAM,
	UNUSABLE_OTHER_CLASS, /* small pool for a large request, or the reverse */
	UNUSABLE_TOO_SMALL,
	UNUSABLE_SPLIT_GUARD, /* max_split_size keeps it for larger requests */
	UNUSABLE_MIXED_MODES, /* in an expandable segment while the feature is off now */
	UNUSABLE_COUNT,
};

const char *unusable_name(enum unusable u); /* "other_pool" ... */

/* Free blocks of one kind. */
struct free_blocks {
	uint64_t bytes, blocks;
	uint64_t largest;        /* bytes of the largest one */
	uint64_t fitting;        /* blocks that would be large enough */
	uint64_t largest_stream; /* where the largest lies */
	struct pool_id largest_pool;
};

/* Segments that their live blocks keep although at least half of their bytes are idle, and the site
 * to look at first: the one whose blocks alone keep most idle bytes, else the one involved in most. */
struct pinned {
	uint64_t segments, bytes, idle_bytes;
	uint64_t live_blocks, live_bytes;
	bool has_site;
	bool site_alone; /* only its blocks are in the segments counted below */
	struct site site;
	uint64_t site_blocks, site_bytes; /* its live blocks there */
	uint64_t site_segments, site_idle_bytes;
};

struct survey {
	uint64_t reserved, live, slack, pending, usable;
	uint64_t unusable[UNUSABLE_COUNT];
	uint64_t unsorted; /* idle, in what form nobody tells: of messages and counted devices */
	struct free_blocks free[UNUSABLE_COUNT];
	uint64_t allocated; /* live + slack */
	uint64_t live_blocks;
	uint64_t pending_blocks;
	uint64_t pending_fits; /* largest block, joined with its free neighbours, that would
				      * serve when its stream is done; 0: none */
	uint64_t late_bytes;   /* live blocks born in the later half of the events so far */
	uint64_t before_bytes, before_blocks; /* active blocks from before the trace */
	uint64_t before_no_stack_bytes;       /* those of them without a stack */
	uint64_t page_bytes; /* whole driver pages (2 MiB small, 20 MiB large) inside free
				      * blocks of ordinary segments: what expandable segments could
				      * return */
	uint64_t split_bytes, split_limit; /* idle bytes of large segments that would stay whole if
					    * blocks of split_limit and more were never split */
	bool only_default_pool;            /* no segment belongs to a private pool */
	struct pinned pinned;
};

/* Is the segment of the request's pool, stream and size class? */
bool survey_looks_into(const struct request *q, const struct state_segment *seg);

/* Errors: ERR_LIMIT, ERR_NOMEM. `sites` of the state's model. */
int survey_run(struct survey *out, const struct state *s, const struct model *m,
	       const struct site_table *sites, const struct request *q, struct budget *budget,
	       struct error *err);

#endif
