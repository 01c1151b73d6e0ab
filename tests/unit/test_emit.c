/* SPDX-License-Identifier: MIT
 * test_emit.c -- the same facts through both formats, and what strings from files may not do.
 */
#include "reports/emit.h"

#include <math.h>
#include <string.h>

#include "reports/utf8.h"
#include "tests/lib/tap.h"

static struct emit *open_emit(struct out **out, enum emit_format format, unsigned columns,
			      enum units units)
{
	struct emit_options o = {.format = format, .columns = columns, .units = units};
	struct emit *e = NULL;
	struct error err;

	if (out_open_memory(out, &err) < 0 || emit_new(&e, *out, &o, &err) < 0)
		abort();
	return e;
}

/* Let `describe` speak in a format and compare. */
static void check(void (*describe)(struct emit *e), enum emit_format format, unsigned columns,
		  const char *want, const char *name)
{
	struct out *out;
	struct emit *e = open_emit(&out, format, columns, UNITS_BINARY);

	describe(e);
	emit_free(e);
	is_str(out_memory(out, NULL), want, "%s: %s", name, format == EMIT_JSON ? "JSON" : "text");
	is_i64(out_close(out, NULL), 0, "%s: nothing failed", name);
}

static void facts(struct emit *e)
{
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.test/1");
	emit_object_begin(e, "peak", "Peak");
	emit_bytes(e, "allocated_bytes", "allocated", 3983588800);
	emit_bytes(e, "reserved_bytes", "reserved", BYTES_NONE);
	emit_event(e, "event", "at event", 1234567);
	emit_event(e, "from", "from", EVENT_START);
	emit_u64(e, "blocks", "blocks", 1200000);
	emit_i64(e, "number", "number", -5);
	emit_addr(e, "address", "address", 0x7f00deadbeef);
	emit_addr(e, "stream", "stream", 0);
	emit_time_us(e, "time_us", "time", 1795874587123456);
	emit_time_us(e, "no_time_us", "no time", TIME_NONE);
	emit_share(e, "share", "share", 1, 8);
	emit_share(e, "no_share", "no share", 1, 0);
	emit_f64(e, "ratio", "ratio", 0.1);
	emit_f64(e, "whole", "whole", 3);
	emit_f64(e, "nan", "nan", NAN);
	emit_bool(e, "partial", "partial", false);
	emit_null(e, "nothing", "nothing");
	emit_pool(e, "pool", "pool", (struct pool_id){0, 0}, true);
	emit_pool(e, "graph", "graph", (struct pool_id){2, 0}, true);
	emit_pool(e, "own", "own", (struct pool_id){0, 3}, true);
	emit_pool(e, "unknown", "unknown", (struct pool_id){0, 0}, false);
	emit_str(e, "silent", NULL, "JSON only");
	emit_str(e, NULL, "spoken", "text only");
	emit_object_end(e);
	emit_object_end(e);
}

static void test_facts(void)
{
	check(facts, EMIT_JSON, 0,
	      "{\n"
	      "  \"schema\": \"vramscope.test/1\",\n"
	      "  \"peak\": {\n"
	      "    \"allocated_bytes\": 3983588800,\n"
	      "    \"reserved_bytes\": null,\n"
	      "    \"event\": 1234567,\n"
	      "    \"from\": -1,\n"
	      "    \"blocks\": 1200000,\n"
	      "    \"number\": -5,\n"
	      "    \"address\": 139641712656111,\n"
	      "    \"stream\": 0,\n"
	      "    \"time_us\": 1795874587123456,\n"
	      "    \"no_time_us\": null,\n"
	      "    \"share\": 0.125,\n"
	      "    \"no_share\": null,\n"
	      "    \"ratio\": 0.1,\n"
	      "    \"whole\": 3.0,\n"
	      "    \"nan\": null,\n"
	      "    \"partial\": false,\n"
	      "    \"nothing\": null,\n"
	      "    \"pool\": [0, 0],\n"
	      "    \"graph\": [2, 0],\n"
	      "    \"own\": [0, 3],\n"
	      "    \"unknown\": null,\n"
	      "    \"silent\": \"JSON only\"\n"
	      "  }\n"
	      "}\n",
	      "facts");
	check(facts, EMIT_TEXT, 0,
	      "Peak\n"
	      "  allocated  3.71 GiB\n"
	      "  reserved   -\n"
	      "  at event   1,234,567\n"
	      "  from       start\n"
	      "  blocks     1,200,000\n"
	      "  number     -5\n"
	      "  address    0x7f00deadbeef\n"
	      "  stream     0\n"
	      "  time       2026-11-28 14:03:07.123456 UTC\n"
	      "  no time    -\n"
	      "  share      12.5 %\n"
	      "  no share   -\n"
	      "  ratio      0.1\n"
	      "  whole      3\n"
	      "  nan        -\n"
	      "  partial    no\n"
	      "  nothing    -\n"
	      "  pool       default\n"
	      "  graph      graph 2\n"
	      "  own        mempool 3\n"
	      "  unknown    -\n"
	      "  spoken     text only\n",
	      "facts");
}

