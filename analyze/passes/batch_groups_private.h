/* SPDX-License-Identifier: MIT
 * batch_groups_private.h -- what the parts of batch_groups share.
 */
#ifndef ANALYZE_PASSES_BATCH_GROUPS_PRIVATE_H
#define ANALYZE_PASSES_BATCH_GROUPS_PRIVATE_H

#include "passes/batch_groups.h"

struct grouping {
	struct batch_groups *g;
	const struct batch *b;
	struct budget *budget;
	VEC(double) values, sorted;
};

/* "" when the cell is null. */
static inline const char *batch_file_text(const struct batch *b, size_t file, size_t column)
{
	const char *text = batch_text(b, BATCH_FILES, file, column);

	return text ? text : "";
}

/* batch_settings.c: outliers by phase and settings; what settings differ. */
int batch_judge_texts(struct grouping *x, const struct batch_group *group, struct error *err);
int batch_find_differences(struct grouping *x, struct error *err);

/* batch_failures.c: counts, the first to fail, and failures that are alike. */
int batch_find_failures(struct grouping *x, struct error *err);

#endif
