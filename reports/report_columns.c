/* SPDX-License-Identifier: MIT
 * report_columns.c -- all events of one device as columns of small numbers.
 */
#include "reports/report_columns.h"

#include <assert.h>
#include <string.h>

#include "reports/gzip_out.h"
#include "reports/report_holes.h"

/* gzip beyond this level gains a few percent and costs several times as much. */
#define PACK_LEVEL 6
/* ... on short columns it costs nothing. */
#define BEST_LEVEL  9
#define SHORT_BYTES (1u << 20)

#define UNIT_BYTES 512

const char *report_column_name(enum report_column c)
{
	static const char *const names[] = {
		"ops",        "times", "free_times", "later_times", "frees", "sizes",
		"stacks",     "attrs", "addresses",  "misses",      "born",  "size_dict",
		"stack_dict", "rare",  "exceptions", "segments",
	};

	return names[c];
}

#define SMALL_REQUEST_BYTES (1u << 20) /* the allocator's kSmallSize */
#define SMALL_SEGMENT_BYTES (2u << 20)
/* Numbers of the script are exact below twice this. */
#define MAX_EXACT (UINT64_C(1) << 52)

/* Allocations that live, by 1 + row of the page: a ring through 0. */
struct link {
	uint32_t older, younger;
};

/* A segment whose pool the end of the file tells. */
struct told_segment {
	uint64_t start, end;
	int64_t born; /* event; of expandable ones that of the first part */
	struct pool_id pool;
	bool is_expandable;
};

/* The work on one device. `local` and `event_row` have a value for each row and event. */
struct writer {
	struct report_columns *c;
	const struct purpose *p;
	const struct allocations *a;
	const struct model *m;
	struct report_stacks *stacks;
	struct error *err;
	struct hashmap sizes, places, attrs;
	VEC(uint32_t) local;       /* row of the page, ALLOCATION_NONE: not in the window */
	VEC(uint32_t) event_row;   /* the row whose free the event is, ALLOCATION_NONE: none */
	VEC(uint32_t) stack_local; /* 1 + row of stack_dict, by row of `stacks` */
	VEC(struct link) links;
	uint32_t next_freed; /* the younger neighbour of the last one freed, in links */
	struct holes holes;
	VEC(uint32_t) home;            /* of each row of the page, in holes */
	VEC(struct told_segment) told; /* by address; none when every event tells its pool */
	bool pools_missing;
	uint32_t n_stacks, n_sizes, n_places;
	uint64_t last_requested;
	uint64_t last_end; /* of the allocation before, in units */
	int64_t last_us;
	int rc;
};

/* --- columns ----------------------------------------------------------------------------------- */

static void put(struct writer *w, enum report_column column, uint64_t v)
{
	if (w->rc < 0)
		return;
	w->rc = vec_reserve(&w->c->raw[column], 10, w->c->budget, w->err);
	if (w->rc < 0)
		return;
	uint8_t *at = w->c->raw[column].at + w->c->raw[column].n;
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		at[n++] = (uint8_t)(v | 0x80);
	at[n++] = (uint8_t)v;
	w->c->raw[column].n += n;
}

