/* SPDX-License-Identifier: MIT
 * image_capture.c -- what a ring image tells beyond PyTorch's format: a dict "capture".
 */
#include "capture/image_private.h"

#include <string.h>

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
	image_put_text(x, v, strlen(v));
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
		[KIND_MAPPING] = "mappings",
		[KIND_GRAPH] = "graph_nodes",
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

/* Used and not seen: contexts, code, stacks of kernels, other processes. */
static uint64_t unaccounted(const struct ring_device *d)
{
	uint64_t used = d->free_bytes < d->total_bytes ? d->total_bytes - d->free_bytes : 0;

	return d->counted_then < used ? used - d->counted_then : 0;
}

static void put_devices(struct writing *x)
{
	const struct ring_header *h = &x->image->header;

	key(x, "devices");
	sw_list(x->w);
	for (int i = 0; i < RING_DEVICES; i++) {
		const struct ring_device *d = &h->devices[i];

		if (!d->total_bytes && !d->counted_bytes && !d->graph_bytes)
			continue;
		sw_dict(x->w);
		number(x, "index", (uint64_t)i);
		number(x, "counted_bytes", d->counted_bytes);
		number(x, "graph_bytes", d->graph_bytes);
		if (d->total_bytes) {
			number(x, "free_bytes", d->free_bytes);
			number(x, "total_bytes", d->total_bytes);
			key(x, "at_us");
			sw_i64(x->w, d->time_us);
			number(x, "unaccounted_bytes", unaccounted(d));
			number(x, "first_used_bytes", d->first_used);
		}
		sw_end(x->w);
	}
	sw_end(x->w);
}

unsigned image_pool_number(struct writing *x, uint64_t handle)
{
	for (unsigned i = 0; handle && i < IMAGE_POOLS; i++) {
		if (x->pools[i] == 0)
			x->pools[i] = handle;
		if (x->pools[i] == handle)
			return i + 1;
	}
	return 0;
}

static bool lies_in(const struct ring_record *block, const struct ring_record *mapping)
{
	return block->kind == KIND_ASYNC && block->device == mapping->device &&
	       ring_aux(block) == mapping->addr;
}

/* Blocks come behind the mapping in which they begin. */
static uint64_t used_bytes(const struct writing *x, size_t i)
{
	uint64_t sum = 0;

	for (size_t k = i + 1; k < x->n_live && x->live[k].kind != KIND_MAPPING; k++)
		sum += lies_in(&x->live[k], &x->live[i]) ? x->live[k].size : 0;
	return sum;
}

/* cuMemAllocAsync's: what they hold, and what of that is in use. */
static void put_pools(struct writing *x)
{
	struct {
		uint64_t reserved, used;
		int device;
	} pools[IMAGE_POOLS] = {0};

	for (size_t i = 0; i < x->n_live; i++) {
		const struct ring_record *r = &x->live[i];
		unsigned n = r->kind == KIND_MAPPING ? image_pool_number(x, ring_aux(r)) : 0;

		if (n == 0)
			continue;
		pools[n - 1].reserved += r->size;
		pools[n - 1].used += used_bytes(x, i);
		pools[n - 1].device = r->device;
	}
	key(x, "pools");
	sw_list(x->w);
	for (unsigned i = 0; i < IMAGE_POOLS && x->pools[i]; i++) {
		sw_dict(x->w);
		/* As in segment_pool_id. */
		number(x, "id", 2 + (uint64_t)i);
		number(x, "handle", x->pools[i]);
		key(x, "device");
		sw_i64(x->w, pools[i].device);
		number(x, "reserved_bytes", pools[i].reserved);
		number(x, "used_bytes", pools[i].used);
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
		image_put_string(x, m->path);
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

void image_put_capture(struct writing *x)
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
	put_pools(x);
	put_modules(x);
	sw_end(x->w);
}
