/* SPDX-License-Identifier: MIT
 * test_explain_cases.c -- whole failures, small: unwound dumps, pools, survivors, messages, causes.
 */
#include <string.h>

#include "passes/explain.h"
#include "tests/lib/explain_alone.h"
#include "tests/lib/mk_model.h"
#include "tests/lib/tap.h"

#define GIB  (UINT64_C(1) << 30)
#define BASE UINT64_C(0x10000000)

static const struct attr stream0 = {.has_stream = true};

static struct explain explain(struct mk_model *k, const struct explain_side *side)
{
	struct explain_options options = {.side = side};
	struct error err = {0};
	struct explain x = {0};

	mk_model_done(k);
	if (!is_i64(explain_alone(&x, k->m, &options, &k->budget, &err), 0, "explained"))
		diag("%s", err.text);
	return x;
}

static void done(struct mk_model *k, struct explain *x)
{
	explain_release(x);
	ok(mk_model_release(k), "nothing is left");
}

static const struct evidence *evidence(const struct explain_oom *o, enum evidence_kind kind)
{
	for (size_t i = 0; i < o->n_evidence; i++)
		if (o->evidence[i].kind == kind)
			return &o->evidence[i];
	return NULL;
}

static const struct advice *advice(const struct explain_oom *o, enum advice_kind kind)
{
	for (size_t i = 0; i < o->n_advice; i++)
		if (o->advice[i].kind == kind)
			return &o->advice[i];
	return NULL;
}

static struct oom_log read_log(const char *text, struct budget *budget)
{
	struct oom_log log = {0};
	struct error err = {0};
	struct input *in;

	if (input_open_bytes(&in, text, strlen(text), budget, &err) < 0 ||
	    oom_log_read(&log, in, budget, &err) < 0)
		diag("%s", err.text);
	input_close(in);
	return log;
}

/* The sheet adds up to the card. */
static void sums_up(const struct explain_oom *o)
{
	const struct balance *b = &o->balance;
	const struct survey *s = &o->survey;
	uint64_t sum = s->live + s->slack + s->pending + s->usable + o->device_free;

	for (unsigned u = 0; u < UNUSABLE_COUNT; u++)
		sum += s->unusable[u];
	if (o->message_only)
		sum += s->reserved - s->allocated;
	sum += b->others.known ? b->others.bytes : 0;
	sum += b->outside.known ? b->outside.bytes : 0;
	is_u64(sum + (uint64_t)b->unattributed, b->total.bytes, "the sheet adds up to the card");
	ok(b->unattributed_low <= b->unattributed && b->unattributed <= b->unattributed_high,
	   "unattributed lies in its bounds");
}

/* --- snapshots --------------------------------------------------------------------------------- */

static void expandable_device(struct mk_model *k, int32_t index, uint64_t live)
{
	uint64_t base = BASE << 4 * index;

	mk_model_device(k, index);
	mk_model_event_of(k, ACTION_SEGMENT_MAP, base, 1000 * MIB, stream0, STACK_ABSENT);
	mk_model_event_of(k, ACTION_ALLOC, base, live, stream0, STACK_ABSENT);
}

static void expandable_segment(struct mk_model *k, int32_t index, uint64_t live)
{
	mk_model_segment(k, BASE << 4 * index, 1000 * MIB, POOL_LARGE)->is_expandable = true;
	if (live)
		mk_model_block(k, BLOCK_ACTIVE, live, live);
	mk_model_block(k, BLOCK_INACTIVE, 1000 * MIB - live, 0);
}

