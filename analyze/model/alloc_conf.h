/* SPDX-License-Identifier: MIT
 * alloc_conf.h -- the text of PYTORCH_CUDA_ALLOC_CONF (PYTORCH_ALLOC_CONF) as numbers, and back.
 *
 * Source: CUDAAllocatorConfig.cpp (c10/cuda, to torch 2.8) and AllocatorConfig.cpp (c10/core, from
 * 2.9). Where the versions differ, the newest one's rule counts.
 */
#ifndef ANALYZE_MODEL_ALLOC_CONF_H
#define ANALYZE_MODEL_ALLOC_CONF_H

#include <stddef.h>

#include "base/error.h"
#include "model/model.h"

struct alloc_conf {
	struct alloc_settings settings;
	double memory_fraction; /* per_process_memory_fraction, or 0: not given */
};

/* PyTorch's defaults. */
struct alloc_settings alloc_settings_defaults(void);

/* Understand `text`; "" are the defaults. Known settings that do not bear on what is reserved
 * (pinned memory, locks) are checked by name only.
 * Errors: ERR_USAGE, naming the part that PyTorch would refuse or that is another allocator. */
int alloc_conf_parse(struct alloc_conf *out, const char *text, struct error *err);

/* Do two settings lead to the same allocations? */
bool alloc_settings_equal(const struct alloc_settings *a, const struct alloc_settings *b);

/* Settings as text that alloc_conf_parse understands; "" for the defaults. Into buf, returned. */
#define ALLOC_CONF_BUF 512
const char *alloc_conf_words(char buf[ALLOC_CONF_BUF], const struct alloc_settings *s);

#endif
