/* SPDX-License-Identifier: MIT
 * test_explain_run.c -- the walk to the ooms of whole models, and which attempts were retried.
 */
#include "passes/explain.h"
#include "passes/oom_events.h"
#include "tests/lib/explain_alone.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#define BASE UINT64_C(0x10000000)
#define SEG  (64 * MIB)

static const struct attr stream0 = {.has_stream = true};

static struct explain run(struct mk_model *k, int32_t device)
{
	struct explain_options options = {.one_device = device != INT32_MIN, .device = device};
	struct error err = {0};
	struct explain x = {0};

	mk_model_done(k);
	is_i64(explain_alone(&x, k->m, &options, &k->budget, &err), 0, "explained");
	return x;
}

static void done(struct mk_model *k, struct explain *x)
{
	explain_release(x);
	ok(mk_model_release(k), "nothing is left");
}

/* A segment of 64 MiB, all of it in one block. */
static void fill(struct mk_model *k, uint64_t address)
{
	mk_model_event(k, ACTION_SEGMENT_ALLOC, address, SEG);
	mk_model_event(k, ACTION_ALLOC, address, SEG);
}

static void final_block(struct mk_model *k, uint64_t address, bool live)
{
	mk_model_segment(k, address, SEG, POOL_LARGE);
	mk_model_block(k, live ? BLOCK_ACTIVE : BLOCK_INACTIVE, SEG, live ? SEG : 0);
}

/* Full at the oom; when the file was written, everything had been freed. */
static void test_dumped_later(void)
{
	struct mk_model k;
	struct explain x;
	const struct explain_oom *o;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	fill(&k, BASE);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 32 * MIB);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, SEG);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, SEG);
	final_block(&k, BASE, false);
	x = run(&k, INT32_MIN);
	is_u64(x.ooms.n, 1, "one oom");
	o = &x.ooms.at[0];
	is_i64(o->event, 2, "its event");
	is_i64(o->time_us, 2, "its time");
	is_str(verdict_name(o->verdict), "capacity", "the state is that at the event, not the end");
	is_u64(o->survey.allocated, SEG, "with everything in use");
	ok(!o->retried, "frees follow: it was not retried");
	is_u64(o->look.n_holders, 1, "one holder");
	is_u64(x.holders.at[0].bytes, SEG, "of all bytes");
	for (size_t i = 0; i < o->n_evidence; i++)
		if (o->evidence[i].kind == EVIDENCE_DUMPED_LATER)
			is_u64(o->evidence[i].count, 2, "evidence: written two events later");
	done(&k, &x);
}

/* Three refusals in a row without a change between them, then one more after an alloc. */
static void test_shared_look(void)
{
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	fill(&k, BASE);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 32 * MIB);
	mk_model_event(&k, ACTION_SNAPSHOT, 0, SEG);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 16 * MIB);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 24 * MIB);
	fill(&k, BASE + 2 * SEG);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 600);
	final_block(&k, BASE, true);
	final_block(&k, BASE + 2 * SEG, true);
	x = run(&k, INT32_MIN);
	is_u64(x.ooms.n, 4, "all ooms are listed");
	ok(x.ooms.at[0].retried, "retried smaller");
	ok(!x.ooms.at[1].retried, "followed by a larger oom, and no stack tells more");
	ok(!x.ooms.at[2].retried, "followed by a larger alloc");
	is_u64(x.main_oom, 3, "the last is told first");
	is_u64(x.ooms.at[1].look.first_holder, x.ooms.at[0].look.first_holder,
	       "nothing changed: one look serves");
	is_u64(x.ooms.at[2].survey.allocated, SEG, "the state before the alloc");
	is_u64(x.ooms.at[3].survey.allocated, 2 * SEG, "and behind it");
	ok(x.ooms.at[3].request.is_small && !x.ooms.at[2].request.is_small, "size classes");
	is_u64(x.ooms.at[3].request.attempted, 2 * MIB, "a small request asks for 2 MiB");
	done(&k, &x);
}

static void test_devices(void)
{
	struct explain_options nine = {.one_device = true, .device = 9};
	struct explain_options two = {.one_device = true, .device = 2};
	struct attr attr = {.has_stream = true, .stream = 7, .has_pool = true, .pool = {2, 0}};
	struct error err = {0};
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	for (int32_t d = 0; d < 3; d++) {
		mk_model_device(&k, d);
		fill(&k, BASE);
		if (d == 1)
			mk_model_event(&k, ACTION_SNAPSHOT, 0, SEG);
		if (d > 0)
			mk_model_event_of(&k, ACTION_OOM, 1 * MIB, 32 * MIB, attr, STACK_ABSENT);
		final_block(&k, BASE, true);
	}
	x = run(&k, INT32_MIN);
	is_u64(x.ooms.n, 2, "ooms of two devices");
	is_i64(x.ooms.at[0].device, 1, "device by device");
	is_i64(x.ooms.at[1].device, 2, "in their order");
	is_u64(x.main_oom, 0, "the last in time is told first");
	is_u64(x.ooms.at[0].request.stream, 7, "the stream of the event");
	ok(x.ooms.at[0].request.pool_known && x.ooms.at[0].request.pool.a == 2, "and its pool");
	explain_release(&x);
	is_i64(explain_alone(&x, k.m, &two, &k.budget, &err), 0, "one device");
	is_u64(x.ooms.n, 1, "has its own oom only");
	explain_release(&x);
	is_i64(explain_alone(&x, k.m, &nine, &k.budget, &err), ERR_NO_MOMENT, "no such device");
	is_str(err.text, "the file has no device 9", "in words");
	ok(mk_model_release(&k), "nothing is left");
}

