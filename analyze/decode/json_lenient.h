/* SPDX-License-Identifier: MIT
 * json_lenient.h -- JSON as broken writers leave it, one record in memory at a time.
 *
 * Profilers write JSON with print: names bring quotes, backslashes, line ends and bytes that are no
 * UTF-8; numbers are inf; commas are too many or missing; log lines come between. Whatever has one
 * likely meaning is read as that and counted as a fault; what has none is JSON_LOST, and
 * json_stream.h goes on at the next record. Nothing here allocates, and nothing recurses.
 *
 * A quote ends a string only when what follows can follow a string there: a colon behind a key, in
 * an object a comma and the next key or a closing bracket and what may follow that. Any other quote
 * belongs to the string.
 */
#ifndef ANALYZE_DECODE_JSON_LENIENT_H
#define ANALYZE_DECODE_JSON_LENIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_fault {
	JSON_FAULT_ESCAPE,    /* a backslash that begins no escape: kept as it is */
	JSON_FAULT_QUOTE,     /* a quote inside a string */
	JSON_FAULT_CONTROL,   /* a line end or control character inside a string */
	JSON_FAULT_UTF8,      /* bytes that are no UTF-8: become U+FFFD */
	JSON_FAULT_WORD,      /* inf, nan and other values that are none */
	JSON_FAULT_COMMA,     /* too many or too few */
	JSON_FAULT_VALUE,     /* a name without a value */
	JSON_FAULT_JUNK,      /* text between members or records that is no JSON */
	JSON_FAULT_DUPLICATE, /* a name twice in one object: the last one wins */
	JSON_FAULT_RECORD,    /* a record that made no sense and is left out */
	JSON_FAULT_COUNT,
};

/* As people call it, in the plural: "quotes inside strings". */
const char *json_fault_words(enum json_fault f);

enum json_piece_kind {
	JSON_PIECE_NONE,
	JSON_PIECE_STRING, /* `at` behind the opening quote, without the closing one */
	JSON_PIECE_NUMBER,
	JSON_PIECE_WORD, /* true, null, inf ... */
	JSON_PIECE_OBJECT,
	JSON_PIECE_ARRAY,
};

/* A value as it stands in the record; gone with it. */
struct json_piece {
	const uint8_t *at;
	uint32_t length;
	uint8_t kind;
	bool plain; /* of a string: neither escapes nor bytes from 0x80 on */
};

/* Returned by all readers below when the text makes no sense, or `starved`. */
#define JSON_LOST (-1)

/* Deepest nesting inside a record. */
#define JSON_LENIENT_DEPTH 64

struct json_lenient {
	const uint8_t *at, *end; /* INPUT_PAD readable bytes behind `end` */
	bool whole;              /* nothing comes behind `end` */
	bool starved;            /* more bytes are needed to go on */
	uint32_t faults[JSON_FAULT_COUNT];
	const uint8_t *first_fault; /* NULL: none */
};

/* Any value at the cursor, containers with all that is in them. 0 or JSON_LOST. `in_array`: what
 * it lies in, which decides what may follow. A missing value is JSON_PIECE_NONE. */
int json_lenient_value(struct json_lenient *j, bool in_array, struct json_piece *out);

/* Begin an object or array at the cursor. */
int json_lenient_enter(struct json_lenient *j, char bracket);

/* The next name of an object: 1, cursor behind the colon; 0 at its end, cursor behind it.
 * `*first` is true before the first call, and kept between calls. */
int json_lenient_member(struct json_lenient *j, bool *first, struct json_piece *name);

/* Is there another item in an array? 1: cursor on it; 0: cursor behind the end. */
int json_lenient_item(struct json_lenient *j, bool *first);

void json_lenient_fault(struct json_lenient *j, enum json_fault f, const uint8_t *where);

/* { and a name that begins records of a trace ("ph", "name") or one of a given one: where a reader
 * that lost its way goes on. */
bool json_is_record_start(const uint8_t *p, const uint8_t *end);

/* --- what a piece means --- */

bool json_piece_is(const struct json_piece *p, const char *text);

/* An integer, also of a string of digits and of a number such as 12.0. */
bool json_piece_i64(const struct json_piece *p, int64_t *out);

/* A number of microseconds, in nanoseconds; decimals behind the third are cut off. */
bool json_piece_us_to_ns(const struct json_piece *p, int64_t *out);

/* The text of a string with escapes undone and bad UTF-8 replaced, into `buf` of at least
 * JSON_TEXT_ROOM(length) bytes; returns the length. Faults are counted in `j`. */
#define JSON_TEXT_ROOM(length) ((size_t)(length)*3)
size_t json_piece_text(struct json_lenient *j, const struct json_piece *p, char *buf);

#endif
