/* SPDX-License-Identifier: MIT
 * validate_private.h -- how the validate_*.c files note a violation.
 */
#ifndef ANALYZE_PASSES_VALIDATE_PRIVATE_H
#define ANALYZE_PASSES_VALIDATE_PRIVATE_H

#include "passes/validate.h"
#include "replay/replay.h"

/* Store `v` with a message; counts only when the store is full. Errors: ERR_LIMIT, ERR_NOMEM. */
int validate_note(struct validation *out, struct violation v, struct error *err, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));

/* The invariants of a device's segments and blocks as the file has them. */
int validate_segments(struct validation *out, const struct model *m, const struct device *d,
		      struct error *err);
/* What the replay of its trace found. */
int validate_trace(struct validation *out, const struct model *m, const struct device *d,
		   const struct replay *r, struct error *err);

#endif
