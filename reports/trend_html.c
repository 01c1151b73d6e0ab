/* SPDX-License-Identifier: MIT
 * trend_html.c -- the page of a trend: the picture, changes, sites with a trend, and every file.
 */
#include <stdio.h>

#include "reports/page.h"
#include "reports/page_table.h"
#include "reports/trend_report.h"
#include "reports/trend_style.h"

static const char page_style[] = PAGE_STYLE "td.name{text-align:left}\n" TREND_PICTURE_STYLE;

#define NAME_BYTES 2048
#define MAX_ROWS   500

static const char *file_name(const struct trend *t, uint32_t file)
{
	return strtab_get(&t->strings, t->files.at[file].file)->bytes;
}

static void facts(struct xml *x, const struct trend *t)
{
	char count[64], bytes[UNITS_BUF];
	size_t trends = 0;
	double highest = 0;

	for (size_t i = 0; i < t->sites.n; i++)
		trends += t->sites.at[i].has_trend;
	for (size_t i = 0; i < t->files.n; i++) {
		double v = t->files.at[i].metric[TREND_PEAK];

		highest = v > highest ? v : highest;
	}
	page_open(x, "dl", "facts");
	page_fact(x, "Files", units_count(count, t->files.n), NULL);
	page_fact(x, "Highest peak", units_bytes(bytes, (uint64_t)highest), NULL);
	page_fact(x, "Levels that change", units_count(count, t->changes.n),
		  t->changes.n ? file_name(t, t->changes.at[0].file) : "none");
	page_fact(x, "Sites with a trend", units_count(count, trends),
		  t->has_trend[TREND_PEAK] ? "the peak has one, too" : NULL);
	xml_close(x);
	xml_newline(x);
}

static void changes(struct xml *x, const struct trend *t)
{
	static const char *const columns[] = {"What", "From", "To", "From this file on", NULL};
	char what[NAME_BYTES], level[256];

	if (!t->changes.n)
		return;
	page_table_begin(x, "Changes", columns);
	for (size_t i = 0; i < t->changes.n && i < MAX_ROWS; i++) {
		const struct trend_change *c = &t->changes.at[i];

		page_row_begin(x, trend_what_words(t, c, what, sizeof what));
		page_cell(x, NULL, trend_level_words(t, c, false, level, sizeof level));
		page_cell(x, NULL, trend_level_words(t, c, true, level, sizeof level));
		page_cell_name(x, file_name(t, c->file));
		page_row_end(x);
	}
	page_table_end(x);
}

static void sites(struct xml *x, const struct trend *t)
{
	static const char *const columns[] = {"Site", "A file", "First", "Last", "Since", NULL};
	char name[NAME_BYTES], bytes[UNITS_BUF], slope[UNITS_BUF + 1];
	size_t n = 0;

	for (size_t i = 0; i < t->sites.n && n < MAX_ROWS; i++) {
		const struct trend_site *s = &t->sites.at[i];
		double way = s->slope < 0 ? -s->slope : s->slope;

		if (!s->has_trend)
			continue;
		if (n++ == 0)
			page_table_begin(x, "Sites with a trend, at the peak", columns);
		page_row_begin(x, trend_site_words(t, (uint32_t)i, name, sizeof name));
		(void)snprintf(slope, sizeof slope, "%c%s", s->slope < 0 ? '-' : '+',
			       units_bytes(bytes, (uint64_t)(way + 0.5)));
		page_cell(x, NULL, slope);
		page_cell_bytes(x, s->first);
		page_cell_bytes(x, s->last);
		page_cell_name(x, file_name(t, s->first_file));
		page_row_end(x);
	}
	if (n)
		page_table_end(x);
}

static void metric_cell(struct xml *x, double v)
{
	page_cell_bytes(x, v < 0 ? BYTES_NONE : (uint64_t)(v + 0.5));
}

static void files(struct xml *x, const struct trend *t)
{
	static const char *const columns[] = {"File",     "Peak",          "Live at the end",
					      "Reserved", "Fragmentation", "Largest at the peak",
					      NULL};
	char name[NAME_BYTES], share[32];

	page_table_begin(x, "Files", columns);
	for (size_t i = 0; i < t->files.n && i < MAX_ROWS; i++) {
		const struct trend_file *f = &t->files.at[i];
		size_t n;
		const struct trend_value *v = trend_values_of(t, (uint32_t)i, &n);

		page_row_begin(x, file_name(t, (uint32_t)i));
		metric_cell(x, f->metric[TREND_PEAK]);
		metric_cell(x, f->metric[TREND_END]);
		metric_cell(x, f->metric[TREND_RESERVED]);
		(void)snprintf(share, sizeof share, "%.1f %%",
			       100 * f->metric[TREND_FRAGMENTATION]);
		page_cell(x, NULL, f->metric[TREND_FRAGMENTATION] < 0 ? "unknown" : share);
		page_cell_name(x, f->error.i ? strtab_get(&t->strings, f->error)->bytes
				  : n        ? trend_site_words(t, v->site, name, sizeof name)
					     : "");
		page_row_end(x);
	}
	page_table_end(x);
	if (t->files.n > MAX_ROWS)
		page_paragraph(x, "scope", "The table ends at 500 files.");
}

int trend_write_html(struct out *to, const struct trend *t, struct error *err)
{
	struct xml *x;
	char words[UNITS_BUF];
	int rc = xml_new(&x, XML_HTML, to, err);

	if (rc < 0)
		return rc;
	page_begin(x, page_style, units_noun(words, sizeof words, t->files.n, "file", "files"),
		   "GPU memory from file to file");
	facts(x, t);
	xml_open(x, "figure");
	xml_newline(x);
	trend_picture(x, t);
	xml_close(x);
	xml_newline(x);
	changes(x, t);
	sites(x, t);
	files(x, t);
	page_end(x, "Sizes are binary: 1 GiB = 1,073,741,824 bytes. Peak: highest allocated bytes. "
		    "A level changes where the files behind it lie elsewhere than those before; a "
		    "trend goes one way from the first file to the last.");
	return xml_free(x, err);
}
