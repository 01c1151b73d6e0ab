/* SPDX-License-Identifier: MIT
 * rules_private.h -- compiled rules; for rules*.c and stack_rules.c only.
 */
#ifndef ANALYZE_PASSES_RULES_PRIVATE_H
#define ANALYZE_PASSES_RULES_PRIVATE_H

#include "base/arena.h"
#include "passes/regex.h"
#include "passes/rules.h"

struct compiled_rule {
	struct rule rule;
	pcre2_code *path, *function, *with; /* NULL: any */
};

/* RULE_NONE is no row. */
#define RULES_MAX 4096

struct rules {
	struct budget *budget; /* weak */
	struct arena arena;    /* the words of rules */
	VEC(struct compiled_rule) rows;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

/* Does it match? -1: it gave up. */
static inline int rules_match(const struct rules *r, const pcre2_code *code, const char *words,
			      size_t length)
{
	int rc = pcre2_match(code, (PCRE2_SPTR)words, length, 0, 0, r->data, r->context);

	return rc >= 0 ? 1 : rc == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

#endif
