/* SPDX-License-Identifier: MIT
 * cmd_batch.c -- vramscope batch: one table over many files, ranks and jobs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/natural.h"
#include "cli/batch_output.h"
#include "cli/batch_worker.h"
#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "passes/name_facts.h"
#include "passes/regex.h"
#include "reports/batch_collect.h"

struct batch_own {
	const char *folder, *name_pattern, *shard;
	uint64_t jobs;
	bool db, pages;
};

static const struct opt batch_opts[] = {
	{"output", 'o', OPT_STRING, offsetof(struct batch_own, folder), "DIR",
	 "write the summary and the results of each file to this folder", NULL},
	{"jobs", 'j', OPT_U64, offsetof(struct batch_own, jobs), "N",
	 "read N files at once; without it, as many as there are processors, or fewer when the "
	 "largest need more memory than --limit",
	 NULL},
	{"name-pattern", 0, OPT_STRING, offsetof(struct batch_own, name_pattern), "RE",
	 "take rank, step and host of a file from groups of these names in RE (PCRE2 over its "
	 "name)",
	 NULL},
	{"shard", 0, OPT_STRING, offsetof(struct batch_own, shard), "I/N",
	 "read only the I-th of N parts of the files, alike in size", NULL},
	{"db", 0, OPT_FLAG, offsetof(struct batch_own, db), NULL,
	 "write only the database, summary.sqlite", NULL},
	{"pages", 0, OPT_FLAG, offsetof(struct batch_own, pages), NULL,
	 "write the interactive page of each file, too, as report does", NULL},
	{.name = NULL},
};

struct batch_command {
	struct invocation *inv;
	const struct batch_own *own;
	struct batch_inputs inputs;
	struct outcome *outcomes; /* of each input; owned */
	struct rules *rules;
	struct name_patterns *patterns;
	struct batch batch;
	char *results, *pages; /* owned: folders; pages NULL: no interactive ones */
	char rules_hash[BATCH_KEY_BYTES];
	uint64_t shard, n_shards;
	size_t jobs;
	size_t n_skipped, n_without_page;
	bool damaged; /* a result that was there is not whole: it is gone now */
};

static bool parse_shard(const char *text, uint64_t *i, uint64_t *n)
{
	int end = 0;

	if (!text) {
		*i = *n = 1;
		return true;
	}
	return strspn(text, "0123456789/") == strlen(text) &&
	       sscanf(text, "%" SCNu64 "/%" SCNu64 "%n", i, n, &end) == 2 && !text[end] && *i > 0 &&
	       *i <= *n && *n <= 100000;
}

static int check(struct batch_command *c)
{
	const char *step_marker = c->inv->common.step_marker;
	pcre2_code *marker = NULL;
	struct error err;

	if (!c->own->folder || !*c->own->folder) {
		complain("batch needs -o DIR (try 'vramscope batch --help')");
		return STATUS_USAGE;
	}
	if (!parse_shard(c->own->shard, &c->shard, &c->n_shards)) {
		complain("--shard takes I/N with I from 1 to N, not '%s'", c->own->shard);
		return STATUS_USAGE;
	}
	if (c->own->jobs > 4096) {
		complain("--jobs takes at most 4096");
		return STATUS_USAGE;
	}
	if (c->own->db && c->own->pages) {
		complain("--db and --pages contradict each other");
		return STATUS_USAGE;
	}
	if ((step_marker && regex_compile(&marker, step_marker, 0, 0, &err) < 0) ||
	    name_patterns_new(&c->patterns, c->own->name_pattern, &err) < 0) {
		pcre2_code_free(marker);
		complain("%s", err.text);
		return STATUS_USAGE;
	}
	pcre2_code_free(marker);
	return load_symbols(c->inv, NULL);
}

#define LEFT_BEHIND_S 3600

/* A run that was killed leaves what it had not finished: KEY.json.XXXXXX, of no use to anybody. It
 * may be another run's that goes on. */
