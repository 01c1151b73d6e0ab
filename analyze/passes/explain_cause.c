/* SPDX-License-Identifier: MIT
 * explain_cause.c -- where the live bytes of an oom come from, each cause by a rule with its numbers.
 *
 * The rules look at the lives of all allocations of the device (allocations.h) and at the program's
 * phases and steps (phases.h). They are tried in the order of enum cause; what does not show clearly
 * has no cause.
 */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "passes/explain_cause.h"

/* What causes are told by has to be this part of the live bytes: one in. */
#define LEAK_PART  4
#define STATE_PART 10
#define LOAD_PART  2
#define GRAPH_PART 2
#define CACHE_PART 5

/* Steps that show a trend, and those at the start that do not count: optimizers make their state. */
#define MIN_STEPS    5
#define WARM_UP      2
#define MIN_FORWARDS 3
#define MIN_GROWTHS  8
/* Rows among which the first one of a forward is looked for. */
#define MAX_LEAD_IN 16

const char *cause_name(enum cause c)
{
	static const char *const names[CAUSE_COUNT] = {
		[CAUSE_NONE] = NULL,
		[CAUSE_SINGLE_REQUEST] = "single_request",
		[CAUSE_STATE_DICT_COPY] = "state_dict_copy",
		[CAUSE_MODEL_LOAD] = "model_load",
		[CAUSE_OPTIMIZER_STATE_INIT] = "optimizer_state_init",
		[CAUSE_GROWING_CACHE] = "growing_cache",
		[CAUSE_RETAINED_GRAPH] = "retained_graph",
		[CAUSE_LEAK] = "leak",
		[CAUSE_OUTLIER_STEP] = "outlier_step",
		[CAUSE_ACTIVATIONS] = "activations",
	};

	assert((unsigned)c < CAUSE_COUNT);
	return names[c];
}

static const struct allocation *row_at(const struct cause_facts *f, size_t i)
{
	return &f->p->allocations.rows.at[i];
}

static bool is_live(const struct allocation *a, int64_t event)
{
	return a->born < event && a->free_requested >= event;
}

static enum phase request_phase(const struct cause_facts *f, const struct explain_oom *o)
{
	return (enum phase)stack_rules_of(&f->p->stacks, o->stack)->phase;
}

/* The phase that the program was in: what the request's own stack shows, else the run around it. */
static enum phase phase_of_oom(const struct cause_facts *f, const struct explain_oom *o)
{
	enum phase p = phase_of_run(request_phase(f, o));
	int64_t run = phases_run_at(&f->p->phases, o->event);

	if (p == PHASE_NONE && run >= 0)
		p = f->p->phases.runs.at[run].phase;
	return p;
}

static enum phase phase_of_row(const struct cause_facts *f, size_t i)
{
	return phase_of_run((enum phase)f->p->phases.of_row.at[i]);
}

static bool had_run_before(const struct cause_facts *f, enum phase phase, int64_t event)
{
	for (size_t i = 0; i < f->p->phases.runs.n; i++) {
		const struct phase_run *r = &f->p->phases.runs.at[i];

		if (r->first_event >= event)
			break;
		if (r->phase == phase && r->last_event < event)
			return true;
	}
	return false;
}

/* --- sites of what counts ---------------------------------------------------------------------- */

static void sites_clear(struct cause_facts *f)
{
	memset(f->site_bytes.at, 0, f->site_bytes.n * sizeof *f->site_bytes.at);
}

static void sites_add(struct cause_facts *f, const struct allocation *a)
{
	f->site_bytes.at[f->sites->of_stack.at[a->stack.i]] += a->size;
}

/* Equal amounts: the first row, which is the first in the file. */
static void sites_name(const struct cause_facts *f, struct explain_cause *c)
{
	size_t best = 0;

	for (size_t i = 1; i < f->site_bytes.n; i++)
		if (f->site_bytes.at[i] > f->site_bytes.at[best])
			best = i;
	if (!f->site_bytes.n || !f->site_bytes.at[best])
		return;
	c->has_site = true;
	c->site = f->sites->sites.at[best];
}

/* --- the rules --------------------------------------------------------------------------------- */

