/* SPDX-License-Identifier: MIT
 * make_snapshot.c -- write a snapshot of any size in which nothing repeats.
 *
 *     make_snapshot EVENTS [LIVE] > snapshot.pickle
 *
 * Real long recordings are periodic: the same sizes, sites and lifetimes step after step, which is
 * kind to columns, to compression and to pictures. Here every step has sizes and a length of its
 * own, frees come in random order across all segments and three streams, some wait for a stream,
 * and idle segments go back to the driver now and then. LIVE is how many blocks live at the top of
 * a step, 1,500 by default. Rules of rounding, splitting and segment sizes are PyTorch's, so the
 * trace replays exactly and ends in the state that the file holds. The same arguments give the same
 * bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/snapshot_writer.h"

#define MIB       UINT64_C(1048576)
#define HEAP_BASE (UINT64_C(1) << 46)
#define TOTAL     (UINT64_C(512) * 1024 * MIB) /* divided by LIVE: the largest request */
#define START_US  INT64_C(1790000000000000)

enum {
	N_STREAMS = 3,
	N_BINS = 64 * 8, /* of free blocks: eight for each power of two */
	N_FRAMES = 900,
	N_STACKS = 700,
	MOST_DEPTH = 40,
	LOOK = 16, /* blocks of the first bin that are tried */
};

struct block {
	struct block *before, *after; /* in its segment */
	struct block *prev, *next;    /* in its bin, when idle */
	struct segment *segment;
	uint64_t address, size, requested;
	uint32_t stack, place; /* in `live` */
	bool idle, waits;
};

struct segment {
	struct segment *prev, *next;
	struct block *first;
	uint64_t address, size;
	unsigned stream;
	bool small;
};

struct waiting {
	struct block *block;
	uint64_t until; /* event */
};

static struct generator {
	struct sw w;
	uint64_t random;
	uint64_t events, wanted;
	int64_t now_us;
	uint64_t largest; /* request */
	double factor;    /* of sizes, this step */
	struct segment *segments;
	struct block *bins[N_STREAMS][2][N_BINS];
	uint64_t heap_end;
	uint64_t spare[2][4096]; /* addresses of segments given back: of 2 and of 20 MiB */
	size_t n_spare[2];
	struct block **live;
	size_t n_live, cap_live;
	struct waiting *waits; /* a ring, soonest first */
	size_t first_wait, n_waits, cap_waits;
	struct {
		uint64_t size;
		unsigned depth, stream;
		uint16_t frames[MOST_DEPTH];
		uint32_t slot;
	} stacks[N_STACKS];
	uint32_t frame_slots[N_FRAMES], file_slots[8], word_slots[16];
} g;

static void fail(const char *why)
{
	fprintf(stderr, "make_snapshot: %s\n", why);
	exit(1);
}

static void *grown(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size);
	if (!p)
		fail("out of memory");
	return p;
}

static uint64_t draw(uint64_t below)
{
	g.random ^= g.random << 13;
	g.random ^= g.random >> 7;
	g.random ^= g.random << 17;
	return (g.random >> 11) % below;
}

/* 0 to 1 */
static double part(void)
{
	return (double)draw(UINT64_C(1) << 40) / (double)(UINT64_C(1) << 40);
}

/* --- what is written --------------------------------------------------------------------------- */

static int put_bytes(void *ctx, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, ctx) == n ? 0 : -1;
}

static void put_word(const char *word, uint32_t *slot)
{
	if (sw_shared(&g.w, slot))
		return;
	sw_text(&g.w, word, strlen(word));
	sw_share(&g.w, slot);
}

static void put_frame(unsigned frame)
{
	static const char *const files[] = {
		"/work/train.py",
		"/work/model/attention.py",
		"/work/model/blocks.py",
		"/opt/python/site-packages/torch/nn/modules/module.py",
		"/opt/python/site-packages/torch/nn/modules/linear.py",
		"/opt/python/site-packages/torch/nn/functional.py",
		"/opt/python/site-packages/torch/autograd/graph.py",
		"/opt/python/site-packages/torch/optim/adamw.py",
	};
	char name[40];
	int n = snprintf(name, sizeof name, "part_%u", frame);

	if (sw_shared(&g.w, &g.frame_slots[frame]))
		return;
	sw_dict(&g.w);
	sw_key(&g.w, SW_NAME);
	sw_text(&g.w, name, (size_t)n);
	sw_key(&g.w, SW_FILENAME);
	put_word(files[frame % 8], &g.file_slots[frame % 8]);
	sw_key(&g.w, SW_LINE);
	sw_u64(&g.w, 10 + frame);
	sw_end(&g.w);
	sw_share(&g.w, &g.frame_slots[frame]);
}

