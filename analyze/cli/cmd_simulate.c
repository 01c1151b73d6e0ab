/* SPDX-License-Identifier: MIT
 * cmd_simulate.c -- vramscope simulate: what would have happened under other allocator settings.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/load_input.h"
#include "cli/load_purpose.h"
#include "cli/output.h"
#include "passes/simulate.h"
#include "reports/simulate_report.h"

#define MAX_RUNS 40

struct simulate_own {
	struct opt_strings alloc_conf;
	const char *capacity, *scale;
	double fraction;
	bool matrix, advise, self_check;
};

#define OWN(field) offsetof(struct simulate_own, field)

static const struct opt simulate_opts[] = {
	{"alloc-conf", 'c', OPT_STRINGS, OWN(alloc_conf), "SETTINGS",
	 "settings to try, as in PYTORCH_CUDA_ALLOC_CONF; may be given more than once", NULL},
	{"matrix", 0, OPT_FLAG, OWN(matrix), NULL,
	 "try a set of settings that often matter (the default without --alloc-conf)", NULL},
	{"advise", 0, OPT_FLAG, OWN(advise), NULL,
	 "search for settings that need less, or that survive", NULL},
	{"capacity", 0, OPT_STRING, OWN(capacity), "BYTES",
	 "device memory that the process can have; auto (the default): as far as the trace tells",
	 NULL},
	{"fraction", 0, OPT_F64, OWN(fraction), "F",
	 "per_process_memory_fraction: the part of --capacity that PyTorch may take", NULL},
	{"scale", 0, OPT_STRING, OWN(scale), "N%",
	 "estimate another batch size: scale what steps make and free to N percent", NULL},
	{"self-check", 0, OPT_FLAG, OWN(self_check), NULL,
	 "only check that the model reproduces the trace; exit 1 when it does not", NULL},
	{0},
};

enum simulate_format { SIMULATE_FACTS, SIMULATE_SVG, SIMULATE_HTML };

/* What the command line asks for, understood. */
struct plan {
	enum simulate_format format;
	struct simulate_options options;
	const char *settings[MAX_RUNS];
	size_t n_settings;
};

static enum simulate_format format_of(const struct invocation *inv)
{
	const char *suffix = inv->common.output ? output_suffix(inv->common.output) : "";

	if (!strcmp(suffix, ".svg"))
		return SIMULATE_SVG;
	if (!strcmp(suffix, ".html") || !strcmp(suffix, ".htm"))
		return SIMULATE_HTML;
	return SIMULATE_FACTS;
}

static bool parse_percent(const char *text, unsigned *out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || (*end && strcmp(end, "%")) || n < 1 || n > 10000)
		return false;
	*out = (unsigned)n;
	return true;
}

/* Every text is understood before a file is read. */
static int check_settings(const struct plan *p)
{
	struct alloc_conf conf;
	struct error err;

	for (size_t i = 0; i < p->n_settings; i++)
		if (alloc_conf_parse(&conf, p->settings[i], &err) < 0) {
			complain("--alloc-conf '%s': %s", p->settings[i], err.text);
			return STATUS_USAGE;
		}
	return STATUS_DONE;
}

static int make_plan(const struct invocation *inv, struct plan *p)
{
	const struct simulate_own *own = inv->own;
	uint64_t capacity = BYTES_NONE;
	bool matrix = own->matrix || (!own->alloc_conf.n && !own->self_check && !own->advise);

	*p = (struct plan){.format = format_of(inv), .options = {.scale = 100}};
	if (own->capacity && strcmp(own->capacity, "auto") &&
	    !opt_parse_bytes(own->capacity, &capacity)) {
		complain("--capacity wants bytes or 'auto', not '%s'", own->capacity);
		return STATUS_USAGE;
	}
	if (own->scale && !parse_percent(own->scale, &p->options.scale)) {
		complain("--scale wants 1%% to 10000%%, not '%s'", own->scale);
		return STATUS_USAGE;
	}
	if (own->fraction < 0 || own->fraction > 1 ||
	    (own->fraction > 0 && capacity == BYTES_NONE)) {
		complain("--fraction wants a number from 0 to 1, and --capacity BYTES with it");
		return STATUS_USAGE;
	}
	p->options.capacity = capacity;
	p->options.fraction = own->fraction;
	p->options.columns = p->format == SIMULATE_FACTS ? 0 : SIMULATE_PICTURE_COLUMNS;
	for (size_t i = 0; i < own->alloc_conf.n; i++)
		p->settings[p->n_settings++] = own->alloc_conf.at[i];
	for (size_t i = 0; matrix && simulate_matrix[i] && p->n_settings < MAX_RUNS; i++)
		p->settings[p->n_settings++] = simulate_matrix[i];
	return check_settings(p);
}

/* --- writing ----------------------------------------------------------------------------------- */

static int write_facts(struct invocation *inv, const struct simulate_report *r, int status)
{
	const struct str *file = strtab_get(&r->model->strings, r->model->file);
	struct output o;
	int rc = output_open(inv, &o);

	if (rc != STATUS_DONE)
		return rc;
	emit_object_begin(o.emit, NULL, NULL);
	emit_str(o.emit, "schema", NULL, "vramscope.simulate/1");
	emit_strn(o.emit, "file", NULL, file->bytes, file->length);
	describe_simulate(o.emit, r);
	emit_object_end(o.emit);
	return output_close(&o, load_status(r->model, status));
}

