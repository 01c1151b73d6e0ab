/* SPDX-License-Identifier: MIT
 * record_library.c -- where the recorder's library lies.
 */
#include "cli/record_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool record_library_find(char path[RECORD_LIBRARY_BUF])
{
	static const char *const places[] = {"", "../lib/", "../lib64/"};
	const char *asked = getenv("VRAMSCOPE_CAPTURE_LIBRARY");
	char own[RECORD_LIBRARY_BUF - 64], found[RECORD_LIBRARY_BUF], *resolved;
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
	char *slash;

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < 3; i++) {
		snprintf(found, sizeof found, "%s%slibvramscope-capture.so", own, places[i]);
		resolved = realpath(asked && *asked ? asked : found, NULL);
		if (resolved && strlen(resolved) < RECORD_LIBRARY_BUF) {
			snprintf(path, RECORD_LIBRARY_BUF, "%s", resolved);
			free(resolved);
			return true;
		}
		free(resolved);
	}
	return false;
}
