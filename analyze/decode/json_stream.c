/* SPDX-License-Identifier: MIT
 * json_stream.c -- records out of a stream: the window, the outer structure, and finding the way
 * again after a record that makes no sense.
 */
#include "decode/json_stream.h"

#include <stdio.h>
#include <string.h>

void json_stream_init(struct json_stream *s, struct input *in)
{
	*s = (struct json_stream){.in = in, .first_fault = UINT64_MAX};
}

static size_t window_left(const struct json_stream *s)
{
	return (size_t)(s->in->end - s->in->at);
}

/* Errors that are the file's end the stream; others are the caller's. */
static int end_stream(struct json_stream *s, int rc, const struct error *why, struct error *err)
{
	if (rc == ERR_CUT || rc == ERR_FORMAT) {
		s->ended = true;
		s->damage = *why;
		return 0;
	}
	if (err)
		*err = *why;
	return rc;
}

static int cut_short(struct json_stream *s)
{
	s->ended = true;
	return error_set(&s->damage, ERR_CUT, input_offset(s->in) + window_left(s),
			 "the input ends before its data does");
}

static void note_fault(struct json_stream *s, enum json_fault f, uint64_t offset)
{
	s->faults[f]++;
	if (s->first_fault == UINT64_MAX) {
		s->first_fault = offset;
		s->first_kind = f;
	}
}

void json_stream_add_faults(struct json_stream *s, const struct json_lenient *j)
{
	if (!j->first_fault)
		return;
	for (int f = 0; f < JSON_FAULT_COUNT; f++) {
		if (j->faults[f] && s->first_fault == UINT64_MAX) {
			s->first_fault =
				s->in->window_offset + (uint64_t)(j->first_fault - s->in->window);
			s->first_kind = (enum json_fault)f;
		}
		s->faults[f] += j->faults[f];
	}
}

int json_stream_peek(struct json_stream *s, struct error *err)
{
	struct input *in = s->in;

	while (!s->ended) {
		struct error why;
		int rc;

		while (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')
			in->at++;
		if (in->at < in->end)
			return *in->at ? *in->at : '?';
		rc = input_peek(in, 1, &why);
		if (rc < 0)
			return end_stream(s, rc, &why, err);
		if (in->at == in->end)
			return 0;
	}
	return 0;
}

/* Make more of the record visible. 1; 0 when it is all there is or the longest allowed. */
static int more(struct json_stream *s, struct error *err)
{
	size_t left = window_left(s), want = left < 32768 ? 65536 : left * 2;
	struct error why;
	int rc;

	if (s->in->at_eof || left >= JSON_RECORD_BYTES)
		return 0;
	rc = input_peek(s->in, want, &why);
	if (rc == ERR_CUT || rc == ERR_FORMAT)
		return 0;
	if (rc < 0) {
		if (err)
			*err = why;
		return rc;
	}
	return window_left(s) > left || s->in->at_eof;
}

/* Read the record at the cursor: 1 done, 0 lost (cursor unchanged), negative. *at_end: the input
 * ended inside it. */
static int read_record(struct json_stream *s, json_record_fn *read, void *ctx, bool *at_end,
		       struct error *err)
{
	for (;;) {
		struct json_lenient j = {
			.at = s->in->at, .end = s->in->end, .whole = s->in->at_eof};
		int rc = read(ctx, &j);

		if (rc == 0 && !j.starved) {
			json_stream_add_faults(s, &j);
			s->in->at = j.at;
			s->n_records++;
			return 1;
		}
		*at_end = false;
		if (!j.starved)
			return 0;
		rc = more(s, err);
		if (rc < 0)
			return rc;
		if (rc == 0) {
			*at_end = s->in->at_eof;
			return 0;
		}
	}
}

int json_record_ignore(void *ctx, struct json_lenient *j)
{
	struct json_piece piece;

	(void)ctx;
	return json_lenient_value(j, false, &piece);
}

/* The bracket at p ends the array: a member that stands behind the records of a trace follows, or
 * the end of the object and the file. */
static bool ends_records(const struct input *in, const uint8_t *p)
{
	static const char *const names[] = {"\"traceName\"", "\"displayTimeUnit\"",
					    "\"baseTimeNanoseconds\""};
	bool comma = false;

	for (p++; p < in->end; p++) {
		if (*p == ',' && !comma)
			comma = true;
		else if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t')
			break;
	}
	for (size_t i = 0; comma && i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);

		if ((size_t)(in->end - p) >= n && memcmp(p, names[i], n) == 0)
			return true;
	}
	if (p < in->end && *p == '}') {
		for (p++; p < in->end && memchr(" \n\r\t", *p, 4);)
			p++;
		return p == in->end && in->at_eof;
	}
	return false;
}

/* Bytes that hold a bracket, white space and a name: fewer are not judged but at the end. */
#define RESYNC_AHEAD 128

/* Step over one byte at least, to where reading can go on: a record, or the end of the array.
 * 1, or 0 at the end of the input. */
