/* SPDX-License-Identifier: MIT
 * report_parts.h -- the parts of a report's page; for report_page.c.
 */
#ifndef REPORTS_REPORT_PARTS_H
#define REPORTS_REPORT_PARTS_H

#include "reports/report_columns.h"
#include "reports/report_page.h"
#include "reports/xml.h"

/* What the script reads of one device, and how much had to be left out. */
struct report_data {
	bool has_columns;
	struct report_columns columns;
};

/* report_static.c: sentences, tables and pictures of a file and of one of its devices. */
int report_file_begin(struct xml *x, const struct report_file *f, size_t index, struct error *err);
int report_file_end(struct xml *x, const struct report_file *f, struct error *err);
int report_device_write(struct xml *x, const struct report_file *f, const struct report_device *d,
			struct error *err);

/* report_data.c: the inert elements behind the page. `data` has one row for each device. */
int report_description_write(struct xml *x, const struct report *r, struct report_data *const *data,
			     const struct report_stacks *stacks, struct error *err);
void report_columns_write(struct xml *x, size_t file, size_t device,
			  const struct report_columns *c);
/* Fit the columns of all devices under the limit. */
int report_data_run(struct report_data *out, const struct report_device *d,
		    struct report_stacks *stacks, uint64_t max_bytes, struct budget *budget,
		    struct error *err);
/* Bytes of the columns in the page. */
uint64_t report_data_bytes(const struct report_data *d);
/* What was left out, in words; "" when nothing was. */
const char *report_left_out(const struct report_data *d, char *buf, size_t size);

#endif
