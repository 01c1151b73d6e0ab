/* SPDX-License-Identifier: MIT
 * describe_info.c -- what is in a file, on one screen.
 */
#include "reports/describe.h"
#include "reports/explain_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Rows that people see of lists without an end. */
#define TEXT_MAX_OOMS  8
#define TEXT_MAX_NAMES 10

static const char *const format_words[] = {
	[CONTAINER_PICKLE] = "pickle",
	[CONTAINER_JSON] = "json",
	[CONTAINER_HTML] = "html",
	[CONTAINER_RING] = "ring",
	[CONTAINER_TRACE] = "chrome_trace",
	[CONTAINER_TIMELINE_JSON] = "memory_timeline",
	[CONTAINER_TIMELINE_RAW] = "memory_timeline_raw",
};
/* And in a sentence. */
static const char *const format_titles[] = {
	[CONTAINER_PICKLE] = "pickle",
	[CONTAINER_JSON] = "JSON",
	[CONTAINER_HTML] = "pickle",
	[CONTAINER_RING] = "ring of a recording",
	[CONTAINER_TRACE] = "chrome trace",
	[CONTAINER_TIMELINE_JSON] = "memory timeline",
	[CONTAINER_TIMELINE_RAW] = "raw memory timeline",
};
static const char *const compression_words[] = {"none", "gzip", "zstd"};

/* The few places where text says in one line what JSON says in several keys. */
static void line_container(struct emit *e, const struct model *m)
{
	char raw[UNITS_BUF], decoded[UNITS_BUF], protocol[32] = "", packed[120] = "";
	char line[240];

	if (m->pickle_protocol >= 0)
		snprintf(protocol, sizeof protocol, " protocol %d", m->pickle_protocol);
	if (m->compression != COMPRESSION_NONE)
		snprintf(packed, sizeof packed, ", %s in %s",
			 emit_words_bytes(e, raw, m->raw_bytes), compression_words[m->compression]);
	snprintf(packed + strlen(packed), sizeof packed - strlen(packed), ", %s%s",
		 emit_words_bytes(e, decoded, m->decoded_bytes),
		 m->compression != COMPRESSION_NONE ? " unpacked" : "");
	snprintf(line, sizeof line, "%s%s%s%s", format_titles[m->format], protocol,
		 m->format == CONTAINER_HTML ? " in a web page" : "", packed);
	emit_str(e, NULL, "file", line);
}

static void describe_container(struct emit *e, const struct model *m)
{
	emit_object_begin(e, "container", NULL);
	emit_str(e, "format", NULL, format_words[m->format]);
	emit_str(e, "compression", NULL, compression_words[m->compression]);
	if (m->pickle_protocol >= 0)
		emit_i64(e, "pickle_protocol", NULL, m->pickle_protocol);
	else
		emit_null(e, "pickle_protocol", NULL);
	emit_bytes(e, "bytes", NULL, m->raw_bytes);
	emit_bytes(e, "decoded_bytes", NULL, m->decoded_bytes);
	emit_object_end(e);
	line_container(e, m);
}

static void describe_stacks(struct emit *e, const struct model *m)
{
	uint64_t unique = stacks_count(&m->stacks), frames = stacks_frame_count(&m->stacks);
	char line[160], a[64], b[64];

	emit_object_begin(e, "stacks", NULL);
	emit_u64(e, "unique", NULL, unique);
	emit_u64(e, "frames", NULL, frames);
	emit_object_end(e);
	units_noun(a, sizeof a, unique, "stack", "stacks");
	units_noun(b, sizeof b, frames, "frame", "frames");
	if (!unique)
		snprintf(line, sizeof line, "none were kept");
	else
		snprintf(line, sizeof line, "%s of %s, %s", a, b,
			 m->stacks_python_only ? "Python only" : "Python and C++");
	emit_str(e, NULL, "stacks", line);
}

void describe_totals(struct emit *e, const struct totals *t)
{
	emit_bytes(e, "reserved_bytes", NULL, t->reserved);
	emit_bytes(e, "allocated_bytes", NULL, t->allocated);
	emit_bytes(e, "active_bytes", NULL, t->active);
	emit_bytes(e, "requested_bytes", NULL, t->requested);
}