static int resync(struct json_stream *s, struct error *err)
{
	struct input *in = s->in;

	in->at++;
	for (;;) {
		const uint8_t *p = in->at;
		struct error why;
		int rc;

		for (; in->end - p >= RESYNC_AHEAD || (in->at_eof && p < in->end); p++) {
			if ((*p == '{' && json_is_record_start(p, in->end)) ||
			    (*p == ']' && ends_records(in, p))) {
				in->at = p;
				return 1;
			}
		}
		in->at = p;
		if (in->at_eof)
			return 0;
		rc = input_peek(in, 65536, &why);
		if (rc < 0)
			return end_stream(s, rc, &why, err);
	}
}

/* The record at the cursor is lost. */
static int leave_out(struct json_stream *s, bool at_end, struct error *err)
{
	int rc;

	if (at_end) {
		/* Records may stand behind a string that never ends. */
		uint64_t offset = input_offset(s->in);
		const uint8_t *begin = s->in->at;

		rc = s->records ? resync(s, err) : 0;
		if (rc == 1) {
			note_fault(s, JSON_FAULT_RECORD, offset);
			return 1;
		}
		if (rc == 0 && !s->ended) {
			s->in->at = begin;
			(void)cut_short(s);
		}
		return rc;
	}
	note_fault(s, JSON_FAULT_RECORD, input_offset(s->in));
	if (!s->records) {
		s->ended = true;
		error_set(&s->damage, ERR_FORMAT, input_offset(s->in),
			  "malformed JSON: a value that makes no sense");
		return 0;
	}
	rc = resync(s, err);
	if (rc == 0 && !s->ended)
		(void)cut_short(s);
	return rc;
}

int json_stream_value(struct json_stream *s, json_record_fn *read, void *ctx, struct error *err)
{
	bool at_end = false;
	int rc = json_stream_peek(s, err);

	if (rc < 0)
		return rc;
	if (rc == 0) {
		if (!s->ended)
			(void)cut_short(s);
		return 0;
	}
	rc = read_record(s, read, ctx, &at_end, err);
	if (rc)
		return rc;
	if (at_end)
		(void)cut_short(s);
	else
		note_fault(s, JSON_FAULT_RECORD, input_offset(s->in));
	return 0;
}

/* Commas before the next member or item; returns what follows them, as json_stream_peek. */
static int pass_commas(struct json_stream *s, bool first, struct error *err)
{
	unsigned commas = 0;
	int c = json_stream_peek(s, err);

	for (; c == ','; c = json_stream_peek(s, err)) {
		s->in->at++;
		commas += commas < 2;
	}
	if (c > 0 && commas != (first || c == ']' || c == '}' ? 0u : 1u))
		note_fault(s, JSON_FAULT_COMMA, input_offset(s->in));
	return c;
}

int json_stream_item(struct json_stream *s, bool *first, json_record_fn *read, void *ctx,
		     struct error *err)
{
	for (;;) {
		bool at_end = false;
		int c = pass_commas(s, *first, err);
		int rc;

		*first = false;
		if (c < 0)
			return c;
		if (c == 0) {
			if (!s->ended)
				(void)cut_short(s);
			return 0;
		}
		if (c == ']') {
			s->in->at++;
			return 0;
		}
		if (s->records && c != '{') {
			note_fault(s, JSON_FAULT_JUNK, input_offset(s->in));
			rc = resync(s, err);
			if (rc == 0 && !s->ended)
				(void)cut_short(s);
			*first = true; /* whatever commas there were are gone */
		} else {
			rc = read_record(s, read, ctx, &at_end, err);
			if (rc)
				return rc;
			rc = leave_out(s, at_end, err);
			*first = true;
		}
		if (rc <= 0)
			return rc;
	}
}

struct name_record {
	char *name;
};

static int read_name(void *ctx, struct json_lenient *j)
{
	struct name_record *r = ctx;
	struct json_piece piece;
	bool first = true;
	int rc = json_lenient_member(j, &first, &piece);

	if (rc == 1)
		snprintf(r->name, JSON_STREAM_NAME, "%.*s",
			 piece.length < JSON_STREAM_NAME ? (int)piece.length : JSON_STREAM_NAME,
			 (const char *)piece.at);
	return rc == 1 ? 0 : JSON_LOST;
}

int json_stream_member(struct json_stream *s, bool *first, char name[JSON_STREAM_NAME],
		       struct error *err)
{
	struct name_record r = {name};
	bool at_end = false;
	int c = pass_commas(s, *first, err);
	int rc;

	*first = false;
	if (c < 0)
		return c;
	if (c == 0) {
		if (!s->ended)
			(void)cut_short(s);
		return 0;
	}
	if (c == '}') {
		s->in->at++;
		return 0;
	}
	rc = read_record(s, read_name, &r, &at_end, err);
	if (rc)
		return rc;
	if (at_end) {
		(void)cut_short(s);
	} else {
		s->ended = true;
		error_set(&s->damage, ERR_FORMAT, input_offset(s->in),
			  "malformed JSON: no name where one should begin");
	}
	return 0;
}
