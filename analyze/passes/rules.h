/* SPDX-License-Identifier: MIT
 * rules.h -- what frames and annotations tell about allocations, as data (rules.xml).
 *
 * A set of rules is loaded once and serves any number of models. Over one model each rule is tried
 * once per distinct frame, and the answer kept per distinct stack:
 *
 *     rules_new(&rules, budget, err);               // the built-in ones
 *     rules_add(rules, input, err);                 // a user's file, before them
 *     stack_rules_init(&s, rules, model, budget, err);
 *     s.of_stack.at[stack.i].phase ...
 *
 * Of the rules for one frame the first counts, and a user's come before the built-in ones.
 */
#ifndef ANALYZE_PASSES_RULES_H
#define ANALYZE_PASSES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/input.h"
#include "base/vec.h"
#include "model/model.h"

/* What memory is for; PyTorch's categories in PyTorch's order. */
enum category {
	CATEGORY_PARAMETER,
	CATEGORY_OPTIMIZER_STATE,
	CATEGORY_INPUT,
	CATEGORY_TEMPORARY,
	CATEGORY_ACTIVATION,
	CATEGORY_GRADIENT,
	CATEGORY_AUTOGRAD_DETAIL,
	CATEGORY_UNKNOWN,
	CATEGORY_COUNT,
};

const char *category_name(enum category c); /* "PARAMETER" ... */

/* What the program was doing. Of several phases that a stack shows the first of this order counts:
 * an optimizer called from a backward hook is an optimizer. */
enum phase {
	PHASE_NONE, /* nothing tells */
	PHASE_OPTIMIZER,
	PHASE_ZERO_GRAD,
	PHASE_RECOMPUTE, /* forward again, inside backward */
	PHASE_BACKWARD,
	PHASE_CLIP,   /* gradient norm */
	PHASE_SCALER, /* loss scaler */
	PHASE_GRAPH,  /* capture of a CUDA graph */
	PHASE_COMPILED,
	PHASE_FORWARD,
	PHASE_LOAD,
	PHASE_INIT,
	PHASE_DATA,
	PHASE_COMMUNICATION,
	PHASE_COUNT,
};

const char *phase_name(enum phase p); /* "optimizer" ..., "none"; as in rules.xml */

enum rule_kind { RULE_PHASE, RULE_NOT, RULE_OWNER, RULE_ANNOTATION, RULE_SITE, RULE_CATEGORY };

struct rule {
	enum rule_kind kind;
	const char *id;   /* "" when it has none */
	const char *note; /* the text of the element */
	enum phase phase; /* of phase, not and annotation */
	enum phase needs; /* of an owner: or PHASE_NONE */
	bool is_step;     /* of an annotation */
	bool is_library;  /* of a site */
	bool outer;       /* of a not: frames further out than this one are meant */
	bool from_user;
	bool has_first;         /* of an owner */
	enum category category; /* of an owner */
	enum category first;    /* of an owner whose first place allocates something else */
	const char *detail;     /* of an owner, or NULL */
	const char *name;       /* of a category */
	const char *path;       /* expressions as written; NULL: any. */
	const char *function;   /* of a native rule, too; of an annotation: its name */
	const char *with;
	bool native;
	uint32_t line; /* in its file */
};

#define RULE_NONE UINT16_MAX

struct rules;

/* The built-in rules. Errors: ERR_LIMIT, ERR_NOMEM. */
int rules_new(struct rules **out, struct budget *budget, struct error *err);
void rules_free(struct rules *r);

/* Rules of a file, put before those that are there; ones with the same id are replaced, and all
 * built-in ones when its root says builtin="replace". Errors: those of xml_read; ERR_USAGE with the
 * line for an expression that PCRE2 refuses. After an error `r` is as before. */
int rules_add(struct rules *r, struct input *in, struct error *err);

size_t rules_count(const struct rules *r);
const struct rule *rules_at(const struct rules *r, uint16_t row);

/* What an annotation's name tells: a row of an annotation rule or RULE_NONE. An expression that
 * gives up does not match. */
uint16_t rules_annotation(const struct rules *r, const char *name, size_t length);

/* What one stack tells. Rows are RULE_NONE where no rule counts; a frame is the one that the rule
 * matched. */
struct stack_verdict {
	uint16_t phases; /* bit of each phase that is shown */
	uint8_t phase;   /* enum phase, the first of them */
	uint16_t phase_rule, owner, user_category;
	frame_id phase_frame, owner_frame;
};

struct stack_rules {
	struct budget *budget;     /* weak */
	const struct rules *rules; /* weak */
	VEC(struct stack_verdict) of_stack;
	VEC(uint8_t) sites; /* of each frame: SITE_RULE_ bits, when a site rule matched */
	uint64_t n_gave_up; /* expressions that took too long on a frame: taken as no match */
};

/* Of a frame, by site rules. */
#define SITE_RULE_LIBRARY 1
#define SITE_RULE_USER    2

/* `m` and the rules must outlive it. Errors: ERR_LIMIT, ERR_NOMEM. */
int stack_rules_init(struct stack_rules *s, const struct rules *rules, const struct model *m,
		     struct budget *budget, struct error *err);
void stack_rules_release(struct stack_rules *s);

static inline const struct stack_verdict *stack_rules_of(const struct stack_rules *s,
							 stack_id stack)
{
	return &s->of_stack.at[stack.i];
}

#endif
