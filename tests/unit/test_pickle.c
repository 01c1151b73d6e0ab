/* SPDX-License-Identifier: MIT
 * test_pickle.c -- what each opcode gives, which ones are refused, the memo, and every dialect.
 */
#include "decode/pickle.h"

#include "tests/lib/mk_pickle.h"
#include "tests/lib/tap.h"
#include "tests/lib/text_fold.h"

#define LIMIT (UINT64_C(64) << 20)

/* Bytes written as a string literal, NULs included. */
#define B(text) (text), sizeof(text) - 1

/* The pickle's root as text; damage and errors as `!CODE@OFFSET words`. */
static const char *read_text(const void *bytes, size_t n, size_t step, char *to, size_t size)
{
	struct text_fold t;
	struct pickle_result r;
	struct error err = {0};

	text_fold_init(&t, LIMIT);
	if (text_fold_read(&t, &r, bytes, n, step, &err) < 0)
		snprintf(to, size, "!%d@%" PRIu64 " %s", err.code, err.offset, err.text);
	else if (r.partial)
		snprintf(to, size, "%s !%d@%" PRIu64 " %s", text_fold_words(&t, r.root),
			 r.damage.code, r.damage.offset, r.damage.text);
	else
		snprintf(to, size, "%s", text_fold_words(&t, r.root));
	if (!text_fold_release(&t))
		snprintf(to, size, "memory was not given back");
	return to;
}

/* Whole, and byte by byte: only the careful path runs then. */
static void gives(const void *bytes, size_t n, const char *want, const char *what)
{
	char got[TEXT_FOLD_BYTES + 500];

	is_str(read_text(bytes, n, 0, got, sizeof got), want, "%s", what);
	is_str(read_text(bytes, n, 1, got, sizeof got), want, "%s, byte by byte", what);
}

static void test_scalars(void)
{
	gives(B("N."), "None", "NONE");
	gives(B("\x80\x02\x88."), "True", "NEWTRUE");
	gives(B("\x80\x02\x89."), "False", "NEWFALSE");
	gives(B("I01\n."), "True", "INT 01");
	gives(B("I00\n."), "False", "INT 00");
	gives(B("I1\n."), "1", "INT 1 is a number");
	gives(B("I-2147483649\n."), "-2147483649", "INT");
	gives(B("I0\n."), "0", "INT 0 is a number");
	gives(B("L18446744073709551615L\n."), "18446744073709551615", "LONG of 2^64 - 1");
	gives(B("L-9223372036854775808L\n."), "-9223372036854775808", "LONG of -2^63");
	gives(B("L7\n."), "7", "LONG without an L");
	gives(B("L00L\n."), "0", "LONG is never a bool");
	gives(B("J\xff\xff\xff\x7f."), "2147483647", "BININT");
	gives(B("J\x00\x00\x00\x80."), "-2147483648", "BININT below zero");
	gives(B("K\xff."), "255", "BININT1");
	gives(B("M\xff\xfe."), "65279", "BININT2");
	gives(B("F1.5\n."), "1.5f", "FLOAT");
	gives(B("F-1e-300\n."), "-1e-300f", "FLOAT with an exponent");
	gives(B("Fnan\n."), "nanf", "FLOAT nan");
	gives(B("G\x3f\xf8\x00\x00\x00\x00\x00\x00."), "1.5f", "BINFLOAT is big-endian");
	gives(B("G\x7f\xf0\x00\x00\x00\x00\x00\x00."), "inff", "BINFLOAT inf");
	gives(B("C\x03\x61\x62\x63."), "b''", "SHORT_BINBYTES");
	gives(B("B\x03\x00\x00\x00\x61\x62\x63."), "b''", "BINBYTES");
	gives(B("\x8e\x03\x00\x00\x00\x00\x00\x00\x00\x61\x62\x63."), "b''", "BINBYTES8");
	gives(B("\x96\x03\x00\x00\x00\x00\x00\x00\x00\x61\x62\x63."), "b''", "BYTEARRAY8");
}

