/* SPDX-License-Identifier: MIT
 * gate.h -- are files within a budget: limits read from XML, held against the rows of a batch.
 *
 *     <budget>
 *       <limit of="peak" max="10GiB"/>
 *       <limit of="peak" site="train.py:12 step" max="2GiB"/>
 *       <limit of="leak" max="64KiB"/>                 bytes a step
 *       <limit of="fragmentation" max="20%"/>
 *       <limit of="end" growth="5%" rank="0"/>         against the baseline
 *     </budget>
 *
 * A limit that a file gives no figure for is not kept: nobody can tell.
 */
#ifndef ANALYZE_PASSES_GATE_H
#define ANALYZE_PASSES_GATE_H

#include "decode/xml_read.h"
#include "passes/batch.h"

enum gate_of { GATE_PEAK, GATE_END, GATE_RESERVED, GATE_FRAGMENTATION, GATE_LEAK, GATE_OFS };

const char *gate_of_name(enum gate_of o); /* "peak" ... */

struct gate_limit {
	enum gate_of of;
	const char *site, *category; /* weak: of the document; NULL: all */
	int64_t rank;                /* -1: all */
	bool is_growth;              /* `amount` is what may be added to the baseline */
	bool is_share;               /* of the baseline; of fragmentation: of 1 */
	double amount;               /* bytes, or a share of 1 */
	uint32_t line;
};

struct gate_budget {
	struct budget *budget; /* weak */
	struct xml_doc *doc;
	VEC(struct gate_limit) limits;
};

/* Errors: ERR_FORMAT with the line; those of xml_read. */
int gate_budget_read(struct gate_budget *out, struct input *in, struct budget *budget,
		     struct error *err);
void gate_budget_release(struct gate_budget *g);

enum gate_answer { GATE_KEPT, GATE_EXCEEDED, GATE_UNKNOWN };

struct gate_result {
	size_t file, limit;
	enum gate_answer answer;
	double value, most; /* NaN: not known */
	const char *why;    /* of GATE_UNKNOWN; static */
	/* Of GATE_EXCEEDED: the site that holds most at the peak, or grew most since the baseline;
	 * NULL when unknown. Weak: of the batch. */
	const char *who;
	double who_bytes, who_before; /* NaN without a baseline */
};

struct gate {
	struct budget *budget;           /* weak */
	VEC(struct gate_result) results; /* file by file, in the order of limits */
	size_t n_exceeded, n_unknown;
};

/* `baseline`: one file, or NULL. Errors: ERR_LIMIT, ERR_NOMEM. */
int gate_run(struct gate *out, const struct gate_budget *limits, const struct batch *b,
	     const struct batch *baseline, struct budget *budget, struct error *err);
void gate_release(struct gate *g);

#endif
