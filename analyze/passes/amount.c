/* SPDX-License-Identifier: MIT
 * amount.c -- amounts of memory as PyTorch prints them, back to bytes with the bounds of rounding.
 */
#include <string.h>

#include "passes/oom_log.h"

/* Nothing has more; keeps sums of a few amounts in 64 bits. */
#define MAX_AMOUNT (UINT64_C(1) << 60)

/* More digits say nothing more. */
#define MAX_DIGITS 19

struct amount amount_exact(uint64_t bytes)
{
	return (struct amount){.known = true, .bytes = bytes, .low = bytes, .high = bytes};
}

struct decimal {
	uint64_t digits;
	uint64_t scale; /* 10 to the number of digits behind the point */
};

/* Returns where the number ends; 0: there is none, or too long a one. */
static size_t read_decimal(const char *text, size_t n, struct decimal *d)
{
	bool point = false;
	unsigned count = 0;
	size_t i;

	*d = (struct decimal){.scale = 1};
	for (i = 0; i < n; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			break;
		if (++count > MAX_DIGITS || d->scale > UINT64_C(100000000))
			return 0;
		d->digits = 10 * d->digits + (uint64_t)(text[i] - '0');
		d->scale *= point ? 10 : 1;
	}
	return count ? i : 0;
}

static uint64_t unit_bytes(const char *text, size_t n)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = {{"bytes", 1},
		     {"KiB", UINT64_C(1) << 10},
		     {"MiB", UINT64_C(1) << 20},
		     {"GiB", UINT64_C(1) << 30}};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (n == strlen(units[i].name) && !memcmp(text, units[i].name, n))
			return units[i].bytes;
	return 0;
}

/* digits / scale * unit is rounded to half a unit of the last digit; ends of that range are in it,
 * as printf may round either way. */
struct amount amount_read(const char *text, size_t n)
{
	struct decimal d;
	size_t at = read_decimal(text, n, &d);
	unsigned __int128 twice, half, scale2;
	uint64_t unit;

	if (!at)
		return (struct amount){0};
	while (at < n && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r')))
		at++;
	unit = unit_bytes(text + at, n - at);
	if (!unit || (unsigned __int128)d.digits * unit / d.scale > MAX_AMOUNT)
		return (struct amount){0};
	twice = (unsigned __int128)d.digits * unit * 2;
	half = unit == 1 && d.scale == 1 ? 0 : unit;
	scale2 = (unsigned __int128)d.scale * 2;
	return (struct amount){
		.known = true,
		.bytes = (uint64_t)((twice + d.scale) / scale2),
		.low = twice > half ? (uint64_t)((twice - half + scale2 - 1) / scale2) : 0,
		.high = (uint64_t)((twice + half) / scale2),
	};
}
