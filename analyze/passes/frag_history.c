/* SPDX-License-Identifier: MIT
 * frag_history.c -- the curve of fragmentation, and the requests that made it worse.
 *
 * Fragmentation costs memory at one kind of moment: a request needs new memory from the driver
 * while at least as much lies idle, in pieces or in places it may not use. Those are the misses.
 */
#include "passes/frag_history.h"

#include <stdlib.h>

/* New memory that the next alloc will use, as far as it was asked for just before. */
struct asked {
	uint64_t mapped; /* bytes; 0: none */
	uint64_t idle;   /* inactive bytes before the first of it */
};

static int compare_misses(const void *a, const void *b)
{
	const struct frag_miss *p = a, *q = b;

	if (p->mapped != q->mapped)
		return p->mapped < q->mapped ? 1 : -1;
	return (p->event > q->event) - (p->event < q->event);
}

/* Keep the largest misses: the list is sorted and cut each time it has doubled. */
static int add_miss(struct frag *f, const struct frag_miss *miss, struct error *err)
{
	int rc = vec_push(&f->misses, *miss, f->budget, err);

	if (rc < 0)
		return rc;
	f->n_misses++;
	f->missed_bytes += miss->mapped;
	if (f->misses.n == 2 * FRAG_MISSES_KEPT) {
		qsort(f->misses.at, f->misses.n, sizeof *f->misses.at, compare_misses);
		f->misses.n = FRAG_MISSES_KEPT;
	}
	return 0;
}

static double share(const struct frag_point *p)
{
	return p->reserved ? (double)(p->reserved - p->active) / (double)p->reserved : 0;
}

/* One point for each stretch of events: its worst moment. */
static int add_point(struct frag *f, uint64_t n_events, int64_t event, const struct totals *t,
		     struct error *err)
{
	const uint64_t stretch = (n_events + FRAG_CURVE_POINTS - 1) / FRAG_CURVE_POINTS;
	struct frag_point p = {event, t->reserved, t->active};

	if (t->reserved == BYTES_NONE || t->active > t->reserved)
		return 0;
	struct frag_point *last = f->curve.n ? &f->curve.at[f->curve.n - 1] : NULL;
	if (!last || (uint64_t)event / stretch != (uint64_t)last->event / stretch)
		return vec_push(&f->curve, p, f->budget, err);
	if (share(&p) > share(last))
		*last = p;
	return 0;
}

static int see_step(struct frag *f, const struct model *m, const struct device *d, struct replay *r,
		    const struct totals *before, struct asked *asked, struct error *err)
{
	const struct step *s = replay_last(r);
	const int64_t event = replay_position(r);

	switch (s->action) {
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		if (asked->mapped == 0)
			asked->idle = before->reserved - before->active;
		asked->mapped += s->size;
		return 0;
	case ACTION_ALLOC:
		if (asked->mapped > 0 && asked->idle >= asked->mapped) {
			struct frag_miss miss = {
				.event = event,
				.stack = m->events.stack.at[d->first_event + (uint64_t)event],
				.requested = s->requested,
				.mapped = asked->mapped,
				.idle = asked->idle,
			};
			int rc = add_miss(f, &miss, err);

			if (rc < 0)
				return rc;
		}
		*asked = (struct asked){0};
		return 0;
	case ACTION_OOM:
		*asked = (struct asked){0};
		return 0;
	default:
		return 0;
	}
}

int frag_history(struct frag *f, const struct model *m, const struct device *d, struct replay *r,
		 struct error *err)
{
	struct asked asked = {0};
	struct totals before;
	int rc;

	if (!r || d->n_events == 0 || !d->trace_meets_segments)
		return 0;
	rc = replay_seek(r, EVENT_START, err);
	if (rc < 0)
		return rc;
	before = *replay_totals(r);
	while ((rc = replay_step(r, err)) > 0) {
		if ((rc = see_step(f, m, d, r, &before, &asked, err)) < 0 ||
		    (rc = add_point(f, d->n_events, replay_position(r), replay_totals(r), err)) < 0)
			return rc;
		before = *replay_totals(r);
	}
	if (rc == 0 && f->misses.n > 1)
		qsort(f->misses.at, f->misses.n, sizeof *f->misses.at, compare_misses);
	if (f->misses.n > FRAG_MISSES_KEPT)
		f->misses.n = FRAG_MISSES_KEPT;
	return rc;
}
