/* SPDX-License-Identifier: MIT
 * load_snapshot.c -- PyTorch's dicts into rows: the meaning of each key, state and action.
 *
 * Together with load_words.def and load_assemble.c the only place that knows PyTorch's names.
 */
#include <assert.h>
#include <string.h>

#include "model/load_row.h"

static const char *const word_texts[WORD_COUNT] = {
#define WORD(symbol, text) [symbol] = text,
#include "model/load_words.def"
#undef WORD
};

int loader_init(struct loader *l, struct model *m, struct error *err)
{
	int rc = 0;

	memset(l, 0, sizeof *l);
	l->model = m;
	l->budget = m->budget;
	cells_init(&l->cells, &m->strings, m->budget);
	hashmap_init(&l->pool_rows, m->budget);
	hashmap_init(&l->attr_rows, m->budget);
	hashmap_init(&l->unknown, m->budget);
	hashmap_init(&l->unknown_actions, m->budget);
	for (uint32_t w = 1; rc == 0 && w < WORD_COUNT; w++) {
		str_id id;

		rc = strtab_add(&m->strings, word_texts[w], strlen(word_texts[w]), &id, err);
		assert(rc < 0 || id.i == w);
	}
	if (rc < 0)
		loader_release(l);
	return rc;
}

void loader_release(struct loader *l)
{
	vec_release(&l->nodes, l->budget);
	vec_release(&l->pool, l->budget);
	vec_release(&l->pools, l->budget);
	vec_release(&l->scratch, l->budget);
	hashmap_release(&l->pool_rows);
	hashmap_release(&l->attr_rows);
	hashmap_release(&l->unknown);
	hashmap_release(&l->unknown_actions);
	cells_release(&l->cells);
}

/* ---- rows ---- */

static int frame_row(struct row *r, cell *out, struct error *err)
{
	struct frame f;
	frame_id id;

	r->kind = LOAD_FRAME;
	r->id = (uint32_t)r->l->model->stacks.frames.n;
	f.name = row_str(r, KEY_NAME);
	f.file = row_str(r, KEY_FILENAME);
	/* 2^64 - 1 in CPython's files, -1 in torch::jit's: the line is unknown. */
	f.line = (int64_t)row_u64(r, KEY_LINE, 0);
	int rc = stacks_add_frame(&r->l->model->stacks, f, &id, err);
	if (rc == 0)
		*out = cell_make((enum cell_tag)LOAD_FRAME, id.i);
	return rc;
}

/* Real entries have four; a list of blocks that share a huge one shall not take long. */
#define HISTORY_MAX_KEYS 16

