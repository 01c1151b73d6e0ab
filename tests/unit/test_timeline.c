/* SPDX-License-Identifier: MIT
 * test_timeline.c -- columns lose no spike, annotations are matched and laid out, axes are right.
 */
#include "model/model.h"
#include "passes/bands.h"
#include "passes/reduce.h"
#include "passes/timeline.h"
#include "replay/replay.h"
#include "tests/lib/tap.h"

#define MIB UINT64_C(1048576)

static struct budget budget = {.limit = UINT64_MAX};

static void must(int rc, const struct error *err)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err->text);
		exit(1);
	}
}

/* --- reduce.h ---------------------------------------------------------------------------------- */

/* A million events, one of them a spike, in few columns. */
static void test_spike(void)
{
	struct reduction r;
	struct error err;
	uint64_t v[1] = {100};
	size_t with_spike = 0, with_dip = 0, n = 1000;
	const uint64_t events = 1000000, spike = 654321, dip = 123456;

	must(reduce_init(&r, n, 1, &budget, &err), &err);
	reduce_start(&r, v);
	for (uint64_t e = 0; e < events; e++) {
		v[0] = e == spike ? 7777 : e == dip ? 3 : 100;
		reduce_add(&r, (size_t)(e * n / events), (int64_t)e, v);
	}
	reduce_finish(&r);
	for (size_t c = 0; c < n; c++) {
		with_spike += reduce_cell(&r, c, 0)->max == 7777;
		with_dip += reduce_cell(&r, c, 0)->min == 3;
	}
	is_u64(with_spike, 1, "a spike of one event among a million is in one column");
	is_u64(with_dip, 1, "so is a dip");
	is_u64(reduce_cell(&r, 654, 0)->max, 7777, "in its own");
	is_u64(reduce_cell(&r, 654, 0)->min, 100, "whose low is the rest");
	is_i64(r.columns[654].first_event, 654000, "a column knows its first event");
	is_i64(r.columns[654].last_event, 654999, "and its last");
	is_u64(r.columns[654].n_events, 1000, "and how many");
	reduce_release(&r);
}

/* Random steps against a plain array of every value. */
static void test_against_all_values(void)
{
	enum { EVENTS = 5000, COLUMNS = 37, SERIES = 3 };
	static uint64_t all[EVENTS + 1][SERIES];
	static size_t column_of[EVENTS + 1];
	struct reduction r;
	struct error err;
	uint64_t seed = 42;
	unsigned bad = 0;

	must(reduce_init(&r, COLUMNS, SERIES, &budget, &err), &err);
	for (size_t e = 0; e <= EVENTS; e++) {
		for (size_t s = 0; s < SERIES; s++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			all[e][s] = seed >> 40;
		}
		/* Bunched, so that many columns stay empty. */
		column_of[e] = e * e * COLUMNS / ((EVENTS + 1) * (size_t)(EVENTS + 1)) / 3 * 3;
	}
	reduce_start(&r, all[0]);
	for (size_t e = 1; e <= EVENTS; e++)
		reduce_add(&r, column_of[e], (int64_t)e, all[e]);
	reduce_finish(&r);
	for (size_t c = 0, e = 1; c < COLUMNS; c++) {
		for (size_t s = 0; s < SERIES; s++) {
			uint64_t min = all[e - 1][s], max = min, last = min;
			size_t k = e;

			for (; k <= EVENTS && column_of[k] == c; k++) {
				last = all[k][s];
				min = last < min ? last : min;
				max = last > max ? last : max;
			}
			const struct reduce_cell *cell = reduce_cell(&r, c, s);

			bad += cell->first != all[e - 1][s] || cell->last != last;
			bad += cell->min != min || cell->max != max;
		}
		while (e <= EVENTS && column_of[e] == c)
			e++;
	}
	is_u64(bad, 0, "first, last, min and max of every column are those of all values");
	reduce_release(&r);
}

