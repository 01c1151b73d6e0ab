/* SPDX-License-Identifier: MIT
 * diff_tree.h -- both states of a diff as one tree of calls: who called, what changed below.
 *
 * A path goes from the outermost frame inwards and has the user's own frames, and the innermost
 * Python frame behind them. Frames of base are those of new that they were matched to.
 */
#ifndef ANALYZE_PASSES_DIFF_TREE_H
#define ANALYZE_PASSES_DIFF_TREE_H

#include "passes/diff.h"

#define DIFF_NO_NODE UINT32_MAX

struct diff_node {
	uint32_t parent, first_child, next; /* DIFF_NO_NODE: none */
	uint32_t depth;
	bool in_base;        /* the frame's words are those of base: new has no such frame */
	frame_id frame;      /* row 0: a special one, or the root */
	enum site_kind kind; /* SITE_FRAME, or what stands for it */
	uint64_t bytes[2];   /* of the blocks here and below: base, new */
	uint64_t own[2];     /* of the blocks whose path ends here */
	uint64_t weight;     /* width: of each path the larger of both sides */
};

struct diff_tree {
	struct budget *budget; /* weak */
	VEC(struct diff_node)
	at;             /* at[0] is the root; parents come before children, which are
					linked largest weight first */
	uint32_t depth; /* of the deepest node */
};

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int diff_tree_init(struct diff_tree *out, const struct diff *d, struct budget *budget,
		   struct error *err);
void diff_tree_release(struct diff_tree *t);

#endif
