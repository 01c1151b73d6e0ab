/* SPDX-License-Identifier: MIT
 * holders.h -- the sites that hold the bytes of one state, largest first.
 *
 * A block counts with its size while it is active (slack and pending ones included). Equal amounts
 * are ordered by the words of the site, so that the order depends on nothing but the content.
 */
#ifndef ANALYZE_PASSES_HOLDERS_H
#define ANALYZE_PASSES_HOLDERS_H

#include "model/model.h"
#include "passes/site.h"
#include "replay/replay.h"

struct holder {
	struct site site;
	stack_id stack; /* the one of the site's stacks that holds most */
	uint64_t bytes, blocks;
	uint64_t stack_bytes; /* of that stack alone */
};

/* Sites of a model, and the sums of the state looked at last. */
struct holders {
	struct budget *budget; /* weak */
	const struct model *m; /* weak */
	struct site_table sites;
	VEC(struct holder) of_site; /* row = site row; bytes 0 unless in `rows` */
	VEC(uint64_t) of_stack;     /* bytes by stack id; 0 unless in `stacks` */
	VEC(uint32_t) rows, stacks; /* touched; rows are sorted */
};

int holders_init(struct holders *h, const struct model *m, struct budget *budget,
		 struct error *err);
void holders_release(struct holders *h);

/* Sum up a state: afterwards holders_count rows, holders_at(h, 0) the largest. They stay valid
 * until the next call. */
void holders_of_state(struct holders *h, const struct state *s);

static inline size_t holders_count(const struct holders *h)
{
	return h->rows.n;
}

static inline const struct holder *holders_at(const struct holders *h, size_t k)
{
	return &h->of_site.at[h->rows.at[k]];
}

/* How blocks of a state get their stack. In files of Python-only stacks an empty stack means a
 * backward thread, but a block from before the trace has one, too, when recording began later:
 * unless some other block from before was recorded, its stack is unknown. */
struct block_stacks {
	bool trusts_empty_from_before;
};

struct block_stacks block_stacks_of(const struct model *m, const struct state *s);

static inline stack_id block_stack(const struct block_stacks *b, const struct state_block *block)
{
	if (block->stack.i == STACK_EMPTY.i && block->born == EVENT_START &&
	    !b->trusts_empty_from_before)
		return STACK_ABSENT;
	return block->stack;
}

/* Order of words: file, line, name; places without a frame last. */
int site_compare(const struct model *m, struct site a, struct site b);
/* Frame by frame, innermost first. */
int stack_compare(const struct model *m, stack_id a, stack_id b);

#endif
