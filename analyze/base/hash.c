/* SPDX-License-Identifier: MIT
 * hash.c -- hashing bytes, and the integer map (linear probing, backward-shift removal).
 */
#include "base/hash.h"

#include <string.h>

/* At most 8 bytes as one word, without a call: two loads that may overlap. */
static uint64_t load_short(const uint8_t *p, size_t n)
{
	uint32_t low, high;

	if (n >= 4) {
		memcpy(&low, p, 4);
		memcpy(&high, p + n - 4, 4);
		return (uint64_t)high << 32 | low;
	}
	if (n == 0)
		return 0;
	return (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
	const uint8_t *p = bytes;
	uint64_t h = length;
	uint64_t word;

	for (; length > 8; p += 8, length -= 8) {
		memcpy(&word, p, 8);
		h = hash_combine(h, word);
	}
	return hash_combine(h, load_short(p, length));
}

void hashmap_init(struct hashmap *m, struct budget *budget)
{
	*m = (struct hashmap){.budget = budget};
}

void hashmap_release(struct hashmap *m)
{
	budget_free(m->budget, m->slots, m->n_slots * sizeof *m->slots);
	m->slots = NULL;
	m->n_slots = m->n = 0;
}

void hashmap_clear(struct hashmap *m)
{
	if (m->slots)
		memset(m->slots, 0, m->n_slots * sizeof *m->slots);
	m->n = 0;
}

/* The slot of `key`, or the free one where it belongs. The table always has free slots. */
static struct hashmap_slot *hashmap_slot(struct hashmap_slot *slots, size_t n_slots, uint64_t key)
{
	size_t i = hash_u64(key) & (n_slots - 1);

	while (slots[i].used && slots[i].key != key)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

uint64_t *hashmap_get(const struct hashmap *m, uint64_t key)
{
	if (!m->n)
		return NULL;
	struct hashmap_slot *s = hashmap_slot(m->slots, m->n_slots, key);
	return s->used ? &s->value : NULL;
}

static int hashmap_grow(struct hashmap *m, struct error *err)
{
	size_t n_slots = m->n_slots ? m->n_slots * 2 : 16;
	struct hashmap_slot *slots =
		budget_realloc(m->budget, NULL, 0, n_slots * sizeof *slots, err);

	if (!slots)
		return err->code;
	memset(slots, 0, n_slots * sizeof *slots);
	for (size_t i = 0; i < m->n_slots; i++)
		if (m->slots[i].used)
			*hashmap_slot(slots, n_slots, m->slots[i].key) = m->slots[i];
	budget_free(m->budget, m->slots, m->n_slots * sizeof *m->slots);
	m->slots = slots;
	m->n_slots = n_slots;
	return 0;
}

int hashmap_put(struct hashmap *m, uint64_t key, uint64_t value, struct error *err)
{
	struct error local;

	if (m->n * 2 >= m->n_slots && hashmap_grow(m, err ? err : &local) < 0)
		return err ? (int)err->code : (int)local.code;
	struct hashmap_slot *s = hashmap_slot(m->slots, m->n_slots, key);
	if (!s->used)
		m->n++;
	*s = (struct hashmap_slot){.key = key, .value = value, .used = true};
	return 0;
}

bool hashmap_remove(struct hashmap *m, uint64_t key)
{
	if (!m->n)
		return false;
	struct hashmap_slot *s = hashmap_slot(m->slots, m->n_slots, key);
	if (!s->used)
		return false;

	size_t mask = m->n_slots - 1;
	size_t hole = (size_t)(s - m->slots);

	for (size_t i = (hole + 1) & mask; m->slots[i].used; i = (i + 1) & mask) {
		size_t home = hash_u64(m->slots[i].key) & mask;

		/* Move back only what its home does not forbid: home is not in (hole, i]. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].used = false;
	m->n--;
	return true;
}
