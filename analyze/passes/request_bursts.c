/* SPDX-License-Identifier: MIT
 * request_bursts.c -- a trace as operations; what was given back on request, and what was refused.
 */
#include <string.h>

#include "base/num.h"
#include "model/rounding.h"
#include "passes/oom_events.h"
#include "passes/requests_private.h"

#define DRIVER_UNIT (UINT64_C(2) << 20)

/* Segments given back in a row. */
struct burst {
	int32_t first;     /* event */
	uint64_t reserved; /* before it */
	uint64_t refused;  /* bytes whose refusal would explain it, or 0 */
	bool named;        /* a stack says empty_cache */
	bool open;
	bool explicit;
};

struct work {
	struct requests *q;
	VEC(struct burst) bursts;
	VEC(uint8_t) named;      /* of each stack: 0 not looked at, 1 no, 2 names empty_cache */
	uint64_t reserved, peak; /* now; the most since the last oom */
	struct error *err;
};

static bool names_empty_cache(struct work *w, stack_id stack)
{
	const struct model *m = w->q->model;
	size_t depth = stacks_depth(&m->stacks, stack);
	uint8_t *known = &w->named.at[stack.i];

	if (*known)
		return *known == 2;
	*known = 1;
	for (size_t k = 0; k < depth && *known == 1; k++) {
		const char *name = model_str(m, stacks_frame(&m->stacks, stack, k)->name);

		if (!strcmp(name, "empty_cache") || strstr(name, "emptyCache"))
			*known = 2;
	}
	return *known == 2;
}

/* --- first walk: reserved bytes, segments, bursts, ooms ---------------------------------------- */

static int note_release(struct work *w, int64_t e, uint64_t size)
{
	struct requests *q = w->q;
	struct burst *last = w->bursts.n ? &w->bursts.at[w->bursts.n - 1] : NULL;
	bool named = names_empty_cache(w, q->model->events.stack.at[request_global(q, e)]);
	int rc;

	q->n_device_frees++;
	if (!last || !last->open || last->named != named) {
		struct burst b = {
			.first = (int32_t)e, .reserved = w->reserved, .named = named, .open = true};

		if (last)
			last->open = false;
		if ((rc = vec_push(&w->bursts, b, q->budget, w->err)) < 0)
			return rc;
	}
	w->reserved -= size < w->reserved ? size : w->reserved;
	return 0;
}

/* Could a request have been served by what a burst gave back? Then it was no miss, and nothing was
 * refused. */
static bool would_serve(const struct requests *q, const struct burst *b, int64_t end,
			uint64_t rounded, uint64_t stream)
{
	const struct alloc_settings *s = &q->model->settings;

	for (int64_t e = b->first; e < end; e++) {
		uint64_t size = q->model->events.size.at[request_global(q, e)];
		enum action a = request_action(q, e);
		bool small = size == SMALL_SEGMENT_BYTES;

		if (a == ACTION_SEGMENT_FREE && small != (rounded <= SMALL_MAX_BYTES))
			continue;
		if (rounded < s->max_split_bytes
			    ? size >= s->max_split_bytes
			    : size - rounded >= s->max_non_split_rounding_bytes)
			continue;
		if ((a == ACTION_SEGMENT_FREE || a == ACTION_SEGMENT_UNMAP) && size >= rounded &&
		    request_attr(q, e)->stream == stream)
			return true;
	}
	return false;
}

/* The event that ends a burst says what it was for: new memory for a request, or an oom. */
static void end_burst(struct work *w, int64_t e, uint64_t rounded, uint64_t asked)
{
	struct burst *b = w->bursts.n ? &w->bursts.at[w->bursts.n - 1] : NULL;

	if (!b || !b->open)
		return;
	b->open = false;
	if (asked && !would_serve(w->q, b, e, rounded, request_attr(w->q, e)->stream))
		b->refused = asked;
}