static void test_no_oom(void)
{
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	fill(&k, BASE);
	final_block(&k, BASE, true);
	mk_model_device(&k, 1);
	fill(&k, BASE);
	fill(&k, BASE + 2 * SEG);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, SEG);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE, SEG);
	final_block(&k, BASE, false);
	final_block(&k, BASE + 2 * SEG, true);
	x = run(&k, INT32_MIN);
	is_u64(x.ooms.n, 0, "no oom");
	ok(x.peak.known, "so the peak is told");
	is_i64(x.peak.device, 1, "of the device that was highest");
	is_i64(x.peak.event, 3, "at its first moment");
	is_u64(x.peak.look.totals.allocated, 2 * SEG, "with its bytes");
	is_u64(x.peak.look.n_holders, 1, "and holders");
	is_u64(x.holders.at[x.peak.look.first_holder].bytes, 2 * SEG, "who have all of them");
	is_u64(x.peak.n_devices, 2, "two devices were looked at");
	done(&k, &x);

	mk_model_init(&k);
	x = run(&k, INT32_MIN);
	ok(!x.peak.known && x.ooms.n == 0, "a file without devices has neither");
	done(&k, &x);
}

static void annotate(struct mk_model *k, const char *name, bool is_end, int64_t time_us)
{
	struct annotation a = {.time_us = time_us, .is_end = is_end};
	struct error err = {0};

	strtab_add(&k->m->strings, name, strlen(name), &a.name, &err);
	if (vec_push(&k->m->annotations, a, &k->budget, &err) < 0)
		diag("%s", err.text);
}

static void test_phases(void)
{
	struct mk_model k;
	struct explain x;
	const struct explain_oom *o;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	annotate(&k, "step", false, 0);
	annotate(&k, "forward", false, 0);
	annotate(&k, "load", true, 1); /* began before the first mark */
	annotate(&k, "forward", true, 2);
	annotate(&k, "backward", false, 2);
	annotate(&k, "optimizer", false, 3);
	fill(&k, BASE);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 32 * MIB);
	final_block(&k, BASE, true);
	x = run(&k, INT32_MIN);
	o = &x.ooms.at[0];
	is_u64(o->n_phases, 2, "two annotations are open at the oom");
	is_str(model_str(k.m, o->phases[0]), "step", "the outer one first");
	is_str(model_str(k.m, o->phases[1]), "backward", "the inner one behind it");
	done(&k, &x);
}

/* A trace that does not meet the segments. */
static void test_cut(void)
{
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	k.m->devices.at[0].trace_meets_segments = false;
	fill(&k, BASE);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 32 * MIB);
	x = run(&k, INT32_MIN);
	is_str(verdict_name(x.ooms.at[0].verdict), "unknown", "a cut file gives no verdict");
	is_u64(x.holders.at[0].bytes, SEG, "but the holders that its events show");
	done(&k, &x);
}

struct frames {
	const char *file, *name;
	int64_t line;
};

/* Innermost first; ended by a frame without a file. */
static stack_id stack_of(struct mk_model *k, const struct frames *f)
{
	struct error err = {0};
	frame_id ids[8];
	stack_id stack = STACK_ABSENT;
	size_t n = 0;

	for (; f->file; f++, n++) {
		struct frame frame = {.line = f->line};

		strtab_add(&k->m->strings, f->file, strlen(f->file), &frame.file, &err);
		strtab_add(&k->m->strings, f->name, strlen(f->name), &frame.name, &err);
		stacks_add_frame(&k->m->stacks, frame, &ids[n], &err);
	}
	stacks_add(&k->m->stacks, ids, n, &stack, &err);
	return stack;
}

