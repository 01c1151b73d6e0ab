/* SPDX-License-Identifier: MIT
 * completion.h -- what a shell needs to complete a command line, out of the option tables.
 *
 * Each writer prints a whole script for its shell: the commands with their summaries, their options with
 * the words of --help (bash shows none), the values that are words of a list, and files elsewhere.
 */
#ifndef ANALYZE_CLI_COMPLETION_H
#define ANALYZE_CLI_COMPLETION_H

#include "cli/command.h"

void completion_bash(struct out *o);
void completion_zsh(struct out *o);
void completion_fish(struct out *o);

/* The shells that have a writer, in the order of the usage line, ended by NULL. */
extern const char *const completion_shells[];

/* What stands where a command has operands. */
enum completion_operands {
	COMPLETE_FILES,
	COMPLETE_COMMANDS, /* names of commands */
	COMPLETE_SHELLS,   /* completion_shells */
	COMPLETE_PROGRAM,  /* a program and its arguments, after "--" */
};
enum completion_operands completion_operands(const struct command *c);

/* Whether an option's value is a file or a folder. */
bool completion_takes_file(const struct opt *opt);

/* The options of a command, its own and then the shared ones, one call each. */
void completion_each_option(struct out *o, const struct command *c,
			    void (*tell)(struct out *o, const struct command *c,
					 const struct opt *opt));

/* The words that a value can be, parted by spaces; those that stand for "not given" are left out. */
void completion_choices(struct out *o, const struct opt *opt);

#endif
