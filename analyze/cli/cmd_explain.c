/* SPDX-License-Identifier: MIT
 * cmd_explain.c -- vramscope explain: why did it run out of memory.
 */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/per_file.h"
#include "passes/explain.h"
#include "reports/describe.h"

static int explain_compute(struct invocation *inv, const struct model *m, void **result)
{
	struct explain_options options = {
		.one_device = inv->common.device != DEVICE_UNSET,
		.device = inv->common.device,
	};
	struct explain *x = malloc(sizeof *x);
	struct error err = {0};
	int rc = x ? explain_run(x, m, &options, &inv->budget, &err)
		   : error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");

	if (rc < 0) {
		free(x);
		return complain_error("explain", model_str(m, m->file), &err);
	}
	*result = x;
	return STATUS_DONE;
}

static void explain_describe(struct emit *e, const struct model *m, const void *result)
{
	describe_explain(e, m, result);
}

static void explain_free(void *result)
{
	explain_release(result);
	free(result);
}

static int explain_command(struct invocation *inv)
{
	static const struct per_file steps = {explain_compute, explain_describe, explain_free};

	return per_file_run(inv, &steps);
}

const struct command cmd_explain = {
	.name = "explain",
	.operands = "FILE...",
	.summary = "Why did it run out of memory, and what helps",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_ONLY_DEVICE,
	.reads = READS_BLOCKS,
	.run = explain_command,
};
