/* SPDX-License-Identifier: MIT
 * cmd_timeline.c -- vramscope timeline: memory of one device over time, as a picture or as facts.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/output.h"
#include "passes/allocations.h"
#include "passes/category_rows.h"
#include "passes/timeline.h"
#include "reports/timeline_json.h"
#include "reports/timeline_report.h"

struct own_options {
	unsigned by; /* index into axis_words */
	const char *from, *to;
	uint64_t width;
};

static const char *const axis_words[] = {"time", "event", NULL};

static const struct opt timeline_opts[] = {
	{"x", 'x', OPT_CHOICE, offsetof(struct own_options, by), "AXIS",
	 "spread the picture by time (the default) or by event", axis_words},
	{"from", 0, OPT_STRING, offsetof(struct own_options, from), "MOMENT",
	 "begin at a moment: start, peak, oom, oom:K, time:US, or an event's number", NULL},
	{"to", 0, OPT_STRING, offsetof(struct own_options, to), "MOMENT", "end at a moment", NULL},
	{"width", 0, OPT_U64, offsetof(struct own_options, width), "PIXELS",
	 "width of the picture, 480 to 4000; without it, 1200", NULL},
	{.name = NULL},
};

enum format {
	FORMAT_FACTS,
	FORMAT_HTML,
	FORMAT_SVG,
	FORMAT_CSV,
	/* The structures of torch.profiler's export_memory_timeline. */
	FORMAT_TORCH,
	FORMAT_TORCH_GZIP,
	FORMAT_TORCH_RAW,
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static enum format output_format(const struct invocation *inv)
{
	static const struct {
		const char *suffix;
		enum format format;
	} formats[] = {{".html", FORMAT_HTML},
		       {".htm", FORMAT_HTML},
		       {".svg", FORMAT_SVG},
		       {".csv", FORMAT_CSV}};
	const char *file = inv->common.output ? inv->common.output : "";
	const char *suffix = output_suffix(file);

	if (ends_with(file, ".raw.json.gz"))
		return FORMAT_TORCH_RAW;
	if (ends_with(file, ".json.gz"))
		return FORMAT_TORCH_GZIP;
	if (!strcmp(suffix, ".json") && !inv->common.json)
		return FORMAT_TORCH;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (!strcmp(suffix, formats[i].suffix))
			return formats[i].format;
	}
	return FORMAT_FACTS;
}

static int check_options(const struct invocation *inv, enum format format)
{
	const struct own_options *own = inv->own;

	if (own->width && (own->width < TIMELINE_MIN_WIDTH || own->width > TIMELINE_MAX_WIDTH)) {
		complain("--width wants a number from %d to %d", TIMELINE_MIN_WIDTH,
			 TIMELINE_MAX_WIDTH);
		return STATUS_USAGE;
	}
	if (format != FORMAT_FACTS && inv->common.json) {
		complain("--json contradicts the suffix of '%s'", inv->common.output);
		return STATUS_USAGE;
	}
	if (format == FORMAT_FACTS && inv->common.output && !inv->common.json) {
		const char *suffix = output_suffix(inv->common.output);

		if (*suffix && strcmp(suffix, ".txt") && strncmp(inv->common.output, "/dev/", 5)) {
			complain("timeline writes .html, .svg, .csv, .json, .json.gz, .raw.json.gz "
				 "and .txt, not '%s'",
				 inv->common.output);
			return STATUS_USAGE;
		}
	}
	return format == FORMAT_FACTS ? output_check(inv) : STATUS_DONE;
}

static bool wants_json(const struct invocation *inv)
{
	return inv->common.json;
}

/* --- writing ----------------------------------------------------------------------------------- */

static void write_facts(struct emit *e, const struct timeline *t)
{
	const struct str *file = strtab_get(&t->model->strings, t->model->file);

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.timeline/1");
	emit_strn(e, "file", NULL, file->bytes, file->length);
	describe_timeline(e, t);
	emit_object_end(e);
}

static int write_result(struct invocation *inv, const struct timeline *t, enum format format,
			unsigned width)
{
	struct output o;
	struct error err;
	int rc = 0, status;

	status = format == FORMAT_FACTS ? output_open(inv, &o) : output_open_raw(inv, &o);
	if (status != STATUS_DONE)
		return status;
	if (format == FORMAT_FACTS)
		write_facts(o.emit, t);
	else if (format == FORMAT_HTML)
		rc = timeline_write_html(o.out, t, width, &err);
	else if (format == FORMAT_SVG)
		rc = timeline_write_svg(o.out, t, width, &err);
	else
		timeline_write_csv(o.out, t);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, load_status(t->model, STATUS_DONE));
}

