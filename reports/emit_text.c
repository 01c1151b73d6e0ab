/* SPDX-License-Identifier: MIT
 * emit_text.c -- the text side of emit.h: sections, lined-up pairs, wrapped paragraphs.
 */
#include "reports/emit_text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/utf8.h"

/* Labels wider than this do not push the values of their section further to the right. */
#define LABEL_MAX_COLUMNS 28
#define INDENT_COLUMNS    2

int emit_text_init(struct emit *e, struct error *err)
{
	e->text = calloc(1, sizeof *e->text);
	return e->text ? 0 : error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
}

void text_pad(struct emit *e, unsigned columns)
{
	while (columns--)
		out_bytes(e->out, " ", 1);
}

void text_line_begin(struct emit *e)
{
	struct emit_text *t = e->text;

	if (t->want_blank && t->started)
		out_bytes(e->out, "\n", 1);
	t->want_blank = false;
	t->started = true;
	text_pad(e, t->indent);
}

void text_bold(struct emit *e, bool on)
{
	if (e->options.colour)
		out_text(e->out, on ? "\033[1m" : "\033[0m");
}

/* How much of text[0 .. n - 1] fits into `room` columns: broken at a space where there is one, else
 * behind a slash in the second half, else hard. Never nothing. */
static size_t text_fit(const char *text, size_t n, unsigned room)
{
	size_t at = 0, space = 0, slash = 0;
	unsigned columns = 0;

	while (at < n) {
		uint32_t code;
		size_t length = utf8_decode(text + at, n - at, &code);

		assert(length);
		if (text[at] == ' ')
			space = at;
		columns += utf8_columns(code);
		if (columns > room && at)
			break;
		at += length;
		if (code == '/' && columns > room / 2)
			slash = at;
	}
	if (at == n)
		return n;
	return space ? space : slash ? slash : at;
}

void text_wrap(struct emit *e, unsigned column, unsigned hang, const char *text, size_t n)
{
	unsigned width = e->options.columns;

	for (;;) {
		unsigned room = width > column + 20 ? width - column : 20;
		size_t part = text_fit(text, n, room);

		out_bytes(e->out, text, part);
		out_bytes(e->out, "\n", 1);
		text += part;
		n -= part;
		while (n && *text == ' ') {
			text++;
			n--;
		}
		if (!n)
			return;
		text_pad(e, hang);
		column = hang;
	}
}

bool text_grow(struct emit *e, void **at, size_t *cap, size_t need, size_t elem)
{
	size_t larger = *cap ? *cap : 64;
	void *p;

	if (need <= *cap)
		return true;
	while (larger < need)
		larger *= 2;
	p = realloc(*at, larger * elem);
	if (!p) {
		out_fail(e->out, ENOMEM);
		return false;
	}
	*at = p;
	*cap = larger;
	return true;
}

static bool text_hold_bytes(struct emit *e, const char *bytes, size_t n)
{
	struct emit_text *t = e->text;

	for (size_t i = 0; i < n;) {
		char escaped[16];
		unsigned columns;
		size_t used, length;

		length = utf8_escape(escaped, bytes + i, n - i, &used, &columns);
		if (!text_grow(e, (void **)&t->held, &t->held_cap, t->n_held + length + 1, 1))
			return false;
		memcpy(t->held + t->n_held, escaped, length);
		t->n_held += length;
		i += used;
	}
	return true;
}

bool text_hold(struct emit *e, const char *bytes, size_t n, struct text_span *span)
{
	struct emit_text *t = e->text;
	size_t start = t->n_held;
	bool ok;

	if (n <= TEXT_MAX_BYTES)
		ok = text_hold_bytes(e, bytes, n);
	else
		ok = text_hold_bytes(e, bytes, TEXT_MAX_BYTES / 4) &&
		     text_hold_bytes(e, "...", 3) &&
		     text_hold_bytes(e, bytes + n - TEXT_MAX_BYTES / 2, TEXT_MAX_BYTES / 2);
	if (!ok) {
		t->n_held = start;
		return false;
	}
	span->at = start;
	span->n = t->n_held - start;
	return true;
}

unsigned text_columns(const char *text, size_t n)
{
	unsigned columns = 0;
	uint32_t code;

	for (size_t i = 0; i < n;
	     i += utf8_decode(text + i, n - i, &code), columns += utf8_columns(code))
		;
	return columns;
}

static const char *pool_words(char buf[UNITS_BUF], struct pool_id pool)
{
	if (!pool.a && !pool.b)
		return "default";
	if (!pool.b)
		snprintf(buf, UNITS_BUF, "graph %" PRId64, pool.a);
	else if (!pool.a)
		snprintf(buf, UNITS_BUF, "mempool %" PRId64, pool.b);
	else
		snprintf(buf, UNITS_BUF, "%" PRId64 ":%" PRId64, pool.a, pool.b);
	return buf;
}

bool text_hold_item(struct emit *e, const struct item *item, struct text_span *span)
{
	char buf[UNITS_BUF] = "";
	const char *words = buf;

	switch (item->kind) {
	case ITEM_NULL:
		words = "-";
		break;
	case ITEM_BOOL:
		words = item->boolean ? "yes" : "no";
		break;
	case ITEM_BYTES:
		emit_words_bytes(e, buf, item->u64);
		break;
	case ITEM_U64:
		units_count(buf, item->u64);
		break;
	case ITEM_ADDR:
		snprintf(buf, sizeof buf, item->u64 ? "0x%" PRIx64 : "0", item->u64);
		break;
	case ITEM_EVENT:
		if (item->i64 == EVENT_START)
			words = "start";
		else
			units_count(buf, (uint64_t)item->i64);
		break;
	case ITEM_I64:
		snprintf(buf, sizeof buf, "%" PRId64, item->i64);
		break;
	case ITEM_TIME:
		units_time_us(buf, item->i64);
		break;
	case ITEM_F64:
		snprintf(buf, sizeof buf, "%.6g", item->f64);
		break;
	case ITEM_SHARE:
		snprintf(buf, sizeof buf, "%.1f %%", item->f64 * 100);
		break;
	case ITEM_POOL:
		words = pool_words(buf, item->pool);
		break;
	case ITEM_STR:
		return text_hold(e, item->str.bytes, item->str.n, span);
	}
	return text_hold(e, words, strlen(words), span);
}

