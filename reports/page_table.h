/* SPDX-License-Identifier: MIT
 * page_table.h -- tables of HTML pages.
 *
 *     page_table_begin(x, "Changes", (const char *const[]){"Site", "Change", NULL});
 *     page_row_begin(x, "train.py:3 f");      // the first cell, a name from a file
 *     page_cell_bytes(x, 4096);
 *     page_row_end(x);
 *     page_table_end(x);
 */
#ifndef REPORTS_PAGE_TABLE_H
#define REPORTS_PAGE_TABLE_H

#include "reports/xml.h"

/* Before the head of a column of words: it stands at their left, those of figures at their right. */
#define PAGE_WORDS "\t"

/* `heading` may be NULL; `columns` end with NULL. */
void page_table_begin(struct xml *x, const char *heading, const char *const *columns);
void page_table_end(struct xml *x);

/* `name` may come from a file: it is cleaned, and cut in the middle when very long. */
void page_row_begin(struct xml *x, const char *name);
void page_row_end(struct xml *x);
void page_cell(struct xml *x, const char *class, const char *text);
/* A name from a file. */
void page_cell_name(struct xml *x, const char *name);
/* "unknown" for BYTES_NONE. */
void page_cell_bytes(struct xml *x, uint64_t bytes);
void page_cell_count(struct xml *x, uint64_t n);

#endif
