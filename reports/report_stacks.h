/* SPDX-License-Identifier: MIT
 * report_stacks.h -- stacks of a file as one tree from the outermost frame on, for the page's script.
 *
 * Stacks share their outer frames, so a tree takes one or two bytes a stack, and a flame graph is
 * one walk over it. Node 0 is the root; a node's parent has a lower number.
 */
#ifndef REPORTS_REPORT_STACKS_H
#define REPORTS_REPORT_STACKS_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/model.h"
#include "passes/site.h"

struct report_node {
	uint32_t parent;
	uint32_t frame; /* row of report_stacks.frames */
};

struct report_stacks {
	struct budget *budget; /* weak */
	const struct model *m; /* weak */
	struct hashmap nodes;  /* parent, frame -> node */
	struct hashmap frame_rows, site_rows;
	VEC(struct report_node) tree;
	VEC(frame_id) frames;       /* used ones; row 0: none */
	VEC(struct site) sites;     /* used ones */
	VEC(uint32_t) stack_node;   /* of each row of a stack that is used */
	VEC(uint32_t) stack_site;   /* and its site */
	VEC(uint32_t) row_of_stack; /* 1 + row, by stack id; 0: not used yet */
};

int report_stacks_init(struct report_stacks *s, const struct model *m, struct budget *budget,
		       struct error *err);
void report_stacks_release(struct report_stacks *s);

/* The row of a stack, added when new. Errors: ERR_LIMIT, ERR_NOMEM. */
int report_stacks_row(struct report_stacks *s, stack_id stack, uint32_t *row, struct error *err);

#endif
