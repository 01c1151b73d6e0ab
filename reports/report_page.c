/* SPDX-License-Identifier: MIT
 * report_page.c -- the whole page of a report: what it says, then what its script reads.
 */
#include "reports/report_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/diff_draw.h"
#include "reports/diff_style.h"
#include "reports/page.h"
#include "reports/report_parts.h"
#include "reports/report_style.h"
#include "reports/trend_report.h"
#include "reports/trend_style.h"

static const char page_style[] = PAGE_STYLE TIMELINE_PICTURE_STYLE FRAG_PICTURE_STYLE
	DIFF_PICTURE_STYLE TREND_PICTURE_STYLE REPORT_STYLE;

#define NAME_CHARS 120
#define TREND_ROWS 5

struct page {
	const struct report *r;
	struct xml *x;
	struct report_stacks *stacks; /* of each file */
	struct report_data **data;    /* of each file's devices */
	uint64_t done, all;
	bool without_columns;
};

static void page_step(struct page *p)
{
	if (p->r->progress && p->done < p->all)
		p->r->progress(p->r->progress_ctx, ++p->done, p->all);
}

static void page_release(struct page *p)
{
	for (size_t i = 0; i < p->r->n_files; i++) {
		if (p->stacks)
			report_stacks_release(&p->stacks[i]);
		for (size_t k = 0; p->data && p->data[i] && k < p->r->files[i].n_devices; k++)
			report_columns_release(&p->data[i][k].columns);
		if (p->data)
			free(p->data[i]);
	}
	free(p->stacks);
	free(p->data);
}

static int page_files(struct page *p, struct error *err)
{
	char words[400];
	int rc = 0;

	for (size_t i = 0; i < p->r->n_files && rc == 0; i++) {
		const struct report_file *f = &p->r->files[i];

		rc = report_file_begin(p->x, f, i, err);
		for (size_t k = 0; k < f->n_devices && rc == 0; k++) {
			if (*report_left_out(&p->data[i][k], words, sizeof words))
				page_paragraph(p->x, "warning", words);
			rc = report_device_write(p->x, f, &f->devices[k], err);
		}
		if (rc == 0)
			rc = report_file_end(p->x, f, err);
		page_step(p);
	}
	return rc;
}

static struct emit *page_emit(struct xml *x, struct error *err)
{
	struct emit_options o = {.format = EMIT_HTML, .page = x};
	struct emit *e;

	if (emit_new(&e, NULL, &o, err) < 0)
		return NULL;
	emit_object_begin(e, NULL, NULL);
	return e;
}

static int page_diff(struct page *p, struct error *err)
{
	struct diff_picture picture;
	struct emit *e;
	int rc;

	if (!p->r->diff)
		return 0;
	if ((rc = diff_picture_init(&picture, p->r->diff, err)) < 0)
		return rc;
	page_open(p->x, "section", "diff");
	xml_element(p->x, "h2", "What changed between the two files");
	if (!(e = page_emit(p->x, err))) {
		diff_picture_release(&picture);
		return (int)err->code;
	}
	describe_diff_answer(e, p->r->diff);
	emit_blank(e);
	xml_open(p->x, "figure");
	diff_picture_draw(p->x, &picture, false);
	xml_close(p->x);
	diff_picture_release(&picture);
	describe_diff_rows(e, p->r->diff);
	emit_object_end(e);
	emit_free(e);
	xml_close(p->x);
	xml_newline(p->x);
	return 0;
}

static int page_trend(struct page *p, struct error *err)
{
	struct emit *e;

	if (!p->r->trend)
		return 0;
	page_open(p->x, "section", "trend");
	xml_element(p->x, "h2", "What changes over the files");
	if (!(e = page_emit(p->x, err)))
		return (int)err->code;
	describe_trend_answer(e, p->r->trend);
	emit_blank(e);
	xml_open(p->x, "figure");
	trend_picture(p->x, p->r->trend);
	xml_close(p->x);
	describe_trend_rows(e, p->r->trend, TREND_ROWS);
	emit_object_end(e);
	emit_free(e);
	xml_close(p->x);
	xml_newline(p->x);
	return 0;
}

static int page_body(struct page *p, struct error *err)
{
	int rc;

	page_open(p->x, "div", "switch");
	xml_close(p->x);
	xml_newline(p->x);
	if (p->r->n_files > 1 && ((rc = page_diff(p, err)) < 0 || (rc = page_trend(p, err)) < 0))
		return rc;
	if ((rc = page_files(p, err)) < 0)
		return rc;
	page_element(p->x, "p", "footer",
		     "Sizes are binary: 1 GiB = 1,073,741,824 bytes. Requested: what the program "
		     "asked for. Allocated: blocks handed out, rounding included. Active: "
		     "allocated, and freed blocks that still wait for a stream. Reserved: segments "
		     "obtained from the driver.");
	rc = report_description_write(p->x, p->r, p->data, p->stacks, err);
	page_script(p->x, viewer_script);
	for (size_t i = 0; i < p->r->n_files && rc == 0 && !p->without_columns; i++)
		for (size_t k = 0; k < p->r->files[i].n_devices; k++)
			if (p->data[i][k].has_columns)
				report_columns_write(p->x, i, k, &p->data[i][k].columns);
	return rc;
}

