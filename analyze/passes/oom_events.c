/* SPDX-License-Identifier: MIT
 * oom_events.c -- the oom events of one device, and which of them the program took in its stride.
 */
#include "passes/oom_events.h"

#include "passes/site.h"

/* The Python frames of a stack, innermost first, one call of next_python a time. */
struct python_frames {
	const struct model *m;
	stack_id stack;
	size_t k;
};

/* 0: no more. */
static uint32_t next_python(struct python_frames *p)
{
	const struct stacks *s = &p->m->stacks;

	while (p->k < stacks_depth(s, p->stack)) {
		frame_id f = s->pool.at[s->start.at[p->stack.i] + p->k++];

		if (frame_is_python(p->m, f))
			return f.i;
	}
	return 0;
}

static bool same_python_stack(const struct model *m, stack_id a, stack_id b)
{
	struct python_frames x = {m, a, 0}, y = {m, b, 0};
	uint32_t f, g;

	if (a.i == b.i)
		return stacks_depth(&m->stacks, a) > 0;
	do {
		f = next_python(&x);
		g = next_python(&y);
		if (f != g)
			return false;
	} while (f);
	return stacks_depth(&m->stacks, a) > 0 && stacks_depth(&m->stacks, b) > 0;
}

/* The outermost Python frame, 0 when the stack has none. */
static uint32_t python_root(const struct model *m, stack_id stack)
{
	const struct stacks *s = &m->stacks;

	for (size_t k = stacks_depth(s, stack); k-- > 0;) {
		frame_id f = s->pool.at[s->start.at[stack.i] + k];

		if (frame_is_python(m, f))
			return f.i;
	}
	return 0;
}

/* Lines differ as a script moves on; its outermost function does not. */
static bool same_thread(const struct model *m, stack_id a, stack_id b)
{
	const struct frame *f = &m->stacks.frames.at[python_root(m, a)];
	const struct frame *g = &m->stacks.frames.at[python_root(m, b)];

	if (stacks_depth(&m->stacks, a) == 0 || stacks_depth(&m->stacks, b) == 0)
		return true;
	return f->file.i == g->file.i && f->name.i == g->name.i;
}

/* The next request after an oom, while walking from the last event to the first. */
struct next_request {
	bool known;
	uint64_t row;     /* of the event columns */
	bool was_retried; /* when it is an oom */
};

static bool is_retried(const struct model *m, uint64_t row, const struct next_request *next)
{
	const struct events *e = &m->events;

	if (!next->known || !same_thread(m, e->stack.at[row], e->stack.at[next->row]))
		return false;
	return e->size.at[next->row] < e->size.at[row] || next->was_retried ||
	       same_python_stack(m, e->stack.at[row], e->stack.at[next->row]);
}

static void reverse(struct oom_events *o)
{
	for (size_t i = 0; i < o->at.n / 2; i++) {
		struct oom_event swap = o->at.at[i];

		o->at.at[i] = o->at.at[o->at.n - 1 - i];
		o->at.at[o->at.n - 1 - i] = swap;
	}
}

int oom_events_find(struct oom_events *out, const struct model *m, const struct device *d,
		    struct budget *budget, struct error *err)
{
	struct oom_events found = {0};
	struct next_request next = {0};
	int rc;

	for (uint64_t n = d->n_events; n-- > 0;) {
		uint64_t row = d->first_event + n;
		enum action action = m->events.action.at[row];
		struct oom_event oom = {.event = (int64_t)n};

		if (action == ACTION_FREE_REQUESTED) {
			next.known = false;
		} else if (action == ACTION_ALLOC) {
			next = (struct next_request){.known = true, .row = row};
		} else if (action == ACTION_OOM) {
			oom.retried = is_retried(m, row, &next);
			next = (struct next_request){true, row, oom.retried};
			if ((rc = vec_push(&found.at, oom, budget, err)) < 0) {
				vec_release(&found.at, budget);
				return rc;
			}
		}
	}
	reverse(&found);
	*out = found;
	return 0;
}
