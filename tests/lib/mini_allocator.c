/* SPDX-License-Identifier: MIT
 * mini_allocator.c -- a plain caching allocator that writes the trace a snapshot would hold.
 */
#include "tests/lib/mini_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BASE  (UINT64_C(1) << 40) /* cudaMalloc's addresses */
#define RANGE_BASE (UINT64_C(1) << 44) /* expandable ranges, one a stream and pool */
#define RANGE_SIZE (UINT64_C(1) << 36)
#define N_PAGES    48 /* at most mapped in a range */

static void *grown(void *p, size_t bytes)
{
	p = realloc(p, bytes);
	if (p)
		return p;
	puts("Bail out! out of memory");
	exit(1);
}

uint64_t mini_random(struct mini *a, uint64_t below)
{
	a->random ^= a->random << 13;
	a->random ^= a->random >> 7;
	a->random ^= a->random << 17;
	return (a->random >> 8) % below;
}

void mini_init(struct mini *a, struct mini_options o)
{
	*a = (struct mini){.o = o, .random = o.seed * 0x9e3779b97f4a7c15u + 1};
	for (int i = 0; i < 8; i++)
		mini_random(a, 2);
}

void mini_release(struct mini *a)
{
	for (size_t i = 0; a->states && i <= a->n_events; i++)
		free(a->states[i].blocks);
	free(a->states);
	free(a->events);
	free(a->blocks);
}

/* --- what is written down --- */

static void keep_state(struct mini *a, size_t at)
{
	struct mini_state *s = &a->states[at];

	*s = (struct mini_state){0};
	if (a->o.light)
		return;
	s->n = a->n;
	s->blocks = grown(NULL, (a->n + 1) * sizeof *s->blocks);
	if (a->n)
		memcpy(s->blocks, a->blocks, a->n * sizeof *s->blocks);
}

static void record(struct mini *a, enum action action, uint64_t addr, uint64_t size,
		   uint64_t stream)
{
	if (!a->recording)
		return;
	if (a->n_events + 2 > a->cap_events) {
		a->cap_events = a->cap_events * 2 + 64;
		a->events = grown(a->events, a->cap_events * sizeof *a->events);
		a->states = grown(a->states, a->cap_events * sizeof *a->states);
	}
	a->events[a->n_events++] = (struct mini_event){action, addr, size, stream};
	keep_state(a, a->n_events);
}

void mini_record(struct mini *a)
{
	a->cap_events = 64;
	a->events = grown(NULL, a->cap_events * sizeof *a->events);
	a->states = grown(NULL, a->cap_events * sizeof *a->states);
	for (size_t i = 0; i < a->n; i++)
		a->blocks[i].born = EVENT_START;
	a->recording = true;
	keep_state(a, 0);
}

/* --- blocks --- */

static size_t add_block(struct mini *a, struct mini_block b)
{
	size_t i = 0;

	if (a->n == a->cap) {
		a->cap = a->cap * 2 + 16;
		a->blocks = grown(a->blocks, a->cap * sizeof *a->blocks);
	}
	while (i < a->n && a->blocks[i].address < b.address)
		i++;
	memmove(&a->blocks[i + 1], &a->blocks[i], (a->n - i) * sizeof b);
	a->blocks[i] = b;
	a->n++;
	return i;
}

static void drop_block(struct mini *a, size_t i)
{
	a->n--;
	memmove(&a->blocks[i], &a->blocks[i + 1], (a->n - i) * sizeof a->blocks[0]);
}

static bool merges(const struct mini *a, size_t i)
{
	const struct mini_block *x = &a->blocks[i], *y = x + 1;

	return i + 1 < a->n && x->state == BLOCK_INACTIVE && y->state == BLOCK_INACTIVE &&
	       x->segment == y->segment && x->address + x->size == y->address;
}

/* Merge inactive block i with its inactive neighbours; returns where it is now. */
static size_t merge(struct mini *a, size_t i)
{
	if (merges(a, i)) {
		a->blocks[i].size += a->blocks[i + 1].size;
		drop_block(a, i + 1);
	}
	if (i > 0 && merges(a, i - 1)) {
		a->blocks[i - 1].size += a->blocks[i].size;
		drop_block(a, i);
		i--;
	}
	return i;
}

static void cut_block(struct mini *a, size_t i, uint64_t size)
{
	struct mini_block rest = a->blocks[i];

	rest.address += size;
	rest.size -= size;
	a->blocks[i].size = size;
	add_block(a, rest);
}

