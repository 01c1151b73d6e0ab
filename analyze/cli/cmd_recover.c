/* SPDX-License-Identifier: MIT
 * cmd_recover.c -- vramscope recover: the snapshot of a recording that was killed.
 */
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "model/load_ring.h"
#include "reports/out.h"

static int write_out(void *ctx, const void *bytes, size_t n)
{
	out_bytes(ctx, bytes, n);
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

static int recover_to(struct invocation *inv, const struct container *c, const char *file)
{
	const bool standard = !strcmp(file, "-");
	struct error err = {0};
	struct out *out = NULL;
	int rc =
		standard ? out_open_fd(&out, STDOUT_FILENO, &err) : out_open_path(&out, file, &err);

	if (rc == 0 && ends_with(file, ".zst"))
		rc = out_compress(out, &err);
	if (rc < 0) {
		out_abandon(out);
		return complain_error("write", standard ? "standard output" : file, &err);
	}
	rc = ring_to_pickle(c, write_out, out, &inv->budget, &err);
	if (rc < 0) {
		out_abandon(out);
		return complain_error("read", inv->operands[0], &err);
	}
	rc = out_close(out, &err);
	return rc < 0 ? complain_error("write", standard ? "standard output" : file, &err)
		      : STATUS_DONE;
}

static int recover_command(struct invocation *inv)
{
	const char *file = inv->common.output;
	char words[FILE_WORDS_BUF];
	struct error err = {0};
	struct container c;
	int status;

	if (!file) {
		complain("recover wants -o FILE for what it writes");
		return STATUS_USAGE;
	}
	if (strcmp(file, "-") != 0 && !ends_with(file, ".pickle") &&
	    !ends_with(file, ".pickle.zst")) {
		complain("recover writes .pickle and .pickle.zst, not '%s'", file);
		return STATUS_USAGE;
	}
	if (container_open(&c, inv->operands[0], &inv->budget, &err) < 0)
		return complain_error("read", inv->operands[0], &err);
	if (c.format == CONTAINER_RING) {
		status = recover_to(inv, &c, file);
	} else {
		complain("%s is no ring file; vramscope convert writes other files again",
			 file_words(words, inv->operands[0]));
		status = STATUS_INPUT;
	}
	container_close(&c);
	return status;
}

const struct command cmd_recover = {
	.name = "recover",
	.operands = "RING",
	.summary = "The snapshot of a recording that was killed",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT,
	.run = recover_command,
};
