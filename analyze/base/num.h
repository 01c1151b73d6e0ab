/* SPDX-License-Identifier: MIT
 * num.h -- arithmetic that says when it would overflow; for every number that comes from input.
 */
#ifndef ANALYZE_BASE_NUM_H
#define ANALYZE_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True and *out = a OP b, or false and *out untouched when it does not fit. */
static inline bool num_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

static inline bool num_mul_size(size_t a, size_t b, size_t *out)
{
	size_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

/* a + b, or UINT64_MAX: for sums that are only shown. */
static inline uint64_t num_add_saturated(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* Round n up to a multiple of `unit` (> 0), or UINT64_MAX when that does not fit. */
static inline uint64_t num_round_up(uint64_t n, uint64_t unit)
{
	uint64_t rest = n % unit;

	return rest ? num_add_saturated(n, unit - rest) : n;
}

#endif
