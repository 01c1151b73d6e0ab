/* SPDX-License-Identifier: MIT
 * man_render.c -- the macros of our manual pages as plain text.
 *
 * Words are collected with their fonts and placed when they end, so that a line is never too long.
 */
#include "cli/man_render.h"

#include <stdio.h>
#include <string.h>

#define PAGE_COLUMNS 80
#define INDENT       7
#define TAG_INDENT   7
#define WORD_BYTES   512

struct page {
	struct out *out;
	bool colour;
	unsigned indent; /* of the paragraph */
	unsigned shift;  /* of .RS, on top of indent */
	unsigned tag;    /* TAG_INDENT below a tag, else 0 */
	unsigned column; /* 0: nothing is on the line */
	bool blank;      /* an empty line is wanted before the next text */
	bool verbatim;   /* between .EX and .EE, .nf and .fi */
	bool tag_next;   /* the next line is the tag of .TP */
	bool started;
	bool headed; /* nothing came since the heading */
	char word[WORD_BYTES];
	size_t n; /* bytes of word */
	unsigned word_columns;
	char font; /* R, B or I */
};

static void pad_to(struct page *p, unsigned column)
{
	if (!p->column && p->blank && p->started)
		out_text(p->out, "\n");
	if (!p->column)
		p->blank = false;
	p->started = true;
	p->headed = false;
	for (; p->column < column; p->column++)
		out_text(p->out, " ");
}

static void end_line(struct page *p)
{
	if (p->column)
		out_text(p->out, "\n");
	p->column = 0;
}

static void end_word(struct page *p)
{
	unsigned left = p->indent + p->shift + p->tag;

	if (!p->n)
		return;
	if (p->word_columns) {
		if (p->column > left && p->column + 1 + p->word_columns > PAGE_COLUMNS)
			end_line(p);
		if (p->column > left)
			pad_to(p, p->column + 1);
		else
			pad_to(p, left);
	}
	out_bytes(p->out, p->word, p->n);
	p->column += p->word_columns;
	p->n = 0;
	p->word_columns = 0;
}

static void put(struct page *p, const char *bytes, unsigned columns)
{
	size_t n = strlen(bytes);

	if (p->n + n >= WORD_BYTES)
		end_word(p);
	memcpy(p->word + p->n, bytes, n);
	p->n += n;
	p->word_columns += columns;
}

static void set_font(struct page *p, char font)
{
	if (font == p->font)
		return;
	p->font = font;
	if (p->colour)
		put(p, font == 'B' ? "\033[0;1m" : font == 'I' ? "\033[0;4m" : "\033[0m", 0);
}

/* The character behind a backslash; returns bytes used. */
static size_t put_escape(struct page *p, const char *s)
{
	static const struct {
		const char *name, *bytes;
	} glyphs[] = {{"aq", "'"}, {"dq", "\""}, {"em", "--"}, {"en", "-"}, {"bu", "*"}};
	char one[2] = {*s, '\0'};

	switch (*s) {
	case 'f':
		set_font(p, s[1] == 'P' ? 'R' : s[1]);
		return s[1] ? 2 : 1;
	case '(':
		for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++) {
			if (!strncmp(s + 1, glyphs[i].name, 2))
				put(p, glyphs[i].bytes, (unsigned)strlen(glyphs[i].bytes));
		}
		return s[1] && s[2] ? 3 : 1;
	case '&':
	case '\0':
		return *s != '\0';
	case 'e':
		put(p, "\\", 1);
		return 1;
	case ' ':
	case '~':
		put(p, " ", 1);
		return 1;
	default:
		put(p, one, 1);
		return 1;
	}
}

static void put_text(struct page *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		char one[2] = {s[i], '\0'};

		if (s[i] == '\\' && i + 1 < n) {
			i += 1 + put_escape(p, s + i + 1);
			continue;
		}
		if (s[i] == ' ' && !p->verbatim)
			end_word(p);
		else
			put(p, one, 1);
		i++;
	}
}

/* The next argument of a macro: a word, or "words in quotes". False at the end. */
static bool next_argument(const char **at, const char *end, const char **arg, size_t *n)
{
	const char *s = *at;

	while (s < end && *s == ' ')
		s++;
	if (s == end)
		return false;
	if (*s == '"') {
		*arg = ++s;
		while (s < end && *s != '"')
			s++;
		*n = (size_t)(s - *arg);
		*at = s + (s < end);
		return true;
	}
	*arg = s;
	while (s < end && *s != ' ')
		s++;
	*n = (size_t)(s - *arg);
	*at = s;
	return true;
}

