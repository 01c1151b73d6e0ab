/* SPDX-License-Identifier: MIT
 * top_key.h -- what a row of passes/top.h stands for, in words.
 */
#ifndef REPORTS_TOP_KEY_H
#define REPORTS_TOP_KEY_H

#include "passes/top.h"
#include "reports/emit.h"

/* Keys are whole in JSON as long as names are not absurd. */
#define TOP_KEY_BYTES 16384

/* Into buf, cut at its end, returned. A name from a file is as the file has it. */
const char *top_key_words(char *buf, size_t size, const struct model *m, enum top_by by,
			  const struct top_row *row);

/* The cell of a table: streams are numbers in JSON and pools lists of two. */
void describe_top_key(struct emit *e, const char *key, const char *label, const struct model *m,
		      enum top_by by, const struct top_row *row);

#endif
