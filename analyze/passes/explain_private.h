/* SPDX-License-Identifier: MIT
 * explain_private.h -- what the files of the explain pass share among themselves.
 */
#ifndef ANALYZE_PASSES_EXPLAIN_PRIVATE_H
#define ANALYZE_PASSES_EXPLAIN_PRIVATE_H

#include "passes/explain.h"

/* Fill the advice of an oom that has its verdict and evidence. */
void explain_advise(struct explain_oom *o, const struct explain_context *c);

#endif
