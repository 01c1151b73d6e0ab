/* SPDX-License-Identifier: MIT
 * pickle.h -- the pickle machine: protocols 0 to 5, data opcodes only.
 *
 * Nothing is ever imported, called or built: each opcode that could is refused by name and offset
 * (ERR_UNSAFE). Memory is bounded by the budget and by the input: the stack and the memo hold
 * 8 bytes a cell, an explicit memo index beyond the bytes read so far is refused, and shared
 * subtrees are never expanded. Format: Python's Lib/pickletools.py; PyTorch's two writers are
 * CPython's pickler (protocols 0-5) and torch::jit's (protocol 2, containers memoised when full).
 */
#ifndef ANALYZE_DECODE_PICKLE_H
#define ANALYZE_DECODE_PICKLE_H

#include "base/input.h"
#include "decode/fold.h"

struct pickle_result {
	cell root;           /* the one object, folded */
	int protocol;        /* highest PROTO seen; 0 or 1 by the opcodes used when there is none */
	uint64_t end_offset; /* decoded bytes up to and including STOP, or up to the damage */
	uint64_t trailing;   /* bytes after STOP other than NUL padding (they are ignored) */
	bool partial;        /* the input was cut or damaged; root is what was whole before that */
	struct error damage; /* ERR_CUT or ERR_FORMAT with offset and words, when partial */
};

/* Decode one pickle from `in`, folding as containers end.
 *
 * Errors: ERR_UNSAFE, ERR_UNSUPPORTED (a self-referring container), ERR_LIMIT, ERR_NOMEM,
 * ERR_SYSTEM, and whatever the fold answers. Cut or damaged input is no error when anything was
 * read: it ends in a partial result. ERR_CUT or ERR_FORMAT only when not even a first container
 * was begun. */
int pickle_read(struct pickle_result *out, struct input *in, const struct fold *fold,
		struct error *err);

#endif