static void put_stack(uint32_t stack)
{
	sw_key(&g.w, SW_FRAMES);
	if (sw_shared(&g.w, &g.stacks[stack].slot))
		return;
	sw_list(&g.w);
	for (unsigned i = g.stacks[stack].depth; i-- > 0;)
		put_frame(g.stacks[stack].frames[i]);
	sw_end(&g.w);
	sw_share(&g.w, &g.stacks[stack].slot);
}

static void put_number(enum sw_key key, uint64_t v)
{
	sw_key(&g.w, key);
	sw_u64(&g.w, v);
}

enum { ALLOC, FREE_REQUESTED, FREE_COMPLETED, SEGMENT_ALLOC, SEGMENT_FREE };

static void put_event(int action, uint64_t address, uint64_t size, unsigned stream, uint32_t stack)
{
	static const char *const names[] = {"alloc", "free_requested", "free_completed",
					    "segment_alloc", "segment_free"};

	sw_dict(&g.w);
	sw_key(&g.w, SW_ACTION);
	put_word(names[action], &g.word_slots[action]);
	put_number(SW_ADDR, address);
	put_number(SW_SIZE, size);
	put_number(SW_STREAM, stream);
	g.now_us += (int64_t)draw(60);
	sw_key(&g.w, SW_TIME_US);
	sw_i64(&g.w, g.now_us);
	put_stack(stack);
	sw_end(&g.w);
	g.events++;
}

/* --- the allocator ----------------------------------------------------------------------------- */

static size_t bin_of(uint64_t size)
{
	uint64_t units = size / 512;
	unsigned power = 0;

	while (units >> power >= 16)
		power++;
	return power * 8 + (size_t)(units >> power);
}

static struct block **bin(const struct block *b)
{
	return &g.bins[b->segment->stream][b->segment->small][bin_of(b->size)];
}

static void bin_add(struct block *b)
{
	struct block **head = bin(b);

	b->idle = true;
	b->prev = NULL;
	b->next = *head;
	if (*head)
		(*head)->prev = b;
	*head = b;
}

static void bin_take(struct block *b)
{
	if (b->next)
		b->next->prev = b->prev;
	if (b->prev)
		b->prev->next = b->next;
	else
		*bin(b) = b->next;
	b->idle = false;
}

/* An idle block of at least `size`, taken out; or NULL. */
static struct block *find(uint64_t size, unsigned stream, bool small)
{
	size_t first = bin_of(size);

	for (size_t i = first; i < N_BINS; i++) {
		unsigned looks = 0;

		for (struct block *b = g.bins[stream][small][i]; b && looks < LOOK; b = b->next) {
			if (b->size >= size) {
				bin_take(b);
				return b;
			}
			looks++;
		}
	}
	return NULL;
}

