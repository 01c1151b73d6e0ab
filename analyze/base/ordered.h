/* SPDX-License-Identifier: MIT
 * ordered.h -- rows of one size kept in order while they come and go.
 *
 *     ordered_init(&o, sizeof(struct x), x_compare, budget);
 *     if (ordered_insert(&o, &x, err) < 0) ...
 *     for (struct ordered_at p = ordered_from(&o, &lowest); (x = ordered_get(&o, p)); p = ordered_next(&o, p))
 *
 * A list of chunks: finding takes O(log n), adding and removing also move the rest of a chunk, whatever
 * order they come in.
 */
#ifndef ANALYZE_BASE_ORDERED_H
#define ANALYZE_BASE_ORDERED_H

#include "base/vec.h"

#define ORDERED_PER_CHUNK 128

/* Below 0, 0 or above 0 as strcmp. No two rows may be equal. */
typedef int (*ordered_compare)(const void *a, const void *b);

struct ordered_chunk {
	uint32_t n;
	unsigned char *rows; /* ORDERED_PER_CHUNK of them */
};

struct ordered {
	struct budget *budget; /* weak */
	size_t row_bytes;
	ordered_compare compare;
	VEC(struct ordered_chunk) chunks; /* none of them empty */
	size_t n;
};

/* A place in the order, or one past the last; valid until the rows change. */
struct ordered_at {
	size_t chunk;
	uint32_t i;
};

void ordered_init(struct ordered *o, size_t row_bytes, ordered_compare compare,
		  struct budget *budget);
void ordered_release(struct ordered *o);
void ordered_clear(struct ordered *o);

/* The first row that is not before `key`. */
struct ordered_at ordered_from(const struct ordered *o, const void *key);
/* NULL past the last. What makes a row's place in the order may change in place only so far that
 * the order stays. */
void *ordered_get(const struct ordered *o, struct ordered_at p);
/* `p` must not be past the last. */
struct ordered_at ordered_next(const struct ordered *o, struct ordered_at p);
/* The row before, or NULL when `p` is the first. */
void *ordered_before(const struct ordered *o, struct ordered_at p);

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int ordered_insert(struct ordered *o, const void *row, struct error *err);
/* `p` must not be past the last. */
void ordered_remove(struct ordered *o, struct ordered_at p);

#endif
