/* SPDX-License-Identifier: MIT
 * report_columns.c -- all events of one device as columns of small numbers.
 */
#include "reports/report_columns.h"

#include <assert.h>
#include <string.h>

#include "reports/gzip_out.h"
#include "reports/report_writer.h"

/* gzip beyond this level gains a few percent and costs several times as much. */
#define PACK_LEVEL 6
/* ... on short columns it costs nothing. */
#define BEST_LEVEL  9
#define SHORT_BYTES (1u << 20)

#define SMALL_SEGMENT_BYTES (2u << 20)

const char *report_column_name(enum report_column c)
{
	static const char *const names[] = {
		"ops",        "times",    "free_times", "later_times", "frees",      "sizes",
		"stacks",     "attrs",    "born",       "size_dict",   "stack_dict", "rare",
		"exceptions", "segments", "addresses",  "misses",
	};

	return names[c];
}

/* --- rows -------------------------------------------------------------------------------------- */

/* The row that was just made lives. */
static void add_living(struct writer *w)
{
	struct link link = {.older = w->rc == 0 ? w->links.at[0].older : 0};
	uint32_t row = (uint32_t)w->links.n;

	if (w->rc == 0)
		w->rc = vec_push(&w->links, link, w->c->budget, w->err);
	if (w->rc < 0)
		return;
	w->links.at[link.older].younger = row;
	w->links.at[0].older = row;
}

static void put_row(struct writer *w, uint32_t row)
{
	const struct allocation *x = &w->a->rows.at[row];
	struct allocation_place place = allocation_place(w->a, row);
	struct allocation_category category = w->p->categories.rows.at[row];
	struct report_attr attr = {.stream = place.stream,
				   .pool = place.pool,
				   .category = category.category,
				   .confidence = category.confidence,
				   .reason = category.reason,
				   .phase = category.phase,
				   .detail = category_detail(&w->p->categories, category)};

	uint32_t at = writer_attr(w, &attr);

	w->local.at[row] = (uint32_t)w->c->n_rows++;
	writer_put_size(w, x->size, x->requested);
	writer_put(w, COLUMN_STACKS, writer_stack(w, x->stack));
	writer_put(w, COLUMN_ATTRS, at);
	if (w->c->detail < REPORT_NO_ADDRESSES)
		places_put(w, x, at);
	add_living(w);
}

static bool is_free(const struct writer *w, int64_t event)
{
	uint8_t action = w->m->events.action.at[w->c->device->first_event + (uint64_t)event];

	return action == ACTION_FREE_REQUESTED || action == ACTION_FREE_COMPLETED;
}

/* Which row each free is about, and the rows whose ends these do not tell. */
static void note_frees(struct writer *w)
{
	for (uint32_t row = 0; row < w->a->rows.n; row++) {
		const struct allocation *x = &w->a->rows.at[row];
		int32_t at[2] = {x->free_requested, x->free_completed};

		for (int i = 0; i < 2; i++)
			if (at[i] >= 0 && at[i] != ALLOCATION_ALIVE && is_free(w, at[i]))
				w->event_row.at[at[i]] = row;
	}
}

static bool told_by_event(const struct writer *w, uint32_t row, int32_t event)
{
	if (event == ALLOCATION_ALIVE || event > w->c->to)
		return true;
	return event > w->c->from && w->event_row.at[event] == row;
}

static void put_exception(struct writer *w, uint32_t row)
{
	const struct allocation *x = &w->a->rows.at[row];
	uint32_t local = w->local.at[row];

	if (told_by_event(w, row, x->free_requested) && told_by_event(w, row, x->free_completed))
		return;
	writer_put(w, COLUMN_EXCEPTIONS, local);
	writer_put_signed(w, COLUMN_EXCEPTIONS,
			  x->free_requested == ALLOCATION_ALIVE ? -2 : x->free_requested);
	writer_put_signed(w, COLUMN_EXCEPTIONS,
			  x->free_completed == ALLOCATION_ALIVE ? -2 : x->free_completed);
}

/* --- events ------------------------------------------------------------------------------------ */

static int64_t time_at(const struct writer *w, int64_t event)
{
	return w->m->events.time_us.at[w->c->device->first_event + (uint64_t)event];
}

static void put_time(struct writer *w, enum report_column column, int64_t event)
{
	int64_t us = time_at(w, event);

	if (!w->c->has_times)
		return;
	if (w->c->detail >= REPORT_COARSE_TIMES &&
	    (event - w->c->from - 1) % REPORT_COARSE_EVENTS != 0 && event != w->c->to)
		return;
	if (us == TIME_NONE)
		us = w->last_us;
	if (w->c->detail >= REPORT_COARSE_TIMES)
		column = COLUMN_TIMES;
	if (w->c->times_fall)
		writer_put_signed(w, column, (int64_t)((uint64_t)us - (uint64_t)w->last_us));
	else
		writer_put(w, column, (uint64_t)us - (uint64_t)w->last_us);
	w->last_us = us;
}

