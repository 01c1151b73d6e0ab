/* SPDX-License-Identifier: MIT
 * test_pickle_damage.c -- cut and damaged pickles give what was whole, wherever the window ends.
 */
#include "decode/pickle.h"

#include "tests/lib/mk_pickle.h"
#include "tests/lib/probe_fold.h"
#include "tests/lib/tap.h"
#include "tests/lib/text_fold.h"

#define LIMIT (UINT64_C(64) << 20)

/* Bytes of the pickle up to and including the n-th place of `mark`. */
static size_t end_of(const struct mk_bytes *b, const char *mark, int n)
{
	size_t length = strlen(mark);

	for (size_t i = 0; i + length <= b->n; i++)
		if (memcmp(b->at + i, mark, length) == 0 && --n == 0)
			return i + length;
	abort();
}

/* What is left of `description` when it is cut behind the n-th place of `mark`. */
static void leaves(enum mk_dialect d, const char *description, const char *mark, int n,
		   const char *want)
{
	struct mk_bytes b = mk_pickle(d, description);
	size_t cut = end_of(&b, mark, n);
	struct text_fold t;
	struct pickle_result r = {0};
	struct error err = {0};

	for (size_t step = 0; step < 2; step++) {
		text_fold_init(&t, LIMIT);
		int rc = text_fold_read(&t, &r, b.at, cut, step, &err);
		const struct error *e = rc < 0 ? &err : &r.damage;

		is_str(rc < 0 ? "nothing" : text_fold_words(&t, r.root), want, "%s, %s up to %s %d",
		       mk_dialect_name(d), description, mark, n);
		is_i64(e->code, ERR_CUT, "it was cut");
		is_u64(e->offset, cut, "there");
		is_u64(rc < 0 ? cut : r.end_offset, cut, "and read up to there");
		ok(text_fold_release(&t), "memory was given back");
	}
	mk_bytes_free(&b);
}