static bool is_single_request(const struct explain_oom *o, struct explain_cause *c)
{
	if (o->verdict != VERDICT_REQUEST_TOO_LARGE)
		return false;
	c->bytes = o->request.attempted;
	c->of_bytes = o->card.allowed.known ? o->card.allowed.bytes
		      : o->card.total.known ? o->card.total.bytes
					    : o->survey.reserved + o->device_free;
	c->has_site = true;
	c->site = o->site;
	return true;
}

/* Live bytes that were born while a model was loaded or made. */
static void sum_loaded(struct cause_facts *f, const struct explain_oom *o, struct explain_cause *c)
{
	sites_clear(f);
	for (size_t i = 0; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		if (!is_live(a, o->event) || phase_of_row(f, i) != PHASE_LOAD)
			continue;
		c->bytes += a->size;
		c->count++;
		sites_add(f, a);
	}
	c->of_bytes = o->survey.allocated;
	sites_name(f, c);
}

/* Before any forward, when most of what lives was loaded. */
static bool is_model_load(struct cause_facts *f, const struct explain_oom *o,
			  struct explain_cause *c)
{
	if (phase_of_oom(f, o) != PHASE_LOAD || had_run_before(f, PHASE_FORWARD, o->event))
		return false;
	sum_loaded(f, o, c);
	return c->count > 0 && c->bytes >= o->survey.allocated / LOAD_PART;
}

/* Parameters are there, and blocks read from a file have the same sizes again. A model repeats sizes,
 * so what counts is that those read and those made pair up. */
static bool is_state_dict_copy(struct cause_facts *f, const struct explain_oom *o,
			       struct explain_cause *c)
{
	struct hashmap unread; /* size to blocks that were made and have no partner yet */
	uint64_t made = 0, paired = 0;
	struct error err;
	bool ok = true;

	if (phase_of_oom(f, o) != PHASE_LOAD)
		return false;
	hashmap_init(&unread, f->p->allocations.budget);
	for (int pass = 0; pass < 2 && ok; pass++)
		for (size_t i = 0; i < f->p->allocations.rows.n && ok; i++) {
			const struct allocation *a = row_at(f, i);
			bool read = cause_reads_file(f, a->stack);
			const uint64_t *n;

			if (!is_live(a, o->event) || phase_of_row(f, i) != PHASE_LOAD ||
			    read != (pass == 1))
				continue;
			n = hashmap_get(&unread, a->size);
			if (!read) {
				made += a->size;
				ok = hashmap_put(&unread, a->size, n ? *n + 1 : 1, &err) == 0;
			} else if (n && *n) {
				paired += a->size;
				c->count++;
				ok = hashmap_put(&unread, a->size, *n - 1, &err) == 0;
			}
		}
	hashmap_release(&unread);
	c->bytes = paired;
	c->of_bytes = o->survey.allocated;
	return ok && made > 0 && paired >= made / 2 && paired >= o->survey.allocated / LEAK_PART;
}

/* The first optimizer run of a program whose beginning is known is the one that makes the states. */
static bool is_optimizer_init(struct cause_facts *f, const struct explain_oom *o,
			      struct explain_cause *c)
{
	int64_t run = phases_run_at(&f->p->phases, o->event);
	int64_t first;

	if (run < 0 || f->p->phases.runs.at[run].phase != PHASE_OPTIMIZER ||
	    f->history == HISTORY_TRUNCATED || had_run_before(f, PHASE_OPTIMIZER, o->event))
		return false;
	first = f->p->phases.runs.at[run].first_event;
	sites_clear(f);
	for (size_t i = 0; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		if (!is_live(a, o->event) || a->born < first)
			continue;
		c->bytes += a->size;
		c->count++;
		sites_add(f, a);
	}
	c->of_bytes = o->survey.allocated;
	sites_name(f, c);
	return c->bytes >= o->survey.allocated / STATE_PART;
}

/* Allocations of one site that get larger and larger: a cache that is copied to grow. Stacks would be
 * too fine: native frames differ with the allocator's way to a block. */
static bool site_grows(const struct cause_facts *f, const struct explain_oom *o, stack_id stack,
		       struct explain_cause *c)
{
	uint64_t first = 0, last = 0, grew = 0, shrank = 0;
	uint32_t site = f->sites->of_stack.at[stack.i];

