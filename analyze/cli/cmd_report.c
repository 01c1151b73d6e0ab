/* SPDX-License-Identifier: MIT
 * cmd_report.c -- vramscope report: everything about one or several files in one page.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/side_files.h"
#include "passes/info.h"
#include "reports/report_page.h"

#define DEFAULT_MAX_BYTES (64u << 20)
#define FRAG_ROWS         15

struct report_own {
	uint64_t max_html_size;
	bool no_siblings;
};

static const struct opt report_opts[] = {
	{"max-html-size", 0, OPT_BYTES, offsetof(struct report_own, max_html_size), "BYTES",
	 "leave out details so that the page is not larger; without it, 64 MiB", NULL},
	{"no-siblings", 0, OPT_FLAG, offsetof(struct report_own, no_siblings), NULL,
	 "leave files that lie beside FILE under its name", NULL},
	{.name = NULL},
};

/* A device and all that is known of it; `out` points to the rest. */
struct reported_device {
	struct replay *replay;
	struct purpose *purpose;
	struct timeline_groups groups;
	struct timeline timeline;
	struct timeline_verdicts verdicts;
	struct site_table sites;
	struct state frag_state, peak_state;
	struct moment frag_at;
	struct frag frag;
	struct frag_report frag_report;
	struct leaks leaks;
	struct leaks_report leaks_report;
	struct top top;
	bool has_timeline;
};

struct reported_file {
	struct model *model;
	struct rules *rules;
	struct phases_options steps;
	struct study study;
	struct info info;
	struct side_files sides;
	bool has_info, has_sides, has_explain;
	struct explain explain;
	struct reported_device *devices;
	struct report_device *told;
	size_t n_devices;
	const char *name;
};

struct reporting {
	struct invocation *inv;
	struct reported_file *files;
	struct report_file *told;
	size_t n_files;
	struct trend trend;
	bool has_trend, has_diff;
	struct diff diff;
	struct diff_report diff_report;
};

static void device_release(struct reported_device *d)
{
	top_release(&d->top);
	leaks_release(&d->leaks);
	frag_release(&d->frag);
	state_release(&d->frag_state);
	state_release(&d->peak_state);
	site_table_release(&d->sites);
	if (d->has_timeline)
		timeline_release(&d->timeline);
	timeline_verdicts_release(&d->verdicts);
	timeline_groups_release(&d->groups);
	purpose_free(d->purpose);
	replay_free(d->replay);
}

static void file_release(struct reported_file *f)
{
	for (size_t i = 0; i < f->n_devices; i++)
		device_release(&f->devices[i]);
	free(f->devices);
	free(f->told);
	if (f->has_explain)
		explain_release(&f->explain);
	if (f->has_sides)
		side_files_release(&f->sides);
	if (f->has_info)
		info_release(&f->info);
	study_release(&f->study);
	rules_free(f->rules);
	model_free(f->model);
}

static void reporting_release(struct reporting *r)
{
	if (r->has_diff)
		diff_release(&r->diff);
	for (size_t i = 0; i < r->n_files; i++)
		file_release(&r->files[i]);
	if (r->has_trend)
		trend_release(&r->trend);
	free(r->files);
	free(r->told);
}

/* --- one device -------------------------------------------------------------------------------- */

static int device_timeline(struct invocation *inv, const struct model *m, const struct device *d,
			   struct reported_device *out, struct error *err)
{
	const struct replay_summary *s = replay_summary(out->replay);
	struct timeline_options o = {.from = EVENT_START,
				     .to = (int64_t)d->n_events - 1,
				     .max_bands = TIMELINE_MAX_BANDS};
	int rc = 0;

	if (out->purpose && d->n_events) {
		const struct purpose *p = out->purpose;

		rc = timeline_groups_run(&out->groups, GROUP_CATEGORY, &p->allocations,
					 &p->categories, o.from, o.to, s->allocated.event,
					 &inv->budget, err);
		o.groups = &out->groups;
	}
	o.columns = timeline_picture_columns(TIMELINE_DEFAULT_WIDTH, o.groups != NULL);
	if (rc == 0)
		rc = timeline_run(&out->timeline, m, out->replay, d, &o, &inv->budget, err);
	out->has_timeline = rc == 0;
	return rc;
}

