/* SPDX-License-Identifier: MIT
 * batch_worker.c -- what one process does with its file: hash, read, leave a result.
 *
 * A result is named by the hash of all that it depends on: the file's bytes, those of the files
 * beside it, the rules, --step-marker, --symbols and the program's version. What a name tells is not
 * in it; whether a file without memory data is worth a row depends on its name, so that answer has
 * the question in its own name.
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

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/side_files.h"
#include "model/model.h"
#include "passes/site.h"
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

bool batch_hash_file(const char *name, char out[BATCH_KEY_BYTES])
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map = MAP_FAILED;
	bool done = false;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		size_t n = (size_t)st.st_size;

		if (n)
			map = mmap(NULL, n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
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

/* What an option of the command line says, which the result depends on. */
static int add_option(char *text, size_t size, const char *name, const struct opt_strings *given)
{
	char hash[BATCH_KEY_BYTES] = "", chain[2 * BATCH_KEY_BYTES];

	for (size_t i = 0; i < given->n; i++) {
		snprintf(chain, sizeof chain, "%s", hash);
		hex_of(given->at[i], strlen(given->at[i]), hash);
		snprintf(chain + strlen(chain), sizeof chain - strlen(chain), " %s", hash);
		hex_of(chain, strlen(chain), hash);
	}
	return given->n ? snprintf(text, size, "\n%s %s", name, hash) : 0;
}

static void make_key(const struct batch_run *run, const struct side_files *sides, struct outcome *o,
		     const char *name, bool limited)
{
	const char *step_marker = run->inv->common.step_marker;
	const struct opt_strings marker = {.at = {step_marker}, .n = step_marker ? 1 : 0};
	char text[1024], hash[BATCH_KEY_BYTES];
	int n = snprintf(text, sizeof text, "%s %d %s %s", PACKAGE_VERSION, BATCH_SCHEMA,
			 run->rules_hash, limited ? "limited" : "");

	if (o->has_hash) {
		n += snprintf(text + n, sizeof text - (size_t)n, "\nfile %s", o->hash);
	} else {
		hex_of(name, strlen(name), hash);
		n += snprintf(text + n, sizeof text - (size_t)n, "\nname %s", hash);
	}
	n += add_option(text + n, sizeof text - (size_t)n, "steps", &marker);
	n += add_option(text + n, sizeof text - (size_t)n, "symbols", &run->inv->common.symbols);
	for (unsigned k = 0; k < SIDE_KINDS; k++) {
		if (sides->file[k] && batch_hash_file(sides->file[k], hash))
			n += snprintf(text + n, sizeof text - (size_t)n, "\nside %u %s", k, hash);
	}
	hex_of(text, (size_t)n, o->key);
}

