/* SPDX-License-Identifier: MIT
 * completion_bash.c -- words for bash.
 */
#include "cli/completion.h"

#include "cli/commands.h"

static const char head[] =
	"# Words for bash; load with: source <(vramscope completion)\n"
	"_vramscope() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command=${COMP_WORDS[1]} words=\n"
	"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\twords='";

static const char values[] = " --help --version'\n"
			     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\t# --name=value arrives in three words.\n"
			     "\tif [ \"$cur\" = = ]; then\n"
			     "\t\tcur=\n"
			     "\telif [ \"$prev\" = = ]; then\n"
			     "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
			     "\tfi\n"
			     "\tcase $command,$prev in\n";

static const char options[] = "\tesac\n"
			      "\tif [ -n \"$words\" ]; then\n"
			      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			      "\t\treturn\n"
			      "\tfi\n"
			      "\tcase $command in\n";

static const char operands[] = "\tesac\n"
			       "\tcase $command,$cur in\n"
			       "\t*,-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n";

static const char tail[] = "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
			   "\tesac\n"
			   "}\n"
			   "complete -o filenames -F _vramscope vramscope\n";

static void tell_values(struct out *o, const struct command *c, const struct opt *opt)
{
	if (!opt->choices)
		return;
	out_printf(o, "\t%s,--%s) words='", c->name, opt->name);
	completion_choices(o, opt);
	out_text(o, "' ;;\n");
}

static void tell_option(struct out *o, const struct command *c, const struct opt *opt)
{
	(void)c;
	out_printf(o, " --%s", opt->name);
	if (opt->letter)
		out_printf(o, " -%c", opt->letter);
}

static void tell_operands(struct out *o, const struct command *c)
{
	switch (completion_operands(c)) {
	case COMPLETE_FILES:
		return;
	case COMPLETE_COMMANDS:
		out_printf(o, "\t%s,*) COMPREPLY=($(compgen -W \"$(vramscope completion words)\"",
			   c->name);
		break;
	case COMPLETE_SHELLS:
		out_printf(o, "\t%s,*) COMPREPLY=($(compgen -W '", c->name);
		for (const char *const *shell = completion_shells; *shell; shell++)
			out_printf(o, "%s ", *shell);
		out_text(o, "words'");
		break;
	case COMPLETE_PROGRAM:
		out_printf(o, "\t%s,*) COMPREPLY=($(compgen -cf", c->name);
		break;
	}
	out_text(o, " -- \"$cur\")) ;;\n");
}

void completion_bash(struct out *o)
{
	out_text(o, head);
	for (const struct command *const *c = commands; *c; c++)
		out_printf(o, "%s%s", c == commands ? "" : " ", (*c)->name);
	out_text(o, values);
	for (const struct command *const *c = commands; *c; c++)
		completion_each_option(o, *c, tell_values);
	out_text(o, options);
	for (const struct command *const *c = commands; *c; c++) {
		out_printf(o, "\t%s) words='", (*c)->name);
		completion_each_option(o, *c, tell_option);
		out_text(o, "' ;;\n");
	}
	out_text(o, operands);
	for (const struct command *const *c = commands; *c; c++)
		tell_operands(o, *c);
	out_text(o, tail);
}
