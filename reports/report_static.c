/* SPDX-License-Identifier: MIT
 * report_static.c -- what a report's page says without script: sentences, tables, pictures.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/clean.h"
#include "reports/explain_words.h"
#include "reports/page.h"
#include "reports/page_table.h"
#include "reports/report_parts.h"
#include "reports/stack_lines.h"
#include "reports/timeline_words.h"

#define NAME_CHARS   120
#define TOP_ROWS     25
#define BLOCK_ROWS   30
#define STACK_FRAMES 200

/* An emit that writes into the page; NULL with *err set. */
static struct emit *page_emit(struct xml *x, struct error *err)
{
	struct emit_options o = {.format = EMIT_HTML, .page = x};
	struct emit *e;

	if (emit_new(&e, NULL, &o, err) < 0)
		return NULL;
	emit_object_begin(e, NULL, NULL);
	return e;
}

static void page_emit_end(struct emit *e)
{
	emit_object_end(e);
	emit_free(e);
}

static const char *file_name(const struct model *m, char buf[(NAME_CHARS + 1) * CLEAN_MAX])
{
	const struct str *s = strtab_get(&m->strings, m->file);
	size_t from = s->length;

	while (from > 0 && s->bytes[from - 1] != '/')
		from--;
	return clean_elide(buf, (NAME_CHARS + 1) * CLEAN_MAX, s->bytes + from, s->length - from,
			   NAME_CHARS);
}

/* --- the head of a file: the answer ------------------------------------------------------------ */

static void answer_leak(struct xml *x, const struct emit *e, const struct report_device *d)
{
	char words[LEAKS_WORDS], name[UNITS_BUF], text[sizeof words + sizeof name + 16];

	if (!d->leaks || !*leaks_words(e, d->leaks, words))
		return;
	(void)snprintf(text, sizeof text, "%s leaks %s.",
		       describe_device_name(name, d->device->index), words);
	page_paragraph(x, "answer", text);
}

static int answer(struct xml *x, const struct report_file *f, struct error *err)
{
	const struct explain *ex = f->explain;
	char text[SENTENCE_BYTES];
	struct emit *e = page_emit(x, err);

	if (!e)
		return (int)err->code;
	if (ex->ooms.n > 0) {
		const struct explain_oom *o = &ex->ooms.at[ex->main_oom];

		page_paragraph(x, "oom-words answer",
			       oom_sentence(e, f->model, o, text, sizeof text));
		if (o->n_evidence)
			page_paragraph(x, NULL,
				       evidence_sentence(e, f->model, o, &o->evidence[0], text,
							 sizeof text));
		if (o->n_advice) {
			page_open(x, "p", "advice");
			xml_element(x, "b", "What helps: ");
			xml_text(x,
				 advice_sentence(e, f->model, o, &o->advice[0], text, sizeof text));
			xml_close(x);
			xml_newline(x);
		}
	} else {
		page_paragraph(x, "answer", "Memory did not run out in this file.");
		for (size_t i = 0; i < f->n_devices; i++)
			answer_leak(x, e, &f->devices[i]);
	}
	page_emit_end(e);
	return 0;
}

int report_file_begin(struct xml *x, const struct report_file *f, size_t index, struct error *err)
{
	char name[(NAME_CHARS + 1) * CLEAN_MAX];

	page_open(x, "article", "file");
	xml_attr_begin(x, "id");
	xml_printf(x, "file-%zu", index);
	xml_attr_end(x);
	xml_newline(x);
	page_open(x, "h2", "file-name");
	xml_element(x, "bdi", file_name(f->model, name));
	xml_close(x);
	xml_newline(x);
	if (f->model->partial)
		page_paragraph(x, "warning",
			       "The file is damaged: only what could be read of it is told here.");
	return answer(x, f, err);
}

/* --- devices ----------------------------------------------------------------------------------- */

static const char *history_words(enum history h)
{
	static const char *const words[] = {
		[HISTORY_NONE] = "recording was off",
		[HISTORY_COMPLETE] = "from the beginning",
		[HISTORY_TRUNCATED] = "older ones were lost",
		[HISTORY_LATE_START] = "recording began late",
	};

	return words[h];
}

