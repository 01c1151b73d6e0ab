/* SPDX-License-Identifier: MIT
 * mk_pickle.c -- a described tree into each dialect's bytes.
 *
 * Which opcodes each pickler chooses was read from Lib/pickle.py and torch/csrc/jit/serialization/
 * pickler.cpp; protocols 0 to 5 are byte for byte what CPython 3.11 writes, but for where frames end.
 */
#include "tests/lib/mk_pickle.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mk_tree.h"

#define BATCH_ITEMS 1000
#define FRAME_BYTES 65536

struct writer {
	struct mk_bytes out;
	enum mk_dialect dialect;
	uint32_t n_memo;
	size_t frame; /* offset of the open frame's head, 0: none */
	bool framing;
	/* Strings by value: dict keys are one object each, in torch::jit all strings are. */
	struct tree **strings;
	size_t n_strings;
};

static const char *const dialect_names[MK_DIALECTS] = {
	"protocol 0", "protocol 1", "protocol 2", "protocol 3",
	"protocol 4", "protocol 5", "torch::jit", "JSON",
};

const char *mk_dialect_name(enum mk_dialect dialect)
{
	return dialect_names[dialect];
}

void mk_bytes_add(struct mk_bytes *b, const void *bytes, size_t n)
{
	if (b->n + n + 1 > b->cap) {
		b->cap = (b->n + n + 1) * 2;
		b->at = must(realloc(b->at, b->cap));
	}
	if (n)
		memcpy(b->at + b->n, bytes, n);
	b->n += n;
	b->at[b->n] = 0;
}

void mk_bytes_printf(struct mk_bytes *b, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	mk_bytes_add(b, text, (size_t)n);
	free(text);
}

void mk_bytes_free(struct mk_bytes *b)
{
	free(b->at);
	*b = (struct mk_bytes){0};
}

/* ---- opcodes ---- */

static bool is_cpython(const struct writer *w)
{
	return w->dialect <= MK_PROTOCOL_5;
}

static int protocol(const struct writer *w)
{
	return w->dialect == MK_JIT ? 2 : (int)w->dialect;
}

/* Protocols 4 and 5 come in frames: one is open whenever something is written. */
static void put(struct writer *w, const char *bytes, size_t n)
{
	static const char head[9] = {(char)0x95};

	if (w->framing && !w->frame) {
		w->frame = w->out.n;
		mk_bytes_add(&w->out, head, sizeof head);
	}
	mk_bytes_add(&w->out, bytes, n);
}

static void put_byte(struct writer *w, unsigned byte)
{
	char c = (char)byte;

	put(w, &c, 1);
}

static void put_le(struct writer *w, uint64_t value, int n)
{
	for (int i = 0; i < n; i++)
		put_byte(w, (unsigned)(value >> 8 * i & 255));
}

/* Behind strings and containers. A frame of less than `least` bytes goes on; a tiny one has no
 * head in the end. */
static void frame_end(struct writer *w, uint64_t least)
{
	uint64_t n = w->out.n - w->frame - 9;

	if (!w->frame || n < least)
		return;
	if (n < 4) {
		memmove(&w->out.at[w->frame], &w->out.at[w->frame + 9], n);
		w->out.n -= 9;
	} else {
		for (int i = 0; i < 8; i++)
			w->out.at[w->frame + 1 + (size_t)i] = (uint8_t)(n >> 8 * i);
	}
	w->frame = 0;
}

static void memoize(struct writer *w, struct tree *t)
{
	t->memo = w->n_memo++;
	if (protocol(w) >= 4) {
		put_byte(w, 0x94);
	} else if (protocol(w) == 0) {
		mk_bytes_printf(&w->out, "p%u\n", t->memo);
	} else if (t->memo < 256) {
		put_byte(w, 'q');
		put_byte(w, t->memo);
	} else {
		put_byte(w, 'r');
		put_le(w, t->memo, 4);
	}
}

static void get(struct writer *w, const struct tree *t)
{
	if (protocol(w) == 0) {
		mk_bytes_printf(&w->out, "g%u\n", t->memo);
	} else if (t->memo < 256) {
		put_byte(w, 'h');
		put_byte(w, t->memo);
	} else {
		put_byte(w, 'j');
		put_le(w, t->memo, 4);
	}
}

static void write_long1(struct writer *w, uint64_t bits, bool negative)
{
	int n = 0;

	if (w->dialect == MK_JIT) {
		n = 8;
	} else {
		/* The shortest two's complement that keeps the sign. */
		for (n = 1; n < 9; n++) {
			uint64_t rest = n == 8 ? 0 : bits >> (8 * n);
			uint64_t full = n == 8 ? 0 : UINT64_MAX >> (8 * n);
			bool sign = bits >> (8 * n - 1) & 1;

			if (sign == negative && rest == (negative ? full : 0))
				break;
		}
	}
	put_byte(w, 0x8a);
	put_byte(w, (unsigned)n);
	put_le(w, bits, n < 8 ? n : 8);
	if (n == 9)
		put_byte(w, 0);
}

