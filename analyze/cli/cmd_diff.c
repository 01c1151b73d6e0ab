/* SPDX-License-Identifier: MIT
 * cmd_diff.c -- vramscope diff: what changed between two files, or two moments of one.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_phases.h"
#include "cli/output.h"
#include "passes/categories.h"
#include "reports/describe.h"
#include "reports/diff_report.h"

#define TEXT_ROWS 20

struct diff_own {
	unsigned by; /* enum top_by */
	uint64_t limit_rows;
	const char *and_at;
	bool exact;
};

static const struct opt diff_opts[] = {
	{"by", 'b', OPT_CHOICE, offsetof(struct diff_own, by), "KEY",
	 "compare by site (without it), stack, file, function, annotation, stream, pool or "
	 "category",
	 top_by_words},
	{"and", 0, OPT_STRING, offsetof(struct diff_own, and_at), "MOMENT",
	 "the moment of NEW, or the second moment of one FILE; without it, that of --at", NULL},
	{"exact", 0, OPT_FLAG, offsetof(struct diff_own, exact), NULL,
	 "match places only when path, line and function are equal", NULL},
	{"limit-rows", 'n', OPT_U64, offsetof(struct diff_own, limit_rows), "N",
	 "show the N largest changes; without it 20, and all rows with --json", NULL},
	{.name = NULL},
};

/* One file of the comparison. */
struct opened {
	struct model *model;
	const struct device *device;
	struct replay *replay;
	struct filter *filter;
	struct loaded_phases phases;
	struct categories categories; /* when asked for */
};

struct comparison {
	struct opened files[2];
	const struct opened *of[2]; /* base, new: both the first when one file was given */
	struct moment at[2];
	struct state states[2];
	struct diff diff;
};

static void opened_release(struct opened *f)
{
	categories_release(&f->categories);
	loaded_phases_release(&f->phases);
	filter_free(f->filter);
	replay_free(f->replay);
	model_free(f->model);
}

static void comparison_release(struct comparison *c)
{
	diff_release(&c->diff);
	for (int i = 0; i < 2; i++) {
		state_release(&c->states[i]);
		opened_release(&c->files[i]);
	}
}

static int open_file(struct invocation *inv, const char *file, struct opened *f)
{
	const struct diff_own *own = inv->own;
	int status = load_model(inv, file, &f->model);
	struct error err;

	if (status == STATUS_DONE)
		status = load_device(inv, f->model, &f->device, &f->replay);
	if (status == STATUS_DONE)
		status = load_filter(inv, f->model, &f->filter);
	if (status == STATUS_DONE)
		status = load_phases(inv, f->model, f->device, f->replay, NULL, &f->phases);
	if (status == STATUS_DONE && own->by == TOP_CATEGORY &&
	    categories_run(&f->categories, &f->phases.allocations, &f->phases.stacks,
			   &f->phases.phases, &inv->budget, &err) < 0)
		status = complain_error("analyse", file, &err);
	return status;
}

static int find_moment(struct invocation *inv, struct comparison *c, int side)
{
	const struct diff_own *own = inv->own;
	const struct opened *f = c->of[side];
	const char *at = inv->common.at ? inv->common.at : "peak";
	struct error err;

	if (side && own->and_at)
		at = own->and_at;
	if (moment_parse(&c->at[side], at, f->model, f->device, f->replay, &err) < 0)
		return complain_error("find that moment in", model_str(f->model, f->model->file),
				      &err);
	if (moment_state(&c->states[side], &c->at[side], f->model, f->replay, &inv->budget, &err) <
	    0)
		return complain_error("analyse", model_str(f->model, f->model->file), &err);
	return STATUS_DONE;
}

static struct diff_side side_of(const struct comparison *c, int side)
{
	const struct opened *f = c->of[side];

	return (struct diff_side){
		.model = f->model,
		.device = f->device,
		.summary = replay_summary(f->replay),
		.state = &c->states[side],
		.filter = f->filter,
		.categories = &f->categories,
		.at = c->at[side],
	};
}

static int compare(struct invocation *inv, struct comparison *c)
{
	const struct diff_own *own = inv->own;
	struct diff_options o = {.by = (enum top_by)own->by, .exact = own->exact};
	int status = STATUS_DONE;
	struct diff_side base, new;
	struct error err;

	for (int i = 0; i < 2 && status == STATUS_DONE; i++) {
		c->of[i] = &c->files[i < (int)inv->n_operands ? i : 0];
		if (c->of[i] == &c->files[i])
			status = open_file(inv, inv->operands[i], &c->files[i]);
	}
	for (int i = 0; i < 2 && status == STATUS_DONE; i++)
		status = find_moment(inv, c, i);
	if (status != STATUS_DONE)
		return status;
	base = side_of(c, 0);
	new = side_of(c, 1);
	if (diff_run(&c->diff, &base, &new, &o, &inv->budget, &err) < 0)
		return complain_error("compare", inv->operands[0], &err);
	return STATUS_DONE;
}

static int report_of(struct invocation *inv, const struct comparison *c, struct diff_report *r)
{
	struct error err;

	*r = (struct diff_report){.diff = &c->diff, .since = ALLOCATION_ALIVE};
	for (int i = 0; i < 2; i++) {
		r->phases[i] = &c->of[i]->phases.phases;
		r->allocations[i] = &c->of[i]->phases.allocations;
	}
	if (c->diff.rows.n) {
		const struct diff_row *row = &c->diff.rows.at[0];
		bool grew = row->new_bytes > row->base_bytes;

		if (diff_since(&r->since, &c->diff, row, r->allocations[grew], &err) < 0)
			return complain_error("compare", inv->operands[0], &err);
	}
	return STATUS_DONE;
}

static int write_facts(struct invocation *inv, const struct comparison *c, struct diff_report *r)
{
	const struct diff_own *own = inv->own;
	const struct model *m = c->of[1]->model;
	const struct str *file = strtab_get(&m->strings, m->file);
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	r->max_rows = own->limit_rows        ? own->limit_rows
		      : emit_is_json(o.emit) ? UINT64_MAX
					     : TEXT_ROWS;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.diff/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_diff(o.emit, r);
	emit_object_end(o.emit);
	return output_close(&o, load_status(c->of[0]->model, load_status(m, STATUS_DONE)));
}

static int check_usage(const struct invocation *inv)
{
	const struct diff_own *own = inv->own;

	if (inv->n_operands == 1 && !own->and_at) {
		complain("diff wants two files, or --at and --and with one");
		return STATUS_USAGE;
	}
	return output_check(inv);
}

static int diff_command(struct invocation *inv)
{
	struct comparison c = {0};
	struct diff_report r;
	int status = check_usage(inv);

	if (status != STATUS_DONE)
		return status;
	status = compare(inv, &c);
	if (status == STATUS_DONE)
		status = report_of(inv, &c, &r);
	if (status == STATUS_DONE)
		status = write_facts(inv, &c, &r);
	comparison_release(&c);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.operands = "BASE [NEW]",
	.summary = "What changed between two files, or between two moments of one",
	.min_operands = 1,
	.max_operands = 2,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_FILTER,
	.opts = diff_opts,
	.own_bytes = sizeof(struct diff_own),
	.run = diff_command,
};
