/* SPDX-License-Identifier: MIT
 * json_lenient.c -- values, objects and arrays of a record, with what is wrong put right.
 */
#include "decode/json_lenient.h"

#include <string.h>

#include "decode/json_scan.h"

/* How far a name is looked at that decides where the string before it ends. */
#define KEY_LOOK_BYTES 256

enum role { ROLE_KEY, ROLE_MEMBER, ROLE_ITEM };

const char *json_fault_words(enum json_fault f)
{
	static const char *const words[JSON_FAULT_COUNT] = {
		[JSON_FAULT_ESCAPE] = "backslashes that begin no escape (kept as they are)",
		[JSON_FAULT_QUOTE] = "quotes inside strings",
		[JSON_FAULT_CONTROL] = "line ends and control characters inside strings",
		[JSON_FAULT_UTF8] = "bytes that are no UTF-8 (replaced by U+FFFD)",
		[JSON_FAULT_WORD] = "values that are none of JSON, such as inf and nan (ignored)",
		[JSON_FAULT_COMMA] = "commas too many or missing",
		[JSON_FAULT_VALUE] = "names without a value",
		[JSON_FAULT_JUNK] = "pieces of text that are no JSON, such as log lines (skipped)",
		[JSON_FAULT_DUPLICATE] =
			"names that stand twice in one object (the last one counts)",
		[JSON_FAULT_RECORD] = "events that could not be read (left out)",
	};

	return words[f];
}

void json_lenient_fault(struct json_lenient *j, enum json_fault f, const uint8_t *where)
{
	j->faults[f]++;
	if (!j->first_fault)
		j->first_fault = where;
}

static inline const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* The end of the bytes was met: more may come. */
static int starve(struct json_lenient *j)
{
	j->starved = true;
	return JSON_LOST;
}

static bool is_named(const uint8_t *p, const uint8_t *end, const char *name)
{
	size_t n = strlen(name);

	return (size_t)(end - p) > n + 1 && memcmp(p, name, n) == 0 && p[n] == '"' &&
	       *skip_space(p + n + 1, end) == ':';
}

static bool starts_event(const uint8_t *p, const uint8_t *end, bool by_name)
{
	if (p >= end || *p != '{')
		return false;
	p = skip_space(p + 1, end);
	if (p >= end || *p != '"')
		return false;
	return is_named(p + 1, end, "ph") || (by_name && is_named(p + 1, end, "name"));
}

bool json_is_record_start(const uint8_t *p, const uint8_t *end)
{
	return starts_event(p, end, true);
}

