/* SPDX-License-Identifier: MIT
 * simulate_play.c -- one run of a trace's requests through the model of the allocator.
 */
#include <string.h>

#include "base/num.h"
#include "passes/simulate_private.h"

/* How far segments may come out of order: threads that wait for the driver side by side. */
#define TOLD_WINDOW 64

/* --- segments where the trace had them --------------------------------------------------------- */

static const struct request_segment *told_find(struct told *t, uint64_t size, uint64_t stream,
					       bool is_map)
{
	const struct requests *q = t->q;

	for (size_t i = t->next; i < q->segments.n && i < t->next + TOLD_WINDOW; i++) {
		const struct request_segment *s = &q->segments.at[i];

		if (s->event >= t->event)
			break;
		if (t->used.at[i] || s->is_map != is_map || s->stream != stream)
			continue;
		if (is_map)
			return s;
		if (s->size == size) {
			t->used.at[i] = 1;
			return s;
		}
	}
	return NULL;
}

static uint64_t told_at(void *ctx, uint64_t size, uint32_t lane, bool is_range)
{
	struct told *t = ctx;
	const struct request_segment *s = told_find(t, size, t->q->lanes.at[lane].stream, is_range);

	if (s)
		return s->address;
	t->n_stray++;
	t->stray += size;
	return t->stray - size;
}

/* Everything before the alloc just served is past. */
static void told_advance(struct told *t)
{
	const struct requests *q = t->q;

	while (t->next < q->segments.n &&
	       (t->used.at[t->next] ||
		(q->segments.at[t->next].is_map && q->segments.at[t->next].event < t->event)))
		t->next++;
}

static int told_init(struct told *t, const struct requests *q, struct error *err)
{
	int rc = vec_reserve(&t->used, q->segments.n + 1, q->budget, err);

	if (rc < 0)
		return rc;
	memset(t->used.at, 0, q->segments.n + 1);
	t->q = q;
	t->stray = UINT64_C(1) << 62;
	return 0;
}

/* --- the start --------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct player *p, uint32_t row)
{
	uint64_t bytes = p->s->requests.rows.at[row].bytes;
	unsigned scale = p->o->scale;

	if (!scale || scale == 100 || (p->o->fixed && p->o->fixed[row]))
		return bytes;
	if (bytes > UINT64_MAX / 10000)
		return bytes;
	bytes = (bytes * scale + 99) / 100;
	return bytes ? bytes : 1;
}

/* Without the start's own addresses: what lived then is asked for anew. */
static int request_start(struct player *p, struct error *err)
{
	const struct allocations *a = &p->s->requests.allocations;
	int rc;

	for (uint32_t i = 0; i < a->n_before; i++) {
		rc = sim_alloc(p->sim, i, bytes_of(p, i), p->s->requests.rows.at[i].lane, err);
		if (rc < 0)
			return rc;
		if (a->rows.at[i].free_requested == EVENT_START)
			sim_free_requested(p->sim, i);
	}
	return 0;
}

int player_open(struct player *p, enum sim_strategy strategy, uint64_t seed, struct error *err)
{
	const struct requests *q = &p->s->requests;
	struct sim_options o = {
		.settings = p->settings,
		.lanes = q->lanes.at,
		.n_lanes = (uint32_t)q->lanes.n,
		.n_requests = (uint32_t)q->rows.n + 1, /* one more: what failed in the trace */
	};
	int rc;

	/* 9/8 of the device's memory, which the file does not tell; a range that is never too
	 * small behaves like it. */
	o.range_bytes = (UINT64_C(1) << 44) / p->settings.large_segment_bytes *
			p->settings.large_segment_bytes;
	sim_placer_init(&p->placer, strategy, seed, q->budget);
	if ((rc = told_init(&p->told, q, err)) < 0)
		return rc;
	if (p->own)
		o.place = (struct sim_place){told_at, NULL, &p->told};
	else
		o.place = sim_placer_place(&p->placer);
	if ((rc = sim_new(&p->sim, &o, q->budget, err)) < 0)
		return rc;
	if (p->own)
		return sim_import(p->sim, &q->start, q->start_lanes.at, q->start_owners.at,
				  q->lowest.at, err);
	return request_start(p, err);
}

void player_close(struct player *p)
{
	struct budget *b = p->s->budget;

	sim_free(p->sim);
	p->sim = NULL;
	sim_placer_release(&p->placer);
	vec_release(&p->told.used, b);
}

/* --- the run ----------------------------------------------------------------------------------- */