static int page_write(struct page *p, struct out *to, struct error *err)
{
	const struct model *m = p->r->files[0].model;
	const struct str *file = strtab_get(&m->strings, m->file);
	char name[(NAME_CHARS + 1) * CLEAN_MAX];
	size_t from = file->length;
	struct error ignored;
	int rc;

	while (from > 0 && file->bytes[from - 1] != '/')
		from--;
	if ((rc = xml_new(&p->x, XML_HTML, to, err)) < 0)
		return rc;
	page_begin_with(
		p->x, page_style, viewer_script,
		clean_elide(name, sizeof name, file->bytes + from, file->length - from, NAME_CHARS),
		"GPU memory");
	rc = page_body(p, err);
	page_end(p->x, "Written by vramscope.");
	if (rc < 0) {
		(void)xml_free(p->x, &ignored);
		return rc;
	}
	return xml_free(p->x, err);
}

/* Tables of every file, still empty. */
static int page_tables(struct page *p, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->r->n_files && rc == 0; i++) {
		const struct report_file *f = &p->r->files[i];

		p->data[i] = calloc(f->n_devices + 1, sizeof *p->data[i]);
		if (!p->data[i])
			return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		rc = report_stacks_init(&p->stacks[i], f->model, p->r->budget, err);
	}
	return rc;
}

/* What the limit leaves to columns: write the page without any, and weigh it. */
static int page_room(struct page *p, uint64_t *left, struct error *err)
{
	struct out *o;
	uint64_t still;
	int rc = out_open_memory(&o, err);

	if (rc < 0)
		return rc;
	p->without_columns = true;
	rc = page_write(p, o, err);
	p->without_columns = false;
	still = out_size(o);
	out_abandon(o);
	*left = p->r->max_bytes > still ? p->r->max_bytes - still : 0;
	return rc;
}

static uint64_t count_events(const struct report *r)
{
	uint64_t events = 0;

	for (size_t i = 0; i < r->n_files; i++)
		for (size_t k = 0; k < r->files[i].n_devices; k++)
			events += r->files[i].devices[k].device->n_events + 1;
	return events;
}

/* Columns of all devices, together at most `most` bytes; each takes a share by its events. */
static int page_columns(struct page *p, uint64_t most, uint64_t *taken, struct error *err)
{
	const struct report *r = p->r;
	double events = (double)count_events(r);
	int rc = 0;

	*taken = 0;
	for (size_t i = 0; i < r->n_files && rc == 0; i++) {
		const struct report_file *f = &r->files[i];

		for (size_t k = 0; k < f->n_devices && rc == 0; k++) {
			double share = (double)(f->devices[k].device->n_events + 1) / events;
			uint64_t bytes =
				most == UINT64_MAX ? most : (uint64_t)((double)most * share);

			report_columns_release(&p->data[i][k].columns);
			rc = report_data_run(&p->data[i][k], &f->devices[k], &p->stacks[i], bytes,
					     r->budget, err);
			if (rc == 0 && p->data[i][k].has_columns)
				*taken += report_data_bytes(&p->data[i][k]);
			page_step(p);
		}
	}
	return rc;
}

/* Everything, and when that is too much, what fits. What is left out is said on the page, too: a page
 * that is just too large then has to give a little more. */
static int page_fit(struct page *p, struct error *err)
{
	uint64_t taken = 0, left = UINT64_MAX, most;
	int rc = page_tables(p, err);

	do {
		most = left;
		if (rc == 0)
			rc = page_columns(p, most, &taken, err);
		if (rc == 0 && taken)
			rc = page_room(p, &left, err);
		/* Columns beyond what they may take cannot be any shorter. */
	} while (rc == 0 && taken > left && taken <= most);
	return rc;
}

int report_write_html(struct out *to, const struct report *r, struct error *err)
{
	struct page p = {.r = r};
	int rc;

	p.stacks = calloc(r->n_files, sizeof *p.stacks);
	p.data = calloc(r->n_files, sizeof *p.data);
	for (size_t i = 0; i < r->n_files; i++)
		p.all += r->files[i].n_devices + 2;
	if (!p.stacks || !p.data)
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	else if ((rc = page_fit(&p, err)) == 0)
		rc = page_write(&p, to, err);
	page_release(&p);
	return rc;
}
