/* SPDX-License-Identifier: MIT
 * report_data.c -- what the page's script reads: a description as JSON, and the columns.
 *
 * Everything lies in elements of a type that browsers do not run, as gzip in base64: no string of a
 * file can be markup there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/gzip_out.h"
#include "reports/page.h"
#include "reports/report_parts.h"
#include "reports/timeline_frame.h"

/* Names and paths longer than this are cut in the middle. */
#define TEXT_BYTES 8192
#define TEXT_CHARS 1000

/* No string of the script comes near the limits of engines. */
#define PIECE_BYTES (12u << 20)

#define MAX_SPANS 20000

/* An element around a column, at most, but for the column's name. */
#define ELEMENT_BYTES                                        \
	(sizeof "<script type=\"application/octet-stream\" " \
		"data-chunk=\"999/999//99\"></script>\n" -   \
	 1)
/* What a window's columns take at least, all together. */
#define FIXED_BYTES (COLUMN_COUNT * (ELEMENT_BYTES + 80.0))

static void chunk(struct xml *x, const char *id, const void *bytes, size_t n)
{
	xml_open(x, "script");
	xml_attr(x, "type", "application/octet-stream");
	xml_attr(x, "data-chunk", id);
	xml_base64(x, bytes, n);
	xml_close(x);
	xml_newline(x);
}

void report_columns_write(struct xml *x, size_t file, size_t device, const struct report_columns *c)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		size_t n = 0;
		const char *bytes = c->packed[i] ? out_memory(c->packed[i], &n) : NULL;

		for (size_t at = 0, piece = 0; at < n; at += PIECE_BYTES, piece++) {
			char id[64];

			(void)snprintf(id, sizeof id, "%zu/%zu/%s/%zu", file, device,
				       report_column_name((enum report_column)i), piece);
			chunk(x, id, bytes + at, n - at < PIECE_BYTES ? n - at : PIECE_BYTES);
		}
	}
}

/* --- the description --------------------------------------------------------------------------- */

static void emit_name(struct emit *e, const char *key, const char *text)
{
	char clean[(TEXT_CHARS + 1) * CLEAN_MAX];

	emit_str(e, key, NULL, clean_elide(clean, sizeof clean, text, strlen(text), TEXT_CHARS));
}

static void describe_stacks(struct emit *e, const struct report_stacks *s)
{
	char words[TEXT_BYTES];

	emit_array_begin(e, "frames", NULL);
	for (size_t i = 1; i < s->frames.n; i++) {
		const struct frame *f = &s->m->stacks.frames.at[s->frames.at[i].i];

		emit_array_begin(e, NULL, NULL);
		emit_name(e, NULL, model_str(s->m, f->file));
		emit_i64(e, NULL, NULL, f->line);
		emit_name(e, NULL, model_str(s->m, f->name));
		emit_bool(e, NULL, NULL, frame_is_user(s->m, s->frames.at[i]));
		emit_array_end(e);
	}
	emit_array_end(e);
	emit_array_begin(e, "tree", NULL);
	for (size_t i = 1; i < s->tree.n; i++) {
		emit_u64(e, NULL, NULL, s->tree.at[i].parent);
		emit_u64(e, NULL, NULL, s->tree.at[i].frame);
	}
	emit_array_end(e);
	emit_array_begin(e, "sites", NULL);
	for (size_t i = 0; i < s->sites.n; i++)
		emit_name(e, NULL, site_words(s->m, s->sites.at[i], words, sizeof words));
	emit_array_end(e);
	emit_array_begin(e, "stacks", NULL);
	for (size_t i = 0; i < s->stack_node.n; i++) {
		emit_u64(e, NULL, NULL, s->stack_node.at[i]);
		emit_u64(e, NULL, NULL, s->stack_site.at[i]);
	}
	emit_array_end(e);
}

