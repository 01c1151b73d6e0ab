/* SPDX-License-Identifier: MIT
 * diff_tree.c -- both states of a diff as one tree of calls: who called, what changed below.
 */
#include "passes/diff_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "passes/holders.h"

/* Frames between the outermost and the innermost ones of a deeper path are left out. */
#define MAX_PATH 48

struct builder {
	struct diff_tree *t;
	const struct diff *d;
	struct hashmap children; /* of parent and key to the node */
	VEC(uint64_t) of_stack;  /* bytes of each stack of the side at hand */
};

/* --- nodes ------------------------------------------------------------------------------------- */

static int child_of(struct builder *b, uint32_t parent, struct diff_node like, uint64_t key,
		    uint32_t *out, struct error *err)
{
	uint64_t hash = hash_combine(hash_u64(parent), key);
	const uint64_t *known = hashmap_get(&b->children, hash);
	int rc;

	if (known) {
		*out = (uint32_t)*known;
		return 0;
	}
	like.parent = parent;
	like.first_child = DIFF_NO_NODE;
	like.depth = b->t->at.at[parent].depth + 1;
	like.next = b->t->at.at[parent].first_child;
	*out = (uint32_t)b->t->at.n;
	if ((rc = hashmap_put(&b->children, hash, *out, err)) < 0 ||
	    (rc = vec_push(&b->t->at, like, b->t->budget, err)) < 0)
		return rc;
	b->t->at.at[parent].first_child = *out;
	if (like.depth > b->t->depth)
		b->t->depth = like.depth;
	return 0;
}

/* In the words of new where it has the frame. */
static struct diff_node node_of(const struct builder *b, int side, frame_id frame, uint64_t *key)
{
	struct diff_node n = {.frame = frame, .kind = SITE_FRAME};

	if (side == 0 && b->d->match.of_base.at[frame.i])
		n.frame.i = b->d->match.of_base.at[frame.i];
	else
		n.in_base = side == 0;
	*key = (uint64_t)n.frame.i << 1 | n.in_base;
	return n;
}

/* The user's frames and the innermost Python frame, or the site where there are none, outermost
 * first. */
static size_t path_of(const struct model *m, stack_id stack, frame_id path[MAX_PATH])
{
	size_t depth = stacks_depth(&m->stacks, stack), n = 0;
	struct site site = site_of_stack(m, stack);
	bool has_python = false;

	for (size_t k = 0; k < depth; k++) {
		frame_id f = m->stacks.pool.at[m->stacks.start.at[stack.i] + k];

		if (!frame_is_user(m, f) && (has_python || !frame_is_python(m, f)))
			continue;
		has_python = true;
		if (n == MAX_PATH)
			memmove(path + MAX_PATH / 2, path + MAX_PATH / 2 + 1,
				(MAX_PATH / 2 - 1) * sizeof *path);
		path[n == MAX_PATH ? MAX_PATH - 1 : n++] = f;
	}
	if (n == 0 && site.kind == SITE_FRAME)
		path[n++] = site.frame;
	for (size_t i = 0; i < n / 2; i++) {
		frame_id f = path[i];

		path[i] = path[n - 1 - i];
		path[n - 1 - i] = f;
	}
	return n;
}

static int add_stack(struct builder *b, int side, stack_id stack, uint64_t bytes, struct error *err)
{
	const struct model *m = side ? b->d->new.model : b->d->base.model;
	frame_id path[MAX_PATH];
	size_t n = path_of(m, stack, path);
	uint32_t at = 0;
	int rc = 0;

	b->t->at.at[0].bytes[side] += bytes;
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint64_t key;
		struct diff_node like = node_of(b, side, path[i], &key);

		if ((rc = child_of(b, at, like, key, &at, err)) == 0)
			b->t->at.at[at].bytes[side] += bytes;
	}
	if (rc == 0 && n == 0) {
		struct site site = site_of_stack(m, stack);
		struct diff_node like = {.kind = site.kind};

		rc = child_of(b, at, like, UINT64_MAX - (uint64_t)site.kind, &at, err);
		if (rc == 0)
			b->t->at.at[at].bytes[side] += bytes;
	}
	if (rc == 0)
		b->t->at.at[at].own[side] += bytes;
	return rc;
}