const char *describe_device_name(char buf[UNITS_BUF], int32_t index)
{
	if (index == DEVICE_HOST)
		snprintf(buf, UNITS_BUF, "Pinned host memory");
	else
		snprintf(buf, UNITS_BUF, "Device %" PRId32, index);
	return buf;
}

const char *describe_event(char buf[UNITS_BUF], int64_t event)
{
	char number[UNITS_BUF];

	if (event == EVENT_START)
		snprintf(buf, UNITS_BUF, "the start");
	else
		snprintf(buf, UNITS_BUF, "event %.40s", units_count(number, (uint64_t)event));
	return buf;
}

static void row_totals(struct emit *e, const char *name, const struct totals *t, bool has_event,
		       int64_t event)
{
	emit_row_begin(e);
	emit_str(e, NULL, "", name);
	emit_bytes(e, NULL, "reserved", t->reserved);
	emit_bytes(e, NULL, "allocated", t->allocated);
	emit_bytes(e, NULL, "active", t->active);
	emit_bytes(e, NULL, "requested", t->requested);
	if (has_event)
		emit_event(e, NULL, "at event", event);
	else
		emit_null(e, NULL, "at event");
	emit_row_end(e);
}

static void object_totals(struct emit *e, const char *key, const struct totals *t)
{
	emit_object_begin(e, key, NULL);
	describe_totals(e, t);
	emit_object_end(e);
}

/* Events are missing between the trace and the segments: nobody knows what lived before event 0. */
bool describe_past_unknown(const struct device *d)
{
	if (d->counted)
		return !d->base_known;
	return d->n_events > 0 && !d->trace_meets_segments;
}

/* Start, end, peak, and the highest of each. */
static void describe_device_totals(struct emit *e, const struct info_device *d)
{
	const struct replay_summary *r = &d->replay;
	struct totals highest = {r->reserved.bytes, r->allocated.bytes, r->active.bytes,
				 r->requested.bytes};
	static const struct totals unknown = {BYTES_NONE, BYTES_NONE, BYTES_NONE, BYTES_NONE};
	const struct totals *start = describe_past_unknown(d->device) ? &unknown : &r->start;
	int64_t end = d->device->n_events ? (int64_t)d->device->n_events - 1 : EVENT_START;

	object_totals(e, "start", start);
	object_totals(e, "end", &d->end);
	emit_object_begin(e, "peak", NULL);
	emit_event(e, "event", NULL, r->allocated.event);
	emit_time_us(e, "time_us", NULL, d->peak_time_us);
	describe_totals(e, &r->at_peak);
	emit_object_end(e);
	object_totals(e, "peaks", &highest);

	emit_blank(e);
	emit_table_begin(e, NULL, NULL);
	if (d->device->n_events) {
		row_totals(e, "start", start, true, EVENT_START);
		row_totals(e, "peak", &r->at_peak, true, r->allocated.event);
	}
	row_totals(e, "end", &d->end, d->device->n_events > 0, end);
	emit_table_end(e);
	if (r->reserved.bytes > r->at_peak.reserved && r->reserved.bytes != BYTES_NONE) {
		char bytes[UNITS_BUF], where[UNITS_BUF];

		emit_prose(e, "Most reserved at once: %s, at %s.",
			   emit_words_bytes(e, bytes, r->reserved.bytes),
			   describe_event(where, r->reserved.event));
	}
}

static const char *history_title(const struct info_device *d)
{
	if (describe_past_unknown(d->device))
		return "unknown: totals count from event 0 on, what lived before is not known";
	switch (d->replay.history) {
	case HISTORY_NONE:
		return "none: recording was off";
	case HISTORY_COMPLETE:
		return "complete: nothing was live before event 0";
	case HISTORY_TRUNCATED:
		return "truncated: older events were lost";
	case HISTORY_LATE_START:
		return "late start: memory was in use before event 0";
	}
	return "-";
}

static void line_events(struct emit *e, const struct info *i, const struct info_device *d)
{
	char line[400], count[UNITS_BUF];
	size_t n =
		(size_t)snprintf(line, sizeof line, "%s", units_count(count, d->device->n_events));

	for (uint64_t k = 0; k < d->n_actions && n < sizeof line; k++) {
		const struct info_action *a = &i->actions.at[d->first_action + k];

		n += (size_t)snprintf(line + n, sizeof line - n, "%s %s %s", k ? "," : ":",
				      units_count(count, a->count), a->name);
	}
	emit_str(e, NULL, "events", line);
}

