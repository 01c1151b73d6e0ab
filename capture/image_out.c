/* SPDX-License-Identifier: MIT
 * image_out.c -- a ring image as a snapshot, in PyTorch's shape.
 *
 * An allocation is a segment with one block; memory mapped at neighbouring addresses is one segment
 * that is expandable. An event of the ring becomes a whole group of trace entries, so the ring's edge
 * never cuts one. What the format has no place for lies in a dict "capture".
 */
#include "capture/image_private.h"

#include <stdio.h>
#include <string.h>

#define PC_SLOTS    8192
#define MAX_MODULES 4096
#define MAX_DEPTH   256 /* frames written of a stack */

/* The driver places allocations at multiples of this. */
#define GRANULE 512

struct pc_slot {
	uint64_t pc;
	uint32_t slot, pad;
};

struct writing {
	const struct ring_image *image;
	struct sw *w;
	const struct ring_symbols *symbols;
	struct ring_record *live; /* what lives at the end, by device and address */
	size_t n_live;
	struct arena_module *modules; /* by start */
	size_t n_modules;
	struct pc_slot *pcs;
	uint32_t *slots; /* by arena id */
	uint32_t words[16];
};

size_t ring_image_scratch(const struct ring_image *image)
{
	const struct ring_header *h = &image->header;

	return (h->table_slots + 1) * sizeof(struct ring_record) +
	       MAX_MODULES * sizeof(struct arena_module) + PC_SLOTS * sizeof(struct pc_slot) +
	       (h->arena_used / 8 + 1) * sizeof(uint32_t);
}

/* ---- what lives ---- */

static int by_key(const void *a, const void *b)
{
	const struct ring_record *x = a, *y = b;
	unsigned cx = ring_class(x->kind), cy = ring_class(y->kind);

	if (cx != cy)
		return cx < cy ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->seq > y->seq ? -1 : x->seq < y->seq;
}

