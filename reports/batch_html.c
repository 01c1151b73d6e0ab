/* SPDX-License-Identifier: MIT
 * batch_html.c -- the page over many files: failures, outliers, groups, and a table to sort.
 *
 * It is written for a thousand ranks and stays readable with more: what is drawn or listed has a
 * limit, and the page says what was left out.
 */
#include "reports/batch_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/batch_report.h"
#include "reports/page.h"
#include "reports/page_table.h"

#define MAX_ROWS       5000
#define MAX_THUMBS     2000
#define MAX_FAILURES   100
#define MAX_OUTLIERS   100 /* files */
#define MAX_DEPARTURES 3   /* of each; the file's page has all */
#define MAX_GROUPS     40

#define THUMB_WIDTH  96
#define THUMB_HEIGHT 28

static const char page_style[] = PAGE_STYLE
	"body{max-width:1800px}\ntd.name,th.name{text-align:left}\na{color:inherit}\n"
	"#files th.name{min-width:18em}\n#files thead th.name{min-width:0}\n"
	"#files td.name,#files thead th{white-space:nowrap}\n"
	"#files td.name{max-width:26em;overflow:hidden;text-overflow:ellipsis}\n"
	".scroll tbody th.name{min-width:11em}\n.scroll td.name{min-width:13em}\n"
	"figure{max-width:1100px}\n"
	"#tools{margin:8px 0;display:flex;flex-wrap:wrap;gap:8px;align-items:center}\n"
	"#tools[hidden]{display:none}\n"
	".rows{overflow:auto;max-height:85vh}\n"
	"#files thead th{position:sticky;top:0;z-index:1}\n"
	"th[data-sort]{cursor:pointer}\n"
	"th[aria-sort=ascending]::after{content:' \\2191'}\n"
	"th[aria-sort=descending]::after{content:' \\2193'}\n"
	"input,button{font:inherit;padding:3px 10px}\n#filter{min-width:22em}\n"
	"button{border:1px solid #8c959f;border-radius:6px;background:none;color:inherit;"
	"cursor:pointer}\nbutton[aria-pressed=true]{background:#0072b2;color:#ffffff}\n"
	"button:disabled{border:0;padding:0;cursor:auto}\n"
	"svg.thumb{display:block;width:96px;height:28px;background:#f3f5f7}\n"
	"ul.why{margin:0;padding-left:18px}\n"
	"tr.failed td,tr.partial td{color:#b3400e}\n" BATCH_TIMELINE_STYLE BATCH_GROUP_STYLE
	"@media screen and (prefers-color-scheme:dark){tr.failed td,tr.partial td{color:#ff8a3d}\n"
	"svg.thumb{background:#0f1115}}\n"
	"@page{size:landscape}\n"
	"@media print{.rows{max-height:none;overflow:visible}\n"
	"#tools{display:none}button{border:0;padding:0}\n"
	"#files{font-size:9px}#files th,#files td{padding:2px 5px}\n"
	"#files th.name{min-width:14em}}\n";

struct index {
	struct xml *x;
	const struct batch *b;
	const struct batch_groups *g;
	const struct batch_pages *pages;
	size_t cut;         /* bytes of the folders that all names have in common */
	uint64_t *tops;     /* of each file: what its picture's height stands for; owned */
	uint32_t *failures; /* of each file: number of its failure + 1; owned */
};

static const char *short_name(const struct index *p, size_t file)
{
	return batch_name(p->b, file) + p->cut;
}

/* Up to the last slash that all names share. */
static size_t common_folders(const struct batch *b)
{
	const char *first = b->n_rows[BATCH_FILES] ? batch_name(b, 0) : "";
	size_t same = strlen(first);

	for (size_t i = 1; i < b->n_rows[BATCH_FILES]; i++) {
		const char *name = batch_name(b, i);
		size_t k = 0;

		while (k < same && name[k] == first[k])
			k++;
		same = k;
	}
	while (same > 0 && first[same - 1] != '/')
		same--;
	return same;
}

/* --- on top ------------------------------------------------------------------------------------ */

