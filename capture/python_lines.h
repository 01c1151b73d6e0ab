/* SPDX-License-Identifier: MIT
 * python_lines.h -- the line of an instruction, from the tables in CPython's code objects.
 */
#ifndef CAPTURE_PYTHON_LINES_H
#define CAPTURE_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

enum python_lines {
	PYTHON_LNOTAB,    /* to 3.9: steps of bytes and lines */
	PYTHON_RANGES,    /* 3.10: lengths of bytes, steps of lines */
	PYTHON_LOCATIONS, /* from 3.11: entries of varying length, with columns */
};

/* The line of the instruction `offset` bytes into the code, or first_line when the table does not
 * tell. Any bytes may be given. */
uint32_t python_line(enum python_lines kind, const unsigned char *table, size_t n,
		     uint32_t first_line, uint32_t offset);

#endif