static void describe_columns(struct emit *e, const struct report_columns *c)
{
	char words[32];

	emit_i64(e, "from", NULL, c->from);
	emit_i64(e, "to", NULL, c->to);
	emit_u64(e, "rows", NULL, c->n_rows);
	emit_u64(e, "before", NULL, c->n_before);
	emit_u64(e, "loose_bytes", NULL, c->loose);
	emit_bool(e, "byte_addresses", NULL, c->byte_addresses);
	emit_bool(e, "foretold", NULL, c->foretold);
	emit_bool(e, "has_times", NULL, c->has_times);
	emit_bool(e, "times_fall", NULL, c->times_fall);
	emit_bool(e, "coarse_times", NULL, c->detail >= REPORT_COARSE_TIMES);
	emit_bool(e, "has_addresses", NULL, c->detail < REPORT_NO_ADDRESSES);
	emit_i64(e, "zero_us", NULL, c->zero_us);
	emit_array_begin(e, "attrs", NULL);
	for (size_t i = 0; i < c->attrs.n; i++) {
		const struct report_attr *a = &c->attrs.at[i];

		emit_array_begin(e, NULL, NULL);
		(void)snprintf(words, sizeof words, "%" PRIu64, a->stream);
		emit_str(e, NULL, NULL, words);
		emit_i64(e, NULL, NULL, a->pool.a);
		emit_i64(e, NULL, NULL, a->pool.b);
		emit_u64(e, NULL, NULL, a->category);
		emit_str(e, NULL, NULL, a->detail);
		emit_str(e, NULL, NULL, category_reason_words((enum category_reason)a->reason));
		emit_u64(e, NULL, NULL, a->place);
		emit_array_end(e);
	}
	emit_array_end(e);
	emit_object_begin(e, "columns", NULL);
	for (int i = 0; i < COLUMN_COUNT; i++)
		emit_u64(e, report_column_name((enum report_column)i), NULL, c->raw[i].n);
	emit_object_end(e);
}

static void describe_marks(struct emit *e, const struct report_device *d)
{
	const struct timeline *t = d->timeline;
	const struct timeline_lines lines = timeline_lines(t);
	const struct model *m = t->model;

	emit_bytes(e, "ceiling_bytes", NULL, lines.ceiling);
	emit_bytes(e, "limit_below_bytes", NULL, lines.limit);
	emit_array_begin(e, "ooms", NULL);
	for (size_t i = 0; i < t->ooms.n; i++) {
		emit_object_begin(e, NULL, NULL);
		emit_i64(e, "event", NULL, t->ooms.at[i].at.event);
		emit_bytes(e, "requested_bytes", NULL, t->ooms.at[i].requested);
		emit_object_end(e);
	}
	emit_array_end(e);
	emit_array_begin(e, "steps", NULL);
	for (size_t i = 0; d->purpose && i < d->purpose->phases.steps.n; i++) {
		const struct training_step *s = &d->purpose->phases.steps.at[i];

		emit_array_begin(e, NULL, NULL);
		emit_i64(e, NULL, NULL, s->first_event);
		emit_i64(e, NULL, NULL, s->last_event);
		emit_array_end(e);
	}
	emit_array_end(e);
	emit_array_begin(e, "spans", NULL);
	for (size_t i = 0; i < t->bands.spans.n && i < MAX_SPANS; i++) {
		const struct band_span *b = &t->bands.spans.at[i];

		emit_array_begin(e, NULL, NULL);
		emit_name(e, NULL, model_str(m, b->name));
		emit_i64(e, NULL, NULL, b->start_event);
		emit_i64(e, NULL, NULL, b->end_event);
		emit_array_end(e);
	}
	emit_array_end(e);
}

static void describe_one(struct emit *e, const struct report_device *d,
			 const struct report_data *data)
{
	const struct replay_summary *s = replay_summary(d->replay);

	emit_object_begin(e, NULL, NULL);
	emit_i64(e, "device", NULL, d->device->index);
	emit_u64(e, "events", NULL, d->device->n_events);
	emit_bytes(e, "peak_allocated_bytes", NULL, s->allocated.bytes);
	emit_i64(e, "peak_event", NULL, s->allocated.event);
	emit_bytes(e, "capacity_bytes", NULL,
		   d->device->capacity ? d->device->capacity : BYTES_NONE);
	describe_marks(e, d);
	if (data->has_columns)
		describe_columns(e, &data->columns);
	emit_object_end(e);
}

static void describe(struct emit *e, const struct report *r, struct report_data *const *data,
		     const struct report_stacks *stacks)
{
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.report-data/1");
	emit_array_begin(e, "categories", NULL);
	for (int i = 0; i < CATEGORY_COUNT; i++)
		emit_str(e, NULL, NULL, category_name((enum category)i));
	emit_array_end(e);
	emit_array_begin(e, "actions", NULL);
	for (int i = 0; i < ACTION_COUNT; i++)
		emit_str(e, NULL, NULL, action_name((enum action)i));
	emit_array_end(e);
	emit_array_begin(e, "files", NULL);
	for (size_t i = 0; i < r->n_files; i++) {
		const struct report_file *f = &r->files[i];

		emit_object_begin(e, NULL, NULL);
		emit_name(e, "file", model_str(f->model, f->model->file));
		describe_stacks(e, &stacks[i]);
		emit_array_begin(e, "devices", NULL);
		for (size_t k = 0; k < f->n_devices; k++)
			describe_one(e, &f->devices[k], &data[i][k]);
		emit_array_end(e);
		emit_object_end(e);
	}
	emit_array_end(e);
	emit_object_end(e);
}

