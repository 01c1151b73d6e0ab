/* SPDX-License-Identifier: MIT
 * json_scalar.c -- strings, numbers and words of JSON.
 *
 * INPUT_PAD zero bytes stand behind the window's end, so loops over digits and the like need no
 * check for it: a zero byte ends them.
 */
#include "decode/json_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest number that is read; no writer comes near. */
#define NUMBER_MAX 1000

/* Any 19 digits fit a uint64_t. */
#define SAFE_DIGITS 19

/* Exponents beyond this give 0 or infinity with any mantissa of NUMBER_MAX digits. */
#define EXPONENT_MAX 100000

int json_malformed(const struct json_reader *r, struct error *err, const char *what)
{
	return error_set(err, ERR_FORMAT, input_offset(r->in), "malformed JSON: %s", what);
}

/* ---- strings ---- */

/* Bit 7 of each byte of the result is set where a byte of x is zero; only the lowest one set is
 * to be relied on. */
static uint64_t zero_bytes(uint64_t x)
{
	return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* First quote or backslash from p on, or `end`; may look at up to 7 bytes of the pad. */
static const uint8_t *find_special(const uint8_t *p, const uint8_t *end)
{
	for (; p < end; p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		uint64_t hits =
			zero_bytes(w ^ 0x2222222222222222u) | zero_bytes(w ^ 0x5c5c5c5c5c5c5c5cu);
		if (hits) {
			p += __builtin_ctzll(hits) / 8;
			return p < end ? p : end;
		}
	}
	return end;
}

/* Length of the plain run at the cursor, all of it in the window, a quote or backslash behind it. */
static int string_run(struct json_reader *r, size_t *out, struct error *err)
{
	struct input *in = r->in;
	size_t n = 0;

	for (;;) {
		const uint8_t *p = find_special(in->at + n, in->end);
		n = (size_t)(p - in->at);
		if (p < in->end)
			break;
		int rc = input_need(in, n + 1, err);
		if (rc < 0)
			return rc;
	}
	*out = n;
	return 0;
}

static int scratch_add(struct json_reader *r, const void *bytes, size_t n, struct error *err)
{
	int rc = vec_reserve(&r->scratch, n, r->budget, err);

	if (rc < 0 || n == 0)
		return rc;
	memcpy(r->scratch.at + r->scratch.n, bytes, n);
	r->scratch.n += n;
	return 0;
}

/* Lone surrogates are encoded like any other value below 2^16 (WTF-8). */
static size_t encode_utf8(uint32_t c, uint8_t out[4])
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

/* \uXXXX at p: true when all four are hexadecimal digits. */
static bool unicode_escape(const uint8_t *p, uint32_t *out)
{
	uint32_t v = 0;

	if (p[0] != '\\' || p[1] != 'u')
		return false;
	for (int i = 2; i < 6; i++) {
		uint8_t c = p[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (uint32_t)(low - 'a' + 10);
		else
			return false;
	}
	*out = v;
	return true;
}

/* \uXXXX, or two that are a surrogate pair. */
static int string_unicode(struct json_reader *r, struct error *err)
{
	struct input *in = r->in;
	uint8_t utf8[4];
	uint32_t c, low;
	int rc = input_need(in, 6, err);

	if (rc < 0)
		return rc;
	if (!unicode_escape(in->at, &c))
		return json_malformed(r, err, "\\u without four hexadecimal digits");
	size_t used = 6;
	if (c >= 0xd800 && c < 0xdc00) {
		rc = input_peek(in, 12, err);
		if (rc < 0)
			return rc;
		if (in->end - in->at >= 12 && unicode_escape(in->at + 6, &low) && low >= 0xdc00 &&
		    low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			used = 12;
		}
	}
	in->at += used;
	return scratch_add(r, utf8, encode_utf8(c, utf8), err);
}

static int string_escape(struct json_reader *r, struct error *err)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	struct input *in = r->in;
	int rc = input_need(in, 2, err);

	if (rc < 0)
		return rc;
	if (in->at[1] == 'u')
		return string_unicode(r, err);
	const char *hit = memchr(from, in->at[1], sizeof from - 1);
	if (!hit)
		return json_malformed(r, err, "an unknown escape in a string");
	in->at += 2;
	return scratch_add(r, &to[hit - from], 1, err);
}

static int string_add(struct json_reader *r, const void *bytes, size_t n, cell *out,
		      struct error *err)
{
	str_id id;
	int rc = strtab_add(r->fold->cells->strings, bytes, n, &id, err);

	if (rc == 0)
		*out = cell_make(CELL_STR, id.i);
	return rc;
}

int json_string(struct json_reader *r, cell *out, struct error *err)
{
	struct input *in = r->in;
	bool plain = true;
	size_t n;
	int rc;

	in->at++;
	r->scratch.n = 0;
	for (;;) {
		rc = string_run(r, &n, err);
		if (rc < 0)
			return rc;
		bool ends = in->at[n] == '"';
		if (ends && plain)
			rc = string_add(r, in->at, n, out, err);
		else
			rc = scratch_add(r, in->at, n, err);
		if (rc < 0)
			return rc;
		in->at += n;
		if (ends)
			break;
		plain = false;
		rc = string_escape(r, err);
		if (rc < 0)
			return rc;
	}
	in->at++;
	return plain ? 0 : string_add(r, r->scratch.at, r->scratch.n, out, err);
}

/* ---- numbers ---- */

/* A number taken apart: mantissa digits without a point, times 10^exponent. */
struct number {
	const uint8_t *begin, *end; /* digits and point of the mantissa */
	bool negative;
	bool valid;
	bool integer;      /* neither point nor exponent */
	uint64_t mantissa; /* of the first SAFE_DIGITS digits; all when n_digits is not more */
	size_t n_digits;
	long exponent;
};

static bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static const uint8_t *take_digits(struct number *n, const uint8_t *p)
{
	for (; is_digit(*p); p++) {
		if (n->n_digits < SAFE_DIGITS)
			n->mantissa = n->mantissa * 10 + (uint64_t)(*p - '0');
		n->n_digits++;
	}
	return p;
}

/* Behind e or E. */
static const uint8_t *take_exponent(struct number *n, const uint8_t *p)
{
	bool negative = *p == '-';
	long e = 0;

	p += *p == '-' || *p == '+';
	n->valid = is_digit(*p);
	for (; is_digit(*p); p++) {
		if (e < EXPONENT_MAX)
			e = e * 10 + (*p - '0');
	}
	n->exponent += negative ? -e : e;
	return p;
}

/* Returns the first byte that does not belong to the number, or makes it none. */
static const uint8_t *number_scan(struct number *n, const uint8_t *p)
{
	*n = (struct number){.negative = *p == '-', .integer = true};
	p += n->negative;
	n->begin = p;
	n->valid = is_digit(*p) && (*p != '0' || !is_digit(p[1]));
	if (!n->valid)
		return p;
	p = take_digits(n, p);
	if (*p == '.') {
		const uint8_t *point = p;

		n->integer = false;
		p = take_digits(n, p + 1);
		n->exponent = -(long)(p - point - 1);
		n->valid = n->exponent < 0;
	}
	n->end = p;
	if (n->valid && (*p | 0x20) == 'e') {
		n->integer = false;
		p = take_exponent(n, p + 1);
	}
	return p;
}

/* Digits without the point, so that the locale does not matter to strtod. */
static double number_by_library(const struct number *n)
{
	char text[NUMBER_MAX + 32];
	size_t used = 0;

	for (const uint8_t *p = n->begin; p < n->end; p++) {
		if (*p != '.')
			text[used++] = (char)*p;
	}
	snprintf(text + used, sizeof text - used, "e%ld", n->exponent);
	return strtod(text, NULL);
}

static double number_double(const struct number *n)
{
	static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	double d;

	/* Both factors are exact, so the one rounding is right. */
	if (n->n_digits <= SAFE_DIGITS && n->mantissa <= UINT64_C(1) << 53 && n->exponent >= -22 &&
	    n->exponent <= 22)
		d = n->exponent < 0 ? (double)n->mantissa / tens[-n->exponent]
				    : (double)n->mantissa * tens[n->exponent];
	else
		d = number_by_library(n);
	return n->negative ? -d : d;
}

/* True and *out set when an integer's magnitude fits 64 bits. */
static bool number_u64(const struct number *n, uint64_t *out)
{
	uint64_t v = n->mantissa;

	if (n->n_digits > SAFE_DIGITS + 1)
		return false;
	if (n->n_digits == SAFE_DIGITS + 1 &&
	    (__builtin_mul_overflow(v, 10, &v) ||
	     __builtin_add_overflow(v, (uint64_t)(n->end[-1] - '0'), &v)))
		return false;
	*out = v;
	return true;
}

static int number_cell(struct cells *cells, const struct number *n, cell *out, struct error *err)
{
	uint64_t v;

	if (!n->integer || !number_u64(n, &v))
		return cells_from_f64(cells, number_double(n), out, err);
	if (!n->negative)
		return cells_from_u64(cells, v, out, err);
	if (v <= (uint64_t)1 << 63)
		return cells_from_i64(cells, (int64_t)(0 - v), out, err);
	return cells_from_f64(cells, -(double)v, out, err);
}

int json_number(struct json_reader *r, cell *out, struct error *err)
{
	struct input *in = r->in;
	struct number n;
	int rc = input_peek(in, NUMBER_MAX + 2, err);

	if (rc < 0)
		return rc;
	if (*in->at == '-' && in->end - in->at > 1 && in->at[1] == 'I')
		return json_word(r, out, err);
	const uint8_t *p = number_scan(&n, in->at);
	if (p - in->at > NUMBER_MAX)
		return json_malformed(r, err, "a number of more than 1000 characters");
	if (p == in->end) {
		/* It may go on behind a cut. Only the clean end of a file that is nothing but a
		 * number ends one. */
		rc = input_need(in, (size_t)(p - in->at) + 1, err);
		if (rc < 0 && !(n.valid && r->open.n == 0 && rc == ERR_CUT))
			return rc;
	}
	if (!n.valid)
		return json_malformed(r, err, "a number without digits where they belong");
	in->at = p;
	return number_cell(r->fold->cells, &n, out, err);
}

/* ---- words ---- */

int json_word(struct json_reader *r, cell *out, struct error *err)
{
	static const char *const words[] = {"true", "false",    "null",
					    "NaN",  "Infinity", "-Infinity"};
	struct input *in = r->in;
	int rc = input_peek(in, 10, err);

	if (rc < 0)
		return rc;
	size_t left = (size_t)(in->end - in->at);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (memcmp(in->at, words[i], left < n ? left : n) != 0)
			continue;
		rc = input_need(in, n, err);
		if (rc < 0)
			return rc;
		in->at += n;
		if (i < 3) {
			static const enum cell_const value[] = {CELL_TRUE, CELL_FALSE, CELL_NONE};
			*out = cell_make(CELL_CONST, value[i]);
			return 0;
		}
		double d = i == 3 ? NAN : i == 4 ? INFINITY : -INFINITY;
		return cells_from_f64(r->fold->cells, d, out, err);
	}
	return json_malformed(r, err, "a value that is none");
}
