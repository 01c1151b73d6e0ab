/* SPDX-License-Identifier: MIT
 * json_scan.h -- the bytes of JSON scalars: strings, numbers, escapes; shared by both readers.
 *
 * json.c reads documents whole and strictly into folds, json_stream.c reads records one by one and
 * tolerates what writers break. Both read scalars with these. INPUT_PAD zero bytes (or a terminator
 * of JSON) stand behind the data, so loops over digits need no check for its end.
 */
#ifndef ANALYZE_DECODE_JSON_SCAN_H
#define ANALYZE_DECODE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First quote or backslash from p on, or `end`; may look at up to 7 bytes of the pad. */
const uint8_t *json_find_special(const uint8_t *p, const uint8_t *end);

/* As json_find_special, and stops at control characters (below 0x20) too. *high is set when a byte
 * of 0x80 or above may have been passed. */
const uint8_t *json_find_odd(const uint8_t *p, const uint8_t *end, bool *high);

/* \uXXXX at p, where 6 bytes may be read: true when all four are hexadecimal digits. */
bool json_unicode_escape(const uint8_t *p, uint32_t *out);

/* What the letter behind a backslash stands for (not u), or 0 when nothing does. */
char json_plain_escape(uint8_t letter);

/* Bytes of a code point; lone surrogates are encoded like any other value below 2^16 (WTF-8). */
size_t json_utf8_encode(uint32_t c, uint8_t out[4]);

/* A number taken apart: mantissa digits without a point, times 10^exponent. */
struct json_number {
	const uint8_t *begin, *end; /* digits and point of the mantissa */
	bool negative;
	bool valid;
	bool integer;      /* neither point nor exponent */
	uint64_t mantissa; /* of the first JSON_SAFE_DIGITS digits; all when n_digits is no more */
	size_t n_digits;
	long exponent;
};

/* Any 19 digits fit a uint64_t. */
#define JSON_SAFE_DIGITS 19

/* Longest number that is read; no writer comes near. */
#define JSON_NUMBER_MAX 1000

/* Returns the first byte that does not belong to the number at p, or makes it invalid. */
const uint8_t *json_number_scan(struct json_number *n, const uint8_t *p);

/* Of a valid number of at most JSON_NUMBER_MAX digits. */
double json_number_double(const struct json_number *n);

/* True and *out set when an integer's magnitude fits 64 bits. */
bool json_number_u64(const struct json_number *n, uint64_t *out);

#endif
