/* SPDX-License-Identifier: MIT
 * open_spans.h -- which annotations were open at a time, asked in the order of time.
 *
 * Marks carry no thread and their device is a hint only (that of the thread that made them), so
 * "innermost" is the latest START not yet ended: among those of the device asked about when one of
 * them is open, else among all.
 *
 *     open_spans_init(&o, model, device_index, budget, err);
 *     str_id name = open_spans_innermost(&o, time_us);
 */
#ifndef ANALYZE_PASSES_OPEN_SPANS_H
#define ANALYZE_PASSES_OPEN_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/model.h"
#include "passes/bands.h"

/* A walk over the spans of some marks. */
struct open_walk {
	struct bands bands;
	size_t next;        /* first span that has not begun */
	VEC(uint32_t) open; /* begun, in order of their start; some below the top may have ended */
};

struct open_spans {
	struct budget *budget; /* weak */
	struct open_walk own, all;
};

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int open_spans_init(struct open_spans *o, const struct model *m, int32_t device,
		    struct budget *budget, struct error *err);
void open_spans_release(struct open_spans *o);

/* The name of the innermost annotation open at `time_us`, STR_NONE when there is none. Times must
 * not decrease from call to call; an earlier one is answered as the latest so far. */
str_id open_spans_innermost(struct open_spans *o, int64_t time_us);

/* All that are open at `time_us`, outermost first, at most `max` (the innermost ones when there
 * are more); returns how many. Same order of times as above. */
size_t open_spans_list(struct open_spans *o, int64_t time_us, str_id *names, size_t max);

#endif
