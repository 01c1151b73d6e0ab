/* SPDX-License-Identifier: MIT
 * load_input.c -- from a file name on the command line to a model, a device and a moment.
 */
#include "cli/load_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/load_purpose.h"
#include "cli/progress.h"
#include "passes/filter.h"
#include "passes/native_frame.h"
#include "passes/symbol_file.h"
#include "passes/symbols.h"
#include "reports/emit.h"

/* What more memory would help: reading costs about the same for each byte of the file. */
static int complain_limit(const struct invocation *inv, const char *file, const struct progress *p)
{
	char limit[UNITS_BUF], need[UNITS_BUF], name[FILE_WORDS_BUF];
	uint64_t bytes = inv->budget.limit;

	units_bytes(limit, bytes);
	file_words(name, file);
	if (p->all == UINT64_MAX || !p->done) {
		complain("cannot read %s: the limit of %s of memory was reached at byte %" PRIu64
			 " (raise --limit)",
			 name, limit, p->done);
		return STATUS_INPUT;
	}
	units_bytes(need, (uint64_t)((double)bytes * ((double)p->all / (double)p->done)));
	complain("cannot read %s: the limit of %s of memory was reached at byte %" PRIu64
		 " of %" PRIu64 "; all of it needs about %s (raise --limit)",
		 file, limit, p->done, p->all, need);
	return STATUS_INPUT;
}

static void warn_damage(const char *file, const struct error *damage)
{
	char name[FILE_WORDS_BUF];

	file_words(name, file);
	if (damage->offset == ERR_NO_OFFSET)
		complain("%s is damaged: %s; what could be read is reported as partial", name,
			 damage->text);
	else
		complain("%s is damaged: %s at byte %" PRIu64
			 "; what could be read is reported as partial",
			 name, damage->text, damage->offset);
}

/* What a command must be able to use for this model, and what the file is. */
static unsigned model_needs(const struct model *m, const char **what)
{
	*what = "a memory timeline";
	if (m->format == CONTAINER_TIMELINE_JSON || m->format == CONTAINER_TIMELINE_RAW)
		return READS_SUMS;
	if (m->format != CONTAINER_TRACE)
		return 0;
	if (m->trace.detail == TRACE_TOTALS) {
		*what = "a chrome trace of which only totals are kept";
		return READS_TOTALS;
	}
	for (size_t i = 0; i < m->devices.n; i++) {
		if (m->devices.at[i].no_addresses) {
			*what = "a chrome trace without addresses";
			return READS_SUMS;
		}
	}
	*what = "a chrome trace";
	return READS_BLOCKS;
}

/* Refuse what the command cannot use, and say who can. */
static int check_reads(const struct invocation *inv, const char *file, const struct model *m)
{
	const char *what;
	char who[200] = "", name[FILE_WORDS_BUF];
	unsigned needs = model_needs(m, &what);
	size_t n = 0;

	if ((inv->command->reads & needs) == needs)
		return STATUS_DONE;
	for (const struct command *const *c = commands; *c; c++) {
		if (((*c)->reads & needs) == needs && n < sizeof who)
			n += (size_t)snprintf(who + n, sizeof who - n, "%s%s", n ? ", " : "",
					      (*c)->name);
	}
	complain("%s is %s, which '%s' cannot use; these can: %s", file_words(name, file), what,
		 inv->command->name, who);
	return STATUS_INPUT;
}

/* Libraries named in one line. */
#define SYMBOLS_TOLD 4

static void tell_symbols(const struct symbols *s, const struct model *m)
{
	char words[600] = "";
	size_t n = 0, missing = 0;

	for (size_t i = 0; i < s->modules.n; i++) {
		const struct symbols_module *module = &s->modules.at[i];

		if (module->resolved || ++missing > SYMBOLS_TOLD || n >= sizeof words)
			continue;
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%.100s (%s)",
				      missing > 1 ? ", " : "",
				      path_base(model_str(m, module->path)),
				      module->other_build ? "another build" : "not found");
	}
	if (missing)
		complain("no symbols of %zu of %zu libraries: %s%s", missing, s->modules.n, words,
			 missing > SYMBOLS_TOLD ? " and others" : "");
}

/* What --symbols says. */
static int symbols_wanted(const struct invocation *inv, const char *paths[OPT_STRINGS_MAX],
			  struct symbols_options *out)
{
	const struct opt_strings *given = &inv->common.symbols;

	*out = (struct symbols_options){
		.paths = paths,
		.recorded_paths = given->n > 0 || inv->command->common & COMMON_SYMBOLS,
	};
	for (size_t i = 0; i < given->n; i++) {
		if (!strcmp(given->at[i], "off"))
			out->recorded_paths = false;
		else if (!strcmp(given->at[i], "auto"))
			out->recorded_paths = true;
		else
			paths[out->n_paths++] = given->at[i];
	}
	if (given->n && (out->n_paths || out->recorded_paths) && !symbol_files_supported()) {
		complain("--symbols needs libdw, which this vramscope was built without");
		return STATUS_USAGE;
	}
	return STATUS_DONE;
}

int load_symbols(struct invocation *inv, struct model *m)
{
	const char *paths[OPT_STRINGS_MAX];
	struct symbols_options options;
	struct symbols s;
	struct error err;
	int status = symbols_wanted(inv, paths, &options);

	if (status != STATUS_DONE || !m || (!options.n_paths && !options.recorded_paths))
		return status;
	if (symbols_resolve(&s, m, &options, &err) < 0)
		return complain_error("name the frames of", model_str(m, m->file), &err);
	if (inv->common.symbols.n)
		tell_symbols(&s, m);
	symbols_release(&s);
	return STATUS_DONE;
}

