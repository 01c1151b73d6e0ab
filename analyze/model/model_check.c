/* SPDX-License-Identifier: MIT
 * model_check.c -- every invariant of the model's tables, for tests and debug builds.
 */
#include "model/model.h"

#include <stdlib.h>

#define CHECK(condition, ...)                                                          \
	do {                                                                           \
		if (!(condition))                                                      \
			return error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, __VA_ARGS__); \
	} while (0)

static int check_stacks(const struct model *m, struct error *err)
{
	const struct stacks *s = &m->stacks;

	CHECK(s->start.n == s->hashes.n + 1, "stacks: %zu starts, %zu hashes", s->start.n,
	      s->hashes.n);
	CHECK(s->start.at[s->start.n - 1] == s->pool.n,
	      "stacks: the last one does not end the pool");
	for (size_t i = 1; i < s->start.n; i++)
		CHECK(s->start.at[i - 1] <= s->start.at[i], "stack %zu: negative depth", i - 1);
	for (uint32_t i = 2; i < s->hashes.n; i++)
		CHECK(stacks_depth(s, (stack_id){i}) > 0, "stack %u: no frames", i);
	for (size_t i = 0; i < s->pool.n; i++)
		CHECK(s->pool.at[i].i > 0 && s->pool.at[i].i < s->frames.n,
		      "stack pool %zu: frame %u out of range", i, s->pool.at[i].i);
	for (size_t i = 1; i < s->frames.n; i++)
		CHECK(s->frames.at[i].name.i < m->strings.rows.n &&
			      s->frames.at[i].file.i < m->strings.rows.n,
		      "frame %zu: string out of range", i);
	return 0;
}

struct range {
	uint64_t first, n;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Do two of them overlap? They are sorted by it. */
static bool ranges_overlap(struct range *r, size_t n)
{
	if (n > 1)
		qsort(r, n, sizeof *r, compare_ranges);
	for (size_t i = 1; i < n; i++)
		if (r[i].first - r[i - 1].first < r[i - 1].n)
			return true;
	return false;
}

/* Each event belongs to one device at most, each block to one segment. */
static int check_owners(const struct model *m, struct error *err)
{
	size_t most = m->devices.n > m->segments.n ? m->devices.n : m->segments.n;
	struct range *r = malloc((most + 1) * sizeof *r);
	bool events, blocks;
	size_t n = 0;

	if (!r)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i].n_events)
			r[n++] = (struct range){m->devices.at[i].first_event,
						m->devices.at[i].n_events};
	events = ranges_overlap(r, n);
	n = 0;
	for (size_t i = 0; i < m->segments.n; i++)
		if (m->segments.at[i].n_blocks)
			r[n++] = (struct range){m->segments.at[i].first_block,
						m->segments.at[i].n_blocks};
	blocks = ranges_overlap(r, n);
	free(r);
	CHECK(!events, "devices share events");
	CHECK(!blocks, "segments share blocks");
	return 0;
}

static int check_strings(const struct model *m, struct error *err)
{
	for (uint32_t i = 1; i < m->strings.rows.n; i++) {
		const struct str *s = &m->strings.rows.at[i];

		CHECK(strtab_find(&m->strings, s->bytes, s->length).i == i,
		      "string %u: not found under its own bytes", i);
		CHECK(s->bytes[s->length] == '\0', "string %u: not terminated", i);
	}
	return 0;
}

static int check_events(const struct model *m, struct error *err)
{
	const struct events *e = &m->events;
	size_t n = e->action.n;

	CHECK(e->addr.n == n && e->size.n == n && e->time_us.n == n && e->stack.n == n &&
		      e->attr.n == n,
	      "event columns have different lengths");
	for (size_t i = 0; i < n; i++) {
		CHECK(e->action.at[i] < ACTION_COUNT, "event %zu: action out of range", i);
		CHECK(e->stack.at[i].i < m->stacks.hashes.n, "event %zu: stack out of range", i);
		CHECK(e->attr.at[i].i < m->attrs.n, "event %zu: attr out of range", i);
	}
	for (size_t i = 0; i < m->attrs.n; i++) {
		const struct attr *a = &m->attrs.at[i];

		CHECK(a->action_name.i < m->strings.rows.n &&
			      a->compile_context.i < m->strings.rows.n &&
			      a->user_metadata.i < m->strings.rows.n &&
			      a->internal_metadata.i < m->strings.rows.n &&
			      a->category.i < m->strings.rows.n &&
			      a->forward_stack.i < m->stacks.hashes.n,
		      "attr %zu: id out of range", i);
	}
	return 0;
}

static int check_segments(const struct model *m, struct error *err)
{
	for (size_t i = 0; i < m->segments.n; i++) {
		const struct segment *s = &m->segments.at[i];

		CHECK(s->first_block <= m->blocks.n && s->n_blocks <= m->blocks.n - s->first_block,
		      "segment %zu: blocks out of range", i);
		CHECK(s->kind <= POOL_UNKNOWN, "segment %zu: kind out of range", i);
		CHECK(s->stack.i < m->stacks.hashes.n, "segment %zu: stack out of range", i);
	}
	for (size_t i = 0; i < m->blocks.n; i++) {
		CHECK(m->blocks.at[i].stack.i < m->stacks.hashes.n, "block %zu: stack out of range",
		      i);
		CHECK(m->blocks.at[i].state <= BLOCK_PENDING, "block %zu: state out of range", i);
	}
	return 0;
}

static int check_devices(const struct model *m, struct error *err)
{
	uint64_t segments = 0;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];

		CHECK(d->first_event <= m->events.action.n &&
			      d->n_events <= m->events.action.n - d->first_event,
		      "device %d: events out of range", (int)d->index);
		CHECK(d->n_segments == 0 || d->first_segment == segments,
		      "device %d: segments do not follow the device before", (int)d->index);
		segments += d->n_segments;
		CHECK(segments <= m->segments.n, "device %d: segments out of range", (int)d->index);
		for (uint64_t k = 0; k < d->n_segments; k++)
			CHECK(m->segments.at[d->first_segment + k].device == d->index,
			      "device %d: holds a segment of another device", (int)d->index);
		CHECK(d->n_events + d->n_segments > 0, "device %d: empty", (int)d->index);
		CHECK(i == 0 || d->index == DEVICE_HOST || m->devices.at[i - 1].index < d->index,
		      "devices are not in order");
	}
	CHECK(segments == m->segments.n, "segments that belong to no device");
	return 0;
}

int model_check(const struct model *m, struct error *err)
{
	int rc;

	if ((rc = check_strings(m, err)) < 0 || (rc = check_stacks(m, err)) < 0 ||
	    (rc = check_events(m, err)) < 0 || (rc = check_segments(m, err)) < 0 ||
	    (rc = check_devices(m, err)) < 0 || (rc = check_owners(m, err)) < 0)
		return rc;
	CHECK(stacks_are_unique(&m->stacks), "stacks: equal rows, or one that is not found");
	for (size_t i = 0; i < m->annotations.n; i++)
		CHECK(m->annotations.at[i].name.i < m->strings.rows.n,
		      "annotation %zu: name out of range", i);
	CHECK(m->file.i < m->strings.rows.n, "file name out of range");
	return 0;
}
