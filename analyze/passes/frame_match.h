/* SPDX-License-Identifier: MIT
 * frame_match.h -- which frame of one file is which frame of another, although code has moved.
 *
 * Between two runs of a program its checkout lies elsewhere, the virtual environment is another
 * one, lines were added, a file was renamed. Files are paired first: by equal path, by the path
 * behind site-packages or lib/python3.N, by the longest common end of the path, at last by the
 * functions in them. Inside a pair of files frames of the same function are aligned by line: the
 * shift that most of them share, then the nearest line in order.
 *
 * All frames of both files take part, not only those that hold memory: the more is known of a
 * function, the surer its lines are found again.
 */
#ifndef ANALYZE_PASSES_FRAME_MATCH_H
#define ANALYZE_PASSES_FRAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/vec.h"
#include "model/stacks.h"

enum frame_pairing {
	FRAME_UNPAIRED,
	FRAME_SAME,    /* path, line and function are equal */
	FRAME_MOVED,   /* another line, or another folder */
	FRAME_RENAMED, /* in a file of another name: a hint */
};

const char *frame_pairing_name(enum frame_pairing p); /* "same" ... */

/* Frames and where their strings are; row 0 is not used. */
struct frame_list {
	const struct strtab *strings;
	const struct frame *frames;
	size_t n;
};

struct frame_match {
	struct budget *budget; /* weak */
	VEC(uint32_t) of_base; /* for each frame of base the row in new, 0: none */
	VEC(uint32_t) of_new;  /* and back */
	VEC(uint8_t) how;      /* enum frame_pairing of each frame of base */
	VEC(uint32_t)
	files; /* for each string of base that names a file the string in new, 0: none */
	VEC(uint8_t) file_how; /* enum frame_pairing of those */
};

/* `exact`: only what is equal. Errors: ERR_LIMIT, ERR_NOMEM. */
int frame_match_init(struct frame_match *out, const struct frame_list *base,
		     const struct frame_list *new, bool exact, struct budget *budget,
		     struct error *err);
void frame_match_release(struct frame_match *m);

/* The part of a path that stays when a checkout or an environment moves: behind the last
 * site-packages/, dist-packages/ or lib/python3.N/; the whole when there is none. */
size_t path_kept_from(const char *path, size_t length);

#endif
