/* SPDX-License-Identifier: MIT
 * batch_file_page.c -- what a batch knows of one file, on a page of its own.
 */
#include "reports/batch_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/batch_report.h"
#include "reports/page.h"
#include "reports/page_table.h"

/* Rows of a table; the database has all. */
#define PAGE_ROWS 400

static const char page_style[] =
	PAGE_STYLE "td.name{text-align:left}\na{color:inherit}\n" BATCH_TIMELINE_STYLE;

static void fact(struct xml *x, const struct batch *b, size_t file, size_t column, const char *what,
		 const char *more)
{
	int64_t bytes = batch_int(b, BATCH_FILES, file, column, -1);
	char words[UNITS_BUF];

	if (bytes >= 0)
		page_fact(x, what, units_bytes(words, (uint64_t)bytes), more);
}

static void facts(struct xml *x, const struct batch *b, size_t file)
{
	const char *verdict = batch_text(b, BATCH_FILES, file, FILES_VERDICT);
	double fragmentation = batch_number(b, BATCH_FILES, file, FILES_FRAGMENTATION);
	char words[32];

	page_open(x, "dl", "facts");
	fact(x, b, file, FILES_PEAK, "Peak", batch_text(b, BATCH_FILES, file, FILES_PEAK_PHASE));
	fact(x, b, file, FILES_END, "Live at end", NULL);
	fact(x, b, file, FILES_PEAK_RESERVED, "Most reserved", NULL);
	if (fragmentation >= 0) {
		snprintf(words, sizeof words, "%.1f %%", fragmentation * 100);
		page_fact(x, "Fragmentation", words, "of reserved, at the end");
	}
	if (verdict)
		page_fact(x, "Out of memory", verdict,
			  batch_text(b, BATCH_FILES, file, FILES_CAUSE));
	xml_close(x);
	xml_newline(x);
}

static void timeline(struct xml *x, const struct batch *b, size_t file)
{
	if (!batch_timeline_top(b, file))
		return;
	page_element(x, "h2", NULL, "Memory by category");
	xml_open(x, "figure");
	batch_draw_timeline(x, b, file, 0, 900, 240, true);
	xml_close(x);
	xml_newline(x);
	batch_draw_categories(x);
}

static void departures(struct xml *x, const struct batch_groups *g, size_t file)
{
	char words[2400];
	size_t shown = 0;

	for (size_t i = 0; i < g->outliers.n; i++) {
		if (g->outliers.at[i].file != file)
			continue;
		if (shown++ == 0) {
			page_element(x, "h2", NULL, "Unlike its group");
			xml_open(x, "ul");
		}
		page_element(x, "li", "name",
			     batch_outlier_words(&g->outliers.at[i], words, sizeof words));
	}
	for (size_t i = 0; i < g->differences.n; i++) {
		const struct batch_difference *d = &g->differences.at[i];

		if (d->file != file)
			continue;
		if (shown++ == 0) {
			page_element(x, "h2", NULL, "Unlike the others");
			xml_open(x, "ul");
		}
		snprintf(words, sizeof words, "%s: %s, mostly %s", d->name, d->value, d->usual);
		page_element(x, "li", "name", words);
	}
	if (shown)
		xml_close(x);
}

/* The row of the files table, column by column. */
static void row_of_file(struct xml *x, const struct batch *b, size_t file)
{
	page_element(x, "h2", NULL, "All figures");
	xml_open(x, "table");
	xml_open(x, "tbody");
	for (size_t c = 1; c < batch_schemas[BATCH_FILES].n; c++) {
		if (batch_cell(b, BATCH_FILES, file, c)->kind == BATCH_NULL)
			continue;
		xml_open(x, "tr");
		xml_element(x, "th", batch_schemas[BATCH_FILES].columns[c].name);
		batch_html_cell(x, b, BATCH_FILES, file, c);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_close(x);
}

static void rows_of_table(struct xml *x, const struct batch *b, enum batch_table_id t, size_t file)
{
	size_t first, n = batch_rows_of(b, t, file, &first);
	char words[80], count[UNITS_BUF];

	if (!n)
		return;
	page_element(x, "h2", NULL, batch_schemas[t].name);
	page_paragraph(x, "scope", batch_schemas[t].doc);
	page_open(x, "div", "scroll");
	xml_open(x, "table");
	xml_open(x, "thead");
	xml_open(x, "tr");
	for (size_t c = 1; c < batch_schemas[t].n; c++)
		xml_element(x, "th", batch_schemas[t].columns[c].name);
	xml_close(x);
	xml_close(x);
	xml_open(x, "tbody");
	for (size_t i = first; i < first + n && i < first + PAGE_ROWS; i++) {
		xml_open(x, "tr");
		for (size_t c = 1; c < batch_schemas[t].n; c++)
			batch_html_cell(x, b, t, i, c);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_close(x);
	xml_close(x);
	if (n > PAGE_ROWS) {
		snprintf(words, sizeof words, "%s more rows are in summary.sqlite.",
			 units_count(count, n - PAGE_ROWS));
		page_paragraph(x, "scope", words);
	}
}

static void links(struct xml *x, const struct batch *b, const struct batch_pages *pages,
		  size_t file)
{
	const char *name = batch_name(b, file), *page;
	char out[65];

	page = pages->name_of ? pages->name_of(pages->ctx, name, out) : NULL;
	xml_open(x, "p");
	xml_open(x, "a");
	xml_attr(x, "href", "../index.html");
	xml_text(x, "all files");
	xml_close(x);
	if (page) {
		xml_text(x, " \xc2\xb7 ");
		xml_open(x, "a");
		xml_attr_begin(x, "href");
		xml_printf(x, "%s.html", page);
		xml_attr_end(x);
		xml_text(x, "interactive page");
		xml_close(x);
	}
	xml_close(x);
	xml_newline(x);
}

int batch_write_page(struct out *o, const struct batch *b, const struct batch_groups *g,
		     const struct batch_pages *pages, size_t file, struct error *err)
{
	const char *summary = batch_text(b, BATCH_FILES, file, FILES_SUMMARY);
	const char *reason = batch_text(b, BATCH_FILES, file, FILES_REASON);
	struct xml *x;
	int rc = xml_new(&x, XML_HTML, o, err);

	if (rc < 0)
		return rc;
	page_begin(x, page_style, batch_name(b, file), "GPU memory");
	page_paragraph(x, "scope", batch_name(b, file));
	links(x, b, pages, file);
	if (reason)
		page_paragraph(x, "oom-words", reason);
	if (summary)
		page_paragraph(x, "oom-words", summary);
	facts(x, b, file);
	timeline(x, b, file);
	departures(x, g, file);
	row_of_file(x, b, file);
	for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES; t++)
		rows_of_table(x, b, (enum batch_table_id)t, file);
	page_end(x, "Sizes are binary. Tables are those of summary.sqlite.");
	return xml_free(x, err);
}
