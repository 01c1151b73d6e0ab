/* SPDX-License-Identifier: MIT
 * driver_ask.h -- what the driver is asked while it is listened to.
 *
 * Only its own functions that read, none that may allocate. Called from its callbacks or from calls of
 * the program, never with the recorder's lock held: the driver has locks of its own.
 */
#ifndef CAPTURE_DRIVER_ASK_H
#define CAPTURE_DRIVER_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/ledger.h"

/* Find the driver's functions. */
void driver_ask_prepare(void);

/* Of the calling thread's context; 0 when there is none. */
int driver_device(void);
/* Is a stream being captured into a graph? Then which: 0 when unknown. */
bool driver_captures(void *stream, uint64_t *graph);
/* Is the primary context of a device there? True when unknown. */
bool driver_has_primary(int device);
/* Its primary context when that was made while recording, or NULL. It may be gone. */
void *driver_primary(int device);

struct driver_place {
	struct driver_mapping mapping; /* bytes 0: unknown */
	int device;                    /* -1: host; -2: unknown */
};

/* Where an allocation lies. 0.07 us. */
struct driver_place driver_place_of(uint64_t addr);
/* Bytes of the allocation that holds this address, or 0. */
uint64_t driver_size_of(uint64_t addr);

/* Tell the recorder what a pool holds; `since` is recorder_changes() of before the call. */
void driver_tell_pool(uint64_t pool, uint64_t since);
/* Tell it what the driver keeps for graphs. */
void driver_tell_graphs(int device);
/* Tell it cuMemGetInfo of the current device, which costs 4 us: at most every few milliseconds unless
 * `now`. Returns the free bytes, UINT64_MAX when not asked. */
uint64_t driver_tell_memory(bool now);
/* The same for a context that was just made, and may not be current. */
void driver_tell_new_context(void *context, bool primary);
/* All of this: of all pools, of the current device, and of those whose primary context was seen. */
void driver_tell_all(void);

#endif