static void line_time(struct emit *e, const struct info_device *d)
{
	char line[160], from[UNITS_BUF], length[UNITS_BUF];
	uint64_t us = (uint64_t)d->last_time_us - (uint64_t)d->first_time_us;

	if (d->first_time_us == TIME_NONE)
		return;
	units_time_us(from, d->first_time_us);
	if (d->last_time_us < d->first_time_us || d->device->n_events < 2)
		snprintf(line, sizeof line, "%s", from);
	else
		snprintf(line, sizeof line, "%s from %s", units_duration_us(length, us), from);
	emit_str(e, NULL, "time", line);
}

static void describe_actions(struct emit *e, const struct info *i, const struct info_device *d)
{
	emit_object_begin(e, "actions", NULL);
	for (uint64_t k = 0; k < d->n_actions; k++) {
		const struct info_action *a = &i->actions.at[d->first_action + k];

		emit_u64(e, a->name, NULL, a->count);
	}
	emit_object_end(e);
}

/* All in JSON, the last ones in text: the failure is among them. */
static void describe_ooms(struct emit *e, const struct info *i, const struct info_device *d)
{
	uint64_t first_shown = d->n_ooms > TEXT_MAX_OOMS ? d->n_ooms - TEXT_MAX_OOMS : 0;
	char title[120], count[UNITS_BUF];

	if (first_shown)
		snprintf(title, sizeof title, "Out of memory, the last %d of %s times",
			 TEXT_MAX_OOMS, units_count(count, d->n_ooms));
	else
		snprintf(title, sizeof title, "Out of memory");
	emit_table_begin(e, emit_is_json(e) ? "ooms" : NULL, title);
	for (uint64_t k = emit_is_json(e) ? 0 : first_shown; k < d->n_ooms; k++) {
		const struct info_oom *oom = &i->ooms.at[d->first_oom + k];

		emit_row_begin(e);
		emit_event(e, "event", "event", oom->event);
		emit_time_us(e, "time_us", "time", oom->time_us);
		emit_bytes(e, "requested_bytes", "requested", oom->requested);
		emit_bytes(e, "device_free_bytes", "free on the device", oom->device_free);
		emit_row_end(e);
	}
	emit_table_end(e);
}

/* Files of a profiler know nothing of segments. */
static void describe_device_segments(struct emit *e, const struct info_device *d)
{
	char segments[64], blocks[64], line[160];

	if (d->device->counted) {
		emit_null(e, "segments", NULL);
		emit_null(e, "blocks", NULL);
		return;
	}
	emit_u64(e, "segments", NULL, d->device->n_segments);
	emit_u64(e, "blocks", NULL, d->n_blocks);
	units_noun(segments, sizeof segments, d->device->n_segments, "segment", "segments");
	units_noun(blocks, sizeof blocks, d->n_blocks, "block", "blocks");
	snprintf(line, sizeof line, "%s of %s", segments, blocks);
	emit_str(e, NULL, "at the end", line);
}

const char *describe_step_source(enum step_source source)
{
	static const char *const by[] = {
		[STEPS_NONE] = "nothing",
		[STEPS_MARKER] = "--step-marker",
		[STEPS_ANNOTATION] = "annotations",
		[STEPS_OPTIMIZER] = "optimizer runs",
		[STEPS_ZERO_GRAD] = "zeroed gradients",
		[STEPS_BACKWARD] = "backward runs",
		[STEPS_PATTERN] = "the period of the allocations",
	};

	return by[source];
}

static void describe_steps(struct emit *e, const struct info_device *d)
{
	bool found = d->step_source != STEPS_NONE;
	char count[64], line[160];

	emit_object_begin(e, "steps", NULL);
	if (d->steps_looked_for)
		emit_u64(e, "count", NULL, d->n_steps);
	else
		emit_null(e, "count", NULL);
	emit_str(e, "source", NULL, found ? step_source_name(d->step_source) : NULL);
	emit_str(e, "confidence", NULL, found ? confidence_name(d->step_confidence) : NULL);
	emit_object_end(e);
	if (!d->steps_looked_for)
		emit_str(e, NULL, "steps",
			 "not looked for in so long a trace (leaks and timeline do)");
	if (!found)
		return;
	snprintf(line, sizeof line, "%s, found by %s (confidence %s)",
		 units_noun(count, sizeof count, d->n_steps, "step", "steps"),
		 describe_step_source(d->step_source), confidence_name(d->step_confidence));
	emit_str(e, NULL, "steps", line);
}

