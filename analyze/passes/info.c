/* SPDX-License-Identifier: MIT
 * info.c -- what is in a file: counts, totals and peaks of every device, in one pass each.
 */
#include "passes/info.h"

#include "base/hash.h"
#include "passes/allocations.h"
#include "passes/phases.h"
#include "passes/rules.h"

static int add_ooms(struct info *i, struct info_device *out, const struct model *m,
		    struct error *err)
{
	const struct device *d = out->device;
	const struct events *ev = &m->events;
	int rc = 0;

	out->first_oom = i->ooms.n;
	for (uint64_t n = 0; n < d->n_events && rc == 0; n++) {
		uint64_t row = d->first_event + n;

		if (ev->action.at[row] != ACTION_OOM)
			continue;
		rc = vec_push(&i->ooms,
			      ((struct info_oom){
				      .event = (int64_t)n,
				      .time_us = ev->time_us.at[row],
				      .requested = ev->size.at[row],
				      .device_free = ev->addr.at[row],
			      }),
			      i->budget, err);
	}
	out->n_ooms = i->ooms.n - out->first_oom;
	return rc;
}

/* Unknown actions are told apart by their attr row's name; there are few rows of either. */
static int add_unknown_actions(struct info *i, const struct device *d, const struct model *m,
			       struct error *err)
{
	struct hashmap counts;
	size_t n_names = m->unknown_actions.n;
	int rc = 0;

	hashmap_init(&counts, i->budget);
	for (uint64_t n = 0; n < d->n_events && rc == 0; n++) {
		uint64_t row = d->first_event + n;
		uint64_t name, *have;

		if (m->events.action.at[row] != ACTION_OTHER)
			continue;
		name = m->attrs.at[m->events.attr.at[row].i].action_name.i;
		have = hashmap_get(&counts, name);
		if (have)
			++*have;
		else
			rc = hashmap_put(&counts, name, 1, err);
	}
	for (size_t k = 0; k < n_names && rc == 0; k++) {
		str_id name = m->unknown_actions.at[k].name;
		const uint64_t *have = hashmap_get(&counts, name.i);

		if (have)
			rc = vec_push(&i->actions,
				      ((struct info_action){model_str(m, name), *have}), i->budget,
				      err);
	}
	hashmap_release(&counts);
	return rc;
}

static int add_actions(struct info *i, struct info_device *out, const struct model *m,
		       struct error *err)
{
	const struct device *d = out->device;
	uint64_t counts[ACTION_COUNT] = {0};
	int rc = 0;

	out->first_action = i->actions.n;
	for (uint64_t n = 0; n < d->n_events; n++)
		counts[m->events.action.at[d->first_event + n]]++;
	for (int a = ACTION_OTHER + 1; a < ACTION_COUNT && rc == 0; a++) {
		if (counts[a])
			rc = vec_push(
				&i->actions,
				((struct info_action){action_name((enum action)a), counts[a]}),
				i->budget, err);
	}
	if (rc == 0 && counts[ACTION_OTHER])
		rc = add_unknown_actions(i, d, m, err);
	out->n_actions = i->actions.n - out->first_action;
	return rc;
}

static void find_times(struct info_device *out, const struct model *m)
{
	const struct device *d = out->device;
	uint64_t end = d->first_event + d->n_events;

	out->first_time_us = out->last_time_us = TIME_NONE;
	for (uint64_t row = d->first_event; row < end && out->first_time_us == TIME_NONE; row++)
		out->first_time_us = m->events.time_us.at[row];
	for (uint64_t row = end; row > d->first_event && out->last_time_us == TIME_NONE; row--)
		out->last_time_us = m->events.time_us.at[row - 1];
}

/* `end` is what the file says, also where the trace disagrees. */
static void sum_segments(struct info_device *out, const struct model *m)
{
	const struct device *d = out->device;
	struct totals t = {0};
	bool requested_known = true;

	for (uint64_t s = d->first_segment; s < d->first_segment + d->n_segments; s++) {
		const struct segment *seg = &m->segments.at[s];

		t.reserved += seg->total_size;
		out->n_blocks += seg->n_blocks;
		for (uint64_t b = seg->first_block; b < seg->first_block + seg->n_blocks; b++) {
			const struct block *block = &m->blocks.at[b];

			if (block->state == BLOCK_INACTIVE)
				continue;
			t.active += block->size;
			t.allocated += block->state == BLOCK_ACTIVE ? block->size : 0;
			if (block->requested_size == BYTES_NONE)
				requested_known = false;
			else
				t.requested += block->requested_size;
		}
	}
	if (!requested_known)
		t.requested = BYTES_NONE;
	out->end = t;
}