static void device_facts(struct xml *x, const struct report_device *d)
{
	const struct replay_summary *s = replay_summary(d->replay);
	const struct timeline *t = d->timeline;
	char bytes[UNITS_BUF], more[UNITS_BUF + 40], place[TIMELINE_PLACE], count[64], steps[64];

	page_open(x, "dl", "facts");
	xml_newline(x);
	page_fact(x, "Highest allocated",
		  s->allocated.bytes == BYTES_NONE ? "unknown"
						   : units_bytes(bytes, s->allocated.bytes),
		  t->known[TIMELINE_ALLOCATED] ? timeline_place(place, t, &t->peak) : NULL);
	page_fact(
		x, "Highest reserved",
		s->reserved.bytes == BYTES_NONE ? "unknown" : units_bytes(bytes, s->reserved.bytes),
		NULL);
	(void)snprintf(
		more, sizeof more, "of %s reserved",
		s->end.reserved == BYTES_NONE ? "unknown" : units_bytes(bytes, s->end.reserved));
	page_fact(x, "Allocated at the end",
		  s->end.allocated == BYTES_NONE ? "unknown" : units_bytes(bytes, s->end.allocated),
		  more);
	page_fact(x, "Out of memory", units_noun(count, sizeof count, t->ooms.n, "time", "times"),
		  NULL);
	page_fact(x, "Events", units_count(count, d->device->n_events),
		  describe_past_unknown(d->device) ? NULL : history_words(s->history));
	if (d->purpose)
		(void)snprintf(steps, sizeof steps, "found by %s",
			       describe_step_source(d->purpose->phases.source));
	if (d->purpose && d->purpose->phases.steps.n > 0)
		page_fact(x, "Steps", units_count(count, d->purpose->phases.steps.n), steps);
	xml_close(x);
	xml_newline(x);
}

static void details_begin(struct xml *x, const char *id, const char *summary, bool open)
{
	xml_open(x, "details");
	xml_attr(x, "class", id);
	if (open)
		xml_attr(x, "open", "");
	xml_element(x, "summary", summary);
	xml_newline(x);
}

static void details_end(struct xml *x)
{
	xml_close(x);
	xml_newline(x);
}

static int device_sites(struct xml *x, const struct report_file *f, const struct report_device *d,
			struct error *err)
{
	struct emit *e;

	if (!d->peak_sites || !d->peak_sites->rows.n)
		return 0;
	details_begin(x, "holders", "Who holds memory at the peak", true);
	e = page_emit(x, err);
	if (!e)
		return (int)err->code;
	describe_top(e, f->model, d->peak_sites, &d->peak, TOP_ROWS);
	page_emit_end(e);
	details_end(x);
	return 0;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct state_block *const *x = a, *const *y = b;

	if ((*x)->size != (*y)->size)
		return (*x)->size < (*y)->size ? 1 : -1;
	return (*x)->address < (*y)->address ? -1 : (*x)->address > (*y)->address;
}

static void block_entry(struct xml *x, const struct model *m, const struct state_block *b)
{
	char bytes[UNITS_BUF], event[UNITS_BUF], site[16384], clean[(300 + 1) * CLEAN_MAX];
	size_t depth = stacks_depth(&m->stacks, b->stack);

	xml_open(x, "details");
	xml_open(x, "summary");
	page_element(x, "b", NULL, units_bytes(bytes, b->size));
	xml_text(x, " ");
	site_words(m, site_of_stack(m, b->stack), site, sizeof site);
	page_element(x, "bdi", NULL, clean_elide(clean, sizeof clean, site, strlen(site), 300));
	if (b->born == EVENT_START)
		xml_text(x, ", from before the recording");
	else
		xml_printf(x, ", since %s", describe_event(event, b->born));
	xml_close(x);
	xml_open(x, "pre");
	for (size_t k = 0; k < depth && k < STACK_FRAMES; k++) {
		frame_words(m, m->stacks.pool.at[m->stacks.start.at[b->stack.i] + k], site,
			    sizeof site);
		xml_text(x, clean_elide(clean, sizeof clean, site, strlen(site), 300));
		xml_newline(x);
	}
	if (!depth)
		xml_text(x, "no stack was recorded");
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

static int device_blocks(struct xml *x, const struct report_file *f, const struct report_device *d,
			 struct error *err)
{
	const struct state *s = d->peak_state;
	const struct state_block **rows;
	size_t n = 0;

	if (!s || !s->blocks.n)
		return 0;
	rows = malloc(s->blocks.n * sizeof *rows);
	if (!rows)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < s->blocks.n; i++)
		if (s->blocks.at[i].state != BLOCK_INACTIVE)
			rows[n++] = &s->blocks.at[i];
	qsort(rows, n, sizeof *rows, compare_blocks);
	details_begin(x, "blocks", "Largest blocks at the peak, with their stacks", false);
	for (size_t i = 0; i < n && i < BLOCK_ROWS; i++)
		block_entry(x, f->model, rows[i]);
	details_end(x);
	free(rows);
	return 0;
}

