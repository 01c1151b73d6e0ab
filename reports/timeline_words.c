/* SPDX-License-Identifier: MIT
 * timeline_words.c -- a timeline in sentences, the same for the picture, the page and the text.
 */
#include "reports/timeline_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/emit.h"
#include "reports/ticks.h"

static uint64_t since_zero(const struct timeline *t, int64_t time_us)
{
	return time_us > t->zero_us ? (uint64_t)time_us - (uint64_t)t->zero_us : 0;
}

const char *timeline_place(char buf[TIMELINE_PLACE], const struct timeline *t,
			   const struct timeline_point *p)
{
	char count[UNITS_BUF], when[TICKS_LABEL];

	if (p->event == EVENT_START)
		(void)snprintf(buf, TIMELINE_PLACE, "before event 0");
	else if (p->time_us == TIME_NONE || t->zero_us == TIME_NONE)
		(void)snprintf(buf, TIMELINE_PLACE, "event %s",
			       units_count(count, (uint64_t)p->event));
	else
		(void)snprintf(buf, TIMELINE_PLACE, "event %s, %s in",
			       units_count(count, (uint64_t)p->event),
			       ticks_duration(when, since_zero(t, p->time_us)));
	return buf;
}

static void words_file(struct timeline_words *w, const struct model *m)
{
	const struct str *s = strtab_get(&m->strings, m->file);
	size_t from = s->length;

	while (from > 0 && s->bytes[from - 1] != '/')
		from--;
	clean_elide(w->file, sizeof w->file, s->bytes + from, s->length - from, 60);
}

static void words_scope(struct timeline_words *w, const struct timeline *t)
{
	char events[64], length[TICKS_LABEL] = "", when[UNITS_BUF];
	int64_t last = t->end.time_us;
	int n;

	units_noun(events, sizeof events, t->n_events, "event", "events");
	n = snprintf(w->scope, sizeof w->scope, "%s", events);
	if (t->n_events != t->device->n_events)
		n += snprintf(w->scope + n, sizeof w->scope - (size_t)n, " of %s",
			      units_count(when, t->device->n_events));
	if (t->zero_us == TIME_NONE)
		return;
	if (last != TIME_NONE && last > t->zero_us)
		n += snprintf(w->scope + n, sizeof w->scope - (size_t)n, " in %s",
			      ticks_duration(length, since_zero(t, last)));
	units_time_us(when, t->zero_us);
	/* Fractions of a second in the date would only be noise. */
	if (strlen(when) == strlen("2026-11-28 14:03:07.123456 UTC"))
		(void)snprintf(when + strlen("2026-11-28 14:03:07"), sizeof when - 19, " UTC");
	(void)snprintf(w->scope + n, sizeof w->scope - (size_t)n, " from %s", when);
}

static void words_peak(struct timeline_words *w, const struct timeline *t)
{
	char bytes[UNITS_BUF], other[UNITS_BUF], place[TIMELINE_PLACE];
	const struct timeline_point *p = &t->peak;
	int n;

	if (!t->known[TIMELINE_ALLOCATED]) {
		(void)snprintf(w->peak, sizeof w->peak, "Allocated bytes are unknown.");
		return;
	}
	units_bytes(bytes, p->totals.allocated);
	if (t->device->n_events == 0)
		n = snprintf(w->peak, sizeof w->peak, "%s were allocated", bytes);
	else
		n = snprintf(w->peak, sizeof w->peak, "Allocated memory was highest %s%s: %s",
			     p->event == EVENT_START ? "" : "at ", timeline_place(place, t, p),
			     bytes);
	if (p->totals.reserved != BYTES_NONE)
		n += snprintf(w->peak + n, sizeof w->peak - (size_t)n,
			      ", with %s reserved from the driver",
			      units_bytes(other, p->totals.reserved));
	(void)snprintf(w->peak + n, sizeof w->peak - (size_t)n, ".");
}

static void words_oom(struct timeline_words *w, const struct timeline *t)
{
	char bytes[UNITS_BUF], other[UNITS_BUF], place[TIMELINE_PLACE], times[64];
	const struct timeline_oom *last;
	int n;

	if (t->ooms.n == 0)
		return;
	last = &t->ooms.at[t->ooms.n - 1];
	if (t->ooms.n == 1)
		n = snprintf(w->oom, sizeof w->oom, "Memory ran out once");
	else
		n = snprintf(w->oom, sizeof w->oom, "Memory ran out %s, last",
			     units_noun(times, sizeof times, t->ooms.n, "time", "times"));
	n += snprintf(w->oom + n, sizeof w->oom - (size_t)n, " at %s: %s were asked for",
		      timeline_place(place, t, &last->at), units_bytes(bytes, last->requested));
	if (last->device_free != BYTES_NONE)
		n += snprintf(w->oom + n, sizeof w->oom - (size_t)n, ", %s were free on the device",
			      units_bytes(other, last->device_free));
	(void)snprintf(w->oom + n, sizeof w->oom - (size_t)n, ".");
}

