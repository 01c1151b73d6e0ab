/* SPDX-License-Identifier: MIT
 * batch_groups.h -- what many files have in common, and which of them do not.
 *
 * Files of one rank_group are compared with each other. A figure is an outlier when it lies further
 * from the group's median than 3.5 robust deviations: 1.4826 times the median distance, but no less
 * than 1 % of the median (0.01 of a share), so that equal ranks do not make each other's noise
 * news. Groups of fewer than BATCH_GROUP_MIN files have no outliers.
 */
#ifndef ANALYZE_PASSES_BATCH_GROUPS_H
#define ANALYZE_PASSES_BATCH_GROUPS_H

#include "passes/batch.h"

#define BATCH_GROUP_MIN 4

enum batch_measure {
	MEASURE_PEAK,
	MEASURE_RESERVED,
	MEASURE_END,
	MEASURE_FRAGMENTATION,
	MEASURE_LEAK,
	MEASURE_HOLDER, /* bytes of a site at the peak */
	MEASURE_STEP,   /* the highest of a step */
	MEASURE_SETTINGS,
	MEASURES,
};

const char *batch_measure_name(enum batch_measure m); /* "peak_allocated_bytes" ... */

struct batch_outlier {
	size_t file;
	enum batch_measure measure;
	double value, median, score; /* score: deviations from the median; not of settings */
	const char *what;            /* weak: the site, or the settings; NULL */
	int64_t step;                /* of MEASURE_STEP */
	size_t n_group;
};

struct batch_group {
	const char *name; /* weak */
	VEC(size_t) files;
};

/* Files that failed alike: same verdict, same request from the same site. */
struct batch_failure {
	size_t first; /* the file that failed first by time, else by name */
	size_t count;
};

struct batch_groups {
	struct budget *budget;              /* weak */
	VEC(struct batch_group) groups;     /* by name */
	VEC(struct batch_outlier) outliers; /* by file; the largest score of each first */
	VEC(struct batch_failure) failures; /* most files first */
	size_t n_failed, n_partial, n_ooms; /* files */
	size_t first_to_fail;               /* file, SIZE_MAX: none has a time */
};

/* `b` is sorted. Errors: ERR_LIMIT, ERR_NOMEM. */
int batch_groups_run(struct batch_groups *out, const struct batch *b, struct budget *budget,
		     struct error *err);
void batch_groups_release(struct batch_groups *g);

#endif
