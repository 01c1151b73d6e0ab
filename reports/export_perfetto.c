/* SPDX-License-Identifier: MIT
 * export_perfetto.c -- a device's trace for ui.perfetto.dev: counters, slices, instants.
 *
 * Source of the field numbers: protos/perfetto/trace/{trace,trace_packet}.proto and
 * track_event/{track_event,track_descriptor,counter_descriptor}.proto.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "passes/holders.h"
#include "reports/export.h"
#include "reports/proto.h"
#include "reports/top_key.h"

enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_TRACK_DESCRIPTOR = 60,
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_SIZE_BYTES = 3,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	TYPE_SLICE_BEGIN = 1,
	TYPE_SLICE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
};

#define ANNOTATION_ROWS 16

/* Tracks: 1 the device itself, then counters by total and category. */
enum track {
	TRACK_DEVICE = 1,
	TRACK_RESERVED,
	TRACK_ALLOCATED,
	TRACK_ACTIVE,
	TRACK_STEPS,
	TRACK_OOM,
	TRACK_CATEGORY,                                     /* + enum category */
	TRACK_ANNOTATION = TRACK_CATEGORY + CATEGORY_COUNT, /* + row of the bands */
	TRACK_POOL = TRACK_ANNOTATION + ANNOTATION_ROWS,    /* + row of pools */
	TRACK_BITS = 12,                                    /* all of the above */
};

#define SEQUENCE 1

/* A trace of ten million events would be too large for the page that shows it: counters keep the
 * lowest, highest and last value of each of so many equal stretches of events. */
#define STRETCHES 50000

/* More pools than this share one counter. */
#define POOLS_MAX 200

struct point {
	int64_t event, time_us;
	uint64_t value;
};

struct counter {
	unsigned track;
	uint64_t now;
	bool changed; /* in this stretch: the next three hold */
	struct point low, high, last;
	uint64_t written; /* BYTES_NONE: nothing yet */
};

struct perfetto {
	const struct export *x;
	struct out *to;
	uint64_t uuid; /* what the numbers of tracks are added to: differs by file and device */
	struct proto packet, event, frame;
	struct counter totals[3], category[CATEGORY_COUNT], pool[POOLS_MAX + 1];
	struct pool_id pools[POOLS_MAX];
	size_t n_pools;
	struct block_stacks stacks;
};

