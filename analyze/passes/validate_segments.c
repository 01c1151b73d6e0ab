/* SPDX-License-Identifier: MIT
 * validate_segments.c -- the invariants of the final segments and blocks, without the trace.
 */
#include <inttypes.h>

#include "base/num.h"
#include "model/rounding.h"
#include "passes/validate_private.h"

struct check {
	struct validation *out;
	const struct model *m;
	const struct device *d;
	const struct segment *s;
	struct error *err;
	int rc;
};

#define NOTE(c, rule_name, at, want, have, ...)                                         \
	((c)->rc = validate_note((c)->out,                                              \
				 (struct violation){.rule = (rule_name),                \
						    .device = (c)->d->index,            \
						    .event = VIOLATION_NO_EVENT,        \
						    .segment_address = (c)->s->address, \
						    .address = (at),                    \
						    .expected = (want),                 \
						    .found = (have)},                   \
				 (c)->err, __VA_ARGS__))

static bool is_private(const struct segment *s)
{
	return s->pool.a != 0 || s->pool.b != 0;
}

/* Sums the file tells of a segment against those of its blocks. */
static void check_sum(struct check *c, const char *rule, const char *what, uint64_t told,
		      uint64_t sum)
{
	if (c->rc < 0 || told == BYTES_NONE || sum == BYTES_NONE || told == sum)
		return;
	NOTE(c, rule, BYTES_NONE, sum, told,
	     "segment 0x%" PRIx64 " says it has %" PRIu64 " %s bytes, its blocks have %" PRIu64,
	     c->s->address, told, what, sum);
}

static void check_sums(struct check *c)
{
	uint64_t total = 0, allocated = 0, active = 0, requested = 0;

	for (uint64_t i = 0; i < c->s->n_blocks; i++) {
		const struct block *b = &c->m->blocks.at[c->s->first_block + i];

		total += b->size;
		if (b->state == BLOCK_INACTIVE)
			continue;
		active += b->size;
		if (b->state == BLOCK_ACTIVE)
			allocated += b->size;
		if (b->requested_size == BYTES_NONE)
			requested = BYTES_NONE;
		else if (requested != BYTES_NONE)
			requested += b->requested_size;
	}
	check_sum(c, "segment-total", "total", c->s->total_size, total);
	check_sum(c, "segment-allocated", "allocated", c->s->allocated_size, allocated);
	check_sum(c, "segment-active", "active", c->s->active_size, active);
	check_sum(c, "segment-requested", "requested", c->s->requested_size, requested);
}

/* Size against request: the rounding of 6.2 and a rest of an unsplit block. */
static void check_block_rest(struct check *c, const struct block *b)
{
	const struct alloc_settings *s = &c->m->settings;
	uint64_t plain = num_round_up(b->requested_size + s->rounding_extra, MIN_BLOCK_BYTES);
	uint64_t rounded = round_size(s, b->requested_size), rest, most = 0;

	if (!s->known || is_private(c->s) || c->d->index == DEVICE_HOST)
		return;
	if (plain < rounded && b->size < rounded)
		rounded = plain; /* allocated before the present settings were made */
	rest = b->size > rounded ? b->size - rounded : 0;
	if (c->s->kind != POOL_SMALL && !c->s->is_expandable)
		most = b->size >= s->max_split_bytes
			       ? num_add_saturated(s->max_non_split_rounding_bytes,
						   SPLIT_REST_BYTES)
			       : SPLIT_REST_BYTES;
	if (rest > most)
		NOTE(c, "block-rest", b->address, rounded + most, b->size,
		     "block 0x%" PRIx64 " has %" PRIu64 " bytes for a request of %" PRIu64
		     ": at most %" PRIu64 " were to be expected",
		     b->address, b->size, b->requested_size, rounded + most);
}

