/* SPDX-License-Identifier: MIT
 * sim_grow.c -- memory from the driver: cudaMalloc segments, and pages mapped into ranges.
 */
#include "base/num.h"
#include "model/rounding.h"
#include "replay/sim_impl.h"

/* Beyond this PyTorch says "more than 1EB" without trying. */
#define TOO_LARGE (UINT64_C(1) << 60)

static void count_growth(struct sim *s, uint64_t bytes)
{
	s->stats.reserved += bytes;
	s->stats.device_allocs++;
	if (s->stats.reserved > s->stats.peak_reserved)
		s->stats.peak_reserved = s->stats.reserved;
}

static bool fits(const struct sim *s, uint64_t bytes, uint64_t room)
{
	return bytes <= room && s->stats.reserved <= room - bytes;
}

static int grow_segment(struct sim *s, uint32_t list, uint64_t bytes, uint32_t *row,
			struct error *err)
{
	int rc;

	if (!fits(s, bytes, s->room.device))
		return 0;
	if ((rc = sim_reserve(s, 2, err)) < 0)
		return rc;
	*row = sim_row_new(s,
			   (struct sim_block){
				   .address = s->o.place.at(s->o.place.ctx, bytes, list / 2, false),
				   .size = bytes,
				   .list = list,
				   .segment = s->n_segments++ & ~SIM_RANGE_BIT,
			   });
	count_growth(s, bytes);
	return 1;
}

/* --- expandable -------------------------------------------------------------------------------- */

static bool is_usable(const struct sim *s, uint32_t row)
{
	return row &&
	       (sim_row(s, row)->state == SIM_FREE || sim_row(s, row)->state == SIM_UNMAPPED);
}

static bool has_space(const struct sim *s, uint32_t row, uint64_t bytes)
{
	uint64_t found = 0;

	for (; found < bytes && is_usable(s, row); row = sim_row(s, row)->next)
		found += sim_row(s, row)->size;
	return found >= bytes;
}

/* The lowest unmapped area that can become, with what is free around it, `bytes` in one piece; a
 * new range when there is none. Returns the first block of it, in its tree. */
static int find_area(struct sim *s, uint32_t list, uint64_t bytes, uint32_t *row, struct error *err)
{
	uint32_t root = s->lists[list].unmapped;
	uint64_t base;
	int rc;

	for (uint32_t i = sim_tree_from(s, root, 0); i;
	     i = sim_tree_from(s, root, sim_row(s, i)->address + 1)) {
		uint32_t first = is_usable(s, sim_row(s, i)->prev) ? sim_row(s, i)->prev : i;

		if (has_space(s, first, bytes)) {
			*row = first;
			return 1;
		}
	}
	if (bytes > s->o.range_bytes)
		return 0;
	base = s->o.place.at(s->o.place.ctx, s->o.range_bytes, list / 2, true);
	if ((rc = vec_push(&s->ranges, base, s->budget, err)) < 0 ||
	    (rc = sim_reserve(s, 1, err)) < 0)
		return rc;
	*row = sim_row_new(s, (struct sim_block){
				      .address = base,
				      .size = s->o.range_bytes,
				      .list = list,
				      .segment = SIM_RANGE_BIT | (uint32_t)(s->ranges.n - 1),
				      .state = SIM_UNMAPPED,
			      });
	sim_put(s, *row);
	return 1;
}

/* Map the first pages of an unmapped block, enough for `bytes`; what it becomes is free, merged
 * and in its tree. 1, or 0 when refused. */
static int map_pages(struct sim *s, uint32_t row, uint64_t bytes, struct error *err)
{
	uint64_t mapped = num_round_up(bytes, sim_page_bytes(s, sim_row(s, row)->list));
	int rc = sim_reserve(s, 1, err);

	if (rc < 0)
		return rc;
	if (mapped > sim_row(s, row)->size)
		mapped = sim_row(s, row)->size;
	if (!fits(s, mapped, s->room.device))
		return 0;
	sim_take(s, row);
	if (mapped < sim_row(s, row)->size)
		sim_put(s, sim_cut(s, row, mapped));
	sim_release_block(s, row);
	count_growth(s, mapped);
	return 1;
}

static int grow_range(struct sim *s, uint32_t list, uint64_t bytes, uint32_t *row,
		      struct error *err)
{
	uint32_t at = SIM_NONE;
	int rc = find_area(s, list, bytes, &at, err);

	if (rc <= 0)
		return rc;
	for (;;) {
		const struct sim_block *b = sim_row(s, at);
		uint64_t missing;

		if (b->state == SIM_FREE && b->size >= bytes)
			break;
		if (b->state == SIM_FREE) {
			missing = bytes - b->size;
			at = b->next;
		} else {
			missing = bytes;
		}
		if (missing > sim_row(s, at)->size)
			missing = sim_row(s, at)->size;
		if ((rc = map_pages(s, at, missing, err)) <= 0)
			return rc;
	}
	sim_take(s, at);
	*row = at;
	return 1;
}

int sim_grow(struct sim *s, uint32_t list, uint64_t rounded, uint32_t *row, struct error *err)
{
	uint64_t bytes = round_to_segment(&s->o.settings, rounded);

	if (bytes >= TOO_LARGE || s->stats.reserved >= TOO_LARGE)
		return 0;
	/* The limit is checked with a whole segment's size, for expandable ones too. */
	if (!fits(s, bytes, s->room.allowed))
		return 0;
	if (s->o.settings.expandable_segments)
		return grow_range(s, list, rounded, row, err);
	return grow_segment(s, list, bytes, row, err);
}

int sim_unmap(struct sim *s, uint32_t row, struct error *err)
{
	struct sim_block *b = sim_row(s, row);
	uint64_t unit = sim_page_bytes(s, b->list);
	uint64_t base = s->ranges.at[b->segment & ~SIM_RANGE_BIT];
	uint64_t start = num_round_up(b->address - base, unit) + base;
	uint64_t end = b->address + b->size - (b->address + b->size - base) % unit;
	int rc;

	if (start >= end)
		return 0;
	if ((rc = sim_reserve(s, 2, err)) < 0)
		return rc;
	sim_take(s, row);
	if (start > sim_row(s, row)->address) {
		uint32_t rest = sim_cut(s, row, start - sim_row(s, row)->address);

		sim_put(s, row);
		row = rest;
	}
	if (end < start + sim_row(s, row)->size)
		sim_put(s, sim_cut(s, row, end - start));
	sim_row(s, row)->state = SIM_UNMAPPED;
	sim_merge(s, row);
	s->stats.reserved -= end - start;
	s->stats.device_frees++;
	if (sim_is_whole(sim_row(s, row)))
		sim_row_drop(s, row); /* the range goes with its last page */
	else
		sim_put(s, row);
	return 0;
}
