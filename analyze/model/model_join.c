/* SPDX-License-Identifier: MIT
 * model_join.c -- several dumps of one run as one trace.
 */
#include "model/model_join.h"

#include <string.h>

/* How much the same event's time may differ between two dumps. */
#define SAME_TIME_US 1000

/* --- where one begins in the other ------------------------------------------------------------- */

static bool times_agree(int64_t a, int64_t b)
{
	if (a == TIME_NONE || b == TIME_NONE)
		return true;
	return a > b ? a - b <= SAME_TIME_US : b - a <= SAME_TIME_US;
}

static bool same_event(const struct model *a, uint64_t x, const struct model *b, uint64_t y)
{
	return a->events.action.at[x] == b->events.action.at[y] &&
	       a->events.addr.at[x] == b->events.addr.at[y] &&
	       a->events.size.at[x] == b->events.size.at[y] &&
	       times_agree(a->events.time_us.at[x], b->events.time_us.at[y]);
}

/* Is `newer` what `older` is from event i on, as far as both go? */
static bool overlaps_at(const struct model *older, const struct device *o,
			const struct model *newer, const struct device *n, uint64_t i)
{
	uint64_t both = o->n_events - i < n->n_events ? o->n_events - i : n->n_events;

	for (uint64_t k = 0; k < both; k++) {
		if (!same_event(older, o->first_event + i + k, newer, n->first_event + k))
			return false;
	}
	return both > 0;
}

/* A few events that agree by chance are no overlap, unless they are all there is. */
#define MIN_OVERLAP 16

uint64_t model_join_overlap(const struct model *older, const struct model *newer, int32_t device)
{
	const struct device *o = model_device(older, device), *n = model_device(newer, device);
	uint64_t all;

	if (!o || !n || o->n_events == 0 || n->n_events == 0 || o->counted || n->counted)
		return JOIN_NO_OVERLAP;
	all = o->n_events < n->n_events ? o->n_events : n->n_events;
	for (uint64_t i = 0; i < o->n_events; i++) {
		uint64_t left = o->n_events - i;

		if (left < MIN_OVERLAP && left < all)
			break;
		if (overlaps_at(older, o, newer, n, i))
			return i;
	}
	return JOIN_NO_OVERLAP;
}

/* --- copying ----------------------------------------------------------------------------------- */

/* Rows of one source model to rows of the new one; 0 is 0 everywhere, and STACK_EMPTY itself. */
struct translation {
	const struct model *from;
	struct model *to;
	VEC(uint32_t) strings, frames, stacks, attrs;
	VEC(frame_id) scratch;
};

static int translate_strings(struct translation *t, struct error *err)
{
	struct budget *b = t->to->budget;
	int rc = vec_reserve(&t->strings, t->from->strings.rows.n, b, err);

	for (size_t i = 0; i < t->from->strings.rows.n && rc == 0; i++) {
		const struct str *s = strtab_get(&t->from->strings, (str_id){(uint32_t)i});
		str_id id = STR_NONE;

		if (i)
			rc = strtab_add(&t->to->strings, s->bytes, s->length, &id, err);
		t->strings.at[t->strings.n++] = id.i;
	}
	return rc;
}

static str_id string_of(const struct translation *t, str_id id)
{
	return (str_id){t->strings.at[id.i]};
}

static int translate_frames(struct translation *t, struct error *err)
{
	const struct stacks *s = &t->from->stacks;
	int rc = vec_reserve(&t->frames, s->frames.n + 1, t->to->budget, err);

	if (rc == 0)
		t->frames.at[t->frames.n++] = 0;
	for (size_t i = 1; i < s->frames.n && rc == 0; i++) {
		struct frame f = s->frames.at[i];
		frame_id id = {0};

		f.name = string_of(t, f.name);
		f.file = string_of(t, f.file);
		rc = stacks_add_frame(&t->to->stacks, f, &id, err);
		t->frames.at[t->frames.n++] = id.i;
	}
	return rc;
}