static void check_block(struct check *c, const struct block *b, uint64_t address)
{
	if (b->address != address)
		NOTE(c, "block-address", b->address, address, b->address,
		     "block 0x%" PRIx64 " does not begin where the one before it ends, 0x%" PRIx64,
		     b->address, address);
	if (c->rc == 0 && b->size % MIN_BLOCK_BYTES && c->d->index != DEVICE_HOST)
		NOTE(c, "block-size", b->address, num_round_up(b->size, MIN_BLOCK_BYTES), b->size,
		     "block 0x%" PRIx64 " has %" PRIu64 " bytes, no multiple of 512", b->address,
		     b->size);
	if (c->rc < 0 || b->state == BLOCK_INACTIVE || b->requested_size == BYTES_NONE)
		return;
	if (b->requested_size > b->size)
		NOTE(c, "block-requested", b->address, b->size, b->requested_size,
		     "block 0x%" PRIx64 " of %" PRIu64 " bytes was requested with %" PRIu64
		     ", which is more",
		     b->address, b->size, b->requested_size);
	else
		check_block_rest(c, b);
}

static void check_blocks(struct check *c)
{
	const struct block *prev = NULL;
	uint64_t address = c->s->address;

	for (uint64_t i = 0; i < c->s->n_blocks && c->rc == 0; i++) {
		const struct block *b = &c->m->blocks.at[c->s->first_block + i];

		check_block(c, b, address);
		if (c->rc == 0 && prev && prev->state == BLOCK_INACTIVE &&
		    b->state == BLOCK_INACTIVE)
			NOTE(c, "inactive-neighbours", b->address, BYTES_NONE, BYTES_NONE,
			     "inactive blocks 0x%" PRIx64 " and 0x%" PRIx64
			     " lie side by side: they would have been merged",
			     prev->address, b->address);
		address = b->address + b->size;
		prev = b;
	}
}

/* Sizes that cudaMalloc or the mapping of pages can give. */
static void check_segment_size(struct check *c)
{
	const struct segment *s = c->s;
	uint64_t large = c->m->settings.large_segment_bytes, size = s->total_size;
	bool good = true;

	if (is_private(s) || c->d->index == DEVICE_HOST || s->kind == POOL_UNKNOWN)
		return;
	if (s->is_expandable)
		good = size % (s->kind == POOL_SMALL || !large ? LARGE_UNIT_BYTES : large) == 0;
	else if (s->kind == POOL_SMALL)
		good = size == SMALL_SEGMENT_BYTES;
	else
		good = size == large ||
		       (size >= LARGE_ALLOC_MIN_BYTES && size % LARGE_UNIT_BYTES == 0);
	if (!good)
		NOTE(c, "segment-size", BYTES_NONE, BYTES_NONE, size,
		     "segment 0x%" PRIx64 " has %" PRIu64 " bytes, which no %s%s segment has",
		     s->address, size, s->is_expandable ? "expandable " : "",
		     s->kind == POOL_SMALL ? "small" : "large");
}

static void check_order(struct check *c, const struct segment *prev)
{
	uint64_t end;

	if (!num_add_u64(prev->address, prev->total_size, &end))
		end = UINT64_MAX;
	if (c->s->address < prev->address)
		NOTE(c, "segment-order", c->s->address, prev->address, c->s->address,
		     "segment 0x%" PRIx64 " comes behind 0x%" PRIx64 ", which is above it",
		     c->s->address, prev->address);
	else if (c->s->address < end)
		NOTE(c, "segment-disjoint", c->s->address, end, c->s->address,
		     "segment 0x%" PRIx64 " begins inside the one at 0x%" PRIx64, c->s->address,
		     prev->address);
}

/* There is a list of events for each device, empty or not. */
static void check_device(struct check *c)
{
	uint64_t lists = c->m->n_trace_lists;

	if (lists && c->d->index >= 0 && (uint64_t)c->d->index >= lists)
		NOTE(c, "segment-device", c->s->address, lists - 1, (uint64_t)c->d->index,
		     "segment 0x%" PRIx64 " is of device %" PRId32
		     ", but there are traces of %" PRIu64 " devices only",
		     c->s->address, c->d->index, lists);
}

int validate_segments(struct validation *out, const struct model *m, const struct device *d,
		      struct error *err)
{
	struct check c = {.out = out, .m = m, .d = d, .err = err};

	for (uint64_t i = 0; i < d->n_segments && c.rc == 0; i++) {
		c.s = &m->segments.at[d->first_segment + i];
		if (i == 0)
			check_device(&c);
		if (c.rc == 0)
			check_sums(&c);
		if (c.rc == 0)
			check_blocks(&c);
		if (c.rc == 0)
			check_segment_size(&c);
		if (c.rc == 0 && i > 0)
			check_order(&c, c.s - 1);
	}
	return c.rc;
}
