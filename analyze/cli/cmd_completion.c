/* SPDX-License-Identifier: MIT
 * cmd_completion.c -- vramscope completion: words for the shell, out of the option tables.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};
static void (*const writers[])(struct out *o) = {completion_bash, completion_zsh, completion_fish};

enum completion_operands completion_operands(const struct command *c)
{
	if (c == &cmd_help)
		return COMPLETE_COMMANDS;
	if (c == &cmd_completion)
		return COMPLETE_SHELLS;
	if (c == &cmd_record)
		return COMPLETE_PROGRAM;
	return COMPLETE_FILES;
}

bool completion_takes_file(const struct opt *opt)
{
	static const char *const words[] = {"FILE", "DIR", "FOLDER", "PATH"};

	for (size_t i = 0; opt->argument && i < sizeof words / sizeof *words; i++) {
		if (!strncmp(opt->argument, words[i], strlen(words[i])))
			return true;
	}
	return false;
}

void completion_each_option(struct out *o, const struct command *c,
			    void (*tell)(struct out *o, const struct command *c,
					 const struct opt *opt))
{
	struct opt common[COMMON_OPTS];

	for (const struct opt *opt = c->opts; opt && opt->name; opt++)
		tell(o, c, opt);
	command_common_opts(common, c->common);
	for (const struct opt *opt = common; opt->name; opt++)
		tell(o, c, opt);
}

void completion_choices(struct out *o, const struct opt *opt)
{
	const char *space = "";

	for (const char *const *word = opt->choices; *word; word++) {
		if (!strcmp(*word, "-"))
			continue;
		out_printf(o, "%s%s", space, *word);
		space = " ";
	}
}

/* `words`: the commands, one a line. */
static void print_words(struct out *o)
{
	for (const struct command *const *c = commands; *c; c++)
		out_printf(o, "%s\n", (*c)->name);
}

static int completion_command(struct invocation *inv)
{
	const char *what = inv->n_operands ? inv->operands[0] : completion_shells[0];
	void (*print)(struct out * o) = !strcmp(what, "words") ? print_words : NULL;
	struct output o;
	int status;

	for (size_t i = 0; completion_shells[i]; i++) {
		if (!strcmp(what, completion_shells[i]))
			print = writers[i];
	}
	if (!print) {
		complain("completion knows bash, zsh, fish and words, not '%s'", what);
		return STATUS_USAGE;
	}
	status = output_open_raw(inv, &o);
	if (status != STATUS_DONE)
		return status;
	print(o.out);
	return output_close(&o, STATUS_DONE);
}

const struct command cmd_completion = {
	.name = "completion",
	.operands = "[bash | zsh | fish | words]",
	.summary = "Words for the shell: source <(vramscope completion)",
	.max_operands = 1,
	.common = COMMON_OUTPUT | COMMON_NO_INPUT,
	.run = completion_command,
};
