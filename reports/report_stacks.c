/* SPDX-License-Identifier: MIT
 * report_stacks.c -- stacks of a file as one tree from the outermost frame on.
 */
#include "reports/report_stacks.h"

#include <string.h>

int report_stacks_init(struct report_stacks *s, const struct model *m, struct budget *budget,
		       struct error *err)
{
	size_t n = m->stacks.start.n ? m->stacks.start.n - 1 : 0;
	int rc;

	*s = (struct report_stacks){.budget = budget, .m = m};
	hashmap_init(&s->nodes, budget);
	hashmap_init(&s->frame_rows, budget);
	hashmap_init(&s->site_rows, budget);
	rc = vec_reserve(&s->row_of_stack, n, budget, err);
	if (rc == 0 && n) {
		memset(s->row_of_stack.at, 0, n * sizeof *s->row_of_stack.at);
		s->row_of_stack.n = n;
	}
	if (rc == 0)
		rc = vec_push(&s->tree, ((struct report_node){0, 0}), budget, err);
	if (rc == 0)
		rc = vec_push(&s->frames, ((frame_id){0}), budget, err);
	if (rc < 0)
		report_stacks_release(s);
	return rc;
}

void report_stacks_release(struct report_stacks *s)
{
	if (!s->budget)
		return;
	hashmap_release(&s->nodes);
	hashmap_release(&s->frame_rows);
	hashmap_release(&s->site_rows);
	vec_release(&s->tree, s->budget);
	vec_release(&s->frames, s->budget);
	vec_release(&s->sites, s->budget);
	vec_release(&s->stack_node, s->budget);
	vec_release(&s->stack_site, s->budget);
	vec_release(&s->row_of_stack, s->budget);
	*s = (struct report_stacks){0};
}

static int frame_row(struct report_stacks *s, frame_id frame, uint32_t *row, struct error *err)
{
	const uint64_t *found = hashmap_get(&s->frame_rows, frame.i);
	int rc;

	*row = found ? (uint32_t)*found : (uint32_t)s->frames.n;
	if (found)
		return 0;
	if ((rc = vec_push(&s->frames, frame, s->budget, err)) < 0)
		return rc;
	return hashmap_put(&s->frame_rows, frame.i, *row, err);
}

static int child_of(struct report_stacks *s, uint32_t parent, uint32_t frame, uint32_t *node,
		    struct error *err)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	const uint64_t *found = hashmap_get(&s->nodes, key);
	int rc;

	*node = found ? (uint32_t)*found : (uint32_t)s->tree.n;
	if (found)
		return 0;
	rc = vec_push(&s->tree, ((struct report_node){parent, frame}), s->budget, err);
	return rc < 0 ? rc : hashmap_put(&s->nodes, key, *node, err);
}

static int site_row(struct report_stacks *s, struct site site, uint32_t *row, struct error *err)
{
	uint64_t key = (uint64_t)site.kind << 32 | (site.kind == SITE_FRAME ? site.frame.i : 0);
	const uint64_t *found = hashmap_get(&s->site_rows, key);
	int rc;

	*row = found ? (uint32_t)*found : (uint32_t)s->sites.n;
	if (found)
		return 0;
	if ((rc = vec_push(&s->sites, site, s->budget, err)) < 0)
		return rc;
	return hashmap_put(&s->site_rows, key, *row, err);
}

int report_stacks_row(struct report_stacks *s, stack_id stack, uint32_t *row, struct error *err)
{
	uint32_t node = 0, frame, site;
	int rc;

	if (s->row_of_stack.at[stack.i]) {
		*row = s->row_of_stack.at[stack.i] - 1;
		return 0;
	}
	for (size_t k = stacks_depth(&s->m->stacks, stack); k-- > 0;) {
		frame_id id = s->m->stacks.pool.at[s->m->stacks.start.at[stack.i] + k];

		if ((rc = frame_row(s, id, &frame, err)) < 0 ||
		    (rc = child_of(s, node, frame, &node, err)) < 0)
			return rc;
	}
	if ((rc = site_row(s, site_of_stack(s->m, stack), &site, err)) < 0 ||
	    (rc = vec_push(&s->stack_node, node, s->budget, err)) < 0 ||
	    (rc = vec_push(&s->stack_site, site, s->budget, err)) < 0)
		return rc;
	*row = (uint32_t)s->stack_node.n - 1;
	s->row_of_stack.at[stack.i] = *row + 1;
	return 0;
}