/* The rows of a device that torch.profiler would have written. */
static int torch_rows(struct invocation *inv, const struct model *m, const struct device *d,
		      struct replay *r, struct category_rows *out, struct error *err)
{
	struct allocations a;
	int rc;

	if (d->no_addresses)
		return category_rows_of_events(out, m, d, &inv->budget, err);
	if ((rc = allocations_run(&a, m, r, d, &inv->budget, err)) < 0)
		return rc;
	rc = category_rows_run(out, &a, NULL, &inv->budget, err);
	allocations_release(&a);
	return rc;
}

static int write_torch(struct invocation *inv, const struct model *m, enum format format)
{
	struct category_rows rows = {.budget = &inv->budget};
	const struct timeline_row *at = m->timeline.at;
	size_t n = m->timeline.n;
	struct replay *r = NULL;
	const struct device *d;
	struct output o;
	struct error err;
	int status = STATUS_DONE;

	if (m->format != CONTAINER_TIMELINE_RAW && m->format != CONTAINER_TIMELINE_JSON) {
		status = load_device(inv, m, &d, &r);
		if (status == STATUS_DONE && torch_rows(inv, m, d, r, &rows, &err) < 0)
			status = complain_error("analyse", inv->operands[0], &err);
		at = rows.rows.at;
		n = rows.rows.n;
	}
	if (status == STATUS_DONE)
		status = output_open_raw(inv, &o);
	if (status == STATUS_DONE) {
		timeline_write_json(
			o.out, at, n,
			format == FORMAT_TORCH_RAW ? TIMELINE_RAW_JSON : TIMELINE_PLAIN_JSON,
			format != FORMAT_TORCH);
		status = output_close(&o, load_status(m, STATUS_DONE));
	}
	category_rows_release(&rows);
	replay_free(r);
	return status;
}

/* --- the command ------------------------------------------------------------------------------- */

static int window(const struct own_options *own, const struct model *m, const struct device *d,
		  struct replay *r, struct timeline_options *o, struct error *err)
{
	struct moment from = {.event = EVENT_START}, to = {.event = (int64_t)d->n_events - 1};
	int rc;

	if (own->from && (rc = moment_parse(&from, own->from, m, d, r, err)) < 0)
		return rc;
	if (own->to && (rc = moment_parse(&to, own->to, m, d, r, err)) < 0)
		return rc;
	if (from.event > to.event)
		return error_set(err, ERR_NO_MOMENT, ERR_NO_OFFSET,
				 "--from is event %lld, after --to, event %lld",
				 (long long)from.event, (long long)to.event);
	o->from = from.event;
	o->to = to.event;
	return 0;
}

static int run_timeline(struct invocation *inv, const struct model *m, enum format format)
{
	const struct own_options *own = inv->own;
	unsigned width = own->width ? (unsigned)own->width : TIMELINE_DEFAULT_WIDTH;
	bool text = format == FORMAT_FACTS && !wants_json(inv);
	struct timeline_options o = {
		.columns = text ? TIMELINE_TEXT_COLUMNS : timeline_picture_columns(width),
		.by_event = own->by == 1,
		.max_bands = TIMELINE_MAX_BANDS};
	const struct device *d;
	struct timeline t;
	struct replay *r;
	struct error err;
	int status = load_device(inv, m, &d, &r);

	if (status != STATUS_DONE)
		return status;
	if (window(own, m, d, r, &o, &err) < 0 ||
	    timeline_run(&t, m, r, d, &o, &inv->budget, &err) < 0) {
		status = complain_error("analyse", inv->operands[0], &err);
	} else {
		status = write_result(inv, &t, format, width);
		timeline_release(&t);
	}
	replay_free(r);
	return status;
}

static int timeline_command(struct invocation *inv)
{
	enum format format = output_format(inv);
	struct model *m;
	int status = check_options(inv, format);

	if (status != STATUS_DONE)
		return status;
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	status =
		format >= FORMAT_TORCH ? write_torch(inv, m, format) : run_timeline(inv, m, format);
	model_free(m);
	return status;
}

const struct command cmd_timeline = {
	.name = "timeline",
	.operands = "FILE",
	.summary =
		"Memory over time: a picture (-o x.html, x.svg), numbers (x.csv, x.json) or text",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_REPORT | COMMON_DEVICE | COMMON_TRACE,
	.reads = READS_BLOCKS | READS_SUMS,
	.opts = timeline_opts,
	.own_bytes = sizeof(struct own_options),
	.run = timeline_command,
};
