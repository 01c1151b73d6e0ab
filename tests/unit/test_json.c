/* SPDX-License-Identifier: MIT
 * test_json.c -- the JSON reader: values, escapes, numbers, batches, damage at every byte.
 *
 * A fold that writes down what it is given makes results comparable: containers are rendered as
 * text, `{` and `[` as they were, `|` between batches, `<...}` for a dict that was cut.
 */
#include "decode/json.h"

#include <math.h>
#include <string.h>

#include "tests/lib/tap.h"

#define TAG_TEXT CELL_FOLD

/* Of every reading below. */
static uint64_t limit_bytes = 64 << 20;

/* What to answer instead of a text. */
enum trouble { NO_TROUBLE, REFUSE_LISTS, DROP_CUT };

struct bed {
	struct budget budget;
	struct strtab strings;
	struct cells cells;
	struct fold fold;
	enum trouble trouble;
	size_t calls, longest; /* of list and dict; most items or pairs in one */
	struct json_result result;
	struct error err;
	int rc;
	size_t step; /* of the reader below */
	const uint8_t *at;
	size_t left;
};

struct text {
	char at[2000];
	size_t n;
};

static void text_add(struct text *t, const void *bytes, size_t n)
{
	if (n > sizeof t->at - 1 - t->n)
		n = sizeof t->at - 1 - t->n;
	memcpy(t->at + t->n, bytes, n);
	t->n += n;
	t->at[t->n] = '\0';
}

static void text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

static void text_wide(struct text *t, const struct wide *w)
{
	char number[64];

	if (w->kind == WIDE_I64)
		snprintf(number, sizeof number, "i%" PRId64, w->i64);
	else if (w->kind == WIDE_U64)
		snprintf(number, sizeof number, "u%" PRIu64, w->u64);
	else
		snprintf(number, sizeof number, "%.17g", w->f64);
	text_puts(t, number);
}

static void text_cell(struct text *t, const struct bed *b, cell c)
{
	static const char *const consts[] = {"null", "false", "true"};
	const struct str *s;
	char number[64];

	switch (cell_tag(c)) {
	case CELL_CONST:
		text_puts(t, consts[cell_id(c)]);
		break;
	case CELL_INT:
		snprintf(number, sizeof number, "%" PRId64, cell_int(c));
		text_puts(t, number);
		break;
	case CELL_WIDE:
		text_wide(t, &b->cells.wide.at[cell_id(c)]);
		break;
	case CELL_STR:
		s = strtab_get(&b->strings, (str_id){cell_id(c)});
		text_puts(t, "'");
		text_add(t, s->bytes, s->length);
		text_puts(t, "'");
		break;
	case CELL_EMPTY:
		text_puts(t, cell_id(c) == CELL_EMPTY_LIST ? "[]" : "{}");
		break;
	default:
		s = strtab_get(&b->strings, (str_id){cell_id(c)});
		text_add(t, s->bytes, s->length);
		break;
	}
}

static int answer(struct bed *b, const struct text *t, cell *out, struct error *err)
{
	str_id id;
	int rc = strtab_add(&b->strings, t->at, t->n, &id, err);

	if (rc == 0)
		*out = cell_make(TAG_TEXT, id.i);
	return rc;
}

static int render(struct bed *b, const char *open, cell have, const cell *items, size_t n,
		  bool pairs, cell *out, struct error *err)
{
	struct text t = {.n = 0};

	b->calls++;
	if (n / (pairs ? 2 : 1) > b->longest)
		b->longest = n / (pairs ? 2 : 1);
	if (cell_tag(have) == TAG_TEXT) {
		text_cell(&t, b, have);
		t.n--; /* the bracket */
		text_puts(&t, "|");
	} else {
		text_puts(&t, open);
	}
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			text_puts(&t, pairs && i % 2 ? ":" : ",");
		text_cell(&t, b, items[i]);
	}
	text_puts(&t, pairs ? "}" : "]");
	return answer(b, &t, out, err);
}

static int on_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	(void)offset;
	return render(ctx, "{", have, pairs, 2 * n, true, out, err);
}

