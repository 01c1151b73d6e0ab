/* SPDX-License-Identifier: MIT
 * test_report_columns.c -- columns of a page, read back, are the events they were made of.
 */
#include "passes/purpose.h"
#include "tests/lib/mini_allocator.h"
#include "tests/lib/read_columns.h"
#include "tests/lib/tap.h"

static struct error err;

/* One device's columns, and what they were made of. */
struct told {
	struct budget budget;
	struct rules *rules;
	struct replay *replay;
	struct purpose *purpose;
	struct report_stacks stacks;
	struct report_columns columns;
	struct read_columns read;
};

static bool tell(struct told *t, const struct model *m, const struct report_columns_options *o)
{
	const struct device *d = &m->devices.at[0];

	*t = (struct told){.budget = {.limit = UINT64_MAX}};
	if (rules_new(&t->rules, &t->budget, &err) < 0 ||
	    replay_new(&t->replay, m, d, &t->budget, &err) < 0 ||
	    purpose_new(&t->purpose, t->rules, m, t->replay, d, NULL, &t->budget, &err) < 0 ||
	    report_stacks_init(&t->stacks, m, &t->budget, &err) < 0 ||
	    report_columns_run(&t->columns, t->purpose, t->replay, &t->stacks, o, &t->budget,
			       &err) < 0)
		return ok(false, "columns are made: %s", err.text);
	read_columns(&t->read, &t->columns);
	return true;
}

static void told_release(struct told *t, const char *what)
{
	read_columns_release(&t->read);
	report_columns_release(&t->columns);
	report_stacks_release(&t->stacks);
	purpose_free(t->purpose);
	replay_free(t->replay);
	rules_free(t->rules);
	if (t->budget.used)
		ok(false, "%s: %zu bytes are not given back", what, (size_t)t->budget.used);
}

/* An end as the window tells it: what comes later is as good as never. */
static int64_t seen_end(const struct told *t, int64_t event)
{
	return event > t->columns.to ? ALLOCATION_ALIVE : event;
}

static const char *wrong_row(struct told *t, uint32_t row, const struct read_row *x)
{
	const struct allocation *a = &t->purpose->allocations.rows.at[row];
	struct allocation_place place = allocation_place(&t->purpose->allocations, row);
	const struct report_attr *attr = &t->columns.attrs.at[x->attr];
	uint32_t stack;

	if (x->size != a->size || x->requested != a->requested)
		return "size";
	if (x->born != a->born)
		return "birth";
	if (seen_end(t, x->free_requested) != seen_end(t, a->free_requested) ||
	    seen_end(t, x->free_completed) != seen_end(t, a->free_completed))
		return "end";
	if (t->columns.detail < REPORT_NO_ADDRESSES && x->address != a->address)
		return "address";
	if (attr->stream != place.stream || attr->pool.a != place.pool.a ||
	    attr->pool.b != place.pool.b ||
	    attr->category != t->purpose->categories.rows.at[row].category)
		return "place or category";
	if (report_stacks_row(&t->stacks, a->stack, &stack, &err) < 0 || stack != x->stack)
		return "stack";
	return NULL;
}

static const char *wrong_rows(struct told *t)
{
	const struct allocations *a = &t->purpose->allocations;
	size_t local = 0;

	for (uint32_t row = 0; row < a->rows.n; row++) {
		const struct allocation *x = &a->rows.at[row];
		const char *wrong;

		if (x->born > t->columns.to ||
		    (x->born <= t->columns.from && !allocation_alive_at(x, t->columns.from)))
			continue;
		if (local == t->columns.n_rows)
			return "fewer rows";
		wrong = wrong_row(t, row, &t->read.rows[local++]);
		if (wrong)
			return wrong;
	}
	return local == t->columns.n_rows ? NULL : "more rows";
}

static const char *wrong_events(const struct told *t, const struct model *m)
{
	const struct report_columns *c = &t->columns;
	const struct events *e = &m->events;
	int64_t last = c->zero_us;

	for (size_t i = 0; i < t->read.n_rare; i++) {
		const struct read_rare *x = &t->read.rare[i];
		size_t row = (size_t)c->device->first_event + (size_t)x->event;

		if (x->action != e->action.at[row] || x->address != e->addr.at[row] ||
		    x->size != e->size.at[row])
			return "other events";
	}
	for (int64_t i = c->from + 1; i <= c->to && c->has_times; i++) {
		int64_t us = e->time_us.at[(int64_t)c->device->first_event + i];
		int64_t at = i - c->from - 1;

		last = us == TIME_NONE ? last : us;
		if (c->detail >= REPORT_COARSE_TIMES && at % REPORT_COARSE_EVENTS && i != c->to)
			continue;
		/* A time that is missing is that of an event before, which coarse ones may lack. */
		if (us != TIME_NONE && t->read.times[at] != us)
			return "times";
		if (c->detail < REPORT_COARSE_TIMES && t->read.times[at] != last)
			return "times that are missing";
	}
	return NULL;
}

