/* SPDX-License-Identifier: MIT
 * test_report_data.c -- what a page leaves out when it would become too large, and in which order.
 */
#include "reports/report_parts.h"
#include "tests/lib/mini_allocator.h"
#include "tests/lib/tap.h"

#define N_BLOCKS     400
#define LITTLE_BYTES 3400

static struct error err;

/* A device whose addresses and times nothing foretells. */
struct scene {
	struct mk_model k;
	struct budget budget;
	struct rules *rules;
	struct replay *replay;
	struct purpose *purpose;
	struct report_stacks stacks;
	struct timeline timeline;
	struct report_device device;
};

static void irregular(struct mk_model *k, bool oom)
{
	struct mini dice = {.random = 11};
	uint64_t where[N_BLOCKS] = {0};
	int64_t now = 1000000;

	mk_model_init(k);
	mk_model_device(k, 0);
	for (size_t i = 0; i < 3000; i++) {
		uint64_t *at = &where[mini_random(&dice, N_BLOCKS)];
		/* The most lives in the middle. */
		bool fill = mini_random(&dice, 3000) > (i < 1500 ? i : 4000 - i);
		size_t row;

		if (!*at && !fill)
			*at = (1 + mini_random(&dice, 1u << 30)) * 512;
		else if (*at)
			fill = true;
		else
			continue;
		row = mk_model_event(k, fill ? ACTION_FREE_COMPLETED : ACTION_ALLOC, *at,
				     512 * (1 + *at % 7));
		k->m->events.time_us.at[row] = now += (int64_t)mini_random(&dice, 5000);
		if (fill)
			*at = 0;
	}
	if (oom) {
		mk_model_event(k, ACTION_OOM, 0, MIB);
		for (uint64_t i = 0; i < 200; i++)
			mk_model_event(k, ACTION_ALLOC, (UINT64_C(1) << 42) + i * 512, 512);
	}
	mk_model_done(k);
}

static bool scene_init(struct scene *s, bool oom)
{
	const struct device *d;

	*s = (struct scene){.budget = {.limit = UINT64_MAX}};
	irregular(&s->k, oom);
	d = &s->k.m->devices.at[0];
	if (rules_new(&s->rules, &s->budget, &err) < 0 ||
	    replay_new(&s->replay, s->k.m, d, &s->budget, &err) < 0 ||
	    purpose_new(&s->purpose, s->rules, s->k.m, s->replay, d, NULL, &s->budget, &err) < 0 ||
	    report_stacks_init(&s->stacks, s->k.m, &s->budget, &err) < 0 ||
	    timeline_run(
		    &s->timeline, s->k.m, s->replay, d,
		    &(struct timeline_options){
			    .from = EVENT_START, .to = (int64_t)d->n_events - 1, .columns = 10},
		    &s->budget, &err) < 0)
		return ok(false, "a scene: %s", err.text);
	s->device = (struct report_device){
		.device = d, .replay = s->replay, .purpose = s->purpose, .timeline = &s->timeline};
	return true;
}

static void scene_release(struct scene *s)
{
	timeline_release(&s->timeline);
	report_stacks_release(&s->stacks);
	purpose_free(s->purpose);
	replay_free(s->replay);
	rules_free(s->rules);
	is_u64(s->budget.used, 0, "all memory is given back");
	mk_model_release(&s->k);
}

static bool fit(struct scene *s, uint64_t max_bytes, struct report_data *out)
{
	return report_data_run(out, &s->device, &s->stacks, max_bytes, &s->budget, &err) == 0;
}

static uint64_t whole_bytes(struct scene *s)
{
	struct report_data data;
	uint64_t bytes = 0;

	if (fit(s, UINT64_MAX, &data)) {
		bytes = report_data_bytes(&data);
		ok(data.columns.detail == REPORT_EXACT, "without a limit nothing is left out");
	}
	report_columns_release(&data.columns);
	return bytes;
}

static void check_order(void)
{
	bool seen[REPORT_WINDOW + 1] = {false}, within = true, ordered = true;
	enum report_detail last = REPORT_EXACT;
	int64_t events = INT32_MAX;
	struct scene s;
	uint64_t whole;

	if (!scene_init(&s, false))
		return;
	whole = whole_bytes(&s);
	for (uint64_t max = whole; max > whole / 4; max -= whole / 50) {
		struct report_data data;

		if (!ok(fit(&s, max, &data), "%" PRIu64 " bytes", max))
			break;
		ordered &= data.columns.detail >= last;
		/* One event is told in any case. */
		within &=
			report_data_bytes(&data) <= max || data.columns.to - data.columns.from == 1;
		/* Less room, no more events; the estimate leaves some slack. */
		ordered &= data.columns.to - data.columns.from <= events + events / 10;
		last = data.columns.detail;
		seen[last] = true;
		events = data.columns.to - data.columns.from;
		report_columns_release(&data.columns);
	}
	ok(ordered, "less room never tells more");
	ok(within, "what is told fits");
	ok(seen[REPORT_EXACT] && seen[REPORT_COARSE_TIMES] && seen[REPORT_NO_ADDRESSES] &&
		   seen[REPORT_WINDOW],
	   "times go first, then addresses, then events");
	scene_release(&s);
}

/* The part that is told when not all fits. */
static void check_window(void)
{
	struct report_data data;
	char words[400];
	struct scene s;
	int64_t peak;

	if (!scene_init(&s, false))
		return;
	peak = replay_summary(s.replay)->allocated.event;
	if (ok(fit(&s, LITTLE_BYTES, &data), "little room")) {
		ok(data.columns.detail == REPORT_WINDOW && data.columns.from < peak &&
			   data.columns.to >= peak,
		   "the peak is told: %" PRId64 " in %" PRId64 " to %" PRId64, peak,
		   data.columns.from, data.columns.to);
		ok(strstr(report_left_out(&data, words, sizeof words), "a part of the events only"),
		   "and the page says so");
	}
	report_columns_release(&data.columns);
	if (ok(fit(&s, 1, &data), "no room at all"))
		is_i64(data.columns.to - data.columns.from, 1, "one event is told");
	report_columns_release(&data.columns);
	scene_release(&s);

	if (!scene_init(&s, true))
		return;
	if (ok(fit(&s, LITTLE_BYTES, &data), "little room, and an oom"))
		is_i64(data.columns.to, (int64_t)s.device.device->n_events - 201,
		       "what is told ends with the oom");
	report_columns_release(&data.columns);
	scene_release(&s);
}

int main(void)
{
	check_order();
	check_window();
	return done_testing();
}