void text_flush(struct emit *e)
{
	struct emit_text *t = e->text;
	unsigned widest = 0;

	for (size_t i = 0; i < t->n_pairs; i++) {
		const struct text_span *label = &t->pairs[i].label;
		unsigned columns = text_columns(t->held + label->at, label->n);

		if (columns > widest && columns <= LABEL_MAX_COLUMNS)
			widest = columns;
	}
	for (size_t i = 0; i < t->n_pairs; i++) {
		const struct text_pair *p = &t->pairs[i];
		unsigned columns = text_columns(t->held + p->label.at, p->label.n);
		unsigned hang = t->indent + widest + 2;

		text_line_begin(e);
		out_bytes(e->out, t->held + p->label.at, p->label.n);
		text_pad(e, columns < widest ? widest - columns + 2 : 2);
		text_wrap(e, columns < widest ? hang : t->indent + columns + 2, hang,
			  t->held + p->value.at, p->value.n);
	}
	t->n_pairs = 0;
	t->n_held = 0;
}

static void text_heading(struct emit *e, const char *heading)
{
	struct emit_text *t = e->text;
	struct text_span span;

	text_flush(e);
	t->want_blank = true;
	if (!text_hold(e, heading, strlen(heading), &span))
		return;
	text_line_begin(e);
	text_bold(e, true);
	out_bytes(e->out, t->held + span.at, span.n);
	text_bold(e, false);
	out_bytes(e->out, "\n", 1);
	t->n_held = 0;
}

static void text_begin(struct emit *e, const char *key, const char *heading, bool array)
{
	struct emit_text *t = e->text;

	(void)key, (void)array;
	assert(e->depth + 1 < EMIT_MAX_DEPTH);
	e->depth++;
	t->headed &= ~(UINT64_C(1) << e->depth);
	if (t->in_row || !heading)
		return;
	t->headed |= UINT64_C(1) << e->depth;
	text_heading(e, heading);
	t->indent += INDENT_COLUMNS;
}

static void text_end(struct emit *e, bool array)
{
	struct emit_text *t = e->text;

	(void)array;
	assert(e->depth);
	if (t->headed & UINT64_C(1) << e->depth) {
		text_flush(e);
		t->indent -= INDENT_COLUMNS;
		t->want_blank = true;
	}
	e->depth--;
}

/* A value with the label "": a line of its own. */
static void text_list_item(struct emit *e, const struct item *item)
{
	struct emit_text *t = e->text;
	struct text_span span;

	text_flush(e);
	if (!text_hold_item(e, item, &span))
		return;
	text_line_begin(e);
	text_wrap(e, t->indent, t->indent + INDENT_COLUMNS, t->held + span.at, span.n);
	t->n_held = 0;
}

static void text_item(struct emit *e, const struct item *item)
{
	struct emit_text *t = e->text;
	struct text_pair *p;

	if (!item->label)
		return;
	if (t->in_row) {
		/* Inside an object of the row: JSON only. */
		if (e->depth == t->row_depth)
			table_cell(e, item);
		return;
	}
	if (!*item->label) {
		text_list_item(e, item);
		return;
	}
	if (!text_grow(e, (void **)&t->pairs, &t->pairs_cap, t->n_pairs + 1, sizeof *t->pairs))
		return;
	p = &t->pairs[t->n_pairs];
	if (text_hold(e, item->label, strlen(item->label), &p->label) &&
	    text_hold_item(e, item, &p->value))
		t->n_pairs++;
}

static void text_paragraph(struct emit *e, enum people_kind kind, const char *text)
{
	struct emit_text *t = e->text;
	unsigned hang = t->indent + (strncmp(text, "- ", 2) ? 0 : 2);
	struct text_span span;

	if (!text_hold(e, text, strlen(text), &span))
		return;
	text_line_begin(e);
	if (kind == PEOPLE_PROSE) {
		text_wrap(e, t->indent, hang, t->held + span.at, span.n);
	} else {
		out_bytes(e->out, t->held + span.at, span.n);
		out_bytes(e->out, "\n", 1);
	}
	t->n_held = 0;
}

static void text_people(struct emit *e, enum people_kind kind, const char *text)
{
	assert(!e->text->in_row);
	text_flush(e);
	if (kind == PEOPLE_BLANK)
		e->text->want_blank = true;
	else if (kind == PEOPLE_HEADING)
		text_heading(e, text);
	else
		text_paragraph(e, kind, text);
}

static void text_finish(struct emit *e)
{
	assert(e->depth == 0);
	text_flush(e);
}

static void text_release(struct emit *e)
{
	free(e->text->held);
	free(e->text->pairs);
	free(e->text->cells);
	free(e->text);
}

const struct emit_ops emit_text_ops = {
	.begin = text_begin,
	.end = text_end,
	.item = text_item,
	.people = text_people,
	.table_begin = table_begin,
	.row_begin = table_row_begin,
	.row_end = table_row_end,
	.table_end = table_end,
	.finish = text_finish,
	.release = text_release,
};