static int find_steps(struct info_device *out, const struct model *m, struct replay *r,
		      const struct phases_options *steps, struct budget *budget, struct error *err)
{
	struct stack_rules stacks = {0};
	struct allocations lives = {0};
	struct phases phases = {0};
	struct rules *rules;
	int rc;

	if (out->device->n_events > INFO_STEP_EVENTS && !(steps && steps->step_marker))
		return 0;
	out->steps_looked_for = true;
	if (out->device->counted || out->device->n_events == 0)
		return 0;
	if ((rc = rules_new(&rules, budget, err)) < 0)
		return rc;
	if ((rc = stack_rules_init(&stacks, rules, m, budget, err)) == 0 &&
	    (rc = allocations_run(&lives, m, r, out->device, budget, err)) == 0 &&
	    (rc = phases_run(&phases, &lives, &stacks, steps, budget, err)) == 0) {
		out->n_steps = phases.steps.n;
		out->step_source = phases.source;
		out->step_confidence = phases.confidence;
		phases_release(&phases);
	}
	if (lives.budget)
		allocations_release(&lives);
	if (stacks.budget)
		stack_rules_release(&stacks);
	rules_free(rules);
	return rc;
}

static int count_no_stack(struct info_device *out, const struct model *m, struct budget *budget,
			  struct error *err)
{
	struct state end = {0};
	int rc;

	if (!out->device->n_segments)
		return 0;
	if ((rc = state_from_segments(&end, m, out->device, budget, err)) < 0)
		return rc;
	out->no_stack = no_stack_count(m, &end, out->replay.history);
	state_release(&end);
	return 0;
}

static int add_device(struct info *i, const struct device *d, const struct model *m,
		      const struct phases_options *steps, struct error *err)
{
	struct info_device out = {.device = d, .peak_time_us = TIME_NONE};
	struct replay *r;
	int rc = replay_new(&r, m, d, i->budget, err);

	if (rc < 0)
		return rc;
	out.replay = *replay_summary(r);
	rc = find_steps(&out, m, r, steps, i->budget, err);
	replay_free(r);
	if (rc < 0)
		return rc;
	if ((rc = count_no_stack(&out, m, i->budget, err)) < 0)
		return rc;
	sum_segments(&out, m);
	if (!d->n_segments && d->n_events && !d->trace_meets_segments)
		out.end = out.replay.end;
	find_times(&out, m);
	if (out.replay.allocated.event != EVENT_START)
		out.peak_time_us =
			m->events.time_us.at[d->first_event + (uint64_t)out.replay.allocated.event];
	rc = add_actions(i, &out, m, err);
	if (rc == 0)
		rc = add_ooms(i, &out, m, err);
	return rc < 0 ? rc : vec_push(&i->devices, out, i->budget, err);
}

static int add_annotations(struct info *i, const struct model *m, struct error *err)
{
	struct hashmap rows; /* name -> row of info.annotations */
	int rc = 0;

	hashmap_init(&rows, i->budget);
	for (size_t k = 0; k < m->annotations.n && rc == 0; k++) {
		const struct annotation *a = &m->annotations.at[k];
		const uint64_t *row = hashmap_get(&rows, a->name.i);

		if (row) {
			i->annotations.at[*row].count += !a->is_end;
			continue;
		}
		rc = hashmap_put(&rows, a->name.i, i->annotations.n, err);
		if (rc == 0)
			rc = vec_push(&i->annotations, ((struct info_name){a->name, 1}), i->budget,
				      err);
	}
	hashmap_release(&rows);
	return rc;
}

int info_run(struct info *out, const struct model *m, const struct phases_options *steps,
	     struct budget *budget, struct error *err)
{
	struct info i = {.budget = budget};
	int rc = 0;

	for (size_t k = 0; k < m->devices.n && rc == 0; k++) {
		const struct device *d = &m->devices.at[k];

		if (d->index != DEVICE_HOST) {
			rc = add_device(&i, d, m, steps, err);
			continue;
		}
		i.host_segments = d->n_segments;
		for (uint64_t s = d->first_segment; s < d->first_segment + d->n_segments; s++)
			i.host_bytes += m->segments.at[s].total_size;
	}
	if (rc == 0)
		rc = add_annotations(&i, m, err);
	if (rc < 0)
		info_release(&i);
	else
		*out = i;
	return rc;
}

void info_release(struct info *i)
{
	vec_release(&i->devices, i->budget);
	vec_release(&i->actions, i->budget);
	vec_release(&i->ooms, i->budget);
	vec_release(&i->annotations, i->budget);
}