/* --- rules --- */

static uint64_t rounded(const struct mini *a, uint64_t n)
{
	uint64_t d = a->o.divisions, power = 512, step;

	n += a->o.extra;
	if (n <= 512)
		return 512;
	if (d < 2 || n <= 512 * d)
		return (n + 511) / 512 * 512;
	while (power * 2 <= n)
		power *= 2;
	step = power / d;
	while (power < n)
		power += step;
	return power;
}

static uint64_t max_split(const struct mini *a)
{
	return a->o.max_split_bytes ? a->o.max_split_bytes : UINT64_MAX;
}

static bool splits(const struct mini *a, uint64_t block, uint64_t r)
{
	if (r <= MIB || a->o.expandable)
		return block - r >= 512;
	return r < max_split(a) && block - r > MIB;
}

/* Bytes that an inactive block of a range can become without moving: its own, and the pages behind
 * it that are not mapped. */
static uint64_t reach(const struct mini *a, size_t i)
{
	const struct mini_block *b = &a->blocks[i];
	uint64_t unit = (b->is_small ? 2 : 20) * MIB;
	uint64_t end = b->address + b->size;
	uint64_t range_end =
		(RANGE_BASE + (b->stream * 2 + b->is_small) * RANGE_SIZE) / unit * unit +
		RANGE_SIZE / 2;

	if (i + 1 < a->n && a->blocks[i + 1].address == end)
		return b->size;
	if (i + 1 < a->n && a->blocks[i + 1].address < range_end)
		range_end = a->blocks[i + 1].address;
	return range_end - b->address;
}

/* The inactive block behind `i` by size and address, of the same list; a->n: none. */
static size_t next_larger(const struct mini *a, size_t i)
{
	const struct mini_block *x = &a->blocks[i];
	size_t next = a->n;

	for (size_t k = 0; k < a->n; k++) {
		const struct mini_block *b = &a->blocks[k];

		if (b->state != BLOCK_INACTIVE || b->stream != x->stream ||
		    b->is_small != x->is_small || b->size < x->size ||
		    (b->size == x->size && k <= i))
			continue;
		if (next == a->n || b->size < a->blocks[next].size)
			next = k;
	}
	return next;
}

/* The growing end of a range is kept free when another block does. */
static size_t spare_the_end(const struct mini *a, size_t i)
{
	for (size_t next = next_larger(a, i); next < a->n && reach(a, next) < reach(a, i);
	     next = next_larger(a, i))
		i = next;
	return i;
}

/* Best fit; a->n when there is none. */
static size_t best_fit(const struct mini *a, uint64_t r, uint64_t stream)
{
	size_t best = a->n;

	for (size_t i = 0; i < a->n; i++) {
		const struct mini_block *b = &a->blocks[i];

		if (b->state == BLOCK_INACTIVE && b->stream == stream &&
		    b->is_small == (r <= MIB) && b->size >= r &&
		    (best == a->n || b->size < a->blocks[best].size))
			best = i;
	}
	if (best == a->n)
		return best;
	if (a->o.expandable)
		best = spare_the_end(a, best);
	if (r < max_split(a) && a->blocks[best].size >= max_split(a))
		return a->n;
	if (r >= max_split(a) && a->blocks[best].size >= r + 20 * MIB)
		return a->n;
	return best;
}

/* --- memory from the driver --- */

static size_t new_segment(struct mini *a, uint64_t r, uint64_t stream)
{
	uint64_t size = r <= MIB       ? 2 * MIB
			: r < 10 * MIB ? 20 * MIB
				       : (r + 2 * MIB - 1) & -(2 * MIB);
	uint64_t address = HEAP_BASE;
	size_t i;

	/* The lowest hole. */
	for (i = 0; i < a->n && a->blocks[i].address < address + size; i++)
		address = a->blocks[i].address + a->blocks[i].size;
	address = (address + 2 * MIB - 1) & -(2 * MIB);
	for (i = 0; i < a->n; i++)
		if (a->blocks[i].address < address + size &&
		    a->blocks[i].address + a->blocks[i].size > address) {
			address = (a->blocks[i].address + a->blocks[i].size + 2 * MIB - 1) &
				  -(2 * MIB);
			i = (size_t)-1;
		}
	i = add_block(a, (struct mini_block){.address = address,
					     .size = size,
					     .stream = stream,
					     .segment = a->n_segments++,
					     .is_small = r <= MIB});
	record(a, ACTION_SEGMENT_ALLOC, address, size, stream);
	return i;
}

