/* SPDX-License-Identifier: MIT
 * html.c -- finding and decoding the base64 text of a page.
 */
#include "decode/html.h"

#include <string.h>

#define MEMBER       "\"base64\""
#define MEMBER_BYTES (sizeof(MEMBER) - 1)

/* Classes of characters that are no digit; digits are 0..63. */
enum { BASE64_SKIP = 64, BASE64_QUOTE, BASE64_ESCAPE, BASE64_BAD };

static void base64_classes(uint8_t value[256])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	memset(value, BASE64_BAD, 256);
	for (unsigned i = 0; i < 64; i++)
		value[(uint8_t)digits[i]] = (uint8_t)i;
	/* The alphabet for addresses, RFC 4648 section 5. */
	value['-'] = 62;
	value['_'] = 63;
	value['='] = value['\n'] = value['\r'] = value['\t'] = value[' '] = BASE64_SKIP;
	value['"'] = BASE64_QUOTE;
	value['\\'] = BASE64_ESCAPE;
}

/* Step over white space; true when the byte after it is `want`, which is stepped over too. */
static bool page_accept(struct input *page, uint8_t want, struct error *err)
{
	while (input_peek(page, 1, err) == 0 && page->at < page->end) {
		uint8_t c = *page->at;

		if (c == want) {
			page->at++;
			return true;
		}
		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return false;
		page->at++;
	}
	return false;
}

/* Move behind the opening quote of the next `"base64": "`. Returns 1 when there is one, 0 when the
 * page ends before. */
static int page_find_member(struct input *page, struct error *err)
{
	for (;;) {
		int rc = input_peek(page, MEMBER_BYTES, err);
		if (rc < 0)
			return rc;
		size_t left = (size_t)(page->end - page->at);
		if (left < MEMBER_BYTES)
			return 0;
		const uint8_t *hit = memmem(page->at, left, MEMBER, MEMBER_BYTES);
		if (!hit) {
			page->at = page->end - (MEMBER_BYTES - 1);
			continue;
		}
		page->at = hit + MEMBER_BYTES;
		if (page_accept(page, ':', err) && page_accept(page, '"', err))
			return 1;
	}
}

/* Whole groups of four digits at the cursor, as many as there are and fit. */
static size_t decode_groups(struct html_payload *h, uint8_t *to, size_t room)
{
	const uint8_t *p = h->page->at;
	size_t groups = (size_t)(h->page->end - p) / 4, done = 0;

	if (groups > room / 3)
		groups = room / 3;
	for (; groups > 0; groups--, p += 4, done += 3) {
		uint32_t a = h->value[p[0]], b = h->value[p[1]];
		uint32_t c = h->value[p[2]], d = h->value[p[3]];

		if ((a | b | c | d) >= 64)
			break;
		uint32_t bits = a << 18 | b << 12 | c << 6 | d;
		to[done] = (uint8_t)(bits >> 16);
		to[done + 1] = (uint8_t)(bits >> 8);
		to[done + 2] = (uint8_t)bits;
	}
	h->page->at = p;
	return done;
}

/* The character behind a backslash: JSON may write `/` as `\/` and a line's end as `\n`. Returns
 * its class. */
static int escaped_class(struct html_payload *h, struct error *err)
{
	int rc = input_need(h->page, 1, err);

	if (rc < 0)
		return rc;
	uint8_t c = *h->page->at++;
	if (c == '/')
		return h->value['/'];
	return c == 'n' || c == 'r' || c == 't' ? BASE64_SKIP : BASE64_BAD;
}

/* One character; returns how many bytes (0 or 1) it completed. */
static int decode_one(struct html_payload *h, uint8_t *to, struct error *err)
{
	int class = h->value[*h->page->at++];

	if (class == BASE64_ESCAPE)
		class = escaped_class(h, err);
	if (class < 0)
		return class;
	if (class == BASE64_BAD)
		return error_set(err, ERR_FORMAT, h->decoded,
				 "the pickle in the page is not whole base64 text");
	if (class == BASE64_QUOTE)
		h->ended = true;
	if (class >= 64)
		return 0;
	h->bits = h->bits << 6 | (uint32_t) class;
	h->n_bits += 6;
	if (h->n_bits < 8)
		return 0;
	h->n_bits -= 8;
	*to = (uint8_t)(h->bits >> h->n_bits);
	return 1;
}

/* Decode at least one byte unless the text ends or fails; returns how many. */
static int decode_some(struct html_payload *h, uint8_t *to, size_t room, struct error *err)
{
	size_t got = h->n_bits == 0 ? decode_groups(h, to, room) : 0;

	while (got == 0 && !h->ended) {
		int rc = input_need(h->page, 1, err);
		if (rc == ERR_CUT)
			return error_set(err, rc, h->decoded, "the page ends inside its pickle");
		if (rc == 0)
			rc = decode_one(h, to, err);
		if (rc < 0) {
			if (err->offset != ERR_NO_OFFSET)
				err->offset = h->decoded;
			return rc;
		}
		got = (size_t)rc;
	}
	h->decoded += got;
	return (int)got;
}

/* The reader behind `payload`: see input_open_reader. Groups fit an int: a window does. */
static long html_read(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	struct html_payload *h = ctx;
	size_t done = 0;

	if (room > INPUT_WINDOW_BYTES)
		room = INPUT_WINDOW_BYTES;
	while (done < room && !h->ended && !h->failed.code) {
		int got = decode_some(h, to + done, room - done, &h->failed);
		if (got > 0)
			done += (size_t)got;
	}
	if (done > 0 || !h->failed.code)
		return (long)done;
	if (err)
		*err = h->failed;
	return h->failed.code;
}

int html_open(struct html_payload **out, struct input *page, struct budget *budget,
	      struct error *err)
{
	int rc = page_find_member(page, err);

	if (rc == 0)
		return error_set(err, ERR_UNSUPPORTED, ERR_NO_OFFSET,
				 "a web page without an embedded snapshot");
	if (rc < 0)
		return rc;
	struct html_payload *h = budget_realloc(budget, NULL, 0, sizeof *h, err);
	if (!h)
		return err->code;
	*h = (struct html_payload){.page = page, .budget = budget};
	base64_classes(h->value);
	rc = input_open_reader(&h->payload, html_read, h, budget, err);
	if (rc < 0) {
		html_close(h);
		return rc;
	}
	*out = h;
	return 0;
}

void html_close(struct html_payload *h)
{
	if (!h)
		return;
	input_close(h->payload);
	budget_free(h->budget, h, sizeof *h);
}

uint64_t html_count_further(struct html_payload *h)
{
	uint64_t further = 0;
	struct error ignored = {0};

	/* The text of the payload cannot hold a quote, so the search may start inside it. */
	while (page_find_member(h->page, &ignored) == 1)
		further++;
	return further;
}
