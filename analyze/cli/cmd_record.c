/* SPDX-License-Identifier: MIT
 * cmd_record.c -- vramscope record: runs a program and records its GPU memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/record_torch.h"
#include "cli/run_child.h"

struct record_options {
	bool torch;
	const char *folder, *signal;
	uint64_t max_entries, every, keep;
	unsigned stacks;
};

static const char *const stacks_words[] = {"python", "all", NULL};

static const struct opt record_opts[] = {
	{"torch", 0, OPT_FLAG, offsetof(struct record_options, torch), NULL,
	 "have PyTorch record its own allocator, in every Python that the program starts", NULL},
	{"folder", 0, OPT_STRING, offsetof(struct record_options, folder), "FOLDER",
	 "write snapshots to FOLDER (the current one)", NULL},
	{"max-entries", 0, OPT_U64, offsetof(struct record_options, max_entries), "N",
	 "keep the newest N events (100000)", NULL},
	{"stacks", 0, OPT_CHOICE, offsetof(struct record_options, stacks), "KIND",
	 "record Python frames (the default), or those of C++ as well", stacks_words},
	{"signal", 0, OPT_STRING, offsetof(struct record_options, signal), "SIGNAL",
	 "write a snapshot on this signal, as in USR2", NULL},
	{"every", 0, OPT_U64, offsetof(struct record_options, every), "N",
	 "write a snapshot every N uses of vramscope.step()", NULL},
	{"keep", 0, OPT_U64, offsetof(struct record_options, keep), "N",
	 "keep the newest N snapshots of each kind (5)", NULL},
	{0},
};

static int set_number(const char *name, uint64_t value)
{
	char text[32];

	if (!value)
		return 0;
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	return setenv(name, text, 1);
}

/* Options become variables of the environment; what is not given keeps what is set there. */
static int set_environment(const struct record_options *o)
{
	if (set_number("VRAMSCOPE_TORCH_MAX_ENTRIES", o->max_entries) < 0 ||
	    set_number("VRAMSCOPE_TORCH_EVERY", o->every) < 0 ||
	    set_number("VRAMSCOPE_TORCH_KEEP", o->keep) < 0 ||
	    (o->folder && setenv("VRAMSCOPE_TORCH_DIR", o->folder, 1) < 0) ||
	    (o->signal && setenv("VRAMSCOPE_TORCH_SIGNAL", o->signal, 1) < 0) ||
	    (o->stacks && setenv("VRAMSCOPE_TORCH_STACKS", stacks_words[o->stacks], 1) < 0)) {
		complain("cannot set up the environment: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	return STATUS_DONE;
}

static int record_command(struct invocation *inv)
{
	const struct record_options *o = inv->own;
	char folder[RECORD_FOLDER_BUF];
	/* The operands are a part of argv, which need not end behind them. */
	char **argv = calloc(inv->n_operands + 1, sizeof *argv);
	int status;

	if (!argv) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	memcpy(argv, inv->operands, inv->n_operands * sizeof *argv);
	if (!o->torch) {
		complain("record needs --torch (try 'vramscope record --help')");
		status = STATUS_USAGE;
		goto out;
	}
	status = set_environment(o);
	if (status == STATUS_DONE)
		status = record_torch_begin(folder);
	if (status == STATUS_DONE) {
		status = run_child(argv);
		record_torch_end(folder);
	}
out:
	free(argv);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.operands = "-- PROGRAM [ARGUMENT]...",
	.summary = "Run a program and record its GPU memory",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_NO_INPUT,
	.opts = record_opts,
	.own_bytes = sizeof(struct record_options),
	.run = record_command,
};
