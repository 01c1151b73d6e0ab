/* SPDX-License-Identifier: MIT
 * exit.h -- the exit statuses of every command.
 */
#ifndef ANALYZE_CLI_EXIT_H
#define ANALYZE_CLI_EXIT_H

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FOUND = 1,  /* a limit asked for was exceeded, or `validate` found violations */
	STATUS_USAGE = 2,  /* the command line asks for something that does not exist */
	STATUS_INPUT = 3,  /* an input is unreadable, unsupported or damaged */
	STATUS_SYSTEM = 4, /* I/O failed or memory ran out */
};

#endif
