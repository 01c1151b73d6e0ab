/* SPDX-License-Identifier: MIT
 * cmd_diff.c -- vramscope diff: what changed between two files, or two moments of one.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
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
	struct loaded_purpose loaded;
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
	loaded_purpose_release(&f->loaded);
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
	int status = load_model(inv, file, &f->model);

	if (status == STATUS_DONE)
		status = load_device(inv, f->model, &f->device, &f->replay);
	if (status == STATUS_DONE)
		status = load_filter(inv, f->model, &f->filter);
	if (status == STATUS_DONE)
		status = load_purpose(inv, f->model, f->device, f->replay, &f->loaded);
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
		.categories = &f->loaded.purpose->categories,
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
		r->phases[i] = &c->of[i]->loaded.purpose->phases;
		r->allocations[i] = &c->of[i]->loaded.purpose->allocations;
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

enum format { FORMAT_FACTS, FORMAT_HTML, FORMAT_SVG };

static enum format output_format(const struct invocation *inv)
{
	const char *suffix = inv->common.output ? output_suffix(inv->common.output) : "";

	if (!strcmp(suffix, ".html") || !strcmp(suffix, ".htm"))
		return FORMAT_HTML;
	return strcmp(suffix, ".svg") ? FORMAT_FACTS : FORMAT_SVG;
}

static int write_picture(struct invocation *inv, const struct comparison *c,
			 const struct diff_report *r, enum format format)
{
	int status = load_status(c->of[0]->model, load_status(c->of[1]->model, STATUS_DONE));
	struct output o;
	struct error err;
	int rc, opened = output_open_raw(inv, &o);

	if (opened != STATUS_DONE)
		return opened;
	rc = format == FORMAT_HTML ? diff_write_html(o.out, r, &err)
				   : diff_write_svg(o.out, r, &err);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, status);
}

static int check_usage(const struct invocation *inv)
{
	const struct diff_own *own = inv->own;

	if (inv->n_operands == 1 && !own->and_at) {
		complain("diff wants two files, or --at and --and with one");
		return STATUS_USAGE;
	}
	if (output_format(inv) == FORMAT_FACTS)
		return output_check(inv);
	if (inv->common.json) {
		complain("--json contradicts the suffix of '%s'", inv->common.output);
		return STATUS_USAGE;
	}
	return STATUS_DONE;
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
		status = output_format(inv) == FORMAT_FACTS
				 ? write_facts(inv, &c, &r)
				 : write_picture(inv, &c, &r, output_format(inv));
	comparison_release(&c);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.operands = "BASE [NEW]",
	.summary = "What changed between two files, or between two moments of one",
	.min_operands = 1,
	.max_operands = 2,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_FILTER | COMMON_RULES |
		  COMMON_STEPS | COMMON_SYMBOLS,
	.opts = diff_opts,
	.own_bytes = sizeof(struct diff_own),
	.run = diff_command,
};
