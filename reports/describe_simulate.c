/* SPDX-License-Identifier: MIT
 * describe_simulate.c -- a trace under other allocator settings: the check, runs, losses, advice.
 */
#include <inttypes.h>
#include <stdio.h>

#include "reports/describe.h"
#include "reports/simulate_report.h"

const char *simulate_settings_words(const struct simulate_run *run)
{
	return *run->settings ? run->settings : "(defaults)";
}

/* The oom that ends the run: one the program did not get over. */
static const struct simulate_oom *fatal_oom(const struct simulate_run *run)
{
	for (size_t i = run->n_ooms; i-- > 0;)
		if (!run->ooms[i].handled)
			return &run->ooms[i];
	return NULL;
}

const char *simulate_end_words(const struct simulate_run *run)
{
	switch (run->survives) {
	case SURVIVES_YES:
		return run->passed ? "passes" : "fits";
	case SURVIVES_UNKNOWN:
		return "not sure";
	default:
		return "out of memory";
	}
}

/* --- the check --------------------------------------------------------------------------------- */

static void difference_words(const struct simulate_check *c, char *buf, size_t size)
{
	char a[UNITS_BUF], b[UNITS_BUF], event[UNITS_BUF];

	describe_event(event, c->event);
	switch (c->kind) {
	case DIFFERENCE_ADDRESS:
		(void)snprintf(buf, size, "%s is at 0x%" PRIx64 ", by the model at 0x%" PRIx64,
			       event, c->expected, c->found);
		return;
	case DIFFERENCE_BLOCK:
		(void)snprintf(buf, size,
			       "after %s the block at 0x%" PRIx64 " has %s, by the model %s", event,
			       c->address, units_bytes(a, c->expected), units_bytes(b, c->found));
		return;
	case DIFFERENCE_OOM:
		(void)snprintf(buf, size, "%s runs out of memory in the model only", event);
		return;
	case DIFFERENCE_NO_OOM:
		(void)snprintf(buf, size, "the oom of %s does not happen in the model", event);
		return;
	case DIFFERENCE_ALLOCS:
	case DIFFERENCE_FREES:
		(void)snprintf(buf, size, "the trace %s device memory %s times, the model %s times",
			       c->kind == DIFFERENCE_ALLOCS ? "got" : "gave back",
			       units_count(a, c->expected), units_count(b, c->found));
		return;
	default:
		(void)snprintf(buf, size, "what lived before the trace is not known");
		return;
	}
}

static void describe_check(struct emit *e, const struct simulate_report *r)
{
	const struct simulate_check *c = &r->s->check;
	char words[256], count[UNITS_BUF];

	emit_object_begin(e, "self_check", NULL);
	emit_bool(e, "ok", NULL, c->ok);
	emit_u64(e, "events", NULL, c->events);
	if (c->ok) {
		emit_null(e, "first_difference", NULL);
	} else {
		emit_object_begin(e, "first_difference", NULL);
		emit_str(e, "kind", NULL, simulate_difference_name(c->kind));
		emit_event(e, "event", NULL, c->event);
		emit_addr(e, "address", NULL, c->address);
		emit_u64(e, "expected", NULL, c->expected);
		emit_u64(e, "found", NULL, c->found);
		emit_object_end(e);
	}
	emit_object_end(e);
	if (c->ok) {
		emit_prose(e,
			   "The model gives all %s addresses of the trace and every block at its "
			   "end, so what it says of other settings can be relied on.",
			   units_count(count, c->n_allocs));
	} else {
		difference_words(c, words, sizeof words);
		emit_prose(e,
			   "The model does not reproduce this trace: %s. What follows is an "
			   "estimate.",
			   words);
	}
}

/* --- what it rests on -------------------------------------------------------------------------- */

static void describe_limits(struct emit *e, const struct requests *q)
{
	static const char *const names[] = {
		[REQUEST_UNLIMITED] = NULL,
		[REQUEST_DEVICE] = "device",
		[REQUEST_ALLOWED] = "process_limit",
	};
	const struct request_room *last = q->rooms.n ? &q->rooms.at[q->rooms.n - 1] : NULL;

	emit_object_begin(e, "room", NULL);
	emit_str(e, "kind", NULL, names[q->limit]);
	emit_bytes(e, "low_bytes", NULL, last ? last->low : BYTES_NONE);
	emit_bytes(e, "high_bytes", NULL, last ? last->high : BYTES_NONE);
	emit_object_end(e);
}

