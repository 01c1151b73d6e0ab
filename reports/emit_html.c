/* SPDX-License-Identifier: MIT
 * emit_html.c -- the page's side of emit.h: what text tells, as sections, lists, tables.
 *
 * Words are made by the text side, so that a page and the terminal say the same.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/emit_text.h"
#include "reports/page.h"

/* Shorter words stay in one line. */
#define SHORT_BYTES 24

/* What is open between two calls and ends with the next thing of another kind. */
enum open_element { OPEN_NOTHING, OPEN_PAIRS, OPEN_LIST, OPEN_LINES };

struct emit_html {
	struct xml *x; /* weak */
	enum open_element open;
	uint64_t sections; /* bit set: the container of that depth is a <section> */
	bool in_row, in_table;
	unsigned row_depth;
	char heading[128];
};

int emit_html_init(struct emit *e, struct error *err)
{
	int rc = emit_text_init(e, err);

	if (rc < 0)
		return rc;
	assert(e->options.page);
	e->html = calloc(1, sizeof *e->html);
	if (!e->html) {
		free(e->text);
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	e->html->x = e->options.page;
	return 0;
}

static void html_settle(struct emit *e, enum open_element next)
{
	static const char *const names[] = {NULL, "dl", "ul", "pre"};
	static const char *const classes[] = {NULL, "pairs", "words", "lines"};
	struct emit_html *h = e->html;

	if (h->open == next)
		return;
	if (h->open != OPEN_NOTHING) {
		xml_close(h->x);
		xml_newline(h->x);
	}
	h->open = next;
	if (next != OPEN_NOTHING)
		page_open(h->x, names[next], classes[next]);
}

static void html_begin(struct emit *e, const char *key, const char *heading, bool array)
{
	struct emit_html *h = e->html;

	(void)key, (void)array;
	assert(e->depth + 1 < EMIT_MAX_DEPTH);
	e->depth++;
	h->sections &= ~(UINT64_C(1) << e->depth);
	if (h->in_row || !heading)
		return;
	html_settle(e, OPEN_NOTHING);
	h->sections |= UINT64_C(1) << e->depth;
	xml_open(h->x, "section");
	xml_element(h->x, "h3", heading);
	xml_newline(h->x);
}

static void html_end(struct emit *e, bool array)
{
	struct emit_html *h = e->html;

	(void)array;
	assert(e->depth);
	if (h->sections & UINT64_C(1) << e->depth) {
		html_settle(e, OPEN_NOTHING);
		xml_close(h->x);
		xml_newline(h->x);
	}
	e->depth--;
}

/* The item in words, as the text of the open element. */
static void html_words(struct emit *e, const struct item *item)
{
	struct text_span span;

	if (text_hold_item(e, item, &span))
		xml_textn(e->html->x, e->text->held + span.at, span.n);
	e->text->n_held = 0;
}

static void html_cell(struct emit *e, const struct item *item)
{
	struct emit_text *t = e->text;
	struct text_span span;

	assert(t->n_row_cells < TABLE_MAX_COLUMNS);
	if (t->n_row_cells == t->n_columns) {
		struct table_column *c = &t->column[t->n_columns++];

		c->numeric = item->numeric;
		(void)snprintf(c->title, sizeof c->title, "%s", item->label);
	}
	if (!text_grow(e, (void **)&t->cells, &t->cells_cap, t->n_cells + 1, sizeof *t->cells))
		return;
	if (!text_hold_item(e, item, &span))
		span = (struct text_span){0, 0};
	t->cells[t->n_cells++] = span;
	t->n_row_cells++;
}

static void html_item(struct emit *e, const struct item *item)
{
	struct emit_html *h = e->html;

	if (!item->label)
		return;
	if (h->in_row) {
		if (e->depth == h->row_depth)
			html_cell(e, item);
		return;
	}
	if (!*item->label) {
		html_settle(e, OPEN_LIST);
		xml_open(h->x, "li");
	} else {
		html_settle(e, OPEN_PAIRS);
		xml_open(h->x, "div");
		xml_element(h->x, "dt", item->label);
		xml_open(h->x, "dd");
		html_words(e, item);
		xml_close(h->x);
		xml_close(h->x);
		return;
	}
	html_words(e, item);
	xml_close(h->x);
}

static void html_people(struct emit *e, enum people_kind kind, const char *text)
{
	struct item words = {.kind = ITEM_STR, .str = {text, strlen(text)}};
	struct emit_html *h = e->html;

	if (kind == PEOPLE_BLANK) {
		html_settle(e, OPEN_NOTHING);
		return;
	}
	if (kind != PEOPLE_LINE && !strncmp(text, "- ", 2)) {
		html_settle(e, OPEN_LIST);
		words.str.bytes += 2;
		words.str.n -= 2;
		xml_open(h->x, "li");
	} else if (kind == PEOPLE_LINE) {
		html_settle(e, OPEN_LINES);
		html_words(e, &words);
		xml_newline(h->x);
		return;
	} else {
		html_settle(e, OPEN_NOTHING);
		xml_open(h->x, kind == PEOPLE_HEADING ? "h3" : "p");
	}
	html_words(e, &words);
	xml_close(h->x);
	if (h->open == OPEN_NOTHING)
		xml_newline(h->x);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void html_table_begin(struct emit *e, const char *key, const char *heading)
{
	struct emit_html *h = e->html;

	(void)key;
	e->depth++;
	if (h->in_row)
		return;
	html_settle(e, OPEN_NOTHING);
	h->in_table = false;
	e->text->n_columns = 0;
	e->text->n_cells = 0;
	(void)snprintf(h->heading, sizeof h->heading, "%s", heading ? heading : "");
}

static void html_row_begin(struct emit *e)
{
	struct emit_html *h = e->html;

	e->depth++;
	if (h->in_row)
		return;
	h->in_row = true;
	h->row_depth = e->depth;
	e->text->n_row_cells = 0;
	e->text->n_cells = 0;
	e->text->n_held = 0;
}

static void html_table_open(struct emit *e)
{
	struct emit_html *h = e->html;
	struct emit_text *t = e->text;
	bool titled = false;

	h->in_table = true;
	if (h->heading[0])
		xml_element(h->x, "h3", h->heading);
	page_open(h->x, "div", "scroll");
	xml_open(h->x, "table");
	for (unsigned i = 0; i < t->n_columns; i++)
		titled = titled || t->column[i].title[0];
	if (titled) {
		xml_open(h->x, "thead");
		xml_open(h->x, "tr");
		for (unsigned i = 0; i < t->n_columns; i++) {
			xml_open(h->x, "th");
			xml_attr(h->x, "scope", "col");
			if (!t->column[i].numeric)
				xml_attr(h->x, "class", "words");
			xml_text(h->x, t->column[i].title);
			xml_close(h->x);
		}
		xml_close(h->x);
		xml_close(h->x);
	}
	xml_open(h->x, "tbody");
	xml_newline(h->x);
}

static void html_row_end(struct emit *e)
{
	struct emit_html *h = e->html;
	struct emit_text *t = e->text;

	if (e->depth-- > h->row_depth)
		return;
	h->in_row = false;
	if (!t->n_row_cells)
		return;
	if (!h->in_table)
		html_table_open(e);
	xml_open(h->x, "tr");
	for (unsigned i = 0; i < t->n_cells; i++) {
		xml_open(h->x, "td");
		if (!t->column[i].numeric)
			xml_attr(h->x, "class", t->cells[i].n > SHORT_BYTES ? "name" : "words");
		xml_textn(h->x, t->held + t->cells[i].at, t->cells[i].n);
		xml_close(h->x);
	}
	xml_close(h->x);
	xml_newline(h->x);
	t->n_held = 0;
	t->n_cells = 0;
}

static void html_table_end(struct emit *e)
{
	struct emit_html *h = e->html;

	e->depth--;
	if (h->in_row || !h->in_table)
		return;
	h->in_table = false;
	for (int i = 0; i < 3; i++)
		xml_close(h->x);
	xml_newline(h->x);
}

static void html_finish(struct emit *e)
{
	assert(e->depth == 0);
	html_settle(e, OPEN_NOTHING);
}

static void html_release(struct emit *e)
{
	free(e->html);
	emit_text_ops.release(e);
}

const struct emit_ops emit_html_ops = {
	.begin = html_begin,
	.end = html_end,
	.item = html_item,
	.people = html_people,
	.table_begin = html_table_begin,
	.row_begin = html_row_begin,
	.row_end = html_row_end,
	.table_end = html_table_end,
	.finish = html_finish,
	.release = html_release,
};
