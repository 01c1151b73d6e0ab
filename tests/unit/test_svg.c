/* SPDX-License-Identifier: MIT
 * test_svg.c -- round ticks on every scale, durations in words, numbers and paths as written.
 */
#include "reports/svg.h"
#include "reports/ticks.h"
#include "tests/lib/tap.h"

#define KIB    UINT64_C(1024)
#define MIB    (1024 * KIB)
#define GIB    (1024 * MIB)
#define SECOND UINT64_C(1000000)

static void is_labels(const struct ticks *t, const char *want, const char *what)
{
	char got[600] = "";
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i ? "|" : "",
				      t->at[i].label);
	is_str(got, want, "%s", what);
}

static void test_bytes(void)
{
	struct ticks t;

	ticks_bytes(&t, 15 * GIB + 7);
	is_labels(&t, "0 GiB|2 GiB|4 GiB|6 GiB|8 GiB|10 GiB|12 GiB|14 GiB", "15 GiB");
	ticks_bytes(&t, 3 * GIB);
	is_labels(&t, "0 GiB|0.5 GiB|1.0 GiB|1.5 GiB|2.0 GiB|2.5 GiB|3.0 GiB", "3 GiB");
	ticks_bytes(&t, GIB);
	is_labels(&t,
		  "0 GiB|0.125 GiB|0.250 GiB|0.375 GiB|0.500 GiB|0.625 GiB|0.750 GiB|0.875 GiB|"
		  "1.000 GiB",
		  "1 GiB");
	ticks_bytes(&t, 700 * KIB);
	is_labels(&t, "0 KiB|128 KiB|256 KiB|384 KiB|512 KiB|640 KiB", "700 KiB");
	ticks_bytes(&t, 5);
	is_labels(&t, "0 B|1 B|2 B|3 B|4 B|5 B", "5 bytes");
	ticks_bytes(&t, 0);
	is_labels(&t, "0 B", "nothing");
	ticks_bytes(&t, UINT64_MAX);
	is_labels(&t, "0 EiB|2 EiB|4 EiB|6 EiB|8 EiB|10 EiB|12 EiB|14 EiB", "the most there is");
}

/* For any top: 5 to 9 ticks from 0 to at most top, evenly spaced by a power of two. */
static void test_bytes_all(void)
{
	unsigned bad = 0;

	for (uint64_t top = 8; top < UINT64_MAX / 3; top = top * 3 / 2 + 1) {
		struct ticks t;

		ticks_bytes(&t, top);
		bad += t.n < 5 || t.n > 9 || t.at[0].at != 0 || t.at[t.n - 1].at > top ||
		       (t.step & (t.step - 1)) != 0 || top - t.at[t.n - 1].at >= t.step;
		for (size_t i = 1; i < t.n; i++)
			bad += t.at[i].at - t.at[i - 1].at != t.step;
	}
	is_u64(bad, 0, "ticks of bytes are even powers of two at every scale");
}

static void test_counts(void)
{
	struct ticks t;

	ticks_count(&t, -1, 1199999, 8);
	is_labels(&t, "0|200,000|400,000|600,000|800,000|1,000,000", "1.2 million events");
	ticks_count(&t, 1003, 1017, 8);
	is_labels(&t, "1,004|1,006|1,008|1,010|1,012|1,014|1,016", "a window");
	ticks_count(&t, -1, 0, 8);
	is_labels(&t, "0", "one event");
	ticks_count(&t, -1, INT64_MAX - 1, 8);
	ok(t.n >= 2 && t.n <= 8, "the largest trace");
}

static void test_times(void)
{
	struct ticks t;

	ticks_time(&t, 700, 8);
	is_labels(&t, "0|100|200|300|400|500|600|700", "700 us");
	is_str(t.unit, "\xc2\xb5s", "counts microseconds");
	ticks_time(&t, 2500, 8);
	is_labels(&t, "0.0|0.5|1.0|1.5|2.0|2.5", "2.5 ms");
	is_str(t.unit, "ms", "counts milliseconds");
	ticks_time(&t, 90 * SECOND, 8);
	is_labels(&t, "0|15|30|45|60|75|90", "90 s");
	is_str(t.unit, "s", "counts seconds");
	ticks_time(&t, 5 * SECOND / 2, 8);
	is_labels(&t, "0.0|0.5|1.0|1.5|2.0|2.5", "2.5 s");
	ticks_time(&t, 600 * SECOND, 8);
	is_labels(&t, "0:00|2:00|4:00|6:00|8:00|10:00", "ten minutes");
	is_str(t.unit, "min:s", "counts minutes and seconds");
	ticks_time(&t, 9000 * SECOND, 8);
	is_labels(&t, "0:00|0:30|1:00|1:30|2:00|2:30", "two hours and a half");
	is_str(t.unit, "h:min", "counts hours and minutes");
	ticks_time(&t, UINT64_C(30) * 86400 * SECOND, 8);
	is_labels(&t, "0|5|10|15|20|25|30", "a month");
	ticks_time(&t, UINT64_MAX, 8);
	ok(t.n >= 2 && t.n <= 8 && t.at[t.n - 1].at > 0, "the longest time there is");
}

static void test_durations(void)
{
	static const struct {
		uint64_t us;
		const char *want;
	} rows[] = {{0, "0 \xc2\xb5s"},
		    {999, "999 \xc2\xb5s"},
		    {1000, "1.00 ms"},
		    {999999, "999 ms"},
		    {SECOND, "1.00 s"},
		    {12345678, "12.3 s"},
		    {59999999, "59.9 s"},
		    {60 * SECOND, "1 min 0 s"},
		    {3599 * SECOND, "59 min 59 s"},
		    {7500 * SECOND, "2 h 5 min"},
		    {UINT64_C(3) * 86400 * SECOND, "3 days"}};
	char buf[TICKS_LABEL];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_str(ticks_duration(buf, rows[i].us), rows[i].want, "%" PRIu64 " us", rows[i].us);
}

static void test_drawing(void)
{
	struct out *out;
	struct xml *x;
	struct error err;
	size_t n;

	out_open_memory(&out, &err);
	xml_new(&x, XML_PLAIN, out, &err);
	svg_begin(x, 1000, 505, "a < b", "c & d", NULL);
	svg_path_begin(x, "edge");
	svg_path_move(x, 0, 15);
	svg_path_h(x, -5);
	svg_path_v(x, 100);
	svg_path_line(x, 10, 20);
	svg_path_close(x);
	svg_path_end(x);
	svg_text(x, "t", SVG_END, 10, 20, "</text>");
	xml_free(x, &err);
	is_str(out_memory(out, &n),
	       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50.5\" width=\"100\" "
	       "height=\"50.5\" class=\"picture\" role=\"img\" "
	       "aria-labelledby=\"picture-title picture-desc\">\n"
	       "<title id=\"picture-title\">a &lt; b</title>\n"
	       "<desc id=\"picture-desc\">c &amp; d</desc>\n"
	       "<path class=\"edge\" d=\"M0 1.5H-0.5V10L1 2Z\"/>"
	       "<text class=\"t\" x=\"1\" y=\"2\" text-anchor=\"end\">&lt;/text&gt;</text></svg>\n",
	       "a small picture, byte by byte");
	out_abandon(out);
}

int main(void)
{
	test_bytes();
	test_bytes_all();
	test_counts();
	test_times();
	test_durations();
	test_drawing();
	return done_testing();
}
