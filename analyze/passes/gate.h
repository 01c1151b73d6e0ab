/* SPDX-License-Identifier: MIT
 * gate.h -- are files within a budget: limits read from XML, held against the rows of a batch.
 *
 *     <budget>
 *       <limit of="peak" max="10GiB"/>
 *       <limit of="peak" site="train.py step" max="2GiB"/>
 *       <limit of="end" category="ACTIVATION" max="5%"/>   of the bytes at the end
 *       <limit of="leak" max="64KiB/step"/>
 *       <limit of="fragmentation" max="20%"/>
 *       <limit of="end" growth="5%" rank="0"/>             against the baseline
 *     </budget>
 *
 * A limit is kept only when that is known. Whatever it names (a site, a category, an annotation,
 * ranks) must occur, or a gate would stay open once the code has moved on; absent="allowed" says
 * that it need not.
 *
 * Peak, end, reserved and fragmentation of a whole file are held for each of its devices; all else
 * is known of the device with the highest peak only, as in the tables of a batch.
 */
#ifndef ANALYZE_PASSES_GATE_H
#define ANALYZE_PASSES_GATE_H

#include "base/arena.h"
#include "decode/xml_read.h"
#include "passes/batch.h"

enum gate_of { GATE_PEAK, GATE_END, GATE_RESERVED, GATE_FRAGMENTATION, GATE_LEAK, GATE_OFS };
enum gate_part { GATE_WHOLE, GATE_SITE, GATE_CATEGORY, GATE_ANNOTATION, GATE_PARTS };

const char *gate_of_name(enum gate_of o);     /* "peak" ... */
const char *gate_part_name(enum gate_part p); /* "site" ...; NULL for GATE_WHOLE */

struct gate_limit {
	enum gate_of of;
	enum gate_part part;
	const char *name;   /* of the part, as in gate_names.h; weak: of the document */
	const char *ranks;  /* "0", "1-7,9"; weak: of the document; NULL: all */
	bool is_growth;     /* `amount` is what may be added to the baseline */
	bool is_share;      /* of the baseline, or of all bytes; of fragmentation: of 1 */
	bool per_step;      /* of peak and end: what steps may add, one after the other */
	bool may_be_absent; /* what it names need not occur */
	double amount;      /* bytes, or a share of 1 */
	uint32_t line;
};

struct gate_budget {
	struct budget *budget; /* weak */
	struct xml_doc *doc;
	VEC(char) text; /* the document as it was, NUL behind its end */
	VEC(struct gate_limit) limits;
};

/* Errors: ERR_FORMAT with "line N: " and what to write instead; those of xml_read. */
int gate_budget_read(struct gate_budget *out, struct input *in, struct budget *budget,
		     struct error *err);
void gate_budget_release(struct gate_budget *g);

enum gate_answer { GATE_KEPT, GATE_EXCEEDED, GATE_UNKNOWN };

#define GATE_NO_FILE SIZE_MAX

struct gate_result {
	size_t file; /* row of files; GATE_NO_FILE: the limit is about none of them */
	size_t limit;
	enum gate_answer answer;
	int64_t device;     /* whose value it is; -1: the file's only one, or not known */
	double value, most; /* NaN: not known */
	double before;      /* of the baseline; NaN: none, or not known */
	const char *why;    /* of GATE_UNKNOWN; weak: of the gate */
	/* Of GATE_EXCEEDED: the site that holds most of it, or grew most since the baseline; NULL
	 * when unknown. Weak: of the batch. */
	const char *who;
	double who_bytes, who_before; /* NaN without a baseline */
};

struct gate {
	struct budget *budget; /* weak */
	struct arena words;
	VEC(struct gate_result) results; /* file by file, in the order of limits */
	size_t n_exceeded, n_unknown;
};

/* `baseline`: one file, or many of which each file has its own by name or rank; NULL: none.
 * Errors: ERR_LIMIT, ERR_NOMEM. */
int gate_run(struct gate *out, const struct gate_budget *limits, const struct batch *b,
	     const struct batch *baseline, struct budget *budget, struct error *err);
void gate_release(struct gate *g);

/* Is the rank among "1-7,9"? The first of these that no file of `b` has, or -1. */
bool gate_rank_is_meant(const char *ranks, int64_t rank);
int64_t gate_missing_rank(const char *ranks, const struct batch *b);

/* What a limit is about in one file. */
struct gate_figure {
	double value;    /* NaN: not known; why */
	double hidden;   /* so much more may belong to it that the tables do not tell */
	bool absent;     /* what it names does not occur */
	int64_t device;  /* or -1 */
	const char *why; /* static */
};

void gate_figure_of(struct gate_figure *out, const struct gate_limit *l, const struct batch *b,
		    size_t file);
/* The table that tells the parts of a limit; BATCH_TABLES: none. */
enum batch_table_id gate_table_of(const struct gate_limit *l);
bool gate_limit_fits(const struct gate_limit *l, const char *name);

#endif
