/* SPDX-License-Identifier: MIT
 * load_private.h -- the loader between a decoder's fold and a finished model. Private to load*.c.
 *
 * While the file is read, load_snapshot.c recognises each dict by its keys, whatever it lies in,
 * and turns it into a row: an event, a segment, a block, a frame, an annotation. Lists of rows
 * become ranges, lists of frames stacks. Only what is none of these stays a node. When the root is
 * there, load_assemble.c finds the lists where the schema wants them, and reports what has the
 * wrong type by its path.
 */
#ifndef ANALYZE_MODEL_LOAD_PRIVATE_H
#define ANALYZE_MODEL_LOAD_PRIVATE_H

#include "base/hash.h"
#include "decode/fold.h"
#include "model/model.h"

/* Tags of cells the loader answers with. */
enum load_tag {
	LOAD_FRAME = CELL_FOLD, /* id: frame_id */
	LOAD_STACK,             /* id: stack_id */
	LOAD_EVENT,             /* id: row of model.events */
	LOAD_SEGMENT,           /* id: row of model.segments */
	LOAD_BLOCK,             /* id: row of model.blocks */
	LOAD_ANNOTATION,        /* id: row of model.annotations */
	LOAD_POOL,              /* id: row of loader.pools, from a pair of integers */
	LOAD_NODE,              /* id: row of loader.nodes */
};

/* Keys, and the strings that are values, in the order they are interned: KEY_x is a str_id. */
enum load_word {
	WORD_NONE,
#define WORD(symbol, text) symbol,
#include "model/load_words.def"
#undef WORD
	WORD_COUNT,
};

enum node_kind {
	NODE_LIST,
	NODE_TUPLE,
	NODE_DICT,  /* key, value, key, value ... */
	NODE_RANGE, /* a list of consecutive rows: cells `tag` first .. first + n - 1 */
};

struct node {
	uint64_t start, n,
		cap; /* NODE_RANGE: first row and count; else cells of loader.cells_pool */
	uint8_t kind;
	uint8_t tag;
};

/* A value of the wrong type, kept until its row is known to be part of the snapshot. */
struct fault {
	enum load_tag kind;
	uint32_t row;
	str_id key;
	uint64_t offset;
	const char *found, *wanted; /* constant words: "a string", "an integer" */
};

#define LOAD_MAX_FAULTS 64

/* The events of a file repeat a few sequences of keys, and most of the values that make up a
 * struct attr. One such sequence, by number of pairs, with what the last event of it had. */
#define EVENT_SHAPE_PAIRS 16

struct event_shape {
	cell keys[EVENT_SHAPE_PAIRS];
	cell fixed[EVENT_SHAPE_PAIRS]; /* values that gave `attr`, at the places in fixed_at */
	uint8_t fixed_at[EVENT_SHAPE_PAIRS];
	uint8_t n_fixed;
	uint8_t action, addr, size, time, frames; /* places of the pairs */
	bool has_frames;
	bool valid;
	attr_id attr;
};

struct loader {
	struct model *model;
	struct budget *budget;
	struct cells cells;
	VEC(struct node) nodes;
	VEC(cell) pool;
	VEC(struct pool_id) pools;
	struct hashmap pool_rows;       /* hash of a pool id -> row of pools */
	struct hashmap attr_rows;       /* hash of an attr -> row of model.attrs */
	struct hashmap unknown;         /* LOAD_x << 32 | str_id of a key -> count */
	struct hashmap unknown_actions; /* str_id -> count */
	VEC(frame_id) scratch;
	struct fault faults[LOAD_MAX_FAULTS];
	size_t n_faults;
	uint64_t seen[CELL_TAGS]; /* keys seen in rows of each kind, bit = enum load_word */
	struct event_shape shapes[EVENT_SHAPE_PAIRS]; /* by number of pairs */
	size_t events_room; /* rows for which every event column has room */
	attr_id last_attr;
	/* For the progress hook: called each time a batch of events is complete. */
	const struct model_options *options;
	const struct container *container;
	bool attr_valid;
};

int loader_init(struct loader *l, struct model *m, struct error *err);
void loader_release(struct loader *l);

/* The fold that fills `l`. */
struct fold loader_fold(struct loader *l);

/* Turn the root into the model's tables. `partial`: the input was damaged. */
int loader_assemble(struct loader *l, cell root, bool partial, struct error *err);

/* Lists and tuples (load_lists.c); signatures of struct fold. */
int loader_fold_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err);
int loader_fold_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		      struct error *err);
int loader_node_from(struct loader *l, enum node_kind kind, const cell *items, size_t n, cell *out,
		     struct error *err);
int loader_node_append(struct loader *l, struct node *node, const cell *items, size_t n,
		       struct error *err);

/* Tell the caller's hook how far the file is read. */
void loader_progress(const struct loader *l);

/* Append copies of rows so that a list that is not consecutive becomes so. */
int loader_copy_event(struct loader *l, uint32_t row, struct error *err);

/* What a cell is, in words: "a string", "a list". */
const char *loader_words(const struct loader *l, cell c);

static inline struct node *loader_node(struct loader *l, cell c)
{
	return &l->nodes.at[cell_id(c)];
}

/* Item k of a list, tuple or range node. */
static inline cell loader_item(const struct loader *l, const struct node *n, uint64_t k)
{
	return n->kind == NODE_RANGE ? cell_make((enum cell_tag)n->tag, (uint32_t)(n->start + k))
				     : l->pool.at[n->start + k];
}

/* settings.c: understand allocator_settings; NULL gives the defaults. */
void settings_understand(struct alloc_settings *out, const struct value *v,
			 const struct strtab *strings);

#endif
