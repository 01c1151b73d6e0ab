/* SPDX-License-Identifier: MIT
 * test_opt.c -- the option parser: every spelling, every refusal, and what --help prints.
 */
#include "cli/opt.h"

#include <string.h>

#include "model/model.h"
#include "tests/lib/tap.h"

struct values {
	bool flag, other;
	const char *text;
	struct opt_strings many;
	uint64_t n, bytes;
	double f;
	unsigned choice;
	int32_t device;
};

#define AT(field) offsetof(struct values, field)

static const char *const words[] = {"site", "stack", "file", NULL};

static const struct opt opts[] = {
	{"flag", 'f', OPT_FLAG, AT(flag), NULL, "a flag", NULL},
	{"flat", 'g', OPT_FLAG, AT(other), NULL, "another flag", NULL},
	{"text", 't', OPT_STRING, AT(text), "TEXT", "a text", NULL},
	{"many", 0, OPT_STRINGS, AT(many), "RE", "several of them", NULL},
	{"count", 'n', OPT_U64, AT(n), "N", "a number", NULL},
	{0},
};

static const struct opt more[] = {
	{"limit", 0, OPT_BYTES, AT(bytes), "BYTES", "an amount", NULL},
	{"ratio", 0, OPT_F64, AT(f), "X", "a ratio", NULL},
	{"by", 0, OPT_CHOICE, AT(choice), "KEY", "a choice", words},
	{"device", 'd', OPT_DEVICE, AT(device), "N", "a device", NULL},
	{0},
};

/* Parse a line of words; the operands come back joined by '|'. */
static int parse(const char *line, struct values *v, char operands[200], struct error *err)
{
	static char copy[400];
	char *argv[40];
	int argc = 0, n = 0, rc;
	struct opt_target targets[2] = {{opts, v}, {more, v}};

	memset(v, 0, sizeof *v);
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = copy, *end; *word; word = end) {
		end = word + strcspn(word, " ");
		if (*end)
			*end++ = '\0';
		argv[argc++] = word;
	}
	rc = opt_parse(targets, 2, argv, argc, &n, err);
	operands[0] = '\0';
	for (int i = 0; rc == 0 && i < n; i++) {
		size_t at = strlen(operands);

		snprintf(operands + at, 200 - at, "%s%s", i ? "|" : "", argv[i]);
	}
	return rc;
}

static void test_spellings(void)
{
	struct values v;
	struct error err = {0};
	char operands[200];

	is_i64(parse("a -f --text=x b --count 7 - c", &v, operands, &err), 0, "options anywhere");
	is_str(operands, "a|b|-|c", "operands in order, '-' among them");
	ok(v.flag && !v.other, "the flag is set, the other not");
	is_str(v.text, "x", "--text=x");
	is_u64(v.n, 7, "--count 7");

	is_i64(parse("-fgn12 -tabc", &v, operands, &err), 0, "clustered letters");
	ok(v.flag && v.other, "both flags");
	is_u64(v.n, 12, "-n12 at the end of a cluster");
	is_str(v.text, "abc", "-tabc");

	is_i64(parse("-n 3 -t -x", &v, operands, &err), 0, "values behind letters");
	is_str(v.text, "-x", "a value may look like an option");

	is_i64(parse("--text= x", &v, operands, &err), 0, "an empty value");
	is_str(v.text, "", "is a value");
	is_str(operands, "x", "and the next word an operand");

	is_i64(parse("--te q --co=1 --co=2 -- --flag -n", &v, operands, &err), 0, "prefixes");
	is_str(v.text, "q", "--te is --text");
	is_u64(v.n, 2, "the last of equal options counts");
	is_str(operands, "--flag|-n", "-- ends the options");
	ok(!v.flag, "so the flag behind it is none");

	is_i64(parse("--flag", &v, operands, &err), 0, "a full name that begins others");
	ok(v.flag && !v.other, "is meant itself");

	is_i64(parse("--many a --many=b", &v, operands, &err), 0, "an option that may repeat");
	is_u64(v.many.n, 2, "keeps both");
	is_str(v.many.at[1], "b", "in order");

	is_i64(parse("--by stack --device host --ratio 0.25 --limit 1.5GiB", &v, operands, &err), 0,
	       "the second table");
	is_u64(v.choice, 1, "a choice is its index");
	is_i64(v.device, DEVICE_HOST, "the host");
	ok(v.f == 0.25, "a ratio");
	is_u64(v.bytes, UINT64_C(1610612736), "an amount");
	is_i64(parse("-d3", &v, operands, &err), 0, "a device");
	is_i64(v.device, 3, "by number");
}

