/* SPDX-License-Identifier: MIT
 * explain_advise.c -- what to do next after an oom, the most useful first, nothing that cannot help.
 */
#include "base/num.h"
#include "model/rounding.h"
#include "passes/explain.h"
#include "passes/explain_private.h"

/* Below this the process is smaller than nearly every card in use, and the first question is who
 * holds the rest of it. Decides the order of advice only. */
#define SMALL_CARD_BYTES (UINT64_C(16) << 30)

/* Gains below one page of the driver are none. */
#define WORTH_BYTES (UINT64_C(2) << 20)

static void add(struct explain_oom *o, struct advice a)
{
	if (o->n_advice < EXPLAIN_MAX_ADVICE)
		o->advice[o->n_advice++] = a;
}

/* An advice whose gain is known to lie between two amounts. */
static void add_between(struct explain_oom *o, struct advice a, uint64_t low, uint64_t high)
{
	a.low = low < a.bytes ? low : a.bytes;
	a.high = high > a.bytes ? high : a.bytes;
	add(o, a);
}

static void add_without_gain(struct explain_oom *o, struct advice a)
{
	a.bytes = a.low = a.high = BYTES_NONE;
	add(o, a);
}

/* Bytes that must become free for the same attempt to succeed. */
static uint64_t missing_bytes(const struct explain_oom *o)
{
	uint64_t attempted = o->request.attempted;
	uint64_t wanted = num_add_saturated(o->survey.reserved, attempted);
	/* cudaMalloc grants up to the free bytes rounded down to its unit, less one unit. */
	uint64_t grants = o->device_free / LARGE_UNIT_BYTES * LARGE_UNIT_BYTES;

	if (explain_limited(o) && o->card.allowed.known && o->card.allowed.bytes < wanted)
		return wanted - o->card.allowed.bytes;
	/* Nobody knows how far below its limit the process was. */
	if (o->device_free == BYTES_NONE || explain_limited(o))
		return attempted;
	grants = grants > LARGE_UNIT_BYTES ? grants - LARGE_UNIT_BYTES : 0;
	return attempted > grants ? attempted - grants : LARGE_UNIT_BYTES;
}

static void advise_holders(struct explain_oom *o, const struct explain_context *c)
{
	uint64_t need = missing_bytes(o), sum = 0;
	struct advice a = {.kind = ADVICE_FREE_HOLDERS, .param = need};

	while (a.count < o->look.n_holders && sum < need)
		sum += c->holders[a.count++].bytes;
	if (sum < need || a.count == 0)
		return;
	a.bytes = sum;
	a.site = c->holders[0].site;
	/* Freed pieces go back to the driver only with their whole segments. */
	add_between(o, a, 0, sum);
}

static void advise_outside(struct explain_oom *o)
{
	if (o->card.others.known || o->device < 0)
		return;
	add_without_gain(
		o, (struct advice){.kind = ADVICE_LOOK_OUTSIDE,
				   .param = num_add_saturated(o->survey.reserved, o->device_free)});
}

static void advise_others(struct explain_oom *o)
{
	const struct amount *others = &o->card.others;

	if (others->known && o->card.n_others)
		add_between(o,
			    (struct advice){.kind = ADVICE_STOP_OTHERS,
					    .bytes = others->bytes,
					    .count = o->card.n_others,
					    .param = missing_bytes(o)},
			    others->low, others->high);
}

static void advise_trim(struct explain_oom *o)
{
	const struct amount *outside = &o->balance.outside;

	/* A context stays, whatever libraries give back. */
	add_between(o,
		    (struct advice){.kind = ADVICE_TRIM_OUTSIDE,
				    .bytes = outside->bytes,
				    .param = missing_bytes(o)},
		    0, outside->high);
}

static void advise_limit(struct explain_oom *o)
{
	if (explain_limited(o))
		add_between(o,
			    (struct advice){.kind = ADVICE_RAISE_LIMIT,
					    .bytes = missing_bytes(o),
					    .param = missing_bytes(o)},
			    0, o->device_free == BYTES_NONE ? 0 : o->device_free);
}

static void advise_capacity(struct explain_oom *o, const struct explain_context *c)
{
	bool small = !o->card.total.known &&
		     num_add_saturated(o->survey.reserved, o->device_free) < SMALL_CARD_BYTES;

	if (small)
		advise_outside(o);
	if (o->verdict == VERDICT_OTHER_PROCESSES)
		advise_others(o);
	if (o->verdict == VERDICT_OUTSIDE_ALLOCATOR)
		advise_trim(o);
	advise_holders(o, c);
	if (o->verdict == VERDICT_CAPACITY)
		advise_others(o);
	if (!small)
		advise_outside(o);
}

static uint64_t idle_bytes(const struct explain_oom *o)
{
	return o->survey.reserved - o->survey.allocated;
}

