/* SPDX-License-Identifier: MIT
 * vec.c -- growing a column.
 */
#include "base/vec.h"

#include "base/num.h"

#define SMALL_STEP_BYTES (UINT64_C(1) << 20)

int vec_grow_raw(void **at, size_t *cap, size_t n, size_t extra, size_t elem, struct budget *b,
		 struct error *err)
{
	size_t want, bytes;
	size_t step = *cap / 2;

	if (*cap > SMALL_STEP_BYTES / elem)
		step = *cap / 4;
	if (__builtin_add_overflow(n, extra, &want))
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "a table would have 2^64 rows");
	if (want < *cap + step)
		want = *cap + step;
	if (want < 64 / elem + 4)
		want = 64 / elem + 4;
	if (!num_mul_size(want, elem, &bytes))
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "a table would have 2^64 bytes");
	void *p = budget_realloc(b, *at, *cap * elem, bytes, err);
	if (!p)
		return err ? (int)err->code : ERR_NOMEM;
	*at = p;
	*cap = want;
	return 0;
}
