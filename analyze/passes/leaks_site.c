/* SPDX-License-Identifier: MIT
 * leaks_site.c -- is what one place makes a leak, a cycle that the collector breaks, or neither?
 */
#include <string.h>

#include "passes/leaks_private.h"

/* Less than this a step, or a burst, is not worth a person's time: losses and counters are kept on
 * purpose. */
#define LEAST_GROWTH 4096
#define LEAST_BURST  (UINT64_C(256) << 10)

static uint64_t requested_of(const struct allocation *x)
{
	return x->requested == BYTES_NONE ? x->size : x->requested;
}

/* --- sums -------------------------------------------------------------------------------------- */

static void sum_up(struct leaks_work *w, size_t from, size_t to)
{
	memset(w->born.at, 0, w->n * sizeof *w->born.at);
	memset(w->sizes.at, 0, w->n * sizeof *w->sizes.at);
	memset(w->counts.at, 0, w->n * sizeof *w->counts.at);
	memset(w->live.at, 0, w->n * sizeof *w->live.at);
	memset(w->freed.at, 0, w->n * sizeof *w->freed.at);
	memset(w->births.at, 0, w->n * sizeof *w->births.at);
	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];
		const struct allocation *x = &w->a->rows.at[o->row];
		uint64_t bytes = requested_of(x);

		w->live.at[o->birth] += (int64_t)bytes;
		if (o->death == LEAKS_ALIVE) {
			w->born.at[o->birth] += bytes;
			w->sizes.at[o->birth] += x->size;
			w->counts.at[o->birth]++;
			continue;
		}
		w->live.at[o->death] -= (int64_t)bytes;
		w->freed.at[o->death] += bytes;
		/* Outlivers of a place are in order of birth: a new step shows. */
		if (i == from || w->outlivers.at[i - 1].birth != o->birth ||
		    w->outlivers.at[i - 1].death != o->death)
			w->births.at[o->death]++;
	}
	for (size_t s = 1; s < w->n; s++)
		w->live.at[s] += w->live.at[s - 1];
}

/* --- what piles up ----------------------------------------------------------------------------- */

struct pile {
	size_t first, last; /* steps that added; last may be the one that is not over */
	size_t adding;      /* steps that added */
	uint64_t bytes, sizes, blocks;
	double growth, growth_sizes, blocks_per_step; /* of the judged steps */
	double fit;
};

static bool adds(const struct leaks_work *w, size_t s)
{
	return w->born.at[s] > 0;
}

/* R squared of a line through the cumulated bytes from `first` to `last`. */
static double fit_of(const struct leaks_work *w, size_t first, size_t last)
{
	double n = (double)(last - first + 1), sum = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

	for (size_t s = first; s <= last; s++) {
		double t = (double)(s - first);

		sum += (double)w->born.at[s];
		x += t;
		y += sum;
		xx += t * t;
		xy += t * sum;
		yy += sum * sum;
	}
	xx -= x * x / n;
	xy -= x * y / n;
	yy -= y * y / n;
	return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
}

static double sum_between(const struct leaks_work *w, size_t from, size_t to)
{
	double sum = 0;

	for (size_t s = from; s < to; s++)
		sum += (double)w->born.at[s];
	return sum;
}

/* The longest run of steps that adds nothing, between the first and the last that do. */
static size_t longest_gap(const struct leaks_work *w, size_t first, size_t last)
{
	size_t gap = 0, longest = 0;

	for (size_t s = first; s <= last; s++) {
		gap = adds(w, s) ? 0 : gap + 1;
		if (gap > longest)
			longest = gap;
	}
	return longest;
}

/* Steps of the warm-up that add about as much as the others are part of it. */
static void extend(const struct leaks_work *w, struct pile *p)
{
	double mean = sum_between(w, p->first, w->last + 1) / (double)p->adding;
	size_t gap = longest_gap(w, p->first, w->last);

	for (size_t s = p->first; s-- > 0 && p->first - s <= gap + 1;) {
		if (!adds(w, s))
			continue;
		if ((double)w->born.at[s] > 2 * mean)
			break;
		p->first = s;
	}
	p->last = w->last;
	while (!adds(w, p->last))
		p->last--;
}

