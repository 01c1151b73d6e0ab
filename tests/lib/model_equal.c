/* SPDX-License-Identifier: MIT
 * model_equal.c -- two models row by row.
 */
#include "tests/lib/model_equal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	const struct model *a, *b;
	char *buf;
	size_t size;
};

static bool differ(const struct pair *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Always false, for `return differ(...)`. */
static bool differ(const struct pair *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->buf, p->size, fmt, ap);
	va_end(ap);
	return false;
}

static bool same_str(const struct pair *p, str_id x, str_id y)
{
	const struct str *s = strtab_get(&p->a->strings, x), *t = strtab_get(&p->b->strings, y);

	return !x.i == !y.i && s->length == t->length && memcmp(s->bytes, t->bytes, s->length) == 0;
}

static bool same_stack(const struct pair *p, stack_id x, stack_id y)
{
	const struct stacks *s = &p->a->stacks, *t = &p->b->stacks;
	size_t n = stacks_depth(s, x);

	if (n != stacks_depth(t, y) || (n == 0 && x.i != y.i))
		return false;
	for (size_t k = 0; k < n; k++) {
		const struct frame *f = stacks_frame(s, x, k), *g = stacks_frame(t, y, k);

		if (!same_str(p, f->name, g->name) || !same_str(p, f->file, g->file) ||
		    f->line != g->line)
			return false;
	}
	return true;
}

static bool same_attr(const struct pair *p, const struct attr *x, const struct attr *y)
{
	return x->stream == y->stream && x->has_stream == y->has_stream && x->pool.a == y->pool.a &&
	       x->pool.b == y->pool.b && x->has_pool == y->has_pool &&
	       same_str(p, x->action_name, y->action_name) &&
	       same_str(p, x->compile_context, y->compile_context) &&
	       same_str(p, x->user_metadata, y->user_metadata) &&
	       same_str(p, x->internal_metadata, y->internal_metadata) &&
	       same_str(p, x->category, y->category) &&
	       same_stack(p, x->forward_stack, y->forward_stack);
}

static bool same_event(const struct pair *p, uint64_t i, uint64_t j)
{
	const struct events *e = &p->a->events, *f = &p->b->events;

	return e->action.at[i] == f->action.at[j] && e->addr.at[i] == f->addr.at[j] &&
	       e->size.at[i] == f->size.at[j] && e->time_us.at[i] == f->time_us.at[j] &&
	       same_stack(p, e->stack.at[i], f->stack.at[j]) &&
	       same_attr(p, &p->a->attrs.at[e->attr.at[i].i], &p->b->attrs.at[f->attr.at[j].i]);
}

static bool same_block(const struct pair *p, const struct block *x, const struct block *y)
{
	return x->address == y->address && x->size == y->size &&
	       x->requested_size == y->requested_size && x->state == y->state &&
	       same_stack(p, x->stack, y->stack);
}

static bool same_segment(const struct pair *p, const struct segment *x, const struct segment *y)
{
	if (x->address != y->address || x->total_size != y->total_size ||
	    x->allocated_size != y->allocated_size || x->active_size != y->active_size ||
	    x->requested_size != y->requested_size || x->stream != y->stream ||
	    x->pool.a != y->pool.a || x->pool.b != y->pool.b || x->has_pool != y->has_pool ||
	    x->device != y->device || x->kind != y->kind || x->is_expandable != y->is_expandable ||
	    x->file_order != y->file_order || x->n_blocks != y->n_blocks ||
	    !same_stack(p, x->stack, y->stack))
		return false;
	for (uint64_t k = 0; k < x->n_blocks; k++)
		if (!same_block(p, &p->a->blocks.at[x->first_block + k],
				&p->b->blocks.at[y->first_block + k]))
			return false;
	return true;
}

static bool same_segments(const struct pair *p)
{
	if (p->a->segments.n != p->b->segments.n)
		return differ(p, "%zu and %zu segments", p->a->segments.n, p->b->segments.n);
	for (size_t i = 0; i < p->a->segments.n; i++)
		if (!same_segment(p, &p->a->segments.at[i], &p->b->segments.at[i]))
			return differ(p, "segment %zu", i);
	return true;
}

static bool same_events(const struct pair *p, const struct device *d, const struct device *e)
{
	for (uint64_t k = 0; k < d->n_events; k++)
		if (!same_event(p, d->first_event + k, e->first_event + k))
			return differ(p, "device %d: event %" PRIu64, (int)d->index, k);
	return true;
}

static bool same_devices(const struct pair *p)
{
	if (p->a->devices.n != p->b->devices.n)
		return differ(p, "%zu and %zu devices", p->a->devices.n, p->b->devices.n);
	for (size_t i = 0; i < p->a->devices.n; i++) {
		const struct device *d = &p->a->devices.at[i], *e = &p->b->devices.at[i];

		if (d->index != e->index || d->n_events != e->n_events ||
		    d->first_segment != e->first_segment || d->n_segments != e->n_segments ||
		    d->max_entries != e->max_entries || d->overflow_known != e->overflow_known ||
		    d->overflowed != e->overflowed ||
		    d->trace_meets_segments != e->trace_meets_segments)
			return differ(p, "device %zu", i);
		if (!same_events(p, d, e))
			return false;
	}
	return true;
}

