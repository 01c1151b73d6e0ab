/* SPDX-License-Identifier: MIT
 * clean.c -- one walk over UTF-8 that lets nothing invisible or malformed through.
 */
#include "reports/clean.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "reports/utf8.h"

/* Characters that no document may hold, whatever the encoding. */
static bool is_replaced(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c <= 0x9f) ||
	       (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

static bool is_unseen(uint32_t c)
{
	return c == 0x061c || (c >= 0x80 && utf8_is_control(c));
}

size_t clean_next(const char **at, const char *end, char out[CLEAN_MAX])
{
	static const char hex[] = "0123456789abcdef";
	const char *p = *at;
	uint32_t c = 0;
	size_t n = utf8_decode(p, (size_t)(end - p), &c), digits = c > 0xffff ? 5 : 4;

	*at = p + (n ? n : 1);
	if (n == 0 || is_replaced(c)) {
		memcpy(out, "\xef\xbf\xbd", 3);
		return 3;
	}
	if (is_unseen(c)) {
		out[0] = '\\';
		out[1] = 'u';
		for (size_t i = 0; i < digits; i++)
			out[2 + i] = hex[c >> (4 * (digits - 1 - i)) & 15];
		return 2 + digits;
	}
	memcpy(out, p, n);
	return n;
}

/* Append `count` characters from *at; returns the new end of buf. */
static char *clean_append(char *to, const char **at, const char *end, size_t count)
{
	while (count-- > 0 && *at < end)
		to += clean_next(at, end, to);
	return to;
}

const char *clean_elide(char *buf, size_t size, const char *bytes, size_t n, size_t max_chars)
{
	const char *end = bytes + n, *at = bytes;
	char scratch[CLEAN_MAX], *to = buf;
	size_t chars = 0, head;

	assert(max_chars >= 3 && size >= (max_chars + 1) * CLEAN_MAX);
	(void)size;
	for (const char *p = bytes; p < end; chars++)
		(void)clean_next(&p, end, scratch);
	if (chars <= max_chars) {
		to = clean_append(to, &at, end, chars);
	} else {
		head = (max_chars - 1) / 2;
		to = clean_append(to, &at, end, head);
		memcpy(to, "\xe2\x80\xa6", 3);
		to += 3;
		for (size_t skip = chars - (max_chars - 1); skip > 0; skip--)
			(void)clean_next(&at, end, scratch);
		to = clean_append(to, &at, end, max_chars - 1 - head);
	}
	*to = '\0';
	return buf;
}