static int on_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	struct bed *b = ctx;

	if (b->trouble == REFUSE_LISTS)
		return error_set(err, ERR_SCHEMA, offset, "no lists here");
	return render(b, "[", have, items, n, false, out, err);
}

static int on_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		    struct error *err)
{
	(void)ctx;
	(void)items;
	(void)n;
	(void)out;
	return error_set(err, ERR_SCHEMA, offset, "JSON has no tuples");
}

static int on_cut_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
		       cell *out, struct error *err)
{
	struct bed *b = ctx;

	(void)offset;
	if (b->trouble == DROP_CUT) {
		*out = cell_make(CELL_CONST, CELL_NONE);
		return 0;
	}
	return render(b, "<", have, pairs, 2 * n, true, out, err);
}

static long drip(void *ctx, uint8_t *to, size_t room, struct error *err)
{
	struct bed *b = ctx;
	size_t n = b->left < b->step ? b->left : b->step;

	(void)err;
	n = n < room ? n : room;
	if (n)
		memcpy(to, b->at, n);
	b->at += n;
	b->left -= n;
	return (long)n;
}

static void bed_release(struct bed *b)
{
	cells_release(&b->cells);
	strtab_release(&b->strings);
}

/* Read `n` bytes of JSON that come `step` at a time. */
static void bed_read(struct bed *b, const char *json, size_t n, size_t step, enum trouble trouble)
{
	struct input *in;

	*b = (struct bed){.budget.limit = limit_bytes, .trouble = trouble, .step = step, .left = n};
	b->at = (const uint8_t *)json;
	if (strtab_init(&b->strings, &b->budget, &b->err) < 0)
		exit(1);
	cells_init(&b->cells, &b->strings, &b->budget);
	b->fold = (struct fold){.cells = &b->cells,
				.ctx = b,
				.dict = on_dict,
				.list = on_list,
				.tuple = on_tuple,
				.cut_dict = on_cut_dict};
	if (input_open_reader(&in, drip, b, &b->budget, &b->err) < 0)
		exit(1);
	b->rc = json_read(&b->result, in, &b->fold, &b->err);
	input_close(in);
}

static void check(const char *json, size_t n, const char *want)
{
	static const size_t steps[] = {1, 7, 100000};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct bed b;
		struct text t = {.n = 0};

		bed_read(&b, json, n, steps[i], NO_TROUBLE);
		is_i64(b.rc, 0, "reads: %.40s", json);
		text_cell(&t, &b, b.result.root);
		is_str(t.at, want, "its value");
		ok(!b.result.partial, "it is whole");
		is_u64(b.result.trailing, 0, "nothing behind it");
		bed_release(&b);
		is_u64(b.budget.used, 0, "all is given back");
	}
}

#define CHECK(json, want) check(json, sizeof(json) - 1, want)

static void test_values(void)
{
	CHECK("true", "true");
	CHECK("[null,false,true]", "[null,false,true]");
	CHECK(" [ ] ", "[]");
	CHECK("{}", "{}");
	CHECK("[[],{},[[]],{\"a\":[]}]", "[[],{},[[]],{'a':[]}]");
	CHECK("{\"a\" : 1 ,\n\t\"b\":\r{\"c\":[1,\"x\"]}}", "{'a':1,'b':{'c':[1,'x']}}");
	CHECK("{\"a\":1,\"a\":2}", "{'a':1,'a':2}");
	CHECK("\xef\xbb\xbf[1]\n\0\0", "[1]");
	CHECK("\"\"", "''");
}

