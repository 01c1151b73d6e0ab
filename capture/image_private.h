/* SPDX-License-Identifier: MIT
 * image_private.h -- checked access to a ring image. Private to image*.c.
 */
#ifndef CAPTURE_IMAGE_PRIVATE_H
#define CAPTURE_IMAGE_PRIVATE_H

#include "capture/image.h"

/* Slot k of the array at `offset`; false when it is empty, torn or senseless. */
bool image_slot(const struct ring_image *image, uint64_t offset, uint64_t k,
		struct ring_record *out);
/* The payload of an arena entry of this kind, and its n; NULL when there is none. Not aligned. */
const unsigned char *image_arena(const struct ring_image *image, uint32_t id, enum arena_tag tag,
				 uint32_t *n);
/* Heap sort: no memory, no recursion. */
void image_sort(void *array, size_t n, size_t each, int (*compare)(const void *a, const void *b));

/* ---- writing ---- */

#define IMAGE_POOLS 64

struct pc_slot {
	uint64_t pc;
	uint32_t slot, pad;
};

struct writing {
	const struct ring_image *image;
	struct sw *w;
	const struct ring_symbols *symbols;
	struct ring_record *live; /* what lives at the end, by device and address */
	size_t n_live;
	struct arena_module *modules; /* by start */
	size_t n_modules;
	struct pc_slot *pcs;
	uint32_t *slots; /* by arena id */
	uint32_t words[16];
	uint64_t pools[IMAGE_POOLS]; /* handles, by number - 1 */
};

/* Any bytes: those that are no UTF-8 become question marks, long text is cut. */
void image_put_text(struct writing *x, const void *bytes, size_t n);
/* A string of the arena. */
void image_put_string(struct writing *x, uint32_t id);
/* From 1 on, in order of asking; 0 of no pool. */
unsigned image_pool_number(struct writing *x, uint64_t handle);
/* What PyTorch's format has no place for: a dict "capture". */
void image_put_capture(struct writing *x);

#endif