static int translate_stacks(struct translation *t, struct error *err)
{
	const struct stacks *s = &t->from->stacks;
	size_t n = s->start.n ? s->start.n - 1 : 0;
	struct budget *b = t->to->budget;
	int rc = vec_reserve(&t->stacks, n, b, err);

	for (size_t i = 0; i < n && rc == 0; i++) {
		stack_id from = {(uint32_t)i}, id = from;
		size_t depth = stacks_depth(s, from);

		if (i > STACK_EMPTY.i && (rc = vec_reserve(&t->scratch, depth, b, err)) == 0) {
			for (size_t k = 0; k < depth; k++)
				t->scratch.at[k].i = t->frames.at[s->pool.at[s->start.at[i] + k].i];
			rc = stacks_add(&t->to->stacks, t->scratch.at, depth, &id, err);
		}
		t->stacks.at[t->stacks.n++] = id.i;
	}
	return rc;
}

static stack_id stack_of(const struct translation *t, stack_id id)
{
	return (stack_id){t->stacks.at[id.i]};
}

/* Attributes of both models stand behind one another; that some are equal does no harm. */
static int translate_attrs(struct translation *t, struct error *err)
{
	struct budget *b = t->to->budget;
	int rc = vec_reserve(&t->attrs, t->from->attrs.n, b, err);

	for (size_t i = 0; i < t->from->attrs.n && rc == 0; i++) {
		struct attr a = t->from->attrs.at[i];

		t->attrs.at[t->attrs.n++] = i ? (uint32_t)t->to->attrs.n : 0;
		if (!i)
			continue;
		a.action_name = string_of(t, a.action_name);
		a.compile_context = string_of(t, a.compile_context);
		a.user_metadata = string_of(t, a.user_metadata);
		a.internal_metadata = string_of(t, a.internal_metadata);
		a.category = string_of(t, a.category);
		a.forward_stack = stack_of(t, a.forward_stack);
		rc = vec_push(&t->to->attrs, a, b, err);
	}
	return rc;
}

static int translate(struct translation *t, struct error *err)
{
	int rc;

	if ((rc = translate_strings(t, err)) < 0 || (rc = translate_frames(t, err)) < 0 ||
	    (rc = translate_stacks(t, err)) < 0)
		return rc;
	return translate_attrs(t, err);
}

static void translation_release(struct translation *t)
{
	struct budget *b = t->to->budget;

	vec_release(&t->strings, b);
	vec_release(&t->frames, b);
	vec_release(&t->stacks, b);
	vec_release(&t->attrs, b);
	vec_release(&t->scratch, b);
}

static int copy_events(const struct translation *t, const struct device *d, uint64_t n,
		       struct error *err)
{
	const struct events *from = &t->from->events;
	struct events *to = &t->to->events;
	struct budget *b = t->to->budget;

	for (uint64_t e = d->first_event; e < d->first_event + n; e++) {
		int rc;

		if ((rc = vec_push(&to->action, from->action.at[e], b, err)) < 0 ||
		    (rc = vec_push(&to->addr, from->addr.at[e], b, err)) < 0 ||
		    (rc = vec_push(&to->size, from->size.at[e], b, err)) < 0 ||
		    (rc = vec_push(&to->time_us, from->time_us.at[e], b, err)) < 0 ||
		    (rc = vec_push(&to->stack, stack_of(t, from->stack.at[e]), b, err)) < 0 ||
		    (rc = vec_push(&to->attr, ((attr_id){t->attrs.at[from->attr.at[e].i]}), b,
				   err)) < 0)
			return rc;
	}
	return 0;
}

