/* SPDX-License-Identifier: MIT
 * strtab.c -- interning: an arena for the bytes, an open-addressing table of ids.
 */
#include "base/strtab.h"

#include <string.h>

#include "base/hash.h"

#define STRTAB_MAX_LENGTH  (UINT64_C(1) << 31)
#define STRTAB_MAX_ROWS    (1u << 28)
#define STRTAB_FIRST_SLOTS 256u

int strtab_init(struct strtab *t, struct budget *budget, struct error *err)
{
	int rc;

	*t = (struct strtab){.budget = budget};
	arena_init(&t->arena, budget);
	rc = vec_push(&t->rows, ((struct str){.bytes = "", .length = 0}), budget, err);
	if (rc < 0)
		return rc;
	t->slots = budget_realloc(budget, NULL, 0, STRTAB_FIRST_SLOTS * sizeof *t->slots, err);
	if (!t->slots) {
		strtab_release(t);
		return err->code;
	}
	memset(t->slots, 0, STRTAB_FIRST_SLOTS * sizeof *t->slots);
	t->n_slots = STRTAB_FIRST_SLOTS;
	return 0;
}

void strtab_release(struct strtab *t)
{
	if (!t->budget)
		return;
	budget_free(t->budget, t->slots, t->n_slots * sizeof *t->slots);
	vec_release(&t->rows, t->budget);
	arena_release(&t->arena);
	t->slots = NULL;
	t->n_slots = 0;
}

/* Index of the slot that holds these bytes, or of the free one where they belong. */
static size_t strtab_slot(const struct strtab *t, const char *bytes, size_t length, uint32_t hash)
{
	size_t mask = t->n_slots - 1;
	size_t i = hash & mask;

	for (; t->slots[i]; i = (i + 1) & mask) {
		const struct str *s = &t->rows.at[t->slots[i]];

		if (s->hash == hash && s->length == length && memcmp(s->bytes, bytes, length) == 0)
			break;
	}
	return i;
}

static int strtab_grow(struct strtab *t, struct error *err)
{
	size_t n_slots = t->n_slots * 2;
	uint32_t *slots = budget_realloc(t->budget, NULL, 0, n_slots * sizeof *slots, err);

	if (!slots)
		return err->code;
	memset(slots, 0, n_slots * sizeof *slots);
	for (uint32_t row = 1; row < t->rows.n; row++) {
		size_t i = t->rows.at[row].hash & (n_slots - 1);

		while (slots[i])
			i = (i + 1) & (n_slots - 1);
		slots[i] = row;
	}
	budget_free(t->budget, t->slots, t->n_slots * sizeof *t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	return 0;
}

static int strtab_insert(struct strtab *t, const char *bytes, size_t length, uint32_t hash,
			 str_id *out, struct error *err)
{
	int rc;

	if (length > STRTAB_MAX_LENGTH || t->rows.n >= STRTAB_MAX_ROWS)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET,
				 "a string of 2 GiB, or 268 million distinct strings");
	if (t->rows.n * 2 >= t->n_slots && (rc = strtab_grow(t, err)) < 0)
		return rc;
	char *copy = arena_bytes(&t->arena, length + 1, err);
	if (!copy)
		return err->code;
	memcpy(copy, bytes, length);
	copy[length] = '\0';
	struct str row = {.bytes = copy, .length = (uint32_t)length, .hash = hash};
	rc = vec_push(&t->rows, row, t->budget, err);
	if (rc < 0)
		return rc;
	out->i = (uint32_t)t->rows.n - 1;
	t->slots[strtab_slot(t, bytes, length, hash)] = out->i;
	return 0;
}

int strtab_add(struct strtab *t, const char *bytes, size_t length, str_id *out, struct error *err)
{
	uint32_t hash = (uint32_t)hash_bytes(bytes, length);
	uint32_t row = t->slots[strtab_slot(t, bytes, length, hash)];

	if (row) {
		out->i = row;
		return 0;
	}
	return strtab_insert(t, bytes, length, hash, out, err);
}

str_id strtab_find(const struct strtab *t, const char *bytes, size_t length)
{
	uint32_t hash = (uint32_t)hash_bytes(bytes, length);

	return (str_id){t->slots[strtab_slot(t, bytes, length, hash)]};
}