/* The block that holds `address`, or a->n. */
static size_t block_at(const struct mini *a, uint64_t address)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->blocks[i].address <= address &&
		    address - a->blocks[i].address < a->blocks[i].size)
			return i;
	return a->n;
}

/* Could [start, start + r) become one inactive block by mapping pages? */
static bool could_hold(const struct mini *a, uint64_t start, uint64_t r, uint64_t unit)
{
	for (uint64_t at = start; at < start + r;) {
		size_t i = block_at(a, at);

		if (i == a->n)
			at = (at / unit + 1) * unit;
		else if (a->blocks[i].state == BLOCK_INACTIVE)
			at = a->blocks[i].address + a->blocks[i].size;
		else
			return false;
	}
	return true;
}

static void map_pages(struct mini *a, struct mini_block like, uint64_t start, uint64_t r,
		      uint64_t unit)
{
	for (uint64_t page = start / unit * unit; page < start + r; page += unit) {
		struct mini_block b = like;

		if (block_at(a, page) != a->n)
			continue;
		b.address = page;
		/* Neighbouring missing pages come in one event. */
		for (b.size = 0; block_at(a, page + b.size) == a->n && page + b.size < start + r;)
			b.size += unit;
		merge(a, add_block(a, b));
		record(a, ACTION_SEGMENT_MAP, b.address, b.size, b.stream);
	}
}

/* The unit divides RANGE_BASE for pages of 2 MiB and, by the choice below, of 20 MiB. */
static size_t grow_range(struct mini *a, uint64_t r, uint64_t stream)
{
	bool is_small = r <= MIB;
	uint64_t unit = is_small ? 2 * MIB : 20 * MIB;
	uint32_t range = 1000000 + (uint32_t)stream * 2 + is_small;
	uint64_t base = (RANGE_BASE + (stream * 2 + is_small) * RANGE_SIZE) / unit * unit;
	struct mini_block like = {.stream = stream, .segment = range, .is_small = is_small};

	for (uint64_t page = base; page < base + N_PAGES * unit; page += unit) {
		uint64_t start = page;
		size_t before = block_at(a, page - 1);

		if (block_at(a, page) != a->n)
			continue;
		if (before < a->n && a->blocks[before].segment == range &&
		    a->blocks[before].state == BLOCK_INACTIVE)
			start = a->blocks[before].address;
		if (!could_hold(a, start, r, unit))
			continue;
		map_pages(a, like, start, r, unit);
		return block_at(a, start);
	}
	return a->n;
}

/* --- operations --- */

static void mini_malloc(struct mini *a, uint64_t size, uint64_t stream)
{
	uint64_t r = rounded(a, size);
	size_t i = best_fit(a, r, stream);
	struct mini_block *b;

	if (i == a->n)
		i = a->o.expandable ? grow_range(a, r, stream) : new_segment(a, r, stream);
	if (i == a->n)
		return;
	if (splits(a, a->blocks[i].size, r))
		cut_block(a, i, r);
	b = &a->blocks[i];
	b->state = BLOCK_ACTIVE;
	b->requested = size;
	b->born = a->recording ? (int64_t)a->n_events : EVENT_START;
	record(a, ACTION_ALLOC, b->address, size, stream);
}

static void complete(struct mini *a, size_t i)
{
	struct mini_block was = a->blocks[i];

	a->blocks[i].state = BLOCK_INACTIVE;
	merge(a, i);
	record(a, ACTION_FREE_COMPLETED, was.address, was.requested, was.stream);
}

static void mini_free(struct mini *a, size_t i, bool waits)
{
	a->blocks[i].state = BLOCK_PENDING;
	record(a, ACTION_FREE_REQUESTED, a->blocks[i].address, a->blocks[i].requested,
	       a->blocks[i].stream);
	if (!waits)
		complete(a, i);
}

static size_t count_state(const struct mini *a, enum block_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->blocks[i].state == state;
	return n;
}

/* The k-th block in a state. */
static size_t nth_in_state(const struct mini *a, enum block_state state, size_t k)
{
	size_t i = 0;

	for (;; i++)
		if (a->blocks[i].state == state && k-- == 0)
			return i;
}

