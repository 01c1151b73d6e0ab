/* SPDX-License-Identifier: MIT
 * test_pickle_hostile.c -- pickles made to hurt: underflow, absurd numbers, depth, sharing, limits.
 *
 * Nothing here may crash, take memory or time out of proportion, or leave memory behind.
 */
#include <time.h>

#include "decode/pickle.h"

#include "tests/lib/mk_pickle.h"
#include "tests/lib/probe_fold.h"
#include "tests/lib/tap.h"
#include "tests/lib/text_fold.h"

#define MIB     (UINT64_C(1) << 20)
#define MILLION 1000000u

/* Generous: what is quadratic takes hours with these sizes. */
/* Of the processor: sanitizers on a slow machine take 20, a million steps for each of a million 500. */
#define MAX_SECONDS 120.0

#define B(text) (text), sizeof(text) - 1

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void fails(const void *bytes, size_t n, enum err_code code, uint64_t offset,
		  const char *words, const char *what)
{
	struct text_fold t;
	struct pickle_result r = {0};
	struct error err = {0};

	for (size_t step = 0; step < 2; step++) {
		text_fold_init(&t, 64 * MIB);
		int rc = text_fold_read(&t, &r, bytes, n, step, &err);
		const struct error *e = rc < 0 ? &err : &r.damage;

		ok(rc < 0 || r.partial, "%s%s", what, step ? ", byte by byte" : "");
		is_i64(e->code, code, "its code");
		is_u64(e->offset, offset, "its place");
		ok(strstr(e->text, words) != NULL, "its words: %s", e->text);
		ok(text_fold_release(&t), "memory was given back");
	}
}

static void test_underflow(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *words;
	} cases[] = {
		{B("."), "exactly one object"},          {B("0."), "POP from an empty stack"},
		{B("1."), "POP_MARK without a mark"},    {B("a."), "APPEND without a list"},
		{B("e."), "no mark to collect from"},    {B("s."), "SETITEM without a dict"},
		{B("u."), "no mark to collect from"},    {B("t."), "no mark to collect from"},
		{B("l."), "no mark to collect from"},    {B("d."), "no mark to collect from"},
		{B("\x85."), "a tuple of more items"},   {B("\x86."), "a tuple of more items"},
		{B("\x87."), "a tuple of more items"},   {B("\x90."), "no mark to collect from"},
		{B("\x91."), "no mark to collect from"}, {B("\x94."), "nothing to memoise"},
		{B("q\x00."), "nothing to memoise"},     {B("p0\n."), "nothing to memoise"},
	};
	struct mk_bytes b = {0};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fails(cases[i].bytes, cases[i].n, ERR_FORMAT, 0, cases[i].words, cases[i].words);
		/* The same behind a mark: what lies below it may not be taken. */
		if (strstr(cases[i].words, "no mark") || strstr(cases[i].words, "POP"))
			continue;
		b.n = 0;
		mk_bytes_add(&b, B("]]}K\1K\1K\1("));
		mk_bytes_add(&b, cases[i].bytes, cases[i].n);
		fails(b.at, b.n, ERR_FORMAT, 10, cases[i].words, "behind a mark");
	}
	mk_bytes_free(&b);
	fails(B("(e."), ERR_FORMAT, 1, "no container below the mark", "APPENDS without a list");
	fails(B("(u."), ERR_FORMAT, 1, "no container below the mark", "SETITEMS without a dict");
	fails(B("]((e."), ERR_FORMAT, 3, "no container below the mark", "a mark on a mark");
	fails(B("K\1(K\1e."), ERR_FORMAT, 5, "APPENDS on what is no list", "APPENDS on a number");
	fails(B("](K\1K\1u."), ERR_FORMAT, 6, "SETITEMS on what is no dict", "SETITEMS on a list");
	fails(B("}(K\1K\1e."), ERR_FORMAT, 6, "APPENDS on what is no list", "APPENDS on a dict");
	fails(B("}(K\1u."), ERR_FORMAT, 4, "a key without a value", "an odd number of items");
	fails(B("(K\1d."), ERR_FORMAT, 3, "a key without a value", "also for DICT");
	fails(B(")K\1a."), ERR_FORMAT, 3, "APPEND on what is no list", "APPEND on a tuple");
	fails(B("}K\1a."), ERR_FORMAT, 3, "APPEND on what is no list", "APPEND on a dict");
	fails(B("]K\1K\1s."), ERR_FORMAT, 5, "SETITEM on what is no dict", "SETITEM on a list");
	fails(B("]K\1aK\1K\1s."), ERR_FORMAT, 8, "SETITEM on what is no dict",
	      "SETITEM on a list of one item");
	fails(B("]]."), ERR_FORMAT, 2, "exactly one object", "two objects at STOP");
	fails(B("](."), ERR_FORMAT, 2, "exactly one object", "a mark at STOP");
}

