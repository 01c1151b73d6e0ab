/* SPDX-License-Identifier: MIT
 * json_scan.c -- quotes, escapes and numbers of JSON over plain bytes.
 */
#include "decode/json_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exponents beyond this give 0 or infinity with any mantissa of JSON_NUMBER_MAX digits. */
#define EXPONENT_MAX 100000

/* ---- strings ---- */

/* Bit 7 of each byte of the result is set where a byte of x is zero; only the lowest one set is
 * to be relied on. */
static uint64_t zero_bytes(uint64_t x)
{
	return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

const uint8_t *json_find_special(const uint8_t *p, const uint8_t *end)
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

/* Bit 7 set where a byte is below 0x20 (and below 0x80); only the lowest one is to be relied on. */
static uint64_t control_bytes(uint64_t x)
{
	return (x - 0x2020202020202020u) & ~x & 0x8080808080808080u;
}

const uint8_t *json_find_odd(const uint8_t *p, const uint8_t *end, bool *high)
{
	uint64_t seen = 0;

	for (; p < end; p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		uint64_t hits = zero_bytes(w ^ 0x2222222222222222u) |
				zero_bytes(w ^ 0x5c5c5c5c5c5c5c5cu) | control_bytes(w);
		seen |= w;
		if (hits) {
			p += __builtin_ctzll(hits) / 8;
			break;
		}
	}
	*high |= (seen & 0x8080808080808080u) != 0;
	return p < end ? p : end;
}

size_t json_utf8_encode(uint32_t c, uint8_t out[4])
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

bool json_unicode_escape(const uint8_t *p, uint32_t *out)
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

char json_plain_escape(uint8_t letter)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit = letter ? strchr(from, letter) : NULL;

	return hit ? to[hit - from] : 0;
}

/* ---- numbers ---- */

static bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static const uint8_t *take_digits(struct json_number *n, const uint8_t *p)
{
	for (; is_digit(*p); p++) {
		if (n->n_digits < JSON_SAFE_DIGITS)
			n->mantissa = n->mantissa * 10 + (uint64_t)(*p - '0');
		n->n_digits++;
	}
	return p;
}

/* Behind e or E. */
static const uint8_t *take_exponent(struct json_number *n, const uint8_t *p)
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

const uint8_t *json_number_scan(struct json_number *n, const uint8_t *p)
{
	*n = (struct json_number){.negative = *p == '-', .integer = true};
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
static double number_by_library(const struct json_number *n)
{
	char text[JSON_NUMBER_MAX + 32];
	size_t used = 0;

	for (const uint8_t *p = n->begin; p < n->end; p++) {
		if (*p != '.')
			text[used++] = (char)*p;
	}
	snprintf(text + used, sizeof text - used, "e%ld", n->exponent);
	return strtod(text, NULL);
}

double json_number_double(const struct json_number *n)
{
	static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	double d;

	/* Both factors are exact, so the one rounding is right. */
	if (n->n_digits <= JSON_SAFE_DIGITS && n->mantissa <= UINT64_C(1) << 53 &&
	    n->exponent >= -22 && n->exponent <= 22)
		d = n->exponent < 0 ? (double)n->mantissa / tens[-n->exponent]
				    : (double)n->mantissa * tens[n->exponent];
	else
		d = number_by_library(n);
	return n->negative ? -d : d;
}

bool json_number_u64(const struct json_number *n, uint64_t *out)
{
	uint64_t v = n->mantissa;

	if (n->n_digits > JSON_SAFE_DIGITS + 1)
		return false;
	if (n->n_digits == JSON_SAFE_DIGITS + 1 &&
	    (__builtin_mul_overflow(v, 10, &v) ||
	     __builtin_add_overflow(v, (uint64_t)(n->end[-1] - '0'), &v)))
		return false;
	*out = v;
	return true;
}