static void who_words(const struct index *p, size_t file, char *buf, size_t size)
{
	const char *host = batch_text(p->b, BATCH_FILES, file, FILES_HOST);
	int64_t rank = batch_int(p->b, BATCH_FILES, file, FILES_RANK, -1);
	int n = 0;

	if (rank >= 0)
		n = snprintf(buf, size, "rank %" PRId64 "%s%s, ", rank, host ? " on " : "",
			     host ? host : "");
	snprintf(buf + n, size - (size_t)n, "%s", short_name(p, file));
}

/* "2026-12-01 02:09:52 UTC" */
static const char *whole_second(char buf[UNITS_BUF], int64_t us)
{
	char *point = strchr(units_time_us(buf, us), '.');

	if (point && strlen(point) > 7)
		memmove(point, point + 7, strlen(point + 7) + 1);
	return buf;
}

static void draw_facts(const struct index *p)
{
	const struct batch *b = p->b;
	const struct batch_groups *g = p->g;
	char count[UNITS_BUF], bytes[UNITS_BUF], partial[UNITS_BUF], when[UNITS_BUF], more[1024];
	size_t highest = SIZE_MAX;
	int64_t most = -1;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		int64_t peak = batch_int(b, BATCH_FILES, i, FILES_PEAK, -1);

		if (peak > most) {
			most = peak;
			highest = i;
		}
	}
	snprintf(more, sizeof more, "%s not read, %s damaged", units_count(count, g->n_failed),
		 units_count(partial, g->n_partial));
	page_open(p->x, "dl", "facts");
	page_fact(p->x, "Files", units_count(count, b->n_rows[BATCH_FILES]), more);
	page_fact(p->x, "Out of memory", units_count(count, g->n_ooms), NULL);
	if (highest != SIZE_MAX) {
		who_words(p, highest, more, sizeof more);
		page_fact(p->x, "Highest peak", units_bytes(bytes, (uint64_t)most), more);
	}
	if (g->first_to_fail != SIZE_MAX) {
		who_words(p, g->first_to_fail, more, sizeof more);
		page_fact(p->x, "First to fail, by its own clock",
			  whole_second(when, batch_int(b, BATCH_FILES, g->first_to_fail,
						       FILES_OOM_TIME, 0)),
			  more);
	}
	xml_close(p->x);
	xml_newline(p->x);
}

/* A button that shows some of the rows; its words stand without script, too. */
static void show_button(struct xml *x, const char *words, const char *filter)
{
	xml_open(x, "button");
	xml_attr(x, "type", "button");
	xml_attr(x, "disabled", "disabled");
	xml_attr(x, "data-show", filter);
	xml_text(x, words);
	xml_close(x);
}

static void asked_words(const struct batch_failure *f, char *buf, size_t size)
{
	char least[UNITS_BUF], most[UNITS_BUF];

	buf[0] = '\0';
	if (f->least < 0)
		return;
	units_bytes(least, (uint64_t)f->least);
	if (f->most == f->least)
		snprintf(buf, size, "%s", least);
	else
		snprintf(buf, size, "%s to %s", least, units_bytes(most, (uint64_t)f->most));
}

static void draw_failure(const struct index *p, size_t i)
{
	const struct batch_failure *f = &p->g->failures.at[i];
	bool ranks = f->group && batch_int(p->b, BATCH_FILES, f->first, FILES_RANK, -1) >= 0;
	char words[120], n[UNITS_BUF], of[UNITS_BUF], filter[32];

	page_row_begin(p->x, short_name(p, f->first));
	snprintf(words, sizeof words, "%s of %s %s", units_count(n, f->n), units_count(of, f->of),
		 ranks ? "ranks" : "files");
	snprintf(filter, sizeof filter, "failure:%zu", i);
	xml_open(p->x, "td");
	show_button(p->x, words, filter);
	xml_close(p->x);
	batch_html_cell(p->x, p->b, BATCH_FILES, f->first, FILES_VERDICT);
	batch_html_cell(p->x, p->b, BATCH_FILES, f->first, FILES_CAUSE);
	asked_words(f, words, sizeof words);
	page_cell(p->x, NULL, words);
	batch_html_cell(p->x, p->b, BATCH_FILES, f->first, FILES_OOM_SITE);
	page_row_end(p->x);
}

static void draw_more(struct xml *x, size_t n, const char *what)
{
	char words[160], count[UNITS_BUF];

	snprintf(words, sizeof words, "%s more %s are not shown here; summary.sqlite has all.",
		 units_count(count, n), what);
	page_paragraph(x, "scope", words);
}

