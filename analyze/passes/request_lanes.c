/* SPDX-License-Identifier: MIT
 * request_lanes.c -- which requests share a cache: those of one pool and one stream.
 */
#include "base/sort.h"
#include "passes/requests_private.h"

static int compare(const struct sim_lane *a, const struct sim_lane *b)
{
	if (a->pool.a != b->pool.a)
		return a->pool.a < b->pool.a ? -1 : 1;
	if (a->pool.b != b->pool.b)
		return a->pool.b < b->pool.b ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static bool is_less(const struct sim_lane *a, const struct sim_lane *b, const void *ctx)
{
	(void)ctx;
	return compare(a, b) < 0;
}
SORT_DEFINE(sort_lanes, struct sim_lane, is_less)

uint32_t request_lane(const struct requests *q, uint64_t stream, struct pool_id pool)
{
	struct sim_lane key = {stream, pool};
	size_t low = 0, high = q->lanes.n;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (compare(&q->lanes.at[middle], &key) <= 0)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* --- private pools of events without a pool ---------------------------------------------------- */

/* A private segment of the file, and the event that made it: what is allocated inside it after
 * that belongs to its pool. */
struct private_segment {
	uint64_t start, end;
	int64_t born;
	struct pool_id pool;
};

struct privates {
	VEC(struct private_segment) at; /* by address */
};

static bool starts_lower(const struct private_segment *a, const struct private_segment *b,
			 const void *ctx)
{
	(void)ctx;
	return a->start < b->start;
}
SORT_DEFINE(sort_privates, struct private_segment, starts_lower)

static struct private_segment *private_at(const struct privates *p, uint64_t address)
{
	size_t low = 0, high = p->at.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->at.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= p->at.at[low - 1].end)
		return NULL;
	return &p->at.at[low - 1];
}

static int find_privates(struct requests *q, struct privates *p, struct error *err)
{
	const struct model *m = q->model;
	const struct device *d = q->device;
	int rc;

	for (uint64_t i = d->first_segment; i < d->first_segment + d->n_segments; i++) {
		const struct segment *s = &m->segments.at[i];
		struct private_segment x = {s->address, s->address + s->total_size, EVENT_START,
					    s->pool};

		if ((s->pool.a || s->pool.b) && (rc = vec_push(&p->at, x, q->budget, err)) < 0)
			return rc;
	}
	if (!p->at.n)
		return 0;
	q->pools_guessed = true;
	sort_privates(p->at.at, p->at.n, NULL);
	for (int64_t e = 0; e < (int64_t)d->n_events; e++) {
		enum action a = request_action(q, e);
		struct private_segment *x;

		if (a != ACTION_SEGMENT_ALLOC && a != ACTION_SEGMENT_MAP)
			continue;
		if (request_attr(q, e)->has_pool)
			q->pools_guessed = false;
		x = private_at(p, m->events.addr.at[request_global(q, e)]);
		if (x && a == ACTION_SEGMENT_ALLOC)
			x->born = e;
	}
	return 0;
}

/* --- filling ----------------------------------------------------------------------------------- */

static int add(struct requests *q, uint64_t stream, struct pool_id pool, struct error *err)
{
	return vec_push(&q->lanes, ((struct sim_lane){stream, pool}), q->budget, err);
}

static int collect(struct requests *q, const struct privates *p, struct error *err)
{
	const struct model *m = q->model;
	int rc = add(q, 0, (struct pool_id){0, 0}, err);

	for (size_t i = 0; i < m->attrs.n && rc == 0; i++)
		rc = add(q, m->attrs.at[i].stream, m->attrs.at[i].pool, err);
	for (size_t i = 0; i < q->start.segments.n && rc == 0; i++)
		rc = add(q, q->start.segments.at[i].stream, q->start.segments.at[i].pool, err);
	for (size_t i = 0; i < q->allocations.n_before && rc == 0; i++)
		rc = add(q, q->allocations.places.at[i].stream, q->allocations.places.at[i].pool,
			 err);
	for (size_t i = 0; i < m->segments.n && rc == 0 && p->at.n; i++)
		rc = add(q, m->segments.at[i].stream, m->segments.at[i].pool, err);
	return rc;
}

static void drop_doubles(struct requests *q)
{
	size_t n = 0;

	sort_lanes(q->lanes.at, q->lanes.n, NULL);
	for (size_t i = 0; i < q->lanes.n; i++)
		if (!n || compare(&q->lanes.at[n - 1], &q->lanes.at[i]))
			q->lanes.at[n++] = q->lanes.at[i];
	q->lanes.n = n;
}

static struct sim_lane lane_of(const struct requests *q, const struct privates *p, uint32_t row)
{
	const struct allocation *x = &q->allocations.rows.at[row];
	struct allocation_place place = allocation_place(&q->allocations, row);
	const struct private_segment *s;

	if (x->born >= 0 && p->at.n && !request_attr(q, x->born)->has_pool) {
		s = private_at(p, x->address);
		if (s && s->born <= x->born)
			place.pool = s->pool;
	}
	return (struct sim_lane){place.stream, place.pool};
}

static int fill_rows(struct requests *q, const struct privates *p, struct error *err)
{
	size_t n = q->allocations.rows.n;
	struct sim_lane last = {0};
	uint32_t lane = request_lane(q, 0, last.pool);
	int rc;

	if ((rc = vec_reserve(&q->rows, n + 1, q->budget, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++) {
		const struct allocation *x = &q->allocations.rows.at[i];
		struct sim_lane now = lane_of(q, p, i);

		if (compare(&now, &last)) {
			last = now;
			lane = request_lane(q, now.stream, now.pool);
		}
		q->rows.at[q->rows.n++] = (struct asked){
			.bytes = x->requested == BYTES_NONE ? x->size : x->requested,
			.lane = lane,
		};
	}
	return 0;
}

static int fill_start(struct requests *q, struct error *err)
{
	const struct state *st = &q->start;
	int rc;

	if ((rc = vec_reserve(&q->start_lanes, st->segments.n + 1, q->budget, err)) < 0 ||
	    (rc = vec_reserve(&q->start_owners, st->blocks.n + 1, q->budget, err)) < 0)
		return rc;
	for (size_t i = 0; i < st->segments.n; i++)
		q->start_lanes.at[q->start_lanes.n++] =
			request_lane(q, st->segments.at[i].stream, st->segments.at[i].pool);
	for (size_t i = 0; i < st->blocks.n; i++)
		q->start_owners.at[q->start_owners.n++] =
			allocations_of_block(&q->allocations, &st->blocks.at[i]);
	return 0;
}

int request_lanes_fill(struct requests *q, struct error *err)
{
	struct privates p = {0};
	int rc;

	if ((rc = find_privates(q, &p, err)) < 0 || (rc = collect(q, &p, err)) < 0)
		goto out;
	drop_doubles(q);
	if ((rc = fill_rows(q, &p, err)) == 0)
		rc = fill_start(q, err);
out:
	vec_release(&p.at, q->budget);
	return rc;
}