static void test_numbers(void)
{
	CHECK("[0,-0,1,-1,12345678901234567]", "[0,0,1,-1,12345678901234567]");
	CHECK("7", "7");
	CHECK("[576460752303423487,576460752303423488]",
	      "[576460752303423487,i576460752303423488]");
	CHECK("[-576460752303423488,-576460752303423489]",
	      "[-576460752303423488,i-576460752303423489]");
	CHECK("[9223372036854775807,9223372036854775808,18446744073709551615]",
	      "[i9223372036854775807,u9223372036854775808,u18446744073709551615]");
	CHECK("[-9223372036854775808,-9223372036854775809]",
	      "[i-9223372036854775808,-9.2233720368547758e+18]");
	CHECK("[18446744073709551616,99999999999999999999,100000000000000000000]",
	      "[1.8446744073709552e+19,1e+20,1e+20]");
	CHECK("[1.5,-2.25e3,1e0,1E+2,25e-1,0.1,0e5]",
	      "[1.5,-2250,1,100,2.5,0.10000000000000001,0]");
	CHECK("[1e22,1e23,123456789012345678.9]",
	      "[1e+22,9.9999999999999992e+22,1.2345678901234568e+17]");
	CHECK("[5e-324,2.2250738585072011e-308,1.7976931348623157e308]",
	      "[4.9406564584124654e-324,2.2250738585072009e-308,1.7976931348623157e+308]");
	CHECK("[1e400,-1e400,1e-400,0e999999999999,1e-999999999999]", "[inf,-inf,0,0,0]");
	CHECK("[9007199254740993.0,0.000000000000000000000000000001]",
	      "[9007199254740992,1.0000000000000001e-30]");
	CHECK("[NaN,Infinity,-Infinity]", "[nan,inf,-inf]");
}

static void test_strings(void)
{
	CHECK("\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te\"", "'a\"b\\c/d\b\f\n\r\te'");
	CHECK("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"", "'A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'");
	CHECK("\"x\\ud83dy\"", "'x\xed\xa0\xbdy'");
	CHECK("\"\\ud83d\\u0041\"", "'\xed\xa0\xbd"
				    "A'");
	CHECK("\"\\ude00\"", "'\xed\xb8\x80'");
	CHECK("\"\\ud83d\\ud83d\\ude00\"", "'\xed\xa0\xbd\xf0\x9f\x98\x80'");
	CHECK("\"tab\there, line\nthere, \xff\xfe\"", "'tab\there, line\nthere, \xff\xfe'");
	CHECK("{\"k\\u0065y\":\"v\"}", "{'key':'v'}");
	CHECK("\"12345678\\\"12345678\"", "'12345678\"12345678'");
}

/* A string and a key longer than the window, and a NUL inside one. */
static void test_long_strings(void)
{
	enum { LONG = 700001 };
	char *json = malloc(LONG + 100);
	struct bed b;
	const struct str *s;

	if (!json)
		exit(1);
	memset(json, 'y', LONG + 100);
	json[0] = '"';
	json[LONG] = '"';
	bed_read(&b, json, LONG + 1, 5000, NO_TROUBLE);
	is_i64(b.rc, 0, "a long string");
	s = strtab_get(&b.strings, (str_id){cell_id(b.result.root)});
	is_u64(s->length, LONG - 1, "with all its bytes");
	bed_release(&b);
	json[300000] = '\\';
	json[300001] = 'n';
	bed_read(&b, json, LONG + 1, 100000, NO_TROUBLE);
	s = strtab_get(&b.strings, (str_id){cell_id(b.result.root)});
	is_u64(s->length, LONG - 2, "and with an escape inside");
	ok(s->bytes[299999] == '\n' && s->bytes[299998] == 'y', "at its place");
	bed_release(&b);
	bed_read(&b, "\"a\\u0000b\"", 10, 3, NO_TROUBLE);
	s = strtab_get(&b.strings, (str_id){cell_id(b.result.root)});
	ok(s->length == 3 && memcmp(s->bytes, "a\0b", 3) == 0, "a NUL inside a string");
	bed_release(&b);
	free(json);
}

static size_t put(char *to, const char *words)
{
	size_t n = strlen(words);

	memcpy(to, words, n);
	return n;
}

static void read_repeated(struct bed *b, const char *open, const char *item, const char *close,
			  size_t n, enum trouble trouble)
{
	size_t used;
	char *json = malloc(strlen(open) + n * (strlen(item) + 1) + strlen(close));

	if (!json)
		exit(1);
	used = put(json, open);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			json[used++] = ',';
		used += put(json + used, item);
	}
	used += put(json + used, close);
	bed_read(b, json, used, 1000, trouble);
	free(json);
}