/* From the first step that adds to the last one, what the first added is where it starts: so a
 * constant amount every k-th step gives its mean exactly. */
static void measure(const struct leaks_work *w, struct pile *p)
{
	double span = (double)(p->last - p->first), bytes = 0, sizes = 0, blocks = 0;

	p->adding = 0;
	for (size_t s = p->first; s <= p->last; s++) {
		bytes += (double)w->born.at[s];
		sizes += (double)w->sizes.at[s];
		blocks += (double)w->counts.at[s];
		p->adding += adds(w, s);
	}
	p->growth = (bytes - (double)w->born.at[p->first]) / span;
	p->growth_sizes = (sizes - (double)w->sizes.at[p->first]) / span;
	p->blocks_per_step = blocks / (double)p->adding;
	p->fit = fit_of(w, p->first, p->last);
}

static void total(const struct leaks_work *w, struct pile *p)
{
	double mean = p->growth_sizes;

	/* The last step counts when it has added what it must. */
	for (size_t s = w->last + 1; s < w->n; s++) {
		if (adds(w, s) && (double)w->born.at[s] <= 2 * mean)
			p->last = s;
	}
	p->adding = 0;
	p->bytes = p->sizes = p->blocks = 0;
	for (size_t s = p->first; s <= p->last; s++) {
		p->adding += adds(w, s);
		p->bytes += w->born.at[s];
		p->sizes += w->sizes.at[s];
		p->blocks += w->counts.at[s];
	}
}

/* Does the place add throughout, from some step to the end? */
static bool find_pile(const struct leaks_work *w, struct pile *p)
{
	size_t span;

	*p = (struct pile){.first = w->first};
	while (p->first <= w->last && !adds(w, p->first))
		p->first++;
	for (size_t s = p->first; s <= w->last; s++)
		p->adding += adds(w, s);
	span = w->last + 1 - p->first;
	if (p->adding < 3 || span < 3 || p->adding * 8 < span)
		return false;
	/* At least as many steps as give each third of them a fair chance. */
	if (!leaks_grows_throughout(0, sum_between(w, p->first, p->first + span / 3),
				    sum_between(w, p->first, p->first + 2 * span / 3),
				    sum_between(w, p->first, w->last + 1)))
		return false;
	extend(w, p);
	measure(w, p);
	total(w, p);
	return true;
}

/* Blocks of this place were given back before that had lived as long as half of those that are
 * there now: a cache that drops its oldest, or a collector that has not come yet. */
static bool comes_back(const struct leaks_work *w, size_t from, size_t to, const struct pile *p)
{
	int64_t age = (int64_t)(w->n - p->first);
	uint64_t returned = 0;

	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];

		if (o->death != LEAKS_ALIVE && 2 * ((int64_t)o->death - o->birth) >= age)
			returned += requested_of(&w->a->rows.at[o->row]);
	}
	return 4 * returned >= p->bytes;
}

/* --- one block that grows ---------------------------------------------------------------------- */

/* A few live blocks that are replaced by ever larger ones add nothing of their own: what grows is
 * the least that the place holds from some step on. */
static bool grows_in_place(const struct leaks_work *w, struct pile *p)
{
	size_t span = w->last + 1 - w->first, third = span / 3;
	int64_t low = INT64_MAX;
	double at[4], least[4];

	if (span < 9)
		return false;
	for (size_t s = w->last + 1; s-- > w->first;) {
		size_t k = s - w->first;

		low = w->live.at[s] < low ? w->live.at[s] : low;
		for (int i = 0; i < 4; i++) {
			size_t mark = i == 3 ? span - 1 : (size_t)i * third;

			if (k == mark) {
				least[i] = (double)low;
				at[i] = (double)w->live.at[s];
			}
		}
	}
	if (!leaks_grows_throughout(least[0], least[1], least[2], least[3]) ||
	    !leaks_grows_throughout(at[0], at[1], at[2], at[3]))
		return false;
	p->first = w->first;
	p->last = w->last;
	p->bytes = (uint64_t)w->live.at[w->last];
	p->fit = 0;
	/* Nearly every step must be higher than the last. */
	for (size_t s = w->first + 1; s <= w->last; s++)
		p->adding += w->live.at[s] > w->live.at[s - 1];
	return p->adding * 4 >= (span - 1) * 3;
}