static void describe_notes(struct emit *e, const struct simulate_report *r)
{
	const struct requests *q = &r->s->requests;
	char count[UNITS_BUF];

	if (r->scale != 100)
		emit_prose(e, "Estimate: sizes of what a step makes and frees are scaled to %u %%.",
			   r->scale);
	if (!requests_are_whole(q))
		emit_prose(e, "The trace begins late: what lived then is asked for first, in the "
			      "order of addresses; what was cached then is left out.");
	if (q->n_waits)
		emit_prose(e,
			   "%s frees waited for another stream; when they ended is taken from the "
			   "trace.",
			   units_count(count, q->n_waits));
	if (q->pools_guessed)
		emit_prose(e, "The pool of private segments that are gone is not in the file.");
}

static void describe_ideal(struct emit *e, const struct simulate_report *r)
{
	const struct simulation *s = r->s;
	uint64_t live = s->check.ok ? s->peak_live : r->n_runs ? r->runs[0].peak_requested : 0;

	emit_object_begin(e, "ideal", NULL);
	emit_bytes(e, "peak_live_bytes", "peak of live bytes (perfect compaction)",
		   live ? live : BYTES_NONE);
	emit_bytes(e, "trace_peak_reserved_bytes", "peak reserved in the trace",
		   s->trace_peak_reserved);
	emit_object_end(e);
	emit_u64(e, "waiting_frees", NULL, s->requests.n_waits);
	emit_u64(e, "explicit_releases", NULL, s->requests.n_explicit);
	emit_bool(e, "whole", NULL, requests_are_whole(&s->requests));
	describe_limits(e, &s->requests);
	emit_object_begin(e, "scale", NULL);
	emit_u64(e, "percent", NULL, r->scale);
	emit_bool(e, "estimate", NULL, r->scale != 100);
	emit_object_end(e);
}

/* --- runs -------------------------------------------------------------------------------------- */

