/* SPDX-License-Identifier: MIT
 * export_sqlite_rows.c -- one device of a snapshot as a database: stacks, events, lives, moments.
 */
#include <string.h>

#include "passes/open_spans.h"
#include "passes/site.h"
#include "replay/moment.h"
#include "reports/export_sqlite.h"
#include "reports/top_key.h"

#define POOL_BYTES 64

/* ---- stacks ---- */

static int fill_frames(struct database *d, struct error *err)
{
	const struct model *m = d->x->model;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO frames VALUES (?,?,?,?,?)", err);

	for (uint32_t i = 1; rc == 0 && i < m->stacks.frames.n; i++) {
		const struct frame *f = &m->stacks.frames.at[i];

		sqlite_row_i64(&r, i);
		row_name(&r, m, f->name);
		row_name(&r, m, f->file);
		sqlite_row_known(&r, f->line > 0, f->line);
		sqlite_row_i64(&r, frame_is_user(m, (frame_id){i}));
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

static int fill_stack_frames(struct database *d, struct error *err)
{
	const struct stacks *s = &d->x->model->stacks;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO stack_frames VALUES (?,?,?)", err);

	for (uint32_t i = 0; rc == 0 && i < s->hashes.n; i++) {
		const size_t depth = stacks_depth(s, (stack_id){i});

		for (size_t k = 0; rc == 0 && k < depth; k++) {
			sqlite_row_i64(&r, i);
			sqlite_row_i64(&r, (int64_t)k);
			sqlite_row_i64(&r, s->pool.at[s->start.at[i] + k].i);
			rc = sqlite_row_write(&r, err);
		}
	}
	sqlite_row_close(&r);
	return rc;
}

int export_sqlite_stacks(struct database *d, struct error *err)
{
	const struct model *m = d->x->model;
	char words[TOP_KEY_BYTES];
	struct sqlite_row r;
	int rc = fill_frames(d, err);

	if (rc == 0)
		rc = fill_stack_frames(d, err);
	if (rc < 0)
		return rc;
	rc = sqlite_row_open(&r, &d->file, "INSERT INTO stacks VALUES (?,?,?)", err);
	for (uint32_t i = 0; rc == 0 && i < m->stacks.hashes.n; i++) {
		site_words(m, site_of_stack(m, (stack_id){i}), words, sizeof words);
		sqlite_row_i64(&r, i);
		sqlite_row_i64(&r, (int64_t)stacks_depth(&m->stacks, (stack_id){i}));
		sqlite_row_str(&r, words, strlen(words));
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

/* ---- events ---- */

/* Does `addr` hold an address? That of an oom is the device's free memory. */
static bool has_address(enum action a)
{
	return a != ACTION_OOM && a != ACTION_SNAPSHOT && a != ACTION_ANNOTATE;
}

static void put_event(struct sqlite_row *r, const struct database *d, int64_t event,
		      const struct totals *after)
{
	const struct model *m = d->x->model;
	const uint64_t at = d->x->device->first_event + (uint64_t)event;
	const struct attr *attr = &m->attrs.at[m->events.attr.at[at].i];
	const enum action action = (enum action)m->events.action.at[at];

	sqlite_row_i64(r, event);
	if (action == ACTION_OTHER && attr->action_name.i != STR_NONE.i)
		row_name(r, m, attr->action_name);
	else
		sqlite_row_text(r, action_name(action));
	sqlite_row_known(r, has_address(action), (int64_t)m->events.addr.at[at]);
	row_bytes(r, m->events.size.at[at]);
	row_time(r, m->events.time_us.at[at]);
	sqlite_row_known(r, attr->has_stream, (int64_t)attr->stream);
	sqlite_row_i64(r, m->events.stack.at[at].i);
	row_totals(r, after);
}

int export_sqlite_events(struct database *d, struct error *err)
{
	struct replay *replay = d->x->replay;
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?)",
				 err);

	if (rc == 0)
		rc = replay_seek(replay, EVENT_START, err);
	while (rc >= 0 && (rc = replay_step(replay, err)) > 0) {
		put_event(&r, d, replay_position(replay), replay_totals(replay));
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

/* ---- allocations ---- */

static void put_pool(struct sqlite_row *r, const struct database *d, struct pool_id pool,
		     char buf[POOL_BYTES])
{
	const struct top_row row = {.pool = pool};

	sqlite_row_text(r, top_key_words(buf, POOL_BYTES, d->x->model, TOP_POOL, &row));
}

/* The stack as `top` reads it: "no stack" is one row, however the file says it. */
static stack_id stack_of_block(const struct database *d, const struct block_stacks *stacks,
			       const struct state_block *b)
{
	const stack_id stack = block_stack(stacks, b);
	const struct model *m = d->x->model;

	return stack.i == STACK_EMPTY.i && site_of_stack(m, stack).kind == SITE_NO_STACK
		       ? STACK_ABSENT
		       : stack;
}

static stack_id stack_of(const struct database *d, const struct allocation *a)
{
	const struct state_block block = {.born = a->born, .stack = a->stack};

	return stack_of_block(d, &d->stacks, &block);
}

static void put_allocation(struct sqlite_row *r, struct database *d, uint32_t row,
			   struct open_spans *spans, char pool[POOL_BYTES])
{
	const struct export *x = d->x;
	const struct allocation *a = &x->allocations->rows.at[row];
	const struct allocation_place place = allocation_place(x->allocations, row);
	const struct allocation_category *c = &x->categories->rows.at[row];
	const int64_t born_us = allocations_time(x->allocations, a->born);
	const int64_t step = a->born < 0 ? -1 : phases_step_at(x->phases, a->born);

	sqlite_row_i64(r, row);
	sqlite_row_i64(r, (int64_t)a->address);
	row_bytes(r, a->size);
	row_bytes(r, a->requested);
	sqlite_row_known(r, a->born != EVENT_START, a->born);
	sqlite_row_known(r, a->free_requested != ALLOCATION_ALIVE, a->free_requested);
	sqlite_row_known(r, a->free_completed != ALLOCATION_ALIVE, a->free_completed);
	row_time(r, born_us);
	row_time(r, allocations_time(x->allocations, a->free_completed));
	sqlite_row_i64(r, (int64_t)place.stream);
	put_pool(r, d, place.pool, pool);
	sqlite_row_text(r, category_name(c->category));
	sqlite_row_text(r, confidence_name(c->confidence));
	sqlite_row_text(r, phase_name(c->phase));
	sqlite_row_known(r, step >= 0, step);
	if (born_us == TIME_NONE)
		sqlite_row_null(r);
	else
		row_name(r, x->model, open_spans_innermost(spans, born_us));
	sqlite_row_i64(r, stack_of(d, a).i);
}

int export_sqlite_allocations(struct database *d, struct error *err)
{
	const struct export *x = d->x;
	struct open_spans spans = {0};
	struct sqlite_row r = {0};
	char pool[POOL_BYTES];
	int rc = open_spans_init(&spans, x->model, x->device->index, x->budget, err);

	if (rc == 0)
		rc = sqlite_row_open(
			&r, &d->file,
			"INSERT INTO allocations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err);
	for (uint32_t i = 0; rc == 0 && i < x->allocations->rows.n; i++) {
		if (!filter_passes(x->filter, stack_of(d, &x->allocations->rows.at[i])))
			continue;
		put_allocation(&r, d, i, &spans, pool);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	open_spans_release(&spans);
	return rc;
}

/* ---- moments ---- */

static int fill_segments(struct database *d, const char *moment, const struct state *s,
			 struct error *err)
{
	static const char *const kinds[] = {[POOL_SMALL] = "small", [POOL_LARGE] = "large"};
	struct sqlite_row r;
	char pool[POOL_BYTES];
	int rc = sqlite_row_open(&r, &d->file,
				 "INSERT INTO segments VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", err);

	for (size_t i = 0; rc == 0 && i < s->segments.n; i++) {
		const struct state_segment *g = &s->segments.at[i];

		sqlite_row_text(&r, moment);
		sqlite_row_i64(&r, (int64_t)i);
		sqlite_row_i64(&r, (int64_t)g->address);
		row_bytes(&r, g->size);
		row_bytes(&r, g->allocated);
		row_bytes(&r, g->active);
		row_bytes(&r, g->requested);
		sqlite_row_i64(&r, (int64_t)g->stream);
		put_pool(&r, d, g->pool, pool);
		if (g->kind == POOL_UNKNOWN)
			sqlite_row_null(&r);
		else
			sqlite_row_text(&r, kinds[g->kind]);
		sqlite_row_i64(&r, g->is_expandable);
		sqlite_row_known(&r, g->born != EVENT_START, g->born);
		sqlite_row_i64(&r, g->stack.i);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	return rc;
}

static void put_block(struct sqlite_row *r, const struct database *d,
		      const struct block_stacks *stacks, const struct state_block *b)
{
	const bool active = b->state != BLOCK_INACTIVE;
	uint32_t row = ALLOCATION_NONE;

	sqlite_row_i64(r, (int64_t)b->address);
	row_bytes(r, b->size);
	if (active)
		row_bytes(r, b->requested);
	else
		sqlite_row_null(r);
	sqlite_row_text(r, block_state_name((enum block_state)b->state));
	if (active) {
		sqlite_row_text(r,
				category_name(categories_of_block(d->x->categories, b).category));
		row = allocations_of_block(d->x->allocations, b);
	} else {
		sqlite_row_null(r);
	}
	sqlite_row_known(r, row != ALLOCATION_NONE, row);
	sqlite_row_known(r, active, stack_of_block(d, stacks, b).i);
}

static int fill_blocks(struct database *d, const char *moment, const struct state *s,
		       struct error *err)
{
	const struct block_stacks stacks = block_stacks_of(d->x->model, s);
	struct sqlite_row r;
	int rc = sqlite_row_open(&r, &d->file, "INSERT INTO blocks VALUES (?,?,?,?,?,?,?,?,?,?)",
				 err);

	for (size_t i = 0; i < s->segments.n; i++) {
		const struct state_segment *g = &s->segments.at[i];

		for (uint64_t k = g->first_block; rc == 0 && k < g->first_block + g->n_blocks;
		     k++) {
			const struct state_block *b = &s->blocks.at[k];

			if (b->state != BLOCK_INACTIVE &&
			    !filter_passes(d->x->filter, block_stack(&stacks, b)))
				continue;
			sqlite_row_text(&r, moment);
			sqlite_row_i64(&r, (int64_t)i);
			sqlite_row_i64(&r, (int64_t)k);
			put_block(&r, d, &stacks, b);
			rc = sqlite_row_write(&r, err);
		}
	}
	sqlite_row_close(&r);
	return rc;
}

static int fill_state(struct database *d, const char *moment, const struct moment *at,
		      struct error *err)
{
	const struct export *x = d->x;
	struct state s;
	struct sqlite_row r = {0};
	int rc = moment_state(&s, at, x->model, x->replay, x->budget, err);

	if (rc < 0)
		return rc;
	rc = sqlite_row_open(&r, &d->file, "INSERT INTO states VALUES (?,?,?,?,?,?,?)", err);
	if (rc == 0) {
		sqlite_row_str(&r, moment, strlen(moment));
		sqlite_row_i64(&r, s.event);
		sqlite_row_i64(&r, s.exact);
		row_totals(&r, &s.totals);
		rc = sqlite_row_write(&r, err);
	}
	sqlite_row_close(&r);
	if (rc == 0)
		rc = fill_segments(d, moment, &s, err);
	if (rc == 0)
		rc = fill_blocks(d, moment, &s, err);
	state_release(&s);
	return rc;
}

int export_sqlite_states(struct database *d, struct error *err)
{
	const struct export *x = d->x;
	const char *const moments[] = {"start", "peak", "oom", "end", x->at};
	struct moment at;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof moments / sizeof *moments; i++) {
		bool known = !moments[i];

		for (size_t k = 0; k < i && !known; k++)
			known = !strcmp(moments[k], moments[i]);
		if (known)
			continue;
		rc = moment_parse(&at, moments[i], x->model, x->device, x->replay, err);
		if (rc == 0)
			rc = fill_state(d, moments[i], &at, err);
		else if (rc == ERR_NO_MOMENT)
			rc = 0;
	}
	return rc;
}