int report_description_write(struct xml *x, const struct report *r, struct report_data *const *data,
			     const struct report_stacks *stacks, struct error *err)
{
	struct emit_options o = {.format = EMIT_JSON};
	struct out *json = NULL, *packed = NULL;
	struct gzip_out *g;
	struct emit *e;
	const char *bytes;
	size_t n;
	int rc;

	if ((rc = out_open_memory(&json, err)) < 0 || (rc = out_open_memory(&packed, err)) < 0 ||
	    (rc = emit_new(&e, json, &o, err)) < 0)
		goto out;
	describe(e, r, data, stacks);
	emit_free(e);
	bytes = out_memory(json, &n);
	g = gzip_out_open_level(packed, 6);
	if (!g) {
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		goto out;
	}
	gzip_out_bytes(g, bytes, n);
	gzip_out_close(g);
	bytes = out_memory(packed, &n);
	chunk(x, "description", bytes, n);
out:
	out_abandon(json);
	out_abandon(packed);
	return rc;
}

/* --- the size of the page ---------------------------------------------------------------------- */

/* The events that matter most when not all fit: up to the last oom, around the peak, else the
 * last. */
static void choose_window(struct report_columns_options *o, const struct report_device *d,
			  int64_t events)
{
	const struct timeline *t = d->timeline;
	int64_t last = (int64_t)d->device->n_events - 1;
	int64_t peak = replay_summary(d->replay)->allocated.event;

	if (events < 1)
		events = 1;
	o->to = last;
	if (t->ooms.n)
		o->to = t->ooms.at[t->ooms.n - 1].at.event;
	else if (peak >= 0 && peak + events / 2 < last)
		o->to = peak + events / 2;
	o->from = o->to - events;
	if (o->from < EVENT_START)
		o->from = EVENT_START;
}

/* How many events should fit: what grows with them, in proportion. */
static int64_t fitting_events(const struct report_columns_options *o, uint64_t bytes,
			      uint64_t max_bytes)
{
	double room = (double)max_bytes - FIXED_BYTES, takes = (double)bytes - FIXED_BYTES;

	if (room <= 0 || takes <= 0)
		return 1;
	return (int64_t)((double)(o->to - o->from) * 0.9 * (room < takes ? room / takes : 1));
}

uint64_t report_data_bytes(const struct report_data *d)
{
	uint64_t bytes = 0;

	for (int i = 0; i < COLUMN_COUNT; i++) {
		uint64_t packed = report_column_bytes(&d->columns, (enum report_column)i);
		uint64_t elements = (packed + PIECE_BYTES - 1) / PIECE_BYTES;

		bytes += (packed + 2) / 3 * 4 +
			 elements * (ELEMENT_BYTES +
				     strlen(report_column_name((enum report_column)i)));
	}
	return bytes;
}

int report_data_run(struct report_data *out, const struct report_device *d,
		    struct report_stacks *stacks, uint64_t max_bytes, struct budget *budget,
		    struct error *err)
{
	struct report_columns_options o = {.from = EVENT_START,
					   .to = (int64_t)d->device->n_events - 1};

	*out = (struct report_data){0};
	if (!d->purpose)
		return 0;
	for (;;) {
		int rc = report_columns_run(&out->columns, d->purpose, d->replay, stacks, &o,
					    budget, err);
		uint64_t bytes;

		if (rc < 0)
			return rc;
		out->has_columns = true;
		bytes = report_data_bytes(out);
		if (bytes <= max_bytes || (o.detail == REPORT_WINDOW && o.to - o.from <= 1))
			return 0;
		if (o.detail < REPORT_WINDOW)
			o.detail++;
		/* A part that should fit, a little less to make sure. */
		if (o.detail == REPORT_WINDOW)
			choose_window(&o, d, fitting_events(&o, bytes, max_bytes));
		report_columns_release(&out->columns);
	}
}

const char *report_left_out(const struct report_data *d, char *buf, size_t size)
{
	static const char *const words[] = {
		"",
		"Times are exact at every 16th event only, and estimated between",
		"Times are estimated between every 16th event, and addresses are left out",
		("The moving pictures show a part of the events only, times are estimated between "
		 "every 16th, and addresses are left out"),
	};

	buf[0] = '\0';
	if (d->has_columns && d->columns.detail != REPORT_EXACT)
		(void)snprintf(buf, size,
			       "%s: the whole would make this page larger than --max-html-size "
			       "allows. Sentences, tables and still pictures tell everything.",
			       words[d->columns.detail]);
	return buf;
}
