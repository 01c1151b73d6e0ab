/* SPDX-License-Identifier: MIT
 * leaks.c -- what grows step by step and never comes back, on one device.
 */
#include "passes/leaks.h"

#include <stdlib.h>
#include <string.h>

#include "passes/leaks_private.h"

const char *leak_kind_name(enum leak_kind k)
{
	static const char *const names[] = {
		[LEAK_TENSOR] = "tensor",
		[LEAK_GRAPH] = "graph",
		[LEAK_REFERENCE_CYCLE] = "reference_cycle",
		[LEAK_CACHE_GROWTH] = "cache_growth",
		[LEAK_PENDING_FREE] = "pending_free",
	};

	return names[k];
}

bool leaks_grows_throughout(double first, double one_third, double two_thirds, double last)
{
	double least = 0.4 * (last - first) / 3.0;

	return last > first && one_third - first >= least && two_thirds - one_third >= least &&
	       last - two_thirds >= least;
}

enum confidence leaks_confidence(const struct leaks_work *w, size_t n_adding, double fit)
{
	enum confidence c = CONFIDENCE_LOW;

	if (n_adding >= 10 && fit > 0.95)
		c = CONFIDENCE_HIGH;
	else if (n_adding >= 5 && fit > 0.8)
		c = CONFIDENCE_MEDIUM;
	/* A count of steps that is a guess supports no certainty. */
	if (w->phases->confidence == CONFIDENCE_LOW && c == CONFIDENCE_HIGH)
		c = CONFIDENCE_MEDIUM;
	return c;
}

/* The step that an event belongs to: what lies between two belongs to the one before. */
static int32_t step_of(const struct leaks_work *w, int64_t event)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->phases->steps.at[mid].first_event <= event)
			low = mid + 1;
		else
			high = mid;
	}
	return (int32_t)low - 1;
}

static uint64_t requested_of(const struct allocation *x)
{
	return x->requested == BYTES_NONE ? x->size : x->requested;
}

static void keep(struct leaks_work *w, enum leaks_innocent why, const struct allocation *x)
{
	w->out->kept[why].bytes += requested_of(x);
	w->out->kept[why].blocks++;
}

/* Blocks that die in the step of their birth, most of all, say nothing. */
static int list_outlivers(struct leaks_work *w, struct error *err)
{
	for (size_t i = 0; i < w->a->rows.n; i++) {
		const struct allocation *x = &w->a->rows.at[i];
		bool alive = x->free_completed > w->o->until;
		struct outliver o = {.row = (uint32_t)i, .site = w->sites.of_stack.at[x->stack.i]};
		int rc;

		if (x->born > w->o->until)
			break;
		o.birth = x->born < 0 ? -1 : step_of(w, x->born);
		o.death = alive ? LEAKS_ALIVE : step_of(w, x->free_completed);
		if (o.death == o.birth || (!alive && o.birth < 0))
			continue;
		if (alive && o.birth < 0)
			keep(w, LEAKS_FROM_BEFORE, x);
		else if ((rc = vec_push(&w->outlivers, o, w->out->budget, err)) < 0)
			return rc;
	}
	return 0;
}

