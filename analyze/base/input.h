/* SPDX-License-Identifier: MIT
 * input.h -- one input as a stream of decoded bytes behind a bounded window.
 *
 * Whatever carries the bytes (a file, standard input, gzip of any number of members, zstd of any
 * number of frames) is recognised by content and undone; readers see decoded bytes only. The
 * window is small and moves: a file of any size costs the window, never its size, and no page of
 * it stays mapped.
 *
 *     input_open(&in, "crash.pickle.zst", budget, err);
 *     while (input_need(in, 16, err) == 0) { use in->at[0..15]; in->at += 16; }
 *
 * Readers advance `at` themselves, never past `end`. Offsets are of decoded bytes.
 */
#ifndef ANALYZE_BASE_INPUT_H
#define ANALYZE_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

/* What data that begins with these bytes is compressed by. */
enum compression input_compression_of(const uint8_t *head, size_t n);

struct input_source;

struct input {
	const uint8_t *at, *end; /* unread decoded bytes in the window */
	uint64_t window_offset;  /* decoded offset of window[0] */
	uint8_t *window;         /* owned; followed by INPUT_PAD readable bytes */
	size_t window_bytes;     /* capacity of the window */
	bool at_eof;             /* nothing comes after `end` */
	enum compression compression;
	struct input_source *source; /* owned */
	struct budget *budget;       /* weak */
	const char *name;            /* weak; "-" is standard input */
};

/* Zero bytes behind `end` that may be read: lets decoders load whole words and end their loops. */
#define INPUT_PAD 64

/* Size of the window but while input_need wants more. Allocators keep an area below 128 KiB for the
 * next input; a larger one is mapped and unmapped each time, which costs a small file more than
 * reading it. */
#define INPUT_WINDOW_BYTES ((size_t)96 * 1024)

/* Open a path, or standard input for "-". Errors: ERR_SYSTEM, ERR_LIMIT, ERR_NOMEM, ERR_FORMAT
 * (a broken gzip or zstd head). `name` must outlive the input. */
int input_open(struct input **out, const char *name, struct budget *budget, struct error *err);

/* The same over `length` bytes that outlive the input: for tests, fuzzing and embedded data. */
int input_open_bytes(struct input **out, const void *bytes, size_t length, struct budget *budget,
		     struct error *err);

/* An input over decoded bytes that `read` delivers: fills at most `room` bytes, returns how many,
 * 0 at the end, negative with *err set on failure. `ctx` stays the caller's. */
int input_open_reader(struct input **out,
		      long (*read)(void *ctx, uint8_t *to, size_t room, struct error *err),
		      void *ctx, struct budget *budget, struct error *err);

void input_close(struct input *in);

/* Make at least `n` unread bytes available at `at` (the window grows when n is larger than it).
 * ERR_CUT with the offset of the end when the input ends before that, also inside a gzip member or
 * zstd frame; ERR_FORMAT when the compressed data is damaged (what was decoded before the damage
 * has been delivered); ERR_SYSTEM, ERR_LIMIT, ERR_NOMEM. */
int input_need(struct input *in, size_t n, struct error *err);

/* As input_need, but the end of the input is no error: makes min(n, what is left) available and
 * returns 0. An end in the middle of compressed data or by a failure is an error once nothing is
 * left before it. */
int input_peek(struct input *in, size_t n, struct error *err);

/* Read all that is left. `*others` grows by the bytes that are none of the `n_blank` at `blank`. Errors:
 * those of input_peek. */
int input_drain(struct input *in, const char *blank, size_t n_blank, uint64_t *others,
		struct error *err);

/* Decoded offset of `at`. */
static inline uint64_t input_offset(const struct input *in)
{
	return in->window_offset + (uint64_t)(in->at - in->window);
}

/* Bytes of the file as it lies (UINT64_MAX for a pipe), and how many of them were consumed. */
uint64_t input_raw_size(const struct input *in);
uint64_t input_raw_offset(const struct input *in);

/* Bytes of the file as it lies: of a pipe by reading it to its end, undecoded. Nothing more can be
 * read from the input then. */
uint64_t input_raw_count(struct input *in);

#endif