static int write_picture(struct invocation *inv, const struct simulate_report *r,
			 enum simulate_format format, int status)
{
	struct output o;
	struct error err;
	int rc = output_open_raw(inv, &o);

	if (rc != STATUS_DONE)
		return rc;
	rc = format == SIMULATE_SVG ? simulate_write_svg(o.out, r, &err)
				    : simulate_write_html(o.out, r, &err);
	if (rc < 0) {
		output_abandon(&o);
		return complain_error("write", inv->common.output, &err);
	}
	return output_close(&o, load_status(r->model, status));
}

/* --- the command ------------------------------------------------------------------------------- */

/* Every run and the advice; what was made is the caller's to release in any case. */
static int run_all(const struct plan *p, const struct simulate_own *own, struct simulation *s,
		   struct simulate_run *runs, struct simulate_report *r,
		   struct simulate_advice *advice, struct error *err)
{
	for (size_t i = 0; i < p->n_settings; i++) {
		int rc = simulation_run(s, p->settings[i], &p->options, &runs[i], err);

		if (rc < 0)
			return rc;
		r->n_runs = i + 1;
	}
	if (!own->advise)
		return 0;
	r->advised = true;
	return simulation_advise(s, &p->options, advice, &r->n_advice, err);
}

static int simulate_and_write(struct invocation *inv, const struct plan *p, const struct model *m,
			      struct simulation *s)
{
	const struct simulate_own *own = inv->own;
	struct simulate_advice advice[SIMULATE_MAX_ADVICE];
	struct simulate_run *runs = calloc(MAX_RUNS, sizeof *runs);
	struct simulate_report r = {
		.model = m, .s = s, .runs = runs, .advice = advice, .scale = p->options.scale};
	struct error err = {0};
	int status = own->self_check && !s->check.ok ? STATUS_FOUND : STATUS_DONE;

	if (!runs) {
		error_set(&err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		return complain_error("simulate", inv->operands[0], &err);
	}
	if (run_all(p, own, s, runs, &r, advice, &err) < 0)
		status = complain_error("simulate", inv->operands[0], &err);
	else if (p->format == SIMULATE_FACTS)
		status = write_facts(inv, &r, status);
	else
		status = write_picture(inv, &r, p->format, status);
	for (size_t i = 0; i < r.n_runs; i++)
		simulate_run_release(&runs[i]);
	free(runs);
	return status;
}

/* What belongs to the model itself does not grow with the batch. */
static bool is_fixed(unsigned category)
{
	return category == CATEGORY_PARAMETER || category == CATEGORY_GRADIENT ||
	       category == CATEGORY_OPTIMIZER_STATE;
}

static int find_fixed(struct invocation *inv, const struct model *m, const struct device *d,
		      struct replay *r, uint8_t **out)
{
	struct loaded_purpose purpose = {0};
	int status = load_purpose(inv, m, d, r, &purpose);
	const struct categories *c;

	if (status != STATUS_DONE)
		return status;
	c = &purpose.purpose->categories;
	*out = calloc(c->rows.n + 1, 1);
	for (size_t i = 0; *out && i < c->rows.n; i++)
		(*out)[i] = is_fixed(c->rows.at[i].category) ||
			    (c->rows.at[i].category == CATEGORY_UNKNOWN &&
			     i < c->allocations->n_before);
	loaded_purpose_release(&purpose);
	return STATUS_DONE;
}

static int analyse(struct invocation *inv, struct plan *p, const struct model *m,
		   const struct device *d, struct replay *r)
{
	struct simulation s;
	struct error err;
	uint8_t *fixed = NULL;
	int status;

	if (simulation_open(&s, m, r, d, &inv->budget, &err) < 0)
		return complain_error("simulate", inv->operands[0], &err);
	status = p->options.scale != 100 ? find_fixed(inv, m, d, r, &fixed) : STATUS_DONE;
	p->options.fixed = fixed;
	if (status == STATUS_DONE)
		status = simulate_and_write(inv, p, m, &s);
	free(fixed);
	simulation_close(&s);
	return status;
}

static int simulate_command(struct invocation *inv)
{
	struct plan p;
	struct model *m;
	const struct device *d;
	struct replay *r;
	int status = make_plan(inv, &p);

	if (status == STATUS_DONE && p.format == SIMULATE_FACTS)
		status = output_check(inv);
	if (status != STATUS_DONE)
		return status;
	if (p.format != SIMULATE_FACTS && inv->common.json) {
		complain("--json contradicts the suffix of '%s'", inv->common.output);
		return STATUS_USAGE;
	}
	status = load_model(inv, inv->operands[0], &m);
	if (status != STATUS_DONE)
		return status;
	status = load_device(inv, m, &d, &r);
	if (status == STATUS_DONE) {
		status = analyse(inv, &p, m, d, r);
		replay_free(r);
	}
	model_free(m);
	return status;
}

const struct command cmd_simulate = {
	.name = "simulate",
	.operands = "FILE",
	.summary = "What would have happened under other allocator settings",
	.min_operands = 1,
	.max_operands = 1,
	.common = COMMON_REPORT | COMMON_DEVICE,
	.reads = READS_BLOCKS,
	.opts = simulate_opts,
	.own_bytes = sizeof(struct simulate_own),
	.run = simulate_command,
};
