/* SPDX-License-Identifier: MIT
 * sniff_json.c -- tells JSON that is no snapshot by its first brackets and outermost keys.
 */
#include "decode/sniff.h"

#include <string.h>

static const struct {
	const char *key;
	enum json_shape shape;
} known_keys[] = {
	/* Any of these and the question is settled: a snapshot may have a key that traces have. */
	{"segments", JSON_SHAPE_OPEN},
	{"device_traces", JSON_SHAPE_OPEN},
	{"total_size", JSON_SHAPE_OPEN},
	{"traceEvents", JSON_SHAPE_TRACE},
	{"schemaVersion", JSON_SHAPE_TRACE},
	{"deviceProperties", JSON_SHAPE_TRACE},
	{"displayTimeUnit", JSON_SHAPE_TRACE},
	{"distributedInfo", JSON_SHAPE_TRACE},
	{"nodes", JSON_SHAPE_EXECUTION},
	{"start_ts", JSON_SHAPE_EXECUTION},
	{"ph", JSON_SHAPE_TRACE}, /* an event of a trace that is a bare list */
};

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* The closing quote of the string that begins behind an opening one, or `end`. */
static const uint8_t *string_end(const uint8_t *p, const uint8_t *end)
{
	for (; p < end && *p != '"'; p++) {
		if (*p == '\\' && ++p == end)
			break;
	}
	return p;
}

/* True when the key settles the shape. */
static bool key_shape(const uint8_t *key, size_t n, enum json_shape *shape)
{
	for (size_t i = 0; i < sizeof known_keys / sizeof *known_keys; i++) {
		if (strlen(known_keys[i].key) == n && memcmp(known_keys[i].key, key, n) == 0) {
			*shape = known_keys[i].shape;
			return true;
		}
	}
	/* torch.cuda.memory_stats: "allocated_bytes.all.peak" and its like. */
	if (memmem(key, n, ".all.", 5)) {
		*shape = JSON_SHAPE_STATS;
		return true;
	}
	return false;
}

/* Look at the keys of every object at nesting `wanted`. */
static enum json_shape shape_by_keys(const uint8_t *p, const uint8_t *end, int wanted)
{
	enum json_shape shape = JSON_SHAPE_OPEN;
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		if (*p != '"')
			continue;
		const uint8_t *key = p + 1;
		p = string_end(key, end);
		const uint8_t *after = p < end ? skip_space(p + 1, end) : end;
		if (depth == wanted && after < end && *after == ':' &&
		    key_shape(key, (size_t)(p - key), &shape))
			return shape;
		if (p == end)
			break;
	}
	return JSON_SHAPE_OPEN;
}

/* Behind the first bracket stands a second one, at p. Rows of a raw timeline are four integers; a
 * list of exactly four times is told from one by what follows it: another list of lists. */
static enum json_shape timeline_shape(const uint8_t *p, const uint8_t *end)
{
	unsigned commas = 0;

	for (p++; p < end && *p != ']' && *p != '['; p++)
		commas += *p == ',';
	if (p == end || *p == '[' || commas != 3)
		return JSON_SHAPE_TIMELINE_JSON;
	for (p++; p < end && (is_space(*p) || *p == ',');)
		p++;
	if (p < end && *p == '[') {
		p = skip_space(p + 1, end);
		if (p < end && *p == '[')
			return JSON_SHAPE_TIMELINE_JSON;
	}
	return JSON_SHAPE_TIMELINE_RAW;
}

enum json_shape sniff_json_shape(const uint8_t *text, size_t n)
{
	const uint8_t *end = text + n;
	bool list = *text == '[';
	const uint8_t *p = skip_space(text + 1, end);

	if (list && p < end && *p == '[')
		return timeline_shape(p, end);
	if (list && p < end && *p == '{')
		p = skip_space(p + 1, end);
	if (p < end && *p == '\'')
		return JSON_SHAPE_PYTHON;
	return shape_by_keys(text, end, list ? 2 : 1);
}