static void draw_failures(const struct index *p)
{
	static const char *const columns[] = {"First file",
					      "The same failure",
					      PAGE_WORDS "Verdict",
					      PAGE_WORDS "Cause",
					      "Asked for",
					      PAGE_WORDS "By",
					      NULL};
	size_t n = p->g->failures.n;

	if (!n)
		return;
	page_table_begin(p->x, "Out of memory", columns);
	for (size_t i = 0; i < n && i < MAX_FAILURES; i++)
		draw_failure(p, i);
	page_table_end(p->x);
	if (n > MAX_FAILURES)
		draw_more(p->x, n - MAX_FAILURES, "failures");
}

/* --- outliers and groups ----------------------------------------------------------------------- */

static void draw_departures(const struct index *p, size_t from)
{
	const struct batch_outlier *at = p->g->outliers.at;
	char words[2400], count[UNITS_BUF];
	size_t n = 0;

	page_row_begin(p->x, short_name(p, at[from].file));
	page_open(p->x, "td", "name");
	page_open(p->x, "ul", "why");
	for (size_t i = from; i < p->g->outliers.n && at[i].file == at[from].file; i++) {
		if (n++ < MAX_DEPARTURES)
			xml_element(p->x, "li", batch_outlier_words(&at[i], words, sizeof words));
	}
	if (n > MAX_DEPARTURES) {
		snprintf(words, sizeof words, "and %s more on its page",
			 units_count(count, n - MAX_DEPARTURES));
		xml_element(p->x, "li", words);
	}
	xml_close(p->x);
	xml_close(p->x);
	page_row_end(p->x);
}

static void draw_outliers(const struct index *p)
{
	static const char *const columns[] = {"File", PAGE_WORDS "Why", NULL};
	size_t files = 0;

	for (size_t i = 0; i < p->g->outliers.n; i++) {
		if (i && p->g->outliers.at[i - 1].file == p->g->outliers.at[i].file)
			continue;
		if (files++ == 0)
			page_table_begin(p->x, "Outliers", columns);
		if (files <= MAX_OUTLIERS)
			draw_departures(p, i);
	}
	if (files)
		page_table_end(p->x);
	if (files > MAX_OUTLIERS)
		draw_more(p->x, files - MAX_OUTLIERS, "files unlike their group");
}

static void draw_groups(const struct index *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->g->groups.n; i++) {
		const struct batch_group *group = &p->g->groups.at[i];

		if (group->files.n < BATCH_GROUP_MIN || n++ >= MAX_GROUPS)
			continue;
		page_element(p->x, "h2", "name",
			     strlen(group->name) > p->cut ? group->name + p->cut : group->name);
		batch_draw_group(p->x, p->b, p->g, group, p->cut);
	}
	if (n > MAX_GROUPS)
		draw_more(p->x, n - MAX_GROUPS, "groups");
}

/* --- the table --------------------------------------------------------------------------------- */

static const struct {
	size_t column;
	const char *title, *key;
} columns[] = {
	{FILES_RANK, "Rank", "rank"},
	{FILES_HOST, "Host", "host"},
	{FILES_STEP, "Step", "step"},
	{FILES_STATUS, "Status", "status"},
	{FILES_PEAK, "Peak", "peak"},
	{FILES_PEAK_PHASE, "Peak in", "phase"},
	{FILES_END, "Live at end", "end"},
	{FILES_PEAK_RESERVED, "Most reserved", "reserved"},
	{FILES_FRAGMENTATION, "Fragmentation", "fragmentation"},
	{FILES_LEAK, "Growth a step", "growth"},
	{FILES_STEPS, "Steps", "steps"},
	{FILES_VERDICT, "Verdict", "verdict"},
	{FILES_CAUSE, "Cause", "cause"},
	{FILES_OOM_REQUESTED, "Asked for", "asked"},
	{FILES_TIME, "Time", "time"},
	{FILES_REASON, "Reason", "reason"},
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* Columns of which no file has anything are left out. */
static bool is_known(const struct batch *b, size_t column)
{
	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		if (batch_cell(b, BATCH_FILES, i, column)->kind != BATCH_NULL)
			return true;
	}
	return false;
}

