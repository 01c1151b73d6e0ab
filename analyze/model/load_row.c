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

int row_stack(struct row *r, enum load_word key, stack_id *out, struct error *err)
{
	bool good;

	*out = STACK_ABSENT;
	if (!row_has(r, key))
		return 0;
	int rc = loader_stack_from(r->l, r->value[key], false, &good, out, err);
	if (rc == 0 && !good) {
		row_fault(r, key, "a list of frames");
		*out = STACK_EMPTY;
	}
	return rc;
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
	bool good;

	*out = STACK_ABSENT;
	if (!row_has(r, key) || cell_tag(r->value[key]) == CELL_EMPTY)
		return 0;
	int rc = loader_stack_from(r->l, r->value[key], true, &good, out, err);
	if (rc == 0 && !good)
		row_fault(r, key, "a list of strings");
	return rc;
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
