/* SPDX-License-Identifier: MIT
 * leaks_private.h -- parts of the pass of leaks.h; for leaks*.c only.
 */
#ifndef ANALYZE_PASSES_LEAKS_PRIVATE_H
#define ANALYZE_PASSES_LEAKS_PRIVATE_H

#include "passes/leaks.h"

/* A block that was alive at the end of a step. */
struct outliver {
	uint32_t row;  /* of the allocations */
	uint32_t site; /* row of the site table */
	int32_t birth; /* step; -1: before the first */
	int32_t death; /* step in which it was freed; LEAKS_ALIVE */
};

#define LEAKS_ALIVE INT32_MAX

/* Everything that judges of single places share. */
struct leaks_work {
	struct leaks *out;
	const struct allocations *a;
	const struct phases *phases;
	const struct leaks_options *o;
	struct site_table sites;
	size_t n; /* steps looked at */
	/* Steps from `first` to `last` are judged: those before warm up, the one after is not over. */
	size_t first, last;
	VEC(struct outliver) outlivers; /* by site */
	/* For each step, of the place at hand: */
	VEC(uint64_t) born;   /* requested bytes that are still alive */
	VEC(uint64_t) sizes;  /* the same in block sizes */
	VEC(uint64_t) counts; /* the same in blocks */
	VEC(int64_t) live;    /* requested bytes alive at its end */
	VEC(uint64_t) freed;  /* requested bytes of outlivers freed in it */
	VEC(uint32_t) births; /* distinct steps of birth of those */
	VEC(uint64_t) stacks; /* bytes by stack */
	/* For each step, of the device: */
	VEC(uint64_t) reserved, active; /* at its end; highest in it, sizes */
	VEC(uint64_t) bursts;           /* of cycles of all places */
};

/* Judge the outlivers from..to - 1, which are of one place; may add a finding. */
int leaks_judge_site(struct leaks_work *w, size_t from, size_t to, struct error *err);

/* Fill reserved and active. */
int leaks_follow_device(struct leaks_work *w, struct error *err);
int leaks_judge_reserved(struct leaks_work *w, struct error *err);
void leaks_make_forecast(struct leaks_work *w);

/* Does a quantity that is `at` at the ends of steps grow all the time: in each third of
 * from..to by at least two fifths of a third's share? Order: at[from - 1] is where it begins. */
bool leaks_grows_throughout(double first, double one_third, double two_thirds, double last);

enum confidence leaks_confidence(const struct leaks_work *w, size_t n_adding, double fit);

#endif