/* .B and .I set all in one font with spaces; .BR and the like take turns without spaces. */
static void put_fonts(struct page *p, const char *fonts, const char *args, const char *end)
{
	const char *arg;
	size_t n;

	for (unsigned turn = 0; next_argument(&args, end, &arg, &n); turn++) {
		if (turn && !fonts[1])
			end_word(p);
		set_font(p, fonts[1] ? fonts[turn % 2] : fonts[0]);
		put_text(p, arg, n);
	}
	set_font(p, 'R');
}

/* A text line is over: a word ends with it, and so does a tag. */
static void end_input_line(struct page *p)
{
	end_word(p);
	if (p->verbatim)
		end_line(p);
	if (!p->tag_next)
		return;
	p->tag_next = false;
	p->tag = TAG_INDENT;
	if (p->column + 1 < p->indent + p->shift + p->tag)
		pad_to(p, p->indent + p->shift + p->tag);
	else
		end_line(p);
}

static void paragraph(struct page *p)
{
	end_word(p);
	end_line(p);
	p->blank = !p->headed;
}

static void title(struct page *p, const char *args, const char *end)
{
	const char *name, *section;
	size_t name_n, section_n;
	char left[80];

	if (!next_argument(&args, end, &name, &name_n) ||
	    !next_argument(&args, end, &section, &section_n))
		return;
	snprintf(left, sizeof left, "%.*s(%.*s)", (int)name_n, name, (int)section_n, section);
	/* Escaped hyphens are for typesetters. */
	for (char *from = left, *to = left;; from++) {
		if (*from != '\\')
			*to++ = *from;
		if (!*from)
			break;
	}
	out_printf(p->out, "%s\n", left);
	p->started = true;
	p->blank = true;
}

static void heading(struct page *p, const char *args, const char *end, unsigned indent)
{
	paragraph(p);
	p->shift = p->tag = 0;
	p->indent = indent;
	put_fonts(p, "B", args, end);
	end_word(p);
	end_line(p);
	p->indent = INDENT;
	p->headed = true;
}

/* Macros that shape the page; false for those that set words. */
static bool shape(struct page *p, const char *name, const char *args, const char *end)
{
	if (!strcmp(name, "TH")) {
		title(p, args, end);
	} else if (!strcmp(name, "SH")) {
		heading(p, args, end, 0);
	} else if (!strcmp(name, "SS")) {
		heading(p, args, end, 3);
	} else if (!strcmp(name, "PP") || !strcmp(name, "TP") || !strcmp(name, "IP")) {
		paragraph(p);
		p->tag = 0;
		p->tag_next = name[0] == 'T';
		if (name[0] == 'I') {
			const char *arg;
			size_t n;

			p->tag_next = true;
			if (next_argument(&args, end, &arg, &n))
				put_text(p, arg, n);
			end_input_line(p);
		}
	} else if (!strcmp(name, "RS")) {
		paragraph(p);
		p->blank = false;
		p->shift += TAG_INDENT;
		p->tag = 0;
	} else if (!strcmp(name, "RE")) {
		paragraph(p);
		p->blank = false;
		p->shift -= p->shift ? TAG_INDENT : 0;
	} else if (!strcmp(name, "EX") || !strcmp(name, "nf")) {
		end_word(p);
		end_line(p);
		p->verbatim = true;
	} else if (!strcmp(name, "EE") || !strcmp(name, "fi")) {
		end_word(p);
		end_line(p);
		p->verbatim = false;
	} else if (!strcmp(name, "br")) {
		end_word(p);
		end_line(p);
	} else {
		return false;
	}
	return true;
}

static void macro(struct page *p, const char *line, const char *end)
{
	char name[8] = "";
	size_t n = 0;

	while (line + n < end && line[n] != ' ' && n + 1 < sizeof name)
		n++;
	memcpy(name, line, n);
	if (!n || name[0] == '\\' || shape(p, name, line + n, end))
		return;
	put_fonts(p, name, line + n, end);
	end_input_line(p);
}

void man_render(struct out *o, const char *text, bool colour)
{
	struct page p = {.out = o, .colour = colour, .indent = INDENT, .font = 'R'};

	while (*text) {
		const char *end = strchr(text, '\n');

		if (!end)
			end = text + strlen(text);
		if (*text == '.') {
			macro(&p, text + 1, end);
		} else if (text == end && p.verbatim) {
			end_line(&p);
			p.blank = true;
		} else {
			put_text(&p, text, (size_t)(end - text));
			end_input_line(&p);
		}
		text = end + (*end == '\n');
	}
	end_word(&p);
	end_line(&p);
}
