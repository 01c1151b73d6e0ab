/* SPDX-License-Identifier: MIT
 * problem.h -- sentences worth a person's attention, for loaders to leave in a model.
 */
#ifndef ANALYZE_MODEL_PROBLEM_H
#define ANALYZE_MODEL_PROBLEM_H

#include "model/model.h"

/* Append a sentence to m->problems; cut at 600 bytes. Errors: ERR_LIMIT, ERR_NOMEM. */
int model_problem(struct model *m, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
