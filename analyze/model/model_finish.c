/* SPDX-License-Identifier: MIT
 * model_finish.c -- what is derived once all rows are there: devices, rounding, kinds of frames.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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
 * CUDA's rule at least one of them has a block too small for the extra bytes. False: no block
 * tells. */
static bool rounding_extra_from_blocks(const struct model *m, uint32_t *out)
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
		telling++;
		if (b->size < extra) {
			*out = 0;
			return true;
		}
		exact += b->size == extra;
	}
	*out = telling > 0 && exact * 10 >= telling * 9 ? NPU_EXTRA : 0;
	return telling > 0;
}

/* torch_npu's files have neither settings nor times; all others need no second look. */
static bool may_be_npu(const struct model *m)
{
	if (m->settings.known)
		return false;
	for (size_t i = 0; i < m->events.time_us.n; i++)
		if (m->events.time_us.at[i] != TIME_NONE)
			return false;
	return m->events.action.n > 0;
}

/* So many blocks have to lie where only the extra bytes put them. */
#define NPU_NEIGHBOURS 3

/* Where does a block begin behind one that lives? That tells how large the first one is. Ends by
 * CUDA's rule are keys with row 0, those by torch_npu's with row 1; a free takes both away. */
static int look_behind(struct hashmap *ends, const struct model *m, uint64_t row, uint64_t seen[2],
		       struct error *err)
{
	uint64_t address = m->events.addr.at[row], size = m->events.size.at[row];
	enum action action = m->events.action.at[row];
	const uint64_t *rule;
	uint64_t plain, extra;
	int rc;

	if ((action != ACTION_ALLOC && action != ACTION_FREE_COMPLETED) || size == 0 ||
	    size > UINT64_MAX / 4 || address > UINT64_MAX / 4)
		return 0;
	if (action == ACTION_ALLOC && (rule = hashmap_get(ends, address)))
		seen[*rule]++;
	plain = num_round_up(size, MIN_BLOCK_BYTES);
	extra = num_round_up(size + NPU_EXTRA, MIN_BLOCK_BYTES);
	if (plain == extra)
		return 0;
	if (action == ACTION_FREE_COMPLETED) {
		hashmap_remove(ends, address + plain);
		hashmap_remove(ends, address + extra);
		return 0;
	}
	rc = hashmap_put(ends, address + plain, 0, err);
	return rc < 0 ? rc : hashmap_put(ends, address + extra, 1, err);
}

static int rounding_extra_from_events(const struct model *m, uint32_t *out, struct error *err)
{
	struct hashmap ends;
	uint64_t seen[2] = {0};
	int rc = 0;

	hashmap_init(&ends, m->budget);
	for (size_t i = 0; i < m->devices.n && rc == 0; i++) {
		const struct device *d = &m->devices.at[i];

		hashmap_clear(&ends);
		for (uint64_t k = 0; k < d->n_events && rc == 0; k++)
			rc = look_behind(&ends, m, d->first_event + k, seen, err);
	}
	hashmap_release(&ends);
	*out = seen[0] == 0 && seen[1] >= NPU_NEIGHBOURS ? NPU_EXTRA : 0;
	return rc;
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
	if (!rounding_extra_from_blocks(m, &m->settings.rounding_extra) && may_be_npu(m))
		rc = rounding_extra_from_events(m, &m->settings.rounding_extra, err);
	m->stacks_python_only = only_python_frames(m);
	return rc;
}
