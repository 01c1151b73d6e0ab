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
	EXPORT_SQLITE,
};

static const char *const format_words[] = {"-",        "folded", "speedscope", "pprof",
					   "perfetto", "csv",    "json",       "openmetrics",
					   "markdown", "sqlite", NULL};

/* top_by_words with a word for "not given" in front. */
static const char *const by_words[] = {"-",          "site",   "stack", "file",     "function",
				       "annotation", "stream", "pool",  "category", NULL};

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
	{".sqlite", EXPORT_SQLITE},
	{".prom", EXPORT_OPENMETRICS},
	{".json", EXPORT_JSON},
	{".csv", EXPORT_CSV},
	{".db", EXPORT_SQLITE},
	{".md", EXPORT_MARKDOWN},
};

struct export_options {
	unsigned to; /* enum export_format */
	unsigned by; /* enum top_by + 1; 0: not given */
};

static const struct opt export_opts[] = {
	{"to", 't', OPT_CHOICE, offsetof(struct export_options, to), "FORMAT",
	 "folded, speedscope, pprof, perfetto, sqlite, csv, json (allocations), openmetrics or "
	 "markdown; without it, by the suffix of -o",
	 format_words},
	{"by", 'b', OPT_CHOICE, offsetof(struct export_options, by), "KEY",
	 "of the formats of one moment: group by site, stack, file, function, annotation, stream, "
	 "pool or category",
	 by_words},
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

/* Stacks of one moment: --by splits them. */
static bool has_stacks(enum export_format format)
{
	return format == EXPORT_FOLDED || format == EXPORT_SPEEDSCOPE || format == EXPORT_PPROF;
}

/* What cannot be done is told before the work. */
static int check_options(const struct invocation *inv, enum export_format format)
{
	const struct export_options *own = inv->own;
	const char *file = inv->common.output;

	if (format == EXPORT_BY_SUFFIX) {
		complain("export wants --to FORMAT, or -o FILE with a suffix that names one");
		return STATUS_USAGE;
	}
	if (own->by && !has_stacks(format) && format != EXPORT_OPENMETRICS &&
	    format != EXPORT_MARKDOWN) {
		complain("--by groups the formats of one moment; %s has every key in its rows",
			 format_words[format]);
		return STATUS_USAGE;
	}
	if (format == EXPORT_SQLITE && (!file || !strcmp(file, "-"))) {
		complain("a database needs -o FILE");
		return STATUS_USAGE;
	}
	return STATUS_DONE;
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
	case EXPORT_SQLITE:
	case EXPORT_BY_SUFFIX:
		break;
	}
	return error_set(err, ERR_USAGE, ERR_NO_OFFSET, "no format");
}

static int export_write(struct invocation *inv, const struct export *x, enum export_format format)
{
	struct output o;
	struct error err;
	int status;

	if (format == EXPORT_SQLITE) {
		if (export_sqlite(inv->common.output, x, &err) < 0)
			return complain_error("write", inv->common.output, &err);
		return load_status(x->model, STATUS_DONE);
	}
	status = output_open_raw(inv, &o);
	if (status != STATUS_DONE)
		return status;
	if (write_format(x, format, o.out, &err) < 0) {
		output_abandon(&o);
		return complain_error("export", model_str(x->model, x->model->file), &err);
	}
	return output_close(&o, load_status(x->model, STATUS_DONE));
}

/* Who holds the bytes of the moment, as the format wants it. */
static int run_top(struct export *x, struct top *top, const struct export_options *own,
		   enum export_format format, struct error *err)
{
	enum top_by by = has_stacks(format) ? TOP_STACK : TOP_SITE;

	if (own->by)
		by = (enum top_by)(own->by - 1);
	x->by_key = own->by && by != TOP_STACK;
	if (has_stacks(format) && x->by_key)
		return top_run_split(top, x->model, x->state, by, x->filter, x->categories,
				     x->budget, err);
	return top_run(top, x->model, x->state, by, x->filter, x->categories, x->budget, err);
}

/* What every format may need, computed once. */
static int export_analyse(struct invocation *inv, const struct loaded *l, enum export_format format)
{
	struct loaded_purpose purpose = {0};
	struct filter *filter = NULL;
	struct state state = {0};
	struct top top = {0};
	struct export x = {
		.model = l->model,
		.device = l->device,
		.state = &state,
		.top = &top,
		.at = inv->common.at,
		.replay = l->replay,
		.budget = &inv->budget,
	};
	struct error err;
	int status = load_filter(inv, l->model, &filter);

	if (status == STATUS_DONE)
		status = load_purpose(inv, l->model, l->device, l->replay, &purpose);
	if (status == STATUS_DONE) {
		x.filter = filter;
		x.allocations = &purpose.purpose->allocations;
		x.categories = &purpose.purpose->categories;
		x.phases = &purpose.purpose->phases;
		if (moment_state(&state, &l->at, l->model, l->replay, &inv->budget, &err) < 0 ||
		    run_top(&x, &top, inv->own, format, &err) < 0)
			status = complain_error("analyse", model_str(l->model, l->model->file),
						&err);
	}
	if (status == STATUS_DONE)
		status = export_write(inv, &x, format);
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
	int status = check_options(inv, format);

	if (status == STATUS_DONE)
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
		  COMMON_STEPS | COMMON_SYMBOLS,
	.opts = export_opts,
	.own_bytes = sizeof(struct export_options),
	.reads = READS_BLOCKS,
	.run = export_command,
};
