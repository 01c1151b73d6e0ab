/* SPDX-License-Identifier: MIT
 * ids.h -- distinct types for row numbers of the model's tables, so that they cannot be mixed up.
 *
 * Row 0 of each table means "none" (see model.h for what that is); str_id is in base/strtab.h.
 */
#ifndef ANALYZE_MODEL_IDS_H
#define ANALYZE_MODEL_IDS_H

#include <stdint.h>

#include "base/strtab.h"

typedef struct {
	uint32_t i;
} frame_id;

typedef struct {
	uint32_t i;
} stack_id;

typedef struct {
	uint32_t i;
} attr_id;

#endif
