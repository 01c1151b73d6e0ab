/* SPDX-License-Identifier: MIT
 * batch_failures.c -- which files ran out of memory, who was first, and who failed alike.
 */
#include "passes/batch_groups_private.h"

#include <string.h>

#include "base/sort.h"

/* How much larger a request of the same line of code may be. */
#define ALIKE 1.1

static int64_t requested(const struct batch *b, size_t file)
{
	return batch_int(b, BATCH_FILES, file, FILES_OOM_REQUESTED, -1);
}

static int place_order(const struct batch *b, size_t x, size_t y)
{
	int order =
		strcmp(batch_file_text(b, x, FILES_VERDICT), batch_file_text(b, y, FILES_VERDICT));

	return order ? order
		     : strcmp(batch_file_text(b, x, FILES_OOM_SITE),
			      batch_file_text(b, y, FILES_OOM_SITE));
}

static bool fails_before(const struct batch *b, size_t x, size_t y)
{
	int64_t m = batch_int(b, BATCH_FILES, x, FILES_OOM_TIME, INT64_MAX);
	int64_t n = batch_int(b, BATCH_FILES, y, FILES_OOM_TIME, INT64_MAX);

	return m != n ? m < n : x < y;
}

static bool failure_less(const size_t *x, const size_t *y, const void *ctx)
{
	int order = place_order(ctx, *x, *y);

	if (order)
		return order < 0;
	if (requested(ctx, *x) != requested(ctx, *y))
		return requested(ctx, *x) < requested(ctx, *y);
	return fails_before(ctx, *x, *y);
}
SORT_DEFINE(sort_failed, size_t, failure_less)

static bool more_files(const struct batch_failure *a, const struct batch_failure *b,
		       const void *ctx)
{
	(void)ctx;
	return a->n != b->n ? a->n > b->n : a->first < b->first;
}
SORT_DEFINE(sort_failures, struct batch_failure, more_files)

/* Does the next file, in order, belong to the failure? */
static bool is_alike(const struct batch *b, const struct batch_failure *f, size_t file)
{
	const char *site = batch_file_text(b, file, FILES_OOM_SITE);

	if (place_order(b, f->first, file) != 0)
		return false;
	/* Autograd's thread and unknown callers, "(backward)", stand for many places. */
	if (!*site || *site == '(' || f->least < 0)
		return requested(b, file) == f->least;
	return (double)requested(b, file) <= ALIKE * (double)f->least;
}

static const struct batch_group *group_of(const struct batch_groups *g, const char *name)
{
	size_t low = 0, high = g->groups.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(g->groups.at[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->groups.n && !strcmp(g->groups.at[low].name, name) ? &g->groups.at[low]
									  : NULL;
}

/* How many there could have been. */
static int count_all(struct grouping *x, struct batch_failure *f, struct error *err)
{
	VEC(const struct batch_group *) seen = {0};
	size_t all = 0;
	int rc = 0;

	f->of = x->b->n_rows[BATCH_FILES];
	for (size_t i = f->from; i < f->from + f->n && rc == 0; i++) {
		size_t file = x->g->failed.at[i], k = 0;
		const struct batch_group *group =
			group_of(x->g, batch_file_text(x->b, file, FILES_GROUP));

		if (!group)
			break;
		while (k < seen.n && seen.at[k] != group)
			k++;
		if (k == seen.n) {
			rc = vec_push(&seen, group, x->budget, err);
			all += group->files.n;
		}
		if (i + 1 == f->from + f->n) {
			f->of = all;
			f->group = seen.n == 1 ? group->name : NULL;
		}
	}
	vec_release(&seen, x->budget);
	return rc;
}

static int join_alike(struct grouping *x, struct error *err)
{
	struct batch_groups *g = x->g;
	int rc = 0;

	for (size_t i = 0; i < g->failed.n && rc == 0; i++) {
		size_t file = g->failed.at[i];
		struct batch_failure *last =
			g->failures.n ? &g->failures.at[g->failures.n - 1] : NULL;

		if (!last || !is_alike(x->b, last, file)) {
			struct batch_failure fresh = {
				.first = file, .from = i, .least = requested(x->b, file)};

			rc = vec_push(&g->failures, fresh, x->budget, err);
			if (rc < 0)
				break;
			last = &g->failures.at[g->failures.n - 1];
		}
		last->n++;
		last->most = requested(x->b, file);
		if (fails_before(x->b, file, last->first))
			last->first = file;
	}
	for (size_t i = 0; i < g->failures.n && rc == 0; i++)
		rc = count_all(x, &g->failures.at[i], err);
	return rc;
}

int batch_find_failures(struct grouping *x, struct error *err)
{
	struct batch_groups *g = x->g;
	int rc = 0;

	for (size_t i = 0; i < x->b->n_rows[BATCH_FILES] && rc == 0; i++) {
		const char *status = batch_file_text(x->b, i, FILES_STATUS);

		g->n_failed += !strcmp(status, "failed");
		g->n_partial += !strcmp(status, "partial");
		if (!*batch_file_text(x->b, i, FILES_VERDICT))
			continue;
		g->n_ooms++;
		if (batch_int(x->b, BATCH_FILES, i, FILES_OOM_TIME, INT64_MAX) != INT64_MAX &&
		    (g->first_to_fail == SIZE_MAX || fails_before(x->b, i, g->first_to_fail)))
			g->first_to_fail = i;
		rc = vec_push(&g->failed, i, x->budget, err);
	}
	if (rc < 0)
		return rc;
	sort_failed(g->failed.at, g->failed.n, x->b);
	rc = join_alike(x, err);
	if (rc == 0)
		sort_failures(g->failures.at, g->failures.n, NULL);
	return rc;
}
