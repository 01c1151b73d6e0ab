/* SPDX-License-Identifier: MIT
 * test_alloc_conf.c -- settings texts that PyTorch takes, and those that it refuses.
 */
#include "model/alloc_conf.h"

#include "tests/lib/tap.h"

#define MIB (UINT64_C(1) << 20)

static bool parse(const char *text, struct alloc_conf *c)
{
	struct error err = {0};
	int rc = alloc_conf_parse(c, text, &err);

	if (!is_i64(rc, 0, "'%s' is understood", text))
		diag("%s", err.text);
	return rc == 0;
}

static void refused(const char *text, const char *words)
{
	struct error err = {0};
	struct alloc_conf c = {.memory_fraction = 7};

	is_i64(alloc_conf_parse(&c, text, &err), ERR_USAGE, "'%s' is refused", text);
	is_str(err.text, words, "and said why");
	ok(c.memory_fraction == 7, "and nothing is changed");
}

static void test_taken(void)
{
	struct alloc_conf c;

	if (parse("", &c)) {
		is_u64(c.settings.max_split_bytes, UINT64_MAX, "no split limit");
		is_u64(c.settings.large_segment_bytes, 20 * MIB, "segments of 20 MiB");
		ok(!c.settings.expandable_segments, "not expandable");
	}
	if (parse(" max_split_size_mb : 128 , expandable_segments:True,"
		  "garbage_collection_threshold:0.75",
		  &c)) {
		is_u64(c.settings.max_split_bytes, 128 * MIB, "split limit");
		ok(c.settings.expandable_segments, "expandable");
		ok(c.settings.gc_threshold == 0.75, "threshold");
	}
	if (parse("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]", &c)) {
		is_u64(c.settings.roundup_divisions[0], 1, "below the first entry as the first");
		is_u64(c.settings.roundup_divisions[8], 1, "256 MiB");
		is_u64(c.settings.roundup_divisions[9], 2, "512 MiB");
		is_u64(c.settings.roundup_divisions[10], 8, "'>' begins with the last entry");
		is_u64(c.settings.roundup_divisions[15], 8, "and holds to the end");
	}
	if (parse("roundup_power2_divisions:16,max_non_split_rounding_mb:32,"
		  "large_segment_size_mb:40,max_split_size_mb:64",
		  &c)) {
		is_u64(c.settings.roundup_divisions[0], 16, "one number for all");
		is_u64(c.settings.roundup_divisions[15], 16, "to the last");
		is_u64(c.settings.max_non_split_rounding_bytes, 32 * MIB, "rounding");
		is_u64(c.settings.large_segment_bytes, 40 * MIB, "large segments");
	}
	if (parse("backend:native,pinned_use_background_threads:True,"
		  "per_process_memory_fraction:0.5,",
		  &c))
		ok(c.memory_fraction == 0.5, "the fraction, other things by name");
}

static void test_refused(void)
{
	refused("max_split_size_mb:19",
		"max_split_size_mb wants a number of MiB, 20 or more, not '19'");
	refused("max_split_size_mb", "max_split_size_mb wants ':' there");
	refused("max_split_size_mb:", "max_split_size_mb wants a number of MiB, 20 or more");
	refused("max_split_size_mb:99999999999999999999",
		"max_split_size_mb wants a number of MiB, 20 or more, not '99999999999999999999'");
	refused("max_split_size_mb:32,large_segment_size_mb:64",
		"max_split_size_mb must not be below large_segment_size_mb");
	refused("large_segment_size_mb:21",
		"large_segment_size_mb wants an even number of MiB above 10");
	refused("expandable_segments:true", "expandable_segments wants True or False, not 'true'");
	refused("garbage_collection_threshold:1",
		"garbage_collection_threshold wants a number between 0 and 1, not '1'");
	refused("garbage_collection_threshold:nan",
		"garbage_collection_threshold wants a number between 0 and 1, not 'nan'");
	refused("roundup_power2_divisions:3",
		"roundup_power2_divisions wants divisions that are a power of 2, not '3'");
	refused("roundup_power2_divisions:[100:4]",
		"roundup_power2_divisions wants sizes in MiB that are powers of 2, not '100'");
	refused("roundup_power2_divisions:[128:4", "roundup_power2_divisions wants ',' there");
	refused("foo:1", "unknown allocator setting 'foo'");
	refused("expandable_segments:True max_split_size_mb:64",
		"the text wants ',' between settings, not 'max_split_size_mb'");
	refused("backend:cudaMallocAsync", "backend:cudaMallocAsync is the driver's allocator, "
					   "which no rule here describes");
}

static void test_words(void)
{
	static const char *const texts[] = {
		"",
		"expandable_segments:True",
		"max_split_size_mb:64,roundup_power2_divisions:8",
		("expandable_segments:True,max_split_size_mb:128,max_non_split_rounding_mb:32,"
		 "large_segment_size_mb:40,garbage_collection_threshold:0.8"),
	};
	struct alloc_conf c, again;
	char words[ALLOC_CONF_BUF];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (parse(texts[i], &c))
			is_str(alloc_conf_words(words, &c.settings), texts[i], "said again");
	if (parse("roundup_power2_divisions:[4:1,64:2,>:4]", &c) &&
	    parse(alloc_conf_words(words, &c.settings), &again))
		ok(alloc_settings_equal(&c.settings, &again.settings), "a list survives");
	ok(parse("max_split_size_mb:64", &c) && parse("", &again) &&
		   !alloc_settings_equal(&c.settings, &again.settings),
	   "other settings are other settings");
}

int main(void)
{
	test_taken();
	test_refused();
	test_words();
	return done_testing();
}
