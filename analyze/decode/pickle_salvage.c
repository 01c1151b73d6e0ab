/* SPDX-License-Identifier: MIT
 * pickle_salvage.c -- what a damaged pickle still gives: everything that was whole before.
 *
 * The stack at the moment of damage is a chain of unfinished containers. Items above a mark belong
 * to the container below it. Items without a mark belong to the container right below them: so
 * protocol 0 does it always, the others for containers of one item. Above a mark both can be: in
 *
 *     list MARK empty_list X          [[], X   or   [[X
 *
 * X may be the next item or be about to go into the empty list. Snapshots hold [[], [event ...]]
 * and [[event]], so growing containers are taken for the former and all else for the latter.
 */
#include "decode/pickle_machine.h"

static bool is_empty_list_or_dict(cell c)
{
	return cell_is_empty(c, CELL_EMPTY_LIST) || cell_is_empty(c, CELL_EMPTY_DICT);
}

/* May items be added to it one by one? */
static bool is_open(struct machine *m, cell c)
{
	return (cell_tag(c) == CELL_BUILDING || is_empty_list_or_dict(c)) &&
	       !machine_is_shared(m, c);
}

static bool is_dict(const struct machine *m, cell c)
{
	return cell_is_empty(c, CELL_EMPTY_DICT) ||
	       (cell_tag(c) == CELL_BUILDING && m->building.at[cell_id(c)].is_dict);
}

static bool is_growing(const struct machine *m, cell c)
{
	return cell_tag(c) == CELL_EMPTY || cell_tag(c) == CELL_BUILDING ||
	       (m->fold->growing_tags >> cell_tag(c) & 1);
}

/* The first of the items above a mark, which start at `from`, that is being filled without a mark
 * of its own; the stack's height when there is none. */
static size_t first_open(struct machine *m, size_t from, bool owner_is_dict)
{
	const cell *c = m->stack.at;
	size_t n = m->stack.n;

	if (!owner_is_dict) {
		bool open = n >= from + 2 && is_open(m, c[n - 2]) && !is_growing(m, c[n - 1]);

		return open ? n - 2 : n;
	}
	/* Where the next key should be, no container can be. */
	for (size_t i = from; i + 2 < n; i += 2)
		if (is_open(m, c[i + 1]) && cell_tag(c[i + 2]) >= CELL_EMPTY)
			return i + 1;
	return n;
}

/* What cannot be folded is left out; only trouble of our own ends the salvage. */
static int leave_out(struct machine *m, size_t at, int rc)
{
	if (rc == ERR_LIMIT || rc == ERR_NOMEM)
		return rc;
	m->stack.n = at;
	return 0;
}

/* What an unfinished container became, in its place. One that is nothing any more stays as a value
 * only: its key tells how far the input came. */
static void put_back(struct machine *m, size_t at, size_t floor, cell value)
{
	m->stack.n = at;
	if (!cell_is_const(value, CELL_NONE) ||
	    (at > floor && cell_tag(m->stack.at[at - 1]) == CELL_STR))
		m->stack.at[m->stack.n++] = cell_plain(value);
}

/* Fold `n` items of an unfinished container behind what it has. */
static int fold_items(struct machine *m, cell target, cell *items, size_t n, cell *out,
		      struct error *err)
{
	const struct fold *f = m->fold;
	bool dict = is_dict(m, target);
	cell have = cell_plain(target);
	int rc = machine_close(m, items, n, err);

	if (rc < 0)
		return rc;
	if (cell_tag(target) == CELL_BUILDING) {
		const struct building *b = &m->building.at[cell_id(target)];

		if (dict && n == 0)
			return f->cut_dict(f->ctx, b->have, b->items.at, b->items.n / 2,
					   m->op_offset, out, err);
		rc = machine_building_flush(m, cell_id(target), err);
		if (rc < 0)
			return rc;
		have = b->have;
	}
	if (dict)
		return f->cut_dict(f->ctx, have, items, n / 2, m->op_offset, out, err);
	if (n > 0)
		return f->list(f->ctx, have, items, n, m->op_offset, out, err);
	*out = have;
	return 0;
}

/* The container at `at`, with what was about to go into it above: at most an item, or a key and a
 * value. */