static int copy_segments(const struct translation *t, const struct device *d, struct error *err)
{
	const struct model *from = t->from;
	struct model *to = t->to;

	for (uint64_t i = 0; i < d->n_segments; i++) {
		struct segment s = from->segments.at[d->first_segment + i];
		uint64_t first = s.first_block;
		int rc;

		s.first_block = to->blocks.n;
		s.stack = stack_of(t, s.stack);
		if ((rc = vec_push(&to->segments, s, to->budget, err)) < 0)
			return rc;
		for (uint64_t k = 0; k < s.n_blocks; k++) {
			struct block b = from->blocks.at[first + k];

			b.stack = stack_of(t, b.stack);
			if ((rc = vec_push(&to->blocks, b, to->budget, err)) < 0)
				return rc;
		}
	}
	return 0;
}

/* Those of the older dump that the newer one does not have, in front. */
static int copy_annotations(const struct translation *t, int64_t before_us, struct error *err)
{
	for (size_t i = 0; i < t->from->annotations.n; i++) {
		struct annotation a = t->from->annotations.at[i];
		int rc;

		if (a.time_us != TIME_NONE && a.time_us >= before_us)
			continue;
		if (a.time_us == TIME_NONE && before_us != INT64_MAX)
			continue;
		a.name = string_of(t, a.name);
		if ((rc = vec_push(&t->to->annotations, a, t->to->budget, err)) < 0)
			return rc;
	}
	return 0;
}

/* A little earlier than the first annotation of the newer one: clocks differ. */
static int64_t first_annotation(const struct model *m)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < m->annotations.n; i++) {
		int64_t us = m->annotations.at[i].time_us;

		if (us != TIME_NONE && us < first)
			first = us;
	}
	return first > INT64_MIN + SAME_TIME_US && first != INT64_MAX ? first - SAME_TIME_US
								      : first;
}

static void copy_facts(struct translation *t)
{
	const struct model *from = t->from;
	struct model *to = t->to;

	to->settings = from->settings;
	to->file = string_of(t, from->file);
	to->format = from->format;
	to->compression = from->compression;
	to->pickle_protocol = from->pickle_protocol;
	to->raw_bytes = from->raw_bytes;
	to->decoded_bytes = from->decoded_bytes;
	to->writer = from->writer;
	to->has_traces = from->has_traces;
	to->has_segments = from->has_segments;
	to->partial = from->partial;
	to->damage = from->damage;
}

static int join(struct model *m, const struct model *older, uint64_t n, const struct model *newer,
		int32_t device, struct error *err)
{
	struct translation from = {.from = older, .to = m}, to = {.from = newer, .to = m};
	const struct device *o = model_device(older, device), *d = model_device(newer, device);
	struct device row = *d;
	int rc;

	if ((rc = translate(&from, err)) < 0 || (rc = translate(&to, err)) < 0 ||
	    (rc = copy_events(&from, o, n, err)) < 0 ||
	    (rc = copy_events(&to, d, d->n_events, err)) < 0 ||
	    (rc = copy_segments(&to, d, err)) < 0 ||
	    (rc = copy_annotations(&from, first_annotation(newer), err)) < 0 ||
	    (rc = copy_annotations(&to, INT64_MAX, err)) < 0)
		goto out;
	copy_facts(&to);
	row.first_event = row.first_segment = 0;
	row.n_events += n;
	row.overflow_known = n ? o->overflow_known : d->overflow_known;
	row.overflowed = n ? o->overflowed : d->overflowed;
	row.name = string_of(&to, row.name);
	rc = vec_push(&m->devices, row, m->budget, err);
out:
	translation_release(&from);
	translation_release(&to);
	return rc;
}

int model_join(struct model **out, const struct model *older, uint64_t n, const struct model *newer,
	       int32_t device, struct budget *budget, struct error *err)
{
	struct model *m;
	int rc = model_new(&m, budget, err);

	if (rc < 0)
		return rc;
	if ((rc = join(m, older, n, newer, device, err)) < 0 || (rc = model_finish(m, err)) < 0) {
		model_free(m);
		return rc;
	}
	*out = m;
	return 0;
}
