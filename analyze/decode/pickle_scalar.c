/* SPDX-License-Identifier: MIT
 * pickle_scalar.c -- numbers and strings of pickles, text forms of protocol 0 included.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/pickle_machine.h"

/* Lengths come from the input: never make room for much more than is really there. */
#define NEED_STEP_BYTES (UINT64_C(1) << 20)
#define LINE_STEP_BYTES ((size_t)4096)

int machine_malformed(const struct machine *m, struct error *err, const char *what)
{
	return error_set(err, ERR_FORMAT, m->op_offset, "malformed pickle: %s", what);
}

int machine_need(struct machine *m, uint64_t n, struct error *err)
{
	struct input *in = m->in;
	int rc;

	while ((uint64_t)(in->end - in->at) < n) {
		uint64_t have = (uint64_t)(in->end - in->at);
		uint64_t step = have + (have > NEED_STEP_BYTES ? have : NEED_STEP_BYTES);

		rc = input_need(in, step < n ? step : n, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int machine_push(struct machine *m, cell c, struct error *err)
{
	return vec_push(&m->stack, c, m->budget, err);
}

static int push_bytes(struct machine *m, const char *bytes, size_t n, struct error *err)
{
	str_id id;
	int rc = strtab_add(m->fold->cells->strings, bytes, n, &id, err);

	if (rc < 0)
		return rc;
	return machine_push(m, cell_make(CELL_STR, id.i), err);
}

int machine_string(struct machine *m, uint64_t length, struct error *err)
{
	int rc = machine_need(m, length, err);

	if (rc < 0)
		return rc;
	rc = push_bytes(m, (const char *)m->in->at, (size_t)length, err);
	if (rc == 0)
		m->in->at += length;
	return rc;
}

int machine_skip_bytes(struct machine *m, uint64_t length, struct error *err)
{
	int rc;

	while (length > 0) {
		rc = input_need(m->in, 1, err);
		if (rc < 0)
			return rc;
		uint64_t n = (uint64_t)(m->in->end - m->in->at);
		if (n > length)
			n = length;
		m->in->at += n;
		length -= n;
	}
	return machine_push(m, cell_make(CELL_BYTES, 0), err);
}

/* The text up to a newline, which is stepped over too. Valid until the next read. */
static int take_line(struct machine *m, const char **text, size_t *length, struct error *err)
{
	struct input *in = m->in;
	size_t seen = 0;
	int rc;

	for (;;) {
		const uint8_t *nl = memchr(in->at + seen, '\n', (size_t)(in->end - in->at) - seen);

		if (nl) {
			*text = (const char *)in->at;
			*length = (size_t)(nl - in->at);
			in->at = nl + 1;
			return 0;
		}
		/* Twice as much each time: a window that moves a little for each bit of a long
		 * line would cost the square of its length. */
		seen = (size_t)(in->end - in->at);
		rc = input_peek(in, seen + (seen > LINE_STEP_BYTES ? seen : LINE_STEP_BYTES), err);
		if (rc == 0 && (size_t)(in->end - in->at) == seen)
			rc = input_need(in, seen + 1, err);
		if (rc < 0)
			return rc;
	}
}

static int scratch_code_point(struct machine *m, uint32_t c, struct error *err)
{
	int rc = vec_reserve(&m->scratch, 4, m->budget, err);

	if (rc < 0)
		return rc;
	char *to = &m->scratch.at[m->scratch.n];
	if (c < 0x80) {
		to[0] = (char)c;
		m->scratch.n += 1;
	} else if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		m->scratch.n += 2;
	} else if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		m->scratch.n += 3;
	} else {
		to[0] = (char)(0xf0 | c >> 18);
		to[1] = (char)(0x80 | (c >> 12 & 63));
		to[2] = (char)(0x80 | (c >> 6 & 63));
		to[3] = (char)(0x80 | (c & 63));
		m->scratch.n += 4;
	}
	return 0;
}

/* `digits` hex digits at text, or UINT32_MAX. */
static uint32_t hex_value(const char *text, size_t available, size_t digits)
{
	uint32_t value = 0;

	if (available < digits)
		return UINT32_MAX;
	for (size_t i = 0; i < digits; i++) {
		char c = text[i];
		uint32_t d = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
			     : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
			     : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
						    : 16;

		if (d == 16)
			return UINT32_MAX;
		value = value << 4 | d;
	}
	return value;
}

/* UNICODE: raw-unicode-escape, where bytes are Latin-1 and only \u and \U are escapes. */
int machine_text_unicode(struct machine *m, struct error *err)
{
	const char *text;
	size_t n;
	int rc = take_line(m, &text, &n, err);

	m->scratch.n = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint32_t c = (uint8_t)text[i];

		if (c == '\\' && i + 1 < n && (text[i + 1] == 'u' || text[i + 1] == 'U')) {
			size_t digits = text[i + 1] == 'u' ? 4 : 8;

			c = hex_value(text + i + 2, n - i - 2, digits);
			if (c > 0x10ffff)
				return machine_malformed(m, err, "a bad \\u escape in UNICODE");
			i += 1 + digits;
		}
		rc = scratch_code_point(m, c, err);
	}
	return rc < 0 ? rc : push_bytes(m, m->scratch.n ? m->scratch.at : "", m->scratch.n, err);
}

