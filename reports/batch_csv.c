/* SPDX-License-Identifier: MIT
 * batch_csv.c -- the files of a batch as comma-separated values (RFC 4180).
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe in front.
 */
#include "reports/batch_report.h"

#include <inttypes.h>
#include <string.h>

void batch_csv_text(struct out *o, const char *s, size_t n)
{
	out_text(o, "\"");
	if (n && strchr("=+-@\t\r", s[0]))
		out_text(o, "'");
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			out_text(o, "\"");
		out_bytes(o, s + i, 1);
	}
	out_text(o, "\"");
}

void batch_write_csv(struct out *o, const struct batch *b)
{
	const struct batch_schema *files = &batch_schemas[BATCH_FILES];

	for (size_t c = 0; c < files->n; c++)
		out_printf(o, "%s%s", c ? "," : "", files->columns[c].name);
	out_text(o, "\r\n");
	for (size_t i = 0; i < b->n_rows[BATCH_FILES]; i++) {
		for (size_t c = 0; c < files->n; c++) {
			const struct batch_cell *x = batch_cell(b, BATCH_FILES, i, c);

			if (c)
				out_text(o, ",");
			if (x->kind == BATCH_TEXT) {
				const struct str *s = strtab_get(&b->strings, x->s);

				batch_csv_text(o, s->bytes, s->length);
			} else if (x->kind == BATCH_INT) {
				out_printf(o, "%" PRId64, x->i);
			} else if (x->kind == BATCH_REAL) {
				out_printf(o, "%.17g", x->f);
			}
		}
		out_text(o, "\r\n");
	}
}
