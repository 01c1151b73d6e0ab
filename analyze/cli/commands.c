/* SPDX-License-Identifier: MIT
 * commands.c -- the one command table, and the options that commands share.
 */
#include "cli/commands.h"

#include <assert.h>
#include <string.h>

#include "reports/emit.h"

const struct command *const commands[] = {
	&cmd_info,       &cmd_state,   &cmd_explain, &cmd_top,      &cmd_categories, &cmd_timeline,
	&cmd_report,     &cmd_frag,    &cmd_leaks,   &cmd_diff,     &cmd_trend,      &cmd_batch,
	&cmd_merge,      &cmd_query,   &cmd_check,   &cmd_simulate, &cmd_validate,   &cmd_slice,
	&cmd_redact,     &cmd_convert, &cmd_export,  &cmd_record,   &cmd_recover,    &cmd_help,
	&cmd_completion, NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
	}
	return NULL;
}

static const char *const device_words[] = {"all", "host", NULL};
static const char *const symbols_words[] = {"auto", "off", NULL};
static const char *const moment_words[] = {"start", "end", "peak", "oom", NULL};

#define COMMON(field) offsetof(struct common_options, field)

/* `bit` 0: every command has it; COMMON_NO_INPUT: those without that bit. */
static const struct {
	unsigned bit;
	struct opt opt;
} common_rows[] = {
	{COMMON_JSON,
	 {"json", 0, OPT_FLAG, COMMON(json), NULL, "write one JSON document (reports/SCHEMA.md)",
	  NULL}},
	{COMMON_OUTPUT,
	 {"output", 'o', OPT_STRING, COMMON(output), "FILE",
	  "write to FILE instead of standard output, in the format of its suffix", NULL}},
	{COMMON_DEVICE,
	 {"device", 'd', OPT_DEVICE, COMMON(device), "N",
	  "look at device N, or at pinned host memory ('host'); without it, the device with the "
	  "highest peak of allocated bytes",
	  NULL}},
	{COMMON_ONLY_DEVICE,
	 {"device", 'd', OPT_DEVICE, COMMON(device), "N",
	  "tell only of device N, or of pinned host memory ('host')", NULL}},
	{COMMON_ALL_DEVICES,
	 {"device", 'd', OPT_DEVICE, COMMON(device), "N",
	  "look at device N, at pinned host memory ('host'), or at all devices ('all'); without "
	  "it, the device with the highest peak of allocated bytes",
	  device_words}},
	{COMMON_AT,
	 {"at", 0, OPT_STRING, COMMON(at), "MOMENT",
	  "start, end, peak, oom (just before the last one), oom:K, time:US, or an event's number",
	  moment_words}},
	{COMMON_FILTER,
	 {"filter", 0, OPT_STRINGS, COMMON(filter), "RE",
	  "keep only stacks with a frame that matches RE (PCRE2 over 'path:line function')", NULL}},
	{COMMON_FILTER,
	 {"exclude", 0, OPT_STRINGS, COMMON(exclude), "RE",
	  "leave out stacks with a frame that matches RE", NULL}},
	{COMMON_RULES,
	 {"rules", 0, OPT_STRING, COMMON(rules), "FILE",
	  "read more rules about stacks and annotations from an XML file", NULL}},
	{COMMON_STEPS,
	 {"step-marker", 0, OPT_STRING, COMMON(step_marker), "RE",
	  "take annotations that match RE (PCRE2) for the steps of the program", NULL}},
	{COMMON_SYMBOLS,
	 {"symbols", 0, OPT_STRINGS, COMMON(symbols), "WHERE",
	  "name native frames by the libraries in this file or folder, too; 'auto' (the default) "
	  "looks where the file says they were, 'off' nowhere",
	  symbols_words}},
	{COMMON_NO_SYMBOLS,
	 {"symbols", 0, OPT_STRINGS, COMMON(symbols), "WHERE",
	  "name native frames by the libraries in this file or folder, or with 'auto' where the "
	  "file says they were",
	  symbols_words}},
	{COMMON_UNITS,
	 {"units", 0, OPT_CHOICE, COMMON(units), "UNIT",
	  "show amounts of memory in bytes, KiB, MiB or GiB; without it, in the unit that fits "
	  "(binary)",
	  units_words}},
	{COMMON_TRACE,
	 {"totals-only", 0, OPT_FLAG, COMMON(totals_only), NULL,
	  "of a chrome trace keep no stacks: less memory for the largest ones", NULL}},
	{COMMON_TRACE,
	 {"strict", 0, OPT_FLAG, COMMON(strict), NULL,
	  "refuse chrome traces and memory timelines whose JSON is broken anywhere", NULL}},
	{COMMON_NO_INPUT,
	 {"limit", 0, OPT_BYTES, COMMON(limit_bytes), "BYTES",
	  "use at most so much memory, as in 2GiB; without it, 80 % of the machine's", NULL}},
	{0, {"help", 'h', OPT_FLAG, COMMON(help), NULL, "show this help", NULL}},
};

void command_common_opts(struct opt out[COMMON_OPTS], unsigned bits)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof common_rows / sizeof *common_rows; i++) {
		unsigned bit = common_rows[i].bit;
		bool taken = bit == COMMON_NO_INPUT ? !(bits & bit) : !bit || bits & bit;

		if (taken)
			out[n++] = common_rows[i].opt;
	}
	assert(n < COMMON_OPTS);
	out[n] = (struct opt){.name = NULL};
}

void command_print_help(struct out *o, const struct command *c)
{
	struct opt common[COMMON_OPTS];

	command_common_opts(common, c->common);
	out_printf(o, "usage: vramscope %s [options]%s%s\n\n%s.\n\n", c->name,
		   *c->operands ? " " : "", c->operands, c->summary);
	opt_print_help(o, c->opts);
	opt_print_help(o, common);
	out_printf(o, "\nMore: vramscope help %s\n", c->name);
}