static void test_salvage(void)
{
	for (int i = MK_PROTOCOL_0; i <= MK_JIT; i++) {
		enum mk_dialect d = (enum mk_dialect)i;
		/* Text opcodes end with a line: cut inside, the last string is lost. */
		bool text = d == MK_PROTOCOL_0;

		leaves(d, "[1, 'aa', 'bb', 'cc']", "bb", 1, text ? "[1, 'aa']" : "[1, 'aa', 'bb']");
		/* A key whose value is not there. */
		leaves(d, "{'aa': 1, 'bb': 'cc'}", "bb", 1,
		       text ? "<{'aa': 1}>" : "<{'aa': 1, 'bb': None}>");
		/* Empty and one-item containers in front of the damage are complete. */
		leaves(d, "{'s': [], 't': ['x', 'yy', 'zz']}", "yy", 1,
		       text ? "<{'s': [], 't': ['x']}>" : "<{'s': [], 't': ['x', 'yy']}>");
		leaves(d, "{'s': ['w'], 't': ['x', 'yy', 'zz']}", "yy", 1,
		       text ? "<{'s': ['w'], 't': ['x']}>" : "<{'s': ['w'], 't': ['x', 'yy']}>");
		leaves(d, "{'s': {}, 't': ['x', 'yy', 'zz']}", "yy", 1,
		       text ? "<{'s': {}, 't': ['x']}>" : "<{'s': {}, 't': ['x', 'yy']}>");
		leaves(d, "{'s': {'v': 'w'}, 't': ['x', 'yy', 'zz']}", "yy", 1,
		       text ? "<{'s': {'v': 'w'}, 't': ['x']}>"
			    : "<{'s': {'v': 'w'}, 't': ['x', 'yy']}>");
		/* A list of one list, which is cut. */
		leaves(d, "{'s': [], 't': [['x', 'yy', 'zz']]}", "yy", 1,
		       text ? "<{'s': [], 't': [['x']]}>" : "<{'s': [], 't': [['x', 'yy']]}>");
		leaves(d, "{'t': [['x', 'yy', 'zz']]}", "yy", 1,
		       text ? "<{'t': [['x']]}>" : "<{'t': [['x', 'yy']]}>");
		leaves(d, "{'t': [['x']], 'uu': 1}", "uu", 1,
		       text ? "<{'t': [['x']]}>" : "<{'t': [['x']], 'uu': None}>");
		leaves(d, "{'t': [['x']], 'uu': {'k': {'m': 1}, 'l': {'nn': 'v', 'o': 1}}}", "nn",
		       1,
		       text ? "<{'t': [['x']], 'uu': <{'k': {'m': 1}, 'l': <{}>}>}>"
			    : "<{'t': [['x']], 'uu': <{'k': {'m': 1}, 'l': <{'nn': None}>}>}>");
	}
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* Each row in the list where it belongs, as the descriptions below have it. */
static bool rows_in_place(const char *text, size_t rows)
{
	return count(text, "'r': ") == rows && !strstr(text, "'a': [[") &&
	       !strstr(text, "'b': [{") && !strstr(text, "], {'r'") && !strstr(text, "[[[") &&
	       !strstr(text, "'b']") && !strstr(text, "'c']") && !strstr(text, "'s']");
}

/* Cut at every byte: each row that was whole is there, in its list. */
static void cut_rows(enum mk_dialect d, const char *description, size_t *n_partial)
{
	struct mk_bytes b = mk_pickle(d, description), wrong = {0};

	for (size_t cut = 0; cut < b.n; cut++) {
		struct text_fold t;
		struct pickle_result r = {0};
		struct error err = {0};

		text_fold_init(&t, LIMIT);
		t.rows = true;
		int rc = text_fold_read(&t, &r, b.at, cut, 0, &err);
		const char *got = rc < 0 ? "" : text_fold_words(&t, r.root);
		const struct error *e = rc < 0 ? &err : &r.damage;

		*n_partial += rc == 0;
		if (e->code != ERR_CUT || e->offset != cut || !rows_in_place(got, t.n_rows))
			mk_bytes_printf(&wrong, "at %zu: %d@%" PRIu64 " %zu rows %s; ", cut,
					e->code, e->offset, t.n_rows, got);
		if (!text_fold_release(&t))
			mk_bytes_printf(&wrong, "at %zu: memory was not given back; ", cut);
	}
	is_str(wrong.n ? (const char *)wrong.at : "", "", "%s of %s", mk_dialect_name(d),
	       description);
	mk_bytes_free(&wrong);
	mk_bytes_free(&b);
}

static void test_salvage_rows(void)
{
	static const char *const descriptions[] = {
		"{'a': [], 'b': [[], [{'r': 1, 's': 1}, {'r': 2, 's': 2}], []], 'c': {'k': 1}}",
		"{'a': [{'r': 1, 's': 1}], 'b': [[{'r': 2, 's': 1}], [{'r': 3, 's': 1}]], 'c': 1}",
		"{'b': [[{'r': 2, 's': 1}]], 'a': [{'r': 1, 's': ['f']}]}",
		"{'b': [[], [], [{'r': 2, 's': 1}], [], [{'r': 3, 's': []}]], 'c': []}",
		"{'b': [[{'r': 2, 's': ['f', 'g']}, {'r': 2, 's': []}], []], 'c': [1]}",
		"[{'r': 1, 's': 1}, {'r': 2, 's': [(1, 2)]}, {'r': 3, 's': []}]",
		"[{'r': 1, 's': 1}]",
	};
	size_t n_partial = 0;

	for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++)
		for (int d = MK_PROTOCOL_0; d <= MK_JIT; d++)
			cut_rows((enum mk_dialect)d, descriptions[i], &n_partial);
	ok(n_partial > 1000, "%zu cuts left something", n_partial);
}

/* The careful path alone (small windows) and the fast one must agree on everything. */
static void windows_agree(const char *what, const uint8_t *bytes, size_t n)
{
	static const size_t steps[] = {1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 61, 4099};
	uint64_t whole = probe_pickle(bytes, n, 0, LIMIT);
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		wrong += probe_pickle(bytes, n, steps[i], LIMIT) != whole;
	is_u64(wrong, 0, "%s: windows of any size give the same", what);
}

