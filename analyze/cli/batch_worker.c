/* SPDX-License-Identifier: MIT
 * batch_worker.c -- what one process does with its file: hash, read, leave a result.
 *
 * A result is named by the hash of all that it depends on: the file's bytes, those of the files
 * beside it, and the program's version. What a name tells is not in it.
 */
#include "cli/batch_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

#include "cli/side_files.h"
#include "model/model.h"
#include "reports/batch_collect.h"
#include "reports/batch_report.h"
#include "reports/sha256.h"

static void hex_of(const void *bytes, size_t n, char out[BATCH_KEY_BYTES])
{
	uint8_t digest[SHA256_BYTES];

	sha256(bytes, n, digest);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* False when it is no regular file, or cannot be read. */
static bool hash_file(const char *name, char out[BATCH_KEY_BYTES])
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map = MAP_FAILED;
	bool done = false;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		size_t n = (size_t)st.st_size;

		if (n)
			map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (!n || map != MAP_FAILED) {
			hex_of(n ? map : "", n, out);
			done = true;
		}
		if (map != MAP_FAILED)
			munmap(map, n);
	}
	if (fd >= 0)
		close(fd);
	return done;
}

static void make_key(const struct side_files *sides, struct outcome *o, const char *name,
		     bool limited)
{
	char text[1024], hash[BATCH_KEY_BYTES];
	int n = snprintf(text, sizeof text, "%s %d %s", PACKAGE_VERSION, BATCH_SCHEMA,
			 limited ? "limited" : "");

	if (o->has_hash) {
		n += snprintf(text + n, sizeof text - (size_t)n, "\nfile %s", o->hash);
	} else {
		hex_of(name, strlen(name), hash);
		n += snprintf(text + n, sizeof text - (size_t)n, "\nname %s", hash);
	}
	for (unsigned k = 0; k < SIDE_KINDS; k++) {
		if (sides->file[k] && hash_file(sides->file[k], hash))
			n += snprintf(text + n, sizeof text - (size_t)n, "\nside %u %s", k, hash);
	}
	hex_of(text, (size_t)n, o->key);
}

static void say_error(struct outcome *o, enum outcome_kind kind, const struct error *err)
{
	o->kind = (uint8_t)kind;
	if (err->offset == ERR_NO_OFFSET)
		snprintf(o->words, sizeof o->words, "%s", err->text);
	else
		snprintf(o->words, sizeof o->words, "%s at byte %" PRIu64, err->text, err->offset);
}

static bool has_suffix(const char *name, size_t n, const char *suffix)
{
	size_t k = strlen(suffix);

	return n >= k && !memcmp(name + n - k, suffix, k);
}

/* Of a file in a folder that is no memory data nobody wants to hear, unless it is called so. */
static bool is_other_data(const struct batch_input *in, const struct error *err)
{
	size_t n = strlen(in->name);

	if (in->is_named)
		return false;
	if (has_suffix(in->name, n, ".zst"))
		n -= 4;
	else if (has_suffix(in->name, n, ".gz"))
		n -= 3;
	if (has_suffix(in->name, n, ".pickle"))
		return false;
	return err->code == ERR_UNSUPPORTED || err->code == ERR_SCHEMA ||
	       (err->code == ERR_FORMAT && !has_suffix(in->name, n, ".html"));
}

static int write_result(const char *path, const struct batch *b, struct error *err)
{
	const struct emit_options options = {.format = EMIT_JSON};
	struct out *out;
	struct emit *e;
	int rc = out_open_path(&out, path, err);

	if (rc < 0)
		return rc;
	rc = emit_new(&e, out, &options, err);
	if (rc < 0) {
		out_abandon(out);
		return rc;
	}
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.batch/1");
	describe_batch(e, b, NULL, PACKAGE_VERSION);
	emit_object_end(e);
	emit_free(e);
	return out_close(out, err);
}

static void collect(const struct batch_run *run, const struct batch_input *in,
		    const struct side_files *sides, const struct model *m, struct outcome *o)
{
	struct budget *budget = &run->inv->budget;
	struct batch b;
	struct error err;
	char *path = NULL;
	int rc = batch_init(&b, budget, &err);

	if (rc < 0) {
		say_error(o, rc == ERR_LIMIT ? OUTCOME_LIMIT : OUTCOME_FAILED, &err);
		return;
	}
	rc = batch_collect(&b, m, &sides->side, run->rules, BATCH_KEPT, &err);
	if (rc == 0)
		rc = batch_set_text(&b, BATCH_FILES, FILES_HASH, o->has_hash ? o->hash : NULL,
				    &err);
	if (rc < 0) {
		say_error(o, rc == ERR_LIMIT ? OUTCOME_LIMIT : OUTCOME_FAILED, &err);
	} else {
		/* Less was kept of it than there is: not to be taken for all of it later. */
		if (m->trace.limited)
			make_key(sides, o, in->name, true);
		if (asprintf(&path, "%s/%s.json", run->folder, o->key) < 0 ||
		    write_result(path, &b, &err) < 0) {
			o->kind = OUTCOME_SYSTEM;
			snprintf(o->words, sizeof o->words, "the result cannot be written: %s",
				 path ? err.text : "out of memory");
		} else {
			o->kind = OUTCOME_DONE;
		}
		free(path);
	}
	batch_release(&b);
}

static bool is_there(const struct batch_run *run, const char *key)
{
	char *path;
	bool there;

	if (asprintf(&path, "%s/%s.json", run->folder, key) < 0)
		return false;
	there = access(path, R_OK) == 0;
	free(path);
	return there;
}

void batch_work(const struct batch_run *run, const struct batch_input *in, struct outcome *out)
{
	const struct side_options none = {.no_siblings = false};
	struct model_options options = {.budget = &run->inv->budget};
	struct outcome o = {.kind = OUTCOME_FAILED};
	struct side_files sides;
	struct model *m;
	struct error err;
	int rc;

	run->inv->budget.limit = run->limit;
	o.has_hash = hash_file(in->name, o.hash);
	if (side_files_read(&sides, run->inv, &none, in->name) != STATUS_DONE)
		sides = (struct side_files){0};
	make_key(&sides, &o, in->name, false);
	o.reused = o.has_hash && is_there(run, o.key);
	if (o.reused) {
		o.kind = OUTCOME_DONE;
	} else if ((rc = model_load(&m, in->name, &options, &err)) < 0) {
		say_error(&o,
			  is_other_data(in, &err) ? OUTCOME_SKIPPED
			  : rc == ERR_LIMIT       ? OUTCOME_LIMIT
						  : OUTCOME_FAILED,
			  &err);
	} else {
		collect(run, in, &sides, m, &o);
		model_free(m);
	}
	side_files_release(&sides);
	*out = o;
}
