/* SPDX-License-Identifier: MIT
 * frag_simulate.c -- what the trace of a fragmented state would have reserved under other settings.
 */
#include "passes/frag.h"

#include "passes/simulate.h"

void frag_simulate(struct frag *f, const struct model *m, const struct device *d, struct replay *r)
{
	struct simulation s;

	if (simulation_open(&s, m, r, d, f->budget, NULL) < 0)
		return;
	f->trace_peak_reserved = s.trace_peak_reserved;
	for (size_t i = 0; i < FRAG_SETTINGS; i++) {
		struct frag_setting *x = &f->settings[i];
		struct simulate_estimate e;

		x->simulated = simulate_estimate(&s, x->setting, &e);
		if (!x->simulated)
			continue;
		x->survives = e.survives == SURVIVES_YES;
		x->fails = e.survives == SURVIVES_NO;
		x->peak_reserved = e.peak_reserved.plain;
		x->low = e.peak_reserved.low;
		x->high = e.peak_reserved.high;
	}
	simulation_close(&s);
}
