/* SPDX-License-Identifier: MIT
 * main.c -- vramscope: finds the command, parses its options, runs it.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "cli/command.h"
#include "decode/xml_read.h"
#include "reports/emit.h"
#include "reports/out.h"

static int try_help(const struct command *c, const struct error *err)
{
	complain("%s (try 'vramscope %s --help')", err->text, c->name);
	return STATUS_USAGE;
}

static int check_operands(const struct command *c, size_t n)
{
	if (n < c->min_operands) {
		complain("%s needs %s (try 'vramscope %s --help')", c->name, c->operands, c->name);
		return STATUS_USAGE;
	}
	if (n > c->max_operands) {
		complain("%s takes only %s (try 'vramscope %s --help')", c->name,
			 c->max_operands ? c->operands : "no operands", c->name);
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

/* Write what `print` says to standard output. */
static int print_help(void (*print)(struct out *o, const struct command *c),
		      const struct command *c)
{
	struct error err;
	struct out *o;

	if (out_open_fd(&o, STDOUT_FILENO, &err) == 0) {
		print(o, c);
		if (out_close(o, &err) == 0)
			return STATUS_DONE;
	}
	complain("cannot write to standard output: %s", err.text);
	return STATUS_SYSTEM;
}

static int run_command(const struct command *c, char **argv, int argc)
{
	struct invocation inv = {.command = c, .common.device = DEVICE_UNSET};
	struct opt common[COMMON_OPTS];
	struct error err;
	int n_operands, status;
	void *own = calloc(1, c->own_bytes ? c->own_bytes : 1);
	struct opt_target targets[] = {{c->opts, own}, {common, &inv.common}};

	if (!own) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	command_common_opts(common, c->common);
	if (opt_parse(targets, 2, argv, argc, &n_operands, &err) < 0) {
		status = try_help(c, &err);
		goto out;
	}
	if (inv.common.help) {
		status = print_help(command_print_help, c);
		goto out;
	}
	status = check_operands(c, (size_t)n_operands);
	if (status != STATUS_DONE)
		goto out;
	inv.own = own;
	inv.operands = argv;
	inv.n_operands = (size_t)n_operands;
	inv.budget.limit = inv.common.limit_bytes ? inv.common.limit_bytes : budget_default_limit();
	status = c->run(&inv);
out:
	free(own);
	xml_forget();
	return status;
}

/* The list of commands: what `vramscope` and `vramscope --help` print. */
static void print_commands(struct out *o, const struct command *unused)
{
	(void)unused;
	out_text(o, "usage: vramscope COMMAND [options] FILE...\n\n"
		    "Says why a program ran out of GPU memory, from the snapshot it left.\n\n");
	for (const struct command *const *c = commands; *c; c++)
		out_printf(o, "  %-12s%s\n", (*c)->name, (*c)->summary);
	out_text(o, "\nMore: vramscope COMMAND --help, vramscope help COMMAND\n");
}

static void print_version(struct out *o, const struct command *unused)
{
	(void)unused;
	out_text(o, PACKAGE_STRING "\n");
}

int main(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		complain("which command? (try 'vramscope --help')");
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(print_commands, NULL);
	if (!strcmp(argv[1], "--version"))
		return print_help(print_version, NULL);
	c = command_find(argv[1]);
	if (!c) {
		complain("no command '%s' (try 'vramscope --help')", argv[1]);
		return STATUS_USAGE;
	}
	return run_command(c, argv + 2, argc - 2);
}
