/* SPDX-License-Identifier: MIT
 * report_places.c -- where segments and allocations lie, for the columns of a page.
 */
#include "reports/report_writer.h"

#define UNIT_BYTES          512
#define SMALL_REQUEST_BYTES (1u << 20) /* the allocator's kSmallSize */

/* Numbers of the script are exact below twice this. */
#define MAX_EXACT (UINT64_C(1) << 52)

static uint64_t unit_of(const struct writer *w)
{
	return w->c->byte_addresses ? 1 : UNIT_BYTES;
}

/* What all addresses and sizes have in common. */
void places_note(struct writer *w, uint64_t address, uint64_t size)
{
	w->c->byte_addresses |= address % UNIT_BYTES != 0;
	w->c->foretold &= address < MAX_EXACT && size < MAX_EXACT;
}

static uint32_t lane_of(const struct writer *w, uint32_t attr, bool small)
{
	return w->c->attrs.n ? 2 * w->c->attrs.at[attr].place + small : 0;
}

void places_put(struct writer *w, const struct allocation *x, uint32_t attr)
{
	uint64_t unit = unit_of(w), at = x->address / unit, size = (x->size + unit - 1) / unit;
	uint32_t lane = lane_of(w, attr, x->size <= SMALL_REQUEST_BYTES), rank = HOLES_NEAR, home;

	if (x->born > w->c->from) {
		if (w->c->foretold)
			rank = holes_rank(&w->holes, lane, size, at);
		writer_put(w, COLUMN_ADDRESSES, rank < HOLES_NEAR ? rank + 1 : 0);
	}
	if (rank == HOLES_NEAR)
		writer_put_signed(w, COLUMN_MISSES, (int64_t)(at - w->last_end));
	w->last_end = at + size;
	if (!w->c->foretold || w->rc < 0)
		return;
	if ((w->rc = holes_shared_home(&w->holes, lane, &home, w->err)) == 0)
		w->rc = holes_take(&w->holes, at, size, &home, w->err);
	if (w->rc == 0)
		w->rc = vec_push(&w->home, home, w->c->budget, w->err);
}

void places_give(struct writer *w, const struct allocation *x, uint32_t local)
{
	uint64_t unit = unit_of(w);

	if (w->c->foretold && w->rc == 0)
		w->rc = holes_give(&w->holes, x->address / unit, (x->size + unit - 1) / unit,
				   w->home.at[local], w->err);
}

void places_segment(struct writer *w, uint64_t address, uint64_t size, uint32_t attr, bool small,
		    bool expandable)
{
	uint32_t lane = lane_of(w, attr, small), home;

	if (!w->c->foretold || w->rc < 0)
		return;
	w->rc = expandable ? holes_shared_home(&w->holes, lane, &home, w->err)
			   : holes_new_home(&w->holes, lane, &home, w->err);
	if (w->rc == 0)
		w->rc = holes_give(&w->holes, address / unit_of(w), size / unit_of(w), home,
				   w->err);
}

void places_drop(struct writer *w, uint64_t address, uint64_t size)
{
	if (w->c->foretold && w->rc == 0)
		w->rc = holes_drop(&w->holes, address / unit_of(w), size / unit_of(w), w->err);
}

/* The pool of the segment that an event makes. Older files tell it of segments at the end only. */
struct pool_id places_pool(const struct writer *w, int64_t event)
{
	uint64_t row = w->c->device->first_event + (uint64_t)event;
	const struct attr *attr = &w->m->attrs.at[w->m->events.attr.at[row].i];
	uint64_t address = w->m->events.addr.at[row];
	size_t low = 0, high = w->told.n;

	if (attr->has_pool)
		return attr->pool;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->told.at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low > 0) {
		const struct told_segment *s = &w->told.at[low - 1];

		if (address < s->end && (s->is_expandable || s->born == event))
			return s->pool;
	}
	return attr->pool;
}

/* Pools that events do not tell, from the end of the file. */
int places_note_pools(struct writer *w, struct replay *r)
{
	struct state s = {0};
	int rc;

	if (!w->pools_missing)
		return 0;
	if ((rc = replay_seek(r, (int64_t)w->c->device->n_events - 1, w->err)) < 0 ||
	    (rc = replay_state(r, &s, w->err)) < 0)
		return rc;
	for (size_t i = 0; i < s.segments.n && rc == 0; i++) {
		const struct state_segment *g = &s.segments.at[i];
		struct told_segment told = {g->address, g->address + g->size, g->born, g->pool,
					    g->is_expandable};

		rc = vec_push(&w->told, told, w->c->budget, w->err);
	}
	state_release(&s);
	return rc;
}

int places_begin(struct writer *w, struct replay *r)
{
	struct state s = {0};
	uint64_t allocated = 0;
	int rc = replay_seek(r, w->c->from, w->err);

	if (rc == 0)
		rc = replay_state(r, &s, w->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s.segments.n; i++)
		places_note(w, s.segments.at[i].address, s.segments.at[i].size);
	for (size_t i = 0; i < s.segments.n; i++) {
		const struct state_segment *g = &s.segments.at[i];
		bool small = g->kind == POOL_SMALL;
		uint32_t place;

		if (!g->address)
			continue;
		place = writer_place(w, g->stream, g->pool);
		writer_put(w, COLUMN_SEGMENTS, g->address);
		writer_put(w, COLUMN_SEGMENTS, g->size);
		writer_put(w, COLUMN_SEGMENTS, place);
		writer_put(w, COLUMN_SEGMENTS, (uint64_t)(g->is_expandable * 2 + small));
		places_segment(w, g->address, g->size, place, small, g->is_expandable);
	}
	for (uint32_t row = 0; row < w->a->rows.n && w->a->rows.at[row].born <= w->c->from; row++)
		if (allocation_alive_at(&w->a->rows.at[row], w->c->from))
			allocated += w->a->rows.at[row].size;
	if (s.totals.active != BYTES_NONE && s.totals.active > allocated)
		w->c->loose = s.totals.active - allocated;
	state_release(&s);
	return w->rc;
}
