/* SPDX-License-Identifier: MIT
 * input_zstd.c -- the codec for zstd data: any number of frames, skippable ones between them, and
 * windows of any size the budget allows.
 *
 * A frame says how large a window its decoder must keep. That number comes from the file, so it is
 * read here and charged to the budget before the library sees it.
 */
#include "base/input_source.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The decoder besides the window: its tables, one compressed block, two decoded ones. */
#define DECODER_BYTES (640 * 1024)

#define WINDOW_LOG_MAX 31 /* the library's own limit */
#define FRAME_HEAD_MAX 18
#define FRAME_HEAD_MIN 5
#define SKIPPABLE_HEAD 8
#define BLOCK_HEAD     3

struct zstd {
	ZSTD_DCtx *decoder;
	uint64_t charged; /* to the budget for decoder and window */
	uint64_t skip;    /* raw bytes left of a skippable frame */
	size_t hint;      /* raw bytes until the end of the block plus the next block's head */
	bool in_frame;
	bool pending; /* the decoder may hold decoded bytes that did not fit */
	bool any_frame;
};

static int zstd_open(struct input_source *s, struct error *err)
{
	struct zstd *z = budget_realloc(s->budget, NULL, 0, sizeof *z, err);

	if (!z)
		return err->code;
	*z = (struct zstd){0};
	s->state = z;
	int rc = budget_take(s->budget, DECODER_BYTES, err);
	if (rc < 0)
		return rc;
	z->charged = DECODER_BYTES;
	z->decoder = ZSTD_createDCtx();
	if (!z->decoder ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(z->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for zstd");
	return 0;
}

static void zstd_close(struct input_source *s)
{
	struct zstd *z = s->state;

	if (!z)
		return;
	ZSTD_freeDCtx(z->decoder);
	budget_give(s->budget, z->charged);
	budget_free(s->budget, z, sizeof *z);
	s->state = NULL;
}

static int zstd_cut(const struct input_source *s, struct error *err)
{
	return error_set(err, ERR_CUT, s->decoded, "the zstd data ends early");
}

static uint64_t get_le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = n; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

/* Frame head, RFC 8878 3.1.1.1: magic 4, descriptor 1, window 0-1, dictionary id 0-4, content
 * size 0-8. `held` = what the decoder must keep: the window, or all of a frame that is smaller. */
struct frame_head {
	uint64_t held;
	uint32_t dictionary;
};

/* Returns the length of the head, 0 when `n` bytes are not all of it. */
static size_t frame_head_read(struct frame_head *out, const uint8_t *p, size_t n)
{
	static const uint8_t dictionary_bytes[4] = {0, 1, 2, 4};
	static const uint8_t content_bytes[4] = {0, 2, 4, 8};
	if (n < FRAME_HEAD_MIN)
		return 0;
	bool single = p[4] & 0x20;
	unsigned dict = dictionary_bytes[p[4] & 3];
	unsigned content = p[4] >> 6 == 0 && single ? 1 : content_bytes[p[4] >> 6];
	size_t length = FRAME_HEAD_MIN + !single + dict + content;
	uint64_t window = UINT64_MAX, size = UINT64_MAX;

	if (n < length)
		return 0;
	p += FRAME_HEAD_MIN;
	if (!single) {
		uint64_t base = UINT64_C(1) << (10 + (*p >> 3));
		window = base + base / 8 * (*p & 7);
		p++;
	}
	out->dictionary = (uint32_t)get_le(p, dict);
	if (content)
		size = get_le(p + dict, content);
	if (content == 2)
		size += 256;
	out->held = window < size ? window : size;
	return length;
}

/* Charge the window of the frame at `at`. */
static int frame_begin(struct input_source *s, struct zstd *z, struct error *err)
{
	struct frame_head head;

	if (frame_head_read(&head, s->raw.at, raw_left(&s->raw)) == 0)
		return zstd_cut(s, err);
	if (head.dictionary)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "zstd data that needs dictionary %u", head.dictionary);
	if (head.held > UINT64_C(1) << WINDOW_LOG_MAX)
		return error_set(err, ERR_LIMIT, s->decoded,
				 "zstd data with a window of %llu bytes; at most 2 GiB is read",
				 (unsigned long long)head.held);
	uint64_t need = head.held + DECODER_BYTES;
	if (need > z->charged) {
		int rc = budget_take(s->budget, need - z->charged, err);
		if (rc < 0)
			return error_set(
				err, rc, s->decoded,
				"the window of the zstd data, %llu bytes, does not fit into the "
				"memory limit of %llu bytes",
				(unsigned long long)head.held,
				(unsigned long long)s->budget->limit);
		z->charged = need;
	}
	z->hint = FRAME_HEAD_MIN;
	z->pending = false;
	z->in_frame = true;
	z->any_frame = true;
	return 1;
}

/* Step to the next frame. Returns 1 when one begins, 0 at the clean end. */
static int next_frame(struct input_source *s, struct zstd *z, struct error *err)
{
	static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	struct raw *r = &s->raw;

	for (;;) {
		int rc = z->any_frame ? raw_skip_zeros(r, err) : 0;
		if (rc == 0)
			rc = raw_fill(r, FRAME_HEAD_MAX, err);
		if (rc < 0)
			return rc;
		size_t left = raw_left(r);
		if (left == 0)
			return 0;
		if (left < 4 && memcmp(r->at, magic, left) == 0)
			return zstd_cut(s, err);
		if (codec_for(r->at, left) != &codec_zstd)
			return error_set(err, ERR_FORMAT, s->decoded,
					 "bytes after the zstd data that are neither padding "
					 "nor zstd");
		if (r->at[0] == magic[0])
			return frame_begin(s, z, err);
		if (left < SKIPPABLE_HEAD)
			return zstd_cut(s, err);
		for (z->skip = SKIPPABLE_HEAD + get_le(r->at + 4, 4); z->skip > 0;) {
			rc = raw_fill(r, 1, err);
			if (rc < 0)
				return rc;
			left = raw_left(r);
			if (left == 0)
				return zstd_cut(s, err);
			left = left < z->skip ? left : (size_t)z->skip;
			r->at += left;
			z->skip -= left;
		}
		z->any_frame = true;
	}
}

static int zstd_damage(const struct input_source *s, size_t code, struct error *err)
{
	ZSTD_ErrorCode why = ZSTD_getErrorCode(code);

	if (why == ZSTD_error_memory_allocation)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory for zstd");
	return error_set(err, ERR_FORMAT, s->decoded, "the zstd data does not decode (%s)",
			 ZSTD_getErrorString(why));
}

/* The library forgets what it wrote in a call that fails. So each call gets either the rest of one
 * block or one block head, and none while decoded bytes are pending: a call that fails then has
 * written nothing. */
static size_t zstd_feed(const struct zstd *z)
{
	if (z->pending)
		return 0;
	size_t n = z->hint > BLOCK_HEAD ? z->hint - BLOCK_HEAD : z->hint;

	return n < RAW_BUF_BYTES ? n : RAW_BUF_BYTES;
}

static long zstd_pull(struct input_source *s, uint8_t *to, size_t room, struct error *err)
{
	struct zstd *z = s->state;
	struct raw *r = &s->raw;

	for (;;) {
		int begun = z->in_frame ? 1 : next_frame(s, z, err);
		if (begun <= 0)
			return begun;
		size_t feed = zstd_feed(z);
		int rc = raw_fill(r, feed, err);
		if (rc < 0)
			return rc;
		if (feed > raw_left(r))
			feed = raw_left(r);
		if (feed == 0 && !z->pending)
			return zstd_cut(s, err);
		ZSTD_inBuffer in = {r->at, feed, 0};
		ZSTD_outBuffer out = {to, room, 0};
		size_t hint = ZSTD_decompressStream(z->decoder, &out, &in);
		if (ZSTD_isError(hint))
			return zstd_damage(s, hint, err);
		r->at += in.pos;
		z->pending = out.pos == room;
		z->hint = hint;
		z->in_frame = hint != 0;
		if (out.pos > 0)
			return (long)out.pos;
	}
}

const struct codec codec_zstd = {COMPRESSION_ZSTD, zstd_open, zstd_pull, zstd_close};
