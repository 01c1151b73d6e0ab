/* SPDX-License-Identifier: MIT
 * state.c -- everything at one moment as plain tables, from a replay.
 */
#include "replay/heap_rows.h"
#include "replay/replay_impl.h"

void state_release(struct state *s)
{
	if (!s || !s->budget)
		return;
	vec_release(&s->segments, s->budget);
	vec_release(&s->blocks, s->budget);
}

static int64_t number_of(uint32_t origin)
{
	return origin & ORIGIN_BEFORE ? EVENT_START : (int64_t)origin;
}

static int push_block(const struct replay *r, struct state *s, const struct heap_block *b,
		      struct error *err)
{
	struct state_segment *seg = &s->segments.at[s->segments.n - 1];
	struct state_block out = {
		.address = b->address,
		.size = b->size,
		.born = EVENT_START,
		.free_requested = EVENT_START,
		.stack = STACK_ABSENT,
		.state = b->state,
	};

	if (block_is_live(b)) {
		out.requested = b->requested;
		out.born = number_of(b->origin);
		out.stack = replay_block_stack(r, b->origin);
		if (b->state == BLOCK_PENDING && b->freed)
			out.free_requested = (int64_t)b->freed - 1;
		if (b->state == BLOCK_ACTIVE)
			seg->allocated += b->size;
		seg->active += b->size;
		if (b->requested == BYTES_NONE)
			seg->requested = BYTES_NONE;
		else if (seg->requested != BYTES_NONE)
			seg->requested += b->requested;
	}
	seg->n_blocks++;
	return vec_push(&s->blocks, out, s->budget, err);
}

/* What a run is, apart from its blocks. */
static struct state_segment segment_of_run(const struct replay *r, const struct state *s,
					   const struct run *run)
{
	const struct heap_block *b = heap_row(&r->heap, run->row);
	const struct mapping *m = &r->heap.mappings.at[b->mapping];
	struct state_segment out = {
		.address = run->start,
		.size = run->end - run->start,
		.stream = m->stream,
		.pool = m->pool,
		.born = EVENT_START,
		.first_block = s->blocks.n,
		.stack = STACK_ABSENT,
		.kind = m->kind,
		.is_expandable = m->is_expandable,
	};

	if (b->mapping != MAPPING_UNKNOWN) {
		out.born = number_of(m->origin);
		out.stack = replay_mapping_stack(r, m->origin);
	} else if (!(b->origin & ORIGIN_BEFORE)) {
		const struct attr *attr = replay_attr(r, b->origin);

		out.stream = attr->has_stream ? attr->stream : 0;
		if (attr->has_pool)
			out.pool = attr->pool;
	}
	return out;
}

/* Blocks outside every known segment that touch are shown as one. */
static bool continues(const struct replay *r, const struct state *s, const struct run *run,
		      const struct state_segment *new)
{
	const struct state_segment *last;

	if (!s->segments.n || heap_row(&r->heap, run->row)->mapping != MAPPING_UNKNOWN)
		return false;
	last = &s->segments.at[s->segments.n - 1];
	return last->kind == POOL_UNKNOWN && last->address + last->size == new->address &&
	       last->stream == new->stream;
}

static int push_run(const struct replay *r, struct state *s, const struct run *run,
		    struct error *err)
{
	struct state_segment new = segment_of_run(r, s, run);
	int rc = 0;

	if (continues(r, s, run, &new))
		s->segments.at[s->segments.n - 1].size += new.size;
	else
		rc = vec_push(&s->segments, new, s->budget, err);
	for (uint32_t row = run->row; row && rc == 0; row = heap_row(&r->heap, row)->next)
		rc = push_block(r, s, heap_row(&r->heap, row), err);
	return rc;
}

/* Of a counted device: what its total holds beyond the blocks that are known, as one block of
 * address 0 that lived before the trace. */
static int push_rest(const struct replay *r, struct state *s, struct error *err)
{
	struct state_segment seg = {
		.born = EVENT_START,
		.first_block = s->blocks.n,
		.n_blocks = 1,
		.stack = STACK_ABSENT,
		.kind = POOL_UNKNOWN,
	};
	struct state_block rest = {
		.born = EVENT_START,
		.free_requested = EVENT_START,
		.stack = STACK_ABSENT,
		.state = BLOCK_ACTIVE,
	};

	if (!r->d->counted || r->totals.allocated <= r->heap.allocated)
		return 0;
	rest.size = rest.requested = r->totals.allocated - r->heap.allocated;
	seg.size = seg.allocated = seg.active = seg.requested = rest.size;
	if (vec_push(&s->segments, seg, s->budget, err) < 0)
		return (int)err->code;
	return vec_push(&s->blocks, rest, s->budget, err);
}

int replay_state(const struct replay *r, struct state *out, struct error *err)
{
	const struct runs *runs = &r->heap.runs;
	struct state s = {
		.budget = r->budget,
		.device = r->d,
		.event = r->position,
		.exact = !r->cut || (r->d->counted && r->d->base_known),
		.totals = r->totals,
	};
	const struct run *run;
	int rc = vec_reserve(&s.blocks, r->heap.n_used, s.budget, err);

	if (rc == 0)
		rc = vec_reserve(&s.segments, runs_count(runs), s.budget, err);
	for (struct run_at p = {0}; rc == 0 && (run = runs_get(runs, p)); p = runs_next(runs, p))
		rc = push_run(r, &s, run, err);
	if (rc == 0)
		rc = push_rest(r, &s, err);
	if (rc < 0) {
		state_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}
