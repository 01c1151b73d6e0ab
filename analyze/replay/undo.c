/* SPDX-License-Identifier: MIT
 * undo.c -- the segments before event 0, by undoing the trace's segment events from the last one.
 */
#include "replay/undo.h"

#include "base/num.h"
#include "model/rounding.h"

struct undo {
	struct replay *r;
	struct runs *runs; /* mapped now; run.row is a row of `known` */
	VEC(struct mapping) known;
	VEC(struct mapping) made; /* by segment events, last event first */
	int64_t next_alloc;       /* number of the first alloc behind the current event, or -1 */
};

static int add_run(struct undo *u, uint64_t start, uint64_t size, struct mapping m,
		   struct error *err)
{
	uint64_t end;
	int rc;

	/* What is no range, or overlaps, contradicts the rest: the forward pass will say so. */
	if (!size || !num_add_u64(start, size, &end) || runs_overlap(u->runs, start, end))
		return 0;
	rc = vec_push(&u->known, m, u->r->budget, err);
	if (rc < 0)
		return rc;
	return runs_insert(u->runs, (struct run){start, end, (uint32_t)(u->known.n - 1)}, err);
}

static int add_file_segments(struct undo *u, struct error *err)
{
	const struct device *d = u->r->d;
	int rc = 0;

	for (uint64_t i = 0; i < d->n_segments && rc == 0; i++) {
		const struct segment *s = &u->r->m->segments.at[d->first_segment + i];
		struct mapping m = {
			.stream = s->stream,
			.pool = s->pool,
			.origin = ORIGIN_BEFORE | (uint32_t)(d->first_segment + i + 1),
			.kind = s->kind,
			.is_expandable = s->is_expandable,
		};

		rc = add_run(u, s->address, s->total_size, m, err);
	}
	return rc;
}

/* What an event's own words and size say of the range it is about. */
static struct mapping mapping_of_event(const struct undo *u, uint64_t number)
{
	const struct model *m = u->r->m;
	uint64_t row = replay_row(u->r, number), size = m->events.size.at[row];
	const struct attr *attr = replay_attr(u->r, number);
	uint64_t unit = m->settings.large_segment_bytes;
	uint8_t action = m->events.action.at[row];
	struct mapping out = {
		.stream = attr->has_stream ? attr->stream : 0,
		.pool = attr->has_pool ? attr->pool : (struct pool_id){0, 0},
		.origin = ORIGIN_UNKNOWN,
		.is_expandable = action == ACTION_SEGMENT_MAP || action == ACTION_SEGMENT_UNMAP,
	};

	if (out.is_expandable)
		out.kind = unit && size % unit == 0 ? POOL_LARGE : POOL_SMALL;
	else
		out.kind = size == SMALL_SEGMENT_BYTES ? POOL_SMALL : POOL_LARGE;
	return out;
}

/* An unmapped part belongs to what it touched. */
static struct mapping mapping_of_unmap(const struct undo *u, uint64_t number, uint64_t start,
				       uint64_t end)
{
	struct mapping m = mapping_of_event(u, number);
	const struct run *at[2] = {
		start ? runs_holding(u->runs, start - 1) : NULL,
		runs_holding(u->runs, end),
	};

	for (int i = 0; i < 2; i++) {
		const struct mapping *k = at[i] ? &u->known.at[at[i]->row] : NULL;

		if (k && k->is_expandable && k->stream == m.stream) {
			m.kind = k->kind;
			m.pool = k->pool;
			break;
		}
	}
	return m;
}

/* The pool kind by the alloc the range was made for, when that follows closely. */
static void refine_kind(const struct undo *u, struct mapping *m, uint64_t number, uint64_t start)
{
	const struct model *model = u->r->m;
	uint64_t row;
	bool made_for;

	if (u->next_alloc < 0)
		return;
	row = replay_row(u->r, (uint64_t)u->next_alloc);
	/* Several maps may come before their alloc, which may begin in an older part. */
	made_for = m->is_expandable ? (uint64_t)u->next_alloc - number <= 4
				    : model->events.addr.at[row] == start;
	if (made_for)
		m->kind = replay_round(u->r, model->events.size.at[row]) <= SMALL_MAX_BYTES
				  ? POOL_SMALL
				  : POOL_LARGE;
}

