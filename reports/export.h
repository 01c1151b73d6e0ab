/* SPDX-License-Identifier: MIT
 * export.h -- results in the formats of other tools.
 *
 * Bytes are sizes of active blocks, as `vramscope top` counts them; each format's sum equals its
 * total.
 */
#ifndef REPORTS_EXPORT_H
#define REPORTS_EXPORT_H

#include "passes/allocations.h"
#include "passes/bands.h"
#include "passes/categories.h"
#include "passes/filter.h"
#include "passes/phases.h"
#include "passes/top.h"
#include "replay/replay.h"
#include "reports/out.h"

/* The number of the meaning of reports/export_schema.sql: user_version of the database. */
#define EXPORT_SCHEMA 1

/* All weak. */
struct export
{
	const struct model *model;
	const struct device *device;
	const struct state *state;
	/* Of `state`. For stacks: by stack, or split by a key when by_key. For totals: by the key that
	 * by_key says was asked for. For a summary: by any key. */
	const struct top *top;
	bool by_key;
	const struct allocations *allocations;
	const struct categories *categories;
	const struct phases *phases;
	const struct filter *filter; /* or NULL: what was let through to `top` */
	const char *at;              /* --at as it was given, or NULL */
	struct replay *replay;       /* export_perfetto and export_sqlite walk it */
	struct budget *budget;
};

/* Brendan Gregg's folded stacks: outer;...;inner bytes; a key stands in front as a frame. */
void export_folded(struct out *to, const struct export *x);
/* https://www.speedscope.app/file-format-schema.json; one profile a key. */
void export_speedscope(struct out *to, const struct export *x);
/* github.com/google/pprof profile.proto, gzip; a key is a label. Errors: ERR_LIMIT, ERR_NOMEM. */
int export_pprof(struct out *to, const struct export *x, struct error *err);
/* Perfetto's trace.proto: counters, slices of steps and annotations, instants of ooms. */
int export_perfetto(struct out *to, const struct export *x, struct error *err);
/* A row for each allocation of the trace, those from before it included; with `at` of those alive
 * at that moment. What the filter leaves out has none. */
void export_allocations_csv(struct out *to, const struct export *x);
void export_allocations_json(struct out *to, const struct export *x);
/* Tables: reports/export_schema.sql tells them. A file under `path`, whole or not at all. Errors:
 * ERR_SYSTEM, ERR_LIMIT, ERR_NOMEM. */
int export_sqlite(const char *path, const struct export *x, struct error *err);
/* Totals as OpenMetrics gauges. */
void export_openmetrics(struct out *to, const struct export *x);
/* A summary to paste into a ticket. */
void export_markdown(struct out *to, const struct export *x);

/* The spans of the file's annotations that have times, for writers. The device of a mark is a hint
 * only, so all are there. bands_release it, also after a failure. */
int export_annotations(struct bands *out, const struct export *x, struct error *err);

#endif
