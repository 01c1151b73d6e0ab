/* SPDX-License-Identifier: MIT
 * utf8.c -- strict UTF-8: what is a character, how wide it is, and what must not reach a terminal.
 */
#include "reports/utf8.h"

#include <stdio.h>
#include <string.h>

size_t utf8_decode(const char *s, size_t n, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	size_t length;
	uint32_t c;

	if (u[0] < 0x80) {
		*code = u[0];
		return 1;
	}
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	length = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (length > n)
		return 0;
	c = u[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return length;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

unsigned utf8_columns(uint32_t code)
{
	/* The blocks of East_Asian_Width W and F, coarsely. */
	static const struct range wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
		{0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
		{0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
		{0x20000, 0x3fffd},
	};

	return code >= 0x1100 && in_ranges(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

bool utf8_is_control(uint32_t code)
{
	/* C0, DEL and C1; then zero width and bidirectional controls, line separators, the byte
	 * order mark. */
	static const struct range controls[] = {
		{0, 0x1f},        {0x7f, 0x9f},     {0x200b, 0x200f},   {0x2028, 0x202e},
		{0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xe0000, 0xe007f},
	};

	if (code >= 0x20 && code < 0x7f)
		return false;
	return in_ranges(controls, sizeof controls / sizeof *controls, code);
}

size_t utf8_escape(char *to, const char *s, size_t n, size_t *used, unsigned *columns)
{
	uint32_t code;
	size_t length = utf8_decode(s, n, &code);
	int written;

	if (length && !utf8_is_control(code)) {
		memcpy(to, s, length);
		*used = length;
		*columns = utf8_columns(code);
		return length;
	}
	*used = length ? length : 1;
	if (!length)
		written = snprintf(to, 16, "\\x%02x", (unsigned char)s[0]);
	else if (code == '\n' || code == '\t' || code == '\r')
		written = snprintf(to, 16, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
	else if (code < 0x80)
		written = snprintf(to, 16, "\\x%02x", (unsigned)code);
	else
		written = snprintf(to, 16, "\\u%04x", (unsigned)code);
	*columns = (unsigned)written;
	return (size_t)written;
}
