/* SPDX-License-Identifier: MIT
 * outside.h -- what a process holds on a device beside PyTorch's allocator, and for whom.
 *
 * A recording of all calls of the driver (vramscope record) is laid over PyTorch's snapshot of the
 * same process: what lies inside a segment of PyTorch's is PyTorch's, the rest belongs to whoever
 * asked for it, by the innermost frame that is no plumbing (native_frame.h). Both are looked at in
 * one moment: that of PyTorch's when the recording reaches it, else the recording's end, to which
 * PyTorch's state is then taken back. The amounts add up, to the byte:
 *
 *     total = pytorch + named + between + rest + free
 */
#ifndef ANALYZE_PASSES_OUTSIDE_H
#define ANALYZE_PASSES_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "replay/replay.h"

/* More libraries are added up in the last one. */
#define OUTSIDE_GROUPS 16

struct outside_group {
	str_id module;  /* path, of the recording's strings; STR_NONE: no frame tells */
	bool allocator; /* PyTorch's own, of no segment in its snapshot */
	bool others;    /* several modules */
	uint64_t bytes, count;
};

struct outside {
	const struct model *recording; /* weak */
	bool known;
	bool differs;      /* not one segment of PyTorch's is in the recording: another process's */
	int64_t event;     /* of the recording's device: the moment */
	int64_t time_us;   /* of that event, or TIME_NONE */
	uint64_t reserved; /* PyTorch's segments then */
	uint64_t not_seen; /* of these not in the recording */
	uint64_t pytorch;  /* allocations in PyTorch's segments */
	uint64_t named;    /* all others: the groups */
	uint64_t between;  /* held by the driver for small blocks and pools, not in use */
	bool total_known;  /* cuMemGetInfo was recorded: the following mean something */
	uint64_t total, free;
	int64_t rest; /* used, and seen by nobody: contexts, code, other processes */
	size_t n_groups;
	struct outside_group groups[OUTSIDE_GROUPS]; /* largest first */
};

/* `at` is the state of `d` of the snapshot `m` at `time_us` (or TIME_NONE); `device_free` what the
 * device had free then, or BYTES_NONE. Not known when the recording has no such device.
 * Errors: ERR_LIMIT, ERR_NOMEM. */
int outside_find(struct outside *out, const struct model *recording, const struct model *m,
		 const struct state *at, int64_t time_us, uint64_t device_free,
		 struct budget *budget, struct error *err);

/* Bytes of a device as a recording has them from cuMemGetInfo; 0: none, or no recording. */
uint64_t outside_recorded_total(const struct model *recording, int32_t device);

#endif
