/* SPDX-License-Identifier: MIT
 * model_finish.c -- what is derived once all rows are there: devices, rounding, kinds of frames.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "model/model.h"
#include "model/rounding.h"

/* Devices in the order people count them, pinned host memory behind them. */
static int64_t device_rank(int32_t index)
{
	return index == DEVICE_HOST ? INT64_MAX : index;
}

static int compare_devices(const void *a, const void *b)
{
	int64_t x = device_rank(((const struct device *)a)->index);
	int64_t y = device_rank(((const struct device *)b)->index);

	return (x > y) - (x < y);
}

/* Stable, so that the file's order inside a device stays: equal devices compare by their blocks'
 * position, which rises with the file. */
static int compare_segments(const void *a, const void *b)
{
	const struct segment *s = a, *t = b;
	int64_t x = device_rank(s->device), y = device_rank(t->device);

	if (x != y)
		return x < y ? -1 : 1;
	return (s->file_order > t->file_order) - (s->file_order < t->file_order);
}

static bool segments_in_order(const struct model *m)
{
	for (size_t i = 1; i < m->segments.n; i++)
		if (device_rank(m->segments.at[i - 1].device) >
		    device_rank(m->segments.at[i].device))
			return false;
	return true;
}

static struct device *device_with(struct model *m, int32_t index)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i].index == index)
			return &m->devices.at[i];
	return NULL;
}

/* Give each device its run of segments, adding devices that have no events. */
static int assign_segments(struct model *m, struct error *err)
{
	for (size_t i = 0; i < m->segments.n; i++)
		m->segments.at[i].file_order = (uint32_t)i;
	if (!segments_in_order(m))
		qsort(m->segments.at, m->segments.n, sizeof *m->segments.at, compare_segments);
	for (size_t i = 0, end; i < m->segments.n; i = end) {
		int32_t index = m->segments.at[i].device;
		struct device *d = device_with(m, index);

		for (end = i; end < m->segments.n && m->segments.at[end].device == index;)
			end++;
		if (!d) {
			struct device fresh = {.index = index, .max_entries = BYTES_NONE};
			int rc = vec_push(&m->devices, fresh, m->budget, err);

			if (rc < 0)
				return rc;
			d = &m->devices.at[m->devices.n - 1];
			d->trace_meets_segments = true;
		}
		d->first_segment = i;
		d->n_segments = end - i;
	}
	return 0;
}

/* A device has a row when it has events or segments. */
static void drop_empty_devices(struct model *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i].n_events || m->devices.at[i].n_segments)
			m->devices.at[kept++] = m->devices.at[i];
	m->devices.n = kept;
}

#define NPU_EXTRA 32u

/* torch_npu adds 32 bytes before rounding to 512. Requests where that makes a difference tell: with
 * CUDA's rule at least one of them has a block too small for the extra bytes. */
static uint32_t rounding_extra_from_blocks(const struct model *m)
{
	uint64_t telling = 0, exact = 0;

	for (size_t i = 0; i < m->blocks.n; i++) {
		const struct block *b = &m->blocks.at[i];

		if (b->state == BLOCK_INACTIVE || b->requested_size == BYTES_NONE ||
		    b->requested_size == 0 || b->requested_size > UINT64_MAX / 2)
			continue;
		uint64_t plain = num_round_up(b->requested_size, MIN_BLOCK_BYTES);
		uint64_t extra = num_round_up(b->requested_size + NPU_EXTRA, MIN_BLOCK_BYTES);
		if (plain == extra)
			continue;
		if (b->size < extra)
			return 0;
		telling++;
		exact += b->size == extra;
	}
	return telling > 0 && exact * 10 >= telling * 9 ? NPU_EXTRA : 0;
}

static bool is_python_file(const struct str *file)
{
	return (file->length > 3 && memcmp(file->bytes + file->length - 3, ".py", 3) == 0) ||
	       (file->length > 0 && file->bytes[0] == '<');
}

static bool only_python_frames(const struct model *m)
{
	for (size_t i = 1; i < m->stacks.frames.n; i++)
		if (!is_python_file(strtab_get(&m->strings, m->stacks.frames.at[i].file)))
			return false;
	return m->stacks.frames.n > 1;
}

static int compare_before(const void *a, const void *b)
{
	const struct block_before *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

int model_finish(struct model *m, struct error *err)
{
	int rc = assign_segments(m, err);

	if (rc < 0)
		return rc;
	drop_empty_devices(m);
	if (m->devices.n > 1)
		qsort(m->devices.at, m->devices.n, sizeof *m->devices.at, compare_devices);
	if (m->blocks_before.n > 1)
		qsort(m->blocks_before.at, m->blocks_before.n, sizeof *m->blocks_before.at,
		      compare_before);
	m->settings.rounding_extra = rounding_extra_from_blocks(m);
	m->stacks_python_only = only_python_frames(m);
	return 0;
}