static void note(struct timeline_words *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct timeline_words *w, const char *fmt, ...)
{
	va_list ap;

	if (w->n_notes == TIMELINE_MAX_NOTES)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(w->notes[w->n_notes++], TIMELINE_SENTENCE, fmt, ap);
	va_end(ap);
}

static void notes_axis(struct timeline_words *w, const struct timeline *t)
{
	char n[UNITS_BUF];

	if (t->device->n_events == 0)
		note(w, "The file has no events of this device: the picture shows the segments it "
			"holds, as they were when it was written.");
	else if (t->reason == TIMELINE_NO_TIMES)
		note(w, "The events carry no times, so the horizontal axis counts events.");
	else if (t->reason == TIMELINE_ONE_TIME)
		note(w, "All events carry the same time, so the horizontal axis counts events.");
	if (t->n_times_back > 0)
		note(w,
		     "%s events carry an earlier time than the one before them; they are drawn in "
		     "the order of the list.",
		     units_count(n, t->n_times_back));
}

static void notes_history(struct timeline_words *w, const struct timeline *t)
{
	char bytes[UNITS_BUF];

	if (t->model->partial)
		note(w, "The file is damaged (%s): the picture shows what could be read.",
		     t->model->damage.text);
	if (!t->exact)
		note(w, "Events are missing between the trace and the segments, or there are no "
			"segments: what lived before event 0 is unknown and not drawn, and bytes "
			"are counted from the first event on.");
	else if (t->device->n_events > 0 && t->from == EVENT_START && t->start.totals.allocated > 0)
		note(w, "%s were allocated before event 0, the first that the file has.",
		     units_bytes(bytes, t->start.totals.allocated));
	if (t->window_only)
		note(w,
		     "Only what was allocated inside the window is counted: %s that lived at its "
		     "start are left out, and with them what is reserved.",
		     t->left_out == BYTES_NONE ? "bytes" : units_bytes(bytes, t->left_out));
	else if (!t->known[TIMELINE_RESERVED])
		note(w, "Reserved bytes are unknown and not drawn.");
}

/* What the layers of the stack stand on. */
static void notes_stack(struct timeline_words *w, const struct timeline *t)
{
	const struct timeline_groups *g = t->stack.groups;
	char bytes[UNITS_BUF];

	if (!timeline_has_stack(t))
		return;
	if (!g->allocations && t->model->timeline.n > 0)
		note(w, "The categories are those that the file tells: the profiler's own.");
	else if (!g->allocations)
		note(w, "The events of this file carry no addresses: which allocation a free "
			"belongs to, and with it every category, is unknown.");
	else if (t->stack.most_loose > 0)
		note(w,
		     "Up to %s at once are in the file's totals but belong to no allocation that "
		     "it tells; they are drawn as %s.",
		     units_bytes(bytes, t->stack.most_loose),
		     g->by == GROUP_CATEGORY ? "unknown" : "the rest");
}

/* Of formats that tell less than a snapshot. */
static void notes_problems(struct timeline_words *w, const struct model *m)
{
	if (m->format != CONTAINER_TRACE && m->format != CONTAINER_TIMELINE_RAW &&
	    m->format != CONTAINER_TIMELINE_JSON)
		return;
	for (size_t i = 0; i < m->problems.n && i < 3 && w->n_notes < TIMELINE_MAX_NOTES; i++) {
		char *first = w->notes[w->n_notes];

		note(w, "%.300s.", model_str(m, m->problems.at[i]));
		if (*first >= 'a' && *first <= 'z')
			*first = (char)(*first - 'a' + 'A');
	}
}

static void notes_bands(struct timeline_words *w, const struct timeline *t)
{
	char n[64];

	if (t->n_unplaced_marks > 0)
		note(w, "%s cannot be placed, since times are missing.",
		     units_noun(n, sizeof n, t->n_unplaced_marks, "annotation mark",
				"annotation marks"));
	if (t->bands.n_deeper > 0)
		note(w, "%s nested too deeply to be drawn.",
		     units_noun(n, sizeof n, t->bands.n_deeper, "annotation is",
				"annotations are"));
}

void timeline_words(struct timeline_words *w, const struct timeline *t)
{
	memset(w, 0, sizeof *w);
	words_file(w, t->model);
	if (t->device->index == DEVICE_HOST)
		(void)snprintf(w->device, sizeof w->device, "pinned host memory");
	else
		(void)snprintf(w->device, sizeof w->device, "device %" PRId32, t->device->index);
	words_scope(w, t);
	words_peak(w, t);
	words_oom(w, t);
	notes_axis(w, t);
	notes_history(w, t);
	notes_stack(w, t);
	notes_bands(w, t);
	notes_problems(w, t->model);
}
