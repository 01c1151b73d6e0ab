/* SPDX-License-Identifier: MIT
 * test_study.c -- walks made once for all that ask, of one device at a time.
 */
#include "passes/explain.h"
#include "passes/info.h"
#include "passes/study.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#define BASE UINT64_C(0x10000000)

static void make(struct mk_model *k, int32_t devices)
{
	mk_model_init(k);
	for (int32_t d = 0; d < devices; d++) {
		mk_model_device(k, d);
		mk_model_event(k, ACTION_SEGMENT_ALLOC, BASE, 2 * MIB);
		for (int32_t i = 0; i <= d; i++)
			mk_model_event(k, ACTION_ALLOC, BASE + (uint64_t)i * KIB, KIB);
		mk_model_segment(k, BASE, 2 * MIB, POOL_SMALL);
		for (int32_t i = 0; i <= d; i++)
			mk_model_block(k, BLOCK_ACTIVE, KIB, KIB);
		mk_model_block(k, BLOCK_INACTIVE, 2 * MIB - ((uint64_t)d + 1) * KIB, 0);
	}
	mk_model_done(k);
}

static void test_once(void)
{
	const struct purpose *p;
	struct explain_options options = {0};
	struct error err = {0};
	struct explain x;
	struct info info;
	struct mk_model k;
	struct replay *r;
	struct study s;

	make(&k, 1);
	study_init(&s, k.m, NULL, NULL, &k.budget);
	is_i64(info_run(&info, &s, &err), 0, "info is told");
	r = s.replay;
	p = s.purpose;
	ok(r && p, "the study has what info needed");
	is_u64(p->allocations.rows.n, 1, "the lives of its device");
	is_i64(explain_run(&x, &s, &options, &err), 0, "explained");
	ok(study_replay(&s, &k.m->devices.at[0], &err) == r, "on the same replay");
	ok(study_purpose(&s, &k.m->devices.at[0], &err) == p, "and the same lives");
	explain_release(&x);
	info_release(&info);
	study_release(&s);
	ok(mk_model_release(&k), "nothing is left");
}

static void test_devices(void)
{
	const struct device *one, *two;
	const struct purpose *p;
	struct error err = {0};
	struct mk_model k;
	struct study s;
	uint64_t used;

	make(&k, 2);
	one = &k.m->devices.at[0];
	two = &k.m->devices.at[1];
	study_init(&s, k.m, NULL, NULL, &k.budget);
	p = study_purpose(&s, one, &err);
	ok(p && p->allocations.rows.n == 1, "the first device has one allocation");
	used = k.budget.used;
	p = study_purpose(&s, two, &err);
	ok(p && p->allocations.rows.n == 2, "the second has two");
	ok(s.device == two, "and is the one that is kept");
	p = study_purpose(&s, one, &err);
	ok(p && p->allocations.rows.n == 1, "the first again");
	is_u64(k.budget.used, used, "memory is that of one device");
	study_release(&s);
	ok(mk_model_release(&k), "nothing is left");
}

static void test_take(void)
{
	struct error err = {0};
	struct purpose *p;
	struct mk_model k;
	struct replay *r;
	struct study s;

	make(&k, 2);
	study_init(&s, k.m, NULL, NULL, &k.budget);
	ok(study_replay(&s, &k.m->devices.at[0], &err) != NULL, "a replay alone");
	study_take(&s, &r, &p);
	ok(r && !p, "is all that can be taken");
	ok(study_purpose(&s, &k.m->devices.at[1], &err) != NULL, "the next device");
	is_u64(replay_summary(r)->allocated.bytes, KIB, "leaves what was taken as it is");
	replay_free(r);
	study_take(&s, &r, &p);
	ok(r && p && p->allocations.rows.n == 2, "lives go with their replay");
	purpose_free(p);
	replay_free(r);
	study_release(&s);
	ok(mk_model_release(&k), "nothing is left");
}

static void test_limit(void)
{
	struct error err = {0};
	struct mk_model k;
	struct study s;

	make(&k, 1);
	study_init(&s, k.m, NULL, NULL, &k.budget);
	k.budget.limit = k.budget.used + 64;
	ok(!study_purpose(&s, &k.m->devices.at[0], &err), "too little memory");
	is_i64(err.code, ERR_LIMIT, "is an error");
	k.budget.limit = UINT64_MAX;
	ok(study_purpose(&s, &k.m->devices.at[0], &err) != NULL, "and enough of it is not");
	study_release(&s);
	ok(mk_model_release(&k), "nothing is left");
}

int main(void)
{
	test_once();
	test_devices();
	test_take();
	test_limit();
	return done_testing();
}