static int add_side(struct builder *b, int side, struct error *err)
{
	const struct diff_side *s = side ? &b->d->new : &b->d->base;
	struct block_stacks stacks = block_stacks_of(s->model, s->state);
	size_t n = s->model->stacks.start.n;
	int rc = 0;

	b->of_stack.n = 0;
	if ((rc = vec_reserve(&b->of_stack, n + 1, b->t->budget, err)) < 0)
		return rc;
	memset(b->of_stack.at, 0, (n + 1) * sizeof *b->of_stack.at);
	for (size_t i = 0; i < s->state->blocks.n; i++) {
		const struct state_block *x = &s->state->blocks.at[i];
		stack_id stack = block_stack(&stacks, x);

		if (x->state != BLOCK_INACTIVE && filter_passes(s->filter, stack))
			b->of_stack.at[stack.i] += x->size;
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (b->of_stack.at[i])
			rc = add_stack(b, side, (stack_id){(uint32_t)i}, b->of_stack.at[i], err);
	}
	return rc;
}

/* --- widths ------------------------------------------------------------------------------------ */

static void weigh(struct diff_tree *t)
{
	for (size_t i = t->at.n; i-- > 0;) {
		struct diff_node *n = &t->at.at[i];

		n->weight += n->own[0] > n->own[1] ? n->own[0] : n->own[1];
		if (n->parent != DIFF_NO_NODE)
			t->at.at[n->parent].weight += n->weight;
	}
}

struct by_weight {
	uint32_t node;
	uint64_t weight;
};

static int compare_weight(const void *a, const void *b)
{
	const struct by_weight *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int sort_children(struct diff_tree *t, struct error *err)
{
	VEC(struct by_weight) list = {0};
	int rc = 0;

	for (size_t i = 0; i < t->at.n && rc == 0; i++) {
		list.n = 0;
		for (uint32_t c = t->at.at[i].first_child; c != DIFF_NO_NODE && rc == 0;
		     c = t->at.at[c].next)
			rc = vec_push(&list, ((struct by_weight){c, t->at.at[c].weight}), t->budget,
				      err);
		if (list.n < 2 || rc < 0)
			continue;
		qsort(list.at, list.n, sizeof *list.at, compare_weight);
		t->at.at[i].first_child = list.at[0].node;
		for (size_t k = 0; k < list.n; k++)
			t->at.at[list.at[k].node].next =
				k + 1 < list.n ? list.at[k + 1].node : DIFF_NO_NODE;
	}
	vec_release(&list, t->budget);
	return rc;
}

int diff_tree_init(struct diff_tree *out, const struct diff *d, struct budget *budget,
		   struct error *err)
{
	struct diff_tree t = {.budget = budget};
	struct builder b = {.t = &t, .d = d};
	struct diff_node root = {.parent = DIFF_NO_NODE,
				 .first_child = DIFF_NO_NODE,
				 .next = DIFF_NO_NODE,
				 .kind = SITE_NO_STACK};
	int rc;

	hashmap_init(&b.children, budget);
	if ((rc = vec_push(&t.at, root, budget, err)) < 0 || (rc = add_side(&b, 1, err)) < 0 ||
	    (rc = add_side(&b, 0, err)) < 0)
		goto out;
	weigh(&t);
	if ((rc = sort_children(&t, err)) < 0)
		goto out;
	*out = t;
	t = (struct diff_tree){.budget = budget};
out:
	vec_release(&b.of_stack, budget);
	hashmap_release(&b.children);
	diff_tree_release(&t);
	return rc;
}

void diff_tree_release(struct diff_tree *t)
{
	if (!t->budget)
		return;
	vec_release(&t->at, t->budget);
	t->budget = NULL;
}