/* Give back the whole pages inside inactive block i. */
static void unmap_pages(struct mini *a, size_t i)
{
	struct mini_block b = a->blocks[i];
	uint64_t unit = b.is_small ? 2 * MIB : 20 * MIB;
	uint64_t start = (b.address + unit - 1) / unit * unit;
	uint64_t end = (b.address + b.size) / unit * unit;

	if (start >= end)
		return;
	drop_block(a, i);
	if (start > b.address) {
		struct mini_block low = b;

		low.size = start - b.address;
		add_block(a, low);
	}
	if (end < b.address + b.size) {
		struct mini_block high = b;

		high.address = end;
		high.size = b.address + b.size - end;
		add_block(a, high);
	}
	record(a, ACTION_SEGMENT_UNMAP, start, end - start, b.stream);
}

static bool is_whole_segment(const struct mini *a, size_t i)
{
	return (i == 0 || a->blocks[i - 1].segment != a->blocks[i].segment) &&
	       (i + 1 == a->n || a->blocks[i + 1].segment != a->blocks[i].segment);
}

static void empty_cache(struct mini *a)
{
	while (count_state(a, BLOCK_PENDING))
		complete(a, nth_in_state(a, BLOCK_PENDING, 0));
	for (size_t i = a->n; i-- > 0;) {
		struct mini_block b = a->blocks[i];

		if (b.state != BLOCK_INACTIVE)
			continue;
		if (a->o.expandable) {
			unmap_pages(a, i);
		} else if (is_whole_segment(a, i)) {
			drop_block(a, i);
			record(a, ACTION_SEGMENT_FREE, b.address, b.size, b.stream);
		}
	}
}

static uint64_t random_size(struct mini *a)
{
	switch (mini_random(a, a->o.only_small ? 2 : 5)) {
	case 0:
		return 1 + mini_random(a, 2000);
	case 1:
		return 1 + mini_random(a, MIB);
	case 2:
		return 1 + mini_random(a, 12 * MIB);
	case 3:
		return (1 + mini_random(a, 30)) * 512 * KIB;
	default:
		return 1 + mini_random(a, 90 * MIB);
	}
}

void mini_run(struct mini *a, size_t n)
{
	while (n-- > 0) {
		uint64_t what = mini_random(a, 100);
		size_t active = count_state(a, BLOCK_ACTIVE);
		size_t pending = count_state(a, BLOCK_PENDING);

		if (what < 45 || !active)
			mini_malloc(a, random_size(a), mini_random(a, a->o.n_streams));
		else if (what < 88 || active > 40)
			mini_free(a, nth_in_state(a, BLOCK_ACTIVE, mini_random(a, active)),
				  mini_random(a, 5) == 0);
		else if (what < 98 && pending)
			complete(a, nth_in_state(a, BLOCK_PENDING, mini_random(a, pending)));
		else if (what >= 98)
			empty_cache(a);
	}
}

/* --- as a model --- */

static void add_segments(const struct mini *a, struct mk_model *k)
{
	for (size_t i = 0; i < a->n;) {
		const struct mini_block *b = &a->blocks[i];
		uint64_t end = b->address, size = 0;
		struct segment *s;
		size_t j;

		for (j = i;
		     j < a->n && a->blocks[j].segment == b->segment && a->blocks[j].address == end;
		     j++)
			end += a->blocks[j].size;
		size = end - b->address;
		s = mk_model_segment(k, b->address, size, b->is_small ? POOL_SMALL : POOL_LARGE);
		s->stream = b->stream;
		s->is_expandable = a->o.expandable;
		for (; i < j; i++)
			mk_model_block(k, a->blocks[i].state, a->blocks[i].size,
				       a->blocks[i].requested);
	}
}

void mini_model(const struct mini *a, struct mk_model *k)
{
	struct alloc_settings *s;

	mk_model_init(k);
	mk_model_device(k, 0);
	s = &k->m->settings;
	s->known = true;
	s->expandable_segments = a->o.expandable;
	s->max_split_bytes = max_split(a);
	for (int i = 0; i < 16; i++)
		s->roundup_divisions[i] = (uint16_t)a->o.divisions;
	for (size_t i = 0; i < a->n_events; i++)
		mk_model_event_of(k, a->events[i].action, a->events[i].addr, a->events[i].size,
				  (struct attr){.stream = a->events[i].stream, .has_stream = true},
				  STACK_ABSENT);
	add_segments(a, k);
	mk_model_done(k);
	/* Small traces may end without a block that would tell. */
	s->rounding_extra = a->o.extra;
}
