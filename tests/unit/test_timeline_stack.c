/* SPDX-License-Identifier: MIT
 * test_timeline_stack.c -- layers of a timeline against the lives they are made of, and what is
 * said of training loops that behave and that do not.
 */
#include "decode/xml_read.h"
#include "passes/timeline.h"
#include "passes/timeline_verdicts.h"
#include "tests/lib/mk_train.h"
#include "tests/lib/tap.h"

static struct error err;

static void must(int rc)
{
	if (rc < 0) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

/* A finished trace and everything that is known of it. */
struct known {
	struct mk_train *t;
	struct rules *rules;
	struct replay *r;
	struct purpose *p;
	const struct device *d;
};

static struct known know(struct mk_train *t)
{
	struct known k = {.t = t};

	mk_train_done(t);
	k.d = &t->k.m->devices.at[0];
	must(rules_new(&k.rules, &t->k.budget, &err));
	must(replay_new(&k.r, t->k.m, k.d, &t->k.budget, &err));
	must(purpose_new(&k.p, k.rules, t->k.m, k.r, k.d, NULL, &t->k.budget, &err));
	return k;
}

static void forget(struct known *k)
{
	purpose_free(k->p);
	replay_free(k->r);
	rules_free(k->rules);
	ok(mk_train_release(k->t), "all memory was given back");
}

static struct timeline_groups group(const struct known *k, enum group_by by)
{
	struct timeline_groups g;

	must(timeline_groups_run(&g, by, &k->p->allocations, &k->p->categories, EVENT_START,
				 (int64_t)k->d->n_events - 1, replay_summary(k->r)->allocated.event,
				 &k->t->k.budget, &err));
	return g;
}

static struct timeline draw(const struct known *k, const struct timeline_groups *g, size_t columns,
			    int64_t from, int64_t to, bool window_only)
{
	struct timeline_options o = {.columns = columns,
				     .by_event = true,
				     .from = from,
				     .to = to,
				     .max_bands = 10,
				     .groups = g,
				     .window_only = window_only};
	struct timeline t;

	must(timeline_run(&t, k->t->k.m, k->r, k->d, &o, &k->t->k.budget, &err));
	return t;
}

/* What the lives say a layer holds just after an event. */
static uint64_t held(const struct known *k, const struct timeline_groups *g, size_t layer,
		     int64_t event, int64_t since)
{
	const struct allocations *a = &k->p->allocations;
	uint64_t bytes = 0;

	for (size_t i = 0; i < a->rows.n; i++) {
		const struct allocation *x = &a->rows.at[i];

		if (g->of_row.at[i] == layer && x->born <= event && x->born > since &&
		    x->free_requested > event)
			bytes += x->size;
	}
	return bytes;
}

/* Each column: the composition of its highest moment, which no other moment of it exceeds. */
static unsigned compare(const struct known *k, const struct timeline *t,
			const struct timeline_groups *g, int64_t since)
{
	unsigned bad = 0;

	for (size_t c = 0; c < t->stack.n_columns; c++) {
		const struct stack_column *s = &t->stack.columns[c];
		uint64_t sum = 0;

		for (size_t l = 0; l < g->n; l++) {
			bad += s->bytes[l] != held(k, g, l, s->event, since);
			sum += s->bytes[l];
		}
		bad += sum != s->total;
		bad += sum != reduce_cell(&t->series, c, TIMELINE_ALLOCATED)->max;
	}
	return bad;
}

static uint64_t sum_of(const uint64_t *bytes, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bytes[i];
	return sum;
}

static void check_layers(const struct known *k, enum group_by by)
{
	struct timeline_groups g = group(k, by);
	int64_t last = (int64_t)k->d->n_events - 1;
	const size_t columns[] = {1, 7, 40, (size_t)k->d->n_events + 1};
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		struct timeline t = draw(k, &g, columns[i], EVENT_START, last, false);

		bad += compare(k, &t, &g, INT64_MIN);
		bad += sum_of(t.stack.peak, g.n) != t.peak.totals.allocated;
		bad += sum_of(t.stack.start, g.n) != t.start.totals.allocated;
		bad += sum_of(t.stack.end, g.n) != t.end.totals.allocated;
		bad += t.stack.most_loose != 0;
		for (size_t l = 0; l < g.n; l++)
			bad += t.stack.peak[l] != held(k, &g, l, t.peak.event, INT64_MIN);
		timeline_release(&t);
	}
	is_u64(bad, 0, "layers by %s are what lives, and add up to what is allocated",
	       group_by_name(by));
	ok(g.n >= 2 && g.n <= TIMELINE_MAX_GROUPS, "%zu layers", g.n);
	timeline_groups_release(&g);
}