/* --- bursts ------------------------------------------------------------------------------------ */

struct bursts {
	uint64_t n, largest, bytes;
	int64_t lived;
};

/* A step that frees what at least three steps had made. */
static bool is_burst(const struct leaks_work *w, size_t s)
{
	return w->births.at[s] >= 3 && w->freed.at[s] >= LEAST_BURST;
}

static bool find_bursts(struct leaks_work *w, size_t from, size_t to, struct bursts *b)
{
	uint64_t freed = 0;

	*b = (struct bursts){0};
	for (size_t s = w->first; s < w->n; s++) {
		freed += w->freed.at[s];
		if (!is_burst(w, s))
			continue;
		b->n++;
		b->bytes += w->freed.at[s];
		if (w->freed.at[s] > b->largest)
			b->largest = w->freed.at[s];
	}
	if (b->n < 2 || b->bytes * 5 < freed * 4)
		return false;
	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];

		if (o->death != LEAKS_ALIVE && is_burst(w, (size_t)o->death) &&
		    o->death - o->birth > b->lived)
			b->lived = o->death - o->birth;
	}
	for (size_t s = w->first; s < w->n; s++) {
		if (is_burst(w, s))
			w->bursts.at[s] += w->freed.at[s];
	}
	return true;
}

/* --- who it is --------------------------------------------------------------------------------- */

static enum category category_of(const struct leaks_work *w, uint32_t row)
{
	return w->o->categories ? (enum category)w->o->categories->rows.at[row].category
				: CATEGORY_UNKNOWN;
}

/* By bytes, the stack and the category of most of what was born from `since` on. */
static void identify(struct leaks_work *w, size_t from, size_t to, struct leak *l, bool alive)
{
	uint64_t by_category[CATEGORY_COUNT] = {0}, most = 0, pending = 0, all = 0;
	uint64_t forward = 0;

	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];
		const struct allocation *x = &w->a->rows.at[o->row];
		uint64_t bytes = requested_of(x), *sum = &w->stacks.at[x->stack.i];

		if (o->birth < l->first_step || (alive && o->death != LEAKS_ALIVE))
			continue;
		all += bytes;
		pending += x->free_requested <= w->o->until ? bytes : 0;
		by_category[category_of(w, o->row)] += bytes;
		forward += phase_of_run((enum phase)w->phases->of_row.at[o->row]) == PHASE_FORWARD
				   ? bytes
				   : 0;
		*sum += bytes;
		if (*sum > most) {
			most = *sum;
			l->stack = x->stack;
		}
	}
	for (size_t i = from; i < to; i++)
		w->stacks.at[w->a->rows.at[w->outlivers.at[i].row].stack.i] = 0;
	l->category = CATEGORY_UNKNOWN;
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (by_category[c] > by_category[l->category])
			l->category = (enum category)c;
	}
	if (alive && pending * 5 >= all * 4 && all > 0)
		l->kind = LEAK_PENDING_FREE;
	else if (alive && forward * 2 > all && l->blocks_per_step >= 2)
		l->kind = LEAK_GRAPH;
}

/* Stacks that keep a block now and then are not what piles up: the newest of what is replaced every
 * step is alive, too. Unless nothing else is there: then each block has a stack of its own. */
