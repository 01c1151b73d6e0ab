/* SPDX-License-Identifier: MIT
 * json_scalar.c -- strings, numbers and words of JSON as cells.
 *
 * INPUT_PAD zero bytes stand behind the window's end, so loops over digits and the like need no
 * check for it: a zero byte ends them.
 */
#include <math.h>
#include <string.h>

#include "decode/json_reader.h"
#include "decode/json_scan.h"

int json_malformed(const struct json_reader *r, struct error *err, const char *what)
{
	return error_set(err, ERR_FORMAT, input_offset(r->in), "malformed JSON: %s", what);
}

/* ---- strings ---- */

/* Length of the plain run at the cursor, all of it in the window, a quote or backslash behind it. */
static int string_run(struct json_reader *r, size_t *out, struct error *err)
{
	struct input *in = r->in;
	size_t n = 0;

	for (;;) {
		const uint8_t *p = json_find_special(in->at + n, in->end);
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

/* \uXXXX, or two that are a surrogate pair. */
static int string_unicode(struct json_reader *r, struct error *err)
{
	struct input *in = r->in;
	uint8_t utf8[4];
	uint32_t c, low;
	int rc = input_need(in, 6, err);

	if (rc < 0)
		return rc;
	if (!json_unicode_escape(in->at, &c))
		return json_malformed(r, err, "\\u without four hexadecimal digits");
	size_t used = 6;
	if (c >= 0xd800 && c < 0xdc00) {
		rc = input_peek(in, 12, err);
		if (rc < 0)
			return rc;
		if (in->end - in->at >= 12 && json_unicode_escape(in->at + 6, &low) &&
		    low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			used = 12;
		}
	}
	in->at += used;
	return scratch_add(r, utf8, json_utf8_encode(c, utf8), err);
}

static int string_escape(struct json_reader *r, struct error *err)
{
	struct input *in = r->in;
	int rc = input_need(in, 2, err);

	if (rc < 0)
		return rc;
	if (in->at[1] == 'u')
		return string_unicode(r, err);
	char plain = json_plain_escape(in->at[1]);
	if (!plain)
		return json_malformed(r, err, "an unknown escape in a string");
	in->at += 2;
	return scratch_add(r, &plain, 1, err);
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

static int number_cell(struct cells *cells, const struct json_number *n, cell *out,
		       struct error *err)
{
	uint64_t v;

	if (!n->integer || !json_number_u64(n, &v))
		return cells_from_f64(cells, json_number_double(n), out, err);
	if (!n->negative)
		return cells_from_u64(cells, v, out, err);
	if (v <= (uint64_t)1 << 63)
		return cells_from_i64(cells, (int64_t)(0 - v), out, err);
	return cells_from_f64(cells, -(double)v, out, err);
}

int json_number(struct json_reader *r, cell *out, struct error *err)
{
	struct input *in = r->in;
	struct json_number n;
	int rc = input_peek(in, JSON_NUMBER_MAX + 2, err);

	if (rc < 0)
		return rc;
	if (*in->at == '-' && in->end - in->at > 1 && in->at[1] == 'I')
		return json_word(r, out, err);
	const uint8_t *p = json_number_scan(&n, in->at);
	if (p - in->at > JSON_NUMBER_MAX)
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
