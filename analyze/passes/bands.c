/* SPDX-License-Identifier: MIT
 * bands.c -- matching of START and END, and the rows of the annotation band.
 */
#include "passes/bands.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/num.h"

#define NO_SPAN UINT64_MAX

void bands_init(struct bands *b, struct budget *budget)
{
	*b = (struct bands){.budget = budget};
}

void bands_release(struct bands *b)
{
	if (!b->budget)
		return;
	vec_release(&b->spans, b->budget);
	vec_release(&b->names, b->budget);
	vec_release(&b->drawn, b->budget);
	*b = (struct bands){0};
}

/* --- matching --------------------------------------------------------------------------------- */

struct matcher {
	struct bands *b;
	struct hashmap open;      /* name -> its latest open span, or NO_SPAN */
	VEC(uint64_t) open_below; /* of each span: the open one of that name before it */
	const struct band_mark *first;
};

static int match_start(struct matcher *m, const struct band_mark *mark, struct error *err)
{
	struct band_span span = {.name = mark->name,
				 .never_ended = true,
				 .start_us = mark->time_us,
				 .start_event = mark->event};
	uint64_t *top = hashmap_get(&m->open, mark->name.i);
	int rc;

	if ((rc = vec_push(&m->open_below, top ? *top : NO_SPAN, m->b->budget, err)) < 0)
		return rc;
	if ((rc = hashmap_put(&m->open, mark->name.i, m->b->spans.n, err)) < 0)
		return rc;
	return vec_push(&m->b->spans, span, m->b->budget, err);
}

