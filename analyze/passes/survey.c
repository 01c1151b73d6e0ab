/* SPDX-License-Identifier: MIT
 * survey.c -- what the memory of one moment could do for one request, byte by byte.
 */
#include "passes/survey.h"

#include <assert.h>

#include "base/hash.h"
#include "base/num.h"
#include "model/rounding.h"

/* Candidates for max_split_size: above the 20 MiB that the setting must exceed. */
#define N_SPLIT_LIMITS 5
static const uint64_t split_limits[N_SPLIT_LIMITS] = {
	UINT64_C(512) << 20, UINT64_C(256) << 20, UINT64_C(128) << 20,
	UINT64_C(64) << 20,  UINT64_C(32) << 20,
};

/* Segments that blocks of a site keep, alone or among others. */
struct pins {
	uint64_t blocks, bytes, idle_bytes, segments;
};

struct site_pins {
	uint32_t row;
	size_t last_segment; /* counted last in `all`, from 1 */
	struct pins alone, all;
};

struct survey_walk {
	struct survey out;
	const struct model *m;
	const struct state *state;
	const struct request *q;
	struct block_stacks stacks;
	const struct site_table *sites;
	uint64_t split_bytes[N_SPLIT_LIMITS];
	struct budget *budget;
	struct hashmap pin_rows; /* site row to row of pins */
	VEC(struct site_pins) pins;
};

/* What one segment's blocks add up to. */
struct segment_sums {
	uint64_t live_blocks, live_bytes, largest_live;
	uint64_t idle_bytes; /* free and pending */
	uint32_t site_row;
	bool one_site;
};

const char *unusable_name(enum unusable u)
{
	static const char *const names[UNUSABLE_COUNT] = {
		[UNUSABLE_OTHER_POOL] = "other_pool",
		[UNUSABLE_OTHER_STREAM] = "other_stream",
		[UNUSABLE_OTHER_CLASS] = "other_size_class",
		[UNUSABLE_TOO_SMALL] = "too_small",
		[UNUSABLE_SPLIT_GUARD] = "max_split_size",
		[UNUSABLE_MIXED_MODES] = "mixed_expandable",
	};

	assert((unsigned)u < UNUSABLE_COUNT);
	return names[u];
}

/* Does the request look into this segment at all? UNUSABLE_COUNT: yes. */
static enum unusable segment_mismatch(const struct request *q, const struct state_segment *seg)
{
	if (seg->pool.a != q->pool.a || seg->pool.b != q->pool.b)
		return UNUSABLE_OTHER_POOL;
	if (q->stream_known && seg->stream != q->stream)
		return UNUSABLE_OTHER_STREAM;
	if (seg->kind != POOL_UNKNOWN && (seg->kind == POOL_SMALL) != q->is_small)
		return UNUSABLE_OTHER_CLASS;
	return UNUSABLE_COUNT;
}

bool survey_looks_into(const struct request *q, const struct state_segment *seg)
{
	return segment_mismatch(q, seg) == UNUSABLE_COUNT;
}

/* get_free_block's refusals of a block that is large enough. */
static bool split_guard_refuses(const struct alloc_settings *s, uint64_t block, uint64_t rounded)
{
	if (s->max_split_bytes == UINT64_MAX)
		return false;
	if (rounded < s->max_split_bytes)
		return block >= s->max_split_bytes;
	return block >= num_add_saturated(rounded, s->max_non_split_rounding_bytes);
}

static void count_free(struct survey_walk *w, const struct state_segment *seg, uint64_t size)
{
	const struct alloc_settings *settings = &w->m->settings;
	enum unusable why = segment_mismatch(w->q, seg);
	struct free_blocks *f;

	if (why == UNUSABLE_COUNT && size < w->q->rounded)
		why = UNUSABLE_TOO_SMALL;
	if (why == UNUSABLE_COUNT && split_guard_refuses(settings, size, w->q->rounded))
		why = UNUSABLE_SPLIT_GUARD;
	if (why == UNUSABLE_COUNT && seg->is_expandable && settings->known &&
	    !settings->expandable_segments)
		why = UNUSABLE_MIXED_MODES;
	if (why == UNUSABLE_COUNT) {
		w->out.usable += size;
		return;
	}
	w->out.unusable[why] += size;
	f = &w->out.free[why];
	f->bytes += size;
	f->blocks++;
	f->fitting += size >= w->q->rounded;
	if (size > f->largest) {
		f->largest = size;
		f->largest_stream = seg->stream;
		f->largest_pool = seg->pool;
	}
}