/* The room that holds for an event. */
static void set_room(struct player *p, int64_t event)
{
	const struct requests *q = &p->s->requests;
	uint64_t bytes = UINT64_MAX;

	while (p->next_room + 1 < q->rooms.n && q->rooms.at[p->next_room].event < event)
		p->next_room++;
	if (p->room.allowed != UINT64_MAX || p->room.device != UINT64_MAX) {
		sim_set_room(p->sim, p->room);
		return;
	}
	if (q->rooms.n)
		bytes = p->upper_room ? q->rooms.at[p->next_room].high
				      : q->rooms.at[p->next_room].low;
	if (q->rooms.n && q->limit == REQUEST_DEVICE && bytes > p->o->margin)
		bytes -= p->o->margin;
	sim_set_room(p->sim, (struct sim_room){
				     .allowed = q->limit == REQUEST_ALLOWED ? bytes : UINT64_MAX,
				     .device = q->limit == REQUEST_ALLOWED ? UINT64_MAX : bytes,
			     });
}

static void note_oom(struct player *p, int64_t event, uint64_t requested,
		     const struct request_oom *own)
{
	const struct sim_stats *st = sim_stats(p->sim);
	uint64_t wanted = num_add_saturated(st->reserved, st->refused_bytes);

	if (!p->out)
		return;
	if (p->out->n_ooms < SIMULATE_MAX_OOMS)
		p->out->ooms[p->out->n_ooms++] = (struct simulate_oom){
			.event = event,
			.requested = requested,
			.short_bytes = wanted > st->refused_room ? wanted - st->refused_room : 0,
			.in_trace = own != NULL,
			.handled = own && own->handled,
		};
	p->out->n_ooms_all++;
}

static int play_oom(struct player *p, const struct request_op *op, struct error *err)
{
	const struct requests *q = &p->s->requests;
	const struct request_oom *o = &q->ooms.at[request_op_row(*op)];
	uint32_t extra = (uint32_t)q->rows.n;
	int rc = sim_alloc(p->sim, extra, o->bytes, o->lane, err);

	if (rc < 0)
		return rc;
	if (rc == 0) {
		p->n_fatal += !o->handled;
		note_oom(p, op->event, o->bytes, o);
	} else {
		sim_free_completed(p->sim, extra);
		if (p->out)
			p->out->passed++;
	}
	return p->look ? p->look(p, op, rc > 0) : 0;
}

static int play_alloc(struct player *p, const struct request_op *op, struct error *err)
{
	uint32_t row = request_op_row(*op);
	uint64_t bytes = bytes_of(p, row), peak = sim_stats(p->sim)->peak_reserved;
	int rc;

	p->told.event = op->event;
	rc = sim_alloc(p->sim, row, bytes, p->s->requests.rows.at[row].lane, err);
	if (rc < 0)
		return rc;
	if (sim_stats(p->sim)->peak_reserved > peak)
		p->peak_event = op->event;
	told_advance(&p->told);
	if (rc == 0) {
		p->died = true;
		note_oom(p, op->event, bytes, NULL);
	}
	return p->look ? p->look(p, op, rc > 0) : 0;
}

static void note_curve(struct player *p, int64_t event)
{
	size_t column = (size_t)event * p->o->columns / p->s->requests.device->n_events;
	uint64_t now = sim_stats(p->sim)->reserved;

	while (p->out->curve.n <= column) /* room is reserved */
		p->out->curve.at[p->out->curve.n++] = p->reserved_before;
	if (now > p->out->curve.at[column])
		p->out->curve.at[column] = now;
	p->reserved_before = now;
}

static int play_op(struct player *p, const struct request_op *op, struct error *err)
{
	switch (request_op_kind(*op)) {
	case REQUEST_ALLOC:
		return play_alloc(p, op, err);
	case REQUEST_FREE:
		sim_free_completed(p->sim, request_op_row(*op));
		return 0;
	case REQUEST_FREE_REQUESTED:
		sim_free_requested(p->sim, request_op_row(*op));
		return 0;
	case REQUEST_FREE_COMPLETED:
		sim_free_completed(p->sim, request_op_row(*op));
		return 0;
	case REQUEST_EMPTY_CACHE:
		return sim_empty_cache(p->sim, err);
	case REQUEST_RELEASED:
		return 0;
	case REQUEST_OOM:
		return play_oom(p, op, err);
	}
	return 0;
}

int player_play(struct player *p, struct error *err)
{
	const struct requests *q = &p->s->requests;
	bool curve = p->out && p->o->columns;
	int64_t room_until = EVENT_START - 1;
	int rc;

	p->reached = p->peak_event = EVENT_START;
	p->reserved_before = sim_stats(p->sim)->reserved;
	if (curve && (rc = vec_reserve(&p->out->curve, p->o->columns + 1, q->budget, err)) < 0)
		return rc;
	for (size_t i = 0; i < q->ops.n; i++) {
		const struct request_op *op = &q->ops.at[i];

		if (op->event > p->last_event)
			break;
		if (op->event > room_until) {
			set_room(p, op->event);
			room_until = q->rooms.n ? q->rooms.at[p->next_room].event : INT32_MAX;
		}
		if ((rc = play_op(p, op, err)) != 0)
			return rc < 0 ? rc : 0;
		if (p->died)
			break;
		p->reached = op->event;
		if (curve)
			note_curve(p, op->event);
	}
	return 0;
}
