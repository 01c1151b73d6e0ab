/* SPDX-License-Identifier: MIT
 * fold.h -- what a decoder calls when a container is complete: containers in, one cell out.
 *
 * Decoders see syntax, the fold sees meaning. Containers arrive innermost first; long ones arrive
 * in batches in order, `have` being CELL_EMPTY of the right kind for the first batch and the fold's
 * own answer to the batch before for the rest. A fold that cannot take a further batch of something
 * it already understood answers ERR_UNSUPPORTED.
 *
 * Values are immutable once they were used: decoders refuse input that changes a container after
 * sharing it, so a fold never sees a cycle.
 */
#ifndef ANALYZE_DECODE_FOLD_H
#define ANALYZE_DECODE_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "decode/cell.h"

struct fold {
	struct cells *cells; /* weak: where decoders put strings and wide numbers */
	void *ctx;           /* weak: first argument of the functions below */
	/* Bit T set: cells of tag T may still receive a further batch. Decoders watch the sharing
	 * of these only. */
	uint32_t growing_tags;

	/* `n` pairs key, value, key, value ... Keys may be any cell. `offset`: decoded byte where
	 * the batch ended, for errors. */
	int (*dict)(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		    struct error *err);
	/* `n` items. */
	int (*list)(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		    struct error *err);
	/* A whole tuple; sets arrive here too. */
	int (*tuple)(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err);
	/* A dict that the end of a damaged input left unfinished. *out = what stands for the part
	 * that is there, or CELL_CONST/CELL_NONE to drop it together with its key. */
	int (*cut_dict)(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
			cell *out, struct error *err);
};

#endif
