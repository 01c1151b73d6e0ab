/* SPDX-License-Identifier: MIT
 * dump.h -- a copy of a ring, written to a file as a snapshot.
 */
#ifndef CAPTURE_DUMP_H
#define CAPTURE_DUMP_H

#include <stdbool.h>
#include <stddef.h>

/* Does the suffix ask for zstd? Then libzstd must be there: zstd_out_works. */
bool dump_is_compressed(const char *path);

/* Write the snapshot of `bytes` (a ring file's) to `path`, whole or not at all. False with the reason
 * in `why`. A full disk or a limit on file sizes ends the dump and not the program. */
bool dump_write(const void *bytes, size_t n, const char *path, char *why, size_t why_bytes);

#endif
