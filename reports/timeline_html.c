/* SPDX-License-Identifier: MIT
 * timeline_html.c -- the page of a timeline: what happened in words, the picture, its numbers.
 */
#include "reports/timeline_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/clean.h"
#include "reports/page.h"
#include "reports/timeline_frame.h"
#include "reports/ticks.h"
#include "reports/timeline_words.h"

static const char page_style[] = PAGE_STYLE TIMELINE_PICTURE_STYLE
	".verdicts{margin:8px 0;padding-left:20px;max-width:76em}\n"
	".verdicts li{margin:5px 0}\n"
	".verdicts .bad::marker{color:#d55e00}\n"
	".swatch{display:inline-block;vertical-align:-1px;margin-right:8px}\n";

/* Rows of a table of the page; the rest is counted. */
#define MAX_OOM_ROWS  50
#define MAX_NAME_ROWS 60

static void page_words(struct xml *x, const struct timeline_words *w)
{
	page_open(x, "p", "scope");
	xml_element(x, "bdi", w->file);
	xml_text(x, " \xc2\xb7 ");
	xml_text(x, w->device);
	xml_text(x, " \xc2\xb7 ");
	xml_text(x, w->scope);
	xml_close(x);
	xml_newline(x);
	if (w->oom[0])
		page_paragraph(x, "oom-words", w->oom);
	page_paragraph(x, "peak-words", w->peak);
	if (w->n_notes == 0)
		return;
	page_open(x, "ul", "notes");
	xml_newline(x);
	for (size_t i = 0; i < w->n_notes; i++) {
		xml_element(x, "li", w->notes[i]);
		xml_newline(x);
	}
	xml_close(x);
	xml_newline(x);
}

