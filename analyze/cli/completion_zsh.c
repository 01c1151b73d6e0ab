/* SPDX-License-Identifier: MIT
 * completion_zsh.c -- words for zsh.
 */
#include "cli/completion.h"

#include <string.h>

#include "cli/commands.h"

static const char head[] = "#compdef vramscope\n"
			   "# Words for zsh; load with: source <(vramscope completion zsh), after "
			   "compinit, or keep them\n"
			   "# as _vramscope in a folder of $fpath.\n"
			   "_vramscope() {\n"
			   "\tlocal curcontext=$curcontext state line command\n"
			   "\tlocal -a commands\n"
			   "\tcommands=(\n";

static const char first_word[] = "\t)\n"
				 "\tif (( CURRENT == 2 )); then\n"
				 "\t\t_describe -t commands command commands\n"
				 "\t\t_arguments --help --version\n"
				 "\t\treturn\n"
				 "\tfi\n"
				 "\tcommand=$words[2]\n"
				 "\tshift words\n"
				 "\t(( CURRENT-- ))\n"
				 "\tcase $command in\n";

/* Loaded as a function of $fpath it is called; sourced it is registered. */
static const char tail[] = "\tesac\n"
			   "}\n"
			   "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
			   "\t_vramscope \"$@\"\n"
			   "else\n"
			   "\tcompdef _vramscope vramscope\n"
			   "fi\n";

/* Words inside single quotes, where `special` characters mean something to zsh's functions. */
static void tell_words(struct out *o, const char *words, const char *special)
{
	for (; *words; words++) {
		if (*words == '\'')
			out_text(o, "'\\''");
		else if (*words == '\\' || strchr(special, *words))
			out_printf(o, "\\%c", *words);
		else
			out_printf(o, "%c", *words);
	}
}

static void tell_option(struct out *o, const struct command *c, const struct opt *opt)
{
	const char *value = opt->argument ? "=" : "";

	(void)c;
	out_text(o, " \\\n\t\t\t");
	if (opt->kind == OPT_STRINGS)
		out_printf(o, "'*--%s%s", opt->name, value);
	else if (opt->letter)
		out_printf(o, "'(-%c --%s)'{-%c%s,--%s%s}'", opt->letter, opt->name, opt->letter,
			   opt->argument ? "+" : "", opt->name, value);
	else
		out_printf(o, "'--%s%s", opt->name, value);
	out_text(o, "[");
	tell_words(o, opt->help, "[]:");
	out_text(o, "]");
	if (opt->argument) {
		out_text(o, ":");
		tell_words(o, opt->argument, ":");
		out_text(o, ":");
		if (opt->choices) {
			out_text(o, "(");
			completion_choices(o, opt);
			out_text(o, ")");
		} else if (completion_takes_file(opt)) {
			out_text(o, "_files");
		}
	}
	out_text(o, "'");
}

static void tell_operands(struct out *o, const struct command *c)
{
	switch (completion_operands(c)) {
	case COMPLETE_FILES:
		out_text(o, "'*:file:_files'");
		break;
	case COMPLETE_COMMANDS:
		out_text(o, "\"1:command:(${(j: :)${(@)commands%%:*}})\"");
		break;
	case COMPLETE_SHELLS:
		out_text(o, "'1:shell:(");
		for (const char *const *shell = completion_shells; *shell; shell++)
			out_printf(o, "%s ", *shell);
		out_text(o, "words)'");
		break;
	case COMPLETE_PROGRAM:
		out_text(o, "'*::program:_normal'");
		break;
	}
}

void completion_zsh(struct out *o)
{
	out_text(o, head);
	for (const struct command *const *c = commands; *c; c++) {
		out_printf(o, "\t\t'%s:", (*c)->name);
		tell_words(o, (*c)->summary, "");
		out_text(o, "'\n");
	}
	out_text(o, first_word);
	for (const struct command *const *c = commands; *c; c++) {
		out_printf(o, "\t%s)\n\t\t_arguments -s -S", (*c)->name);
		completion_each_option(o, *c, tell_option);
		out_text(o, " \\\n\t\t\t");
		tell_operands(o, *c);
		out_text(o, " ;;\n");
	}
	out_text(o, tail);
}
