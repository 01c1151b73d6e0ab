/* SPDX-License-Identifier: MIT
 * snapshot_writer.h -- the one writer of snapshot pickles, for the recorder and the analyser alike.
 *
 * Writes pickle protocol 4 with the opcodes that every reader of PyTorch snapshots knows (CPython,
 * torch.cuda._memory_viz, MemoryViz.js): no FRAME, lists in batches of 1,000, integers as BININT1,
 * BININT2, BININT or LONG1 of at most 9 bytes. It allocates nothing and calls nothing but the
 * caller's `write`, so it may run inside somebody else's process, on a signal thread, with a heap
 * that is broken.
 *
 * What repeats is written once and referred to afterwards: keys by the writer itself, everything
 * else through a `uint32_t` slot of the caller's, zeroed before the first use:
 *
 *     if (!sw_shared(&w, &slot_of_stack[id])) {      // true: a reference was written
 *             sw_list(&w);
 *             ... frames ...
 *             sw_end(&w);
 *             sw_share(&w, &slot_of_stack[id]);      // what was just written is what slot means
 *     }
 *
 * Inside a dict, each value follows its key; inside a list, each item is written as it is. Errors
 * are remembered: after the first failed write nothing more is written, and sw_finish tells.
 */
#ifndef CAPTURE_SNAPSHOT_WRITER_H
#define CAPTURE_SNAPSHOT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys of snapshots; their text is PyTorch's. */
enum sw_key {
	SW_ACTION,
	SW_ACTIVE_SIZE,
	SW_ADDR,
	SW_ADDRESS,
	SW_ALLOCATED_SIZE,
	SW_ALLOCATOR_SETTINGS,
	SW_BLOCKS,
	SW_CAPTURE,
	SW_COMPILE_CONTEXT,
	SW_DEVICE,
	SW_DEVICE_FREE,
	SW_DEVICE_TRACES,
	SW_EXTERNAL_ANNOTATIONS,
	SW_FILENAME,
	SW_FORWARD_FRAMES,
	SW_FRAMES,
	SW_HOST_SEGMENTS,
	SW_HOST_TRACES,
	SW_INTERNAL_METADATA,
	SW_IS_EXPANDABLE,
	SW_LINE,
	SW_MAX_ENTRIES,
	SW_NAME,
	SW_OVERFLOWED,
	SW_POOL_ID,
	SW_REQUESTED_SIZE,
	SW_SEGMENTS,
	SW_SEGMENT_POOL_ID,
	SW_SEGMENT_TYPE,
	SW_SIZE,
	SW_STAGE,
	SW_STATE,
	SW_STREAM,
	SW_TIME_US,
	SW_TOTAL_SIZE,
	SW_USER_METADATA,
	SW_CATEGORY,
	SW_KEY_COUNT,
};

#define SW_MAX_DEPTH 24
#define SW_BUFFER    8192

struct sw {
	/* Takes all of `n` bytes: 0, or anything else for failure. */
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
	bool failed;
	uint32_t memo_count;
	uint32_t key_slots[SW_KEY_COUNT];
	unsigned depth;
	struct {
		uint32_t items; /* of the batch that is open */
		bool is_list;
		bool marked; /* a MARK is open */
	} level[SW_MAX_DEPTH];
	size_t used;
	unsigned char buffer[SW_BUFFER];
};

/* PyTorch's text of a key. */
const char *sw_key_name(enum sw_key key);

void sw_start(struct sw *w, int (*write)(void *ctx, const void *bytes, size_t n), void *ctx);
/* End the pickle. False when any write failed. */
bool sw_finish(struct sw *w);

/* Containers; sw_end ends the innermost one. Nested deeper than SW_MAX_DEPTH: a bug of ours. */
void sw_dict(struct sw *w);
void sw_list(struct sw *w);
void sw_end(struct sw *w);

void sw_key(struct sw *w, enum sw_key key);
/* A key that is not in the list. */
void sw_key_text(struct sw *w, const char *text, size_t n);

void sw_none(struct sw *w);
void sw_bool(struct sw *w, bool v);
void sw_u64(struct sw *w, uint64_t v);
void sw_i64(struct sw *w, int64_t v);
void sw_f64(struct sw *w, double v);
/* Bytes that should be UTF-8: others make CPython refuse the file. */
void sw_text(struct sw *w, const char *text, size_t n);
/* (a, b) */
void sw_pair(struct sw *w, int64_t a, int64_t b);

/* Write a reference when the slot is known: true. */
bool sw_shared(struct sw *w, const uint32_t *slot);
/* The value that was just written can be referred to by this slot from now on. */
void sw_share(struct sw *w, uint32_t *slot);

#endif
