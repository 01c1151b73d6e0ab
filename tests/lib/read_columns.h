/* SPDX-License-Identifier: MIT
 * read_columns.h -- the columns of a page read back, as reports/report_columns.h describes them.
 *
 * Written for clarity and by that description, not by the code that writes: holes lie in a plain array,
 * steps are taken one by one.
 */
#ifndef TESTS_LIB_READ_COLUMNS_H
#define TESTS_LIB_READ_COLUMNS_H

#include "reports/report_columns.h"

struct read_row {
	uint64_t address, size, requested;
	int64_t born, free_requested, free_completed; /* as in struct allocation */
	uint32_t stack, attr;                         /* node of the tree; row of the attrs */
};

struct read_rare {
	int64_t event;
	uint64_t action, address, size, stack, attr;
};

struct read_columns {
	struct read_row *rows; /* as many as the columns say */
	int64_t *times;        /* of each event of the window; NULL without times */
	struct read_rare *rare;
	size_t n_rare;
	const char *failure; /* NULL: everything was read, to the last byte of every column */
};

void read_columns(struct read_columns *out, const struct report_columns *c);
void read_columns_release(struct read_columns *r);

#endif
