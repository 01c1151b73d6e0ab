/* SPDX-License-Identifier: MIT
 * sim_tree.c -- ordered sets of blocks: treaps inside the rows, nothing to allocate.
 */
#include "base/hash.h"
#include "replay/sim_impl.h"

/* A row's priority; fixed, so that a run is the same each time. */
static inline uint32_t priority(uint32_t row)
{
	return (row ^ 0x5bd1e995u) * 0x9e3779b1u;
}

/* Is `b` before (size, address)? Trees of unmapped areas have no sizes in their order. */
static inline bool is_before(const struct sim_block *b, uint64_t size, uint64_t address,
			     bool by_size)
{
	if (by_size && b->size != size)
		return b->size < size;
	return b->address < address;
}

void sim_tree_insert(struct sim *s, uint32_t *root, uint32_t row, bool by_size)
{
	struct sim_block *rows = s->rows.at, *b = &rows[row];
	uint64_t size = b->size, address = b->address;
	uint32_t own = priority(row), *link = root, *low, *high, rest;

	while (*link && priority(*link) >= own)
		link = is_before(&rows[*link], size, address, by_size) ? &rows[*link].right
								       : &rows[*link].left;
	rest = *link;
	*link = row;
	low = &b->left;
	high = &b->right;
	while (rest) {
		if (is_before(&rows[rest], size, address, by_size)) {
			*low = rest;
			low = &rows[rest].right;
			rest = *low;
		} else {
			*high = rest;
			high = &rows[rest].left;
			rest = *high;
		}
	}
	*low = *high = SIM_NONE;
}

void sim_tree_remove(struct sim *s, uint32_t *root, uint32_t row, bool by_size)
{
	struct sim_block *rows = s->rows.at, *b = &rows[row];
	uint32_t *link = root, low = b->left, high = b->right;

	while (*link != row) {
		assert(*link);
		link = is_before(&rows[*link], b->size, b->address, by_size) ? &rows[*link].right
									     : &rows[*link].left;
	}
	while (low && high) {
		if (priority(low) >= priority(high)) {
			*link = low;
			link = &rows[low].right;
			low = *link;
		} else {
			*link = high;
			link = &rows[high].left;
			high = *link;
		}
	}
	*link = low ? low : high;
}

uint32_t sim_tree_find(const struct sim *s, uint32_t root, uint64_t size, uint64_t address)
{
	const struct sim_block *rows = s->rows.at;
	uint32_t best = SIM_NONE;

	while (root) {
		if (is_before(&rows[root], size, address, true)) {
			root = rows[root].right;
		} else {
			best = root;
			root = rows[root].left;
		}
	}
	return best;
}

uint32_t sim_tree_last(const struct sim *s, uint32_t root, uint64_t size)
{
	const struct sim_block *rows = s->rows.at;
	uint32_t best = SIM_NONE;

	while (root) {
		if (rows[root].size > size) {
			root = rows[root].left;
		} else {
			best = root;
			root = rows[root].right;
		}
	}
	return best;
}

uint32_t sim_tree_end(const struct sim *s, uint32_t root)
{
	while (root && sim_row(s, root)->right)
		root = sim_row(s, root)->right;
	return root;
}

uint32_t sim_tree_from(const struct sim *s, uint32_t root, uint64_t address)
{
	const struct sim_block *rows = s->rows.at;
	uint32_t best = SIM_NONE;

	while (root) {
		if (rows[root].address < address) {
			root = rows[root].right;
		} else {
			best = root;
			root = rows[root].left;
		}
	}
	return best;
}
