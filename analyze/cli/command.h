/* SPDX-License-Identifier: MIT
 * command.h -- what a command is: its row in the table, and what it is called with.
 *
 * main.c finds the row, parses the options of the row's tables into an invocation, and calls run,
 * which returns an enum exit_status. A command reads its input through load_input.h (or, when it takes
 * several files alike, through per_file.h) and writes through output.h; both report their own
 * failures on stderr.
 */
#ifndef ANALYZE_CLI_COMMAND_H
#define ANALYZE_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "cli/exit.h"
#include "cli/opt.h"

/* The options that commands share; a row names those it takes. --help every one has, --limit those that load
 * files. */
enum common_bits {
	COMMON_JSON = 1 << 0,         /* --json */
	COMMON_OUTPUT = 1 << 1,       /* -o FILE */
	COMMON_UNITS = 1 << 2,        /* --units */
	COMMON_DEVICE = 1 << 3,       /* --device */
	COMMON_AT = 1 << 4,           /* --at */
	COMMON_FILTER = 1 << 5,       /* --filter, --exclude */
	COMMON_NO_INPUT = 1 << 6,     /* no --limit: the command loads nothing */
	COMMON_ONLY_DEVICE = 1 << 7,  /* --device, where all devices are told without it */
	COMMON_TRACE = 1 << 8,        /* --totals-only, --strict */
	COMMON_RULES = 1 << 9,        /* --rules */
	COMMON_STEPS = 1 << 10,       /* --step-marker */
	COMMON_ALL_DEVICES = 1 << 11, /* --device, with "all" */
	COMMON_SYMBOLS = 1 << 12,     /* --symbols, "auto" without it */
	COMMON_NO_SYMBOLS = 1 << 13,  /* --symbols, "off" without it */
	COMMON_REPORT = COMMON_JSON | COMMON_OUTPUT | COMMON_UNITS,
};

#define DEVICE_UNSET INT32_MIN

/* What a command can use besides snapshots; others are refused in one line. */
enum reads_bits {
	READS_BLOCKS = 1 << 0, /* traces whose events have addresses: who holds what */
	READS_SUMS = 1 << 1,   /* traces without addresses, memory timelines: sums over time */
	READS_TOTALS = 1 << 2, /* traces of which totals are left */
	READS_ALL = READS_BLOCKS | READS_SUMS | READS_TOTALS,
};

struct common_options {
	bool help;
	bool json;
	const char *output;   /* NULL or "-": standard output */
	unsigned units;       /* enum units (reports/emit.h) */
	int32_t device;       /* DEVICE_UNSET: the one with the highest peak */
	const char *at;       /* NULL: the command's default */
	uint64_t limit_bytes; /* 0: the default */
	struct opt_strings filter, exclude;
	const char *rules;       /* NULL: the built-in ones alone */
	const char *step_marker; /* NULL: none */
	struct opt_strings symbols;
	bool totals_only, strict; /* of chrome traces and memory timelines */
};

struct invocation {
	const struct command *command;
	struct common_options common;
	const void *own;       /* the struct of the row's own options, zeroed before parsing */
	char *const *operands; /* the files, mostly */
	size_t n_operands;
	struct budget budget; /* of --limit; everything that is loaded and computed takes from it */
};

struct command {
	const char *name;
	const char *operands; /* for the usage line: "FILE..." */
	const char *summary;  /* what it tells, one line with a capital, no full stop */
	unsigned min_operands, max_operands;
	unsigned common;        /* enum common_bits */
	unsigned reads;         /* enum reads_bits */
	const struct opt *opts; /* its own, or NULL */
	size_t own_bytes;       /* size of the struct behind opts */
	int (*run)(struct invocation *inv);
};

#define OPERANDS_ANY UINT32_MAX

/* The one table, in the order of `vramscope help`, ended by NULL. */
extern const struct command *const commands[];
/* The row of this name, or NULL. */
const struct command *command_find(const char *name);
/* The shared options, and those of them that a row takes (`bits`), into a table of at least
 * COMMON_OPTS rows. */
#define COMMON_OPTS 16
void command_common_opts(struct opt out[COMMON_OPTS], unsigned bits);
/* Usage line, summary and options of a command, as --help prints them. */
void command_print_help(struct out *o, const struct command *c);

/* One line on stderr: "vramscope: " and the words, control characters escaped. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The words of the last complaint: what a document says in place of a result. */
const char *complain_last(void);
/* How messages name a file: "'crash.pickle'", or "standard input" for "-"; cut to fit. */
#define FILE_WORDS_BUF 512
const char *file_words(char buf[FILE_WORDS_BUF], const char *file);
/* The line for a failure with a file: "vramscope: cannot VERB 'FILE': WORDS at byte N". Returns
 * the exit status that belongs to the error. */
int complain_error(const char *verb, const char *file, const struct error *err);

#endif
