/* SPDX-License-Identifier: MIT
 * explain_balance.c -- the card's bytes at one oom, to the last one; and how sure the verdict is.
 */
#include "base/num.h"
#include "passes/explain.h"
#include "passes/explain_private.h"

static int64_t difference(uint64_t a, uint64_t b)
{
	uint64_t d = a > b ? a - b : b - a;

	if (d > INT64_MAX)
		d = INT64_MAX;
	return a > b ? (int64_t)d : -(int64_t)d;
}

/* Of an amount that is not known nothing is subtracted: it stays in what is unattributed. */
static uint64_t bytes_of(const struct amount *a)
{
	return a->known ? a->bytes : 0;
}

void explain_balance(struct explain_oom *o)
{
	struct balance b = {.total = o->card.total, .others = o->card.others};
	uint64_t free = o->device_free == BYTES_NONE ? 0 : o->device_free;
	uint64_t ours = num_add_saturated(o->survey.reserved, free);
	uint64_t low, high;

	if (o->look.exact || o->message_only)
		b.outside = card_outside(&o->card, o->survey.reserved);
	/* Without what nobody saw, such as the context. */
	if (!b.outside.known && o->outside.known && !o->outside.differs)
		b.outside = amount_exact(o->outside.named);
	if (b.total.known) {
		b.unattributed =
			difference(b.total.bytes,
				   num_add_saturated(num_add_saturated(ours, bytes_of(&b.others)),
						     bytes_of(&b.outside)));
		low = num_add_saturated(b.others.known ? b.others.low : 0,
					b.outside.known ? b.outside.low : 0);
		high = num_add_saturated(b.others.known ? b.others.high : 0,
					 b.outside.known ? b.outside.high : 0);
		b.unattributed_low = difference(b.total.low, num_add_saturated(ours, high));
		b.unattributed_high = difference(b.total.high, num_add_saturated(ours, low));
	}
	o->balance = b;
}

/* Does the rest of the card matter to this verdict? */
static bool is_about_card(const struct explain_oom *o)
{
	return o->verdict == VERDICT_CAPACITY || o->verdict == VERDICT_OTHER_PROCESSES ||
	       o->verdict == VERDICT_OUTSIDE_ALLOCATOR || o->verdict == VERDICT_UNKNOWN;
}

/* Is what lives the reason, so that its history is of interest? */
static bool is_about_use(enum verdict v)
{
	return v == VERDICT_PROCESS_LIMIT || v == VERDICT_CAPACITY;
}

void explain_doubt(struct explain_oom *o, enum history history)
{
	unsigned missing = 0;

	if (o->message_only)
		missing |= MISSING_SNAPSHOT;
	else if (!o->look.exact)
		missing |= MISSING_SEGMENTS;
	else if (history == HISTORY_TRUNCATED && o->cause.cause == CAUSE_NONE &&
		 is_about_use(o->verdict))
		missing |= MISSING_HISTORY;
	if (o->device_free == BYTES_NONE)
		missing |= MISSING_FREE;
	if (is_about_card(o) && o->device >= 0) {
		missing |= o->balance.total.known ? 0 : MISSING_CARD;
		missing |= o->balance.others.known ? 0 : MISSING_OTHERS;
	}
	if (explain_limited(o) && !o->card.allowed.known)
		missing |= MISSING_LIMIT;
	if (!o->message_only && !o->request.pool_known && !o->survey.only_default_pool)
		missing |= MISSING_POOL;
	o->missing = missing;
	if (o->verdict == VERDICT_UNKNOWN ||
	    (missing & (MISSING_SEGMENTS | MISSING_FREE | MISSING_POOL)))
		o->confidence = CONFIDENCE_LOW;
	else if (missing)
		o->confidence = CONFIDENCE_MEDIUM;
	else
		o->confidence = CONFIDENCE_HIGH;
}
