/* SPDX-License-Identifier: MIT
 * test_cell.c -- values in 8 bytes: what fits, what goes to the table, and back.
 */
#include "decode/cell.h"

#include <math.h>

#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_MAX};
static struct cells cells;
static struct error err;

static const int64_t edges[] = {
	0,
	1,
	-1,
	255,
	INT32_MAX,
	INT32_MIN,
	(INT64_C(1) << 59) - 1,
	INT64_C(1) << 59,
	-(INT64_C(1) << 59),
	-(INT64_C(1) << 59) - 1,
	INT64_MAX,
	INT64_MIN,
};

static void test_signed(void)
{
	for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
		const int64_t v = edges[i];
		bool small = v >= -(INT64_C(1) << 59) && v < INT64_C(1) << 59;
		int64_t back = ~v;
		uint64_t bits = 0;
		double f = 0;
		cell c;

		is_i64(cells_from_i64(&cells, v, &c, &err), 0, "%" PRId64, v);
		is_u64(cell_tag(c), small ? CELL_INT : CELL_WIDE, "its tag");
		is_u64(cell_int_fits(v), small, "whether it fits");
		ok(cells_i64(&cells, c, &back) && back == v, "and back");
		ok(cells_u64(&cells, c, &bits) && bits == (uint64_t)v, "as two's complement");
		ok(cells_f64(&cells, c, &f) && f == (double)v, "as a double");
		if (small)
			is_i64(cell_int(cell_from_int(v)), v, "in the cell itself");
	}
}

static void test_unsigned(void)
{
	static const uint64_t values[] = {0, UINT64_C(1) << 59, INT64_MAX, UINT64_C(1) << 63,
					  UINT64_MAX};

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		uint64_t back = 1;
		int64_t signed_back = 77;
		double f = 0;
		bool fits = values[i] <= INT64_MAX;
		cell c;

		is_i64(cells_from_u64(&cells, values[i], &c, &err), 0, "%" PRIu64, values[i]);
		ok(cells_u64(&cells, c, &back) && back == values[i], "and back");
		is_u64(cells_i64(&cells, c, &signed_back), fits, "whether it is a signed one too");
		is_i64(signed_back, fits ? (int64_t)values[i] : 77, "its value, or nothing done");
		ok(cells_f64(&cells, c, &f) && f == (double)values[i], "as a double");
	}
}

static void test_others(void)
{
	static const double doubles[] = {0.0, -0.0, 1.5, 1e300, INFINITY};
	uint64_t u = 7;
	int64_t i = 7;
	double f = 7;
	cell c;

	for (size_t k = 0; k < sizeof doubles / sizeof doubles[0]; k++) {
		is_i64(cells_from_f64(&cells, doubles[k], &c, &err), 0, "%g", doubles[k]);
		ok(cells_f64(&cells, c, &f) && f == doubles[k], "and back");
		ok(!cells_u64(&cells, c, &u) && !cells_i64(&cells, c, &i), "it is no integer");
	}
	f = 7;
	for (unsigned tag = 0; tag < CELL_TAGS; tag++) {
		if (tag == CELL_INT || tag == CELL_WIDE)
			continue;
		c = cell_make((enum cell_tag)tag, 0);
		ok(!cells_u64(&cells, c, &u) && !cells_i64(&cells, c, &i) &&
			   !cells_f64(&cells, c, &f),
		   "tag %u is no number", tag);
	}
	ok(u == 7 && i == 7 && f == 7, "and nothing was written");
	c = cell_make(CELL_STR, CELL_ID_MAX) | UINT64_MAX << 34;
	is_u64(cell_id(c), CELL_ID_MAX, "bookkeeping above an id is not part of it");
	is_u64(cell_tag(c), CELL_STR, "nor of the tag");
	ok(cell_is_empty(cell_make(CELL_EMPTY, CELL_EMPTY_DICT), CELL_EMPTY_DICT) &&
		   !cell_is_empty(cell_make(CELL_EMPTY, CELL_EMPTY_DICT), CELL_EMPTY_LIST) &&
		   !cell_is_empty(cell_make(CELL_CONST, CELL_EMPTY_DICT), CELL_EMPTY_DICT),
	   "empty containers by kind");
	ok(cell_is_const(cell_make(CELL_CONST, CELL_TRUE), CELL_TRUE) &&
		   !cell_is_const(cell_make(CELL_CONST, CELL_TRUE), CELL_FALSE) &&
		   !cell_is_const(cell_from_int(2), CELL_TRUE),
	   "constants by value");
}

static void test_limit(void)
{
	cell c = 12345;
	int rc = 0;

	budget.limit = budget.used + 100000;
	for (int k = 0; k < 100000 && rc == 0; k++)
		rc = cells_from_f64(&cells, k, &c, &err);
	is_i64(rc, ERR_LIMIT, "wide values are counted by the budget");
	ok(cells_from_i64(&cells, 5, &c, &err) == 0 && cell_int(c) == 5, "small ones cost nothing");
}

int main(void)
{
	struct cells unused = {0};

	cells_init(&cells, NULL, &budget);
	test_signed();
	test_unsigned();
	test_others();
	test_limit();
	cells_release(&cells);
	cells_release(&unused);
	is_u64(budget.used, 0, "all given back");
	return done_testing();
}