/* Written after Python had unwound: the segments show hardly anything in use. */
static void test_unwound(void)
{
	static const char message[] =
		"CUDA out of memory. Tried to allocate 60.00 MiB. GPU 1 has a total capacity of "
		"1.00 GiB "
		"of which 1.00 MiB is free. Including non-PyTorch memory, this process has 1016.00 "
		"MiB "
		"memory in use. Of the allocated memory 998.00 MiB is allocated by PyTorch, and "
		"2.00 MiB "
		"is reserved by PyTorch but unallocated. If reserved but unallocated memory is "
		"large try "
		"setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";
	struct explain_side side = {0};
	const struct explain_oom *o;
	struct oom_log log;
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	for (int32_t d = 0; d < 3; d++) {
		expandable_device(&k, d, d == 1 ? 998 * MIB : 4 * MIB);
		if (d == 1) {
			mk_model_event_of(&k, ACTION_OOM, 1 * MIB, 60 * MIB, stream0, STACK_ABSENT);
			mk_model_event(&k, ACTION_FREE_REQUESTED, BASE << 4, 998 * MIB);
			mk_model_event(&k, ACTION_FREE_COMPLETED, BASE << 4, 998 * MIB);
		}
		expandable_segment(&k, d, d == 1 ? 0 : 4 * MIB);
	}
	k.m->settings.known = k.m->settings.expandable_segments = true;
	log = read_log(message, &k.budget);
	side.log = &log;
	x = explain(&k, &side);
	o = &x.ooms.at[x.main_oom];
	is_u64(x.ooms.n, 1, "one failure on three devices");
	is_i64(o->device, 1, "on the second");
	is_str(verdict_name(o->verdict), "capacity", "99.8 %% in use is full, not fragmented");
	ok(!advice(o, ADVICE_EXPANDABLE) && !advice(o, ADVICE_MAX_SPLIT),
	   "what is on is not advised");
	ok(evidence(o, EVIDENCE_DUMPED_LATER) != NULL, "evidence: the file was written later");
	ok(evidence(o, EVIDENCE_HINT_WRONG) && evidence(o, EVIDENCE_HINT_WRONG)->count2 == 1,
	   "evidence: PyTorch's hint asks for what is on");
	is_u64(o->balance.outside.bytes, 16 * MIB, "what the message knows of this process");
	is_i64(o->confidence, CONFIDENCE_HIGH, "nothing is missing");
	sums_up(o);
	oom_log_release(&log);
	done(&k, &x);
}

/* 64 MiB that were freed and wait for a side stream. */
static void test_pending(void)
{
	struct explain_side side = {.device_memory = 512 * MIB};
	const struct explain_oom *o;
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	for (uint64_t i = 0; i < 2; i++) {
		mk_model_event_of(&k, ACTION_SEGMENT_ALLOC, BASE + i * 128 * MIB, 64 * MIB, stream0,
				  STACK_ABSENT);
		mk_model_event_of(&k, ACTION_ALLOC, BASE + i * 128 * MIB, 64 * MIB, stream0,
				  STACK_ABSENT);
	}
	mk_model_event(&k, ACTION_FREE_REQUESTED, BASE, 64 * MIB);
	mk_model_event_of(&k, ACTION_OOM, 8 * MIB, 60 * MIB, stream0, STACK_ABSENT);
	mk_model_segment(&k, BASE, 64 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_PENDING, 64 * MIB, 64 * MIB);
	mk_model_segment(&k, BASE + 128 * MIB, 64 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, 64 * MIB, 64 * MIB);
	x = explain(&k, &side);
	o = &x.ooms.at[0];
	is_str(verdict_name(o->verdict), "pending_free", "it would have served");
	is_u64(o->survey.pending, 64 * MIB, "with all its bytes");
	ok(advice(o, ADVICE_RECORD_STREAM) && advice(o, ADVICE_RECORD_STREAM)->bytes == 64 * MIB,
	   "advice: what record_stream holds back");
	is_i64(o->cause.cause, CAUSE_NONE, "what lives is not the reason");
	sums_up(o);
	done(&k, &x);
}

/* The only free memory is a CUDA graph's. */
static void test_graph_pool(bool pool_told)
{
	struct attr attr = {.has_stream = true, .has_pool = pool_told};
	const struct explain_oom *o;
	struct mk_model k;
	struct explain x;
	struct segment *seg;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event_of(&k, ACTION_OOM, 8 * MIB, 60 * MIB, attr, STACK_ABSENT);
	mk_model_segment(&k, BASE, 64 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, 64 * MIB, 64 * MIB);
	seg = mk_model_segment(&k, BASE + 128 * MIB, 64 * MIB, POOL_LARGE);
	seg->pool = (struct pool_id){1, 0};
	seg->has_pool = true;
	mk_model_block(&k, BLOCK_INACTIVE, 64 * MIB, 0);
	x = explain(&k, NULL);
	o = &x.ooms.at[0];
	is_str(verdict_name(o->verdict), "stranded_cache", "it lies in a graph's pool");
	is_u64(o->survey.unusable[UNUSABLE_OTHER_POOL], 64 * MIB, "all of it");
	ok(o->n_advice && o->advice[0].kind == ADVICE_SHARE_POOL, "advice: share pools");
	is_i64(o->confidence, pool_told ? CONFIDENCE_HIGH : CONFIDENCE_LOW,
	       "sure only where the event tells its pool");
	ok(!(o->missing & MISSING_POOL) == pool_told, "else that is what is missing");
	done(&k, &x);
}

