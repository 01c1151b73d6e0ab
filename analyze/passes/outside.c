/* SPDX-License-Identifier: MIT
 * outside.c -- what a process holds on a device beside PyTorch's allocator, and for whom.
 */
#include "passes/outside.h"

#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "passes/holders.h"
#include "passes/native_frame.h"

/* ---- the moment ---- */

/* Number of the last event not later than `time_us`. */
static int64_t event_not_later(const struct model *m, const struct device *d, int64_t time_us)
{
	for (uint64_t n = d->n_events; n-- > 0;) {
		int64_t t = m->events.time_us.at[d->first_event + n];

		if (t != TIME_NONE && t <= time_us)
			return (int64_t)n;
	}
	return EVENT_START;
}

static int64_t last_time(const struct model *m, const struct device *d)
{
	return d->n_events ? m->events.time_us.at[d->first_event + d->n_events - 1] : TIME_NONE;
}

/* Without a trace, or at its end, the file's own segments are the state. */
static int state_at(struct state *out, const struct model *m, const struct device *d, int64_t event,
		    struct budget *budget, struct error *err)
{
	struct replay *r;
	int rc;

	if (event + 1 == (int64_t)d->n_events && d->n_segments)
		return state_from_segments(out, m, d, budget, err);
	if ((rc = replay_new(&r, m, d, budget, err)) < 0)
		return rc;
	if ((rc = replay_seek(r, event, err)) == 0)
		rc = replay_state(r, out, err);
	replay_free(r);
	return rc;
}

/* ---- whose it is ---- */

static struct outside_group owner_of(const struct model *m, stack_id stack)
{
	for (size_t k = 0; k < stacks_depth(&m->stacks, stack); k++) {
		frame_id f = m->stacks.pool.at[m->stacks.start.at[stack.i] + k];
		str_id module = native_module(m, f);

		switch (native_code_of(m, f)) {
		case NATIVE_PLUMBING:
			if (!strncmp(path_base(model_str(m, module)), "libc10_cuda", 11))
				return (struct outside_group){.module = module, .allocator = true};
			break;
		case NATIVE_LIBRARY:
		case NATIVE_USER:
			return (struct outside_group){.module = module};
		case NATIVE_NOT:
			break;
		}
	}
	return (struct outside_group){.module = STR_NONE};
}

static void add_group(struct outside *o, struct outside_group g, uint64_t bytes)
{
	struct outside_group *to = NULL;

	for (size_t i = 0; i < o->n_groups && !to; i++)
		if (o->groups[i].module.i == g.module.i && !o->groups[i].others)
			to = &o->groups[i];
	if (!to && o->n_groups < OUTSIDE_GROUPS) {
		to = &o->groups[o->n_groups++];
		*to = g;
	} else if (!to) {
		to = &o->groups[OUTSIDE_GROUPS - 1];
		to->others = true;
		to->module = STR_NONE;
		to->allocator = false;
	}
	to->bytes += bytes;
	to->count++;
}

static bool group_less(const struct outside_group *a, const struct outside_group *b,
		       const void *ctx)
{
	(void)ctx;
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->module.i < b->module.i;
}
SORT_DEFINE(groups_sort, struct outside_group, group_less)

/* The segment of PyTorch's that an address lies in; a state's segments are in order. */
static const struct state_segment *segment_around(const struct state *s, uint64_t address)
{
	size_t low = 0, n = s->segments.n;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (s->segments.at[mid].address <= address)
			low = mid + 1;
		else
			n = mid;
	}
	if (low == 0 || address - s->segments.at[low - 1].address >= s->segments.at[low - 1].size)
		return NULL;
	return &s->segments.at[low - 1];
}

