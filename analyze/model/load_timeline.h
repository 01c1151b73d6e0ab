/* SPDX-License-Identifier: MIT
 * load_timeline.h -- memory timelines of torch.profiler (export_memory_timeline) into a model.
 *
 * Raw: rows [time in ns, action, bytes, category]. Plain: [times in us, sizes], each size a baseline
 * and a total for each category; the changes from row to row become rows. Either way
 * model.timeline has them all, and each row from the recording on is an event of device 0: bytes
 * that come are an alloc, bytes that go a free_completed, with attr.category; totals are counted
 * (device.counted), there are no addresses, stacks, reserved bytes, and no word of which device it
 * was. Rows from before the recording (time -1) are the device's base.
 *
 * In a plain timeline the first two times are equal when memory lived before the recording: the
 * first row is that memory. Times above 10^17 are nanoseconds, as in the first versions.
 */
#ifndef ANALYZE_MODEL_LOAD_TIMELINE_H
#define ANALYZE_MODEL_LOAD_TIMELINE_H

#include "model/model.h"

/* Fill `m` from the payload of `c`, whose format tells which. Errors: ERR_LIMIT, ERR_NOMEM,
 * ERR_SYSTEM, ERR_FORMAT (strict). */
int load_timeline(struct model *m, const struct container *c, const struct model_options *options,
		  struct error *err);

#endif
