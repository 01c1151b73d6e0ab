/* SPDX-License-Identifier: MIT
 * trend.h -- what changes over many files in order: epochs of a run, nightly runs.
 *
 * Files are added one by one and only a few numbers of each are kept, so one model at a time is in
 * memory. Places in the code are matched from file to file as frame_match.h does.
 *
 *     trend_init(&t, budget, err);
 *     for each file: trend_add(t, model, device, replay, err);   // then free the model
 *     trend_finish(t, TREND_BY_NAME, err);
 *     t->changes.at[0] ...
 *
 * A series has a trend when nearly all pairs of files agree on its direction (Kendall's tau) and
 * each third of the files has its share of the way; else it may have change points: files from
 * which on it lies at another level than before.
 */
#ifndef ANALYZE_PASSES_TREND_H
#define ANALYZE_PASSES_TREND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "model/model.h"
#include "passes/frame_match.h"
#include "passes/site.h"
#include "replay/replay.h"

enum trend_order { TREND_BY_NAME, TREND_BY_TIME, TREND_AS_GIVEN };

/* What is followed for each file. */
enum trend_metric {
	TREND_PEAK,     /* highest allocated bytes */
	TREND_END,      /* allocated bytes of the segments in the file */
	TREND_RESERVED, /* highest reserved bytes */
	TREND_FRAGMENTATION,
	TREND_METRICS,
};

const char *trend_metric_name(enum trend_metric m); /* "peak_bytes" ... */

#define TREND_UNKNOWN (-1.0) /* a metric that the file does not tell */

struct trend_file {
	str_id file, error; /* of trend.strings; error: why it was not read, else STR_NONE */
	str_id writer, settings;
	int64_t first_time_us; /* or TIME_NONE */
	int32_t device;
	double metric[TREND_METRICS];
	bool partial;
	uint32_t given; /* position among what was added */
};

/* A site in the words of the last file that has it. */
struct trend_site {
	enum site_kind kind;
	struct frame frame; /* of SITE_FRAME, strings of trend.strings */
	uint32_t last_file;
	bool has_trend;
	double slope;        /* bytes a file */
	uint32_t first_file; /* from which on it changes */
	uint64_t first, last, highest;
};

/* Bytes of a site at the peak of a file. */
struct trend_value {
	uint32_t file, site;
	uint64_t bytes;
};

enum trend_what {
	TREND_OF_METRIC,
	TREND_OF_SITE,
	TREND_OF_WRITER,
	TREND_OF_SETTINGS,
};

struct trend_change {
	uint32_t file;
	enum trend_what what;
	enum trend_metric metric;
	uint32_t site;
	double from, to;           /* of metrics and sites: the levels before and after */
	str_id from_text, to_text; /* of the others */
};

struct trend {
	struct budget *budget; /* weak */
	struct strtab strings;
	VEC(struct trend_file) files;
	VEC(struct trend_site) sites;
	VEC(struct trend_value) values; /* finished: by file, largest first */
	VEC(struct frame) frames;       /* of the sites; row 0 is not used */
	VEC(uint32_t) site_of_frame;
	VEC(struct trend_change) changes; /* by file */
	bool has_trend[TREND_METRICS];
	double slope[TREND_METRICS]; /* a file */
};

int trend_init(struct trend *t, struct budget *budget, struct error *err);
void trend_release(struct trend *t);

/* All: ERR_LIMIT, ERR_NOMEM. `r` may be moved. */
int trend_add(struct trend *t, const struct model *m, const struct device *d, struct replay *r,
	      struct error *err);
/* A file that could not be read keeps its place. */
int trend_add_failed(struct trend *t, const char *file, const char *why, struct error *err);
int trend_finish(struct trend *t, enum trend_order order, struct error *err);

/* "path:line function", "(backward)", "(no stack)"; into buf, returned. */
const char *trend_site_words(const struct trend *t, uint32_t site, char *buf, size_t size);

/* The slope of a series of at least two values that most of them share. */
double trend_slope(const double *values, size_t n_values);

/* The values of a file, largest first; *n of them. */
const struct trend_value *trend_values_of(const struct trend *t, uint32_t file, size_t *n);

#endif
