/* SPDX-License-Identifier: MIT
 * categories_sizes.c -- parameters and optimizer state told by the sizes of gradients.
 *
 * Each trained parameter has a gradient of its size, and each tensor of optimizer state, too. So
 * among the blocks of one size of which nothing else is known, as many as there are gradients are
 * parameters, and further ones state. Which is which inside a size does not show; parameters are
 * made first and lie at the lower addresses, mostly.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "passes/categories_private.h"

/* What cuBLAS takes by default, before and on Hopper, and with PyTorch's extra. */
static const uint64_t workspace_bytes[] = {8519680, 33554432, 34078720};

struct size_class {
	uint64_t bytes;
	uint64_t gradients;  /* of the step that has most of them */
	uint64_t parameters; /* known otherwise */
	uint64_t states;
	uint64_t open; /* blocks to be told */
	/* While counting: gradients of the run at hand. */
	uint64_t of_run;
	int64_t run;
};

struct sizes {
	struct hashmap of_bytes; /* to row of classes */
	VEC(struct size_class) classes;
};

static uint64_t size_of(const struct allocation *a)
{
	return a->requested == BYTES_NONE ? a->size : a->requested;
}

static int class_of(struct judge *j, struct sizes *s, const struct allocation *a,
		    struct size_class **out, struct error *err)
{
	uint64_t bytes = size_of(a);
	const uint64_t *known = hashmap_get(&s->of_bytes, bytes);
	struct size_class fresh = {.bytes = bytes, .run = -1};
	size_t row = known ? (size_t)*known : s->classes.n;
	int rc;

	if (!known && ((rc = hashmap_put(&s->of_bytes, bytes, row, err)) < 0 ||
		       (rc = vec_push(&s->classes, fresh, j->budget, err)) < 0))
		return rc;
	*out = &s->classes.at[row];
	return 0;
}

/* Other tensors have such sizes, too. More of one size than this are not workspaces: there is one
 * for each stream and handle. */
#define MAX_WORKSPACES 2

static bool is_workspace_size(const struct allocation *a)
{
	for (size_t i = 0; i < sizeof workspace_bytes / sizeof *workspace_bytes; i++)
		if (size_of(a) == workspace_bytes[i])
			return true;
	return false;
}

/* Nothing but its size can tell of it. */
static bool is_open(const struct judge *j, const struct allocation_category *x,
		    const struct allocation *a)
{
	if (x->reason == REASON_KEPT_INPUT)
		return true;
	return x->reason == REASON_NOTHING && a->free_requested == ALLOCATION_ALIVE &&
	       (a->born < 0 || a->born < j->first_forward);
}

static void count_gradient(const struct judge *j, struct size_class *s, const struct allocation *a)
{
	int64_t run = a->born < 0 ? -2 : phases_step_at(j->p, a->born);

	if (run != s->run) {
		s->run = run;
		s->of_run = 0;
	}
	if (++s->of_run > s->gradients)
		s->gradients = s->of_run;
}

static int count_classes(struct judge *j, struct sizes *s, struct error *err)
{
	for (size_t i = 0; i < j->a->rows.n; i++) {
		const struct allocation *a = &j->a->rows.at[i];
		struct allocation_category *x = &j->c->rows.at[i];
		struct size_class *c;
		bool wanted = x->category == CATEGORY_GRADIENT ||
			      x->category == CATEGORY_PARAMETER ||
			      x->category == CATEGORY_OPTIMIZER_STATE || is_open(j, x, a);
		int rc;

		if (!wanted)
			continue;
		if ((rc = class_of(j, s, a, &c, err)) < 0)
			return rc;
		if (x->reason == REASON_GRADIENT_ALIVE)
			continue;
		if (x->category == CATEGORY_GRADIENT)
			count_gradient(j, c, a);
		else if (x->category == CATEGORY_PARAMETER)
			c->parameters++;
		else if (x->category == CATEGORY_OPTIMIZER_STATE)
			c->states++;
		else
			c->open++;
	}
	return 0;
}

