/* SPDX-License-Identifier: MIT
 * record_library.c -- where the recorder's library lies.
 */
#include "cli/record_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libvramscope-capture.so"

/* The folder of this program, without a slash at its end; empty where it cannot be told. */
static void own_folder(char folder[RECORD_LIBRARY_BUF])
{
	ssize_t n = readlink("/proc/self/exe", folder, RECORD_LIBRARY_BUF - 1);
	char *slash;

	folder[n > 0 ? n : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}

/* Length of what stands before BINDIR in `folder`: the root that the installation lies under. */
static size_t root_length(const char *folder)
{
	size_t length = strlen(folder), bin = strlen(BINDIR);

	return length >= bin && !strcmp(folder + length - bin, BINDIR) ? length - bin : 0;
}

static bool usable(const char *candidate, char path[RECORD_LIBRARY_BUF])
{
	char *resolved = realpath(candidate, NULL);
	bool found = resolved && strlen(resolved) < RECORD_LIBRARY_BUF;

	if (found)
		snprintf(path, RECORD_LIBRARY_BUF, "%s", resolved);
	free(resolved);
	return found;
}

bool record_library_find(char path[RECORD_LIBRARY_BUF])
{
	static const char *const beside[] = {"/../lib", "/../lib64"};
	const char *asked = getenv("VRAMSCOPE_CAPTURE_LIBRARY");
	char folder[RECORD_LIBRARY_BUF], candidate[2 * RECORD_LIBRARY_BUF];

	if (asked && *asked)
		return usable(asked, path);
	own_folder(folder);
	snprintf(candidate, sizeof candidate, "%s/" LIBRARY, folder);
	if (usable(candidate, path))
		return true;
	snprintf(candidate, sizeof candidate, "%.*s" LIBDIR "/" LIBRARY, (int)root_length(folder),
		 folder);
	if (usable(candidate, path))
		return true;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
		snprintf(candidate, sizeof candidate, "%s%s/" LIBRARY, folder, beside[i]);
		if (usable(candidate, path))
			return true;
	}
	return false;
}
