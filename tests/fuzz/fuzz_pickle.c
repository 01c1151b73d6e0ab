/* SPDX-License-Identifier: MIT
 * fuzz_pickle.c -- the pickle machine on anything: it keeps the promises of fold.h and pickle.h,
 * reads the same whatever the window, and gives all memory back.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/lib/probe_fold.h"

/* Compression is undone by the input, and has targets of its own. */
static bool is_compressed(const uint8_t *data, size_t size)
{
	return input_compression_of(data, size) != COMPRESSION_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (is_compressed(data, size))
		return 0;
	uint64_t whole = probe_pickle(data, size, 0, LIMIT);
	if (probe_pickle(data, size, size % 23 + 1, LIMIT) != whole)
		abort();
	/* A limit that is met somewhere: nothing to compare, but nothing may be left behind. */
	probe_pickle(data, size, 0, 290000 + size % 256 * 64);
	return 0;
}
