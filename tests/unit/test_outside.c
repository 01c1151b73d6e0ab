/* SPDX-License-Identifier: MIT
 * test_outside.c -- a recording laid over a snapshot of PyTorch's, to the byte.
 */
#include "passes/outside.h"

#include "tests/lib/tap.h"

static struct budget budget = {.limit = UINT64_C(1) << 30};

#define NCCL  "/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2"
#define C10   "/venv/lib/python3.12/site-packages/torch/lib/libc10_cuda.so"
#define FRAME "{\"filename\": \"%s\", \"line\": 0, \"name\": \"f\"}"

/* PyTorch: 4 MiB from the start; 2 MiB more at 30, given back at 50. */
static const char snapshot[] =
	"{\"segments\": [{\"device\": 0, \"address\": 4194304, \"total_size\": 4194304, "
	"\"stream\": 0, \"segment_type\": \"large\", \"blocks\": [{\"size\": 4194304, "
	"\"requested_size\": 4194304, \"state\": \"active_allocated\"}]}], \"device_traces\": [["
	"{\"action\": \"segment_alloc\", \"addr\": 4194304, \"size\": 4194304, \"stream\": 0, "
	"\"time_us\": 10}, {\"action\": \"alloc\", \"addr\": 4194304, \"size\": 4194304, "
	"\"stream\": 0, \"time_us\": 11}, {\"action\": \"segment_alloc\", \"addr\": 16777216, "
	"\"size\": 2097152, \"stream\": 0, \"time_us\": 30}, {\"action\": \"segment_free\", "
	"\"addr\": 16777216, \"size\": 2097152, \"stream\": 0, \"time_us\": 50}, "
	"{\"action\": \"oom\", \"size\": 33554432, \"device_free\": 1048576, \"stream\": 0, "
	"\"time_us\": 60}]]}";

/* One block of a recording, with a frame in `module`. */
static size_t put_segment(char *to, size_t size, uint64_t address, uint64_t bytes,
			  const char *module)
{
	return (size_t)snprintf(
		to, size,
		"{\"device\": 0, \"address\": %" PRIu64 ", \"total_size\": %" PRIu64
		", \"stream\": 0, \"segment_type\": \"large\", \"blocks\": [{\"size\": %" PRIu64
		", \"requested_size\": %" PRIu64 ", \"state\": \"active_allocated\", "
		"\"frames\": [" FRAME ", " FRAME "]}]}",
		address, bytes, bytes, bytes, "/usr/lib/libcuda.so.1", module);
}

/* A recording of one event at `last_us`, with these segments at its end. */
static struct model *recorded(const char *segments, int64_t last_us, uint64_t free)
{
	static const struct model_options options = {.budget = &budget};
	static char text[20000];
	struct error err = {0};
	struct model *m = NULL;

	snprintf(text, sizeof text,
		 "{\"segments\": [%s], \"device_traces\": [[{\"action\": \"oom\", \"size\": 1, "
		 "\"stream\": 0, \"time_us\": %" PRId64 "}]], \"capture\": {\"devices\": "
		 "[{\"index\": 0, \"free_bytes\": %" PRIu64 ", \"total_bytes\": 33554432, "
		 "\"at_us\": 1}]}}",
		 segments, last_us, free);
	if (!ok(model_load_bytes(&m, text, strlen(text), "recording", &options, &err) == 0,
		"a recording: %s", err.text))
		return NULL;
	return m;
}

struct pair {
	struct model *torch, *driver;
	struct replay *replay;
	struct state at;
};

static void make_pair(struct pair *p, const char *segments, int64_t last_us, uint64_t free)
{
	static const struct model_options options = {.budget = &budget};
	struct error err = {0};

	*p = (struct pair){.driver = recorded(segments, last_us, free)};
	ok(model_load_bytes(&p->torch, snapshot, strlen(snapshot), "snapshot", &options, &err) ==
			   0 &&
		   replay_new(&p->replay, p->torch, &p->torch->devices.at[0], &budget, &err) == 0 &&
		   replay_seek(p->replay, 3, &err) == 0 &&
		   replay_state(p->replay, &p->at, &err) == 0,
	   "a snapshot, just before its oom: %s", err.text);
}

static void release_pair(struct pair *p)
{
	state_release(&p->at);
	replay_free(p->replay);
	model_free(p->torch);
	model_free(p->driver);
	is_u64(budget.used, 0, "nothing is left");
}

