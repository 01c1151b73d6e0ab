/* SPDX-License-Identifier: MIT
 * test_timeline_walk.c -- a timeline of a trace against what the allocator held at every event.
 */
#include "passes/timeline.h"
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

static void must(int rc, const struct error *err)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err->text);
		exit(1);
	}
}

/* Timeline of the model's first device. */
static struct timeline run(struct mk_model *k, struct timeline_options o)
{
	const struct device *d = &k->m->devices.at[0];
	struct timeline t;
	struct replay *r;
	struct error err;

	must(replay_new(&r, k->m, d, &k->budget, &err), &err);
	must(timeline_run(&t, k->m, r, d, &o, &k->budget, &err), &err);
	replay_free(r);
	return t;
}

static struct timeline_options whole(const struct mk_model *k, size_t columns, bool by_event)
{
	return (struct timeline_options){.columns = columns,
					 .by_event = by_event,
					 .from = EVENT_START,
					 .to = (int64_t)k->m->devices.at[0].n_events - 1,
					 .max_bands = 100};
}

/* --- against a plain allocator ----------------------------------------------------------------- */

/* allocated, active, requested, and allocated of blocks from before the trace, after an event. */
static void mini_totals(const struct mini_state *s, uint64_t v[4])
{
	memset(v, 0, 4 * sizeof *v);
	for (size_t i = 0; i < s->n; i++) {
		const struct mini_block *b = &s->blocks[i];

		if (b->state == BLOCK_INACTIVE)
			continue;
		v[1] += b->size;
		v[2] += b->requested;
		if (b->state == BLOCK_ACTIVE) {
			v[0] += b->size;
			v[3] += b->born == EVENT_START ? b->size : 0;
		}
	}
}

/* Every column by event: min, max, first and last of what the allocator held in it. */
static unsigned compare_columns(const struct timeline *t, const struct mini *a)
{
	static const enum timeline_series series[4] = {TIMELINE_ALLOCATED, TIMELINE_ACTIVE,
						       TIMELINE_REQUESTED, TIMELINE_BEFORE};
	size_t n = t->series.n_columns;
	int64_t state = t->from; /* the state after this event */
	unsigned bad = 0;

	for (size_t c = 0; c < n; c++) {
		uint64_t now[4], min[4], max[4];

		/* What held at the left edge. */
		mini_totals(&a->states[state + 1], now);
		for (int s = 0; s < 4; s++) {
			bad += reduce_cell(&t->series, c, series[s])->first != now[s];
			min[s] = max[s] = now[s];
		}
		while (state < t->to && timeline_column(t, (uint64_t)(state + 1 - t->from)) == c) {
			mini_totals(&a->states[++state + 1], now);
			for (int s = 0; s < 4; s++) {
				min[s] = now[s] < min[s] ? now[s] : min[s];
				max[s] = now[s] > max[s] ? now[s] : max[s];
			}
		}
		for (int s = 0; s < 4; s++) {
			const struct reduce_cell *cell = reduce_cell(&t->series, c, series[s]);

			bad += cell->min != min[s] || cell->max != max[s] || cell->last != now[s];
		}
	}
	return bad + (state != t->to);
}

static void compare_peak(const struct timeline *t, const struct mini *a)
{
	uint64_t v[4], best = 0;
	int64_t at = t->from;

	for (int64_t e = t->from; e <= t->to; e++) {
		mini_totals(&a->states[e + 1], v);
		if (v[0] > best) {
			best = v[0];
			at = e;
		}
	}
	is_u64(t->peak.totals.allocated, best, "the peak is the highest of all states");
	is_i64(t->peak.event, at, "at its first event");
}

static void test_random(uint64_t seed, bool expandable)
{
	struct mini a;
	struct mk_model k;
	struct timeline t;
	struct timeline_options o;

	mini_init(&a,
		  (struct mini_options){.seed = seed, .n_streams = 3, .expandable = expandable});
	mini_run(&a, 200);
	mini_record(&a);
	mini_run(&a, 600);
	mini_model(&a, &k);
	o = whole(&k, 53, true);
	t = run(&k, o);
	is_u64(compare_columns(&t, &a), 0, "seed %" PRIu64 ": every column, whole trace", seed);
	compare_peak(&t, &a);
	timeline_release(&t);
	o.from = (int64_t)a.n_events / 3;
	o.to = (int64_t)a.n_events / 2;
	t = run(&k, o);
	is_u64(compare_columns(&t, &a), 0, "seed %" PRIu64 ": every column, a window", seed);
	compare_peak(&t, &a);
	timeline_release(&t);
	ok(mk_model_release(&k), "no memory is left");
	mini_release(&a);
}

