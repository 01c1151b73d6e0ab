/* SPDX-License-Identifier: MIT
 * describe_timeline.c -- a timeline as facts: key moments, ooms, annotations, and every column.
 */
#include <stdio.h>

#include "passes/phases.h"
#include "reports/ticks.h"
#include "reports/timeline_report.h"
#include "reports/timeline_words.h"

/* Rows in text; JSON has them all. */
#define MAX_TEXT_NAMES 20
#define MAX_TEXT_OOMS  20

static void moment_totals(struct emit *e, const struct totals *totals)
{
	emit_bytes(e, "requested_bytes", "requested", totals->requested);
	emit_bytes(e, "allocated_bytes", "allocated", totals->allocated);
	emit_bytes(e, "active_bytes", "active", totals->active);
	emit_bytes(e, "reserved_bytes", "reserved", totals->reserved);
}

/* In text a row of a table, in JSON an object of its own. */
static void describe_moment(struct emit *e, const char *name, const struct timeline_point *p)
{
	if (emit_is_json(e)) {
		emit_object_begin(e, name, NULL);
	} else {
		emit_row_begin(e);
		emit_str(e, NULL, "moment", name);
	}
	emit_event(e, "event", "event", p->event);
	emit_time_us(e, "time_us", NULL, p->time_us);
	moment_totals(e, &p->totals);
	if (emit_is_json(e))
		emit_object_end(e);
	else
		emit_row_end(e);
}

static void describe_moments(struct emit *e, const struct timeline *t)
{
	if (!emit_is_json(e))
		emit_table_begin(e, NULL, "Moments");
	describe_moment(e, "start", &t->start);
	if (t->known[TIMELINE_ALLOCATED])
		describe_moment(e, "peak", &t->peak);
	else
		emit_null(e, "peak", NULL);
	describe_moment(e, "end", &t->end);
	if (!emit_is_json(e))
		emit_table_end(e);
	emit_object_begin(e, "peaks", NULL);
	emit_bytes(e, "requested_bytes", NULL, t->highest[TIMELINE_REQUESTED]);
	emit_bytes(e, "allocated_bytes", NULL, t->highest[TIMELINE_ALLOCATED]);
	emit_bytes(e, "active_bytes", NULL, t->highest[TIMELINE_ACTIVE]);
	emit_bytes(e, "reserved_bytes", NULL, t->highest[TIMELINE_RESERVED]);
	emit_object_end(e);
}

static void describe_ooms(struct emit *e, const struct timeline *t)
{
	char count[UNITS_BUF];
	size_t from = 0;

	if (!emit_is_json(e) && t->ooms.n > MAX_TEXT_OOMS)
		from = t->ooms.n - MAX_TEXT_OOMS;
	emit_table_begin(e, "ooms", "Out of memory");
	for (size_t i = from; i < t->ooms.n; i++) {
		const struct timeline_oom *oom = &t->ooms.at[i];

		emit_row_begin(e);
		emit_event(e, "event", "event", oom->at.event);
		emit_time_us(e, "time_us", NULL, oom->at.time_us);
		emit_bytes(e, "requested_bytes", "asked for", oom->requested);
		emit_bytes(e, "device_free_bytes", "device free", oom->device_free);
		emit_bytes(e, "allocated_bytes", "allocated", oom->at.totals.allocated);
		emit_bytes(e, "active_bytes", "active", oom->at.totals.active);
		emit_bytes(e, "reserved_bytes", "reserved", oom->at.totals.reserved);
		emit_row_end(e);
	}
	emit_table_end(e);
	if (from > 0)
		emit_line(e, "and %s before these", units_count(count, from));
}

static void describe_annotations(struct emit *e, const struct timeline *t)
{
	size_t shown = t->bands.names.n;
	char words[TICKS_LABEL], count[UNITS_BUF];

	if (!emit_is_json(e) && shown > MAX_TEXT_NAMES)
		shown = MAX_TEXT_NAMES;
	emit_table_begin(e, "annotations", "Annotations");
	for (size_t i = 0; i < shown; i++) {
		const struct band_name *b = &t->bands.names.at[i];
		const struct str *s = strtab_get(&t->model->strings, b->name);

		emit_row_begin(e);
		emit_u64(e, "count", "count", b->count);
		emit_u64(e, "total_us", NULL, b->total_us);
		emit_u64(e, "longest_us", NULL, b->longest_us);
		emit_str(e, NULL, "together", ticks_duration(words, b->total_us));
		emit_str(e, NULL, "longest", ticks_duration(words, b->longest_us));
		emit_strn(e, "name", "name", s->bytes, s->length);
		emit_row_end(e);
	}
	emit_table_end(e);
	if (shown < t->bands.names.n)
		emit_line(e, "and %s more names", units_count(count, t->bands.names.n - shown));
}