static const char snapshot[] =
	"{'segments': [{'device': 0, 'address': 140187732541440, 'total_size': 2097152, "
	"'frames': &f [&g {'name': 'f', 'filename': 'a.py', 'line': 3}, {'name': 'g', "
	"'filename': 'b.py', 'line': 18446744073709551615}], 'segment_pool_id': &z (0, 0), "
	"'is_expandable': False, 'blocks': [{'address': 140187732541440, 'size': 512, 'state': "
	"'active_allocated', 'frames': *f}, {'address': 140187732541952, 'size': 2096640, "
	"'state': 'inactive', 'frames': []}]}], 'device_traces': [[{'action': 'alloc', 'addr': "
	"140187732541440, 'size': 12, 'stream': 0, 'time_us': 1700000000000000, 'frames': *f}, "
	"{'action': 'oom', 'device_free': 5, 'size': 1024, 'stream': 0, 'pool_id': *z, 'frames': "
	"[*g]}], [], [{'action': 'free_requested', 'addr': 140187732541440, 'size': 70000, "
	"'stream': 18446744073709551615, 'frames': *f}]], 'allocator_settings': {'gc': 0.5, "
	"'expandable_segments': True, 'conf': None}}";

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Each prefix, and each byte changed in a few ways: the probe checks what the machine promises. */
static void test_every_byte(void)
{
	uint64_t state = 88172645463325252u;

	for (int d = MK_PROTOCOL_0; d <= MK_JIT; d++) {
		struct mk_bytes b = mk_pickle((enum mk_dialect)d, snapshot);
		const char *name = mk_dialect_name((enum mk_dialect)d);
		size_t wrong = 0;

		windows_agree(name, b.at, b.n);
		for (size_t cut = 0; cut < b.n; cut++)
			wrong += probe_pickle(b.at, cut, 0, LIMIT) !=
				 probe_pickle(b.at, cut, cut % 7 + 1, LIMIT);
		is_u64(wrong, 0, "%s: cut anywhere, windows agree", name);
		wrong = 0;
		for (size_t i = 0; i < b.n; i++) {
			const uint8_t was = b.at[i];
			uint8_t now[] = {(uint8_t)(was ^ 1),
					 (uint8_t)(was ^ 0x80),
					 0,
					 0xff,
					 '(',
					 'a',
					 'e',
					 's',
					 '.',
					 (uint8_t)next_random(&state)};

			for (size_t k = 0; k < (tests_quick() ? 3 : sizeof now); k++) {
				b.at[i] = now[k];
				wrong += probe_pickle(b.at, b.n, 0, LIMIT) !=
					 probe_pickle(b.at, b.n, i % 7 + 1, LIMIT);
			}
			b.at[i] = was;
		}
		is_u64(wrong, 0, "%s: damaged anywhere, windows agree", name);
		mk_bytes_free(&b);
	}
}

/* Pieces of valid opcodes in any order: far more of the machine's states than damage reaches. */
static void test_random_opcodes(void)
{
	static const struct {
		const char *bytes;
		size_t n;
	} pieces[] = {
#define PIECE(text) {(text), sizeof(text) - 1}
		PIECE("("),        PIECE("("),     PIECE("]"),
		PIECE("]"),        PIECE("}"),     PIECE("}"),
		PIECE(")"),        PIECE("e"),     PIECE("u"),
		PIECE("a"),        PIECE("a"),     PIECE("s"),
		PIECE("s"),        PIECE("t"),     PIECE("l"),
		PIECE("d"),        PIECE("\x85"),  PIECE("\x86"),
		PIECE("\x87"),     PIECE("0"),     PIECE("1"),
		PIECE("2"),        PIECE("N"),     PIECE("\x88"),
		PIECE("K\1"),      PIECE("M\1\2"), PIECE("\x8c\1a"),
		PIECE("\x8c\2ab"), PIECE("Vq\n"),  PIECE("\x8a\1\xff"),
		PIECE("\x94"),     PIECE("\x94"),  PIECE("q\0"),
		PIECE("q\1"),      PIECE("h\0"),   PIECE("h\1"),
		PIECE("h\2"),      PIECE("h\3"),   PIECE("\x8f"),
		PIECE("\x90"),     PIECE("\x91"),  PIECE("G\0\0\0\0\0\0\0\0"),
		PIECE("C\0"),      PIECE("."),
#undef PIECE
	};
	uint64_t state = 1234567;
	size_t wrong = 0;
	int rounds = tests_quick() ? 20000 : 200000;

	for (int round = 0; round < rounds; round++) {
		uint8_t bytes[400];
		size_t n = 0, want = next_random(&state) % 60;

		for (size_t k = 0; k < want; k++) {
			size_t i = next_random(&state) % (sizeof pieces / sizeof pieces[0]);

			memcpy(bytes + n, pieces[i].bytes, pieces[i].n);
			n += pieces[i].n;
		}
		wrong += probe_pickle(bytes, n, 0, LIMIT) !=
			 probe_pickle(bytes, n, (size_t)round % 19 + 1, LIMIT);
	}
	is_u64(wrong, 0, "%d random pickles: windows agree", rounds);
}

static void test_real(void)
{
	char path[4096];
	FILE *f = fopen(testdata(path, sizeof path, "good-container.pickle"), "rb");
	struct mk_bytes b = {0};
	uint8_t part[4096];
	size_t n, wrong = 0;

	if (!ok(f != NULL, "%s is there", path))
		return;
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		mk_bytes_add(&b, part, n);
	fclose(f);
	windows_agree("a real file", b.at, b.n);
	for (size_t cut = 1; cut < b.n; cut += tests_quick() ? 997 : 97)
		wrong += probe_pickle(b.at, cut, 0, LIMIT) !=
			 probe_pickle(b.at, cut, cut % 23 + 1, LIMIT);
	is_u64(wrong, 0, "cut anywhere, windows agree");
	mk_bytes_free(&b);
}

int main(void)
{
	test_salvage();
	test_salvage_rows();
	test_every_byte();
	test_random_opcodes();
	test_real();
	return done_testing();
}
