/* SPDX-License-Identifier: MIT
 * mk_tree.c -- reads descriptions: a subset of Python's literals, with names for what is shared.
 */
#include "tests/lib/mk_tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 64

struct parser {
	const char *at;
	struct forest *forest;
	struct {
		char name[16];
		struct tree *value;
	} names[MAX_NAMES];
	size_t n_names;
};

void *must(void *p)
{
	if (!p) {
		fputs("mk_tree: out of memory\n", stderr);
		abort();
	}
	return p;
}

static void fail(const struct parser *p, const char *what)
{
	fprintf(stderr, "mk_tree: %s before: %.60s\n", what, p->at);
	abort();
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool eat(struct parser *p, char c)
{
	skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static struct tree *tree_new(struct parser *p, enum kind kind)
{
	struct tree *t = must(calloc(1, sizeof *t));

	t->kind = kind;
	struct forest *f = p->forest;

	t->memo = NO_MEMO;
	if ((f->n_all & (f->n_all - 1)) == 0)
		f->all = must(realloc(f->all, (f->n_all * 2 + 1) * sizeof *f->all));
	f->all[f->n_all++] = t;
	return t;
}

static void add_item(struct tree *t, struct tree *item)
{
	if ((t->n_items & (t->n_items - 1)) == 0)
		t->items = must(realloc(t->items, (t->n_items * 2 + 1) * sizeof *t->items));
	t->items[t->n_items++] = item;
}

static struct tree *parse_string(struct parser *p, char quote)
{
	struct tree *t = tree_new(p, K_STR);
	size_t room = 1;

	while (p->at[room - 1] && p->at[room - 1] != quote)
		room += p->at[room - 1] == '\\' && p->at[room] ? 2 : 1;
	t->bytes = must(malloc(room));
	for (; *p->at != quote; p->at++) {
		char c = *p->at;

		if (!c)
			fail(p, "a string does not end");
		if (c == '\\') {
			c = *++p->at;
			if (c == 'n') {
				c = '\n';
			} else if (c == 'x') {
				char hex[3] = {p->at[1], p->at[2], 0};

				c = (char)strtoul(hex, NULL, 16);
				p->at += 2;
			}
		}
		t->bytes[t->u++] = c;
	}
	p->at++;
	return t;
}

static struct tree *parse_number(struct parser *p)
{
	struct tree *t = tree_new(p, K_INT);
	bool hex;
	char *end;

	t->negative = *p->at == '-';
	p->at += t->negative;
	hex = p->at[0] == '0' && p->at[1] == 'x';
	t->u = strtoull(p->at, &end, hex ? 16 : 10);
	if (end == p->at)
		fail(p, "a value is missing");
	if (!hex && (*end == '.' || *end == 'e')) {
		t->kind = K_FLOAT;
		t->f = strtod(p->at, &end);
		t->f = t->negative ? -t->f : t->f;
	}
	p->at = end;
	return t;
}

static struct tree *parse(struct parser *p);

static struct tree *parse_container(struct parser *p, enum kind kind, char end)
{
	struct tree *t = tree_new(p, kind);

	while (!eat(p, end)) {
		const char *from = p->at;
		struct tree *item = parse(p);

		add_item(t, item);
		if (kind == K_DICT) {
			if (!eat(p, ':'))
				fail(p, "a colon is missing");
			add_item(t, parse(p));
		} else if (eat(p, 'x')) {
			unsigned long count = strtoul(p->at, (char **)&p->at, 10);
			const char *behind = p->at;

			for (; count > 1; count--) {
				p->at = from;
				add_item(t, parse(p));
			}
			p->at = behind;
		}
		if (!eat(p, ',')) {
			if (!eat(p, end))
				fail(p, "a comma is missing");
			break;
		}
	}
	return t;
}

static size_t word(struct parser *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')
		n++;
	return n;
}

static struct tree *parse_named(struct parser *p, bool define)
{
	size_t n = word(p);
	size_t i = 0;

	while (i < p->n_names &&
	       (strlen(p->names[i].name) != n || memcmp(p->names[i].name, p->at, n) != 0))
		i++;
	if (!define) {
		if (i == p->n_names)
			fail(p, "an unknown name");
		p->at += n;
		p->names[i].value->references++;
		return p->names[i].value;
	}
	if (i < p->n_names || n >= sizeof p->names[0].name || i == MAX_NAMES)
		fail(p, "too many names, one twice, or a long one");
	memcpy(p->names[i].name, p->at, n);
	p->at += n;
	p->n_names++;
	struct tree *value = parse(p);
	p->names[i].value = value;
	return value;
}

static struct tree *parse(struct parser *p)
{
	static const struct {
		const char *word;
		enum kind kind;
		uint64_t u;
	} words[] = {{"None", K_NONE, 0}, {"True", K_BOOL, 1}, {"False", K_BOOL, 0}};

	if (eat(p, '&'))
		return parse_named(p, true);
	if (eat(p, '*'))
		return parse_named(p, false);
	if (eat(p, '{'))
		return parse_container(p, K_DICT, '}');
	if (eat(p, '['))
		return parse_container(p, K_LIST, ']');
	if (eat(p, '('))
		return parse_container(p, K_TUPLE, ')');
	if (eat(p, '\''))
		return parse_string(p, '\'');
	if (eat(p, '"'))
		return parse_string(p, '"');
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t n = strlen(words[i].word);

		if (word(p) == n && memcmp(p->at, words[i].word, n) == 0) {
			struct tree *t = tree_new(p, words[i].kind);

			t->u = words[i].u;
			p->at += n;
			return t;
		}
	}
	return parse_number(p);
}

void forest_parse(struct forest *f, const char *description)
{
	struct parser p = {.at = description, .forest = f};

	*f = (struct forest){0};
	f->root = parse(&p);
	skip_blanks(&p);
	if (*p.at)
		fail(&p, "more than one value");
}

void forest_release(struct forest *f)
{
	for (size_t i = 0; i < f->n_all; i++) {
		free(f->all[i]->bytes);
		free(f->all[i]->items);
		free(f->all[i]);
	}
	free(f->all);
}