static void test_longs(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *want;
	} longs[] = {
		{B("\x00"), "0"},
		{B("\x01\x7f"), "127"},
		{B("\x01\x80"), "-128"},
		{B("\x02\x00\x80"), "-32768"},
		{B("\x03\xff\xff\x7f"), "8388607"},
		{B("\x03\x00\x00\x80"), "-8388608"},
		{B("\x04\xff\xff\xff\xff"), "-1"},
		{B("\x05\x00\x00\x00\x80\x00"), "2147483648"},
		{B("\x05\x00\x00\x00\x00\x80"), "-549755813888"},
		{B("\x06\x00\x00\x00\x00\x00\x7f"), "139637976727552"},
		{B("\x07\x00\x00\x00\x00\x00\x00\x80"), "-36028797018963968"},
		{B("\x08\x00\x00\x00\x00\x00\x00\x00\x08"), "576460752303423488"},
		{B("\x08\xff\xff\xff\xff\xff\xff\xff\x07"), "576460752303423487"},
		{B("\x08\x00\x00\x00\x00\x00\x00\x00\xf8"), "-576460752303423488"},
		{B("\x08\xff\xff\xff\xff\xff\xff\xff\xf7"), "-576460752303423489"},
		{B("\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), "9223372036854775807"},
		{B("\x08\x00\x00\x00\x00\x00\x00\x00\x80"), "-9223372036854775808"},
		{B("\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00"), "9223372036854775808"},
		{B("\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"), "18446744073709551615"},
	};

	for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++) {
		/* Room behind it, so that the fast path sees it too. */
		struct mk_bytes b = {0};
		char want[400];

		mk_bytes_add(&b, "\x80\x02]\x8a", 4);
		mk_bytes_add(&b, longs[i].bytes, longs[i].n);
		mk_bytes_add(&b, "aN0N0N0N0N0N0N0N0N0N0N0N0N0.", 28);
		snprintf(want, sizeof want, "[%s]", longs[i].want);
		gives(b.at, b.n, want, longs[i].want);
		mk_bytes_free(&b);
	}
	gives(B("\x8b\x02\x00\x00\x00\x00\x80."), "-32768", "LONG4");
	gives(B("\x8b\x00\x00\x00\x00."), "0", "LONG4 of no bytes");
	gives(B("\x80\x02\x8a\x0a\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00."),
	      "!-7@2 malformed pickle: an integer of more than 64 bits", "LONG1 of ten bytes");
	gives(B("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."),
	      "!-7@2 malformed pickle: an integer of more than 64 bits", "LONG1 of 2^64");
	gives(B("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff."),
	      "!-7@2 malformed pickle: an integer of more than 64 bits", "LONG1 of -2^64");
	gives(B("\x8b\xff\xff\xff\xff\x01."),
	      "!-7@0 malformed pickle: an integer of more than 64 bits", "LONG4 of 4 GiB");
	gives(B("L18446744073709551616L\n."), "!-7@0 malformed pickle: not an integer of 64 bits",
	      "LONG of 2^64");
	gives(B("I-\n."), "!-7@0 malformed pickle: not an integer of 64 bits", "INT of a sign");
	gives(B("I\n."), "!-7@0 malformed pickle: not an integer of 64 bits", "INT of nothing");
	gives(B("I1x\n."), "!-7@0 malformed pickle: not an integer of 64 bits", "INT of text");
	gives(B("Fx\n."), "!-7@0 malformed pickle: not a number in FLOAT", "FLOAT of text");
	gives(B("F\n."), "!-7@0 malformed pickle: not a number in FLOAT", "FLOAT of nothing");
}

