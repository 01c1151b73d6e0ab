/* SPDX-License-Identifier: MIT
 * cmd_check.c -- vramscope check: are files within a budget.
 */
#include <errno.h>
#include <string.h>

#include "base/input.h"
#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "cli/side_files.h"
#include "passes/name_facts.h"
#include "reports/batch_collect.h"
#include "reports/gate_report.h"

struct check_own {
	const char *budget, *baseline, *junit, *markdown;
	double margin; /* per cent */
	bool github, update;
};

#define DEFAULT_MARGIN 10

static const struct opt check_opts[] = {
	{"budget", 'b', OPT_STRING, offsetof(struct check_own, budget), "FILE",
	 "the limits, as XML", NULL},
	{"baseline", 0, OPT_STRING, offsetof(struct check_own, baseline), "FILE",
	 "a snapshot that growth is counted from", NULL},
	{"junit", 0, OPT_STRING, offsetof(struct check_own, junit), "FILE",
	 "write what was found as JUnit's XML, too", NULL},
	{"markdown", 0, OPT_STRING, offsetof(struct check_own, markdown), "FILE",
	 "write it as a table of Markdown, too", NULL},
	{"github", 0, OPT_FLAG, offsetof(struct check_own, github), NULL,
	 "print annotations of GitHub Actions in place of text", NULL},
	{"update", 0, OPT_FLAG, offsetof(struct check_own, update), NULL,
	 "write today's figures to the budget, with a margin", NULL},
	{"margin", 0, OPT_F64, offsetof(struct check_own, margin), "PERCENT",
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
static int add_file(struct checker *c, struct batch *b, const char *file)
{
	const struct side_options siblings = {.no_siblings = false};
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
		rc = batch_collect(b, m, &sides.side, c->rules, SIZE_MAX, &err);
		c->unreadable |= m->partial;
		side_files_release(&sides);
		model_free(m);
	}
	if (rc == 0)
		rc = add_rank(c, b, file, &err);
	return rc < 0 ? complain_error("analyse", file, &err) : STATUS_DONE;
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

/* 1 when a limit is exceeded, else 3 when one could not be told or a file was not read whole. */
static int hold(struct checker *c)
{
	struct gate_report r = {
		.limits = &c->limits, .batch = &c->batch, .budget_file = c->own->budget};
	struct gate g;
	struct error err;
	int status;

	if (gate_run(&g, &c->limits, &c->batch, c->has_baseline ? &c->baseline : NULL,
		     &c->inv->budget, &err) < 0)
		return complain_error("check", c->own->budget, &err);
	r.gate = &g;
	status = g.n_exceeded                                   ? STATUS_FOUND
		 : g.n_unknown || c->unreadable || !g.results.n ? STATUS_INPUT
								: STATUS_DONE;
	if (!g.results.n)
		complain("no limit of '%s' is about any of the files", c->own->budget);
	if (write_files(c, &r) != STATUS_DONE)
		status = STATUS_SYSTEM;
	else
		status = say(c, &r, status);
	gate_release(&g);
	return status;
}

static int update(struct checker *c)
{
	double margin = c->own->margin > 0 ? c->own->margin : DEFAULT_MARGIN;
	struct error err;
	struct out *out;

	if (c->unreadable) {
		complain("the budget is left as it is: not every file could be read whole");
		return STATUS_INPUT;
	}
	if (out_open_path(&out, c->own->budget, &err) < 0) {
		complain("cannot write '%s': %s", c->own->budget, err.text);
		return STATUS_SYSTEM;
	}
	return close_file(out, c->own->budget,
			  gate_write_budget(out, &c->batch, margin / 100, &err), &err);
}

static int check_all(struct checker *c)
{
	const struct check_own *own = c->own;
	int status = own->update ? STATUS_DONE : read_budget(c);

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

static int check_command(struct invocation *inv)
{
	struct checker c = {.inv = inv, .own = inv->own};
	struct error err;
	int status = c.own->github ? STATUS_DONE : output_check(inv);

	if (!c.own->budget) {
		complain("check needs --budget FILE (try 'vramscope check --help')");
		status = STATUS_USAGE;
	} else if (c.own->github && inv->common.json) {
		complain("--json contradicts --github");
		status = STATUS_USAGE;
	}
	if (status != STATUS_DONE)
		return status;
	if (name_patterns_new(&c.patterns, NULL, &err) < 0)
		return complain_error("check", c.own->budget, &err);
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
	.common = COMMON_REPORT,
	.reads = READS_ALL,
	.opts = check_opts,
	.own_bytes = sizeof(struct check_own),
	.run = check_command,
};
