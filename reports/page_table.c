/* SPDX-License-Identifier: MIT
 * page_table.c -- tables of HTML pages.
 */
#include "reports/page_table.h"

#include <string.h>

#include "reports/clean.h"
#include "reports/emit.h"

#define NAME_CHARS 300

void page_table_begin(struct xml *x, const char *heading, const char *const *columns)
{
	if (heading) {
		xml_element(x, "h2", heading);
		xml_newline(x);
	}
	xml_open(x, "div");
	xml_attr(x, "class", "scroll");
	xml_open(x, "table");
	xml_newline(x);
	xml_open(x, "thead");
	xml_open(x, "tr");
	for (; *columns; columns++) {
		xml_open(x, "th");
		xml_attr(x, "scope", "col");
		if (**columns == *PAGE_WORDS)
			xml_attr(x, "class", "words");
		xml_text(x, *columns + (**columns == *PAGE_WORDS));
		xml_close(x);
	}
	xml_close(x);
	xml_close(x);
	xml_newline(x);
	xml_open(x, "tbody");
	xml_newline(x);
}

void page_table_end(struct xml *x)
{
	xml_close(x);
	xml_newline(x);
	xml_close(x);
	xml_close(x);
	xml_newline(x);
}

static void name_of(struct xml *x, const char *name)
{
	char clean[(NAME_CHARS + 1) * CLEAN_MAX];

	xml_text(x, clean_elide(clean, sizeof clean, name, strlen(name), NAME_CHARS));
}

void page_row_begin(struct xml *x, const char *name)
{
	xml_open(x, "tr");
	xml_open(x, "th");
	xml_attr(x, "scope", "row");
	xml_attr(x, "class", "name");
	name_of(x, name);
	xml_close(x);
}

void page_row_end(struct xml *x)
{
	xml_close(x);
	xml_newline(x);
}

void page_cell(struct xml *x, const char *class, const char *text)
{
	xml_open(x, "td");
	if (class)
		xml_attr(x, "class", class);
	xml_text(x, text);
	xml_close(x);
}

void page_cell_name(struct xml *x, const char *name)
{
	xml_open(x, "td");
	xml_attr(x, "class", "name");
	name_of(x, name);
	xml_close(x);
}

void page_cell_bytes(struct xml *x, uint64_t bytes)
{
	char words[UNITS_BUF];

	page_cell(x, NULL, bytes == BYTES_NONE ? "unknown" : units_bytes(words, bytes));
}

void page_cell_count(struct xml *x, uint64_t n)
{
	char words[UNITS_BUF];

	page_cell(x, NULL, units_count(words, n));
}
