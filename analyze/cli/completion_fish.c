/* SPDX-License-Identifier: MIT
 * completion_fish.c -- words for fish.
 */
#include "cli/completion.h"

#include "cli/commands.h"

static const char head[] =
	"# Words for fish; load with: vramscope completion fish | source\n"
	"complete -c vramscope -n __fish_use_subcommand -f\n"
	"complete -c vramscope -n __fish_use_subcommand -l help -d 'Show the commands'\n"
	"complete -c vramscope -n __fish_use_subcommand -l version -d 'Show the version'\n";

/* Words inside single quotes. */
static void tell_words(struct out *o, const char *words)
{
	for (; *words; words++)
		out_printf(o, "%s%c", *words == '\'' || *words == '\\' ? "\\" : "", *words);
}

static void tell_condition(struct out *o, const struct command *c)
{
	out_printf(o, "complete -c vramscope -n '__fish_seen_subcommand_from %s'", c->name);
}

static void tell_option(struct out *o, const struct command *c, const struct opt *opt)
{
	tell_condition(o, c);
	out_printf(o, " -l %s", opt->name);
	if (opt->letter)
		out_printf(o, " -s %c", opt->letter);
	if (opt->choices) {
		out_text(o, " -xa '");
		completion_choices(o, opt);
		out_text(o, "'");
	} else if (opt->argument) {
		out_text(o, completion_takes_file(opt) ? " -rF" : " -x");
	}
	out_text(o, " -d '");
	tell_words(o, opt->help);
	out_text(o, "'\n");
}

static void tell_operands(struct out *o, const struct command *c)
{
	switch (completion_operands(c)) {
	case COMPLETE_FILES:
		return;
	case COMPLETE_COMMANDS:
		tell_condition(o, c);
		out_text(o, " -fa '");
		for (const struct command *const *other = commands; *other; other++)
			out_printf(o, "%s%s", other == commands ? "" : " ", (*other)->name);
		out_text(o, "'\n");
		break;
	case COMPLETE_SHELLS:
		tell_condition(o, c);
		out_text(o, " -fa '");
		for (const char *const *shell = completion_shells; *shell; shell++)
			out_printf(o, "%s ", *shell);
		out_text(o, "words'\n");
		break;
	case COMPLETE_PROGRAM:
		tell_condition(o, c);
		out_text(o, " -xa '(__fish_complete_subcommand)'\n");
		break;
	}
}

void completion_fish(struct out *o)
{
	out_text(o, head);
	for (const struct command *const *c = commands; *c; c++) {
		out_printf(o, "complete -c vramscope -n __fish_use_subcommand -a %s -d '",
			   (*c)->name);
		tell_words(o, (*c)->summary);
		out_text(o, "'\n");
	}
	for (const struct command *const *c = commands; *c; c++) {
		completion_each_option(o, *c, tell_option);
		tell_operands(o, *c);
	}
}
