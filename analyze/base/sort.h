/* SPDX-License-Identifier: MIT
 * sort.h -- sorting of large arrays in place: no memory, no bad case, nothing to do when in order.
 *
 * SORT_DEFINE(name, type, less) makes `static void name(type *at, size_t n, const void *ctx)`;
 * `less(a, b, ctx)` takes pointers. Not stable: give equal rows an order of their own.
 */
#ifndef ANALYZE_BASE_SORT_H
#define ANALYZE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* Below this many rows insertion is fastest. */
#define SORT_SMALL 16

/* Quicksort with the median of three; ranges that split badly too often are heap-sorted. The
 * larger half waits on a stack of at most 64 ranges. */
#define SORT_DEFINE(name, type, less)                                                    \
	static void name##_sift(type *at, size_t root, size_t n, const void *ctx)        \
	{                                                                                \
		type value = at[root];                                                   \
		size_t child;                                                            \
                                                                                         \
		while ((child = 2 * root + 1) < n) {                                     \
			child += child + 1 < n && less(&at[child], &at[child + 1], ctx); \
			if (!less(&value, &at[child], ctx))                              \
				break;                                                   \
			at[root] = at[child];                                            \
			root = child;                                                    \
		}                                                                        \
		at[root] = value;                                                        \
	}                                                                                \
	static void name##_heap(type *at, size_t n, const void *ctx)                     \
	{                                                                                \
		for (size_t i = n / 2; i-- > 0;)                                         \
			name##_sift(at, i, n, ctx);                                      \
		for (size_t i = n; i-- > 1;) {                                           \
			type top = at[0];                                                \
                                                                                         \
			at[0] = at[i];                                                   \
			at[i] = top;                                                     \
			name##_sift(at, 0, i, ctx);                                      \
		}                                                                        \
	}                                                                                \
	static void name##_insert(type *at, size_t n, const void *ctx)                   \
	{                                                                                \
		for (size_t i = 1; i < n; i++) {                                         \
			type value = at[i];                                              \
			size_t k = i;                                                    \
                                                                                         \
			for (; k > 0 && less(&value, &at[k - 1], ctx); k--)              \
				at[k] = at[k - 1];                                       \
			at[k] = value;                                                   \
		}                                                                        \
	}                                                                                \
	/* Rows before the result are not above the pivot, the others not below it. */   \
	static size_t name##_split(type *at, size_t n, const void *ctx)                  \
	{                                                                                \
		type a = at[0], b = at[n / 2], c = at[n - 1];                            \
		type pivot = less(&a, &b, ctx) ? (less(&b, &c, ctx)   ? b                \
						  : less(&a, &c, ctx) ? c                \
								      : a)               \
					       : (less(&a, &c, ctx)   ? a                \
						  : less(&b, &c, ctx) ? c                \
								      : b);              \
		size_t i = 0, k = n - 1;                                                 \
                                                                                         \
		for (;; i++, k--) {                                                      \
			while (less(&at[i], &pivot, ctx))                                \
				i++;                                                     \
			while (less(&pivot, &at[k], ctx))                                \
				k--;                                                     \
			if (i >= k)                                                      \
				return k + 1;                                            \
			type swap = at[i];                                               \
			at[i] = at[k];                                                   \
			at[k] = swap;                                                    \
		}                                                                        \
	}                                                                                \
	static void name(type *at, size_t n, const void *ctx)                            \
	{                                                                                \
		struct {                                                                 \
			type *at;                                                        \
			size_t n;                                                        \
			unsigned tries;                                                  \
		} open[64];                                                              \
		size_t n_open = 0, sorted = 1;                                           \
		unsigned tries = 2 * (unsigned)(64 - __builtin_clzll(n | 1));            \
                                                                                         \
		while (sorted < n && !less(&at[sorted], &at[sorted - 1], ctx))           \
			sorted++;                                                        \
		if (sorted >= n)                                                         \
			return;                                                          \
		for (;;) {                                                               \
			while (n > SORT_SMALL && tries-- > 0) {                          \
				size_t left = name##_split(at, n, ctx);                  \
				bool lower = left > n - left;                            \
                                                                                         \
				open[n_open].at = lower ? at : at + left;                \
				open[n_open].n = lower ? left : n - left;                \
				open[n_open++].tries = tries;                            \
				at += lower ? left : 0;                                  \
				n = lower ? n - left : left;                             \
			}                                                                \
			if (n > SORT_SMALL)                                              \
				name##_heap(at, n, ctx);                                 \
			else                                                             \
				name##_insert(at, n, ctx);                               \
			if (!n_open)                                                     \
				return;                                                  \
			n_open--;                                                        \
			at = open[n_open].at;                                            \
			n = open[n_open].n;                                              \
			tries = open[n_open].tries;                                      \
		}                                                                        \
	}

#endif
