/* SPDX-License-Identifier: MIT
 * cmd_check.c -- vramscope check: are files within a budget.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "cli/commands.h"
#include "cli/load_batch.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "cli/side_files.h"
#include "passes/name_facts.h"
#include "reports/batch_collect.h"
#include "reports/gate_report.h"

struct check_own {
	const char *budget, *baseline, *junit, *markdown;
	const char *margin; /* per cent; NULL: DEFAULT_MARGIN */
	const char *name_pattern;
	bool github, update;
};

#define DEFAULT_MARGIN 10
#define MOST_MARGIN    1000

static const struct opt check_opts[] = {
	{"budget", 'b', OPT_STRING, offsetof(struct check_own, budget), "FILE",
	 "the limits, as XML", NULL},
	{"baseline", 0, OPT_STRING, offsetof(struct check_own, baseline), "FILE",
	 "what growth is counted from: a snapshot, or what batch left (its folder, summary.json or "
	 "summary.sqlite)",
	 NULL},
	{"name-pattern", 0, OPT_STRING, offsetof(struct check_own, name_pattern), "RE",
	 "take the rank of a snapshot from a group of this name in RE (PCRE2 over its name)", NULL},
	{"junit", 0, OPT_STRING, offsetof(struct check_own, junit), "FILE",
	 "write what was found as JUnit's XML, too", NULL},
	{"markdown", 0, OPT_STRING, offsetof(struct check_own, markdown), "FILE",
	 "write it as a table of Markdown, too", NULL},
	{"github", 0, OPT_FLAG, offsetof(struct check_own, github), NULL,
	 "print annotations of GitHub Actions in place of text", NULL},
	{"update", 0, OPT_FLAG, offsetof(struct check_own, update), NULL,
	 "set the amounts of the budget to today's figures, with a margin; write one where there "
	 "is none",
	 NULL},
	{"margin", 0, OPT_STRING, offsetof(struct check_own, margin), "PERCENT",
	 "the margin of --update; without it, 10", NULL},
	{.name = NULL},
};

struct checker {
	struct invocation *inv;
	const struct check_own *own;
	struct rules *rules;
	struct name_patterns *patterns;
	struct batch batch, baseline;
	struct gate_budget limits;
	double margin; /* a share of 1 */
	bool has_baseline, unreadable;
};

static int add_rank(struct checker *c, struct batch *b, const char *file, struct error *err)
{
	struct name_facts f;

	name_facts_of(c->patterns, file, &f);
	if (f.rank >= 0)
		batch_set_int(b, BATCH_FILES, FILES_RANK, f.rank);
	return batch_set_text(b, BATCH_FILES, FILES_NAME, file, err);
}

/* A file that cannot be read is a row, of which nothing is known. */
static int add_snapshot(struct checker *c, struct batch *b, const char *file)
{
	const struct side_options siblings = {.no_siblings = false};
	const struct phases_options steps = {.step_marker = c->inv->common.step_marker};
	struct side_files sides = {0};
	struct model *m;
	struct error err;
	int rc, status = load_model(c->inv, file, &m);

	if (status == STATUS_SYSTEM)
		return status;
	if (status != STATUS_DONE) {
		c->unreadable = true;
		rc = batch_collect_failed(b, complain_last(), &err);
	} else {
		if (side_files_read(&sides, c->inv, &siblings, file) != STATUS_DONE)
			sides = (struct side_files){0};
		rc = batch_collect(b, m, &sides.side, c->rules, &steps, SIZE_MAX, &err);
		c->unreadable |= m->partial;
		side_files_release(&sides);
		model_free(m);
	}
	if (rc == 0)
		rc = add_rank(c, b, file, &err);
	return rc < 0 ? complain_error("analyse", file, &err) : STATUS_DONE;
}

static int add_file(struct checker *c, struct batch *b, const char *file)
{
	size_t before = b->n_rows[BATCH_FILES];
	bool found;
	int status = load_batch(c->inv, b, file, &found);

	if (status == STATUS_DONE && !found)
		return add_snapshot(c, b, file);
	for (size_t i = before; i < b->n_rows[BATCH_FILES]; i++) {
		const char *words = batch_text(b, BATCH_FILES, i, FILES_STATUS);

		c->unreadable |= !words || strcmp(words, "ok") != 0;
	}
	return status;
}