static void lay_over(struct outside *o, const struct model *recording, const struct state *driver,
		     const struct state *torch)
{
	struct block_stacks stacks = block_stacks_of(recording, driver);
	uint64_t held = 0;

	for (size_t i = 0; i < torch->segments.n; i++)
		o->reserved += torch->segments.at[i].size;
	for (size_t i = 0; i < driver->segments.n; i++)
		held += driver->segments.at[i].size;
	for (size_t i = 0; i < driver->blocks.n; i++) {
		const struct state_block *b = &driver->blocks.at[i];

		if (b->state == BLOCK_INACTIVE)
			continue;
		if (segment_around(torch, b->address)) {
			o->pytorch += b->size;
			continue;
		}
		o->named += b->size;
		add_group(o, owner_of(recording, block_stack(&stacks, b)), b->size);
	}
	o->between = held > o->pytorch + o->named ? held - o->pytorch - o->named : 0;
	o->not_seen = o->reserved > o->pytorch ? o->reserved - o->pytorch : 0;
	o->differs = o->reserved > 0 && o->pytorch == 0;
	groups_sort(o->groups, o->n_groups, NULL);
}

/* ---- the card ---- */

static bool number_of(const struct model *m, const struct value *v, const char *key, uint64_t *out)
{
	const struct value *n = value_member(v, &m->strings, key);

	if (!n || n->kind != VALUE_I64 || n->i64 < 0)
		return false;
	*out = (uint64_t)n->i64;
	return true;
}

static const struct value *recorded_device(const struct model *m, int32_t index)
{
	const struct value *list = value_member(m->capture_value, &m->strings, "devices");
	uint64_t n;

	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->items.n; i++)
		if (number_of(m, &list->items.at[i], "index", &n) && n == (uint64_t)index)
			return &list->items.at[i];
	return NULL;
}

uint64_t outside_recorded_total(const struct model *recording, int32_t device)
{
	uint64_t total = 0;

	number_of(recording, recorded_device(recording, device), "total_bytes", &total);
	return total;
}

static void read_card(struct outside *o, const struct model *m, int32_t device, bool at_end,
		      uint64_t device_free)
{
	const struct value *v = recorded_device(m, device);
	uint64_t seen = o->pytorch + o->named + o->between, free, unseen, graphs = 0;

	if (!number_of(m, v, "total_bytes", &o->total) || !o->total ||
	    !number_of(m, v, "free_bytes", &free))
		return;
	o->total_known = true;
	number_of(m, v, "graph_bytes", &graphs);
	if (device_free != BYTES_NONE)
		o->free = device_free;
	else if (number_of(m, v, "unaccounted_bytes", &unseen))
		/* Asked at another moment; what nobody saw is taken to be the same. */
		o->free = num_add_saturated(seen, num_add_saturated(unseen, graphs)) < o->total
				  ? o->total - seen - unseen - graphs
				  : 0;
	else if (at_end)
		o->free = free;
	else
		o->total_known = false;
	o->rest = (int64_t)(o->total - o->free - seen);
}

int outside_find(struct outside *out, const struct model *recording, const struct model *m,
		 const struct state *at, int64_t time_us, uint64_t device_free,
		 struct budget *budget, struct error *err)
{
	const struct device *d = model_device(recording, at->device->index);
	struct state driver = {0}, earlier = {0};
	struct outside o = {.known = true, .recording = recording};
	int64_t end;
	int rc;

	*out = (struct outside){0};
	if (!d || d->index == DEVICE_HOST)
		return 0;
	end = last_time(recording, d);
	o.event = (int64_t)d->n_events - 1;
	if (time_us != TIME_NONE && end != TIME_NONE && time_us <= end) {
		o.event = event_not_later(recording, d, time_us);
	} else if (time_us != TIME_NONE && end != TIME_NONE) {
		device_free = BYTES_NONE;
		rc = state_at(&earlier, m, at->device, event_not_later(m, at->device, end), budget,
			      err);
		if (rc < 0)
			return rc;
	}
	if ((rc = state_at(&driver, recording, d, o.event, budget, err)) == 0) {
		o.time_us =
			o.event < 0
				? TIME_NONE
				: recording->events.time_us.at[d->first_event + (uint64_t)o.event];
		lay_over(&o, recording, &driver, earlier.budget ? &earlier : at);
		read_card(&o, recording, d->index, o.event + 1 == (int64_t)d->n_events,
			  device_free);
		*out = o;
	}
	state_release(&driver);
	state_release(&earlier);
	return rc;
}
