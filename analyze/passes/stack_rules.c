/* SPDX-License-Identifier: MIT
 * stack_rules.c -- the rules over one model: tried once per distinct frame, kept per stack.
 */
#include <string.h>

#include "base/hash.h"
#include "passes/rules.h"
#include "passes/rules_private.h"

/* Paths are matched from here back from their end; functions are cut here. */
#define WORDS_BYTES 8192
/* Rules with a condition on the whole stack: a bit each. More are not tried. */
#define CONDITIONS 64

/* What the rules say of one distinct (file, function). */
struct frame_verdict {
	uint16_t phases, not_phases; /* bits */
	uint16_t not_outer;          /* bits: of frames further out */
	uint16_t phase_rule[PHASE_COUNT];
	uint16_t owner, user_category;
	uint8_t site;
	uint64_t wants; /* conditional rules that it matches but for their condition */
	uint64_t meets; /* conditions that it is */
};

struct stack_matcher {
	const struct rules *rules;
	const struct model *m;
	struct budget *budget;
	struct hashmap of_name; /* (file, function) to row of verdicts */
	VEC(struct frame_verdict) verdicts;
	VEC(uint32_t) of_frame; /* row of verdicts of each frame */
	uint16_t conditional[CONDITIONS];
	unsigned n_conditional;
	uint64_t n_gave_up;
};

/* A frame's words, as rules see them. Zeroed once: compiled expressions read whole vectors, some
 * bytes past the end. */
struct frame_words {
	char path[WORDS_BYTES + 64], function[WORDS_BYTES + 64];
	size_t path_length, function_length;
	bool python;
};

static bool is_python(const struct str *file)
{
	return (file->length >= 3 && !memcmp(file->bytes + file->length - 3, ".py", 3)) ||
	       (file->length > 0 && file->bytes[0] == '<');
}

static size_t cut_after(const char *path, size_t length, const char *folder)
{
	size_t n = strlen(folder);

	for (size_t at = length; at >= n; at--)
		if (!memcmp(path + at - n, folder, n))
			return at;
	return 0;
}

static void normalise(struct frame_words *w, const struct str *file)
{
	const char *bytes = file->bytes;
	size_t n = file->length, site, dist;

	if (n > WORDS_BYTES) {
		bytes += n - WORDS_BYTES;
		n = WORDS_BYTES;
	}
	for (size_t i = 0; i < n; i++)
		w->path[i] = bytes[i] == '\\' ? '/' : bytes[i];
	site = cut_after(w->path, n, "site-packages/");
	dist = cut_after(w->path, n, "dist-packages/");
	if (dist > site)
		site = dist;
	memmove(w->path, w->path + site, n - site);
	w->path_length = n - site;
}

static bool matches(struct stack_matcher *x, const pcre2_code *code, const char *words,
		    size_t length)
{
	int hit = rules_match(x->rules, code, words, length);

	x->n_gave_up += hit < 0;
	return hit > 0;
}

static bool frame_matches(struct stack_matcher *x, const struct compiled_rule *c,
			  const struct frame_words *w)
{
	if (c->rule.native == w->python)
		return false;
	if (c->function && !matches(x, c->function, w->function, w->function_length))
		return false;
	return !c->path || matches(x, c->path, w->path, w->path_length);
}

/* Take what rule `row` says of the frame into v. */
static void apply_rule(struct frame_verdict *v, const struct rule *r, uint16_t row)
{
	uint16_t bit = (uint16_t)(1u << r->phase);

	switch (r->kind) {
	case RULE_PHASE:
		if (!(v->phases & bit))
			v->phase_rule[r->phase] = row;
		v->phases |= bit;
		break;
	case RULE_NOT:
		if (r->outer)
			v->not_outer |= bit;
		else
			v->not_phases |= bit;
		break;
	case RULE_OWNER:
		if (v->owner == RULE_NONE)
			v->owner = row;
		break;
	case RULE_SITE:
		if (!v->site)
			v->site = r->is_library ? SITE_RULE_LIBRARY : SITE_RULE_USER;
		break;
	case RULE_CATEGORY:
		if (v->user_category == RULE_NONE)
			v->user_category = row;
		break;
	case RULE_ANNOTATION:
		break;
	}
}

