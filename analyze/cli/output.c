/* SPDX-License-Identifier: MIT
 * output.c -- where a command's result goes: standard output or -o FILE, and in which format.
 */
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *output_file(const struct invocation *inv)
{
	const char *file = inv->common.output;

	return file && strcmp(file, "-") ? file : NULL;
}

const char *output_suffix(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *dot = strrchr(slash ? slash + 1 : file, '.');

	return dot ? dot : "";
}

static bool wants_json(const struct invocation *inv)
{
	const char *file = output_file(inv);

	return inv->common.json || (file && !strcmp(output_suffix(file), ".json"));
}

int output_check(const struct invocation *inv)
{
	const char *file = output_file(inv);
	const char *suffix = file ? output_suffix(file) : "";

	if (inv->common.json && !strcmp(suffix, ".txt")) {
		complain("--json contradicts the suffix of '%s'", file);
		return STATUS_USAGE;
	}
	if (inv->common.json || !*suffix || !strcmp(suffix, ".json") || !strcmp(suffix, ".txt"))
		return STATUS_DONE;
	if (file && !strncmp(file, "/dev/", 5))
		return STATUS_DONE;
	complain("%s writes .json and .txt, not '%s'", inv->command->name, file);
	return STATUS_USAGE;
}

static int output_complain(const struct output *o, const struct error *err)
{
	if (o->file)
		complain("cannot write '%s': %s", o->file, err->text);
	else
		complain("cannot write to standard output: %s", err->text);
	return STATUS_SYSTEM;
}

int output_open_raw(const struct invocation *inv, struct output *o)
{
	struct error err;
	int rc;

	*o = (struct output){.file = output_file(inv)};
	if (o->file)
		rc = out_open_path(&o->out, o->file, &err);
	else
		rc = out_open_fd(&o->out, STDOUT_FILENO, &err);
	return rc < 0 ? output_complain(o, &err) : STATUS_DONE;
}

/* NO_COLOR (no-color.org) counts when it is not empty. */
static bool wants_colour(const struct output *o)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !o->file && isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

int output_open(const struct invocation *inv, struct output *o)
{
	struct emit_options options = {
		.format = wants_json(inv) ? EMIT_JSON : EMIT_TEXT,
		.units = (enum units)inv->common.units,
	};
	struct error err;
	int status = output_open_raw(inv, o);

	if (status != STATUS_DONE)
		return status;
	options.colour = wants_colour(o);
	if (emit_new(&o->emit, o->out, &options, &err) < 0) {
		output_abandon(o);
		return output_complain(o, &err);
	}
	return STATUS_DONE;
}

int output_close(struct output *o, int status)
{
	struct error err;

	emit_free(o->emit);
	if (out_close(o->out, &err) < 0)
		status = output_complain(o, &err);
	o->emit = NULL;
	o->out = NULL;
	return status;
}

void output_abandon(struct output *o)
{
	emit_abandon(o->emit);
	out_abandon(o->out);
	o->emit = NULL;
	o->out = NULL;
}
