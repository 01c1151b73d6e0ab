/* SPDX-License-Identifier: MIT
 * model_join.h -- several dumps of one run as one trace.
 *
 * A program that dumps every N steps writes much of its history each time: a dump's trace begins
 * somewhere inside that of the one before (at its start while nothing was lost, later where the
 * ring buffer has caught up). The same event has the same action, address and size in both; its
 * time differs by a microsecond or two, because dumps convert clocks anew.
 */
#ifndef ANALYZE_MODEL_MODEL_JOIN_H
#define ANALYZE_MODEL_MODEL_JOIN_H

#include "model/model.h"

#define JOIN_NO_OVERLAP UINT64_MAX

/* The event of `older` that event 0 of `newer` is, on the device of this index;
 * JOIN_NO_OVERLAP when there is a gap between the two, or nothing to compare. */
uint64_t model_join_overlap(const struct model *older, const struct model *newer, int32_t device);

/* A model of one device: the first `n` events of `older`, then all of `newer` with its segments and
 * everything about the file. Errors: ERR_LIMIT, ERR_NOMEM. */
int model_join(struct model **out, const struct model *older, uint64_t n, const struct model *newer,
	       int32_t device, struct budget *budget, struct error *err);

#endif
