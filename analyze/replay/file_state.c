/* SPDX-License-Identifier: MIT
 * file_state.c -- the state the file's own segments tell, with births looked up in the trace.
 */
#include "base/hash.h"
#include "replay/replay_impl.h"

static void add_totals(struct totals *t, const struct state_segment *s)
{
	t->reserved += s->size;
	t->allocated += s->allocated;
	t->active += s->active;
	if (s->requested == BYTES_NONE)
		t->requested = BYTES_NONE;
	else if (t->requested != BYTES_NONE)
		t->requested += s->requested;
}

static void add_block_sums(struct state_segment *s, const struct state_block *b)
{
	if (b->state == BLOCK_INACTIVE)
		return;
	if (b->state == BLOCK_ACTIVE)
		s->allocated += b->size;
	s->active += b->size;
	if (b->requested == BYTES_NONE)
		s->requested = BYTES_NONE;
	else if (s->requested != BYTES_NONE)
		s->requested += b->requested;
}

static int push_segment(struct state *s, const struct model *m, uint64_t row, struct error *err)
{
	const struct segment *from = &m->segments.at[row];
	struct state_segment seg = {
		.address = from->address,
		.size = from->total_size,
		.stream = from->stream,
		.pool = from->pool,
		.born = EVENT_START,
		.first_block = s->blocks.n,
		.n_blocks = from->n_blocks,
		.stack = from->stack,
		.kind = from->kind,
		.is_expandable = from->is_expandable,
	};

	for (uint64_t i = 0; i < from->n_blocks; i++) {
		const struct block *b = &m->blocks.at[from->first_block + i];
		bool live = b->state != BLOCK_INACTIVE;
		struct state_block out = {
			.address = b->address,
			.size = b->size,
			.requested = live ? b->requested_size : 0,
			.born = EVENT_START,
			.free_requested = EVENT_START,
			.stack = live ? b->stack : STACK_ABSENT,
			.state = b->state,
		};

		add_block_sums(&seg, &out);
		if (vec_push(&s->blocks, out, s->budget, err) < 0)
			return (int)err->code;
	}
	add_totals(&s->totals, &seg);
	return vec_push(&s->segments, seg, s->budget, err);
}

/* Live blocks and segments whose birth is looked for, by address. */
struct births {
	struct hashmap blocks, segments;
};

static int list_unborn(struct births *b, const struct state *s, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->blocks.n && rc == 0; i++)
		if (s->blocks.at[i].state != BLOCK_INACTIVE)
			rc = hashmap_put(&b->blocks, s->blocks.at[i].address, i, err);
	for (size_t i = 0; i < s->segments.n && rc == 0; i++)
		rc = hashmap_put(&b->segments, s->segments.at[i].address, i, err);
	return rc;
}

/* Going back from the end: the first alloc met at a live block's address made it. */
static void note_block_event(struct births *b, struct state *s, const struct model *m, uint64_t row,
			     int64_t number)
{
	uint64_t address = m->events.addr.at[row];
	const uint64_t *at = hashmap_get(&b->blocks, address);
	struct state_block *k = at ? &s->blocks.at[*at] : NULL;

	if (!k)
		return;
	switch (m->events.action.at[row]) {
	case ACTION_ALLOC:
		k->born = number;
		/* A block whose stack was not recorded has an empty one in the file. */
		if (k->stack.i == STACK_ABSENT.i || k->stack.i == STACK_EMPTY.i)
			k->stack = m->events.stack.at[row];
		break;
	case ACTION_FREE_REQUESTED:
		if (k->state == BLOCK_PENDING && k->free_requested == EVENT_START) {
			k->free_requested = number;
			return;
		}
		break;
	default:
		break;
	}
	/* Found; or the trace frees what the file holds, and tells nothing more of it. */
	hashmap_remove(&b->blocks, address);
}

static void note_segment_event(struct births *b, struct state *s, const struct model *m,
			       uint64_t row, int64_t number)
{
	uint64_t address = m->events.addr.at[row];
	uint8_t action = m->events.action.at[row];
	const uint64_t *at = hashmap_get(&b->segments, address);

	if (!at)
		return;
	if (action == ACTION_SEGMENT_ALLOC || action == ACTION_SEGMENT_MAP) {
		s->segments.at[*at].born = number;
		if (!s->segments.at[*at].stack.i)
			s->segments.at[*at].stack = m->events.stack.at[row];
	}
	hashmap_remove(&b->segments, address);
}

static int find_births(struct state *s, const struct model *m, struct error *err)
{
	const struct device *d = s->device;
	struct births b;
	int rc;

	hashmap_init(&b.blocks, s->budget);
	hashmap_init(&b.segments, s->budget);
	rc = list_unborn(&b, s, err);
	for (uint64_t i = d->n_events; rc == 0 && i-- > 0 && b.blocks.n + b.segments.n > 0;) {
		uint64_t row = d->first_event + i;
		uint8_t action = m->events.action.at[row];

		if (action >= ACTION_ALLOC && action <= ACTION_FREE_COMPLETED)
			note_block_event(&b, s, m, row, (int64_t)i);
		else if (action >= ACTION_SEGMENT_ALLOC && action <= ACTION_SEGMENT_UNMAP)
			note_segment_event(&b, s, m, row, (int64_t)i);
	}
	hashmap_release(&b.blocks);
	hashmap_release(&b.segments);
	return rc;
}

int state_from_segments(struct state *out, const struct model *m, const struct device *d,
			struct budget *budget, struct error *err)
{
	struct state s = {
		.budget = budget,
		.device = d,
		.event = (int64_t)d->n_events - 1,
		.exact = true,
	};
	struct segment_at *order;
	int rc = segments_by_address(&order, m, d, budget, err);

	if (rc < 0)
		return rc;
	for (uint64_t i = 0; i < d->n_segments && rc == 0; i++)
		rc = push_segment(&s, m, order[i].row, err);
	budget_free(budget, order, d->n_segments * sizeof *order);
	if (rc == 0 && d->trace_meets_segments)
		rc = find_births(&s, m, err);
	if (rc < 0) {
		state_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}
