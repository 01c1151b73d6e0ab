/* SPDX-License-Identifier: MIT
 * side_files.c -- what lies beside a snapshot: the exception's text, an observer's note, nvidia-smi.
 */
#include "cli/side_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const suffixes[SIDE_KINDS] = {
	[SIDE_LOG] = ".message.txt",
	[SIDE_OBSERVER] = ".observer.json",
	[SIDE_SMI] = ".nvidia-smi.xml",
	[SIDE_DRIVER] = ".driver.pickle",
};

static size_t without(const char *name, size_t n, const char *suffix)
{
	size_t k = strlen(suffix);

	return n > k && !memcmp(name + n - k, suffix, k) ? n - k : n;
}

/* Length of a snapshot's name without what tells its format. */
static size_t stem_length(const char *name)
{
	size_t n = strlen(name);

	n = without(name, n, ".zst");
	n = without(name, n, ".gz");
	return without(name, n, ".pickle");
}

static bool is_file(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* The name of a file beside the snapshot, which the caller frees, or NULL. */
static char *find_sibling(const char *snapshot, const char *suffix)
{
	static const char *const packed[] = {"", ".zst"};

	if (!strcmp(snapshot, "-"))
		return NULL;
	for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
		char *name;

		if (asprintf(&name, "%.*s%s%s", (int)stem_length(snapshot), snapshot, suffix,
			     packed[i]) < 0)
			return NULL;
		if (is_file(name))
			return name;
		free(name);
	}
	return NULL;
}

static int read_kind(struct side_files *s, enum side_kind kind, struct input *in,
		     struct budget *budget, struct error *err)
{
	int rc;

	switch (kind) {
	case SIDE_LOG:
		rc = oom_log_read(&s->log, in, budget, err);
		s->side.log = rc == 0 ? &s->log : NULL;
		return rc;
	case SIDE_OBSERVER:
		rc = observer_read(&s->observer, in, budget, err);
		s->side.observer = rc == 0 ? &s->observer : NULL;
		return rc;
	default:
		rc = nvidia_smi_read(&s->smi, in, budget, err);
		s->side.smi = rc == 0 ? &s->smi : NULL;
		return rc;
	}
}

static int read_recording(struct side_files *s, const char *name, struct invocation *inv)
{
	const struct model_options options = {.budget = &inv->budget};
	struct error err;

	if (model_load(&s->driver, name, &options, &err) < 0)
		return complain_error("read", name, &err);
	if (!s->driver->capture_value) {
		complain("'%s' is no recording of vramscope record", name);
		model_free(s->driver);
		s->driver = NULL;
		return STATUS_INPUT;
	}
	s->side.driver = s->driver;
	s->file[SIDE_DRIVER] = name;
	return STATUS_DONE;
}

static int read_file(struct side_files *s, enum side_kind kind, const char *name,
		     struct invocation *inv)
{
	struct input *in;
	struct error err;
	int rc;

	if (kind == SIDE_DRIVER)
		return read_recording(s, name, inv);
	rc = input_open(&in, name, &inv->budget, &err);
	if (rc == 0) {
		rc = read_kind(s, kind, in, &inv->budget, &err);
		input_close(in);
	}
	if (rc < 0)
		return complain_error("read", name, &err);
	s->file[kind] = name;
	return STATUS_DONE;
}

int side_files_read(struct side_files *out, struct invocation *inv, const struct side_options *o,
		    const char *snapshot)
{
	int status = STATUS_DONE;

	*out = (struct side_files){.side.device_memory = o->device_memory};
	for (unsigned k = 0; k < SIDE_KINDS && status == STATUS_DONE; k++) {
		if (o->file[k]) {
			status = read_file(out, (enum side_kind)k, o->file[k], inv);
		} else if (snapshot && !o->no_siblings) {
			out->found[k] = find_sibling(snapshot, suffixes[k]);
			if (out->found[k])
				read_file(out, (enum side_kind)k, out->found[k], inv);
		}
	}
	if (status != STATUS_DONE)
		side_files_release(out);
	return status;
}

void side_files_release(struct side_files *s)
{
	oom_log_release(&s->log);
	nvidia_smi_release(&s->smi);
	model_free(s->driver);
	for (unsigned k = 0; k < SIDE_KINDS; k++)
		free(s->found[k]);
	*s = (struct side_files){0};
}
