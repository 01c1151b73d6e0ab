/* SPDX-License-Identifier: MIT
 * describe_frag.c -- fragmentation in words and keys: what is lost, where, and who keeps it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "passes/fragmentation.h"
#include "reports/describe.h"
#include "reports/frag_report.h"
#include "reports/stack_lines.h"

#define SITE_BYTES 16384

static void describe_site(struct emit *e, const struct frag_report *r, uint32_t site)
{
	char words[SITE_BYTES];

	emit_str(e, "site", "site",
		 site_words(r->model, r->sites->sites.at[site], words, sizeof words));
}

static const char *short_site(const struct frag_report *r, uint32_t site, char *buf, size_t size)
{
	return site_short(r->model, r->sites->sites.at[site], buf, size);
}

/* ---- text: the answer first ---- */

/* Whom to ask first: the site that keeps most alone, else the block between the longest runs. */
static void text_first_step(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;
	char site[200], blocks[UNITS_BUF], bytes[UNITS_BUF], gain[UNITS_BUF];

	if (f->sites.n > 0 && f->sites.at[0].releases > 0) {
		const struct frag_site *s = &f->sites.at[0];

		emit_prose(e, "Look first at %s: its %s of %s keep %s idle that could be returned.",
			   short_site(r, s->site, site, sizeof site),
			   units_noun(blocks, sizeof blocks, s->blocks, "block", "blocks"),
			   emit_words_bytes(e, bytes, s->bytes),
			   emit_words_bytes(e, gain, s->releases_idle));
	} else if (f->segments.n > 0) {
		const struct frag_pinner *p = &f->pinners.at[f->segments.at[0].first_pinner];

		emit_prose(e,
			   "Look first at the block of %s from %s: without it a free run of %s "
			   "would be in one piece.",
			   emit_words_bytes(e, bytes, r->state->blocks.at[p->block].size),
			   short_site(r, p->site, site, sizeof site),
			   emit_words_bytes(e, gain, p->joins));
	}
}

static void text_head(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;
	char device[UNITS_BUF], when[UNITS_BUF], idle[UNITS_BUF], stuck[UNITS_BUF], all[UNITS_BUF];

	if (f->external == BYTES_NONE) {
		emit_prose(e,
			   "%s just after %s: the trace does not reach the segments of the "
			   "file, so nobody knows what was reserved.",
			   describe_device_name(device, f->device), describe_event(when, f->event));
		return;
	}
	emit_prose(e,
		   "%s %s%s: %s of %s reserved are idle (%.1f %%); %s of that cannot go back to "
		   "the driver, because live blocks share its segments.",
		   describe_device_name(device, f->device),
		   r->at->is_file_end ? "at the end of the file" : "just after ",
		   r->at->is_file_end ? "" : describe_event(when, f->event),
		   emit_words_bytes(e, idle, f->external),
		   emit_words_bytes(e, all, f->totals.reserved),
		   100.0 * fragmentation_of(&f->totals),
		   emit_words_bytes(e, stuck, f->unreturnable));
	text_first_step(e, r);
}

static void describe_totals_here(struct emit *e, const struct frag *f)
{
	emit_section_begin(e, "Memory");
	emit_bytes(e, "reserved_bytes", "reserved", f->totals.reserved);
	emit_bytes(e, "active_bytes", "in blocks", f->totals.active);
	emit_bytes(e, "allocated_bytes", NULL, f->totals.allocated);
	emit_bytes(e, "requested_bytes", "asked for", f->totals.requested);
	emit_bytes(e, "internal_bytes", "rounding, slack", f->internal);
	emit_bytes(e, "external_bytes", "idle", f->external);
	emit_bytes(e, "unreturnable_bytes", "  unreturnable", f->unreturnable);
	emit_bytes(e, "device_free_bytes",
		   f->device_free == BYTES_NONE ? NULL : "free on the device", f->device_free);
	if (f->external == BYTES_NONE)
		emit_null(e, "fragmentation", NULL);
	else
		emit_f64(e, "fragmentation", NULL, fragmentation_of(&f->totals));
	emit_section_end(e);
}

/* ---- tables ---- */

