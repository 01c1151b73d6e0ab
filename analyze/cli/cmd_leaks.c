/* SPDX-License-Identifier: MIT
 * cmd_leaks.c -- vramscope leaks: what grows step by step and never comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/natural.h"
#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "cli/suppressions.h"
#include "model/model_join.h"
#include "reports/leaks_report.h"

struct leaks_own {
	const char *suppressions, *to;
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
	{"to", 0, OPT_STRING, offsetof(struct leaks_own, to), "MOMENT",
	 "look at the trace up to a moment only", NULL},
	{.name = NULL},
};

/* The file, or all of them as one. */
struct leaks_run {
	struct model *model;
	const struct device *device;
	struct replay *replay;
	struct loaded_purpose loaded;
	struct suppressions suppressions;
	struct leaks leaks;
	const char **files; /* by natural order of their names */
	size_t n_joined; /* files whose trace goes on from that of the one before, and the first */
	bool partial;    /* one of them is damaged */
	double limit;    /* of --fail-on-leak; negative: none */
};

static void leaks_run_release(struct leaks_run *r)
{
	leaks_release(&r->leaks);
	suppressions_release(&r->suppressions);
	loaded_purpose_release(&r->loaded);
	replay_free(r->replay);
	model_free(r->model);
	free(r->files);
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
		.categories = &r->loaded.purpose->categories,
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
		o.capacity_bytes = leaks_capacity(&r->loaded.purpose->allocations,
						  replay_summary(r->replay)->start.reserved);
	if (leaks_run(&r->leaks, &r->loaded.purpose->allocations, &r->loaded.purpose->phases, &o,
		      &inv->budget, &err) < 0)
		return complain_error("analyse", file, &err);
	return STATUS_DONE;
}

/* --- several files ----------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
	return natural_compare(*(const char *const *)a, *(const char *const *)b);
}

static int sort_files(struct invocation *inv, struct leaks_run *r)
{
	struct error err;

	r->files = malloc(inv->n_operands * sizeof *r->files);
	if (!r->files) {
		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("analyse", inv->operands[0], &err);
	}
	for (size_t i = 0; i < inv->n_operands; i++)
		r->files[i] = inv->operands[i];
	if (inv->n_operands > 1)
		qsort(r->files, inv->n_operands, sizeof *r->files, compare_files);
	return STATUS_DONE;
}

/* Put `newer` behind the model at hand; takes it over. A gap starts anew: what happened in it is
 * unknown, and blocks of both sides cannot be joined. */
static int append(struct invocation *inv, struct leaks_run *r, struct model *newer)
{
	int32_t index = inv->common.device;
	uint64_t cut = model_join_overlap(r->model, newer, index);
	const struct device *d = model_device(r->model, index), *n = model_device(newer, index);
	struct model *joined = newer;
	struct error err;
	int rc = 0;

	if (cut == JOIN_NO_OVERLAP) {
		r->n_joined = 1;
	} else {
		r->n_joined++;
		if (cut + n->n_events <= d->n_events && cut > 0)
			joined = r->model;
		else if (cut > 0)
			rc = model_join(&joined, r->model, cut, newer, index, &inv->budget, &err);
	}
	if (rc < 0) {
		complain_error("join", model_str(newer, newer->file), &err);
		model_free(newer);
		return err.code == ERR_LIMIT ? STATUS_INPUT : STATUS_SYSTEM;
	}
	if (joined != r->model)
		model_free(r->model);
	if (joined != newer)
		model_free(newer);
	r->model = joined;
	return STATUS_DONE;
}

static int load_all(struct invocation *inv, struct leaks_run *r)
{
	int status = load_model(inv, r->files[0], &r->model);

	r->n_joined = 1;
	if (status != STATUS_DONE)
		return status;
	r->partial = r->model->partial;
	if (inv->n_operands == 1)
		return STATUS_DONE;
	status = load_device(inv, r->model, &r->device, &r->replay);
	if (status != STATUS_DONE)
		return status;
	inv->common.device = r->device->index;
	replay_free(r->replay);
	r->replay = NULL;
	for (size_t i = 1; i < inv->n_operands && status == STATUS_DONE; i++) {
		struct model *newer;

		status = load_model(inv, r->files[i], &newer);
		if (status != STATUS_DONE)
			break;
		r->partial |= newer->partial;
		status = append(inv, r, newer);
	}
	return status;
}

static int compute(struct invocation *inv, struct leaks_run *r)
{
	const struct leaks_own *own = inv->own;
	int status = sort_files(inv, r);

	if (status == STATUS_DONE)
		status = load_all(inv, r);
	/* Joined files have more frames than the first one. */
	if (status == STATUS_DONE && r->n_joined > 1)
		status = load_site_rules(inv, r->model);
	if (status == STATUS_DONE)
		status = load_device(inv, r->model, &r->device, &r->replay);
	if (status == STATUS_DONE)
		status = suppressions_open(inv, own->suppressions, r->model, &r->suppressions);
	if (status == STATUS_DONE)
		status = load_purpose(inv, r->model, r->device, r->replay, &r->loaded);
	return status == STATUS_DONE ? find_leaks(inv, r) : status;
}

static int write_result(struct invocation *inv, const struct leaks_run *r)
{
	const struct str *file = strtab_get(&r->model->strings, r->model->file);
	struct leaks_report report = {
		.leaks = &r->leaks,
		.allocations = &r->loaded.purpose->allocations,
		.phases = &r->loaded.purpose->phases,
		.suppressions = (const char *const *)r->suppressions.patterns,
		.n_suppressions = r->suppressions.n,
		.files = r->files,
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
	return output_close(&o, r->partial ? STATUS_INPUT : failed ? STATUS_FOUND : STATUS_DONE);
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
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_RULES | COMMON_STEPS | COMMON_SYMBOLS,
	.opts = leaks_opts,
	.own_bytes = sizeof(struct leaks_own),
	.run = leaks_command,
};
