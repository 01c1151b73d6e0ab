/* SPDX-License-Identifier: MIT
 * cmd_top.c -- vramscope top: who holds the bytes at a moment.
 */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/per_file.h"
#include "passes/filter.h"
#include "passes/top.h"
#include "reports/describe.h"

#define TEXT_ROWS 20

struct top_options {
	unsigned by;         /* enum top_by */
	uint64_t limit_rows; /* 0: the default of the format */
};

static const struct opt top_opts[] = {
	{"by", 'b', OPT_CHOICE, offsetof(struct top_options, by), "KEY",
	 "group by site (without it), stack, file, function, annotation, stream, pool or "
	 "category",
	 top_by_words},
	{"limit-rows", 'n', OPT_U64, offsetof(struct top_options, limit_rows), "N",
	 "show the N largest rows; without it 20, and all with --json", NULL},
	{0},
};

struct top_answer {
	struct top top;
	struct moment at;
	uint64_t max_rows; /* 0: the default of the format */
};

static int answer(struct top_answer *a, struct invocation *inv, const struct model *m,
		  const struct device *d, struct replay *r, const struct filter *filter,
		  const struct purpose *purpose)
{
	const struct top_options *own = inv->own;
	const char *at = inv->common.at ? inv->common.at : load_oom_or(m, d, "peak");
	struct state state = {0};
	struct error err = {0};
	int rc = moment_parse(&a->at, at, m, d, r, &err);

	if (rc < 0)
		return complain_error("find that moment in", model_str(m, m->file), &err);
	if ((rc = moment_state(&state, &a->at, m, r, &inv->budget, &err)) == 0) {
		rc = top_run(&a->top, m, &state, (enum top_by)own->by, filter,
			     purpose ? &purpose->categories : NULL, &inv->budget, &err);
		state_release(&state);
	}
	return rc < 0 ? complain_error("analyse", model_str(m, m->file), &err) : STATUS_DONE;
}

static int top_compute(struct invocation *inv, const struct model *m, void **result)
{
	const struct top_options *own = inv->own;
	struct top_answer *a = calloc(1, sizeof *a);
	const struct device *d;
	struct replay *r = NULL;
	struct filter *filter = NULL;
	struct loaded_purpose p = {0};
	struct error err;
	int status;

	if (!a) {
		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("analyse", model_str(m, m->file), &err);
	}
	a->max_rows = own->limit_rows;
	status = load_filter(inv, m, &filter);
	if (status == STATUS_DONE)
		status = load_device(inv, m, &d, &r);
	if (status == STATUS_DONE && own->by == TOP_CATEGORY)
		status = load_purpose(inv, m, d, r, &p);
	if (status == STATUS_DONE)
		status = answer(a, inv, m, d, r, filter, p.purpose);
	loaded_purpose_release(&p);
	replay_free(r);
	filter_free(filter);
	if (status == STATUS_DONE)
		*result = a;
	else
		free(a);
	return status;
}

static void top_describe(struct emit *e, const struct model *m, const void *result)
{
	const struct top_answer *a = result;

	uint64_t rows = a->max_rows;

	if (rows == 0)
		rows = emit_is_json(e) ? UINT64_MAX : TEXT_ROWS;
	describe_top(e, m, &a->top, &a->at, rows);
}

static void top_free(void *result)
{
	struct top_answer *a = result;

	top_release(&a->top);
	free(a);
}

static int top_command(struct invocation *inv)
{
	static const struct per_file steps = {top_compute, top_describe, top_free};

	return per_file_run(inv, &steps);
}

const struct command cmd_top = {
	.name = "top",
	.operands = "FILE...",
	.summary = "Who holds the bytes at a moment",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_FILTER | COMMON_RULES |
		  COMMON_STEPS | COMMON_SYMBOLS,
	.reads = READS_BLOCKS,
	.opts = top_opts,
	.own_bytes = sizeof(struct top_options),
	.run = top_command,
};
