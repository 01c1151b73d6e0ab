/* SPDX-License-Identifier: MIT
 * test_units.c -- amounts, counts, times and lengths of time in words, at their edges.
 */
#include "reports/emit.h"
#include "tests/lib/tap.h"

static void test_bytes(void)
{
	static const struct {
		uint64_t bytes;
		const char *words;
	} rows[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1,023 B"},
		{1024, "1.00 KiB"},
		{1536, "1.50 KiB"},
		{1048575, "1.00 MiB"}, /* 1023.999 KiB */
		{1048576, "1.00 MiB"},
		{1048576 + 5242, "1.00 MiB"},
		{1048576 + 5243, "1.01 MiB"},
		{3983588800, "3.71 GiB"},
		{UINT64_C(1) << 40, "1.00 TiB"},
		{UINT64_MAX - 1, "16.00 EiB"},
		{UINT64_C(14745600) << 20, "14.06 TiB"},
	};
	char buf[UNITS_BUF];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_str(units_bytes(buf, rows[i].bytes), rows[i].words, "%" PRIu64 " bytes",
		       rows[i].bytes);
	is_str(units_bytes_in(buf, 3984588800, UNITS_BYTES), "3,984,588,800 B", "as bytes");
	is_str(units_bytes_in(buf, 3984588800, UNITS_MIB), "3,800.00 MiB", "as MiB");
	is_str(units_bytes_in(buf, 512, UNITS_KIB), "0.50 KiB", "as KiB");
	is_str(units_bytes_in(buf, 1, UNITS_GIB), "0.00 GiB", "a byte is hardly a GiB");
	is_str(units_bytes_in(buf, 1024, UNITS_BINARY), "1.00 KiB", "as what fits");
	is_str(units_bytes_in(buf, UINT64_MAX, UNITS_BYTES), "18,446,744,073,709,551,615 B",
	       "the longest");
}

static void test_counts(void)
{
	char buf[UNITS_BUF], noun[64];

	is_str(units_count(buf, 0), "0", "none");
	is_str(units_count(buf, 999), "999", "no group");
	is_str(units_count(buf, 1000), "1,000", "one group");
	is_str(units_count(buf, 1200000), "1,200,000", "two groups");
	is_str(units_count(buf, UINT64_MAX), "18,446,744,073,709,551,615", "the largest");
	is_str(units_noun(noun, sizeof noun, 1, "event", "events"), "1 event", "one");
	is_str(units_noun(noun, sizeof noun, 0, "event", "events"), "0 events", "none of them");
	is_str(units_noun(noun, sizeof noun, 1200, "event", "events"), "1,200 events", "many");
	is_str(units_noun(noun, 6, 1200, "event", "events"), "1,200", "cut where it must be");
}

static void test_times(void)
{
	char buf[UNITS_BUF];

	is_str(units_time_us(buf, 0), "1970-01-01 00:00:00.000000 UTC", "the epoch");
	is_str(units_time_us(buf, 1795874587123456), "2026-11-28 14:03:07.123456 UTC", "a time");
	is_str(units_time_us(buf, -1), "1969-12-31 23:59:59.999999 UTC", "before the epoch");
	is_str(units_time_us(buf, INT64_MAX), "9223372036854775807 us", "beyond all years");
	is_str(units_time_us(buf, INT64_MIN + 1), "-9223372036854775807 us", "before all years");
	is_str(units_duration_us(buf, 999), "999 us", "microseconds");
	is_str(units_duration_us(buf, 850000), "850 ms", "milliseconds");
	is_str(units_duration_us(buf, 12345678), "12.3 s", "seconds");
	is_str(units_duration_us(buf, 59999999), "59.9 s", "nearly a minute");
	is_str(units_duration_us(buf, 200000000), "3 min 20 s", "minutes");
	is_str(units_duration_us(buf, UINT64_C(7500000000)), "2 h 5 min", "hours");
}

int main(void)
{
	test_bytes();
	test_counts();
	test_times();
	return done_testing();
}
