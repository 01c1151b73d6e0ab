/* SPDX-License-Identifier: MIT
 * zstd_out.h -- bytes on their way to a file, compressed by the libzstd that is installed, if one is.
 *
 * It is opened and not linked: a recorder is to load into programs on any machine.
 */
#ifndef CAPTURE_ZSTD_OUT_H
#define CAPTURE_ZSTD_OUT_H

#include <stdbool.h>
#include <stddef.h>

/* Of zstd.h, the same since 1.4.0. */
struct zstd_piece {
	const void *bytes;
	size_t size, at;
};

struct zstd_out {
	void *(*create)(void);
	size_t (*destroy)(void *stream);
	size_t (*set)(void *stream, int parameter, int value);
	size_t (*compress)(void *stream, struct zstd_piece *out, struct zstd_piece *in, int end);
	unsigned (*is_error)(size_t code);
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
	void *stream;
	char buffer[1u << 16];
};

/* Opens the library; false when there is none. Takes locks of the dynamic linker, as every first use
 * does. */
bool zstd_out_works(void);
/* What is written goes to `write`, as in sw_start. False without the library, or without memory. */
bool zstd_out_start(struct zstd_out *z, int (*write)(void *ctx, const void *bytes, size_t n),
		    void *ctx);
/* `z` is a struct zstd_out. 0, or -1 when `write` or the library failed. */
int zstd_out_write(void *z, const void *bytes, size_t n);
/* Writes what is left when everything went well so far; frees the stream in any case. */
bool zstd_out_end(struct zstd_out *z, bool good);

#endif
