/* SPDX-License-Identifier: MIT
 * load_user_defined.c -- annotations that nightlies of mid-2024 wrote among the events.
 */
#include "base/sort.h"
#include "model/load_private.h"

/* An annotation and the row of its event, which decides between equal times. */
struct mark {
	struct annotation a;
	uint64_t row;
};

static bool mark_less(const struct mark *a, const struct mark *b, const void *unused)
{
	(void)unused;
	return a->a.time_us != b->a.time_us ? a->a.time_us < b->a.time_us : a->row < b->row;
}

SORT_DEFINE(sort_marks, struct mark, mark_less)

/* The one frame of such an event says where a range begins or ends, and in place of a file which. */
static bool read_mark(struct mark *out, const struct model *m, const struct device *d, uint64_t row)
{
	stack_id stack = m->events.stack.at[row];
	const struct frame *f;

	if (m->events.action.at[row] != ACTION_USER_DEFINED || stacks_depth(&m->stacks, stack) != 1)
		return false;
	f = &m->stacks.frames.at[m->stacks.pool.at[m->stacks.start.at[stack.i]].i];
	if (f->name.i != STAGE_WORD_START && f->name.i != STAGE_WORD_END)
		return false;
	*out = (struct mark){
		.a = {.name = f->file,
		      .time_us = m->events.time_us.at[row],
		      .device = d->index,
		      .is_end = f->name.i == STAGE_WORD_END},
		.row = row,
	};
	return true;
}

int loader_take_user_defined(struct loader *l, struct error *err)
{
	struct model *m = l->model;
	VEC(struct mark) found = {0};
	struct mark mark;
	int rc = 0;

	if (m->annotations.n > 0)
		return 0;
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];

		for (uint64_t k = d->first_event; k < d->first_event + d->n_events; k++)
			if (read_mark(&mark, m, d, k) &&
			    (rc = vec_push(&found, mark, l->budget, err)) < 0)
				goto out;
	}
	sort_marks(found.at, found.n, NULL);
	for (size_t i = 0; i < found.n && rc == 0; i++)
		rc = vec_push(&m->annotations, found.at[i].a, l->budget, err);
out:
	vec_release(&found, l->budget);
	return rc;
}
