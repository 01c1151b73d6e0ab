/* SPDX-License-Identifier: MIT
 * python_lines.c -- the line of an instruction, from the tables in CPython's code objects.
 */
#include "capture/python_lines.h"

#include <stdbool.h>

static uint32_t by_steps(const unsigned char *t, size_t n, int64_t line, uint32_t offset)
{
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		at += t[i];
		if (at > offset)
			break;
		line += (signed char)t[i + 1];
	}
	return (uint32_t)line;
}

static uint32_t by_ranges(const unsigned char *t, size_t n, uint32_t first_line, uint32_t offset)
{
	uint64_t end = 0;
	int64_t line = first_line;

	for (size_t i = 0; i + 1 < n; i += 2) {
		int step = (signed char)t[i + 1];
		bool none = step == -128; /* instructions without a line */

		line += none ? 0 : step;
		end += t[i];
		if (end > offset)
			return none ? first_line : (uint32_t)line;
	}
	return first_line;
}

/* Six bits a byte, the lowest first; bit 6 says that more follow. */
static int64_t signed_varint(const unsigned char *t, size_t n, size_t at)
{
	uint64_t v = 0;

	for (unsigned shift = 0; at < n && shift < 36; shift += 6) {
		unsigned char b = t[at++];

		v |= (uint64_t)(b & 63u) << shift;
		if (!(b & 64u))
			break;
	}
	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

enum {
	CODE_ONE_LINE_0 = 10, /* to 12: so many lines further */
	CODE_NO_COLUMNS = 13,
	CODE_LONG = 14,
	CODE_NONE = 15,
};

/* An entry: a byte with bit 7 set (4 bits of code, 3 of length - 1, in units of 2 bytes), and others
 * without. */
static uint32_t by_locations(const unsigned char *t, size_t n, uint32_t first_line, uint32_t offset)
{
	uint64_t end = 0;
	int64_t line = first_line;

	for (size_t i = 0; i < n;) {
		unsigned code = t[i] >> 3 & 15u;

		if (code == CODE_NO_COLUMNS || code == CODE_LONG)
			line += signed_varint(t, n, i + 1);
		else if (code >= CODE_ONE_LINE_0 && code < CODE_NO_COLUMNS)
			line += code - CODE_ONE_LINE_0;
		end += ((t[i] & 7u) + 1) * 2;
		if (end > offset)
			return code == CODE_NONE ? first_line : (uint32_t)line;
		for (i++; i < n && !(t[i] & 128u); i++)
			;
	}
	return first_line;
}

uint32_t python_line(enum python_lines kind, const unsigned char *table, size_t n,
		     uint32_t first_line, uint32_t offset)
{
	if (kind == PYTHON_LNOTAB)
		return by_steps(table, n, first_line, offset);
	if (kind == PYTHON_RANGES)
		return by_ranges(table, n, first_line, offset);
	return by_locations(table, n, first_line, offset);
}
