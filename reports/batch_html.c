/* SPDX-License-Identifier: MIT
 * batch_html.c -- the page over many files, and a page for each of them.
 */
#include "reports/batch_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/batch_report.h"
#include "reports/page.h"
#include "reports/page_table.h"

static const char page_style[] =
	PAGE_STYLE "td.name{text-align:left}\n"
		   "#files th.name{min-width:20em}\na{color:inherit}\n"
		   "th[data-sort]{cursor:pointer}\n"
		   "th[aria-sort=ascending]::after{content:' \\2191'}\n"
		   "th[aria-sort=descending]::after{content:' \\2193'}\n"
		   "input{font:inherit;padding:4px 8px;min-width:22em;margin:0 0 8px}\n"
		   ".failed td,.partial td{color:#b3400e}\n"
		   "@media screen and (prefers-color-scheme:dark){.failed td,.partial "
		   "td{color:#ff8a3d}}\n" BATCH_PICTURE_STYLE;

/* Sort by a column's data-v, filter rows by their text. */
static const char page_script_text[] =
	"'use strict';\n"
	"const table = document.getElementById('files');\n"
	"const body = table.tBodies[0];\n"
	"const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;\n"
	"const order = (a, b) => {\n"
	"  if (a === '' || b === '') return (a === '') - (b === '');\n"
	"  const x = Number(a), y = Number(b);\n"
	"  return Number.isNaN(x) || Number.isNaN(y)\n"
	"    ? a.localeCompare(b, 'en', {numeric: true}) : x - y;\n"
	"};\n"
	"const sort = (head) => {\n"
	"  const up = head.getAttribute('aria-sort') === 'descending';\n"
	"  for (const h of table.tHead.rows[0].cells) h.removeAttribute('aria-sort');\n"
	"  head.setAttribute('aria-sort', up ? 'ascending' : 'descending');\n"
	"  const rows = [...body.rows], i = head.cellIndex;\n"
	"  rows.sort((a, b) => {\n"
	"    const x = value(a, i), y = value(b, i);\n"
	"    return x === '' || y === '' || up ? order(x, y) : order(y, x);\n"
	"  });\n"
	"  body.append(...rows);\n"
	"};\n"
	"for (const head of table.tHead.rows[0].cells) {\n"
	"  head.dataset.sort = '';\n"
	"  head.tabIndex = 0;\n"
	"  head.addEventListener('click', () => sort(head));\n"
	"  head.addEventListener('keydown', (e) => { if (e.key === 'Enter') sort(head); });\n"
	"}\n"
	"const filter = document.getElementById('filter');\n"
	"const shown = document.getElementById('shown');\n"
	"filter.addEventListener('input', () => {\n"
	"  const words = filter.value.toLowerCase().split(/\\s+/);\n"
	"  let n = 0;\n"
	"  for (const row of body.rows) {\n"
	"    const text = row.textContent.toLowerCase();\n"
	"    row.hidden = !words.every((w) => text.includes(w));\n"
	"    n += !row.hidden;\n"
	"  }\n"
	"  shown.textContent = `${n} of ${body.rows.length} files`;\n"
	"});\n";

static const char *name_of(const struct batch *b, size_t file)
{
	const char *name = batch_text(b, BATCH_FILES, file, FILES_NAME);

	return name ? name : "";
}

/* --- cells ------------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n >= k && !strcmp(name + n - k, with);
}

/* How people read a cell: bytes, times and shares by the name of its column. */
static void cell_words(const struct batch *b, const struct batch_column *column,
		       const struct batch_cell *c, char *buf, size_t size)
{
	char words[UNITS_BUF];

	buf[0] = '\0';
	if (c->kind == BATCH_TEXT)
		snprintf(buf, size, "%s", strtab_get(&b->strings, c->s)->bytes);
	else if (c->kind == BATCH_INT && ends_in(column->name, "bytes") && c->i >= 0)
		snprintf(buf, size, "%s", units_bytes(words, (uint64_t)c->i));
	else if (c->kind == BATCH_INT && ends_in(column->name, "_us"))
		snprintf(buf, size, "%s", units_time_us(words, c->i));
	else if (c->kind == BATCH_INT)
		snprintf(buf, size, "%" PRId64, c->i);
	else if (c->kind == BATCH_REAL && !strcmp(column->name, "fragmentation"))
		snprintf(buf, size, "%.1f %%", c->f * 100);
	else if (c->kind == BATCH_REAL)
		snprintf(buf, size, "%s%s", c->f < 0 ? "-" : "",
			 units_bytes(words, (uint64_t)fabs(c->f)));
}

