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

#endif
