/* SPDX-License-Identifier: MIT
 * cmd_frag.c -- vramscope frag: what cannot be reused or returned, and which live blocks pin it.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/output.h"
#include "passes/frag.h"
#include "reports/frag_report.h"

#define TEXT_ROWS 10

struct frag_options {
	uint64_t limit_rows;
	bool simulate;
};

static const struct opt frag_opts[] = {
	{"limit-rows", 'n', OPT_U64, offsetof(struct frag_options, limit_rows), "N",
	 "show the N largest rows of each table; without it 10, and all with --json", NULL},
	{"simulate", 0, OPT_FLAG, offsetof(struct frag_options, simulate), NULL,
	 "try other settings on traces of more than 20,000 events, too", NULL},
	{0},
};

enum frag_format { FRAG_FACTS, FRAG_SVG, FRAG_HTML };

static enum frag_format format_of(const struct invocation *inv)
{
	const char *suffix = inv->common.output ? output_suffix(inv->common.output) : "";

	if (!strcmp(suffix, ".svg"))
		return FRAG_SVG;
	if (!strcmp(suffix, ".html") || !strcmp(suffix, ".htm"))
		return FRAG_HTML;
	return FRAG_FACTS;
}

static int write_facts(struct invocation *inv, const struct frag_report *r)
{
	const struct str *file = strtab_get(&r->model->strings, r->model->file);
	struct output o;
	int status = output_open(inv, &o);

	if (status != STATUS_DONE)
		return status;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.frag/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_frag(o.emit, r);
	emit_object_end(o.emit);
	return output_close(&o, load_status(r->model, STATUS_DONE));
}

static int write_picture(struct invocation *inv, const struct frag_report *r,
			 enum frag_format format)
{
	struct output o;
	struct error err;
	int status = output_open_raw(inv, &o);

	if (status != STATUS_DONE)
		return status;
	int rc = format == FRAG_SVG ? frag_write_svg(o.out, r, &err)
				    : frag_write_html(o.out, r, &err);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, load_status(r->model, STATUS_DONE));
}

static int analyse(struct invocation *inv, const struct loaded *l, enum frag_format format)
{
	const struct frag_options *own = inv->own;
	struct site_table sites = {0};
	struct state state = {0};
	struct frag frag = {0};
	struct error err;
	int status = STATUS_DONE, rc;

	if ((rc = moment_state(&state, &l->at, l->model, l->replay, &inv->budget, &err)) == 0 &&
	    (rc = site_table_init(&sites, l->model, &inv->budget, &err)) == 0)
		rc = frag_run(&frag, l->model, &state, l->replay, &sites, &inv->budget, &err);
	if (rc == 0 && format == FRAG_FACTS &&
	    (own->simulate || l->device->n_events <= FRAG_SIMULATE_EVENTS))
		frag_simulate(&frag, l->model, l->device, l->replay);
	if (rc < 0) {
		status = complain_error("analyse", model_str(l->model, l->model->file), &err);
	} else {
		struct frag_report r = {
			.model = l->model,
			.state = &state,
			.sites = &sites,
			.frag = &frag,
			.at = &l->at,
			.max_rows = own->limit_rows ? own->limit_rows : TEXT_ROWS,
		};

		status = format == FRAG_FACTS ? write_facts(inv, &r)
					      : write_picture(inv, &r, format);
	}
	frag_release(&frag);
	site_table_release(&sites);
	state_release(&state);
	return status;
}

static int frag_command(struct invocation *inv)
{
	const enum frag_format format = format_of(inv);
	struct loaded l = {0};
	int status = format == FRAG_FACTS ? output_check(inv) : STATUS_DONE;

	if (status != STATUS_DONE)
		return status;
	if (format != FRAG_FACTS && inv->common.json) {
		complain("--json contradicts the suffix of '%s'", inv->common.output);
		return STATUS_USAGE;
	}
	status = load_oom_moment(inv, inv->operands[0], "end", &l);
	if (status != STATUS_DONE)
		return status;
	status = analyse(inv, &l, format);
	loaded_release(&l);
	return status;
}

const struct command cmd_frag = {
	.name = "frag",
	.operands = "FILE",
	.summary = "What cannot be reused or returned, and which live blocks pin it",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_AT | COMMON_SYMBOLS,
	.opts = frag_opts,
	.own_bytes = sizeof(struct frag_options),
	.run = frag_command,
};
