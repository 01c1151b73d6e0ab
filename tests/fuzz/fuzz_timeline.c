/* SPDX-License-Identifier: MIT
 * fuzz_timeline.c -- memory timelines made of anything: what is written reads back as the same.
 */
#include <stdlib.h>
#include <string.h>

#include "model/load_timeline.h"
#include "reports/timeline_json.h"
#include "tests/fuzz/fuzz.h"

/* Written raw and read again: the same rows. */
static void check_raw(const struct model *m)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget, .strict = true};
	struct error err;
	struct model *again;
	struct out *o;
	size_t n;

	if (out_open_memory(&o, &err) < 0)
		return;
	timeline_write_json(o, m->timeline.at, m->timeline.n, TIMELINE_RAW_JSON, false);
	out_memory(o, &n);
	/* An empty list says nothing of what it is a list of. */
	if (m->timeline.n) {
		CHECK(model_load_bytes(&again, out_memory(o, &n), n, "again", &options, &err) == 0);
		CHECK(again->format == CONTAINER_TIMELINE_RAW);
		CHECK(again->timeline.n == m->timeline.n);
		for (size_t i = 0; i < m->timeline.n; i++) {
			const struct timeline_row *a = &m->timeline.at[i];
			const struct timeline_row *b = &again->timeline.at[i];

			CHECK(a->time_ns == b->time_ns && a->bytes == b->bytes &&
			      a->action == b->action && a->category == b->category);
		}
		model_free(again);
	}
	out_close(o, &err);
}

static void check_plain(const struct model *m)
{
	struct error err;
	struct out *o;
	size_t n;

	if (out_open_memory(&o, &err) < 0)
		return;
	timeline_write_json(o, m->timeline.at, m->timeline.n, TIMELINE_PLAIN_JSON, true);
	CHECK(out_memory(o, &n) && n > 18);
	CHECK(out_close(o, &err) == 0);
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
	one = c.format == CONTAINER_TIMELINE_RAW || c.format == CONTAINER_TIMELINE_JSON;
	container_close(&c);
	CHECK(budget.used == 0);
	return one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct budget budget = {.limit = LIMIT};
	struct model_options options = {.budget = &budget};
	struct error err = {0};
	struct model *m;

	if (!is_one(data, size))
		return 0;
	if (model_load_bytes(&m, data, size, "timeline", &options, &err) < 0) {
		CHECK(err.code < 0 && err.text[0]);
		CHECK(budget.used == 0);
		return 0;
	}
	CHECK(model_check(m, &err) == 0);
	check_raw(m);
	check_plain(m);
	model_free(m);
	CHECK(budget.used == 0);
	return 0;
}
