/* SPDX-License-Identifier: MIT
 * timeline_run.h -- a timeline of one device with all that belongs to it: layers, steps, verdicts.
 */
#ifndef ANALYZE_CLI_TIMELINE_RUN_H
#define ANALYZE_CLI_TIMELINE_RUN_H

#include "cli/load_purpose.h"
#include "passes/timeline.h"
#include "passes/timeline_groups.h"
#include "passes/timeline_verdicts.h"
#include "replay/replay.h"

/* What the command line says about pictures. */
struct timeline_asked {
	enum group_by by;
	const char *from, *to; /* moments, or NULL */
	const char *steps;     /* "2..5", or NULL */
	bool window_only;
	bool by_event;
	size_t columns;
	size_t max_bands;
};

struct timeline_made {
	struct loaded_purpose purpose; /* empty: of a device without addresses, or not wanted */
	struct timeline_groups groups;
	struct timeline_verdicts verdicts;
	struct timeline timeline;
};

/* Fill *out, which must not move afterwards, and leave the replay where it ends. Returns
 * STATUS_DONE, or another exit status after one line on stderr. */
int timeline_make(struct invocation *inv, const struct timeline_asked *asked, const struct model *m,
		  const struct device *d, struct replay *r, struct timeline_made *out);
void timeline_made_release(struct timeline_made *t);

#endif