static void html_cell(struct xml *x, const struct batch *b, enum batch_table_id t, size_t row,
		      size_t column)
{
	const struct batch_cell *c = batch_cell(b, t, row, column);
	char words[2400];

	cell_words(b, &batch_schemas[t].columns[column], c, words, sizeof words);
	xml_open(x, "td");
	if (batch_schemas[t].columns[column].kind == BATCH_TEXT)
		xml_attr(x, "class", "name");
	if (c->kind != BATCH_TEXT) {
		xml_attr_begin(x, "data-v");
		if (c->kind == BATCH_INT)
			xml_printf(x, "%" PRId64, c->i);
		else if (c->kind == BATCH_REAL)
			xml_printf(x, "%.17g", c->f);
		xml_attr_end(x);
	}
	xml_text(x, words);
	xml_close(x);
}

/* --- the index --------------------------------------------------------------------------------- */

static const struct {
	size_t column;
	const char *title;
} index_columns[] = {
	{FILES_RANK, "Rank"},
	{FILES_STEP, "Step"},
	{FILES_HOST, "Host"},
	{FILES_STATUS, "Status"},
	{FILES_PEAK, "Peak"},
	{FILES_END, "Live at end"},
	{FILES_PEAK_RESERVED, "Most reserved"},
	{FILES_FRAGMENTATION, "Fragmentation"},
	{FILES_LEAK, "Growth a step"},
	{FILES_STEPS, "Steps"},
	{FILES_VERDICT, "Verdict"},
	{FILES_CAUSE, "Cause"},
	{FILES_SETTINGS, "Settings"},
	{FILES_TIME, "Time"},
	{FILES_REASON, "Reason"},
};
#define INDEX_COLUMNS (sizeof index_columns / sizeof *index_columns)

static void index_row(struct xml *x, const struct batch *b, size_t file)
{
	xml_open(x, "tr");
	xml_attr(x, "class", batch_text(b, BATCH_FILES, file, FILES_STATUS));
	xml_open(x, "th");
	xml_attr(x, "scope", "row");
	xml_attr(x, "class", "name");
	xml_open(x, "a");
	xml_attr_begin(x, "href");
	xml_printf(x, "pages/%zu.html", file);
	xml_attr_end(x);
	xml_text(x, name_of(b, file));
	xml_close(x);
	xml_close(x);
	for (size_t c = 0; c < INDEX_COLUMNS; c++)
		html_cell(x, b, BATCH_FILES, file, index_columns[c].column);
	xml_close(x);
	xml_newline(x);
}

static void index_table(struct xml *x, const struct batch *b)
{
	page_element(x, "h2", NULL, "Files");
	xml_void(x, "input",
		 (const char *const[]){"id", "filter", "type", "search", "placeholder",
				       "Show rows with these words", "aria-label",
				       "Show rows with these words", NULL});
	xml_open(x, "span");
	xml_attr(x, "id", "shown");
	xml_attr(x, "role", "status");
	xml_close(x);
	page_open(x, "div", "scroll");
	xml_open(x, "table");
	xml_attr(x, "id", "files");
	xml_open(x, "thead");
	xml_open(x, "tr");
	xml_element(x, "th", "File");
	for (size_t c = 0; c < INDEX_COLUMNS; c++)
		xml_element(x, "th", index_columns[c].title);
	xml_close(x);
	xml_close(x);
	xml_open(x, "tbody");
	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++)
		index_row(x, b, i);
	xml_close(x);
	xml_close(x);
	xml_close(x);
}

static void index_facts(struct xml *x, const struct batch *b, const struct batch_groups *g)
{
	char count[UNITS_BUF], bytes[UNITS_BUF], more[120];
	size_t highest = SIZE_MAX;

	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		if (highest == SIZE_MAX ||
		    batch_int(b, BATCH_FILES, i, FILES_PEAK, -1) >
			    batch_int(b, BATCH_FILES, highest, FILES_PEAK, -1))
			highest = i;
	}
	snprintf(more, sizeof more, "%zu not read, %zu damaged", g->n_failed, g->n_partial);
	page_open(x, "dl", "facts");
	page_fact(x, "Files", units_count(count, b->n_rows[BATCH_FILES]), more);
	page_fact(x, "Out of memory", units_count(count, g->n_ooms), NULL);
	if (highest != SIZE_MAX && batch_int(b, BATCH_FILES, highest, FILES_PEAK, -1) >= 0)
		page_fact(x, "Highest peak",
			  units_bytes(bytes,
				      (uint64_t)batch_int(b, BATCH_FILES, highest, FILES_PEAK, 0)),
			  name_of(b, highest));
	if (g->first_to_fail != SIZE_MAX)
		page_fact(x, "First to fail",
			  units_time_us(bytes, batch_int(b, BATCH_FILES, g->first_to_fail,
							 FILES_OOM_TIME, 0)),
			  name_of(b, g->first_to_fail));
	xml_close(x);
	xml_newline(x);
}

