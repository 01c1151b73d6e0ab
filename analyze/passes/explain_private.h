/* SPDX-License-Identifier: MIT
 * explain_private.h -- what the files of the explain pass share among themselves.
 */
#ifndef ANALYZE_PASSES_EXPLAIN_PRIVATE_H
#define ANALYZE_PASSES_EXPLAIN_PRIVATE_H

#include "passes/explain.h"

/* Fill the advice of an oom that has its verdict and evidence. */
void explain_advise(struct explain_oom *o, const struct explain_context *c);

/* Fill confidence and what is missing; the cause is there. */
void explain_doubt(struct explain_oom *o, enum history history);

/* The live blocks beside free memory where the request may look, and the least that would have to
 * move; fills pinners, all_pinners and plan of `o`, rows of x. Errors: ERR_LIMIT, ERR_NOMEM. */
int explain_pinners(struct explain *x, struct explain_oom *o, const struct state *s,
		    const struct model *m, const struct site_table *sites, struct error *err);

/* The fewest blocks of the `n` largest holders whose sizes reach `need`; 0: all are not enough. */
int explain_fewest_blocks(uint64_t *out, const struct state *s, const struct model *m,
			  const struct site_table *sites, const struct holder *holders, size_t n,
			  uint64_t need, struct budget *budget, struct error *err);

/* Fill causes and categories of the ooms from row `first` on, which are of device d; retried ones
 * have none. Errors: ERR_LIMIT, ERR_NOMEM. */
int explain_causes(struct explain *x, size_t first, struct study *study, const struct device *d,
		   const struct site_table *sites, const struct explain_options *options,
		   struct error *err);

/* Put the settings that are advised for the last oom of device d to the model of the allocator,
 * where that reproduces the trace; `first` as above. Errors: none, an estimate stays one. */
void explain_simulate(struct explain *x, size_t first, const struct model *m,
		      const struct device *d, struct replay *r);

#endif
