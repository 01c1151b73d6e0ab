/* SPDX-License-Identifier: MIT
 * describe_outside.h -- whose memory lies beside PyTorch's allocator; for describe_explain.c.
 */
#ifndef REPORTS_DESCRIBE_OUTSIDE_H
#define REPORTS_DESCRIBE_OUTSIDE_H

#include "passes/outside.h"
#include "reports/emit.h"

/* As member `driver` of the open object, or as a section; null, or nothing, when not known. */
void describe_outside(struct emit *e, const struct outside *o);

/* "NCCL (libnccl.so.2)": who a group is; into buf, returned. */
const char *outside_words(const struct outside *o, const struct outside_group *g, char *buf,
			  size_t size);
/* What makes that library hold less, or NULL. */
const char *outside_hint(const struct outside *o, const struct outside_group *g);

#endif