static void describe_pools(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;

	emit_table_begin(e, "pools", "What each free list can serve now");
	for (size_t i = 0; i < f->pools.n; i++) {
		const struct frag_pool *p = &f->pools.at[i];

		emit_row_begin(e);
		emit_bytes(e, "reserved_bytes", "reserved", p->reserved);
		emit_bytes(e, "free_bytes", "idle", p->free_bytes);
		emit_bytes(e, "largest_free_bytes", NULL, p->largest_free);
		emit_bytes(e, "largest_request_bytes", "largest request", p->largest_request);
		emit_str(e, "size_class", "size class", p->is_small ? "small" : "large");
		emit_addr(e, "stream", "stream", p->stream);
		emit_pool(e, "pool_id", "pool", p->pool, true);
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_sites(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;
	size_t n = emit_is_json(e) || f->sites.n < r->max_rows ? f->sites.n : (size_t)r->max_rows;

	emit_table_begin(e, "pinners", "Who keeps it (bytes that would be free without this site)");
	for (size_t i = 0; i < n; i++) {
		const struct frag_site *s = &f->sites.at[i];

		emit_row_begin(e);
		emit_bytes(e, "releases_bytes", "releases", s->releases);
		emit_bytes(e, "releases_idle_bytes", NULL, s->releases_idle);
		emit_bytes(e, "bytes", "its bytes", s->bytes);
		emit_u64(e, "blocks", "blocks", s->blocks);
		emit_u64(e, "segments", "segments", s->segments);
		describe_site(e, r, s->site);
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_age(struct emit *e, const struct frag_report *r, const struct state_block *b)
{
	if (b->born == EVENT_START)
		emit_null(e, "age_events", NULL);
	else
		emit_i64(e, "age_events", NULL, r->frag->event - b->born);
}

static void json_pinners(struct emit *e, const struct frag_report *r, const struct frag_segment *s)
{
	emit_array_begin(e, "pinners", NULL);
	for (uint64_t k = 0; k < s->n_pinners; k++) {
		const struct frag_pinner *p = &r->frag->pinners.at[s->first_pinner + k];
		const struct state_block *b = &r->state->blocks.at[p->block];

		emit_object_begin(e, NULL, NULL);
		emit_addr(e, "address", NULL, b->address);
		emit_bytes(e, "size", NULL, b->size);
		emit_bytes(e, "joins_bytes", NULL, p->joins);
		describe_age(e, r, b);
		describe_site(e, r, p->site);
		emit_object_end(e);
	}
	emit_array_end(e);
}

/* The block to look at first in a segment: the one whose removal joins the longest run. */
static void text_first_pinner(struct emit *e, const struct frag_report *r,
			      const struct frag_segment *s)
{
	char site[160], line[300], size[UNITS_BUF], count[UNITS_BUF], age[UNITS_BUF + 16];
	const struct frag_pinner *p = &r->frag->pinners.at[s->first_pinner];
	const struct state_block *b = &r->state->blocks.at[p->block];

	if (b->born == EVENT_START)
		(void)snprintf(age, sizeof age, "from before the trace");
	else
		(void)snprintf(age, sizeof age, "%s old",
			       units_noun(count, sizeof count, (uint64_t)(r->frag->event - b->born),
					  "event", "events"));
	(void)snprintf(line, sizeof line, "%s, %s, %s", short_site(r, p->site, site, sizeof site),
		       emit_words_bytes(e, size, b->size), age);
	emit_str(e, NULL, "first", line);
}

static void describe_segments(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;
	bool json = emit_is_json(e);
	size_t n = json || f->segments.n < r->max_rows ? f->segments.n : (size_t)r->max_rows;

	emit_table_begin(e, "segments",
			 "Segments that cannot be returned (first: the block whose end would join "
			 "the longest free run)");
	for (size_t i = 0; i < n; i++) {
		const struct frag_segment *s = &f->segments.at[i];
		const struct state_segment *seg = &r->state->segments.at[s->segment];

		emit_row_begin(e);
		emit_bytes(e, "unreturnable_bytes", "idle in it", s->unreturnable);
		emit_bytes(e, "total_size", "size", seg->size);
		emit_addr(e, "address", "segment", seg->address);
		emit_u64(e, json ? "live_blocks" : NULL, "live", s->n_pinners);
		if (json) {
			emit_bool(e, "is_expandable", NULL, seg->is_expandable);
			json_pinners(e, r, s);
		} else {
			text_first_pinner(e, r, s);
		}
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_curve(struct emit *e, const struct frag *f)
{
	if (!emit_is_json(e))
		return;
	emit_array_begin(e, "curve", NULL);
	for (size_t i = 0; i < f->curve.n; i++) {
		const struct frag_point *p = &f->curve.at[i];
		const struct totals t = {.reserved = p->reserved, .active = p->active};

		emit_object_begin(e, NULL, NULL);
		emit_event(e, "event", NULL, p->event);
		emit_bytes(e, "reserved_bytes", NULL, p->reserved);
		emit_bytes(e, "active_bytes", NULL, p->active);
		emit_f64(e, "fragmentation", NULL, fragmentation_of(&t));
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void describe_misses(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;
	size_t n = emit_is_json(e) || f->misses.n < r->max_rows ? f->misses.n : (size_t)r->max_rows;
	char count[UNITS_BUF], bytes[UNITS_BUF];

	emit_u64(e, "missed_requests", NULL, f->n_misses);
	emit_bytes(e, "missed_bytes", NULL, f->missed_bytes);
	if (!emit_is_json(e) && f->n_misses > 0) {
		emit_blank(e);
		emit_prose(e,
			   "When it got worse: %s got new memory (%s) although as much lay idle.",
			   units_noun(count, sizeof count, f->n_misses, "request", "requests"),
			   emit_words_bytes(e, bytes, f->missed_bytes));
	}
	emit_table_begin(e, "misses", NULL);
	for (size_t i = 0; i < n; i++) {
		const struct frag_miss *miss = &f->misses.at[i];
		uint32_t site = r->sites->of_stack.at[miss->stack.i];

		emit_row_begin(e);
		emit_event(e, "event", "event", miss->event);
		emit_bytes(e, "requested_bytes", "asked for", miss->requested);
		emit_bytes(e, "mapped_bytes", "new memory", miss->mapped);
		emit_bytes(e, "idle_bytes", "idle then", miss->idle);
		describe_site(e, r, site);
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_setting(struct emit *e, const struct frag_setting *x)
{
	char range[2 * UNITS_BUF + 8] = "the same", low[UNITS_BUF], high[UNITS_BUF];

	if (x->low != x->high)
		(void)snprintf(range, sizeof range, "%s to %s", emit_words_bytes(e, low, x->low),
			       emit_words_bytes(e, high, x->high));
	emit_row_begin(e);
	emit_bytes(e, "peak_reserved_bytes", "reserved at most",
		   x->simulated ? x->peak_reserved : BYTES_NONE);
	emit_bytes(e, "low", NULL, x->simulated ? x->low : BYTES_NONE);
	emit_bytes(e, "high", NULL, x->simulated ? x->high : BYTES_NONE);
	emit_bool(e, "simulated", NULL, x->simulated);
	if (x->survives || x->fails)
		emit_bool(e, "survives", NULL, x->survives);
	else
		emit_null(e, "survives", NULL);
	if (!emit_is_json(e)) {
		emit_str(e, NULL, "by placement", range);
		emit_str(e, NULL, "end",
			 x->survives ? "runs through"
			 : x->fails  ? "out of memory"
				     : "not sure");
	}
	emit_str(e, "setting", "setting",
		 *x->setting || emit_is_json(e) ? x->setting : "(defaults)");
	emit_row_end(e);
}

/* The same requests, frees and streams as in the trace; people see what could be played. */
static void describe_other_settings(struct emit *e, const struct frag *f)
{
	bool some = emit_is_json(e);
	char title[120], bytes[UNITS_BUF];

	for (size_t i = 0; i < FRAG_SETTINGS; i++)
		some = some || f->settings[i].simulated;
	if (!some)
		return;
	(void)snprintf(title, sizeof title,
		       "What other settings would have needed (the trace itself: %s)",
		       emit_words_bytes(e, bytes, f->trace_peak_reserved));
	emit_table_begin(e, "settings", title);
	for (size_t i = 0; i < FRAG_SETTINGS; i++)
		if (f->settings[i].simulated || emit_is_json(e))
			describe_setting(e, &f->settings[i]);
	emit_table_end(e);
}

void describe_frag(struct emit *e, const struct frag_report *r)
{
	const struct frag *f = r->frag;

	emit_i64(e, "device", NULL, f->device);
	emit_event(e, "event", NULL, f->event);
	emit_bool(e, "exact", NULL, f->exact);
	emit_bool(e, "partial", NULL, r->model->partial);
	if (!emit_is_json(e))
		text_head(e, r);
	describe_totals_here(e, f);
	describe_pools(e, r);
	describe_sites(e, r);
	describe_segments(e, r);
	describe_misses(e, r);
	describe_other_settings(e, f);
	describe_curve(e, f);
}
