/* SPDX-License-Identifier: MIT
 * timeline_groups.h -- what a stacked timeline tells apart: a layer for each allocation.
 *
 * By category the layers are PyTorch's eight in PyTorch's order. By anything else they are the
 * names that hold most, judged by their bytes at the peak and by bytes times time, each as a share
 * of the whole, and one more for the rest.
 *
 *     timeline_groups_run(&g, GROUP_SITE, &allocations, NULL, from, to, peak, budget, err);
 *     g.of_row.at[row]            // 0 .. g.n - 1, 0 is drawn lowest
 *     timeline_group_name(&g, 0, buf)
 */
#ifndef ANALYZE_PASSES_TIMELINE_GROUPS_H
#define ANALYZE_PASSES_TIMELINE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/allocations.h"
#include "passes/categories.h"
#include "passes/site.h"

enum group_by { GROUP_CATEGORY, GROUP_SITE, GROUP_ANNOTATION, GROUP_STREAM, GROUP_NONE };

const char *group_by_name(enum group_by by); /* "category" ... */

#define TIMELINE_MAX_GROUPS 8

enum group_kind {
	GROUP_OF_CATEGORY,
	GROUP_OF_SITE,
	GROUP_OF_NAME, /* an annotation; names that differ in digits only are one */
	GROUP_OF_STREAM,
	GROUP_BEFORE,  /* by annotation: from before event 0 */
	GROUP_OUTSIDE, /* by annotation: none was open, or no time is known */
	GROUP_REST,
};

struct timeline_group {
	enum group_kind kind;
	enum category category;
	struct site site;
	str_id name; /* the first of those that are alike */
	bool many;   /* of several spellings */
	uint64_t stream;
};

struct timeline_groups {
	struct budget *budget;                 /* weak; NULL: empty */
	const struct model *model;             /* weak */
	const struct allocations *allocations; /* weak; NULL: told by the rows of model->timeline */
	enum group_by by;
	size_t n;    /* layers, at most TIMELINE_MAX_GROUPS */
	size_t rest; /* the layer of bytes that no allocation accounts for */
	struct timeline_group of[TIMELINE_MAX_GROUPS];
	VEC(uint8_t) of_row; /* of each row of the allocations */
	uint64_t n_names;    /* distinct ones, before the rest was joined */
};

/* Window and peak are moments (numbers of events); `peak` outside of the window: none. `c` for
 * GROUP_CATEGORY; else NULL. Errors: ERR_LIMIT, ERR_NOMEM. */
int timeline_groups_run(struct timeline_groups *out, enum group_by by, const struct allocations *a,
			const struct categories *c, int64_t from, int64_t to, int64_t peak,
			struct budget *budget, struct error *err);
/* By category, of a device whose events have no addresses: as a memory timeline tells, else all is
 * UNKNOWN. */
void timeline_groups_of_rows(struct timeline_groups *out, const struct model *m,
			     struct budget *budget);
void timeline_groups_release(struct timeline_groups *g);

/* Words for a layer, as the file has them where they come from it; into buf, returned. */
#define TIMELINE_GROUP_NAME 512
const char *timeline_group_name(const struct timeline_groups *g, size_t group,
				char buf[TIMELINE_GROUP_NAME]);

#endif