static void write_int(struct writer *w, const struct tree *t)
{
	uint64_t bits = t->negative ? -t->u : t->u;
	bool fits = t->negative ? t->u <= UINT64_C(1) << 31 : t->u < UINT64_C(1) << 31;

	if (protocol(w) == 0 || (protocol(w) == 1 && !fits)) {
		mk_bytes_printf(&w->out, "%c%s%llu%s\n", fits ? 'I' : 'L', t->negative ? "-" : "",
				(unsigned long long)t->u, fits ? "" : "L");
	} else if (!fits) {
		write_long1(w, bits, t->negative);
	} else if (!t->negative && t->u < 256) {
		put_byte(w, 'K');
		put_le(w, bits, 1);
	} else if (!t->negative && t->u < 65536) {
		put_byte(w, 'M');
		put_le(w, bits, 2);
	} else {
		put_byte(w, 'J');
		put_le(w, bits, 4);
	}
}

static void write_float(struct writer *w, const struct tree *t)
{
	uint64_t bits;

	if (protocol(w) == 0) {
		char text[40];
		int digits = 0;

		/* repr: the fewest digits that give the number back. */
		do
			snprintf(text, sizeof text, "%.*g", ++digits, t->f);
		while (strtod(text, NULL) != t->f);
		mk_bytes_printf(&w->out, "F%s%s\n", text, strpbrk(text, ".e") ? "" : ".0");
		return;
	}
	memcpy(&bits, &t->f, sizeof bits);
	put_byte(w, 'G');
	for (int i = 7; i >= 0; i--)
		put_byte(w, (unsigned)(bits >> 8 * i & 255));
}

/* raw-unicode-escape of UTF-8: Latin-1 stays a byte, the rest is escaped. */
static void write_escaped(struct writer *w, const struct tree *t)
{
	put_byte(w, 'V');
	for (size_t i = 0; i < t->u; i++) {
		unsigned c = (uint8_t)t->bytes[i];
		size_t more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

		c = more ? c & (0x3f >> more) : c;
		for (size_t k = 0; k < more; k++)
			c = c << 6 | ((uint8_t)t->bytes[++i] & 63);
		if (c == '\\' || c == '\n' || c == '\r' || c == 0 || c == 0x1a ||
		    (c > 255 && c < 0x10000))
			mk_bytes_printf(&w->out, "\\u%04x", c);
		else if (c > 0xffff)
			mk_bytes_printf(&w->out, "\\U%08x", c);
		else
			put_byte(w, c);
	}
	put_byte(w, '\n');
}

/* The object that stands for a string: itself, or the first of its value. */
static struct tree *string_object(struct writer *w, struct tree *t, bool by_value)
{
	if (!by_value)
		return t;
	for (size_t i = 0; i < w->n_strings; i++)
		if (w->strings[i]->u == t->u && memcmp(w->strings[i]->bytes, t->bytes, t->u) == 0)
			return w->strings[i];
	w->strings = must(realloc(w->strings, (w->n_strings + 1) * sizeof *w->strings));
	w->strings[w->n_strings++] = t;
	return t;
}

static void write_string(struct writer *w, struct tree *t, bool is_key)
{
	t = string_object(w, t, is_key || w->dialect == MK_JIT);
	if (t->memo != NO_MEMO) {
		get(w, t);
		return;
	}
	if (protocol(w) == 0) {
		write_escaped(w, t);
	} else if (protocol(w) >= 4 && t->u < 256) {
		put_byte(w, 0x8c);
		put_le(w, t->u, 1);
		put(w, t->bytes, t->u);
	} else {
		put_byte(w, 'X');
		put_le(w, t->u, 4);
		put(w, t->bytes, t->u);
	}
	memoize(w, t);
	frame_end(w, FRAME_BYTES);
}

/* ---- values ---- */

static void write_value(struct writer *w, struct tree *t, bool is_key);

static void write_items(struct writer *w, const struct tree *t, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		write_value(w, t->items[i], t->kind == K_DICT && i % 2 == 0);
}

