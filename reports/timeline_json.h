/* SPDX-License-Identifier: MIT
 * timeline_json.h -- memory timelines in the very structures of torch.profiler's
 * export_memory_timeline, for the tools that read those.
 */
#ifndef REPORTS_TIMELINE_JSON_H
#define REPORTS_TIMELINE_JSON_H

#include "model/model.h"
#include "reports/out.h"

enum timeline_json_form {
	TIMELINE_PLAIN_JSON, /* [times in us, sizes]; one row for each distinct microsecond */
	TIMELINE_RAW_JSON,   /* [[time in ns, action, bytes, category], ...] */
};

/* Rows in the order of time. Laid out as Python's json.dump does, without a line end; the plain
 * form of PyTorch's own raw rows equals PyTorch's plain form byte for byte. `gzip`: compressed,
 * without name or time, so that equal input gives equal bytes. Failures show at out_close. */
void timeline_write_json(struct out *o, const struct timeline_row *rows, size_t n,
			 enum timeline_json_form form, bool gzip);

/* Nanoseconds since 1970 as the microseconds that Python's int(t / 1000) gives. */
int64_t timeline_us(int64_t time_ns);

#endif