static void containers(struct emit *e)
{
	emit_object_begin(e, NULL, NULL);
	emit_u64(e, "n", "n", 1);
	emit_object_begin(e, "empty", NULL);
	emit_object_end(e);
	emit_array_begin(e, "none", NULL);
	emit_array_end(e);
	emit_object_begin(e, "inner", NULL);
	emit_u64(e, "longer", "longer", 2);
	emit_object_end(e);
	emit_array_begin(e, "list", "List");
	emit_str(e, NULL, "", "first");
	emit_str(e, NULL, "", "second");
	emit_u64(e, NULL, NULL, 3);
	emit_array_end(e);
	emit_section_begin(e, "For people");
	emit_u64(e, "said", "said", 4);
	emit_section_end(e);
	emit_u64(e, "last", "last", 5);
	emit_object_end(e);
}

static void test_containers(void)
{
	check(containers, EMIT_JSON, 0,
	      "{\n"
	      "  \"n\": 1,\n"
	      "  \"empty\": {},\n"
	      "  \"none\": [],\n"
	      "  \"inner\": {\n"
	      "    \"longer\": 2\n"
	      "  },\n"
	      "  \"list\": [\n"
	      "    \"first\",\n"
	      "    \"second\",\n"
	      "    3\n"
	      "  ],\n"
	      "  \"said\": 4,\n"
	      "  \"last\": 5\n"
	      "}\n",
	      "containers");
	check(containers, EMIT_TEXT, 0,
	      "n       1\n"
	      "longer  2\n"
	      "\n"
	      "List\n"
	      "  first\n"
	      "  second\n"
	      "\n"
	      "For people\n"
	      "  said  4\n"
	      "\n"
	      "last  5\n",
	      "containers");
}

static void table(struct emit *e)
{
	static const char *const sites[] = {
		"a.py:1 f", "/home/somebody/project/models/transformer/attention.py:123 forward"};

	emit_object_begin(e, NULL, NULL);
	emit_table_begin(e, "rows", "Holders");
	for (int i = 0; i < 2; i++) {
		emit_row_begin(e);
		emit_bytes(e, "bytes", "bytes", i ? 512 : 1048576);
		emit_u64(e, "hidden", NULL, 7);
		emit_array_begin(e, "stack", NULL);
		emit_str(e, NULL, "", "x");
		emit_array_end(e);
		emit_str(e, "site", "site", sites[i]);
		emit_row_end(e);
	}
	emit_table_end(e);
	emit_table_begin(e, "empty", "Nothing");
	emit_table_end(e);
	emit_table_begin(e, NULL, NULL);
	emit_row_begin(e);
	emit_str(e, NULL, "", "people");
	emit_row_end(e);
	emit_table_end(e);
	emit_object_end(e);
}

