/* SPDX-License-Identifier: MIT
 * filter.h -- which stacks a question is about: regular expressions over their frames.
 *
 * A stack passes when a frame of it matches a `keep` expression (any of them; all stacks pass when
 * there is none) and no frame matches a `drop` expression. A frame is matched as `path:line
 * function`; a stack without frames is matched once, as the words of its site.
 */
#ifndef ANALYZE_PASSES_FILTER_H
#define ANALYZE_PASSES_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct filter;

struct filter_options {
	const char *const *keep; /* PCRE2 expressions */
	size_t n_keep;
	const char *const *drop;
	size_t n_drop;
};

/* Each distinct frame is matched once, here. Errors: ERR_USAGE with the expression and PCRE2's
 * words, also for an expression that gives up on a frame (catastrophic backtracking); ERR_LIMIT,
 * ERR_NOMEM. `m` must outlive the filter. */
int filter_new(struct filter **out, const struct filter_options *o, const struct model *m,
	       struct budget *budget, struct error *err);
void filter_free(struct filter *f);

/* Does the stack pass? True for every one when f is NULL. */
bool filter_passes(const struct filter *f, stack_id stack);

#endif
