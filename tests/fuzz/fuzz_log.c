/* SPDX-License-Identifier: MIT
 * fuzz_log.c -- any bytes as a log: bounded memory, amounts in order, every message explained.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/explain.h"
#include "tests/fuzz/fuzz.h"

static void check_amount(const struct amount *a)
{
	if (!a->known)
		CHECK(a->bytes == 0 && a->low == 0 && a->high == 0);
	CHECK(a->low <= a->bytes && a->bytes <= a->high);
}

static void check_message(const struct oom_log *log, const struct oom_message *m)
{
	CHECK(m->line >= 1 && m->line <= log->n_lines);
	CHECK(m->form[0] && memchr(m->form, 0, sizeof m->form));
	CHECK(m->device >= -1 && m->rank >= -1);
	check_amount(&m->attempted);
	check_amount(&m->total);
	check_amount(&m->free);
	check_amount(&m->allowed);
	check_amount(&m->allocated);
	check_amount(&m->reserved);
	check_amount(&m->idle);
	check_amount(&m->self);
	CHECK(m->first_process + m->n_processes <= log->processes.n);
	for (size_t i = 0; i < m->n_processes; i++)
		check_amount(&log->processes.at[m->first_process + i].used);
}

static void check_explained(const struct oom_log *log, struct budget *budget)
{
	struct explain_side side = {.log = log};
	struct explain_options options = {.side = &side};
	struct error err = {0};
	struct explain x;

	if (explain_run_log(&x, &side, &options, budget, &err) < 0) {
		CHECK(err.code == ERR_LIMIT);
		return;
	}
	for (size_t i = 0; i < x.ooms.n; i++) {
		const struct explain_oom *o = &x.ooms.at[i];

		CHECK(o->verdict < VERDICT_COUNT && o->message_only && o->card.message);
		CHECK(o->survey.allocated <= o->survey.reserved);
		CHECK(o->n_evidence <= EXPLAIN_MAX_EVIDENCE && o->n_advice <= EXPLAIN_MAX_ADVICE);
	}
	explain_release(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct error err = {0};
	struct oom_log log;
	struct input *in;
	int rc = input_open_bytes(&in, data, size, &budget, &err);

	if (rc < 0) {
		CHECK(err.text[0]);
		return 0;
	}
	rc = oom_log_read(&log, in, &budget, &err);
	if (rc < 0) {
		CHECK(err.code == (enum err_code)rc && err.text[0]);
	} else {
		for (size_t i = 0; i < log.messages.n; i++)
			check_message(&log, &log.messages.at[i]);
		check_explained(&log, &budget);
		oom_log_release(&log);
	}
	input_close(in);
	CHECK(budget.used == 0);
	return 0;
}
