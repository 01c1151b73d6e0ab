/* SPDX-License-Identifier: MIT
 * read_columns.c -- the columns of a page read back, as reports/report_columns.h describes them.
 */
#include "tests/lib/read_columns.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAX_HOMES 65536
#define MIB_BYTES (UINT64_C(1) << 20)

struct column {
	unsigned char *bytes;
	size_t n, at;
};

struct hole {
	uint64_t start, end;
	uint32_t home;
};

struct reading {
	const struct report_columns *c;
	struct read_columns *out;
	struct column columns[COLUMN_COUNT];
	uint32_t *stack_dict;
	uint64_t *dict_size, *dict_requested;
	size_t n_dict, n_stack_dict, n_fresh;
	uint32_t *living;            /* rows, by their births */
	size_t n_living, next_freed; /* as a place in `living` */
	struct hole *holes;
	size_t n_holes, cap_holes;
	uint32_t *home; /* of each row */
	uint32_t lane_of_home[MAX_HOMES], shared[MAX_HOMES];
	uint32_t n_homes;
	uint64_t end; /* of the allocation before, in units */
	int64_t now;
};

static void fail(struct reading *r, const char *why)
{
	if (!r->out->failure)
		r->out->failure = why;
}

/* --- bytes ------------------------------------------------------------------------------------- */

static void unpack(struct reading *r, enum report_column i)
{
	struct column *c = &r->columns[i];
	z_stream z = {0};
	size_t n = 0;

	c->n = r->c->raw[i].n;
	c->bytes = calloc(c->n + 1, 1);
	if (!r->c->packed[i]) {
		if (c->n)
			fail(r, "a column is not packed");
		return;
	}
	z.next_in = (unsigned char *)(uintptr_t)out_memory(r->c->packed[i], &n);
	z.avail_in = (uInt)n;
	z.next_out = c->bytes;
	z.avail_out = (uInt)c->n + 1;
	if (inflateInit2(&z, 15 + 16) != Z_OK || inflate(&z, Z_FINISH) != Z_STREAM_END ||
	    z.total_out != c->n || z.avail_in)
		fail(r, "a column is not the gzip of its bytes");
	inflateEnd(&z);
}