static void clean(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *x;

	while (dir && (x = readdir(dir))) {
		const char *dot = strrchr(x->d_name, '.');
		struct stat st;

		if (dot && strlen(dot) == 7 && dot - x->d_name > 5 &&
		    (!strncmp(dot - 5, ".json", 5) || !strncmp(dot - 5, ".html", 5)) &&
		    fstatat(dirfd(dir), x->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime < time(NULL) - LEFT_BEHIND_S)
			unlinkat(dirfd(dir), x->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* *folder = DIR/`name`, which is made. */
static int make_folder(struct batch_command *c, const char *name, char **folder)
{
	int status;

	if (asprintf(folder, "%s/%s", c->own->folder, name) < 0) {
		*folder = NULL;
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	status = batch_make_folder(*folder);
	if (status == STATUS_DONE)
		clean(*folder);
	return status;
}

static int find(struct batch_command *c)
{
	struct error err;
	int status = make_folder(c, "results", &c->results);

	if (status == STATUS_DONE && c->own->pages)
		status = make_folder(c, "pages", &c->pages);
	if (status != STATUS_DONE)
		return status;
	if (batch_inputs_find(&c->inputs, c->inv->operands, c->inv->n_operands, c->own->folder,
			      &err) < 0 ||
	    batch_inputs_shard(&c->inputs, c->shard, c->n_shards, &err) < 0) {
		complain("%s", err.text);
		return err.code == ERR_NOMEM ? STATUS_SYSTEM : STATUS_INPUT;
	}
	c->outcomes = calloc(c->inputs.n + 1, sizeof *c->outcomes);
	if (!c->outcomes) {
		complain("out of memory");
		return STATUS_SYSTEM;
	}
	return STATUS_DONE;
}

static int work(struct batch_command *c)
{
	struct batch_run run = {.inv = c->inv, .folder = c->results, .limit = c->inv->budget.limit};
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t jobs = c->own->jobs ? (size_t)c->own->jobs
				   : batch_jobs(&c->inputs, cores > 0 ? (size_t)cores : 1,
						c->inv->budget.limit);
	const char *rules = c->inv->common.rules;
	int status = c->rules ? STATUS_DONE : load_rules(c->inv, &c->rules);

	/* Rules that come through a pipe are nobody else's. */
	if (rules && !batch_hash_file(rules, c->rules_hash))
		snprintf(c->rules_hash, sizeof c->rules_hash, "%ld of %ld", (long)getpid(),
			 (long)time(NULL));
	if (jobs > c->inputs.n)
		jobs = c->inputs.n;
	c->jobs = jobs;
	run.pages = c->pages;
	run.rules = c->rules;
	run.rules_hash = c->rules_hash;
	if (status == STATUS_DONE && c->inputs.n)
		status = batch_work_all(&run, &c->inputs, jobs, c->outcomes);
	return status;
}

/* --- rows -------------------------------------------------------------------------------------- */

/* Names tell no year: the file's own time of change does, when its month is not before the name's. */
static int64_t time_of_name(const struct name_facts *f, const char *name)
{
	struct stat st;
	struct tm at;

	if (!f->month || stat(name, &st) < 0 || !gmtime_r(&st.st_mtime, &at))
		return TIME_NONE;
	if (at.tm_mon + 1 < f->month)
		at.tm_year--;
	at.tm_mon = f->month - 1;
	at.tm_mday = f->day;
	at.tm_hour = f->hour;
	at.tm_min = f->minute;
	at.tm_sec = f->second;
	return (int64_t)timegm(&at) * 1000000;
}

/* What the name tells, into the last row. */
static int add_name(struct batch_command *c, const char *name, struct error *err)
{
	struct batch *b = &c->batch;
	size_t row = b->n_rows[BATCH_FILES] - 1;
	struct name_facts f;
	int rc = batch_set_text(b, BATCH_FILES, FILES_NAME, name, err);

	if (rc < 0)
		return rc;
	name_facts_of(c->patterns, name, &f);
	if (f.rank >= 0)
		batch_set_int(b, BATCH_FILES, FILES_RANK, f.rank);
	if (f.step >= 0)
		batch_set_int(b, BATCH_FILES, FILES_STEP, f.step);
	if (batch_int(b, BATCH_FILES, row, FILES_TIME, TIME_NONE) == TIME_NONE)
		batch_set_time(b, BATCH_FILES, FILES_TIME, time_of_name(&f, name));
	if (*f.host)
		rc = batch_set_text(b, BATCH_FILES, FILES_HOST, f.host, err);
	if (rc == 0 && *f.group)
		rc = batch_set_text(b, BATCH_FILES, FILES_GROUP, f.group, err);
	return rc;
}

static int read_result(struct batch_command *c, const struct outcome *o, struct error *err)
{
	size_t before = c->batch.n_rows[BATCH_FILES];
	struct input *in;
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s.json", c->results, o->key) < 0)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	rc = input_open(&in, path, &c->inv->budget, err);
	if (rc == 0) {
		rc = batch_read(&c->batch, in, NULL, err);
		input_close(in);
	}
	if (rc == 0 && c->batch.n_rows[BATCH_FILES] != before + 1)
		rc = error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "not one file");
	if (rc < 0) {
		complain("the result '%s' cannot be read: %s", path, err->text);
		c->damaged = rc != ERR_LIMIT && rc != ERR_NOMEM && unlink(path) == 0;
	}
	free(path);
	return rc;
}

static int add_failed(struct batch_command *c, const struct batch_input *in,
		      const struct outcome *o, struct error *err)
{
	int rc = batch_collect_failed(&c->batch, o->words, err);

	if (rc == 0 && in->is_file)
		batch_set_u64(&c->batch, BATCH_FILES, FILES_BYTES, in->bytes);
	if (rc == 0 && o->has_hash)
		rc = batch_set_text(&c->batch, BATCH_FILES, FILES_HASH, o->hash, err);
	return rc;
}

static int add_rows(struct batch_command *c)
{
	struct error err;
	int rc = 0;

	for (size_t i = 0; i < c->inputs.n && rc == 0; i++) {
		const struct batch_input *in = &c->inputs.at[i];
		const struct outcome *o = &c->outcomes[i];

		if (o->kind == OUTCOME_SYSTEM) {
			complain("%s", o->words);
			return STATUS_SYSTEM;
		}
		if (o->kind == OUTCOME_SKIPPED) {
			c->n_skipped++;
			continue;
		}
		c->n_without_page += c->pages && !o->has_page;
		rc = o->kind == OUTCOME_DONE ? read_result(c, o, &err) : add_failed(c, in, o, &err);
		if (rc == 0)
			rc = add_name(c, in->name, &err);
	}
	if (rc == 0)
		return STATUS_DONE;
	return complain_error("summarize", c->own->folder, &err);
}

/* Results that somebody damaged are made anew, once. */
static int work_and_add_rows(struct batch_command *c)
{
	struct error err;
	int status = work(c);

	if (status == STATUS_DONE)
		status = add_rows(c);
	if (status == STATUS_DONE || !c->damaged)
		return status;
	batch_release(&c->batch);
	if (batch_init(&c->batch, &c->inv->budget, &err) < 0)
		return complain_error("summarize", c->own->folder, &err);
	c->n_skipped = c->n_without_page = 0;
	status = work(c);
	return status == STATUS_DONE ? add_rows(c) : status;
}

/* Inputs are in the order of names. */
static const char *page_of(void *ctx, const char *name, char out[BATCH_KEY_BYTES])
{
	const struct batch_command *c = ctx;
	size_t low = 0, high = c->inputs.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (natural_compare(c->inputs.at[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == c->inputs.n || strcmp(c->inputs.at[low].name, name) ||
	    !c->outcomes[low].has_page)
		return NULL;
	batch_page_name(c->outcomes[low].key, name, out);
	return out;
}

static int batch_all(struct batch_command *c)
{
	const struct batch_pages pages = {.name_of = c->own->pages ? page_of : NULL, .ctx = c};
	int status = check(c);

	if (status == STATUS_DONE)
		status = find(c);
	if (status == STATUS_DONE)
		status = work_and_add_rows(c);
	if (status != STATUS_DONE)
		return status;
	if (c->n_skipped)
		complain("%zu %s in folders %s no memory data: skipped", c->n_skipped,
			 c->n_skipped == 1 ? "file" : "files", c->n_skipped == 1 ? "is" : "are");
	if (c->n_without_page)
		complain("%zu %s no interactive page (vramscope report FILE tells why)",
			 c->n_without_page, c->n_without_page == 1 ? "file has" : "files have");
	return batch_output(c->inv, &c->batch, c->own->folder, c->own->db, &pages, c->jobs);
}

static int batch_command(struct invocation *inv)
{
	struct batch_command c = {.inv = inv, .own = inv->own};
	struct error err;
	int status;

	if (batch_init(&c.batch, &inv->budget, &err) < 0)
		return complain_error("summarize", inv->operands[0], &err);
	status = batch_all(&c);
	batch_release(&c.batch);
	name_patterns_free(c.patterns);
	if (c.rules)
		rules_free(c.rules);
	batch_inputs_release(&c.inputs);
	free(c.outcomes);
	free(c.results);
	free(c.pages);
	return status;
}

const struct command cmd_batch = {
	.name = "batch",
	.operands = "PATH...",
	.summary = "One table over many files, ranks and jobs",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_JSON | COMMON_RULES | COMMON_STEPS | COMMON_NO_SYMBOLS,
	.opts = batch_opts,
	.own_bytes = sizeof(struct batch_own),
	.reads = READS_ALL,
	.run = batch_command,
};
