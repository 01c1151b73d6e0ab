/* SPDX-License-Identifier: MIT
 * rounding.c -- the arithmetic of PyTorch's CUDACachingAllocator: request to block to segment.
 */
#include "model/rounding.h"

#include "base/num.h"
#include "model/model.h"

#define DIVISION_COUNT     16 /* kRoundUpPowerOfTwoIntervals */
#define FIRST_INTERVAL_LOG 20 /* the first interval holds everything below 2 MiB */

static unsigned log2_floor(uint64_t n)
{
	return 63 - (unsigned)__builtin_clzll(n);
}

static unsigned divisions_of(const struct alloc_settings *s, uint64_t n)
{
	unsigned log = log2_floor(n);
	unsigned i = log < FIRST_INTERVAL_LOG ? 0 : log - FIRST_INTERVAL_LOG;

	return s->roundup_divisions[i < DIVISION_COUNT ? i : DIVISION_COUNT - 1];
}

/* roundup_power2_next_division: up to the next of `divisions` equal steps between two powers of
 * two. 1200 KiB by 4: steps of 256 KiB from 1 MiB, so 1280 KiB. */
static uint64_t round_to_division(uint64_t n, unsigned divisions)
{
	uint64_t floor = UINT64_C(1) << log2_floor(n);
	uint64_t step = floor >> log2_floor(divisions);

	if (n == floor)
		return n;
	if (!step)
		return floor > UINT64_MAX / 2 ? UINT64_MAX : floor << 1;
	return num_round_up(n, step);
}

uint64_t round_size(const struct alloc_settings *s, uint64_t requested)
{
	uint64_t n = num_add_saturated(requested, s->rounding_extra);
	unsigned divisions;

	if (n < MIN_BLOCK_BYTES)
		return MIN_BLOCK_BYTES;
	divisions = divisions_of(s, n);
	if (divisions > 1 && n > (uint64_t)MIN_BLOCK_BYTES * divisions)
		return round_to_division(n, divisions);
	return num_round_up(n, MIN_BLOCK_BYTES);
}

uint64_t round_to_segment(const struct alloc_settings *s, uint64_t rounded)
{
	if (rounded <= SMALL_MAX_BYTES)
		return SMALL_SEGMENT_BYTES;
	if (rounded < LARGE_ALLOC_MIN_BYTES)
		return s->large_segment_bytes;
	return num_round_up(rounded, LARGE_UNIT_BYTES);
}

bool round_splits(const struct alloc_settings *s, uint64_t block, uint64_t rounded, bool small_pool,
		  bool expandable)
{
	uint64_t rest = block > rounded ? block - rounded : 0;

	if (small_pool || expandable)
		return rest >= MIN_BLOCK_BYTES;
	return rounded < s->max_split_bytes && rest > SPLIT_REST_BYTES;
}
