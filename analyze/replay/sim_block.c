/* SPDX-License-Identifier: MIT
 * sim_block.c -- rows of simulated blocks: made, cut, merged, kept in the trees of their lists.
 */
#include "replay/sim_impl.h"

int sim_reserve(struct sim *s, size_t n, struct error *err)
{
	if (s->rows.n + n >= UINT32_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more blocks than can be counted");
	return vec_reserve(&s->rows, n, s->budget, err);
}

uint32_t sim_row_new(struct sim *s, struct sim_block b)
{
	uint32_t row = s->unused_row;

	if (row) {
		s->unused_row = s->rows.at[row].next;
	} else {
		assert(s->rows.n < s->rows.cap);
		row = (uint32_t)s->rows.n++;
	}
	s->rows.at[row] = b;
	return row;
}

void sim_row_drop(struct sim *s, uint32_t row)
{
	struct sim_block *b = sim_row(s, row);

	b->state = SIM_UNUSED;
	b->next = s->unused_row;
	s->unused_row = row;
}

uint32_t sim_cut(struct sim *s, uint32_t row, uint64_t size)
{
	struct sim_block rest = *sim_row(s, row);
	uint32_t made;

	rest.address += size;
	rest.size -= size;
	rest.prev = row;
	made = sim_row_new(s, rest);
	if (rest.next)
		sim_row(s, rest.next)->prev = made;
	sim_row(s, row)->size = size;
	sim_row(s, row)->next = made;
	return made;
}

void sim_put(struct sim *s, uint32_t row)
{
	struct sim_block *b = sim_row(s, row);
	struct sim_list *l = &s->lists[b->list];

	if (b->state == SIM_UNMAPPED) {
		sim_tree_insert(s, &l->unmapped, row, false);
	} else {
		b->request = s->searches;
		sim_tree_insert(s, &l->free, row, true);
	}
}

void sim_take(struct sim *s, uint32_t row)
{
	struct sim_block *b = sim_row(s, row);
	struct sim_list *l = &s->lists[b->list];

	if (b->state == SIM_UNMAPPED)
		sim_tree_remove(s, &l->unmapped, row, false);
	else
		sim_tree_remove(s, &l->free, row, true);
}

void sim_merge(struct sim *s, uint32_t row)
{
	struct sim_block *b = sim_row(s, row);
	uint32_t other = b->prev;

	if (other && sim_row(s, other)->state == b->state) {
		struct sim_block *p = sim_row(s, other);

		sim_take(s, other);
		b->address = p->address;
		b->size += p->size;
		b->prev = p->prev;
		if (b->prev)
			sim_row(s, b->prev)->next = row;
		sim_row_drop(s, other);
	}
	other = b->next;
	if (other && sim_row(s, other)->state == b->state) {
		struct sim_block *n = sim_row(s, other);

		sim_take(s, other);
		b->size += n->size;
		b->next = n->next;
		if (b->next)
			sim_row(s, b->next)->prev = row;
		sim_row_drop(s, other);
	}
}

void sim_release_block(struct sim *s, uint32_t row)
{
	sim_row(s, row)->state = SIM_FREE;
	sim_merge(s, row);
	sim_put(s, row);
}
