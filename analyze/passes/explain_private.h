/* SPDX-License-Identifier: MIT
 * explain_private.h -- what the files of the explain pass share among themselves.
 */
#ifndef ANALYZE_PASSES_EXPLAIN_PRIVATE_H
#define ANALYZE_PASSES_EXPLAIN_PRIVATE_H

#include "passes/explain.h"

/* The device had so much free that only a limit on the process explains the refusal. */
bool explain_limited(const struct explain_oom *o);

/* Fill the advice of an oom that has its verdict and evidence. */
void explain_advise(struct explain_oom *o, const struct explain_context *c);

#endif
