/* SPDX-License-Identifier: MIT
 * vec.h -- typed growable columns.
 *
 *     VEC(uint64_t) addr = {0};
 *     if (vec_push(&addr, value, budget, err) < 0) ...
 *     addr.at[0 .. addr.n - 1]
 *     vec_release(&addr, budget);
 *
 * Growth is by half, by a quarter above 1 MiB: realloc moves large allocations by remapping
 * pages, so the price of small steps is low and untouched capacity is never resident.
 */
#ifndef ANALYZE_BASE_VEC_H
#define ANALYZE_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

#define VEC(type)              \
	struct {               \
		type *at;      \
		size_t n, cap; \
	}

/* Room for `extra` more elements of `elem` bytes behind `n`. Errors: ERR_LIMIT, ERR_NOMEM. */
int vec_grow_raw(void **at, size_t *cap, size_t n, size_t extra, size_t elem, struct budget *b,
		 struct error *err);

/* 0 when `extra` more elements fit without a further allocation, else a negative error. */
#define vec_reserve(v, extra, b, err)                                                           \
	(__builtin_expect((v)->cap - (v)->n >= (size_t)(extra), 1)                              \
		 ? 0                                                                            \
		 : vec_grow_raw((void **)&(v)->at, &(v)->cap, (v)->n, (extra), sizeof *(v)->at, \
				(b), (err)))

/* Append one element; 0 or a negative error. */
#define vec_push(v, value, b, err) \
	(vec_reserve((v), 1, (b), (err)) < 0 ? (int)(err)->code : ((v)->at[(v)->n++] = (value), 0))

#define vec_release(v, b)                                              \
	do {                                                           \
		budget_free((b), (v)->at, (v)->cap * sizeof *(v)->at); \
		(v)->at = NULL;                                        \
		(v)->n = (v)->cap = 0;                                 \
	} while (0)

#endif
