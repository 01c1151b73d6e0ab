/* SPDX-License-Identifier: MIT
 * load_trace.h -- chrome traces of torch.profiler, as Kineto writes them, into a model.
 *
 * [memory] events become alloc and free_completed events of their device, sizes as the allocator
 * rounded them, with its totals after each ("Total Allocated", "Total Reserved") as columns. What
 * encloses an event on its thread, Python functions and operators, becomes its stack, innermost
 * first; an operator is a frame without file. On backward threads attr.forward_stack is the Python
 * stack of the operator that made the autograd node. user_annotation spans become annotations,
 * [OutOfMemory] becomes oom. Processor memory ("Device Type" 0) is device DEVICE_HOST.
 *
 * A trace knows neither segments, streams, pools nor requested sizes, and what lived before it only
 * in sum: device.counted. Traces before 2022 have no addresses and no totals: totals then count
 * from the least base that their frees need.
 *
 * Attribution: a span holds an event of its thread when start <= time <= end. Spans that overlap
 * without nesting end where the next begins; annotations nest among themselves only.
 */
#ifndef ANALYZE_MODEL_LOAD_TRACE_H
#define ANALYZE_MODEL_LOAD_TRACE_H

#include "model/model.h"

/* Fill `m` from the payload of `c`. Broken JSON is no error but with options->strict: it is counted
 * in m->problems. Beyond the memory budget, or as options->trace_detail says, less detail is kept:
 * m->trace.detail. Errors: ERR_LIMIT, ERR_NOMEM, ERR_SYSTEM, ERR_FORMAT (strict). */
int load_trace(struct model *m, const struct container *c, const struct model_options *options,
	       struct error *err);

#endif