static void put_signed(struct writer *w, enum report_column column, int64_t v)
{
	put(w, column, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

/* --- dictionaries ------------------------------------------------------------------------------ */

static void put_size(struct writer *w, uint64_t size, uint64_t requested)
{
	/* Pairs whose 64-bit hashes meet would become one: less likely than a broken disk. */
	uint64_t key = hash_combine(hash_u64(size + 1), requested);
	const uint64_t *found = hashmap_get(&w->sizes, key);

	put(w, COLUMN_SIZES, found ? *found + 1 : 0);
	if (found)
		return;
	/* BYTES_NONE is -1. */
	put_signed(w, COLUMN_SIZE_DICT, (int64_t)(requested - w->last_requested));
	put_signed(w, COLUMN_SIZE_DICT, (int64_t)(size - requested));
	w->last_requested = requested;
	if (w->rc == 0)
		w->rc = hashmap_put(&w->sizes, key, w->n_sizes++, w->err);
}

static uint32_t stack_of(struct writer *w, stack_id stack)
{
	uint32_t row = 0;

	if (w->rc == 0)
		w->rc = report_stacks_row(w->stacks, stack, &row, w->err);
	while (w->rc == 0 && w->stack_local.n <= row)
		w->rc = vec_push(&w->stack_local, 0, w->c->budget, w->err);
	if (w->rc < 0)
		return 0;
	if (!w->stack_local.at[row]) {
		w->stack_local.at[row] = ++w->n_stacks;
		put(w, COLUMN_STACK_DICT, row);
	}
	return w->stack_local.at[row] - 1;
}

static uint64_t place_key(const struct report_attr *x)
{
	uint64_t key = hash_combine(hash_u64(x->stream + 1), (uint64_t)x->pool.a);

	return hash_combine(key, (uint64_t)x->pool.b);
}

/* The number of a stream and pool. */
static uint32_t place_of(struct writer *w, const struct report_attr *x)
{
	uint64_t key = place_key(x);
	const uint64_t *found = hashmap_get(&w->places, key);

	if (found)
		return (uint32_t)*found;
	if (w->rc == 0)
		w->rc = hashmap_put(&w->places, key, w->n_places++, w->err);
	return w->rc == 0 ? w->n_places - 1 : 0;
}

static uint32_t attr_of(struct writer *w, const struct report_attr *x)
{
	uint64_t key = place_key(x);
	const uint64_t *found;

	key = hash_combine(key, (uint64_t)(x->category | x->confidence << 8 | x->reason << 16) |
					(uint64_t)x->phase << 32);
	key = hash_combine(key, x->detail ? hash_bytes(x->detail, strlen(x->detail)) : 0);
	found = hashmap_get(&w->attrs, key);
	if (found)
		return (uint32_t)*found;
	if (w->rc == 0)
		w->rc = vec_push(&w->c->attrs, *x, w->c->budget, w->err);
	if (w->rc == 0)
		w->c->attrs.at[w->c->attrs.n - 1].place = place_of(w, x);
	if (w->rc == 0)
		w->rc = hashmap_put(&w->attrs, key, w->c->attrs.n - 1, w->err);
	return w->rc == 0 ? (uint32_t)w->c->attrs.n - 1 : 0;
}

static uint32_t place_attr(struct writer *w, uint64_t stream, struct pool_id pool)
{
	struct report_attr x = {.stream = stream, .pool = pool, .category = CATEGORY_UNKNOWN};

	return attr_of(w, &x);
}

/* --- addresses --------------------------------------------------------------------------------- */

static uint64_t unit_of(const struct writer *w)
{
	return w->c->byte_addresses ? 1 : UNIT_BYTES;
}

/* What all addresses and sizes have in common. */
static void note_range(struct writer *w, uint64_t address, uint64_t size)
{
	w->c->byte_addresses |= address % UNIT_BYTES != 0;
	w->c->foretold &= address < MAX_EXACT && size < MAX_EXACT;
}

static uint32_t lane_of(const struct writer *w, uint32_t attr, bool small)
{
	return w->c->attrs.n ? 2 * w->c->attrs.at[attr].place + small : 0;
}

static void put_address(struct writer *w, const struct allocation *x, uint32_t attr)
{
	uint64_t unit = unit_of(w), at = x->address / unit, size = (x->size + unit - 1) / unit;
	uint32_t lane = lane_of(w, attr, x->size <= SMALL_REQUEST_BYTES), rank = HOLES_NEAR, home;

	if (x->born > w->c->from) {
		if (w->c->foretold)
			rank = holes_rank(&w->holes, lane, size, at);
		put(w, COLUMN_ADDRESSES, rank < HOLES_NEAR ? rank + 1 : 0);
	}
	if (rank == HOLES_NEAR)
		put_signed(w, COLUMN_MISSES, (int64_t)(at - w->last_end));
	w->last_end = at + size;
	if (!w->c->foretold || w->rc < 0)
		return;
	if ((w->rc = holes_shared_home(&w->holes, lane, &home, w->err)) == 0)
		w->rc = holes_take(&w->holes, at, size, &home, w->err);
	if (w->rc == 0)
		w->rc = vec_push(&w->home, home, w->c->budget, w->err);
}

static void give_back(struct writer *w, const struct allocation *x, uint32_t local)
{
	uint64_t unit = unit_of(w);

	if (w->c->foretold && w->rc == 0)
		w->rc = holes_give(&w->holes, x->address / unit, (x->size + unit - 1) / unit,
				   w->home.at[local], w->err);
}

static void note_segment(struct writer *w, uint64_t address, uint64_t size, uint32_t attr,
			 bool small, bool expandable)
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

	uint32_t at = attr_of(w, &attr);

	w->local.at[row] = (uint32_t)w->c->n_rows++;
	put_size(w, x->size, x->requested);
	put(w, COLUMN_STACKS, stack_of(w, x->stack));
	put(w, COLUMN_ATTRS, at);
	if (w->c->detail < REPORT_NO_ADDRESSES)
		put_address(w, x, at);
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
	put(w, COLUMN_EXCEPTIONS, local);
	put_signed(w, COLUMN_EXCEPTIONS,
		   x->free_requested == ALLOCATION_ALIVE ? -2 : x->free_requested);
	put_signed(w, COLUMN_EXCEPTIONS,
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
		put_signed(w, column, (int64_t)((uint64_t)us - (uint64_t)w->last_us));
	else
		put(w, column, (uint64_t)us - (uint64_t)w->last_us);
	w->last_us = us;
}

/* The pool of the segment that an event makes. Older files tell it of segments at the end only. */
static struct pool_id segment_pool(const struct writer *w, int64_t event)
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

static void put_rare(struct writer *w, int64_t event)
{
	uint64_t row = w->c->device->first_event + (uint64_t)event;
	const struct events *e = &w->m->events;
	const struct attr *attr = &w->m->attrs.at[e->attr.at[row].i];
	stack_id stack = e->stack.at[row];
	uint64_t address = e->addr.at[row], size = e->size.at[row];
	uint32_t place = place_attr(w, attr->stream, segment_pool(w, event));

	put(w, COLUMN_RARE, e->action.at[row]);
	put(w, COLUMN_RARE, address);
	put(w, COLUMN_RARE, size);
	put(w, COLUMN_RARE, stack.i ? stack_of(w, stack) + 1 : 0);
	put(w, COLUMN_RARE, place);
	switch (e->action.at[row]) {
	case ACTION_SEGMENT_ALLOC:
	case ACTION_SEGMENT_MAP:
		note_segment(w, address, size, place, size <= SMALL_SEGMENT_BYTES,
			     e->action.at[row] == ACTION_SEGMENT_MAP);
		break;
	case ACTION_SEGMENT_FREE:
	case ACTION_SEGMENT_UNMAP:
		if (w->c->foretold && w->rc == 0)
			w->rc = holes_drop(&w->holes, address / unit_of(w), size / unit_of(w),
					   w->err);
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
	put(w, COLUMN_FREES, code);
	if (!code)
		put(w, COLUMN_FREES, w->c->n_rows - 1 - local);
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
	put(w, COLUMN_OPS, op);
	put_freed(w, w->local.at[row]);
	if (op != REPORT_OP_REQUESTED) {
		remove_living(w, w->local.at[row]);
		if (w->c->detail < REPORT_NO_ADDRESSES)
			give_back(w, x, w->local.at[row]);
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
			put(w, COLUMN_OPS, REPORT_OP_ALLOC);
			put_row(w, born);
			put_time(w, COLUMN_TIMES, event++);
		} else if (freed != ALLOCATION_NONE && w->local.at[freed] != ALLOCATION_NONE) {
			event += put_free(w, event, freed);
		} else {
			put(w, COLUMN_OPS, REPORT_OP_RARE);
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
		put(w, COLUMN_BORN,
		    x->born == EVENT_START ? 0 : (uint64_t)(w->c->from - x->born) + 1);
		put_row(w, row);
	}
	w->c->n_before = w->c->n_rows;
}

/* Pools that events do not tell, from the end of the file. */
static int note_pools(struct writer *w, struct replay *r)
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

static int put_segments(struct writer *w, struct replay *r)
{
	struct state s = {0};
	uint64_t allocated = 0;
	int rc = replay_seek(r, w->c->from, w->err);

	if (rc == 0)
		rc = replay_state(r, &s, w->err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s.segments.n; i++)
		note_range(w, s.segments.at[i].address, s.segments.at[i].size);
	for (size_t i = 0; i < s.segments.n; i++) {
		const struct state_segment *g = &s.segments.at[i];
		bool small = g->kind == POOL_SMALL;
		uint32_t place;

		if (!g->address)
			continue;
		place = place_attr(w, g->stream, g->pool);
		put(w, COLUMN_SEGMENTS, g->address);
		put(w, COLUMN_SEGMENTS, g->size);
		put(w, COLUMN_SEGMENTS, place);
		put(w, COLUMN_SEGMENTS, (uint64_t)(g->is_expandable * 2 + small));
		note_segment(w, g->address, g->size, place, small, g->is_expandable);
	}
	for (uint32_t row = 0; row < w->a->rows.n && w->a->rows.at[row].born <= w->c->from; row++)
		if (allocation_alive_at(&w->a->rows.at[row], w->c->from))
			allocated += w->a->rows.at[row].size;
	if (s.totals.active != BYTES_NONE && s.totals.active > allocated)
		w->c->loose = s.totals.active - allocated;
	state_release(&s);
	return w->rc;
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
		note_range(w, w->a->rows.at[row].address, w->a->rows.at[row].size);
	for (int64_t i = w->c->from + 1; i <= w->c->to; i++) {
		size_t row = first + (size_t)i;

		if (!is_segment_action(e->action.at[row]))
			continue;
		note_range(w, e->addr.at[row], e->size.at[row]);
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
		w.rc = note_pools(&w, r);
	}
	if (w.rc == 0)
		w.rc = put_segments(&w, r);
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
