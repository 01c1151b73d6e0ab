/* SPDX-License-Identifier: MIT
 * cmd_convert.c -- vramscope convert: the same snapshot as pickle or JSON, compressed or not.
 */
#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/snapshot_file.h"

static int convert_command(struct invocation *inv)
{
	struct model *m;
	int status = snapshot_file_check(inv, inv->common.output);

	if (status != STATUS_DONE)
		return status;
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	status = snapshot_file_write_whole(inv, inv->common.output,
					   (struct snapshot_out){.model = m});
	if (status == STATUS_DONE)
		status = load_status(m, STATUS_DONE);
	model_free(m);
	return status;
}

const struct command cmd_convert = {
	.name = "convert",
	.operands = "FILE",
	.summary = "The same snapshot as pickle or JSON, compressed or not",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT | COMMON_NO_SYMBOLS,
	.run = convert_command,
};