static bool is_number_byte(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

static bool is_word_byte(uint8_t c)
{
	return is_number_byte(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* ---- strings ---- */

/* The string at p is a name: a colon follows its end. One that is too long to tell is taken for
 * one; *short_of is set when the bytes end before. */
static bool is_key(const uint8_t *p, const uint8_t *end, bool *short_of)
{
	const uint8_t *stop = end - p > KEY_LOOK_BYTES ? p + KEY_LOOK_BYTES : end;

	for (p++; p < stop && *p != '"'; p++)
		p += *p == '\\';
	if (p < stop)
		p = skip_space(p + 1, end);
	else if (stop < end)
		return true;
	*short_of = p >= end;
	return p < end && *p == ':';
}

static bool starts_value(uint8_t c)
{
	return c == '"' || c == '{' || c == '[' || c == '-' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool ends_container(uint8_t c)
{
	return c == '}' || c == ']';
}

/* A member of an object at p, or what stands in its place: its end, a comma more, a log line. */
static bool is_member(const uint8_t *comma, const uint8_t *p, const uint8_t *end, bool *short_of)
{
	if (*p == '"')
		return is_key(p, end, short_of);
	return *p == '}' || *p == ',' || memchr(comma, '\n', (size_t)(p - comma));
}

/* Can this follow the object or array that a string ends? p < end. */
static bool can_follow_container(const uint8_t *p, const uint8_t *end, bool *short_of)
{
	if (*p == ',') {
		p = skip_space(p + 1, end);
		*short_of = p == end;
		/* The next record, item or member. */
		return *p == '{' || *p == '[' || ends_container(*p) ||
		       (*p == '"' && is_key(p, end, short_of)) || is_word_byte(*p);
	}
	/* A comma may be missing. */
	return ends_container(*p) || *p == '{' || (*p == '"' && is_key(p, end, short_of));
}

/* Can what stands at p follow a string? `p` < `end`; *short_of is set when the bytes end before
 * that can be told. */
static bool can_follow(const uint8_t *p, const uint8_t *end, enum role role, bool *short_of)
{
	const uint8_t *begin = p;
	uint8_t c = *p;

	if (role == ROLE_KEY)
		return c == ':';
	if (c == ',') {
		p = skip_space(p + 1, end);
		*short_of = p == end;
		if (role == ROLE_MEMBER)
			return is_member(begin, p, end, short_of);
		return starts_value(*p) || *p == ']' || *p == ',';
	}
	if (c == (role == ROLE_MEMBER ? '}' : ']')) {
		p = skip_space(p + 1, end);
		*short_of = p == end;
		return p < end && can_follow_container(p, end, short_of);
	}
	return role == ROLE_MEMBER && c == '"' && is_key(p, end, short_of);
}

/* Is the quote at `quote` the closing one? Negative: starved. */
static int closes(struct json_lenient *j, const uint8_t *quote, enum role role)
{
	const uint8_t *p = quote + 1;
	bool short_of = false;

	if (role == ROLE_KEY && p < j->end && *p == ':')
		return 1;
	p = skip_space(p, j->end);
	if (p == j->end)
		return j->whole ? 1 : starve(j);
	if (can_follow(p, j->end, role, &short_of))
		return 1;
	if (!short_of)
		return 0;
	return j->whole ? 1 : starve(j);
}

/* A record begins at this quote's bracket: the string's own closing quote is missing. */
static bool runs_into_record(const uint8_t *quote, const uint8_t *begin)
{
	const uint8_t *p = quote;

	while (p > begin && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'))
		p--;
	return p > begin && p[-1] == '{' && memcmp(quote, "\"ph\"", 4) == 0;
}

/* Cursor on the opening quote. */
static int read_string(struct json_lenient *j, enum role role, struct json_piece *out)
{
	const uint8_t *begin = j->at + 1, *p = begin;
	bool high = false, escaped = false;

	for (;;) {
		p = json_find_odd(p, j->end, &high);
		if (p == j->end)
			return starve(j);
		if (*p == '"') {
			int end = closes(j, p, role);

			if (end < 0)
				return end;
			if (end)
				break;
			if (runs_into_record(p, begin)) {
				j->at = p;
				return JSON_LOST;
			}
			json_lenient_fault(j, JSON_FAULT_QUOTE, p);
		} else if (*p == '\\') {
			escaped = true;
			if (p + 1 == j->end)
				return starve(j);
			/* A path that ends in a backslash: "C:\", then its quote is the end. */
			if (p[1] == '"' && role != ROLE_KEY && closes(j, p + 1, role) == 1 &&
			    p[-1] == ':') {
				p++;
				break;
			}
			if (j->starved)
				return JSON_LOST;
			p++;
		} else {
			json_lenient_fault(j, JSON_FAULT_CONTROL, p);
		}
		p++;
	}
	out->at = begin;
	out->length = (uint32_t)(p - begin);
	out->kind = JSON_PIECE_STRING;
	out->plain = !high && !escaped;
	j->at = p + 1;
	return 0;
}

/* ---- numbers and words ---- */

static bool is_json_word(const uint8_t *p, size_t n)
{
	return (n == 4 && (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0)) ||
	       (n == 5 && memcmp(p, "false", 5) == 0);
}

static int read_bare(struct json_lenient *j, struct json_piece *out)
{
	const uint8_t *p = j->at;

	while (is_number_byte(*p) && p < j->end)
		p++;
	out->kind = JSON_PIECE_NUMBER;
	if (is_word_byte(*p) && p < j->end) {
		while (is_word_byte(*p) && p < j->end)
			p++;
		out->kind = JSON_PIECE_WORD;
	}
	if (p == j->end)
		return starve(j);
	out->at = j->at;
	out->length = (uint32_t)(p - j->at);
	out->plain = true;
	if (out->kind == JSON_PIECE_WORD && !is_json_word(out->at, out->length))
		json_lenient_fault(j, JSON_FAULT_WORD, out->at);
	j->at = p;
	return 0;
}

/* ---- containers ---- */

int json_lenient_enter(struct json_lenient *j, char bracket)
{
	j->at = skip_space(j->at, j->end);
	if (j->at == j->end)
		return starve(j);
	if (*j->at != bracket)
		return JSON_LOST;
	j->at++;
	return 0;
}

/* Commas up to the next member or item: one is due but before the first. */
static int pass_commas(struct json_lenient *j, bool first)
{
	size_t commas = 0;

	j->at = skip_space(j->at, j->end);
	while (j->at < j->end && *j->at == ',') {
		commas++;
		j->at = skip_space(j->at + 1, j->end);
	}
	if (j->at == j->end)
		return starve(j);
	if (commas != (first || ends_container(*j->at) ? 0u : 1u))
		json_lenient_fault(j, JSON_FAULT_COMMA, j->at);
	return 0;
}

/* Text where a name should begin, such as a log line: to the end of its line. */
static int pass_junk(struct json_lenient *j)
{
	const uint8_t *p = j->at;

	while (p < j->end && *p != '\n' && *p != '{' && *p != '}')
		p++;
	if (p == j->end)
		return starve(j);
	if (*p != '\n')
		return JSON_LOST;
	json_lenient_fault(j, JSON_FAULT_JUNK, j->at);
	j->at = skip_space(p, j->end);
	return j->at == j->end ? starve(j) : 0;
}

int json_lenient_member(struct json_lenient *j, bool *first, struct json_piece *name)
{
	if (pass_commas(j, *first) < 0)
		return JSON_LOST;
	*first = false;
	while (*j->at != '"' && *j->at != '}') {
		if (pass_junk(j) < 0)
			return JSON_LOST;
	}
	if (*j->at == '}') {
		j->at++;
		return 0;
	}
	if (read_string(j, ROLE_KEY, name) < 0)
		return JSON_LOST;
	if (*j->at != ':')
		j->at = skip_space(j->at, j->end);
	if (j->at == j->end)
		return starve(j);
	if (*j->at != ':')
		return JSON_LOST;
	j->at++;
	return 1;
}

int json_lenient_item(struct json_lenient *j, bool *first)
{
	if (pass_commas(j, *first) < 0)
		return JSON_LOST;
	*first = false;
	if (*j->at == ']') {
		j->at++;
		return 0;
	}
	return *j->at == '}' ? JSON_LOST : 1;
}

/* Everything up to the closing bracket of the container that begins at the cursor. */
static int skip_container(struct json_lenient *j)
{
	uint64_t objects = 0; /* bit 0: the innermost container is an object */
	bool first[JSON_LENIENT_DEPTH];
	unsigned depth = 0;

	do {
		struct json_piece piece;
		bool object;
		int rc;

		if (*j->at == '{' || *j->at == '[') {
			if (depth == JSON_LENIENT_DEPTH ||
			    (depth && starts_event(j->at, j->end, false)))
				return JSON_LOST;
			objects = objects << 1 | (*j->at == '{');
			first[depth++] = true;
			j->at++;
		}
		object = objects & 1;
		rc = object ? json_lenient_member(j, &first[depth - 1], &piece)
			    : json_lenient_item(j, &first[depth - 1]);
		if (rc < 0)
			return rc;
		if (rc == 0) {
			objects >>= 1;
			depth--;
			continue;
		}
		j->at = skip_space(j->at, j->end);
		if (j->at == j->end)
			return starve(j);
		if (*j->at != '{' && *j->at != '[') {
			if (json_lenient_value(j, !object, &piece) < 0)
				return JSON_LOST;
			if (j->at == j->end)
				return starve(j);
		}
	} while (depth);
	return 0;
}

int json_lenient_value(struct json_lenient *j, bool in_array, struct json_piece *out)
{
	const uint8_t *begin;
	uint8_t c;

	if (*j->at == ' ')
		j->at++;
	begin = j->at = skip_space(j->at, j->end);
	if (begin == j->end)
		return starve(j);
	c = *begin;
	if (c == '"')
		return read_string(j, in_array ? ROLE_ITEM : ROLE_MEMBER, out);
	if (is_word_byte(c))
		return read_bare(j, out);
	if (c == '{' || c == '[') {
		int rc = skip_container(j);

		*out = (struct json_piece){begin, (uint32_t)(j->at - begin),
					   c == '{' ? JSON_PIECE_OBJECT : JSON_PIECE_ARRAY, false};
		return rc;
	}
	if (c != ',' && !ends_container(c))
		return JSON_LOST;
	json_lenient_fault(j, JSON_FAULT_VALUE, begin);
	*out = (struct json_piece){begin, 0, JSON_PIECE_NONE, true};
	return 0;
}