/* The first of `n` rows of `width` bytes that is of this file or a later one. Rows begin with their file
 * and are in the order of files. */
static size_t first_of_file(const void *rows, size_t n, size_t width, size_t file)
{
	const char *at = rows;
	size_t low = 0, high = n, own;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		memcpy(&own, at + middle * width, sizeof own);
		if (own < file)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void settings_cell(const struct index *p, size_t file)
{
	const struct batch_difference *at = p->g->differences.at;
	size_t n = p->g->differences.n, first = first_of_file(at, n, sizeof *at, file);

	page_open(p->x, "td", "name");
	for (size_t i = first; i < n && at[i].file == file; i++) {
		if (i > first)
			xml_text(p->x, ", ");
		xml_text(p->x, at[i].name);
		xml_text(p->x, "=");
		xml_text(p->x, *at[i].value ? at[i].value : "(empty)");
	}
	xml_close(p->x);
}

static bool is_outlier(const struct index *p, size_t file)
{
	const struct batch_outlier *at = p->g->outliers.at;
	size_t n = p->g->outliers.n, first = first_of_file(at, n, sizeof *at, file);

	return first < n && at[first].file == file;
}

static void name_cell(const struct index *p, size_t file)
{
	const char *name = batch_name(p->b, file), *page;
	char out[65];

	page_open(p->x, "th", "name");
	xml_attr(p->x, "scope", "row");
	xml_attr(p->x, "data-v", short_name(p, file));
	xml_open(p->x, "a");
	xml_attr_begin(p->x, "href");
	xml_printf(p->x, "pages/%zu.html", file);
	xml_attr_end(p->x);
	xml_text(p->x, short_name(p, file));
	xml_close(p->x);
	page = p->pages->name_of ? p->pages->name_of(p->pages->ctx, name, out) : NULL;
	if (page) {
		xml_text(p->x, " ");
		xml_open(p->x, "a");
		xml_attr_begin(p->x, "href");
		xml_printf(p->x, "pages/%s.html", page);
		xml_attr_end(p->x);
		xml_text(p->x, "(interactive)");
		xml_close(p->x);
	}
	xml_close(p->x);
}

static void draw_row(const struct index *p, const bool known[COLUMNS], size_t file)
{
	const char *status = batch_text(p->b, BATCH_FILES, file, FILES_STATUS);
	bool damaged = status && strcmp(status, "ok") != 0;

	page_open(p->x, "tr", damaged ? status : NULL);
	xml_attr_begin(p->x, "data-is");
	if (damaged)
		xml_printf(p->x, "damaged ");
	if (is_outlier(p, file))
		xml_printf(p->x, "outlier ");
	if (p->failures[file])
		xml_printf(p->x, "oom failure:%u", (unsigned)p->failures[file] - 1);
	xml_attr_end(p->x);
	name_cell(p, file);
	xml_open(p->x, "td");
	if (file < MAX_THUMBS)
		batch_draw_timeline(p->x, p->b, file, p->tops[file], THUMB_WIDTH, THUMB_HEIGHT,
				    false);
	xml_close(p->x);
	for (size_t c = 0; c < COLUMNS; c++) {
		if (known[c])
			batch_html_cell(p->x, p->b, BATCH_FILES, file, columns[c].column);
	}
	if (p->g->differences.n)
		settings_cell(p, file);
	xml_close(p->x);
	xml_newline(p->x);
}

static void head_cell(struct xml *x, const char *title, const char *key, bool is_text)
{
	page_open(x, "th", is_text ? "name" : NULL);
	xml_attr(x, "scope", "col");
	if (key)
		xml_attr(x, "data-key", key);
	xml_text(x, title);
	xml_close(x);
}

static void draw_tools(const struct index *p)
{
	struct xml *x = p->x;

	xml_open(x, "div");
	xml_attr(x, "id", "tools");
	xml_attr(x, "hidden", "hidden");
	xml_void(x, "input",
		 (const char *const[]){"id", "filter", "type", "search", "placeholder",
				       "words, or peak>20GiB, rank=3", "aria-label",
				       "Show rows with these words", NULL});
	show_button(x, "All", "");
	if (p->g->n_ooms)
		show_button(x, "Out of memory", "is:oom");
	if (p->g->outliers.n)
		show_button(x, "Outliers", "is:outlier");
	if (p->g->n_failed || p->g->n_partial)
		show_button(x, "Not whole", "is:damaged");
	xml_open(x, "span");
	xml_attr(x, "id", "shown");
	xml_attr(x, "role", "status");
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

static void draw_table(const struct index *p)
{
	struct xml *x = p->x;
	size_t n = p->b->n_rows[BATCH_FILES];
	bool known[COLUMNS];

	page_element(x, "h2", NULL, "Files");
	draw_tools(p);
	batch_draw_categories(x);
	page_open(x, "div", "rows");
	xml_open(x, "table");
	xml_attr(x, "id", "files");
	xml_open(x, "thead");
	xml_open(x, "tr");
	head_cell(x, "File", "file", true);
	head_cell(x, "Memory", NULL, true);
	for (size_t c = 0; c < COLUMNS; c++) {
		known[c] = is_known(p->b, columns[c].column);
		if (known[c])
			head_cell(x, columns[c].title, columns[c].key,
				  batch_schemas[BATCH_FILES].columns[columns[c].column].kind ==
					  BATCH_TEXT);
	}
	if (p->g->differences.n)
		head_cell(x, "Settings unlike most", "settings", true);
	xml_close(x);
	xml_close(x);
	xml_open(x, "tbody");
	for (size_t i = 0; i < n && i < MAX_ROWS; i++)
		draw_row(p, known, i);
	xml_close(x);
	xml_close(x);
	xml_close(x);
	if (n > MAX_ROWS)
		draw_more(x, n - MAX_ROWS, "files");
	if (n > MAX_THUMBS)
		draw_more(x, (n < MAX_ROWS ? n : MAX_ROWS) - MAX_THUMBS, "pictures of files");
}

/* --- all of it --------------------------------------------------------------------------------- */

/* Ranks of a group are drawn to one scale. */
static void find_tops(struct index *p)
{
	for (size_t i = 0; i < p->b->n_rows[BATCH_FILES]; i++)
		p->tops[i] = batch_timeline_top(p->b, i);
	for (size_t i = 0; i < p->g->groups.n; i++) {
		const struct batch_group *group = &p->g->groups.at[i];
		uint64_t top = 0;

		for (size_t k = 0; k < group->files.n; k++) {
			if (p->tops[group->files.at[k]] > top)
				top = p->tops[group->files.at[k]];
		}
		for (size_t k = 0; k < group->files.n; k++)
			p->tops[group->files.at[k]] = top;
	}
	for (size_t i = 0; i < p->g->failures.n; i++) {
		const struct batch_failure *f = &p->g->failures.at[i];

		for (size_t k = f->from; k < f->from + f->n; k++)
			p->failures[p->g->failed.at[k]] = (uint32_t)i + 1;
	}
}

static int draw(struct index *p, struct out *o, struct error *err)
{
	struct xml *x;
	char folder[600];
	int rc = xml_new(&x, XML_HTML, o, err);

	if (rc < 0)
		return rc;
	p->x = x;
	page_begin_with(x, page_style, batch_index_script, "Many files", "GPU memory");
	if (p->cut) {
		snprintf(folder, sizeof folder, "Files below %.*s",
			 p->cut < 500 ? (int)p->cut : 500, batch_name(p->b, 0));
		page_paragraph(x, "scope", folder);
	}
	draw_facts(p);
	draw_failures(p);
	draw_outliers(p);
	draw_groups(p);
	draw_table(p);
	page_script(x, batch_index_script);
	page_end(x, "Sizes are binary. Figures of a file are those of its device with the highest "
		    "peak; pictures of ranks of one group have one scale.");
	return xml_free(x, err);
}

int batch_write_index(struct out *o, const struct batch *b, const struct batch_groups *g,
		      const struct batch_pages *pages, struct error *err)
{
	size_t n = b->n_rows[BATCH_FILES];
	struct index p = {.b = b,
			  .g = g,
			  .pages = pages,
			  .cut = common_folders(b),
			  .tops = calloc(n + 1, sizeof *p.tops),
			  .failures = calloc(n + 1, sizeof *p.failures)};
	int rc;

	if (p.tops && p.failures) {
		find_tops(&p);
		rc = draw(&p, o, err);
	} else {
		rc = error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	}
	free(p.tops);
	free(p.failures);
	return rc;
}