/* A segment of 18 MiB holes between thirty blocks of 2 MiB; the eighth has larger ones beside it. */
static void test_survivors(void)
{
	const struct explain_oom *o;
	const struct pinner *first;
	stack_id eighth, others;
	struct mk_model k;
	struct explain x;
	uint64_t size = 0;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	eighth = mk_model_stack(&k, "/app/a.py", 8, "eighth");
	others = mk_model_stack(&k, "/app/a.py", 1, "others");
	mk_model_event_of(&k, ACTION_OOM, 8 * MIB, 100 * MIB, stream0, others);
	for (int i = 0; i < 31; i++)
		size += (i == 7 ? 40 : i == 8 ? 50 : 18) * MIB + (i < 30 ? 2 * MIB : 0);
	mk_model_segment(&k, BASE, size, POOL_LARGE);
	for (int i = 0; i < 31; i++) {
		mk_model_block(&k, BLOCK_INACTIVE, (i == 7 ? 40 : i == 8 ? 50 : 18) * MIB, 0);
		if (i < 30)
			mk_model_block(&k, BLOCK_ACTIVE, 2 * MIB, 2 * MIB)->stack =
				i == 7 ? eighth : others;
	}
	x = explain(&k, NULL);
	o = &x.ooms.at[0];
	is_str(verdict_name(o->verdict), "fragmentation", "holes between survivors");
	is_u64(o->all_pinners, 30, "thirty survivors");
	is_u64(o->n_pinners, 30, "all of them are named");
	first = &x.pinners.at[o->first_pinner];
	is_u64(first->joins, 92 * MIB, "first the one that frees the longest run");
	ok(site_compare(k.m, first->site, site_of_stack(k.m, eighth)) == 0, "by its site");
	for (size_t i = 1; i < o->n_pinners; i++)
		if (first[i].joins > first[i - 1].joins)
			ok(false, "survivor %zu leaves more than the one before", i);
	is_u64(o->plan.blocks, 2, "two of them would have been enough");
	is_u64(o->plan.live_bytes, 4 * MIB, "with 4 MiB");
	is_u64(o->plan.hole, 112 * MIB, "for a hole of 112 MiB");
	ok(!o->plan.one_site, "of two sites");
	ok(advice(o, ADVICE_MOVE_FEW) && advice(o, ADVICE_MOVE_FEW)->count == 2, "and so it says");
	done(&k, &x);
}

/* The device has little free, but it was the limit that the message tells. */
static void test_limit_told(void)
{
	static const char message[] =
		"CUDA out of memory. Tried to allocate 60.00 MiB. GPU 0 has a total capacity of "
		"1.00 GiB "
		"of which 70.00 MiB is free. 100.00 MiB allowed; Of the allocated memory 64.00 MiB "
		"is "
		"allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.";
	struct explain_side side = {0};
	const struct explain_oom *o;
	struct oom_log log;
	struct mk_model k;
	struct explain x;

	mk_model_init(&k);
	mk_model_device(&k, 0);
	mk_model_event_of(&k, ACTION_OOM, 70 * MIB, 60 * MIB, stream0, STACK_ABSENT);
	mk_model_segment(&k, BASE, 64 * MIB, POOL_LARGE);
	mk_model_block(&k, BLOCK_ACTIVE, 64 * MIB, 64 * MIB);
	log = read_log(message, &k.budget);
	side.log = &log;
	x = explain(&k, &side);
	o = &x.ooms.at[0];
	is_str(verdict_name(o->verdict), "process_limit", "100 MiB allowed, 124 wanted");
	ok(evidence(o, EVIDENCE_LIMIT_KNOWN) &&
		   evidence(o, EVIDENCE_LIMIT_KNOWN)->of_bytes == 124 * MIB,
	   "evidence: what it would have reserved");
	ok(advice(o, ADVICE_RAISE_LIMIT) && advice(o, ADVICE_RAISE_LIMIT)->param == 24 * MIB,
	   "advice: by how much to raise it");
	explain_release(&x);
	is_i64(explain_alone(&x, k.m, &(struct explain_options){0}, &k.budget, NULL), 0,
	       "once more");
	is_str(verdict_name(x.ooms.at[0].verdict), "capacity", "without the message nobody knows");
	ok(x.ooms.at[0].missing & MISSING_CARD, "and the card is missing");
	oom_log_release(&log);
	done(&k, &x);
}

