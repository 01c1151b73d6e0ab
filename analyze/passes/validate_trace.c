/* SPDX-License-Identifier: MIT
 * validate_trace.c -- what the replay of a trace found, in words, and what a genuine file may show.
 */
#include <inttypes.h>

#include "passes/validate_private.h"

/* Departures of a whole device's trace that the recording explains. */
struct excuses {
	bool no_allocs, no_frees; /* skip_actions: the action does not occur at all */
	bool one_pool;            /* the segments are those of one private pool: a filtered dump */
};

/* Fewer allocs without a free, or frees without an alloc, are nothing special. */
#define ENOUGH_TO_TELL 16

static struct excuses find_excuses(const struct model *m, const struct device *d)
{
	struct excuses x = {.one_pool = d->n_segments > 0};
	const struct segment *first = d->n_segments ? &m->segments.at[d->first_segment] : NULL;
	uint64_t n_allocs = 0, n_frees = 0;

	for (uint64_t i = 0; i < d->n_events; i++) {
		uint8_t action = m->events.action.at[d->first_event + i];

		n_allocs += action == ACTION_ALLOC;
		n_frees += action == ACTION_FREE_REQUESTED || action == ACTION_FREE_COMPLETED;
	}
	x.no_allocs = !n_allocs && n_frees >= ENOUGH_TO_TELL;
	x.no_frees = !n_frees && n_allocs >= ENOUGH_TO_TELL;
	for (uint64_t i = 0; i < d->n_segments; i++) {
		const struct segment *s = first + i;

		if ((!s->pool.a && !s->pool.b) || s->pool.a != first->pool.a ||
		    s->pool.b != first->pool.b)
			x.one_pool = false;
	}
	return x;
}

static bool excused(const struct excuses *x, enum replay_rule rule)
{
	switch (rule) {
	case RULE_ALLOC_OUTSIDE:
	case RULE_SEGMENT_UNKNOWN:
		return x->one_pool;
	case RULE_SNAPSHOT_BYTES:
		return x->one_pool || x->no_allocs || x->no_frees;
	case RULE_FREE_UNKNOWN:
	case RULE_END_EXTRA:
		return x->one_pool || x->no_allocs;
	case RULE_ALLOC_ON_LIVE:
	case RULE_SEGMENT_LIVE:
		return x->no_frees;
	case RULE_END_MISSING:
		return x->one_pool || x->no_frees;
	default:
		return false;
	}
}

#define NOTE(...) validate_note(out, v, err, __VA_ARGS__)

/* The rules about what an event meets. */
static int note_event(struct validation *out, struct violation v, const struct mismatch *x,
		      struct error *err)
{
	switch (x->rule) {
	case RULE_ALLOC_ON_LIVE:
		return NOTE("alloc at 0x%" PRIx64 " lands on the live block 0x%" PRIx64
			    " of %" PRIu64 " bytes",
			    x->address, x->expected, x->found);
	case RULE_ALLOC_OUTSIDE:
		v.expected = BYTES_NONE;
		return NOTE("alloc of %" PRIu64 " bytes at 0x%" PRIx64 " lies in no segment",
			    x->found, x->address);
	case RULE_ALLOC_NO_ROOM:
		return NOTE("alloc of %" PRIu64 " bytes at 0x%" PRIx64 " finds %" PRIu64
			    " bytes there",
			    x->expected, x->address, x->found);
	case RULE_ALLOC_STREAM:
		return NOTE("alloc at 0x%" PRIx64 " is of stream %" PRIu64
			    ", its segment of stream %" PRIu64,
			    x->address, x->found, x->expected);
	case RULE_FREE_UNKNOWN:
		v.found = BYTES_NONE;
		return NOTE("free of %" PRIu64 " bytes at 0x%" PRIx64 ", where no block is live",
			    x->expected, x->address);
	case RULE_FREE_SIZE:
		return NOTE("free of %" PRIu64 " bytes at 0x%" PRIx64
			    ", which were allocated as %" PRIu64,
			    x->found, x->address, x->expected);
	case RULE_FREE_TWICE:
		v.expected = v.found = BYTES_NONE;
		return NOTE("block 0x%" PRIx64 " is freed a second time", x->address);
	case RULE_SEGMENT_OVERLAP:
		return NOTE("new segment memory at 0x%" PRIx64 " overlaps %" PRIu64
			    " bytes mapped at 0x%" PRIx64,
			    x->address, x->found, x->expected);
	case RULE_SEGMENT_UNKNOWN:
		return NOTE("%" PRIu64 " bytes at 0x%" PRIx64
			    " are given back, which are not mapped so",
			    x->expected, x->address);
	default:
		return NOTE("%" PRIu64 " bytes at 0x%" PRIx64
			    " are given back while block 0x%" PRIx64 " there is live",
			    x->found, x->expected, x->address);
	}
}

/* The rules about the end of the trace, and about the trace as a whole. A segment has no block
 * address. */
static int note_end(struct validation *out, struct violation v, const struct mismatch *x,
		    struct error *err)
{
	const char *what = x->address ? "block" : "segment";
	uint64_t at = x->address ? x->address : x->segment_address;

	switch (x->rule) {
	case RULE_END_MISSING:
		v.expected = BYTES_NONE;
		return NOTE("%s 0x%" PRIx64 " of %" PRIu64
			    " bytes is there at the end of the trace, but not in the file",
			    what, at, x->found);
	case RULE_END_EXTRA:
		v.found = BYTES_NONE;
		return NOTE("%s 0x%" PRIx64 " of %" PRIu64
			    " bytes is in the file, but not there at the end of the trace",
			    what, at, x->expected);
	case RULE_END_SIZE:
		return NOTE("%s 0x%" PRIx64 " has %" PRIu64 " bytes in the file and %" PRIu64
			    " at the end of the trace",
			    what, at, x->expected, x->found);
	case RULE_END_STATE:
		v.expected = v.found = BYTES_NONE;
		return NOTE("block 0x%" PRIx64 " is %s in the file and %s at the end of the trace",
			    at, block_state_name((enum block_state)x->expected),
			    block_state_name((enum block_state)x->found));
	case RULE_SNAPSHOT_BYTES:
		return NOTE("a snapshot event says %" PRIu64
			    " bytes are active, the trace up to it says %" PRIu64,
			    x->found, x->expected);
	default:
		return NOTE("time goes back by %" PRIu64 " us", x->expected - x->found);
	}
}

static int note_mismatch(struct validation *out, const struct device *d, const struct mismatch *x,
			 struct error *err)
{
	struct violation v = {
		.rule = replay_rule_name(x->rule),
		.device = d->index,
		.event = x->event == EVENT_START ? VIOLATION_NO_EVENT : x->event,
		.segment_address = x->segment_address ? x->segment_address : BYTES_NONE,
		.address = x->address ? x->address : BYTES_NONE,
		.expected = x->expected,
		.found = x->found,
	};

	return x->rule >= RULE_END_MISSING ? note_end(out, v, x, err) : note_event(out, v, x, err);
}

int validate_trace(struct validation *out, const struct model *m, const struct device *d,
		   const struct replay *r, struct error *err)
{
	struct excuses excuses = find_excuses(m, d);
	const struct mismatch *x;
	size_t n;

	x = replay_mismatches(r, &n);
	for (size_t i = 0; i < n; i++) {
		int rc;

		if (excused(&excuses, x[i].rule)) {
			out->n_tolerated++;
			continue;
		}
		rc = note_mismatch(out, d, &x[i], err);
		if (rc < 0)
			return rc;
	}
	out->n_violations += replay_summary(r)->n_mismatches - n;
	return 0;
}