static bool same_annotations(const struct pair *p)
{
	if (p->a->annotations.n != p->b->annotations.n)
		return differ(p, "%zu and %zu annotations", p->a->annotations.n,
			      p->b->annotations.n);
	for (size_t i = 0; i < p->a->annotations.n; i++) {
		const struct annotation *x = &p->a->annotations.at[i];
		const struct annotation *y = &p->b->annotations.at[i];

		if (!same_str(p, x->name, y->name) || x->time_us != y->time_us ||
		    x->device != y->device || x->is_end != y->is_end)
			return differ(p, "annotation %zu", i);
	}
	return true;
}

static bool same_value(const struct pair *p, const struct value *x, const struct value *y)
{
	if (!x != !y)
		return false;
	if (!x)
		return true;
	if (x->kind != y->kind || !same_str(p, x->key, y->key))
		return false;
	switch (x->kind) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		return x->boolean == y->boolean;
	case VALUE_STR:
		return same_str(p, x->str, y->str);
	case VALUE_LIST:
	case VALUE_DICT:
		if (x->items.n != y->items.n)
			return false;
		for (size_t i = 0; i < x->items.n; i++)
			if (!same_value(p, &x->items.at[i], &y->items.at[i]))
				return false;
		return true;
	default:
		return x->u64 == y->u64;
	}
}

static bool same_settings(const struct pair *p)
{
	const struct alloc_settings *x = &p->a->settings, *y = &p->b->settings;

	if (!same_value(p, p->a->settings_value, p->b->settings_value))
		return differ(p, "allocator_settings");
	if (x->max_split_bytes != y->max_split_bytes ||
	    x->max_non_split_rounding_bytes != y->max_non_split_rounding_bytes ||
	    x->large_segment_bytes != y->large_segment_bytes ||
	    x->gc_threshold != y->gc_threshold ||
	    x->expandable_segments != y->expandable_segments || x->known != y->known ||
	    memcmp(x->roundup_divisions, y->roundup_divisions, sizeof x->roundup_divisions) != 0 ||
	    x->rounding_extra != y->rounding_extra)
		return differ(p, "the settings understood");
	return true;
}

static uint64_t tally_of(const struct model *m, const struct tally *rows, size_t n,
			 const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(model_str(m, rows[i].name), name) == 0)
			return rows[i].count;
	return 0;
}

static bool same_tallies(const struct pair *p, const struct tally *x, size_t n,
			 const struct tally *y, size_t n_y, const char *what)
{
	if (n != n_y)
		return differ(p, "%zu and %zu %s", n, n_y, what);
	for (size_t i = 0; i < n; i++)
		if (tally_of(p->b, y, n, model_str(p->a, x[i].name)) != x[i].count)
			return differ(p, "%s: %s", what, model_str(p->a, x[i].name));
	return true;
}

static bool same_rest(const struct pair *p)
{
	const struct model *a = p->a, *b = p->b;

	if (strcmp(a->writer, b->writer) != 0)
		return differ(p, "writer: %s and %s", a->writer, b->writer);
	if (a->has_traces != b->has_traces || a->has_segments != b->has_segments)
		return differ(p, "which lists there are");
	if (a->stacks_python_only != b->stacks_python_only)
		return differ(p, "whether stacks are of Python only");
	if (stacks_count(&a->stacks) != stacks_count(&b->stacks))
		return differ(p, "%zu and %zu stacks", stacks_count(&a->stacks),
			      stacks_count(&b->stacks));
	if (stacks_frame_count(&a->stacks) != stacks_frame_count(&b->stacks))
		return differ(p, "%zu and %zu frames", stacks_frame_count(&a->stacks),
			      stacks_frame_count(&b->stacks));
	return same_tallies(p, a->unknown_keys.at, a->unknown_keys.n, b->unknown_keys.at,
			    b->unknown_keys.n, "unknown keys") &&
	       same_tallies(p, a->unknown_actions.at, a->unknown_actions.n, b->unknown_actions.at,
			    b->unknown_actions.n, "unknown actions");
}

const char *model_difference(const struct model *a, const struct model *b, char *buf, size_t size)
{
	const struct pair p = {.a = a, .b = b, .buf = buf, .size = size};

	buf[0] = '\0';
	if (same_devices(&p) && same_segments(&p) && same_annotations(&p) && same_settings(&p))
		same_rest(&p);
	return buf;
}

const char *model_prefix_difference(const struct model *part, const struct model *whole, char *buf,
				    size_t size)
{
	const struct pair p = {.a = part, .b = whole, .buf = buf, .size = size};

	buf[0] = '\0';
	for (size_t i = 0; i < part->devices.n; i++) {
		const struct device *d = &part->devices.at[i];
		const struct device *e = model_device(whole, d->index);

		if (!e || e->n_events < d->n_events || e->n_segments < d->n_segments) {
			differ(&p, "device %d has more than the whole", (int)d->index);
			return buf;
		}
		if (!same_events(&p, d, e))
			return buf;
		for (uint64_t k = 0; k < d->n_segments; k++)
			if (!same_segment(&p, &part->segments.at[d->first_segment + k],
					  &whole->segments.at[e->first_segment + k])) {
				differ(&p, "device %d: segment %" PRIu64, (int)d->index, k);
				return buf;
			}
	}
	return buf;
}