static void json_no_stack(struct emit *e, const struct no_stack *n)
{
	emit_array_begin(e, "no_stack", NULL);
	for (unsigned r = 0; r < NO_STACK_REASONS; r++) {
		if (!n->of[r].blocks)
			continue;
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "reason", NULL, no_stack_name((enum no_stack_reason)r));
		emit_bytes(e, "bytes", NULL, n->of[r].bytes);
		emit_u64(e, "blocks", NULL, n->of[r].blocks);
		emit_object_end(e);
	}
	emit_array_end(e);
}

/* Why live blocks have no stack, the reason with most bytes. */
static void text_no_stack(struct emit *e, const struct info_device *d)
{
	enum no_stack_reason why = no_stack_main(&d->no_stack);
	char bytes[UNITS_BUF], words[300];

	if (why == NO_STACK_REASONS)
		return;
	snprintf(words, sizeof words, "%s in use, %s",
		 emit_words_bytes(e, bytes, d->no_stack.of[why].bytes), no_stack_words(why));
	emit_str(e, NULL, "no stack", words);
}

static void describe_no_stack(struct emit *e, const struct info_device *d)
{
	if (emit_is_json(e))
		json_no_stack(e, &d->no_stack);
	else
		text_no_stack(e, d);
}

static void describe_device(struct emit *e, const struct info *i, const struct info_device *d)
{
	char title[40];

	snprintf(title, sizeof title, "Device %" PRId32, d->device->index);
	emit_object_begin(e, NULL, title);
	emit_i64(e, "device", NULL, d->device->index);
	emit_u64(e, "events", NULL, d->device->n_events);
	line_events(e, i, d);
	describe_actions(e, i, d);
	line_time(e, d);
	emit_time_us(e, "first_time_us", NULL, d->first_time_us);
	emit_time_us(e, "last_time_us", NULL, d->last_time_us);
	emit_str(e, "history", NULL,
		 describe_past_unknown(d->device) ? NULL : history_name(d->replay.history));
	emit_str(e, NULL, "history", history_title(d));
	describe_device_segments(e, d);
	describe_steps(e, d);
	describe_no_stack(e, d);
	describe_device_totals(e, d);
	describe_ooms(e, i, d);
	emit_object_end(e);
}

/* Insert into the n most frequent names seen so far, the first of equals first. */
static size_t keep_frequent(struct info_name *best, size_t n, const struct info_name *name)
{
	size_t at = n;

	while (at > 0 && best[at - 1].count < name->count)
		at--;
	if (at == TEXT_MAX_NAMES)
		return n;
	if (n < TEXT_MAX_NAMES)
		n++;
	memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
	best[at] = *name;
	return n;
}