static void describe_ooms(struct emit *e, const struct simulate_run *run)
{
	emit_array_begin(e, "ooms", NULL);
	for (size_t i = 0; i < run->n_ooms; i++) {
		const struct simulate_oom *o = &run->ooms[i];

		emit_object_begin(e, NULL, NULL);
		emit_event(e, "event", NULL, o->event);
		emit_bytes(e, "requested_bytes", NULL, o->requested);
		emit_bytes(e, "short_bytes", NULL, o->short_bytes);
		emit_bool(e, "in_trace", NULL, o->in_trace);
		emit_bool(e, "handled", NULL, o->handled);
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void describe_loss(struct emit *e, const struct simulate_run *run)
{
	emit_object_begin(e, "loss", NULL);
	emit_event(e, "event", NULL, run->peak_event);
	emit_bytes(e, "requested_bytes", NULL, run->loss.requested);
	emit_bytes(e, "rounding_bytes", NULL, run->loss.rounding);
	emit_bytes(e, "slack_bytes", NULL, run->loss.slack);
	emit_bytes(e, "hole_bytes", NULL, run->loss.holes);
	emit_bytes(e, "cached_bytes", NULL, run->loss.cached);
	emit_bytes(e, "pending_bytes", NULL, run->loss.pending);
	emit_bytes(e, "private_idle_bytes", NULL, run->loss.private_idle);
	emit_object_end(e);
}

static void describe_numbers(struct emit *e, const struct simulate_run *run)
{
	emit_bytes(e, "peak_active_bytes", NULL, run->peak_active);
	emit_bytes(e, "peak_requested_bytes", NULL, run->peak_requested);
	emit_bytes(e, "end_reserved_bytes", NULL, run->end_reserved);
	emit_u64(e, "device_allocs_low", NULL, run->device_allocs.low);
	emit_u64(e, "device_allocs_high", NULL, run->device_allocs.high);
	emit_u64(e, "device_frees", NULL, run->device_frees);
	emit_u64(e, "retries", NULL, run->retries);
	emit_event(e, "peak_event", NULL, run->peak_event);
	emit_event(e, "reached_event", NULL, run->reached);
	emit_u64(e, "ooms_passed", NULL, run->passed);
}

static void range_words(const struct simulate_run *run, char buf[2 * UNITS_BUF + 8])
{
	const struct simulate_range *r = &run->peak_reserved;
	char low[UNITS_BUF], high[UNITS_BUF];

	if (r->low == r->high)
		(void)snprintf(buf, 2 * UNITS_BUF + 8, "%s", run->exact ? "exact" : "the same");
	else
		(void)snprintf(buf, 2 * UNITS_BUF + 8, "%s to %s", units_bytes(low, r->low),
			       units_bytes(high, r->high));
}

static void describe_run(struct emit *e, const struct simulate_run *run, bool ok)
{
	char range[2 * UNITS_BUF + 8];

	emit_row_begin(e);
	emit_str(e, "settings", NULL, run->settings);
	emit_u64(e, "placements", NULL, run->placements);
	emit_bool(e, "placement_matters", NULL, run->placement_matters);
	emit_bool(e, "own_settings", NULL, run->own);
	emit_bool(e, "exact", NULL, run->exact);
	emit_bytes(e, "peak_reserved_bytes", "reserved", run->peak_reserved.plain);
	emit_bytes(e, "peak_reserved_bytes_low", NULL, run->peak_reserved.low);
	emit_bytes(e, "peak_reserved_bytes_high", NULL, run->peak_reserved.high);
	if (!emit_is_json(e)) {
		range_words(run, range);
		emit_str(e, "range", "by placement", ok ? range : "estimate");
	}
	emit_bytes(e, "peak_allocated_bytes", "allocated", run->peak_allocated.plain);
	emit_bytes(e, "peak_allocated_bytes_low", NULL, run->peak_allocated.low);
	emit_bytes(e, "peak_allocated_bytes_high", NULL, run->peak_allocated.high);
	emit_u64(e, "device_allocs", "calls", run->device_allocs.plain);
	describe_numbers(e, run);
	describe_ooms(e, run);
	if (run->survives == SURVIVES_UNKNOWN)
		emit_null(e, "survives", NULL);
	else
		emit_bool(e, "survives", NULL, run->survives == SURVIVES_YES);
	describe_loss(e, run);
	if (!emit_is_json(e)) {
		emit_str(e, "end", "end", simulate_end_words(run));
		emit_str(e, "words", "settings", simulate_settings_words(run));
	}
	emit_row_end(e);
}

static void describe_losses(struct emit *e, const struct simulate_report *r)
{
	if (emit_is_json(e) || !r->n_runs)
		return;
	emit_table_begin(e, NULL, "Where reserved bytes are at that peak");
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct sim_loss *l = &r->runs[i].loss;

		emit_row_begin(e);
		emit_bytes(e, "requested", "requested", l->requested);
		emit_bytes(e, "rounding", "rounding", l->rounding);
		emit_bytes(e, "slack", "unsplit rests", l->slack);
		emit_bytes(e, "holes", "holes", l->holes);
		emit_bytes(e, "cached", "idle segments", l->cached);
		emit_str(e, "settings", "settings", simulate_settings_words(&r->runs[i]));
		emit_row_end(e);
	}
	emit_table_end(e);
}

/* Where a run ends, when it does not simply fit. */
static void tell_end(struct emit *e, const struct simulate_run *run)
{
	const struct simulate_oom *o = fatal_oom(run);
	const char *settings = simulate_settings_words(run);
	char bytes[UNITS_BUF], event[UNITS_BUF];

	if (run->survives == SURVIVES_YES && run->passed)
		emit_prose(
			e,
			"- %s: the oom of the trace would have passed. The trace ends there; the "
			"program would have come at least to %s.",
			settings, describe_event(event, run->reached));
	else if (run->survives != SURVIVES_YES && o)
		emit_prose(e, "- %s: out of memory at %s, %s short%s.", settings,
			   describe_event(event, o->event), units_bytes(bytes, o->short_bytes),
			   run->survives == SURVIVES_UNKNOWN
				   ? ", or not: the trace only bounds how much memory there was"
				   : "");
	else if (run->survives == SURVIVES_UNKNOWN)
		emit_prose(e, "- %s: passes or not, depending on placement.", settings);
}

static void tell_ends(struct emit *e, const struct simulate_report *r)
{
	bool any = false;

	for (size_t i = 0; i < r->n_runs; i++)
		any |= r->runs[i].survives != SURVIVES_YES || r->runs[i].passed;
	if (!any || emit_is_json(e))
		return;
	emit_heading(e, "How it ends");
	for (size_t i = 0; i < r->n_runs; i++)
		tell_end(e, &r->runs[i]);
}

/* --- advice ------------------------------------------------------------------------------------ */

/* "+1,200" */
static const char *signed_count(char buf[UNITS_BUF + 1], int64_t n)
{
	buf[0] = n < 0 ? '-' : '+';
	units_count(buf + 1, n < 0 ? -(uint64_t)n : (uint64_t)n);
	return buf;
}

static void advice_words(struct emit *e, const struct simulate_advice *a)
{
	char saves[UNITS_BUF], peak[UNITS_BUF], extra[UNITS_BUF];
	char allocs[UNITS_BUF + 1], frees[UNITS_BUF + 1];

	emit_prose(e,
		   "- %s: peak reserved at most %s%s%s%s. Its price: %s%s of rounding, %s "
		   "calls for device memory, %s that give it back.",
		   a->settings, units_bytes(peak, a->peak_high), a->saves ? ", at least " : "",
		   a->saves ? units_bytes(saves, a->saves) : "",
		   a->rescues ? (a->saves ? " less, and it passes" : ", and it passes")
		   : a->saves ? " less"
			      : "",
		   a->extra_rounding < 0 ? "-" : "+",
		   units_bytes(extra, (uint64_t)(a->extra_rounding < 0 ? -a->extra_rounding
								       : a->extra_rounding)),
		   signed_count(allocs, a->extra_device_allocs),
		   signed_count(frees, a->extra_device_frees));
}

static void describe_advice(struct emit *e, const struct simulate_report *r)
{
	if (r->advised)
		emit_heading(e, "Advice");
	emit_array_begin(e, "advice", NULL);
	for (size_t i = 0; i < r->n_advice; i++) {
		const struct simulate_advice *a = &r->advice[i];

		emit_object_begin(e, NULL, NULL);
		emit_str(e, "settings", NULL, a->settings);
		emit_bytes(e, "peak_reserved_bytes", NULL, a->peak_reserved);
		emit_bytes(e, "peak_reserved_bytes_high", NULL, a->peak_high);
		emit_bytes(e, "saves_bytes", NULL, a->saves);
		emit_bool(e, "survives", NULL, a->rescues);
		emit_i64(e, "extra_rounding_bytes", NULL, a->extra_rounding);
		emit_i64(e, "extra_device_allocs", NULL, a->extra_device_allocs);
		emit_i64(e, "extra_device_frees", NULL, a->extra_device_frees);
		emit_object_end(e);
		if (!emit_is_json(e))
			advice_words(e, a);
	}
	emit_array_end(e);
	if (r->advised && !r->n_advice)
		emit_prose(e, "%s",
			   r->s->check.ok
				   ? "No setting tried is better than the trace's own beyond doubt."
				   : "None: the model does not reproduce this trace.");
}

void describe_simulate(struct emit *e, const struct simulate_report *r)
{
	char own[ALLOC_CONF_BUF], device[UNITS_BUF];

	alloc_conf_words(own, &r->model->settings);
	emit_i64(e, "device", NULL, r->s->requests.device->index);
	emit_str(e, "trace_settings", NULL, own);
	emit_prose(e, "%s, recorded with %s.",
		   describe_device_name(device, r->s->requests.device->index),
		   *own ? own : "the default settings");
	describe_check(e, r);
	describe_notes(e, r);
	describe_ideal(e, r);
	emit_table_begin(e, "runs", "Peaks under other settings, and calls for device memory");
	for (size_t i = 0; i < r->n_runs; i++)
		describe_run(e, &r->runs[i], r->s->check.ok);
	emit_table_end(e);
	describe_losses(e, r);
	tell_ends(e, r);
	describe_advice(e, r);
}
