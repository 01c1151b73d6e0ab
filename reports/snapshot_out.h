/* SPDX-License-Identifier: MIT
 * snapshot_out.h -- a model, or a stretch of it, as a snapshot file again.
 *
 * What is written opens in torch.cuda._memory_viz, in MemoryViz.js, and here. Keys that a file did
 * not have are left out; keys that this program does not know are lost.
 *
 * A stretch of a trace ends in the state after its last event. What lived before its first event
 * and dies in it has no size in PyTorch's format; so a dict "vramscope" beside the other keys
 * carries the sizes of such blocks, and the place of the stretch in its source:
 *
 *     {"source_events": [first, kept, in all] per device_traces list,
 *      "blocks_before": [[address, size, address, size, ...] per list]}
 *
 * Every other reader ignores it.
 */
#ifndef REPORTS_SNAPSHOT_OUT_H
#define REPORTS_SNAPSHOT_OUT_H

#include "model/model.h"
#include "replay/replay.h"
#include "reports/out.h"

/* A device's part. */
struct snapshot_part {
	uint64_t first, n;          /* events of the device, by number */
	const struct state *before; /* the state before `first`; NULL: `first` is 0 */
	const struct state *after; /* the state after the last one; NULL: the file's own segments */
};

/* What a string is, for whoever replaces it. */
enum snapshot_text {
	TEXT_FILE, /* of a frame */
	TEXT_FUNCTION,
	TEXT_ANNOTATION,
	TEXT_METADATA, /* user_metadata, internal_metadata, compile_context, forward frames */
	TEXT_SETTING,  /* values of allocator_settings that are strings */
	TEXT_CAPTURE,  /* the same of what the recorder told: paths, a host's name */
};

struct snapshot_out {
	const struct model *model;
	const struct snapshot_part *parts; /* one for each of model.devices */
	int64_t from_us, to_us;            /* annotations of this stretch; TIME_NONE: no bound */
	/* What to write for a string; NULL: the string itself. `frame`: whose name or file it is,
	 * for TEXT_FUNCTION and TEXT_FILE. */
	const struct str *(*text)(void *ctx, str_id id, enum snapshot_text what, frame_id frame);
	void *ctx;
};

enum snapshot_form { SNAPSHOT_PICKLE, SNAPSHOT_JSON };

/* Whole model: parts that cover everything. Errors: ERR_LIMIT, ERR_NOMEM (tables as large as the
 * model's strings, frames and stacks); failures of `to` are told by out_close. */
int snapshot_write(struct out *to, const struct snapshot_out *s, enum snapshot_form form,
		   struct budget *budget, struct error *err);

#endif