static void test_strings(void)
{
	gives(B("\x8c\x03"
		"abc."),
	      "'abc'", "SHORT_BINUNICODE");
	gives(B("\x8c\x00."), "''", "SHORT_BINUNICODE of nothing");
	gives(B("X\x03\x00\x00\x00"
		"abc."),
	      "'abc'", "BINUNICODE");
	gives(B("\x8d\x03\x00\x00\x00\x00\x00\x00\x00"
		"abc."),
	      "'abc'", "BINUNICODE8");
	gives(B("U\x03"
		"abc."),
	      "'abc'", "SHORT_BINSTRING");
	gives(B("T\x03\x00\x00\x00"
		"abc."),
	      "'abc'", "BINSTRING");
	gives(B("Vabc\n."), "'abc'", "UNICODE");
	gives(B("V\n."), "''", "UNICODE of nothing");
	gives(B("V\xe9\\u20ac\\U0001f600\\u005c\\u000a\n."),
	      "'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\\n'", "UNICODE: Latin-1 and escapes");
	gives(B("V\\ud800\n."), "'\xed\xa0\x80'", "UNICODE: a lone surrogate");
	gives(B("Va\\b\\\n."), "'a\\b\\'", "UNICODE: backslashes that escape nothing");
	gives(B("S'abc'\n."), "'abc'", "STRING");
	gives(B("S\"a'c\"\n."), "'a'c'", "STRING in double quotes");
	gives(B("S'\\x41\\n\\t\\\\\\''\n."), "'A\n\t\\''", "STRING: escapes");
	gives(B("\x8c\x05\xff\xfe\x80\x41\xc3."), "'\xff\xfe\x80\x41\xc3'",
	      "bytes that are no UTF-8");
	gives(B("V\\u12\n."), "!-7@0 malformed pickle: a bad \\u escape in UNICODE",
	      "UNICODE: a short escape");
	gives(B("V\\U00110000\n."), "!-7@0 malformed pickle: a bad \\u escape in UNICODE",
	      "UNICODE: beyond all code points");
	gives(B("S'\\x4'\n."), "!-7@0 malformed pickle: a bad \\x escape in STRING",
	      "STRING: a short escape");
	gives(B("Sabc\n."), "!-7@0 malformed pickle: an unquoted STRING", "STRING without quotes");
	gives(B("S'\n."), "!-7@0 malformed pickle: an unquoted STRING", "STRING of one quote");
}

static void test_containers(void)
{
	gives(B("]."), "[]", "EMPTY_LIST");
	gives(B("}."), "{}", "EMPTY_DICT");
	gives(B(")."), "()", "EMPTY_TUPLE");
	gives(B("\x8f."), "[]", "EMPTY_SET");
	gives(B("(l."), "[]", "LIST of nothing");
	gives(B("(K\1K\2l."), "[1, 2]", "LIST");
	gives(B("(d."), "{}", "DICT of nothing");
	gives(B("(K\1K\2K\3K\4d."), "{1: 2, 3: 4}", "DICT");
	gives(B("(t."), "()", "TUPLE of nothing");
	gives(B("(K\1K\2K\3K\4t."), "(1, 2, 3, 4)", "TUPLE");
	gives(B("K\1\x85."), "(1)", "TUPLE1");
	gives(B("K\1K\2\x86."), "(1, 2)", "TUPLE2");
	gives(B("K\1K\2K\3\x87."), "(1, 2, 3)", "TUPLE3");
	gives(B("]K\1a."), "[1]", "APPEND");
	gives(B("](K\1K\2e."), "[1, 2]", "APPENDS");
	gives(B("](e."), "[]", "APPENDS of nothing");
	gives(B("](K\1e(K\2K\3e."), "[1, 2, 3]", "APPENDS twice");
	gives(B("]K\1a(K\2K\3eK\4a."), "[1, 2, 3, 4]", "APPEND and APPENDS in turns");
	gives(B("}K\1K\2s."), "{1: 2}", "SETITEM");
	gives(B("}(K\1K\2K\3K\4u."), "{1: 2, 3: 4}", "SETITEMS");
	gives(B("}(u."), "{}", "SETITEMS of nothing");
	gives(B("}K\1K\2s(K\3K\4uK\5K\6s."), "{1: 2, 3: 4, 5: 6}", "SETITEM and SETITEMS in turns");
	gives(B("\x8f(K\1K\2\x90."), "[1, 2]", "ADDITEMS");
	gives(B("(K\1K\2\x91."), "(1, 2)", "FROZENSET");
	gives(B("]]a]a]]aa."), "[[], [], [[]]]", "empty lists inside");
	gives(B("](]]K\1a}K\2K\3se."), "[[], [1], {2: 3}]", "containers of one item inside");
	gives(B("}K\1]K\2aK\3as."), "{1: [2, 3]}", "APPEND inside SETITEM");
	gives(B("K\1K\2"
		"0."),
	      "1", "POP");
	gives(B("K\1(K\2K\3"
		"1."),
	      "1", "POP_MARK");
	gives(B("K\1(0."), "1", "POP of a mark");
	gives(B("K\1]K\2a0."), "1", "POP of a list of one item");
	gives(B("K\1(]K\2a1."), "1", "POP_MARK of a list of one item");
	gives(B("]K\1"
		"2ea."),
	      "[1] !-7@4 malformed pickle: no mark to collect from", "DUP, then APPENDS");
	gives(B("](K\1"
		"2e."),
	      "[1, 1]", "DUP of a number");
	gives(B("\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00]."), "[]", "FRAME");
	gives(B("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff]."), "[]", "FRAME of any length");
}