/* The rounded request behind a segment event, or 0 when none follows at once. */
static uint64_t request_behind(const struct requests *q, int64_t e)
{
	int64_t end = (int64_t)q->device->n_events;

	for (; e < end && (request_action(q, e) == ACTION_SEGMENT_MAP ||
			   request_action(q, e) == ACTION_SEGMENT_ALLOC);
	     e++)
		;
	if (e >= end || request_action(q, e) != ACTION_ALLOC)
		return 0;
	return round_size(&q->model->settings, q->model->events.size.at[request_global(q, e)]);
}

static int note_memory(struct work *w, int64_t e, uint64_t address, uint64_t size)
{
	struct requests *q = w->q;
	struct request_segment s = {.address = address,
				    .size = size,
				    .stream = request_attr(q, e)->stream,
				    .event = (int32_t)e,
				    .is_map = request_action(q, e) == ACTION_SEGMENT_MAP};

	uint64_t rounded = request_behind(q, e);

	end_burst(w, e, rounded, rounded ? round_to_segment(&q->model->settings, rounded) : size);
	w->reserved = num_add_saturated(w->reserved, size);
	if (w->reserved > q->peak_reserved)
		q->peak_reserved = w->reserved;
	if (w->reserved > w->peak)
		w->peak = w->reserved;
	return vec_push(&q->segments, s, q->budget, w->err);
}

static int note_oom(struct work *w, int64_t e, uint64_t device_free, uint64_t size)
{
	struct requests *q = w->q;
	const struct attr *a = request_attr(q, e);
	struct request_oom o = {.bytes = size,
				.reserved = w->reserved,
				.peak = w->peak,
				.device_free = device_free,
				.event = (int32_t)e,
				.lane = request_lane(q, a->stream, a->pool)};

	end_burst(w, e, size, round_to_segment(&q->model->settings, size));
	w->peak = w->reserved;
	return vec_push(&q->ooms, o, q->budget, w->err);
}

static int first_walk(struct work *w)
{
	struct requests *q = w->q;
	int rc = 0;

	for (int64_t e = 0; e < (int64_t)q->device->n_events && rc == 0; e++) {
		uint64_t g = request_global(q, e), size = q->model->events.size.at[g];

		switch ((enum action)q->model->events.action.at[g]) {
		case ACTION_SEGMENT_FREE:
		case ACTION_SEGMENT_UNMAP:
			rc = note_release(w, e, size);
			break;
		case ACTION_SEGMENT_ALLOC:
		case ACTION_SEGMENT_MAP:
			rc = note_memory(w, e, q->model->events.addr.at[g], size);
			break;
		case ACTION_OOM:
			rc = note_oom(w, e, q->model->events.addr.at[g], size);
			break;
		case ACTION_ALLOC:
		case ACTION_FREE_REQUESTED:
			end_burst(w, e, 0, 0);
			break;
		default:
			break;
		}
	}
	end_burst(w, (int64_t)q->device->n_events - 1, 0, 0);
	return rc;
}

/* Which bursts the program asked for: those that no refusal explains. */
static void judge_bursts(struct work *w)
{
	struct requests *q = w->q;
	size_t k = 0;

	q->n_explicit = q->n_retries = 0;
	for (size_t i = 0; i < w->bursts.n; i++) {
		struct burst *b = &w->bursts.at[i];
		uint64_t room = q->peak_reserved;

		while (k < q->rooms.n && q->rooms.at[k].event < b->first)
			k++;
		if (k < q->rooms.n)
			room = q->rooms.at[k].low;
		b->explicit = b->named || !b->refused ||
			      num_add_saturated(b->reserved, b->refused) <= room;
		q->n_explicit += b->explicit;
		q->n_retries += !b->explicit;
	}
}

/* --- how much memory there was ----------------------------------------------------------------- */

/* The most that cudaMalloc gives when `device_free` bytes are free: whole units, less one. */
static uint64_t obtainable(uint64_t device_free)
{
	uint64_t units = device_free / DRIVER_UNIT * DRIVER_UNIT;

	return units > DRIVER_UNIT ? units - DRIVER_UNIT : 0;
}

static enum request_limit limit_kind(const struct requests *q)
{
	const struct alloc_settings *s = &q->model->settings;

