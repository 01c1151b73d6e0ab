/* SPDX-License-Identifier: MIT
 * load_ring.h -- a ring file of the recorder (capture/format.h) as the snapshot it stands for.
 */
#ifndef ANALYZE_MODEL_LOAD_RING_H
#define ANALYZE_MODEL_LOAD_RING_H

#include <stddef.h>

#include "decode/container.h"

/* Read the payload of `c` and write its pickle through `write`, which returns 0, or anything else to
 * stop. Errors: ERR_FORMAT (no ring, or of another version), ERR_SYSTEM (`write` failed), ERR_LIMIT,
 * ERR_NOMEM and those of the input. */
int ring_to_pickle(const struct container *c, int (*write)(void *ctx, const void *bytes, size_t n),
		   void *ctx, struct budget *budget, struct error *err);

#endif