static void check_window(const struct known *k)
{
	struct timeline_groups g = group(k, GROUP_CATEGORY);
	int64_t from = (int64_t)k->d->n_events / 3, to = 2 * from;
	struct timeline t = draw(k, &g, 30, from, to, false);
	uint64_t start = sum_of(t.stack.start, g.n);

	is_u64(compare(k, &t, &g, INT64_MIN), 0, "so are those of a window");
	is_u64(start, t.start.totals.allocated, "which begins with what lived then");
	timeline_release(&t);
	t = draw(k, &g, 30, from, to, true);
	is_u64(compare(k, &t, &g, from), 0, "without what lived before the window");
	is_u64(t.left_out, start, "which is told");
	is_u64(t.start.totals.allocated, 0, "it begins with nothing");
	is_u64(t.peak.totals.reserved, BYTES_NONE, "and says nothing of reserved bytes");
	timeline_release(&t);
	timeline_groups_release(&g);
}

static void test_layers(void)
{
	struct mk_train t;
	struct mk_loop l;
	struct known k;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, true);
	for (int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof name, "step %d", i);
		mk_train_mark(&t, name, false);
		mk_loop_step(&l, &t);
		mk_train_mark(&t, name, true);
	}
	k = know(&t);
	for (int by = 0; by < GROUP_NONE; by++)
		check_layers(&k, (enum group_by)by);
	check_window(&k);
	forget(&k);
}

static void test_names(void)
{
	char name[TIMELINE_GROUP_NAME];
	struct timeline_groups g;
	struct mk_train t;
	struct mk_loop l;
	struct known k;
	bool steps = false, sites = false;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "step %d", i + 8);
		mk_train_mark(&t, name, false);
		mk_loop_step(&l, &t);
		mk_train_mark(&t, name, true);
	}
	k = know(&t);
	g = group(&k, GROUP_ANNOTATION);
	for (size_t i = 0; i < g.n; i++)
		steps = steps || !strcmp(timeline_group_name(&g, i, name), "step N");
	ok(steps, "annotations that differ in a number are one layer");
	timeline_groups_release(&g);
	g = group(&k, GROUP_SITE);
	for (size_t i = 0; i < g.n; i++)
		sites = sites ||
			!strcmp(timeline_group_name(&g, i, name), "/app/model.py:10 forward");
	ok(sites, "sites have their words");
	ok(g.n_names > TIMELINE_MAX_GROUPS, "there are more than layers: %" PRIu64, g.n_names);
	is_str(timeline_group_name(&g, g.rest, name), "the rest", "which share one");
	timeline_groups_release(&g);
	forget(&k);
}

/* --- verdicts ---------------------------------------------------------------------------------- */

static struct timeline_verdicts judge(const struct known *k)
{
	const struct peak *peak = &replay_summary(k->r)->allocated;
	struct timeline_verdicts v;

	must(timeline_verdicts_run(&v, k->p, peak->event, peak->bytes, &k->t->k.budget, &err));
	return v;
}

static const struct timeline_verdict *find(const struct timeline_verdicts *v, enum verdict_kind k)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i].kind == k)
			return &v->at[i];
	return NULL;
}

static struct known train(struct mk_train *t, struct mk_loop *l, int steps)
{
	for (int i = 0; i < steps; i++)
		mk_loop_step(l, t);
	return know(t);
}

