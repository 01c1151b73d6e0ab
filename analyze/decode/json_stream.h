/* SPDX-License-Identifier: MIT
 * json_stream.h -- a JSON file of any size, record by record, in constant memory.
 *
 * The outer object and the array that makes up the file are walked here; each member's value and
 * each item is one record, which a function of the caller's reads with json_lenient.h while it lies
 * whole in the input's window. A record that makes no sense is left out and counted, and reading
 * goes on at the next one that begins like a record of the file.
 */
#ifndef ANALYZE_DECODE_JSON_STREAM_H
#define ANALYZE_DECODE_JSON_STREAM_H

#include "base/input.h"
#include "decode/json_lenient.h"

/* Longest record. The window is at most twice as large. */
#define JSON_RECORD_BYTES ((size_t)4 * 1024 * 1024)

struct json_stream {
	struct input *in; /* weak */
	uint64_t faults[JSON_FAULT_COUNT];
	uint64_t first_fault;       /* offset; UINT64_MAX: none */
	enum json_fault first_kind; /* of that fault, when there is one */
	bool records;               /* records of the array begin as json_is_record_start has it;
					 else a broken one ends the reading */
	bool ended;                 /* by damage, told in `damage` */
	struct error damage;
	uint64_t n_records; /* read whole */
};

/* Reads one value at j->at: 0 or JSON_LOST, cursor behind it. May be called again for the same
 * record with more bytes: it must not keep anything before it returns 0. */
typedef int json_record_fn(void *ctx, struct json_lenient *j);

void json_stream_init(struct json_stream *s, struct input *in);

/* What comes next, white space passed: a byte, 0 at the end of the input or at its damage (see
 * `ended`), or a negative error of our own (ERR_LIMIT, ERR_NOMEM, ERR_SYSTEM). */
int json_stream_peek(struct json_stream *s, struct error *err);

/* The next member of the outer object: 1 with its name in `name`, cut to fit; 0 at the end of the
 * object or the damage; negative: error of our own. `*first` as in json_lenient_member. */
#define JSON_STREAM_NAME 64
int json_stream_member(struct json_stream *s, bool *first, char name[JSON_STREAM_NAME],
		       struct error *err);

/* One record at the cursor, not an item of an array: 1, or 0 when it made no sense. */
int json_stream_value(struct json_stream *s, json_record_fn *read, void *ctx, struct error *err);

/* The next item of the array the cursor is in (behind its bracket): 1; 0 at the end of the array,
 * cursor behind it, or at the damage. */
int json_stream_item(struct json_stream *s, bool *first, json_record_fn *read, void *ctx,
		     struct error *err);

/* Count the faults met in a record's pieces after it was read; before the stream is used again. */
void json_stream_add_faults(struct json_stream *s, const struct json_lenient *j);

/* For json_record_fn: a value that nobody wants. */
int json_record_ignore(void *ctx, struct json_lenient *j);

#endif
