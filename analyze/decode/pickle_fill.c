/* SPDX-License-Identifier: MIT
 * pickle_fill.c -- containers of the pickle machine: filling, folding, the memo.
 */
#include <assert.h>
#include <string.h>

#include "decode/pickle_machine.h"

/* What one fold call or one building row takes at most. */
#define BATCH_ITEMS 1000u

static bool is_list_like(const struct machine *m, cell c)
{
	return cell_is_empty(c, CELL_EMPTY_LIST) || cell_tag(c) >= CELL_FOLD ||
	       (cell_tag(c) == CELL_BUILDING && !m->building.at[cell_id(c)].is_dict);
}

static bool is_dict_like(const struct machine *m, cell c)
{
	return cell_is_empty(c, CELL_EMPTY_DICT) || cell_tag(c) >= CELL_FOLD ||
	       (cell_tag(c) == CELL_BUILDING && m->building.at[cell_id(c)].is_dict);
}

static int fold_batch(struct machine *m, bool is_dict, cell have, const cell *items, size_t n,
		      cell *out, struct error *err)
{
	const struct fold *f = m->fold;

	if (is_dict)
		return f->dict(f->ctx, have, items, n / 2, m->op_offset, out, err);
	return f->list(f->ctx, have, items, n, m->op_offset, out, err);
}

/* ---- containers that grow item by item ---- */

static int building_new(struct machine *m, bool is_dict, cell have, uint32_t *row,
			struct error *err)
{
	struct building b = {.have = have, .is_dict = is_dict};
	int rc;

	if (m->free_building) {
		*row = m->free_building - 1;
		struct building *old = &m->building.at[*row];
		m->free_building = old->next_free;
		b.items.at = old->items.at;
		b.items.cap = old->items.cap;
		*old = b;
	} else {
		if (m->building.n > CELL_ID_MAX)
			return error_set(err, ERR_LIMIT, m->op_offset, "too many open containers");
		rc = vec_push(&m->building, b, m->budget, err);
		if (rc < 0)
			return rc;
		*row = (uint32_t)m->building.n - 1;
	}
	m->n_building++;
	return 0;
}

void machine_building_drop(struct machine *m, uint32_t row)
{
	struct building *b = &m->building.at[row];

	b->items.n = 0;
	b->next_free = m->free_building;
	m->free_building = row + 1;
	m->n_building--;
}

int machine_building_flush(struct machine *m, uint32_t row, struct error *err)
{
	struct building *b = &m->building.at[row];
	cell result;
	int rc;

	if (b->items.n == 0)
		return 0;
	rc = fold_batch(m, b->is_dict, b->have, b->items.at, b->items.n, &result, err);
	if (rc < 0)
		return rc;
	b->have = cell_plain(result);
	b->items.n = 0;
	return 0;
}

/* The memo's cell of the container that the stack's cell `c` stands for, or NULL. */
static cell *memo_of(struct machine *m, cell c)
{
	uint64_t index = c >> CELL_MEMO_SHIFT;

	return index ? &m->memo.at[index - 1] : NULL;
}

/* Turn a building cell into what it stands for, on the stack and in the memo. */
static int close_cell(struct machine *m, cell *slot, struct error *err)
{
	cell c = *slot;
	uint32_t row = cell_id(c);
	int rc = machine_building_flush(m, row, err);

	if (rc < 0)
		return rc;
	cell value = m->building.at[row].have;
	cell *memo = memo_of(m, c);
	if (memo && !m->building.at[row].closed)
		*memo = value | (*memo & CELL_SHARED);
	machine_building_drop(m, row);
	*slot = value | c >> CELL_MEMO_SHIFT << CELL_MEMO_SHIFT;
	return 0;
}

