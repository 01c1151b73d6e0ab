/* SPDX-License-Identifier: MIT
 * test_ordered.c -- rows in order against a plain array of flags.
 */
#include "base/ordered.h"
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

#define N_KEYS 2000

struct row {
	uint32_t key, value;
};

static bool there[N_KEYS];

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static bool agrees(const struct ordered *o)
{
	const struct row *row, *before = NULL;
	size_t n = 0;
	uint32_t key = 0;

	for (struct ordered_at p = {0}; (row = ordered_get(o, p)); p = ordered_next(o, p), n++) {
		for (; key < row->key; key++)
			if (there[key])
				return false;
		if (!there[key++] || row->value != ~row->key || ordered_before(o, p) != before)
			return false;
		before = row;
	}
	for (; key < N_KEYS; key++)
		if (there[key])
			return false;
	return n == o->n;
}

static bool finds(const struct ordered *o, uint32_t key)
{
	const struct row *row = ordered_get(o, ordered_from(o, &(struct row){key, 0}));

	while (key < N_KEYS && !there[key])
		key++;
	return key < N_KEYS ? row && row->key == key : !row;
}

int main(void)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct mini dice = {.random = 7};
	bool same = true, found = true;
	struct ordered o;
	struct error err;
	size_t most = 0;

	ordered_init(&o, sizeof(struct row), compare, &budget);
	ok(!ordered_get(&o, ordered_from(&o, &(struct row){0, 0})) &&
		   !ordered_before(&o, (struct ordered_at){0}),
	   "nothing is found where nothing is");
	for (int i = 0; i < 30000 && same && found; i++) {
		struct row row = {.key = (uint32_t)mini_random(&dice, N_KEYS)};

		row.value = ~row.key;
		if (!there[row.key] && (i < 15000 || mini_random(&dice, 4) == 0)) {
			if (ordered_insert(&o, &row, &err) < 0)
				return 1;
			there[row.key] = true;
		} else if (there[row.key] && mini_random(&dice, 2)) {
			ordered_remove(&o, ordered_from(&o, &row));
			there[row.key] = false;
		}
		most = o.n > most ? o.n : most;
		if (i % 200 == 0)
			same = agrees(&o);
		found = finds(&o, (uint32_t)mini_random(&dice, N_KEYS));
	}
	ok(same, "rows and those before them are in order");
	ok(found, "every key finds the first row that is not before it");
	ok(most > 3 * ORDERED_PER_CHUNK, "several chunks were filled (%zu rows)", most);

	budget.limit = budget.used;
	for (uint32_t key = 0; key < N_KEYS; key++) {
		struct row row = {key, ~key};

		if (!there[key] && ordered_insert(&o, &row, &err) == 0)
			there[key] = true;
	}
	ok(err.code == ERR_LIMIT && agrees(&o), "without memory nothing changes");
	ordered_release(&o);
	is_u64(budget.used, 0, "all memory is given back");
	return done_testing();
}