static int salvage_open(struct machine *m, size_t at, size_t floor, struct error *err)
{
	cell value;
	bool dict = is_dict(m, m->stack.at[at]);
	size_t above = m->stack.n - at - 1;
	int rc = 0;

	if (!dict && above == 1 && is_empty_list_or_dict(m->stack.at[at + 1]))
		above = 0; /* begun, nothing in it yet */
	m->stack.n = at + 1 + (above < (dict ? 2u : 1u) ? above : (dict ? 2u : 1u));
	if (dict && above == 1)
		rc = machine_push(m, cell_make(CELL_CONST, CELL_NONE), err);
	m->floor = 0;
	if (rc == 0 && above > 0)
		rc = dict ? machine_setitem(m, err) : machine_append(m, err);
	if (rc < 0)
		return leave_out(m, at, rc);
	cell target = m->stack.at[at];
	rc = fold_items(m, target, NULL, 0, &value, err);
	if (rc < 0)
		return leave_out(m, at, rc);
	if (cell_tag(target) == CELL_BUILDING)
		machine_building_drop(m, cell_id(target));
	put_back(m, at, floor, value);
	return 0;
}

/* Everything above the last mark goes into the container below it. */
static int salvage_mark(struct machine *m, struct error *err)
{
	size_t height = m->marks.at[--m->marks.n];
	size_t floor = m->marks.n ? m->marks.at[m->marks.n - 1] : 0;
	cell value;
	int rc;

	if (height <= floor || cell_tag(m->stack.at[height - 1]) < CELL_EMPTY ||
	    cell_is_empty(m->stack.at[height - 1], CELL_EMPTY_TUPLE)) {
		m->stack.n = height; /* a tuple: useless without its end */
		return 0;
	}
	bool dict = is_dict(m, m->stack.at[height - 1]);
	size_t n = machine_is_shared(m, m->stack.at[height - 1]) ? 0 : m->stack.n - height;
	if (!dict && n > 0 && is_empty_list_or_dict(m->stack.at[height + n - 1]))
		n--; /* begun, nothing in it yet */
	if (dict && n % 2) {
		/* The last key's value is missing; the key tells how far the input came. */
		m->stack.n = height + n;
		rc = machine_push(m, cell_make(CELL_CONST, CELL_NONE), err);
		if (rc < 0)
			return rc;
		n++;
	}
	cell target = m->stack.at[height - 1];
	rc = fold_items(m, target, &m->stack.at[height], n, &value, err);
	if (rc < 0)
		return leave_out(m, height - 1, rc);
	if (cell_tag(target) == CELL_BUILDING)
		machine_building_drop(m, cell_id(target));
	put_back(m, height - 1, floor, value);
	return 0;
}

/* Fold the chain of open containers above the last mark, innermost first. */
static int salvage_chain(struct machine *m, struct error *err)
{
	VEC(size_t) chain = {0};
	size_t floor = m->marks.n ? m->marks.at[m->marks.n - 1] : 0;
	size_t at = 0;
	int rc = 0;

	if (m->marks.n > 0)
		at = first_open(m, floor, floor > 0 && is_dict(m, m->stack.at[floor - 1]));
	while (rc == 0 && at < m->stack.n && is_open(m, m->stack.at[at])) {
		rc = vec_push(&chain, at, m->budget, err);
		at += is_dict(m, m->stack.at[at]) ? 2 : 1;
	}
	while (rc == 0 && chain.n > 0)
		rc = salvage_open(m, chain.at[--chain.n], floor, err);
	vec_release(&chain, m->budget);
	return rc;
}

int machine_salvage(struct machine *m, cell *root, bool *any, struct error *err)
{
	int rc = salvage_chain(m, err);

	while (rc == 0 && m->marks.n > 0) {
		rc = salvage_mark(m, err);
		if (rc == 0)
			rc = salvage_chain(m, err);
	}
	if (rc == 0 && m->stack.n > 0)
		rc = machine_close(m, m->stack.at, 1, err);
	if (rc < 0 && (rc == ERR_LIMIT || rc == ERR_NOMEM))
		return rc;
	*any = rc == 0 && m->stack.n > 0 && cell_tag(m->stack.at[0]) >= CELL_FOLD;
	if (*any)
		*root = cell_plain(m->stack.at[0]);
	return 0;
}
