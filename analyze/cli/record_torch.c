/* SPDX-License-Identifier: MIT
 * record_torch.c -- the private folder that has Python start vramscope.py in a program.
 */
#include "cli/record_torch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/record_python.h"

static int write_file(const char *folder, const char *name, const char *text)
{
	char path[RECORD_FOLDER_BUF + 32];
	size_t n = strlen(text);

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wxe");
	if (!f)
		return -1;
	size_t done = fwrite(text, 1, n, f);
	return fclose(f) == 0 && done == n ? 0 : -1;
}

/* The folder before what PYTHONPATH has. */
static int extend_python_path(const char *folder)
{
	const char *old = getenv("PYTHONPATH");
	char *value;
	int rc;

	if (!old || !*old)
		return setenv("PYTHONPATH", folder, 1);
	if (asprintf(&value, "%s:%s", folder, old) < 0)
		return -1;
	rc = setenv("PYTHONPATH", value, 1);
	free(value);
	return rc;
}

int record_torch_begin(char folder[RECORD_FOLDER_BUF])
{
	const char *tmp = getenv("TMPDIR");
	char made[RECORD_FOLDER_BUF];

	snprintf(made, sizeof made, "%s/vramscope.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(made)) {
		complain("cannot make a folder for Python's files: %s", strerror(errno));
		return STATUS_SYSTEM;
	}
	if (write_file(made, "vramscope.py", record_vramscope) < 0 ||
	    write_file(made, "sitecustomize.py", record_sitecustomize) < 0 ||
	    extend_python_path(made) < 0) {
		complain("cannot write Python's files to '%s': %s", made, strerror(errno));
		record_torch_end(made);
		return STATUS_SYSTEM;
	}
	memcpy(folder, made, sizeof made);
	return STATUS_DONE;
}

static void remove_files(const char *folder)
{
	char path[RECORD_FOLDER_BUF + 300];
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

void record_torch_end(const char *folder)
{
	char cache[RECORD_FOLDER_BUF + 32];

	snprintf(cache, sizeof cache, "%s/__pycache__", folder);
	remove_files(cache);
	rmdir(cache);
	remove_files(folder);
	rmdir(folder);
}
