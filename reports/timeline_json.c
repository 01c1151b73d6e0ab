/* SPDX-License-Identifier: MIT
 * timeline_json.c -- memory timelines in the structures of torch.profiler.
 */
#include "reports/timeline_json.h"

#include <errno.h>
#include <string.h>

#include "reports/gzip_out.h"

#define TEXT_BYTES 65536
/* Longest text of one row. */
#define ROW_BYTES 512

struct writer {
	struct out *out;
	struct gzip_out *gzip; /* NULL: plain */
	size_t n;
	char text[TEXT_BYTES];
};

static void flush(struct writer *w)
{
	if (w->gzip)
		gzip_out_bytes(w->gzip, w->text, w->n);
	else
		out_bytes(w->out, w->text, w->n);
	w->n = 0;
}

static void put(struct writer *w, const char *text)
{
	size_t n = strlen(text);

	if (w->n + ROW_BYTES > sizeof w->text)
		flush(w);
	memcpy(w->text + w->n, text, n);
	w->n += n;
}

static void put_integer(struct writer *w, int64_t value)
{
	char digits[24], *p = digits + sizeof digits;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	*--p = '\0';
	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	put(w, p);
}

/* From 2001 on the float quotient of time / 1000 is a multiple of 1/4 or coarser, and the nearest
 * one to x.875 and above is the next integer; before that it is near enough to the true one. */
#define COARSE_FROM INT64_C(1000000000000000000)

int64_t timeline_us(int64_t time_ns)
{
	if (time_ns >= COARSE_FROM)
		return time_ns / 1000 + (time_ns % 1000 >= 875);
	return time_ns / 1000;
}

/* ---- plain ---- */

/* The time of a row as it is compared with its neighbours: -1 before the recording. */
static int64_t row_us(const struct timeline_row *row)
{
	return row->time_ns < 0 ? -1 : timeline_us(row->time_ns);
}

/* What stands for -1: the smallest time there is. */
static int64_t smallest_us(const struct timeline_row *rows, size_t n)
{
	int64_t smallest = -1;

	for (size_t i = 0; i < n; i++) {
		int64_t us = row_us(&rows[i]);

		if (smallest == -1 || (us < smallest && us > 0))
			smallest = us;
	}
	return smallest;
}

static void write_times(struct writer *w, const struct timeline_row *rows, size_t n)
{
	int64_t smallest = smallest_us(rows, n);

	for (size_t i = 0; i < n; i++) {
		int64_t us = row_us(&rows[i]);

		if (i > 0 && us == row_us(&rows[i - 1]))
			continue;
		if (i > 0)
			put(w, ", ");
		put_integer(w, us < 0 ? smallest : us);
	}
}

static void write_sizes(struct writer *w, const struct timeline_row *rows, size_t n)
{
	int64_t sizes[TIMELINE_CATEGORIES] = {0};
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		sizes[rows[i].category] += rows[i].bytes;
		if (i + 1 < n && row_us(&rows[i]) == row_us(&rows[i + 1]))
			continue;
		put(w, first ? "[0" : ", [0");
		first = false;
		for (unsigned c = 0; c < TIMELINE_CATEGORIES; c++) {
			put(w, ", ");
			put_integer(w, sizes[c]);
		}
		put(w, "]");
	}
}

/* ---- raw ---- */

static void write_rows(struct writer *w, const struct timeline_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put(w, i ? ", [" : "[");
		put_integer(w, rows[i].time_ns);
		put(w, ", ");
		put_integer(w, rows[i].action);
		put(w, ", ");
		put_integer(w, rows[i].bytes);
		put(w, ", ");
		put_integer(w, rows[i].category);
		put(w, "]");
	}
}

void timeline_write_json(struct out *o, const struct timeline_row *rows, size_t n,
			 enum timeline_json_form form, bool gzip)
{
	struct writer w;

	w.out = o;
	w.n = 0;
	w.gzip = gzip ? gzip_out_open(o) : NULL;
	if (gzip && !w.gzip)
		return;
	put(&w, "[");
	if (form == TIMELINE_PLAIN_JSON) {
		put(&w, "[");
		write_times(&w, rows, n);
		put(&w, "], [");
		write_sizes(&w, rows, n);
		put(&w, "]");
	} else {
		write_rows(&w, rows, n);
	}
	put(&w, "]");
	flush(&w);
	gzip_out_close(w.gzip);
}
