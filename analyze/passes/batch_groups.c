/* SPDX-License-Identifier: MIT
 * batch_groups.c -- what many files have in common, and which of them do not.
 */
#include "passes/batch_groups_private.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

#define FAR        3.5
#define CONSISTENT 1.4826 /* makes the median distance a standard deviation */
#define FLOOR      0.01
/* What more than a quarter of a group does is another way to be, and no outlier. */
#define MOST_OUTLIERS 4

static const char *const measure_names[MEASURES] = {
	[MEASURE_PEAK] = "peak_allocated_bytes", [MEASURE_RESERVED] = "peak_reserved_bytes",
	[MEASURE_END] = "end_allocated_bytes",   [MEASURE_FRAGMENTATION] = "fragmentation",
	[MEASURE_LEAK] = "leak_bytes_per_step",  [MEASURE_HOLDER] = "site_bytes_at_peak",
	[MEASURE_STEP] = "step_peak_bytes",      [MEASURE_PHASE] = "peak_phase",
	[MEASURE_SETTINGS] = "settings",
};

const char *batch_measure_name(enum batch_measure m)
{
	return measure_names[m];
}

static bool double_less(const double *a, const double *b, const void *ctx)
{
	(void)ctx;
	return *a < *b;
}
SORT_DEFINE(sort_doubles, double, double_less)

static double median_of(double *at, size_t n)
{
	sort_doubles(at, n, NULL);
	return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

/* --- groups ------------------------------------------------------------------------------------ */

static bool group_less(const size_t *x, const size_t *y, const void *ctx)
{
	int order = strcmp(batch_file_text(ctx, *x, FILES_GROUP),
			   batch_file_text(ctx, *y, FILES_GROUP));

	return order ? order < 0 : *x < *y;
}
SORT_DEFINE(sort_by_group, size_t, group_less)

static int find_groups(struct grouping *x, struct error *err)
{
	VEC(size_t) order = {0};
	int rc = 0;

	for (size_t i = 0; i < x->b->n_rows[BATCH_FILES] && rc == 0; i++) {
		if (*batch_file_text(x->b, i, FILES_GROUP))
			rc = vec_push(&order, i, x->budget, err);
	}
	if (rc == 0)
		sort_by_group(order.at, order.n, x->b);
	for (size_t i = 0; i < order.n && rc == 0; i++) {
		const char *name = batch_file_text(x->b, order.at[i], FILES_GROUP);
		struct batch_group *last =
			x->g->groups.n ? &x->g->groups.at[x->g->groups.n - 1] : NULL;

		if (!last || strcmp(last->name, name)) {
			struct batch_group fresh = {.name = name};

			rc = vec_push(&x->g->groups, fresh, x->budget, err);
			if (rc < 0)
				break;
			last = &x->g->groups.at[x->g->groups.n - 1];
		}
		rc = vec_push(&last->files, order.at[i], x->budget, err);
	}
	vec_release(&order, x->budget);
	return rc;
}

/* --- outliers ---------------------------------------------------------------------------------- */

/* x->values has one value a file of the group, NaN where there is none. */
static int judge(struct grouping *x, const struct batch_group *group, struct batch_outlier like,
		 struct error *err)
{
	double median, spread, floor;
	size_t n = 0, far = 0;
	int rc = 0;

	for (size_t i = 0; i < x->values.n; i++) {
		if (!isnan(x->values.at[i]))
			x->sorted.at[n++] = x->values.at[i];
	}
	if (n < BATCH_GROUP_MIN)
		return 0;
	median = median_of(x->sorted.at, n);
	for (size_t i = 0, k = 0; i < x->values.n; i++) {
		if (!isnan(x->values.at[i]))
			x->sorted.at[k++] = fabs(x->values.at[i] - median);
	}
	spread = CONSISTENT * median_of(x->sorted.at, n);
	floor = like.measure == MEASURE_FRAGMENTATION ? FLOOR : FLOOR * fabs(median);
	/* Amounts below a block's smallest unit are no news. */
	if (like.measure != MEASURE_FRAGMENTATION && floor < 512)
		floor = 512;
	if (spread < floor)
		spread = floor;
	for (size_t i = 0; i < x->values.n; i++)
		far += fabs(x->values.at[i] - median) > FAR * spread;
	if (far > n / MOST_OUTLIERS)
		return 0;
	for (size_t i = 0; i < x->values.n && far && rc == 0; i++) {
		double score = (x->values.at[i] - median) / spread;

		if (isnan(score) || fabs(score) <= FAR)
			continue;
		like.file = group->files.at[i];
		like.value = x->values.at[i];
		like.median = median;
		like.score = score;
		like.n_group = group->files.n;
		rc = vec_push(&x->g->outliers, like, x->budget, err);
	}
	return rc;
}

static int judge_column(struct grouping *x, const struct batch_group *group, size_t column,
			enum batch_measure measure, struct error *err)
{
	for (size_t i = 0; i < group->files.n; i++)
		x->values.at[i] = batch_number(x->b, BATCH_FILES, group->files.at[i], column);
	return judge(x, group, (struct batch_outlier){.measure = measure}, err);
}

/* A site's bytes in a file; a file whose peak is known and whose rows do not name it has 0. */
static double site_bytes(const struct batch *b, size_t file, str_id site)
{
	size_t first, n = batch_rows_of(b, BATCH_SITES, file, &first);

	for (size_t i = first; i < first + n; i++) {
		if (batch_cell(b, BATCH_SITES, i, SITES_SITE)->s.i == site.i)
			return batch_number(b, BATCH_SITES, i, SITES_BYTES);
	}
	return n ? 0 : (double)NAN;
}

static bool in_list(const str_id *at, size_t n, str_id id)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i].i == id.i)
			return true;
	}
	return false;
}

