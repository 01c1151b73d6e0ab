/* SPDX-License-Identifier: MIT
 * batch_collect.h -- one file's rows in a batch: what info, explain and leaks find in it.
 */
#ifndef REPORTS_BATCH_COLLECT_H
#define REPORTS_BATCH_COLLECT_H

#include "passes/batch.h"
#include "passes/card_facts.h"
#include "passes/purpose.h"
#include "passes/rules.h"
#include "replay/replay.h"

/* Append one file; `side`: what lies beside it, or NULL; `steps`: how steps are found, or NULL;
 * `kept`: how many sites and annotations of a moment are kept, BATCH_KEPT but for those who want all.
 * Name, hash and what a name tells are left to the caller. Errors: ERR_LIMIT, ERR_NOMEM; ERR_USAGE
 * when no annotation is a step by `steps`. */
int batch_collect(struct batch *b, const struct model *m, const struct explain_side *side,
		  const struct rules *rules, const struct phases_options *steps, size_t kept,
		  struct error *err);
/* The part of it that tells one device's memory over time; `p`: NULL when events do not say which
 * block they are about. `r` is the device's replay and is left at its end. */
int batch_collect_points(struct batch *b, size_t file, const struct model *m,
			 const struct device *d, struct replay *r, const struct purpose *p,
			 struct error *err);
/* A file that could not be read. */
int batch_collect_failed(struct batch *b, const char *reason, struct error *err);

#endif