/* --- layers, steps, verdicts ------------------------------------------------------------------- */

static void describe_layers(struct emit *e, const struct timeline *t)
{
	const struct timeline_stack *s = &t->stack;
	char name[TIMELINE_GROUP_NAME], heading[64];

	(void)snprintf(heading, sizeof heading, "By %s",
		       timeline_has_stack(t) ? group_by_name(s->groups->by) : "");
	emit_table_begin(e, "layers", heading);
	for (size_t g = 0; timeline_has_stack(t) && g < s->groups->n; g++) {
		if (!emit_is_json(e) && s->highest[g] == 0)
			continue;
		emit_row_begin(e);
		emit_bytes(e, "peak_bytes", "at the peak", s->peak[g]);
		emit_share(e, NULL, "share", s->peak[g], t->peak.totals.allocated);
		emit_bytes(e, "highest_bytes", "highest", s->highest[g]);
		emit_bytes(e, "start_bytes", NULL, s->start[g]);
		emit_bytes(e, "end_bytes", "at the end", s->end[g]);
		emit_str(e, "name", "layer", timeline_group_name(s->groups, g, name));
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_step(struct emit *e, const struct timeline *t, size_t i)
{
	const struct training_step *s = &t->phases->steps.at[i];
	const struct step_memory *m = t->verdicts ? &t->verdicts->steps.at[i] : NULL;
	const struct str *label = strtab_get(&t->model->strings, s->label);

	emit_row_begin(e);
	emit_u64(e, "step", NULL, i);
	if (s->label.i)
		emit_strn(e, "label", NULL, label->bytes, label->length);
	else
		emit_null(e, "label", NULL);
	emit_event(e, "first_event", NULL, s->first_event);
	emit_event(e, "last_event", NULL, s->last_event);
	emit_bool(e, "whole", NULL, s->whole);
	emit_bytes(e, "peak_bytes", NULL, m ? m->peak : BYTES_NONE);
	emit_bytes(e, "end_bytes", NULL, m ? m->end : BYTES_NONE);
	emit_bytes(e, "gradient_end_bytes", NULL, m ? m->gradients : BYTES_NONE);
	emit_bytes(e, "old_gradient_peak_bytes", NULL, m ? m->old_at_top : BYTES_NONE);
	emit_bytes(e, "state_made_bytes", NULL, m ? m->state_born : BYTES_NONE);
	emit_row_end(e);
}

static void describe_steps(struct emit *e, const struct timeline *t)
{
	emit_table_begin(e, "steps", NULL);
	for (size_t i = 0; t->phases && i < t->phases->steps.n; i++)
		describe_step(e, t, i);
	emit_table_end(e);
}

static void describe_verdict(struct emit *e, const struct timeline *t,
			     const struct timeline_verdict *v)
{
	char words[TIMELINE_SENTENCE];

	timeline_verdict_words(words, sizeof words, t, v);
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "kind", NULL, verdict_kind_name(v->kind));
	emit_bool(e, "bad", NULL, verdict_is_bad(v->kind));
	emit_str(e, "words", NULL, words);
	if (v->step >= 0)
		emit_i64(e, "step", NULL, v->step);
	else
		emit_null(e, "step", NULL);
	emit_bytes(e, "bytes", NULL, v->bytes);
	emit_prose(e, "- %s", words);
	emit_object_end(e);
}

static void describe_verdicts(struct emit *e, const struct timeline *t)
{
	char words[TIMELINE_SENTENCE];

	emit_array_begin(e, "verdicts", t->verdicts ? "What it shows" : NULL);
	for (size_t i = 0; t->verdicts && i < t->verdicts->n; i++)
		describe_verdict(e, t, &t->verdicts->at[i]);
	if (t->verdicts && t->phases)
		emit_prose(e, "%s", timeline_steps_words(words, sizeof words, t));
	emit_array_end(e);
}

/* The composition of each column at its highest moment. */
static void describe_stack_columns(struct emit *e, const struct timeline *t)
{
	const struct timeline_stack *s = &t->stack;
	char name[TIMELINE_GROUP_NAME];

	emit_array_begin(e, "highest_event", NULL);
	for (size_t c = 0; c < s->n_columns; c++)
		emit_event(e, NULL, NULL, s->columns[c].event);
	emit_array_end(e);
	emit_array_begin(e, "layers", NULL);
	for (size_t g = 0; g < s->groups->n; g++) {
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "name", NULL, timeline_group_name(s->groups, g, name));
		emit_array_begin(e, "bytes", NULL);
		for (size_t c = 0; c < s->n_columns; c++)
			emit_bytes(e, NULL, NULL, s->columns[c].bytes[g]);
		emit_array_end(e);
		emit_object_end(e);
	}
	emit_array_end(e);
}

