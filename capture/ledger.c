/* SPDX-License-Identifier: MIT
 * ledger.c -- the books of a recording: each event appended, and what lives kept in step with it.
 */
#include "capture/ledger.h"

#include <string.h>
#include <stdio.h>
#include <sys/mman.h>

/* Mappings of one block: a device's whole memory in the smallest ones. */
#define MAX_SPAN (1u << 17)

bool ledger_open(struct ledger *l, const char *path, uint64_t events, char *why, size_t why_bytes)
{
	memset(l, 0, sizeof *l);
	if (!ring_create(&l->ring, path, events, why, why_bytes))
		return false;
	/* Without it blocks are segments of their own. */
	holdings_init(&l->holdings);
	return true;
}

void ledger_close(struct ledger *l)
{
	ring_close(&l->ring);
	holdings_release(&l->holdings);
}

void ledger_abandon(struct ledger *l)
{
	if (l->ring.header) {
		munmap(l->ring.header, l->ring.mapped_bytes);
		munmap(l->ring.index, l->ring.index_bytes);
	}
	holdings_release(&l->holdings);
	memset(l, 0, sizeof *l);
}

/* ---- sums ---- */

static bool is_block(uint8_t kind)
{
	return kind == KIND_DEVICE || kind == KIND_PITCHED || kind == KIND_ASYNC;
}

static void count_bytes(struct ledger *l, int device, uint64_t bytes, bool more)
{
	if (device < 0 || device >= RING_DEVICES)
		return;
	l->ring.header->devices[device].counted_bytes += more ? bytes : 0 - bytes;
}

/* With physical memory: not blocks inside a mapping, which has it; handles count for what is mapped.
 * Managed memory is where it was used last. */
static bool is_physical(const struct ring_record *r)
{
	return r->kind == KIND_MAPPING || r->kind == KIND_ARRAY ||
	       (is_block(r->kind) && !ring_aux(r));
}

static void count_record(struct ledger *l, const struct ring_record *r, bool more)
{
	if (is_physical(r))
		count_bytes(l, r->device, r->size, more);
	if (r->kind >= KIND_DEVICE && r->kind <= KIND_MAPPED)
		l->live_bytes += more ? r->size : 0 - r->size;
}

/* ---- mappings ---- */

static void drop_mapping(struct ledger *l, struct holding *one, int64_t time_us,
			 struct ledger_gone *gone)
{
	const struct ring_record *alive = ring_find(&l->ring, one->key, ring_class(KIND_MAPPING));
	struct ring_record r = {.addr = one->key, .size = one->bytes, .kind = KIND_MAPPING};

	ring_set_aux(&r, one->pool);
	r.device = one->device;
	if (alive)
		r.stack = alive->stack;
	if (gone && gone->n < LEDGER_GONE_MAX)
		gone->r[gone->n++] = r;
	r.act = ACT_FREE;
	r.stack = 0;
	r.time_us = time_us;
	holdings_remove(&l->holdings, one);
	ring_append(&l->ring, &r);
	count_record(l, &r, false);
}

static struct holding *add_mapping(struct ledger *l, struct ring_record *r)
{
	const struct holding like = {.key = r->addr,
				     .bytes = r->size,
				     .pool = ring_aux(r),
				     .device = r->device,
				     .what = HOLDING_MAPPING};
	struct holding *one = holdings_add(&l->holdings, &like);

	if (!one)
		return NULL;
	r->act = ACT_ALLOC;
	ring_append(&l->ring, r);
	count_record(l, r, true);
	return one;
}

/* The mapping at `at`, made known when it is new; NULL when it cannot be. */
static struct holding *know_mapping(struct ledger *l, const struct ring_record *block, uint64_t at,
				    const struct driver_mapping *m)
{
	struct holding *one = holdings_find(&l->holdings, HOLDING_MAPPING, at);
	struct ring_record r = *block;

	if (one && one->bytes == m->bytes && one->pool == m->pool)
		return one;
	if (one && one->users > 0)
		return NULL;
	/* The driver gave it back unseen, and made another one there. */
	if (one)
		drop_mapping(l, one, block->time_us, NULL);
	r.addr = at;
	r.size = m->bytes;
	r.kind = KIND_MAPPING;
	r.stream = r.context = 0;
	ring_set_aux(&r, m->pool);
	return add_mapping(l, &r);
}

