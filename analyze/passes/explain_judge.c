/* SPDX-License-Identifier: MIT
 * explain_judge.c -- from what was looked at to a verdict and its factors.
 */
#include <assert.h>

#include "base/num.h"
#include "passes/explain.h"

/* A driver may refuse with slightly more free than was asked; this much more proves a limit. */
#define LIMIT_MARGIN_BYTES (UINT64_C(128) << 20)

/* Idle memory below one part in this many of reserved is crumbs, not the cause. */
#define CRUMBS_PART 20

/* Smaller leftovers are no factor: one page of the driver. */
#define FACTOR_MIN_BYTES (UINT64_C(2) << 20)

const char *verdict_name(enum verdict v)
{
	static const char *const names[VERDICT_COUNT] = {
		[VERDICT_UNKNOWN] = "unknown",
		[VERDICT_REQUEST_TOO_LARGE] = "request_too_large",
		[VERDICT_PROCESS_LIMIT] = "process_limit",
		[VERDICT_OTHER_PROCESSES] = "other_processes",
		[VERDICT_OUTSIDE_ALLOCATOR] = "outside_allocator",
		[VERDICT_CAPACITY] = "capacity",
		[VERDICT_PENDING_FREE] = "pending_free",
		[VERDICT_STRANDED_CACHE] = "stranded_cache",
		[VERDICT_FRAGMENTATION] = "fragmentation",
	};

	assert((unsigned)v < VERDICT_COUNT);
	return names[v];
}

static bool device_free_known(const struct explain_oom *o)
{
	return o->device_free != BYTES_NONE;
}

static bool device_had_room(const struct explain_oom *o)
{
	return device_free_known(o) &&
	       o->device_free >= num_add_saturated(o->request.attempted, LIMIT_MARGIN_BYTES);
}

/* A known limit, which PyTorch itself enforces before it asks the driver. */
static bool limit_refused(const struct explain_oom *o)
{
	const struct amount *limit = &o->card.allowed;

	return limit->known &&
	       limit->bytes < num_add_saturated(o->survey.reserved, o->request.attempted);
}

static bool is_limited(const struct explain_oom *o)
{
	return limit_refused(o) || device_had_room(o);
}

static uint64_t reserved_and_free(const struct explain_oom *o)
{
	return num_add_saturated(o->survey.reserved, o->device_free);
}

static bool too_large(const struct explain_oom *o)
{
	const struct card_facts *f = &o->card;
	uint64_t attempted = o->request.attempted;

	if (f->allowed.known || f->total.known)
		return (f->allowed.known && attempted > f->allowed.high) ||
		       (f->total.known && attempted > f->total.high);
	return device_free_known(o) && attempted > reserved_and_free(o);
}

/* BYTES_NONE: nothing bounds it. */
static uint64_t room(const struct explain_oom *o)
{
	uint64_t bytes = device_free_known(o) ? reserved_and_free(o) : BYTES_NONE;

	if (o->card.allowed.known && o->card.allowed.bytes < bytes)
		return o->card.allowed.bytes;
	return bytes;
}

static bool only_crumbs_idle(const struct survey *s)
{
	uint64_t idle = s->reserved - s->allocated;

	return idle == 0 || idle < s->reserved / CRUMBS_PART;
}

static bool is_full(const struct explain_oom *o)
{
	const struct survey *s = &o->survey;

	if (only_crumbs_idle(s))
		return true;
	return num_add_saturated(s->allocated, o->request.attempted) > room(o);
}

/* What the device would have had to have free, and had not. */
static uint64_t missing_on_device(const struct explain_oom *o)
{
	uint64_t attempted = o->request.attempted;

	return attempted > o->device_free ? attempted - o->device_free : 0;
}

/* Do others hold so much that the failure is theirs? */
static bool is_to_blame(const struct amount *held, const struct explain_oom *o)
{
	return held->known && held->bytes >= missing_on_device(o) &&
	       held->bytes > o->survey.allocated;
}

static enum verdict judge_full(const struct explain_oom *o)
{
	const struct amount *others = &o->balance.others, *outside = &o->balance.outside;
	bool others_are = is_to_blame(others, o), outside_is = is_to_blame(outside, o);

	if (is_limited(o))
		return VERDICT_PROCESS_LIMIT;
	if (!device_free_known(o))
		return VERDICT_UNKNOWN;
	if (others_are && (!outside_is || others->bytes >= outside->bytes))
		return VERDICT_OTHER_PROCESSES;
	return outside_is ? VERDICT_OUTSIDE_ALLOCATOR : VERDICT_CAPACITY;
}

static uint64_t stranded_bytes(const struct survey *s)
{
	static const enum unusable elsewhere[] = {UNUSABLE_OTHER_POOL, UNUSABLE_OTHER_STREAM,
						  UNUSABLE_OTHER_CLASS};
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
		if (s->free[elsewhere[i]].fitting)
			bytes += s->free[elsewhere[i]].bytes;
	return bytes;
}

/* Bytes in the right place that are in pieces or kept from the request. */
static uint64_t scattered_bytes(const struct survey *s)
{
	return s->unusable[UNUSABLE_TOO_SMALL] + s->unusable[UNUSABLE_SPLIT_GUARD] +
	       s->unusable[UNUSABLE_MIXED_MODES];
}

static uint64_t all_unusable_bytes(const struct survey *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < UNUSABLE_COUNT; i++)
		bytes += s->unusable[i];
	return bytes;
}

static enum verdict judge(const struct explain_oom *o)
{
	const struct survey *s = &o->survey;

	if (!o->look.exact && !o->message_only)
		return VERDICT_UNKNOWN;
	if (too_large(o))
		return VERDICT_REQUEST_TOO_LARGE;
	/* A message that breaks off before what was in use. */
	if (o->message_only && o->look.totals.allocated == BYTES_NONE)
		return is_limited(o) ? VERDICT_PROCESS_LIMIT : VERDICT_UNKNOWN;
	if (is_full(o))
		return judge_full(o);
	/* Messages and traces of a profiler tell how much is idle, not where. */
	if (s->unsorted)
		return VERDICT_UNKNOWN;
	if (s->pending_fits)
		return VERDICT_PENDING_FREE;
	if (stranded_bytes(s))
		return VERDICT_STRANDED_CACHE;
	return all_unusable_bytes(s) ? VERDICT_FRAGMENTATION : VERDICT_UNKNOWN;
}

static void add_factor(struct explain_oom *o, enum verdict rule, bool holds, uint64_t bytes)
{
	if (!holds || o->verdict == rule)
		return;
	assert(o->n_factors < EXPLAIN_MAX_FACTORS);
	o->factors[o->n_factors++] = (struct factor){rule, bytes};
}

void explain_judge(struct explain_oom *o)
{
	const struct survey *s = &o->survey;
	uint64_t scattered = scattered_bytes(s);

	o->n_factors = 0;
	o->verdict = judge(o);
	if ((o->verdict == VERDICT_UNKNOWN && !o->message_only) ||
	    o->verdict == VERDICT_REQUEST_TOO_LARGE)
		return;
	add_factor(o, VERDICT_PROCESS_LIMIT, is_limited(o),
		   device_free_known(o) ? o->device_free : 0);
	add_factor(o, VERDICT_PENDING_FREE, s->pending_fits > 0, s->pending);
	add_factor(o, VERDICT_STRANDED_CACHE, stranded_bytes(s) > 0, stranded_bytes(s));
	add_factor(o, VERDICT_FRAGMENTATION, scattered >= FACTOR_MIN_BYTES, scattered);
}
