/* SPDX-License-Identifier: MIT
 * test_join.c -- dumps of one run as one trace: where they overlap, and what comes of it.
 */
#include "tests/lib/tap.h"

#include "model/model_join.h"
#include "tests/lib/mk_run.h"

static struct error err;

/* Events from..to - 1 of one run that keeps a block and frees one in each round. `shift`: its clock
 * is off by so many microseconds. */
static void make(struct mk_run *r, size_t from, size_t to, int64_t shift)
{
	size_t round = 0;

	mk_run_init(r);
	for (; round * 4 < to; round++) {
		stack_id s = mk_run_stack(r, round % 2 ? "/app/t.py:1 f" : "/app/t.py:2 g");

		mk_run_alloc(r, 2 * MIB, s);
		mk_run_free(r, mk_run_alloc(r, (round % 3 + 1) * MIB, s));
	}
	/* Lost at the front, and not there yet at the end. */
	for (size_t e = 0; e < r->k.m->events.time_us.n; e++)
		r->k.m->events.time_us.at[e] += shift;
	r->k.m->devices.at[0].first_event = from;
	r->k.m->devices.at[0].n_events = to - from;
	mk_run_done(r);
}

static void test_overlap(void)
{
	struct mk_run a, b, c, late;

	make(&a, 0, 40, 0);
	make(&b, 0, 80, 2);
	make(&c, 20, 80, -2);
	make(&late, 60, 100, 0);
	is_u64(model_join_overlap(a.k.m, b.k.m, 0), 0, "a prefix begins at event 0");
	is_u64(model_join_overlap(a.k.m, c.k.m, 0), 20, "a ring begins where it lost the rest");
	is_u64(model_join_overlap(a.k.m, late.k.m, 0), JOIN_NO_OVERLAP, "a gap is seen");
	is_u64(model_join_overlap(a.k.m, b.k.m, 1), JOIN_NO_OVERLAP, "another device has nothing");
	mk_run_release(&a);
	mk_run_release(&b);
	mk_run_release(&c);
	mk_run_release(&late);
}

static void test_join(void)
{
	struct mk_run a, c, whole;
	struct model *m = NULL;
	const struct device *d;

	make(&a, 0, 40, 0);
	make(&c, 20, 80, 1);
	make(&whole, 0, 80, 0);
	is_i64(model_join(&m, a.k.m, 20, c.k.m, 0, &a.k.budget, &err), 0, "joined");
	is_i64(model_check(m, &err), 0, "a sound model: %s", err.text);
	d = model_device(m, 0);
	is_u64(d ? d->n_events : 0, 80, "each event once");
	for (size_t e = 0; d && e < d->n_events; e++) {
		const struct events *x = &m->events, *y = &whole.k.m->events;
		char got[128], want[128];
		const struct frame *f = stacks_frame(&m->stacks, x->stack.at[e], 0);
		const struct frame *g = stacks_frame(&whole.k.m->stacks, y->stack.at[e], 0);

		snprintf(got, sizeof got, "%d %llx %llu %s", x->action.at[e],
			 (unsigned long long)x->addr.at[e], (unsigned long long)x->size.at[e],
			 model_str(m, f->name));
		snprintf(want, sizeof want, "%d %llx %llu %s", y->action.at[e],
			 (unsigned long long)y->addr.at[e], (unsigned long long)y->size.at[e],
			 model_str(whole.k.m, g->name));
		is_str(got, want, "event %zu is that of the whole", e);
	}
	is_u64(m->segments.n, c.k.m->segments.n, "the segments are those of the newer");
	model_free(m);
	ok(mk_run_release(&a) && mk_run_release(&c) && mk_run_release(&whole),
	   "all memory was given back");
}

int main(void)
{
	test_overlap();
	test_join();
	return done_testing();
}