	for (size_t i = f->p->allocations.n_before; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		if (f->sites->of_stack.at[a->stack.i] != site || a->born >= o->event)
			continue;
		first = first ? first : a->requested;
		grew += last && a->requested > last;
		shrank += last && a->requested < last;
		last = a->requested;
		if (is_live(a, o->event)) {
			c->bytes += a->size;
			c->count++;
		}
	}
	c->of_bytes = last;
	c->count2 = grew;
	return grew >= MIN_GROWTHS && grew >= 16 * shrank && last / 2 >= first;
}

static bool is_growing_cache(const struct cause_facts *f, const struct explain_oom *o,
			     const struct holder *holders, struct explain_cause *c)
{
	struct explain_cause own = {.cause = CAUSE_GROWING_CACHE};
	size_t n = o->look.n_holders < 4 ? o->look.n_holders : 4;

	if (stacks_depth(&f->p->allocations.model->stacks, o->stack) &&
	    site_grows(f, o, o->stack, &own) && own.bytes >= o->survey.allocated / CACHE_PART) {
		*c = own;
		c->has_site = true;
		c->site = o->site;
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		struct explain_cause of = {.cause = CAUSE_GROWING_CACHE};

		if (!stacks_depth(&f->p->allocations.model->stacks, holders[i].stack) ||
		    !site_grows(f, o, holders[i].stack, &of) ||
		    of.bytes < o->survey.allocated / CACHE_PART)
			continue;
		*c = of;
		c->has_site = true;
		c->site = holders[i].site;
		return true;
	}
	return false;
}

/* The rows that were born since the last backward ended. */
static size_t rows_since_backward(const struct cause_facts *f, int64_t event)
{
	int64_t since = EVENT_START;
	size_t i = f->p->allocations.n_before;

	for (size_t k = 0; k < f->p->phases.runs.n && f->p->phases.runs.at[k].first_event < event;
	     k++)
		if (f->p->phases.runs.at[k].phase == PHASE_BACKWARD ||
		    f->p->phases.runs.at[k].phase == PHASE_LOAD)
			since = f->p->phases.runs.at[k].last_seen;
	while (i < f->p->allocations.rows.n && row_at(f, i)->born <= since)
		i++;
	return i;
}

/* A stack by its Python frames alone, in f->python_key; 0: it has none. */
static uint64_t python_key(struct cause_facts *f, stack_id stack)
{
	const struct stacks *s = &f->p->allocations.model->stacks;
	uint64_t *key = &f->python_key.at[stack.i];

	for (size_t k = *key ? stacks_depth(s, stack) : 0; k < stacks_depth(s, stack); k++) {
		frame_id frame = s->pool.at[s->start.at[stack.i] + k];

		if (frame_is_python(f->p->allocations.model, frame))
			*key = hash_combine(*key, frame.i) | 1;
	}
	return *key;
}

/* How often each Python stack allocated in rows from..to - 1; *often: the most. */
static int count_stacks(struct cause_facts *f, struct hashmap *counts, size_t from, size_t to,
			uint64_t *often)
{
	struct error err;

	for (size_t i = from; i < to; i++) {
		uint64_t key = python_key(f, row_at(f, i)->stack);
		const uint64_t *n = hashmap_get(counts, key);
		uint64_t now = n ? *n + 1 : 1;
		int rc = hashmap_put(counts, key, now, &err);

		if (rc < 0)
			return rc;
		if (now > *often)
			*often = now;
	}
	return 0;
}

/* The row that forwards begin with, `to` when they cannot be told: one of the first, whose place comes
 * again and again. Layers repeat, too, and look alike inside one forward; so it has to be something
 * outside of forward, as a batch is, or other places have to come more often. */
static size_t find_start(struct cause_facts *f, const struct hashmap *counts, size_t from,
			 size_t to, uint64_t often)
{
	size_t end = to - from > MAX_LEAD_IN ? from + MAX_LEAD_IN : to;

	for (size_t i = from; i < end; i++) {
		uint64_t key = python_key(f, row_at(f, i)->stack);
		uint64_t n = *hashmap_get(counts, key);

		if (key && n >= MIN_FORWARDS &&
		    (phase_of_row(f, i) != PHASE_FORWARD || often >= 2 * n))
			return i;
	}
	return to;
}