	for (size_t i = q->ooms.n; i-- > 0;) {
		const struct request_oom *o = &q->ooms.at[i];

		if (o->device_free != BYTES_NONE)
			return obtainable(o->device_free) >= round_to_segment(s, o->bytes)
				       ? REQUEST_ALLOWED
				       : REQUEST_DEVICE;
	}
	return q->ooms.n || q->n_retries ? REQUEST_DEVICE : REQUEST_UNLIMITED;
}

static void lower(uint64_t *high, uint64_t reserved, uint64_t refused)
{
	uint64_t most = num_add_saturated(reserved, refused) - 1;

	if (most < *high)
		*high = most;
}

/* One room for the whole trace: more than it ever held, less than what was refused. */
static int one_room(struct work *w)
{
	struct requests *q = w->q;
	struct request_room room = {q->peak_reserved, UINT64_MAX, INT32_MAX};

	for (size_t i = 0; i < w->bursts.n; i++)
		if (!w->bursts.at[i].explicit)
			lower(&room.high, w->bursts.at[i].reserved, w->bursts.at[i].refused);
	for (size_t i = 0; i < q->ooms.n; i++)
		lower(&room.high, q->ooms.at[i].reserved,
		      round_to_segment(&q->model->settings, q->ooms.at[i].bytes));
	if (room.high < room.low)
		room.high = room.low;
	return vec_push(&q->rooms, room, q->budget, w->err);
}

/* Other programs come and go, so each oom tells of the time before it only. */
static int room_of_each_oom(struct work *w)
{
	struct requests *q = w->q;
	struct request_room room = {0};
	int rc = 0;

	for (size_t i = 0; i < q->ooms.n && rc == 0; i++) {
		const struct request_oom *o = &q->ooms.at[i];
		uint64_t told = num_add_saturated(o->reserved, obtainable(o->device_free));

		room.low = room.high = told > o->peak ? told : o->peak;
		room.event = o->event;
		rc = vec_push(&q->rooms, room, q->budget, w->err);
	}
	if (w->peak > room.low)
		room.low = room.high = w->peak;
	room.event = INT32_MAX;
	return rc < 0 ? rc : vec_push(&q->rooms, room, q->budget, w->err);
}

static int fill_rooms(struct work *w)
{
	struct requests *q = w->q;
	bool told = q->ooms.n > 0;

	q->limit = limit_kind(q);
	for (size_t i = 0; i < q->ooms.n; i++)
		told &= q->ooms.at[i].device_free != BYTES_NONE;
	if (q->limit == REQUEST_UNLIMITED)
		return 0;
	return q->limit == REQUEST_DEVICE && told ? room_of_each_oom(w) : one_room(w);
}

/* --- second walk: operations ------------------------------------------------------------------- */

static int push(struct work *w, enum request_op_kind kind, uint32_t row, int64_t e)
{
	struct request_op op = {(uint32_t)kind << REQUEST_KIND_SHIFT | row, (int32_t)e};

	return vec_push(&w->q->ops, op, w->q->budget, w->err);
}

/* The rows that end at an event, found from the event: its address is that of a live row. */
struct ends {
	VEC(uint32_t) row; /* of each event: row + 1 of the request it is about, 0: none */
};

static int fill_ends(struct work *w, struct ends *ends)
{
	struct requests *q = w->q;
	size_t n = q->device->n_events;
	int rc = vec_reserve(&ends->row, n + 1, q->budget, w->err);

	if (rc < 0)
		return rc;
	memset(ends->row.at, 0, n * sizeof *ends->row.at);
	for (uint32_t i = 0; i < q->allocations.rows.n; i++) {
		const struct allocation *x = &q->allocations.rows.at[i];
		int32_t a = x->free_requested, b = x->free_completed;

		if (x->born >= 0)
			ends->row.at[x->born] = i + 1;
		if (a >= 0 && a != ALLOCATION_ALIVE && (size_t)a < n)
			ends->row.at[a] = i + 1;
		if (b >= 0 && b != ALLOCATION_ALIVE && (size_t)b < n)
			ends->row.at[b] = i + 1;
	}
	return 0;
}