/* Items one by one (protocol 0), or in marked batches; an only one has no mark. */
static void write_batches(struct writer *w, const struct tree *t)
{
	bool dict = t->kind == K_DICT;
	size_t each = dict ? 2 : 1;
	size_t batch = w->dialect == MK_JIT ? SIZE_MAX / 4 : protocol(w) == 0 ? 1 : BATCH_ITEMS;
	size_t n = t->n_items / each;

	if (n == 0 && w->dialect == MK_JIT)
		put(w, dict ? "(u" : "(e", 2);
	for (size_t at = 0; at < n; at += batch) {
		size_t count = n - at < batch ? n - at : batch;
		bool marked = (n > 1 && protocol(w) > 0) || w->dialect == MK_JIT;

		if (marked)
			put_byte(w, '(');
		write_items(w, t, at * each, (at + count) * each);
		put_byte(w, (unsigned)(marked ? (dict ? 'u' : 'e') : (dict ? 's' : 'a')));
	}
}

static void write_tuple(struct writer *w, struct tree *t)
{
	bool marked = protocol(w) < 2 || t->n_items > 3;

	if (t->n_items == 0 && protocol(w) >= 1) {
		put_byte(w, ')');
		return; /* a constant: never memoised */
	}
	if (marked)
		put_byte(w, '(');
	write_items(w, t, 0, t->n_items);
	put_byte(w, marked ? 't' : 0x84 + (unsigned)t->n_items);
	if (t->n_items && (is_cpython(w) || t->references > 0))
		memoize(w, t);
}

static void write_container(struct writer *w, struct tree *t)
{
	if (t->memo != NO_MEMO) {
		get(w, t);
		return;
	}
	if (t->kind == K_TUPLE) {
		write_tuple(w, t);
		frame_end(w, FRAME_BYTES);
		return;
	}
	if (protocol(w) == 0)
		put(w, t->kind == K_DICT ? "(d" : "(l", 2);
	else
		put_byte(w, t->kind == K_DICT ? '}' : ']');
	if (is_cpython(w))
		memoize(w, t);
	write_batches(w, t);
	if (!is_cpython(w) && t->references > 0)
		memoize(w, t);
	frame_end(w, FRAME_BYTES);
}

static void write_value(struct writer *w, struct tree *t, bool is_key)
{
	switch (t->kind) {
	case K_NONE:
		put_byte(w, 'N');
		break;
	case K_BOOL:
		if (protocol(w) < 2)
			put(w, t->u ? "I01\n" : "I00\n", 4);
		else
			put_byte(w, t->u ? 0x88 : 0x89);
		break;
	case K_INT:
		write_int(w, t);
		break;
	case K_FLOAT:
		write_float(w, t);
		break;
	case K_STR:
		write_string(w, t, is_key);
		break;
	default:
		write_container(w, t);
		break;
	}
}

static void write_json_string(struct writer *w, const struct tree *t)
{
	put_byte(w, '"');
	for (size_t i = 0; i < t->u; i++) {
		unsigned char c = (unsigned char)t->bytes[i];

		if (c < ' ' || c == '"' || c == '\\')
			mk_bytes_printf(&w->out, "\\u%04x", c);
		else
			put_byte(w, c);
	}
	put_byte(w, '"');
}

static void write_json(struct writer *w, const struct tree *t)
{
	bool dict = t->kind == K_DICT;

	switch (t->kind) {
	case K_NONE:
		put(w, "null", 4);
		break;
	case K_BOOL:
		mk_bytes_printf(&w->out, "%s", t->u ? "true" : "false");
		break;
	case K_INT:
		mk_bytes_printf(&w->out, "%s%llu", t->negative ? "-" : "",
				(unsigned long long)t->u);
		break;
	case K_FLOAT:
		mk_bytes_printf(&w->out, "%.17g%s", t->f, t->f == (double)(long)t->f ? ".0" : "");
		break;
	case K_STR:
		write_json_string(w, t);
		break;
	default:
		put_byte(w, dict ? '{' : '[');
		for (size_t i = 0; i < t->n_items; i++) {
			if (i)
				put(w, dict && i % 2 ? ": " : ", ", 2);
			write_json(w, t->items[i]);
		}
		put_byte(w, dict ? '}' : ']');
		break;
	}
}

struct mk_bytes mk_pickle(enum mk_dialect dialect, const char *description)
{
	struct forest f;
	struct writer w = {.dialect = dialect};

	forest_parse(&f, description);
	if (dialect == MK_JSON) {
		write_json(&w, f.root);
	} else {
		if (protocol(&w) >= 2) {
			put_byte(&w, 0x80);
			put_byte(&w, (unsigned)protocol(&w));
		}
		w.framing = dialect == MK_PROTOCOL_4 || dialect == MK_PROTOCOL_5;
		write_value(&w, f.root, false);
		put_byte(&w, '.');
		frame_end(&w, 0);
	}
	forest_release(&f);
	free(w.strings);
	return w.out;
}