static int match_end(struct matcher *m, const struct band_mark *mark, struct error *err)
{
	uint64_t *top = hashmap_get(&m->open, mark->name.i);
	struct band_span lost = {.name = mark->name,
				 .begun_before = true,
				 .start_us = m->first->time_us,
				 .start_event = m->first->event,
				 .end_us = mark->time_us,
				 .end_event = mark->event};
	struct band_span *span;
	int rc;

	if (!top || *top == NO_SPAN) {
		m->b->n_unmatched_ends++;
		if ((rc = vec_push(&m->open_below, NO_SPAN, m->b->budget, err)) < 0)
			return rc;
		return vec_push(&m->b->spans, lost, m->b->budget, err);
	}
	span = &m->b->spans.at[*top];
	*top = m->open_below.at[*top];
	span->never_ended = false;
	span->end_us = mark->time_us < span->start_us ? span->start_us : mark->time_us;
	span->end_event = mark->event < span->start_event ? span->start_event : mark->event;
	return 0;
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* An enclosing span comes before what it encloses, also when both start in the same instant. */
static int compare_spans(const void *pa, const void *pb)
{
	const struct band_span *a = pa, *b = pb;
	int c;

	if ((c = compare_i64(a->start_us, b->start_us)) != 0)
		return c;
	if ((c = compare_i64(a->start_event, b->start_event)) != 0)
		return c;
	if ((c = compare_i64(b->end_us, a->end_us)) != 0)
		return c;
	if ((c = compare_i64(b->end_event, a->end_event)) != 0)
		return c;
	return compare_i64(a->name.i, b->name.i);
}

static int bands_count_names(struct bands *b, struct error *err)
{
	struct hashmap rows;
	int rc = 0;

	hashmap_init(&rows, b->budget);
	for (size_t i = 0; i < b->spans.n && rc == 0; i++) {
		const struct band_span *s = &b->spans.at[i];
		uint64_t *row = hashmap_get(&rows, s->name.i), at = row ? *row : b->names.n;
		uint64_t us = (uint64_t)s->end_us - (uint64_t)s->start_us;

		if (!row && (rc = hashmap_put(&rows, s->name.i, at, err)) == 0)
			rc = vec_push(&b->names, ((struct band_name){.name = s->name}), b->budget,
				      err);
		if (rc < 0)
			break;
		b->names.at[at].count++;
		if (s->begun_before || s->never_ended)
			continue;
		b->names.at[at].total_us = num_add_saturated(b->names.at[at].total_us, us);
		if (us > b->names.at[at].longest_us)
			b->names.at[at].longest_us = us;
	}
	hashmap_release(&rows);
	return rc;
}

int bands_match(struct bands *b, const struct band_mark *marks, size_t n_marks, struct error *err)
{
	struct matcher m = {.b = b, .first = marks};
	const struct band_mark *last = marks;
	int rc = 0;

	hashmap_init(&m.open, b->budget);
	for (size_t i = 0; i < n_marks; i++) {
		if (marks[i].time_us < m.first->time_us)
			m.first = &marks[i];
		if (marks[i].time_us > last->time_us ||
		    (marks[i].time_us == last->time_us && marks[i].event > last->event))
			last = &marks[i];
	}
	for (size_t i = 0; i < n_marks && rc == 0; i++)
		rc = marks[i].is_end ? match_end(&m, &marks[i], err)
				     : match_start(&m, &marks[i], err);
	for (size_t i = 0; i < b->spans.n; i++) {
		if (!b->spans.at[i].never_ended)
			continue;
		b->n_unmatched_starts++;
		b->spans.at[i].end_us = last->time_us;
		b->spans.at[i].end_event = last->event;
	}
	hashmap_release(&m.open);
	vec_release(&m.open_below, b->budget);
	if (rc == 0 && b->spans.n > 0) {
		qsort(b->spans.at, b->spans.n, sizeof *b->spans.at, compare_spans);
		rc = bands_count_names(b, err);
	}
	return rc;
}

/* --- layout ----------------------------------------------------------------------------------- */

struct layout {
	struct bands *b;
	const struct bands_axis *axis;
	uint64_t narrow;
	uint64_t row_end[BANDS_MAX_ROWS];  /* where the row's last span ends */
	uint64_t row_band[BANDS_MAX_ROWS]; /* the row's last band if it may grow, or NO_SPAN */
};

/* Clip a span to the axis; false when it lies outside. */
static bool layout_clip(const struct layout *l, const struct band_span *s, uint64_t *from,
			uint64_t *to)
{
	const struct bands_axis *axis = l->axis;
	int64_t start = axis->by_event ? s->start_event : s->start_us;
	int64_t end = axis->by_event ? s->end_event : s->end_us;

	/* A number of an event stands for all the time until the next one. */
	if (!s->never_ended && (end < axis->zero || (axis->by_event && end == axis->zero)))
		return false;
	*from = start <= axis->zero || s->begun_before ? 0 : (uint64_t)start - (uint64_t)axis->zero;
	*to = end <= axis->zero ? 0 : (uint64_t)end - (uint64_t)axis->zero;
	if (*from > axis->span || (axis->by_event && *from == axis->span))
		return false;
	if (*to > axis->span || s->never_ended)
		*to = axis->span;
	return true;
}

static uint32_t layout_row(const struct layout *l, uint64_t from)
{
	uint32_t row = 0;

	while (row < BANDS_MAX_ROWS && l->row_end[row] > from)
		row++;
	return row;
}

static int layout_place(struct layout *l, const struct band_span *s, uint64_t from, uint64_t to,
			struct error *err)
{
	struct bands *b = l->b;
	uint32_t row = layout_row(l, from);
	bool narrow = to - from < l->narrow;
	struct band band = {s->name, 1, from, to, row, s->begun_before, s->never_ended};

	if (row == BANDS_MAX_ROWS) {
		b->n_deeper++;
		return 0;
	}
	if (to > l->row_end[row])
		l->row_end[row] = to;
	if (row >= b->n_rows)
		b->n_rows = row + 1;
	if (narrow && l->row_band[row] != NO_SPAN) {
		struct band *last = &b->drawn.at[l->row_band[row]];

		if (from - last->to < l->narrow) {
			if (last->name.i != s->name.i)
				last->name = STR_NONE;
			last->count++;
			last->to = to;
			last->begun_before = last->never_ended = false;
			return 0;
		}
	}
	l->row_band[row] = narrow ? b->drawn.n : NO_SPAN;
	return vec_push(&b->drawn, band, b->budget, err);
}

static int compare_bands(const void *pa, const void *pb)
{
	const struct band *a = pa, *b = pb;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* One try; stops early when there are too many bands. */
static int layout_run(struct layout *l, struct error *err)
{
	struct bands *b = l->b;
	uint64_t from, to;
	int rc;

	b->drawn.n = 0;
	b->n_rows = 0;
	b->n_outside = b->n_deeper = 0;
	for (uint32_t row = 0; row < BANDS_MAX_ROWS; row++) {
		l->row_end[row] = 0;
		l->row_band[row] = NO_SPAN;
	}
	for (size_t i = 0; i < b->spans.n && b->drawn.n <= l->axis->max_drawn; i++) {
		if (!layout_clip(l, &b->spans.at[i], &from, &to)) {
			b->n_outside++;
			continue;
		}
		if ((rc = layout_place(l, &b->spans.at[i], from, to, err)) < 0)
			return rc;
	}
	return 0;
}

int bands_layout(struct bands *b, const struct bands_axis *axis, struct error *err)
{
	struct layout l = {.b = b, .axis = axis, .narrow = axis->narrow};
	int rc;

	assert(axis->span > 0 && axis->narrow > 0 && axis->max_drawn >= BANDS_MAX_ROWS);
	while ((rc = layout_run(&l, err)) == 0 && b->drawn.n > axis->max_drawn)
		l.narrow = num_add_saturated(l.narrow, l.narrow);
	if (rc == 0 && b->drawn.n > 0)
		qsort(b->drawn.at, b->drawn.n, sizeof *b->drawn.at, compare_bands);
	return rc;
}