static int device_peak(struct invocation *inv, const struct model *m, const struct device *d,
		       struct reported_device *out, struct moment *at, struct error *err)
{
	int rc = moment_parse(at, d->n_events ? "peak" : "end", m, d, out->replay, err);

	if (rc == 0)
		rc = moment_state(&out->peak_state, at, m, out->replay, &inv->budget, err);
	if (rc == 0)
		rc = top_run(&out->top, m, &out->peak_state, TOP_SITE, NULL, NULL, &inv->budget,
			     err);
	return rc;
}

static int device_frag(struct invocation *inv, const struct model *m, const struct device *d,
		       struct reported_device *out, struct error *err)
{
	const char *at = out->has_timeline && out->timeline.ooms.n ? "oom" : "end";
	int rc = moment_parse(&out->frag_at, at, m, d, out->replay, err);

	if (rc < 0 ||
	    (rc = moment_state(&out->frag_state, &out->frag_at, m, out->replay, &inv->budget,
			       err)) < 0 ||
	    (rc = site_table_init(&out->sites, m, &inv->budget, err)) < 0 ||
	    (rc = frag_run(&out->frag, m, &out->frag_state, out->replay, &out->sites, &inv->budget,
			   err)) < 0)
		return rc;
	if (d->n_events <= FRAG_SIMULATE_EVENTS)
		frag_simulate(&out->frag, m, d, out->replay);
	out->frag_report = (struct frag_report){.model = m,
						.state = &out->frag_state,
						.sites = &out->sites,
						.frag = &out->frag,
						.at = &out->frag_at,
						.max_rows = FRAG_ROWS};
	return 0;
}

static int device_leaks(struct invocation *inv, const struct device *d, struct reported_device *out,
			const char *const *file, struct error *err)
{
	const struct purpose *p = out->purpose;
	struct leaks_options o = {
		.until = (int64_t)d->n_events - 1,
		.capacity_bytes = leaks_capacity(&p->allocations,
						 replay_summary(out->replay)->start.reserved),
		.categories = &p->categories};
	int rc = leaks_run(&out->leaks, &p->allocations, &p->phases, &o, &inv->budget, err);

	out->leaks_report = (struct leaks_report){.leaks = &out->leaks,
						  .allocations = &p->allocations,
						  .phases = &p->phases,
						  .files = file,
						  .n_files = 1,
						  .n_joined = 1};
	return rc;
}

static int device_compute(struct invocation *inv, struct reported_file *f, const struct device *d,
			  struct reported_device *out, struct report_device *told)
{
	struct error err;
	int rc = study_replay(&f->study, d, &err) &&
				 (d->no_addresses || study_purpose(&f->study, d, &err))
			 ? 0
			 : (int)err.code;

	study_take(&f->study, &out->replay, &out->purpose);
	*told = (struct report_device){.device = d, .replay = out->replay, .purpose = out->purpose};
	if (rc == 0 && (rc = device_timeline(inv, f->model, d, out, &err)) == 0)
		told->timeline = &out->timeline;
	if (rc == 0 && (rc = device_peak(inv, f->model, d, out, &told->peak, &err)) == 0) {
		told->peak_sites = d->no_addresses ? NULL : &out->top;
		told->peak_state = d->no_addresses ? NULL : &out->peak_state;
	}
	if (rc == 0 && !d->counted && (rc = device_frag(inv, f->model, d, out, &err)) == 0)
		told->frag = &out->frag_report;
	if (rc == 0 && told->purpose && (rc = device_leaks(inv, d, out, &f->name, &err)) == 0)
		told->leaks = &out->leaks_report;
	return rc < 0 ? complain_error("analyse", f->name, &err) : STATUS_DONE;
}

/* --- one file ---------------------------------------------------------------------------------- */