/* --- messages alone ---------------------------------------------------------------------------- */

#define MESSAGE(attempted, free, rest, allocated, idle)                                           \
	"CUDA out of memory. Tried to allocate " attempted " GiB. GPU 0 has a total capacity of " \
	"80.00 GiB of which " free " GiB is free. " rest "Of the allocated memory " allocated     \
	" GiB is allocated by PyTorch, and " idle " GiB is reserved by PyTorch but unallocated. "

static void test_messages(void)
{
	static const struct {
		const char *text, *verdict, *words;
		enum evidence_kind evidence;
	} cases[] = {
		{MESSAGE("100.00", "70.00", "", "5.00", "1.00"), "request_too_large",
		 "more than the card", EVIDENCE_ALL_GIVEN_BACK},
		{MESSAGE("2.00", "1.00", "Process 7 has 60.00 GiB memory in use. ", "18.00",
			 "0.00"),
		 "other_processes", "another process has most of it", EVIDENCE_OTHERS},
		{MESSAGE("2.00", "1.00", "Process 7 has 10.00 GiB memory in use. ", "65.00",
			 "0.00"),
		 "capacity", "another has less than this one", EVIDENCE_OTHERS},
		{MESSAGE("2.00", "1.00",
			 "Including non-PyTorch memory, this process has 78.00 GiB memory in use. ",
			 "20.00", "0.50"),
		 "outside_allocator", "this process has most of it, not through PyTorch",
		 EVIDENCE_OUTSIDE},
		{MESSAGE("2.00", "60.00", "", "18.00", "0.00"), "process_limit",
		 "the device has too much free", EVIDENCE_LIMIT},
		{MESSAGE("2.00", "60.00", "10.00 GiB allowed; ", "9.00", "0.10"), "process_limit",
		 "a limit that is told", EVIDENCE_LIMIT_KNOWN},
		{MESSAGE("2.00", "1.00", "", "60.00", "15.00"), "unknown", "as much is idle",
		 EVIDENCE_IDLE_UNSORTED},
		{MESSAGE("2.00", "1.00", "", "78.00",
			 "0.10") "If reserved but unallocated memory is large try setting "
				 "max_split_size_mb to avoid",
		 "capacity", "a hint that does not help", EVIDENCE_HINT_WRONG},
	};
	struct budget budget = {.limit = UINT64_C(1) << 26};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct oom_log log = read_log(cases[i].text, &budget);
		struct explain_side side = {.log = &log};
		struct explain_options options = {.side = &side};
		struct error err = {0};
		struct explain x = {0};

		is_i64(explain_run_log(&x, &side, &options, &budget, &err), 0, "explained");
		if (is_u64(x.ooms.n, 1, "%s: one failure", cases[i].words)) {
			const struct explain_oom *o = &x.ooms.at[0];

			is_str(verdict_name(o->verdict), cases[i].verdict, "%s", cases[i].words);
			ok(evidence(o, cases[i].evidence) != NULL, "%s: evidence", cases[i].words);
			ok(o->confidence < CONFIDENCE_HIGH && (o->missing & MISSING_SNAPSHOT),
			   "%s: the snapshot is missing", cases[i].words);
			ok(!advice(o, ADVICE_EXPANDABLE) && !advice(o, ADVICE_MAX_SPLIT),
			   "%s: no setting is advised from a message", cases[i].words);
			sums_up(o);
		}
		explain_release(&x);
		oom_log_release(&log);
	}
	is_u64(budget.used, 0, "nothing is left");
}

/* --- causes ------------------------------------------------------------------------------------ */