static void sum_forwards(struct cause_facts *f, const struct explain_oom *o, size_t start,
			 size_t to, struct explain_cause *c)
{
	uint64_t key = python_key(f, row_at(f, start)->stack);
	size_t last = start;

	for (size_t i = start; i < to; i++) {
		if (python_key(f, row_at(f, i)->stack) != key)
			continue;
		last = i;
		c->count++;
	}
	sites_clear(f);
	for (size_t i = start; i < last; i++) {
		if (!is_live(row_at(f, i), o->event))
			continue;
		c->bytes += row_at(f, i)->size;
		sites_add(f, row_at(f, i));
	}
	c->of_bytes = o->survey.allocated;
	sites_name(f, c);
}

/* Forward after forward since the last backward, and what the earlier ones made still lives. */
static bool is_retained_graph(struct cause_facts *f, const struct explain_oom *o,
			      struct explain_cause *c)
{
	size_t from = rows_since_backward(f, o->event), to = from, start = from;
	struct hashmap counts;
	uint64_t often = 0;

	while (to < f->p->allocations.rows.n && row_at(f, to)->born < o->event)
		to++;
	if (phase_of_oom(f, o) != PHASE_FORWARD || from == to)
		return false;
	hashmap_init(&counts, f->p->allocations.budget);
	start = count_stacks(f, &counts, from, to, &often) == 0
			? find_start(f, &counts, from, to, often)
			: to;
	hashmap_release(&counts);
	if (start == to)
		return false;
	sum_forwards(f, o, start, to, c);
	return c->bytes >= o->survey.allocated / GRAPH_PART;
}

/* How many steps ended before the event. */
static size_t steps_before(const struct cause_facts *f, int64_t event)
{
	size_t n = 0;

	while (n < f->p->phases.steps.n && f->p->phases.steps.at[n].last_event < event)
		n++;
	return n;
}

/* Bytes born in each step and alive at the oom, into f->step_bytes. */
static void sum_survivors(struct cause_facts *f, const struct explain_oom *o, size_t from, size_t n)
{
	size_t step = 0;

	sites_clear(f);
	memset(f->step_bytes.at, 0, f->step_bytes.n * sizeof *f->step_bytes.at);
	for (size_t i = f->p->allocations.n_before; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		while (step < n && f->p->phases.steps.at[step].last_event < a->born)
			step++;
		if (step >= n)
			break;
		if (a->born < f->p->phases.steps.at[step].first_event || !is_live(a, o->event))
			continue;
		f->step_bytes.at[step] += a->size;
		if (step >= from)
			sites_add(f, a);
	}
}

/* Every step leaves something behind, as much late as early, and it adds up. The first steps leave
 * what stays for good; the last two may still be in use. */
static bool is_leak(struct cause_facts *f, const struct explain_oom *o, struct explain_cause *c)
{
	size_t n = steps_before(f, o->event), from = WARM_UP, until = n > 1 ? n - 1 : 0;
	uint64_t early = 0, late = 0, part = LEAK_PART;

	if (until < from + MIN_STEPS)
		return false;
	/* Where allocations repeat without a step that is known, the rest has to be sure. */
	if (f->p->phases.source == STEPS_PATTERN)
		part = 2;
	sum_survivors(f, o, from, until);
	for (size_t i = from; i < until; i++) {
		uint64_t bytes = f->step_bytes.at[i];

		*(i < from + (until - from) / 2 ? &early : &late) += bytes;
		c->count2 += bytes > 0;
	}
	c->bytes = early + late;
	c->count = until - from;
	c->of_bytes = c->bytes / c->count;
	sites_name(f, c);
	return c->count2 >= c->count - c->count / 5 && early >= late / 3 && late >= early / 3 &&
	       c->bytes >= o->survey.allocated / part;
}

