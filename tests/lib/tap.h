/* SPDX-License-Identifier: MIT
 * tap.h -- a test program's assertions, reported in the Test Anything Protocol.
 *
 *     int main(void)
 *     {
 *             ok(x != NULL, "a model was made");
 *             is_u64(x->n, 3, "it has three rows");
 *             is_str(x->name, "cuda", "and its name");
 *             return done_testing();
 *     }
 *
 * Numbers are checked with is_u64 / is_i64, strings with is_str: a failure then shows both values.
 * Programs exit 0 whatever failed; the lines tell. Each check returns whether it held, so that the
 * rest can be left out when it makes no sense. skip() and skip_all() want the reason.
 */
#ifndef TESTS_LIB_TAP_H
#define TESTS_LIB_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_PRINTF(f, a) __attribute__((unused, format(printf, f, a)))

static struct {
	int run, failed, planned;
} tap;

/* Optional: say at the start how many checks will run; a program that dies early then shows. */
static __attribute__((unused)) void plan(int n)
{
	tap.planned = n;
	printf("1..%d\n", n);
	fflush(stdout);
}

static TAP_PRINTF(1, 2) void diag(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("#   ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	fflush(stdout);
}

/* `#` and newlines would be taken for directives and results. */
static TAP_PRINTF(1, 0) void tap_name(const char *fmt, va_list ap)
{
	char text[300];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *p = text; *p; p++) {
		if (*p == '#' || *p == '\n')
			*p = ' ';
	}
	puts(text);
}

static TAP_PRINTF(4, 0) bool tap_result(bool good, const char *file, int line, const char *fmt,
					va_list ap)
{
	tap.run++;
	tap.failed += !good;
	printf("%s %d - ", good ? "ok" : "not ok", tap.run);
	tap_name(fmt, ap);
	if (!good)
		printf("#   at %s:%d\n", file, line);
	fflush(stdout);
	return good;
}

static TAP_PRINTF(4, 5) bool tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_result(good, file, line, fmt, ap);
	va_end(ap);
	return good;
}

static TAP_PRINTF(5, 6) bool tap_is_u64(uint64_t got, uint64_t want, const char *file, int line,
					const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_result(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %" PRIu64 " (0x%" PRIx64 "), want %" PRIu64 " (0x%" PRIx64 ")", got, got,
		     want, want);
	return got == want;
}

static TAP_PRINTF(5, 6) bool tap_is_i64(int64_t got, int64_t want, const char *file, int line,
					const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tap_result(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %" PRId64 ", want %" PRId64, got, want);
	return got == want;
}

/* Show a string on one line, cut, and where two strings part. */
static void tap_show(const char *what, const char *s, size_t from)
{
	printf("#   %s ", what);
	if (!s) {
		puts("NULL");
		return;
	}
	fputs(from ? "..." : "", stdout);
	putchar('"');
	for (size_t i = from; s[i] && i < from + 160; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < ' ' || c == 127 || c == '"' || c == '\\')
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	puts("\"");
}

static TAP_PRINTF(5, 6) bool tap_is_str(const char *got, const char *want, const char *file,
					int line, const char *fmt, ...)
{
	bool same = got == want || (got && want && strcmp(got, want) == 0);
	size_t at = 0;
	va_list ap;

	va_start(ap, fmt);
	tap_result(same, file, line, fmt, ap);
	va_end(ap);
	if (same)
		return true;
	while (got && want && got[at] && got[at] == want[at])
		at++;
	if (got && want)
		diag("they differ from byte %zu on", at);
	at = at > 40 ? at - 40 : 0;
	tap_show("got ", got, got && want ? at : 0);
	tap_show("want", want, got && want ? at : 0);
	fflush(stdout);
	return false;
}

/* ok(CONDITION, FORMAT, ...) and so on: the words say what holds. */
#define ok(good, ...)          tap_ok((good), __FILE__, __LINE__, __VA_ARGS__)
#define is_u64(got, want, ...) tap_is_u64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_i64(got, want, ...) tap_is_i64((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)

/* One check that cannot run here. */
static TAP_PRINTF(1, 2) void skip(const char *reason_fmt, ...)
{
	va_list ap;

	va_start(ap, reason_fmt);
	tap.run++;
	printf("ok %d # SKIP ", tap.run);
	tap_name(reason_fmt, ap);
	va_end(ap);
	fflush(stdout);
}

/* `return skip_all("...")` from main, before any check and without plan(). */
static TAP_PRINTF(1, 2) int skip_all(const char *reason_fmt, ...)
{
	va_list ap;

	va_start(ap, reason_fmt);
	fputs("1..0 # SKIP ", stdout);
	tap_name(reason_fmt, ap);
	va_end(ap);
	return 0;
}

/* The last thing main does. */
static __attribute__((unused)) int done_testing(void)
{
	if (!tap.planned)
		printf("1..%d\n", tap.run);
	if (tap.failed)
		diag("%d of %d failed", tap.failed, tap.run);
	return fflush(stdout) ? 1 : 0;
}

/* Folder of the small inputs, NUL-terminated path of one of them in `buf`, returned. */
static __attribute__((unused)) const char *testdata(char *buf, size_t n, const char *name)
{
	const char *dir = getenv("TESTDATA");

	snprintf(buf, n, "%s/%s", dir ? dir : "testdata", name);
	return buf;
}

/* Folder of the large real recordings, data/ and public/ in it, or NULL where they are not at hand:
 * skip then. */
static __attribute__((unused)) const char *shared_data(void)
{
	const char *dir = getenv("VRAMSCOPE_SHARED");

	return dir && *dir ? dir : NULL;
}

/* Only quick checks are wanted. */
static __attribute__((unused)) bool tests_quick(void)
{
	const char *quick = getenv("VRAMSCOPE_QUICK");

	return quick && *quick && strcmp(quick, "0") != 0;
}

#ifdef __has_feature
#define TAP_HAS(feature) __has_feature(feature)
#else
#define TAP_HAS(feature) 0
#endif

/* Is case `i` of an exhaustive loop wanted? With sanitizers, which take ten times as long, each
 * `share`-th is: what goes wrong in one case shows in its neighbours. Without them all are. */
static __attribute__((unused)) bool tests_wanted(size_t i, size_t share)
{
#if defined(__SANITIZE_ADDRESS__) || TAP_HAS(address_sanitizer)
	return i % share == 0;
#else
	(void)i, (void)share;
	return true;
#endif
}

#endif