static int file_explain(struct invocation *inv, struct reported_file *f, struct report_file *told)
{
	const struct report_own *own = inv->own;
	struct side_options sides = {.no_siblings = own->no_siblings};
	struct explain_options options = {.one_device = inv->common.device != DEVICE_UNSET,
					  .device = inv->common.device,
					  .side = &f->sides.side};
	struct error err;
	int rc, status = side_files_read(&f->sides, inv, &sides, f->name);

	if (status != STATUS_DONE)
		return status;
	f->has_sides = true;
	rc = explain_run(&f->explain, &f->study, &options, &err);
	if (rc < 0)
		return complain_error("explain", f->name, &err);
	f->has_explain = true;
	told->explain_sources =
		(struct explain_report){.log_file = f->sides.file[SIDE_LOG],
					.observer_file = f->sides.file[SIDE_OBSERVER],
					.smi_file = f->sides.file[SIDE_SMI],
					.driver_file = f->sides.file[SIDE_DRIVER],
					.log = f->sides.side.log};
	return STATUS_DONE;
}

static int file_devices(struct invocation *inv, struct reported_file *f, struct report_file *told)
{
	size_t all = f->model->devices.n;
	int status = STATUS_DONE;

	f->devices = calloc(all + 1, sizeof *f->devices);
	f->told = calloc(all + 1, sizeof *f->told);
	if (!f->devices || !f->told) {
		struct error err;

		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("analyse", f->name, &err);
	}
	for (size_t i = 0; i < all && status == STATUS_DONE; i++) {
		const struct device *d = &f->model->devices.at[i];

		if (inv->common.device != DEVICE_UNSET ? d->index != inv->common.device
						       : d->index == DEVICE_HOST && all > 1)
			continue;
		status = device_compute(inv, f, d, &f->devices[f->n_devices],
					&f->told[f->n_devices]);
		f->n_devices++;
	}
	told->devices = f->told;
	told->n_devices = f->n_devices;
	return status;
}

static int file_compute(struct invocation *inv, const char *name, struct reported_file *f,
			struct report_file *told)
{
	const struct device *ignored;
	struct error err;
	int status;

	f->name = name;
	status = load_model(inv, name, &f->model);
	if (status == STATUS_DONE && inv->common.device != DEVICE_UNSET)
		status = load_named_device(inv, f->model, &ignored);
	if (status != STATUS_DONE)
		return status;
	if ((status = load_rules(inv, &f->rules)) != STATUS_DONE)
		return status;
	f->steps.step_marker = inv->common.step_marker;
	study_init(&f->study, f->model, f->rules, &f->steps, &inv->budget);
	if (info_run(&f->info, &f->study, &err) < 0)
		return complain_analysis(name, &err);
	f->has_info = true;
	status = file_explain(inv, f, told);
	if (status == STATUS_DONE)
		status = file_devices(inv, f, told);
	told->model = f->model;
	told->info = &f->info;
	told->explain = &f->explain;
	return status;
}

/* --- several files ----------------------------------------------------------------------------- */

/* The device that files are compared by: the one with the highest peak. */
static const struct report_device *main_device(const struct report_file *f)
{
	const struct report_device *best = NULL;
	uint64_t highest = 0;

	for (size_t i = 0; i < f->n_devices; i++) {
		uint64_t peak = replay_summary(f->devices[i].replay)->allocated.bytes;

		if (peak != BYTES_NONE && f->devices[i].purpose && (!best || peak > highest)) {
			best = &f->devices[i];
			highest = peak;
		}
	}
	return best;
}

static int compare(struct reporting *r)
{
	const struct report_device *d[2] = {main_device(&r->told[0]), main_device(&r->told[1])};
	struct diff_options o = {.by = TOP_SITE};
	struct diff_side sides[2];
	struct error err;

	if (!d[0] || !d[1])
		return STATUS_DONE;
	for (int i = 0; i < 2; i++) {
		sides[i] = (struct diff_side){.model = r->told[i].model,
					      .device = d[i]->device,
					      .summary = replay_summary(d[i]->replay),
					      .state = d[i]->peak_state,
					      .categories = &d[i]->purpose->categories,
					      .at = d[i]->peak};
		r->diff_report.phases[i] = &d[i]->purpose->phases;
		r->diff_report.allocations[i] = &d[i]->purpose->allocations;
	}
	if (diff_run(&r->diff, &sides[0], &sides[1], &o, &r->inv->budget, &err) < 0)
		return complain_error("compare", r->inv->operands[1], &err);
	r->has_diff = true;
	r->diff_report.diff = &r->diff;
	r->diff_report.since = ALLOCATION_ALIVE;
	r->diff_report.max_rows = 25;
	if (r->diff.rows.n) {
		const struct diff_row *row = &r->diff.rows.at[0];

		if (diff_since(&r->diff_report.since, &r->diff, row,
			       r->diff_report.allocations[row->new_bytes > row->base_bytes],
			       &err) < 0)
			return complain_error("compare", r->inv->operands[1], &err);
	}
	return STATUS_DONE;
}

