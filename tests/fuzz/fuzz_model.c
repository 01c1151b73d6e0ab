/* SPDX-License-Identifier: MIT
 * fuzz_model.c -- snapshots made of anything: what loads has sound tables, can be replayed, and
 * gives all memory back.
 */
#include <stdlib.h>

#include "replay/replay.h"
#include "tests/fuzz/fuzz.h"

/* Other files have targets of their own. */
static bool is_snapshot(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct container c;
	struct error err;
	bool one;

	if (container_open_bytes(&c, data, size, &budget, &err) < 0)
		return false;
	one = c.format == CONTAINER_PICKLE || c.format == CONTAINER_JSON ||
	      c.format == CONTAINER_HTML;
	container_close(&c);
	return one;
}

static void replay_device(const struct model *m, const struct device *d, struct budget *budget)
{
	struct replay *r;
	struct state s;
	struct error err;

	if (replay_new(&r, m, d, budget, &err) < 0) {
		CHECK(err.code == ERR_LIMIT);
		return;
	}
	if (replay_seek(r, (int64_t)(d->n_events / 2) - 1, &err) == 0 &&
	    replay_state(r, &s, &err) == 0)
		state_release(&s);
	replay_free(r);
}

static void load(const uint8_t *data, size_t size, uint64_t limit, bool replays)
{
	struct budget budget = {.limit = limit};
	struct model_options options = {.budget = &budget};
	struct error err = {0};
	struct model *m;

	if (model_load_bytes(&m, data, size, "snapshot", &options, &err) < 0) {
		CHECK(err.code < 0 && err.text[0]);
		CHECK(budget.used == 0);
		return;
	}
	CHECK(!m->partial || m->damage.code == ERR_CUT || m->damage.code == ERR_FORMAT);
	CHECK(model_check(m, &err) == 0);
	/* Few are enough: each costs the same code. */
	for (size_t i = 0; replays && i < m->devices.n && i < 8; i++)
		replay_device(m, &m->devices.at[i], &budget);
	model_free(m);
	CHECK(budget.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!is_snapshot(data, size))
		return 0;
	load(data, size, LIMIT, true);
	/* A limit that is met while loading. */
	load(data, size, 600000 + size % 256 * 256, false);
	return 0;
}
