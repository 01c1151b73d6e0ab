/* SPDX-License-Identifier: MIT
 * filter.c -- which stacks a question is about: regular expressions over their frames.
 */
#include "passes/filter.h"

#include <stdlib.h>
#include <string.h>

#include "passes/regex.h"
#include "passes/site.h"

/* Steps of one match: PCRE2's own default of 10 million lets one frame take a second. */
#define FILTER_MATCH_LIMIT 200000
/* A frame's words are cut here. */
#define FILTER_FRAME_BYTES 8192

/* What is known of a frame or stack: does an expression of the side match? */
#define HIT_KEEP 1
#define HIT_DROP 2

struct filter {
	struct budget *budget; /* weak */
	bool has_keep;
	VEC(uint8_t) stacks; /* HIT_ bits of each stack */
};

/* The expressions of one call of filter_new, and the hits of frames. */
struct matcher {
	VEC(pcre2_code *) codes; /* the first n_keep are `keep` */
	size_t n_keep;
	pcre2_match_data *data;
	pcre2_match_context *context;
	VEC(uint8_t) frames;
};

static int matcher_compile(struct matcher *x, const char *re, struct budget *budget,
			   struct error *err)
{
	pcre2_code *compiled;
	int rc = regex_compile(&compiled, re, 0, 0, err);

	if (rc < 0)
		return rc;
	if (vec_push(&x->codes, compiled, budget, err) < 0) {
		pcre2_code_free(compiled);
		return err->code;
	}
	return 0;
}

static int matcher_init(struct matcher *x, const struct filter_options *o, struct budget *budget,
			struct error *err)
{
	int rc = 0;

	*x = (struct matcher){.n_keep = o->n_keep};
	for (size_t i = 0; i < o->n_keep && rc == 0; i++)
		rc = matcher_compile(x, o->keep[i], budget, err);
	for (size_t i = 0; i < o->n_drop && rc == 0; i++)
		rc = matcher_compile(x, o->drop[i], budget, err);
	if (rc < 0)
		return rc;
	x->data = pcre2_match_data_create(1, NULL);
	x->context = pcre2_match_context_create(NULL);
	if (!x->data || !x->context)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	pcre2_set_match_limit(x->context, FILTER_MATCH_LIMIT);
	return 0;
}

static void matcher_release(struct matcher *x, struct budget *budget)
{
	for (size_t i = 0; i < x->codes.n; i++)
		pcre2_code_free(x->codes.at[i]);
	vec_release(&x->codes, budget);
	vec_release(&x->frames, budget);
	pcre2_match_data_free(x->data);
	pcre2_match_context_free(x->context);
}

/* HIT_ bits of some words into *hits. */
static int matcher_run(struct matcher *x, const char *words, uint8_t *hits, struct error *err)
{
	PCRE2_SIZE n = strlen(words);

	*hits = 0;
	for (size_t i = 0; i < x->codes.n; i++) {
		uint8_t bit = i < x->n_keep ? HIT_KEEP : HIT_DROP;
		int rc;

		if (*hits & bit)
			continue;
		rc = pcre2_match(x->codes.at[i], (PCRE2_SPTR)words, n, 0, 0, x->data, x->context);
		if (rc >= 0)
			*hits |= bit;
		else if (rc != PCRE2_ERROR_NOMATCH)
			return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
					 "a regular expression takes too long on the frame "
					 "'%.200s'",
					 words);
	}
	return 0;
}

static int match_frames(struct matcher *x, const struct model *m, struct budget *budget,
			struct error *err)
{
	char words[FILTER_FRAME_BYTES];
	size_t n = m->stacks.frames.n;
	int rc = vec_reserve(&x->frames, n, budget, err);

	for (size_t i = 0; i < n && rc == 0; i++) {
		x->frames.at[i] = 0;
		if (i)
			rc = matcher_run(
				x, frame_words(m, (frame_id){(uint32_t)i}, words, sizeof words),
				&x->frames.at[i], err);
	}
	x->frames.n = n;
	return rc;
}

static int match_stack(struct matcher *x, const struct model *m, stack_id stack, uint8_t *hits,
		       struct error *err)
{
	const struct stacks *s = &m->stacks;
	size_t depth = stacks_depth(s, stack);
	char words[FILTER_FRAME_BYTES];

	*hits = 0;
	for (size_t k = 0; k < depth; k++)
		*hits |= x->frames.at[s->pool.at[s->start.at[stack.i] + k].i];
	if (depth)
		return 0;
	return matcher_run(x, site_words(m, site_of_stack(m, stack), words, sizeof words), hits,
			   err);
}

static int match_stacks(struct filter *f, struct matcher *x, const struct model *m,
			struct error *err)
{
	/* `start` has one more row than there are stacks. */
	size_t n = m->stacks.start.n - 1;
	int rc = vec_reserve(&f->stacks, n, f->budget, err);

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = match_stack(x, m, (stack_id){(uint32_t)i}, &f->stacks.at[i], err);
	f->stacks.n = n;
	return rc;
}

int filter_new(struct filter **out, const struct filter_options *o, const struct model *m,
	       struct budget *budget, struct error *err)
{
	struct error own;
	struct matcher x;
	struct filter *f = calloc(1, sizeof *f);
	int rc;

	if (!f)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	if (!err)
		err = &own; /* vec_push reads it */
	f->budget = budget;
	f->has_keep = o->n_keep > 0;
	rc = matcher_init(&x, o, budget, err);
	if (rc == 0)
		rc = match_frames(&x, m, budget, err);
	if (rc == 0)
		rc = match_stacks(f, &x, m, err);
	matcher_release(&x, budget);
	if (rc < 0)
		filter_free(f);
	else
		*out = f;
	return rc;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	vec_release(&f->stacks, f->budget);
	free(f);
}

bool filter_passes(const struct filter *f, stack_id stack)
{
	uint8_t hits;

	if (!f)
		return true;
	hits = f->stacks.at[stack.i];
	return (hits & HIT_KEEP || !f->has_keep) && !(hits & HIT_DROP);
}
