/* SPDX-License-Identifier: MIT
 * validate.h -- is the file consistent with itself: its segments alone, and its trace with them.
 *
 * The rules are invariants of PyTorch's allocator and of the snapshot format. Departures that a
 * genuine file may show are not counted as violations: sizes of segments and blocks in private
 * pools (custom allocators), sizes in frees from graph checkpoints, roundings when the file does
 * not tell the settings, events without segments in a dump filtered to one pool, and frees or
 * allocs without their other half when the trace lacks that action altogether (skip_actions).
 */
#ifndef ANALYZE_PASSES_VALIDATE_H
#define ANALYZE_PASSES_VALIDATE_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/model.h"

#define VIOLATION_NO_EVENT INT64_MIN

struct violation {
	const char *rule; /* "segment-total", "alloc-outside", ... */
	int32_t device;
	int64_t event; /* number of the event, or VIOLATION_NO_EVENT: about the segments */
	uint64_t segment_address, address; /* BYTES_NONE: none */
	uint64_t expected, found;          /* by rule: bytes, an address, ...; BYTES_NONE: none */
	const char *message;               /* a sentence; in the validation's arena */
};

/* Stored violations end here; n_violations goes on counting. */
#define VALIDATE_MAX_VIOLATIONS 10000

struct validation {
	struct budget *budget; /* weak */
	struct arena arena;
	VEC(struct violation) violations; /* device by device: segments first, then events */
	uint64_t n_violations;
	uint64_t n_tolerated; /* departures that a genuine file may show */
	bool consistent;      /* no violation */
};

/* Check one device, or all when `only` is NULL. Errors: ERR_LIMIT, ERR_NOMEM. */
int validate_run(struct validation *out, const struct model *m, const struct device *only,
		 struct budget *budget, struct error *err);
void validate_release(struct validation *v);

#endif
