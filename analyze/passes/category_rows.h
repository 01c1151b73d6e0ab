/* SPDX-License-Identifier: MIT
 * category_rows.h -- a device's memory as the rows of a memory timeline: time, action, bytes,
 * category, as torch.profiler's export_memory_timeline has them.
 *
 * Rows of a memory timeline that was read are passed on as they are. Of anything else each
 * allocation gives a row when it is made (preexisting when it lived before event 0) and one when
 * its free is requested, sizes as allocated. Sorted by time, then action, then event: rows of
 * events without a time stand at the time of the event before them.
 */
#ifndef ANALYZE_PASSES_CATEGORY_ROWS_H
#define ANALYZE_PASSES_CATEGORY_ROWS_H

#include "passes/allocations.h"

struct category_rows {
	struct budget *budget; /* weak */
	VEC(struct timeline_row) rows;
};

/* `categories`: 0 .. TIMELINE_CATEGORIES - 1 of each row of `a`, or NULL: all UNKNOWN. What a
 * counted device held before its events is UNKNOWN but for the blocks that are rows. Errors:
 * ERR_LIMIT, ERR_NOMEM. */
int category_rows_run(struct category_rows *out, const struct allocations *a,
		      const uint8_t *categories, struct budget *budget, struct error *err);
/* Of a device without addresses, whose events are all there is. */
int category_rows_of_events(struct category_rows *out, const struct model *m,
			    const struct device *d, struct budget *budget, struct error *err);
void category_rows_release(struct category_rows *r);

#endif