/* --- axes -------------------------------------------------------------------------------------- */

/* One segment, `n` pairs of alloc and free of 1 KiB, the middle one of 1 MiB. */
static void spiky_model(struct mk_model *k, size_t n)
{
	mk_model_init(k);
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, 20 * MIB, 20 * MIB);
	for (size_t i = 0; i < n; i++) {
		uint64_t size = i == n / 2 ? 12 * MIB : 1280 * KIB;

		mk_model_event(k, ACTION_ALLOC, 20 * MIB, size);
		mk_model_event(k, ACTION_FREE_REQUESTED, 20 * MIB, size);
		mk_model_event(k, ACTION_FREE_COMPLETED, 20 * MIB, size);
	}
	mk_model_segment(k, 20 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(k, BLOCK_INACTIVE, 20 * MIB, 0);
}

static void test_spike_in_a_trace(void)
{
	struct mk_model k;
	struct timeline t;
	size_t n = 340000, seen = 0;

	spiky_model(&k, n);
	mk_model_done(&k);
	for (int by_event = 0; by_event < 2; by_event++) {
		t = run(&k, whole(&k, 1000, by_event));
		seen = 0;
		for (size_t c = 0; c < 1000; c++)
			seen += reduce_cell(&t.series, c, TIMELINE_ALLOCATED)->max == 12 * MIB;
		ok(seen >= 1 && seen <= 2, "one alloc among a million events is seen, by %s",
		   by_event ? "event" : "time");
		is_i64(t.peak.event, 1 + 3 * (int64_t)(n / 2), "and is the peak");
		is_u64(t.by_event, by_event, "on the axis asked for");
		timeline_release(&t);
	}
	mk_model_release(&k);
}

static void set_times(struct mk_model *k, int64_t time, int64_t step)
{
	for (size_t i = 0; i < k->m->events.time_us.n; i++, time += step)
		k->m->events.time_us.at[i] = time;
}

static void test_axes(void)
{
	struct mk_model k;
	struct timeline t;

	spiky_model(&k, 10);
	mk_model_done(&k);
	set_times(&k, TIME_NONE, 0);
	t = run(&k, whole(&k, 100, false));
	ok(t.by_event && t.reason == TIMELINE_NO_TIMES, "no times: by event, and the reason");
	is_u64(t.span, 32, "31 events and the state before them");
	is_i64(t.zero_us, TIME_NONE, "no time of zero");
	timeline_release(&t);

	set_times(&k, 5000, 0);
	t = run(&k, whole(&k, 100, false));
	ok(t.by_event && t.reason == TIMELINE_ONE_TIME, "one time for all: by event");
	timeline_release(&t);

	set_times(&k, INT64_MIN + 1, 1);
	k.m->events.time_us.at[30] = INT64_MAX;
	t = run(&k, whole(&k, 100, false));
	is_u64(t.span, UINT64_MAX - 1, "the widest span of times");
	is_u64(timeline_column(&t, t.span), 99, "ends in the last column");
	timeline_release(&t);

	set_times(&k, 1000, 10);
	k.m->events.time_us.at[7] = 3;
	k.m->events.time_us.at[8] = TIME_NONE;
	t = run(&k, whole(&k, 100, false));
	is_u64(t.n_times_back, 1, "a time that steps back is counted");
	is_i64(t.zero_us, 1000, "zero is the first time");
	is_u64(t.span, 300, "and the span reaches to the last");
	is_u64(t.n_events, 31, "no event is lost");
	timeline_release(&t);
	mk_model_release(&k);
}