/* STRING: the repr of a Python 2 string, quotes included. */
int machine_text_string(struct machine *m, struct error *err)
{
	const char *text;
	size_t n;
	int rc = take_line(m, &text, &n, err);

	if (rc < 0)
		return rc;
	if (n < 2 || text[0] != text[n - 1] || (text[0] != '\'' && text[0] != '"'))
		return machine_malformed(m, err, "an unquoted STRING");
	m->scratch.n = 0;
	for (size_t i = 1; i + 1 < n; i++) {
		char c = text[i];

		if (c == '\\' && i + 2 < n) {
			c = text[++i];
			if (c == 'x') {
				uint32_t v = hex_value(text + i + 1, n - 1 - (i + 1), 2);

				if (v > 255)
					return machine_malformed(m, err,
								 "a bad \\x escape in STRING");
				c = (char)v;
				i += 2;
			} else {
				c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
			}
		}
		rc = vec_push(&m->scratch, c, m->budget, err);
		if (rc < 0)
			return rc;
	}
	return push_bytes(m, m->scratch.n ? m->scratch.at : "", m->scratch.n, err);
}

/* A decimal integer of at most 64 bits. False when `text` is anything else. */
static bool parse_decimal(const char *text, size_t n, bool *negative, uint64_t *magnitude)
{
	uint64_t value = 0;
	size_t i = n > 0 && (text[0] == '-' || text[0] == '+');

	*negative = i && text[0] == '-';
	if (i == n)
		return false;
	for (; i < n; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*magnitude = value;
	return !*negative || value <= (uint64_t)1 << 63;
}

/* INT and LONG: a line of digits; INT's "00" and "01" are False and True, LONG may end in L. */
int machine_text_int(struct machine *m, struct error *err)
{
	const char *text;
	size_t n;
	bool negative;
	uint64_t magnitude;
	cell c;
	int rc = take_line(m, &text, &n, err);

	if (rc < 0)
		return rc;
	if (n == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1'))
		return machine_push(
			m, cell_make(CELL_CONST, text[1] == '1' ? CELL_TRUE : CELL_FALSE), err);
	if (n > 0 && text[n - 1] == 'L')
		n--;
	if (!parse_decimal(text, n, &negative, &magnitude))
		return machine_malformed(m, err, "not an integer of 64 bits");
	if (negative)
		rc = cells_from_i64(m->fold->cells, (int64_t)-magnitude, &c, err);
	else
		rc = cells_from_u64(m->fold->cells, magnitude, &c, err);
	return rc < 0 ? rc : machine_push(m, c, err);
}

int machine_text_float(struct machine *m, struct error *err)
{
	char copy[64], *end;
	const char *text;
	size_t n;
	cell c;
	int rc = take_line(m, &text, &n, err);

	if (rc < 0)
		return rc;
	if (n == 0 || n >= sizeof copy)
		return machine_malformed(m, err, "not a number in FLOAT");
	memcpy(copy, text, n);
	copy[n] = '\0';
	double value = strtod(copy, &end);
	if (end != copy + n)
		return machine_malformed(m, err, "not a number in FLOAT");
	rc = cells_from_f64(m->fold->cells, value, &c, err);
	return rc < 0 ? rc : machine_push(m, c, err);
}

int machine_text_index(struct machine *m, uint64_t *out, struct error *err)
{
	const char *text;
	size_t n;
	bool negative;
	uint64_t value;
	int rc = take_line(m, &text, &n, err);

	if (rc < 0)
		return rc;
	if (!parse_decimal(text, n, &negative, &value) || negative)
		return machine_malformed(m, err, "a memo index that is no number");
	*out = value;
	return 0;
}

/* LONG1 and LONG4: little-endian two's complement. Nine bytes hold a uint64 above 2^63. */
int machine_long(struct machine *m, uint64_t length, struct error *err)
{
	struct cells *cells = m->fold->cells;
	uint64_t value = 0;
	cell c;
	int rc;

	if (length > 9)
		return machine_malformed(m, err, "an integer of more than 64 bits");
	rc = machine_need(m, length, err);
	if (rc < 0)
		return rc;
	const uint8_t *p = m->in->at;
	for (size_t i = 0; i < length && i < 8; i++)
		value |= (uint64_t)p[i] << 8 * i;
	bool negative = length > 0 && p[length - 1] >= 0x80;
	if (length == 9) {
		if (p[8] != 0)
			return machine_malformed(m, err, "an integer of more than 64 bits");
		rc = cells_from_u64(cells, value, &c, err);
	} else {
		if (negative && length < 8)
			value |= ~UINT64_C(0) << 8 * length;
		rc = cells_from_i64(cells, (int64_t)value, &c, err);
	}
	if (rc < 0)
		return rc;
	m->in->at += length;
	return machine_push(m, c, err);
}

/* Big-endian, unlike every integer here. */
int machine_binfloat(struct machine *m, struct error *err)
{
	uint64_t bits = 0;
	double value;
	cell c;
	int rc;

	for (size_t i = 0; i < 8; i++)
		bits = bits << 8 | m->in->at[i];
	memcpy(&value, &bits, sizeof value);
	rc = cells_from_f64(m->fold->cells, value, &c, err);
	if (rc < 0)
		return rc;
	m->in->at += 8;
	return machine_push(m, c, err);
}
