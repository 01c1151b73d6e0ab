/* SPDX-License-Identifier: MIT
 * export_perfetto.c -- a device's trace for ui.perfetto.dev: counters, slices, instants.
 *
 * Source of the field numbers: protos/perfetto/trace/{trace,trace_packet}.proto and
 * track_event/{track_event,track_descriptor,counter_descriptor}.proto.
 */
#include <stdio.h>
#include <string.h>

#include "passes/bands.h"
#include "reports/export.h"
#include "reports/proto.h"

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

/* Tracks, as their uuid is: 1 the device itself, then counters by total and category. */
enum track {
	TRACK_DEVICE = 1,
	TRACK_RESERVED,
	TRACK_ALLOCATED,
	TRACK_ACTIVE,
	TRACK_STEPS,
	TRACK_OOM,
	TRACK_CATEGORY,                                     /* + enum category */
	TRACK_ANNOTATION = TRACK_CATEGORY + CATEGORY_COUNT, /* + row of the bands */
};

#define SEQUENCE 1

struct perfetto {
	const struct export *x;
	struct out *to;
	struct proto packet, event, frame;
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

static void describe_track(struct perfetto *p, uint64_t uuid, const char *name, bool counter)
{
	proto_clear(&p->event);
	proto_u64(&p->event, DESCRIPTOR_UUID, uuid);
	proto_bytes(&p->event, DESCRIPTOR_NAME, name, strlen(name));
	if (uuid != TRACK_DEVICE)
		proto_u64(&p->event, DESCRIPTOR_PARENT, TRACK_DEVICE);
	if (counter) {
		proto_clear(&p->frame);
		proto_u64(&p->frame, COUNTER_UNIT, COUNTER_UNIT_SIZE_BYTES);
		proto_message(&p->event, DESCRIPTOR_COUNTER, &p->frame);
	}
	proto_message(&p->packet, PACKET_TRACK_DESCRIPTOR, &p->event);
	flush_packet(p);
}

static void put_event(struct perfetto *p, int64_t time_us, uint64_t track, unsigned type,
		      const char *name, size_t name_length)
{
	proto_u64(&p->packet, PACKET_TIMESTAMP, (uint64_t)time_us * 1000);
	proto_clear(&p->event);
	proto_u64(&p->event, EVENT_TYPE, type);
	proto_u64(&p->event, EVENT_TRACK, track);
	if (name)
		proto_bytes(&p->event, EVENT_NAME, name, name_length);
	proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	flush_packet(p);
}

static void put_counter(struct perfetto *p, int64_t time_us, uint64_t track, uint64_t value)
{
	proto_u64(&p->packet, PACKET_TIMESTAMP, (uint64_t)time_us * 1000);
	proto_clear(&p->event);
	proto_u64(&p->event, EVENT_TYPE, TYPE_COUNTER);
	proto_u64(&p->event, EVENT_TRACK, track);
	proto_u64(&p->event, EVENT_COUNTER_VALUE, value);
	proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	flush_packet(p);
}

/* ---- tracks ---- */

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
	for (unsigned c = 0; c < CATEGORY_COUNT; c++)
		describe_track(p, TRACK_CATEGORY + c, category_name(c), true);
	for (uint32_t row = 0; row < n_annotation_rows; row++) {
		(void)snprintf(name, sizeof name, "annotations %u", row);
		describe_track(p, TRACK_ANNOTATION + row, name, false);
	}
}

/* ---- counters ---- */

/* An event without a time stands one microsecond behind the last. */
static int64_t time_of(const struct perfetto *p, int64_t event, int64_t before)
{
	int64_t us = allocations_time(p->x->allocations, event);

	if (us == TIME_NONE)
		us = event;
	return us < before ? before : us;
}

static void put_totals(struct perfetto *p, int64_t us, const struct totals *now,
		       struct totals *last)
{
	if (now->reserved != BYTES_NONE && now->reserved != last->reserved)
		put_counter(p, us, TRACK_RESERVED, now->reserved);
	if (now->allocated != last->allocated)
		put_counter(p, us, TRACK_ALLOCATED, now->allocated);
	if (now->active != last->active)
		put_counter(p, us, TRACK_ACTIVE, now->active);
	*last = *now;
}

static int put_counters(struct perfetto *p, struct error *err)
{
	const struct export *x = p->x;
	uint64_t bytes[CATEGORY_COUNT] = {0};
	struct totals last = {BYTES_NONE, BYTES_NONE, BYTES_NONE, BYTES_NONE};
	int rc = replay_seek(x->replay, EVENT_START, err);
	int64_t us = 0;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < x->allocations->n_before; i++)
		bytes[x->categories->rows.at[i].category] += x->allocations->rows.at[i].size;
	us = time_of(p, 0, INT64_MIN / 2000);
	put_totals(p, us, replay_totals(x->replay), &last);
	for (unsigned c = 0; c < CATEGORY_COUNT; c++)
		put_counter(p, us, TRACK_CATEGORY + c, bytes[c]);
	while ((rc = replay_step(x->replay, err)) > 0) {
		const struct step *s = replay_last(x->replay);
		uint32_t row = ALLOCATION_NONE;

		us = time_of(p, replay_position(x->replay), us);
		put_totals(p, us, replay_totals(x->replay), &last);
		if (s->action == ACTION_OOM)
			put_event(p, us, TRACK_OOM, TYPE_INSTANT, "out of memory", 13);
		if (s->applied && (s->action == ACTION_ALLOC || s->action == ACTION_FREE_COMPLETED))
			row = allocations_of_step(x->allocations, s);
		if (row == ALLOCATION_NONE)
			continue;
		unsigned c = x->categories->rows.at[row].category;
		bytes[c] += s->action == ACTION_ALLOC ? s->size : -s->size;
		put_counter(p, us, TRACK_CATEGORY + c, bytes[c]);
		if (p->frame.failed)
			return p->frame.failed;
	}
	return rc;
}

/* ---- slices ---- */

static void put_slice(struct perfetto *p, uint64_t track, int64_t from, int64_t to,
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

static int match_annotations(struct bands *bands, const struct export *x, struct error *err)
{
	VEC(struct band_mark) marks = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->model->annotations.n; i++) {
		const struct annotation *a = &x->model->annotations.at[i];
		struct band_mark mark = {
			.name = a->name, .is_end = a->is_end, .time_us = a->time_us};

		if (a->time_us != TIME_NONE)
			rc = vec_push(&marks, mark, x->budget, err);
	}
	if (rc == 0)
		rc = bands_match(bands, marks.at, marks.n, err);
	vec_release(&marks, x->budget);
	return rc;
}

/* Slices of one track must nest: each span goes to the first row whose last one has ended. */
#define ANNOTATION_ROWS 16

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

int export_perfetto(struct out *to, const struct export *x, struct error *err)
{
	struct proto empty = {.budget = x->budget, .err = err};
	struct perfetto p = {.x = x, .to = to, .packet = empty, .event = empty, .frame = empty};
	struct bands bands;
	int rc;

	bands_init(&bands, x->budget);
	rc = match_annotations(&bands, x, err);
	if (rc == 0) {
		describe_tracks(&p, put_annotations(&p, &bands, false));
		put_steps(&p);
		(void)put_annotations(&p, &bands, true);
		rc = put_counters(&p, err);
	}
	bands_release(&bands);
	proto_release(&p.packet);
	proto_release(&p.event);
	proto_release(&p.frame);
	return rc;
}
