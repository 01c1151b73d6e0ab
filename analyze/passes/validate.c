/* SPDX-License-Identifier: MIT
 * validate.c -- is the file consistent with itself: the rules' results put together.
 */
#include "passes/validate.h"

#include <stdio.h>
#include <string.h>

#include "passes/validate_private.h"

int validate_note(struct validation *out, struct violation v, struct error *err, const char *fmt,
		  ...)
{
	char text[300], *kept;
	va_list ap;
	int length;

	out->n_violations++;
	if (out->violations.n >= VALIDATE_MAX_VIOLATIONS)
		return 0;
	va_start(ap, fmt);
	length = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (length < 0 || (size_t)length >= sizeof text)
		length = (int)strlen(text);
	kept = arena_bytes(&out->arena, (size_t)length + 1, err);
	if (!kept)
		return (int)err->code;
	memcpy(kept, text, (size_t)length + 1);
	v.message = kept;
	return vec_push(&out->violations, v, out->budget, err);
}

static int validate_device(struct validation *out, const struct model *m, const struct device *d,
			   struct error *err)
{
	struct replay *r;
	int rc = validate_segments(out, m, d, err);

	if (rc < 0)
		return rc;
	rc = replay_new(&r, m, d, out->budget, err);
	if (rc < 0)
		return rc;
	rc = validate_trace(out, m, d, r, err);
	replay_free(r);
	return rc;
}

int validate_run(struct validation *out, const struct model *m, const struct device *only,
		 struct budget *budget, struct error *err)
{
	struct validation v = {.budget = budget};
	int rc = 0;

	arena_init(&v.arena, budget);
	for (size_t i = 0; i < m->devices.n && rc == 0; i++)
		if (!only || only == &m->devices.at[i])
			rc = validate_device(&v, m, &m->devices.at[i], err);
	if (rc < 0) {
		validate_release(&v);
		return rc;
	}
	v.consistent = v.n_violations == 0;
	*out = v;
	return 0;
}

void validate_release(struct validation *v)
{
	if (!v || !v->budget)
		return;
	vec_release(&v->violations, v->budget);
	arena_release(&v->arena);
}
