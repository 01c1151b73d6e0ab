/* SPDX-License-Identifier: MIT
 * explain_cause.h -- what the rules of explain_cause.c look at; for explain_cause*.c only.
 */
#ifndef ANALYZE_PASSES_EXPLAIN_CAUSE_H
#define ANALYZE_PASSES_EXPLAIN_CAUSE_H

#include "passes/explain_private.h"
#include "passes/study.h"

/* A column of numbers; vec.h works on it. */
struct sums {
	uint64_t *at;
	size_t n, cap;
};

struct cause_facts {
	const struct purpose *p;        /* weak: the study's */
	const struct rules *rules;      /* weak */
	const struct site_table *sites; /* weak */
	enum history history;
	/* Room for sums while a rule is tried. */
	struct sums site_bytes; /* by row of sites */
	struct sums python_key; /* by stack: a hash of its Python frames, 0: not computed or none */
	struct sums step_bytes; /* by step */
	struct sums change;     /* of allocated bytes by each event; wraps when it is less */
};

/* Was this allocated to hold what a file has, as torch.load does straight to the device? */
bool cause_reads_file(const struct cause_facts *f, stack_id stack);

/* Try the rules in order; the first that holds becomes the cause. */
void cause_find(struct cause_facts *f, struct explain_oom *o, const struct holder *holders);

#endif