/* Highest growth of allocated bytes inside a step that ended before. */
static uint64_t growth_of_others(const struct cause_facts *f, size_t n)
{
	uint64_t most = 0, now = 0;
	size_t e = 0;

	for (size_t i = 0; i < n; i++) {
		const struct training_step *s = &f->p->phases.steps.at[i];
		uint64_t base, peak;

		while (e < (size_t)s->first_event)
			now += f->change.at[e++];
		base = peak = now;
		while (e <= (size_t)s->last_event) {
			now += f->change.at[e++];
			peak = now > peak ? now : peak;
		}
		most = peak - base > most ? peak - base : most;
	}
	return most;
}

/* This step asked for far more than any before it. */
static bool is_outlier(struct cause_facts *f, const struct explain_oom *o, struct explain_cause *c)
{
	size_t n = steps_before(f, o->event);
	uint64_t live = 0, base = 0;

	if (n < MIN_STEPS || n >= f->p->phases.steps.n ||
	    f->p->phases.steps.at[n].first_event > o->event || f->p->phases.source == STEPS_PATTERN)
		return false;
	sites_clear(f);
	for (size_t i = 0; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		live += is_live(a, o->event) ? a->size : 0;
		base += is_live(a, f->p->phases.steps.at[n].first_event) ? a->size : 0;
		if (is_live(a, o->event) && a->born >= f->p->phases.steps.at[n].first_event)
			sites_add(f, a);
	}
	live += o->request.rounded;
	c->bytes = live > base ? live - base : 0;
	c->of_bytes = growth_of_others(f, n);
	c->count = n;
	sites_name(f, c);
	return c->of_bytes && c->bytes >= c->of_bytes + c->of_bytes / 2 &&
	       c->bytes - c->of_bytes >= o->survey.allocated / STATE_PART;
}

/* The first step, or the second, does not fit, and most of what lives is what forward keeps. */
static bool is_activations(struct cause_facts *f, const struct explain_oom *o,
			   struct explain_cause *c)
{
	enum phase phase = phase_of_oom(f, o);
	uint64_t optimizers = 0;

	if ((phase != PHASE_FORWARD && phase != PHASE_BACKWARD) || f->history == HISTORY_TRUNCATED)
		return false;
	for (size_t i = 0; i < f->p->phases.runs.n && f->p->phases.runs.at[i].last_event < o->event;
	     i++)
		optimizers += f->p->phases.runs.at[i].phase == PHASE_OPTIMIZER;
	if (optimizers > 1 || steps_before(f, o->event) > 1)
		return false;
	sites_clear(f);
	for (size_t i = f->p->allocations.n_before; i < f->p->allocations.rows.n; i++) {
		const struct allocation *a = row_at(f, i);

		if (!is_live(a, o->event) || phase_of_row(f, i) != PHASE_FORWARD)
			continue;
		c->bytes += a->size;
		sites_add(f, a);
	}
	c->of_bytes = o->survey.allocated;
	c->count = optimizers;
	sites_name(f, c);
	return c->bytes >= o->survey.allocated / 2;
}

void cause_find(struct cause_facts *f, struct explain_oom *o, const struct holder *holders)
{
	for (unsigned k = CAUSE_NONE + 1; k < CAUSE_COUNT; k++) {
		struct explain_cause c = {.cause = (enum cause)k};
		bool holds = false;

		switch (c.cause) {
		case CAUSE_SINGLE_REQUEST:
			holds = is_single_request(o, &c);
			break;
		case CAUSE_STATE_DICT_COPY:
			holds = is_state_dict_copy(f, o, &c);
			break;
		case CAUSE_MODEL_LOAD:
			holds = is_model_load(f, o, &c);
			break;
		case CAUSE_OPTIMIZER_STATE_INIT:
			holds = is_optimizer_init(f, o, &c);
			break;
		case CAUSE_GROWING_CACHE:
			holds = is_growing_cache(f, o, holders, &c);
			break;
		case CAUSE_RETAINED_GRAPH:
			holds = is_retained_graph(f, o, &c);
			break;
		case CAUSE_LEAK:
			holds = is_leak(f, o, &c);
			break;
		case CAUSE_OUTLIER_STEP:
			holds = is_outlier(f, o, &c);
			break;
		case CAUSE_ACTIVATIONS:
			holds = is_activations(f, o, &c);
			break;
		case CAUSE_NONE:
		case CAUSE_COUNT:
			break;
		}
		if (holds) {
			o->cause = c;
			return;
		}
	}
}
