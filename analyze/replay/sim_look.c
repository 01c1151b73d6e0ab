/* SPDX-License-Identifier: MIT
 * sim_look.c -- looking at a simulated allocator: losses, blocks, invariants.
 */
#include "base/num.h"
#include "model/rounding.h"
#include "replay/sim_impl.h"

/* Bytes of whole pages inside a free block of a range. */
static uint64_t whole_pages(const struct sim *s, const struct sim_block *b)
{
	uint64_t unit = sim_page_bytes(s, b->list);
	uint64_t base = s->ranges.at[b->segment & ~SIM_RANGE_BIT];
	uint64_t start = num_round_up(b->address - base, unit);
	uint64_t end = b->address + b->size - base;

	end -= end % unit;
	return end > start ? end - start : 0;
}

static void add_free(const struct sim *s, const struct sim_block *b, struct sim_loss *l)
{
	uint64_t cached = sim_is_whole(b) ? b->size : 0;

	if (sim_is_expandable(b))
		cached = whole_pages(s, b);
	l->cached += cached;
	l->holes += b->size - cached;
	if (!sim_is_default(s, b->list))
		l->private_idle += b->size;
}

static void add_live(const struct sim *s, const struct sim_block *b, struct sim_loss *l)
{
	uint64_t requested = s->bytes_of[b->request];
	uint64_t rounded = round_size(&s->o.settings, requested);

	if (rounded > b->size) /* imported: cut by other settings */
		rounded = b->size;
	if (requested > rounded)
		requested = rounded;
	l->requested += requested;
	l->rounding += rounded - requested;
	l->slack += b->size - rounded;
	if (b->state == SIM_PENDING)
		l->pending += requested;
}

struct sim_loss sim_loss(const struct sim *s)
{
	struct sim_loss l = {0};

	for (size_t i = 1; i < s->rows.n; i++) {
		const struct sim_block *b = &s->rows.at[i];

		if (b->state == SIM_FREE)
			add_free(s, b, &l);
		else if (b->state == SIM_ACTIVE || b->state == SIM_PENDING)
			add_live(s, b, &l);
	}
	return l;
}

void sim_each_block(const struct sim *s,
		    void (*see)(void *ctx, uint64_t address, uint64_t size, uint32_t request),
		    void *ctx)
{
	for (size_t i = 1; i < s->rows.n; i++) {
		const struct sim_block *b = &s->rows.at[i];

		if (b->state == SIM_UNUSED || b->state == SIM_UNMAPPED)
			continue;
		see(ctx, b->address, b->size, b->state == SIM_FREE ? UINT32_MAX : b->request);
	}
}

/* --- invariants -------------------------------------------------------------------------------- */

#define BROKEN(...) error_set(err, ERR_FORMAT, ERR_NO_OFFSET, __VA_ARGS__)

static int check_links(const struct sim *s, uint32_t row, struct error *err)
{
	const struct sim_block *b = sim_row(s, row), *n;

	if (!b->size)
		return BROKEN("block %u is empty", row);
	if (b->prev && sim_row(s, b->prev)->next != row)
		return BROKEN("block %u is not behind its predecessor", row);
	if (!b->next)
		return 0;
	n = sim_row(s, b->next);
	if (n->prev != row || n->address != b->address + b->size || n->segment != b->segment)
		return BROKEN("block %u does not meet the next one", row);
	if (n->state == b->state && (b->state == SIM_FREE || b->state == SIM_UNMAPPED))
		return BROKEN("blocks %u and %u should be one", row, b->next);
	return 0;
}

static int check_state(const struct sim *s, uint32_t row, struct error *err)
{
	const struct sim_block *b = sim_row(s, row);
	const struct sim_list *l = &s->lists[b->list];

	switch (b->state) {
	case SIM_FREE:
		if (sim_tree_find(s, l->free, b->size, b->address) != row)
			return BROKEN("free block %u is not in its list", row);
		return 0;
	case SIM_UNMAPPED:
		if (sim_tree_from(s, l->unmapped, b->address) != row)
			return BROKEN("unmapped area %u is not in its list", row);
		return 0;
	default:
		if (s->row_of[b->request] != row)
			return BROKEN("block %u is not its request's", row);
		return 0;
	}
}

int sim_check(const struct sim *s, struct error *err)
{
	uint64_t reserved = 0, active = 0, allocated = 0;

	for (uint32_t row = 1; row < s->rows.n; row++) {
		const struct sim_block *b = sim_row(s, row);
		int rc;

		if (b->state == SIM_UNUSED)
			continue;
		if ((rc = check_links(s, row, err)) < 0 || (rc = check_state(s, row, err)) < 0)
			return rc;
		reserved += b->state == SIM_UNMAPPED ? 0 : b->size;
		allocated += b->state == SIM_ACTIVE ? b->size : 0;
		active += b->state == SIM_ACTIVE || b->state == SIM_PENDING ? b->size : 0;
	}
	if (reserved != s->stats.reserved || active != s->stats.active ||
	    allocated != s->stats.allocated)
		return BROKEN("sums differ from the blocks");
	return 0;
}