static int push_event(struct work *w, const struct ends *ends, int64_t e, size_t *oom)
{
	struct requests *q = w->q;
	uint32_t row = ends->row.at[e] - 1;
	const struct allocation *x;

	if (request_action(q, e) == ACTION_OOM)
		return push(w, REQUEST_OOM, (uint32_t)(*oom)++, e);
	if (row == UINT32_MAX)
		return 0;
	x = &q->allocations.rows.at[row];
	if (x->born == e)
		return push(w, REQUEST_ALLOC, row, e);
	if (x->free_requested == e) {
		if (x->free_completed == e || x->free_completed == e + 1)
			return push(w, REQUEST_FREE, row, e);
		q->n_waits++;
		return push(w, REQUEST_FREE_REQUESTED, row, e);
	}
	if (x->free_requested + 1 == e && x->free_requested >= 0)
		return 0; /* said with its request */
	return push(w, REQUEST_FREE_COMPLETED, row, e);
}

static int second_walk(struct work *w)
{
	struct requests *q = w->q;
	struct ends ends = {0};
	size_t burst = 0, oom = 0;
	int rc = fill_ends(w, &ends);

	for (int64_t e = 0; e < (int64_t)q->device->n_events && rc == 0; e++) {
		for (; burst < w->bursts.n && w->bursts.at[burst].first == e; burst++)
			if (rc == 0)
				rc = push(w,
					  w->bursts.at[burst].explicit ? REQUEST_EMPTY_CACHE
								       : REQUEST_RELEASED,
					  0, e);
		if (rc == 0)
			rc = push_event(w, &ends, e, &oom);
	}
	vec_release(&ends.row, q->budget);
	return rc;
}

bool requests_reconsider(struct requests *q, int64_t event)
{
	for (size_t i = q->ops.n; i-- > 0;) {
		struct request_op *op = &q->ops.at[i];

		if (op->event > event || op->what >> REQUEST_KIND_SHIFT != REQUEST_RELEASED)
			continue;
		op->what = (uint32_t)REQUEST_EMPTY_CACHE << REQUEST_KIND_SHIFT;
		q->n_explicit++;
		if (--q->n_retries == 0 && !q->ooms.n) {
			q->limit = REQUEST_UNLIMITED;
			q->rooms.n = 0;
		}
		return true;
	}
	return false;
}

static int find_handled(struct work *w)
{
	struct requests *q = w->q;
	struct oom_events found = {0};
	int rc = oom_events_find(&found, q->model, q->device, q->budget, w->err);
	size_t k = 0;

	for (size_t i = 0; i < found.at.n && rc == 0; i++)
		for (; k < q->ooms.n && q->ooms.at[k].event <= found.at.at[i].event; k++)
			if (q->ooms.at[k].event == found.at.at[i].event)
				q->ooms.at[k].handled = found.at.at[i].retried;
	vec_release(&found.at, q->budget);
	return rc;
}

int request_ops_fill(struct requests *q, const struct replay_summary *summary, struct error *err)
{
	struct work w = {.q = q, .err = err};
	size_t n_stacks = q->model->stacks.start.n;
	int rc;

	w.reserved = summary->start.reserved == BYTES_NONE ? 0 : summary->start.reserved;
	q->peak_reserved = w.peak = w.reserved;
	if ((rc = vec_reserve(&w.named, n_stacks + 1, q->budget, err)) < 0)
		goto out;
	memset(w.named.at, 0, n_stacks + 1);
	w.named.at[STACK_ABSENT.i] = 1;
	if ((rc = first_walk(&w)) < 0 || (rc = find_handled(&w)) < 0)
		goto out;
	judge_bursts(&w);
	if ((rc = fill_rooms(&w)) < 0)
		goto out;
	judge_bursts(&w);
	rc = second_walk(&w);
out:
	vec_release(&w.bursts, q->budget);
	vec_release(&w.named, q->budget);
	return rc;
}
