/* SPDX-License-Identifier: MIT
 * requests_private.h -- the parts of requests_run.
 */
#ifndef ANALYZE_PASSES_REQUESTS_PRIVATE_H
#define ANALYZE_PASSES_REQUESTS_PRIVATE_H

#include "passes/requests.h"

/* lanes, and the lane of every row and start segment (request_lanes.c). */
int request_lanes_fill(struct requests *q, struct error *err);
/* The lane of a stream in a pool; one that exists. */
uint32_t request_lane(const struct requests *q, uint64_t stream, struct pool_id pool);

/* segments, ooms, bursts, rooms, and the REQUEST_EMPTY_CACHE operations with all others between
 * them (request_bursts.c). */
int request_ops_fill(struct requests *q, const struct replay_summary *summary, struct error *err);

static inline uint64_t request_global(const struct requests *q, int64_t event)
{
	return q->device->first_event + (uint64_t)event;
}

static inline enum action request_action(const struct requests *q, int64_t event)
{
	return q->model->events.action.at[request_global(q, event)];
}

static inline const struct attr *request_attr(const struct requests *q, int64_t event)
{
	return &q->model->attrs.at[q->model->events.attr.at[request_global(q, event)].i];
}

#endif
