/* SPDX-License-Identifier: MIT
 * sim_import.c -- a simulated allocator that starts from a known state.
 */
#include "replay/sim_impl.h"

/* The expandable range of a list while its runs arrive by address. */
struct open_range {
	uint64_t base, end; /* addresses of the range, and where its blocks end so far */
	uint32_t last;      /* its last block, SIM_NONE: no range yet */
	uint32_t segment;
};

struct import {
	struct sim *s;
	const struct state *st;
	const uint32_t *lanes, *requests;
	const uint64_t *lowest;
	struct open_range *ranges; /* by list */
	struct error *err;
};

static uint32_t list_of(const struct state_segment *seg, uint32_t lane)
{
	bool small = seg->kind == POOL_SMALL ||
		     (seg->kind == POOL_UNKNOWN && !seg->is_expandable && seg->size == 2u << 20);

	return lane * 2 + small;
}

static uint32_t add_row(struct sim *s, struct sim_block b)
{
	uint32_t row = sim_row_new(s, b);

	if (b.prev)
		sim_row(s, b.prev)->next = row;
	return row;
}

static void take_block(struct sim *s, uint32_t row, const struct state_block *from,
		       uint32_t request)
{
	struct sim_block *b = sim_row(s, row);

	if (from->state == BLOCK_INACTIVE || request >= s->o.n_requests || s->row_of[request]) {
		sim_release_block(s, row);
		return;
	}
	b->request = request;
	b->state = from->state == BLOCK_PENDING ? SIM_PENDING : SIM_ACTIVE;
	s->row_of[request] = row;
	s->bytes_of[request] = from->requested == BYTES_NONE ? from->size : from->requested;
	s->stats.active += from->size;
	s->stats.allocated += from->state == BLOCK_PENDING ? 0 : from->size;
	s->stats.requested += s->bytes_of[request];
}

/* The blocks of a segment, behind *last. */
static int add_blocks(struct import *in, const struct state_segment *seg, uint32_t list,
		      uint32_t segment, uint32_t *last)
{
	struct sim *s = in->s;
	int rc;

	for (uint64_t k = seg->first_block; k < seg->first_block + seg->n_blocks; k++) {
		const struct state_block *from = &in->st->blocks.at[k];

		if (!from->size)
			continue;
		if ((rc = sim_reserve(s, 1, in->err)) < 0)
			return rc;
		if (from->state == BLOCK_PENDING &&
		    (rc = vec_push(&s->pending, in->requests[k], s->budget, in->err)) < 0)
			return rc;
		*last = add_row(s, (struct sim_block){.address = from->address,
						      .size = from->size,
						      .list = list,
						      .segment = segment,
						      .prev = *last,
						      .state = SIM_UNUSED});
		take_block(s, *last, from, in->requests[k]);
	}
	s->stats.reserved += seg->size;
	return 0;
}

static int add_unmapped(struct import *in, struct open_range *r, uint32_t list, uint64_t end)
{
	int rc;

	if (r->end >= end)
		return 0;
	if ((rc = sim_reserve(in->s, 1, in->err)) < 0)
		return rc;
	r->last = add_row(in->s, (struct sim_block){.address = r->end,
						    .size = end - r->end,
						    .list = list,
						    .segment = r->segment,
						    .prev = r->last,
						    .state = SIM_UNMAPPED});
	sim_put(in->s, r->last);
	r->end = end;
	return 0;
}

static int close_range(struct import *in, struct open_range *r, uint32_t list)
{
	return r->last ? add_unmapped(in, r, list, r->base + in->s->o.range_bytes) : 0;
}

static int open_range(struct import *in, struct open_range *r, uint32_t list, uint64_t start)
{
	uint64_t unit = sim_page_bytes(in->s, list), low = in->lowest[list];

	*r = (struct open_range){.base = start};
	if (low < start && start - low < in->s->o.range_bytes)
		r->base = start - (start - low) / unit * unit;
	r->end = r->base;
	r->segment = SIM_RANGE_BIT | (uint32_t)in->s->ranges.n;
	return vec_push(&in->s->ranges, r->base, in->s->budget, in->err);
}

static int add_run(struct import *in, const struct state_segment *seg, uint32_t list)
{
	struct open_range *r = &in->ranges[list];
	int rc;

	if (r->last && seg->address + seg->size - r->base > in->s->o.range_bytes) {
		if ((rc = close_range(in, r, list)) < 0)
			return rc;
		r->last = SIM_NONE;
	}
	if (!r->last && (rc = open_range(in, r, list, seg->address)) < 0)
		return rc;
	if ((rc = add_unmapped(in, r, list, seg->address)) < 0)
		return rc;
	r->end = seg->address + seg->size;
	return add_blocks(in, seg, list, r->segment, &r->last);
}

static int add_all(struct import *in)
{
	struct sim *s = in->s;
	int rc = 0;

	for (size_t i = 0; i < in->st->segments.n && rc == 0; i++) {
		const struct state_segment *seg = &in->st->segments.at[i];
		uint32_t list = list_of(seg, in->lanes[i]), last = SIM_NONE;

		if (seg->is_expandable)
			rc = add_run(in, seg, list);
		else
			rc = add_blocks(in, seg, list, s->n_segments++ & ~SIM_RANGE_BIT, &last);
	}
	for (uint32_t list = 0; list < 2 * s->o.n_lanes && rc == 0; list++)
		rc = close_range(in, &in->ranges[list], list);
	s->stats.peak_reserved = s->stats.reserved;
	s->stats.peak_allocated = s->stats.allocated;
	s->stats.peak_active = s->stats.active;
	s->stats.peak_requested = s->stats.requested;
	return rc;
}

int sim_import(struct sim *s, const struct state *state, const uint32_t *lanes,
	       const uint32_t *requests, const uint64_t *lowest, struct error *err)
{
	struct import in = {s, state, lanes, requests, lowest, NULL, err};
	size_t bytes = ((size_t)s->o.n_lanes + 1) * 2 * sizeof *in.ranges;
	int rc;

	in.ranges = budget_realloc(s->budget, NULL, 0, bytes, err);
	if (!in.ranges)
		return err->code;
	for (uint32_t list = 0; list < 2 * s->o.n_lanes + 2; list++)
		in.ranges[list] = (struct open_range){0};
	rc = add_all(&in);
	budget_free(s->budget, in.ranges, bytes);
	return rc;
}
