/* SPDX-License-Identifier: MIT
 * out.h -- a buffered byte sink that remembers its first failure.
 *
 * Writers call out_* without checking; whoever opened it asks out_close once.
 */
#ifndef REPORTS_OUT_H
#define REPORTS_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct out;

/* To a descriptor (not closed by out_close), to a file that appears under `path` only when
 * everything was written (temporary name beside it, renamed by out_close), or into memory. */
int out_open_fd(struct out **out, int fd, struct error *err);
int out_open_path(struct out **out, const char *path, struct error *err);
int out_open_memory(struct out **out, struct error *err);

/* Write what follows as one zstd frame; directly after opening a descriptor or path. out_size goes
 * on counting what is given, not what is written. */
int out_compress(struct out *o, struct error *err);

void out_bytes(struct out *o, const void *bytes, size_t n);
void out_text(struct out *o, const char *text);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Make out_close fail with this errno: for writers that cannot go on. */
void out_fail(struct out *o, int errnum);

/* Bytes written so far. */
uint64_t out_size(const struct out *o);
/* Of out_open_memory: what was written, NUL-terminated, valid until out_close. */
const char *out_memory(const struct out *o, size_t *n);

/* Flush and free. ERR_SYSTEM or ERR_NOMEM when anything failed since opening; then no file is
 * left. out_abandon frees and leaves no file. */
int out_close(struct out *o, struct error *err);
void out_abandon(struct out *o);

#endif