static struct frame_verdict judge_frame(struct stack_matcher *x, const struct frame_words *w)
{
	struct frame_verdict v = {.owner = RULE_NONE, .user_category = RULE_NONE};
	unsigned condition = 0;

	for (size_t i = 0; i < x->rules->rows.n; i++) {
		const struct compiled_rule *c = &x->rules->rows.at[i];
		bool hit = c->rule.kind != RULE_ANNOTATION && frame_matches(x, c, w);

		if (c->with && condition < x->n_conditional) {
			uint64_t bit = (uint64_t)1 << condition++;

			v.wants |= hit ? bit : 0;
			if (matches(x, c->with, w->function, w->function_length))
				v.meets |= bit;
		} else if (hit && !c->with) {
			apply_rule(&v, &c->rule, (uint16_t)i);
		}
	}
	/* Zeroing gradients lives in the optimizers' files. */
	if (v.phases & (1u << PHASE_ZERO_GRAD))
		v.not_phases |= 1u << PHASE_OPTIMIZER;
	v.phases &= (uint16_t)~v.not_phases;
	return v;
}

static void find_conditional(struct stack_matcher *x)
{
	for (size_t i = 0; i < x->rules->rows.n && x->n_conditional < CONDITIONS; i++)
		if (x->rules->rows.at[i].with)
			x->conditional[x->n_conditional++] = (uint16_t)i;
}

static int judge_frames(struct stack_matcher *x, struct error *err)
{
	const struct model *m = x->m;
	struct frame_words w = {.python = false};
	int rc = vec_reserve(&x->of_frame, m->stacks.frames.n + 1, x->budget, err);

	for (size_t f = 0; f < m->stacks.frames.n && rc == 0; f++) {
		const struct frame *frame = &m->stacks.frames.at[f];
		uint64_t key = (uint64_t)frame->file.i << 32 | frame->name.i;
		const uint64_t *known = hashmap_get(&x->of_name, key);
		const struct str *name = strtab_get(&m->strings, frame->name);
		const struct str *file = strtab_get(&m->strings, frame->file);

		x->of_frame.at[x->of_frame.n++] =
			known ? (uint32_t)*known : (uint32_t)x->verdicts.n;
		if (known)
			continue;
		normalise(&w, file);
		w.python = is_python(file);
		w.function_length = name->length < WORDS_BYTES ? name->length : WORDS_BYTES;
		memcpy(w.function, name->bytes, w.function_length);
		if ((rc = hashmap_put(&x->of_name, key, x->verdicts.n, err)) == 0)
			rc = vec_push(&x->verdicts, judge_frame(x, &w), x->budget, err);
	}
	return rc;
}

static const struct frame_verdict *verdict_of(const struct stack_matcher *x, frame_id f)
{
	return &x->verdicts.at[x->of_frame.at[f.i]];
}

/* The innermost frame of the best rank: a user's rule goes before a built-in one. */
static void take_owner(const struct stack_matcher *x, struct stack_verdict *s, uint16_t row,
		       frame_id f)
{
	const struct rules *r = x->rules;

	if (row == RULE_NONE)
		return;
	if (s->owner != RULE_NONE &&
	    (r->rows.at[s->owner].rule.from_user || !r->rows.at[row].rule.from_user))
		return;
	s->owner = row;
	s->owner_frame = f;
}

