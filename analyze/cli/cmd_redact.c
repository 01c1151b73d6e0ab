/* SPDX-License-Identifier: MIT
 * cmd_redact.c -- vramscope redact: a snapshot that can be shown to strangers.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/snapshot_file.h"
#include "reports/redact.h"

struct redact_own {
	struct opt_strings keep;
	const char *hash_key;
};

static const struct opt redact_opts[] = {
	{"keep", 0, OPT_STRINGS, offsetof(struct redact_own, keep), "RE",
	 "leave what matches as it is (PCRE2 over 'path:line function' of frames, annotations, "
	 "metadata)",
	 NULL},
	{"hash-key", 0, OPT_STRING, offsetof(struct redact_own, hash_key), "SECRET",
	 "give the same names in every file with this key; without it a new key each time", NULL},
	{0},
};

/* What stayed readable, for the person who is about to send the file. */
static void say_what_stays(const char *file, size_t replaced)
{
	size_t column = 0;

	printf("%s: %zu names replaced; frames of well-known libraries (not where they are "
	       "installed),\nline numbers, sizes, times and settings are kept.\nKept inside the "
	       "replacements, because analyses look for them:\n",
	       file, replaced);
	for (size_t i = 0; redact_words[i]; i++) {
		if (column + strlen(redact_words[i]) > 90) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%s", column ? " " : "  ", redact_words[i]);
	}
	putchar('\n');
}

static int write_redacted(struct invocation *inv, const struct model *m)
{
	const struct redact_own *own = inv->own;
	unsigned char fresh[32];
	struct redact_options o = {
		.key = own->hash_key, .keep = own->keep.at, .n_keep = own->keep.n};
	struct redact *r;
	struct error err;
	int status;

	if (own->hash_key) {
		o.key_length = strlen(own->hash_key);
	} else {
		if (getrandom(fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) {
			complain("cannot get random bytes for a key; give one with --hash-key");
			return STATUS_SYSTEM;
		}
		o.key = fresh;
		o.key_length = sizeof fresh;
	}
	if (redact_new(&r, m, &o, &inv->budget, &err) < 0)
		return complain_error("redact", model_str(m, m->file), &err);
	status = snapshot_file_write_whole(
		inv, inv->common.output,
		(struct snapshot_out){.model = m, .text = redact_text, .ctx = r});
	if (status == STATUS_DONE && strcmp(inv->common.output, "-"))
		say_what_stays(inv->common.output, redact_count(r));
	redact_free(r);
	return status;
}

static int redact_command(struct invocation *inv)
{
	struct model *m;
	int status = snapshot_file_check(inv, inv->common.output);

	if (status != STATUS_DONE)
		return status;
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	status = write_redacted(inv, m);
	if (status == STATUS_DONE)
		status = load_status(m, STATUS_DONE);
	model_free(m);
	return status;
}

const struct command cmd_redact = {
	.name = "redact",
	.operands = "FILE",
	.summary = "A snapshot that can be shown to strangers: names replaced, figures kept",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_OUTPUT,
	.opts = redact_opts,
	.own_bytes = sizeof(struct redact_own),
	.run = redact_command,
};