static void advise_settings(struct explain_oom *o, const struct alloc_settings *settings)
{
	const struct survey *s = &o->survey;

	if (s->free[UNUSABLE_SPLIT_GUARD].fitting)
		add_between(o,
			    (struct advice){.kind = ADVICE_LIFT_GUARD,
					    .bytes = s->unusable[UNUSABLE_SPLIT_GUARD]},
			    s->free[UNUSABLE_SPLIT_GUARD].largest, 0);
	if (s->free[UNUSABLE_MIXED_MODES].fitting)
		add_between(o,
			    (struct advice){.kind = ADVICE_ONE_MODE,
					    .bytes = s->unusable[UNUSABLE_MIXED_MODES]},
			    s->free[UNUSABLE_MIXED_MODES].largest, 0);
	/* Whole pages could be unmapped for certain; packed better, at most all that is idle. */
	if (!settings->expandable_segments && s->page_bytes >= WORTH_BYTES)
		add_between(o, (struct advice){.kind = ADVICE_EXPANDABLE, .bytes = s->page_bytes},
			    s->page_bytes, idle_bytes(o));
}

static void advise_pinners(struct explain_oom *o)
{
	const struct pinned *p = &o->survey.pinned;
	const struct fit_plan *plan = &o->plan;

	if (plan->blocks && plan->live_bytes < o->request.rounded)
		add_between(o,
			    (struct advice){.kind = ADVICE_MOVE_FEW,
					    .bytes = plan->hole,
					    .count = plan->blocks,
					    .param = plan->live_bytes,
					    .site = plan->site,
					    .alone = plan->one_site},
			    plan->hole, plan->hole);
	if (p->has_site && p->idle_bytes >= WORTH_BYTES)
		add_between(
			o,
			(struct advice){.kind = ADVICE_MOVE_PINNERS,
					.bytes = p->site_alone ? p->site_idle_bytes : p->idle_bytes,
					.count = p->site_alone ? p->site_blocks : p->live_blocks,
					.param = p->site_alone ? p->site_segments : p->segments,
					.site = p->site,
					.alone = p->site_alone},
			p->site_alone ? p->site_idle_bytes : 0, 0);
}

static void advise_fragmentation(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;
	const struct alloc_settings *settings = &c->m->settings;

	advise_settings(o, settings);
	advise_pinners(o);
	if (!settings->expandable_segments && settings->max_split_bytes == UINT64_MAX &&
	    s->split_bytes >= WORTH_BYTES)
		add_between(o,
			    (struct advice){.kind = ADVICE_MAX_SPLIT,
					    .bytes = s->split_bytes,
					    .param = s->split_limit},
			    0, s->split_bytes);
	advise_limit(o);
	if (o->n_advice == 0)
		advise_holders(o, c);
}

static void advise_stranded(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;

	if (s->free[UNUSABLE_OTHER_POOL].fitting)
		add_between(o,
			    (struct advice){.kind = ADVICE_SHARE_POOL,
					    .bytes = s->unusable[UNUSABLE_OTHER_POOL]},
			    s->free[UNUSABLE_OTHER_POOL].largest, 0);
	if (s->free[UNUSABLE_OTHER_STREAM].fitting)
		add_between(o,
			    (struct advice){.kind = ADVICE_OTHER_STREAM,
					    .bytes = s->unusable[UNUSABLE_OTHER_STREAM]},
			    s->free[UNUSABLE_OTHER_STREAM].largest, 0);
	advise_limit(o);
	advise_holders(o, c);
}

bool explain_limited(const struct explain_oom *o)
{
	if (o->verdict == VERDICT_PROCESS_LIMIT)
		return true;
	for (size_t i = 0; i < o->n_factors; i++)
		if (o->factors[i].rule == VERDICT_PROCESS_LIMIT)
			return true;
	return false;
}

void explain_advise(struct explain_oom *o, const struct explain_context *c)
{
	switch (o->verdict) {
	case VERDICT_REQUEST_TOO_LARGE:
		add_without_gain(
			o, (struct advice){
				   .kind = ADVICE_SMALLER_PIECES,
				   .param = num_add_saturated(
					   idle_bytes(o),
					   o->device_free == BYTES_NONE ? 0 : o->device_free)});
		break;
	case VERDICT_PROCESS_LIMIT:
		advise_limit(o);
		advise_holders(o, c);
		break;
	case VERDICT_CAPACITY:
	case VERDICT_OTHER_PROCESSES:
	case VERDICT_OUTSIDE_ALLOCATOR:
		advise_capacity(o, c);
		break;
	case VERDICT_PENDING_FREE:
		add_between(
			o,
			(struct advice){.kind = ADVICE_RECORD_STREAM, .bytes = o->survey.pending},
			o->survey.pending_fits, 0);
		advise_limit(o);
		advise_holders(o, c);
		break;
	case VERDICT_STRANDED_CACHE:
		advise_stranded(o, c);
		break;
	case VERDICT_FRAGMENTATION:
		advise_fragmentation(o, c);
		break;
	case VERDICT_UNKNOWN:
	case VERDICT_COUNT:
		break;
	}
	if (c->summary->history == HISTORY_TRUNCATED)
		add_without_gain(
			o, (struct advice){.kind = ADVICE_RECORD_MORE, .param = c->d->n_events});
}
