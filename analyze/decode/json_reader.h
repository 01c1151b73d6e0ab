/* SPDX-License-Identifier: MIT
 * json_reader.h -- the reader's state, shared by json.c (structure) and json_scalar.c (strings and
 * numbers). Private to those two.
 */
#ifndef ANALYZE_DECODE_JSON_READER_H
#define ANALYZE_DECODE_JSON_READER_H

#include "decode/json.h"

/* An array or object whose closing bracket was not read yet. */
struct json_open {
	cell have;   /* what earlier batches gave, or CELL_EMPTY */
	size_t base; /* its items are items[base ..] up to those of the next open one */
	bool is_dict;
};

struct json_reader {
	struct input *in;
	const struct fold *fold;
	struct budget *budget;
	VEC(cell) items; /* of all open containers, outermost first; dicts: key, value ... */
	VEC(struct json_open) open;
	VEC(char) scratch; /* a string with escapes, undone */
};

/* With the cursor on the opening quote: the string's cell, cursor behind the closing one. */
int json_string(struct json_reader *r, cell *out, struct error *err);

/* With the cursor on `-` or a digit: the number's cell, cursor behind it. An integer that fits 64
 * bits stays one; others become doubles. Also -Infinity. */
int json_number(struct json_reader *r, cell *out, struct error *err);

/* With the cursor on its first letter: true false null NaN Infinity. */
int json_word(struct json_reader *r, cell *out, struct error *err);

/* ERR_FORMAT at the cursor. */
int json_malformed(const struct json_reader *r, struct error *err, const char *what);

#endif
