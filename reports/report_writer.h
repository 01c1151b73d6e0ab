/* SPDX-License-Identifier: MIT
 * report_writer.h -- the work on the columns of one device, for the files of report_columns.h only.
 *
 * Functions do nothing once `rc` is negative; whoever calls them asks it at the end.
 */
#ifndef REPORTS_REPORT_WRITER_H
#define REPORTS_REPORT_WRITER_H

#include "reports/report_columns.h"
#include "reports/report_holes.h"

/* Allocations that live, by 1 + row of the page: a ring through 0. */
struct link {
	uint32_t older, younger;
};

/* A segment whose pool the end of the file tells. */
struct told_segment {
	uint64_t start, end;
	int64_t born; /* event; of expandable ones that of the first part */
	struct pool_id pool;
	bool is_expandable;
};

/* The work on one device; its pointers are weak. `local` and `event_row` have a value for each row and
 * event. */
struct writer {
	struct report_columns *c;
	const struct purpose *p;
	const struct allocations *a;
	const struct model *m;
	struct report_stacks *stacks;
	struct error *err;
	struct hashmap sizes, places, attrs;
	VEC(uint32_t) local;       /* row of the page, ALLOCATION_NONE: not in the window */
	VEC(uint32_t) event_row;   /* the row whose free the event is, ALLOCATION_NONE: none */
	VEC(uint32_t) stack_local; /* 1 + row of stack_dict, by row of `stacks` */
	VEC(struct link) links;
	uint32_t next_freed; /* the younger neighbour of the last one freed, in links */
	struct holes holes;
	VEC(uint32_t) home;            /* of each row of the page, in holes */
	VEC(struct told_segment) told; /* by address; none when every event tells its pool */
	bool pools_missing;
	uint32_t n_stacks, n_sizes, n_places;
	uint64_t last_requested;
	uint64_t last_end; /* of the allocation before, in units */
	int64_t last_us;
	int rc;
};

/* --- numbers and dictionaries (report_dicts.c) ------------------------------------------------- */

void writer_put(struct writer *w, enum report_column column, uint64_t v);
void writer_put_signed(struct writer *w, enum report_column column, int64_t v);
void writer_put_size(struct writer *w, uint64_t size, uint64_t requested);
/* Rows of stack_dict and of the attrs, made when new; 0 after a failure. */
uint32_t writer_stack(struct writer *w, stack_id stack);
uint32_t writer_attr(struct writer *w, const struct report_attr *x);
/* The attr of what has no category: a segment, an event. */
uint32_t writer_place(struct writer *w, uint64_t stream, struct pool_id pool);

/* --- where memory lies (report_places.c) ------------------------------------------------------- */

/* What all addresses and sizes have in common; before any of the others. */
void places_note(struct writer *w, uint64_t address, uint64_t size);
/* Pools that events do not tell, from the end of the file. */
int places_note_pools(struct writer *w, struct replay *r);
/* The pool of the segment that an event makes. */
struct pool_id places_pool(const struct writer *w, int64_t event);
/* Segments at the start of the window. */
int places_begin(struct writer *w, struct replay *r);
/* A segment comes, or a part of an expandable one. */
void places_segment(struct writer *w, uint64_t address, uint64_t size, uint32_t attr, bool small,
		    bool expandable);
/* A segment goes, or a part of an expandable one. */
void places_drop(struct writer *w, uint64_t address, uint64_t size);
/* The address of an allocation that is born. */
void places_put(struct writer *w, const struct allocation *x, uint32_t attr);
/* An allocation ends; `local`: its row of the page. */
void places_give(struct writer *w, const struct allocation *x, uint32_t local);

#endif
