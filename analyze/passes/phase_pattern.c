/* SPDX-License-Identifier: MIT
 * phase_pattern.c -- steps from the period of the allocations themselves.
 *
 * Each allocation is a token: its stack, or its requested size in files without stacks. In a loop
 * some tokens come once a round. Such a token cuts the trace into intervals, and the others prove
 * it right when they come equally often in each. Tokens are tried as cuts, one of each count; the
 * one that explains most allocations wins, and among equals the one with most rounds. What happens
 * only every second or third round does not make rounds longer.
 *
 * Rounds of varying length (sequences, accumulation) have no such beat. There the cut with most
 * rounds counts in which nearly everything comes at least once.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "passes/phases_private.h"

#define MIN_ROUNDS     3
#define MAX_CANDIDATES 12
#define TOKEN_NONE     UINT32_MAX

struct token {
	uint64_t count;
	int64_t first; /* event of its first */
	/* While a candidate is tried: */
	uint64_t in_round, wanted, fitting, present;
};

struct candidate {
	uint32_t token;
	uint64_t count, weight; /* allocations of all tokens of this count */
};

struct pattern {
	struct phases *p;
	const struct allocations *a;
	const struct stack_rules *stacks;
	VEC(uint32_t) of_row; /* token of each row born in the trace, from n_before on */
	VEC(struct token) tokens;
	VEC(uint32_t) seen; /* tokens of the round at hand */
	VEC(struct candidate) candidates;
};

static int add_token(struct pattern *x, struct hashmap *of_key, uint64_t key, int64_t event,
		     struct error *err)
{
	const uint64_t *known = hashmap_get(of_key, key);
	struct token fresh = {.first = event};
	uint32_t row = known ? (uint32_t)*known : (uint32_t)x->tokens.n;
	int rc;

	if (!known && ((rc = hashmap_put(of_key, key, row, err)) < 0 ||
		       (rc = vec_push(&x->tokens, fresh, x->p->budget, err)) < 0))
		return rc;
	x->tokens.at[row].count++;
	return vec_push(&x->of_row, row, x->p->budget, err);
}

/* Stacks tell more than sizes as soon as there are several. */
static bool stacks_tell(const struct allocations *a)
{
	size_t distinct = 0;
	stack_id last = STACK_ABSENT;

	for (size_t i = a->n_before; i < a->rows.n && distinct < 3; i++) {
		stack_id s = a->rows.at[i].stack;

		distinct += s.i > STACK_EMPTY.i && s.i != last.i;
		last = s;
	}
	return distinct >= 3;
}

static int find_tokens(struct pattern *x, struct error *err)
{
	const struct allocations *a = x->a;
	bool by_stack = stacks_tell(a);
	struct hashmap of_key;
	int rc = vec_reserve(&x->of_row, a->rows.n - a->n_before + 1, x->p->budget, err);

	hashmap_init(&of_key, x->p->budget);
	for (size_t i = a->n_before; i < a->rows.n && rc == 0; i++) {
		const struct allocation *row = &a->rows.at[i];

		rc = add_token(x, &of_key, by_stack ? row->stack.i : row->requested, row->born,
			       err);
	}
	hashmap_release(&of_key);
	if (rc == 0)
		rc = vec_reserve(&x->seen, x->tokens.n + 1, x->p->budget, err);
	return rc;
}

static void end_round(struct pattern *x, uint64_t round)
{
	for (size_t i = 0; i < x->seen.n; i++) {
		struct token *t = &x->tokens.at[x->seen.at[i]];

		/* The first round warms up; the second says how often. */
		if (round == 2)
			t->wanted = t->in_round;
		if (round >= 2) {
			t->fitting += t->in_round == t->wanted;
			t->present++;
		}
		t->in_round = 0;
	}
	x->seen.n = 0;
}

/* How many allocations come equally often in (nearly) each round that begins with `cut`? What lies
 * in front of the first and behind the last cut is not looked at. */
static uint64_t explained_by(struct pattern *x, uint32_t cut, uint64_t *present)
{
	uint64_t round = 0, explained = 0, rounds = x->tokens.at[cut].count - 1;

	for (size_t i = 0; i < x->tokens.n; i++) {
		struct token *t = &x->tokens.at[i];

		t->in_round = t->wanted = t->fitting = t->present = 0;
	}
	x->seen.n = 0;
	*present = 0;
	for (size_t i = 0; i < x->of_row.n; i++) {
		struct token *t = &x->tokens.at[x->of_row.at[i]];

		if (x->of_row.at[i] == cut)
			end_round(x, round++);
		if (round == 0 || round > rounds)
			continue;
		if (t->in_round++ == 0)
			x->seen.at[x->seen.n++] = x->of_row.at[i];
	}
	for (size_t i = 0; i < x->tokens.n; i++) {
		const struct token *t = &x->tokens.at[i];

		if (rounds >= 2 && t->fitting * 5 >= (rounds - 1) * 4)
			explained += t->count;
		if (rounds >= 2 && t->present * 5 >= (rounds - 1) * 4)
			*present += t->count;
	}
	return explained;
}

static int compare_count(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->token > y->token) - (x->token < y->token);
}

static int compare_weight(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return compare_count(a, b);
}

/* The first token of each count, those of the heaviest counts in front. Tokens are in order of
 * their first appearance, so the lowest number is the earliest. */
