/* SPDX-License-Identifier: MIT
 * snapshot_file.c -- writing snapshots to files, in the form and compression of their suffix.
 */
#include "cli/snapshot_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

static bool is_json(const char *file)
{
	return ends_with(file, ".json") || ends_with(file, ".json.zst");
}

int snapshot_file_check(const struct invocation *inv, const char *file)
{
	if (!file) {
		complain("%s wants -o FILE for what it writes", inv->command->name);
		return STATUS_USAGE;
	}
	if (!strcmp(file, "-") || is_json(file) || ends_with(file, ".pickle") ||
	    ends_with(file, ".pickle.zst"))
		return STATUS_DONE;
	complain("%s writes .pickle and .json, each also .zst, not '%s'", inv->command->name, file);
	return STATUS_USAGE;
}

int snapshot_file_write(struct invocation *inv, const char *file, const struct snapshot_out *s)
{
	const bool standard = !strcmp(file, "-");
	struct out *out = NULL;
	struct error err;
	int rc =
		standard ? out_open_fd(&out, STDOUT_FILENO, &err) : out_open_path(&out, file, &err);

	if (rc == 0 && ends_with(file, ".zst"))
		rc = out_compress(out, &err);
	if (rc == 0)
		rc = snapshot_write(out, s, is_json(file) ? SNAPSHOT_JSON : SNAPSHOT_PICKLE,
				    &inv->budget, &err);
	if (rc < 0)
		out_abandon(out);
	else
		rc = out_close(out, &err);
	return rc < 0 ? complain_error("write", standard ? "standard output" : file, &err)
		      : STATUS_DONE;
}

int snapshot_file_write_whole(struct invocation *inv, const char *file, struct snapshot_out s)
{
	const struct model *m = s.model;
	struct snapshot_part *parts = calloc(m->devices.n ? m->devices.n : 1, sizeof *parts);
	int status;

	if (!parts) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	for (size_t i = 0; i < m->devices.n; i++)
		parts[i].n = m->devices.at[i].n_events;
	s.parts = parts;
	s.from_us = s.to_us = TIME_NONE;
	status = snapshot_file_write(inv, file, &s);
	free(parts);
	return status;
}