static void test_unknown(void)
{
	struct reduction r;
	struct error err;
	uint64_t v[2] = {BYTES_NONE, BYTES_NONE};

	must(reduce_init(&r, 2, 2, &budget, &err), &err);
	reduce_start(&r, v);
	v[1] = 5;
	reduce_add(&r, 1, 0, v);
	reduce_finish(&r);
	is_u64(reduce_cell(&r, 1, 0)->max, BYTES_NONE, "unknown stays unknown");
	is_u64(reduce_cell(&r, 1, 1)->max, 5, "what becomes known counts");
	is_u64(reduce_cell(&r, 1, 1)->min, 5, "and unknown is not the highest number");
	reduce_release(&r);
}

/* --- bands.h ----------------------------------------------------------------------------------- */

static struct band_mark mark(uint32_t name, bool is_end, int64_t us)
{
	return (struct band_mark){{name}, is_end, us, us / 10};
}

static const struct band_span *span_of(const struct bands *b, uint32_t name, size_t k)
{
	for (size_t i = 0; i < b->spans.n; i++) {
		if (b->spans.at[i].name.i == name && k-- == 0)
			return &b->spans.at[i];
	}
	return NULL;
}

static void test_matching(void)
{
	/* Two threads: 1 and 2 overlap without nesting; 3 lost its START, 4 its END; 5 nests in
	 * itself. */
	const struct band_mark marks[] = {
		mark(3, true, 50),  mark(1, false, 100), mark(2, false, 150), mark(1, true, 200),
		mark(2, true, 250), mark(5, false, 300), mark(5, false, 310), mark(5, true, 320),
		mark(5, true, 330), mark(4, false, 400), mark(1, false, 410), mark(1, true, 400),
	};
	struct bands b;
	struct error err;

	bands_init(&b, &budget);
	must(bands_match(&b, marks, sizeof marks / sizeof *marks, &err), &err);
	is_u64(b.spans.n, 7, "twelve marks are seven spans");
	is_u64(b.n_unmatched_starts, 1, "one START has no END");
	is_u64(b.n_unmatched_ends, 1, "one END has no START");
	ok(span_of(&b, 3, 0)->begun_before, "what lost its START began before");
	ok(span_of(&b, 4, 0)->never_ended && span_of(&b, 4, 0)->end_us == 410,
	   "what lost its END lasts to the last mark");
	is_i64(span_of(&b, 1, 0)->end_us, 200, "an END closes its own name");
	is_i64(span_of(&b, 2, 0)->end_us, 250, "whatever else is open");
	is_i64(span_of(&b, 5, 0)->end_us, 330, "the outer of two equal names ends last");
	is_i64(span_of(&b, 5, 1)->end_us, 320, "the inner one first");
	is_i64(span_of(&b, 1, 1)->end_us, 410, "an END earlier than its START ends at once");
	is_u64(b.names.n, 5, "five names");
	is_u64(b.names.at[0].name.i, 3, "in order of their first appearance");
	is_u64(b.names.at[0].total_us, 0, "half a span has no length");
	bands_release(&b);
	bands_init(&b, &budget);
	must(bands_match(&b, NULL, 0, &err), &err);
	is_u64(b.spans.n, 0, "no marks, no spans");
	bands_release(&b);
}