static void test_table(void)
{
	check(table, EMIT_JSON, 0,
	      "{\n"
	      "  \"rows\": [\n"
	      "    {\"bytes\": 1048576, \"hidden\": 7, \"stack\": [\"x\"], \"site\": "
	      "\"a.py:1 f\"},\n"
	      "    {\"bytes\": 512, \"hidden\": 7, \"stack\": [\"x\"], \"site\": "
	      "\"/home/somebody/project/models/transformer/attention.py:123 forward\"}\n"
	      "  ],\n"
	      "  \"empty\": []\n"
	      "}\n",
	      "table");
	check(table, EMIT_TEXT, 60,
	      "Holders\n"
	      "     bytes  site\n"
	      "  1.00 MiB  a.py:1 f\n"
	      "     512 B  /home/someb...ansformer/attention.py:123 forward\n"
	      "\n"
	      "people\n",
	      "table");
}

static void prose(struct emit *e)
{
	emit_object_begin(e, NULL, NULL);
	emit_prose(e, "one two three four five %s seven", "six");
	emit_prose(e, "- an item that is longer than one line");
	emit_line(e, "a line is not wrapped, however long it may be");
	emit_heading(e, "Next");
	emit_str(e, "k", "key", "a value that does not fit behind its label");
	emit_str(e, "path", "path", "/a/very/long/path/without/any/space/in/it.py");
	emit_object_end(e);
}

static void test_prose(void)
{
	check(prose, EMIT_JSON, 0,
	      "{\n"
	      "  \"k\": \"a value that does not fit behind its label\",\n"
	      "  \"path\": \"/a/very/long/path/without/any/space/in/it.py\"\n"
	      "}\n",
	      "prose");
	check(prose, EMIT_TEXT, 30,
	      "one two three four five six\n"
	      "seven\n"
	      "- an item that is longer than\n"
	      "  one line\n"
	      "a line is not wrapped, however long it may be\n"
	      "\n"
	      "Next\n"
	      "key   a value that does not\n"
	      "      fit behind its label\n"
	      "path  /a/very/long/path/\n"
	      "      without/any/space/in/\n"
	      "      it.py\n",
	      "prose");
}

/* One string as a member, in a format. */
static void check_string(const char *bytes, size_t n, const char *json, const char *text,
			 const char *name)
{
	for (int format = EMIT_JSON; format <= EMIT_TEXT; format++) {
		struct out *out;
		struct emit *e = open_emit(&out, (enum emit_format)format, 0, UNITS_BINARY);
		char want[200];

		emit_object_begin(e, NULL, NULL);
		emit_strn(e, "k", "k", bytes, n);
		emit_object_end(e);
		emit_free(e);
		if (format == EMIT_JSON)
			snprintf(want, sizeof want, "{\n  \"k\": \"%s\"\n}\n", json);
		else
			snprintf(want, sizeof want, "k  %s\n", text);
		is_str(out_memory(out, NULL), want, "%s in %s", name,
		       format == EMIT_JSON ? "JSON" : "text");
		out_close(out, NULL);
	}
}

static void test_strings(void)
{
	check_string("q\"b\\s/", 6, "q\\\"b\\\\s/", "q\"b\\s/", "quote and backslash");
	check_string("a\nb\tc\x01\x1b[1m\x7f", 11, "a\\nb\\tc\\u0001\\u001b[1m\\u007f",
		     "a\\nb\\tc\\x01\\x1b[1m\\x7f", "control characters");
	check_string("\0z", 2, "\\u0000z", "\\x00z", "NUL");
	check_string("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80", 15,
		     "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80",
		     "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80", "UTF-8");
	check_string("\xff\xc3(", 3, "\\\\xff\\\\xc3(", "\\xff\\xc3(", "bytes that are no UTF-8");
	check_string("\xc0\xaf", 2, "\\\\xc0\\\\xaf", "\\xc0\\xaf", "an overlong slash");
	check_string("\xed\xa0\x80", 3, "\\\\xed\\\\xa0\\\\x80", "\\xed\\xa0\\x80", "a surrogate");
	check_string("\xf4\x90\x80\x80", 4, "\\\\xf4\\\\x90\\\\x80\\\\x80", "\\xf4\\x90\\x80\\x80",
		     "beyond Unicode");
	check_string("\xe6\xbc", 2, "\\\\xe6\\\\xbc", "\\xe6\\xbc", "a cut character");
	check_string("a\xe2\x80\xae"
		     "b",
		     5,
		     "a\xe2\x80\xae"
		     "b",
		     "a\\u202eb", "a reordering character");
}