static void index_failures(struct xml *x, const struct batch *b, const struct batch_groups *g)
{
	static const char *const columns[] = {"First file", "Files", "Verdict", "Cause",
					      "Asked for",  "By",    NULL};

	if (!g->failures.n)
		return;
	page_table_begin(x, "The same failure", columns);
	for (size_t i = 0; i < g->failures.n; i++) {
		size_t file = g->failures.at[i].first;
		char words[80];

		page_row_begin(x, name_of(b, file));
		snprintf(words, sizeof words, "%zu of %zu", g->failures.at[i].count,
			 b->n_rows[BATCH_FILES]);
		page_cell(x, NULL, words);
		html_cell(x, b, BATCH_FILES, file, FILES_VERDICT);
		html_cell(x, b, BATCH_FILES, file, FILES_CAUSE);
		html_cell(x, b, BATCH_FILES, file, FILES_OOM_REQUESTED);
		html_cell(x, b, BATCH_FILES, file, FILES_OOM_SITE);
		page_row_end(x);
	}
	page_table_end(x);
}

/* Of each outlier the largest departures; the rest is in the tables. */
#define SHOWN_DEPARTURES 3
#define MAX_OUTLIERS     500

static void outlier_rows(struct xml *x, const struct batch *b, const struct batch_groups *g,
			 size_t only)
{
	static const char *const columns[] = {"File", "Why", NULL};
	char words[2400];
	size_t of_file = 0, shown = 0;

	for (size_t i = 0; i < g->outliers.n && shown < MAX_OUTLIERS; i++) {
		const struct batch_outlier *o = &g->outliers.at[i];

		of_file = i && g->outliers.at[i - 1].file == o->file ? of_file + 1 : 0;
		if (only == SIZE_MAX ? of_file >= SHOWN_DEPARTURES : o->file != only)
			continue;
		if (shown++ == 0)
			page_table_begin(x, "Outliers", columns);
		page_row_begin(x, name_of(b, o->file));
		page_cell_name(x, batch_outlier_words(o, words, sizeof words));
		page_row_end(x);
	}
	if (shown)
		page_table_end(x);
}

static void index_groups(struct xml *x, const struct batch *b, const struct batch_groups *g)
{
	for (size_t i = 0; i < g->groups.n; i++) {
		char words[120];

		if (g->groups.at[i].files.n < BATCH_GROUP_MIN)
			continue;
		page_element(x, "h2", "name", g->groups.at[i].name);
		snprintf(words, sizeof words,
			 "%zu files: lowest, median and highest of the peak of each step.",
			 g->groups.at[i].files.n);
		page_paragraph(x, NULL, words);
		batch_draw_group(x, b, g, &g->groups.at[i]);
	}
}

int batch_write_index(struct out *o, const struct batch *b, const struct batch_groups *g,
		      struct error *err)
{
	struct xml *x;
	int rc = xml_new(&x, XML_HTML, o, err);

	if (rc < 0)
		return rc;
	page_begin_with(x, page_style, page_script_text, "Many files", "GPU memory");
	index_facts(x, b, g);
	index_failures(x, b, g);
	outlier_rows(x, b, g, SIZE_MAX);
	index_groups(x, b, g);
	index_table(x, b);
	page_script(x, page_script_text);
	page_end(x, "Sizes are binary. Figures of a file are those of its device with the highest "
		    "peak.");
	return xml_free(x, err);
}

/* --- a file ------------------------------------------------------------------------------------ */

#define PAGE_ROWS 400

static void page_of_table(struct xml *x, const struct batch *b, enum batch_table_id t, size_t file)
{
	size_t first, n = batch_rows_of(b, t, file, &first);

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
			html_cell(x, b, t, i, c);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_close(x);
	xml_close(x);
}

int batch_write_page(struct out *o, const struct batch *b, const struct batch_groups *g,
		     size_t file, struct error *err)
{
	const char *summary = batch_text(b, BATCH_FILES, file, FILES_SUMMARY);
	struct xml *x;
	int rc = xml_new(&x, XML_HTML, o, err);

	if (rc < 0)
		return rc;
	page_begin(x, page_style, name_of(b, file), "GPU memory");
	if (summary)
		page_paragraph(x, "oom-words", summary);
	xml_open(x, "table");
	xml_open(x, "tbody");
	for (size_t c = 1; c < batch_schemas[BATCH_FILES].n; c++) {
		if (batch_cell(b, BATCH_FILES, file, c)->kind == BATCH_NULL)
			continue;
		xml_open(x, "tr");
		xml_element(x, "th", batch_schemas[BATCH_FILES].columns[c].name);
		html_cell(x, b, BATCH_FILES, file, c);
		xml_close(x);
		xml_newline(x);
	}
	xml_close(x);
	xml_close(x);
	outlier_rows(x, b, g, file);
	for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES; t++)
		page_of_table(x, b, (enum batch_table_id)t, file);
	page_end(x, "Sizes are binary.");
	return xml_free(x, err);
}
