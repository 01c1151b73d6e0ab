/* SPDX-License-Identifier: MIT
 * python_names.h -- Python frames as entries of a ring's arena, each text read once.
 *
 * Nothing here locks: the recorder's one lock is held by whoever calls.
 */
#ifndef CAPTURE_PYTHON_NAMES_H
#define CAPTURE_PYTHON_NAMES_H

#include "capture/python_frames.h"
#include "capture/ring.h"

/* Frames that were seen; one that is pushed out is read again, to the same entry. */
#define PYTHON_NAMES 16384

struct python_names {
	struct {
		struct python_frame frame;
		uint32_t id; /* of the entry; 0: free */
	} seen[PYTHON_NAMES];
	unsigned char table[1u << 20]; /* of lines, while one is looked up */
};

/* In memory that is touched as it is needed; NULL when there is none. */
struct python_names *python_names_new(void);
void python_names_free(struct python_names *names);
/* The arena's id of a frame that this thread has just taken, or 0. */
uint32_t python_names_id(struct python_names *names, struct ring *ring,
			 const struct python_frame *frame);

#endif
