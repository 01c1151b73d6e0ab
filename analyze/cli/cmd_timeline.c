/* SPDX-License-Identifier: MIT
 * cmd_timeline.c -- vramscope timeline: memory of one device over time, as a picture or as facts.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/output.h"
#include "cli/timeline_run.h"
#include "passes/category_rows.h"
#include "reports/timeline_json.h"
#include "reports/timeline_report.h"

struct own_options {
	unsigned axis; /* index into axis_words */
	unsigned by;   /* enum group_by */
	const char *from, *to, *steps;
	bool window_only;
	uint64_t width;
};

static const char *const axis_words[] = {"time", "event", NULL};
/* In the order of enum group_by. */
static const char *const by_words[] = {"category", "site", "annotation", "stream", "none", NULL};

static const struct opt timeline_opts[] = {
	{"by", 0, OPT_CHOICE, offsetof(struct own_options, by), "KEY",
	 "layers of the picture: category (the default), site, annotation, stream, none", by_words},
	{"x", 'x', OPT_CHOICE, offsetof(struct own_options, axis), "AXIS",
	 "spread the picture by time (the default) or by event", axis_words},
	{"from", 0, OPT_STRING, offsetof(struct own_options, from), "MOMENT",
	 "begin at a moment: start, peak, oom, oom:K, time:US, or an event's number", NULL},
	{"to", 0, OPT_STRING, offsetof(struct own_options, to), "MOMENT", "end at a moment", NULL},
	{"steps", 0, OPT_STRING, offsetof(struct own_options, steps), "A..B",
	 "show steps A to B of the program, counted from 0", NULL},
	{"window-only", 0, OPT_FLAG, offsetof(struct own_options, window_only), NULL,
	 "leave out what lived before the part that is shown", NULL},
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

/* What several pictures, and parts of one, cannot be. */
static int check_combination(const struct invocation *inv, enum format format)
{
	const struct own_options *own = inv->own;
	bool several = inv->n_operands > 1 || inv->common.device == OPT_DEVICE_ALL;

	if (own->steps && (own->from || own->to)) {
		complain("--steps and --from or --to both choose what is shown");
		return STATUS_USAGE;
	}
	if (own->window_only && own->by == GROUP_NONE) {
		complain("--window-only needs layers: --by none has none");
		return STATUS_USAGE;
	}
	if (several && (format == FORMAT_CSV || format >= FORMAT_TORCH)) {
		complain("'%s' can hold one device of one file", inv->common.output);
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

static int check_options(const struct invocation *inv, enum format format)
{
	const struct own_options *own = inv->own;
	int status = check_combination(inv, format);

	if (status != STATUS_DONE)
		return status;
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

static void write_file(struct emit *e, const struct timeline *t)
{
	const struct str *file = strtab_get(&t->model->strings, t->model->file);

	emit_strn(e, "file", NULL, file->bytes, file->length);
	describe_timeline(e, t);
}

static void write_facts(struct emit *e, const struct timeline *const *at, size_t n, bool several)
{
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "schema", NULL, "vramscope.timeline/1");
	if (several)
		emit_array_begin(e, "timelines", NULL);
	for (size_t i = 0; i < n; i++) {
		if (several) {
			if (i > 0 && !emit_is_json(e))
				emit_blank(e);
			emit_object_begin(e, NULL, NULL);
		}
		write_file(e, at[i]);
		if (several)
			emit_object_end(e);
	}
	if (several)
		emit_array_end(e);
	emit_object_end(e);
}

static int write_result(struct invocation *inv, const struct timeline *const *at, size_t n,
			enum format format, unsigned width)
{
	bool several = inv->n_operands > 1 || inv->common.device == OPT_DEVICE_ALL;
	int rc = 0, status = STATUS_DONE;
	struct output o;
	struct error err;

	for (size_t i = 0; i < n; i++)
		status = load_status(at[i]->model, status);
	rc = format == FORMAT_FACTS ? output_open(inv, &o) : output_open_raw(inv, &o);
	if (rc != STATUS_DONE)
		return rc;
	if (format == FORMAT_FACTS)
		write_facts(o.emit, at, n, several);
	else if (format == FORMAT_HTML)
		rc = n > 1 ? timelines_write_html(o.out, at, n, width, &err)
			   : timeline_write_html(o.out, at[0], width, &err);
	else if (format == FORMAT_SVG)
		rc = n > 1 ? timelines_write_svg(o.out, at, n, width, &err)
			   : timeline_write_svg(o.out, at[0], width, &err);
	else
		timeline_write_csv(o.out, at[0]);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, status);
}

/* The rows of a device that torch.profiler would have written. */
static int torch_rows(struct invocation *inv, const struct model *m, const struct device *d,
		      struct replay *r, struct category_rows *out)
{
	struct timeline_groups groups = {0};
	struct loaded_purpose p;
	struct error err;
	int rc, status;

	if (d->no_addresses) {
		if (category_rows_of_events(out, m, d, &inv->budget, &err) < 0)
			return complain_error("analyse", model_str(m, m->file), &err);
		return STATUS_DONE;
	}
	status = load_purpose(inv, m, d, r, &p);
	if (status != STATUS_DONE)
		return status;
	rc = timeline_groups_run(&groups, GROUP_CATEGORY, &p.purpose->allocations,
				 &p.purpose->categories, EVENT_START, (int64_t)d->n_events - 1,
				 EVENT_START, &inv->budget, &err);
	if (rc == 0)
		rc = category_rows_run(out, &p.purpose->allocations, groups.of_row.at, &inv->budget,
				       &err);
	if (rc < 0)
		status = complain_error("analyse", model_str(m, m->file), &err);
	timeline_groups_release(&groups);
	loaded_purpose_release(&p);
	return status;
}

static int write_torch(struct invocation *inv, const struct model *m, enum format format)
{
	struct category_rows rows = {.budget = &inv->budget};
	const struct timeline_row *at = m->timeline.at;
	size_t n = m->timeline.n;
	struct replay *r = NULL;
	const struct device *d;
	struct output o;
	int status = STATUS_DONE;

	if (m->format != CONTAINER_TIMELINE_RAW && m->format != CONTAINER_TIMELINE_JSON) {
		status = load_device(inv, m, &d, &r);
		if (status == STATUS_DONE)
			status = torch_rows(inv, m, d, r, &rows);
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

/* --- pictures ---------------------------------------------------------------------------------- */

/* Everything that the pictures of one command stand on; they point into each other. */
struct pictures {
	struct invocation *inv;
	struct timeline_asked asked;
	VEC(struct model *) models;
	VEC(struct timeline_made *) made;
	VEC(const struct timeline *) timelines;
};

static void pictures_release(struct pictures *p)
{
	struct budget *b = &p->inv->budget;

	for (size_t i = 0; i < p->made.n; i++) {
		timeline_made_release(p->made.at[i]);
		budget_free(b, p->made.at[i], sizeof *p->made.at[i]);
	}
	for (size_t i = 0; i < p->models.n; i++)
		model_free(p->models.at[i]);
	vec_release(&p->timelines, b);
	vec_release(&p->made, b);
	vec_release(&p->models, b);
}

static int add_device(struct pictures *p, const struct model *m, const struct device *d,
		      struct replay *r)
{
	struct budget *b = &p->inv->budget;
	struct timeline_made *made;
	struct error err;
	int status;

	if (vec_reserve(&p->made, p->made.n + 1, b, &err) < 0 ||
	    vec_reserve(&p->timelines, p->made.n + 1, b, &err) < 0 ||
	    !(made = budget_realloc(b, NULL, 0, sizeof *made, &err)))
		return complain_error("analyse", model_str(m, m->file), &err);
	status = timeline_make(p->inv, &p->asked, m, d, r, made);
	if (status != STATUS_DONE) {
		budget_free(b, made, sizeof *made);
		return status;
	}
	p->made.at[p->made.n++] = made;
	p->timelines.at[p->timelines.n++] = &made->timeline;
	return STATUS_DONE;
}

static int add_all_devices(struct pictures *p, const struct model *m)
{
	char name[FILE_WORDS_BUF];
	int status = STATUS_DONE;
	size_t n = p->made.n;

	for (size_t i = 0; i < m->devices.n && status == STATUS_DONE; i++) {
		const struct device *d = &m->devices.at[i];
		struct replay *r;
		struct error err;

		if (d->index == DEVICE_HOST)
			continue;
		if (replay_new(&r, m, d, &p->inv->budget, &err) < 0)
			return complain_error("analyse", model_str(m, m->file), &err);
		status = add_device(p, m, d, r);
		replay_free(r);
	}
	if (status == STATUS_DONE && p->made.n == n) {
		complain("%s holds neither events nor segments of any device",
			 file_words(name, model_str(m, m->file)));
		status = STATUS_USAGE;
	}
	return status;
}

static int add_file(struct pictures *p, const char *file)
{
	struct budget *b = &p->inv->budget;
	const struct device *d;
	struct model *m;
	struct replay *r;
	struct error err;
	int status;

	if (vec_reserve(&p->models, p->models.n + 1, b, &err) < 0)
		return complain_error("read", file, &err);
	status = load_model(p->inv, file, &m);
	if (status != STATUS_DONE)
		return status;
	p->models.at[p->models.n++] = m;
	if (p->inv->common.device == OPT_DEVICE_ALL)
		return add_all_devices(p, m);
	status = load_device(p->inv, m, &d, &r);
	if (status != STATUS_DONE)
		return status;
	status = add_device(p, m, d, r);
	replay_free(r);
	return status;
}

/* Many pictures share the size of a page: columns get fewer, each with its own highest moment. */
#define MANY_COLUMNS 8000

static size_t columns_of(const struct invocation *inv, unsigned width)
{
	const struct own_options *own = inv->own;
	size_t columns = timeline_picture_columns(width, own->by != GROUP_NONE);
	size_t n = inv->n_operands, share;

	if (inv->common.device == OPT_DEVICE_ALL)
		n *= 8;
	share = MANY_COLUMNS / n > 100 ? MANY_COLUMNS / n : 100;
	return n > 1 && share < columns ? share : columns;
}

static int write_pictures(struct invocation *inv, enum format format)
{
	const struct own_options *own = inv->own;
	unsigned width = own->width ? (unsigned)own->width : TIMELINE_DEFAULT_WIDTH;
	bool text = format == FORMAT_FACTS && !wants_json(inv);
	struct pictures p = {.inv = inv};
	int status = STATUS_DONE;

	p.asked = (struct timeline_asked){
		.by = (enum group_by)own->by,
		.from = own->from,
		.to = own->to,
		.steps = own->steps,
		.window_only = own->window_only,
		.by_event = own->axis == 1,
		.columns = text ? TIMELINE_TEXT_COLUMNS : columns_of(inv, width),
		.max_bands = TIMELINE_MAX_BANDS,
	};
	for (size_t i = 0; i < inv->n_operands && status == STATUS_DONE; i++)
		status = add_file(&p, inv->operands[i]);
	if (status == STATUS_DONE)
		status = write_result(inv, p.timelines.at, p.timelines.n, format, width);
	pictures_release(&p);
	return status;
}

/* --- the command ------------------------------------------------------------------------------- */

static int timeline_command(struct invocation *inv)
{
	enum format format = output_format(inv);
	struct model *m;
	int status = check_options(inv, format);

	if (status != STATUS_DONE)
		return status;
	if (format < FORMAT_TORCH)
		return write_pictures(inv, format);
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	status = write_torch(inv, m, format);
	model_free(m);
	return status;
}

const struct command cmd_timeline = {
	.name = "timeline",
	.operands = "FILE...",
	.summary = "Memory over time by category: a picture (-o x.html, x.svg), numbers or text",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_REPORT | COMMON_ALL_DEVICES | COMMON_TRACE | COMMON_RULES | COMMON_STEPS |
		  COMMON_SYMBOLS,
	.reads = READS_BLOCKS | READS_SUMS,
	.opts = timeline_opts,
	.own_bytes = sizeof(struct own_options),
	.run = timeline_command,
};
