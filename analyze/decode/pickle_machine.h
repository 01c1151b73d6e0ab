/* SPDX-License-Identifier: MIT
 * pickle_machine.h -- the machine's state, shared by pickle.c (opcodes), pickle_fill.c (containers
 * and the memo), pickle_salvage.c (what damage leaves) and pickle_scalar.c (numbers and strings).
 * Private to those four.
 *
 * Containers have value semantics. A list or dict on the stack is one cell; filling it replaces
 * the cell by the fold's answer, on the stack and in the memo. So that both can be found, the
 * stack's cell of a container carries its memo index (bits 34..63, index + 1), and the memo's cell
 * carries CELL_SHARED once it was read: filling it after that would change what others hold, and
 * is refused. That refusal is also what excludes cycles.
 *
 * Containers that grow one item at a time (APPEND, SETITEM: all of protocol 0) collect their items
 * in a `struct building`, so that the fold sees them whole.
 */
#ifndef ANALYZE_DECODE_PICKLE_MACHINE_H
#define ANALYZE_DECODE_PICKLE_MACHINE_H

#include "decode/pickle.h"

#define CELL_MEMO_SHIFT 34
#define CELL_SHARED     (UINT64_C(1) << CELL_MEMO_SHIFT) /* in memo cells */
#define CELL_UNSET      ((cell)15)                       /* a memo index nobody put */

/* A cell without the machine's bookkeeping. */
static inline cell cell_plain(cell c)
{
	return cell_tag(c) == CELL_INT ? c : c & ((UINT64_C(1) << CELL_MEMO_SHIFT) - 1);
}

struct building {
	cell have;       /* what earlier batches gave, or CELL_EMPTY */
	VEC(cell) items; /* dict: key, value, key, value ... */
	bool is_dict;
	bool closed; /* read from the memo: `have` is final */
	uint32_t next_free;
};

#define SHORT_STRING_MAX 8

/* The last string of one length: its bytes as a word (id 0: none yet). */
struct short_string {
	uint64_t word;
	str_id id;
};

struct machine {
	struct input *in;
	const struct fold *fold;
	struct budget *budget;
	VEC(cell) stack;
	VEC(size_t) marks; /* stack heights */
	size_t floor;      /* height of the last mark, 0 without one */
	VEC(cell) memo;
	VEC(struct building) building;
	uint32_t free_building; /* row + 1 of the first unused row, 0: none */
	size_t n_building;      /* rows in use */
	VEC(char) scratch;      /* text being unescaped */
	struct short_string short_string[SHORT_STRING_MAX + 1];
	uint32_t watched_tags; /* cells whose sharing matters */
	uint64_t op_offset;    /* of the opcode being run */
	int protocol;
};

/* pickle_fill.c. Errors of all: ERR_FORMAT on a stack that does not fit, ERR_UNSUPPORTED on
 * changing shared containers, and those of the fold. */
int machine_append(struct machine *m, struct error *err);
int machine_appends(struct machine *m, struct error *err);
int machine_setitem(struct machine *m, struct error *err);
int machine_setitems(struct machine *m, struct error *err);
int machine_list_from_mark(struct machine *m, struct error *err);
int machine_dict_from_mark(struct machine *m, struct error *err);
int machine_tuple(struct machine *m, size_t n, struct error *err);
int machine_tuple_from_mark(struct machine *m, struct error *err);
int machine_pop(struct machine *m, struct error *err);
int machine_pop_mark(struct machine *m, struct error *err);
int machine_dup(struct machine *m, struct error *err);
int machine_put(struct machine *m, uint64_t index, struct error *err);
/* A memo cell with a watched tag: closes what is building, marks it shared, gives a cell for the
 * stack that cannot be filled. */
int machine_get_watched(struct machine *m, uint64_t index, cell *out, struct error *err);
/* Replace building cells among `n`, or the top `n` of the stack, by what they stand for. */
int machine_close(struct machine *m, cell *items, size_t n, struct error *err);
int machine_close_top(struct machine *m, size_t n, struct error *err);
/* Fold what a building row has collected into its `have`. The items are closed already. */
int machine_building_flush(struct machine *m, uint32_t row, struct error *err);
void machine_building_drop(struct machine *m, uint32_t row);
/* Do others hold this container, so that filling it would change what they have? */
bool machine_is_shared(struct machine *m, cell c);

/* pickle_salvage.c. Fold whatever the stack holds into one root, after damage; *any is false when
 * there is nothing. Errors: ERR_LIMIT, ERR_NOMEM. */
int machine_salvage(struct machine *m, cell *root, bool *any, struct error *err);

/* pickle_scalar.c: read the argument at m->in->at and push. */
int machine_need(struct machine *m, uint64_t n, struct error *err);
int machine_push(struct machine *m, cell c, struct error *err);
int machine_string(struct machine *m, uint64_t length, struct error *err);
int machine_skip_bytes(struct machine *m, uint64_t length, struct error *err);
int machine_text_unicode(struct machine *m, struct error *err);
int machine_text_string(struct machine *m, struct error *err);
int machine_text_int(struct machine *m, struct error *err);
int machine_text_float(struct machine *m, struct error *err);
int machine_text_index(struct machine *m, uint64_t *out, struct error *err);
int machine_long(struct machine *m, uint64_t length, struct error *err);
int machine_binfloat(struct machine *m, struct error *err);

int machine_malformed(const struct machine *m, struct error *err, const char *what);

#endif