static void test_layout(void)
{
	/* A step of two halves, the second of which has three parts. */
	const struct band_mark marks[] = {
		mark(1, false, 0),   mark(2, false, 0),   mark(2, true, 500),  mark(3, false, 500),
		mark(4, false, 500), mark(4, true, 600),  mark(4, false, 600), mark(4, true, 700),
		mark(5, false, 800), mark(5, true, 1000), mark(3, true, 1000), mark(1, true, 1000),
	};
	struct bands_axis axis = {.zero = 0, .span = 1000, .narrow = 1, .max_drawn = 100};
	struct bands b;
	struct error err;

	bands_init(&b, &budget);
	must(bands_match(&b, marks, sizeof marks / sizeof *marks, &err), &err);
	must(bands_layout(&b, &axis, &err), &err);
	is_u64(b.drawn.n, 6, "every span is a band");
	is_u64(b.n_rows, 3, "in three rows");
	is_u64(b.drawn.at[0].name.i, 1, "the outermost comes first");
	ok(b.drawn.at[1].name.i == 2 && b.drawn.at[2].name.i == 3 && b.drawn.at[2].row == 1,
	   "halves share a row");
	ok(b.drawn.at[5].name.i == 5 && b.drawn.at[5].row == 2, "parts the next");
	axis.narrow = 150;
	must(bands_layout(&b, &axis, &err), &err);
	is_u64(b.drawn.n, 5, "narrow neighbours are joined");
	ok(b.drawn.at[3].count == 2 && b.drawn.at[3].name.i == 4 && b.drawn.at[3].from == 500 &&
		   b.drawn.at[3].to == 700,
	   "with their count, name and length");
	axis.zero = 550;
	axis.span = 100;
	axis.narrow = 1;
	must(bands_layout(&b, &axis, &err), &err);
	is_u64(b.n_outside, 2, "what lies outside is counted");
	ok(b.drawn.at[0].from == 0 && b.drawn.at[0].to == 100, "what reaches over the edge is cut");
	bands_release(&b);
}

/* A hundred thousand spans in 1,000 columns: nothing is lost from the counts. */
static void test_many_bands(void)
{
	enum { SPANS = 100000 };
	struct band_mark *marks = malloc(2 * SPANS * sizeof *marks);
	struct bands_axis axis = {.zero = 0, .span = SPANS * 10, .narrow = 1000, .max_drawn = 200};
	struct bands b;
	struct error err;
	uint64_t total = 0, names = 0;

	for (int i = 0; i < SPANS; i++) {
		/* Every hundredth is long enough to stand alone. */
		int64_t length = i % 100 == 0 ? 10 : 5;

		marks[2 * i] = mark(1 + (uint32_t)(i % 3), false, i * 10);
		marks[2 * i + 1] = mark(1 + (uint32_t)(i % 3), true, i * 10 + length);
	}
	bands_init(&b, &budget);
	must(bands_match(&b, marks, 2 * SPANS, &err), &err);
	must(bands_layout(&b, &axis, &err), &err);
	for (size_t i = 0; i < b.drawn.n; i++)
		total += b.drawn.at[i].count;
	for (size_t i = 0; i < b.names.n; i++)
		names += b.names.at[i].count;
	ok(b.drawn.n <= 200, "as few bands as asked for");
	is_u64(total, SPANS, "that stand for all spans");
	is_u64(names, SPANS, "as the names do");
	is_u64(b.drawn.at[0].name.i, 0, "a band of several names has none");
	axis.narrow = 1;
	axis.max_drawn = 5000;
	must(bands_layout(&b, &axis, &err), &err);
	ok(b.drawn.n <= 5000, "too many bands are joined further");
	bands_release(&b);
	free(marks);
}

static void test_deep_bands(void)
{
	enum { DEPTH = 40 };
	struct band_mark marks[2 * DEPTH];
	struct bands_axis axis = {.zero = 0, .span = 1000, .narrow = 1, .max_drawn = 100};
	struct bands b;
	struct error err;

	for (int i = 0; i < DEPTH; i++) {
		marks[i] = mark((uint32_t)i + 1, false, i);
		marks[2 * DEPTH - 1 - i] = mark((uint32_t)i + 1, true, 900 - i);
	}
	bands_init(&b, &budget);
	must(bands_match(&b, marks, 2 * DEPTH, &err), &err);
	must(bands_layout(&b, &axis, &err), &err);
	is_u64(b.n_rows, BANDS_MAX_ROWS, "rows end somewhere");
	is_u64(b.n_deeper, DEPTH - BANDS_MAX_ROWS, "what is deeper is counted");
	bands_release(&b);
}

int main(void)
{
	test_spike();
	test_against_all_values();
	test_unknown();
	test_matching();
	test_layout();
	test_many_bands();
	test_deep_bands();
	is_u64(budget.used, 0, "all memory was given back");
	return done_testing();
}
