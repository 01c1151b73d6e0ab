/* SPDX-License-Identifier: MIT
 * fuzz.h -- what every fuzz target has: its entry, a bound of memory, and properties that must hold.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that a target may take from its budget. */
#define LIMIT (UINT64_C(64) << 20)

/* A property; libFuzzer keeps the input that breaks it. Not assert: NDEBUG must not take it away. */
#define CHECK(holds)             \
	do {                     \
		if (!(holds))    \
			abort(); \
	} while (0)

#endif
