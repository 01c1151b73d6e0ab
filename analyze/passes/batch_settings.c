/* SPDX-License-Identifier: MIT
 * batch_settings.c -- settings, and other values without an amount, that are not as usual.
 */
#include "passes/batch_groups_private.h"

#include <string.h>

#include "base/sort.h"

/* Settings beyond these are not compared; PyTorch has about ten. */
#define MAX_SETTINGS 64

/* The value of a setting in a file, or NULL. */
static const char *setting_of(const struct batch *b, size_t file, const char *name)
{
	size_t first, n = batch_rows_of(b, BATCH_SETTINGS, file, &first);

	for (size_t i = first; i < first + n; i++) {
		const char *key = batch_text(b, BATCH_SETTINGS, i, SETTINGS_KEY);

		if (key && !strcmp(key, name))
			return batch_text(b, BATCH_SETTINGS, i, SETTINGS_VALUE);
	}
	return NULL;
}

/* A setting's value, or the phase of the peak when `name` is NULL. */
static const char *value_of(const struct batch *b, size_t file, const char *name)
{
	return name ? setting_of(b, file, name)
		    : batch_text(b, BATCH_FILES, file, FILES_PEAK_PHASE);
}

/* The value that most files have, the first of equals; *count of *known have it. NULL: none has
 * any. */
static const char *usual_of(const struct batch *b, const struct batch_group *files,
			    const char *name, size_t *count, size_t *known)
{
	const char *usual = NULL;

	*count = *known = 0;
	for (size_t i = 0; i < files->files.n; i++) {
		const char *value = value_of(b, files->files.at[i], name);
		size_t same = 0;

		*known += value != NULL;
		if (!value || (usual && !strcmp(value, usual)) || 2 * *count > files->files.n)
			continue;
		for (size_t k = i; k < files->files.n; k++) {
			const char *other = value_of(b, files->files.at[k], name);

			same += other && !strcmp(other, value);
		}
		if (same > *count) {
			*count = same;
			usual = value;
		}
	}
	return usual;
}

/* Names of settings that any of the files has. */
static size_t names_of(const struct batch *b, const struct batch_group *files,
		       const char *names[MAX_SETTINGS])
{
	size_t n_names = 0;

	for (size_t i = 0; i < files->files.n; i++) {
		size_t first, n = batch_rows_of(b, BATCH_SETTINGS, files->files.at[i], &first);

		for (size_t k = first; k < first + n; k++) {
			const char *name = batch_text(b, BATCH_SETTINGS, k, SETTINGS_KEY);
			size_t s = 0;

			while (name && s < n_names && strcmp(names[s], name) != 0)
				s++;
			if (name && s == n_names && n_names < MAX_SETTINGS)
				names[n_names++] = name;
		}
	}
	return n_names;
}

static int judge_text(struct grouping *x, const struct batch_group *group, const char *name,
		      struct error *err)
{
	size_t count, known;
	const char *usual = usual_of(x->b, group, name, &count, &known);
	int rc = 0;

	if (known < BATCH_GROUP_MIN || 2 * count <= known)
		return 0;
	for (size_t i = 0; i < group->files.n && rc == 0; i++) {
		struct batch_outlier o = {.file = group->files.at[i],
					  .measure = name ? MEASURE_SETTINGS : MEASURE_PHASE,
					  .what = name,
					  .text = value_of(x->b, group->files.at[i], name),
					  .usual = usual,
					  .n_group = known};

		if (o.text && strcmp(o.text, usual) != 0)
			rc = vec_push(&x->g->outliers, o, x->budget, err);
	}
	return rc;
}

int batch_judge_texts(struct grouping *x, const struct batch_group *group, struct error *err)
{
	const char *names[MAX_SETTINGS];
	size_t n = names_of(x->b, group, names);
	int rc = judge_text(x, group, NULL, err);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = judge_text(x, group, names[i], err);
	return rc;
}

/* --- differences ------------------------------------------------------------------------------- */

static int differences_among(struct grouping *x, const struct batch_group *files, struct error *err)
{
	const char *names[MAX_SETTINGS];
	size_t n_names = names_of(x->b, files, names), count, known;
	int rc = 0;

	for (size_t s = 0; s < n_names && rc == 0; s++) {
		const char *usual = usual_of(x->b, files, names[s], &count, &known);

		for (size_t i = 0; i < files->files.n && count < known && rc == 0; i++) {
			struct batch_difference d = {
				.file = files->files.at[i],
				.name = names[s],
				.value = setting_of(x->b, files->files.at[i], names[s]),
				.usual = usual};

			if (d.value && strcmp(d.value, usual) != 0)
				rc = vec_push(&x->g->differences, d, x->budget, err);
		}
	}
	return rc;
}

static bool difference_less(const struct batch_difference *a, const struct batch_difference *b,
			    const void *ctx)
{
	(void)ctx;
	return a->file != b->file ? a->file < b->file : strcmp(a->name, b->name) < 0;
}
SORT_DEFINE(sort_differences, struct batch_difference, difference_less)

int batch_find_differences(struct grouping *x, struct error *err)
{
	struct batch_group rest = {.name = NULL};
	int rc = 0;

	for (size_t i = 0; i < x->b->n_rows[BATCH_FILES] && rc == 0; i++) {
		if (!*batch_file_text(x->b, i, FILES_GROUP))
			rc = vec_push(&rest.files, i, x->budget, err);
	}
	if (rc == 0)
		rc = differences_among(x, &rest, err);
	vec_release(&rest.files, x->budget);
	for (size_t i = 0; i < x->g->groups.n && rc == 0; i++)
		rc = differences_among(x, &x->g->groups.at[i], err);
	if (rc == 0)
		sort_differences(x->g->differences.at, x->g->differences.n, NULL);
	return rc;
}
