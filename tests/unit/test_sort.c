/* SPDX-License-Identifier: MIT
 * test_sort.c -- sorting in place: any order, any size, against the obvious.
 */
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/lib/tap.h"

struct row {
	uint32_t key, place;
};

static bool row_less(const struct row *a, const struct row *b, const void *ctx)
{
	(*(uint64_t *)(uintptr_t)ctx)++;
	return a->key != b->key ? a->key < b->key : a->place < b->place;
}

SORT_DEFINE(sort_rows, struct row, row_less)

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static uint32_t key_of(unsigned shape, size_t i, size_t n, uint64_t *seed)
{
	switch (shape) {
	case 0:
		return (uint32_t)i;
	case 1:
		return (uint32_t)(n - i);
	case 2:
		return next(seed);
	case 3:
		return next(seed) % 3;
	case 4: /* an organ pipe */
		return (uint32_t)(i < n / 2 ? i : n - i);
	case 5: /* sorted but for the last */
		return i + 1 == n ? 0 : (uint32_t)i + 1;
	default:
		return 7;
	}
}

int main(void)
{
	static const size_t sizes[] = {0, 1, 2, 3, 16, 17, 100, 1000, 65536};
	uint64_t seed = 1;

	for (unsigned shape = 0; shape < 7; shape++) {
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			size_t n = sizes[s];
			struct row *rows = calloc(n + 1, sizeof *rows);
			uint8_t *seen = calloc(n + 1, 1);
			uint64_t compared = 0, wrong = 0;

			for (size_t i = 0; i < n; i++)
				rows[i] = (struct row){key_of(shape, i, n, &seed), (uint32_t)i};
			sort_rows(rows, n, &compared);
			for (size_t i = 0; i < n; i++) {
				uint64_t ignored = 0;

				wrong += i && !row_less(&rows[i - 1], &rows[i], &ignored);
				wrong += seen[rows[i].place]++;
			}
			is_u64(wrong, 0, "shape %u, %zu rows", shape, n);
			ok(compared <= 64 * (n + 1) * 3, "in n log n steps");
			free(rows);
			free(seen);
		}
	}
	return done_testing();
}
