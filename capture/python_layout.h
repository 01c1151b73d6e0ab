/* SPDX-License-Identifier: MIT
 * python_layout.h -- where CPython 3.8 to 3.15 keep what a stack is read from.
 *
 * Offsets in bytes, of 64-bit builds. tests/capture/python_layout_check.c derives every one of them
 * from a version's own headers.
 */
#ifndef CAPTURE_PYTHON_LAYOUT_H
#define CAPTURE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/python_lines.h"

struct python_layout {
	uint16_t minor;
	/* PyThreadState: the newest frame, or what points to it (3.11 and 3.12). */
	uint16_t thread_frame;
	bool has_cframe;
	uint16_t cframe_frame;
	/* A frame: who called it, its code, where in the code it is, who owns it. */
	uint16_t frame_previous, frame_code, frame_instr;
	uint16_t frame_owner; /* 0: frames have no owner */
	/* PyCodeObject. */
	uint16_t code_file, code_name, code_first_line, code_lines;
	uint16_t code_size;   /* what the type itself says */
	uint16_t code_bytes;  /* 0: frames tell an index, not an address */
	uint16_t instr_unit;  /* bytes of code that an index counts */
	uint16_t str_ascii;   /* where the text of an ASCII string begins */
	uint16_t str_compact; /* and of any other */
	uint16_t str_length, str_state;
	uint16_t bytes_size, bytes_data;
	uint16_t object_type;
	enum python_lines lines;
};

/* Frames with this owner or a higher one are the interpreter's own. */
#define PYTHON_OWNER_INTERPRETER 3

/* Where a type has the size of its objects, in all of them. */
#define PYTHON_TYPE_SIZE 32

/* Bytes of _PyRuntime that python_layout_find looks at. */
#define PYTHON_RUNTIME_BYTES 1024

/* The layout of Python 3.`minor`. From 3.13 on _PyRuntime begins with it; `runtime` is a copy of its
 * first PYTHON_RUNTIME_BYTES. False, with the reason in words, when it is not known. */
bool python_layout_find(struct python_layout *out, unsigned minor, const void *runtime,
			const char **why);

#endif