static void test_batches(void)
{
	static const struct {
		size_t items, calls, longest;
	} cases[] = {{1, 1, 1},       {999, 1, 999},   {1000, 1, 1000},
		     {1001, 2, 1000}, {2000, 2, 1000}, {5500, 6, 1000}};
	struct bed b;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		read_repeated(&b, "[", "1", "]", cases[i].items, NO_TROUBLE);
		is_i64(b.rc, 0, "a list of %zu", cases[i].items);
		is_u64(b.calls, cases[i].calls, "fold calls");
		is_u64(b.longest, cases[i].longest, "longest batch");
		bed_release(&b);
		read_repeated(&b, "{", "\"k\":1", "}", cases[i].items, NO_TROUBLE);
		is_i64(b.rc, 0, "a dict of %zu", cases[i].items);
		is_u64(b.calls, cases[i].calls, "fold calls");
		is_u64(b.longest, cases[i].longest, "longest batch");
		bed_release(&b);
	}
	read_repeated(&b, "[", "[7]", "]", 3000, REFUSE_LISTS);
	is_i64(b.rc, ERR_SCHEMA, "a fold that refuses ends the reading");
	is_str(b.err.text, "no lists here", "with its words");
	is_u64(b.err.offset, 4, "and place");
	bed_release(&b);
}

