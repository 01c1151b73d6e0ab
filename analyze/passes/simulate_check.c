/* SPDX-License-Identifier: MIT
 * simulate_check.c -- does the model give the trace's own answers under the trace's own settings.
 */
#include "base/sort.h"
#include "passes/simulate_private.h"

const char *simulate_difference_name(enum simulate_difference d)
{
	static const char *const names[] = {
		[DIFFERENCE_NONE] = "none",
		[DIFFERENCE_ADDRESS] = "address",
		[DIFFERENCE_OOM] = "oom",
		[DIFFERENCE_NO_OOM] = "no-oom",
		[DIFFERENCE_BLOCK] = "block",
		[DIFFERENCE_ALLOCS] = "device-allocs",
		[DIFFERENCE_FREES] = "device-frees",
		[DIFFERENCE_NOT_WHOLE] = "unknown-start",
	};

	return names[d];
}

static int differ(struct simulate_check *c, enum simulate_difference kind, int64_t event,
		  uint64_t address, uint64_t expected, uint64_t found)
{
	c->ok = false;
	c->kind = kind;
	c->event = event;
	c->address = address;
	c->expected = expected;
	c->found = found;
	return 1;
}

static int compare_op(struct player *p, const struct request_op *op, bool served)
{
	struct simulate_check *c = p->look_ctx;
	const struct allocation *x;
	uint64_t address, size;

	if (request_op_kind(*op) == REQUEST_OOM) {
		if (served)
			return differ(c, DIFFERENCE_NO_OOM, op->event, 0, 0, 0);
		return 0;
	}
	x = &p->s->requests.allocations.rows.at[request_op_row(*op)];
	if (!served)
		return differ(c, DIFFERENCE_OOM, op->event, x->address, 0, 0);
	address = sim_address(p->sim, request_op_row(*op), &size);
	c->n_allocs++;
	if (address != x->address)
		return differ(c, DIFFERENCE_ADDRESS, op->event, x->address, x->address, address);
	if (size != x->size)
		return differ(c, DIFFERENCE_BLOCK, op->event, x->address, x->size, size);
	return 0;
}

/* --- blocks at the end ------------------------------------------------------------------------- */

struct end_block {
	uint64_t address, size;
	bool live;
};

struct end_blocks {
	VEC(struct end_block) at;
	struct budget *budget;
	struct error *err;
	int rc;
};

static bool is_lower(const struct end_block *a, const struct end_block *b, const void *ctx)
{
	(void)ctx;
	return a->address < b->address;
}
SORT_DEFINE(sort_blocks, struct end_block, is_lower)

static void add_block(void *ctx, uint64_t address, uint64_t size, uint32_t request)
{
	struct end_blocks *b = ctx;

	if (b->rc == 0)
		b->rc = vec_push(&b->at, ((struct end_block){address, size, request != UINT32_MAX}),
				 b->budget, b->err);
}

static int file_blocks(struct end_blocks *out, const struct model *m, const struct device *d)
{
	for (uint64_t i = d->first_segment; i < d->first_segment + d->n_segments; i++) {
		const struct segment *s = &m->segments.at[i];

		for (uint64_t k = s->first_block; k < s->first_block + s->n_blocks; k++) {
			const struct block *b = &m->blocks.at[k];

			add_block(out, b->address, b->size,
				  b->state == BLOCK_INACTIVE ? UINT32_MAX : 0);
		}
	}
	return out->rc;
}

static void compare_blocks(struct simulate_check *c, const struct end_blocks *file,
			   const struct end_blocks *own, int64_t event)
{
	for (size_t i = 0; i < file->at.n || i < own->at.n; i++) {
		const struct end_block *a = i < file->at.n ? &file->at.at[i] : NULL;
		const struct end_block *b = i < own->at.n ? &own->at.at[i] : NULL;

		if (a && b && a->address == b->address && a->size == b->size && a->live == b->live)
			continue;
		if (a && (!b || a->address <= b->address))
			differ(c, DIFFERENCE_BLOCK, event, a->address, a->size,
			       b && a->address == b->address ? b->size : 0);
		else
			differ(c, DIFFERENCE_BLOCK, event, b->address, 0, b->size);
		return;
	}
}

static int check_blocks(struct simulation *s, struct player *p, int64_t event, struct error *err)
{
	struct end_blocks file = {.budget = s->budget, .err = err};
	struct end_blocks own = {.budget = s->budget, .err = err};
	int rc = file_blocks(&file, s->model, s->requests.device);

	if (rc == 0) {
		sim_each_block(p->sim, add_block, &own);
		rc = own.rc;
	}
	if (rc == 0) {
		sort_blocks(file.at.at, file.at.n, NULL);
		sort_blocks(own.at.at, own.at.n, NULL);
		compare_blocks(&s->check, &file, &own, event);
	}
	vec_release(&file.at, s->budget);
	vec_release(&own.at, s->budget);
	return rc;
}

static int check_end(struct simulation *s, struct player *p, struct error *err)
{
	const struct requests *q = &s->requests;
	const struct sim_stats *st = sim_stats(p->sim);
	int64_t last = (int64_t)q->device->n_events - 1;
	int rc = 0;

	if (q->device->trace_meets_segments && (rc = check_blocks(s, p, last, err)) < 0)
		return rc;
	if (s->check.ok && st->device_allocs != q->segments.n)
		differ(&s->check, DIFFERENCE_ALLOCS, last, 0, q->segments.n, st->device_allocs);
	if (s->check.ok && st->device_frees != q->n_device_frees)
		differ(&s->check, DIFFERENCE_FREES, last, 0, q->n_device_frees, st->device_frees);
	return 0;
}

static int check_once(struct simulation *s, struct error *err)
{
	static const struct simulate_options plain = {.capacity = BYTES_NONE};
	struct player p = {
		.s = s,
		.o = &plain,
		.settings = s->model->settings,
		.own = true,
		.room = {UINT64_MAX, UINT64_MAX},
		.last_event = INT64_MAX,
		.look = compare_op,
		.look_ctx = &s->check,
	};
	int rc;

	s->check = (struct simulate_check){.ok = true, .event = EVENT_START};
	if ((rc = player_open(&p, SIM_RISING, 0, err)) == 0 && (rc = player_play(&p, err)) == 0) {
		if (s->check.ok)
			rc = check_end(s, &p, err);
		s->check.events = s->check.ok ? s->requests.device->n_events
					      : (uint64_t)(s->check.event < 0 ? 0 : s->check.event);
		s->peak_live = sim_stats(p.sim)->peak_requested;
	}
	player_close(&p);
	return rc;
}

/* Calls of empty_cache that a trace without stacks hides behind what looks like a refusal come out
 * here: up to so many are tried. */
#define MAX_HIDDEN 16

int simulate_self_check(struct simulation *s, struct error *err)
{
	int rc;

	if (!s->requests.start.exact) {
		s->check = (struct simulate_check){0};
		differ(&s->check, DIFFERENCE_NOT_WHOLE, EVENT_START, 0, 0, 0);
		return 0;
	}
	rc = check_once(s, err);
	for (unsigned i = 0; rc == 0 && !s->check.ok && i < MAX_HIDDEN; i++) {
		if (!requests_reconsider(&s->requests, s->check.event))
			break;
		rc = check_once(s, err);
	}
	return rc;
}