/* Take [start, end) out of whatever is mapped. */
static int cut_runs(struct undo *u, uint64_t start, uint64_t end, struct error *err)
{
	const struct run *found;

	while ((found = runs_overlap(u->runs, start, end))) {
		struct run run = *found;
		int rc = 0;

		runs_remove(u->runs, run.start);
		if (run.start < start)
			rc = runs_insert(u->runs, (struct run){run.start, start, run.row}, err);
		if (run.end > end && rc == 0)
			rc = runs_insert(u->runs, (struct run){end, run.end, run.row}, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int undo_mapping(struct undo *u, uint64_t number, uint64_t start, uint64_t end,
			struct error *err)
{
	const struct run *run = runs_holding(u->runs, start);
	struct mapping m = mapping_of_event(u, number);
	int rc;

	if (run) {
		const struct mapping *k = &u->known.at[run->row];

		/* The file is certain; a range known from its end only is a guess to refine. */
		m.kind = k->kind;
		if (!replay_attr(u->r, number)->has_pool)
			m.pool = k->pool;
		if (k->origin == ORIGIN_UNKNOWN)
			refine_kind(u, &m, number, start);
	} else {
		refine_kind(u, &m, number, start);
	}
	m.origin = (uint32_t)number;
	rc = vec_push(&u->made, m, u->r->budget, err);
	return rc < 0 ? rc : cut_runs(u, start, end, err);
}

static int undo_event(struct undo *u, uint64_t number, struct error *err)
{
	const struct model *m = u->r->m;
	uint64_t row = replay_row(u->r, number), start = m->events.addr.at[row], end;
	uint64_t size = m->events.size.at[row];
	uint8_t action = m->events.action.at[row];
	int rc;

	/* A nonsense range is undone as an empty one, so that `made` keeps its order. */
	if (!num_add_u64(start, size, &end))
		end = start;
	switch (action) {
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		return undo_mapping(u, number, start, end, err);
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		rc = cut_runs(u, start, end, err);
		if (rc < 0)
			return rc;
		return add_run(u, start, size, mapping_of_unmap(u, number, start, end), err);
	default:
		return 0;
	}
}

static int undo_events(struct undo *u, uint64_t n_segment_events, struct error *err)
{
	const struct device *d = u->r->d;
	const uint8_t *action = u->r->m->events.action.at + d->first_event;

	for (uint64_t i = d->n_events; i-- > 0 && n_segment_events > 0;) {
		int rc;

		if (action[i] == ACTION_ALLOC)
			u->next_alloc = (int64_t)i;
		if (action[i] < ACTION_SEGMENT_ALLOC || action[i] > ACTION_SEGMENT_UNMAP)
			continue;
		n_segment_events--;
		rc = undo_event(u, i, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Number the runs that are left, and append what the events made, first event first. */
static int collect(struct undo *u, struct error *err)
{
	struct heap *h = &u->r->heap;
	struct run *run;

	if (u->r->cut)
		runs_clear(u->runs);
	if (h->mappings.n + runs_count(u->runs) + u->made.n >= ORIGIN_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^31 segment events");
	if (vec_reserve(&h->mappings, runs_count(u->runs) + u->made.n, h->budget, err) < 0)
		return (int)err->code;
	for (struct run_at p = {0}; (run = runs_get(u->runs, p)); p = runs_next(u->runs, p)) {
		h->mappings.at[h->mappings.n] = u->known.at[run->row];
		run->row = (uint32_t)h->mappings.n++;
	}
	u->r->next_mapping = (uint32_t)h->mappings.n;
	for (size_t i = u->made.n; i-- > 0;)
		h->mappings.at[h->mappings.n++] = u->made.at[i];
	return 0;
}

int undo_segments(struct replay *r, uint64_t n_segment_events, struct runs *before,
		  struct error *err)
{
	struct undo u = {.r = r, .runs = before, .next_alloc = -1};
	int rc = 0;

	runs_init(before, r->budget);
	if (!r->cut)
		rc = add_file_segments(&u, err);
	if (rc == 0 && n_segment_events)
		rc = undo_events(&u, n_segment_events, err);
	if (rc == 0)
		rc = collect(&u, err);
	vec_release(&u.known, r->budget);
	vec_release(&u.made, r->budget);
	return rc;
}
