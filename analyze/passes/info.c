/* SPDX-License-Identifier: MIT
 * info.c -- what is in a file: counts, totals and peaks of every device, in one pass each.
 */
#include "passes/info.h"

#include "base/hash.h"

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

static int find_steps(struct info_device *out, struct study *s, struct error *err)
{
	const struct device *d = out->device;
	const struct purpose *p;

	if (d->n_events > INFO_STEP_EVENTS && !(s->steps && s->steps->step_marker))
		return 0;
	out->steps_looked_for = true;
	if (d->counted || d->n_events == 0)
		return 0;
	p = study_purpose(s, d, err);
	if (!p)
		return (int)err->code;
	out->n_steps = p->phases.steps.n;
	out->step_source = p->phases.source;
	out->step_confidence = p->phases.confidence;
	return 0;
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

static int add_device(struct info *i, struct study *study, const struct device *d,
		      struct error *err)
{
	struct info_device out = {.device = d, .peak_time_us = TIME_NONE};
	const struct model *m = study->m;
	const struct replay *r = study_replay(study, d, err);
	int rc;

	if (!r)
		return (int)err->code;
	out.replay = *replay_summary(r);
	if ((rc = find_steps(&out, study, err)) < 0)
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

int info_run(struct info *out, struct study *s, struct error *err)
{
	struct info i = {.budget = s->budget};
	const struct model *m = s->m;
	struct error own;
	int rc = 0;

	if (!err)
		err = &own;
	for (size_t k = 0; k < m->devices.n && rc == 0; k++) {
		const struct device *d = &m->devices.at[k];

		if (d->index != DEVICE_HOST) {
			rc = add_device(&i, s, d, err);
			continue;
		}
		i.host_segments = d->n_segments;
		for (uint64_t n = d->first_segment; n < d->first_segment + d->n_segments; n++)
			i.host_bytes += m->segments.at[n].total_size;
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
