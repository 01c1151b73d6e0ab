/* SPDX-License-Identifier: MIT
 * run_child.h -- run a program as if it had been started alone: signals and exit status are its own.
 */
#ifndef ANALYZE_CLI_RUN_CHILD_H
#define ANALYZE_CLI_RUN_CHILD_H

/* Run argv (ended by NULL) and wait. Signals sent to us are passed on. Returns its exit status, 128
 * and the signal when one ended it, 126 or 127 after one line on stderr when it cannot run. */
int run_child(char *const *argv);

#endif
