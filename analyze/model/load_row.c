/* SPDX-License-Identifier: MIT
 * load_row.c -- typed access to the values of one dict.
 */
#include "model/load_row.h"

void row_fault(struct row *r, enum load_word key, const char *wanted)
{
	struct loader *l = r->l;

	if (l->n_faults < LOAD_MAX_FAULTS)
		l->faults[l->n_faults++] = (struct fault){
			.kind = r->kind,
			.row = r->id,
			.key = {key},
			.offset = r->offset,
			.found = loader_words(l, r->value[key]),
			.wanted = wanted,
		};
}

uint64_t row_u64(struct row *r, enum load_word key, uint64_t absent)
{
	uint64_t value = absent;

	if (row_has(r, key) && !cells_u64(&r->l->cells, r->value[key], &value))
		row_fault(r, key, "an integer");
	return value;
}

str_id row_str(struct row *r, enum load_word key)
{
	if (!row_has(r, key))
		return STR_NONE;
	if (cell_tag(r->value[key]) == CELL_STR)
		return (str_id){cell_id(r->value[key])};
	row_fault(r, key, "a string");
	return STR_NONE;
}

bool row_bool(struct row *r, enum load_word key)
{
	uint64_t number;

	if (!row_has(r, key) || cell_is_const(r->value[key], CELL_FALSE))
		return false;
	if (cell_is_const(r->value[key], CELL_TRUE))
		return true;
	if (!cells_u64(&r->l->cells, r->value[key], &number))
		row_fault(r, key, "a bool");
	else
		return number != 0;
	return false;
}

stack_id row_stack(struct row *r, enum load_word key)
{
	cell c = r->value[key];

	if (!row_has(r, key))
		return STACK_ABSENT;
	if (cell_tag(c) == (enum cell_tag)LOAD_STACK)
		return (stack_id){cell_id(c)};
	if (!cell_is_empty(c, CELL_EMPTY_LIST) && !cell_is_empty(c, CELL_EMPTY_TUPLE))
		row_fault(r, key, "a list of frames");
	return STACK_EMPTY;
}

bool row_pool(struct row *r, enum load_word key, struct pool_id *out)
{
	if (!row_has(r, key))
		return false;
	if (cell_tag(r->value[key]) != (enum cell_tag)LOAD_POOL) {
		row_fault(r, key, "a pair of integers");
		return false;
	}
	*out = r->l->pools.at[cell_id(r->value[key])];
	return true;
}

int row_text_stack(struct row *r, enum load_word key, stack_id *out, struct error *err)
{
	struct loader *l = r->l;
	cell c = r->value[key];

	*out = STACK_ABSENT;
	if (!row_has(r, key) || cell_tag(c) == CELL_EMPTY)
		return 0;
	if (cell_tag(c) != (enum cell_tag)LOAD_NODE || loader_node(l, c)->kind == NODE_DICT ||
	    loader_node(l, c)->kind == NODE_RANGE) {
		row_fault(r, key, "a list of strings");
		return 0;
	}
	const struct node *node = loader_node(l, c);
	l->scratch.n = 0;
	for (uint64_t k = 0; k < node->n; k++) {
		cell item = loader_item(l, node, k);
		frame_id frame;
		int rc;

		if (cell_tag(item) != CELL_STR) {
			row_fault(r, key, "a list of strings");
			return 0;
		}
		struct frame text = {.name = {cell_id(item)}};
		if ((rc = stacks_add_frame(&l->model->stacks, text, &frame, err)) < 0 ||
		    (rc = vec_push(&l->scratch, frame, l->budget, err)) < 0)
			return rc;
	}
	return stacks_add(&l->model->stacks, l->scratch.at, l->scratch.n, out, err);
}

int count_unknown(struct hashmap *map, uint64_t key, struct error *err)
{
	uint64_t *count = hashmap_get(map, key);

	if (count) {
		++*count;
		return 0;
	}
	return hashmap_put(map, key, 1, err);
}
