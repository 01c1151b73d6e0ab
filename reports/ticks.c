/* SPDX-License-Identifier: MIT
 * ticks.c -- round places on an axis, and what is written beside them.
 */
#include "reports/ticks.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/emit.h"

#define SECOND UINT64_C(1000000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

/* n / unit with exactly `decimals` digits behind the point; unit divides 10^decimals * n. */
static void label_fraction(char *to, size_t size, uint64_t n, uint64_t unit, unsigned decimals)
{
	uint64_t whole = n / unit, rest = n % unit;
	char digits[8] = "";

	for (unsigned i = 0; i < decimals && i < sizeof digits - 1; i++) {
		rest *= 10;
		digits[i] = (char)('0' + rest / unit);
		rest %= unit;
	}
	if (decimals)
		(void)snprintf(to, size, "%" PRIu64 ".%s", whole, digits);
	else
		(void)snprintf(to, size, "%" PRIu64, whole);
}

void ticks_bytes(struct ticks *t, uint64_t top)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0, decimals = 0;
	uint64_t step = 1;

	while (top / step >= 9)
		step *= 2;
	while (unit < 6 && top >> (10 * (unit + 1)) > 0)
		unit++;
	for (uint64_t s = step; s < UINT64_C(1) << (10 * unit); s *= 2)
		decimals++;
	*t = (struct ticks){.step = step, .unit = units[unit]};
	for (uint64_t i = 0; i <= top / step && t->n < TICKS_MAX; i++) {
		struct tick *k = &t->at[t->n++];
		char number[TICKS_LABEL - 8];

		k->at = i * step;
		label_fraction(number, sizeof number, k->at, UINT64_C(1) << (10 * unit), decimals);
		(void)snprintf(k->label, sizeof k->label, "%s %s", i ? number : "0", units[unit]);
	}
}

/* The smallest of 1, 2, 5 times a power of ten that fits `span` into `want` steps. */
static uint64_t step_decimal(uint64_t span, unsigned want)
{
	uint64_t unit = 1;

	for (;; unit *= 10) {
		static const uint64_t factors[] = {1, 2, 5};

		for (size_t i = 0; i < 3; i++) {
			if (span / (factors[i] * unit) < want)
				return factors[i] * unit;
		}
		/* 10^19 is the last power of ten that fits, and `want` is at least 2. */
		if (unit > UINT64_MAX / 100)
			return unit * 10;
	}
}

void ticks_count(struct ticks *t, int64_t from, int64_t to, unsigned want)
{
	int64_t first = from < 0 ? 0 : from;
	uint64_t step = step_decimal((uint64_t)(to - from), want), at;

	assert(from <= to && want >= 2 && want < TICKS_MAX);
	*t = (struct ticks){.step = step, .unit = "events"};
	at = ((uint64_t)first + step - 1) / step * step;
	for (; at <= (uint64_t)(to < 0 ? 0 : to) && t->n < TICKS_MAX; at += step) {
		struct tick *k = &t->at[t->n++];
		char number[UNITS_BUF];

		k->at = at;
		(void)snprintf(k->label, sizeof k->label, "%s", units_count(number, at));
	}
}

static uint64_t step_time(uint64_t span, unsigned want)
{
	static const uint64_t steps[] = {
		SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
		MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
		HOUR,   2 * HOUR,   3 * HOUR,   6 * HOUR,    12 * HOUR,   DAY};
	uint64_t step = step_decimal(span, want);

	if (step < SECOND)
		return step;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (span / steps[i] < want)
			return steps[i];
	}
	return DAY * step_decimal(span / DAY, want);
}

/* How labels of an axis count, told by its span. */
struct time_style {
	const char *unit;
	uint64_t unit_us;  /* of plain numbers */
	uint64_t below_us; /* 0, or the smaller unit of "a:bb" */
};

static struct time_style style_for(uint64_t span)
{
	if (span < 1000)
		return (struct time_style){"\xc2\xb5s", 1, 0};
	if (span < SECOND)
		return (struct time_style){"ms", 1000, 0};
	if (span < 2 * MINUTE)
		return (struct time_style){"s", SECOND, 0};
	if (span < 2 * HOUR)
		return (struct time_style){"min:s", MINUTE, SECOND};
	if (span < 4 * DAY)
		return (struct time_style){"h:min", HOUR, MINUTE};
	return (struct time_style){"days", DAY, 0};
}

void ticks_time(struct ticks *t, uint64_t span, unsigned want)
{
	struct time_style style = style_for(span);
	uint64_t step = step_time(span, want);
	unsigned decimals = 0;

	assert(want >= 2 && want < TICKS_MAX);
	for (uint64_t s = step; s < style.unit_us && !style.below_us; s *= 10)
		decimals++;
	*t = (struct ticks){.step = step, .unit = style.unit};
	for (uint64_t i = 0; i <= span / step && t->n < TICKS_MAX; i++) {
		struct tick *k = &t->at[t->n++];
		uint64_t at = i * step;

		k->at = at;
		if (style.below_us)
			(void)snprintf(k->label, sizeof k->label, "%" PRIu64 ":%02u",
				       at / style.unit_us,
				       (unsigned)(at % style.unit_us / style.below_us));
		else
			label_fraction(k->label, sizeof k->label, at, style.unit_us, decimals);
	}
}

const char *ticks_duration(char buf[TICKS_LABEL], uint64_t us)
{
	static const struct {
		uint64_t below, unit;
		const char *name;
	} plain[] = {{1000, 1, "\xc2\xb5s"}, {SECOND, 1000, "ms"}, {MINUTE, SECOND, "s"}};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		uint64_t unit = plain[i].unit, n = us;
		char number[TICKS_LABEL - 8];
		unsigned decimals;

		if (us >= plain[i].below)
			continue;
		/* Three digits say enough; never rounded up into the next unit. */
		decimals = unit == 1 ? 0 : us / unit >= 100 ? 0 : us / unit >= 10 ? 1 : 2;
		label_fraction(number, sizeof number, n, unit, decimals);
		(void)snprintf(buf, TICKS_LABEL, "%s %s", number, plain[i].name);
		return buf;
	}
	if (us < HOUR)
		(void)snprintf(buf, TICKS_LABEL, "%u min %u s", (unsigned)(us / MINUTE),
			       (unsigned)(us % MINUTE / SECOND));
	else if (us < 2 * DAY)
		(void)snprintf(buf, TICKS_LABEL, "%u h %u min", (unsigned)(us / HOUR),
			       (unsigned)(us % HOUR / MINUTE));
	else
		(void)snprintf(buf, TICKS_LABEL, "%" PRIu64 " days", us / DAY);
	return buf;
}