void batch_page_name(const char *key, const char *file, char out[BATCH_KEY_BYTES])
{
	char hash[BATCH_KEY_BYTES], text[2 * BATCH_KEY_BYTES];

	hex_of(file, strlen(file), hash);
	snprintf(text, sizeof text, "%s %s", key, hash);
	hex_of(text, strlen(text), out);
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

/* What a name asks for, should there be no memory data. */
enum wanted { WANTED_ALWAYS, WANTED_IF_HTML, WANTED_IF_DAMAGED };

static enum wanted wanted_row(const struct batch_input *in)
{
	size_t n = strlen(in->name);

	if (in->is_named)
		return WANTED_ALWAYS;
	if (has_suffix(in->name, n, ".zst"))
		n -= 4;
	else if (has_suffix(in->name, n, ".gz"))
		n -= 3;
	if (has_suffix(in->name, n, ".pickle"))
		return WANTED_ALWAYS;
	return has_suffix(in->name, n, ".html") ? WANTED_IF_HTML : WANTED_IF_DAMAGED;
}

/* Of a file in a folder that is no memory data nobody wants to hear, unless it is called so. */
static bool is_other_data(enum wanted wanted, const struct error *err)
{
	if (wanted == WANTED_ALWAYS)
		return false;
	return err->code == ERR_UNSUPPORTED || err->code == ERR_SCHEMA ||
	       (err->code == ERR_FORMAT && wanted != WANTED_IF_HTML);
}

/* --- results ----------------------------------------------------------------------------------- */

/* NULL: out of memory. The caller frees it. */
static char *result_path(const struct batch_run *run, const char *key)
{
	char *path;

	return asprintf(&path, "%s/%s.json", run->folder, key) < 0 ? NULL : path;
}

static char *refusal_path(const struct batch_run *run, const char *key, enum wanted wanted)
{
	static const char *const names[] = {[WANTED_ALWAYS] = "refused",
					    [WANTED_IF_HTML] = "refused-html",
					    [WANTED_IF_DAMAGED] = "refused-other"};
	char *path;

	return asprintf(&path, "%s/%s.%s.json", run->folder, key, names[wanted]) < 0 ? NULL : path;
}

static bool is_there(char *path)
{
	bool there = path && access(path, R_OK) == 0;

	free(path);
	return there;
}

static int write_document(const char *path, const struct batch *b, struct error *err)
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

/* `path` is freed. */
static void write_result(struct outcome *o, char *path, const struct batch *b)
{
	struct error err = {.text = "out of memory"};

	if (path && write_document(path, b, &err) == 0) {
		free(path);
		return;
	}
	o->kind = OUTCOME_SYSTEM;
	snprintf(o->words, sizeof o->words, "the result cannot be written: %s", err.text);
	free(path);
}

/* What was found out about a file without memory data, so that it is not read again: only what its
 * bytes tell, not what the machine could not do. */
static void keep_refusal(const struct batch_run *run, struct outcome *o, enum wanted wanted,
			 const struct error *why)
{
	struct batch b;
	struct error err;

	if (!o->has_hash || why->code > ERR_CUT || batch_init(&b, &run->inv->budget, &err) < 0)
		return;
	if (batch_collect_failed(&b, o->words, &err) == 0 &&
	    (o->kind != OUTCOME_SKIPPED ||
	     batch_set_text(&b, BATCH_FILES, FILES_STATUS, "skipped", &err) == 0))
		write_result(o, refusal_path(run, o->key, wanted), &b);
	batch_release(&b);
}

/* False: none is there, or none that can be read. */
static bool take_refusal(const struct batch_run *run, struct outcome *o, enum wanted wanted)
{
	char *path = refusal_path(run, o->key, wanted);
	const char *status, *reason;
	struct input *in;
	struct batch b;
	struct error err;
	bool taken = false;

	if (!path || access(path, R_OK) < 0 || batch_init(&b, &run->inv->budget, &err) < 0) {
		free(path);
		return false;
	}
	if (input_open(&in, path, &run->inv->budget, &err) == 0) {
		taken = batch_read(&b, in, PACKAGE_VERSION, &err) == 0 &&
			b.n_rows[BATCH_FILES] == 1;
		input_close(in);
	}
	status = taken ? batch_text(&b, BATCH_FILES, 0, FILES_STATUS) : NULL;
	reason = taken ? batch_text(&b, BATCH_FILES, 0, FILES_REASON) : NULL;
	taken = status && reason;
	if (taken) {
		o->kind = strcmp(status, "skipped") ? OUTCOME_FAILED : OUTCOME_SKIPPED;
		snprintf(o->words, sizeof o->words, "%s", reason);
	}
	batch_release(&b);
	free(path);
	return taken;
}

static int collect(const struct batch_run *run, struct batch *b, struct model *m,
		   const struct side_files *sides, const struct phases_options *steps,
		   const struct outcome *o, struct error *err)
{
	int rc = run->inv->common.rules ? site_use_rules(m, run->rules, err) : 0;

	if (rc == 0)
		rc = batch_collect(b, m, &sides->side, run->rules, steps, BATCH_KEPT, err);
	if (rc == 0)
		rc = batch_set_text(b, BATCH_FILES, FILES_HASH, o->has_hash ? o->hash : NULL, err);
	return rc;
}

static void analyse(const struct batch_run *run, const struct batch_input *in,
		    const struct side_files *sides, struct model *m, struct outcome *o)
{
	struct batch b;
	struct error err;
	const struct phases_options steps = {.step_marker = run->inv->common.step_marker};
	int rc = batch_init(&b, &run->inv->budget, &err);

	if (rc == 0)
		rc = collect(run, &b, m, sides, &steps, o, &err);
	/* No annotation of this file is a step by --step-marker: others of the folder have their own. */
	if (rc == ERR_USAGE) {
		batch_release(&b);
		rc = batch_init(&b, &run->inv->budget, &err);
		if (rc == 0)
			rc = collect(run, &b, m, sides, NULL, o, &err);
	}
	if (rc < 0) {
		say_error(o, rc == ERR_LIMIT ? OUTCOME_LIMIT : OUTCOME_FAILED, &err);
	} else {
		/* Less was kept of it than there is: not to be taken for all of it later. */
		if (m->trace.limited)
			make_key(run, sides, o, in->name, true);
		o->kind = OUTCOME_DONE;
		write_result(o, result_path(run, o->key), &b);
	}
	batch_release(&b);
}

static void read_file(const struct batch_run *run, const struct batch_input *in,
		      const struct side_files *sides, struct outcome *o)
{
	struct model_options options = {.budget = &run->inv->budget};
	enum wanted wanted = wanted_row(in);
	struct model *m;
	struct error err;
	int rc;

	o->reused = o->has_hash && is_there(result_path(run, o->key));
	if (o->reused) {
		o->kind = OUTCOME_DONE;
		return;
	}
	o->reused = o->has_hash && take_refusal(run, o, wanted);
	if (o->reused)
		return;
	rc = model_load(&m, in->name, &options, &err);
	if (rc == 0) {
		(void)load_symbols(run->inv, m);
		analyse(run, in, sides, m, o);
		model_free(m);
		return;
	}
	say_error(o,
		  is_other_data(wanted, &err) ? OUTCOME_SKIPPED
		  : rc == ERR_LIMIT           ? OUTCOME_LIMIT
					      : OUTCOME_FAILED,
		  &err);
	keep_refusal(run, o, wanted, &err);
}

/* The page that `report` writes, beside the others. What it complains about is on nobody's mind:
 * a file without a page is told. */
static void write_page(const struct batch_run *run, const struct batch_input *in, struct outcome *o)
{
	char name[BATCH_KEY_BYTES], *path, *operand = in->name;
	struct invocation inv = *run->inv;
	void *own = calloc(1, cmd_report.own_bytes);

	batch_page_name(o->key, in->name, name);
	if (!own || asprintf(&path, "%s/%s.html", run->pages, name) < 0) {
		free(own);
		return;
	}
	o->has_page = access(path, R_OK) == 0;
	if (!o->has_page) {
		inv.command = &cmd_report;
		inv.common.json = false;
		inv.common.output = path;
		inv.own = own;
		inv.operands = &operand;
		inv.n_operands = 1;
		cmd_report.run(&inv);
		o->has_page = access(path, R_OK) == 0;
	}
	free(path);
	free(own);
}

void batch_work(const struct batch_run *run, const struct batch_input *in, struct outcome *out)
{
	const struct side_options none = {.no_siblings = false};
	struct outcome o = {.kind = OUTCOME_FAILED};
	struct side_files sides;

	run->inv->budget.limit = run->limit;
	o.has_hash = batch_hash_file(in->name, o.hash);
	if (side_files_read(&sides, run->inv, &none, in->name) != STATUS_DONE)
		sides = (struct side_files){0};
	make_key(run, &sides, &o, in->name, false);
	read_file(run, in, &sides, &o);
	side_files_release(&sides);
	if (run->pages && o.kind == OUTCOME_DONE && o.has_hash)
		write_page(run, in, &o);
	*out = o;
}