static void count_live(struct survey_walk *w, const struct state_block *b)
{
	uint64_t requested = b->requested < b->size ? b->requested : b->size;

	w->out.live += requested;
	w->out.slack += b->size - requested;
	w->out.live_blocks++;
	if (b->born > w->state->event / 2)
		w->out.late_bytes += b->size;
}

static void count_before(struct survey_walk *w, const struct state_block *b)
{
	stack_id stack = block_stack(&w->stacks, b);

	w->out.before_bytes += b->size;
	w->out.before_blocks++;
	if (w->sites->sites.at[w->sites->of_stack.at[stack.i]].kind == SITE_NO_STACK)
		w->out.before_no_stack_bytes += b->size;
}

/* Pending blocks become free together with the free ones beside them. */
static void end_pending_run(struct survey_walk *w, const struct state_segment *seg, uint64_t run,
			    bool has_pending)
{
	bool same_place = segment_mismatch(w->q, seg) == UNUSABLE_COUNT;
	/* A segment that becomes wholly free goes back to the driver, whatever its stream. */
	bool returns =
		run == seg->size && seg->size >= w->q->attempted && !seg->pool.a && !seg->pool.b;

	if (has_pending && ((same_place && run >= w->q->rounded) || returns) &&
	    run > w->out.pending_fits)
		w->out.pending_fits = run;
}

static void sum_live(struct survey_walk *w, const struct state_block *b, struct segment_sums *sums)
{
	uint32_t row = w->sites->of_stack.at[block_stack(&w->stacks, b).i];

	count_live(w, b);
	sums->one_site = sums->live_blocks == 0 || (sums->one_site && row == sums->site_row);
	sums->site_row = row;
	sums->live_blocks++;
	sums->live_bytes += b->size;
	if (b->size > sums->largest_live)
		sums->largest_live = b->size;
}

static void sum_blocks(struct survey_walk *w, const struct state_segment *seg,
		       struct segment_sums *sums)
{
	uint64_t unit =
		seg->kind == POOL_SMALL ? SMALL_SEGMENT_BYTES : w->m->settings.large_segment_bytes;
	uint64_t run = 0;
	bool run_pending = false;

	for (uint64_t i = 0; i < seg->n_blocks; i++) {
		const struct state_block *b = &w->state->blocks.at[seg->first_block + i];

		if (b->state != BLOCK_INACTIVE && b->born == EVENT_START)
			count_before(w, b);
		if (b->state == BLOCK_ACTIVE) {
			sum_live(w, b, sums);
			end_pending_run(w, seg, run, run_pending);
			run = 0;
			run_pending = false;
			continue;
		}
		run += b->size;
		sums->idle_bytes += b->size;
		if (b->state == BLOCK_PENDING) {
			run_pending = true;
			w->out.pending += b->size;
			w->out.pending_blocks++;
			continue;
		}
		count_free(w, seg, b->size);
		if (!seg->is_expandable && unit)
			w->out.page_bytes += b->size / unit * unit;
	}
	end_pending_run(w, seg, run, run_pending);
}

static int pins_of_site(struct site_pins **out, struct survey_walk *w, uint32_t row,
			struct error *err)
{
	const uint64_t *known = hashmap_get(&w->pin_rows, row);
	struct site_pins fresh = {.row = row};
	uint64_t at = known ? *known : w->pins.n;
	int rc;

	if (!known && ((rc = hashmap_put(&w->pin_rows, row, at, err)) < 0 ||
		       (rc = vec_push(&w->pins, fresh, w->budget, err)) < 0))
		return rc;
	*out = &w->pins.at[at];
	return 0;
}

static void add_pin(struct pins *p, uint64_t size, uint64_t idle_bytes, bool new_segment)
{
	p->blocks++;
	p->bytes += size;
	p->segments += new_segment;
	p->idle_bytes += new_segment ? idle_bytes : 0;
}

/* Whose blocks keep this segment? */
static int add_pins(struct survey_walk *w, size_t index, const struct segment_sums *sums,
		    struct error *err)
{
	const struct state_segment *seg = &w->state->segments.at[index];

