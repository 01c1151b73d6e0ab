/* SPDX-License-Identifier: MIT
 * cmd_completion.c -- vramscope completion: words for the shell, out of the option tables.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"

/* `words`: the commands, one a line. */
static void print_words(struct out *o)
{
	for (const struct command *const *c = commands; *c; c++)
		out_printf(o, "%s\n", (*c)->name);
}

static void print_options(struct out *o, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		out_printf(o, " --%s", opts->name);
		if (opts->letter)
			out_printf(o, " -%c", opts->letter);
	}
}

/* Cases of `command,option` for values that are words of a list. */
static void print_values(struct out *o, const char *command, const struct opt *opts)
{
	for (; opts && opts->name; opts++) {
		if (!opts->choices)
			continue;
		out_printf(o, "\t%s,--%s) words='", command, opts->name);
		for (unsigned i = 0; opts->choices[i]; i++)
			out_printf(o, "%s%s", i ? " " : "", opts->choices[i]);
		out_text(o, "' ;;\n");
	}
}

static const char bash_head[] =
	"# Words for bash; load with: source <(vramscope completion)\n"
	"_vramscope() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command=${COMP_WORDS[1]} words=\n"
	"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\twords='";

static const char bash_values[] = " --help --version'\n"
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

static const char bash_options[] = "\tesac\n"
				   "\tif [ -n \"$words\" ]; then\n"
				   "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
				   "\t\treturn\n"
				   "\tfi\n"
				   "\tcase $command in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tcase $command,$cur in\n"
	"\t*,-*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
	"\thelp,*) COMPREPLY=($(compgen -W \"$(vramscope completion words)\" -- \"$cur\")) ;;\n"
	"\tcompletion,*) COMPREPLY=($(compgen -W 'bash words' -- \"$cur\")) ;;\n"
	"\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	"\tesac\n"
	"}\n"
	"complete -o filenames -F _vramscope vramscope\n";

static void print_bash(struct out *o)
{
	struct opt common[COMMON_OPTS];

	out_text(o, bash_head);
	for (const struct command *const *c = commands; *c; c++)
		out_printf(o, "%s%s", c == commands ? "" : " ", (*c)->name);
	out_text(o, bash_values);
	for (const struct command *const *c = commands; *c; c++) {
		command_common_opts(common, (*c)->common);
		print_values(o, (*c)->name, (*c)->opts);
		print_values(o, (*c)->name, common);
	}
	out_text(o, bash_options);
	for (const struct command *const *c = commands; *c; c++) {
		command_common_opts(common, (*c)->common);
		out_printf(o, "\t%s) words='", (*c)->name);
		print_options(o, (*c)->opts);
		print_options(o, common);
		out_text(o, "' ;;\n");
	}
	out_text(o, bash_tail);
}

static int completion_command(struct invocation *inv)
{
	const char *what = inv->n_operands ? inv->operands[0] : "bash";
	struct output o;
	int status;

	if (strcmp(what, "bash") && strcmp(what, "words")) {
		complain("completion knows bash and words, not '%s'", what);
		return STATUS_USAGE;
	}
	status = output_open_raw(inv, &o);
	if (status != STATUS_DONE)
		return status;
	if (!strcmp(what, "bash"))
		print_bash(o.out);
	else
		print_words(o.out);
	return output_close(&o, STATUS_DONE);
}

const struct command cmd_completion = {
	.name = "completion",
	.operands = "[bash | words]",
	.summary = "Words for the shell: source <(vramscope completion)",
	.max_operands = 1,
	.common = COMMON_OUTPUT | COMMON_NO_INPUT,
	.run = completion_command,
};
