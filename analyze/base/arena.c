/* SPDX-License-Identifier: MIT
 * arena.c -- chunks of growing size, released as a whole.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/num.h"

#define CHUNK_MIN_BYTES (4u << 10)
#define CHUNK_MAX_BYTES (256u << 10)

struct arena_chunk {
	struct arena_chunk *older;
	size_t bytes; /* of the whole allocation */
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a, struct budget *budget)
{
	*a = (struct arena){.budget = budget};
}

void arena_release(struct arena *a)
{
	while (a->chunks) {
		struct arena_chunk *older = a->chunks->older;

		budget_free(a->budget, a->chunks, a->chunks->bytes);
		a->chunks = older;
	}
	a->next = a->end = NULL;
}

static char *arena_take(struct arena *a, size_t bytes, size_t align, struct error *err)
{
	size_t pad = a->next ? (size_t)(-(uintptr_t)a->next & (align - 1)) : 0;

	if (a->next && bytes <= (size_t)(a->end - a->next) &&
	    pad <= (size_t)(a->end - a->next) - bytes) {
		char *p = a->next + pad;

		a->next = p + bytes;
		return p;
	}
	size_t size = a->chunks ? a->chunks->bytes * 2 : CHUNK_MIN_BYTES;
	size_t least;

	if (size > CHUNK_MAX_BYTES)
		size = CHUNK_MAX_BYTES;
	if (__builtin_add_overflow(bytes, sizeof(struct arena_chunk), &least)) {
		error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "an allocation of 2^64 bytes");
		return NULL;
	}
	if (size < least)
		size = least;
	struct arena_chunk *chunk = budget_realloc(a->budget, NULL, 0, size, err);
	if (!chunk)
		return NULL;
	chunk->older = a->chunks;
	chunk->bytes = size;
	a->chunks = chunk;
	a->next = chunk->data + bytes;
	a->end = (char *)chunk + size;
	return chunk->data;
}

void *arena_alloc(struct arena *a, size_t bytes, struct error *err)
{
	char *p = arena_take(a, bytes, alignof(max_align_t), err);

	if (p)
		memset(p, 0, bytes);
	return p;
}

char *arena_bytes(struct arena *a, size_t bytes, struct error *err)
{
	return arena_take(a, bytes, 1, err);
}