/* Sites beyond these are each a small part of the peak. */
#define MAX_SITES 200
/* Of each file. */
#define TOP_SITES 8

static int judge_sites(struct grouping *x, const struct batch_group *group, struct error *err)
{
	str_id seen[MAX_SITES];
	size_t n_seen = 0;
	int rc = 0;

	for (size_t i = 0; i < group->files.n; i++) {
		size_t first, n = batch_rows_of(x->b, BATCH_SITES, group->files.at[i], &first);

		for (size_t k = 0; k < n && k < TOP_SITES && n_seen < MAX_SITES; k++) {
			const struct batch_cell *c =
				batch_cell(x->b, BATCH_SITES, first + k, SITES_SITE);

			if (c->kind == BATCH_TEXT && !in_list(seen, n_seen, c->s))
				seen[n_seen++] = c->s;
		}
	}
	for (size_t s = 0; s < n_seen && rc == 0; s++) {
		for (size_t i = 0; i < group->files.n; i++)
			x->values.at[i] = site_bytes(x->b, group->files.at[i], seen[s]);
		rc = judge(
			x, group,
			(struct batch_outlier){.measure = MEASURE_HOLDER,
					       .what = strtab_get(&x->b->strings, seen[s])->bytes},
			err);
	}
	return rc;
}

#define MAX_STEPS 1000

static int judge_steps(struct grouping *x, const struct batch_group *group, struct error *err)
{
	size_t most = 0;
	int rc = 0;

	for (size_t i = 0; i < group->files.n; i++) {
		size_t first, n = batch_rows_of(x->b, BATCH_STEPS, group->files.at[i], &first);

		most = n > most ? n : most;
	}
	for (size_t s = 0; s < most && s < MAX_STEPS && rc == 0; s++) {
		for (size_t i = 0; i < group->files.n; i++) {
			size_t first,
				n = batch_rows_of(x->b, BATCH_STEPS, group->files.at[i], &first);

			x->values.at[i] =
				s < n && batch_int(x->b, BATCH_STEPS, first + s, STEPS_WHOLE, 0)
					? batch_number(x->b, BATCH_STEPS, first + s, STEPS_PEAK)
					: (double)NAN;
		}
		rc = judge(x, group,
			   (struct batch_outlier){.measure = MEASURE_STEP, .step = (int64_t)s},
			   err);
	}
	return rc;
}

static int judge_group(struct grouping *x, const struct batch_group *group, struct error *err)
{
	static const struct {
		size_t column;
		enum batch_measure measure;
	} columns[] = {{FILES_PEAK, MEASURE_PEAK},
		       {FILES_PEAK_RESERVED, MEASURE_RESERVED},
		       {FILES_END, MEASURE_END},
		       {FILES_FRAGMENTATION, MEASURE_FRAGMENTATION},
		       {FILES_LEAK, MEASURE_LEAK}};
	int rc = 0;

	x->values.n = x->sorted.n = 0;
	if (vec_reserve(&x->values, group->files.n, x->budget, err) < 0 ||
	    vec_reserve(&x->sorted, group->files.n, x->budget, err) < 0)
		return err->code;
	x->values.n = x->sorted.n = group->files.n;
	for (size_t i = 0; i < sizeof columns / sizeof *columns && rc == 0; i++)
		rc = judge_column(x, group, columns[i].column, columns[i].measure, err);
	if (rc == 0)
		rc = judge_sites(x, group, err);
	if (rc == 0)
		rc = judge_steps(x, group, err);
	return rc == 0 ? batch_judge_texts(x, group, err) : rc;
}

static bool outlier_less(const struct batch_outlier *a, const struct batch_outlier *b,
			 const void *ctx)
{
	(void)ctx;
	if (a->file != b->file)
		return a->file < b->file;
	if (fabs(a->score) > fabs(b->score) || fabs(a->score) < fabs(b->score))
		return fabs(a->score) > fabs(b->score);
	if (a->measure != b->measure)
		return a->measure < b->measure;
	if (a->step != b->step)
		return a->step < b->step;
	return strcmp(a->what ? a->what : "", b->what ? b->what : "") < 0;
}
SORT_DEFINE(sort_outliers, struct batch_outlier, outlier_less)

int batch_groups_run(struct batch_groups *out, const struct batch *b, struct budget *budget,
		     struct error *err)
{
	struct batch_groups g = {.budget = budget, .first_to_fail = SIZE_MAX};
	struct grouping x = {.g = &g, .b = b, .budget = budget};
	int rc = find_groups(&x, err);

	for (size_t i = 0; i < g.groups.n && rc == 0; i++) {
		if (g.groups.at[i].files.n >= BATCH_GROUP_MIN)
			rc = judge_group(&x, &g.groups.at[i], err);
	}
	if (rc == 0)
		sort_outliers(g.outliers.at, g.outliers.n, NULL);
	if (rc == 0)
		rc = batch_find_differences(&x, err);
	if (rc == 0)
		rc = batch_find_failures(&x, err);
	vec_release(&x.values, budget);
	vec_release(&x.sorted, budget);
	if (rc < 0)
		batch_groups_release(&g);
	else
		*out = g;
	return rc;
}

void batch_groups_release(struct batch_groups *g)
{
	for (size_t i = 0; i < g->groups.n; i++)
		vec_release(&g->groups.at[i].files, g->budget);
	vec_release(&g->groups, g->budget);
	vec_release(&g->outliers, g->budget);
	vec_release(&g->differences, g->budget);
	vec_release(&g->failures, g->budget);
	vec_release(&g->failed, g->budget);
}
