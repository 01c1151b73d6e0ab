/* SPDX-License-Identifier: MIT
 * test_python_lines.c -- CPython's three kinds of line tables, as 3.8, 3.10, 3.12 and 3.14 made them of
 * one function with steps forward and back, and any bytes in their place.
 */
#include "capture/python_lines.h"

#include "tests/lib/tap.h"

#define FIRST_LINE 3

static const unsigned char lnotab[] = {
	0,   1, 2,  1, 6,   255, 4,   2, 4,  2, 6,   1, 2,   255, 2,   255, 2,   3, 8,   0, 2,
	127, 0, 14, 4, 127, 0,   127, 0, 47, 2, 128, 0, 128, 0,   211, 4,   127, 0, 127, 0, 48,
};

static const unsigned char ranges[] = {
	2, 1,  6, 1,   4, 255, 4, 2,  6, 2,   2, 1,   2, 255, 2, 255, 10, 3,   0, 127,
	4, 14, 0, 127, 0, 127, 2, 47, 0, 129, 0, 129, 4, 209, 0, 127, 0,  127, 4, 48,
};

static const unsigned char locations_12[] = {
	128, 0,   216, 9, 10,  220, 9,   10,  136, 49,  139, 20,  240, 3,  1,   9,   15,  128,
	65,  225, 7,   8, 228, 12,  13,  136, 97,  139, 68,  216, 14,  15, 241, 3,   1,   13,
	16,  240, 3,   0, 9,   10,  240, 6,   0,   14,  15,  210, 4,   20, 137, 1,   208, 4,
	20,  244, 90,  4, 0,   9,   10,  136, 33,  244, 90,  9,   0,   7,  8,   243, 91,  9,
	109, 4,   9,   9, 128, 65,  240, 92,  9,   0,   12,  13,  128, 72,
};

static const unsigned char locations_14[] = {
	128, 0,  216, 9,   10, 220, 9,   10, 136, 49, 139, 20, 240, 3,   1,   9,   15,
	128, 65, 231, 7,   8,  228, 12,  13, 136, 97, 139, 68, 216, 14,  15,  245, 3,
	1,   13, 16,  240, 3,  0,   9,   10, 243, 6,  0,   14, 15,  136, 1,   145, 4,
	137, 81, 244, 90,  4,  0,   9,   10, 136, 33, 244, 90, 9,   0,   7,   8,   243,
	91,  9,  109, 4,   9,  9,   128, 65, 240, 92, 9,   0,  12,  13,  128, 72,
};

/* From an offset on, a line; up to the next. */
struct run {
	uint32_t offset, line;
};

static const struct run runs_8[] = {{0, 4},    {2, 5},    {8, 4},    {12, 6},  {16, 8},
				    {22, 9},   {24, 8},   {26, 7},   {28, 10}, {38, 151},
				    {42, 452}, {44, 151}, {48, 453}, {52, 0}};
static const struct run runs_12[] = {{0, 3},    {2, 4},    {4, 5},    {24, 4},    {28, 6},
				     {32, 8},   {52, 9},   {54, 8},   {58, 7},    {60, 10},
				     {74, 151}, {86, 452}, {96, 151}, {106, 453}, {110, 0}};
static const struct run runs_14[] = {{0, 3},    {2, 4},     {4, 5},     {24, 4},    {28, 6},
				     {44, 8},   {64, 9},    {66, 8},    {78, 7},    {80, 10},
				     {98, 151}, {110, 452}, {120, 151}, {130, 453}, {134, 0}};

static const struct {
	const char *name;
	enum python_lines kind;
	const unsigned char *table;
	size_t bytes;
	const struct run *runs;
} tables[] = {
	{"3.8", PYTHON_LNOTAB, lnotab, sizeof lnotab, runs_8},
	{"3.10", PYTHON_RANGES, ranges, sizeof ranges, runs_8},
	{"3.12", PYTHON_LOCATIONS, locations_12, sizeof locations_12, runs_12},
	{"3.14", PYTHON_LOCATIONS, locations_14, sizeof locations_14, runs_14},
};

static void test_tables(void)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const struct run *r = tables[i].runs;

		for (; r->line; r++) {
			for (uint32_t offset = r->offset; offset < r[1].offset; offset += 2) {
				if (python_line(tables[i].kind, tables[i].table, tables[i].bytes,
						FIRST_LINE, offset) == r->line)
					continue;
				ok(false, "Python %s, offset %u", tables[i].name, offset);
				return;
			}
		}
		ok(true, "Python %s: all lines", tables[i].name);
	}
}

static void test_ends(void)
{
	is_u64(python_line(PYTHON_RANGES, ranges, sizeof ranges, FIRST_LINE, 4000), FIRST_LINE,
	       "behind the code: the first line");
	is_u64(python_line(PYTHON_LOCATIONS, locations_12, sizeof locations_12, FIRST_LINE,
			   UINT32_MAX),
	       FIRST_LINE, "far behind it");
	for (int kind = PYTHON_LNOTAB; kind <= PYTHON_LOCATIONS; kind++)
		is_u64(python_line((enum python_lines)kind, NULL, 0, 77, 10), 77, "no table");
}

/* What is read is inside the table, and ends; sanitizers watch. */
static void test_any_bytes(void)
{
	unsigned char bytes[64];
	uint32_t state = 1, sum = 0;

	for (int round = 0; round < 20000; round++) {
		unsigned char *exact = NULL;
		size_t n = (size_t)round % sizeof bytes;

		for (size_t i = 0; i < n; i++) {
			state = state * 1664525u + 1013904223u;
			bytes[i] = (unsigned char)(state >> 24);
		}
		exact = malloc(n + 1);
		if (!exact)
			break;
		memcpy(exact + 1, bytes, n);
		for (int kind = PYTHON_LNOTAB; kind <= PYTHON_LOCATIONS; kind++)
			sum += python_line((enum python_lines)kind, exact + 1, n, 1, state % 300);
		free(exact);
	}
	ok(sum != 0, "any bytes are read to an end");
}

int main(void)
{
	test_tables();
	test_ends();
	test_any_bytes();
	return done_testing();
}
