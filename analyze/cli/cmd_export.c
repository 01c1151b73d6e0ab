/* SPDX-License-Identifier: MIT
 * cmd_export.c -- vramscope export: results in the formats of other tools.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "passes/filter.h"
#include "reports/export.h"

enum export_format {
	EXPORT_BY_SUFFIX,
	EXPORT_FOLDED,
	EXPORT_SPEEDSCOPE,
	EXPORT_PPROF,
	EXPORT_PERFETTO,
	EXPORT_CSV,
	EXPORT_JSON,
	EXPORT_OPENMETRICS,
	EXPORT_MARKDOWN,
};

static const char *const format_words[] = {"-",   "folded", "speedscope",  "pprof",    "perfetto",
					   "csv", "json",   "openmetrics", "markdown", NULL};

/* Longer suffixes first: .speedscope.json is no .json. */
static const struct {
	const char *suffix;
	enum export_format format;
} suffixes[] = {
	{".speedscope.json", EXPORT_SPEEDSCOPE},
	{".perfetto-trace", EXPORT_PERFETTO},
	{".pftrace", EXPORT_PERFETTO},
	{".folded", EXPORT_FOLDED},
	{".pb.gz", EXPORT_PPROF},
	{".pprof", EXPORT_PPROF},
	{".prom", EXPORT_OPENMETRICS},
	{".json", EXPORT_JSON},
	{".csv", EXPORT_CSV},
	{".md", EXPORT_MARKDOWN},
};

struct export_options {
	unsigned to; /* enum export_format */
};

static const struct opt export_opts[] = {
	{"to", 't', OPT_CHOICE, offsetof(struct export_options, to), "FORMAT",
	 "folded, speedscope, pprof, perfetto, csv, json (allocations), openmetrics or markdown; "
	 "without it, by the suffix of -o",
	 format_words},
	{0},
};

static enum export_format format_of(const struct invocation *inv)
{
	const struct export_options *own = inv->own;
	const char *file = inv->common.output;

	if (own->to != EXPORT_BY_SUFFIX || !file)
		return own->to;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(file), k = strlen(suffixes[i].suffix);

		if (n > k && !strcmp(file + n - k, suffixes[i].suffix))
			return suffixes[i].format;
	}
	return EXPORT_BY_SUFFIX;
}

static int write_format(const struct export *x, enum export_format format, struct out *to,
			struct error *err)
{
	switch (format) {
	case EXPORT_FOLDED:
		export_folded(to, x);
		return 0;
	case EXPORT_SPEEDSCOPE:
		export_speedscope(to, x);
		return 0;
	case EXPORT_PPROF:
		return export_pprof(to, x, err);
	case EXPORT_PERFETTO:
		return export_perfetto(to, x, err);
	case EXPORT_CSV:
		export_allocations_csv(to, x);
		return 0;
	case EXPORT_JSON:
		export_allocations_json(to, x);
		return 0;
	case EXPORT_OPENMETRICS:
		export_openmetrics(to, x);
		return 0;
	case EXPORT_MARKDOWN:
		export_markdown(to, x);
		return 0;
	case EXPORT_BY_SUFFIX:
		break;
	}
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "no format");
}

static int export_write(struct invocation *inv, const struct export *x, enum export_format format)
{
	struct output o;
	struct error err;
	int status = output_open_raw(inv, &o);

	if (status != STATUS_DONE)
		return status;
	if (write_format(x, format, o.out, &err) < 0) {
		output_abandon(&o);
		return complain_error("export", model_str(x->model, x->model->file), &err);
	}
	return output_close(&o, load_status(x->model, STATUS_DONE));
}

/* What every format may need, computed once. */
static int export_analyse(struct invocation *inv, const struct loaded *l, enum export_format format)
{
	struct loaded_purpose purpose = {0};
	struct filter *filter = NULL;
	struct state state = {0};
	const enum top_by by = format == EXPORT_MARKDOWN ? TOP_SITE : TOP_STACK;
	struct top top = {0};
	struct error err;
	int status = load_filter(inv, l->model, &filter);

	if (status == STATUS_DONE)
		status = load_purpose(inv, l->model, l->device, l->replay, &purpose);
	if (status == STATUS_DONE &&
	    (moment_state(&state, &l->at, l->model, l->replay, &inv->budget, &err) < 0 ||
	     top_run(&top, l->model, &state, by, filter, NULL, &inv->budget, &err) < 0))
		status = complain_error("analyse", model_str(l->model, l->model->file), &err);
	if (status == STATUS_DONE) {
		struct export x = {
			.model = l->model,
			.device = l->device,
			.state = &state,
			.top = &top,
			.allocations = &purpose.purpose->allocations,
			.categories = &purpose.purpose->categories,
			.phases = &purpose.purpose->phases,
			.replay = l->replay,
			.budget = &inv->budget,
		};

		status = export_write(inv, &x, format);
	}
	if (top.budget)
		top_release(&top);
	if (state.budget)
		state_release(&state);
	loaded_purpose_release(&purpose);
	filter_free(filter);
	return status;
}

static int export_command(struct invocation *inv)
{
	const enum export_format format = format_of(inv);
	struct loaded l = {0};
	int status;

	if (format == EXPORT_BY_SUFFIX) {
		complain("export wants --to FORMAT, or -o FILE with a suffix that names one");
		return STATUS_USAGE;
	}
	status = load_oom_moment(inv, inv->operands[0], "peak", &l);
	if (status != STATUS_DONE)
		return status;
	status = export_analyse(inv, &l, format);
	loaded_release(&l);
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.operands = "FILE",
	.summary = "Results in the formats of other tools",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT | COMMON_DEVICE | COMMON_AT | COMMON_FILTER | COMMON_RULES |
		  COMMON_STEPS,
	.opts = export_opts,
	.own_bytes = sizeof(struct export_options),
	.run = export_command,
};
