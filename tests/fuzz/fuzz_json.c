/* SPDX-License-Identifier: MIT
 * fuzz_json.c -- the JSON reader on anything: its answers hold together, memory stays in bounds.
 *
 * A first byte that is white space or below it chooses the pieces in which all of it arrives.
 */
#include "decode/json.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

/* A fold that numbers what it makes: a container must come back as it was answered. */
struct tally {
	struct fold fold;
	uint32_t made;
	uint64_t last_offset;
	const uint8_t *at;
	size_t left, step;
};

static void check_cell(const struct tally *t, cell c)
{
	const struct cells *cells = t->fold.cells;

	switch (cell_tag(c)) {
	case CELL_CONST:
		CHECK(cell_id(c) <= CELL_TRUE);
		break;
	case CELL_INT:
		break;
	case CELL_WIDE:
		CHECK(cell_id(c) < cells->wide.n);
		break;
	case CELL_STR:
		CHECK(cell_id(c) > 0 && cell_id(c) < cells->strings->rows.n);
		break;
	case CELL_EMPTY:
		CHECK(cell_id(c) <= CELL_EMPTY_DICT);
		break;
	case CELL_FOLD:
		CHECK(cell_id(c) > 0 && cell_id(c) <= t->made);
		break;
	default:
		abort();
	}
}

static int take(struct tally *t, cell have, const cell *items, size_t n, uint64_t offset, cell *out)
{
	CHECK(offset >= t->last_offset);
	CHECK(n <= 2000);
	t->last_offset = offset;
	check_cell(t, have);
	for (size_t i = 0; i < n; i++)
		check_cell(t, items[i]);
	t->made++;
	*out = cell_make(CELL_FOLD, t->made);
	return 0;
}

static int on_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	(void)err;
	CHECK(n > 0);
	for (size_t i = 0; i < n; i++)
		CHECK(cell_tag(pairs[2 * i]) == CELL_STR);
	return take(ctx, have, pairs, 2 * n, offset, out);
}

static int on_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	(void)err;
	CHECK(n > 0);
	return take(ctx, have, items, n, offset, out);
}

static int on_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		    struct error *err)
{
	(void)ctx;
	(void)items;
	(void)n;
	(void)offset;
	(void)out;
	(void)err;
	abort();
}

/* Drops every other one. */
static int on_cut_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
		       cell *out, struct error *err)
{
	int rc = take(ctx, have, pairs, 2 * n, offset, out);

	(void)err;
	if (cell_id(*out) % 2)
		*out = cell_make(CELL_CONST, CELL_NONE);
	return rc;
}

static long drip(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	struct tally *t = ctx;
	size_t n = t->left < t->step ? t->left : t->step;

	(void)err;
	n = n < room ? n : room;
	if (n == 0)
		return 0;
	memcpy(to, t->at, n);
	t->at += n;
	t->left -= n;
	return (long)n;
}

static void check_result(const struct tally *t, const struct json_result *r, size_t size)
{
	check_cell(t, r->root);
	CHECK(r->end_offset <= size);
	CHECK(r->trailing <= size - r->end_offset);
	if (!r->partial)
		return;
	CHECK(r->damage.code == ERR_CUT || r->damage.code == ERR_FORMAT);
	CHECK(r->damage.offset <= size && r->damage.text[0]);
	CHECK(r->damage.code != ERR_CUT || r->damage.offset == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct strtab strings;
	struct cells cells;
	/* Whole, or in pieces. */
	struct tally t = {.at = data, .left = size, .step = 100000};
	struct json_result result = {0};
	struct input *in;
	struct error err = {0};

	if (size > 0 && data[0] <= ' ')
		t.step = data[0] + 1u;
	CHECK(strtab_init(&strings, &budget, &err) == 0);
	cells_init(&cells, &strings, &budget);
	t.fold = (struct fold){.cells = &cells,
			       .ctx = &t,
			       .dict = on_dict,
			       .list = on_list,
			       .tuple = on_tuple,
			       .cut_dict = on_cut_dict};
	CHECK(input_open_reader(&in, drip, &t, &budget, &err) == 0);
	int rc = json_read(&result, in, &t.fold, &err);
	if (rc == 0)
		check_result(&t, &result, size);
	else
		CHECK(err.code == (enum err_code)rc && err.text[0]);
	input_close(in);
	cells_release(&cells);
	strtab_release(&strings);
	CHECK(budget.used == 0);
	return 0;
}