static void leave_out_rare_stacks(struct leaks_work *w, size_t from, size_t to, struct leak *l,
				  size_t adding)
{
	uint64_t bytes = 0, blocks = 0;

	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];

		if (o->death == LEAKS_ALIVE && o->birth >= l->first_step)
			w->stacks.at[w->a->rows.at[o->row].stack.i]++;
	}
	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];
		const struct allocation *x = &w->a->rows.at[o->row];

		if (o->death == LEAKS_ALIVE && o->birth >= l->first_step &&
		    o->birth <= l->last_step && w->stacks.at[x->stack.i] * 4 >= adding) {
			bytes += requested_of(x);
			blocks++;
		}
	}
	for (size_t i = from; i < to; i++)
		w->stacks.at[w->a->rows.at[w->outlivers.at[i].row].stack.i] = 0;
	if (bytes * 10 >= l->bytes * 9) {
		l->bytes = bytes;
		l->blocks = blocks;
	}
}

static int add_pile(struct leaks_work *w, size_t from, size_t to, const struct pile *p,
		    struct error *err)
{
	struct leak l = {
		.kind = LEAK_TENSOR,
		.site = w->sites.sites.at[w->outlivers.at[from].site],
		.bytes = p->bytes,
		.blocks = p->blocks,
		.blocks_per_step = p->blocks_per_step,
		.growth = p->growth,
		.growth_sizes = p->growth_sizes,
		.fit = p->fit,
		.first_step = (int64_t)p->first,
		.last_step = (int64_t)p->last,
		.confidence = leaks_confidence(w, p->adding, p->fit),
	};

	if (l.growth < LEAST_GROWTH)
		return 0;
	identify(w, from, to, &l, true);
	leave_out_rare_stacks(w, from, to, &l, p->adding);
	return vec_push(&w->out->found, l, w->out->budget, err);
}

static int add_growing(struct leaks_work *w, size_t from, size_t to, const struct pile *p,
		       struct error *err)
{
	double grown = (double)(w->live.at[p->last] - w->live.at[p->first]);
	struct leak l = {
		.kind = LEAK_TENSOR,
		.site = w->sites.sites.at[w->outlivers.at[from].site],
		.bytes = p->bytes,
		.first_step = (int64_t)p->first,
		.last_step = (int64_t)p->last,
		.confidence = CONFIDENCE_MEDIUM,
	};

	l.growth = l.growth_sizes = grown / (double)(p->last - p->first);
	if (l.growth < LEAST_GROWTH)
		return 0;
	for (size_t i = from; i < to; i++)
		l.blocks += w->outlivers.at[i].death == LEAKS_ALIVE;
	identify(w, from, to, &l, false);
	return vec_push(&w->out->found, l, w->out->budget, err);
}

static int add_cycle(struct leaks_work *w, size_t from, size_t to, const struct bursts *b,
		     struct error *err)
{
	struct leak l = {
		.kind = LEAK_REFERENCE_CYCLE,
		.site = w->sites.sites.at[w->outlivers.at[from].site],
		.bursts = b->n,
		.burst_bytes = b->largest,
		.lived_steps = b->lived,
		.first_step = (int64_t)w->n,
		.last_step = 0,
		.confidence = b->n >= 4 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM,
	};

	for (size_t i = from; i < to; i++) {
		const struct outliver *o = &w->outlivers.at[i];

		l.first_step = o->birth < l.first_step ? o->birth : l.first_step;
		l.last_step = o->birth > l.last_step ? o->birth : l.last_step;
		if (o->death == LEAKS_ALIVE) {
			l.bytes += requested_of(&w->a->rows.at[o->row]);
			l.blocks++;
		}
	}
	identify(w, from, to, &l, false);
	l.kind = LEAK_REFERENCE_CYCLE;
	return vec_push(&w->out->found, l, w->out->budget, err);
}

int leaks_judge_site(struct leaks_work *w, size_t from, size_t to, struct error *err)
{
	struct bursts bursts;
	struct pile pile;

	sum_up(w, from, to);
	if (find_pile(w, &pile) && !comes_back(w, from, to, &pile))
		return add_pile(w, from, to, &pile, err);
	if (find_bursts(w, from, to, &bursts))
		return add_cycle(w, from, to, &bursts, err);
	pile = (struct pile){0};
	if (grows_in_place(w, &pile))
		return add_growing(w, from, to, &pile, err);
	return 0;
}
