/* SPDX-License-Identifier: MIT
 * timeline_stack.h -- the layers of a stacked timeline: exact bytes of each group, column by column.
 *
 * A column stands for many moments, and layers of different moments do not add up. So each column
 * has the composition of one moment, that of its highest total: the outline of the stack is the
 * highest allocated memory of each column, and the peak's composition is that of the peak.
 */
#ifndef ANALYZE_PASSES_TIMELINE_STACK_H
#define ANALYZE_PASSES_TIMELINE_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "passes/timeline_groups.h"
#include "replay/replay.h"

struct stack_column {
	uint64_t bytes[TIMELINE_MAX_GROUPS];
	uint64_t total;
	int64_t event; /* the moment */
};

struct timeline_stack {
	struct budget *budget;                /* weak; NULL: there is none */
	const struct timeline_groups *groups; /* weak */
	size_t n_columns;
	struct stack_column *columns;
	/* Of the window. */
	uint64_t start[TIMELINE_MAX_GROUPS], end[TIMELINE_MAX_GROUPS];
	uint64_t peak[TIMELINE_MAX_GROUPS];    /* at the peak of the total */
	uint64_t highest[TIMELINE_MAX_GROUPS]; /* each at its own */
	uint64_t most_loose; /* most bytes at once that no allocation accounted for */
	/* For the walk. */
	size_t at;     /* the column being filled */
	size_t row;    /* next of model->timeline */
	int64_t since; /* leave out what was born until this event; INT64_MIN: nothing */
	uint64_t now[TIMELINE_MAX_GROUPS];   /* of allocations */
	uint64_t shown[TIMELINE_MAX_GROUPS]; /* the same, to add up to the total */
	int64_t event;
};

/* Errors: ERR_LIMIT, ERR_NOMEM. `groups` must outlive it. */
int stack_init(struct timeline_stack *s, const struct timeline_groups *groups, size_t n_columns,
	       struct budget *budget, struct error *err);
void stack_release(struct timeline_stack *s);

/* The moment just after event `from`; `allocated` by the device's totals, or BYTES_NONE. */
void stack_start(struct timeline_stack *s, int64_t from, uint64_t allocated);
/* The replay's step, which is event `event` and lies in `column`. */
void stack_step(struct timeline_stack *s, const struct step *step, int64_t event, size_t column,
		uint64_t allocated);
/* The moment of the last call is the highest so far of the whole window. */
void stack_note_peak(struct timeline_stack *s);
void stack_finish(struct timeline_stack *s);

/* Sum of what the allocations hold now. */
uint64_t stack_total(const struct timeline_stack *s);

#endif