static uint64_t mappings_of(uint64_t base, uint64_t bytes, const struct ring_record *block)
{
	uint64_t inside = block->addr - base;

	if (bytes == 0 || block->addr < base || inside >= bytes || block->size > UINT64_MAX / 2)
		return 0;
	return (inside + (block->size ? block->size : 1) + bytes - 1) / bytes;
}

/* The block lies in these; false when it has to be a segment of its own. */
static bool enter_mappings(struct ledger *l, struct ring_record *block,
			   const struct driver_mapping *m)
{
	uint64_t n = mappings_of(m->base, m->bytes, block), i;

	if (n == 0 || n > MAX_SPAN)
		return false;
	for (i = 0; i < n; i++) {
		if (!know_mapping(l, block, m->base + i * m->bytes, m))
			break;
	}
	bool all = i == n;
	for (n = i, i = 0; i < n; i++) {
		struct holding *one =
			holdings_find(&l->holdings, HOLDING_MAPPING, m->base + i * m->bytes);

		if (all)
			holdings_use(&l->holdings, one);
		else if (holdings_unkept(&l->holdings, one))
			drop_mapping(l, one, block->time_us, NULL);
	}
	if (all)
		ring_set_aux(block, m->base);
	return all;
}

static void leave_mappings(struct ledger *l, const struct ring_record *block, int64_t time_us,
			   struct ledger_gone *gone)
{
	uint64_t base = ring_aux(block);
	struct holding *one = holdings_find(&l->holdings, HOLDING_MAPPING, base);
	uint64_t bytes = one ? one->bytes : 0, n = mappings_of(base, bytes, block);

	if (gone)
		gone->pool = one ? one->pool : 0;
	for (uint64_t i = 0; i < n; i++) {
		one = holdings_find(&l->holdings, HOLDING_MAPPING, base + i * bytes);
		if (!one)
			continue;
		holdings_leave(&l->holdings, one);
		if (holdings_unkept(&l->holdings, one))
			drop_mapping(l, one, time_us, gone);
	}
}

/* ---- physical memory behind handles, graphs of nodes ---- */

static void use(struct ledger *l, enum holding_what what, uint64_t key)
{
	struct holding *one = holdings_find(&l->holdings, what, key);

	if (one)
		holdings_use(&l->holdings, one);
}

static void leave(struct ledger *l, enum holding_what what, uint64_t key)
{
	struct holding *one = holdings_find(&l->holdings, what, key);

	if (!one)
		return;
	holdings_leave(&l->holdings, one);
	if (!holdings_unkept(&l->holdings, one))
		return;
	count_bytes(l, one->device, one->bytes, false);
	holdings_remove(&l->holdings, one);
}

/* Known already: a handle that is mapped, or whose release failed; a graph with another node. */
static void make(struct ledger *l, enum holding_what what, uint64_t key, uint64_t bytes, int device)
{
	const struct holding like = {
		.key = key, .bytes = bytes, .device = (int8_t)device, .what = (uint8_t)what};

	if (!holdings_find(&l->holdings, what, key) && holdings_add(&l->holdings, &like))
		count_bytes(l, device, bytes, true);
	use(l, what, key);
}

static void keep(struct ledger *l, const struct ring_record *r)
{
	if (r->kind == KIND_HANDLE)
		make(l, HOLDING_HANDLE, r->addr, r->size, r->device);
	else if (r->kind == KIND_MAPPED)
		use(l, HOLDING_HANDLE, ring_aux(r));
	else if (r->kind == KIND_GRAPH)
		make(l, HOLDING_GRAPH, ring_aux(r), 0, -1);
}

static void let_go(struct ledger *l, const struct ring_record *r)
{
	if (r->kind == KIND_HANDLE)
		leave(l, HOLDING_HANDLE, r->addr);
	else if (r->kind == KIND_MAPPED)
		leave(l, HOLDING_HANDLE, ring_aux(r));
	else if (r->kind == KIND_GRAPH)
		leave(l, HOLDING_GRAPH, ring_aux(r));
}

