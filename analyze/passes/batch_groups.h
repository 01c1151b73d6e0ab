/* SPDX-License-Identifier: MIT
 * batch_groups.h -- what many files have in common, and which of them do not.
 *
 * Files of one rank_group are compared with each other. A figure is an outlier when it lies further
 * from the group's median than 3.5 robust deviations: 1.4826 times the median distance, but no less
 * than 1 % of the median (0.01 of a share), so that equal ranks do not make each other's noise
 * news; where more than a quarter of the group would be outliers by a figure, none is. Of what is no amount (settings, the phase of the peak) an outlier has another value than
 * more than half of the group. Groups of fewer than BATCH_GROUP_MIN files have no outliers.
 *
 * Settings are also told apart without outliers: what differs from the usual of the group, or, of
 * files without a group, of all such files.
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
	MEASURE_STEP,   /* the highest of a step that the trace has whole */
	MEASURE_PHASE,  /* of the peak */
	MEASURE_SETTINGS,
	MEASURES,
};

const char *batch_measure_name(enum batch_measure m); /* "peak_allocated_bytes" ... */

struct batch_outlier {
	size_t file;
	enum batch_measure measure;
	/* Of amounts; score: deviations from the median. */
	double value, median, score;
	/* Weak, of the others. */
	const char *text, *usual;
	const char *what; /* weak: the site, or the setting's name; NULL */
	int64_t step;     /* of MEASURE_STEP */
	size_t n_group;
};

struct batch_group {
	const char *name; /* weak */
	VEC(size_t) files;
};

static inline bool batch_measure_is_amount(enum batch_measure m)
{
	return m < MEASURE_PHASE;
}

/* A setting that is not as usual. All weak. */
struct batch_difference {
	size_t file;
	const char *name, *value, *usual;
};

/* Files that failed alike: same verdict, same site, and the same request; of a line of somebody's
 * code also one that is up to a tenth larger, since no two batches are of one length. */
struct batch_failure {
	size_t first;        /* the file that failed first by time, else by name */
	size_t from, n;      /* rows of batch_groups.failed */
	size_t of;           /* files of the groups that they belong to, else of the batch */
	const char *group;   /* weak: the one group of all of them, or NULL */
	int64_t least, most; /* bytes that were requested; -1: not known */
};

struct batch_groups {
	struct budget *budget;                    /* weak */
	VEC(struct batch_group) groups;           /* by name */
	VEC(struct batch_outlier) outliers;       /* by file; the largest score of each first */
	VEC(struct batch_difference) differences; /* by file */
	VEC(struct batch_failure) failures;       /* most files first */
	VEC(size_t) failed;                       /* files, failure by failure */
	size_t n_failed, n_partial, n_ooms;       /* files */
	size_t first_to_fail;                     /* file, SIZE_MAX: none has a time */
};

/* `b` is sorted. Errors: ERR_LIMIT, ERR_NOMEM. */
int batch_groups_run(struct batch_groups *out, const struct batch *b, struct budget *budget,
		     struct error *err);
void batch_groups_release(struct batch_groups *g);

#endif