int load_model(struct invocation *inv, const char *file, struct model **out)
{
	struct progress progress;
	struct error err;
	struct model_options options = {
		.budget = &inv->budget,
		.progress = progress_step,
		.progress_ctx = &progress,
		.strict = inv->common.strict,
	};
	struct model *m;
	int rc;

	/* A timeline needs the events, if not what they belong to. */
	if (inv->common.totals_only)
		options.trace_detail =
			inv->command->reads & READS_TOTALS ? TRACE_TOTALS : TRACE_MEMORY;

	progress_start(&progress, "reading", file);
	rc = model_load(&m, file, &options, &err);
	progress_end(&progress);
	if (rc == ERR_LIMIT)
		return complain_limit(inv, file, &progress);
	if (rc < 0)
		return complain_error("read", file, &err);
	if (m->partial)
		warn_damage(file, &m->damage);
	rc = check_reads(inv, file, m);
	if (rc == STATUS_DONE)
		rc = load_symbols(inv, m);
	if (rc == STATUS_DONE)
		rc = load_site_rules(inv, m);
	if (rc != STATUS_DONE)
		model_free(m);
	else
		*out = m;
	return rc;
}

int load_status(const struct model *m, int status)
{
	return m->partial ? STATUS_INPUT : status;
}

static int replay_of(struct invocation *inv, const struct model *m, const struct device *d,
		     struct replay **out)
{
	struct error err;

	if (replay_new(out, m, d, &inv->budget, &err) < 0)
		return complain_error("analyse", model_str(m, m->file), &err);
	return STATUS_DONE;
}

int load_named_device(struct invocation *inv, const struct model *m, const struct device **device)
{
	int32_t index = inv->common.device;
	char name[FILE_WORDS_BUF];

	*device = NULL;
	if (index == DEVICE_UNSET)
		return STATUS_DONE;
	*device = model_device(m, index);
	if (*device)
		return STATUS_DONE;
	if (index == DEVICE_HOST)
		complain("%s has no pinned host memory", file_words(name, model_str(m, m->file)));
	else
		complain("%s has no device %" PRId32, file_words(name, model_str(m, m->file)),
			 index);
	return STATUS_USAGE;
}

static uint64_t peak_of(const struct replay *r)
{
	uint64_t bytes = replay_summary(r)->allocated.bytes;

	return bytes == BYTES_NONE ? 0 : bytes;
}

int load_device(struct invocation *inv, const struct model *m, const struct device **device,
		struct replay **replay)
{
	const struct device *best = NULL;
	struct replay *best_replay = NULL;
	char name[FILE_WORDS_BUF];
	int status;

	if (inv->common.device != DEVICE_UNSET) {
		status = load_named_device(inv, m, &best);
		if (status == STATUS_DONE)
			status = replay_of(inv, m, best, &best_replay);
		goto out;
	}
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = &m->devices.at[i];
		struct replay *r;

		if (d->index == DEVICE_HOST)
			continue;
		status = replay_of(inv, m, d, &r);
		if (status != STATUS_DONE)
			goto out;
		if (best && peak_of(r) <= peak_of(best_replay)) {
			replay_free(r);
			continue;
		}
		replay_free(best_replay);
		best = d;
		best_replay = r;
	}
	status = best ? STATUS_DONE : STATUS_USAGE;
	if (!best)
		complain("%s holds neither events nor segments of any device",
			 file_words(name, model_str(m, m->file)));
out:
	if (status != STATUS_DONE) {
		replay_free(best_replay);
		return status;
	}
	*device = best;
	*replay = best_replay;
	return STATUS_DONE;
}

int load_filter(struct invocation *inv, const struct model *m, struct filter **out)
{
	const struct common_options *c = &inv->common;
	struct filter_options options = {
		.keep = c->filter.at,
		.n_keep = c->filter.n,
		.drop = c->exclude.at,
		.n_drop = c->exclude.n,
	};
	struct error err;

	*out = NULL;
	if (!options.n_keep && !options.n_drop)
		return STATUS_DONE;
	if (filter_new(out, &options, m, &inv->budget, &err) == 0)
		return STATUS_DONE;
	if (err.code != ERR_USAGE)
		return complain_error("filter", model_str(m, m->file), &err);
	complain("%s", err.text);
	return STATUS_USAGE;
}

const char *load_oom_or(const struct model *m, const struct device *d, const char *otherwise)
{
	for (uint64_t n = d->n_events; n-- > 0;)
		if (m->events.action.at[d->first_event + n] == ACTION_OOM)
			return "oom";
	return otherwise;
}

static int load_at(struct invocation *inv, const char *file, const char *at, bool prefer_oom,
		   struct loaded *out)
{
	struct loaded l = {0};
	struct error err;
	int status = load_model(inv, file, &l.model);

	if (status != STATUS_DONE)
		return status;
	status = load_device(inv, l.model, &l.device, &l.replay);
	if (status != STATUS_DONE)
		goto out;
	if (inv->common.at)
		at = inv->common.at;
	else if (prefer_oom)
		at = load_oom_or(l.model, l.device, at);
	if (moment_parse(&l.at, at, l.model, l.device, l.replay, &err) < 0)
		status = complain_error("find that moment in", file, &err);
out:
	if (status != STATUS_DONE)
		loaded_release(&l);
	else
		*out = l;
	return status;
}

int load_moment(struct invocation *inv, const char *file, const char *at, struct loaded *out)
{
	return load_at(inv, file, at, false, out);
}

int load_oom_moment(struct invocation *inv, const char *file, const char *otherwise,
		    struct loaded *out)
{
	return load_at(inv, file, otherwise, true, out);
}

void loaded_release(struct loaded *l)
{
	replay_free(l->replay);
	model_free(l->model);
	*l = (struct loaded){0};
}
