/* SPDX-License-Identifier: MIT
 * cmd_merge.c -- vramscope merge: the shards of a batch into one summary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "config.h"

#include "cli/batch_output.h"
#include "cli/commands.h"

struct merge_own {
	const char *folder;
	bool db;
};

static const struct opt merge_opts[] = {
	{"output", 'o', OPT_STRING, offsetof(struct merge_own, folder), "DIR",
	 "write the summary to this folder", NULL},
	{"db", 0, OPT_FLAG, offsetof(struct merge_own, db), NULL,
	 "write only the database, summary.sqlite", NULL},
	{.name = NULL},
};

/* `shard`: the folder of a batch, or its summary.json. */
static int add_shard(struct invocation *inv, struct batch *b, const char *shard)
{
	struct input *in;
	struct error err;
	struct stat st;
	char *path = NULL;
	int rc, status = STATUS_DONE;

	if (asprintf(&path, "%s%s", shard,
		     stat(shard, &st) == 0 && S_ISDIR(st.st_mode) ? "/summary.json" : "") < 0) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	rc = input_open(&in, path, &inv->budget, &err);
	if (rc == 0) {
		rc = batch_read(b, in, PACKAGE_VERSION, &err);
		input_close(in);
	}
	if (rc < 0)
		status = complain_error("merge", path, &err);
	free(path);
	return status;
}

static int merge_command(struct invocation *inv)
{
	const struct merge_own *own = inv->own;
	struct batch b;
	struct error err;
	int status = STATUS_DONE;

	if (!own->folder || !*own->folder) {
		complain("merge needs -o DIR (try 'vramscope merge --help')");
		return STATUS_USAGE;
	}
	if (batch_init(&b, &inv->budget, &err) < 0)
		return complain_error("merge", inv->operands[0], &err);
	for (size_t i = 0; i < inv->n_operands && status == STATUS_DONE; i++)
		status = add_shard(inv, &b, inv->operands[i]);
	if (status == STATUS_DONE)
		status = batch_make_folder(own->folder);
	if (status == STATUS_DONE)
		status = batch_output(inv, &b, own->folder, own->db, NULL, 1);
	batch_release(&b);
	return status;
}

const struct command cmd_merge = {
	.name = "merge",
	.operands = "SHARD...",
	.summary = "The shards of a batch into one summary",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_JSON,
	.opts = merge_opts,
	.own_bytes = sizeof(struct merge_own),
	.run = merge_command,
};