/* Tell and read back one window; true when all is as it was. */
static bool same(const struct model *m, const struct report_columns_options *o, const char *what)
{
	const char *wrong;
	struct told t;
	bool good;

	if (!tell(&t, m, o)) {
		told_release(&t, what);
		return false;
	}
	wrong = t.read.failure;
	if (!wrong)
		wrong = wrong_rows(&t);
	if (!wrong)
		wrong = wrong_events(&t, m);
	if (wrong)
		diag("%s: %s", what, wrong);
	good = !wrong;
	told_release(&t, what);
	return good;
}

/* The whole in every detail, and windows of it. */
static bool same_all(const struct model *m, const char *what)
{
	int64_t last = (int64_t)m->devices.at[0].n_events - 1;
	bool good = true;

	for (int d = REPORT_EXACT; d <= REPORT_NO_ADDRESSES; d++)
		good &= same(m, &(struct report_columns_options){EVENT_START, last, d}, what);
	for (int i = 1; i < 4; i++)
		good &= same(m,
			     &(struct report_columns_options){last * (i - 1) / 4, last * i / 4,
							      REPORT_WINDOW},
			     what);
	return good;
}

/* --- traces as an allocator writes them -------------------------------------------------------- */

static void check_random(void)
{
	static const struct mini_options kinds[] = {
		{.n_streams = 1},
		{.n_streams = 3},
		{.n_streams = 2, .expandable = true},
		{.n_streams = 1, .only_small = true},
		{.n_streams = 1, .max_split_bytes = 20 * MIB},
		{.n_streams = 2, .divisions = 4, .extra = 32},
	};
	bool good = true;

	for (uint64_t seed = 1; seed <= (tests_quick() ? 3 : 8) && good; seed++) {
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds && good; i++) {
			struct mini_options o = kinds[i];
			struct mk_model k;
			struct mini a;
			char what[64];

			o.seed = seed;
			mini_init(&a, o);
			mini_run(&a, seed % 2 ? 60 : 0);
			mini_record(&a);
			mini_run(&a, 600);
			mini_model(&a, &k);
			snprintf(what, sizeof what, "kind %zu, seed %" PRIu64, i, seed);
			good = same_all(k.m, what);
			mk_model_release(&k);
			mini_release(&a);
		}
	}
	ok(good, "random traces of every kind of allocator come back");
}

/* How an allocator behaves is foretold, so that its addresses cost nearly nothing. */
static void check_foretold(void)
{
	struct report_columns_options whole = {.from = EVENT_START};
	struct mk_model k;
	struct mini a;
	struct told t;

	mini_init(&a, (struct mini_options){.seed = 5, .n_streams = 2, .light = true});
	mini_record(&a);
	mini_run(&a, 20000);
	mini_model(&a, &k);
	whole.to = (int64_t)k.m->devices.at[0].n_events - 1;
	if (tell(&t, k.m, &whole)) {
		uint64_t bytes = report_column_bytes(&t.columns, COLUMN_ADDRESSES) +
				 report_column_bytes(&t.columns, COLUMN_MISSES);

		ok(bytes * 100 < t.columns.n_rows * 2,
		   "an address takes less than 0.02 bytes (%" PRIu64 " for %zu)", bytes,
		   t.columns.n_rows);
	}
	told_release(&t, "foretold");
	mk_model_release(&k);
	mini_release(&a);
}

/* --- hostile ones ------------------------------------------------------------------------------ */

static void begin(struct mk_model *k)
{
	mk_model_init(k);
	mk_model_device(k, 0);
}

static void finish(struct mk_model *k, const char *what)
{
	mk_model_done(k);
	ok(same_all(k->m, what), "%s", what);
	mk_model_release(k);
}

