/* SPDX-License-Identifier: MIT
 * leaks.h -- what grows step by step and never comes back, on one device.
 *
 * A leak is a place whose blocks pile up: step after step it makes some that nothing ever frees.
 * Blocks count with their requested bytes. Of the blocks alive at the end only those matter that
 * were born in a step, outlived it, and have companions in the steps around: parameters and
 * optimizer state are born once, activations and gradients live in the last step only, a cache
 * that is full makes nothing new, one that drops its oldest entry has freed such blocks before.
 *
 *     leaks_run(&l, &allocations, &phases, &options, budget, err);
 *     l.found.n == 0        // no leak
 */
#ifndef ANALYZE_PASSES_LEAKS_H
#define ANALYZE_PASSES_LEAKS_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/allocations.h"
#include "passes/categories.h"
#include "passes/filter.h"
#include "passes/phases.h"
#include "passes/rules.h"
#include "passes/site.h"

enum leak_kind {
	LEAK_TENSOR,          /* kept by the program */
	LEAK_GRAPH,           /* with everything autograd saved: several blocks of one forward */
	LEAK_REFERENCE_CYCLE, /* freed in bursts, by Python's collector: grows and comes back */
	LEAK_CACHE_GROWTH,    /* reserved bytes grow, live ones do not */
	LEAK_PENDING_FREE,    /* freed, but the free waits for a stream */
};

const char *leak_kind_name(enum leak_kind k); /* "tensor" ..., "reference_cycle" */

struct leak {
	enum leak_kind kind;
	enum confidence confidence;
	enum category category;
	struct site site; /* not of LEAK_CACHE_GROWTH */
	stack_id stack;   /* the one that keeps most; STACK_ABSENT: none */
	/* Alive at the end: requested bytes and blocks that piled up; of LEAK_CACHE_GROWTH reserved
	 * bytes and segments. */
	uint64_t bytes, blocks;
	double growth;                 /* bytes a step, mean; 0 when it comes back */
	double growth_sizes;           /* the same in sizes of blocks */
	double blocks_per_step;        /* of the steps that add some */
	double fit;                    /* R squared of a straight line through what piled up */
	int64_t first_step, last_step; /* that added to it */
	/* Of LEAK_REFERENCE_CYCLE. */
	uint64_t bursts, burst_bytes; /* how often, and the most that came back at once */
	int64_t lived_steps;          /* how many steps the oldest of them had lived */
	uint32_t suppression;         /* row of leaks_options.suppress, LEAK_NOT_SUPPRESSED */
};

#define LEAK_NOT_SUPPRESSED UINT32_MAX

struct leaks_options {
	int64_t until;                       /* look at events up to this one only */
	uint64_t capacity_bytes;             /* when is it reached? 0: unknown */
	const struct categories *categories; /* of the same allocations; NULL: all unknown */
	/* A finding with a stack that passes one of these is suppressed. */
	struct filter *const *suppress;
	size_t n_suppress;
};

/* Blocks alive at the end that are no leak. Requested bytes. */
struct leaks_kept {
	uint64_t bytes, blocks;
};

enum leaks_innocent {
	LEAKS_FROM_BEFORE,  /* from before the recording, or before the first step */
	LEAKS_FROM_WARM_UP, /* born in the first steps: parameters, optimizer state, caches */
	LEAKS_CURRENT_STEP, /* born in the last step: nobody knows yet */
	LEAKS_KEPT_A_WHILE, /* others: replaced now and then, or in a cache that is full */
	LEAKS_INNOCENT_COUNT,
};

struct leaks_forecast {
	bool known;
	uint64_t limit_bytes;
	int64_t step; /* of this file's count, in which the limit is passed */
	enum confidence confidence;
};

struct leaks {
	struct budget *budget;  /* weak */
	VEC(struct leak) found; /* largest growth first; suppressed ones last */
	size_t n_suppressed;    /* of found */
	size_t n_steps;         /* looked at */
	bool too_few_steps;     /* fewer than LEAKS_MIN_STEPS: nothing can be said */
	struct leaks_kept kept[LEAKS_INNOCENT_COUNT];
	double growth;          /* sum over findings that are not suppressed, bytes a step */
	uint64_t collect_bytes; /* what gc.collect() would give back at most: the largest burst */
	struct leaks_forecast forecast;
};

#define LEAKS_MIN_STEPS 5

/* Errors: ERR_LIMIT, ERR_NOMEM. */
int leaks_run(struct leaks *out, const struct allocations *a, const struct phases *phases,
	      const struct leaks_options *o, struct budget *budget, struct error *err);
void leaks_release(struct leaks *l);

/* How much there is for this process, as the last oom event of the trace tells: reserved bytes and
 * those that the device had free, or less when the request was refused all the same. 0: unknown. */
uint64_t leaks_capacity(const struct allocations *a, uint64_t start_reserved);

#endif
