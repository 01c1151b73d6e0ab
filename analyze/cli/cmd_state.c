/* SPDX-License-Identifier: MIT
 * cmd_state.c -- vramscope state: segments and blocks of one device at one moment.
 */
#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/output.h"
#include "reports/describe.h"

struct state_options {
	bool blocks;
};

static const struct opt state_opts[] = {
	{"blocks", 'b', OPT_FLAG, offsetof(struct state_options, blocks), NULL,
	 "list the blocks of each segment too (JSON always does)", NULL},
	{0},
};

static int state_write(struct invocation *inv, const struct loaded *l, const struct state *s)
{
	const struct str *file = strtab_get(&l->model->strings, l->model->file);
	const struct state_options *own = inv->own;
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.state/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_state(o.emit, l->model, s, &l->at, own->blocks);
	emit_object_end(o.emit);
	return output_close(&o, load_status(l->model, STATUS_DONE));
}

static int state_command(struct invocation *inv)
{
	const char *file = inv->operands[0];
	struct loaded l;
	struct state s;
	struct error err;
	int status = output_check(inv);

	if (status != STATUS_DONE)
		return status;
	status = load_moment(inv, file, "end", &l);
	if (status != STATUS_DONE)
		return status;
	if (moment_state(&s, &l.at, l.model, l.replay, &inv->budget, &err) < 0) {
		status = complain_error("analyse", file, &err);
	} else {
		status = state_write(inv, &l, &s);
		state_release(&s);
	}
	loaded_release(&l);
	return status;
}

const struct command cmd_state = {
	.name = "state",
	.operands = "FILE",
	.summary = "Segments and blocks of a device at a moment",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_SYMBOLS,
	.opts = state_opts,
	.own_bytes = sizeof(struct state_options),
	.run = state_command,
};
