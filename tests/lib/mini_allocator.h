/* SPDX-License-Identifier: MIT
 * mini_allocator.h -- a plain caching allocator that writes the trace a snapshot would hold, and
 * keeps a full copy of its state after every event to compare with.
 *
 * It follows the rules of PyTorch's allocator in the simplest way that works (one sorted array of
 * blocks, everything by linear search), and shares no code with the replay it tests.
 */
#ifndef TESTS_LIB_MINI_ALLOCATOR_H
#define TESTS_LIB_MINI_ALLOCATOR_H

#include "tests/lib/mk_model.h"

struct mini_options {
	uint64_t seed;
	uint64_t max_split_bytes; /* 0: none */
	unsigned divisions;       /* of roundup_power2_divisions; 0: off */
	unsigned extra;           /* bytes added before rounding: 32 in torch_npu */
	unsigned n_streams;
	bool expandable;
	bool only_small;
	bool light; /* keep no states: for long traces */
};

struct mini_block {
	uint64_t address, size, requested;
	uint64_t stream;
	int64_t born;     /* number of the recorded alloc event, or EVENT_START */
	uint32_t segment; /* cudaMalloc segment or virtual range: blocks merge inside one */
	uint8_t state;    /* enum block_state */
	bool is_small;
};

/* The blocks after an event. */
struct mini_state {
	struct mini_block *blocks;
	size_t n;
};

struct mini {
	struct mini_options o;
	uint64_t random;
	struct mini_block *blocks; /* by address */
	size_t n, cap;
	uint32_t n_segments;
	bool recording;
	struct mini_event {
		enum action action;
		uint64_t addr, size, stream;
	} * events;
	struct mini_state *states; /* states[0]: before event 0; states[i + 1]: after event i */
	size_t n_events, cap_events;
};

void mini_init(struct mini *a, struct mini_options o);
void mini_release(struct mini *a);
uint64_t mini_random(struct mini *a, uint64_t below);

/* Begin to write down events; what lives now lived before the trace. */
void mini_record(struct mini *a);
/* `n` random operations: allocations, frees, frees that wait for a stream, empty_cache. */
void mini_run(struct mini *a, size_t n);
/* The trace, the segments at the end and the settings as device 0 of a finished model. */
void mini_model(const struct mini *a, struct mk_model *k);

#endif
