/* SPDX-License-Identifier: MIT
 * simulate.c -- a trace's own requests under other allocator settings.
 */
#include "passes/simulate.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "passes/simulate_private.h"

int simulation_open(struct simulation *out, const struct model *m, struct replay *r,
		    const struct device *d, struct budget *budget, struct error *err)
{
	struct simulation s = {.budget = budget, .model = m};
	struct error own;
	int rc;

	if (!err)
		err = &own;
	if ((rc = requests_run(&s.requests, m, r, d, budget, err)) < 0)
		return rc;
	s.trace_peak_reserved = s.requests.peak_reserved;
	if ((rc = simulate_self_check(&s, err)) < 0) {
		requests_release(&s.requests);
		return rc;
	}
	*out = s;
	return 0;
}

void simulation_close(struct simulation *s)
{
	if (s->budget)
		requests_release(&s->requests);
	s->budget = NULL;
}

void simulate_run_release(struct simulate_run *r)
{
	if (r->budget)
		vec_release(&r->curve, r->budget);
	r->budget = NULL;
}

/* --- one setting ------------------------------------------------------------------------------- */

/* What all placements of one setting have in common. */
struct plan {
	const struct simulation *s;
	const struct simulate_options *o;
	struct alloc_settings settings;
	struct sim_room room;
	bool own;
};

static struct player player_of(const struct plan *plan, bool upper_room)
{
	return (struct player){
		.s = plan->s,
		.o = plan->o,
		.settings = plan->settings,
		.own = plan->own,
		.room = plan->room,
		.upper_room = upper_room,
		.last_event = INT64_MAX,
	};
}

static int make_plan(struct plan *plan, const char *text, struct error *err)
{
	const struct simulate_options *o = plan->o;
	const struct alloc_settings *file = &plan->s->model->settings;
	double fraction = o->fraction;
	struct alloc_conf conf;
	int rc = alloc_conf_parse(&conf, text, err);

	if (rc < 0)
		return rc;
	plan->settings = conf.settings;
	plan->settings.rounding_extra = file->rounding_extra;
	if (conf.memory_fraction > 0)
		fraction = conf.memory_fraction;
	if (fraction > 0 && o->capacity == BYTES_NONE)
		return error_set(err, ERR_USAGE, ERR_NO_OFFSET,
				 "a fraction of the device's memory needs --capacity: no snapshot "
				 "tells how much that is");
	plan->room = (struct sim_room){UINT64_MAX, UINT64_MAX};
	if (o->capacity != BYTES_NONE)
		plan->room.device = o->capacity;
	if (fraction > 0)
		plan->room.allowed = (uint64_t)(fraction * (double)o->capacity);
	plan->own = plan->s->check.ok && alloc_settings_equal(&plan->settings, file) &&
		    o->capacity == BYTES_NONE && (!o->scale || o->scale == 100);
	return 0;
}

static bool survived(const struct player *p)
{
	return !p->died && !p->n_fatal;
}

static void widen(struct simulate_range *r, uint64_t value)
{
	if (value < r->low)
		r->low = value;
	if (value > r->high)
		r->high = value;
}

static void take_plain(struct simulate_run *run, const struct player *p)
{
	const struct sim_stats *st = sim_stats(p->sim);

	run->peak_reserved =
		(struct simulate_range){st->peak_reserved, st->peak_reserved, st->peak_reserved};
	run->peak_allocated =
		(struct simulate_range){st->peak_allocated, st->peak_allocated, st->peak_allocated};
	run->device_allocs =
		(struct simulate_range){st->device_allocs, st->device_allocs, st->device_allocs};
	run->peak_active = st->peak_active;
	run->peak_requested = st->peak_requested;
	run->end_reserved = st->reserved;
	run->device_frees = st->device_frees;
	run->retries = st->retries;
	run->peak_event = p->peak_event;
	run->reached = p->reached;
	run->survives = survived(p) ? SURVIVES_YES : SURVIVES_NO;
}

/* The plain run: rising addresses, or the trace's own. */
static int run_plain(const struct plan *plan, struct simulate_run *run, bool *ties,
		     struct error *err)
{
	struct player p = player_of(plan, false);
	int rc;

	p.out = run;
	if ((rc = player_open(&p, SIM_RISING, 0, err)) == 0 && (rc = player_play(&p, err)) == 0) {
		take_plain(run, &p);
		*ties = sim_stats(p.sim)->ties > 0;
	}
	player_close(&p);
	return rc;
}