static void test_refusals(void)
{
	static const struct {
		const char *line, *words;
	} rows[] = {
		{"--nothing", "unknown option '--nothing'"},
		{"--nothing=1", "unknown option '--nothing'"},
		{"-z", "unknown option '-z'"},
		{"-fz", "unknown option '-z'"},
		{"--fla", "option '--fla' may be '--flag' or '--flat'"},
		{"--flag=1", "no value belongs to '--flag'"},
		{"--text", "a value is missing after '--text'"},
		{"-t", "a value is missing after '-t'"},
		{"--count x", "--count takes a number, not 'x'"},
		{"--count -1", "--count takes a number, not '-1'"},
		{"--count 18446744073709551616", "--count takes a number, not "
						 "'18446744073709551616'"},
		{"--ratio nan", "--ratio takes a number, not 'nan'"},
		{"--ratio 1x", "--ratio takes a number, not '1x'"},
		{"--by pool", "--by takes site, stack or file, not 'pool'"},
		{"--device gpu", "--device takes a device number or 'host', not 'gpu'"},
		{"--device 4294967296", "--device takes a device number or 'host', not "
					"'4294967296'"},
		{"--limit many", "--limit takes bytes, as in 4096 or 1.5GiB, not 'many'"},
	};
	struct values v;
	struct error err;
	char operands[200];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		is_i64(parse(rows[i].line, &v, operands, &err), ERR_USAGE, "%s", rows[i].line);
		is_str(err.text, rows[i].words, "and says why");
	}
	is_i64(parse("--many 1 --many 2 --many 3 --many 4 --many 5 --many 6 --many 7 --many 8 "
		     "--many 9 --many 10 --many 11 --many 12 --many 13 --many 14 --many 15 "
		     "--many 16 --many 17",
		     &v, operands, &err),
	       ERR_USAGE, "too many of them");
}

static void test_bytes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused */
	} rows[] = {
		{"1", 1},
		{"4096", 4096},
		{"4096B", 4096},
		{"1K", 1024},
		{"1KiB", 1024},
		{"64MiB", UINT64_C(64) << 20},
		{"64 MiB", UINT64_C(64) << 20},
		{"1.5G", UINT64_C(3) << 29},
		{"0.25KiB", 256},
		{"2TiB", UINT64_C(2) << 40},
		{"18446744073709551615", UINT64_MAX},
		{"18446744073709551616", 0},
		{"16777216TiB", 0},
		{"", 0},
		{"KiB", 0},
		{"-1", 0},
		{"1.5", 0},
		{"1.", 0},
		{".5GiB", 0},
		{"1e9", 0},
		{"0x10", 0},
		{"1KB", 0},
		{"1kiB", 0},
		{"1KiBx", 0},
		{"1MiB ", 0},
		{"1.0000001GiB", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t bytes = 0;

		ok(opt_parse_bytes(rows[i].text, &bytes) == (rows[i].bytes != 0),
		   "'%s' is %s amount", rows[i].text, rows[i].bytes ? "an" : "no");
		is_u64(bytes, rows[i].bytes, "as bytes");
	}
}

static void test_help(void)
{
	static const struct opt wide[] = {
		{"a", 'a', OPT_FLAG, 0, NULL, "short", NULL},
		{"an-option-with-a-long-name", 0, OPT_STRING, 0, "FILE",
		 "words that go on and on until they do not fit into one line of a hundred columns "
		 "any more",
		 NULL},
		{0},
	};
	struct error err;
	struct out *o;

	out_open_memory(&o, &err);
	opt_print_help(o, wide);
	is_str(out_memory(o, NULL),
	       "  -a, --a                 short\n"
	       "      --an-option-with-a-long-name=FILE\n"
	       "                          words that go on and on until they do not fit into one "
	       "line of a hundred\n"
	       "                          columns any more\n",
	       "--help is wrapped");
	out_close(o, &err);
}

int main(void)
{
	test_spellings();
	test_refusals();
	test_bytes();
	test_help();
	return done_testing();
}
