/* SPDX-License-Identifier: MIT
 * cmd_explain.c -- vramscope explain: why did it run out of memory.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "cli/per_file.h"
#include "cli/side_files.h"
#include "passes/explain.h"
#include "reports/describe.h"

struct own_options {
	const char *log, *observer, *smi, *driver;
	uint64_t device_memory;
	bool no_siblings, stacks;
};

static const struct opt explain_opts[] = {
	{"log", 'l', OPT_STRING, offsetof(struct own_options, log), "FILE",
	 "the exception's text, or a log that has it; - is standard input", NULL},
	{"nvidia-smi", 0, OPT_STRING, offsetof(struct own_options, smi), "FILE",
	 "what nvidia-smi -q -x wrote then", NULL},
	{"observer", 0, OPT_STRING, offsetof(struct own_options, observer), "FILE",
	 "what an out-of-memory observer was told, as JSON", NULL},
	{"driver", 0, OPT_STRING, offsetof(struct own_options, driver), "FILE",
	 "what 'vramscope record' wrote of the same process", NULL},
	{"device-memory", 0, OPT_BYTES, offsetof(struct own_options, device_memory), "BYTES",
	 "what the card has for programs", NULL},
	{"no-siblings", 0, OPT_FLAG, offsetof(struct own_options, no_siblings), NULL,
	 "leave files that lie beside FILE under its name", NULL},
	{"stacks", 0, OPT_FLAG, offsetof(struct own_options, stacks), NULL,
	 "show whole stacks, library frames folded", NULL},
	{.name = NULL},
};

struct explanation {
	struct side_files sides;
	struct explain x;
	struct explain_report report;
};

static void explain_free(void *result)
{
	struct explanation *r = result;

	explain_release(&r->x);
	side_files_release(&r->sides);
	free(r);
}

static struct explain_report report_of(const struct explanation *r, const struct own_options *own)
{
	return (struct explain_report){
		.log_file = r->sides.file[SIDE_LOG],
		.observer_file = r->sides.file[SIDE_OBSERVER],
		.smi_file = r->sides.file[SIDE_SMI],
		.driver_file = r->sides.file[SIDE_DRIVER],
		.log = r->sides.side.log,
		.stacks = own->stacks,
	};
}

/* Nothing of the snapshot was found in the recording. */
static bool is_of_another(const struct explain *x)
{
	for (size_t i = 0; i < x->ooms.n; i++)
		if (!x->ooms.at[i].outside.differs)
			return false;
	return x->ooms.n || x->peak.outside.differs;
}

/* `m`: NULL for a log alone. */
static int explain_any(struct invocation *inv, const struct model *m, struct explanation **out)
{
	const struct own_options *own = inv->own;
	const char *name = m ? model_str(m, m->file) : own->log;
	struct side_options sides = {.file = {own->log, own->observer, own->smi, own->driver},
				     .no_siblings = own->no_siblings,
				     .device_memory = own->device_memory};
	struct explanation *r = calloc(1, sizeof *r);
	struct rules *rules = NULL;
	struct error err;
	struct study study;
	struct explain_options options = {
		.one_device = inv->common.device != DEVICE_UNSET,
		.device = inv->common.device,
		.categories = inv->common.json,
	};
	int rc, status;

	if (!r) {
		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("explain", name, &err);
	}
	status = side_files_read(&r->sides, inv, &sides, m ? name : NULL);
	if (status != STATUS_DONE) {
		free(r);
		return status;
	}
	options.side = &r->sides.side;
	if (m && inv->common.rules && (status = load_rules(inv, &rules)) != STATUS_DONE) {
		explain_free(r);
		return status;
	}
	study_init(&study, m, rules, NULL, &inv->budget);
	rc = m ? explain_run(&r->x, &study, &options, &err)
	       : explain_run_log(&r->x, options.side, &options, &inv->budget, &err);
	study_release(&study);
	rules_free(rules);
	if (rc < 0) {
		explain_free(r);
		return complain_error("explain", name, &err);
	}
	if (own->driver && is_of_another(&r->x)) {
		complain("'%s' is a recording of another process: none of the segments in '%s' is "
			 "in it",
			 own->driver, name);
		explain_free(r);
		return STATUS_INPUT;
	}
	r->report = report_of(r, own);
	*out = r;
	return STATUS_DONE;
}

static int explain_compute(struct invocation *inv, const struct model *m, void **result)
{
	struct explanation *r;
	int status = explain_any(inv, m, &r);

	if (status == STATUS_DONE)
		*result = r;
	return status;
}

static void explain_describe(struct emit *e, const struct model *m, const void *result)
{
	const struct explanation *r = result;

	describe_explain(e, m, &r->x, &r->report);
}

static int explain_log(struct invocation *inv)
{
	struct explanation *r;
	struct output o;
	int status = output_check(inv);

	if (status == STATUS_DONE)
		status = explain_any(inv, NULL, &r);
	if (status != STATUS_DONE)
		return status;
	status = output_open(inv, &o);
	if (status == STATUS_DONE) {
		emit_object_begin(o.emit, NULL, NULL);
		emit_str(o.emit, "schema", NULL, "vramscope.explain/1");
		emit_null(o.emit, "file", NULL);
		describe_explain(o.emit, NULL, &r->x, &r->report);
		emit_object_end(o.emit);
		status = output_close(&o, STATUS_DONE);
	}
	explain_free(r);
	return status;
}

static bool reads_stdin_twice(const struct invocation *inv)
{
	const struct own_options *own = inv->own;
	const char *const sides[] = {own->log, own->observer, own->smi, own->driver};
	size_t n = 0;

	for (size_t i = 0; i < inv->n_operands; i++)
		n += !strcmp(inv->operands[i], "-");
	for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
		n += sides[i] && !strcmp(sides[i], "-") ? (inv->n_operands > 1 ? 2 : 1) : 0;
	return n > 1;
}

static int explain_command(struct invocation *inv)
{
	static const struct per_file steps = {explain_compute, explain_describe, explain_free};
	const struct own_options *own = inv->own;

	if (inv->n_operands == 0 && !own->log) {
		complain("explain needs FILE... or --log (try 'vramscope explain --help')");
		return STATUS_USAGE;
	}
	if (reads_stdin_twice(inv)) {
		complain("standard input can be read only once");
		return STATUS_USAGE;
	}
	return inv->n_operands ? per_file_run(inv, &steps) : explain_log(inv);
}

const struct command cmd_explain = {
	.name = "explain",
	.operands = "FILE...",
	.summary = "Why did it run out of memory, and what helps",
	.min_operands = 0,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_ONLY_DEVICE | COMMON_RULES | COMMON_SYMBOLS,
	.reads = READS_BLOCKS,
	.opts = explain_opts,
	.own_bytes = sizeof(struct own_options),
	.run = explain_command,
};
