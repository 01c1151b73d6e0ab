/* SPDX-License-Identifier: MIT
 * ring.h -- the writing side of a ring file: events, what lives, and interned stacks.
 *
 * Nothing here locks: the recorder's one lock is held by whoever calls. Nothing allocates either, but
 * ring_create.
 */
#ifndef CAPTURE_RING_H
#define CAPTURE_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/format.h"

struct ring {
	struct ring_header *header; /* the mapping; NULL: no ring */
	size_t mapped_bytes;
	struct ring_slot *events;
	struct ring_slot *table;
	unsigned char *arena;
	uint64_t n_live;
	/* Private: ids of interned arena entries by hash, 0 = free. */
	uint32_t *index;
	size_t index_bytes, n_indexed;
	char path[512];
};

/* Make `path` and map it. False, with the reason in `why`, when it cannot be made in full: blocks are
 * reserved now, because a disk that fills up later would kill the program. */
bool ring_create(struct ring *r, const char *path, uint64_t events, char *why, size_t why_bytes);
/* Unmap; the file stays, and says that recording ended. */
void ring_close(struct ring *r);

/* Append an event, and let the table follow. `seq` and `check` are filled. */
void ring_append(struct ring *r, struct ring_record *event);
/* What lives at an address, or NULL. Weak, until the next append. */
const struct ring_record *ring_find(const struct ring *r, uint64_t addr, unsigned class_of);

/* Ids of interned things; 0 when the arena is full. */
uint32_t ring_string(struct ring *r, const char *bytes, size_t n);
uint32_t ring_stack(struct ring *r, const uint64_t *words, uint32_t n);
uint32_t ring_python(struct ring *r, uint32_t file, uint32_t name, uint32_t line);
uint32_t ring_module(struct ring *r, const struct arena_module *m);

#endif