static void test_memo(void)
{
	gives(B("(Va\np0\ng0\nl."), "['a', 'a']", "PUT and GET");
	gives(B("(Va\nq\x00h\x00l."), "['a', 'a']", "BINPUT and BINGET");
	gives(B("(Va\nr\x02\x00\x00\x00j\x02\x00\x00\x00l."), "['a', 'a']",
	      "LONG_BINPUT and LONG_BINGET");
	gives(B("(Va\n\x94Vb\n\x94h\x00h\x01l."), "['a', 'b', 'a', 'b']", "MEMOIZE counts up");
	gives(B("(Va\nq\x01\x94h\x02l."), "['a', 'a']", "MEMOIZE goes on behind the highest index");
	gives(B("(]q\x00K\1ah\x00l."), "[[1], [1]]", "a list memoised before it is filled");
	gives(B("(](K\1K\2eq\x00h\x00l."), "[[1, 2], [1, 2]]", "and one memoised after");
	gives(B("(]q\x00(K\1K\2eh\x00l."), "[[1, 2], [1, 2]]", "a batch later");
	gives(B("(}q\x00K\1K\2sh\x00l."), "[{1: 2}, {1: 2}]", "a dict");
	gives(B("(K\1K\2\x86q\x00h\x00l."), "[(1, 2), (1, 2)]", "a tuple");
	gives(B("(]q\x00h\x00l."), "[[], []]", "an empty list");
	gives(B("(]q\x00q\x01h\x01h\x00l."), "[[], [], []]", "an object under two indices");
	gives(B("(]K\1aq\x00q\x01h\x01h\x00l."), "[[1], [1], [1]]",
	      "a list of one item under two indices");
	gives(B("(]q\x00K\1a0h\x00l."), "[[1]]", "what was popped is still in the memo");
	gives(B("(]q\x00K\1a1h\x00."), "[1]", "also by POP_MARK");
}

static void test_memo_refusals(void)
{
	static const char shared[] =
		"!-9@%d a container that contains itself or changes after it was shared";
	char want[200];

	snprintf(want, sizeof want, shared, 5);
	gives(B("]q\x00h\x00"
		"a."),
	      want, "a list that contains itself");
	snprintf(want, sizeof want, shared, 6);
	gives(B("]q\x00(h\x00"
		"e."),
	      want, "by APPENDS");
	snprintf(want, sizeof want, shared, 7);
	gives(B("}q\x00K\1h\x00"
		"s."),
	      want, "a dict that contains itself");
	snprintf(want, sizeof want, shared, 8);
	gives(B("}q\x00(K\1h\x00"
		"u."),
	      want, "by SETITEMS");
	snprintf(want, sizeof want, shared, 8);
	gives(B("]q\x00K\1ah\x00"
		"a."),
	      want, "a filled list that contains itself");
	snprintf(want, sizeof want, shared, 7);
	gives(B("]q\x00]h\x00"
		"aaK\1a."),
	      want, "a list that contains one that contains it");
	snprintf(want, sizeof want, shared, 8);
	gives(B("(]q\x00h\x00K\1a."), want, "a list filled after it was read from the memo");
	snprintf(want, sizeof want, shared, 9);
	gives(B("]q\x00q\x01h\x00K\1a."), want, "a copy from the memo that is filled");
	snprintf(want, sizeof want, shared, 8);
	gives(B("(]q\x00q\x01K\1a."), want, "one with two indices that is filled");
	gives(B("2."), "!-7@0 malformed pickle: DUP on an empty stack", "DUP of nothing");
	gives(B("]2."), "!-9@1 DUP of a container", "DUP of a list");
	gives(B("]K\1a2."), "!-9@4 DUP of a container", "DUP of a list of one item");
	gives(B("(Va\nq\x00Vb\nq\x00h\x00l."),
	      "!-7@9 malformed pickle: a memo index that is set twice", "an index set twice");
}

