/* SPDX-License-Identifier: MIT
 * ring.c -- the writing side of a ring file: events, what lives, and interned stacks.
 */
#include "capture/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Arena bytes an event: distinct stacks are few. */
#define ARENA_PER_EVENT 128
#define ARENA_MIN       (UINT64_C(4) << 20)
#define INDEX_SLOTS     (1u << 18)

static uint64_t page_up(uint64_t n)
{
	return (n + 4095) & ~UINT64_C(4095);
}

static uint64_t power_up(uint64_t n)
{
	uint64_t p = 1024;

	while (p < n)
		p *= 2;
	return p;
}

/* ---- making the file ---- */

static void lay_out(struct ring_header *h, uint64_t events)
{
	uint64_t arena = page_up(events * ARENA_PER_EVENT);

	h->ring_records = events;
	h->table_slots = power_up(events);
	h->arena_bytes = arena > ARENA_MIN ? arena : ARENA_MIN;
	h->ring_offset = RING_HEADER_BYTES;
	h->table_offset = h->ring_offset + page_up(events * sizeof(struct ring_slot));
	h->arena_offset = h->table_offset + page_up(h->table_slots * sizeof(struct ring_slot));
}

static int reserve(int fd, uint64_t bytes)
{
	struct rlimit limit;

	/* Beyond it the kernel sends SIGXFSZ, which is the program's end. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < bytes)
		return EFBIG;
	return posix_fallocate(fd, 0, (off_t)bytes);
}

static bool map_file(struct ring *r, const char *path, const struct ring_header *h, char *why,
		     size_t why_bytes)
{
	uint64_t bytes = h->arena_offset + h->arena_bytes;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int code = fd < 0 ? errno : reserve(fd, bytes);
	void *at = MAP_FAILED;

	if (code == 0) {
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		code = at == MAP_FAILED ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (code) {
		if (fd >= 0)
			unlink(path);
		snprintf(why, why_bytes, "cannot make '%s' of %llu MiB: %s", path,
			 (unsigned long long)(bytes >> 20), strerror(code));
		return false;
	}
	r->header = at;
	r->mapped_bytes = bytes;
	return true;
}

bool ring_create(struct ring *r, const char *path, uint64_t events, char *why, size_t why_bytes)
{
	struct ring_header h = {
		.version = RING_VERSION,
		.endian = RING_ENDIAN,
		.header_bytes = RING_HEADER_BYTES,
		.slot_bytes = sizeof(struct ring_slot),
		.next_seq = 1,
		.arena_used = 8,
		.pid = (uint32_t)getpid(),
	};

	_Static_assert(sizeof h <= RING_HEADER_BYTES, "the header fits its place");
	memset(r, 0, sizeof *r);
	lay_out(&h, events);
	r->index_bytes = INDEX_SLOTS * sizeof *r->index;
	r->index = mmap(NULL, r->index_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (r->index == MAP_FAILED) {
		snprintf(why, why_bytes, "out of memory");
		return false;
	}
	if (!map_file(r, path, &h, why, why_bytes)) {
		munmap(r->index, r->index_bytes);
		return false;
	}
	snprintf(r->path, sizeof r->path, "%s", path);
	*r->header = h;
	r->events = (struct ring_slot *)((char *)r->header + h.ring_offset);
	r->table = (struct ring_slot *)((char *)r->header + h.table_offset);
	r->arena = (unsigned char *)r->header + h.arena_offset;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(r->header->magic, RING_MAGIC, sizeof r->header->magic);
	return true;
}

void ring_close(struct ring *r)
{
	if (!r->header)
		return;
	r->header->ended = 1;
	munmap(r->header, r->mapped_bytes);
	munmap(r->index, r->index_bytes);
	memset(r, 0, sizeof *r);
}

/* ---- slots ---- */

static void slot_write(struct ring_slot *s, const struct ring_record *r)
{
	__atomic_store_n(&s->r.seq, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	s->r.addr = r->addr;
	s->r.size = r->size;
	s->r.stream = r->stream;
	s->r.context = r->context;
	s->r.time_us = r->time_us;
	s->r.aux_low = r->aux_low;
	s->r.aux_high = r->aux_high;
	s->r.stack = r->stack;
	s->r.act = r->act;
	s->r.kind = r->kind;
	s->r.device = r->device;
	s->check = ring_check(r, r->seq);
	__atomic_store_n(&s->r.seq, r->seq, __ATOMIC_RELEASE);
}

static void slot_erase(struct ring_slot *s)
{
	__atomic_store_n(&s->r.seq, 0, __ATOMIC_RELEASE);
}

static uint64_t place_of(const struct ring *r, uint64_t addr, unsigned class_of)
{
	return ring_mix(addr + class_of, 1) & (r->header->table_slots - 1);
}

static struct ring_slot *table_find(const struct ring *r, uint64_t addr, unsigned class_of)
{
	uint64_t mask = r->header->table_slots - 1;

	for (uint64_t i = place_of(r, addr, class_of); r->table[i].r.seq; i = (i + 1) & mask) {
		if (r->table[i].r.addr == addr && ring_class(r->table[i].r.kind) == class_of)
			return &r->table[i];
	}
	return NULL;
}

const struct ring_record *ring_find(const struct ring *r, uint64_t addr, unsigned class_of)
{
	const struct ring_slot *s = table_find(r, addr, class_of);

	return s ? &s->r : NULL;
}

static void table_put(struct ring *r, const struct ring_record *event)
{
	uint64_t mask = r->header->table_slots - 1;
	struct ring_slot *s = table_find(r, event->addr, ring_class(event->kind));
	uint64_t i;

	if (s) {
		/* A free was missed, or the address was given twice: the newer one counts. */
		slot_write(s, event);
		return;
	}
	if (r->n_live >= r->header->table_slots / 8 * 7) {
		r->header->table_full++;
		return;
	}
	for (i = place_of(r, event->addr, ring_class(event->kind)); r->table[i].r.seq;)
		i = (i + 1) & mask;
	slot_write(&r->table[i], event);
	r->n_live++;
}

/* Erase a slot and close the gap: who would not be found behind it moves into it. */
static void table_remove(struct ring *r, struct ring_slot *s)
{
	uint64_t mask = r->header->table_slots - 1, hole = (uint64_t)(s - r->table);

	for (uint64_t i = (hole + 1) & mask; r->table[i].r.seq; i = (i + 1) & mask) {
		const struct ring_record *k = &r->table[i].r;
		uint64_t home = place_of(r, k->addr, ring_class(k->kind));

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		slot_write(&r->table[hole], k);
		hole = i;
	}
	slot_erase(&r->table[hole]);
	r->n_live--;
}

void ring_append(struct ring *r, struct ring_record *event)
{
	struct ring_header *h = r->header;

	event->seq = h->next_seq;
	slot_write(&r->events[event->seq % h->ring_records], event);
	__atomic_store_n(&h->next_seq, event->seq + 1, __ATOMIC_RELEASE);
	if (event->act == ACT_ALLOC) {
		table_put(r, event);
	} else if (event->act == ACT_FREE) {
		struct ring_slot *s = table_find(r, event->addr, ring_class(event->kind));

		if (s)
			table_remove(r, s);
	}
}

/* ---- the arena ---- */

/* The id of an entry with this head and payload, added when new. */
static uint32_t intern(struct ring *r, enum arena_tag tag, uint32_t n, const void *payload,
		       size_t bytes)
{
	struct arena_head head = {.tag = tag, .n = n};
	const unsigned char *p = payload;
	uint64_t h = ring_mix(tag, n), word;
	size_t mask = INDEX_SLOTS - 1, i;
	size_t room = (sizeof head + bytes + 7) & ~(size_t)7;

	for (size_t k = 0; k < bytes; k += sizeof word) {
		word = 0;
		memcpy(&word, p + k, bytes - k < sizeof word ? bytes - k : sizeof word);
		h = ring_mix(h, word);
	}
	for (i = h & mask; r->index[i]; i = (i + 1) & mask) {
		const unsigned char *have = r->arena + (size_t)r->index[i] * 8;

		if (!memcmp(have, &head, sizeof head) && !memcmp(have + sizeof head, p, bytes))
			return r->index[i];
	}
	uint64_t used = r->header->arena_used;
	if (room > r->header->arena_bytes - used || r->n_indexed >= INDEX_SLOTS / 4 * 3) {
		r->header->arena_full++;
		return 0;
	}
	memcpy(r->arena + used, &head, sizeof head);
	memcpy(r->arena + used + sizeof head, p, bytes);
	__atomic_store_n(&r->header->arena_used, used + room, __ATOMIC_RELEASE);
	r->index[i] = (uint32_t)(used / 8);
	r->n_indexed++;
	return r->index[i];
}

uint32_t ring_string(struct ring *r, const char *bytes, size_t n)
{
	return intern(r, ARENA_STRING, (uint32_t)n, bytes, n);
}

uint32_t ring_stack(struct ring *r, const uint64_t *words, uint32_t n)
{
	return n ? intern(r, ARENA_STACK, n, words, n * sizeof *words) : 0;
}

uint32_t ring_python(struct ring *r, uint32_t file, uint32_t name, uint32_t line)
{
	struct arena_python p = {.file = file, .name = name, .line = line};

	return intern(r, ARENA_PYTHON, 1, &p, sizeof p);
}

uint32_t ring_module(struct ring *r, const struct arena_module *m)
{
	return intern(r, ARENA_MODULE, 1, m, sizeof *m);
}
