/* SPDX-License-Identifier: MIT
 * cmd_leaks.c -- vramscope leaks: what grows step by step and never comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_phases.h"
#include "cli/output.h"
#include "cli/suppressions.h"
#include "reports/leaks_report.h"

struct leaks_own {
	const char *suppressions, *step_marker, *to;
	uint64_t capacity;
	const char *fail_on_leak; /* bytes, as text: 0 is a limit, too */
};

static const struct opt leaks_opts[] = {
	{"suppressions", 0, OPT_STRING, offsetof(struct leaks_own, suppressions), "FILE",
	 "leave out what a line 'leak:RE' of FILE matches (PCRE2 over 'path:line function')", NULL},
	{"fail-on-leak", 0, OPT_STRING, offsetof(struct leaks_own, fail_on_leak), "BYTES",
	 "exit with 1 when leaks grow by more than BYTES a step", NULL},
	{"capacity", 0, OPT_BYTES, offsetof(struct leaks_own, capacity), "BYTES",
	 "tell in which step so much memory is used up; without it, what the device had at the "
	 "last "
	 "out-of-memory",
	 NULL},
	{"step-marker", 0, OPT_STRING, offsetof(struct leaks_own, step_marker), "RE",
	 "a step is an annotation that matches RE (PCRE2)", NULL},
	{"to", 0, OPT_STRING, offsetof(struct leaks_own, to), "MOMENT",
	 "look at the trace up to a moment only", NULL},
	{.name = NULL},
};

/* The file, or all of them as one. */
struct leaks_run {
	struct model *model;
	const struct device *device;
	struct replay *replay;
	struct loaded_phases phases;
	struct suppressions suppressions;
	struct leaks leaks;
	size_t n_joined;
	double limit; /* of --fail-on-leak; negative: none */
};

static void leaks_run_release(struct leaks_run *r)
{
	leaks_release(&r->leaks);
	suppressions_release(&r->suppressions);
	loaded_phases_release(&r->phases);
	replay_free(r->replay);
	model_free(r->model);
}

static int parse_limit(const char *text, double *out)
{
	uint64_t bytes;

	*out = -1;
	if (!text)
		return STATUS_DONE;
	if (!opt_parse_bytes(text, &bytes)) {
		complain("--fail-on-leak wants bytes, as in 1MiB, not '%s'", text);
		return STATUS_USAGE;
	}
	*out = (double)bytes;
	return STATUS_DONE;
}

static int find_leaks(struct invocation *inv, struct leaks_run *r)
{
	const struct leaks_own *own = inv->own;
	const char *file = model_str(r->model, r->model->file);
	struct leaks_options o = {
		.until = (int64_t)r->device->n_events - 1,
		.capacity_bytes = own->capacity,
		.categories = &r->phases.categories,
		.suppress = r->suppressions.filters,
		.n_suppress = r->suppressions.n,
	};
	struct moment to;
	struct error err;

	if (own->to) {
		if (moment_parse(&to, own->to, r->model, r->device, r->replay, &err) < 0)
			return complain_error("find that moment in", file, &err);
		o.until = to.event;
	}
	if (!o.capacity_bytes)
		o.capacity_bytes = leaks_capacity(&r->phases.allocations,
						  replay_summary(r->replay)->start.reserved);
	if (leaks_run(&r->leaks, &r->phases.allocations, &r->phases.phases, &o, &inv->budget,
		      &err) < 0)
		return complain_error("analyse", file, &err);
	return STATUS_DONE;
}

static int compute(struct invocation *inv, struct leaks_run *r)
{
	const struct leaks_own *own = inv->own;
	int status = load_model(inv, inv->operands[0], &r->model);

	if (status == STATUS_DONE)
		status = load_device(inv, r->model, &r->device, &r->replay);
	if (status == STATUS_DONE)
		status = suppressions_open(inv, own->suppressions, r->model, &r->suppressions);
	if (status == STATUS_DONE)
		status = load_phases(inv, r->model, r->device, r->replay, own->step_marker,
				     &r->phases);
	if (status == STATUS_DONE)
		status = load_categories(inv, &r->phases);
	return status == STATUS_DONE ? find_leaks(inv, r) : status;
}

static int write_result(struct invocation *inv, const struct leaks_run *r)
{
	const struct str *file = strtab_get(&r->model->strings, r->model->file);
	struct leaks_report report = {
		.leaks = &r->leaks,
		.allocations = &r->phases.allocations,
		.phases = &r->phases.phases,
		.suppressions = (const char *const *)r->suppressions.patterns,
		.n_suppressions = r->suppressions.n,
		.files = (const char *const *)inv->operands,
		.n_files = inv->n_operands,
		.n_joined = r->n_joined,
	};
	bool failed = r->limit >= 0 && r->leaks.growth > r->limit;
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.leaks/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_leaks(o.emit, &report);
	emit_object_end(o.emit);
	return output_close(&o, load_status(r->model, failed ? STATUS_FOUND : STATUS_DONE));
}

static int leaks_command(struct invocation *inv)
{
	const struct leaks_own *own = inv->own;
	struct leaks_run r = {0};
	int status = output_check(inv);

	if (status == STATUS_DONE)
		status = parse_limit(own->fail_on_leak, &r.limit);
	if (status != STATUS_DONE)
		return status;
	status = compute(inv, &r);
	if (status == STATUS_DONE)
		status = write_result(inv, &r);
	leaks_run_release(&r);
	return status;
}

const struct command cmd_leaks = {
	.name = "leaks",
	.operands = "FILE...",
	.summary = "What grows step by step and never comes back",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_DEVICE,
	.opts = leaks_opts,
	.own_bytes = sizeof(struct leaks_own),
	.run = leaks_command,
};
