/* SPDX-License-Identifier: MIT
 * units.c -- amounts, counts and times in words.
 */
#include "reports/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const units_words[] = {"binary", "bytes", "KiB", "MiB", "GiB", NULL};

static const char *const unit_names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/* n with its thousands grouped, into buf of at least UNITS_BUF. */
const char *units_count(char buf[UNITS_BUF], uint64_t n)
{
	char digits[UNITS_BUF];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
	char *to = buf;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buf;
}

/* `bytes` / 2^shift to two decimals, half away from zero, in integers: 1023.999 KiB is "1,024.00
 * KiB" only when the unit was asked for. */
static void units_hundredths(uint64_t bytes, unsigned shift, uint64_t *whole, unsigned *hundredths)
{
	uint64_t rest = bytes & ((UINT64_C(1) << shift) - 1);
	/* At most 2^60 * 100, which needs 67 bits. */
	__uint128_t scaled = ((__uint128_t)rest * 100 + (UINT64_C(1) << (shift - 1))) >> shift;

	*whole = (bytes >> shift) + (scaled == 100);
	*hundredths = scaled == 100 ? 0 : (unsigned)scaled;
}

static const char *units_in(char buf[UNITS_BUF], uint64_t bytes, unsigned unit)
{
	char grouped[UNITS_BUF];
	uint64_t whole = bytes;
	unsigned hundredths = 0;

	if (unit)
		units_hundredths(bytes, unit * 10, &whole, &hundredths);
	units_count(grouped, whole);
	if (unit)
		snprintf(buf, UNITS_BUF, "%.26s.%02u", grouped, hundredths);
	else
		snprintf(buf, UNITS_BUF, "%s", grouped);
	strncat(buf, " ", UNITS_BUF - strlen(buf) - 1);
	strncat(buf, unit_names[unit], UNITS_BUF - strlen(buf) - 1);
	return buf;
}

const char *units_bytes(char buf[UNITS_BUF], uint64_t bytes)
{
	unsigned unit = 0;
	uint64_t whole;
	unsigned hundredths;

	while (unit < 6 && bytes >> (unit * 10) >= 1024)
		unit++;
	/* 1023.999 MiB rounds to 1.00 GiB. */
	if (unit && unit < 6) {
		units_hundredths(bytes, unit * 10, &whole, &hundredths);
		if (whole == 1024)
			unit++;
	}
	return units_in(buf, bytes, unit);
}

const char *units_bytes_in(char buf[UNITS_BUF], uint64_t bytes, enum units units)
{
	if (units == UNITS_BINARY)
		return units_bytes(buf, bytes);
	return units_in(buf, bytes, (unsigned)(units - UNITS_BYTES));
}

const char *units_time_us(char buf[UNITS_BUF], int64_t us)
{
	int64_t seconds = us / 1000000;
	int64_t rest = us % 1000000;
	time_t t;
	struct tm tm;

	if (rest < 0) {
		rest += 1000000;
		seconds--;
	}
	t = (time_t)seconds;
	/* Years beyond 9999 are junk; as a plain number they at least fit. */
	if (!gmtime_r(&t, &tm) || tm.tm_year > 8099 || tm.tm_year < -1900)
		snprintf(buf, UNITS_BUF, "%" PRId64 " us", us);
	else
		snprintf(buf, UNITS_BUF, "%04d-%02d-%02d %02d:%02d:%02d.%06d UTC",
			 (tm.tm_year + 1900) % 10000, (tm.tm_mon + 1) % 100, tm.tm_mday % 100,
			 tm.tm_hour % 100, tm.tm_min % 100, tm.tm_sec % 100, (int)rest);
	return buf;
}

const char *units_duration_us(char buf[UNITS_BUF], uint64_t us)
{
	uint64_t seconds = us / 1000000;

	if (us < 1000)
		snprintf(buf, UNITS_BUF, "%" PRIu64 " us", us);
	else if (us < 1000000)
		snprintf(buf, UNITS_BUF, "%" PRIu64 " ms", us / 1000);
	else if (seconds < 60)
		snprintf(buf, UNITS_BUF, "%" PRIu64 ".%" PRIu64 " s", seconds, us / 100000 % 10);
	else if (seconds < 3600)
		snprintf(buf, UNITS_BUF, "%" PRIu64 " min %" PRIu64 " s", seconds / 60,
			 seconds % 60);
	else
		snprintf(buf, UNITS_BUF, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600,
			 seconds / 60 % 60);
	return buf;
}

const char *units_noun(char *buf, size_t size, uint64_t n, const char *one, const char *many)
{
	char count[UNITS_BUF];

	snprintf(buf, size, "%s %s", units_count(count, n), n == 1 ? one : many);
	return buf;
}