int machine_close(struct machine *m, cell *items, size_t n, struct error *err)
{
	int rc;

	if (m->n_building == 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (cell_tag(items[i]) == CELL_BUILDING) {
			rc = close_cell(m, &items[i], err);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

int machine_close_top(struct machine *m, size_t n, struct error *err)
{
	assert(n <= m->stack.n);
	return machine_close(m, &m->stack.at[m->stack.n - n], n, err);
}

bool machine_is_shared(struct machine *m, cell c)
{
	cell *memo = memo_of(m, c);
	bool closed = cell_tag(c) == CELL_BUILDING && m->building.at[cell_id(c)].closed;

	return closed || (memo && (*memo & CELL_SHARED) && cell_tag(*memo) != CELL_INT);
}

static int check_unshared(struct machine *m, cell target, struct error *err)
{
	if (machine_is_shared(m, target))
		return error_set(err, ERR_UNSUPPORTED, m->op_offset,
				 "a container that contains itself or changes after it was shared");
	return 0;
}

/* ---- filling ---- */

/* Add `n` items (dict: 2 each pair, so n is even) behind `target`, which stays on the stack. */
static int fill(struct machine *m, cell *target, cell *items, size_t n, bool is_dict,
		struct error *err)
{
	cell result, before = *target;
	int rc = check_unshared(m, before, err);

	if (rc < 0 || (rc = machine_close(m, items, n, err)) < 0)
		return rc;
	if (cell_tag(before) == CELL_BUILDING) {
		rc = machine_building_flush(m, cell_id(before), err);
		if (rc < 0)
			return rc;
		rc = fold_batch(m, is_dict, m->building.at[cell_id(before)].have, items, n, &result,
				err);
		if (rc == 0)
			m->building.at[cell_id(before)].have = cell_plain(result);
		return rc;
	}
	rc = fold_batch(m, is_dict, cell_plain(before), items, n, &result, err);
	if (rc < 0)
		return rc;
	result = cell_plain(result);
	cell *memo = memo_of(m, before);
	if (memo)
		*memo = result;
	*target = result | before >> CELL_MEMO_SHIFT << CELL_MEMO_SHIFT;
	return 0;
}

static int fill_from_mark(struct machine *m, bool is_dict, struct error *err)
{
	if (m->marks.n == 0)
		return machine_malformed(m, err, "no mark to collect from");
	size_t height = m->marks.at[m->marks.n - 1];
	size_t n = m->stack.n - height;
	/* The container lies below this mark and above the one before. */
	size_t floor = m->marks.n > 1 ? m->marks.at[m->marks.n - 2] : 0;
	int rc;

	if (height <= floor)
		return machine_malformed(m, err, "no container below the mark");
	cell *target = &m->stack.at[height - 1];
	if (is_dict ? !is_dict_like(m, *target) : !is_list_like(m, *target))
		return machine_malformed(
			m, err,
			is_dict ? "SETITEMS on what is no dict" : "APPENDS on what is no list");
	if (is_dict && n % 2)
		return machine_malformed(m, err, "a key without a value");
	if (n > 0) {
		rc = fill(m, target, target + 1, n, is_dict, err);
		if (rc < 0)
			return rc;
	}
	m->stack.n = height;
	m->marks.n--;
	m->floor = floor;
	return 0;
}

int machine_appends(struct machine *m, struct error *err)
{
	return fill_from_mark(m, false, err);
}

int machine_setitems(struct machine *m, struct error *err)
{
	return fill_from_mark(m, true, err);
}

/* Add the top `n` cells to the building container below them, made when it is still empty. */
static int collect(struct machine *m, size_t n, bool is_dict, struct error *err)
{
	cell *target = &m->stack.at[m->stack.n - n - 1];
	cell *items = target + 1;
	uint32_t row = 0;
	int rc = check_unshared(m, *target, err);

	if (rc < 0 || (rc = machine_close(m, items, n, err)) < 0)
		return rc;
	if (cell_tag(*target) == CELL_EMPTY) {
		rc = building_new(m, is_dict, cell_plain(*target), &row, err);
		if (rc < 0)
			return rc;
		*target = cell_make(CELL_BUILDING, row) | *target >> CELL_MEMO_SHIFT
									     << CELL_MEMO_SHIFT;
		cell *memo = memo_of(m, *target);
		if (memo)
			*memo = cell_make(CELL_BUILDING, row);
	}
	if (cell_tag(*target) != CELL_BUILDING) {
		rc = fill(m, target, items, n, is_dict, err);
	} else {
		struct building *b = &m->building.at[cell_id(*target)];

		rc = vec_reserve(&b->items, n, m->budget, err);
		if (rc == 0) {
			memcpy(&b->items.at[b->items.n], items, n * sizeof *items);
			b->items.n += n;
			if (!is_dict && b->items.n >= BATCH_ITEMS)
				rc = machine_building_flush(m, cell_id(*target), err);
		}
	}
	if (rc == 0)
		m->stack.n -= n;
	return rc;
}

int machine_append(struct machine *m, struct error *err)
{
	if (m->stack.n < m->floor + 2)
		return machine_malformed(m, err, "APPEND without a list");
	if (!is_list_like(m, m->stack.at[m->stack.n - 2]))
		return machine_malformed(m, err, "APPEND on what is no list");
	return collect(m, 1, false, err);
}

int machine_setitem(struct machine *m, struct error *err)
{
	if (m->stack.n < m->floor + 3)
		return machine_malformed(m, err, "SETITEM without a dict");
	if (!is_dict_like(m, m->stack.at[m->stack.n - 3]))
		return machine_malformed(m, err, "SETITEM on what is no dict");
	return collect(m, 2, true, err);
}

/* DICT and LIST of protocol 0: what lies above the mark becomes a container. */
static int container_from_mark(struct machine *m, bool is_dict, struct error *err)
{
	cell empty = cell_make(CELL_EMPTY, is_dict ? CELL_EMPTY_DICT : CELL_EMPTY_LIST);
	int rc;

	if (m->marks.n == 0)
		return machine_malformed(m, err, "no mark to collect from");
	size_t height = m->marks.at[m->marks.n - 1];
	rc = machine_push(m, empty, err);
	if (rc < 0)
		return rc;
	/* Slide the empty container below the items, then fill it as SETITEMS would. */
	cell *at = &m->stack.at[height];
	memmove(at + 1, at, (m->stack.n - 1 - height) * sizeof *at);
	*at = empty;
	m->marks.at[m->marks.n - 1] = height + 1;
	return fill_from_mark(m, is_dict, err);
}

int machine_list_from_mark(struct machine *m, struct error *err)
{
	return container_from_mark(m, false, err);
}

int machine_dict_from_mark(struct machine *m, struct error *err)
{
	return container_from_mark(m, true, err);
}

int machine_tuple(struct machine *m, size_t n, struct error *err)
{
	cell result;
	int rc;

	if (m->stack.n - m->floor < n)
		return machine_malformed(m, err, "a tuple of more items than there are");
	cell *items = &m->stack.at[m->stack.n - n];
	rc = machine_close(m, items, n, err);
	if (rc < 0)
		return rc;
	if (n == 0)
		result = cell_make(CELL_EMPTY, CELL_EMPTY_TUPLE);
	else
		rc = m->fold->tuple(m->fold->ctx, items, n, m->op_offset, &result, err);
	if (rc < 0)
		return rc;
	m->stack.n -= n;
	return machine_push(m, cell_plain(result), err);
}

int machine_tuple_from_mark(struct machine *m, struct error *err)
{
	if (m->marks.n == 0)
		return machine_malformed(m, err, "no mark to collect from");
	int rc = machine_tuple(m, m->stack.n - m->floor, err);
	if (rc < 0)
		return rc;
	m->marks.n--;
	m->floor = m->marks.n ? m->marks.at[m->marks.n - 1] : 0;
	return 0;
}

/* ---- stack and memo ---- */

int machine_pop_mark(struct machine *m, struct error *err)
{
	if (m->marks.n == 0)
		return machine_malformed(m, err, "POP_MARK without a mark");
	int rc = machine_close_top(m, m->stack.n - m->floor, err);
	if (rc < 0)
		return rc;
	m->stack.n = m->floor;
	m->marks.n--;
	m->floor = m->marks.n ? m->marks.at[m->marks.n - 1] : 0;
	return 0;
}

int machine_pop(struct machine *m, struct error *err)
{
	if (m->stack.n == m->floor)
		return m->marks.n ? machine_pop_mark(m, err)
				  : machine_malformed(m, err, "POP from an empty stack");
	int rc = machine_close_top(m, 1, err);
	if (rc == 0)
		m->stack.n--;
	return rc;
}

int machine_dup(struct machine *m, struct error *err)
{
	if (m->stack.n == m->floor)
		return machine_malformed(m, err, "DUP on an empty stack");
	int rc = machine_close_top(m, 1, err);
	if (rc < 0)
		return rc;
	/* A copy of a container could be filled without the other one knowing. No pickler does. */
	cell top = m->stack.at[m->stack.n - 1];
	if (m->watched_tags >> cell_tag(top) & 1)
		return error_set(err, ERR_UNSUPPORTED, m->op_offset, "DUP of a container");
	return machine_push(m, cell_plain(top), err);
}

int machine_put(struct machine *m, uint64_t index, struct error *err)
{
	int rc;

	if (m->stack.n == m->floor)
		return machine_malformed(m, err, "nothing to memoise");
	/* Each put takes an opcode, so no pickler has used more indices than bytes. */
	if (index > m->op_offset || index >= CELL_ID_MAX)
		return machine_malformed(m, err, "a memo index beyond all that was read");
	while (m->memo.n <= index) {
		rc = vec_push(&m->memo, CELL_UNSET, m->budget, err);
		if (rc < 0)
			return rc;
	}
	/* A container on the stack finds its memo cell by index, so an index has one owner. */
	if (m->memo.at[index] != CELL_UNSET)
		return machine_malformed(m, err, "a memo index that is set twice");
	cell *top = &m->stack.at[m->stack.n - 1];
	if (!(m->watched_tags >> cell_tag(*top) & 1)) {
		m->memo.at[index] = cell_plain(*top);
		return 0;
	}
	cell *other = memo_of(m, *top);
	if (!other) {
		m->memo.at[index] = cell_plain(*top);
		*top = cell_plain(*top) | (index + 1) << CELL_MEMO_SHIFT;
		return 0;
	}
	/* Under two indices at once: nobody may fill it any more. */
	rc = machine_close_top(m, 1, err);
	if (rc < 0)
		return rc;
	top = &m->stack.at[m->stack.n - 1];
	*memo_of(m, *top) |= CELL_SHARED;
	m->memo.at[index] = cell_plain(*top) | CELL_SHARED;
	return 0;
}

int machine_get_watched(struct machine *m, uint64_t index, cell *out, struct error *err)
{
	cell *memo = &m->memo.at[index];
	int rc;

	if (cell_plain(*memo) == CELL_UNSET)
		return machine_malformed(m, err, "a memo index that was never set");
	if (cell_tag(*memo) == CELL_BUILDING) {
		uint32_t row = cell_id(*memo);

		rc = machine_building_flush(m, row, err);
		if (rc < 0)
			return rc;
		m->building.at[row].closed = true;
		*memo = m->building.at[row].have;
	}
	*memo |= CELL_SHARED;
	/* The copy knows its index too, so that nobody fills it. */
	*out = cell_plain(*memo) | (index + 1) << CELL_MEMO_SHIFT;
	return 0;
}
