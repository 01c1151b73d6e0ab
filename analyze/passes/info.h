/* SPDX-License-Identifier: MIT
 * info.h -- what is in a file: counts, totals and peaks of every device, in one pass each.
 */
#ifndef ANALYZE_PASSES_INFO_H
#define ANALYZE_PASSES_INFO_H

#include <stdint.h>

#include "model/model.h"
#include "passes/no_stack.h"
#include "passes/study.h"

struct info_oom {
	int64_t event; /* number of the event on its device */
	int64_t time_us;
	uint64_t requested;   /* bytes, rounded by the allocator */
	uint64_t device_free; /* bytes, or BYTES_NONE */
};

/* An action by the name the file gives it. */
struct info_action {
	const char *name; /* weak: the model's or static */
	uint64_t count;   /* > 0 */
};

#define INFO_STEP_EVENTS 500000u

struct info_device {
	const struct device *device;         /* weak: of the model */
	int64_t first_time_us, last_time_us; /* of the first and last event that has a time */
	uint64_t n_blocks;
	uint64_t first_action, n_actions; /* rows of info.actions */
	uint64_t first_oom, n_ooms;       /* rows of info.ooms */
	struct totals end;                /* of the segments in the file, else of the replay */
	struct no_stack no_stack;         /* of the active blocks in the file's segments */
	int64_t peak_time_us; /* of the event that reached the peak of allocated bytes */
	struct replay_summary replay;
	/* Steps of the program; STEPS_NONE: none were found. */
	/* False: the trace is longer than INFO_STEP_EVENTS and no marker was given; finding steps
	 * would cost as much again as all the rest. */
	bool steps_looked_for;
	uint64_t n_steps;
	enum step_source step_source;
	enum confidence step_confidence;
};

struct info_name {
	str_id name;
	uint64_t count;
};

struct info {
	struct budget *budget;           /* weak */
	VEC(struct info_device) devices; /* as in the model, host memory left out */
	VEC(struct info_action) actions;
	VEC(struct info_oom) ooms;
	VEC(struct info_name)
	annotations;                        /* names with their counts of START (an END without a
					    * START counts too), in order of appearance */
	uint64_t host_segments, host_bytes; /* pinned host memory */
};

/* Of all devices of the study's model. Errors: those of phases_run. */
int info_run(struct info *out, struct study *s, struct error *err);
void info_release(struct info *i);

#endif
