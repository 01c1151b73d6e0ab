/* SPDX-License-Identifier: MIT
 * open_spans.c -- which annotations were open at a time, asked in the order of time.
 */
#include "passes/open_spans.h"

#include <assert.h>

#define ANY_DEVICE INT32_MIN

static int walk_init(struct open_walk *w, const struct model *m, int32_t device,
		     struct budget *budget, struct error *err)
{
	VEC(struct band_mark) marks = {0};
	int rc = 0;

	*w = (struct open_walk){0};
	bands_init(&w->bands, budget);
	for (size_t i = 0; i < m->annotations.n && rc == 0; i++) {
		const struct annotation *a = &m->annotations.at[i];
		struct band_mark mark = {a->name, a->is_end, a->time_us, EVENT_START};

		if (a->time_us != TIME_NONE && (device == ANY_DEVICE || a->device == device))
			rc = vec_push(&marks, mark, budget, err);
	}
	if (rc == 0)
		rc = bands_match(&w->bands, marks.at, marks.n, err);
	/* Room for every span: pushing cannot fail later. */
	if (rc == 0)
		rc = vec_reserve(&w->open, w->bands.spans.n, budget, err);
	vec_release(&marks, budget);
	return rc;
}

static void walk_release(struct open_walk *w, struct budget *budget)
{
	bands_release(&w->bands);
	vec_release(&w->open, budget);
}

int open_spans_init(struct open_spans *o, const struct model *m, int32_t device,
		    struct budget *budget, struct error *err)
{
	struct open_spans spans = {.budget = budget};
	int rc;

	if ((rc = walk_init(&spans.own, m, device, budget, err)) < 0 ||
	    (rc = walk_init(&spans.all, m, ANY_DEVICE, budget, err)) < 0)
		open_spans_release(&spans);
	else
		*o = spans;
	return rc;
}

void open_spans_release(struct open_spans *o)
{
	if (!o || !o->budget)
		return;
	walk_release(&o->own, o->budget);
	walk_release(&o->all, o->budget);
	o->budget = NULL;
}

static bool has_ended(const struct band_span *s, int64_t time_us)
{
	return !s->never_ended && s->end_us <= time_us;
}

/* Take in what began until `time_us`, and drop what ended from the top: the top that is left is
 * the latest START not yet ended. */
static void walk_to(struct open_walk *w, int64_t time_us)
{
	const struct bands *b = &w->bands;

	while (w->next < b->spans.n &&
	       (b->spans.at[w->next].begun_before || b->spans.at[w->next].start_us <= time_us)) {
		assert(w->open.n < w->open.cap);
		w->open.at[w->open.n++] = (uint32_t)w->next++;
	}
	while (w->open.n > 0 && has_ended(&b->spans.at[w->open.at[w->open.n - 1]], time_us))
		w->open.n--;
}

static str_id walk_innermost(struct open_walk *w, int64_t time_us)
{
	walk_to(w, time_us);
	if (w->open.n == 0)
		return STR_NONE;
	return w->bands.spans.at[w->open.at[w->open.n - 1]].name;
}

str_id open_spans_innermost(struct open_spans *o, int64_t time_us)
{
	str_id name = walk_innermost(&o->own, time_us);

	return name.i ? name : walk_innermost(&o->all, time_us);
}

size_t open_spans_list(struct open_spans *o, int64_t time_us, str_id *names, size_t max)
{
	struct open_walk *w = &o->own;
	size_t n = 0;

	if (!walk_innermost(w, time_us).i)
		w = &o->all;
	walk_to(w, time_us);
	for (size_t i = w->open.n; i-- > 0 && n < max;) {
		const struct band_span *s = &w->bands.spans.at[w->open.at[i]];

		if (!has_ended(s, time_us))
			names[n++] = s->name;
	}
	for (size_t i = 0; i < n / 2; i++) {
		str_id swap = names[i];

		names[i] = names[n - 1 - i];
		names[n - 1 - i] = swap;
	}
	return n;
}
