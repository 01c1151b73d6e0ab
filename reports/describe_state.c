/* SPDX-License-Identifier: MIT
 * describe_state.c -- segments and blocks of a device at a moment, in PyTorch's own spelling.
 */
#include "reports/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passes/site.h"

#define MAP_COLUMNS 16
#define SITE_BYTES  1024

static const char *const state_words[] = {
	[BLOCK_INACTIVE] = "free", [BLOCK_ACTIVE] = "in use", [BLOCK_PENDING] = "pending"};

static const char *kind_name(uint8_t kind)
{
	return kind == POOL_SMALL ? "small" : kind == POOL_LARGE ? "large" : NULL;
}

static void describe_block(struct emit *e, const struct model *m, const struct state_block *b)
{
	char site[SITE_BYTES];
	bool live = b->state != BLOCK_INACTIVE;

	emit_row_begin(e);
	emit_addr(e, "address", "address", b->address);
	emit_bytes(e, "size", "size", b->size);
	emit_bytes(e, "requested_size", "requested", b->requested);
	emit_str(e, "state", NULL, block_state_name((enum block_state)b->state));
	emit_str(e, NULL, "state", state_words[b->state]);
	if (live && b->born != EVENT_START)
		emit_event(e, "alloc_event", "alloc event", b->born);
	else
		emit_null(e, "alloc_event", "alloc event");
	if (live)
		site_words(m, site_of_stack(m, b->stack), site, sizeof site);
	emit_str(e, "site", "site", live ? site : NULL);
	emit_row_end(e);
}

static void describe_blocks(struct emit *e, const struct model *m, const struct state *s,
			    const struct state_segment *seg)
{
	emit_table_begin(e, "blocks", NULL);
	for (uint64_t b = 0; b < seg->n_blocks; b++)
		describe_block(e, m, &s->blocks.at[seg->first_block + b]);
	emit_table_end(e);
}

/* The segment in MAP_COLUMNS parts: `#` in use, `.` free, `+` both, `~` waiting for a stream. */
static void segment_map(char map[MAP_COLUMNS + 1], const struct state *s,
			const struct state_segment *seg)
{
	static const char of_state[] = {
		[BLOCK_INACTIVE] = '.', [BLOCK_ACTIVE] = '#', [BLOCK_PENDING] = '~'};
	double part = (double)seg->size / MAP_COLUMNS;

	memset(map, 0, MAP_COLUMNS + 1);
	for (uint64_t k = 0; k < seg->n_blocks; k++) {
		const struct state_block *b = &s->blocks.at[seg->first_block + k];
		double from = (double)(b->address - seg->address) / part;
		double to = (double)(b->address + b->size - seg->address) / part;

		for (int c = (int)from; c < MAP_COLUMNS && c < to; c++) {
			char mark = of_state[b->state];

			map[c] = !map[c] || map[c] == mark ? mark : '+';
		}
	}
}

static uint64_t largest_free(const struct state *s, const struct state_segment *seg)
{
	uint64_t largest = 0;

	for (uint64_t k = 0; k < seg->n_blocks; k++) {
		const struct state_block *b = &s->blocks.at[seg->first_block + k];

		if (b->state == BLOCK_INACTIVE && b->size > largest)
			largest = b->size;
	}
	return largest;
}

/* Columns that text needs: most programs use one stream and the default pool. */
struct shown {
	bool streams, pools;
};

static struct shown columns_shown(const struct state *s)
{
	struct shown shown = {false, false};

	for (size_t k = 0; k < s->segments.n; k++) {
		const struct state_segment *seg = &s->segments.at[k];

		shown.streams = shown.streams || seg->stream;
		shown.pools = shown.pools || seg->pool.a || seg->pool.b;
	}
	return shown;
}

