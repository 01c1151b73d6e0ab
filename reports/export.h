/* SPDX-License-Identifier: MIT
 * export.h -- results in the formats of other tools.
 *
 * Bytes are sizes of active blocks, as `vramscope top` counts them; each format's sum equals its
 * total.
 */
#ifndef REPORTS_EXPORT_H
#define REPORTS_EXPORT_H

#include "passes/allocations.h"
#include "passes/categories.h"
#include "passes/phases.h"
#include "passes/top.h"
#include "replay/replay.h"
#include "reports/out.h"

/* All weak. `top` is of `state`, by stack; by site for export_markdown. */
struct export
{
	const struct model *model;
	const struct device *device;
	const struct state *state;
	const struct top *top;
	const struct allocations *allocations;
	const struct categories *categories;
	const struct phases *phases;
	struct replay *replay; /* export_perfetto walks it */
	struct budget *budget;
};

/* Brendan Gregg's folded stacks: outer;...;inner bytes. */
void export_folded(struct out *to, const struct export *x);
/* https://www.speedscope.app/file-format-schema.json */
void export_speedscope(struct out *to, const struct export *x);
/* github.com/google/pprof profile.proto, gzip. Errors: ERR_LIMIT, ERR_NOMEM. */
int export_pprof(struct out *to, const struct export *x, struct error *err);
/* Perfetto's trace.proto: counters, slices of steps and annotations, instants of ooms. */
int export_perfetto(struct out *to, const struct export *x, struct error *err);
/* A row for each allocation of the trace, those from before it included. */
void export_allocations_csv(struct out *to, const struct export *x);
void export_allocations_json(struct out *to, const struct export *x);
/* Totals as OpenMetrics gauges. */
void export_openmetrics(struct out *to, const struct export *x);
/* A summary to paste into a ticket. */
void export_markdown(struct out *to, const struct export *x);

#endif