static void test_unsafe(void)
{
	static const struct {
		uint8_t op;
		const char *name;
	} unsafe[] = {
		{'c', "GLOBAL"},    {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},
		{'b', "BUILD"},     {'i', "INST"},          {'o', "OBJ"},
		{0x81, "NEWOBJ"},   {0x92, "NEWOBJ_EX"},    {0x82, "EXT1"},
		{0x83, "EXT2"},     {0x84, "EXT4"},         {'P', "PERSID"},
		{'Q', "BINPERSID"}, {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
	};
	bool known[256] = {false};
	char want[200];

	for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
		uint8_t bytes[40] = "\x80\x04](K\1K\2cos\nsystem\n(S'id'\ntR.";

		bytes[8] = unsafe[i].op;
		snprintf(want, sizeof want, "!-8@8 unsafe opcode %s", unsafe[i].name);
		gives(bytes, 32, want, unsafe[i].name);
		/* The last byte there is: no argument is waited for. */
		snprintf(want, sizeof want, "!-8@8 unsafe opcode %s", unsafe[i].name);
		gives(bytes, 9, want, "as the last byte");
		known[unsafe[i].op] = true;
	}
	for (const char *op =
		     "\x80\x95.(012N\x88\x89ILJKM\x8a\x8b"
		     "FGVX\x8c\x8dSTUBC\x8e\x96}dsu]lae)t\x85\x86\x87\x8f\x90\x91pqr\x94ghj";
	     *op; op++)
		known[(uint8_t)*op] = true;
	for (unsigned op = 0; op < 256; op++) {
		uint8_t bytes[24] = "](K\1K\2";

		if (known[op])
			continue;
		bytes[6] = (uint8_t)op;
		snprintf(want, sizeof want, "[1, 2] !-7@6 malformed pickle: 0x%02x is no opcode",
			 op);
		char got[TEXT_FOLD_BYTES + 500];
		is_str(read_text(bytes, 24, 0, got, sizeof got), want, "0x%02x is no opcode", op);
	}
}

static void test_protocols(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		int protocol;
	} heads[] = {
		{B("(lp0\nI1\na."), 0}, {B("]q\0K\1a."), 1},   {B("\x80\x02]."), 2},
		{B("\x80\x03]."), 3},   {B("\x80\x04]."), 4},  {B("\x80\x05]."), 5},
		{B("\x80\x00(l."), 0},  {B("\x80\x01(l."), 1},
	};
	struct text_fold t;
	struct pickle_result r;
	struct error err;

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		text_fold_init(&t, LIMIT);
		ok(text_fold_read(&t, &r, heads[i].bytes, heads[i].n, 0, &err) == 0,
		   "a pickle of protocol %d is read", heads[i].protocol);
		is_i64(r.protocol, heads[i].protocol, "and its protocol told");
		is_u64(r.end_offset, heads[i].n, "and its end");
		text_fold_release(&t);
	}
	gives(B("\x80\x06]."), "!-7@0 pickle protocol 6 is unknown", "protocol 6");
	gives(B("\x80\xff]."), "!-7@0 pickle protocol 255 is unknown", "protocol 255");
}

