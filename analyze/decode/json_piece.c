/* SPDX-License-Identifier: MIT
 * json_piece.c -- what the pieces of a lenient record mean: text, integers, times.
 */
#include <string.h>

#include "decode/json_lenient.h"
#include "decode/json_scan.h"

bool json_piece_is(const struct json_piece *p, const char *text)
{
	size_t n = strlen(text);

	return p->length == n && memcmp(p->at, text, n) == 0;
}

/* The number a piece holds; a byte that is no part of numbers stands behind it. */
static bool piece_number(const struct json_piece *p, struct json_number *n)
{
	const uint8_t *end;

	if ((p->kind != JSON_PIECE_NUMBER && p->kind != JSON_PIECE_STRING) || !p->length ||
	    p->length > JSON_NUMBER_MAX)
		return false;
	end = json_number_scan(n, p->at);
	return n->valid && end == p->at + p->length;
}

static bool apply_sign(uint64_t magnitude, bool negative, int64_t *out)
{
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

bool json_piece_i64(const struct json_piece *p, int64_t *out)
{
	struct json_number n;
	uint64_t magnitude;
	double d;

	if (!piece_number(p, &n))
		return false;
	if (n.integer) {
		if (!json_number_u64(&n, &magnitude))
			return false;
		/* Addresses above 2^63 come as either sign. */
		if (!n.negative && magnitude > INT64_MAX) {
			*out = (int64_t)magnitude;
			return true;
		}
		return apply_sign(magnitude, n.negative, out);
	}
	d = json_number_double(&n);
	if (!(d >= -0x1p63 && d < 0x1p63))
		return false;
	*out = (int64_t)d;
	return true;
}

bool json_piece_us_to_ns(const struct json_piece *p, int64_t *out)
{
	struct json_number n;
	uint64_t us = 0, ns = 0;
	const uint8_t *q;
	unsigned digits = 0;

	if (!piece_number(p, &n))
		return false;
	if (*n.end == 'e' || *n.end == 'E') {
		double d = json_number_double(&n) * 1e3;

		if (!(d > -0x1p63 && d < 0x1p63))
			return false;
		*out = (int64_t)d;
		return true;
	}
	for (q = n.begin; q < n.end && *q != '.'; q++) {
		if (__builtin_mul_overflow(us, 10, &us) ||
		    __builtin_add_overflow(us, (uint64_t)(*q - '0'), &us))
			return false;
	}
	for (q += q < n.end; digits < 3; digits++)
		ns = ns * 10 + (q < n.end ? (uint64_t)(*q++ - '0') : 0);
	if (__builtin_mul_overflow(us, 1000, &us) || __builtin_add_overflow(us, ns, &us))
		return false;
	return apply_sign(us, n.negative, out);
}

/* ---- text ---- */

static bool is_continuation(uint8_t c)
{
	return (c & 0xc0) == 0x80;
}

/* Length of the UTF-8 sequence at p, 0 when it is none. */
static size_t utf8_length(const uint8_t *p, const uint8_t *end)
{
	size_t left = (size_t)(end - p);
	uint8_t c = *p;

	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0 && left >= 2 && is_continuation(p[1]))
		return 2;
	if ((c & 0xf0) == 0xe0 && left >= 3 && is_continuation(p[1]) && is_continuation(p[2]) &&
	    (c != 0xe0 || p[1] >= 0xa0) && (c != 0xed || p[1] < 0xa0))
		return 3;
	if (c >= 0xf0 && c < 0xf5 && left >= 4 && is_continuation(p[1]) && is_continuation(p[2]) &&
	    is_continuation(p[3]) && (c != 0xf0 || p[1] >= 0x90) && (c != 0xf4 || p[1] < 0x90))
		return 4;
	return 0;
}

/* The escape at *p, undone into `to`; returns its length. A backslash that begins none stays. */
static size_t undo_escape(struct json_lenient *j, const uint8_t **p, const uint8_t *end, char *to)
{
	const uint8_t *at = *p;
	uint32_t c, low;
	char plain;

	if (end - at >= 6 && json_unicode_escape(at, &c)) {
		*p += 6;
		if (c >= 0xd800 && c < 0xdc00 && end - at >= 12 &&
		    json_unicode_escape(at + 6, &low) && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			*p += 6;
		}
		return json_utf8_encode(c, (uint8_t *)to);
	}
	plain = end - at >= 2 ? json_plain_escape(at[1]) : 0;
	*to = plain ? plain : '\\';
	*p += plain ? 2 : 1;
	if (!plain)
		json_lenient_fault(j, JSON_FAULT_ESCAPE, at);
	return 1;
}

size_t json_piece_text(struct json_lenient *j, const struct json_piece *piece, char *buf)
{
	const uint8_t *p = piece->at, *end;
	size_t n = 0;

	if (!piece->length)
		return 0;
	end = p + piece->length;
	if (piece->plain) {
		memcpy(buf, p, piece->length);
		return piece->length;
	}
	while (p < end) {
		size_t length;

		if (*p == '\\') {
			n += undo_escape(j, &p, end, buf + n);
			continue;
		}
		length = utf8_length(p, end);
		if (!length) {
			json_lenient_fault(j, JSON_FAULT_UTF8, p);
			memcpy(buf + n, "\xef\xbf\xbd", 3);
			n += 3;
			p++;
			continue;
		}
		memcpy(buf + n, p, length);
		n += length;
		p += length;
	}
	return n;
}
