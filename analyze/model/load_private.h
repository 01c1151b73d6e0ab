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
	NODE_STACK, /* a list of frames (tag LOAD_FRAME) or of text lines (CELL_STR) that was used
		     * as a stack: `start` is its stack_id */
};

struct node {
	uint64_t start, n,
		cap; /* NODE_RANGE: first row and count; else cells of loader.cells_pool */
	uint8_t kind;
	uint8_t tag;
	bool no_stack; /* was found to hold other things than frames or lines */
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
	/* Rows below these belong to a segment, or to a device: each row has one owner, so lists
	 * that refer to them again get copies. The budget then bounds what sharing can cost. */
	uint64_t blocks_owned, events_owned;
	/* Keys seen in rows of each kind, bit = enum load_word; LOAD_NODE: in the root. */
	uint64_t seen[CELL_TAGS];
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

/* A list in the root, seen alike whether it is empty, a range of rows, or cells. */
struct load_list {
	struct node node; /* n = 0 for an empty list */
	bool there;
};

/* False when `c` is neither a list nor a tuple. */
bool loader_as_list(struct loader *l, cell c, struct load_list *out);
/* The value of a key of a dict node, the last of equal ones; false when absent or None. */
bool loader_dict_value(struct loader *l, cell dict, enum load_word key, cell *out);

/* Turn the root into the model's tables. `partial`: the input was damaged. */
int loader_assemble(struct loader *l, cell root, bool partial, struct error *err);

/* What a root dict holds besides its rows (load_extras.c). */
void loader_take_ring_facts(struct loader *l, cell root);
/* Sizes of blocks from before a sliced trace (reports/snapshot_out.h). */
int loader_take_stretch(struct loader *l, cell root, struct error *err);
int loader_take_settings(struct loader *l, cell root, struct error *err);
int loader_tally_unknown(struct loader *l, cell root, struct error *err);
/* Put the events of rings back in order that were enlarged after they had wrapped. */
int loader_unrotate(struct loader *l, struct error *err);
/* Annotations from events, in files that have none of their own (load_user_defined.c). */
int loader_take_user_defined(struct loader *l, struct error *err);
/* Who wrote it, by the keys that were seen. */
const char *loader_guess_writer(const struct loader *l);

/* Lists and tuples (load_lists.c); signatures of struct fold. */
int loader_fold_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err);
int loader_fold_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		      struct error *err);
int loader_node_from(struct loader *l, enum node_kind kind, const cell *items, size_t n, cell *out,
		     struct error *err);
int loader_node_append(struct loader *l, struct node *node, const cell *items, size_t n,
		       struct error *err);

/* The stack that a list of frames stands for (`lines`: a list of text lines, kept as frames that
 * have a name only). *is_stack is false, and *out untouched, when `c` is anything else. */
int loader_stack_from(struct loader *l, cell c, bool lines, bool *is_stack, stack_id *out,
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
	const struct stacks *s = &l->model->stacks;

	if (n->kind == NODE_RANGE)
		return cell_make((enum cell_tag)n->tag, (uint32_t)(n->start + k));
	if (n->kind != NODE_STACK)
		return l->pool.at[n->start + k];
	frame_id frame = s->pool.at[s->start.at[n->start] + k];
	return n->tag == CELL_STR ? cell_make(CELL_STR, s->frames.at[frame.i].name.i)
				  : cell_make((enum cell_tag)n->tag, frame.i);
}

/* settings.c: understand allocator_settings; NULL gives the defaults. */
void settings_understand(struct alloc_settings *out, const struct value *v,
			 const struct strtab *strings);

#endif