/* What the picture shows, in words, under it. */
static void page_verdicts(struct xml *x, const struct timeline *t)
{
	char words[TIMELINE_SENTENCE];

	if (!t->verdicts)
		return;
	xml_element(x, "h2", "What it shows");
	xml_newline(x);
	page_open(x, "ul", "verdicts");
	xml_newline(x);
	for (size_t i = 0; i < t->verdicts->n; i++) {
		timeline_verdict_words(words, sizeof words, t, &t->verdicts->at[i]);
		page_open(x, "li", verdict_is_bad(t->verdicts->at[i].kind) ? "bad" : "fine");
		xml_text(x, words);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_newline(x);
	page_paragraph(x, "scope", timeline_steps_words(words, sizeof words, t));
}

/* --- facts ------------------------------------------------------------------------------------ */

static void fact_bytes(struct xml *x, const char *what, uint64_t bytes, const char *more)
{
	char words[UNITS_BUF];

	page_fact(x, what, bytes == BYTES_NONE ? "unknown" : units_bytes(words, bytes), more);
}

static void page_facts(struct xml *x, const struct timeline *t)
{
	char place[TIMELINE_PLACE], count[64], more[96], bytes[UNITS_BUF];

	page_open(x, "dl", "facts");
	xml_newline(x);
	fact_bytes(x, "Highest allocated", t->highest[TIMELINE_ALLOCATED],
		   t->known[TIMELINE_ALLOCATED] ? timeline_place(place, t, &t->peak) : "");
	if (t->known[TIMELINE_ALLOCATED] && t->peak.totals.reserved != BYTES_NONE)
		fact_bytes(x, "Reserved at that moment", t->peak.totals.reserved, "");
	if (t->known[TIMELINE_RESERVED])
		fact_bytes(x, "Highest reserved", t->highest[TIMELINE_RESERVED], "");
	more[0] = '\0';
	if (t->end.totals.reserved != BYTES_NONE)
		(void)snprintf(more, sizeof more, "of %s reserved",
			       units_bytes(bytes, t->end.totals.reserved));
	fact_bytes(x, "Allocated at the end", t->end.totals.allocated, more);
	page_fact(x, "Out of memory", units_noun(count, sizeof count, t->ooms.n, "time", "times"),
		  "");
	if (t->bands.spans.n > 0) {
		(void)snprintf(more, sizeof more, "%zu distinct", t->bands.names.n);
		page_fact(x, "Annotations", units_count(count, t->bands.spans.n), more);
	}
	xml_close(x);
	xml_newline(x);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void table_begin(struct xml *x, const char *heading, const char *const *columns)
{
	xml_element(x, "h2", heading);
	xml_newline(x);
	page_open(x, "div", "scroll");
	xml_open(x, "table");
	xml_newline(x);
	xml_open(x, "thead");
	xml_open(x, "tr");
	for (; *columns; columns++) {
		xml_open(x, "th");
		xml_attr(x, "scope", "col");
		xml_text(x, *columns);
		xml_close(x);
	}
	xml_close(x);
	xml_close(x);
	xml_newline(x);
	xml_open(x, "tbody");
	xml_newline(x);
}

static void table_end(struct xml *x, uint64_t left_out, const char *what)
{
	char count[UNITS_BUF], words[96];

	xml_close(x);
	xml_newline(x);
	xml_close(x);
	xml_close(x);
	xml_newline(x);
	if (left_out > 0) {
		(void)snprintf(words, sizeof words, "and %s more %s", units_count(count, left_out),
			       what);
		page_paragraph(x, "scope", words);
	}
}

static void cell_bytes(struct xml *x, uint64_t bytes)
{
	char words[UNITS_BUF];

	xml_element(x, "td", bytes == BYTES_NONE ? "unknown" : units_bytes(words, bytes));
}

static void row_begin(struct xml *x, const char *class, const char *text)
{
	xml_open(x, "tr");
	xml_open(x, "th");
	xml_attr(x, "scope", "row");
	if (class)
		xml_attr(x, "class", class);
	xml_text(x, text);
	xml_close(x);
}

static void row_end(struct xml *x)
{
	xml_close(x);
	xml_newline(x);
}

static void row_totals(struct xml *x, const struct timeline *t, const char *what,
		       const struct timeline_point *p)
{
	char place[TIMELINE_PLACE];

	row_begin(x, NULL, what);
	xml_element(x, "td", timeline_place(place, t, p));
	cell_bytes(x, p->totals.requested);
	cell_bytes(x, p->totals.allocated);
	cell_bytes(x, p->totals.active);
	cell_bytes(x, p->totals.reserved);
	row_end(x);
}

/* The layers, as in the legend from the top of the stack down. */
static void page_layers(struct xml *x, const struct timeline *t)
{
	static const char *const columns[] = {"Layer",    "At the peak", "Share", "Highest",
					      "At start", "At the end",  NULL};
	const struct timeline_stack *s = &t->stack;
	char name[TIMELINE_LAYER_NAME], class[16], share[16], heading[64];

	if (!timeline_has_stack(t) || !t->known[TIMELINE_ALLOCATED])
		return;
	(void)snprintf(heading, sizeof heading, "By %s", group_by_name(s->groups->by));
	table_begin(x, heading, columns);
	for (size_t g = s->groups->n; g-- > 0;) {
		if (s->highest[g] == 0)
			continue;
		xml_open(x, "tr");
		xml_open(x, "th");
		xml_attr(x, "scope", "row");
		xml_attr(x, "class", "name");
		xml_open(x, "svg");
		xml_attr(x, "class", "swatch");
		xml_attr_i64(x, "width", 12);
		xml_attr_i64(x, "height", 12);
		xml_attr(x, "aria-hidden", "true");
		svg_rect(x, timeline_layer_class(class, t, g), 0, 0, 12 * SVG_PX, 12 * SVG_PX);
		xml_close(x);
		xml_text(x, timeline_layer_name(name, t, g, 70));
		xml_close(x);
		cell_bytes(x, s->peak[g]);
		(void)snprintf(share, sizeof share, "%.1f %%",
			       t->peak.totals.allocated ? 100.0 * (double)s->peak[g] /
								  (double)t->peak.totals.allocated
							: 0.0);
		xml_element(x, "td", share);
		cell_bytes(x, s->highest[g]);
		cell_bytes(x, s->start[g]);
		cell_bytes(x, s->end[g]);
		row_end(x);
	}
	table_end(x, 0, "");
}

static void page_moments(struct xml *x, const struct timeline *t)
{
	static const char *const columns[] = {"Moment", "Where",    "Requested", "Allocated",
					      "Active", "Reserved", NULL};

	table_begin(x, "Key moments", columns);
	row_totals(x, t, "start", &t->start);
	if (t->known[TIMELINE_ALLOCATED])
		row_totals(x, t, "highest allocated", &t->peak);
	if (t->ooms.n > 0)
		row_totals(x, t, "last out of memory", &t->ooms.at[t->ooms.n - 1].at);
	row_totals(x, t, "end", &t->end);
	row_begin(x, NULL, "each at its highest");
	xml_element(x, "td", "");
	cell_bytes(x, t->highest[TIMELINE_REQUESTED]);
	cell_bytes(x, t->highest[TIMELINE_ALLOCATED]);
	cell_bytes(x, t->highest[TIMELINE_ACTIVE]);
	cell_bytes(x, t->highest[TIMELINE_RESERVED]);
	row_end(x);
	table_end(x, 0, "");
}

static void page_ooms(struct xml *x, const struct timeline *t)
{
	static const char *const columns[] = {"Where",     "Asked for", "Device free",
					      "Allocated", "Reserved",  NULL};
	size_t from = t->ooms.n > MAX_OOM_ROWS ? t->ooms.n - MAX_OOM_ROWS : 0;
	char place[TIMELINE_PLACE];

	if (t->ooms.n == 0)
		return;
	table_begin(x, "Out of memory", columns);
	for (size_t i = from; i < t->ooms.n; i++) {
		const struct timeline_oom *oom = &t->ooms.at[i];

		row_begin(x, NULL, timeline_place(place, t, &oom->at));
		cell_bytes(x, oom->requested);
		cell_bytes(x, oom->device_free);
		cell_bytes(x, oom->at.totals.allocated);
		cell_bytes(x, oom->at.totals.reserved);
		row_end(x);
	}
	table_end(x, from, "before these");
}

static void page_annotations(struct xml *x, const struct timeline *t)
{
	static const char *const columns[] = {"Annotation", "Count", "Together", "Longest", NULL};
	size_t n = t->bands.names.n, shown = n < MAX_NAME_ROWS ? n : MAX_NAME_ROWS;
	char name[301 * CLEAN_MAX], words[UNITS_BUF];

	if (n == 0)
		return;
	table_begin(x, "Annotations", columns);
	for (size_t i = 0; i < shown; i++) {
		const struct band_name *b = &t->bands.names.at[i];
		const struct str *s = strtab_get(&t->model->strings, b->name);

		row_begin(x, "name", clean_elide(name, sizeof name, s->bytes, s->length, 300));
		xml_element(x, "td", units_count(words, b->count));
		xml_element(x, "td", ticks_duration(words, b->total_us));
		xml_element(x, "td", ticks_duration(words, b->longest_us));
		row_end(x);
	}
	table_end(x, n - shown, "names");
}

/* --- the whole -------------------------------------------------------------------------------- */

static void page_body(struct xml *x, const struct timeline *t, const struct timeline_words *w,
		      unsigned width)
{
	page_begin(x, page_style, w->file, "GPU memory over time");
	page_words(x, w);
	page_facts(x, t);
	xml_open(x, "figure");
	xml_newline(x);
	timeline_picture(x, t, width);
	xml_close(x);
	xml_newline(x);
	page_verdicts(x, t);
	page_layers(x, t);
	page_moments(x, t);
	page_ooms(x, t);
	page_annotations(x, t);
	page_end(x,
		 "Sizes are binary: 1 GiB = 1,073,741,824 bytes. Requested: what the program asked "
		 "for. Allocated: blocks handed out, rounding included. Active: allocated, and "
		 "freed blocks that still wait for a stream. Reserved: segments obtained from the "
		 "driver. Rest the pointer on the picture to read a moment.");
}

int timeline_write_html(struct out *to, const struct timeline *t, unsigned width, struct error *err)
{
	struct timeline_words w;
	struct xml *x;
	int rc = xml_new(&x, XML_HTML, to, err);

	if (rc < 0)
		return rc;
	timeline_words(&w, t);
	page_body(x, t, &w, width);
	return xml_free(x, err);
}