static void put_rare(struct writer *w, int64_t event)
{
	uint64_t row = w->c->device->first_event + (uint64_t)event;
	const struct events *e = &w->m->events;
	const struct attr *attr = &w->m->attrs.at[e->attr.at[row].i];
	stack_id stack = e->stack.at[row];
	uint64_t address = e->addr.at[row], size = e->size.at[row];
	uint32_t place = writer_place(w, attr->stream, places_pool(w, event));

	writer_put(w, COLUMN_RARE, e->action.at[row]);
	writer_put(w, COLUMN_RARE, address);
	writer_put(w, COLUMN_RARE, size);
	writer_put(w, COLUMN_RARE, stack.i ? writer_stack(w, stack) + 1 : 0);
	writer_put(w, COLUMN_RARE, place);
	switch (e->action.at[row]) {
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		places_segment(w, address, size, place, size <= SMALL_SEGMENT_BYTES,
			       e->action.at[row] == ACTION_SEGMENT_MAP);
		break;
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		places_drop(w, address, size);
		break;
	default:
		break;
	}
}

/* Which row is freed: where it is among those that live, when that is near. */
static void put_freed(struct writer *w, uint32_t local)
{
	const struct link *links = w->links.at;
	uint32_t row = local + 1, younger = row, older = row, steps = 0;
	bool lives = links[links[row].older].younger == row;
	uint64_t code = 0;

	for (; lives && !code && steps < REPORT_NEAR; steps++) {
		if (links[younger].younger == 0)
			code = 1 + 3 * steps;
		else if (older == w->next_freed)
			code = 2 + 3 * steps;
		else if (links[younger].younger == w->next_freed)
			code = 3 + 3 * steps;
		younger = links[younger].younger;
		older = links[older].older;
	}
	writer_put(w, COLUMN_FREES, code);
	if (!code)
		writer_put(w, COLUMN_FREES, w->c->n_rows - 1 - local);
}

/* A row no longer lives. */
static void remove_living(struct writer *w, uint32_t local)
{
	struct link *links = w->links.at, *l = &links[local + 1];

	if (links[l->older].younger != local + 1)
		return;
	w->next_freed = l->younger;
	links[l->older].younger = l->younger;
	links[l->younger].older = l->older;
}

/* The op of a free event of a row in the window; how many events it covers. */
static int put_free(struct writer *w, int64_t event, uint32_t row)
{
	const struct allocation *x = &w->a->rows.at[row];
	enum report_op op = REPORT_OP_COMPLETED;
	int n = 1;

	if (x->free_requested == event && x->free_completed == event) {
		op = REPORT_OP_FREED;
	} else if (x->free_requested == event && x->free_completed == event + 1 &&
		   event < w->c->to && w->event_row.at[event + 1] == row) {
		op = time_at(w, event) == time_at(w, event + 1) &&
				     w->c->detail < REPORT_COARSE_TIMES
			     ? REPORT_OP_FREE
			     : REPORT_OP_FREE_LATER;
		n = 2;
	} else if (x->free_requested == event) {
		op = REPORT_OP_REQUESTED;
	}
	writer_put(w, COLUMN_OPS, op);
	put_freed(w, w->local.at[row]);
	if (op != REPORT_OP_REQUESTED) {
		remove_living(w, w->local.at[row]);
		if (w->c->detail < REPORT_NO_ADDRESSES)
			places_give(w, x, w->local.at[row]);
	}
	put_time(w, COLUMN_FREE_TIMES, event);
	if (op == REPORT_OP_FREE_LATER)
		put_time(w, COLUMN_LATER_TIMES, event + 1);
	return n;
}

static void put_events(struct writer *w)
{
	for (int64_t event = w->c->from + 1; event <= w->c->to && w->rc == 0;) {
		uint32_t born = allocations_of_event(w->a, event);
		uint32_t freed = w->event_row.at[event];

		if (born != ALLOCATION_NONE) {
			writer_put(w, COLUMN_OPS, REPORT_OP_ALLOC);
			put_row(w, born);
			put_time(w, COLUMN_TIMES, event++);
		} else if (freed != ALLOCATION_NONE && w->local.at[freed] != ALLOCATION_NONE) {
			event += put_free(w, event, freed);
		} else {
			writer_put(w, COLUMN_OPS, REPORT_OP_RARE);
			put_rare(w, event);
			put_time(w, COLUMN_TIMES, event++);
		}
	}
}

/* --- the start --------------------------------------------------------------------------------- */

static void put_before(struct writer *w)
{
	for (uint32_t row = 0; row < w->a->rows.n && w->rc == 0; row++) {
		const struct allocation *x = &w->a->rows.at[row];

		if (x->born > w->c->from)
			break;
		if (!allocation_alive_at(x, w->c->from))
			continue;
		writer_put(w, COLUMN_BORN,
			   x->born == EVENT_START ? 0 : (uint64_t)(w->c->from - x->born) + 1);
		put_row(w, row);
	}
	w->c->n_before = w->c->n_rows;
}

/* --- the whole --------------------------------------------------------------------------------- */