static void test_start_and_oom(void)
{
	struct mk_model k;
	struct timeline t;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event(&k, ACTION_OOM, 7 * MIB, 30 * MIB);
	mk_model_event(&k, ACTION_FREE_REQUESTED, 20 * MIB, 5 * MIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, 20 * MIB, 5 * MIB);
	mk_model_event(&k, ACTION_OOM, BYTES_NONE, 40 * MIB);
	mk_model_segment(&k, 20 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_INACTIVE, 5 * MIB, 0);
	mk_model_block(&k, BLOCK_ACTIVE, 15 * MIB, 15 * MIB);
	mk_model_done(&k);
	t = run(&k, whole(&k, 10, true));
	is_i64(t.peak.event, EVENT_START, "the peak may lie before the first event");
	is_u64(t.start.totals.allocated, 20 * MIB, "where all blocks lived");
	is_u64(reduce_cell(&t.series, 0, TIMELINE_BEFORE)->first, 20 * MIB,
	       "they are from before the trace");
	is_u64(reduce_cell(&t.series, 9, TIMELINE_BEFORE)->last, 15 * MIB, "until they go");
	is_u64(t.highest_pending, 0, "a free completed at once waited for nothing");
	is_u64(t.ooms.n, 2, "two ooms");
	is_u64(t.ooms.at[0].requested, 30 * MIB, "the first asked for");
	is_u64(t.ooms.at[0].device_free, 7 * MIB, "while so much was free");
	is_u64(t.ooms.at[0].at.totals.allocated, 20 * MIB, "and so much allocated");
	is_u64(t.ooms.at[1].device_free, BYTES_NONE, "the second does not tell");
	timeline_release(&t);
	mk_model_release(&k);
}

static void test_no_events(void)
{
	struct mk_model k;
	struct timeline t;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_segment(&k, 20 * MIB, 20 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, 20 * MIB, 19 * MIB);
	mk_model_done(&k);
	t = run(&k, whole(&k, 10, false));
	is_u64(reduce_cell(&t.series, 9, TIMELINE_ALLOCATED)->min, 20 * MIB,
	       "without events the file's segments fill the picture");
	is_u64(t.highest[TIMELINE_RESERVED], 20 * MIB, "reserved too");
	is_u64(t.span, 1, "on an axis of one state");
	timeline_release(&t);
	mk_model_release(&k);
}

/* Annotations by time and by event, one before the trace and one behind it. */
static void test_annotations(void)
{
	static const struct {
		const char *name;
		bool is_end;
		int64_t us;
	} rows[] = {{"early", false, 10},  {"early", true, 20},       {"step", false, 1100},
		    {"step", true, 1200},  {"late", false, 5000},     {"late", true, 6000},
		    {"open", false, 1250}, {"none", false, TIME_NONE}};
	struct mk_model k;
	struct timeline t;
	struct error err;

	spiky_model(&k, 10);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct annotation a = {.time_us = rows[i].us, .is_end = rows[i].is_end};

		must(strtab_add(&k.m->strings, rows[i].name, strlen(rows[i].name), &a.name, &err),
		     &err);
		must(vec_push(&k.m->annotations, a, &k.budget, &err), &err);
	}
	mk_model_done(&k);
	set_times(&k, 1000, 10);
	t = run(&k, whole(&k, 300, false));
	is_u64(t.n_unplaced_marks, 1, "a mark without time has no place");
	is_u64(t.bands.n_outside, 2, "two spans lie outside");
	is_u64(t.bands.drawn.n, 2, "two are drawn");
	ok(t.bands.drawn.at[0].from == 100 && t.bands.drawn.at[0].to == 200, "by time");
	ok(t.bands.drawn.at[1].to == 300 && t.bands.drawn.at[1].never_ended,
	   "what never ended reaches to the edge");
	timeline_release(&t);
	t = run(&k, whole(&k, 300, true));
	ok(t.bands.drawn.at[0].from == 11 && t.bands.drawn.at[0].to == 21,
	   "by event: from the last event not later, one slot after the start");
	timeline_release(&t);
	mk_model_release(&k);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 6; seed++)
		test_random(seed, seed % 2 == 0);
	test_spike_in_a_trace();
	test_axes();
	test_start_and_oom();
	test_no_events();
	test_annotations();
	return done_testing();
}