/* A program that allocates: every block has a segment of its own. */
struct program {
	struct mk_model k;
	uint64_t next;
	struct {
		uint64_t address, size;
		stack_id stack;
		bool live;
	} blocks[512];
	size_t n;
};

/* Frames innermost first, "file:line name", ended by NULL. */
static stack_id stack_of(struct mk_model *k, const char *const *frames)
{
	struct error err;
	frame_id ids[8];
	stack_id stack;
	size_t n = 0;

	for (; frames[n]; n++) {
		char file[200], name[100];
		struct frame f = {0};
		long long line;

		sscanf(frames[n], "%199[^:]:%lld %99[^\n]", file, &line, name);
		f.line = line;
		if (strtab_add(&k->m->strings, file, strlen(file), &f.file, &err) < 0 ||
		    strtab_add(&k->m->strings, name, strlen(name), &f.name, &err) < 0 ||
		    stacks_add_frame(&k->m->stacks, f, &ids[n], &err) < 0)
			abort();
	}
	if (stacks_add(&k->m->stacks, ids, n, &stack, &err) < 0)
		abort();
	return stack;
}
#define STACK(p, ...) stack_of(&(p)->k, (const char *const[]){__VA_ARGS__, NULL})

static void start(struct program *p)
{
	memset(p, 0, sizeof *p);
	mk_model_init(&p->k);
	mk_model_device(&p->k, 0);
	p->next = BASE;
}

static size_t take(struct program *p, uint64_t size, stack_id stack)
{
	size_t i = p->n++;

	p->blocks[i].address = p->next;
	p->blocks[i].size = size;
	p->blocks[i].stack = stack;
	p->blocks[i].live = true;
	p->next += 2 * size;
	mk_model_event_of(&p->k, ACTION_SEGMENT_ALLOC, p->blocks[i].address, size, stream0, stack);
	mk_model_event_of(&p->k, ACTION_ALLOC, p->blocks[i].address, size, stream0, stack);
	return i;
}

static void drop(struct program *p, size_t i)
{
	uint64_t address = p->blocks[i].address, size = p->blocks[i].size;

	mk_model_event_of(&p->k, ACTION_FREE_REQUESTED, address, size, stream0, STACK_ABSENT);
	mk_model_event_of(&p->k, ACTION_FREE_COMPLETED, address, size, stream0, STACK_ABSENT);
	mk_model_event_of(&p->k, ACTION_SEGMENT_FREE, address, size, stream0, STACK_ABSENT);
	p->blocks[i].live = false;
}

/* The failure, and its cause; evidence into *out. */
static void fails(struct program *p, uint64_t size, stack_id stack, const char *want,
		  struct explain_cause *out, const char *words)
{
	struct explain x;

	mk_model_event_of(&p->k, ACTION_OOM, 2 * MIB, size, stream0, stack);
	for (size_t i = 0; i < p->n; i++) {
		if (!p->blocks[i].live)
			continue;
		mk_model_segment(&p->k, p->blocks[i].address, p->blocks[i].size, POOL_LARGE);
		mk_model_block(&p->k, BLOCK_ACTIVE, p->blocks[i].size, p->blocks[i].size)->stack =
			p->blocks[i].stack;
	}
	x = explain(&p->k, NULL);
	is_str(verdict_name(x.ooms.at[0].verdict), "capacity", "%s: the card is full", words);
	is_str(cause_name(x.ooms.at[0].cause.cause) ? cause_name(x.ooms.at[0].cause.cause) : "none",
	       want, "%s", words);
	*out = x.ooms.at[0].cause;
	done(&p->k, &x);
}

#define MODULE "/v/torch/nn/modules/module.py:1 "

struct places {
	stack_id load, read, forward, backward, optimizer;
};

static struct places places_of(struct program *p)
{
	return (struct places){
		.load = STACK(p, MODULE "_apply", "/app/train.py:10 main"),
		.read = STACK(p, "/v/torch/serialization.py:1 load_tensor",
			      "/app/train.py:11 main"),
		.forward = STACK(p, "/app/model.py:1 forward", MODULE "_call_impl",
				 "/app/train.py:20 main"),
		.backward = STACK(p, "/v/torch/autograd/graph.py:1 _engine_run_backward",
				  "/app/train.py:21 main"),
		.optimizer = STACK(p, "/v/torch/optim/adam.py:1 _init_group",
				   "/v/torch/optim/adam.py:2 step", "/app/train.py:22 main"),
	};
}

