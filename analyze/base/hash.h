/* SPDX-License-Identifier: MIT
 * hash.h -- the mixing functions of every hash table here, and a map from integers to integers.
 */
#ifndef ANALYZE_BASE_HASH_H
#define ANALYZE_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

/* A 64-bit finaliser (multiply, fold): every input bit reaches the low bits of the result. */
static inline uint64_t hash_u64(uint64_t x)
{
	__uint128_t wide = (__uint128_t)(x ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static inline uint64_t hash_combine(uint64_t seed, uint64_t x)
{
	return hash_u64(seed ^ x);
}

/* Hash of `length` bytes. Not keyed: tables bound their probes by growing early, and an attacker
 * who makes collisions only slows the reading of his own file. */
uint64_t hash_bytes(const void *bytes, size_t length);

/* Map from any uint64_t key to a uint64_t value. */
struct hashmap {
	struct budget *budget; /* weak */
	struct hashmap_slot {
		uint64_t key;
		uint64_t value;
		bool used;
	} * slots;
	size_t n_slots, n;
};

void hashmap_init(struct hashmap *m, struct budget *budget);
void hashmap_release(struct hashmap *m);
void hashmap_clear(struct hashmap *m);
/* Pointer to the value of `key`, or NULL. Valid until the next put or remove. */
uint64_t *hashmap_get(const struct hashmap *m, uint64_t key);
/* Set key's value, added when new. Errors: ERR_LIMIT, ERR_NOMEM. */
int hashmap_put(struct hashmap *m, uint64_t key, uint64_t value, struct error *err);
/* True when the key was there. */
bool hashmap_remove(struct hashmap *m, uint64_t key);

#endif
