/* SPDX-License-Identifier: MIT
 * batch_cells.c -- values of a batch as people read them, in cells of a page.
 */
#include "reports/batch_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/emit.h"

const char *batch_name(const struct batch *b, size_t file)
{
	const char *name = batch_text(b, BATCH_FILES, file, FILES_NAME);

	return name ? name : "";
}

static bool ends_in(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n >= k && !strcmp(name + n - k, with);
}

/* Shorter words stay in one line. */
#define SHORT_BYTES 24

/* Numbers that count are grouped, and so are those of events; these name something. */
static bool is_name(const char *column)
{
	static const char *const names[] = {"rank",   "step",    "peak_step",
					    "device", "file_id", "part"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(column, names[i]))
			return true;
	return false;
}

/* Bytes, times and shares are known by the name of their column. */
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
	else if (c->kind == BATCH_INT && c->i >= 0 && !is_name(column->name))
		snprintf(buf, size, "%s", units_count(words, (uint64_t)c->i));
	else if (c->kind == BATCH_INT)
		snprintf(buf, size, "%" PRId64, c->i);
	else if (c->kind == BATCH_REAL && !strcmp(column->name, "fragmentation"))
		snprintf(buf, size, "%.1f %%", c->f * 100);
	else if (c->kind == BATCH_REAL)
		snprintf(buf, size, "%s%s", c->f < 0 ? "-" : "",
			 units_bytes(words, (uint64_t)fabs(c->f)));
}

void batch_html_cell(struct xml *x, const struct batch *b, enum batch_table_id t, size_t row,
		     size_t column)
{
	const struct batch_cell *c = batch_cell(b, t, row, column);
	char words[2400];

	cell_words(b, &batch_schemas[t].columns[column], c, words, sizeof words);
	xml_open(x, "td");
	if (batch_schemas[t].columns[column].kind == BATCH_TEXT)
		xml_attr(x, "class", strlen(words) > SHORT_BYTES ? "name" : "words");
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