static void take_conditional(const struct stack_matcher *x, struct stack_verdict *s, uint64_t met,
			     frame_id f)
{
	uint64_t hits = verdict_of(x, f)->wants & met;

	for (unsigned i = 0; hits; i++, hits >>= 1) {
		const struct rule *r = &x->rules->rows.at[x->conditional[i]].rule;

		if (!(hits & 1))
			continue;
		if (r->kind == RULE_PHASE && !(s->phases & 1u << r->phase)) {
			s->phases |= (uint16_t)(1u << r->phase);
			if (s->phase == PHASE_NONE || r->phase < s->phase) {
				s->phase = (uint8_t)r->phase;
				s->phase_rule = x->conditional[i];
				s->phase_frame = f;
			}
		} else if (r->kind == RULE_OWNER) {
			take_owner(x, s, x->conditional[i], f);
		} else if (r->kind == RULE_CATEGORY && s->user_category == RULE_NONE) {
			s->user_category = x->conditional[i];
		}
	}
}

static struct stack_verdict judge_stack(const struct stack_matcher *x, stack_id stack)
{
	struct stack_verdict s = {
		.phase_rule = RULE_NONE, .owner = RULE_NONE, .user_category = RULE_NONE};
	const struct stacks *t = &x->m->stacks;
	size_t depth = stacks_depth(t, stack);
	const frame_id *frames = depth ? &t->pool.at[t->start.at[stack.i]] : NULL;
	uint16_t not_outer = 0;
	uint64_t met = 0;

	for (size_t k = 0; k < depth; k++) {
		const struct frame_verdict *v = verdict_of(x, frames[k]);

		s.phases |= (uint16_t)(v->phases & ~not_outer);
		not_outer |= v->not_outer;
		met |= v->meets;
		take_owner(x, &s, v->owner, frames[k]);
		if (s.user_category == RULE_NONE)
			s.user_category = v->user_category;
	}
	while (s.phases && !(s.phases & 1u << s.phase))
		s.phase++;
	for (size_t k = 0; k < depth && s.phase && s.phase_rule == RULE_NONE; k++) {
		const struct frame_verdict *v = verdict_of(x, frames[k]);

		if (v->phases & 1u << s.phase) {
			s.phase_rule = v->phase_rule[s.phase];
			s.phase_frame = frames[k];
		}
	}
	for (size_t k = 0; k < depth && met; k++)
		take_conditional(x, &s, met, frames[k]);
	/* An owner that counts in one phase only. */
	if (s.owner != RULE_NONE) {
		enum phase needs = x->rules->rows.at[s.owner].rule.needs;

		if (needs != PHASE_NONE && s.phase != needs)
			s.owner = RULE_NONE;
	}
	return s;
}

int stack_rules_init(struct stack_rules *out, const struct rules *rules, const struct model *m,
		     struct budget *budget, struct error *err)
{
	struct error own;
	struct stack_matcher x = {.rules = rules, .m = m, .budget = budget};
	struct stack_rules s = {.budget = budget, .rules = rules};
	size_t n_stacks = m->stacks.start.n - 1;
	int rc;

	if (!err)
		err = &own; /* vec_push reads it */
	hashmap_init(&x.of_name, budget);
	find_conditional(&x);
	if ((rc = judge_frames(&x, err)) < 0 ||
	    (rc = vec_reserve(&s.of_stack, n_stacks, budget, err)) < 0 ||
	    (rc = vec_reserve(&s.sites, x.of_frame.n + 1, budget, err)) < 0)
		goto out;
	for (uint32_t i = 0; i < n_stacks; i++)
		s.of_stack.at[s.of_stack.n++] = judge_stack(&x, (stack_id){i});
	for (uint32_t f = 0; f < x.of_frame.n; f++)
		s.sites.at[s.sites.n++] = verdict_of(&x, (frame_id){f})->site;
	s.n_gave_up = x.n_gave_up;
	*out = s;
	s = (struct stack_rules){.budget = budget};
out:
	stack_rules_release(&s);
	hashmap_release(&x.of_name);
	vec_release(&x.verdicts, budget);
	vec_release(&x.of_frame, budget);
	return rc;
}

void stack_rules_release(struct stack_rules *s)
{
	if (!s || !s->budget)
		return;
	vec_release(&s->of_stack, s->budget);
	vec_release(&s->sites, s->budget);
	s->budget = NULL;
}
