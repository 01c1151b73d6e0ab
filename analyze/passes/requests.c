/* SPDX-License-Identifier: MIT
 * requests.c -- what a program asked of the allocator, apart from how the allocator answered.
 */
#include "passes/requests.h"

#include "passes/requests_private.h"

static int refuse_device(const struct device *d, struct error *err)
{
	if (d->index == DEVICE_HOST)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "pinned host memory has an allocator of its own");
	if (d->counted)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "the file tells rounded sizes and totals, not requests");
	return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET, "device %d has no trace of requests",
			 d->index);
}

/* Where expandable ranges reach down to, as far as any event tells. */
static int fill_lowest(struct requests *q, struct error *err)
{
	size_t n = 2 * q->lanes.n;
	int rc = vec_reserve(&q->lowest, n + 1, q->budget, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i <= n; i++)
		q->lowest.at[i] = UINT64_MAX;
	q->lowest.n = n;
	for (size_t i = 0; i < q->segments.n; i++) {
		const struct request_segment *s = &q->segments.at[i];
		bool large = s->size % q->model->settings.large_segment_bytes == 0;
		uint32_t list = request_lane(q, s->stream, (struct pool_id){0, 0}) * 2 + !large;

		if (s->is_map && s->address < q->lowest.at[list])
			q->lowest.at[list] = s->address;
	}
	return 0;
}

static int fill(struct requests *q, struct replay *r, struct error *err)
{
	int rc;

	if ((rc = allocations_run(&q->allocations, q->model, r, q->device, q->budget, err)) < 0 ||
	    (rc = replay_seek(r, EVENT_START, err)) < 0 ||
	    (rc = replay_state(r, &q->start, err)) < 0)
		return rc;
	if (q->allocations.rows.n > REQUEST_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "more requests than can be counted");
	if ((rc = request_lanes_fill(q, err)) < 0 ||
	    (rc = request_ops_fill(q, replay_summary(r), err)) < 0)
		return rc;
	return fill_lowest(q, err);
}

int requests_run(struct requests *out, const struct model *m, struct replay *r,
		 const struct device *d, struct budget *budget, struct error *err)
{
	struct requests q = {.budget = budget, .model = m, .device = d};
	struct error own;
	int rc;

	if (!err)
		err = &own;
	if (d->index == DEVICE_HOST || d->counted || d->n_events < 2)
		return refuse_device(d, err);
	rc = fill(&q, r, err);
	if (rc < 0) {
		requests_release(&q);
		return rc;
	}
	*out = q;
	return 0;
}

void requests_release(struct requests *q)
{
	if (!q->budget)
		return;
	allocations_release(&q->allocations);
	state_release(&q->start);
	vec_release(&q->start_lanes, q->budget);
	vec_release(&q->start_owners, q->budget);
	vec_release(&q->lowest, q->budget);
	vec_release(&q->lanes, q->budget);
	vec_release(&q->rows, q->budget);
	vec_release(&q->ops, q->budget);
	vec_release(&q->segments, q->budget);
	vec_release(&q->ooms, q->budget);
	vec_release(&q->rooms, q->budget);
	q->budget = NULL;
}
