/* SPDX-License-Identifier: MIT
 * opt.h -- tables of options: the parser, the text of --help and the words of completion.
 *
 * A table is an array of rows ended by one without a name. Each row says where its value goes, as
 * an offset into the struct that the table belongs to, so tables are constant:
 *
 *     struct top_options { unsigned by; uint64_t n; };
 *     static const char *const by_words[] = {"site", "stack", NULL};
 *     static const struct opt top_opts[] = {
 *             {"by", 0, OPT_CHOICE, offsetof(struct top_options, by), "KEY",
 *              "group by site (the default) or stack", by_words},
 *             {"rows", 'n', OPT_U64, offsetof(struct top_options, n), "N", "show N rows", NULL},
 *             {0},
 *     };
 *
 * GNU conventions: `--name=value`, `--name value`, `-n value`, `-nvalue`, clustered flags, unique
 * prefixes of long names, options after operands, `--` ends the options. The last of equal options
 * counts.
 */
#ifndef ANALYZE_CLI_OPT_H
#define ANALYZE_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "reports/out.h"

enum opt_kind {              /* the type behind `offset`: */
		OPT_FLAG,    /* bool, set to true; takes no value */
		OPT_STRING,  /* const char *, weak: points into argv */
		OPT_STRINGS, /* struct opt_strings; may be repeated */
		OPT_U64,     /* uint64_t, decimal */
		OPT_F64,     /* double, finite */
		OPT_BYTES,   /* uint64_t: plain bytes, or with K, KiB, M, MiB, G, GiB, T, TiB */
		OPT_CHOICE,  /* unsigned: index into `choices` */
		OPT_DEVICE, /* int32_t: an index, or "host" for DEVICE_HOST; with choices "all", too */
};

#define OPT_DEVICE_ALL  (INT32_MIN + 1)
#define OPT_STRINGS_MAX 16
struct opt_strings {
	const char *at[OPT_STRINGS_MAX];
	size_t n;
};

struct opt {
	const char *name; /* without the dashes */
	char letter;      /* short name, or 0 */
	enum opt_kind kind;
	size_t offset;
	const char *argument;       /* what --help calls the value; NULL for OPT_FLAG */
	const char *help;           /* a few words, no full stop */
	const char *const *choices; /* of OPT_CHOICE, ended by NULL; completion words of others */
};

/* A table and where its values go. */
struct opt_target {
	const struct opt *opts;
	void *values; /* weak */
};

/* Take the options out of argv[0 .. argc - 1] (without program and command name); operands are
 * moved to the front of argv and counted in *n_operands. Errors: ERR_USAGE with words like
 * "unknown option '--foo'". */
int opt_parse(const struct opt_target *targets, size_t n_targets, char **argv, int argc,
	      int *n_operands, struct error *err);

/* The lines of --help for one table, aligned at a common column, within 100. */
void opt_print_help(struct out *o, const struct opt *opts);

/* Understand "1048576", "1M", "1MiB", "1.5GiB" ... as bytes; false when it is none of these. */
bool opt_parse_bytes(const char *text, uint64_t *out);

#endif
