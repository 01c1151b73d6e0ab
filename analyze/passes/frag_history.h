/* SPDX-License-Identifier: MIT
 * frag_history.h -- fragmentation over a whole trace. Private to frag.c.
 */
#ifndef ANALYZE_PASSES_FRAG_HISTORY_H
#define ANALYZE_PASSES_FRAG_HISTORY_H

#include "passes/frag.h"

/* Fill f->curve and f->misses by one walk of `r`, which may be NULL. */
int frag_history(struct frag *f, const struct model *m, const struct device *d, struct replay *r,
		 struct error *err);

#endif
