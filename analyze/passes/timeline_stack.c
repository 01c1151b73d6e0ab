/* SPDX-License-Identifier: MIT
 * timeline_stack.c -- bytes of each group along the walk of a timeline.
 */
#include "passes/timeline_stack.h"

#include <assert.h>
#include <string.h>

int stack_init(struct timeline_stack *s, const struct timeline_groups *groups, size_t n_columns,
	       struct budget *budget, struct error *err)
{
	struct timeline_stack new = {.budget = budget, .groups = groups, .n_columns = n_columns};

	new.since = INT64_MIN;
	new.columns = budget_realloc(budget, NULL, 0, n_columns * sizeof *new.columns, err);
	if (!new.columns)
		return (int)err->code;
	*s = new;
	return 0;
}

void stack_release(struct timeline_stack *s)
{
	if (s->budget)
		budget_free(s->budget, s->columns, s->n_columns * sizeof *s->columns);
	*s = (struct timeline_stack){0};
}

uint64_t stack_total(const struct timeline_stack *s)
{
	uint64_t sum = 0;

	for (size_t g = 0; g < s->groups->n; g++)
		sum += s->now[g];
	return sum;
}

static void take_away(uint64_t *from, uint64_t *bytes)
{
	uint64_t part = *from < *bytes ? *from : *bytes;

	*from -= part;
	*bytes -= part;
}

/* Totals that a file tells and the sizes of its blocks may differ: threads that were not recorded,
 * blocks from before. What is too much goes to the rest, what is missing comes off it first. */
static void balance(struct timeline_stack *s, uint64_t allocated)
{
	size_t rest = s->groups->rest;
	uint64_t sum = stack_total(s), missing;

	memcpy(s->shown, s->now, sizeof s->shown);
	if (allocated == BYTES_NONE || allocated == sum)
		return;
	if (allocated > sum) {
		s->shown[rest] += allocated - sum;
		if (allocated - sum > s->most_loose)
			s->most_loose = allocated - sum;
		return;
	}
	missing = sum - allocated;
	take_away(&s->shown[rest], &missing);
	for (size_t g = s->groups->n; g-- > 0 && missing > 0;)
		take_away(&s->shown[g], &missing);
}

/* --- what each event does ---------------------------------------------------------------------- */

static void change(struct timeline_stack *s, size_t group, uint64_t bytes, bool more)
{
	if (more)
		s->now[group] += bytes;
	else
		s->now[group] -= bytes < s->now[group] ? bytes : s->now[group];
}

/* Rows of a memory timeline: one an event, those from before the recording apart. */
static void take_row(struct timeline_stack *s)
{
	const struct model *m = s->groups->model;
	const struct timeline_row *row;

	while (s->row < m->timeline.n && m->timeline.at[s->row].time_ns < 0)
		s->row++;
	if (s->row == m->timeline.n)
		return;
	row = &m->timeline.at[s->row++];
	change(s, row->category, row->bytes < 0 ? 0 - (uint64_t)row->bytes : (uint64_t)row->bytes,
	       row->bytes > 0);
}

static void take_step(struct timeline_stack *s, const struct step *step, int64_t event)
{
	const struct allocations *a = s->groups->allocations;
	uint32_t row;

	if (!a) {
		take_row(s);
		return;
	}
	if (!step->applied)
		return;
	if (step->action == ACTION_ALLOC)
		row = allocations_of_event(a, event);
	else if (step->action == ACTION_FREE_REQUESTED || step->action == ACTION_FREE_COMPLETED)
		row = allocations_of_step(a, step);
	else
		return;
	if (row == ALLOCATION_NONE || a->rows.at[row].born <= s->since)
		return;
	/* The completion of a free that was requested before changes nothing here. */
	if (step->action == ACTION_ALLOC)
		change(s, s->groups->of_row.at[row], a->rows.at[row].size, true);
	else if (a->rows.at[row].free_requested == event)
		change(s, s->groups->of_row.at[row], a->rows.at[row].size, false);
}

static void start_sums(struct timeline_stack *s, int64_t from)
{
	const struct allocations *a = s->groups->allocations;
	const struct model *m = s->groups->model;

	memset(s->now, 0, sizeof s->now);
	if (a) {
		for (size_t i = 0; i < a->rows.n; i++) {
			const struct allocation *x = &a->rows.at[i];

			if (x->born <= from && x->born > s->since && x->free_requested > from)
				s->now[s->groups->of_row.at[i]] += x->size;
		}
		return;
	}
	for (size_t i = 0; i < m->timeline.n; i++) {
		const struct timeline_row *row = &m->timeline.at[i];

		if (row->time_ns < 0 && row->bytes > 0)
			s->now[row->category] += (uint64_t)row->bytes;
	}
	s->row = 0;
	for (int64_t e = 0; e <= from; e++)
		take_row(s);
}

/* --- columns ----------------------------------------------------------------------------------- */

/* What holds now is a moment of the column being filled. */
static void note(struct timeline_stack *s, bool fresh)
{
	struct stack_column *c = &s->columns[s->at];
	uint64_t total = 0;

	for (size_t g = 0; g < s->groups->n; g++) {
		total += s->shown[g];
		if (s->shown[g] > s->highest[g])
			s->highest[g] = s->shown[g];
	}
	if (!fresh && total <= c->total)
		return;
	memcpy(c->bytes, s->shown, sizeof c->bytes);
	c->total = total;
	c->event = s->event;
}

static void advance(struct timeline_stack *s, size_t column)
{
	while (s->at < column) {
		s->at++;
		note(s, true);
	}
}

void stack_start(struct timeline_stack *s, int64_t from, uint64_t allocated)
{
	s->event = from;
	start_sums(s, from);
	balance(s, allocated);
	memcpy(s->start, s->shown, sizeof s->start);
	s->at = 0;
	note(s, true);
}

void stack_step(struct timeline_stack *s, const struct step *step, int64_t event, size_t column,
		uint64_t allocated)
{
	assert(column >= s->at && column < s->n_columns);
	advance(s, column);
	s->event = event;
	take_step(s, step, event);
	balance(s, allocated);
	note(s, false);
}

void stack_note_peak(struct timeline_stack *s)
{
	memcpy(s->peak, s->shown, sizeof s->peak);
}

void stack_finish(struct timeline_stack *s)
{
	advance(s, s->n_columns - 1);
	memcpy(s->end, s->shown, sizeof s->end);
}
