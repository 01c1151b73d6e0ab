/* SPDX-License-Identifier: MIT
 * export_annotations.c -- annotations of a file as spans, for the formats that have spans.
 */
#include "reports/export.h"

int export_annotations(struct bands *out, const struct export *x, struct error *err)
{
	VEC(struct band_mark) marks = {0};
	int rc = 0;

	bands_init(out, x->budget);
	for (size_t i = 0; rc == 0 && i < x->model->annotations.n; i++) {
		const struct annotation *a = &x->model->annotations.at[i];
		struct band_mark mark = {
			.name = a->name, .is_end = a->is_end, .time_us = a->time_us};

		if (a->time_us != TIME_NONE)
			rc = vec_push(&marks, mark, x->budget, err);
	}
	if (rc == 0)
		rc = bands_match(out, marks.at, marks.n, err);
	vec_release(&marks, x->budget);
	return rc;
}
