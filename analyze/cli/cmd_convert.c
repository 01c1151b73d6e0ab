/* SPDX-License-Identifier: MIT
 * cmd_convert.c -- vramscope convert: the same snapshot as pickle or JSON, compressed or not.
 */
#include <stdlib.h>

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
	struct snapshot_part *parts = snapshot_file_whole(m);
	struct snapshot_out s = {
		.model = m, .parts = parts, .from_us = TIME_NONE, .to_us = TIME_NONE};
	if (parts) {
		status = snapshot_file_write(inv, inv->common.output, &s);
	} else {
		complain("out of memory");
		status = STATUS_SYSTEM;
	}
	if (status == STATUS_DONE)
		status = load_status(m, STATUS_DONE);
	free(parts);
	model_free(m);
	return status;
}

const struct command cmd_convert = {
	.name = "convert",
	.operands = "FILE",
	.summary = "The same snapshot as pickle or JSON, compressed or not",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT,
	.run = convert_command,
};
