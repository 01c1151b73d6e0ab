/* SPDX-License-Identifier: MIT
 * cmd_trend.c -- vramscope trend: what changes over many files in order.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/output.h"
#include "reports/trend_report.h"

#define TOP_ROWS 5

struct trend_own {
	unsigned order; /* enum trend_order */
	uint64_t limit_rows;
};

static const char *const order_words[] = {"name", "time", "given", NULL};

static const struct opt trend_opts[] = {
	{"order", 0, OPT_CHOICE, offsetof(struct trend_own, order), "KEY",
	 "order of the files: by name (numbers count as numbers; without it), time of the first "
	 "event, or as given",
	 order_words},
	{"limit-rows", 'n', OPT_U64, offsetof(struct trend_own, limit_rows), "N",
	 "tell the N largest sites of each file with --json; without it, 5", NULL},
	{.name = NULL},
};

enum format { FORMAT_FACTS, FORMAT_HTML, FORMAT_SVG };

static enum format output_format(const struct invocation *inv)
{
	const char *suffix = inv->common.output ? output_suffix(inv->common.output) : "";

	if (!strcmp(suffix, ".html") || !strcmp(suffix, ".htm"))
		return FORMAT_HTML;
	return strcmp(suffix, ".svg") ? FORMAT_FACTS : FORMAT_SVG;
}

static int check_output(const struct invocation *inv, enum format format)
{
	if (format == FORMAT_FACTS)
		return output_check(inv);
	if (!inv->common.json)
		return STATUS_DONE;
	complain("--json contradicts the suffix of '%s'", inv->common.output);
	return STATUS_USAGE;
}

static int add(struct invocation *inv, const struct model *m, struct trend *t)
{
	const struct device *d;
	struct replay *r;
	struct error err;
	int status = load_device(inv, m, &d, &r);

	if (status != STATUS_DONE)
		return status;
	if (trend_add(t, m, d, r, &err) < 0)
		status = complain_error("analyse", model_str(m, m->file), &err);
	replay_free(r);
	return status == STATUS_DONE ? load_status(m, status) : status;
}

/* A file that cannot be used has said so on stderr and is named in the result. */
static int add_file(struct invocation *inv, const char *file, struct trend *t)
{
	struct model *m;
	struct error err;
	size_t before = t->files.n;
	int status = load_model(inv, file, &m);

	if (status == STATUS_DONE) {
		status = add(inv, m, t);
		model_free(m);
	}
	if (t->files.n == before && trend_add_failed(t, file, complain_last(), &err) < 0)
		return complain_error("analyse", file, &err);
	return status;
}

static void write_facts(struct invocation *inv, struct emit *e, const struct trend *t)
{
	const struct trend_own *own = inv->own;
	const struct str *file =
		strtab_get(&t->strings, t->files.n ? t->files.at[t->files.n - 1].file : STR_NONE);

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.trend/1");
	emit_strn(e, "file", NULL, file->bytes, file->length);
	describe_trend(e, t, own->limit_rows ? own->limit_rows : TOP_ROWS);
	emit_object_end(e);
}

static int write_result(struct invocation *inv, const struct trend *t, enum format format,
			int status)
{
	struct output o;
	struct error err;
	int rc = 0;
	int opened = format == FORMAT_FACTS ? output_open(inv, &o) : output_open_raw(inv, &o);

	if (opened != STATUS_DONE)
		return opened;
	if (format == FORMAT_FACTS)
		write_facts(inv, o.emit, t);
	else if (format == FORMAT_HTML)
		rc = trend_write_html(o.out, t, &err);
	else
		rc = trend_write_svg(o.out, t, &err);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, status);
}

static int trend_command(struct invocation *inv)
{
	const struct trend_own *own = inv->own;
	enum format format = output_format(inv);
	int status = check_output(inv, format), worst = STATUS_DONE;
	struct trend t;
	struct error err;

	if (status != STATUS_DONE)
		return status;
	if (trend_init(&t, &inv->budget, &err) < 0)
		return complain_error("analyse", inv->operands[0], &err);
	for (size_t i = 0; i < inv->n_operands; i++) {
		status = add_file(inv, inv->operands[i], &t);
		if (status > worst)
			worst = status;
	}
	if (worst < STATUS_SYSTEM && trend_finish(&t, (enum trend_order)own->order, &err) < 0)
		worst = complain_error("analyse", inv->operands[0], &err);
	else if (worst < STATUS_SYSTEM)
		worst = write_result(inv, &t, format, worst);
	trend_release(&t);
	return worst;
}

const struct command cmd_trend = {
	.name = "trend",
	.operands = "FILE...",
	.summary = "What changes over many files in order",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_RULES | COMMON_SYMBOLS,
	.opts = trend_opts,
	.own_bytes = sizeof(struct trend_own),
	.run = trend_command,
};