static int read_budget(struct checker *c)
{
	struct input *in;
	struct error err;
	int rc = input_open(&in, c->own->budget, &c->inv->budget, &err);

	if (rc == 0) {
		rc = gate_budget_read(&c->limits, in, &c->inv->budget, &err);
		input_close(in);
	}
	if (rc == 0)
		return STATUS_DONE;
	if (rc != ERR_FORMAT && rc != ERR_UNSAFE)
		return complain_error("read", c->own->budget, &err);
	complain("bad budget in '%s': %s", c->own->budget, err.text);
	return STATUS_USAGE;
}

static int close_file(struct out *out, const char *path, int rc, struct error *err)
{
	if (rc < 0)
		out_abandon(out);
	else
		rc = out_close(out, err);
	if (rc == 0)
		return STATUS_DONE;
	complain("cannot write '%s': %s", path, err->text);
	return STATUS_SYSTEM;
}

static int write_files(struct checker *c, const struct gate_report *r)
{
	const char *paths[] = {c->own->junit, c->own->markdown};
	int status = STATUS_DONE;

	for (unsigned i = 0; i < 2 && status == STATUS_DONE; i++) {
		struct error err;
		struct out *out;
		int rc = 0;

		if (!paths[i])
			continue;
		if (out_open_path(&out, paths[i], &err) < 0) {
			complain("cannot write '%s': %s", paths[i], err.text);
			return STATUS_SYSTEM;
		}
		if (i == 0)
			rc = gate_write_junit(out, r, &err);
		else
			gate_write_markdown(out, r);
		status = close_file(out, paths[i], rc, &err);
	}
	return status;
}

static int say(struct checker *c, const struct gate_report *r, int found)
{
	struct output o;
	int status = c->own->github ? output_open_raw(c->inv, &o) : output_open(c->inv, &o);

	if (status != STATUS_DONE)
		return status;
	if (c->own->github) {
		gate_write_github(o.out, r);
		return output_close(&o, found);
	}
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.check/1");
	describe_gate(o.emit, r);
	emit_object_end(o.emit);
	return output_close(&o, found);
}

static int run_gate(struct checker *c, struct gate_report *r, struct gate *g)
{
	struct error err;

	*r = (struct gate_report){.gate = g,
				  .limits = &c->limits,
				  .batch = &c->batch,
				  .budget_file = c->own->budget,
				  .units = (enum units)c->inv->common.units};
	if (gate_run(g, &c->limits, &c->batch, c->has_baseline ? &c->baseline : NULL,
		     &c->inv->budget, &err) < 0)
		return complain_error("check", c->own->budget, &err);
	return STATUS_DONE;
}

/* 1 when a limit is exceeded, else 3 when one could not be told or a file was not read whole. */
static int hold(struct checker *c)
{
	struct gate_report r;
	struct gate g;
	int status = run_gate(c, &r, &g);

	if (status != STATUS_DONE)
		return status;
	if (g.n_exceeded)
		status = STATUS_FOUND;
	else if (g.n_unknown || c->unreadable || !g.results.n)
		status = STATUS_INPUT;
	if (!g.results.n)
		complain("no limit of '%s' is about any of the files", c->own->budget);
	if (write_files(c, &r) != STATUS_DONE)
		status = STATUS_SYSTEM;
	else
		status = say(c, &r, status);
	gate_release(&g);
	return status;
}

/* What is not known cannot be written; growth counts from the baseline, and stays as it is. */
static bool all_known(const struct checker *c, const struct gate_report *r)
{
	bool known = true;
	char words[4096];

	for (size_t i = 0; i < r->gate->results.n; i++) {
		const struct gate_result *x = &r->gate->results.at[i];
		const struct gate_limit *l = &c->limits.limits.at[x->limit];

		if (x->answer != GATE_UNKNOWN || l->is_growth)
			continue;
		known = false;
		complain("%s (%s, line %u): %s", gate_file_name(r, x), c->own->budget,
			 (unsigned)l->line, gate_result_words(r, x, words, sizeof words));
	}
	return known;
}