static int writer_init(struct writer *w)
{
	struct budget *b = w->c->budget;
	size_t rows = w->a->rows.n, events = (size_t)w->c->device->n_events;
	int rc;

	hashmap_init(&w->sizes, b);
	hashmap_init(&w->places, b);
	hashmap_init(&w->attrs, b);
	holes_init(&w->holes, b);
	if ((rc = vec_reserve(&w->local, rows + 1, b, w->err)) < 0 ||
	    (rc = vec_reserve(&w->event_row, events + 1, b, w->err)) < 0 ||
	    (rc = vec_push(&w->links, ((struct link){0, 0}), b, w->err)) < 0)
		return rc;
	memset(w->local.at, 0xff, (rows + 1) * sizeof *w->local.at);
	memset(w->event_row.at, 0xff, (events + 1) * sizeof *w->event_row.at);
	return 0;
}

static void writer_release(struct writer *w)
{
	hashmap_release(&w->sizes);
	hashmap_release(&w->places);
	hashmap_release(&w->attrs);
	vec_release(&w->local, w->c->budget);
	vec_release(&w->event_row, w->c->budget);
	vec_release(&w->stack_local, w->c->budget);
	vec_release(&w->links, w->c->budget);
	vec_release(&w->home, w->c->budget);
	vec_release(&w->told, w->c->budget);
	holes_release(&w->holes);
}

static int pack(struct report_columns *c, struct error *err)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		struct gzip_out *g;
		int rc;

		if (!c->raw[i].n)
			continue;
		if ((rc = out_open_memory(&c->packed[i], err)) < 0)
			return rc;
		g = gzip_out_open_level(c->packed[i],
					c->raw[i].n > SHORT_BYTES ? PACK_LEVEL : BEST_LEVEL);
		if (!g)
			return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
		gzip_out_bytes(g, c->raw[i].at, c->raw[i].n);
		gzip_out_close(g);
	}
	return 0;
}

static void look_at_times(struct writer *w)
{
	struct report_columns *c = w->c;
	int64_t last = 0;

	for (int64_t e = c->from + 1; e <= c->to; e++) {
		int64_t us = time_at(w, e);

		if (us == TIME_NONE)
			continue;
		if (!c->has_times)
			c->zero_us = us;
		else
			c->times_fall |= us < last;
		c->has_times = true;
		last = us;
	}
	w->last_us = c->zero_us;
}

static bool is_segment_action(uint8_t action)
{
	return action >= ACTION_SEGMENT_ALLOC && action <= ACTION_SEGMENT_UNMAP;
}

static void look_ahead(struct writer *w)
{
	const struct events *e = &w->m->events;
	size_t first = (size_t)w->c->device->first_event;

	w->c->foretold = true;
	for (uint32_t row = 0; row < w->a->rows.n; row++)
		places_note(w, w->a->rows.at[row].address, w->a->rows.at[row].size);
	for (int64_t i = w->c->from + 1; i <= w->c->to; i++) {
		size_t row = first + (size_t)i;

		if (!is_segment_action(e->action.at[row]))
			continue;
		places_note(w, e->addr.at[row], e->size.at[row]);
		w->pools_missing |= !w->m->attrs.at[e->attr.at[row].i].has_pool;
	}
	look_at_times(w);
}

int report_columns_run(struct report_columns *out, const struct purpose *p, struct replay *r,
		       struct report_stacks *stacks, const struct report_columns_options *o,
		       struct budget *budget, struct error *err)
{
	struct report_columns c = {.budget = budget,
				   .device = p->allocations.device,
				   .from = o->from,
				   .to = o->to,
				   .detail = o->detail};
	struct writer w = {.c = &c,
			   .p = p,
			   .a = &p->allocations,
			   .m = p->allocations.model,
			   .stacks = stacks,
			   .err = err};

	if ((w.rc = writer_init(&w)) == 0) {
		look_ahead(&w);
		note_frees(&w);
		w.rc = places_note_pools(&w, r);
	}
	if (w.rc == 0)
		w.rc = places_begin(&w, r);
	if (w.rc == 0) {
		put_before(&w);
		put_events(&w);
	}
	for (uint32_t row = 0; row < w.a->rows.n && w.rc == 0; row++)
		if (w.local.at[row] != ALLOCATION_NONE)
			put_exception(&w, row);
	writer_release(&w);
	if (w.rc == 0)
		w.rc = pack(&c, err);
	if (w.rc < 0)
		report_columns_release(&c);
	else
		*out = c;
	return w.rc;
}

void report_columns_release(struct report_columns *c)
{
	if (!c->budget)
		return;
	vec_release(&c->attrs, c->budget);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		vec_release(&c->raw[i], c->budget);
		out_abandon(c->packed[i]);
	}
	*c = (struct report_columns){0};
}

uint64_t report_column_bytes(const struct report_columns *c, enum report_column column)
{
	return c->packed[column] ? out_size(c->packed[column]) : 0;
}

uint64_t report_columns_bytes(const struct report_columns *c)
{
	uint64_t bytes = 0;

	for (int i = 0; i < COLUMN_COUNT; i++)
		bytes += report_column_bytes(c, (enum report_column)i);
	return bytes;
}
