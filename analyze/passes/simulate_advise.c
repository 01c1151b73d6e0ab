/* SPDX-License-Identifier: MIT
 * simulate_advise.c -- the setting that would have needed least, or that would have lived.
 */
#include <stdio.h>
#include <string.h>

#include "passes/simulate.h"

/* By what they ask of a person: the simplest first, so that a more complicated one is advised
 * only for more. */
const char *const simulate_matrix[] = {
	"",
	"expandable_segments:True",
	"max_split_size_mb:32",
	"max_split_size_mb:64",
	"max_split_size_mb:128",
	"max_split_size_mb:256",
	"max_split_size_mb:512",
	"roundup_power2_divisions:2",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"roundup_power2_divisions:16",
	"max_split_size_mb:64,roundup_power2_divisions:8",
	"max_split_size_mb:128,roundup_power2_divisions:8",
	"expandable_segments:True,roundup_power2_divisions:16",
	NULL,
};

struct search {
	const struct simulation *s;
	struct simulate_run base; /* under the file's own settings */
	struct simulate_advice *advice;
	size_t n;
};

/* A survivor before the others; then at least a hundredth less, else what came first. */
static bool is_better(const struct simulate_advice *a, const struct simulate_advice *b)
{
	if (a->rescues != b->rescues)
		return a->rescues;
	return a->peak_high < b->peak_high - b->peak_high / 100;
}

static void insert(struct search *x, const struct simulate_advice *a)
{
	size_t i = x->n;

	while (i > 0 && is_better(a, &x->advice[i - 1]))
		i--;
	if (i == SIMULATE_MAX_ADVICE)
		return;
	if (x->n < SIMULATE_MAX_ADVICE)
		x->n++;
	memmove(&x->advice[i + 1], &x->advice[i], (x->n - i - 1) * sizeof *x->advice);
	x->advice[i] = *a;
}

/* A setting that only adds to a better one is no advice. */
static void drop_additions(struct search *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		bool adds = false;

		for (size_t k = 0; k < n; k++)
			adds |= strstr(x->advice[i].settings, x->advice[k].settings) != NULL;
		if (!adds)
			x->advice[n++] = x->advice[i];
	}
	x->n = n;
}

static int64_t rounding_of(const struct simulate_run *r)
{
	return (int64_t)r->peak_allocated.plain - (int64_t)r->peak_requested;
}

static void consider(struct search *x, const struct simulate_run *r)
{
	const struct simulate_run *base = &x->base;
	bool rescues = base->survives == SURVIVES_NO && r->survives == SURVIVES_YES;
	struct simulate_advice a = {
		.peak_reserved = r->peak_reserved.plain,
		.peak_high = r->peak_reserved.high,
		.extra_rounding = rounding_of(r) - rounding_of(base),
		.extra_device_allocs =
			(int64_t)r->device_allocs.plain - (int64_t)base->device_allocs.plain,
		.extra_device_frees = (int64_t)r->device_frees - (int64_t)base->device_frees,
		.rescues = rescues,
	};

	if (base->survives == SURVIVES_NO ? !rescues : r->survives != SURVIVES_YES)
		return;
	if (!rescues && r->peak_reserved.high >= base->peak_reserved.low)
		return;
	if (r->peak_reserved.high < base->peak_reserved.low)
		a.saves = base->peak_reserved.low - r->peak_reserved.high;
	memcpy(a.settings, r->settings, sizeof a.settings);
	insert(x, &a);
}

int simulation_advise(const struct simulation *s, const struct simulate_options *o,
		      struct simulate_advice advice[SIMULATE_MAX_ADVICE], size_t *n,
		      struct error *err)
{
	struct search x = {.s = s, .advice = advice};
	struct simulate_options quick = *o;
	char own[ALLOC_CONF_BUF];
	int rc;

	*n = 0;
	if (!s->check.ok)
		return 0;
	quick.columns = 0;
	quick.no_loss = true;
	alloc_conf_words(own, &s->model->settings);
	if ((rc = simulation_run(s, own, &quick, &x.base, err)) < 0)
		return rc;
	quick.margin = SIMULATE_MARGIN;
	for (size_t i = 0; simulate_matrix[i] && rc == 0; i++) {
		struct simulate_run r;

		if ((rc = simulation_run(s, simulate_matrix[i], &quick, &r, err)) < 0)
			break;
		if (!alloc_settings_equal(&r.conf, &x.base.conf))
			consider(&x, &r);
		simulate_run_release(&r);
	}
	simulate_run_release(&x.base);
	drop_additions(&x);
	*n = rc < 0 ? 0 : x.n;
	return rc;
}
