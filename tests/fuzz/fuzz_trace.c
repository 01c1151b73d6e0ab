/* SPDX-License-Identifier: MIT
 * fuzz_trace.c -- chrome traces made of anything: tables hold together, totals add up, memory stays
 * in bounds.
 *
 * The first byte chooses the memory limit, whether faults are refused, and what is kept.
 */
#include <stdlib.h>

#include "model/load_trace.h"
#include "replay/replay.h"
#include "tests/fuzz/fuzz.h"

static void check_device(const struct model *m, const struct device *d, struct budget *budget)
{
	struct replay *r;
	struct state s;
	struct error err;
	uint64_t sum = 0;

	CHECK(!d->n_segments && d->counted);
	if (replay_new(&r, m, d, budget, &err) < 0) {
		CHECK(err.code == ERR_LIMIT);
		return;
	}
	CHECK(replay_summary(r)->allocated.bytes >= replay_summary(r)->end.allocated);
	if (replay_seek(r, (int64_t)d->n_events / 2 - 1, &err) == 0 &&
	    replay_state(r, &s, &err) == 0) {
		for (size_t i = 0; i < s.blocks.n; i++)
			sum += s.blocks.at[i].size;
		CHECK(sum >= s.totals.allocated);
		state_release(&s);
	}
	replay_free(r);
}

/* Other files have targets of their own. */
static bool is_one(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = UINT64_C(64) << 20};
	struct container c;
	struct error err;
	bool one;

	if (container_open_bytes(&c, data, size, &budget, &err) < 0)
		return false;
	one = c.format == CONTAINER_TRACE;
	container_close(&c);
	CHECK(budget.used == 0);
	return one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = UINT64_C(64) << 20};
	struct model_options options = {.budget = &budget};
	struct error err = {0};
	struct model *m;

	if (size == 0)
		return 0;
	if (*data >= 1 && *data <= 8) {
		options.trace_detail = (enum trace_detail)(*data % 3);
		options.strict = *data == 7;
		if (*data > 3)
			budget.limit = UINT64_C(700000) + *data * UINT64_C(1000);
		data++;
		size--;
	}
	if (!is_one(data, size))
		return 0;
	if (model_load_bytes(&m, data, size, "trace", &options, &err) < 0) {
		CHECK(err.code < 0 && err.text[0]);
		CHECK(budget.used == 0);
		return 0;
	}
	CHECK(model_check(m, &err) == 0);
	for (size_t i = 0; i < m->devices.n; i++)
		check_device(m, &m->devices.at[i], &budget);
	model_free(m);
	CHECK(budget.used == 0);
	return 0;
}
