/* SPDX-License-Identifier: MIT
 * fuzz_export.c -- every writer over snapshots made of anything: nothing crashes, what is written as
 * a snapshot opens again with as many events, and all memory comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "passes/purpose.h"
#include "replay/moment.h"
#include "reports/export.h"
#include "reports/redact.h"
#include "reports/snapshot_out.h"
#include "tests/fuzz/fuzz.h"

/* Of inputs larger than this one in sixty-four is written: each costs the same code many times. */
#define SMALL 8000

static void write_formats(const struct export *x, struct error *err)
{
	struct out *out;

	CHECK(out_open_memory(&out, err) == 0);
	export_folded(out, x);
	export_speedscope(out, x);
	(void)export_pprof(out, x, err);
	if (!x->by_key) {
		(void)export_perfetto(out, x, err);
		export_allocations_csv(out, x);
		export_allocations_json(out, x);
	}
	export_openmetrics(out, x);
	export_markdown(out, x);
	out_abandon(out);
}

/* Slow beside the others: for some inputs only. */
static void write_database(const struct export *x, struct error *err)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/tmp/fuzz_export.%ld", (long)getpid());
	if (export_sqlite(path, x, err) == 0)
		unlink(path);
}

static void export_state(struct export *x, const struct state *state, bool database)
{
	struct top top = {0};
	struct error err;

	x->state = state;
	x->top = &top;
	if (top_run(&top, x->model, state, TOP_STACK, NULL, x->categories, x->budget, &err) == 0) {
		write_formats(x, &err);
		if (database)
			write_database(x, &err);
		top_release(&top);
	}
	x->by_key = true;
	if (top_run_split(&top, x->model, state, TOP_CATEGORY, NULL, x->categories, x->budget,
			  &err) == 0) {
		write_formats(x, &err);
		top_release(&top);
	}
	x->by_key = false;
}

static void export_device(const struct model *m, const struct device *d, const struct rules *rules,
			  struct budget *budget, bool database)
{
	struct export x = {.model = m, .device = d, .budget = budget};
	struct purpose *p = NULL;
	struct replay *r;
	struct state s;
	struct error err;

	if (replay_new(&r, m, d, budget, &err) < 0)
		return;
	x.replay = r;
	if (purpose_new(&p, rules, m, r, d, NULL, budget, &err) == 0) {
		x.allocations = &p->allocations;
		x.categories = &p->categories;
		x.phases = &p->phases;
		if (replay_seek(r, (int64_t)(d->n_events / 2) - 1, &err) == 0 &&
		    replay_state(r, &s, &err) == 0) {
			export_state(&x, &s, database);
			state_release(&s);
		}
	}
	purpose_free(p);
	replay_free(r);
}

/* Those that belong to a device: of two keys alike the last one counts. */
static uint64_t count_events(const struct model *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		n += m->devices.at[i].n_events;
	return n;
}

/* As a file again, as it is and redacted. */
static void write_snapshot(const struct model *m, struct snapshot_out s, enum snapshot_form form,
			   struct budget *budget)
{
	const struct model_options options = {.budget = budget};
	struct model *copy;
	struct error err;
	struct out *out;
	size_t n;

	CHECK(out_open_memory(&out, &err) == 0);
	if (snapshot_write(out, &s, form, budget, &err) == 0) {
		const char *bytes = out_memory(out, &n);

		if (model_load_bytes(&copy, bytes, n, "again", &options, &err) == 0) {
			CHECK(copy->partial || count_events(copy) == count_events(m));
			model_free(copy);
		} else {
			CHECK(err.code == ERR_LIMIT || err.code == ERR_NOMEM);
		}
	}
	out_abandon(out);
}

static void write_snapshots(const struct model *m, struct budget *budget)
{
	const struct redact_options options = {.key = "key", .key_length = 3};
	struct snapshot_part *parts = calloc(m->devices.n + 1, sizeof *parts);
	struct snapshot_out s = {
		.model = m, .parts = parts, .from_us = TIME_NONE, .to_us = TIME_NONE};
	struct redact *r;
	struct error err;

	CHECK(parts);
	for (size_t i = 0; i < m->devices.n; i++)
		parts[i].n = m->devices.at[i].n_events;
	write_snapshot(m, s, SNAPSHOT_PICKLE, budget);
	write_snapshot(m, s, SNAPSHOT_JSON, budget);
	if (redact_new(&r, m, &options, budget, &err) == 0) {
		s.text = redact_text;
		s.ctx = r;
		write_snapshot(m, s, SNAPSHOT_PICKLE, budget);
		redact_free(r);
	}
	free(parts);
}

/* Chrome traces and memory timelines are no snapshots; the command refuses them. */
static bool is_snapshot(const struct model *m)
{
	return m->format == CONTAINER_PICKLE || m->format == CONTAINER_JSON ||
	       m->format == CONTAINER_HTML;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	const struct model_options options = {.budget = &budget};
	struct rules *rules;
	struct model *m;
	struct error err;

	if (size > SMALL && size % 64 != 0)
		return 0;
	if (model_load_bytes(&m, data, size, "snapshot", &options, &err) < 0)
		return 0;
	if (is_snapshot(m))
		write_snapshots(m, &budget);
	if (rules_new(&rules, &budget, &err) == 0) {
		for (size_t i = 0; i < m->devices.n && i < 4; i++)
			if (!m->devices.at[i].no_addresses)
				export_device(m, &m->devices.at[i], rules, &budget, size % 8 == 0);
		rules_free(rules);
	}
	model_free(m);
	CHECK(budget.used == 0);
	return 0;
}
