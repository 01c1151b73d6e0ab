/* SPDX-License-Identifier: MIT
 * cmd_record.c -- vramscope record: runs a program and records its GPU memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/record_library.h"
#include "cli/record_torch.h"
#include "cli/run_child.h"

struct record_options {
	bool torch, driver;
	const char *folder, *signal;
	uint64_t max_entries, every, keep;
	unsigned stacks;
};

enum { STACKS_UNSET, STACKS_PYTHON, STACKS_ALL, STACKS_NATIVE, STACKS_NONE };

static const char *const stacks_words[] = {"default", "python", "all", "native", "none", NULL};

static const struct opt record_opts[] = {
	{"torch", 0, OPT_FLAG, offsetof(struct record_options, torch), NULL,
	 "have PyTorch record its own allocator, instead of all calls of the driver", NULL},
	{"driver", 0, OPT_FLAG, offsetof(struct record_options, driver), NULL,
	 "record the calls of the driver also with --torch", NULL},
	{"folder", 0, OPT_STRING, offsetof(struct record_options, folder), "FOLDER",
	 "write snapshots to FOLDER (the current one)", NULL},
	{"max-entries", 0, OPT_U64, offsetof(struct record_options, max_entries), "N",
	 "keep the newest N events (65536 of the driver, 100000 of PyTorch)", NULL},
	{"stacks", 0, OPT_CHOICE, offsetof(struct record_options, stacks), "KIND",
	 "python, native (of C and C++), all (the default for calls of the driver) or none; "
	 "PyTorch "
	 "takes python (its default) and all",
	 stacks_words},
	{"signal", 0, OPT_STRING, offsetof(struct record_options, signal), "SIGNAL",
	 "write a snapshot on this signal, as in USR2", NULL},
	{"every", 0, OPT_U64, offsetof(struct record_options, every), "N",
	 "with --torch, write a snapshot every N uses of vramscope.step()", NULL},
	{"keep", 0, OPT_U64, offsetof(struct record_options, keep), "N",
	 "with --torch, keep the newest N snapshots of each kind (5)", NULL},
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

static int set_text(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

/* Options become variables of the environment; what is not given keeps what is set there. */
static int set_torch(const struct record_options *o)
{
	bool stacks = o->stacks == STACKS_PYTHON || o->stacks == STACKS_ALL;

	if (set_number("VRAMSCOPE_TORCH_MAX_ENTRIES", o->max_entries) < 0 ||
	    set_number("VRAMSCOPE_TORCH_EVERY", o->every) < 0 ||
	    set_number("VRAMSCOPE_TORCH_KEEP", o->keep) < 0 ||
	    set_text("VRAMSCOPE_TORCH_DIR", o->folder) < 0 ||
	    set_text("VRAMSCOPE_TORCH_SIGNAL", o->signal) < 0 ||
	    set_text("VRAMSCOPE_TORCH_STACKS", stacks ? stacks_words[o->stacks] : NULL) < 0) {
		complain("cannot set up the environment: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	return STATUS_DONE;
}

static int set_driver(const struct record_options *o, const char *output)
{
	char library[RECORD_LIBRARY_BUF], usual[RECORD_LIBRARY_BUF];

	if (getenv("CUDA_INJECTION64_PATH")) {
		complain("CUDA_INJECTION64_PATH names another tool, and the driver takes one only");
		return STATUS_USAGE;
	}
	if (!record_library_find(library)) {
		complain("libvramscope-capture.so is not installed beside this program; "
			 "VRAMSCOPE_CAPTURE_LIBRARY can name it");
		return STATUS_SYSTEM;
	}
	if (!output && o->folder) {
		snprintf(usual, sizeof usual, "%s/%s", o->folder, "%h_%t_rank%r_%p.pickle");
		output = usual;
	}
	if (set_text("CUDA_INJECTION64_PATH", library) < 0 ||
	    set_text("VRAMSCOPE_CAPTURE_OUTPUT", output) < 0 ||
	    set_number("VRAMSCOPE_CAPTURE_MAX_ENTRIES", o->max_entries) < 0 ||
	    set_text("VRAMSCOPE_CAPTURE_SIGNAL", o->signal) < 0 ||
	    set_text("VRAMSCOPE_CAPTURE_STACKS", o->stacks ? stacks_words[o->stacks] : NULL) < 0) {
		complain("cannot set up the environment: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	return STATUS_DONE;
}

/* The folder is made here: a process that cannot write there would only not be recorded. */
static int make_folder(const char *folder)
{
	if (!folder || mkdir(folder, 0777) == 0 || errno == EEXIST)
		return STATUS_DONE;
	complain("cannot make the folder '%s': %s", folder, strerror(errno));
	return STATUS_SYSTEM;
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
	status = make_folder(o->folder);
	if (status == STATUS_DONE && (o->driver || !o->torch))
		status = set_driver(o, inv->common.output);
	if (status == STATUS_DONE && o->torch)
		status = set_torch(o);
	if (status == STATUS_DONE && o->torch)
		status = record_torch_begin(folder);
	if (status == STATUS_DONE) {
		status = run_child(argv);
		if (o->torch)
			record_torch_end(folder);
	}
	free(argv);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.operands = "-- PROGRAM [ARGUMENT]...",
	.summary = "Run a program and record its GPU memory",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_NO_INPUT | COMMON_OUTPUT,
	.opts = record_opts,
	.own_bytes = sizeof(struct record_options),
	.run = record_command,
};