static void test_good_loop(void)
{
	const struct timeline_verdict *x;
	struct timeline_verdicts v;
	struct mk_train t;
	struct mk_loop l;
	struct known k;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, false);
	k = train(&t, &l, 8);
	v = judge(&k);
	is_u64(v.steps.n, 8, "eight steps");
	x = find(&v, VERDICT_STATE_APPEARS);
	ok(x && x->step == 0 && x->bytes == 30 * MIB && x->of == 15 * MIB && x->high == 7,
	   "the state of Adam appears in the first one, twice the gradients");
	x = find(&v, VERDICT_GRADIENTS_GO);
	ok(x && x->bytes == 15 * MIB && x->count == 7,
	   "gradients outlive their step, but not until the next one's peak");
	ok(!find(&v, VERDICT_GRADIENTS_SURVIVE), "so they do not survive");
	x = find(&v, VERDICT_STEPS_EQUAL);
	ok(x && x->step == 1 && x->last_step == 7 && x->spread == 0 && x->low == x->high,
	   "the other steps are alike");
	is_u64(x ? x->high : 0, v.steps.at[1].peak, "as high as the second");
	x = find(&v, VERDICT_PEAK_PLACE);
	ok(x && x->of == replay_summary(k.r)->allocated.bytes && x->step >= 1 &&
		   x->phase != PHASE_NONE,
	   "the peak has its step and its phase");
	ok(!find(&v, VERDICT_GROWTH) && !find(&v, VERDICT_SAW_TOOTH), "nothing grows");
	timeline_verdicts_release(&v);
	forget(&k);
}

static void test_kept_gradients(void)
{
	const struct timeline_verdict *x;
	struct timeline_verdicts v;
	struct mk_train t;
	struct mk_loop l;
	struct known k;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, true);
	l.zeroes = false;
	k = train(&t, &l, 6);
	v = judge(&k);
	x = find(&v, VERDICT_GRADIENTS_SURVIVE);
	ok(x && x->bytes == 15 * MIB && x->count == 5 && x->low == 5,
	   "gradients that nobody zeroes survive every step");
	ok(!find(&v, VERDICT_GRADIENTS_GO), "and are not said to go");
	timeline_verdicts_release(&v);
	forget(&k);
}

/* Each step keeps an output; or keeps them for `collect` steps, then all go. */
static void test_growth(int collect)
{
	const struct timeline_verdict *x;
	struct timeline_verdicts v;
	size_t kept[64], n_kept = 0;
	struct mk_train t;
	struct mk_loop l;
	struct known k;
	stack_id stack;

	mk_train_init(&t);
	mk_loop_init(&l, &t, MK_STACKS_ALL, true);
	stack = mk_train_stack(&t, "/app/model.py:77 forward",
			       "/lib/python3.12/site-packages/torch/nn/modules/module.py:1773 "
			       "_call_impl",
			       "/app/train.py:20 main", NULL);
	for (int i = 0; i < 20; i++) {
		mk_loop_step(&l, &t);
		kept[n_kept++] = mk_train_alloc(&t, 4 * MIB, stack);
		while (collect && i % collect == collect - 1 && n_kept > 0)
			mk_train_free(&t, kept[--n_kept], STACK_EMPTY);
	}
	k = know(&t);
	v = judge(&k);
	x = find(&v, VERDICT_GROWTH);
	if (!collect) {
		ok(x && x->bytes == 4 * MIB, "an output that each step keeps: 4 MiB a step");
		ok(!find(&v, VERDICT_SAW_TOOTH), "and no saw-tooth");
	} else {
		const struct timeline_verdict *saw = find(&v, VERDICT_SAW_TOOTH);

		ok(!x, "what comes back does not grow");
		ok(saw && saw->count >= 3 && saw->period >= collect - 1 &&
			   saw->period <= collect + 1,
		   "a saw-tooth of period %d: found %.0f, %" PRIu64 " times", collect,
		   saw ? saw->period : 0, saw ? saw->count : 0);
	}
	timeline_verdicts_release(&v);
	forget(&k);
}

int main(void)
{
	test_layers();
	test_names();
	test_good_loop();
	test_kept_gradients();
	test_growth(0);
	test_growth(5);
	xml_forget();
	return done_testing();
}
