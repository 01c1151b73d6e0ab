/* SPDX-License-Identifier: MIT
 * batch_points.c -- one file's memory over time in a batch: by category, in a few parts.
 */
#include "reports/batch_collect.h"

#include "passes/timeline.h"

#define PARTS 48

static void add_categories(struct batch *b, const struct timeline *t, const struct stack_column *at)
{
	static const size_t columns[CATEGORY_COUNT] = {
		[CATEGORY_PARAMETER] = POINTS_PARAMETER,
		[CATEGORY_OPTIMIZER_STATE] = POINTS_OPTIMIZER_STATE,
		[CATEGORY_INPUT] = POINTS_INPUT,
		[CATEGORY_TEMPORARY] = POINTS_TEMPORARY,
		[CATEGORY_ACTIVATION] = POINTS_ACTIVATION,
		[CATEGORY_GRADIENT] = POINTS_GRADIENT,
		[CATEGORY_AUTOGRAD_DETAIL] = POINTS_AUTOGRAD_DETAIL,
		[CATEGORY_UNKNOWN] = POINTS_UNKNOWN,
	};

	for (size_t g = 0; g < t->stack.groups->n; g++)
		batch_set_u64(b, BATCH_POINTS, columns[t->stack.groups->of[g].category],
			      at->bytes[g]);
}

static int add_points(struct batch *b, size_t file, const struct timeline *t, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < t->stack.n_columns && rc == 0; i++) {
		const struct stack_column *at = &t->stack.columns[i];

		rc = batch_add_row(b, BATCH_POINTS, file, err);
		if (rc < 0)
			break;
		batch_set_int(b, BATCH_POINTS, POINTS_DEVICE, t->device->index);
		batch_set_u64(b, BATCH_POINTS, POINTS_POINT, i);
		batch_set_int(b, BATCH_POINTS, POINTS_EVENT, at->event);
		batch_set_u64(b, BATCH_POINTS, POINTS_ALLOCATED, at->total);
		batch_set_u64(b, BATCH_POINTS, POINTS_RESERVED,
			      reduce_cell(&t->series, i, TIMELINE_RESERVED)->max);
		add_categories(b, t, at);
	}
	return rc;
}

int batch_collect_points(struct batch *b, size_t file, const struct model *m,
			 const struct device *d, struct replay *r, const struct purpose *p,
			 struct error *err)
{
	/* Programs wait for most of their time: parts of it would show little. */
	struct timeline_options o = {.columns = PARTS,
				     .by_event = true,
				     .from = EVENT_START,
				     .to = (int64_t)d->n_events - 1};
	struct budget *budget = m->budget;
	struct timeline_groups groups;
	struct timeline t;
	int rc = 0;

	if (!d->n_events)
		return 0;
	if (p)
		rc = timeline_groups_run(&groups, GROUP_CATEGORY, &p->allocations, &p->categories,
					 o.from, o.to, replay_summary(r)->allocated.event, budget,
					 err);
	else
		timeline_groups_of_rows(&groups, m, budget);
	if (rc < 0)
		return rc;
	o.groups = &groups;
	rc = timeline_run(&t, m, r, d, &o, budget, err);
	if (rc == 0) {
		rc = add_points(b, file, &t, err);
		timeline_release(&t);
	}
	timeline_groups_release(&groups);
	return rc;
}
