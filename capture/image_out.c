/* SPDX-License-Identifier: MIT
 * image_out.c -- a ring image as a snapshot, in PyTorch's shape.
 *
 * A mapping of the driver is a segment with the blocks that lie in it, those of a pool that touch are
 * one segment; any other allocation is a segment with one block; memory mapped by hand at neighbouring
 * addresses is one segment. What is mapped piece by piece is expandable. An event of the ring becomes a
 * whole group of trace entries, so the ring's edge never cuts one.
 */
#include "capture/image_private.h"

#include <stdio.h>
#include <string.h>

#define PC_SLOTS    8192
#define MAX_MODULES 4096
#define MAX_DEPTH   256 /* frames written of a stack */

/* The driver places allocations at multiples of this. */
#define GRANULE 512

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
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* A mapping before what lies in it. */
	return (y->kind == KIND_MAPPING) - (x->kind == KIND_MAPPING);
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

/* A block whose segment is a mapping with a record of its own. */
static bool is_inside(const struct ring_record *r)
{
	return (r->kind == KIND_DEVICE || r->kind == KIND_PITCHED || r->kind == KIND_ASYNC) &&
	       ring_aux(r) != 0;
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
void image_put_text(struct writing *x, const void *bytes, size_t n)
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

void image_put_string(struct writing *x, uint32_t id)
{
	uint32_t n;
	const unsigned char *p = image_arena(x->image, id, ARENA_STRING, &n);

	if (!p) {
		image_put_text(x, "??", 2);
		return;
	}
	if (sw_shared(x->w, &x->slots[id]))
		return;
	image_put_text(x, p, n);
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
	image_put_text(x, name, strlen(name));
	sw_key(x->w, SW_FILENAME);
	if (path)
		image_put_string(x, m->path);
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
	image_put_string(x, f.name);
	sw_key(x->w, SW_FILENAME);
	image_put_string(x, f.file);
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

struct segment {
	uint64_t addr, total, allocated, requested, stream;
	int device;
	bool expandable;
	unsigned pool; /* number, 0: none */
	uint32_t stack;
};

/* Opens the dict and its list of blocks. */
static void begin_segment(struct writing *x, const struct segment *s)
{
	sw_dict(x->w);
	sw_key(x->w, SW_DEVICE);
	sw_i64(x->w, s->device < 0 ? 0 : s->device);
	put_number(x, SW_ADDRESS, s->addr);
	put_number(x, SW_TOTAL_SIZE, s->total);
	put_number(x, SW_ALLOCATED_SIZE, s->allocated);
	put_number(x, SW_ACTIVE_SIZE, s->allocated);
	put_number(x, SW_REQUESTED_SIZE, s->requested);
	put_number(x, SW_STREAM, s->stream);
	sw_key(x->w, SW_SEGMENT_TYPE);
	put_word(x, 12, "large");
	sw_key(x->w, SW_SEGMENT_POOL_ID);
	/* Pools of their own kind: the rules of the caching allocator do not hold. */
	sw_pair(x->w, 0, 1 + (int64_t)s->pool);
	sw_key(x->w, SW_IS_EXPANDABLE);
	sw_bool(x->w, s->expandable);
	put_frames(x, s->stack);
	sw_key(x->w, SW_BLOCKS);
	sw_list(x->w);
}

static void end_segment(struct writing *x)
{
	sw_end(x->w);
	sw_end(x->w);
}

/* Records i .. end - 1 as one segment, full of them. */
static void put_segment(struct writing *x, size_t i, size_t end)
{
	const struct ring_record *first = &x->live[i];
	struct segment s = {.addr = first->addr,
			    .stream = first->stream,
			    .device = first->device,
			    .expandable = first->kind == KIND_MAPPED,
			    .stack = first->stack};

	for (size_t k = i; k < end; k++) {
		s.total += rounded(&x->live[k]);
		s.requested += x->live[k].size;
	}
	s.allocated = s.total;
	begin_segment(x, &s);
	for (size_t k = i; k < end; k++)
		put_block(x, &x->live[k]);
	end_segment(x);
}

static void put_gap(struct writing *x, uint64_t addr, uint64_t bytes)
{
	if (bytes == 0)
		return;
	sw_dict(x->w);
	put_number(x, SW_ADDRESS, addr);
	put_number(x, SW_SIZE, bytes);
	put_number(x, SW_REQUESTED_SIZE, 0);
	sw_key(x->w, SW_STATE);
	put_word(x, 13, "inactive");
	put_frames(x, 0);
	sw_end(x->w);
}

/* Does this block lie between what is written of the segment and its end? */
static bool lies_between(const struct ring_record *r, uint64_t at, uint64_t end)
{
	return is_inside(r) && r->addr >= at && r->addr <= end && rounded(r) <= end - r->addr;
}

/* Where the mappings that touch record i, a mapping, end. *next: the first record behind them. */
static uint64_t end_of_mappings(const struct writing *x, size_t i, size_t *next)
{
	const struct ring_record *first = &x->live[i];
	uint64_t end = first->addr + first->size, pool = ring_aux(first);
	size_t k;

	for (k = i + 1; k < x->n_live; k++) {
		const struct ring_record *r = &x->live[k];
		bool joins =
			r->kind == KIND_MAPPING && r->addr == end && pool && ring_aux(r) == pool;

		if (r->device != first->device || (r->addr >= end && !joins))
			break;
		if (joins)
			end += r->size;
	}
	*next = k;
	return end;
}

/* The segment of mapping i and those that touch it. Returns the first record behind. */
static size_t put_mappings(struct writing *x, size_t i)
{
	const struct ring_record *first = &x->live[i];
	size_t next;
	uint64_t end = end_of_mappings(x, i, &next), at = first->addr;
	struct segment s = {.addr = first->addr,
			    .total = end - first->addr,
			    .device = first->device,
			    .expandable = ring_aux(first) != 0,
			    .pool = image_pool_number(x, ring_aux(first)),
			    .stack = first->stack};

	if (end < first->addr)
		return next;
	for (size_t k = i; k < next; k++) {
		if (lies_between(&x->live[k], at, end)) {
			s.allocated += rounded(&x->live[k]);
			s.requested += x->live[k].size;
			at = x->live[k].addr + rounded(&x->live[k]);
		}
	}
	begin_segment(x, &s);
	at = first->addr;
	for (size_t k = i; k < next; k++) {
		if (lies_between(&x->live[k], at, end)) {
			put_gap(x, at, x->live[k].addr - at);
			put_block(x, &x->live[k]);
			at = x->live[k].addr + rounded(&x->live[k]);
		}
	}
	put_gap(x, at, end - at);
	end_segment(x);
	return next;
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

		if (!host && x->live[i].kind == KIND_MAPPING) {
			end = put_mappings(x, i);
		} else if (host ? is_host(x->live[i].kind) : counts(x->live[i].kind)) {
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
	bool mapped = r->kind == KIND_MAPPED || (r->kind == KIND_MAPPING && ring_aux(r));

	if (r->kind == KIND_MAPPING) {
		if (r->act == ACT_ALLOC)
			put_entry(x, r, mapped ? WORD_MAP : WORD_SEG_ALLOC, r->size);
		else
			put_entry(x, r, mapped ? WORD_UNMAP : WORD_SEG_FREE, r->size);
	} else if (is_inside(r) && r->act == ACT_ALLOC) {
		put_entry(x, r, WORD_ALLOC, r->size);
	} else if (is_inside(r) && r->act == ACT_FREE) {
		put_entry(x, r, WORD_FREE_1, r->size);
		put_entry(x, r, WORD_FREE_2, r->size);
	} else if (r->act == ACT_OOM) {
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
			       : r.device == device && (counts(r.kind) || r.kind == KIND_MAPPING ||
							r.act == ACT_OOM))
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
	image_put_capture(&x);
	sw_end(w);
	return sw_finish(w);
}