static void flush_packet(struct perfetto *p)
{
	proto_u64(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_clear(&p->frame);
	proto_message(&p->frame, TRACE_PACKET, &p->packet);
	if (!p->frame.failed)
		out_bytes(p->to, p->frame.bytes.at, p->frame.bytes.n);
	proto_clear(&p->packet);
}

static void describe_track(struct perfetto *p, unsigned track, const char *name, bool counter)
{
	proto_clear(&p->event);
	proto_u64(&p->event, DESCRIPTOR_UUID, p->uuid + track);
	proto_text(&p->event, DESCRIPTOR_NAME, name, strlen(name));
	if (track != TRACK_DEVICE)
		proto_u64(&p->event, DESCRIPTOR_PARENT, p->uuid + TRACK_DEVICE);
	if (counter) {
		proto_clear(&p->frame);
		proto_u64(&p->frame, COUNTER_UNIT, COUNTER_UNIT_SIZE_BYTES);
		proto_message(&p->event, DESCRIPTOR_COUNTER, &p->frame);
	}
	proto_message(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->event);
	flush_packet(p);
}

static void begin_event(struct perfetto *p, int64_t time_us, unsigned track, unsigned type)
{
	proto_u64(&p->packet, PACKET_TIMESTAMP, (uint64_t)time_us * 1000);
	proto_clear(&p->event);
	proto_u64(&p->event, EVENT_TYPE, type);
	proto_u64(&p->event, EVENT_TRACK, p->uuid + track);
}

static void end_event(struct perfetto *p)
{
	proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	flush_packet(p);
}

static void put_event(struct perfetto *p, int64_t time_us, unsigned track, unsigned type,
		      const char *name, size_t name_length)
{
	begin_event(p, time_us, track, type);
	if (name)
		proto_text(&p->event, EVENT_NAME, name, name_length);
	end_event(p);
}

/* ---- counters ---- */

static void write_point(struct perfetto *p, struct counter *c, const struct point *at)
{
	if (c->written == at->value)
		return;
	begin_event(p, at->time_us, c->track, TYPE_COUNTER);
	proto_u64(&p->event, EVENT_COUNTER_VALUE, at->value);
	end_event(p);
	c->written = at->value;
}

static void counter_set(struct counter *c, int64_t event, int64_t time_us, uint64_t value)
{
	const struct point at = {event, time_us, value};

	c->now = value;
	if (!c->changed || value < c->low.value)
		c->low = at;
	if (!c->changed || value > c->high.value)
		c->high = at;
	c->last = at;
	c->changed = true;
}

static void counter_flush(struct perfetto *p, struct counter *c)
{
	const bool falls = c->high.event < c->low.event;

	if (!c->changed)
		return;
	write_point(p, c, falls ? &c->high : &c->low);
	write_point(p, c, falls ? &c->low : &c->high);
	write_point(p, c, &c->last);
	c->changed = false;
}

static void flush_counters(struct perfetto *p)
{
	for (size_t i = 0; i < sizeof p->totals / sizeof *p->totals; i++)
		counter_flush(p, &p->totals[i]);
	for (size_t i = 0; i < CATEGORY_COUNT; i++)
		counter_flush(p, &p->category[i]);
	for (size_t i = 0; i <= POOLS_MAX; i++)
		counter_flush(p, &p->pool[i]);
}

/* The counter of a pool; what comes behind POOLS_MAX of them has the last one. */
static struct counter *counter_of_pool(struct perfetto *p, struct pool_id pool)
{
	size_t i = 0;

	while (i < p->n_pools && (p->pools[i].a != pool.a || p->pools[i].b != pool.b))
		i++;
	if (i == p->n_pools && i < POOLS_MAX)
		p->pools[p->n_pools++] = pool;
	return &p->pool[i];
}

static void describe_pools(struct perfetto *p)
{
	char words[64], name[80];

	for (size_t i = 0; i < p->x->allocations->rows.n; i++)
		(void)counter_of_pool(p, allocation_place(p->x->allocations, (uint32_t)i).pool);
	for (size_t i = 0; i < p->n_pools; i++) {
		const struct top_row key = {.pool = p->pools[i]};

		(void)snprintf(name, sizeof name, "pool %s",
			       top_key_words(words, sizeof words, p->x->model, TOP_POOL, &key));
		describe_track(p, TRACK_POOL + (unsigned)i, name, true);
	}
	if (p->n_pools == POOLS_MAX)
		describe_track(p, TRACK_POOL + POOLS_MAX, "other pools", true);
}

static void describe_tracks(struct perfetto *p, uint32_t n_annotation_rows)
{
	char name[64];

	(void)snprintf(name, sizeof name, "GPU %d memory", (int)p->x->device->index);
	describe_track(p, TRACK_DEVICE, name, false);
	describe_track(p, TRACK_RESERVED, "reserved", true);
	describe_track(p, TRACK_ALLOCATED, "allocated", true);
	describe_track(p, TRACK_ACTIVE, "active", true);
	describe_track(p, TRACK_STEPS, "steps", false);
	describe_track(p, TRACK_OOM, "out of memory", false);
	for (unsigned c = 0; c < CATEGORY_COUNT; c++) {
		(void)snprintf(name, sizeof name, "category %s", category_name(c));
		describe_track(p, TRACK_CATEGORY + c, name, true);
	}
	describe_pools(p);
	for (uint32_t row = 0; row < n_annotation_rows; row++) {
		(void)snprintf(name, sizeof name, "annotations %u", row);
		describe_track(p, TRACK_ANNOTATION + row, name, false);
	}
}

/* Time of an event, never before `before`; in a file without times its number. */
static int64_t time_of(const struct perfetto *p, int64_t event, int64_t before)
{
	int64_t us = allocations_time(p->x->allocations, event);

	if (us == TIME_NONE)
		us = event;
	return us < before ? before : us;
}

static void set_totals(struct perfetto *p, int64_t event, int64_t us)
{
	const struct totals *t = replay_totals(p->x->replay);
	const uint64_t values[] = {t->reserved, t->allocated, t->active};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i] != BYTES_NONE && values[i] != p->totals[i].now)
			counter_set(&p->totals[i], event, us, values[i]);
}

/* The block of a row comes (or goes). */
static void add_row(struct perfetto *p, uint32_t row, bool comes, int64_t event, int64_t us)
{
	const struct allocation *a = &p->x->allocations->rows.at[row];
	const struct state_block block = {.born = a->born, .stack = a->stack};
	struct counter *const counters[] = {
		&p->category[p->x->categories->rows.at[row].category],
		counter_of_pool(p, allocation_place(p->x->allocations, row).pool),
	};

	if (!filter_passes(p->x->filter, block_stack(&p->stacks, &block)))
		return;
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		counter_set(counters[i], event, us,
			    comes ? counters[i]->now + a->size : counters[i]->now - a->size);
}

/* Before event 0 every counter has a value. */
static void start_counters(struct perfetto *p, int64_t us)
{
	for (unsigned i = 0; i < 3; i++) {
		p->totals[i] = (struct counter){
			.track = TRACK_RESERVED + i, .now = BYTES_NONE, .written = BYTES_NONE};
	}
	for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
		p->category[i] =
			(struct counter){.track = TRACK_CATEGORY + i, .written = BYTES_NONE};
		counter_set(&p->category[i], EVENT_START, us, 0);
	}
	for (unsigned i = 0; i < p->n_pools + (p->n_pools == POOLS_MAX); i++) {
		p->pool[i] = (struct counter){.track = TRACK_POOL + i, .written = BYTES_NONE};
		counter_set(&p->pool[i], EVENT_START, us, 0);
	}
	set_totals(p, EVENT_START, us);
	for (uint32_t i = 0; i < p->x->allocations->n_before; i++)
		add_row(p, i, true, EVENT_START, us);
	/* The zeroes were no moment of their own. */
	for (unsigned i = 0; i < CATEGORY_COUNT; i++)
		p->category[i].low = p->category[i].high = p->category[i].last;
	for (unsigned i = 0; i <= POOLS_MAX; i++)
		p->pool[i].low = p->pool[i].high = p->pool[i].last;
	flush_counters(p);
}