static void text_annotations(struct emit *e, const struct model *m, const struct info *i)
{
	struct info_name best[TEXT_MAX_NAMES];
	char title[200], a[64], b[64];
	size_t shown = 0;

	for (size_t k = 0; k < i->annotations.n; k++)
		shown = keep_frequent(best, shown, &i->annotations.at[k]);
	units_noun(a, sizeof a, m->annotations.n, "mark", "marks");
	units_noun(b, sizeof b, i->annotations.n, "name", "names");
	snprintf(title, sizeof title, "Annotations (%s, %s%s)", a, b,
		 shown < i->annotations.n ? "; the most frequent" : "");
	emit_table_begin(e, NULL, title);
	for (size_t k = 0; k < shown; k++) {
		const struct str *s = strtab_get(&m->strings, best[k].name);

		emit_row_begin(e);
		emit_u64(e, NULL, "times", best[k].count);
		emit_strn(e, NULL, "name", s->bytes, s->length);
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_annotations(struct emit *e, const struct model *m, const struct info *i)
{
	emit_object_begin(e, "annotations", NULL);
	emit_u64(e, "count", NULL, m->annotations.n);
	emit_object_begin(e, "names", NULL);
	for (size_t k = 0; k < i->annotations.n; k++)
		emit_u64(e, model_str(m, i->annotations.at[k].name), NULL,
			 i->annotations.at[k].count);
	emit_object_end(e);
	emit_object_end(e);
	text_annotations(e, m, i);
}

/* Their names, in text, when there are any. */
static void text_tallies(struct emit *e, const char *label, const struct model *m,
			 const struct tally *at, size_t n)
{
	char line[400] = "";
	size_t used = 0, k;

	for (k = 0; k < n && k < TEXT_MAX_NAMES && used < sizeof line / 2; k++)
		used += (size_t)snprintf(line + used, sizeof line - used, "%s%.150s", k ? ", " : "",
					 model_str(m, at[k].name));
	if (k < n)
		snprintf(line + used, sizeof line - used, " and %zu more", n - k);
	if (n)
		emit_str(e, NULL, label, line);
}

static void describe_tallies(struct emit *e, const char *key, const struct model *m,
			     const struct tally *at, size_t n)
{
	emit_object_begin(e, key, NULL);
	for (size_t k = 0; k < n; k++)
		emit_u64(e, model_str(m, at[k].name), NULL, at[k].count);
	emit_object_end(e);
}

static void one_problem(struct emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void one_problem(struct emit *e, const char *fmt, ...)
{
	char words[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof words, fmt, ap);
	va_end(ap);
	emit_str(e, NULL, NULL, words);
	emit_prose(e, "- %s", words);
}

static bool device_contradicts(const struct info_device *d)
{
	return d->replay.n_mismatches > 0;
}

static bool any_problem(const struct model *m, const struct info *i)
{
	for (size_t k = 0; k < i->devices.n; k++) {
		if (device_contradicts(&i->devices.at[k]))
			return true;
	}
	return m->problems.n > 0;
}

static void describe_problems(struct emit *e, const struct model *m, const struct info *i)
{
	char count[64];

	emit_array_begin(e, "problems", any_problem(m, i) ? "Problems" : NULL);
	for (size_t k = 0; k < m->problems.n; k++)
		one_problem(e, "%s", model_str(m, m->problems.at[k]));
	for (size_t k = 0; k < i->devices.n; k++) {
		const struct info_device *d = &i->devices.at[k];

		if (!device_contradicts(d))
			continue;
		units_noun(count, sizeof count, d->replay.n_mismatches, "place", "places");
		one_problem(e,
			    "device %" PRId32 ": the trace contradicts itself or the segments "
			    "in %s; 'vramscope validate' tells them",
			    d->device->index, count);
	}
	emit_array_end(e);
}

static void describe_host(struct emit *e, const struct info *i)
{
	char bytes[UNITS_BUF], segments[64], line[160];

	emit_object_begin(e, "host_pinned", NULL);
	emit_u64(e, "segments", NULL, i->host_segments);
	emit_bytes(e, "bytes", NULL, i->host_bytes);
	emit_object_end(e);
	if (!i->host_segments)
		return;
	units_noun(segments, sizeof segments, i->host_segments, "segment", "segments");
	snprintf(line, sizeof line, "%s in %s", emit_words_bytes(e, bytes, i->host_bytes),
		 segments);
	emit_str(e, NULL, "pinned memory", line);
}

void describe_info(struct emit *e, const struct model *m, const struct info *i)
{
	describe_container(e, m);
	emit_object_begin(e, "writer", NULL);
	emit_str(e, "guess", "written by", m->writer);
	emit_object_end(e);
	describe_trace(e, m);
	describe_memory_timeline(e, m);
	describe_stacks(e, m);
	describe_host(e, i);
	describe_capture(e, m);
	emit_array_begin(e, "devices", NULL);
	for (size_t k = 0; k < i->devices.n; k++)
		describe_device(e, i, &i->devices.at[k]);
	if (!i->devices.n)
		emit_prose(e, "There are neither events nor segments in it.");
	emit_array_end(e);
	describe_settings(e, m);
	describe_annotations(e, m, i);
	emit_blank(e);
	text_tallies(e, "unknown keys", m, m->unknown_keys.at, m->unknown_keys.n);
	text_tallies(e, "unknown actions", m, m->unknown_actions.at, m->unknown_actions.n);
	describe_tallies(e, "unknown_keys", m, m->unknown_keys.at, m->unknown_keys.n);
	describe_tallies(e, "unknown_actions", m, m->unknown_actions.at, m->unknown_actions.n);
	emit_bool(e, "partial", NULL, m->partial);
	describe_problems(e, m, i);
}
