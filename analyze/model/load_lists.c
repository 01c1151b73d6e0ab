/* SPDX-License-Identifier: MIT
 * load_lists.c -- lists and tuples while loading: stacks, ranges of rows, pool ids, plain nodes.
 */
#include <string.h>

#include "model/load_private.h"

const char *loader_words(const struct loader *l, cell c)
{
	static const char *const empties[] = {"an empty list", "an empty dict", "an empty tuple"};

	switch ((int)cell_tag(c)) {
	case CELL_CONST:
		return cell_is_const(c, CELL_NONE) ? "None" : "a bool";
	case CELL_INT:
		return "an integer";
	case CELL_WIDE:
		return l->cells.wide.at[cell_id(c)].kind == WIDE_F64 ? "a float" : "an integer";
	case CELL_STR:
		return "a string";
	case CELL_BYTES:
		return "bytes";
	case CELL_EMPTY:
		return empties[cell_id(c)];
	case LOAD_FRAME:
		return "a frame";
	case LOAD_STACK:
		return "a list of frames";
	case LOAD_EVENT:
		return "an event";
	case LOAD_SEGMENT:
		return "a segment";
	case LOAD_BLOCK:
		return "a block";
	case LOAD_ANNOTATION:
		return "an annotation";
	case LOAD_POOL:
		return "a pair of integers";
	default:
		return l->nodes.at[cell_id(c)].kind == NODE_DICT    ? "a dict"
		       : l->nodes.at[cell_id(c)].kind == NODE_TUPLE ? "a tuple"
								    : "a list";
	}
}

/* ---- nodes ---- */

