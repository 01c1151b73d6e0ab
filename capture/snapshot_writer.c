/* SPDX-License-Identifier: MIT
 * snapshot_writer.c -- pickle opcodes, one value after the other.
 */
#include "capture/snapshot_writer.h"

#include <assert.h>
#include <string.h>

static const char *const key_text[SW_KEY_COUNT] = {
	[SW_ACTION] = "action",
	[SW_ACTIVE_SIZE] = "active_size",
	[SW_ADDR] = "addr",
	[SW_ADDRESS] = "address",
	[SW_ALLOCATED_SIZE] = "allocated_size",
	[SW_ALLOCATOR_SETTINGS] = "allocator_settings",
	[SW_BLOCKS] = "blocks",
	[SW_CAPTURE] = "capture",
	[SW_COMPILE_CONTEXT] = "compile_context",
	[SW_DEVICE] = "device",
	[SW_DEVICE_FREE] = "device_free",
	[SW_DEVICE_TRACES] = "device_traces",
	[SW_EXTERNAL_ANNOTATIONS] = "external_annotations",
	[SW_FILENAME] = "filename",
	[SW_FORWARD_FRAMES] = "forward_frames",
	[SW_FRAMES] = "frames",
	[SW_HOST_SEGMENTS] = "host_segments",
	[SW_HOST_TRACES] = "host_traces",
	[SW_INTERNAL_METADATA] = "internal_metadata",
	[SW_IS_EXPANDABLE] = "is_expandable",
	[SW_LINE] = "line",
	[SW_MAX_ENTRIES] = "trace_alloc_max_entries",
	[SW_NAME] = "name",
	[SW_OVERFLOWED] = "trace_alloc_overflowed",
	[SW_POOL_ID] = "pool_id",
	[SW_REQUESTED_SIZE] = "requested_size",
	[SW_SEGMENTS] = "segments",
	[SW_SEGMENT_POOL_ID] = "segment_pool_id",
	[SW_SEGMENT_TYPE] = "segment_type",
	[SW_SIZE] = "size",
	[SW_STAGE] = "stage",
	[SW_STATE] = "state",
	[SW_STREAM] = "stream",
	[SW_TIME_US] = "time_us",
	[SW_TOTAL_SIZE] = "total_size",
	[SW_USER_METADATA] = "user_metadata",
	[SW_CATEGORY] = "category",
};

const char *sw_key_name(enum sw_key key)
{
	return key_text[key];
}

/* CPython's batch size; MemoryViz.js overflows its call stack with much larger ones. */
#define BATCH_ITEMS 1000u

enum {
	OP_PROTO = 0x80,
	OP_STOP = '.',
	OP_MARK = '(',
	OP_NONE = 'N',
	OP_NEWTRUE = 0x88,
	OP_NEWFALSE = 0x89,
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_LONG1 = 0x8a,
	OP_BINFLOAT = 'G',
	OP_BINUNICODE = 'X',
	OP_SHORT_BINUNICODE = 0x8c,
	OP_EMPTY_DICT = '}',
	OP_EMPTY_LIST = ']',
	OP_SETITEMS = 'u',
	OP_APPENDS = 'e',
	OP_TUPLE2 = 0x86,
	OP_MEMOIZE = 0x94,
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
};

/* ---- bytes ---- */

static void flush(struct sw *w)
{
	if (!w->failed && w->used > 0 && w->write(w->ctx, w->buffer, w->used) != 0)
		w->failed = true;
	w->used = 0;
}

static void put(struct sw *w, const void *bytes, size_t n)
{
	if (n > sizeof w->buffer - w->used)
		flush(w);
	if (n > sizeof w->buffer) {
		if (!w->failed && w->write(w->ctx, bytes, n) != 0)
			w->failed = true;
		return;
	}
	memcpy(w->buffer + w->used, bytes, n);
	w->used += n;
}

static void put_byte(struct sw *w, unsigned byte)
{
	if (w->used == sizeof w->buffer)
		flush(w);
	w->buffer[w->used++] = (unsigned char)byte;
}

/* The low `n` bytes of v, lowest first. */
static void put_le(struct sw *w, uint64_t v, unsigned n)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < n; i++)
		bytes[i] = (unsigned char)(v >> 8 * i);
	put(w, bytes, n);
}

/* ---- structure ---- */

/* Each item of a list comes through here: batches are opened and closed on the way. */
static void before_value(struct sw *w)
{
	if (w->depth == 0 || !w->level[w->depth - 1].is_list)
		return;
	if (w->level[w->depth - 1].items == BATCH_ITEMS) {
		put_byte(w, OP_APPENDS);
		w->level[w->depth - 1].items = 0;
		w->level[w->depth - 1].marked = false;
	}
	if (!w->level[w->depth - 1].marked) {
		put_byte(w, OP_MARK);
		w->level[w->depth - 1].marked = true;
	}
	w->level[w->depth - 1].items++;
}

static void open_level(struct sw *w, bool is_list)
{
	assert(w->depth < SW_MAX_DEPTH);
	before_value(w);
	w->level[w->depth].items = 0;
	w->level[w->depth].is_list = is_list;
	w->level[w->depth].marked = false;
	w->depth++;
}

