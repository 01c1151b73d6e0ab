/* SPDX-License-Identifier: MIT
 * model.c -- the model's life, its words, and look-ups.
 */
#include "model/model.h"

#include <assert.h>
#include <stdlib.h>

static const char *const action_names[ACTION_COUNT] = {
	[ACTION_OTHER] = "other",
	[ACTION_ALLOC] = "alloc",
	[ACTION_FREE_REQUESTED] = "free_requested",
	[ACTION_FREE_COMPLETED] = "free_completed",
	[ACTION_SEGMENT_ALLOC] = "segment_alloc",
	[ACTION_SEGMENT_FREE] = "segment_free",
	[ACTION_SEGMENT_MAP] = "segment_map",
	[ACTION_SEGMENT_UNMAP] = "segment_unmap",
	[ACTION_OOM] = "oom",
	[ACTION_SNAPSHOT] = "snapshot",
	[ACTION_ANNOTATE] = "annotate",
	[ACTION_USER_DEFINED] = "user_defined",
};

const char *action_name(enum action a)
{
	assert(a < ACTION_COUNT);
	return action_names[a];
}

const char *block_state_name(enum block_state s)
{
	static const char *const names[] = {
		[BLOCK_INACTIVE] = "inactive",
		[BLOCK_ACTIVE] = "active_allocated",
		[BLOCK_PENDING] = "active_pending_free",
	};

	assert(s <= BLOCK_PENDING);
	return names[s];
}

const char *history_name(enum history h)
{
	static const char *const names[] = {
		[HISTORY_NONE] = "none",
		[HISTORY_COMPLETE] = "complete",
		[HISTORY_TRUNCATED] = "truncated",
		[HISTORY_LATE_START] = "late_start",
	};

	assert(h <= HISTORY_LATE_START);
	return names[h];
}

const char *timeline_category_name(unsigned category)
{
	static const char *const names[TIMELINE_CATEGORIES] = {
		"PARAMETER",  "OPTIMIZER_STATE", "INPUT",           "TEMPORARY",
		"ACTIVATION", "GRADIENT",        "AUTOGRAD_DETAIL", "UNKNOWN",
	};

	assert(category < TIMELINE_CATEGORIES);
	return names[category];
}

/* Room from the start: `&column.at[first]` of an empty list is then a pointer, too. */
static int reserve_rows(struct model *m, struct error *err)
{
	struct budget *b = m->budget;
	int rc;

	if ((rc = vec_reserve(&m->events.action, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->events.addr, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->events.size, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->events.time_us, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->events.stack, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->events.attr, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->segments, 1, b, err)) < 0 ||
	    (rc = vec_reserve(&m->blocks, 1, b, err)) < 0)
		return rc;
	return 0;
}

int model_new(struct model **out, struct budget *budget, struct error *err)
{
	struct model *m = budget_realloc(budget, NULL, 0, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	*m = (struct model){
		.budget = budget,
		.pickle_protocol = -1,
		.writer = "unknown",
		.settings =
			{
				.max_split_bytes = UINT64_MAX,
				.max_non_split_rounding_bytes = UINT64_C(20) << 20,
				.large_segment_bytes = UINT64_C(20) << 20,
			},
	};
	arena_init(&m->arena, budget);
	if ((rc = strtab_init(&m->strings, budget, err)) < 0 ||
	    (rc = stacks_init(&m->stacks, budget, err)) < 0 ||
	    (rc = vec_push(&m->attrs, (struct attr){0}, budget, err)) < 0 ||
	    (rc = reserve_rows(m, err)) < 0) {
		model_free(m);
		return rc;
	}
	*out = m;
	return 0;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	struct budget *b = m->budget;

	vec_release(&m->events.action, b);
	vec_release(&m->events.addr, b);
	vec_release(&m->events.size, b);
	vec_release(&m->events.time_us, b);
	vec_release(&m->events.stack, b);
	vec_release(&m->events.attr, b);
	vec_release(&m->events.time_ns, b);
	vec_release(&m->events.allocated, b);
	vec_release(&m->events.reserved, b);
	vec_release(&m->trace.devices, b);
	vec_release(&m->timeline, b);
	vec_release(&m->attrs, b);
	vec_release(&m->segments, b);
	vec_release(&m->blocks, b);
	vec_release(&m->annotations, b);
	vec_release(&m->frame_owners, b);
	vec_release(&m->frame_modules, b);
	vec_release(&m->blocks_before, b);
	vec_release(&m->devices, b);
	vec_release(&m->unknown_keys, b);
	vec_release(&m->unknown_actions, b);
	vec_release(&m->problems, b);
	stacks_release(&m->stacks);
	strtab_release(&m->strings);
	arena_release(&m->arena);
	budget_free(b, m, sizeof *m);
}

const struct device *model_device(const struct model *m, int32_t index)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i].index == index)
			return &m->devices.at[i];
	return NULL;
}

const char *model_str(const struct model *m, str_id id)
{
	return strtab_get(&m->strings, id)->bytes;
}

uint64_t model_size_before(const struct model *m, int32_t device, uint64_t address)
{
	size_t low = 0, high = m->blocks_before.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct block_before *b = &m->blocks_before.at[mid];

		if (b->device < device || (b->device == device && b->address < address))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == m->blocks_before.n || m->blocks_before.at[low].device != device ||
	    m->blocks_before.at[low].address != address)
		return 0;
	return m->blocks_before.at[low].size;
}
