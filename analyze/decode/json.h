/* SPDX-License-Identifier: MIT
 * json.h -- a streaming JSON reader that feeds the same folds as the pickle machine.
 *
 * RFC 8259, plus what other writers of these files emit: NaN, Infinity, -Infinity, control
 * characters inside strings, lone surrogates (kept as WTF-8), invalid UTF-8 (kept as it is).
 * Integers keep 64 bits. Containers go to the fold in batches of 1,000 items; nesting is limited
 * by JSON_MAX_DEPTH, memory by the budget.
 */
#ifndef ANALYZE_DECODE_JSON_H
#define ANALYZE_DECODE_JSON_H

#include "base/input.h"
#include "decode/fold.h"

#define JSON_MAX_DEPTH 1000

struct json_result {
	cell root;
	uint64_t end_offset; /* decoded bytes up to the end of the value, or up to the damage */
	uint64_t trailing;   /* bytes after the value other than white space and NUL */
	bool partial;        /* as in pickle.h */
	struct error damage;
};

/* Decode one JSON value. Errors as pickle_read: damage ends in a partial result once a container
 * was begun. */
int json_read(struct json_result *out, struct input *in, const struct fold *fold,
	      struct error *err);

#endif