static int run_other(const struct plan *plan, unsigned k, struct simulate_run *run,
		     struct error *err)
{
	static const enum sim_strategy first[] = {SIM_RISING, SIM_FALLING, SIM_DRIVER};
	struct player p = player_of(plan, false);
	const struct sim_stats *st;
	int rc;

	rc = player_open(&p, k < 3 ? first[k] : SIM_SHUFFLED, k, err);
	if (rc == 0 && (rc = player_play(&p, err)) == 0) {
		st = sim_stats(p.sim);
		widen(&run->peak_reserved, st->peak_reserved);
		widen(&run->peak_allocated, st->peak_allocated);
		widen(&run->device_allocs, st->device_allocs);
		if ((run->survives == SURVIVES_YES) != survived(&p))
			run->survives = SURVIVES_UNKNOWN;
	}
	player_close(&p);
	return rc;
}

static bool is_one(const struct simulate_range *r)
{
	return r->low == r->high;
}

/* Where the trace only bounds the room: would the most that it allows for change the answer? */
static int try_upper_room(const struct plan *plan, struct simulate_run *run, struct error *err)
{
	const struct requests *q = &plan->s->requests;
	struct player p = player_of(plan, true);
	int rc;

	if (run->survives != SURVIVES_NO || plan->own || !q->rooms.n ||
	    plan->o->capacity != BYTES_NONE || q->rooms.at[0].low == q->rooms.at[0].high)
		return 0;
	rc = player_open(&p, SIM_RISING, 0, err);
	if (rc == 0 && (rc = player_play(&p, err)) == 0 && survived(&p))
		run->survives = SURVIVES_UNKNOWN;
	player_close(&p);
	return rc;
}

/* Once more, up to the peak, to see where the bytes are. */
static int find_loss(const struct plan *plan, struct simulate_run *run, struct error *err)
{
	struct player p = player_of(plan, false);
	int rc;

	p.last_event = run->peak_event;
	rc = player_open(&p, SIM_RISING, 0, err);
	if (rc == 0 && (rc = player_play(&p, err)) == 0)
		run->loss = sim_loss(p.sim);
	player_close(&p);
	return rc;
}

static int run_all(const struct plan *plan, struct simulate_run *run, struct error *err)
{
	unsigned n = plan->o->placements ? plan->o->placements : SIMULATE_PLACEMENTS;
	bool ties = false;
	int rc = run_plain(plan, run, &ties, err);

	if (rc < 0)
		return rc;
	/* Without a choice between equals no address ever mattered. */
	run->placements = ties && !plan->own ? n : 1;
	for (unsigned k = 1; k < run->placements; k++)
		if ((rc = run_other(plan, k, run, err)) < 0)
			return rc;
	run->placement_matters = !is_one(&run->peak_reserved) || !is_one(&run->peak_allocated) ||
				 !is_one(&run->device_allocs);
	run->exact = plan->own || (plan->s->check.ok && !run->placement_matters &&
				   requests_are_whole(&plan->s->requests) &&
				   (!plan->o->scale || plan->o->scale == 100));
	if ((rc = try_upper_room(plan, run, err)) < 0)
		return rc;
	return plan->o->no_loss ? 0 : find_loss(plan, run, err);
}

int simulation_run(const struct simulation *s, const char *settings,
		   const struct simulate_options *o, struct simulate_run *out, struct error *err)
{
	struct plan plan = {.s = s, .o = o};
	struct simulate_run run = {.budget = s->budget};
	struct error own;
	int rc;

	if (!err)
		err = &own;
	if ((rc = make_plan(&plan, settings, err)) < 0)
		return rc;
	snprintf(run.settings, sizeof run.settings, "%s", settings);
	run.conf = plan.settings;
	run.own = plan.own;
	if ((rc = run_all(&plan, &run, err)) < 0) {
		simulate_run_release(&run);
		return rc;
	}
	*out = run;
	return 0;
}

bool simulate_estimate(const struct simulation *s, const char *settings,
		       struct simulate_estimate *out)
{
	static const struct simulate_options o = {
		.capacity = BYTES_NONE, .margin = SIMULATE_MARGIN, .no_loss = true};
	struct simulate_run run;

	if (!s->check.ok || simulation_run(s, settings, &o, &run, NULL) < 0)
		return false;
	out->peak_reserved = run.peak_reserved;
	out->survives = run.survives;
	simulate_run_release(&run);
	return true;
}