	for (uint64_t i = 0; i < seg->n_blocks; i++) {
		const struct state_block *b = &w->state->blocks.at[seg->first_block + i];
		struct site_pins *p;
		bool new_segment;
		int rc;

		if (b->state != BLOCK_ACTIVE)
			continue;
		rc = pins_of_site(&p, w, w->sites->of_stack.at[block_stack(&w->stacks, b).i], err);
		if (rc < 0)
			return rc;
		new_segment = p->last_segment != index + 1;
		p->last_segment = index + 1;
		add_pin(&p->all, b->size, sums->idle_bytes, new_segment);
		if (sums->one_site)
			add_pin(&p->alone, b->size, sums->idle_bytes, new_segment);
	}
	return 0;
}

static int add_segment(struct survey_walk *w, size_t index, struct error *err)
{
	const struct state_segment *seg = &w->state->segments.at[index];
	struct segment_sums sums = {0};
	struct pinned *pinned = &w->out.pinned;

	sum_blocks(w, seg, &sums);
	w->out.reserved += seg->size;
	if (seg->pool.a || seg->pool.b)
		w->out.only_default_pool = false;
	if (seg->is_expandable || sums.live_blocks == 0 || sums.idle_bytes == 0)
		return 0;
	for (size_t i = 0; i < N_SPLIT_LIMITS; i++)
		if (seg->kind == POOL_LARGE && seg->size >= split_limits[i] &&
		    sums.largest_live < split_limits[i])
			w->split_bytes[i] += sums.idle_bytes;
	if (sums.idle_bytes < seg->size - sums.idle_bytes)
		return 0;
	pinned->segments++;
	pinned->bytes += seg->size;
	pinned->idle_bytes += sums.idle_bytes;
	pinned->live_blocks += sums.live_blocks;
	pinned->live_bytes += sums.live_bytes;
	return add_pins(w, index, &sums, err);
}

/* Which of two sites to look at first? Words decide between equals. */
static bool pins_more(const struct survey_walk *w, const struct site_pins *a,
		      const struct site_pins *b)
{
	if (a->alone.idle_bytes != b->alone.idle_bytes)
		return a->alone.idle_bytes > b->alone.idle_bytes;
	if (a->all.idle_bytes != b->all.idle_bytes)
		return a->all.idle_bytes > b->all.idle_bytes;
	return site_compare(w->m, w->sites->sites.at[a->row], w->sites->sites.at[b->row]) < 0;
}

static void choose_pinning_site(struct survey_walk *w)
{
	struct pinned *pinned = &w->out.pinned;
	const struct site_pins *best = NULL;
	const struct pins *p;

	for (size_t i = 0; i < w->pins.n; i++)
		if (!best || pins_more(w, &w->pins.at[i], best))
			best = &w->pins.at[i];
	if (!best)
		return;
	pinned->has_site = true;
	pinned->site = w->sites->sites.at[best->row];
	pinned->site_alone = best->alone.segments > 0;
	p = pinned->site_alone ? &best->alone : &best->all;
	pinned->site_blocks = p->blocks;
	pinned->site_bytes = p->bytes;
	pinned->site_idle_bytes = p->idle_bytes;
	pinned->site_segments = p->segments;
}

static void choose_split_limit(struct survey_walk *w)
{
	for (size_t i = 0; i < N_SPLIT_LIMITS; i++)
		if (w->split_bytes[i] > w->out.split_bytes) {
			w->out.split_bytes = w->split_bytes[i];
			w->out.split_limit = split_limits[i];
		}
}

int survey_run(struct survey *out, const struct state *s, const struct model *m,
	       const struct site_table *sites, const struct request *q, struct budget *budget,
	       struct error *err)
{
	struct survey_walk w = {
		.m = m,
		.state = s,
		.q = q,
		.sites = sites,
		.stacks = block_stacks_of(m, s),
		.budget = budget,
	};
	int rc = 0;

	w.out.only_default_pool = true;
	hashmap_init(&w.pin_rows, budget);
	for (size_t i = 0; i < s->segments.n && rc == 0; i++)
		rc = add_segment(&w, i, err);
	if (rc == 0) {
		choose_pinning_site(&w);
		choose_split_limit(&w);
		w.out.allocated = w.out.live + w.out.slack;
		*out = w.out;
	}
	hashmap_release(&w.pin_rows);
	vec_release(&w.pins, budget);
	return rc;
}