static struct outside laid_over(struct pair *p, uint64_t device_free)
{
	struct outside o = {0};
	struct error err = {0};

	ok(outside_find(&o, p->driver, p->torch, &p->at, 60, device_free, &budget, &err) == 0,
	   "laid over: %s", err.text);
	return o;
}

static void adds_up(const struct outside *o)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < o->n_groups; i++)
		sum += o->groups[i].bytes;
	is_u64(sum, o->named, "the groups add up");
	is_u64(o->pytorch + o->named + o->between + (uint64_t)o->rest + o->free, o->total,
	       "and all of the card");
}

/* The recording goes on beyond PyTorch's oom: PyTorch's moment, and what it says was free. */
static void test_same_moment(void)
{
	char segments[4000];
	size_t n = put_segment(segments, sizeof segments, 4194304, 4194304, C10);
	struct outside o;
	struct pair p;

	n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
	n += put_segment(segments + n, sizeof segments - n, 25165824, 1048576, NCCL);
	n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
	n += put_segment(segments + n, sizeof segments - n, 29360128, 512, NCCL);
	n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
	put_segment(segments + n, sizeof segments - n, 31457280, 4096, "/lib/libc.so.6");
	make_pair(&p, segments, 70, 0);
	o = laid_over(&p, 1048576);
	ok(o.known && !o.differs && o.total_known, "one process, whose card is known");
	is_u64(o.pytorch, 4194304, "PyTorch's segment");
	is_u64(o.not_seen, 0, "is all there");
	is_u64(o.named, 1048576 + 512 + 4096, "the rest has names");
	is_u64(o.n_groups, 2, "of one library, and of nobody");
	is_u64(o.groups[0].count, 2, "two allocations");
	is_str(model_str(p.driver, o.groups[0].module), NCCL, "of NCCL's");
	ok(o.groups[1].module.i == STR_NONE.i, "plumbing alone is nobody");
	is_u64(o.free, 1048576, "free as PyTorch was told");
	adds_up(&o);
	release_pair(&p);
}

/* The recording ends at 40: PyTorch had 2 MiB more then. */
static void test_earlier_end(void)
{
	char segments[4000];
	size_t n = put_segment(segments, sizeof segments, 4194304, 4194304, C10);
	struct outside o;
	struct pair p;

	n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
	n += put_segment(segments + n, sizeof segments - n, 16777216, 2097152, C10);
	n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
	put_segment(segments + n, sizeof segments - n, 20971520, 1048576, C10);
	make_pair(&p, segments, 40, 2097152);
	o = laid_over(&p, 1048576);
	is_u64(o.reserved, 4194304 + 2097152, "PyTorch's state is taken back");
	is_u64(o.pytorch, o.reserved, "all of it is in the recording");
	is_u64(o.named, 1048576, "what no segment covers");
	ok(o.n_groups == 1 && o.groups[0].allocator, "is known to be the allocator's");
	is_u64(o.free, 2097152, "free as the recording says");
	adds_up(&o);
	release_pair(&p);
}

static void test_other_process(void)
{
	char segments[4000];
	struct outside o;
	struct pair p;

	put_segment(segments, sizeof segments, 268435456, 4194304, C10);
	make_pair(&p, segments, 70, 0);
	o = laid_over(&p, BYTES_NONE);
	ok(o.known && o.differs, "no segment of PyTorch's is in it");
	release_pair(&p);
}

/* More libraries than rows. */
static void test_many(void)
{
	static char segments[16000];
	char module[100];
	size_t n = put_segment(segments, sizeof segments, 4194304, 4194304, C10);
	struct outside o;
	struct pair p;

	for (unsigned i = 0; i < OUTSIDE_GROUPS + 4; i++) {
		snprintf(module, sizeof module, "/opt/l/lib%02u.so", i);
		n += (size_t)snprintf(segments + n, sizeof segments - n, ",");
		n += put_segment(segments + n, sizeof segments - n, 67108864 + i * 65536, 512,
				 module);
	}
	make_pair(&p, segments, 70, 0);
	o = laid_over(&p, 1048576);
	is_u64(o.n_groups, OUTSIDE_GROUPS, "so many rows");
	ok(o.groups[0].others, "others are together");
	is_u64(o.groups[0].count, 5, "all five of them");
	adds_up(&o);
	release_pair(&p);
}

int main(void)
{
	test_same_moment();
	test_earlier_end();
	test_other_process();
	test_many();
	return done_testing();
}
