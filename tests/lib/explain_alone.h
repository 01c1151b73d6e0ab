/* SPDX-License-Identifier: MIT
 * explain_alone.h -- explain_run with a study of its own, for tests that ask for nothing else.
 */
#ifndef TESTS_LIB_EXPLAIN_ALONE_H
#define TESTS_LIB_EXPLAIN_ALONE_H

#include "passes/explain.h"
#include "passes/study.h"

static inline int explain_alone(struct explain *out, const struct model *m,
				const struct explain_options *options, struct budget *budget,
				struct error *err)
{
	struct study study;
	int rc;

	study_init(&study, m, NULL, NULL, budget);
	rc = explain_run(out, &study, options, err);
	study_release(&study);
	return rc;
}

#endif