static int find_candidates(struct pattern *x, struct error *err)
{
	size_t n = 0, n_all;
	struct candidate *list;
	int rc = vec_reserve(&x->candidates, x->tokens.n + 1, x->p->budget, err);

	if (rc < 0)
		return rc;
	list = x->candidates.at;
	for (size_t i = 0; i < x->tokens.n; i++) {
		uint64_t count = x->tokens.at[i].count;

		if (count >= MIN_ROUNDS)
			list[x->candidates.n++] = (struct candidate){(uint32_t)i, count, count};
	}
	n_all = x->candidates.n;
	if (n_all > 1)
		qsort(list, n_all, sizeof *list, compare_count);
	for (size_t i = 0; i < n_all; i++) {
		if (n && list[n - 1].count == list[i].count)
			list[n - 1].weight += list[i].weight;
		else
			list[n++] = list[i];
	}
	if (n > 1)
		qsort(list, n, sizeof *list, compare_weight);
	x->candidates.n = n < MAX_CANDIDATES ? n : MAX_CANDIDATES;
	return 0;
}

/* How much less a cut of more rounds may explain: little, or what comes every second or third round
 * only. */
static uint64_t allowance(uint64_t explained, uint64_t fewer_rounds, uint64_t more_rounds)
{
	return explained / (more_rounds <= 3 * fewer_rounds + 1 ? 8 : 50);
}

static uint32_t best_cut(struct pattern *x, uint64_t *explained)
{
	uint32_t best = TOKEN_NONE;

	*explained = 0;
	for (size_t i = 0; i < x->candidates.n; i++) {
		const struct candidate *c = &x->candidates.at[i];
		uint64_t present, now = explained_by(x, c->token, &present), known;
		bool better;

		known = best == TOKEN_NONE ? 0 : x->tokens.at[best].count;
		if (c->count > known)
			better = now > 0 &&
				 now + allowance(*explained, known, c->count) >= *explained;
		else
			better = now > *explained + allowance(now, c->count, known);
		if (better) {
			best = c->token;
			*explained = now;
		}
	}
	return best;
}

/* For rounds of varying length. */
static uint32_t loose_cut(struct pattern *x)
{
	uint32_t best = TOKEN_NONE;

	for (size_t i = 0; i < x->candidates.n; i++) {
		const struct candidate *c = &x->candidates.at[i];
		uint64_t present;

		(void)explained_by(x, c->token, &present);
		if (present * 5 >= x->of_row.n * 4 && present >= 2 * c->count &&
		    (best == TOKEN_NONE || c->count > x->tokens.at[best].count))
			best = c->token;
	}
	return best;
}

/* Layers of a model repeat as well, but nothing happens outside of a module's forward between one
 * and the next. */
static bool is_inside_forward(const struct pattern *x, uint32_t token)
{
	const struct allocations *a = x->a;
	uint64_t cuts = 0, outside = 0;

	for (size_t i = 0; i < x->of_row.n; i++) {
		stack_id s = a->rows.at[a->n_before + i].stack;

		cuts += x->of_row.at[i] == token;
		if (cuts > 0 && cuts < x->tokens.at[token].count)
			outside += !(stack_rules_of(x->stacks, s)->phases & 1u << PHASE_FORWARD);
	}
	return outside * 2 < cuts;
}

static int cut(struct pattern *x, uint32_t token, struct error *err)
{
	const struct allocations *a = x->a;
	int64_t from = -1;
	int rc = 0;

	for (size_t i = 0; i < x->of_row.n && rc == 0; i++) {
		int64_t event = a->rows.at[a->n_before + i].born;

		if (x->of_row.at[i] != token)
			continue;
		if (from >= 0)
			rc = phases_add_step(x->p, a, from, event - 1, true, err);
		from = event;
	}
	if (rc == 0)
		rc = phases_add_step(x->p, a, from, (int64_t)a->device->n_events - 1, false, err);
	return rc;
}

int phases_steps_of_pattern(struct phases *p, const struct allocations *a,
			    const struct stack_rules *stacks, struct error *err)
{
	struct pattern x = {.p = p, .a = a, .stacks = stacks};
	uint64_t explained;
	uint32_t token;
	int rc;

	if (a->rows.n - a->n_before < (size_t)MIN_ROUNDS * 2)
		return 0;
	if ((rc = find_tokens(&x, err)) < 0)
		goto out;
	if ((rc = find_candidates(&x, err)) < 0)
		goto out;
	token = best_cut(&x, &explained);
	/* Half of all that was allocated must follow the beat, and a round be more than one
	 * allocation. */
	if (token == TOKEN_NONE || explained * 2 < x.of_row.n ||
	    explained < 2 * x.tokens.at[token].count) {
		token = loose_cut(&x);
		explained = 0;
	}
	if (token == TOKEN_NONE || is_inside_forward(&x, token))
		goto out;
	rc = cut(&x, token, err);
	if (rc == 0 && p->steps.n > 0) {
		p->source = STEPS_PATTERN;
		p->confidence =
			explained * 10 >= x.of_row.n * 9 ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	}
out:
	vec_release(&x.candidates, p->budget);
	vec_release(&x.of_row, p->budget);
	vec_release(&x.tokens, p->budget);
	vec_release(&x.seen, p->budget);
	return rc;
}