static struct block *segment_new(uint64_t size, unsigned stream, uint32_t stack)
{
	bool small = size <= MIB;
	uint64_t bytes = small             ? 2 * MIB
			 : size < 10 * MIB ? 20 * MIB
					   : (size + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
	int kind = bytes == 2 * MIB ? 0 : bytes == 20 * MIB ? 1 : -1;
	struct segment *s = grown(NULL, 1, sizeof *s);
	struct block *b = grown(NULL, 1, sizeof *b);

	*s = (struct segment){.next = g.segments, .first = b, .size = bytes, .stream = stream};
	s->small = small;
	if (kind >= 0 && g.n_spare[kind]) {
		s->address = g.spare[kind][--g.n_spare[kind]];
	} else {
		s->address = g.heap_end;
		g.heap_end += bytes;
	}
	if (s->next)
		s->next->prev = s;
	g.segments = s;
	*b = (struct block){.segment = s, .address = s->address, .size = bytes};
	put_event(SEGMENT_ALLOC, s->address, bytes, stream, stack);
	return b;
}

static void segment_free(struct segment *s, uint32_t stack)
{
	int kind = s->size == 2 * MIB ? 0 : s->size == 20 * MIB ? 1 : -1;

	put_event(SEGMENT_FREE, s->address, s->size, s->stream, stack);
	if (kind >= 0 && g.n_spare[kind] < 4096)
		g.spare[kind][g.n_spare[kind]++] = s->address;
	bin_take(s->first);
	if (s->next)
		s->next->prev = s->prev;
	if (s->prev)
		s->prev->next = s->next;
	else
		g.segments = s->next;
	free(s->first);
	free(s);
}

static void empty_cache(void)
{
	for (struct segment *s = g.segments, *next; s && g.events < g.wanted; s = next) {
		next = s->next;
		if (s->first->idle && !s->first->after)
			segment_free(s, 0);
	}
}

static void split(struct block *b, uint64_t size)
{
	struct block *rest = grown(NULL, 1, sizeof *rest);

	*rest = (struct block){.before = b,
			       .after = b->after,
			       .segment = b->segment,
			       .address = b->address + size,
			       .size = b->size - size};
	if (rest->after)
		rest->after->before = rest;
	b->after = rest;
	b->size = size;
	bin_add(rest);
}

/* `b` takes in the idle block behind it. */
static void join(struct block *b)
{
	struct block *gone = b->after;

	bin_take(gone);
	b->size += gone->size;
	b->after = gone->after;
	if (b->after)
		b->after->before = b;
	free(gone);
}

static void block_new(uint32_t stack)
{
	double size = (double)g.stacks[stack].size * g.factor * (0.8 + 0.4 * part());
	uint64_t requested = size < 4 ? 4 : (uint64_t)size / 4 * 4;
	uint64_t bytes = (requested + 511) / 512 * 512;
	bool small = bytes <= MIB;
	unsigned stream = g.stacks[stack].stream;
	struct block *b = find(bytes, stream, small);

	if (!b)
		b = segment_new(bytes, stream, stack);
	if (small ? b->size - bytes >= 512 : b->size - bytes > MIB)
		split(b, bytes);
	b->requested = requested;
	b->stack = stack;
	b->place = (uint32_t)g.n_live;
	if (g.n_live == g.cap_live) {
		g.cap_live = g.cap_live * 2 + 1024;
		g.live = grown(g.live, g.cap_live, sizeof *g.live);
	}
	g.live[g.n_live++] = b;
	put_event(ALLOC, b->address, requested, stream, stack);
}

static void block_complete(struct block *b)
{
	put_event(FREE_COMPLETED, b->address, b->requested, b->segment->stream, b->stack);
	b->waits = false;
	if (b->after && b->after->idle)
		join(b);
	if (b->before && b->before->idle) {
		b = b->before;
		bin_take(b);
		/* What `join` takes out must be in a bin. */
		bin_add(b->after);
		join(b);
	}
	bin_add(b);
}

/* One in twenty waits for a stream. */
static void block_free(struct block *b)
{
	g.live[b->place] = g.live[--g.n_live];
	g.live[b->place]->place = b->place;
	put_event(FREE_REQUESTED, b->address, b->requested, b->segment->stream, b->stack);
	if (draw(20) || g.n_waits == g.cap_waits) {
		block_complete(b);
		return;
	}
	b->waits = true;
	g.waits[(g.first_wait + g.n_waits++) % g.cap_waits] =
		(struct waiting){b, g.events + 20 + draw(400)};
}

static void complete_waiting(void)
{
	while (g.n_waits && g.waits[g.first_wait].until <= g.events) {
		struct block *b = g.waits[g.first_wait].block;

		g.first_wait = (g.first_wait + 1) % g.cap_waits;
		g.n_waits--;
		block_complete(b);
	}
}

/* --- the program that is recorded -------------------------------------------------------------- */

/* Stacks share what lies outside, as those of one program do. */
static void make_stacks(void)
{
	for (unsigned i = 0; i < N_STACKS; i++) {
		unsigned shared = i ? (unsigned)draw(g.stacks[i / 2].depth) : 0;
		double powers = 1;

		g.stacks[i].depth = 8 + (unsigned)draw(MOST_DEPTH - 8);
		g.stacks[i].stream = draw(10) ? 0 : 1 + (unsigned)draw(N_STREAMS - 1);
		for (unsigned k = 0; k < g.stacks[i].depth; k++)
			g.stacks[i].frames[k] =
				k < shared ? g.stacks[i / 2].frames[k] : (uint16_t)draw(N_FRAMES);
		/* As many small ones as large ones, counted in powers of two. */
		for (uint64_t power = g.largest; power > 512; power /= 2)
			powers++;
		g.stacks[i].size = 256u << draw((uint64_t)powers);
	}
}

/* The youngest, or any. */
static void free_one(void)
{
	size_t young = g.n_live < 24 ? g.n_live : 24;

	block_free(g.live[draw(3) ? g.n_live - 1 - draw(young) : draw(g.n_live)]);
}

/* Up to `live` blocks and down again, not quite. */
static void step(size_t live)
{
	uint64_t length = (live < 2000 ? 2000 : live) * (2 + draw(5));
	size_t low = live / 3 + draw(live / 4 + 1);

	g.factor = 0.5 + part();
	for (uint64_t i = 0; i < length && g.events < g.wanted; i++) {
		double hill = 1.0 - 2.0 * (i * 2 < length ? 0.5 - (double)i / (double)length
							  : (double)i / (double)length - 0.5);
		size_t aim = low + (size_t)((double)(live - low) * hill);

		complete_waiting();
		if (!g.n_live || draw(100) < (g.n_live < aim ? 80u : 20u))
			block_new((uint32_t)draw(N_STACKS));
		else
			free_one();
	}
	if (!draw(3))
		empty_cache();
}

/* --- the state at the end ---------------------------------------------------------------------- */

static void put_block(const struct block *b)
{
	static const char *const states[] = {"active_allocated", "active_pending_free", "inactive"};
	int state = b->idle ? 2 : b->waits;

	sw_dict(&g.w);
	put_number(SW_ADDRESS, b->address);
	put_number(SW_SIZE, b->size);
	put_number(SW_REQUESTED_SIZE, b->idle ? 0 : b->requested);
	sw_key(&g.w, SW_STATE);
	put_word(states[state], &g.word_slots[8 + state]);
	if (!b->idle)
		put_stack(b->stack);
	sw_end(&g.w);
}

static void put_segment(const struct segment *s)
{
	uint64_t allocated = 0, active = 0, requested = 0;

	for (const struct block *b = s->first; b; b = b->after) {
		active += b->idle ? 0 : b->size;
		allocated += b->idle || b->waits ? 0 : b->size;
		requested += b->idle ? 0 : b->requested;
	}
	sw_dict(&g.w);
	put_number(SW_DEVICE, 0);
	put_number(SW_ADDRESS, s->address);
	put_number(SW_TOTAL_SIZE, s->size);
	put_number(SW_ALLOCATED_SIZE, allocated);
	put_number(SW_ACTIVE_SIZE, active);
	put_number(SW_REQUESTED_SIZE, requested);
	put_number(SW_STREAM, s->stream);
	sw_key(&g.w, SW_SEGMENT_TYPE);
	put_word(s->small ? "small" : "large", &g.word_slots[12 + s->small]);
	sw_key(&g.w, SW_SEGMENT_POOL_ID);
	sw_pair(&g.w, 0, 0);
	sw_key(&g.w, SW_IS_EXPANDABLE);
	sw_bool(&g.w, false);
	sw_key(&g.w, SW_BLOCKS);
	sw_list(&g.w);
	for (const struct block *b = s->first; b; b = b->after)
		put_block(b);
	sw_end(&g.w);
	sw_end(&g.w);
}

static int by_address(const void *a, const void *b)
{
	const struct segment *const *x = a, *const *y = b;

	return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

static void put_segments(void)
{
	struct segment **all = NULL;
	size_t n = 0, i = 0;

	for (const struct segment *s = g.segments; s; s = s->next)
		n++;
	all = grown(NULL, n + 1, sizeof(struct segment *));
	for (struct segment *s = g.segments; s; s = s->next)
		all[i++] = s;
	qsort(all, n, sizeof *all, by_address);
	for (i = 0; i < n; i++)
		put_segment(all[i]);
	free(all);
}

int main(int argc, char **argv)
{
	uint64_t live = argc > 2 ? strtoull(argv[2], NULL, 10) : 1500;

	g.wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	if (!g.wanted || live < 16 || live > 1000000) {
		fprintf(stderr, "usage: make_snapshot EVENTS [LIVE] > FILE\n");
		return 2;
	}
	g.random = UINT64_C(0x9e3779b97f4a7c15);
	g.now_us = START_US;
	g.heap_end = HEAP_BASE;
	g.largest = TOTAL / live;
	g.cap_waits = 4096;
	g.waits = grown(NULL, g.cap_waits, sizeof *g.waits);
	make_stacks();
	sw_start(&g.w, put_bytes, stdout);
	sw_dict(&g.w);
	sw_key(&g.w, SW_DEVICE_TRACES);
	sw_list(&g.w);
	sw_list(&g.w);
	while (g.events < g.wanted)
		step(live);
	sw_end(&g.w);
	sw_end(&g.w);
	sw_key(&g.w, SW_SEGMENTS);
	sw_list(&g.w);
	put_segments();
	sw_end(&g.w);
	sw_end(&g.w);
	return sw_finish(&g.w) && fflush(stdout) == 0 ? 0 : 1;
}
