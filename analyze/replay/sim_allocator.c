/* SPDX-License-Identifier: MIT
 * sim_allocator.c -- PyTorch's caching allocator as a model: serving requests and frees.
 */
#include "replay/sim_allocator.h"

#include <string.h>

#include "model/rounding.h"
#include "replay/sim_impl.h"

static bool has_divisions(const struct alloc_settings *a)
{
	for (unsigned i = 0; i < sizeof a->roundup_divisions / sizeof *a->roundup_divisions; i++)
		if (a->roundup_divisions[i] > 1)
			return true;
	return false;
}

static void *zeroed(struct sim *s, size_t bytes, struct error *err)
{
	void *p = budget_realloc(s->budget, NULL, 0, bytes, err);

	if (p)
		memset(p, 0, bytes);
	return p;
}

int sim_new(struct sim **out, const struct sim_options *o, struct budget *budget, struct error *err)
{
	struct sim *s = budget_realloc(budget, NULL, 0, sizeof *s, err);

	if (!s)
		return err->code;
	*s = (struct sim){
		.budget = budget,
		.o = *o,
		.room = {UINT64_MAX, UINT64_MAX},
		.plain_rounding = !has_divisions(&o->settings),
	};
	s->lists = zeroed(s, ((size_t)o->n_lanes + 1) * 2 * sizeof *s->lists, err);
	s->row_of =
		s->lists ? zeroed(s, ((size_t)o->n_requests + 1) * sizeof *s->row_of, err) : NULL;
	s->bytes_of = s->row_of ? zeroed(s, ((size_t)o->n_requests + 1) * sizeof *s->bytes_of, err)
				: NULL;
	if (!s->bytes_of ||
	    vec_push(&s->rows, ((struct sim_block){.state = SIM_UNUSED}), budget, err) < 0) {
		sim_free(s);
		return err->code;
	}
	*out = s;
	return 0;
}

void sim_free(struct sim *s)
{
	struct budget *b;

	if (!s)
		return;
	b = s->budget;
	budget_free(b, s->lists, ((size_t)s->o.n_lanes + 1) * 2 * sizeof *s->lists);
	budget_free(b, s->row_of, ((size_t)s->o.n_requests + 1) * sizeof *s->row_of);
	budget_free(b, s->bytes_of, ((size_t)s->o.n_requests + 1) * sizeof *s->bytes_of);
	vec_release(&s->rows, b);
	vec_release(&s->ranges, b);
	vec_release(&s->scratch, b);
	vec_release(&s->pending, b);
	budget_free(b, s, sizeof *s);
}

void sim_set_room(struct sim *s, struct sim_room room)
{
	s->room = room;
}

static uint64_t round_request(const struct sim *s, uint64_t bytes)
{
	if (s->plain_rounding && bytes >= MIN_BLOCK_BYTES && bytes < UINT64_MAX / 2)
		return (bytes + s->o.settings.rounding_extra + MIN_BLOCK_BYTES - 1) &
		       ~(uint64_t)(MIN_BLOCK_BYTES - 1);
	return round_size(&s->o.settings, bytes);
}

/* What a block at the edge of unmapped addresses can become. */
static uint64_t reach(const struct sim *s, uint32_t row)
{
	const struct sim_block *b = sim_row(s, row);

	if (b->next && sim_row(s, b->next)->state == SIM_UNMAPPED)
		return b->size + sim_row(s, b->next)->size;
	return b->size;
}

/* Of an expandable block that fits: another one, if that keeps the growing end free; without the
 * feature, the next block that is not expandable. */
static uint32_t adjust_expandable(const struct sim *s, uint32_t root, uint32_t row)
{
	uint32_t next;

	if (!s->o.settings.expandable_segments) {
		while (row && sim_is_expandable(sim_row(s, row)))
			row = sim_tree_next(s, root, row);
		return row;
	}
	for (;; row = next) {
		if (!sim_is_expandable(sim_row(s, row)) || !(next = sim_tree_next(s, root, row)) ||
		    reach(s, next) >= reach(s, row))
			return row;
	}
}

/* get_free_block: the smallest that fits, or none even though there are larger ones. */
static uint32_t find_block(struct sim *s, uint32_t list, uint64_t rounded)
{
	const struct alloc_settings *a = &s->o.settings;
	uint32_t root = s->lists[list].free;
	uint32_t row = sim_tree_find(s, root, rounded, 0);
	uint64_t size;

	if (!row)
		return SIM_NONE;
	if (sim_is_expandable(sim_row(s, row)) && !(row = adjust_expandable(s, root, row)))
		return SIM_NONE;
	size = sim_row(s, row)->size;
	if (rounded < a->max_split_bytes && size >= a->max_split_bytes)
		return SIM_NONE;
	if (rounded >= a->max_split_bytes && size - rounded >= a->max_non_split_rounding_bytes)
		return SIM_NONE;
	if (!s->stats.ties &&
	    sim_row(s, sim_tree_last(s, root, size))->segment != sim_row(s, row)->segment)
		s->stats.ties = 1;
	sim_take(s, row);
	return row;
}

