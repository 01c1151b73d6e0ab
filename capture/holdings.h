/* SPDX-License-Identifier: MIT
 * holdings.h -- memory of devices that several things keep: mappings with blocks inside, what lies
 * behind handles, what nodes of a graph share.
 *
 * The driver places small allocations together in one mapping, and a pool's allocations in pieces that
 * it keeps when they are empty. Physical memory behind a handle stays while the handle or a mapping of
 * it lives. Nothing here locks: the recorder's one lock is held by whoever calls.
 */
#ifndef CAPTURE_HOLDINGS_H
#define CAPTURE_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum holding_what { HOLDING_MAPPING, HOLDING_HANDLE, HOLDING_GRAPH };

struct holding {
	uint64_t key; /* address of a mapping; a handle; a graph */
	uint64_t bytes;
	uint64_t pool; /* of a mapping; 0: none */
	uint32_t users;
	uint32_t before, after; /* among the empty ones of its pool; 0: none */
	int8_t device;          /* -1: host */
	uint8_t what;
};

#define HOLDINGS_POOLS 64

struct holdings {
	struct holding *entries; /* [0] is nobody */
	uint32_t *index;         /* numbers of entries by hash, 0: free */
	uint32_t n_entries;      /* places used so far */
	uint32_t first_free;
	size_t n_alive;
	uint64_t changes; /* mappings that came or went */
	struct holdings_pool {
		uint64_t handle; /* 0: this place is free */
		uint64_t bytes;  /* of its mappings */
		uint32_t first_empty;
		bool destroyed; /* by the program; blocks of it may live on */
	} pools[HOLDINGS_POOLS];
};

/* False when there is no memory. */
bool holdings_init(struct holdings *h);
void holdings_release(struct holdings *h);

/* Who has this key, or NULL. Weak, until the next remove. */
struct holding *holdings_find(struct holdings *h, enum holding_what what, uint64_t key);
/* A new one without users; NULL when there is no room. The key must be new. */
struct holding *holdings_add(struct holdings *h, const struct holding *like);
void holdings_remove(struct holdings *h, struct holding *one);

void holdings_use(struct holdings *h, struct holding *one);
/* One user less. */
void holdings_leave(struct holdings *h, struct holding *one);
/* Does nothing keep it any more? Pools that live keep what is empty. */
bool holdings_unkept(const struct holdings *h, const struct holding *one);

struct holdings_pool *holdings_pool(struct holdings *h, uint64_t handle);
/* An empty mapping of a pool, or NULL. */
struct holding *holdings_empty(struct holdings *h, const struct holdings_pool *pool);

#endif