static void test_depth(void)
{
	char json[2 * JSON_MAX_DEPTH + 10];
	struct bed b;

	memset(json, '[', JSON_MAX_DEPTH + 1);
	memset(json + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	bed_read(&b, json, 2 * JSON_MAX_DEPTH, 100, NO_TROUBLE);
	is_i64(b.rc, 0, "as deep as allowed");
	bed_release(&b);
	json[JSON_MAX_DEPTH] = '[';
	bed_read(&b, json, 2 * JSON_MAX_DEPTH, 100, NO_TROUBLE);
	is_i64(b.rc, ERR_LIMIT, "one deeper");
	is_u64(b.err.offset, JSON_MAX_DEPTH, "where it is");
	is_str(b.err.text, "JSON nested more than 1000 deep", "and why");
	bed_release(&b);
}

static void check_damage(const char *json, size_t n, enum trouble trouble, const char *want,
			 enum err_code code, uint64_t offset, const char *words)
{
	struct bed b;
	struct text t = {.n = 0};

	bed_read(&b, json, n, 1, trouble);
	is_i64(b.rc, 0, "damaged, still read: %.40s", json);
	ok(b.result.partial, "partial");
	text_cell(&t, &b, b.result.root);
	is_str(t.at, want, "what is there of it");
	is_i64(b.result.damage.code, code, "code");
	is_u64(b.result.damage.offset, offset, "offset");
	is_str(b.result.damage.text, words, "words");
	bed_release(&b);
	is_u64(b.budget.used, 0, "all is given back");
}

#define DAMAGE(json, want, code, offset, words) \
	check_damage(json, sizeof(json) - 1, NO_TROUBLE, want, code, offset, words)

static void test_damage(void)
{
	static const char cut[] = "the input ends before its data does";

	DAMAGE("[1,2,34", "[1,2]", ERR_CUT, 7, cut);
	DAMAGE("[1,2,", "[1,2]", ERR_CUT, 5, cut);
	DAMAGE("[1,\"ab", "[1]", ERR_CUT, 6, cut);
	DAMAGE("[1,tru", "[1]", ERR_CUT, 6, cut);
	DAMAGE("[1,-", "[1]", ERR_CUT, 4, cut);
	DAMAGE("[1,2.", "[1]", ERR_CUT, 5, cut);
	DAMAGE("[1,2e+", "[1]", ERR_CUT, 6, cut);
	DAMAGE("[", "[]", ERR_CUT, 1, cut);
	DAMAGE("{", "<}", ERR_CUT, 1, cut);
	DAMAGE("{\"a\":[1,2],\"b\":[{\"c\":3},{\"d\":", "<'a':[1,2],'b':[{'c':3},<}]}", ERR_CUT, 29,
	       cut);
	DAMAGE("[1 2]", "[1]", ERR_FORMAT, 3,
	       "malformed JSON: neither comma nor closing bracket behind a value");
	DAMAGE("[1,]", "[1]", ERR_FORMAT, 3, "malformed JSON: no value where one should begin");
	DAMAGE("[01]", "[]", ERR_FORMAT, 1,
	       "malformed JSON: a number without digits where they belong");
	DAMAGE("[1.x]", "[]", ERR_FORMAT, 1,
	       "malformed JSON: a number without digits where they belong");
	DAMAGE("[-]", "[]", ERR_FORMAT, 1,
	       "malformed JSON: a number without digits where they belong");
	DAMAGE("[1,nulk]", "[1]", ERR_FORMAT, 3, "malformed JSON: a value that is none");
	DAMAGE("{\"a\":1,2:3}", "<'a':1}", ERR_FORMAT, 7,
	       "malformed JSON: no name where one should begin");
	DAMAGE("{\"a\":1,\"b\"}", "<'a':1}", ERR_FORMAT, 10,
	       "malformed JSON: no colon behind a name");
	DAMAGE("[\"a\\x\"]", "[]", ERR_FORMAT, 3, "malformed JSON: an unknown escape in a string");
	DAMAGE("[\"\\u12g4\"]", "[]", ERR_FORMAT, 2,
	       "malformed JSON: \\u without four hexadecimal digits");
	DAMAGE("[1}", "[1]", ERR_FORMAT, 2,
	       "malformed JSON: neither comma nor closing bracket behind a value");
	DAMAGE("[1,\0]", "[1]", ERR_FORMAT, 3, "malformed JSON: no value where one should begin");
	check_damage("{\"a\":1,\"b\":{\"c\":2,", 18, DROP_CUT, "null", ERR_CUT, 18, cut);
	check_damage("[{\"a\":1},{\"b\":[2,3],", 20, DROP_CUT, "[{'a':1}]", ERR_CUT, 20, cut);
	check_damage("{\"a\":[1,", 8, REFUSE_LISTS, "<}", ERR_CUT, 8, cut);
}

static void check_nothing(const char *json, enum err_code code)
{
	struct bed b;

	bed_read(&b, json, strlen(json), 1, NO_TROUBLE);
	is_i64(b.rc, code, "nothing was begun: '%s'", json);
	bed_release(&b);
	is_u64(b.budget.used, 0, "all is given back");
}

static void test_nothing(void)
{
	check_nothing("", ERR_CUT);
	check_nothing("  ", ERR_CUT);
	check_nothing("\"abc", ERR_CUT);
	check_nothing("-", ERR_CUT);
	check_nothing("tru", ERR_CUT);
	check_nothing("x", ERR_FORMAT);
	check_nothing("]", ERR_FORMAT);
}

static void test_trailing(void)
{
	struct bed b;

	bed_read(&b, "[1] x \0 yz", 10, 1, NO_TROUBLE);
	is_i64(b.rc, 0, "bytes behind the value");
	is_u64(b.result.trailing, 3, "are counted");
	is_u64(b.result.end_offset, 3, "the value's own end is told");
	bed_release(&b);
}

/* A number of any length is no reason to keep it all. */
static void test_long_numbers(void)
{
	char json[3000];
	struct bed b;

	memset(json, '9', sizeof json);
	json[0] = '[';
	bed_read(&b, json, sizeof json, 3000, NO_TROUBLE);
	is_i64(b.result.damage.code, ERR_FORMAT, "3,000 digits");
	is_str(b.result.damage.text, "malformed JSON: a number of more than 1000 characters",
	       "are refused");
	bed_release(&b);
	json[900] = ']';
	bed_read(&b, json, 901, 3000, NO_TROUBLE);
	ok(!b.result.partial && isinf(b.cells.wide.at[0].f64), "899 digits are a double");
	bed_release(&b);
}

/* Cut anywhere: no crash, a partial result, and nothing that the whole has not. */
static void test_cut_everywhere(void)
{
	static const char json[] =
		"{\"segments\": [{\"address\": 140737488355328, \"blocks\": [{\"size\": 512, "
		"\"state\": \"active_allocated\"}, {\"size\": 1.5e3}]}], \"device_traces\": "
		"[[{\"action\": \"alloc\", \"frames\": [{\"name\": \"a\\u00e9\\n\", \"line\": "
		"-7}]},"
		" null, true]], \"x\": {}}";
	size_t bad = 0, shorter = 0, before = 0;

	for (size_t n = 1; n < sizeof json - 1; n++) {
		for (size_t step = 1; step < 60; step += 29) {
			struct bed b;
			struct text t = {.n = 0};

			bed_read(&b, json, n, step, NO_TROUBLE);
			text_cell(&t, &b, b.result.root);
			bad += b.rc != 0 || !b.result.partial || b.result.damage.code != ERR_CUT ||
			       b.result.damage.offset != n || t.at[0] != '<' ||
			       t.at[t.n - 1] != '}';
			shorter += t.n + 8 < before;
			before = t.n;
			bed_release(&b);
			bad += b.budget.used != 0;
		}
	}
	is_u64(bad, 0, "every cut gives a partial result");
	is_u64(shorter, 0, "a later cut gives no less");
	check(json, sizeof json - 1,
	      "{'segments':[{'address':140737488355328,'blocks':[{'size':512,"
	      "'state':'active_allocated'},{'size':1500}]}],'device_traces':[[{'action':'alloc',"
	      "'frames':[{'name':'a\xc3\xa9\n','line':-7}]},null,true]],'x':{}}");
}

/* The window fits, the text does not: at any smaller limit too, the answer is the same. */
static void test_limit(void)
{
	enum { WORDS = 100000 };
	char *json = malloc(WORDS * 8 + 10);
	size_t n = 1;
	bool always = true;

	if (!json)
		exit(1);
	json[0] = '[';
	for (int i = 0; i < WORDS; i++)
		n += (size_t)snprintf(json + n, 9, "\"%05d\",", i);
	json[n - 1] = ']';
	for (limit_bytes = 400000; limit_bytes < 1200000; limit_bytes += 100000) {
		struct bed b;

		bed_read(&b, json, n, 4096, NO_TROUBLE);
		always &= b.rc == ERR_LIMIT;
		bed_release(&b);
		always &= b.budget.used == 0;
	}
	ok(always, "too little memory is an error, not a partial result");
	limit_bytes = 64 << 20;
	free(json);
}

/* Files: the whole one is whole, the damaged ones keep what came first. */
static void read_file(struct bed *b, const char *name)
{
	static char json[200000];
	char path[512];
	FILE *f = fopen(testdata(path, sizeof path, name), "rb");

	size_t n = f ? fread(json, 1, sizeof json, f) : 0;
	if (f)
		fclose(f);
	ok(n > 0, "%s is there", name);
	bed_read(b, json, n, 4096, NO_TROUBLE);
	is_i64(b->rc, 0, "%s is read", name);
}

static void test_files(void)
{
	struct bed b;

	read_file(&b, "good-container.json");
	ok(!b.result.partial, "the snapshot is whole");
	is_u64(b.result.end_offset, 134640, "to its end");
	bed_release(&b);
	read_file(&b, "bad-comma.json");
	ok(b.result.partial, "a comma too many");
	is_str(b.result.damage.text, "malformed JSON: no value where one should begin", "is told");
	bed_release(&b);
	read_file(&b, "bad-cut.json");
	ok(b.result.partial, "half a snapshot");
	is_i64(b.result.damage.code, ERR_CUT, "is cut");
	is_u64(b.result.damage.offset, 5649, "where it ends");
	bed_release(&b);
}

int main(void)
{
	test_values();
	test_numbers();
	test_strings();
	test_long_strings();
	test_batches();
	test_depth();
	test_damage();
	test_nothing();
	test_trailing();
	test_long_numbers();
	test_cut_everywhere();
	test_limit();
	test_files();
	return done_testing();
}