/* ---- events ---- */

static void begin(struct ledger *l, struct ring_record *r)
{
	r->act = ACT_ALLOC;
	ring_append(&l->ring, r);
	count_record(l, r, true);
	keep(l, r);
}

void ledger_alloc(struct ledger *l, struct ring_record *r, const struct driver_mapping *m)
{
	const struct ring_record *old = ring_find(&l->ring, r->addr, ring_class(r->kind));

	if (old) {
		/* Its free was not seen. */
		struct ring_record copy = *old;

		if (copy.kind == KIND_HANDLE)
			ring_set_aux(&copy, 0);
		ledger_free(l, &copy, 0, r->time_us, NULL);
	}
	if (is_block(r->kind)) {
		ring_set_aux(r, 0);
		if (m)
			enter_mappings(l, r, m);
	}
	begin(l, r);
}

void ledger_free(struct ledger *l, const struct ring_record *alive, uint32_t stack, int64_t time_us,
		 struct ledger_gone *gone)
{
	struct ring_record r = *alive;

	if (gone && gone->n < LEDGER_GONE_MAX)
		gone->r[gone->n++] = r;
	if (gone)
		gone->pool = 0;
	r.time_us = time_us;
	if (r.kind == KIND_HANDLE && ring_aux(&r) > 0) {
		/* One owner less. */
		ring_set_aux(&r, ring_aux(&r) - 1);
		ring_append(&l->ring, &r);
		return;
	}
	r.act = ACT_FREE;
	r.stack = stack;
	ring_append(&l->ring, &r);
	count_record(l, &r, false);
	let_go(l, &r);
	if (is_block(r.kind) && ring_aux(&r))
		leave_mappings(l, &r, time_us, gone);
}

/* Backwards: mappings come before the block that lies in them. */
void ledger_unfree(struct ledger *l, const struct ledger_gone *gone, int64_t time_us)
{
	for (unsigned i = gone->n; i-- > 0;) {
		struct ring_record r = gone->r[i];
		bool lives = ring_find(&l->ring, r.addr, ring_class(r.kind)) != NULL;

		r.time_us = time_us;
		if (r.kind == KIND_MAPPING) {
			if (!holdings_find(&l->holdings, HOLDING_MAPPING, r.addr))
				add_mapping(l, &r);
		} else if (r.kind == KIND_HANDLE && lives) {
			ring_append(&l->ring, &r);
		} else if (is_block(r.kind) && ring_aux(&r)) {
			const struct holding *one =
				holdings_find(&l->holdings, HOLDING_MAPPING, ring_aux(&r));
			const struct driver_mapping m = {.base = ring_aux(&r),
							 .bytes = one ? one->bytes : 0,
							 .pool = one ? one->pool : 0};

			ledger_alloc(l, &r, &m);
		} else {
			begin(l, &r);
		}
	}
}

void ledger_retain(struct ledger *l, uint64_t handle, int64_t time_us)
{
	const struct ring_record *alive = ring_find(&l->ring, handle, ring_class(KIND_HANDLE));
	struct ring_record r;

	if (!alive || alive->kind != KIND_HANDLE)
		return;
	r = *alive;
	r.time_us = time_us;
	ring_set_aux(&r, ring_aux(&r) + 1);
	ring_append(&l->ring, &r);
}

void ledger_oom(struct ledger *l, struct ring_record *r)
{
	ring_append(&l->ring, r);
}

void ledger_pool(struct ledger *l, uint64_t handle, uint64_t reserved_bytes, int64_t time_us)
{
	struct holdings_pool *pool = holdings_pool(&l->holdings, handle);
	struct holding *one;

	while (pool && pool->bytes > reserved_bytes &&
	       (one = holdings_empty(&l->holdings, pool)) != NULL)
		drop_mapping(l, one, time_us, NULL);
}

void ledger_pool_destroyed(struct ledger *l, uint64_t handle, int64_t time_us)
{
	struct holdings_pool *pool = holdings_pool(&l->holdings, handle);

	if (!pool)
		return;
	ledger_pool(l, handle, 0, time_us);
	if (pool->bytes > 0)
		pool->destroyed = true;
	else
		memset(pool, 0, sizeof *pool);
}
