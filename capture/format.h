/* SPDX-License-Identifier: MIT
 * format.h -- the ring file: what a recorded process leaves behind at any moment, also when killed.
 *
 * FORMAT.md has the byte tables. A file is mapped by one process and written under one lock:
 *
 *     header | ring of records | live table | arena
 *
 * Ring: record number n lies at n mod ring_records. Its `seq` is 0 while it is written and n (from 1
 * on) once it is whole; `check` covers everything else, so a torn record is recognised.
 * Live table: what lives now, the same records at hash places, a live one for each (address, class).
 * A record moves by being copied before it is erased: a reader keeps one of two equal ones.
 * Arena: strings, modules, stacks and Python frames, appended and never changed; an id is an offset
 * divided by 8, and whatever an id names is whole before the id is written anywhere.
 *
 * An event is committed to the ring before the table follows, so a reader repeats the newest event
 * on the table. Integers have the order of the machine that wrote them (`endian` tells).
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <stdint.h>

#define RING_MAGIC   "VRAMRING"
#define RING_VERSION 2u
#define RING_ENDIAN  0x01020304u

enum ring_act {
	ACT_ALLOC = 1,
	ACT_FREE = 2,
	ACT_OOM = 3, /* size: requested; addr: free bytes of the device, or UINT64_MAX */
};

/* What was allocated; an event of the same kind frees it. Of device, pitched and async memory, aux is the
 * address of the mapping in which it begins, or 0 when it has none of its own kind. */
enum ring_kind {
	KIND_DEVICE = 1, /* cuMemAlloc */
	KIND_PITCHED,
	KIND_MANAGED,
	KIND_ASYNC,    /* from a pool, in order of a stream */
	KIND_MAPPED,   /* a handle mapped at an address; aux: handle */
	KIND_ARRAY,    /* addr: its handle, which is no address: not in the trace */
	KIND_HANDLE,   /* physical memory; addr: handle; aux: owners but the first */
	KIND_HOST,     /* pinned */
	KIND_HOST_REG, /* pinned afterwards */
	KIND_IMPORTED, /* of another process or interface; not counted */
	KIND_IMPORTED_HANDLE,
	KIND_NOTED,   /* a block of the program's own pool; not counted */
	KIND_MAPPING, /* what the driver took for blocks; aux: the pool that keeps it, or 0 */
	KIND_GRAPH,   /* a memory node of a graph: memory while that runs; aux: graph */
	KIND_COUNT,
};

struct ring_record {
	uint64_t seq;
	uint64_t addr, size; /* bytes */
	uint64_t stream;
	uint64_t context; /* 0: not bound to one */
	int64_t time_us;  /* Unix time */
	uint32_t aux_low; /* `aux` of the kind, in two halves */
	uint32_t aux_high;
	uint32_t stack; /* arena id, or 0 */
	uint8_t act, kind;
	int8_t device; /* -1: host */
	uint8_t pad;
};

struct ring_slot {
	struct ring_record r;
	uint64_t check;
};

#define RING_PROGRAM_BYTES 256
#define RING_HOST_BYTES    64
#define RING_FRONT_BYTES   16
#define RING_DEVICES       64

struct ring_header {
	char magic[8]; /* written last */
	uint32_t version, endian;
	uint32_t header_bytes, slot_bytes;
	uint64_t ring_offset, ring_records;
	uint64_t table_offset, table_slots; /* slots: a power of two */
	uint64_t arena_offset, arena_bytes;
	uint64_t next_seq;   /* of the next event; records below it may be overwritten */
	uint64_t arena_used; /* bytes, a multiple of 8; 8 at first: id 0 is nothing */
	/* What had to be left out. */
	uint64_t table_full, arena_full, unknown_frees;
	uint32_t pid;
	uint32_t ended; /* 1: recording was stopped in order */
	int64_t start_us;
	char program[RING_PROGRAM_BYTES]; /* NUL-terminated, as all three */
	char host[RING_HOST_BYTES];
	char front_end[RING_FRONT_BYTES];
	struct ring_device {
		/* cuMemGetInfo when it was asked last: all processes of the device. */
		uint64_t free_bytes, total_bytes; /* 0: never asked */
		int64_t time_us;
		uint64_t counted_then;  /* counted_bytes and graph_bytes at that time */
		uint64_t counted_bytes; /* physical memory whose allocation was seen, now */
		uint64_t graph_bytes;   /* what the driver keeps for memory nodes of graphs */
		uint64_t first_used; /* used bytes when asked first: a context, other processes */
	} devices[RING_DEVICES];
};

#define RING_HEADER_BYTES 8192

/* Head of everything in the arena; padded to 8 bytes with its payload. */
enum arena_tag {
	ARENA_STRING = 1, /* n bytes */
	ARENA_STACK,      /* n words: PCs, or STACK_PYTHON and the id of a frame; innermost first */
	ARENA_PYTHON,     /* struct arena_python */
	ARENA_MODULE,     /* struct arena_module */
};

struct arena_head {
	uint32_t tag;
	uint32_t n; /* bytes of a string, words of a stack, 1 of the others */
};

#define STACK_PYTHON (UINT64_C(1) << 63)

struct arena_python {
	uint32_t file, name; /* strings */
	uint32_t line, pad;
};

#define BUILD_ID_BYTES 20

struct arena_module {
	uint64_t base, start, end; /* load address; addresses of its code */
	uint32_t path;             /* a string */
	uint32_t build_id_bytes;   /* 0: none */
	uint8_t build_id[BUILD_ID_BYTES];
	uint8_t pad[4];
};

/* Two things at one address that live side by side. */
static inline unsigned ring_class(uint8_t kind)
{
	if (kind == KIND_HANDLE || kind == KIND_IMPORTED_HANDLE)
		return 1;
	if (kind == KIND_ARRAY)
		return 3;
	if (kind == KIND_MAPPING)
		return 4;
	if (kind == KIND_GRAPH)
		return 5;
	return kind == KIND_NOTED ? 2 : 0;
}

static inline uint64_t ring_aux(const struct ring_record *r)
{
	return r->aux_low | (uint64_t)r->aux_high << 32;
}

static inline void ring_set_aux(struct ring_record *r, uint64_t aux)
{
	r->aux_low = (uint32_t)aux;
	r->aux_high = (uint32_t)(aux >> 32);
}

static inline uint64_t ring_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static inline uint64_t ring_check(const struct ring_record *r, uint64_t seq)
{
	uint64_t h = ring_mix(seq + 1, r->addr);

	h = ring_mix(h, r->size);
	h = ring_mix(h, r->stream);
	h = ring_mix(h, r->context);
	h = ring_mix(h, (uint64_t)r->time_us);
	h = ring_mix(h, r->aux_low | (uint64_t)r->aux_high << 32);
	h = ring_mix(h, r->stack | (uint64_t)r->act << 32 | (uint64_t)r->kind << 40 |
				(uint64_t)(uint8_t)r->device << 48);
	return h;
}

#endif