static bool collects_garbage(const struct sim *s)
{
	return s->o.settings.gc_threshold > 0 && s->room.allowed != UINT64_MAX;
}

/* The whole way of a miss: garbage, the driver, release and retry. */
static int find_memory(struct sim *s, uint32_t list, uint64_t rounded, uint32_t *row,
		       struct error *err)
{
	int rc;

	if (collects_garbage(s))
		sim_gc(s);
	rc = sim_grow(s, list, rounded, row, err);
	if (rc == 0 && sim_release_available(s, list, rounded))
		rc = sim_grow(s, list, rounded, row, err);
	if (rc != 0)
		return rc;
	s->stats.retries++;
	if ((rc = sim_release_cached(s, err)) < 0)
		return rc;
	return sim_grow(s, list, rounded, row, err);
}

static void raise_peak(uint64_t *peak, uint64_t now)
{
	if (now > *peak)
		*peak = now;
}

static void hand_out(struct sim *s, uint32_t row, uint32_t request, uint64_t bytes)
{
	struct sim_block *b = sim_row(s, row);

	b->state = SIM_ACTIVE;
	b->request = request;
	s->row_of[request] = row;
	s->bytes_of[request] = bytes;
	s->stats.allocated += b->size;
	s->stats.active += b->size;
	s->stats.requested += bytes;
	raise_peak(&s->stats.peak_allocated, s->stats.allocated);
	raise_peak(&s->stats.peak_active, s->stats.active);
	raise_peak(&s->stats.peak_requested, s->stats.requested);
}

static void refuse(struct sim *s, uint64_t rounded)
{
	s->stats.refused_bytes = round_to_segment(&s->o.settings, rounded);
	s->stats.refused_room = s->room.allowed < s->room.device ? s->room.allowed : s->room.device;
}

int sim_alloc(struct sim *s, uint32_t request, uint64_t bytes, uint32_t lane, struct error *err)
{
	uint64_t rounded = round_request(s, bytes);
	bool small = rounded <= SMALL_MAX_BYTES;
	uint32_t list = lane * 2 + small, row;
	int rc;

	assert(request < s->o.n_requests && lane < s->o.n_lanes);
	if (s->row_of[request])
		return 1;
	if ((rc = sim_reserve(s, 1, err)) < 0)
		return rc;
	if (!small && collects_garbage(s) && sim_is_default(s, list))
		s->searches++;
	row = find_block(s, list, rounded);
	if (!row && (rc = find_memory(s, list, rounded, &row, err)) <= 0) {
		if (rc == 0)
			refuse(s, rounded);
		return rc;
	}
	if (round_splits(&s->o.settings, sim_row(s, row)->size, rounded, small,
			 s->o.settings.expandable_segments)) {
		if ((rc = sim_reserve(s, 1, err)) < 0) {
			sim_put(s, row);
			return rc;
		}
		sim_put(s, sim_cut(s, row, rounded));
	}
	hand_out(s, row, request, bytes);
	return 1;
}

void sim_free_requested(struct sim *s, uint32_t request)
{
	uint32_t row = s->row_of[request];
	struct error err;

	if (!row || sim_row(s, row)->state != SIM_ACTIVE)
		return;
	s->stats.allocated -= sim_row(s, row)->size;
	sim_row(s, row)->state = SIM_PENDING;
	/* Only a release before a retry looks at the list; without room it misses one block. */
	(void)vec_push(&s->pending, request, s->budget, &err);
}

void sim_free_completed(struct sim *s, uint32_t request)
{
	uint32_t row = s->row_of[request];
	struct sim_block *b;

	if (!row)
		return;
	b = sim_row(s, row);
	if (b->state == SIM_ACTIVE)
		s->stats.allocated -= b->size;
	s->stats.active -= b->size;
	s->stats.requested -= s->bytes_of[request];
	s->row_of[request] = SIM_NONE;
	sim_release_block(s, row);
}

int sim_empty_cache(struct sim *s, struct error *err)
{
	return sim_release_cached(s, err);
}

const struct sim_stats *sim_stats(const struct sim *s)
{
	return &s->stats;
}

uint64_t sim_address(const struct sim *s, uint32_t request, uint64_t *size)
{
	const struct sim_block *b = sim_row(s, s->row_of[request]);

	*size = s->row_of[request] ? b->size : 0;
	return s->row_of[request] ? b->address : 0;
}