static int compare_outlivers(const void *a, const void *b)
{
	const struct outliver *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* What is alive at the end and in no finding, by when it was born. */
static void count_kept(struct leaks_work *w)
{
	for (size_t i = 0; i < w->outlivers.n; i++) {
		const struct outliver *o = &w->outlivers.at[i];
		const struct allocation *x = &w->a->rows.at[o->row];
		struct site site = w->sites.sites.at[o->site];
		bool found = false;

		for (size_t k = 0; k < w->out->found.n && !found; k++) {
			const struct leak *l = &w->out->found.at[k];

			found = l->kind != LEAK_CACHE_GROWTH && l->site.kind == site.kind &&
				l->site.frame.i == site.frame.i && o->birth >= l->first_step;
		}
		if (o->death != LEAKS_ALIVE || found)
			continue;
		keep(w,
		     (size_t)o->birth < w->first  ? LEAKS_FROM_WARM_UP
		     : (size_t)o->birth > w->last ? LEAKS_CURRENT_STEP
						  : LEAKS_KEPT_A_WHILE,
		     x);
	}
}

static int reserve_series(struct leaks_work *w, struct error *err)
{
	struct budget *b = w->out->budget;
	size_t n = w->n + 1;
	int rc;

	if ((rc = vec_reserve(&w->born, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->sizes, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->counts, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->live, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->freed, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->births, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->reserved, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->active, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->bursts, n, b, err)) < 0 ||
	    (rc = vec_reserve(&w->stacks, w->a->model->stacks.start.n, b, err)) < 0)
		return rc;
	memset(w->bursts.at, 0, n * sizeof *w->bursts.at);
	memset(w->stacks.at, 0, w->a->model->stacks.start.n * sizeof *w->stacks.at);
	return 0;
}

static void release_work(struct leaks_work *w, struct budget *b)
{
	site_table_release(&w->sites);
	vec_release(&w->outlivers, b);
	vec_release(&w->born, b);
	vec_release(&w->sizes, b);
	vec_release(&w->counts, b);
	vec_release(&w->live, b);
	vec_release(&w->freed, b);
	vec_release(&w->births, b);
	vec_release(&w->stacks, b);
	vec_release(&w->reserved, b);
	vec_release(&w->active, b);
	vec_release(&w->bursts, b);
}

static int judge_sites(struct leaks_work *w, struct error *err)
{
	for (size_t i = 0, k; i < w->outlivers.n; i = k) {
		int rc;

		for (k = i;
		     k < w->outlivers.n && w->outlivers.at[k].site == w->outlivers.at[i].site;)
			k++;
		if ((rc = leaks_judge_site(w, i, k, err)) < 0)
			return rc;
	}
	return 0;
}

static void suppress(struct leaks_work *w)
{
	for (size_t i = 0; i < w->out->found.n; i++) {
		struct leak *l = &w->out->found.at[i];

		l->suppression = LEAK_NOT_SUPPRESSED;
		for (size_t k = 0; k < w->o->n_suppress; k++) {
			if (l->kind == LEAK_CACHE_GROWTH ||
			    !filter_passes(w->o->suppress[k], l->stack))
				continue;
			l->suppression = (uint32_t)k;
			w->out->n_suppressed++;
			break;
		}
		if (l->suppression == LEAK_NOT_SUPPRESSED && l->kind != LEAK_CACHE_GROWTH)
			w->out->growth += l->growth;
	}
}

static int compare_leaks(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;
	bool x_off = x->suppression != LEAK_NOT_SUPPRESSED;
	bool y_off = y->suppression != LEAK_NOT_SUPPRESSED;

	if (x_off != y_off)
		return x_off ? 1 : -1;
	if (x->growth < y->growth || x->growth > y->growth)
		return x->growth < y->growth ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->burst_bytes != y->burst_bytes)
		return x->burst_bytes < y->burst_bytes ? 1 : -1;
	return (x->site.frame.i > y->site.frame.i) - (x->site.frame.i < y->site.frame.i);
}

/* The trace may end, or be cut, in the middle of a step. */
static size_t count_steps(const struct phases *p, int64_t until)
{
	size_t n = 0;

	while (n < p->steps.n && p->steps.at[n].first_event <= until)
		n++;
	return n;
}

static int judge(struct leaks_work *w, struct error *err)
{
	int rc;

	/* Warm-up: a tenth, at most five; the first step always. */
	w->first = w->n / 10 < 1 ? 1 : w->n / 10 > 5 ? 5 : w->n / 10;
	w->last = w->n - 2;
	if ((rc = reserve_series(w, err)) < 0 || (rc = list_outlivers(w, err)) < 0)
		return rc;
	if (w->outlivers.n > 1)
		qsort(w->outlivers.at, w->outlivers.n, sizeof *w->outlivers.at, compare_outlivers);
	if ((rc = leaks_follow_device(w, err)) < 0 || (rc = judge_sites(w, err)) < 0 ||
	    (rc = leaks_judge_reserved(w, err)) < 0)
		return rc;
	for (size_t i = 0; i < w->n; i++) {
		if (w->bursts.at[i] > w->out->collect_bytes)
			w->out->collect_bytes = w->bursts.at[i];
	}
	suppress(w);
	count_kept(w);
	if (w->out->found.n > 1)
		qsort(w->out->found.at, w->out->found.n, sizeof *w->out->found.at, compare_leaks);
	leaks_make_forecast(w);
	return 0;
}

int leaks_run(struct leaks *out, const struct allocations *a, const struct phases *phases,
	      const struct leaks_options *o, struct budget *budget, struct error *err)
{
	struct leaks l = {.budget = budget};
	struct leaks_work w = {.out = &l, .a = a, .phases = phases, .o = o};
	int rc;

	w.n = l.n_steps = count_steps(phases, o->until);
	l.too_few_steps = w.n < LEAKS_MIN_STEPS;
	rc = site_table_init(&w.sites, a->model, budget, err);
	if (rc == 0 && !l.too_few_steps)
		rc = judge(&w, err);
	release_work(&w, budget);
	if (rc < 0)
		leaks_release(&l);
	else
		*out = l;
	return rc;
}

void leaks_release(struct leaks *l)
{
	if (!l || !l->budget)
		return;
	vec_release(&l->found, l->budget);
	l->budget = NULL;
}
