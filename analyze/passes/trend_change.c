/* SPDX-License-Identifier: MIT
 * trend_change.c -- does a series of numbers go one way, or jump, and where?
 */
#include <math.h>
#include <stdlib.h>

#include "passes/trend_private.h"

/* Pairs are compared one by one up to so many files; longer series are thinned out evenly. */
#define MAX_PAIRED 512
#define MIN_FILES  4

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *at, size_t n)
{
	qsort(at, n, sizeof *at, compare_double);
	return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

/* Median of the values from..to - 1; at most MAX_PAIRED of them are looked at. */
static double level(const struct trend_series *s, size_t from, size_t to)
{
	double at[MAX_PAIRED];
	size_t step = (to - from + MAX_PAIRED - 1) / MAX_PAIRED, n = 0;

	for (size_t i = from; i < to; i += step)
		at[n++] = s->at[i];
	return median(at, n);
}

/* Kendall's tau: of all pairs, those that go up less those that go down. */
static double tau_of(const struct trend_series *s, size_t step)
{
	double up = 0, down = 0, pairs = 0;

	for (size_t i = 0; i < s->n; i += step) {
		for (size_t k = i + step; k < s->n; k += step) {
			up += s->at[k] > s->at[i];
			down += s->at[k] < s->at[i];
			pairs++;
		}
	}
	return pairs > 0 ? (up - down) / pairs : 0;
}

/* Theil and Sen: the median over the slopes of neighbours at a third of the series' distance, which
 * is as robust and needs no table of all pairs. */
double trend_slope(const double *values, size_t n_values)
{
	double at[MAX_PAIRED];
	size_t apart = n_values / 3 ? n_values / 3 : 1;
	size_t pairs = n_values - apart, step = (pairs + MAX_PAIRED - 1) / MAX_PAIRED, n = 0;

	for (size_t i = 0; i < pairs; i += step)
		at[n++] = (values[i + apart] - values[i]) / (double)apart;
	return median(at, n);
}

bool trend_has_direction(const struct trend_series *s, double *slope)
{
	size_t third = s->n / 3, step = (s->n + MAX_PAIRED - 1) / MAX_PAIRED;
	double way, first, mid, last;

	*slope = 0;
	if (s->n < MIN_FILES || fabs(tau_of(s, step)) < 0.7)
		return false;
	first = level(s, 0, third);
	mid = level(s, third, s->n - third);
	last = level(s, s->n - third, s->n);
	way = last - first;
	/* Both halves of the way are gone, and it leads somewhere. */
	if (fabs(way) < s->least || (mid - first) / way < 0.2 || (last - mid) / way < 0.2)
		return false;
	*slope = trend_slope(s->at, s->n);
	return true;
}

/* --- change points ----------------------------------------------------------------------------- */

/* Sums over the values before each, of their distance to the first. */
struct sums {
	double *x, *xx;
};

static double cost(const struct sums *s, size_t from, size_t to)
{
	double n = (double)(to - from), x = s->x[to] - s->x[from], xx = s->xx[to] - s->xx[from];

	return xx - x * x / n;
}

/* Variance of the noise, from the differences of neighbours: a jump is only one of many. Of two
 * files nobody can tell. */
static double noise_of(const struct trend_series *s)
{
	double at[MAX_PAIRED], sigma;
	size_t step = (s->n + MAX_PAIRED - 1) / MAX_PAIRED, n = 0;

	for (size_t i = 0; i + 1 < s->n; i += step)
		at[n++] = fabs(s->at[i + 1] - s->at[i]);
	if (n < 2)
		return 0;
	/* The lower median, and what it is for the difference of two normal values. */
	qsort(at, n, sizeof *at, compare_double);
	sigma = at[(n - 1) / 2] / 0.954;
	return sigma * sigma;
}

/* The place that splits from..to - 1 best, or 0 when none is worth it. */
static size_t best_split(const struct trend_series *s, const struct sums *sums, double penalty,
			 size_t from, size_t to)
{
	double whole = cost(sums, from, to), best = 0;
	size_t at = 0;

	for (size_t k = from + 1; k < to; k++) {
		double gain = whole - cost(sums, from, k) - cost(sums, k, to);

		if (gain > best) {
			best = gain;
			at = k;
		}
	}
	if (!at || best <= penalty || fabs(level(s, at, to) - level(s, from, at)) < s->least)
		return 0;
	return at;
}

struct span {
	size_t from, to;
};

static int split_all(struct trend *t, const struct trend_series *s, const struct sums *sums,
		     bool *cuts, struct error *err)
{
	double penalty = 3 * log((double)s->n) * noise_of(s);
	VEC(struct span) todo = {0};
	int rc = vec_push(&todo, ((struct span){0, s->n}), t->budget, err);

	while (rc == 0 && todo.n) {
		struct span x = todo.at[--todo.n];
		size_t at = x.to - x.from > 1 ? best_split(s, sums, penalty, x.from, x.to) : 0;

		if (!at)
			continue;
		cuts[at] = true;
		if ((rc = vec_push(&todo, ((struct span){at, x.to}), t->budget, err)) == 0)
			rc = vec_push(&todo, ((struct span){x.from, at}), t->budget, err);
	}
	vec_release(&todo, t->budget);
	return rc;
}

static int add_changes(struct trend *t, const struct trend_series *s, const bool *cuts,
		       const struct trend_change *like, struct error *err)
{
	size_t before = 0;
	int rc = 0;

	for (size_t i = 1; i < s->n && rc == 0; i++) {
		struct trend_change c = *like;
		size_t end = i + 1;

		if (!cuts[i])
			continue;
		while (end < s->n && !cuts[end])
			end++;
		c.file = s->files[i];
		c.from = level(s, before, i);
		c.to = level(s, i, end);
		rc = vec_push(&t->changes, c, t->budget, err);
		before = i;
	}
	return rc;
}

int trend_find_changes(struct trend *t, const struct trend_series *s,
		       const struct trend_change *like, struct error *err)
{
	VEC(double) x = {0}, xx = {0};
	VEC(bool) cuts = {0};
	struct sums sums;
	int rc;

	if (s->n < 2)
		return 0;
	if ((rc = vec_reserve(&x, s->n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&xx, s->n + 1, t->budget, err)) < 0 ||
	    (rc = vec_reserve(&cuts, s->n + 1, t->budget, err)) < 0)
		goto out;
	x.at[0] = xx.at[0] = 0;
	for (size_t i = 0; i < s->n; i++) {
		double v = s->at[i] - s->at[0];

		x.at[i + 1] = x.at[i] + v;
		xx.at[i + 1] = xx.at[i] + v * v;
		cuts.at[i] = false;
	}
	sums = (struct sums){x.at, xx.at};
	if ((rc = split_all(t, s, &sums, cuts.at, err)) == 0)
		rc = add_changes(t, s, cuts.at, like, err);
out:
	vec_release(&x, t->budget);
	vec_release(&xx, t->budget);
	vec_release(&cuts, t->budget);
	return rc;
}
