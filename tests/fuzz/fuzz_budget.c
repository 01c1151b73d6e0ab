/* SPDX-License-Identifier: MIT
 * fuzz_budget.c -- any bytes as a budget: refused with words, or held against files and updated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/gate_report.h"
#include "tests/fuzz/fuzz.h"

static int read_budget(struct gate_budget *g, const void *data, size_t size, struct budget *budget)
{
	struct error err = {0};
	struct input *in;
	int rc = input_open_bytes(&in, data, size, budget, &err);

	if (rc == 0) {
		rc = gate_budget_read(g, in, budget, &err);
		input_close(in);
	}
	CHECK(rc == 0 || (err.code == (enum err_code)rc && err.text[0]));
	return rc;
}

/* Names that a mutated budget is likely to hit. */
static void add_file(struct batch *b, const char *name, int64_t rank)
{
	static const enum batch_table_id tables[] = {BATCH_SITES, BATCH_SITES_END,
						     BATCH_ANNOTATIONS, BATCH_CATEGORIES};
	static const char *const names[] = {"/a/f.py:1 g", "(backward)", "step 1", "ACTIVATION"};
	struct error err;
	size_t file = b->n_rows[BATCH_FILES];

	CHECK(batch_add_row(b, BATCH_FILES, 0, &err) == 0);
	CHECK(batch_set_text(b, BATCH_FILES, FILES_NAME, name, &err) == 0);
	CHECK(batch_set_text(b, BATCH_FILES, FILES_STATUS, rank == 2 ? "partial" : "ok", &err) ==
	      0);
	batch_set_int(b, BATCH_FILES, FILES_RANK, rank);
	batch_set_int(b, BATCH_FILES, FILES_PEAK, 1000 + rank);
	batch_set_int(b, BATCH_FILES, FILES_END, 500);
	batch_set_real(b, BATCH_FILES, FILES_FRAGMENTATION, 0.25);
	batch_set_real(b, BATCH_FILES, FILES_LEAK, 7);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		CHECK(batch_add_row(b, tables[i], file, &err) == 0);
		CHECK(batch_set_text(b, tables[i], HELD_NAME, names[i], &err) == 0);
		batch_set_int(b, tables[i], HELD_BYTES, 400 + 10 * rank);
	}
	for (int64_t i = 0; i < 5; i++) {
		CHECK(batch_add_row(b, BATCH_STEPS, file, &err) == 0);
		batch_set_int(b, BATCH_STEPS, STEPS_WHOLE, 1);
		batch_set_int(b, BATCH_STEPS, STEPS_PEAK, 10 * i);
		batch_set_int(b, BATCH_STEPS, STEPS_END, 10);
	}
}

static void check_result(const struct gate_report *r, const struct gate_result *x)
{
	char words[4096];

	CHECK(x->limit < r->limits->limits.n);
	CHECK(x->file == GATE_NO_FILE || x->file < r->batch->n_rows[BATCH_FILES]);
	CHECK((x->answer == GATE_UNKNOWN) == (x->why != NULL));
	CHECK(x->answer != GATE_KEPT || x->value <= x->most);
	CHECK(x->answer != GATE_EXCEEDED || x->value > x->most);
	CHECK(*gate_result_words(r, x, words, sizeof words));
}

/* What --update writes is a budget of as many limits. */
static void check_update(const struct gate_report *r, struct budget *budget)
{
	struct gate_budget again;
	struct error err = {0};
	struct out *out;
	const char *text;
	size_t n;

	CHECK(out_open_memory(&out, &err) == 0);
	if (gate_update_budget(out, r, 0.1, &err) == 0) {
		text = out_memory(out, &n);
		CHECK(read_budget(&again, text, n, budget) == 0);
		CHECK(again.limits.n == r->limits->limits.n);
		gate_budget_release(&again);
	} else {
		CHECK(err.code == ERR_UNSUPPORTED);
	}
	out_abandon(out);
}

static void use(const struct gate_budget *limits, const struct batch *b,
		const struct batch *baseline, struct budget *budget)
{
	struct gate_report r = {.limits = limits, .batch = b, .budget_file = "budget.xml"};
	struct gate g;
	struct error err;
	struct out *out;

	CHECK(gate_run(&g, limits, b, baseline, budget, &err) == 0);
	r.gate = &g;
	for (size_t i = 0; i < g.results.n; i++)
		check_result(&r, &g.results.at[i]);
	CHECK(out_open_memory(&out, &err) == 0);
	CHECK(gate_write_junit(out, &r, &err) == 0);
	gate_write_github(out, &r);
	gate_write_markdown(out, &r);
	out_abandon(out);
	check_update(&r, budget);
	gate_release(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct gate_budget limits;
	struct batch b;
	struct error err;

	if (read_budget(&limits, data, size, &budget) == 0) {
		CHECK(limits.limits.n > 0);
		CHECK(batch_init(&b, &budget, &err) == 0);
		add_file(&b, "rank0", 0);
		add_file(&b, "rank1", 1);
		add_file(&b, "rank2", 2);
		use(&limits, &b, NULL, &budget);
		use(&limits, &b, &b, &budget);
		batch_release(&b);
		gate_budget_release(&limits);
	}
	CHECK(budget.used == 0);
	return 0;
}
