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

/* Bytes that must become free for the same attempt to succeed. */
static uint64_t missing_bytes(const struct explain_oom *o)
{
	uint64_t attempted = o->request.attempted;
	/* cudaMalloc grants up to the free bytes rounded down to its unit, less one unit. */
	uint64_t grants = o->device_free / LARGE_UNIT_BYTES * LARGE_UNIT_BYTES;

	/* Under a limit nobody knows how far below it the process was. */
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
	if (sum < need)
		return;
	a.bytes = sum;
	a.site = c->holders[0].site;
	add(o, a);
}

static void advise_outside(struct explain_oom *o)
{
	add(o, (struct advice){.kind = ADVICE_LOOK_OUTSIDE,
			       .bytes = BYTES_NONE,
			       .param = num_add_saturated(o->survey.reserved, o->device_free)});
}

static void advise_limit(struct explain_oom *o)
{
	if (explain_limited(o))
		add(o, (struct advice){.kind = ADVICE_RAISE_LIMIT,
				       .bytes = o->device_free,
				       .param = o->request.attempted});
}

static void advise_capacity(struct explain_oom *o, const struct explain_context *c)
{
	bool small = num_add_saturated(o->survey.reserved, o->device_free) < SMALL_CARD_BYTES;

	if (small)
		advise_outside(o);
	advise_holders(o, c);
	if (!small)
		advise_outside(o);
}

static void advise_fragmentation(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;
	const struct alloc_settings *settings = &c->m->settings;
	const struct pinned *p = &s->pinned;

	if (s->free[UNUSABLE_SPLIT_GUARD].fitting)
		add(o, (struct advice){.kind = ADVICE_LIFT_GUARD,
				       .bytes = s->unusable[UNUSABLE_SPLIT_GUARD]});
	if (s->free[UNUSABLE_MIXED_MODES].fitting)
		add(o, (struct advice){.kind = ADVICE_ONE_MODE,
				       .bytes = s->unusable[UNUSABLE_MIXED_MODES]});
	if (!settings->expandable_segments && s->page_bytes >= WORTH_BYTES)
		add(o, (struct advice){.kind = ADVICE_EXPANDABLE, .bytes = s->page_bytes});
	if (p->has_site && p->idle_bytes >= WORTH_BYTES)
		add(o, (struct advice){.kind = ADVICE_MOVE_PINNERS,
				       .bytes = p->site_alone ? p->site_idle_bytes : p->idle_bytes,
				       .count = p->site_alone ? p->site_blocks : p->live_blocks,
				       .param = p->site_alone ? p->site_segments : p->segments,
				       .site = p->site,
				       .alone = p->site_alone});
	if (!settings->expandable_segments && settings->max_split_bytes == UINT64_MAX &&
	    s->split_bytes >= WORTH_BYTES)
		add(o, (struct advice){.kind = ADVICE_MAX_SPLIT,
				       .bytes = s->split_bytes,
				       .param = s->split_limit});
	advise_limit(o);
	if (o->n_advice == 0)
		advise_holders(o, c);
}

static void advise_stranded(struct explain_oom *o, const struct explain_context *c)
{
	const struct survey *s = &o->survey;

	if (s->free[UNUSABLE_OTHER_POOL].fitting)
		add(o, (struct advice){.kind = ADVICE_SHARE_POOL,
				       .bytes = s->unusable[UNUSABLE_OTHER_POOL]});
	if (s->free[UNUSABLE_OTHER_STREAM].fitting)
		add(o, (struct advice){.kind = ADVICE_OTHER_STREAM,
				       .bytes = s->unusable[UNUSABLE_OTHER_STREAM]});
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
		add(o, (struct advice){
			       .kind = ADVICE_SMALLER_PIECES,
			       .bytes = BYTES_NONE,
			       .param = num_add_saturated(o->survey.reserved - o->survey.allocated,
							  o->device_free)});
		break;
	case VERDICT_PROCESS_LIMIT:
		advise_limit(o);
		advise_holders(o, c);
		break;
	case VERDICT_CAPACITY:
		advise_capacity(o, c);
		break;
	case VERDICT_PENDING_FREE:
		add(o, (struct advice){.kind = ADVICE_RECORD_STREAM, .bytes = o->survey.pending});
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
		add(o, (struct advice){.kind = ADVICE_RECORD_MORE,
				       .bytes = BYTES_NONE,
				       .param = c->d->n_events});
}
