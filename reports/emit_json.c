/* SPDX-License-Identifier: MIT
 * emit_json.c -- the JSON side of emit.h: strict, deterministic, one row of a table a line.
 */
#include "reports/emit_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "reports/utf8.h"

static uint64_t bit(unsigned depth)
{
	return UINT64_C(1) << depth;
}

/* Strings are UTF-8 in JSON: a byte that is none becomes the four characters \xNN. */
static void json_string(struct out *o, const char *s, size_t n)
{
	size_t plain = 0; /* start of what needs no escape */
	size_t i = 0;

	out_bytes(o, "\"", 1);
	while (i < n) {
		unsigned char c = (unsigned char)s[i];
		uint32_t code;
		size_t length = 1;

		if (c >= 0x80)
			length = utf8_decode(s + i, n - i, &code);
		if (length && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
			i += length;
			continue;
		}
		out_bytes(o, s + plain, i - plain);
		if (!length)
			out_printf(o, "\\\\x%02x", c);
		else if (c == '"' || c == '\\')
			out_printf(o, "\\%c", c);
		else if (c == '\n' || c == '\t')
			out_text(o, c == '\n' ? "\\n" : "\\t");
		else
			out_printf(o, "\\u%04x", c);
		plain = ++i;
	}
	out_bytes(o, s + plain, n - plain);
	out_bytes(o, "\"", 1);
}

static void json_indent(struct emit *e, unsigned depth)
{
	static const char spaces[] =
		"                                                                "
		"                                                                ";

	out_bytes(e->out, "\n", 1);
	out_bytes(e->out, spaces, (size_t)depth * 2);
}

/* What stands between the member before and this one, and its key. */
static void json_lead(struct emit *e, const char *key)
{
	bool first = !(e->has_member & bit(e->depth));

	if (!e->depth) {
		assert(!key && first);
		e->has_member |= bit(0);
		return;
	}
	assert(!key == !!(e->is_array & bit(e->depth)));
	e->has_member |= bit(e->depth);
	if (!first)
		out_bytes(e->out, ",", 1);
	if (e->inline_depth && e->depth >= e->inline_depth) {
		if (!first)
			out_bytes(e->out, " ", 1);
	} else {
		json_indent(e, e->depth);
	}
	if (key) {
		json_string(e->out, key, strlen(key));
		out_bytes(e->out, ": ", 2);
	}
}

static void json_begin(struct emit *e, const char *key, const char *heading, bool array)
{
	(void)heading;
	if (e->muted)
		return;
	json_lead(e, key);
	out_bytes(e->out, array ? "[" : "{", 1);
	e->depth++;
	assert(e->depth < EMIT_MAX_DEPTH);
	e->has_member &= ~bit(e->depth);
	e->is_array &= ~bit(e->depth);
	if (array)
		e->is_array |= bit(e->depth);
}

static void json_end(struct emit *e, bool array)
{
	bool empty = !(e->has_member & bit(e->depth));
	bool on_one_line = e->inline_depth && e->depth >= e->inline_depth;

	if (e->muted)
		return;
	assert(e->depth && !array == !(e->is_array & bit(e->depth)));
	e->depth--;
	if (!empty && !on_one_line)
		json_indent(e, e->depth);
	out_bytes(e->out, array ? "]" : "}", 1);
}

static void json_item(struct emit *e, const struct item *item)
{
	char buf[UNITS_BUF];

	/* Without a key in an object: for people only. */
	if (e->muted)
		return;
	if (!item->key && !(e->is_array & bit(e->depth)))
		return;
	json_lead(e, item->key);
	switch (item->kind) {
	case ITEM_NULL:
		out_text(e->out, "null");
		break;
	case ITEM_BOOL:
		out_text(e->out, item->boolean ? "true" : "false");
		break;
	case ITEM_BYTES:
	case ITEM_U64:
	case ITEM_ADDR:
		out_printf(e->out, "%" PRIu64, item->u64);
		break;
	case ITEM_I64:
	case ITEM_EVENT:
	case ITEM_TIME:
		out_printf(e->out, "%" PRId64, item->i64);
		break;
	case ITEM_F64:
	case ITEM_SHARE:
		out_text(e->out, emit_f64_words(buf, item->f64));
		break;
	case ITEM_STR:
		json_string(e->out, item->str.bytes, item->str.n);
		break;
	case ITEM_POOL:
		out_printf(e->out, "[%" PRId64 ", %" PRId64 "]", item->pool.a, item->pool.b);
		break;
	}
}

static void json_people(struct emit *e, enum people_kind kind, const char *text)
{
	(void)e, (void)kind, (void)text;
}

static void json_table_begin(struct emit *e, const char *key, const char *heading)
{
	if (!key && e->depth && !(e->is_array & bit(e->depth)))
		e->muted = true;
	json_begin(e, key, heading, true);
}

static void json_row_begin(struct emit *e)
{
	json_begin(e, NULL, NULL, false);
	if (!e->inline_depth && !e->muted)
		e->inline_depth = e->depth;
}

static void json_row_end(struct emit *e)
{
	json_end(e, false);
	if (e->depth < e->inline_depth)
		e->inline_depth = 0;
}

static void json_table_end(struct emit *e)
{
	json_end(e, true);
	e->muted = false;
}

static void json_finish(struct emit *e)
{
	assert(e->depth == 0);
	if (e->has_member)
		out_bytes(e->out, "\n", 1);
}

static void json_release(struct emit *e)
{
	(void)e;
}

const struct emit_ops emit_json_ops = {
	.begin = json_begin,
	.end = json_end,
	.item = json_item,
	.people = json_people,
	.table_begin = json_table_begin,
	.row_begin = json_row_begin,
	.row_end = json_row_end,
	.table_end = json_table_end,
	.finish = json_finish,
	.release = json_release,
};
