/* SPDX-License-Identifier: MIT
 * commands.h -- the rows of the command table, one a cmd_*.c file.
 */
#ifndef ANALYZE_CLI_COMMANDS_H
#define ANALYZE_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command cmd_batch;
extern const struct command cmd_categories;
extern const struct command cmd_check;
extern const struct command cmd_completion;
extern const struct command cmd_convert;
extern const struct command cmd_diff;
extern const struct command cmd_explain;
extern const struct command cmd_export;
extern const struct command cmd_frag;
extern const struct command cmd_help;
extern const struct command cmd_info;
extern const struct command cmd_leaks;
extern const struct command cmd_merge;
extern const struct command cmd_query;
extern const struct command cmd_record;
extern const struct command cmd_recover;
extern const struct command cmd_report;
extern const struct command cmd_simulate;
extern const struct command cmd_redact;
extern const struct command cmd_slice;
extern const struct command cmd_state;
extern const struct command cmd_timeline;
extern const struct command cmd_top;
extern const struct command cmd_trend;
extern const struct command cmd_validate;

#endif
