/* SPDX-License-Identifier: MIT
 * export_sqlite.c -- one device of a snapshot as a database: what is known of the file as a whole.
 */
#include "reports/export_sqlite.h"

#include <stdio.h>
#include <string.h>

#include "passes/bands.h"
#include "passes/oom_events.h"

/* ---- meta ---- */

static int meta_text(struct sqlite_row *r, const char *name, const char *value, struct error *err)
{
	sqlite_row_text(r, name);
	if (value)
		sqlite_row_str(r, value, strlen(value));
	return sqlite_row_write(r, err);
}

static int meta_number(struct sqlite_row *r, const char *name, int64_t value, struct error *err)
{
	sqlite_row_text(r, name);
	sqlite_row_i64(r, value);
	return sqlite_row_write(r, err);
}

static int fill_meta(struct database *d, struct error *err)
{
	const struct model *m = d->x->model;
	const struct device *dev = d->x->device;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO meta VALUES (?,?)", err);

	if (rc == 0)
		rc = meta_text(&r, "schema", "vramscope.export/1", err);
	if (rc == 0)
		rc = meta_text(&r, "file", model_str(m, m->file), err);
	if (rc == 0)
		rc = meta_text(&r, "writer", m->writer, err);
	if (rc == 0)
		rc = meta_number(&r, "device", dev->index, err);
	if (rc == 0)
		rc = meta_number(&r, "events", (int64_t)dev->n_events, err);
	if (rc == 0)
		rc = meta_text(&r, "history",
			       dev->trace_meets_segments || dev->n_events == 0
				       ? history_name(replay_summary(d->x->replay)->history)
				       : NULL,
			       err);
	if (rc == 0)
		rc = meta_text(&r, "step_source", step_source_name(d->x->phases->source), err);
	if (rc == 0)
		rc = meta_number(&r, "filtered", d->x->filter != NULL, err);
	if (rc == 0)
		rc = meta_number(&r, "partial", m->partial, err);
	sqlite_row_close(&r);
	return rc;
}

/* ---- settings ---- */

/* Depth is bounded by VALUE_MAX_DEPTH; a name that grows too long is cut. */
static int fill_value(struct sqlite_row *r, const struct model *m, const char *name,
		      const struct value *v, struct error *err)
{
	char inner[256];
	int rc = 0;

	if (v->kind == VALUE_LIST || v->kind == VALUE_DICT) {
		for (size_t i = 0; rc == 0 && i < v->items.n; i++) {
			const struct value *item = &v->items.at[i];
			const char *dot = *name ? "." : "";

			if (v->kind == VALUE_DICT)
				(void)snprintf(inner, sizeof inner, "%s%s%s", name, dot,
					       model_str(m, item->key));
			else
				(void)snprintf(inner, sizeof inner, "%s%s%zu", name, dot, i);
			rc = fill_value(r, m, inner, item, err);
		}
		return rc;
	}
	sqlite_row_str(r, name, strlen(name));
	if (v->kind == VALUE_BOOL)
		sqlite_row_i64(r, v->boolean);
	else if (v->kind == VALUE_I64)
		sqlite_row_i64(r, v->i64);
	else if (v->kind == VALUE_U64)
		sqlite_row_f64(r, (double)v->u64);
	else if (v->kind == VALUE_F64)
		sqlite_row_f64(r, v->f64);
	else if (v->kind == VALUE_STR)
		row_name(r, m, v->str);
	return sqlite_row_write(r, err);
}

static int fill_settings(struct database *d, struct error *err)
{
	const struct model *m = d->x->model;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO settings VALUES (?,?)", err);

	if (rc == 0 && m->settings_value)
		rc = fill_value(&r, m, "", m->settings_value, err);
	sqlite_row_close(&r);
	return rc;
}

/* ---- what the program was doing ---- */

