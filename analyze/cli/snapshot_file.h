/* SPDX-License-Identifier: MIT
 * snapshot_file.h -- writing snapshots to files, in the form and compression of their suffix.
 */
#ifndef ANALYZE_CLI_SNAPSHOT_FILE_H
#define ANALYZE_CLI_SNAPSHOT_FILE_H

#include "cli/command.h"
#include "reports/snapshot_out.h"

/* .pickle or .json, each also with .zst behind it; anything else: STATUS_USAGE and a line on
 * stderr. "-" is a pickle on standard output. */
int snapshot_file_check(const struct invocation *inv, const char *file);

/* STATUS_DONE, or another exit status after one line on stderr. */
int snapshot_file_write(struct invocation *inv, const char *file, const struct snapshot_out *s);

/* The same with all of every device: `s` without its parts. */
int snapshot_file_write_whole(struct invocation *inv, const char *file, struct snapshot_out s);

#endif