static bool is_fragmented(const struct report_file *f)
{
	const struct explain *ex = f->explain;

	return ex->ooms.n && ex->ooms.at[ex->main_oom].verdict == VERDICT_FRAGMENTATION;
}

static int device_frag(struct xml *x, const struct report_file *f, const struct report_device *d,
		       struct error *err)
{
	struct emit *e;
	int rc;

	if (!d->frag || !d->frag->state->segments.n)
		return 0;
	details_begin(x, "fragmentation", "Fragmentation", is_fragmented(f));
	xml_open(x, "figure");
	rc = frag_picture(x, d->frag, err);
	xml_close(x);
	xml_newline(x);
	if (rc < 0)
		return rc;
	if (!(e = page_emit(x, err)))
		return (int)err->code;
	describe_frag(e, d->frag);
	page_emit_end(e);
	details_end(x);
	return 0;
}

static int device_leaks(struct xml *x, const struct report_device *d, struct error *err)
{
	struct emit *e;

	if (!d->leaks || d->leaks->leaks->too_few_steps)
		return 0;
	details_begin(x, "leaks", "Leaks", d->leaks->leaks->found.n > 0);
	if (!(e = page_emit(x, err)))
		return (int)err->code;
	describe_leaks(e, d->leaks);
	page_emit_end(e);
	details_end(x);
	return 0;
}

static void device_notes(struct xml *x, const struct timeline_words *w)
{
	if (!w->n_notes)
		return;
	page_open(x, "ul", "notes");
	for (size_t i = 0; i < w->n_notes; i++)
		xml_element(x, "li", w->notes[i]);
	xml_close(x);
	xml_newline(x);
}

int report_device_write(struct xml *x, const struct report_file *f, const struct report_device *d,
			struct error *err)
{
	struct timeline_words w;
	char name[UNITS_BUF];
	int rc;

	timeline_words(&w, d->timeline);
	page_open(x, "section", "device");
	xml_attr_begin(x, "data-device");
	xml_printf(x, "%" PRId32, d->device->index);
	xml_attr_end(x);
	page_element(x, "h3", "device-name", describe_device_name(name, d->device->index));
	page_paragraph(x, "peak-words", w.peak);
	device_facts(x, d);
	page_open(x, "div", "view");
	xml_close(x);
	page_open(x, "figure", "timeline");
	xml_newline(x);
	timeline_picture(x, d->timeline, TIMELINE_DEFAULT_WIDTH);
	xml_close(x);
	xml_newline(x);
	device_notes(x, &w);
	if ((rc = device_sites(x, f, d, err)) < 0 || (rc = device_blocks(x, f, d, err)) < 0 ||
	    (rc = device_leaks(x, d, err)) < 0 || (rc = device_frag(x, f, d, err)) < 0)
		return rc;
	xml_close(x);
	xml_newline(x);
	return 0;
}

int report_file_end(struct xml *x, const struct report_file *f, struct error *err)
{
	struct emit *e;

	details_begin(x, "why", f->explain->ooms.n ? "Why memory ran out" : "Who holds memory",
		      f->explain->ooms.n > 0);
	if (!(e = page_emit(x, err)))
		return (int)err->code;
	describe_explain(e, f->model, f->explain, &f->explain_sources);
	page_emit_end(e);
	details_end(x);
	details_begin(x, "about", "About the file", false);
	if (!(e = page_emit(x, err)))
		return (int)err->code;
	describe_info(e, f->model, f->info);
	page_emit_end(e);
	details_end(x);
	xml_close(x);
	xml_newline(x);
	return 0;
}