static int fill_steps(struct database *d, struct error *err)
{
	const struct phases *p = d->x->phases;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO steps VALUES (?,?,?,?,?,?,?)", err);

	for (size_t i = 0; rc == 0 && i < p->steps.n; i++) {
		const struct training_step *s = &p->steps.at[i];

		sqlite_row_i64(&r, (int64_t)i);
		sqlite_row_i64(&r, s->first_event);
		sqlite_row_i64(&r, s->last_event);
		row_time(&r, s->start_us);
		row_time(&r, s->end_us);
		row_name(&r, d->x->model, s->label);
		sqlite_row_i64(&r, s->whole);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

static int fill_phases(struct database *d, struct error *err)
{
	const struct phases *p = d->x->phases;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO phases VALUES (?,?,?)", err);

	for (size_t i = 0; rc == 0 && i < p->runs.n; i++) {
		sqlite_row_text(&r, phase_name(p->runs.at[i].phase));
		sqlite_row_i64(&r, p->runs.at[i].first_event);
		sqlite_row_i64(&r, p->runs.at[i].last_event);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

static int fill_annotations(struct database *d, struct error *err)
{
	struct bands bands;
	struct sqlite_row r = {0};
	int rc = export_annotations(&bands, d->x, err);

	if (rc == 0)
		rc = sqlite_row_open(&r, &d->file, "INSERT INTO annotations VALUES (?,?,?,?,?,?)",
				     err);
	for (size_t i = 0; rc == 0 && i < bands.spans.n; i++) {
		const struct band_span *s = &bands.spans.at[i];

		sqlite_row_i64(&r, (int64_t)i);
		row_name(&r, d->x->model, s->name);
		sqlite_row_i64(&r, s->start_us);
		sqlite_row_i64(&r, s->end_us);
		sqlite_row_i64(&r, s->begun_before);
		sqlite_row_i64(&r, s->never_ended);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	bands_release(&bands);
	return rc;
}

static int fill_ooms(struct database *d, struct error *err)
{
	const struct export *x = d->x;
	const struct events *e = &x->model->events;
	struct oom_events ooms = {0};
	struct sqlite_row r = {0};
	int rc = oom_events_find(&ooms, x->model, x->device, x->budget, err);

	if (rc == 0)
		rc = sqlite_row_open(&r, &d->file, "INSERT INTO ooms VALUES (?,?,?,?,?,?,?)", err);
	for (size_t i = 0; rc == 0 && i < ooms.at.n; i++) {
		const uint64_t at = x->device->first_event + (uint64_t)ooms.at.at[i].event;

		sqlite_row_i64(&r, (int64_t)i);
		sqlite_row_i64(&r, ooms.at.at[i].event);
		row_time(&r, e->time_us.at[at]);
		row_bytes(&r, e->size.at[at]);
		row_bytes(&r, e->addr.at[at]);
		sqlite_row_i64(&r, ooms.at.at[i].retried);
		sqlite_row_i64(&r, e->stack.at[at].i);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	vec_release(&ooms.at, x->budget);
	return rc;
}

/* ---- all of it ---- */

int export_sqlite(const char *path, const struct export *x, struct error *err)
{
	static int (*const fill[])(struct database * d, struct error * err) = {
		fill_meta,
		fill_settings,
		export_sqlite_stacks,
		fill_steps,
		fill_phases,
		fill_annotations,
		fill_ooms,
		export_sqlite_events,
		export_sqlite_allocations,
		export_sqlite_states,
	};
	struct database d = {.x = x, .stacks = block_stacks_of(x->model, x->state)};
	int rc = sqlite_file_open(&d.file, path, SQLITE_FILE_EXPORT, EXPORT_SCHEMA, err);

	if (rc == 0)
		rc = sqlite_file_run(&d.file, export_schema_sql, err);
	for (size_t i = 0; rc == 0 && i < sizeof fill / sizeof *fill; i++)
		rc = fill[i](&d, err);
	if (rc == 0)
		rc = sqlite_file_run(&d.file, export_indices_sql, err);
	return sqlite_file_close(&d.file, rc, err);
}
