/* SPDX-License-Identifier: MIT
 * problem.c -- sentences worth a person's attention, for loaders to leave in a model.
 */
#include "model/problem.h"

#include <stdio.h>
#include <string.h>

int model_problem(struct model *m, struct error *err, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	str_id id;
	int rc;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	rc = strtab_add(&m->strings, text, strlen(text), &id, err);
	return rc < 0 ? rc : vec_push(&m->problems, id, m->budget, err);
}
