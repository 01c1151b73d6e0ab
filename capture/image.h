/* SPDX-License-Identifier: MIT
 * image.h -- a ring file as bytes: checked, and written out as a snapshot.
 *
 * The bytes may come from anybody and may be cut or damaged: every offset is checked, nothing is
 * followed without bound. Nothing allocates, so the recorder itself uses this too, on a copy that it
 * took under its lock; memory to work in comes from the caller.
 */
#ifndef CAPTURE_IMAGE_H
#define CAPTURE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/format.h"
#include "capture/snapshot_writer.h"

struct ring_image {
	const unsigned char *bytes;
	struct ring_header header;   /* a copy, made consistent with the size of the file */
	uint64_t first_seq, end_seq; /* whole events: first_seq .. end_seq - 1 */
	bool wrapped;                /* older events are gone */
};

/* False, with the reason in words, when this is no ring that can be read. The bytes must stay. */
bool ring_image_open(struct ring_image *image, const void *bytes, size_t n, const char **why);

/* Names for code addresses, where the caller knows better than module+offset. */
struct ring_symbols {
	/* A NUL-terminated function name in `buf`, or false. */
	bool (*name)(void *ctx, uint64_t pc, char *buf, size_t buf_bytes);
	void *ctx;
};

/* Bytes of working memory, aligned to 8 and zeroed, that ring_image_write needs. */
size_t ring_image_scratch(const struct ring_image *image);
/* Write the whole snapshot. `symbols` may be NULL. False when a write failed. */
bool ring_image_write(const struct ring_image *image, struct sw *w, void *scratch,
		      const struct ring_symbols *symbols);

#endif