static void describe_segment(struct emit *e, const struct model *m, const struct state *s,
			     const struct state_segment *seg, struct shown shown)
{
	char map[MAP_COLUMNS + 1];

	emit_row_begin(e);
	emit_i64(e, "device", NULL, s->device->index);
	emit_addr(e, "address", "address", seg->address);
	emit_bytes(e, "total_size", "size", seg->size);
	emit_bytes(e, "allocated_size", "allocated", seg->allocated);
	emit_bytes(e, "active_size", NULL, seg->active);
	emit_bytes(e, "requested_size", NULL, seg->requested);
	emit_bytes(e, NULL, "largest hole", largest_free(s, seg));
	emit_u64(e, NULL, shown.streams && shown.pools ? NULL : "blocks", seg->n_blocks);
	emit_addr(e, "stream", shown.streams ? "stream" : NULL, seg->stream);
	emit_str(e, "segment_type", NULL, kind_name(seg->kind));
	emit_pool(e, "segment_pool_id", shown.pools ? "pool" : NULL, seg->pool, true);
	emit_bool(e, "is_expandable", NULL, seg->is_expandable);
	segment_map(map, s, seg);
	emit_str(e, NULL, "map", map);
	if (emit_is_json(e))
		describe_blocks(e, m, s, seg);
	emit_row_end(e);
}

/* With --blocks: each segment again, with its blocks below. */
static void text_blocks(struct emit *e, const struct model *m, const struct state *s)
{
	for (size_t k = 0; k < s->segments.n; k++) {
		const struct state_segment *seg = &s->segments.at[k];
		char title[120], size[UNITS_BUF];

		snprintf(title, sizeof title, "Segment 0x%" PRIx64 ", %s%s", seg->address,
			 emit_words_bytes(e, size, seg->size),
			 seg->is_expandable ? ", expandable" : "");
		emit_section_begin(e, title);
		describe_blocks(e, m, s, seg);
		emit_section_end(e);
	}
}

static void text_moment(struct emit *e, const struct model *m, const struct state *s,
			const struct moment *at, int64_t time_us)
{
	char when[UNITS_BUF] = "", words[UNITS_BUF + 16], name[UNITS_BUF], event[UNITS_BUF];

	if (time_us != TIME_NONE)
		units_time_us(when, time_us);
	if (at->is_file_end)
		snprintf(words, sizeof words, "at the end of the file");
	else if (s->event == EVENT_START)
		snprintf(words, sizeof words, "before event 0");
	else
		snprintf(words, sizeof words, "just after %s", describe_event(event, s->event));
	emit_line(e, "%s %s%s%s", describe_device_name(name, s->device->index), words,
		  *when ? ", " : "", when);
	if (m->partial)
		emit_prose(e, "Partial: the file is damaged, this is what could be read.");
	if (!s->exact)
		emit_prose(e, "Counted from the first event on: what lived before it is unknown, "
			      "because the trace does not reach the segments of the file.");
	emit_blank(e);
}

void describe_state(struct emit *e, const struct model *m, const struct state *s,
		    const struct moment *at, bool blocks)
{
	int64_t time_us = TIME_NONE;
	struct shown shown = columns_shown(s);

	if (s->event != EVENT_START)
		time_us = m->events.time_us.at[s->device->first_event + (uint64_t)s->event];
	emit_i64(e, "device", NULL, s->device->index);
	emit_event(e, "event", NULL, s->event);
	emit_time_us(e, "time_us", NULL, time_us);
	text_moment(e, m, s, at, time_us);
	emit_bool(e, "exact", NULL, s->exact);
	emit_bool(e, "partial", NULL, m->partial);
	emit_bytes(e, "reserved_bytes", "reserved", s->totals.reserved);
	emit_bytes(e, "allocated_bytes", "allocated", s->totals.allocated);
	emit_bytes(e, "active_bytes", "active", s->totals.active);
	emit_bytes(e, "requested_bytes", "requested", s->totals.requested);
	emit_table_begin(e, "segments", "Segments");
	for (size_t k = 0; k < s->segments.n; k++)
		describe_segment(e, m, s, &s->segments.at[k], shown);
	emit_table_end(e);
	emit_blank(e);
	if (!s->segments.n)
		emit_prose(e, "There are no segments.");
	if (blocks && !emit_is_json(e))
		text_blocks(e, m, s);
}
