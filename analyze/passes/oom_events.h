/* SPDX-License-Identifier: MIT
 * oom_events.h -- the oom events of one device, and which of them the program took in its stride.
 *
 * cuDNN asks for a workspace, and for another when there is none; each refusal is an oom event,
 * though nothing failed. An exception that reaches Python looks different: frames die and their
 * tensors with them. So an attempt counts as retried when the same thread makes its next request
 * before anything is freed (free_requested), and that request
 * - comes from the same Python line (the call that failed asks again), whatever its size, or
 * - is smaller, or
 * - is an oom that was itself retried.
 * Threads are told apart by the function at the root of their Python stacks.
 */
#ifndef ANALYZE_PASSES_OOM_EVENTS_H
#define ANALYZE_PASSES_OOM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"

struct oom_event {
	int64_t event; /* number in its device's trace */
	bool retried;
};

struct oom_events {
	VEC(struct oom_event) at; /* in the order of events */
};

/* Errors: ERR_LIMIT, ERR_NOMEM. Release with vec_release(&out->at, budget). */
int oom_events_find(struct oom_events *out, const struct model *m, const struct device *d,
		    struct budget *budget, struct error *err);

#endif