void sw_dict(struct sw *w)
{
	open_level(w, false);
	put_byte(w, OP_EMPTY_DICT);
}

void sw_list(struct sw *w)
{
	open_level(w, true);
	put_byte(w, OP_EMPTY_LIST);
}

void sw_end(struct sw *w)
{
	assert(w->depth > 0);
	w->depth--;
	if (w->level[w->depth].marked)
		put_byte(w, w->level[w->depth].is_list ? OP_APPENDS : OP_SETITEMS);
}

static void memoize(struct sw *w, uint32_t *slot)
{
	put_byte(w, OP_MEMOIZE);
	*slot = ++w->memo_count;
}

static void refer(struct sw *w, uint32_t slot)
{
	const uint32_t index = slot - 1;

	if (index < 256) {
		put_byte(w, OP_BINGET);
		put_byte(w, index);
	} else {
		put_byte(w, OP_LONG_BINGET);
		put_le(w, index, 4);
	}
}

static void put_text(struct sw *w, const char *text, size_t n)
{
	if (n > UINT32_MAX)
		n = UINT32_MAX;
	if (n < 256) {
		put_byte(w, OP_SHORT_BINUNICODE);
		put_byte(w, (unsigned)n);
	} else {
		put_byte(w, OP_BINUNICODE);
		put_le(w, n, 4);
	}
	put(w, text, n);
}

static void before_key(struct sw *w)
{
	assert(w->depth > 0 && !w->level[w->depth - 1].is_list);
	if (!w->level[w->depth - 1].marked)
		put_byte(w, OP_MARK);
	w->level[w->depth - 1].marked = true;
}

void sw_key(struct sw *w, enum sw_key key)
{
	before_key(w);
	if (w->key_slots[key]) {
		refer(w, w->key_slots[key]);
		return;
	}
	put_text(w, key_text[key], strlen(key_text[key]));
	memoize(w, &w->key_slots[key]);
}

void sw_key_text(struct sw *w, const char *text, size_t n)
{
	before_key(w);
	put_text(w, text, n);
}

/* ---- values ---- */

void sw_none(struct sw *w)
{
	before_value(w);
	put_byte(w, OP_NONE);
}

void sw_bool(struct sw *w, bool v)
{
	before_value(w);
	put_byte(w, v ? OP_NEWTRUE : OP_NEWFALSE);
}

/* Bytes of the shortest two's complement of v. */
static unsigned long_bytes(int64_t v)
{
	unsigned n = 1;

	while (n < 8 && (v < -(INT64_C(1) << (8 * n - 1)) || v >= INT64_C(1) << (8 * n - 1)))
		n++;
	return n;
}

static void put_int(struct sw *w, int64_t v)
{
	if (v >= 0 && v < 256) {
		put_byte(w, OP_BININT1);
		put_byte(w, (unsigned)v);
	} else if (v >= 0 && v < 65536) {
		put_byte(w, OP_BININT2);
		put_le(w, (uint64_t)v, 2);
	} else if (v >= INT32_MIN && v <= INT32_MAX) {
		put_byte(w, OP_BININT);
		put_le(w, (uint64_t)v, 4);
	} else {
		unsigned n = long_bytes(v);

		put_byte(w, OP_LONG1);
		put_byte(w, n);
		put_le(w, (uint64_t)v, n);
	}
}

void sw_i64(struct sw *w, int64_t v)
{
	before_value(w);
	put_int(w, v);
}

void sw_u64(struct sw *w, uint64_t v)
{
	before_value(w);
	if (v <= INT64_MAX) {
		put_int(w, (int64_t)v);
		return;
	}
	/* Nine bytes, so that it is not negative. */
	put_byte(w, OP_LONG1);
	put_byte(w, 9);
	put_le(w, v, 8);
	put_byte(w, 0);
}

void sw_f64(struct sw *w, double v)
{
	unsigned char bytes[8];
	uint64_t bits;

	before_value(w);
	memcpy(&bits, &v, sizeof bits);
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(bits >> (56 - 8 * i));
	put_byte(w, OP_BINFLOAT);
	put(w, bytes, sizeof bytes);
}

void sw_text(struct sw *w, const char *text, size_t n)
{
	before_value(w);
	put_text(w, text, n);
}

void sw_pair(struct sw *w, int64_t a, int64_t b)
{
	before_value(w);
	put_int(w, a);
	put_int(w, b);
	put_byte(w, OP_TUPLE2);
}

bool sw_shared(struct sw *w, const uint32_t *slot)
{
	if (*slot == 0)
		return false;
	before_value(w);
	refer(w, *slot);
	return true;
}

void sw_share(struct sw *w, uint32_t *slot)
{
	memoize(w, slot);
}

/* ---- the whole ---- */

void sw_start(struct sw *w, int (*write)(void *ctx, const void *bytes, size_t n), void *ctx)
{
	memset(w, 0, sizeof *w);
	w->write = write;
	w->ctx = ctx;
	put_byte(w, OP_PROTO);
	put_byte(w, 4);
}

bool sw_finish(struct sw *w)
{
	assert(w->depth == 0);
	put_byte(w, OP_STOP);
	flush(w);
	return !w->failed;
}