static int by_place(const void *a, const void *b)
{
	const struct ring_record *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool same_key(const struct ring_record *a, const struct ring_record *b)
{
	return a->addr == b->addr && ring_class(a->kind) == ring_class(b->kind);
}

static void collect_live(struct writing *x)
{
	const struct ring_header *h = &x->image->header;
	struct ring_record r, last;
	size_t n = 0, kept = 0;

	for (uint64_t k = 0; k < h->table_slots; k++) {
		if (image_slot(x->image, h->table_offset, k, &r) && r.act == ACT_ALLOC)
			x->live[n++] = r;
	}
	/* The newest event may not have reached the table. */
	bool any = x->image->end_seq > x->image->first_seq &&
		   image_slot(x->image, h->ring_offset, (x->image->end_seq - 1) % h->ring_records,
			      &last);
	if (any && last.act == ACT_ALLOC)
		x->live[n++] = last;
	image_sort(x->live, n, sizeof *x->live, by_key);
	for (size_t i = 0; i < n; i++) {
		if (any && last.act == ACT_FREE && same_key(&x->live[i], &last) &&
		    x->live[i].seq < last.seq)
			continue;
		if (kept && same_key(&x->live[kept - 1], &x->live[i]))
			continue;
		x->live[kept++] = x->live[i];
	}
	x->n_live = kept;
	image_sort(x->live, kept, sizeof *x->live, by_place);
}

/* Memory of the device that the trace tells of. */
static bool counts(uint8_t kind)
{
	return kind >= KIND_DEVICE && kind <= KIND_MAPPED;
}

static bool is_host(uint8_t kind)
{
	return kind == KIND_HOST || kind == KIND_HOST_REG;
}

/* ---- text and stacks ---- */

/* Length of the UTF-8 sequence at p, or 0. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t k = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0;
	uint32_t c = k > 1 ? *p & (0x7fu >> k) : *p;

	if (k == 0 || k > n)
		return 0;
	for (size_t i = 1; i < k; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3fu);
	}
	return k > 1 && (c < least[k] || c > 0x10ffff || c >> 11 == 0x1b) ? 0 : k;
}

/* Any bytes: those that are no UTF-8 become question marks, long text is cut. */
static void put_text(struct writing *x, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	char text[1024];
	size_t used = 0;

	for (size_t i = 0, k; i < n && used + 4 <= sizeof text; i += k) {
		k = utf8_length(p + i, n - i);
		if (k)
			memcpy(text + used, p + i, k);
		else
			text[used] = '?';
		used += k ? k : 1;
		k = k ? k : 1;
	}
	sw_text(x->w, text, used);
}

static void put_word(struct writing *x, unsigned slot, const char *word)
{
	if (sw_shared(x->w, &x->words[slot]))
		return;
	sw_text(x->w, word, strlen(word));
	sw_share(x->w, &x->words[slot]);
}

static void put_string(struct writing *x, uint32_t id)
{
	uint32_t n;
	const unsigned char *p = image_arena(x->image, id, ARENA_STRING, &n);

	if (!p) {
		put_text(x, "??", 2);
		return;
	}
	if (sw_shared(x->w, &x->slots[id]))
		return;
	put_text(x, p, n);
	sw_share(x->w, &x->slots[id]);
}

static int by_start(const void *a, const void *b)
{
	const struct arena_module *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Every module of the arena; ids of the entries follow from their sizes. */
static void collect_modules(struct writing *x)
{
	const struct ring_header *h = &x->image->header;
	uint64_t at = 8, bytes;

	while (at + sizeof(struct arena_head) <= h->arena_used && x->n_modules < MAX_MODULES) {
		struct arena_head head;
		const unsigned char *p;
		uint32_t n;

		memcpy(&head, x->image->bytes + h->arena_offset + at, sizeof head);
		bytes = head.tag == ARENA_STRING   ? head.n
			: head.tag == ARENA_STACK  ? (uint64_t)head.n * 8
			: head.tag == ARENA_PYTHON ? sizeof(struct arena_python)
			: head.tag == ARENA_MODULE ? sizeof(struct arena_module)
						   : UINT64_MAX;
		if (bytes > h->arena_used - at)
			return;
		if (head.tag == ARENA_MODULE) {
			p = image_arena(x->image, (uint32_t)(at / 8), ARENA_MODULE, &n);
			if (p)
				memcpy(&x->modules[x->n_modules++], p, sizeof *x->modules);
		}
		at += (sizeof head + bytes + 7) & ~UINT64_C(7);
	}
}

static const struct arena_module *module_of(const struct writing *x, uint64_t pc)
{
	size_t low = 0, high = x->n_modules;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (x->modules[mid].start <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && pc < x->modules[low - 1].end ? &x->modules[low - 1] : NULL;
}

static void put_frame_keys(struct writing *x)
{
	sw_dict(x->w);
	sw_key(x->w, SW_NAME);
}

/* A return address: the call lies one byte before it. */
static void put_native(struct writing *x, uint64_t pc)
{
	struct pc_slot *s = &x->pcs[ring_mix(pc, 3) % PC_SLOTS];
	const struct arena_module *m;
	const unsigned char *path = NULL;
	uint64_t line = 0;
	uint32_t n = 0;
	char name[512];

	if (s->pc == pc && sw_shared(x->w, &s->slot))
		return;
	m = module_of(x, pc - 1);
	if (m)
		path = image_arena(x->image, m->path, ARENA_STRING, &n);
	put_frame_keys(x);
	if (x->symbols && x->symbols->name(x->symbols->ctx, pc - 1, name, sizeof name)) {
		/* As PyTorch does without addr2line: the place in the library as its line. */
		line = m ? pc - 1 - m->base : 0;
	} else {
		const unsigned char *base = path;

		for (uint32_t i = 0; path && i < n; i++) {
			if (path[i] == '/')
				base = path + i + 1;
		}
		if (path)
			snprintf(name, sizeof name, "%.*s+0x%llx", (int)(path + n - base), base,
				 (unsigned long long)(pc - m->base));
		else
			snprintf(name, sizeof name, "0x%llx", (unsigned long long)pc);
	}
	put_text(x, name, strlen(name));
	sw_key(x->w, SW_FILENAME);
	if (path)
		put_string(x, m->path);
	else
		put_word(x, 10, "??");
	sw_key(x->w, SW_LINE);
	sw_u64(x->w, line);
	sw_end(x->w);
	*s = (struct pc_slot){.pc = pc};
	sw_share(x->w, &s->slot);
}

static void put_python(struct writing *x, uint32_t id)
{
	struct arena_python f;
	uint32_t n;
	const unsigned char *p = image_arena(x->image, id, ARENA_PYTHON, &n);

	if (!p)
		return;
	if (sw_shared(x->w, &x->slots[id]))
		return;
	memcpy(&f, p, sizeof f);
	put_frame_keys(x);
	put_string(x, f.name);
	sw_key(x->w, SW_FILENAME);
	put_string(x, f.file);
	sw_key(x->w, SW_LINE);
	sw_u64(x->w, f.line);
	sw_end(x->w);
	sw_share(x->w, &x->slots[id]);
}

static void put_frames(struct writing *x, uint32_t id)
{
	uint32_t n;
	const unsigned char *p = image_arena(x->image, id, ARENA_STACK, &n);
	uint64_t word;

	sw_key(x->w, SW_FRAMES);
	if (!p) {
		sw_list(x->w);
		sw_end(x->w);
		return;
	}
	if (sw_shared(x->w, &x->slots[id]))
		return;
	sw_list(x->w);
	for (uint32_t i = 0; i < n && i < MAX_DEPTH; i++) {
		memcpy(&word, p + (size_t)i * 8, sizeof word);
		if (word & STACK_PYTHON)
			put_python(x, (uint32_t)word);
		else
			put_native(x, word);
	}
	sw_end(x->w);
	sw_share(x->w, &x->slots[id]);
}

/* ---- segments ---- */

static uint64_t rounded(const struct ring_record *r)
{
	if (r->kind == KIND_MAPPED || r->size > UINT64_MAX / 2)
		return r->size;
	return r->size == 0 ? GRANULE : (r->size + GRANULE - 1) / GRANULE * GRANULE;
}

static void put_number(struct writing *x, enum sw_key key, uint64_t v)
{
	sw_key(x->w, key);
	sw_u64(x->w, v);
}

static void put_block(struct writing *x, const struct ring_record *r)
{
	sw_dict(x->w);
	put_number(x, SW_ADDRESS, r->addr);
	put_number(x, SW_SIZE, rounded(r));
	put_number(x, SW_REQUESTED_SIZE, r->size);
	sw_key(x->w, SW_STATE);
	put_word(x, 11, "active_allocated");
	put_frames(x, r->stack);
	sw_end(x->w);
}

/* Records i .. end - 1 as one segment. */
static void put_segment(struct writing *x, size_t i, size_t end)
{
	const struct ring_record *first = &x->live[i];
	uint64_t total = 0, requested = 0;

	for (size_t k = i; k < end; k++) {
		total += rounded(&x->live[k]);
		requested += x->live[k].size;
	}
	sw_dict(x->w);
	sw_key(x->w, SW_DEVICE);
	sw_i64(x->w, first->device < 0 ? 0 : first->device);
	put_number(x, SW_ADDRESS, first->addr);
	put_number(x, SW_TOTAL_SIZE, total);
	put_number(x, SW_ALLOCATED_SIZE, total);
	put_number(x, SW_ACTIVE_SIZE, total);
	put_number(x, SW_REQUESTED_SIZE, requested);
	put_number(x, SW_STREAM, first->stream);
	sw_key(x->w, SW_SEGMENT_TYPE);
	put_word(x, 12, "large");
	sw_key(x->w, SW_SEGMENT_POOL_ID);
	/* A pool of its own kind: the rules of the caching allocator do not hold. */
	sw_pair(x->w, 0, 1);
	sw_key(x->w, SW_IS_EXPANDABLE);
	sw_bool(x->w, first->kind == KIND_MAPPED);
	put_frames(x, first->stack);
	sw_key(x->w, SW_BLOCKS);
	sw_list(x->w);
	for (size_t k = i; k < end; k++)
		put_block(x, &x->live[k]);
	sw_end(x->w);
	sw_end(x->w);
}

static bool joins(const struct ring_record *a, const struct ring_record *b)
{
	return a->kind == KIND_MAPPED && b->kind == KIND_MAPPED && a->device == b->device &&
	       a->addr + a->size == b->addr;
}

static void put_segments(struct writing *x, bool host)
{
	sw_key(x->w, host ? SW_HOST_SEGMENTS : SW_SEGMENTS);
	sw_list(x->w);
	for (size_t i = 0; i < x->n_live;) {
		size_t end = i + 1;

		if (host ? is_host(x->live[i].kind) : counts(x->live[i].kind)) {
			while (end < x->n_live && joins(&x->live[end - 1], &x->live[end]))
				end++;
			put_segment(x, i, end);
		}
		i = end;
	}
	sw_end(x->w);
}

/* ---- traces ---- */

enum {
	WORD_ALLOC,
	WORD_FREE_1,
	WORD_FREE_2,
	WORD_SEG_ALLOC,
	WORD_SEG_FREE,
	WORD_MAP,
	WORD_UNMAP,
	WORD_OOM
};

static void put_entry(struct writing *x, const struct ring_record *r, unsigned word, uint64_t size)
{
	static const char *const words[] = {
		[WORD_ALLOC] = "alloc",           [WORD_FREE_1] = "free_requested",
		[WORD_FREE_2] = "free_completed", [WORD_SEG_ALLOC] = "segment_alloc",
		[WORD_SEG_FREE] = "segment_free", [WORD_MAP] = "segment_map",
		[WORD_UNMAP] = "segment_unmap",   [WORD_OOM] = "oom",
	};

	sw_dict(x->w);
	sw_key(x->w, SW_ACTION);
	put_word(x, word, words[word]);
	if (word != WORD_OOM)
		put_number(x, SW_ADDR, r->addr);
	else if (r->addr != UINT64_MAX)
		put_number(x, SW_DEVICE_FREE, r->addr);
	put_number(x, SW_SIZE, size);
	put_number(x, SW_STREAM, r->stream);
	sw_key(x->w, SW_TIME_US);
	sw_i64(x->w, r->time_us);
	put_frames(x, r->stack);
	sw_end(x->w);
}

static void put_event(struct writing *x, const struct ring_record *r)
{
	bool mapped = r->kind == KIND_MAPPED;

	if (r->act == ACT_OOM) {
		put_entry(x, r, WORD_OOM, r->size);
	} else if (r->act == ACT_ALLOC) {
		put_entry(x, r, mapped ? WORD_MAP : WORD_SEG_ALLOC, rounded(r));
		put_entry(x, r, WORD_ALLOC, r->size);
	} else {
		put_entry(x, r, WORD_FREE_1, r->size);
		put_entry(x, r, WORD_FREE_2, r->size);
		put_entry(x, r, mapped ? WORD_UNMAP : WORD_SEG_FREE, rounded(r));
	}
}

static bool event_at(const struct writing *x, uint64_t seq, struct ring_record *r)
{
	const struct ring_header *h = &x->image->header;

	return image_slot(x->image, h->ring_offset, seq % h->ring_records, r);
}

static void put_trace(struct writing *x, int device)
{
	struct ring_record r;

	sw_list(x->w);
	for (uint64_t seq = x->image->first_seq; seq < x->image->end_seq; seq++) {
		if (!event_at(x, seq, &r))
			continue;
		if (device < 0 ? is_host(r.kind) && r.act != ACT_OOM
			       : r.device == device && (counts(r.kind) || r.act == ACT_OOM))
			put_event(x, &r);
	}
	sw_end(x->w);
}

static int last_device(const struct writing *x)
{
	struct ring_record r;
	int last = -1;

	for (size_t i = 0; i < x->n_live; i++)
		last = x->live[i].device > last ? x->live[i].device : last;
	for (uint64_t seq = x->image->first_seq; seq < x->image->end_seq; seq++) {
		if (event_at(x, seq, &r) && r.device > last)
			last = r.device;
	}
	return last;
}

/* ---- what the format has no place for ---- */

static void key(struct writing *x, const char *name)
{
	sw_key_text(x->w, name, strlen(name));
}

static void number(struct writing *x, const char *name, uint64_t v)
{
	key(x, name);
	sw_u64(x->w, v);
}

static void text(struct writing *x, const char *name, const char *v)
{
	key(x, name);
	put_text(x, v, strlen(v));
}

static void put_kinds(struct writing *x)
{
	static const char *const names[KIND_COUNT] = {
		[KIND_DEVICE] = "device",
		[KIND_PITCHED] = "pitched",
		[KIND_MANAGED] = "managed",
		[KIND_ARRAY] = "array",
		[KIND_ASYNC] = "async",
		[KIND_MAPPED] = "mapped",
		[KIND_HANDLE] = "handles",
		[KIND_HOST] = "host",
		[KIND_HOST_REG] = "host_registered",
		[KIND_IMPORTED] = "imported",
		[KIND_IMPORTED_HANDLE] = "imported_handles",
		[KIND_NOTED] = "noted",
	};

	key(x, "live");
	sw_dict(x->w);
	for (unsigned kind = 1; kind < KIND_COUNT; kind++) {
		uint64_t n = 0, bytes = 0;

		for (size_t i = 0; i < x->n_live; i++) {
			if (x->live[i].kind == kind) {
				n++;
				bytes += x->live[i].size;
			}
		}
		if (n == 0)
			continue;
		key(x, names[kind]);
		sw_dict(x->w);
		number(x, "count", n);
		number(x, "bytes", bytes);
		sw_end(x->w);
	}
	sw_end(x->w);
}

static void put_devices(struct writing *x)
{
	const struct ring_header *h = &x->image->header;

	key(x, "devices");
	sw_list(x->w);
	for (int i = 0; i < RING_DEVICES; i++) {
		if (!h->devices[i].total_bytes)
			continue;
		sw_dict(x->w);
		number(x, "index", (uint64_t)i);
		number(x, "free_bytes", h->devices[i].free_bytes);
		number(x, "total_bytes", h->devices[i].total_bytes);
		key(x, "at_us");
		sw_i64(x->w, h->devices[i].time_us);
		sw_end(x->w);
	}
	sw_end(x->w);
}

/* What was loaded, so that names can be found later in files that are certainly the same. */
static void put_modules(struct writing *x)
{
	static const char digits[] = "0123456789abcdef";
	const struct arena_module *last = NULL;

	key(x, "modules");
	sw_list(x->w);
	for (size_t i = 0; i < x->n_modules; i++) {
		const struct arena_module *m = &x->modules[i];
		char hex[2 * BUILD_ID_BYTES];
		uint32_t n = m->build_id_bytes <= BUILD_ID_BYTES ? m->build_id_bytes : 0;

		/* One that has several stretches of code. */
		if (last && last->base == m->base && last->path == m->path)
			continue;
		last = m;
		sw_dict(x->w);
		key(x, "path");
		put_string(x, m->path);
		key(x, "build_id");
		for (uint32_t k = 0; k < n; k++) {
			hex[2 * k] = digits[m->build_id[k] >> 4];
			hex[2 * k + 1] = digits[m->build_id[k] & 15];
		}
		if (n)
			sw_text(x->w, hex, 2 * (size_t)n);
		else
			sw_none(x->w);
		sw_end(x->w);
	}
	sw_end(x->w);
}

static void put_capture(struct writing *x)
{
	const struct ring_header *h = &x->image->header;

	sw_key(x->w, SW_CAPTURE);
	sw_dict(x->w);
	number(x, "version", h->version);
	text(x, "front_end", h->front_end);
	text(x, "program", h->program);
	text(x, "host", h->host);
	number(x, "pid", h->pid);
	key(x, "start_us");
	sw_i64(x->w, h->start_us);
	number(x, "events", x->image->end_seq - x->image->first_seq);
	number(x, "lost_events", x->image->first_seq - 1);
	number(x, "table_full", h->table_full);
	number(x, "arena_full", h->arena_full);
	number(x, "unknown_frees", h->unknown_frees);
	put_kinds(x);
	put_devices(x);
	put_modules(x);
	sw_end(x->w);
}

bool ring_image_write(const struct ring_image *image, struct sw *w, void *scratch,
		      const struct ring_symbols *symbols)
{
	struct writing x = {.image = image, .w = w, .symbols = symbols};
	char *at = scratch;

	x.live = (void *)at;
	at += (image->header.table_slots + 1) * sizeof *x.live;
	x.modules = (void *)at;
	at += MAX_MODULES * sizeof *x.modules;
	x.pcs = (void *)at;
	at += PC_SLOTS * sizeof *x.pcs;
	x.slots = (void *)at;
	collect_live(&x);
	collect_modules(&x);
	image_sort(x.modules, x.n_modules, sizeof *x.modules, by_start);

	sw_dict(w);
	put_segments(&x, false);
	sw_key(w, SW_DEVICE_TRACES);
	sw_list(w);
	for (int device = 0, last = last_device(&x); device <= last; device++)
		put_trace(&x, device);
	sw_end(w);
	put_segments(&x, true);
	sw_key(w, SW_HOST_TRACES);
	put_trace(&x, -1);
	sw_key(w, SW_OVERFLOWED);
	sw_bool(w, image->wrapped);
	put_capture(&x);
	sw_end(w);
	return sw_finish(w);
}
