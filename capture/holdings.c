/* SPDX-License-Identifier: MIT
 * holdings.c -- memory of devices that several things keep.
 */
#include "capture/holdings.h"

#include <string.h>
#include <sys/mman.h>

#include "capture/format.h"

/* A device of 288 GiB in mappings of 2 MiB, the smallest there are. */
#define MAX_ENTRIES (1u << 17)
#define INDEX_SLOTS (MAX_ENTRIES * 2)

static size_t bytes_needed(void)
{
	return MAX_ENTRIES * sizeof(struct holding) + INDEX_SLOTS * sizeof(uint32_t);
}

bool holdings_init(struct holdings *h)
{
	void *at;

	memset(h, 0, sizeof *h);
	/* Pages are there once they are written to. */
	at = mmap(NULL, bytes_needed(), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	h->entries = at;
	h->index = (uint32_t *)(void *)((char *)at + MAX_ENTRIES * sizeof(struct holding));
	h->n_entries = 1;
	return true;
}

void holdings_release(struct holdings *h)
{
	if (h->entries)
		munmap(h->entries, bytes_needed());
	memset(h, 0, sizeof *h);
}

/* ---- by key ---- */

static uint32_t home(enum holding_what what, uint64_t key)
{
	return (uint32_t)ring_mix(key, 5 + (uint64_t)what) & (INDEX_SLOTS - 1);
}

static uint32_t place_of(const struct holdings *h, enum holding_what what, uint64_t key)
{
	uint32_t i = home(what, key);

	while (h->index[i]) {
		const struct holding *one = &h->entries[h->index[i]];

		if (one->key == key && one->what == what)
			break;
		i = (i + 1) & (INDEX_SLOTS - 1);
	}
	return i;
}

struct holding *holdings_find(struct holdings *h, enum holding_what what, uint64_t key)
{
	uint32_t n = h->entries ? h->index[place_of(h, what, key)] : 0;

	return n ? &h->entries[n] : NULL;
}

/* Close the gap: who would not be found behind it moves into it. */
static void forget(struct holdings *h, uint32_t hole)
{
	for (uint32_t i = (hole + 1) & (INDEX_SLOTS - 1); h->index[i];
	     i = (i + 1) & (INDEX_SLOTS - 1)) {
		const struct holding *one = &h->entries[h->index[i]];
		uint32_t from = home((enum holding_what)one->what, one->key);

		if (((i - from) & (INDEX_SLOTS - 1)) < ((i - hole) & (INDEX_SLOTS - 1)))
			continue;
		h->index[hole] = h->index[i];
		hole = i;
	}
	h->index[hole] = 0;
}

/* ---- pools, and what is empty of them ---- */

struct holdings_pool *holdings_pool(struct holdings *h, uint64_t handle)
{
	for (size_t i = 0; handle && i < HOLDINGS_POOLS; i++) {
		if (h->pools[i].handle == handle)
			return &h->pools[i];
	}
	return NULL;
}

static struct holdings_pool *make_pool(struct holdings *h, uint64_t handle)
{
	for (size_t i = 0; i < HOLDINGS_POOLS; i++) {
		if (!h->pools[i].handle) {
			h->pools[i] = (struct holdings_pool){.handle = handle};
			return &h->pools[i];
		}
	}
	return NULL;
}

static void list_empty(struct holdings *h, struct holding *one)
{
	struct holdings_pool *pool = holdings_pool(h, one->pool);
	uint32_t n = (uint32_t)(one - h->entries);

	if (!pool)
		return;
	one->before = 0;
	one->after = pool->first_empty;
	if (one->after)
		h->entries[one->after].before = n;
	pool->first_empty = n;
}

static void unlist_empty(struct holdings *h, struct holding *one)
{
	struct holdings_pool *pool = holdings_pool(h, one->pool);

	if (!pool)
		return;
	if (one->before)
		h->entries[one->before].after = one->after;
	else
		pool->first_empty = one->after;
	if (one->after)
		h->entries[one->after].before = one->before;
	one->before = one->after = 0;
}

struct holding *holdings_empty(struct holdings *h, const struct holdings_pool *pool)
{
	return pool->first_empty ? &h->entries[pool->first_empty] : NULL;
}

/* ---- coming and going ---- */

struct holding *holdings_add(struct holdings *h, const struct holding *like)
{
	struct holdings_pool *pool = holdings_pool(h, like->pool);
	uint32_t n = h->first_free;

	if (!h->entries || (!n && h->n_entries >= MAX_ENTRIES))
		return NULL;
	if (like->pool && !pool) {
		pool = make_pool(h, like->pool);
		if (!pool)
			return NULL;
	}
	if (n)
		h->first_free = h->entries[n].after;
	else
		n = h->n_entries++;
	h->entries[n] = *like;
	h->entries[n].users = h->entries[n].before = h->entries[n].after = 0;
	h->index[place_of(h, (enum holding_what)like->what, like->key)] = n;
	h->n_alive++;
	h->changes++;
	if (pool) {
		pool->bytes += like->bytes;
		list_empty(h, &h->entries[n]);
	}
	return &h->entries[n];
}

void holdings_remove(struct holdings *h, struct holding *one)
{
	struct holdings_pool *pool = holdings_pool(h, one->pool);

	if (one->users == 0)
		unlist_empty(h, one);
	forget(h, place_of(h, (enum holding_what)one->what, one->key));
	h->n_alive--;
	h->changes++;
	if (pool) {
		pool->bytes -= one->bytes;
		/* Its handle may be given to another pool. */
		if (pool->destroyed && pool->bytes == 0)
			memset(pool, 0, sizeof *pool);
	}
	*one = (struct holding){.after = h->first_free};
	h->first_free = (uint32_t)(one - h->entries);
}

void holdings_use(struct holdings *h, struct holding *one)
{
	if (one->users++ == 0)
		unlist_empty(h, one);
}

void holdings_leave(struct holdings *h, struct holding *one)
{
	if (one->users > 0 && --one->users == 0)
		list_empty(h, one);
}

bool holdings_unkept(const struct holdings *h, const struct holding *one)
{
	if (one->users > 0)
		return false;
	for (size_t i = 0; one->pool && i < HOLDINGS_POOLS; i++) {
		if (h->pools[i].handle == one->pool)
			return h->pools[i].destroyed;
	}
	return true;
}
