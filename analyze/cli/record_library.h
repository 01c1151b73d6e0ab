/* SPDX-License-Identifier: MIT
 * record_library.h -- where the recorder's library lies.
 */
#ifndef ANALYZE_CLI_RECORD_LIBRARY_H
#define ANALYZE_CLI_RECORD_LIBRARY_H

#include <stdbool.h>

#define RECORD_LIBRARY_BUF 4096

/* VRAMSCOPE_CAPTURE_LIBRARY, else libvramscope-capture.so beside this program, in the library folder
 * that it was configured for (below the same root as the program: an installation can be moved), or in
 * the lib folder beside its own. The path is absolute. */
bool record_library_find(char path[RECORD_LIBRARY_BUF]);

#endif
