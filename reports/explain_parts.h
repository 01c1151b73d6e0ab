/* SPDX-License-Identifier: MIT
 * explain_parts.h -- parts of an explanation, each in both formats; for describe_explain.c.
 */
#ifndef REPORTS_EXPLAIN_PARTS_H
#define REPORTS_EXPLAIN_PARTS_H

#include "passes/explain.h"
#include "reports/emit.h"

/* `log`: where the message's processes are, or NULL. */
void explain_part_balance(struct emit *e, const struct explain_oom *o, const struct oom_log *log);
void explain_part_holders(struct emit *e, const struct model *m, const struct explain *x,
			  const struct explain_look *look);
void explain_part_pinners(struct emit *e, const struct model *m, const struct explain *x,
			  const struct explain_oom *o);
void explain_part_evidence(struct emit *e, const struct model *m, const struct explain_oom *o);
void explain_part_advice(struct emit *e, const struct model *m, const struct explain_oom *o);

#endif
