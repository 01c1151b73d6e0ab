/* SPDX-License-Identifier: MIT
 * test_moment.c -- the words of --at.
 */
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#include "replay/moment.h"

#define BASE UINT64_C(0x7f0000000000)

static struct error err;

static void expect(const struct mk_model *k, const struct replay *r, const char *words,
		   int64_t event)
{
	struct moment at = {0};
	int rc = moment_parse(&at, words, k->m, &k->m->devices.at[0], r, &err);

	if (ok(rc == 0, "'%s' is a moment", words))
		is_i64(at.event, event, "'%s' is event %lld", words, (long long)event);
}

static void refuse(const struct mk_model *k, const struct replay *r, const char *words,
		   enum err_code code, const char *says)
{
	struct moment at = {.event = 4242};
	int rc = moment_parse(&at, words, k->m, &k->m->devices.at[0], r, &err);

	is_i64(rc, code, "'%s' is refused", words);
	ok(rc == code && strstr(err.text, says), "'%s': %s", words, err.text);
	is_i64(at.event, 4242, "'%s' leaves the result alone", words);
}

static void build(struct mk_model *k)
{
	mk_model_init(k);
	mk_model_device(k, 0);
	mk_model_event(k, ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
	mk_model_event(k, ACTION_ALLOC, BASE, 512);
	mk_model_event(k, ACTION_OOM, 0, 512);
	mk_model_event(k, ACTION_ALLOC, BASE + 512, 512);
	mk_model_event(k, ACTION_OOM, 0, 512);
	mk_model_event(k, ACTION_FREE_COMPLETED, BASE, 512);
	for (int i = 0; i < 6; i++)
		k->m->events.time_us.at[i] = 1000 + 10 * (i / 2);
	mk_model_segment(k, BASE, 2 * MIB, POOL_SMALL);
	mk_model_block(k, BLOCK_INACTIVE, 512, 0);
	mk_model_block(k, BLOCK_ACTIVE, 512, 512);
	mk_model_block(k, BLOCK_INACTIVE, 2 * MIB - 1024, 0);
	mk_model_done(k);
}

static void test_states(struct mk_model *k, struct replay *r)
{
	struct moment at;
	struct state s;

	moment_parse(&at, "end", k->m, &k->m->devices.at[0], r, &err);
	ok(at.is_file_end, "'end' is the file's own state");
	ok(moment_state(&s, &at, k->m, r, &k->budget, &err) == 0, "which can be had");
	is_u64(s.totals.allocated, 512, "and counts");
	state_release(&s);
	moment_parse(&at, "peak", k->m, &k->m->devices.at[0], r, &err);
	ok(!at.is_file_end, "'peak' is not");
	ok(moment_state(&s, &at, k->m, r, &k->budget, &err) == 0, "its state can be had");
	is_u64(s.totals.allocated, 1024, "and is the highest");
	is_i64(s.event, 3, "with the event's number");
	state_release(&s);
}

int main(void)
{
	struct mk_model k;
	struct replay *r;

	build(&k);
	if (replay_new(&r, k.m, &k.m->devices.at[0], &k.budget, &err) < 0)
		return 1;
	expect(&k, r, "start", EVENT_START);
	expect(&k, r, "-1", EVENT_START);
	expect(&k, r, "end", 5);
	expect(&k, r, "peak", 3);
	expect(&k, r, "oom", 3);
	expect(&k, r, "oom:0", 1);
	expect(&k, r, "oom:1", 3);
	expect(&k, r, "0", 0);
	expect(&k, r, "5", 5);
	expect(&k, r, "time:1000", 1);
	expect(&k, r, "time:1009", 1);
	expect(&k, r, "time:1010", 3);
	expect(&k, r, "time:9999999999999999", 5);
	expect(&k, r, "time:999", EVENT_START);
	expect(&k, r, "time:1,010", 3);
	refuse(&k, r, "1,000,000", ERR_NO_MOMENT, "no event 1000000");
	refuse(&k, r, "0,5", ERR_USAGE, "no moment");
	refuse(&k, r, ",005", ERR_USAGE, "no moment");
	refuse(&k, r, "1000,000", ERR_USAGE, "no moment");
	refuse(&k, r, "1,0000", ERR_USAGE, "no moment");
	refuse(&k, r, "1,000,", ERR_USAGE, "no moment");
	refuse(&k, r, "9,999,999,999,999,999,999", ERR_USAGE, "no moment");
	refuse(&k, r, "6", ERR_NO_MOMENT, "no event 6");
	refuse(&k, r, "oom:2", ERR_NO_MOMENT, "no oom:2");
	refuse(&k, r, "", ERR_USAGE, "no moment");
	refuse(&k, r, "Peak", ERR_USAGE, "no moment");
	refuse(&k, r, "oom:", ERR_USAGE, "no moment");
	refuse(&k, r, "oom:-1", ERR_USAGE, "no moment");
	refuse(&k, r, "time:12x", ERR_USAGE, "no moment");
	refuse(&k, r, "5 ", ERR_USAGE, "no moment");
	refuse(&k, r, "99999999999999999999", ERR_USAGE, "no moment");
	test_states(&k, r);
	k.m->events.action.at[2] = k.m->events.action.at[4] = ACTION_OTHER;
	refuse(&k, r, "oom", ERR_NO_MOMENT, "no oom event");
	for (int i = 0; i < 6; i++)
		k.m->events.time_us.at[i] = TIME_NONE;
	refuse(&k, r, "time:1000", ERR_NO_MOMENT, "no times");
	k.m->has_segments = false;
	refuse(&k, r, "end", ERR_NO_MOMENT, "no segments");
	replay_free(r);
	ok(mk_model_release(&k), "all memory is given back");
	return done_testing();
}
