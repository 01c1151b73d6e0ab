/* SPDX-License-Identifier: MIT
 * report_holes.h -- free memory as the allocator sees it, to foretell where it puts an allocation.
 *
 * The caching allocator takes the smallest hole of the right pool that fits, the lowest of several.
 * Whoever writes a page and the script that reads it both keep these holes, from the same events; so an
 * address is told as its place among the holes that fit, nearly always 0. What happens differently
 * from this costs bytes, never exactness: reports/viewer/src/holes.js must do the same steps.
 *
 *     lane   a stream and pool's small or large side: where holes are looked for
 *     home   what holes must have in common to be joined: a cudaMalloc segment, or all expandable ones
 *            of a lane
 *
 * Addresses and sizes are in units of the caller, and below 2^53. Errors: ERR_LIMIT, ERR_NOMEM.
 */
#ifndef REPORTS_REPORT_HOLES_H
#define REPORTS_REPORT_HOLES_H

#include "base/ordered.h"
#include "replay/runs.h"

/* So many holes that fit are looked at. */
#define HOLES_NEAR 64

struct holes {
	struct budget *budget;       /* weak */
	struct runs by_address;      /* run.row: its home */
	VEC(struct ordered) by_size; /* of each lane */
	VEC(uint32_t) shared;        /* home of each lane's expandable memory */
	VEC(uint32_t) lane_of_home;
};

void holes_init(struct holes *h, struct budget *budget);
void holes_release(struct holes *h);

/* The home of a new segment in a lane, and the one of its expandable memory and of what no segment
 * holds. */
int holes_new_home(struct holes *h, uint32_t lane, uint32_t *home, struct error *err);
int holes_shared_home(struct holes *h, uint32_t lane, uint32_t *home, struct error *err);

/* [start, start + size) becomes free; joined to neighbours of the same home. Nothing happens when a
 * part of it is free, or `size` is 0. */
int holes_give(struct holes *h, uint64_t start, uint64_t size, uint32_t home, struct error *err);
/* [start, start + size) is no longer free, as far as the hole that holds `start` goes. `*home` is that
 * hole's, and left alone when there is none. */
int holes_take(struct holes *h, uint64_t start, uint64_t size, uint32_t *home, struct error *err);
/* No part of [start, start + size) is free any longer. */
int holes_drop(struct holes *h, uint64_t start, uint64_t size, struct error *err);

/* How many holes of a lane that hold `size` come before the one that starts at `start`; HOLES_NEAR
 * when there is none, or it is too far. */
uint32_t holes_rank(const struct holes *h, uint32_t lane, uint64_t size, uint64_t start);

#endif