static void test_model_load(void)
{
	struct explain_cause c;
	struct program p;
	struct places at;

	start(&p);
	at = places_of(&p);
	for (int i = 0; i < 8; i++)
		take(&p, (uint64_t)(20 + 2 * i) * MIB, at.load);
	fails(&p, 40 * MIB, at.load, "model_load", &c, "no room for the model");
	is_u64(c.bytes, 216 * MIB, "what was loaded");
	is_u64(c.count, 8, "in so many blocks");

	start(&p);
	at = places_of(&p);
	for (int i = 0; i < 8; i++)
		take(&p, (uint64_t)(20 + 2 * i) * MIB, at.load);
	for (int i = 0; i < 6; i++)
		take(&p, (uint64_t)(20 + 2 * i) * MIB, at.read);
	fails(&p, 32 * MIB, at.read, "state_dict_copy", &c, "a second set of parameters");
	is_u64(c.bytes, 150 * MIB, "what was read besides");
	is_u64(c.count, 6, "in so many blocks");
}

/* One step: forward, backward, optimizer; `batch` bytes of activations. */
static void step(struct program *p, const struct places *at, uint64_t batch, bool first)
{
	size_t a = take(p, batch, at->forward);
	size_t g = take(p, 20 * MIB, at->backward);
	size_t t;

	drop(p, a);
	if (first)
		take(p, 40 * MIB, at->optimizer);
	t = take(p, 20 * MIB, at->optimizer);
	drop(p, t);
	drop(p, g);
}

static void test_steps(void)
{
	struct explain_cause c;
	struct program p;
	struct places at;

	start(&p);
	at = places_of(&p);
	take(&p, 20 * MIB, at.load);
	for (int i = 0; i < 10; i++)
		step(&p, &at, (uint64_t)(20 + 2 * (i % 3)) * MIB, i == 0);
	take(&p, 200 * MIB, at.forward);
	fails(&p, 200 * MIB, at.forward, "outlier_step", &c, "one step far above the others");
	is_u64(c.bytes, 400 * MIB, "what it took and asked for");
	ok(c.of_bytes >= 40 * MIB && c.of_bytes < 110 * MIB, "more than any other did");

	start(&p);
	at = places_of(&p);
	take(&p, 20 * MIB, at.load);
	for (int i = 0; i < 12; i++) {
		step(&p, &at, 20 * MIB, i == 0);
		take(&p, 20 * MIB, at.forward);
	}
	fails(&p, 40 * MIB, at.forward, "leak", &c, "every step leaves 20 MiB");
	is_u64(c.of_bytes, 20 * MIB, "a step");
	is_u64(c.count2, c.count, "every one of them");

	start(&p);
	at = places_of(&p);
	take(&p, 20 * MIB, at.load);
	for (int i = 0; i < 12; i++)
		step(&p, &at, 20 * MIB, i == 0);
	fails(&p, 40 * MIB, at.forward, "none", &c, "steps that leave nothing have no cause");
}

static void test_first_step(void)
{
	struct explain_cause c;
	struct program p;
	struct places at;

	start(&p);
	at = places_of(&p);
	take(&p, 40 * MIB, at.load);
	for (int i = 0; i < 4; i++)
		take(&p, (uint64_t)(40 + 2 * i) * MIB, at.forward);
	fails(&p, 60 * MIB, at.forward, "activations", &c, "the first forward does not fit");
	is_u64(c.bytes, 172 * MIB, "what it keeps");

	start(&p);
	at = places_of(&p);
	take(&p, 40 * MIB, at.load);
	take(&p, 20 * MIB, at.forward);
	take(&p, 40 * MIB, at.backward);
	take(&p, 40 * MIB, at.optimizer);
	fails(&p, 40 * MIB, at.optimizer, "optimizer_state_init", &c,
	      "the first optimizer step does not fit");
	is_u64(c.bytes, 40 * MIB, "what it made");
}

int main(void)
{
	test_unwound();
	test_pending();
	test_graph_pool(true);
	test_graph_pool(false);
	test_survivors();
	test_limit_told();
	test_messages();
	test_model_load();
	test_steps();
	test_first_step();
	return done_testing();
}
