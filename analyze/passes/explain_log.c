/* SPDX-License-Identifier: MIT
 * explain_log.c -- what the messages of a log say without a snapshot.
 */
#include "base/num.h"
#include "model/rounding.h"
#include "passes/explain.h"
#include "passes/explain_private.h"

static uint64_t bytes_or_none(const struct amount *a)
{
	return a->known ? a->bytes : BYTES_NONE;
}

/* A message tells sizes of blocks in use and what is idle, not how it lies. */
static void read_message(struct explain_oom *o, const struct oom_message *m)
{
	uint64_t allocated = bytes_or_none(&m->allocated), reserved = bytes_or_none(&m->reserved);

	/* cudaMallocAsync has no segments. */
	if (reserved == BYTES_NONE)
		reserved = allocated;
	*o = (struct explain_oom){
		.device = m->device,
		.event = EVENT_START,
		.time_us = TIME_NONE,
		.device_free = bytes_or_none(&m->free),
		.site = {.kind = SITE_NO_STACK},
		.stack = STACK_ABSENT,
		.message_only = true,
		.rank = m->rank,
	};
	o->request.rounded = o->request.attempted = m->attempted.bytes;
	o->request.is_small = m->attempted.bytes <= SMALL_MAX_BYTES;
	o->look.totals = (struct totals){reserved, allocated, BYTES_NONE, BYTES_NONE};
	if (allocated == BYTES_NONE)
		return;
	o->survey.reserved = reserved > allocated ? reserved : allocated;
	o->survey.allocated = o->survey.live = allocated;
	o->survey.unsorted = o->survey.reserved - allocated;
	o->survey.only_default_pool = true;
}

static void argue(struct explain_oom *o)
{
	struct replay_summary none = {.history = HISTORY_NONE, .end = {.allocated = BYTES_NONE}};
	struct explain_context c = {.summary = &none};

	explain_judge(o);
	explain_argue(o, &c);
	explain_doubt(o, HISTORY_NONE);
}

static int add_message(struct explain *x, const struct explain_side *side,
		       const struct oom_message *m, struct error *err)
{
	/* This message and no other of the log. */
	struct oom_log one = *side->log;
	struct explain_side own = *side;
	struct explain_oom o;
	struct oom_key key;

	read_message(&o, m);
	one.messages.at = (struct oom_message *)m;
	one.messages.n = 1;
	own.log = &one;
	key = (struct oom_key){
		.device = o.device,
		.attempted = o.request.attempted,
		.rounded = o.request.rounded,
		.device_free = o.device_free,
		.allocated = o.look.totals.allocated,
		.reserved = o.look.totals.reserved,
	};
	card_facts_find(&o.card, &own, &key);
	o.card.message = m;
	explain_balance(&o);
	if (o.card.observer_fits && side->observer->attempted != BYTES_NONE)
		o.request.attempted = side->observer->attempted;
	argue(&o);
	return vec_push(&x->ooms, o, x->budget, err);
}

int explain_run_log(struct explain *out, const struct explain_side *side,
		    const struct explain_options *options, struct budget *budget, struct error *err)
{
	struct explain x = {.budget = budget, .n_messages = side->log->messages.n};
	int rc = 0;

	for (size_t i = 0; i < side->log->messages.n && rc == 0; i++) {
		const struct oom_message *m = &side->log->messages.at[i];

		if (!m->attempted.known || (options->one_device && m->device != options->device))
			continue;
		rc = add_message(&x, side, m, err);
	}
	if (rc < 0) {
		explain_release(&x);
		return rc;
	}
	x.main_oom = x.ooms.n ? x.ooms.n - 1 : 0;
	*out = x;
	return 0;
}