/* An oom of 32 MiB in conv.py under main, then another request. */
static void test_retried(void)
{
	static const struct frames conv[] = {{"cudnn.cpp", "workspace", 0},
					     {"conv.py", "forward", 5},
					     {"run.py", "main", 1},
					     {0}};
	static const struct frames conv_again[] = {
		{"cudnn.cpp", "other", 0}, {"conv.py", "forward", 5}, {"run.py", "main", 1}, {0}};
	static const struct frames next_line[] = {
		{"norm.py", "forward", 5}, {"run.py", "main", 2}, {0}};
	static const struct frames thread[] = {
		{"norm.py", "forward", 5}, {"threading.py", "run", 9}, {0}};
	static const struct {
		const char *words;
		enum action action;
		uint64_t size;
		const struct frames *frames;
		bool freed, retried;
	} cases[] = {
		{"the same line asks for more", ACTION_OOM, 40 * MIB, conv_again, false, true},
		{"the next line asks for more", ACTION_OOM, 40 * MIB, next_line, false, false},
		{"the next line asks for less", ACTION_OOM, 8 * MIB, next_line, false, true},
		{"the next line gets less", ACTION_ALLOC, 8 * MIB, next_line, false, true},
		{"the next line gets more", ACTION_ALLOC, 40 * MIB, next_line, false, false},
		{"another thread gets less", ACTION_ALLOC, 8 * MIB, thread, false, false},
		{"something is freed before", ACTION_ALLOC, 8 * MIB, conv, true, false},
	};
	struct oom_events found;
	struct error err = {0};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mk_model k;

		mk_model_init(&k);
		mk_model_device(&k, 0);
		mk_model_event_of(&k, ACTION_OOM, 0, 32 * MIB, stream0, stack_of(&k, conv));
		mk_model_event(&k, ACTION_SNAPSHOT, 0, 0);
		if (cases[i].freed)
			mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 512);
		mk_model_event_of(&k, cases[i].action, BASE, cases[i].size, stream0,
				  stack_of(&k, cases[i].frames));
		mk_model_done(&k);
		is_i64(oom_events_find(&found, k.m, &k.m->devices.at[0], &k.budget, &err), 0,
		       "found");
		ok(found.at.at[0].retried == cases[i].retried, "%s: %s", cases[i].words,
		   cases[i].retried ? "retried" : "not retried");
		if (cases[i].action == ACTION_OOM)
			ok(found.at.n == 2 && !found.at.at[1].retried, "the last one never is");
		vec_release(&found.at, &k.budget);
		ok(mk_model_release(&k), "nothing is left");
	}
}

/* What an optimizer made, and what nobody knows of; the sizes add up. */
static void test_categories(void)
{
	const uint64_t *by;
	struct mk_model k;
	struct explain x;
	stack_id adam;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	adam = mk_model_stack(&k, "/lib/python3/site-packages/torch/optim/adam.py", 100,
			      "_init_group");
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, BASE, SEG);
	mk_model_event_of(&k, ACTION_ALLOC, BASE, SEG / 4, (struct attr){0}, adam);
	mk_model_event(&k, ACTION_ALLOC, BASE + SEG / 4, SEG / 4);
	mk_model_event(&k, ACTION_ALLOC, BASE + SEG / 2, SEG / 4);
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE + SEG / 2, SEG / 4);
	mk_model_event(&k, ACTION_OOM, 1 * MIB, 128 * MIB);
	mk_model_event(&k, ACTION_FREE_COMPLETED, BASE + SEG / 2, SEG / 4);
	mk_model_segment(&k, BASE, SEG, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, SEG / 4, SEG / 4);
	mk_model_block(&k, BLOCK_ACTIVE, SEG / 4, SEG / 4);
	mk_model_block(&k, BLOCK_INACTIVE, SEG / 2, 0);
	x = run(&k, INT32_MIN);
	by = x.ooms.at[0].by_category;
	ok(x.ooms.at[0].categories_known, "what blocks are for is told");
	is_u64(by[CATEGORY_OPTIMIZER_STATE], SEG / 4, "state of the optimizer");
	is_u64(by[CATEGORY_UNKNOWN], SEG / 4, "a block that nothing is known of");
	is_u64(x.ooms.at[0].survey.allocated, SEG / 2, "pending ones are not in use");
	done(&k, &x);
}

/* A profiler tells sums: what is reserved beyond the blocks is idle, nobody knows how. */
static void test_counted(void)
{
	const struct explain_oom *o;
	struct mk_model k;
	struct explain x;
	struct device *d;
	struct error err;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	d = &k.m->devices.at[0];
	d->counted = d->base_known = true;
	d->capacity = 1024 * MIB;
	mk_model_event(&k, ACTION_ALLOC, BASE, 40 * MIB);
	mk_model_event(&k, ACTION_OOM, BYTES_NONE, 128 * MIB);
	for (int i = 0; i < 2; i++) {
		vec_push(&k.m->events.allocated, 40 * MIB, &k.budget, &err);
		vec_push(&k.m->events.reserved, 60 * MIB, &k.budget, &err);
	}
	x = run(&k, INT32_MIN);
	o = &x.ooms.at[0];
	is_u64(o->survey.reserved, 60 * MIB, "reserved as told");
	is_u64(o->survey.unsorted, 20 * MIB, "what no block takes");
	is_i64(o->verdict, VERDICT_UNKNOWN, "so the verdict is open");
	is_u64(o->card.total.bytes, 1024 * MIB, "the card as told");
	is_str(fact_source_name(o->card.total_from), "trace", "by the trace");
	is_i64(o->balance.unattributed, 964 * MIB, "the rest of it");
	ok(!(o->missing & MISSING_CARD), "the card is no question");
	done(&k, &x);
}

int main(void)
{
	test_dumped_later();
	test_shared_look();
	test_devices();
	test_no_oom();
	test_phases();
	test_cut();
	test_retried();
	test_categories();
	test_counted();
	return done_testing();
}