static void test_lengths(void)
{
	/* Each claims far more than there is: cut, without asking for the memory. */
	static const struct {
		const char *bytes;
		size_t n;
		const char *what;
	} cases[] = {
		{B("]X\xff\xff\xff\xff"
		   "abc"),
		 "BINUNICODE of 4 GiB"},
		{B("]\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
		   "abc"),
		 "BINUNICODE8 of 2^64 - 1"},
		{B("]\x8d\x00\x00\x00\x00\x00\x00\x00\x80"
		   "abc"),
		 "BINUNICODE8 of 2^63"},
		{B("]T\xff\xff\xff\xff"
		   "abc"),
		 "BINSTRING of 4 GiB"},
		{B("]B\xff\xff\xff\xff"
		   "abc"),
		 "BINBYTES of 4 GiB"},
		{B("]\x8e\xff\xff\xff\xff\xff\xff\xff\xff"
		   "abc"),
		 "BINBYTES8 of 2^64 - 1"},
		{B("]\x96\xff\xff\xff\xff\xff\xff\xff\xff"
		   "abc"),
		 "BYTEARRAY8 of 2^64 - 1"},
		{B("]\x8c\xff"
		   "abc"),
		 "SHORT_BINUNICODE of 255"},
		{B("]V"
		   "abc"),
		 "UNICODE without an end"},
		{B("]I"
		   "123"),
		 "INT without an end"},
		{B("]\x8a\x08"
		   "123"),
		 "LONG1 of 8"},
		{B("]G"
		   "123"),
		 "BINFLOAT"},
		{B("]J"
		   "123"),
		 "BININT"},
		{B("]\x80"), "PROTO"},
		{B("]j"
		   "123"),
		 "LONG_BINGET"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		fails(cases[i].bytes, cases[i].n, ERR_CUT, cases[i].n, "ends before its data does",
		      cases[i].what);
}

static void test_indices(void)
{
	static const char beyond[] = "a memo index beyond all that was read";
	static const char never[] = "a memo index that was never set";
	static const char no_number[] = "a memo index that is no number";

	fails(B("]r\xff\xff\xff\xff."), ERR_FORMAT, 1, beyond, "LONG_BINPUT of 2^32 - 1");
	fails(B("]q\xff."), ERR_FORMAT, 1, beyond, "BINPUT of 255");
	fails(B("]p99999999999999999999\n."), ERR_FORMAT, 1, no_number, "PUT of 10^20");
	fails(B("]p18446744073709551615\n."), ERR_FORMAT, 1, beyond, "PUT of 2^64 - 1");
	fails(B("]p-1\n."), ERR_FORMAT, 1, no_number, "PUT of -1");
	fails(B("]pabc\n."), ERR_FORMAT, 1, no_number, "PUT of text");
	fails(B("]p\n."), ERR_FORMAT, 1, no_number, "PUT of nothing");
	fails(B("]g0\n."), ERR_FORMAT, 1, never, "GET of an empty memo");
	fails(B("]gx\n."), ERR_FORMAT, 1, no_number, "GET of text");
	fails(B("]h\x00."), ERR_FORMAT, 1, never, "BINGET of an empty memo");
	fails(B("]j\xff\xff\xff\xff."), ERR_FORMAT, 1, never, "LONG_BINGET of 2^32 - 1");
	fails(B("]K\1K\1K\1q\x03h\x02."), ERR_FORMAT, 9, never, "BINGET of a gap");
}

static void repeat(struct mk_bytes *b, const void *bytes, size_t n, size_t times)
{
	while (times--)
		mk_bytes_add(b, bytes, n);
}

/* `head`, then `times` of each of the parts. */
static void run_repeated(const char *what, enum err_code code, const char *head, size_t times,
			 const char *a, size_t n_a, const char *c, const char *tail)
{
	struct mk_bytes b = {0};
	struct probe p;
	struct pickle_result r = {0};
	struct error err = {0};
	struct input *in;
	double start = seconds();

	mk_bytes_add(&b, head, strlen(head));
	repeat(&b, a, n_a, times);
	repeat(&b, c, strlen(c), times);
	mk_bytes_add(&b, tail, strlen(tail));
	if (probe_init(&p, 512 * MIB, &err) < 0 ||
	    input_open_bytes(&in, b.at, b.n, &p.budget, &err) < 0)
		abort();
	int rc = pickle_read(&r, in, &p.fold, &err);
	is_i64(rc < 0 ? rc : r.damage.code, code, "%s%s%s", what, rc < 0 ? ": " : "",
	       rc < 0 ? err.text : "");
	input_close(in);
	probe_release(&p);
	ok(seconds() - start < MAX_SECONDS, "in linear time (%.2f s)", seconds() - start);
	mk_bytes_free(&b);
}

static void test_depth(void)
{
	size_t n = MILLION;

	run_repeated("a million lists, begun", ERR_CUT, "", n, B("]"), "", "");
	run_repeated("a million lists, then STOP", ERR_FORMAT, "", n, B("]"), "", ".");
	run_repeated("a million lists in one another", ERR_NONE, "]", n, B("]"), "a", ".");
	run_repeated("cut before the last", ERR_CUT, "]", n, B("]"), "a", "");
	run_repeated("cut in the middle", ERR_CUT, "]]]", n, B("]]"), "a", "");
	run_repeated("by marks", ERR_NONE, "", n, B("]("), "e", ".");
	run_repeated("by marks, cut", ERR_CUT, "](", n, B("]("), "e", "");
	run_repeated("a million dicts in one another", ERR_NONE, "}", n, B("K\1}"), "s", ".");
	run_repeated("cut", ERR_CUT, "}K\1}", n, B("K\1}"), "s", "");
	run_repeated("by marks", ERR_NONE, "}", n, B("(K\1}"), "u", ".");
	run_repeated("by marks, cut", ERR_CUT, "}(K\1", n, B("}(K\1"), "", "");
	run_repeated("a million tuples in one another", ERR_NONE, "N", n, B("\x85"), "", ".");
	run_repeated("a million marks", ERR_CUT, "", n, B("("), "", "");
	run_repeated("a million marks on a list", ERR_CUT, "]", n, B("("), "", "");
	run_repeated("LIST a million times", ERR_NONE, "", n, B("("), "l", ".");
	run_repeated("a million lists in memo", ERR_FORMAT, "", n, B("]\x94"), "", ".");
	run_repeated("and filled", ERR_NONE, "]", n, B("]\x94"), "a", ".");
}

static void test_width(void)
{
	size_t n = MILLION;

	run_repeated("a million numbers, no container", ERR_CUT, "", n, B("K\1"), "", "");
	run_repeated("a million numbers on a list", ERR_CUT, "]", n, B("K\1"), "", "");
	run_repeated("on a list of one", ERR_CUT, "]K\1a", n, B("K\1"), "", "");
	run_repeated("on a marked list", ERR_CUT, "](", n, B("K\1"), "", "");
	run_repeated("on a marked dict", ERR_CUT, "}(", n, B("K\1"), "", "");
	run_repeated("appended one by one", ERR_NONE, "]", n, B("K\1a"), "", ".");
	run_repeated("cut", ERR_CUT, "]", n, B("K\1a"), "", "");
	run_repeated("set one by one", ERR_NONE, "}", n, B("K\1K\2s"), "", ".");
	run_repeated("a million empty batches", ERR_NONE, "]", n, B("(e"), "", ".");
	run_repeated("a million batches of one", ERR_NONE, "]", n, B("(K\1e"), "", ".");
	run_repeated("a million lists of one on a marked list", ERR_CUT, "](", n, B("]K\1a"), "",
		     "");
	run_repeated("a million lists of one in a dict", ERR_CUT, "}(", n, B("K\1]K\1a"), "", "");
	run_repeated("lists of one on a list", ERR_CUT, "]", n, B("]K\1a"), "", "");
	run_repeated("a million strings", ERR_CUT, "](", n,
		     B("\x8c\x01"
		       "a"),
		     "", "");
	run_repeated("a million floats", ERR_NONE, "](", n, B("G\0\0\0\0\0\0\0\0"), "", "e.");
	run_repeated("a million pops", ERR_NONE, "]", n, B("]0"), "", ".");
	run_repeated("a million lists of one, popped", ERR_NONE, "]", n, B("]K\1a0"), "", ".");
	run_repeated("a million PROTO", ERR_NONE, "", n, B("\x80\x04"), "", "].");
}

/* Strings and lines far longer than the window, a page at a time. */
static void test_long_text(void)
{
	static const char *const heads[] = {"V", "S'", "I", "X\xff\xff\xff\x01",
					    "\x8d\xff\xff\xff\x0f"};
	size_t n = tests_quick() ? 4 * MIB : 32 * MIB;
	double start = seconds();

	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		struct mk_bytes b = {0};

		mk_bytes_add(&b, heads[i], strlen(heads[i]));
		for (size_t k = 0; k < n / 16; k++)
			mk_bytes_add(&b, "1234567890123456", 16);
		mk_bytes_add(&b, "'\n.", 3);
		is_u64(probe_pickle(b.at, b.n, 4096, 512 * MIB),
		       probe_pickle(b.at, b.n, 0, 512 * MIB), "text %zu of %zu bytes", i, n);
		mk_bytes_free(&b);
	}
	ok(seconds() - start < MAX_SECONDS, "in linear time (%.2f s)", seconds() - start);
}

/* Two references to each level: 2^60 lists as a tree. */
static void test_sharing(void)
{
	struct mk_bytes b = {0};
	double start = seconds();

	mk_bytes_add(&b, B("]\x94(K\1K\2e"));
	for (int level = 0; level < 60; level++) {
		uint8_t step[] = {'0', ']', 0x94, '(', 'h', (uint8_t)level, 'h', (uint8_t)level,
				  'e'};

		mk_bytes_add(&b, step, sizeof step);
	}
	mk_bytes_add(&b, ".", 1);
	uint64_t whole = probe_pickle(b.at, b.n, 0, 16 * MIB);
	is_u64(probe_pickle(b.at, b.n, 1, 16 * MIB), whole, "shared lists are read once each");
	ok(seconds() - start < MAX_SECONDS, "in no time");
	mk_bytes_free(&b);
}

/* Every budget from nothing to enough: either the limit's error, or the whole. */
static void test_limit(void)
{
	struct mk_bytes b = mk_pickle(MK_PROTOCOL_0, "[['text', {'k': [1, (2, 3)]}, 1e9] x 400]");
	uint64_t lowest = UINT64_MAX;
	size_t limited = 0;

	for (uint64_t limit = 0; limit < 2 * MIB; limit += 1499) {
		struct text_fold t;
		struct pickle_result r;
		struct error err = {0};
		struct input *in = NULL;

		text_fold_init(&t, UINT64_MAX);
		t.budget.limit = t.budget.used + limit;
		int rc = input_open_bytes(&in, b.at, b.n, &t.budget, &err);
		if (rc == 0)
			rc = pickle_read(&r, in, &t.fold, &err);
		input_close(in);
		if (rc == 0 && lowest == UINT64_MAX)
			lowest = limit;
		if (rc < 0)
			limited++;
		if (rc < 0 &&
		    (rc != ERR_LIMIT || lowest != UINT64_MAX || !strstr(err.text, "limit of")))
			ok(false, "limit %" PRIu64 ": %d %s", limit, rc, err.text);
		if (!text_fold_release(&t))
			ok(false, "limit %" PRIu64 ": memory was not given back", limit);
	}
	ok(limited > 100, "%zu limits were too low", limited);
	ok(lowest < 2 * MIB, "%" PRIu64 " bytes are enough", lowest);
	mk_bytes_free(&b);
}

/* A fold that fails at its k-th call: its error comes out as it was. */
static void test_fold_errors(void)
{
	for (int d = MK_PROTOCOL_0; d <= MK_JIT; d++) {
		struct mk_bytes b =
			mk_pickle((enum mk_dialect)d, "[[1], {'k': (1, 2), 'l': [[2]]}, [], (3,)]");
		size_t wrong = 0;
		int k = 1;

		for (;; k++) {
			struct text_fold t;
			struct pickle_result r;
			struct error err = {0};

			text_fold_init(&t, 64 * MIB);
			t.fail_at = k;
			int rc = text_fold_read(&t, &r, b.at, b.n, 0, &err);
			bool passed = rc == 0;

			wrong += !passed && (rc != ERR_SCHEMA || err.offset != t.last_offset ||
					     !strstr(err.text, "told to fail"));
			wrong += !text_fold_release(&t);
			if (passed)
				break;
		}
		is_u64(wrong, 0, "%s: errors of the fold are passed on",
		       mk_dialect_name((enum mk_dialect)d));
		is_i64(k, 8, "of each call");
		mk_bytes_free(&b);
	}
}

int main(void)
{
	test_underflow();
	test_lengths();
	test_indices();
	test_depth();
	test_width();
	test_long_text();
	test_sharing();
	test_limit();
	test_fold_errors();
	return done_testing();
}