static int follow(struct reporting *r)
{
	struct error err;
	int rc = trend_init(&r->trend, &r->inv->budget, &err);

	r->has_trend = rc == 0;
	for (size_t i = 0; i < r->n_files && rc == 0; i++) {
		const struct report_device *d = main_device(&r->told[i]);

		rc = d ? trend_add(&r->trend, r->told[i].model, d->device, d->replay, &err)
		       : trend_add_failed(&r->trend, r->files[i].name, "no such events", &err);
	}
	if (rc == 0)
		rc = trend_finish(&r->trend, TREND_BY_NAME, &err);
	return rc < 0 ? complain_error("analyse", r->inv->operands[0], &err) : STATUS_DONE;
}

/* --- the command ------------------------------------------------------------------------------- */

static int compute(struct reporting *r)
{
	struct invocation *inv = r->inv;
	int status = STATUS_DONE;

	r->files = calloc(inv->n_operands, sizeof *r->files);
	r->told = calloc(inv->n_operands, sizeof *r->told);
	if (!r->files || !r->told) {
		struct error err;

		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("analyse", inv->operands[0], &err);
	}
	for (size_t i = 0; i < inv->n_operands && status == STATUS_DONE; i++) {
		status = file_compute(inv, inv->operands[i], &r->files[i], &r->told[i]);
		r->n_files++;
	}
	if (status == STATUS_DONE && r->n_files == 2)
		status = compare(r);
	if (status == STATUS_DONE && r->n_files > 1)
		status = follow(r);
	return status;
}

static int write_page(struct reporting *r)
{
	const struct report_own *own = r->inv->own;
	struct progress progress;
	struct report report = {
		.files = r->told,
		.n_files = r->n_files,
		.diff = r->has_diff ? &r->diff_report : NULL,
		.trend = r->has_trend && r->n_files > 2 ? &r->trend : NULL,
		.max_bytes = own->max_html_size ? own->max_html_size : DEFAULT_MAX_BYTES,
		.budget = &r->inv->budget,
		.progress = progress_step,
		.progress_ctx = &progress,
	};
	struct output o;
	struct error err;
	int rc, status = output_open_raw(r->inv, &o);

	if (status != STATUS_DONE)
		return status;
	progress_start(&progress, "writing",
		       r->inv->common.output ? r->inv->common.output : "page");
	rc = report_write_html(o.out, &report, &err);
	progress_end(&progress);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", r->inv->operands[0], &err);
	}
	for (size_t i = 0; i < r->n_files; i++)
		status = load_status(r->files[i].model, status);
	return output_close(&o, status);
}

static int report_command(struct invocation *inv)
{
	const char *file = inv->common.output ? inv->common.output : "-";
	const char *suffix = output_suffix(file);
	struct reporting r = {.inv = inv};
	int status;

	if (*suffix && strcmp(suffix, ".html") != 0 && strcmp(suffix, ".htm") != 0 &&
	    strncmp(file, "/dev/", 5) != 0) {
		complain("report writes .html, not '%s'", file);
		return STATUS_USAGE;
	}
	status = compute(&r);
	if (status == STATUS_DONE)
		status = write_page(&r);
	reporting_release(&r);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.operands = "FILE...",
	.summary = "Everything in one self-contained interactive page (-o x.html)",
	.min_operands = 1,
	.max_operands = OPERANDS_ANY,
	.common = COMMON_OUTPUT | COMMON_ONLY_DEVICE | COMMON_RULES | COMMON_STEPS | COMMON_SYMBOLS,
	.reads = READS_BLOCKS | READS_SUMS,
	.opts = report_opts,
	.own_bytes = sizeof(struct report_own),
	.run = report_command,
};