/* Torch 2.0 and before: a block's past occupants, newest first; the first one is the present. */
static int block_from_history(struct row *r, struct block *b, struct error *err)
{
	struct loader *l = r->l;
	cell c = r->value[KEY_HISTORY];

	if (!row_has(r, KEY_HISTORY) || cell_tag(c) != (enum cell_tag)LOAD_NODE)
		return 0;
	const struct node *list = loader_node(l, c);
	if (list->kind == NODE_DICT || list->kind == NODE_RANGE || list->n == 0)
		return 0;
	cell first = loader_item(l, list, 0);
	if (cell_tag(first) != (enum cell_tag)LOAD_NODE || loader_node(l, first)->kind != NODE_DICT)
		return 0;
	const struct node *entry = loader_node(l, first);
	if (entry->n > 2 * HISTORY_MAX_KEYS)
		return 0;
	for (uint64_t k = 0; k + 1 < entry->n; k += 2) {
		cell key = l->pool.at[entry->start + k], value = l->pool.at[entry->start + k + 1];

		if (cell_tag(key) != CELL_STR)
			continue;
		if (cell_id(key) == KEY_REAL_SIZE && b->requested_size == BYTES_NONE)
			cells_u64(&l->cells, value, &b->requested_size);
		if (cell_id(key) == KEY_FRAMES && b->stack.i == STACK_ABSENT.i) {
			bool good;
			int rc = loader_stack_from(l, value, false, &good, &b->stack, err);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int block_row(struct row *r, cell *out, struct error *err)
{
	struct loader *l = r->l;
	struct block b;
	str_id state;
	int rc;

	if (l->model->blocks.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^30 blocks");
	r->kind = LOAD_BLOCK;
	r->id = (uint32_t)l->model->blocks.n;
	b = (struct block){
		.address = row_u64(r, KEY_ADDRESS, BYTES_NONE),
		.size = row_u64(r, KEY_SIZE, 0),
		.requested_size = row_u64(r, KEY_REQUESTED_SIZE, BYTES_NONE),
	};
	state = row_str(r, KEY_STATE);
	if (state.i == STATE_WORD_ACTIVE)
		b.state = BLOCK_ACTIVE;
	else if (state.i == STATE_WORD_PENDING || state.i == STATE_WORD_AWAITING)
		b.state = BLOCK_PENDING;
	else if (state.i == STATE_WORD_INACTIVE)
		b.state = BLOCK_INACTIVE;
	else
		row_fault(r, KEY_STATE, "a known block state");
	if ((rc = row_stack(r, KEY_FRAMES, &b.stack, err)) < 0 ||
	    (rc = block_from_history(r, &b, err)) < 0)
		return rc;
	rc = vec_push(&l->model->blocks, b, l->budget, err);
	if (rc == 0)
		*out = cell_make((enum cell_tag)LOAD_BLOCK, r->id);
	return rc;
}

/* The blocks of a segment as consecutive rows, addresses filled in where old files have none. */
static int segment_blocks(struct row *r, struct segment *s, struct error *err)
{
	struct loader *l = r->l;
	struct model *m = l->model;
	cell c = r->value[KEY_BLOCKS];
	int rc;

	s->first_block = m->blocks.n;
	if (!row_has(r, KEY_BLOCKS) || cell_tag(c) == CELL_EMPTY)
		return 0;
	if (cell_tag(c) != (enum cell_tag)LOAD_NODE || loader_node(l, c)->kind == NODE_DICT) {
		row_fault(r, KEY_BLOCKS, "a list of blocks");
		return 0;
	}
	struct node list = *loader_node(l, c);
	if (list.kind == NODE_RANGE && list.tag == LOAD_BLOCK && list.start >= l->blocks_owned) {
		s->first_block = list.start;
		s->n_blocks = list.n;
	} else {
		for (uint64_t k = 0; k < list.n; k++) {
			cell item = loader_item(l, &list, k);

			if (cell_tag(item) != (enum cell_tag)LOAD_BLOCK) {
				row_fault(r, KEY_BLOCKS, "a list of blocks");
				return 0;
			}
			struct block copy = m->blocks.at[cell_id(item)];
			rc = vec_push(&m->blocks, copy, l->budget, err);
			if (rc < 0)
				return rc;
		}
		s->n_blocks = list.n;
	}
	l->blocks_owned = s->first_block + s->n_blocks;
	uint64_t at = s->address;
	for (uint64_t b = s->first_block; b < s->first_block + s->n_blocks; b++) {
		if (m->blocks.at[b].address == BYTES_NONE)
			m->blocks.at[b].address = at;
		at = m->blocks.at[b].address + m->blocks.at[b].size;
	}
	return 0;
}

static int segment_row(struct row *r, cell *out, struct error *err)
{
	struct loader *l = r->l;
	struct segment s;
	int rc;

	if (l->model->segments.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^30 segments");
	r->kind = LOAD_SEGMENT;
	r->id = (uint32_t)l->model->segments.n;
	s = (struct segment){
		.address = row_u64(r, KEY_ADDRESS, 0),
		.total_size = row_u64(r, KEY_TOTAL_SIZE, 0),
		.allocated_size = row_u64(r, KEY_ALLOCATED_SIZE, BYTES_NONE),
		.active_size = row_u64(r, KEY_ACTIVE_SIZE, BYTES_NONE),
		.requested_size = row_u64(r, KEY_REQUESTED_SIZE, BYTES_NONE),
		.stream = row_u64(r, KEY_STREAM, 0),
		.is_expandable = row_bool(r, KEY_IS_EXPANDABLE),
		.kind = POOL_UNKNOWN,
	};
	int64_t device = (int64_t)row_u64(r, KEY_DEVICE, 0);
	if (device < DEVICE_HOST || device > INT16_MAX) {
		row_fault(r, KEY_DEVICE, "a device index");
		device = 0;
	}
	s.device = (int32_t)device;
	str_id type = row_str(r, KEY_SEGMENT_TYPE);
	if (type.i == TYPE_WORD_SMALL)
		s.kind = POOL_SMALL;
	else if (type.i == TYPE_WORD_LARGE)
		s.kind = POOL_LARGE;
	s.has_pool = row_pool(r, KEY_SEGMENT_POOL_ID, &s.pool);
	if ((rc = row_stack(r, KEY_FRAMES, &s.stack, err)) < 0 ||
	    (rc = segment_blocks(r, &s, err)) < 0)
		return rc;
	rc = vec_push(&l->model->segments, s, l->budget, err);
	if (rc == 0)
		*out = cell_make((enum cell_tag)LOAD_SEGMENT, r->id);
	return rc;
}

static int annotation_row(struct row *r, cell *out, struct error *err)
{
	struct loader *l = r->l;
	struct annotation a;
	int rc;

	if (l->model->annotations.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "more than 2^30 annotations");
	r->kind = LOAD_ANNOTATION;
	r->id = (uint32_t)l->model->annotations.n;
	a = (struct annotation){
		.name = row_str(r, KEY_NAME),
		.time_us = (int64_t)row_u64(r, KEY_TIME_US, (uint64_t)TIME_NONE),
		.device = (int32_t)row_u64(r, KEY_DEVICE, 0),
		.is_end = row_str(r, KEY_STAGE).i == STAGE_WORD_END,
	};
	rc = vec_push(&l->model->annotations, a, l->budget, err);
	if (rc == 0)
		*out = cell_make((enum cell_tag)LOAD_ANNOTATION, r->id);
	return rc;
}

/* ---- the fold ---- */

/* What makes a dict a row of each kind. */
static const struct shape {
	uint64_t needs, knows;
	enum load_tag kind;
	int (*make)(struct row *r, cell *out, struct error *err);
} shapes[] = {
	{KEY_BIT(KEY_ACTION), EVENT_KEYS, LOAD_EVENT, event_row},
	{KEY_BIT(KEY_FILENAME) | KEY_BIT(KEY_NAME), FRAME_KEYS, LOAD_FRAME, frame_row},
	{KEY_BIT(KEY_STATE) | KEY_BIT(KEY_SIZE), BLOCK_KEYS, LOAD_BLOCK, block_row},
	{KEY_BIT(KEY_TOTAL_SIZE), SEGMENT_KEYS, LOAD_SEGMENT, segment_row},
	{KEY_BIT(KEY_STAGE) | KEY_BIT(KEY_NAME), ANNOTATION_KEYS, LOAD_ANNOTATION, annotation_row},
};

static const struct shape *shape_of(uint64_t mask)
{
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
		if ((mask & shapes[i].needs) == shapes[i].needs)
			return &shapes[i];
	return NULL;
}

static uint64_t row_collect(struct row *r, const cell *pairs, size_t n)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < n; i++) {
		cell key = pairs[2 * i];

		if (cell_tag(key) == CELL_STR && cell_id(key) <= KEY_LAST) {
			mask |= KEY_BIT(cell_id(key));
			r->value[cell_id(key)] = pairs[2 * i + 1];
		}
	}
	return mask;
}

/* Count the keys a row should not have: those of no meaning at all, and those of other rows. */
static int count_unknown_keys(struct loader *l, const struct shape *shape, const cell *pairs,
			      size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		cell key = pairs[2 * i];
		bool known = cell_tag(key) == CELL_STR && cell_id(key) <= KEY_LAST &&
			     (shape->knows >> cell_id(key) & 1);

		if (!known && cell_tag(key) == CELL_STR) {
			int rc = count_unknown(&l->unknown,
					       (uint64_t)shape->kind << 32 | cell_id(key), err);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int fold_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct loader *l = ctx;
	struct row row;
	int rc;

	if (!cell_is_empty(have, CELL_EMPTY_DICT)) {
		if (cell_tag(have) != (enum cell_tag)LOAD_NODE ||
		    loader_node(l, have)->kind != NODE_DICT)
			return error_set(err, ERR_UNSUPPORTED, offset,
					 "%s gets more keys after it was complete",
					 loader_words(l, have));
		*out = have;
		return loader_node_append(l, loader_node(l, have), pairs, 2 * n, err);
	}
	if (n < EVENT_SHAPE_PAIRS && event_again(l, pairs, n, out))
		return 0;
	row.l = l;
	row.offset = offset;
	row.mask = row_collect(&row, pairs, n);
	const struct shape *shape = shape_of(row.mask);
	if (!shape)
		return loader_node_from(l, NODE_DICT, pairs, 2 * n, out, err);
	l->seen[shape->kind] |= row.mask;
	const bool plain = (size_t)__builtin_popcountll(row.mask & shape->knows) == n;
	const size_t faults = l->n_faults;
	if (!plain && (rc = count_unknown_keys(l, shape, pairs, n, err)) < 0)
		return rc;
	rc = shape->make(&row, out, err);
	if (rc == 0 && shape->kind == LOAD_EVENT && plain && l->n_faults == faults)
		event_learn(l, pairs, n, row.mask);
	return rc;
}

static int fold_cut_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
			 cell *out, struct error *err)
{
	struct row row;

	/* An unfinished row is dropped: it would be wrong. Anything else may be the root. */
	uint64_t keys = cell_is_empty(have, CELL_EMPTY_DICT) ? row_collect(&row, pairs, n) : 0;

	if (keys & (EVENT_KEYS | SEGMENT_KEYS | BLOCK_KEYS | FRAME_KEYS) &&
	    !(keys & (KEY_BIT(KEY_SEGMENTS) | KEY_BIT(KEY_DEVICE_TRACES)))) {
		*out = cell_make(CELL_CONST, CELL_NONE);
		return 0;
	}
	if (n == 0) {
		*out = have;
		return 0;
	}
	return fold_dict(ctx, have, pairs, n, offset, out, err);
}

struct fold loader_fold(struct loader *l)
{
	return (struct fold){
		.cells = &l->cells,
		.ctx = l,
		.growing_tags = 1u << LOAD_NODE,
		.dict = fold_dict,
		.list = loader_fold_list,
		.tuple = loader_fold_tuple,
		.cut_dict = fold_cut_dict,
	};
}