static int write_budget(struct checker *c, const struct gate_report *r)
{
	struct error err;
	struct out *out;
	int rc;

	if (out_open_path(&out, c->own->budget, &err) < 0) {
		complain("cannot write '%s': %s", c->own->budget, err.text);
		return STATUS_SYSTEM;
	}
	if (r)
		rc = gate_update_budget(out, r, c->margin, &err);
	else
		rc = gate_write_budget(out, &c->batch, c->margin, &err);
	return close_file(out, c->own->budget, rc, &err);
}

static int update(struct checker *c)
{
	struct gate_report r;
	struct gate g;
	int status;

	if (c->unreadable || !c->batch.n_rows[BATCH_FILES]) {
		complain("the budget is left as it is: not every file could be read whole");
		return STATUS_INPUT;
	}
	if (!c->limits.budget)
		return write_budget(c, NULL);
	status = run_gate(c, &r, &g);
	if (status != STATUS_DONE)
		return status;
	if (all_known(c, &r)) {
		status = write_budget(c, &r);
	} else {
		complain("the budget is left as it is: not all of it is known");
		status = STATUS_INPUT;
	}
	gate_release(&g);
	return status;
}

/* A budget that is not there yet is written by --update. */
static bool is_new(const struct checker *c)
{
	return c->own->update && access(c->own->budget, F_OK) < 0 && errno == ENOENT;
}

static int check_all(struct checker *c)
{
	const struct check_own *own = c->own;
	int status = is_new(c) ? STATUS_DONE : read_budget(c);

	if (status == STATUS_DONE)
		status = load_rules(c->inv, &c->rules);
	if (status == STATUS_DONE && own->baseline) {
		c->has_baseline = true;
		status = add_file(c, &c->baseline, own->baseline);
	}
	for (size_t i = 0; i < c->inv->n_operands && status == STATUS_DONE; i++)
		status = add_file(c, &c->batch, c->inv->operands[i]);
	if (status != STATUS_DONE)
		return status;
	return own->update ? update(c) : hold(c);
}

static int check_options(struct checker *c)
{
	const struct check_own *own = c->own;
	char *end = NULL;

	c->margin = DEFAULT_MARGIN / 100.0;
	if (!own->budget) {
		complain("check needs --budget FILE (try 'vramscope check --help')");
		return STATUS_USAGE;
	}
	if (own->github && c->inv->common.json) {
		complain("--json contradicts --github");
		return STATUS_USAGE;
	}
	if (own->margin) {
		double v = strtod(own->margin, &end);

		if (end == own->margin || (*end && strcmp(end, "%") != 0) ||
		    !(v >= 0 && v <= MOST_MARGIN)) {
			complain("--margin takes per cent from 0 to %d, not '%s'", MOST_MARGIN,
				 own->margin);
			return STATUS_USAGE;
		}
		c->margin = v / 100;
	}
	return own->github ? STATUS_DONE : output_check(c->inv);
}

static int check_command(struct invocation *inv)
{
	struct checker c = {.inv = inv, .own = inv->own};
	struct error err;
	int status = check_options(&c);

	if (status != STATUS_DONE)
		return status;
	if (name_patterns_new(&c.patterns, c.own->name_pattern, &err) < 0)
		return complain_error("use", "--name-pattern", &err);
	if (batch_init(&c.batch, &inv->budget, &err) < 0 ||
	    batch_init(&c.baseline, &inv->budget, &err) < 0)
		status = complain_error("check", c.own->budget, &err);
	else
		status = check_all(&c);
	if (c.limits.budget)
		gate_budget_release(&c.limits);
	if (c.baseline.budget)
		batch_release(&c.baseline);
	if (c.batch.budget)
		batch_release(&c.batch);
	if (c.rules)
		rules_free(c.rules);
	name_patterns_free(c.patterns);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.operands = "FILE...",
	.summary = "Are files within a budget",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_RULES | COMMON_STEPS | COMMON_SYMBOLS,
	.reads = READS_ALL,
	.opts = check_opts,
	.own_bytes = sizeof(struct check_own),
	.run = check_command,
};
