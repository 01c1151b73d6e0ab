/* SPDX-License-Identifier: MIT
 * rounding.h -- the arithmetic of PyTorch's CUDACachingAllocator: request to block to segment.
 *
 * Source of every rule: c10/cuda/CUDACachingAllocator.cpp (round_size, get_allocation_size,
 * should_split, roundup_power2_next_division) and CUDAAllocatorConfig.cpp, torch 2.1 to newest.
 */
#ifndef ANALYZE_MODEL_ROUNDING_H
#define ANALYZE_MODEL_ROUNDING_H

#include <stdbool.h>
#include <stdint.h>

struct alloc_settings;

#define MIN_BLOCK_BYTES       512u                 /* kMinBlockSize */
#define SMALL_MAX_BYTES       (UINT64_C(1) << 20)  /* kSmallSize: largest block of the small pool */
#define SMALL_SEGMENT_BYTES   (UINT64_C(2) << 20)  /* kSmallBuffer */
#define LARGE_ALLOC_MIN_BYTES (UINT64_C(10) << 20) /* kMinLargeAlloc */
#define LARGE_UNIT_BYTES      (UINT64_C(2) << 20)  /* kRoundLarge */
#define SPLIT_REST_BYTES      (UINT64_C(1) << 20)  /* a large block keeps a rest up to this */

/* round_size: bytes of the smallest block for `requested` bytes; UINT64_MAX if unrepresentable. */
uint64_t round_size(const struct alloc_settings *s, uint64_t requested);

/* get_allocation_size: bytes asked of the driver for a rounded request when no block fits: 2 MiB,
 * 20 MiB (large_segment_bytes), or the next multiple of 2 MiB. */
uint64_t round_to_segment(const struct alloc_settings *s, uint64_t rounded);

/* should_split: is a free block of `block` bytes split when `rounded` bytes are cut from it?
 * `expandable`: the segment is expandable or the feature was on. */
bool round_splits(const struct alloc_settings *s, uint64_t block, uint64_t rounded, bool small_pool,
		  bool expandable);

#endif