/* Where the trace ends inside of a backward, its scratch is alive as well. */
static int tell_last_gradients(struct judge *j, struct sizes *s, struct error *err)
{
	for (size_t i = j->a->n_before; i < j->a->rows.n; i++) {
		struct allocation_category *x = &j->c->rows.at[i];
		struct size_class *c;
		int rc;

		if (x->reason != REASON_GRADIENT_ALIVE)
			continue;
		if ((rc = class_of(j, s, &j->a->rows.at[i], &c, err)) < 0)
			return rc;
		if (c->parameters || c->gradients || c->open)
			count_gradient(j, c, &j->a->rows.at[i]);
		else
			judge_set(x, CATEGORY_AUTOGRAD_DETAIL, REASON_BACKWARD_ALIVE,
				  CONFIDENCE_LOW);
	}
	return 0;
}

/* Among blocks of one size in row order, which is that of addresses, then of birth. */
static void tell_open(struct judge *j, struct size_class *c, const struct allocation *a,
		      struct allocation_category *x)
{
	bool user = x->reason == REASON_KEPT_INPUT;

	if (c->gradients > c->parameters) {
		judge_set(x, CATEGORY_PARAMETER,
			  user ? REASON_GRADIENT_SIZED : REASON_SIZE_PARAMETER, CONFIDENCE_LOW);
		c->parameters++;
	} else if (!user && c->gradients > 0 && j->p->has_optimizer && a->born < 0 &&
		   c->states < 2 * c->gradients) {
		judge_set(x, CATEGORY_OPTIMIZER_STATE, REASON_SIZE_STATE, CONFIDENCE_LOW);
		c->states++;
	}
}

/* A workspace is made inside of forward or backward and kept for ever; without C++ frames, which
 * show it, it looks like a gradient or a buffer. */
static bool looks_like_workspace(const struct judge *j, uint32_t row)
{
	const struct allocation *a = &j->a->rows.at[row];
	const struct allocation_category *x = &j->c->rows.at[row];
	bool shown = stacks_depth(&j->a->model->stacks, a->stack) > 0 &&
		     !j->a->model->stacks_python_only;
	bool looks_kept = x->reason == REASON_GRADIENT || x->reason == REASON_GRADIENT_ALIVE ||
			  x->reason == REASON_BUFFER || x->reason == REASON_FORWARD_ALIVE ||
			  x->reason == REASON_NOTHING;

	return looks_kept && !shown && a->free_requested == ALLOCATION_ALIVE &&
	       is_workspace_size(a);
}

static void tell_workspaces(struct judge *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->a->rows.n; i++)
		n += looks_like_workspace(j, (uint32_t)i);
	for (size_t i = 0; i < j->a->rows.n && n <= MAX_WORKSPACES; i++)
		if (looks_like_workspace(j, (uint32_t)i))
			judge_set(&j->c->rows.at[i], CATEGORY_TEMPORARY, REASON_WORKSPACE,
				  CONFIDENCE_LOW);
}

int categories_match_sizes(struct judge *j, struct error *err)
{
	struct sizes s = {.classes = {0}};
	int rc;

	hashmap_init(&s.of_bytes, j->budget);
	tell_workspaces(j);
	if ((rc = count_classes(j, &s, err)) < 0 || (rc = tell_last_gradients(j, &s, err)) < 0)
		goto out;
	for (size_t i = 0; i < j->a->rows.n; i++) {
		const struct allocation *a = &j->a->rows.at[i];
		struct allocation_category *x = &j->c->rows.at[i];
		struct size_class *c;

		if (!is_open(j, x, a))
			continue;
		if ((rc = class_of(j, &s, a, &c, err)) < 0)
			goto out;
		tell_open(j, c, a, x);
	}
out:
	hashmap_release(&s.of_bytes);
	vec_release(&s.classes, j->budget);
	return rc;
}