static int put_counters(struct perfetto *p, struct error *err)
{
	const struct export *x = p->x;
	const int64_t stretch = 1 + (int64_t)(x->device->n_events / STRETCHES);
	int64_t us = x->device->n_events > 0 ? time_of(p, 0, INT64_MIN / 2000) : 0;
	int rc = replay_seek(x->replay, EVENT_START, err);

	if (rc < 0)
		return rc;
	start_counters(p, us);
	while ((rc = replay_step(x->replay, err)) > 0 && !p->frame.failed) {
		const struct step *s = replay_last(x->replay);
		const int64_t event = replay_position(x->replay);
		uint32_t row = ALLOCATION_NONE;

		us = time_of(p, event, us);
		set_totals(p, event, us);
		if (s->action == ACTION_OOM)
			put_event(p, us, TRACK_OOM, TYPE_INSTANT, "out of memory", 13);
		if (s->applied && (s->action == ACTION_ALLOC || s->action == ACTION_FREE_COMPLETED))
			row = allocations_of_step(x->allocations, s);
		if (row != ALLOCATION_NONE)
			add_row(p, row, s->action == ACTION_ALLOC, event, us);
		if ((event + 1) % stretch == 0)
			flush_counters(p);
	}
	flush_counters(p);
	return p->frame.failed ? p->frame.failed : rc;
}

/* ---- slices ---- */

static void put_slice(struct perfetto *p, unsigned track, int64_t from, int64_t to,
		      const char *name, size_t n)
{
	put_event(p, from, track, TYPE_SLICE_BEGIN, name, n);
	put_event(p, to < from ? from : to, track, TYPE_SLICE_END, NULL, 0);
}

static void put_steps(struct perfetto *p)
{
	char name[32];

	for (size_t i = 0; i < p->x->phases->steps.n; i++) {
		const struct training_step *s = &p->x->phases->steps.at[i];
		int n = snprintf(name, sizeof name, "step %zu", i);

		put_slice(p, TRACK_STEPS, time_of(p, s->first_event, INT64_MIN / 2000),
			  time_of(p, s->last_event, INT64_MIN / 2000), name, (size_t)n);
	}
}

/* Slices of one track must nest: each span goes to the first row whose last one has ended. */
static uint32_t put_annotations(struct perfetto *p, const struct bands *bands, bool write)
{
	int64_t ends[ANNOTATION_ROWS];
	uint32_t n_rows = 0;

	for (size_t i = 0; i < bands->spans.n; i++) {
		const struct band_span *s = &bands->spans.at[i];
		const struct str *name = strtab_get(&p->x->model->strings, s->name);
		uint32_t row = 0;

		while (row < n_rows && ends[row] > s->start_us)
			row++;
		if (row == ANNOTATION_ROWS)
			continue;
		if (row == n_rows)
			n_rows++;
		ends[row] = s->end_us;
		if (write)
			put_slice(p, TRACK_ANNOTATION + row, s->start_us, s->end_us, name->bytes,
				  name->length);
	}
	return n_rows;
}

/* Traces of several ranks may be joined into one file: their tracks must not be the same. */
static uint64_t uuid_of(const struct export *x)
{
	const struct str *file = strtab_get(&x->model->strings, x->model->file);
	uint64_t h =
		hash_combine(hash_bytes(file->bytes, file->length), (uint64_t)x->device->index);

	return h << TRACK_BITS;
}

int export_perfetto(struct out *to, const struct export *x, struct error *err)
{
	const struct proto empty = {.budget = x->budget, .err = err};
	struct perfetto *p = budget_realloc(x->budget, NULL, 0, sizeof *p, err);
	struct bands bands;
	int rc;

	if (!p)
		return err->code;
	*p = (struct perfetto){.x = x,
			       .to = to,
			       .uuid = uuid_of(x),
			       .packet = empty,
			       .event = empty,
			       .frame = empty,
			       .stacks = block_stacks_of(x->model, x->state)};
	rc = export_annotations(&bands, x, err);
	if (rc == 0) {
		describe_tracks(p, put_annotations(p, &bands, false));
		put_steps(p);
		(void)put_annotations(p, &bands, true);
		rc = put_counters(p, err);
	}
	bands_release(&bands);
	proto_release(&p->packet);
	proto_release(&p->event);
	proto_release(&p->frame);
	budget_free(x->budget, p, sizeof *p);
	return rc;
}
