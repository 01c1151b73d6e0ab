/* SPDX-License-Identifier: MIT
 * arena.h -- many small allocations that are released together.
 */
#ifndef ANALYZE_BASE_ARENA_H
#define ANALYZE_BASE_ARENA_H

#include <stddef.h>

#include "base/budget.h"

struct arena_chunk;

struct arena {
	struct budget *budget; /* weak; outlives the arena */
	struct arena_chunk *chunks;
	char *next, *end; /* free part of the newest chunk */
};

void arena_init(struct arena *a, struct budget *budget);
void arena_release(struct arena *a);

/* `bytes` of zeroed memory aligned for any type, valid until arena_release.
 * NULL with *err set on ERR_LIMIT or ERR_NOMEM. */
void *arena_alloc(struct arena *a, size_t bytes, struct error *err);

/* As arena_alloc, unaligned and not zeroed: for strings. */
char *arena_bytes(struct arena *a, size_t bytes, struct error *err);

#endif