static int node_new(struct loader *l, struct node node, cell *out, struct error *err)
{
	int rc;

	if (l->nodes.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many containers");
	rc = vec_push(&l->nodes, node, l->budget, err);
	if (rc < 0)
		return rc;
	*out = cell_make((enum cell_tag)LOAD_NODE, (uint32_t)(l->nodes.n - 1));
	return 0;
}

/* Append cells to a node. A node that is not the pool's last one moves there with room to grow. */
int loader_node_append(struct loader *l, struct node *node, const cell *items, size_t n,
		       struct error *err)
{
	int rc;

	if (node->n + n > node->cap) {
		uint64_t room = node->n + n + node->n / 2;
		bool last = node->start + node->cap == l->pool.n;

		rc = vec_reserve(&l->pool, room, l->budget, err);
		if (rc < 0)
			return rc;
		if (!last) {
			memcpy(&l->pool.at[l->pool.n], &l->pool.at[node->start],
			       node->n * sizeof(cell));
			node->start = l->pool.n;
		}
		node->cap = room;
		l->pool.n = node->start + room;
	}
	memcpy(&l->pool.at[node->start + node->n], items, n * sizeof(cell));
	node->n += n;
	return 0;
}

int loader_node_from(struct loader *l, enum node_kind kind, const cell *items, size_t n, cell *out,
		     struct error *err)
{
	struct node node = {.start = l->pool.n, .kind = (uint8_t)kind};
	int rc = loader_node_append(l, &node, items, n, err);

	return rc < 0 ? rc : node_new(l, node, out, err);
}

/* A range becomes a list of cells when something else follows it. */
static int node_expand(struct loader *l, struct node *node, struct error *err)
{
	struct node list = {.start = l->pool.n, .kind = NODE_LIST};

	for (uint64_t k = 0; k < node->n; k++) {
		cell c = loader_item(l, node, k);
		int rc = loader_node_append(l, &list, &c, 1, err);

		if (rc < 0)
			return rc;
	}
	*node = list;
	return 0;
}

/* Frames of a stack into scratch behind those it has; false when an item is no frame. */
static int collect_frames(struct loader *l, const cell *items, size_t n, bool *all,
			  struct error *err)
{
	int rc = vec_reserve(&l->scratch, n, l->budget, err);

	if (rc < 0)
		return rc;
	frame_id *to = &l->scratch.at[l->scratch.n];
	*all = false;
	for (size_t i = 0; i < n; i++) {
		if (cell_tag(items[i]) != (enum cell_tag)LOAD_FRAME)
			return 0;
		to[i].i = cell_id(items[i]);
	}
	l->scratch.n += n;
	*all = true;
	return 0;
}

/* Frames that follow a stack: from now on it is a list, which becomes a stack when it is used.
 * (Interning each batch with all before it would cost the square of the depth.) */
static int reopen_stack(struct loader *l, stack_id stack, cell *out, struct error *err)
{
	struct stacks *s = &l->model->stacks;
	size_t depth = stacks_depth(s, stack);
	struct node node = {.start = l->pool.n, .kind = NODE_LIST};

	for (size_t k = 0; k < depth; k++) {
		cell c = cell_make((enum cell_tag)LOAD_FRAME,
				   s->pool.at[s->start.at[stack.i] + k].i);
		int rc = loader_node_append(l, &node, &c, 1, err);

		if (rc < 0)
			return rc;
	}
	return node_new(l, node, out, err);
}

/* Items that decoders hand over at once at most: as many frames may be just the first ones. */
#define BATCH_ITEMS 1000u

static int fold_frames(struct loader *l, const cell *items, size_t n, cell *out, struct error *err)
{
	stack_id stack;
	bool all;
	int rc;

	if (n % BATCH_ITEMS == 0)
		return loader_node_from(l, NODE_LIST, items, n, out, err);
	l->scratch.n = 0;
	rc = collect_frames(l, items, n, &all, err);
	if (rc < 0)
		return rc;
	if (!all)
		return loader_node_from(l, NODE_LIST, items, n, out, err);
	rc = stacks_add(&l->model->stacks, l->scratch.at, l->scratch.n, &stack, err);
	if (rc == 0)
		*out = cell_make((enum cell_tag)LOAD_STACK, stack.i);
	return rc;
}

/* The frame of one line of text, or of a frame's cell; false when it is neither. */
static int frame_from(struct loader *l, cell c, bool lines, bool *good, frame_id *out,
		      struct error *err)
{
	struct frame text = {.name = {cell_id(c)}};

	*good = cell_tag(c) == (lines ? CELL_STR : (enum cell_tag)LOAD_FRAME);
	out->i = cell_id(c);
	return *good && lines ? stacks_add_frame(&l->model->stacks, text, out, err) : 0;
}

/* A node used as a stack for the first time: it remembers what it is. */
static int stack_from_node(struct loader *l, struct node *node, bool lines, bool *is_stack,
			   stack_id *out, struct error *err)
{
	frame_id frame;
	int rc = 0;

	*is_stack =
		(node->kind == NODE_LIST || (lines && node->kind == NODE_TUPLE)) && !node->no_stack;
	l->scratch.n = 0;
	for (uint64_t k = 0; rc == 0 && *is_stack && k < node->n; k++) {
		rc = frame_from(l, loader_item(l, node, k), lines, is_stack, &frame, err);
		if (rc == 0)
			rc = vec_push(&l->scratch, frame, l->budget, err);
	}
	if (rc == 0 && *is_stack)
		rc = stacks_add(&l->model->stacks, l->scratch.at, l->scratch.n, out, err);
	if (rc < 0)
		return rc;
	if (*is_stack)
		*node = (struct node){.start = out->i,
				      .n = node->n,
				      .kind = NODE_STACK,
				      .tag = lines ? CELL_STR : LOAD_FRAME};
	else
		node->no_stack = true;
	return 0;
}

int loader_stack_from(struct loader *l, cell c, bool lines, bool *is_stack, stack_id *out,
		      struct error *err)
{
	*is_stack = true;
	if (cell_is_empty(c, CELL_EMPTY_LIST) || cell_is_empty(c, CELL_EMPTY_TUPLE)) {
		*out = STACK_EMPTY;
		return 0;
	}
	if (cell_tag(c) == (enum cell_tag)LOAD_STACK && !lines) {
		out->i = cell_id(c);
		return 0;
	}
	*is_stack = cell_tag(c) == (enum cell_tag)LOAD_NODE;
	if (!*is_stack)
		return 0;
	struct node *node = loader_node(l, c);
	if (node->kind != NODE_STACK)
		return stack_from_node(l, node, lines, is_stack, out, err);
	*is_stack = node->tag == (lines ? CELL_STR : LOAD_FRAME);
	if (*is_stack)
		out->i = (uint32_t)node->start;
	return 0;
}

/* Are the items rows of one table that follow `next` one by one? */
static bool consecutive(const cell *items, size_t n, enum cell_tag tag, uint64_t next)
{
	if (tag < (enum cell_tag)LOAD_EVENT || tag > (enum cell_tag)LOAD_ANNOTATION)
		return false;
	for (size_t i = 0; i < n; i++)
		if (cell_tag(items[i]) != tag || cell_id(items[i]) != next + i)
			return false;
	return true;
}

static int pool_cell(struct loader *l, const cell *items, cell *out, struct error *err)
{
	struct pool_id id;
	int rc = 0;

	if (!cells_i64(&l->cells, items[0], &id.a) || !cells_i64(&l->cells, items[1], &id.b))
		return loader_node_from(l, NODE_TUPLE, items, 2, out, err);
	uint64_t hash = hash_combine(hash_u64((uint64_t)id.a), (uint64_t)id.b);
	uint64_t *row = hashmap_get(&l->pool_rows, hash);
	if (row && l->pools.at[*row].a == id.a && l->pools.at[*row].b == id.b) {
		*out = cell_make((enum cell_tag)LOAD_POOL, (uint32_t)*row);
		return 0;
	}
	if (l->pools.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many pool ids");
	if ((rc = vec_push(&l->pools, id, l->budget, err)) < 0 ||
	    (rc = hashmap_put(&l->pool_rows, hash, l->pools.n - 1, err)) < 0)
		return rc;
	*out = cell_make((enum cell_tag)LOAD_POOL, (uint32_t)(l->pools.n - 1));
	return 0;
}

static bool is_number(cell c)
{
	return cell_tag(c) == CELL_INT || cell_tag(c) == CELL_WIDE;
}

int loader_fold_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct loader *l = ctx;
	enum cell_tag tag = cell_tag(items[0]);
	int rc;

	if (tag == (enum cell_tag)LOAD_FRAME && cell_tag(have) == CELL_EMPTY)
		return fold_frames(l, items, n, out, err);
	if (cell_tag(have) == (enum cell_tag)LOAD_STACK) {
		rc = reopen_stack(l, (stack_id){cell_id(have)}, &have, err);
		if (rc < 0)
			return rc;
	}
	if (cell_tag(have) == CELL_EMPTY) {
		if (consecutive(items, n, tag, cell_id(items[0]))) {
			struct node range = {.start = cell_id(items[0]),
					     .n = n,
					     .kind = NODE_RANGE,
					     .tag = (uint8_t)tag};

			return node_new(l, range, out, err);
		}
		if (n == 2 && is_number(items[0]) && is_number(items[1]))
			return pool_cell(l, items, out, err);
		return loader_node_from(l, NODE_LIST, items, n, out, err);
	}
	if (cell_tag(have) != (enum cell_tag)LOAD_NODE || loader_node(l, have)->kind == NODE_DICT ||
	    loader_node(l, have)->kind == NODE_STACK)
		return error_set(err, ERR_UNSUPPORTED, offset, "%s gets more items",
				 loader_words(l, have));
	struct node *node = loader_node(l, have);
	*out = have;
	loader_progress(l);
	if (node->kind == NODE_RANGE) {
		if (consecutive(items, n, (enum cell_tag)node->tag, node->start + node->n)) {
			node->n += n;
			return 0;
		}
		rc = node_expand(l, node, err);
		if (rc < 0)
			return rc;
	}
	return loader_node_append(l, node, items, n, err);
}

int loader_fold_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		      struct error *err)
{
	(void)offset;
	if (n == 2 && is_number(items[0]) && is_number(items[1]))
		return pool_cell(ctx, items, out, err);
	return loader_node_from(ctx, NODE_TUPLE, items, n, out, err);
}