/* Every document is as wide as it may be, whatever the strings. */
static void wide(struct emit *e)
{
	char name[5001];

	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	emit_object_begin(e, NULL, name);
	emit_str(e, "a", "label", name);
	emit_str(e, "b", "a label that is longer than labels should be", name);
	emit_prose(e, "%s %s", name, name);
	emit_table_begin(e, "t", "T");
	for (int i = 0; i < 1500; i++) {
		emit_row_begin(e);
		emit_str(e, "first", "first", name);
		emit_u64(e, "n", "n", (uint64_t)i);
		emit_str(e, "last", "last", i % 2 ? name : "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2");
		emit_row_end(e);
	}
	emit_table_end(e);
	emit_object_end(e);
}

static void test_width(void)
{
	struct out *out;
	struct emit *e = open_emit(&out, EMIT_TEXT, 100, UNITS_BINARY);
	unsigned widest = 0, columns = 0, lines = 0;
	const char *text;
	size_t n;

	wide(e);
	emit_free(e);
	text = out_memory(out, &n);
	/* The heading is the describer's own affair; it is said whole. */
	for (size_t i = strcspn(text, "\n") + 1; i < n;) {
		uint32_t code;
		size_t length = utf8_decode(text + i, n - i, &code);

		columns = code == '\n' ? 0 : columns + utf8_columns(code);
		lines += code == '\n';
		widest = columns > widest ? columns : widest;
		i += length;
	}
	ok(widest <= 100, "no line is wider than 100 columns (%u)", widest);
	ok(lines > 1500, "all rows of a long table are there (%u lines)", lines);
	out_close(out, NULL);
}

static void test_value(void)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct value items[3] = {{.kind = VALUE_I64, .i64 = -1},
				 {.kind = VALUE_F64, .f64 = 0.5},
				 {.kind = VALUE_BOOL, .boolean = true}};
	struct value dict = {.kind = VALUE_DICT, .items = {items, 3}};
	struct model *m;
	struct out *out;
	struct emit *e;

	if (model_new(&m, &budget, NULL) < 0)
		abort();
	strtab_add(&m->strings, "a", 1, &items[0].key, NULL);
	strtab_add(&m->strings, "b", 1, &items[1].key, NULL);
	strtab_add(&m->strings, "c", 1, &items[2].key, NULL);
	e = open_emit(&out, EMIT_JSON, 0, UNITS_BINARY);
	emit_object_begin(e, NULL, NULL);
	emit_value(e, "settings", m, &dict);
	emit_value(e, "absent", m, NULL);
	emit_object_end(e);
	emit_free(e);
	is_str(out_memory(out, NULL),
	       "{\n"
	       "  \"settings\": {\n"
	       "    \"a\": -1,\n"
	       "    \"b\": 0.5,\n"
	       "    \"c\": true\n"
	       "  },\n"
	       "  \"absent\": null\n"
	       "}\n",
	       "decoded data comes out as it was");
	out_close(out, NULL);
	model_free(m);
}

static void test_units(void)
{
	struct out *out;
	struct emit *e = open_emit(&out, EMIT_TEXT, 0, UNITS_BYTES);
	char buf[UNITS_BUF];

	emit_object_begin(e, NULL, NULL);
	emit_bytes(e, "b", "b", 1048576);
	emit_prose(e, "%s", emit_words_bytes(e, buf, 2048));
	is_str(emit_words_bytes(e, buf, BYTES_NONE), "-", "an absent amount in prose");
	emit_object_end(e);
	emit_free(e);
	is_str(out_memory(out, NULL), "b  1,048,576 B\n2,048 B\n",
	       "amounts in the units asked for");
	out_close(out, NULL);
}

int main(void)
{
	test_facts();
	test_containers();
	test_table();
	test_prose();
	test_strings();
	test_width();
	test_value();
	test_units();
	return done_testing();
}