static uint64_t next(struct reading *r, enum report_column i)
{
	struct column *c = &r->columns[i];
	uint64_t v = 0;

	for (unsigned shift = 0; c->at < c->n && shift < 64; shift += 7) {
		unsigned char b = c->bytes[c->at++];

		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
	fail(r, "a column ends too early");
	return 0;
}

static int64_t next_folded(struct reading *r, enum report_column i)
{
	uint64_t v = next(r, i);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static bool at_end(const struct reading *r, enum report_column i)
{
	return r->out->failure || r->columns[i].at == r->columns[i].n;
}

/* --- holes ------------------------------------------------------------------------------------- */

static uint32_t new_home(struct reading *r, uint32_t lane)
{
	if (r->n_homes + 1 >= MAX_HOMES || lane >= MAX_HOMES) {
		fail(r, "too many homes for this test");
		return 0;
	}
	r->lane_of_home[++r->n_homes] = lane;
	return r->n_homes;
}

static uint32_t shared_home(struct reading *r, uint32_t lane)
{
	if (lane < MAX_HOMES && !r->shared[lane])
		r->shared[lane] = new_home(r, lane);
	return lane < MAX_HOMES ? r->shared[lane] : 0;
}

static void add_hole(struct reading *r, uint64_t start, uint64_t end, uint32_t home)
{
	if (r->n_holes == r->cap_holes) {
		r->cap_holes = 2 * r->cap_holes + 16;
		r->holes = realloc(r->holes, r->cap_holes * sizeof *r->holes);
		if (!r->holes)
			abort();
	}
	if (start < end)
		r->holes[r->n_holes++] = (struct hole){start, end, home};
}

static void remove_part(struct reading *r, size_t i, uint64_t start, uint64_t end)
{
	struct hole h = r->holes[i];

	r->holes[i] = r->holes[--r->n_holes];
	add_hole(r, h.start, h.start > start ? h.start : start, h.home);
	add_hole(r, end, h.end, h.home);
}

static void give(struct reading *r, uint64_t start, uint64_t size, uint32_t home)
{
	uint64_t end = start + size;

	for (size_t i = 0; i < r->n_holes; i++)
		if (r->holes[i].start < end && start < r->holes[i].end)
			return;
	for (size_t i = 0; i < r->n_holes && size;) {
		const struct hole *h = &r->holes[i];

		if (h->home == home && (h->end == start || h->start == end)) {
			start = h->start < start ? h->start : start;
			end = h->end > end ? h->end : end;
			r->holes[i] = r->holes[--r->n_holes];
			i = 0;
		} else {
			i++;
		}
	}
	add_hole(r, start, end, home);
}

static uint32_t take(struct reading *r, uint64_t start, uint64_t size, uint32_t home)
{
	for (size_t i = 0; i < r->n_holes; i++) {
		const struct hole *h = &r->holes[i];

		if (h->start > start || h->end <= start)
			continue;
		home = h->home;
		if (size)
			remove_part(r, i, start, start + size);
		return home;
	}
	return home;
}

static void drop(struct reading *r, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < r->n_holes;) {
		if (r->holes[i].start < start + size && start < r->holes[i].end) {
			remove_part(r, i, start, start + size);
			i = 0;
		} else {
			i++;
		}
	}
}

/* The start of the hole with `rank` better ones that fit. */
static uint64_t start_of(struct reading *r, uint32_t lane, uint64_t size, uint64_t rank)
{
	for (size_t i = 0; i < r->n_holes; i++) {
		const struct hole *h = &r->holes[i];
		uint64_t better = 0;

		if (r->lane_of_home[h->home] != lane || h->end - h->start < size)
			continue;
		for (size_t k = 0; k < r->n_holes; k++) {
			const struct hole *o = &r->holes[k];
			uint64_t own = h->end - h->start, other = o->end - o->start;

			better += r->lane_of_home[o->home] == lane && other >= size &&
				  (other < own || (other == own && o->start < h->start));
		}
		if (better == rank)
			return h->start;
	}
	fail(r, "there is no such hole");
	return 0;
}

/* --- rows -------------------------------------------------------------------------------------- */

static uint64_t unit_of(const struct reading *r)
{
	return r->c->byte_addresses ? 1 : 512;
}

static uint32_t lane_of(struct reading *r, uint64_t attr, bool small)
{
	if (attr < r->c->attrs.n)
		return 2 * r->c->attrs.at[attr].place + small;
	fail(r, "there is no such attr");
	return 0;
}

static void read_address(struct reading *r, size_t row, bool before)
{
	struct read_row *x = &r->out->rows[row];
	uint64_t unit = unit_of(r), size = (x->size + unit - 1) / unit, at;
	uint32_t lane = lane_of(r, x->attr, x->size <= MIB_BYTES);
	uint64_t place = before ? 0 : next(r, COLUMN_ADDRESSES);

	if (place)
		at = start_of(r, lane, size, place - 1);
	else
		at = r->end + (uint64_t)next_folded(r, COLUMN_MISSES);
	x->address = at * unit;
	r->end = at + size;
	if (r->c->foretold)
		r->home[row] = take(r, at, size, shared_home(r, lane));
}

static void read_row(struct reading *r, size_t row, int64_t born)
{
	struct read_row *x = &r->out->rows[row];
	uint64_t size = next(r, COLUMN_SIZES), stack = next(r, COLUMN_STACKS);

	size = size ? size - 1 : r->n_fresh++;
	if (size >= r->n_dict || stack >= r->n_stack_dict) {
		fail(r, "there is no such size or stack");
		return;
	}
	*x = (struct read_row){.size = r->dict_size[size],
			       .requested = r->dict_requested[size],
			       .born = born,
			       .free_requested = ALLOCATION_ALIVE,
			       .free_completed = ALLOCATION_ALIVE,
			       .stack = r->stack_dict[stack],
			       .attr = (uint32_t)next(r, COLUMN_ATTRS)};
	if (r->c->detail < REPORT_NO_ADDRESSES)
		read_address(r, row, born <= r->c->from);
	/* The end stays the end. */
	r->next_freed += r->next_freed == r->n_living;
	r->living[r->n_living++] = (uint32_t)row;
}

static void read_dictionaries(struct reading *r)
{
	uint64_t requested = 0;

	while (!at_end(r, COLUMN_SIZE_DICT)) {
		requested += (uint64_t)next_folded(r, COLUMN_SIZE_DICT);
		r->dict_requested[r->n_dict] = requested;
		r->dict_size[r->n_dict++] = requested + (uint64_t)next_folded(r, COLUMN_SIZE_DICT);
	}
	while (!at_end(r, COLUMN_STACK_DICT))
		r->stack_dict[r->n_stack_dict++] = (uint32_t)next(r, COLUMN_STACK_DICT);
}

/* --- events ------------------------------------------------------------------------------------ */

static void note_segment(struct reading *r, uint64_t address, uint64_t size, uint64_t attr,
			 bool small, bool expandable)
{
	uint32_t lane = lane_of(r, attr, small);
	uint64_t unit = unit_of(r);

	if (r->c->foretold)
		give(r, address / unit, size / unit,
		     expandable ? shared_home(r, lane) : new_home(r, lane));
}

static void read_rare(struct reading *r, int64_t event)
{
	struct read_rare *x = &r->out->rare[r->out->n_rare++];

	x->event = event;
	x->action = next(r, COLUMN_RARE);
	x->address = next(r, COLUMN_RARE);
	x->size = next(r, COLUMN_RARE);
	x->stack = next(r, COLUMN_RARE);
	x->attr = next(r, COLUMN_RARE);
	if (x->action == ACTION_SEGMENT_ALLOC || x->action == ACTION_SEGMENT_MAP)
		note_segment(r, x->address, x->size, x->attr, x->size <= 2 * MIB_BYTES,
			     x->action == ACTION_SEGMENT_MAP);
	else if (r->c->foretold &&
		 (x->action == ACTION_SEGMENT_FREE || x->action == ACTION_SEGMENT_UNMAP))
		drop(r, x->address / unit_of(r), x->size / unit_of(r));
}

/* Which row a free is about, n_rows when that cannot be. */
static size_t read_freed(struct reading *r, size_t n_rows)
{
	uint64_t code = next(r, COLUMN_FREES), steps, ring = r->n_living + 1, place;

	if (!code)
		return n_rows - 1 - next(r, COLUMN_FREES);
	steps = (code - 1) / 3;
	if (steps >= REPORT_NEAR)
		fail(r, "a step too far");
	/* Places of a ring: the living, then the end. */
	if ((code - 1) % 3 == 0)
		place = r->n_living + 2 * ring - 1 - steps;
	else if ((code - 1) % 3 == 1)
		place = r->next_freed + steps;
	else
		place = r->next_freed + 2 * ring - 1 - steps;
	place %= ring;
	return place < r->n_living ? r->living[place] : r->c->n_rows;
}

static void no_longer_lives(struct reading *r, size_t row)
{
	for (size_t i = 0; i < r->n_living; i++) {
		if (r->living[i] != row)
			continue;
		r->n_living--;
		memmove(r->living + i, r->living + i + 1, (r->n_living - i) * sizeof *r->living);
		r->next_freed = i;
	}
}

static void read_time(struct reading *r, enum report_column column, int64_t event)
{
	bool coarse = r->c->detail >= REPORT_COARSE_TIMES;
	int64_t i = event - r->c->from - 1;
	uint64_t by;

	if (!r->c->has_times || (coarse && i % REPORT_COARSE_EVENTS && event != r->c->to))
		return;
	if (coarse)
		column = COLUMN_TIMES;
	/* Times may be as far apart as numbers go: sums wrap, and come back. */
	by = r->c->times_fall ? (uint64_t)next_folded(r, column) : next(r, column);
	r->now = (int64_t)((uint64_t)r->now + by);
	r->out->times[i] = r->now;
}

/* How many events it took. */
static int read_free(struct reading *r, uint64_t op, size_t n_rows, int64_t event)
{
	size_t row = read_freed(r, n_rows);
	int n = op == REPORT_OP_FREE || op == REPORT_OP_FREE_LATER ? 2 : 1;
	struct read_row *x;

	if (row >= n_rows) {
		fail(r, "a free of no row");
		return 1;
	}
	x = &r->out->rows[row];
	if (op != REPORT_OP_COMPLETED)
		x->free_requested = event;
	read_time(r, COLUMN_FREE_TIMES, event);
	if (op == REPORT_OP_FREE_LATER)
		read_time(r, COLUMN_LATER_TIMES, event + 1);
	else if (op == REPORT_OP_FREE && r->c->has_times)
		r->out->times[event - r->c->from] = r->now;
	if (op == REPORT_OP_REQUESTED)
		return 1;
	x->free_completed = event + n - 1;
	no_longer_lives(r, row);
	if (r->c->foretold && r->c->detail < REPORT_NO_ADDRESSES)
		give(r, x->address / unit_of(r), (x->size + unit_of(r) - 1) / unit_of(r),
		     r->home[row]);
	return n;
}

static void read_events(struct reading *r)
{
	size_t rows = r->c->n_before;
	int64_t event = r->c->from + 1;

	while (!at_end(r, COLUMN_OPS) && event <= r->c->to) {
		uint64_t op = next(r, COLUMN_OPS);

		if (op == REPORT_OP_ALLOC && rows < r->c->n_rows) {
			read_row(r, rows++, event);
			read_time(r, COLUMN_TIMES, event++);
		} else if (op >= REPORT_OP_FREE && op <= REPORT_OP_FREED) {
			event += read_free(r, op, rows, event);
		} else if (op == REPORT_OP_RARE) {
			read_rare(r, event);
			read_time(r, COLUMN_TIMES, event++);
		} else {
			fail(r, "no such op");
		}
	}
	if (event != r->c->to + 1 || rows != r->c->n_rows)
		fail(r, "not as many events or rows as there should be");
}

static void read_start(struct reading *r)
{
	while (!at_end(r, COLUMN_SEGMENTS)) {
		uint64_t address = next(r, COLUMN_SEGMENTS), size = next(r, COLUMN_SEGMENTS);
		uint64_t attr = next(r, COLUMN_SEGMENTS), bits = next(r, COLUMN_SEGMENTS);

		note_segment(r, address, size, attr, bits & 1, bits >> 1);
	}
	for (size_t row = 0; row < r->c->n_before && !r->out->failure; row++) {
		int64_t ago = (int64_t)next(r, COLUMN_BORN);

		read_row(r, row, ago ? r->c->from - ago + 1 : EVENT_START);
	}
}

static void read_exceptions(struct reading *r)
{
	while (!at_end(r, COLUMN_EXCEPTIONS)) {
		uint64_t row = next(r, COLUMN_EXCEPTIONS);
		int64_t requested = next_folded(r, COLUMN_EXCEPTIONS);
		int64_t completed = next_folded(r, COLUMN_EXCEPTIONS);

		if (row >= r->c->n_rows) {
			fail(r, "an exception of no row");
			return;
		}
		r->out->rows[row].free_requested = requested == -2 ? ALLOCATION_ALIVE : requested;
		r->out->rows[row].free_completed = completed == -2 ? ALLOCATION_ALIVE : completed;
	}
}

void read_columns(struct read_columns *out, const struct report_columns *c)
{
	size_t events = (size_t)(c->to - c->from), rows = c->n_rows + 1;
	struct reading *r = calloc(1, sizeof *r);

	*out = (struct read_columns){.rows = calloc(rows, sizeof *out->rows),
				     .times = calloc(events + 1, sizeof *out->times),
				     .rare = calloc(events + 1, sizeof *out->rare)};
	if (!r)
		abort();
	r->c = c;
	r->out = out;
	r->now = c->zero_us;
	for (int i = 0; i < COLUMN_COUNT; i++)
		unpack(r, (enum report_column)i);
	r->dict_size = calloc(rows, sizeof *r->dict_size);
	r->dict_requested = calloc(rows, sizeof *r->dict_requested);
	r->stack_dict = calloc(rows + events, sizeof *r->stack_dict);
	r->living = calloc(rows, sizeof *r->living);
	r->home = calloc(rows, sizeof *r->home);
	read_dictionaries(r);
	read_start(r);
	read_events(r);
	read_exceptions(r);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (!at_end(r, (enum report_column)i))
			fail(r, report_column_name((enum report_column)i));
		free(r->columns[i].bytes);
	}
	free(r->dict_size);
	free(r->dict_requested);
	free(r->stack_dict);
	free(r->living);
	free(r->home);
	free(r->holes);
	free(r);
}

void read_columns_release(struct read_columns *r)
{
	free(r->rows);
	free(r->times);
	free(r->rare);
}
