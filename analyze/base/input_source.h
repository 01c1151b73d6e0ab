/* SPDX-License-Identifier: MIT
 * input_source.h -- what feeds an input's window: a carrier of raw bytes and a codec that undoes
 * its compression. For the input*.c files only.
 *
 *     file, pipe, memory, reader --> struct raw --> codec --> window of struct input
 */
#ifndef ANALYZE_BASE_INPUT_SOURCE_H
#define ANALYZE_BASE_INPUT_SOURCE_H

#include "base/input.h"

/* Holds the largest compressed zstd block (128 KiB) and more, so that blocks are decoded from here
 * without a copy. */
#define RAW_BUF_BYTES ((size_t)192 * 1024)

/* Signature of input_open_reader's `read`. */
typedef long raw_read_fn(void *ctx, uint8_t *to, size_t room, struct error *err);

/* Bytes as they lie. For memory `at` and `end` are the caller's bytes and there is no buffer. */
struct raw {
	raw_read_fn *read; /* NULL for memory */
	void *ctx;         /* weak; first argument of read */
	int fd;            /* of files and standard input, else -1 */
	bool close_fd;
	bool eof;                /* the carrier has nothing behind `end` */
	uint64_t size;           /* bytes in all, UINT64_MAX when unknown */
	uint64_t taken;          /* bytes from the start of the carrier to `end` */
	uint8_t *buf;            /* owned, RAW_BUF_BYTES, or NULL */
	const uint8_t *at, *end; /* taken from the carrier, not decoded yet */
};

struct codec;

struct input_source {
	struct raw raw;
	const struct codec *codec;
	void *state;           /* owned by the codec, NULL before codec->open */
	struct budget *budget; /* weak */
	uint64_t decoded;      /* bytes the codec has delivered so far: the offset for its errors */
	struct error failed;   /* why no more comes; code 0 while all is well or at a clean end */
};

struct codec {
	enum compression compression;
	int (*open)(struct input_source *s, struct error *err);
	/* Decode at most `room` (> 0) bytes; returns how many (> 0), 0 at the clean end, negative
	 * on failure. Bytes before a failure are delivered by a call of their own. */
	long (*pull)(struct input_source *s, uint8_t *to, size_t room, struct error *err);
	void (*close)(struct input_source *s); /* also after a failed open */
};

extern const struct codec codec_plain, codec_gzip, codec_zstd;

int raw_open_file(struct raw *r, const char *name, struct budget *budget, struct error *err);
void raw_open_bytes(struct raw *r, const void *bytes, size_t length);
void raw_open_reader(struct raw *r, raw_read_fn *read, void *ctx);
void raw_close(struct raw *r, struct budget *budget);

/* Bring `n` (at most RAW_BUF_BYTES) bytes to `at`, or what is left when that is less. */
int raw_fill(struct raw *r, size_t n, struct error *err);

static inline size_t raw_left(const struct raw *r)
{
	return (size_t)(r->end - r->at);
}

/* Step over NUL bytes, as tapes and block devices pad with; returns 0 with `at` on the first other
 * byte or at the end. */
int raw_skip_zeros(struct raw *r, struct error *err);

/* The codec for data that begins with these bytes. */
const struct codec *codec_for(const uint8_t *head, size_t n);

#endif
