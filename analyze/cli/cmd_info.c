/* SPDX-License-Identifier: MIT
 * cmd_info.c -- vramscope info: what is in this file, is it whole, what are the totals.
 */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/load_purpose.h"
#include "cli/per_file.h"
#include "passes/info.h"
#include "reports/describe.h"

static int info_compute(struct invocation *inv, const struct model *m, void **result)
{
	struct info *i = malloc(sizeof *i);
	const struct phases_options steps = {.step_marker = inv->common.step_marker};
	struct error err = {0};
	struct study s;
	int rc = ERR_NOMEM;

	study_init(&s, m, NULL, &steps, &inv->budget);
	if (i)
		rc = info_run(i, &s, &err);
	study_release(&s);
	if (rc < 0) {
		if (!i)
			error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		free(i);
		return complain_analysis(model_str(m, m->file), &err);
	}
	*result = i;
	return STATUS_DONE;
}

static void info_describe(struct emit *e, const struct model *m, const void *result)
{
	describe_info(e, m, result);
}

static void info_free(void *result)
{
	info_release(result);
	free(result);
}

static int info_command(struct invocation *inv)
{
	static const struct per_file steps = {info_compute, info_describe, info_free};

	return per_file_run(inv, &steps);
}

const struct command cmd_info = {
	.name = "info",
	.operands = "FILE...",
	.summary = "What is in a snapshot, is it whole, what are the totals",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_TRACE | COMMON_STEPS,
	.reads = READS_ALL,
	.run = info_command,
};
