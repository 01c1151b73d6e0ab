/* SPDX-License-Identifier: MIT
 * side_files.h -- what lies beside a snapshot: the exception's text, an observer's note, nvidia-smi.
 *
 * Each is named by an option or found by its name: x.message.txt, x.observer.json, x.nvidia-smi.xml,
 * x.driver.pickle (a recording of the same process), each also with .zst, beside x.pickle or
 * x.pickle.zst.
 */
#ifndef ANALYZE_CLI_SIDE_FILES_H
#define ANALYZE_CLI_SIDE_FILES_H

#include "cli/command.h"
#include "passes/card_facts.h"

enum side_kind { SIDE_LOG, SIDE_OBSERVER, SIDE_SMI, SIDE_DRIVER, SIDE_KINDS };

struct side_options {
	const char *file[SIDE_KINDS]; /* as named by options; NULL: not named */
	bool no_siblings;
	uint64_t device_memory; /* bytes; 0: not given */
};

struct side_files {
	char *found[SIDE_KINDS];      /* owned: names that were found */
	const char *file[SIDE_KINDS]; /* what was read, or NULL */
	struct oom_log log;
	struct observer_note observer;
	struct nvidia_smi smi;
	struct model *driver;
	struct explain_side side; /* points into this struct */
};

/* Read all that belongs to `snapshot` (NULL: there is none). A named file that cannot be read is an
 * error: its line is on stderr and the exit status returned; one that was found gets its line and is
 * left out. STATUS_DONE: side_files_release it; it must not be copied. */
int side_files_read(struct side_files *out, struct invocation *inv, const struct side_options *o,
		    const char *snapshot);
void side_files_release(struct side_files *s);

#endif