enum cell_part { PART_FIRST, PART_LAST, PART_MIN, PART_MAX, PARTS };

static void describe_cells(struct emit *e, const struct timeline *t, enum timeline_series s)
{
	static const char *const keys[PARTS] = {"first", "last", "min", "max"};
	char key[32];

	(void)snprintf(key, sizeof key, "%s_bytes", timeline_series_name(s));
	emit_object_begin(e, key, NULL);
	for (int part = 0; part < PARTS; part++) {
		emit_array_begin(e, keys[part], NULL);
		for (size_t c = 0; c < t->series.n_columns; c++) {
			const struct reduce_cell *cell = reduce_cell(&t->series, c, s);
			const uint64_t values[PARTS] = {cell->first, cell->last, cell->min,
							cell->max};

			emit_bytes(e, NULL, NULL, values[part]);
		}
		emit_array_end(e);
	}
	emit_object_end(e);
}

static void describe_columns(struct emit *e, const struct timeline *t)
{
	const struct reduction *r = &t->series;

	emit_object_begin(e, "columns", NULL);
	emit_u64(e, "count", NULL, r->n_columns);
	emit_array_begin(e, "since_start_us", NULL);
	for (size_t c = 0; c < r->n_columns && !t->by_event; c++)
		emit_u64(e, NULL, NULL, timeline_column_position(t, c));
	emit_array_end(e);
	emit_array_begin(e, "events", NULL);
	for (size_t c = 0; c < r->n_columns; c++)
		emit_u64(e, NULL, NULL, r->columns[c].n_events);
	emit_array_end(e);
	emit_array_begin(e, "last_event", NULL);
	for (size_t c = 0; c < r->n_columns; c++) {
		if (r->columns[c].n_events > 0)
			emit_i64(e, NULL, NULL, r->columns[c].last_event);
		else
			emit_null(e, NULL, NULL);
	}
	emit_array_end(e);
	for (int s = 0; s < TIMELINE_SERIES; s++)
		describe_cells(e, t, s);
	if (timeline_has_stack(t))
		describe_stack_columns(e, t);
	emit_object_end(e);
}

void describe_timeline(struct emit *e, const struct timeline *t)
{
	struct timeline_words w;

	timeline_words(&w, t);
	emit_i64(e, "device", NULL, t->device->index);
	emit_str(e, "x", NULL, t->by_event ? "event" : "time");
	emit_i64(e, "from_event", NULL, t->from);
	emit_i64(e, "to_event", NULL, t->to);
	emit_time_us(e, "zero_time_us", NULL, t->zero_us);
	emit_bool(e, "exact", NULL, t->exact);
	emit_str(e, "by", NULL,
		 group_by_name(timeline_has_stack(t) ? t->stack.groups->by : GROUP_NONE));
	emit_bool(e, "window_only", NULL, t->window_only);
	emit_prose(e, "%s, %s: %s.", w.file, w.device, w.scope);
	if (w.oom[0])
		emit_prose(e, "%s", w.oom);
	emit_prose(e, "%s", w.peak);
	emit_array_begin(e, "notes", NULL);
	for (size_t i = 0; i < w.n_notes; i++) {
		emit_str(e, NULL, NULL, w.notes[i]);
		emit_prose(e, "%s", w.notes[i]);
	}
	emit_array_end(e);
	if (!emit_is_json(e))
		timeline_text_chart(e, t);
	describe_verdicts(e, t);
	if (timeline_has_stack(t) || emit_is_json(e))
		describe_layers(e, t);
	if (emit_is_json(e))
		describe_steps(e, t);
	describe_moments(e, t);
	describe_ooms(e, t);
	describe_annotations(e, t);
	if (emit_is_json(e))
		describe_columns(e, t);
	emit_bool(e, "partial", NULL, t->model->partial);
}