static void test_trailing(void)
{
	struct text_fold t;
	struct pickle_result r;
	struct error err;

	text_fold_init(&t, LIMIT);
	ok(text_fold_read(&t, &r, B("]K\1a.\0\0\0"), 0, &err) == 0, "NUL padding is read");
	is_u64(r.trailing, 0, "and is nothing");
	is_u64(r.end_offset, 5, "the end is STOP");
	ok(text_fold_read(&t, &r, B("]K\1a.\0ab\0c"), 3, &err) == 0, "bytes behind STOP are read");
	is_u64(r.trailing, 3, "and counted");
	is_u64(r.end_offset, 5, "the end is STOP");
	text_fold_release(&t);
}

static const char *const descriptions[] = {
	"[]",
	"{}",
	"()",
	"[[], {}, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]",
	"{'a': [1], 'b': {'c': {}}, 'd': [{'e': 1}, {'e': 2, 'f': []}]}",
	("[0, 1, 255, 256, 65535, 65536, 2147483647, -1, -2147483648, 140187732541440, "
	 "-140187732541440, 9223372036854775807, 576460752303423488, -576460752303423489]"),
	"[True, False, None, 1.5, -0.25, 1e100]",
	"['', 'a', 'a\\\\b\\nc', '\xc3\xa9', '\xe2\x82\xac', '\xf0\x9f\x98\x80']",
	"[&s ['shared', {'k': 1}], *s, *s, [*s, *s]]",
	"[&t (1, 2), *t, {'k': *t}]",
	"{'k': &v 'text', 'l': *v, 'm': [*v]}",
	"{'k': [&e [], *e], 'l': [&d {}, *d]}",
};

/* Equal data gives equal text, whoever wrote it. */
static void test_dialects(void)
{
	char first[TEXT_FOLD_BYTES + 500], other[TEXT_FOLD_BYTES + 500];

	for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
		for (int d = MK_PROTOCOL_0; d <= MK_JIT; d++) {
			struct mk_bytes b = mk_pickle((enum mk_dialect)d, descriptions[i]);

			read_text(b.at, b.n, 0, d ? other : first, sizeof first);
			if (d == MK_PROTOCOL_0)
				ok(first[0] != '!' && !strstr(first, " !"), "%s", first);
			else
				is_str(other, first, "%s", mk_dialect_name((enum mk_dialect)d));
			for (size_t step = 1; step < 8; step++) {
				read_text(b.at, b.n, step, other, sizeof other);
				is_str(other, first, "%s, %zu bytes at a time",
				       mk_dialect_name((enum mk_dialect)d), step);
			}
			mk_bytes_free(&b);
		}
	}
}

/* Long containers come in batches and are one container all the same. */
static void test_batches(void)
{
	static const struct {
		const char *description;
		int from;
		size_t calls, longest; /* CPython's protocols 1 to 5 */
	} cases[] = {
		{"[7 x 1000]", 0, 1, 1000},
		{"[7 x 1001]", 0, 2, 1000},
		{"[7 x 2500]", 0, 3, 1000},
		{"[[7] x 1500]", 0, 1502, 1000},
	};
	char first[TEXT_FOLD_BYTES + 500];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (int d = MK_PROTOCOL_0; d <= MK_JIT; d++) {
			struct mk_bytes b = mk_pickle((enum mk_dialect)d, cases[i].description);
			struct text_fold t;
			struct pickle_result r;
			struct error err;

			text_fold_init(&t, LIMIT);
			ok(text_fold_read(&t, &r, b.at, b.n, 0, &err) == 0, "%s, %s",
			   cases[i].description, mk_dialect_name((enum mk_dialect)d));
			if (d == MK_PROTOCOL_0)
				snprintf(first, sizeof first, "%s", text_fold_words(&t, r.root));
			else
				is_str(text_fold_words(&t, r.root), first, "the same data");
			if (d != MK_JIT) {
				is_u64(t.n_calls, cases[i].calls, "calls of the fold");
				is_u64(t.longest, cases[i].longest, "items in one call");
			}
			ok(text_fold_release(&t), "memory was given back");
			mk_bytes_free(&b);
		}
	}
}

int main(void)
{
	test_scalars();
	test_longs();
	test_strings();
	test_containers();
	test_memo();
	test_memo_refusals();
	test_unsafe();
	test_protocols();
	test_trailing();
	test_dialects();
	test_batches();
	return done_testing();
}