static void check_hostile(void)
{
	const uint64_t far = UINT64_MAX - 4 * MIB;
	struct mk_model k;

	begin(&k);
	for (uint64_t i = 0; i < 40; i++) {
		mk_model_event(&k, ACTION_ALLOC, far + i * 512, UINT64_MAX / 3 * (i % 3) + i);
		mk_model_event(&k, ACTION_FREE_COMPLETED, far + i / 2 * 512, 512);
	}
	finish(&k, "addresses and sizes at the end of all numbers");

	begin(&k);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, 0x200000, 2 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, 0x200000, 2 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_MAP, 0x300000, 4 * MIB);
	for (uint64_t i = 0; i < 200; i++) {
		mk_model_event(&k, ACTION_ALLOC, 0x200000 + i * 700 % 4096, i * 37 % 3000);
		if (i % 3)
			mk_model_event(&k, ACTION_FREE_REQUESTED, 0x200000 + i * 500 % 4096, 1);
		if (i % 4)
			mk_model_event(&k, ACTION_FREE_COMPLETED, 0x200000 + i * 700 % 4096, 1);
		if (i % 50 == 49)
			mk_model_event(&k, ACTION_SEGMENT_UNMAP, 0x200100, i);
	}
	mk_model_event(&k, ACTION_SEGMENT_FREE, 0x200000, UINT64_MAX);
	mk_model_event(&k, ACTION_OOM, 7, UINT64_MAX);
	finish(&k, "blocks over each other, of no bytes, freed twice or never, between bytes");

	begin(&k);
	for (uint64_t i = 0; i < 100; i++) {
		size_t row = mk_model_event(&k, i % 2 ? ACTION_FREE_COMPLETED : ACTION_ALLOC,
					    0x100000 + i / 2 * 512, 512);

		k.m->events.time_us.at[row] = i % 7 == 3   ? TIME_NONE
					      : i % 5 == 4 ? INT64_MIN + 1 + (int64_t)i
							   : INT64_MAX - (int64_t)i;
	}
	finish(&k, "times that fall, are missing, and are as far apart as can be");

	begin(&k);
	mk_model_event(&k, ACTION_OTHER, 1, 2);
	finish(&k, "a single event of no known kind");
}

/* Far from the youngest and from the last one freed. */
static void check_far(void)
{
	struct mk_model k;

	begin(&k);
	for (uint64_t i = 0; i < 1000; i++)
		mk_model_event(&k, ACTION_ALLOC, (1 + i) * MIB, 512);
	for (uint64_t i = 0; i < 1000; i++)
		mk_model_event(&k, ACTION_FREE_COMPLETED, (1 + i * 377 % 1000) * MIB, 512);
	finish(&k, "frees all over a thousand that live");

	begin(&k);
	for (uint64_t i = 0; i < 300; i++)
		mk_model_event(&k, ACTION_ALLOC, (1 + i) * MIB, 512);
	for (uint64_t i = 0; i < 300; i++)
		mk_model_event(&k, ACTION_FREE_COMPLETED, (1 + i) * MIB, 512);
	finish(&k, "frees from the oldest on");
}

/* Events of older files do not tell the pool of a segment; those that are there at the end do. */
static void check_pools(void)
{
	struct report_columns_options whole = {.from = EVENT_START};
	const struct report_attr *attrs;
	struct mk_model k;
	struct told t;

	begin(&k);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, 0x200000, 2 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_FREE, 0x200000, 2 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_ALLOC, 0x200000, 2 * MIB);
	mk_model_event(&k, ACTION_SEGMENT_MAP, 0x800000, 20 * MIB);
	mk_model_segment(&k, 0x200000, 2 * MIB, POOL_SMALL)->pool = (struct pool_id){0, 7};
	mk_model_block(&k, BLOCK_INACTIVE, 2 * MIB, 0);
	mk_model_segment(&k, 0x800000, 20 * MIB, POOL_LARGE)->pool = (struct pool_id){3, 0};
	mk_model_block(&k, BLOCK_INACTIVE, 20 * MIB, 0);
	k.m->segments.at[1].is_expandable = true;
	mk_model_done(&k);
	whole.to = (int64_t)k.m->devices.at[0].n_events - 1;
	if (tell(&t, k.m, &whole) && is_u64(t.read.n_rare, 4, "four events of segments")) {
		attrs = t.columns.attrs.at;
		is_i64(attrs[t.read.rare[0].attr].pool.b, 0, "a pool that nothing tells");
		is_i64(attrs[t.read.rare[2].attr].pool.b, 7, "the pool of a segment at the end");
		is_i64(attrs[t.read.rare[3].attr].pool.a, 3, "and of an expandable one");
	}
	told_release(&t, "pools");
	mk_model_release(&k);
}

/* --- real ones --------------------------------------------------------------------------------- */

static void check_file(const char *path)
{
	struct budget budget = {.limit = UINT64_MAX};
	struct model_options options = {.budget = &budget};
	struct model *m = NULL;

	if (model_load(&m, path, &options, &err) < 0)
		ok(false, "%s is read: %s", path, err.text);
	else
		ok(same_all(m, path), "%s comes back", path);
	model_free(m);
}

int main(void)
{
	static const char *const files[] = {
		"leak_graph_step_20.pickle.zst", "oom_memory_fraction.pickle.zst",
		"oom_small_ring.pickle.zst",     "oom_split_pinned.pickle.zst",
		"trace-steps.json.gz",
	};
	char path[4096];

	check_random();
	check_foretold();
	check_hostile();
	check_far();
	check_pools();
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		check_file(testdata(path, sizeof path, files[i]));
	return done_testing();
}
