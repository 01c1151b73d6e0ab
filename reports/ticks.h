/* SPDX-License-Identifier: MIT
 * ticks.h -- round places on an axis, and what is written beside them.
 *
 * Bytes step by powers of two, so that labels are round KiB, MiB and GiB; times by what people
 * count in (1, 2, 5; 15 and 30 s; minutes, hours, days); counts by 1, 2, 5.
 */
#ifndef REPORTS_TICKS_H
#define REPORTS_TICKS_H

#include <stddef.h>
#include <stdint.h>

#define TICKS_MAX   16
#define TICKS_LABEL 32

struct tick {
	uint64_t at; /* on the axis */
	char label[TICKS_LABEL];
};

struct ticks {
	struct tick at[TICKS_MAX];
	size_t n;
	uint64_t step;
	const char *unit; /* what the labels count, for the axis title: "s", "min:s", "events" */
};

/* From 0 to `top` bytes: 4 to 8 steps for any top >= 8. */
void ticks_bytes(struct ticks *t, uint64_t top);
/* Whole numbers from..to, at most `want` (2 to TICKS_MAX - 1) of them; at[i].at - from is the
 * distance from the axis's start. `from` may be -1 (before event 0), which is no tick. */
void ticks_count(struct ticks *t, int64_t from, int64_t to, unsigned want);
/* From 0 to `span` microseconds. */
void ticks_time(struct ticks *t, uint64_t span, unsigned want);

/* A length of time in words: "350 us", "12.3 ms", "4.21 s", "3 min 12 s", "2 h 5 min". */
const char *ticks_duration(char buf[TICKS_LABEL], uint64_t us);

#endif
