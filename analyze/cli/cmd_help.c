/* SPDX-License-Identifier: MIT
 * cmd_help.c -- vramscope help: a command's manual page, also where no manual is installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/man_render.h"
#include "cli/output.h"

static const struct man_page *page_find(const char *name)
{
	for (const struct man_page *p = man_pages; p->name; p++) {
		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static int help_command(struct invocation *inv)
{
	const char *topic = inv->n_operands ? inv->operands[0] : NULL;
	const char *no_colour = getenv("NO_COLOR");
	const struct man_page *page;
	struct output o;
	char name[80];
	int status;

	snprintf(name, sizeof name, "vramscope%s%.60s", topic ? "-" : "", topic ? topic : "");
	page = page_find(name);
	if (!page) {
		complain("no command '%s' (try 'vramscope --help')", topic);
		return STATUS_USAGE;
	}
	status = output_open_raw(inv, &o);
	if (status != STATUS_DONE)
		return status;
	man_render(o.out, page->text,
		   !o.file && isatty(STDOUT_FILENO) && !(no_colour && *no_colour));
	return output_close(&o, STATUS_DONE);
}

const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "The manual, or the manual page of a command",
	.max_operands = 1,
	.common = COMMON_NO_INPUT,
	.run = help_command,
};
