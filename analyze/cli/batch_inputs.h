/* SPDX-License-Identifier: MIT
 * batch_inputs.h -- the files that paths, folders, patterns and @lists stand for.
 */
#ifndef ANALYZE_CLI_BATCH_INPUTS_H
#define ANALYZE_CLI_BATCH_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct batch_input {
	char *name;     /* owned; as given, or folder and path below it; what is opened */
	bool is_named;  /* by itself: always a row. Else found in a folder: a row when it is, or
			   should be, memory data */
	bool is_file;   /* regular */
	uint64_t bytes; /* of regular files */
};

struct batch_inputs {
	struct batch_input *at; /* owned; by name, each name once */
	size_t n, cap;
};

/* `skip`: a folder that is not entered (the results'), or NULL. A named path that does not exist is
 * an input all the same: its row will tell. Errors: ERR_SYSTEM (a list or folder cannot be read),
 * ERR_NOMEM, ERR_LIMIT (lists in lists too deep). */
int batch_inputs_find(struct batch_inputs *out, char *const *operands, size_t n, const char *skip,
		      struct error *err);
void batch_inputs_release(struct batch_inputs *x);

/* Keep shard `i` of `n` (from 1): by size, so that shards are alike; the same for every caller. */
int batch_inputs_shard(struct batch_inputs *x, uint64_t i, uint64_t n, struct error *err);

#endif
