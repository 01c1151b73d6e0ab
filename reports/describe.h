/* SPDX-License-Identifier: MIT
 * describe.h -- from a pass's result to the calls of emit.h; one describe_*.c file a command.
 *
 * They write the keys behind `file`; the document around them is the caller's. Keys: SCHEMA.md.
 */
#ifndef REPORTS_DESCRIBE_H
#define REPORTS_DESCRIBE_H

#include "model/model.h"
#include "passes/explain.h"
#include "passes/info.h"
#include "passes/phases.h"
#include "passes/top.h"
#include "passes/validate.h"
#include "replay/moment.h"
#include "replay/replay.h"
#include "reports/emit.h"

void describe_info(struct emit *e, const struct model *m, const struct info *i);

/* What a chrome trace and a memory timeline are made of; null for other files. */
void describe_trace(struct emit *e, const struct model *m);
void describe_memory_timeline(struct emit *e, const struct model *m);

/* allocator_settings of the file; text tells those that differ from the defaults. */
void describe_settings(struct emit *e, const struct model *m);

/* `at`: how the moment was asked for; `blocks`: text lists the blocks too. */
void describe_state(struct emit *e, const struct model *m, const struct state *s,
		    const struct moment *at, bool blocks);

/* The words of --by, in the order of enum top_by, ended by NULL. */
extern const char *const top_by_words[];
/* `at`: how the moment was asked for; at most `max_rows` rows are written. */
void describe_top(struct emit *e, const struct model *m, const struct top *t,
		  const struct moment *at, uint64_t max_rows);

/* What an explanation was made of besides the snapshot; names are NULL for what was not read. */
struct explain_report {
	const char *log_file, *observer_file, *smi_file, *driver_file;
	const struct oom_log *log; /* behind log_file */
	bool stacks;               /* text tells whole stacks */
};

/* `m`: NULL when only a log was read. */
void describe_explain(struct emit *e, const struct model *m, const struct explain *x,
		      const struct explain_report *r);

/* The `capture` dict of a recording; nothing of other files. */
void describe_capture(struct emit *e, const struct model *m);

void describe_validate(struct emit *e, const struct model *m, const struct validation *v);

/* The four totals of a moment, as members of the open object; no text. */
void describe_totals(struct emit *e, const struct totals *t);

/* By what steps were found: "optimizer runs". */
const char *describe_step_source(enum step_source source);

/* "Device 0", "Pinned host memory"; into buf, returned. */
const char *describe_device_name(char buf[UNITS_BUF], int32_t index);

/* Is it unknown what lived before event 0? */
bool describe_past_unknown(const struct device *d);

/* "event 1,234", "the start", in a sentence; into buf, returned. */
const char *describe_event(char buf[UNITS_BUF], int64_t event);

#endif
