/* SPDX-License-Identifier: MIT
 * cmd_validate.c -- vramscope validate: is the file consistent with itself.
 */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/per_file.h"
#include "passes/validate.h"
#include "reports/describe.h"

static int validate_compute(struct invocation *inv, const struct model *m, void **result)
{
	const struct device *only = NULL;
	struct validation *v;
	struct error err = {0};
	int status = load_named_device(inv, m, &only);

	if (status != STATUS_DONE)
		return status;
	v = malloc(sizeof *v);
	if (!v || validate_run(v, m, only, &inv->budget, &err) < 0) {
		if (!v)
			error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		free(v);
		return complain_error("analyse", model_str(m, m->file), &err);
	}
	*result = v;
	return v->consistent ? STATUS_DONE : STATUS_FOUND;
}

static void validate_describe(struct emit *e, const struct model *m, const void *result)
{
	describe_validate(e, m, result);
}

static void validate_free(void *result)
{
	validate_release(result);
	free(result);
}

static int validate_command(struct invocation *inv)
{
	static const struct per_file steps = {validate_compute, validate_describe, validate_free};

	return per_file_run(inv, &steps);
}

const struct command cmd_validate = {
	.name = "validate",
	.operands = "FILE...",
	.summary = "Is a snapshot consistent with itself",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_ONLY_DEVICE,
	.run = validate_command,
};
