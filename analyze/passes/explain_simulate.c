/* SPDX-License-Identifier: MIT
 * explain_simulate.c -- advised settings tried on the trace itself, in place of an estimate.
 */
#include <inttypes.h>
#include <stdio.h>

#include "passes/explain_private.h"
#include "passes/simulate.h"

/* Playing a trace costs several times what reading it does; explaining a longer one has to stay a
 * matter of moments, and its estimates remain. */
#define MAX_EVENTS 20000

/* The settings of an advice as PyTorch reads them; false when it is about something else. */
static bool setting_of(const struct advice *a, char *buf, size_t size)
{
	if (a->kind == ADVICE_EXPANDABLE)
		(void)snprintf(buf, size, "expandable_segments:True");
	else if (a->kind == ADVICE_MAX_SPLIT)
		(void)snprintf(buf, size, "max_split_size_mb:%" PRIu64, a->param >> 20);
	else
		return false;
	return true;
}

static bool has_setting(const struct explain_oom *o)
{
	char setting[ALLOC_CONF_BUF];

	for (size_t i = 0; i < o->n_advice; i++)
		if (setting_of(&o->advice[i], setting, sizeof setting))
			return true;
	return false;
}

static void try_settings(struct explain_oom *o, const struct simulation *s)
{
	char setting[ALLOC_CONF_BUF];
	struct simulate_estimate e;

	for (size_t i = 0; i < o->n_advice; i++) {
		struct advice *a = &o->advice[i];

		if (!setting_of(a, setting, sizeof setting) || !simulate_estimate(s, setting, &e))
			continue;
		a->simulated.known = true;
		a->simulated.passes = e.survives == SURVIVES_YES;
		a->simulated.fails = e.survives == SURVIVES_NO;
		a->simulated.reserved = e.peak_reserved.high;
		a->simulated.trace_reserved = s->trace_peak_reserved;
	}
}

void explain_simulate(struct explain *x, size_t first, const struct model *m,
		      const struct device *d, struct replay *r)
{
	struct explain_oom *last = NULL;
	struct simulation s;

	for (size_t i = first; i < x->ooms.n; i++)
		if (!x->ooms.at[i].retried)
			last = &x->ooms.at[i];
	if (!last || d->n_events > MAX_EVENTS || !has_setting(last))
		return;
	if (simulation_open(&s, m, r, d, x->budget, NULL) < 0)
		return;
	try_settings(last, &s);
	simulation_close(&s);
}
