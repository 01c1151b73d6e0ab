/* SPDX-License-Identifier: MIT
 * batch_collect.c -- one file's rows in a batch: what info, explain and leaks find in it.
 */
#include "reports/batch_collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "passes/explain.h"
#include "passes/fragmentation.h"
#include "passes/info.h"
#include "passes/leaks.h"
#include "passes/top.h"
#include "reports/explain_words.h"
#include "reports/top_key.h"

#define SITE_WORDS 2048

struct collector {
	struct batch *b;
	const struct model *m;
	struct budget *budget;
	size_t file, kept;
	struct study study;
	struct info info;
	const struct info_device *device; /* the one with the highest peak, or NULL */
};

static const char *const format_names[] = {
	[CONTAINER_PICKLE] = "pickle",
	[CONTAINER_JSON] = "json",
	[CONTAINER_HTML] = "html",
	[CONTAINER_RING] = "ring",
	[CONTAINER_TRACE] = "chrome_trace",
	[CONTAINER_TIMELINE_JSON] = "memory_timeline",
	[CONTAINER_TIMELINE_RAW] = "memory_timeline_raw",
};

/* Do the events say which block they are about? */
static bool knows_blocks(const struct model *m)
{
	if (m->format == CONTAINER_TIMELINE_JSON || m->format == CONTAINER_TIMELINE_RAW)
		return false;
	if (m->format == CONTAINER_TRACE && m->trace.detail == TRACE_TOTALS)
		return false;
	for (size_t i = 0; i < m->devices.n; i++) {
		if (m->devices.at[i].no_addresses)
			return false;
	}
	return true;
}

/* As load_device chooses: the first of the highest. */
static const struct info_device *highest(const struct info *info)
{
	const struct info_device *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < info->devices.n; i++) {
		const struct info_device *d = &info->devices.at[i];
		uint64_t peak = d->replay.allocated.bytes;

		if (peak == BYTES_NONE)
			peak = 0;
		if (!best || peak > most) {
			best = d;
			most = peak;
		}
	}
	return best;
}

static int add_device(struct collector *c, const struct info_device *d, struct error *err)
{
	struct batch *b = c->b;
	int rc = batch_add_row(b, BATCH_DEVICES, c->file, err);

	if (rc < 0)
		return rc;
	batch_set_int(b, BATCH_DEVICES, DEVICES_DEVICE, d->device->index);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_EVENTS, d->device->n_events);
	batch_set_time(b, BATCH_DEVICES, DEVICES_FIRST_TIME, d->first_time_us);
	batch_set_time(b, BATCH_DEVICES, DEVICES_LAST_TIME, d->last_time_us);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_PEAK, d->replay.allocated.bytes);
	batch_set_int(b, BATCH_DEVICES, DEVICES_PEAK_EVENT, d->replay.allocated.event);
	batch_set_time(b, BATCH_DEVICES, DEVICES_PEAK_TIME, d->peak_time_us);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_PEAK_RESERVED, d->replay.reserved.bytes);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_END, d->end.allocated);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_END_ACTIVE, d->end.active);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_END_RESERVED, d->end.reserved);
	batch_set_u64(b, BATCH_DEVICES, DEVICES_END_REQUESTED, d->end.requested);
	if (d->end.reserved != BYTES_NONE && d->end.active != BYTES_NONE)
		batch_set_real(b, BATCH_DEVICES, DEVICES_FRAGMENTATION, fragmentation_of(&d->end));
	batch_set_u64(b, BATCH_DEVICES, DEVICES_OOMS, d->n_ooms);
	if (d->steps_looked_for)
		batch_set_u64(b, BATCH_DEVICES, DEVICES_STEPS, d->n_steps);
	if (d->step_source == STEPS_NONE)
		return 0;
	return batch_set_text(b, BATCH_DEVICES, DEVICES_STEP_SOURCE,
			      step_source_name(d->step_source), err);
}

static const struct value *conf_of(const struct model *m)
{
	const struct value *conf =
		value_member(m->settings_value, &m->strings, "PYTORCH_CUDA_ALLOC_CONF");

	return conf && conf->kind == VALUE_STR ? conf : NULL;
}

/* A setting in words; false for what is no single value. */
static bool setting_words(const struct model *m, const struct value *v, char *buf, size_t size)
{
	switch (v->kind) {
	case VALUE_NULL:
		snprintf(buf, size, "null");
		return true;
	case VALUE_BOOL:
		snprintf(buf, size, "%s", v->boolean ? "true" : "false");
		return true;
	case VALUE_I64:
		snprintf(buf, size, "%" PRId64, v->i64);
		return true;
	case VALUE_U64:
		snprintf(buf, size, "%" PRIu64, v->u64);
		return true;
	case VALUE_F64:
		snprintf(buf, size, "%.17g", v->f64);
		return true;
	case VALUE_STR:
		snprintf(buf, size, "%s", model_str(m, v->str));
		return true;
	default:
		return false;
	}
}

static int add_settings(struct collector *c, struct error *err)
{
	const struct value *all = c->m->settings_value;
	char words[4096];
	int rc = 0;

	if (!all || all->kind != VALUE_DICT)
		return 0;
	for (size_t i = 0; i < all->items.n && rc == 0; i++) {
		const struct value *v = &all->items.at[i];

		if (!setting_words(c->m, v, words, sizeof words))
			continue;
		rc = batch_add_row(c->b, BATCH_SETTINGS, c->file, err);
		if (rc == 0)
			rc = batch_set_text(c->b, BATCH_SETTINGS, SETTINGS_KEY,
					    model_str(c->m, v->key), err);
		if (rc == 0)
			rc = batch_set_text(c->b, BATCH_SETTINGS, SETTINGS_VALUE, words, err);
	}
	return rc;
}

static int fill_file(struct collector *c, struct error *err)
{
	const struct model *m = c->m;
	const struct info_device *d = c->device;
	struct batch *b = c->b;
	uint64_t events = 0, ooms = 0;
	int64_t last = TIME_NONE;
	char words[500];
	int rc;

	for (size_t i = 0; i < c->info.devices.n; i++) {
		const struct info_device *x = &c->info.devices.at[i];

		events += x->device->n_events;
		ooms += x->n_ooms;
		last = x->last_time_us > last ? x->last_time_us : last;
	}
	batch_set_u64(b, BATCH_FILES, FILES_BYTES, m->raw_bytes);
	batch_set_u64(b, BATCH_FILES, FILES_DEVICES, c->info.devices.n);
	batch_set_u64(b, BATCH_FILES, FILES_EVENTS, events);
	batch_set_u64(b, BATCH_FILES, FILES_OOMS, ooms);
	batch_set_time(b, BATCH_FILES, FILES_TIME, last);
	if (d) {
		batch_set_int(b, BATCH_FILES, FILES_DEVICE, d->device->index);
		batch_set_u64(b, BATCH_FILES, FILES_PEAK, d->replay.allocated.bytes);
		batch_set_u64(b, BATCH_FILES, FILES_PEAK_RESERVED, d->replay.reserved.bytes);
		batch_set_u64(b, BATCH_FILES, FILES_END, d->end.allocated);
		batch_set_u64(b, BATCH_FILES, FILES_END_RESERVED, d->end.reserved);
		if (d->end.reserved != BYTES_NONE && d->end.active != BYTES_NONE)
			batch_set_real(b, BATCH_FILES, FILES_FRAGMENTATION,
				       fragmentation_of(&d->end));
		if (d->steps_looked_for)
			batch_set_u64(b, BATCH_FILES, FILES_STEPS, d->n_steps);
	}
	if (m->damage.offset == ERR_NO_OFFSET)
		snprintf(words, sizeof words, "%s", m->damage.text);
	else
		snprintf(words, sizeof words, "%s at byte %" PRIu64, m->damage.text,
			 m->damage.offset);
	if ((rc = batch_set_text(b, BATCH_FILES, FILES_STATUS, m->partial ? "partial" : "ok",
				 err)) < 0 ||
	    (rc = batch_set_text(b, BATCH_FILES, FILES_REASON, m->partial ? words : NULL, err)) <
		    0 ||
	    (rc = batch_set_text(b, BATCH_FILES, FILES_FORMAT, format_names[m->format], err)) < 0 ||
	    (rc = batch_set_text(b, BATCH_FILES, FILES_WRITER, m->writer, err)) < 0)
		return rc;
	return batch_set_text(b, BATCH_FILES, FILES_SETTINGS,
			      conf_of(m) ? model_str(m, conf_of(m)->str) : NULL, err);
}

/* --- failures ---------------------------------------------------------------------------------- */

static int fill_oom_words(struct collector *c, const struct explain_oom *o, struct emit *e,
			  struct error *err)
{
	char site[SITE_WORDS], sentence[SENTENCE_BYTES];
	struct batch *b = c->b;
	int rc;

	if ((rc = batch_set_text(b, BATCH_OOMS, OOMS_VERDICT, verdict_name(o->verdict), err)) < 0 ||
	    (rc = batch_set_text(b, BATCH_OOMS, OOMS_CONFIDENCE, confidence_name(o->confidence),
				 err)) < 0 ||
	    (rc = batch_set_text(b, BATCH_OOMS, OOMS_CAUSE, cause_name(o->cause.cause), err)) < 0 ||
	    (rc = batch_set_text(b, BATCH_OOMS, OOMS_SITE,
				 site_words(c->m, o->site, site, sizeof site), err)) < 0)
		return rc;
	return batch_set_text(b, BATCH_OOMS, OOMS_SUMMARY,
			      oom_sentence(e, c->m, o, sentence, sizeof sentence), err);
}

static int add_oom(struct collector *c, const struct explain_oom *o, bool is_main, struct emit *e,
		   struct error *err)
{
	struct batch *b = c->b;
	int rc = batch_add_row(b, BATCH_OOMS, c->file, err);

	if (rc < 0)
		return rc;
	batch_set_int(b, BATCH_OOMS, OOMS_DEVICE, o->device);
	batch_set_int(b, BATCH_OOMS, OOMS_EVENT, o->event);
	batch_set_time(b, BATCH_OOMS, OOMS_TIME, o->time_us);
	batch_set_int(b, BATCH_OOMS, OOMS_MAIN, is_main);
	batch_set_int(b, BATCH_OOMS, OOMS_RETRIED, o->retried);
	batch_set_u64(b, BATCH_OOMS, OOMS_REQUESTED, o->request.rounded);
	batch_set_u64(b, BATCH_OOMS, OOMS_ATTEMPTED, o->request.attempted);
	batch_set_u64(b, BATCH_OOMS, OOMS_FREE, o->device_free);
	batch_set_u64(b, BATCH_OOMS, OOMS_RESERVED, o->look.totals.reserved);
	batch_set_u64(b, BATCH_OOMS, OOMS_ALLOCATED, o->look.totals.allocated);
	return fill_oom_words(c, o, e, err);
}

/* The main one's words stand in the file's row, too. */
static int copy_main_oom(struct collector *c, const struct explain_oom *o, struct error *err)
{
	static const struct {
		size_t from, to;
	} texts[] = {{OOMS_VERDICT, FILES_VERDICT},
		     {OOMS_CAUSE, FILES_CAUSE},
		     {OOMS_SITE, FILES_OOM_SITE},
		     {OOMS_SUMMARY, FILES_SUMMARY}};
	struct batch *b = c->b;
	int rc = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts && rc == 0; i++) {
		size_t row = b->n_rows[BATCH_OOMS] - 1;

		*batch_cell(b, BATCH_FILES, c->file, texts[i].to) =
			*batch_cell(b, BATCH_OOMS, row, texts[i].from);
	}
	batch_set_u64(b, BATCH_FILES, FILES_OOM_REQUESTED, o->request.rounded);
	batch_set_time(b, BATCH_FILES, FILES_OOM_TIME, o->time_us);
	if (o->rank >= 0)
		batch_set_int(b, BATCH_FILES, FILES_RANK, o->rank);
	(void)err;
	return rc;
}

static int add_ooms(struct collector *c, const struct explain_side *side, struct error *err)
{
	const struct emit_options words = {.format = EMIT_TEXT};
	struct explain_options options = {.side = side};
	struct explain x;
	struct emit *e = NULL;
	struct out *out = NULL;
	int rc = explain_run(&x, &c->study, &options, err);

	if (rc < 0)
		return rc;
	rc = out_open_memory(&out, err);
	if (rc == 0)
		rc = emit_new(&e, out, &words, err);
	for (size_t i = 0; i < x.ooms.n && rc == 0; i++) {
		rc = add_oom(c, &x.ooms.at[i], i == x.main_oom, e, err);
		if (rc == 0 && i == x.main_oom)
			rc = copy_main_oom(c, &x.ooms.at[i], err);
	}
	if (e)
		emit_abandon(e);
	if (out)
		out_abandon(out);
	explain_release(&x);
	return rc;
}

/* --- what stands on lives ---------------------------------------------------------------------- */

/* Whose bytes a state holds: a table and how it groups them. */
struct held {
	enum batch_table_id table;
	enum top_by by;
};

#define HELD_WAYS 3

static const struct held held_at_peak[HELD_WAYS] = {{BATCH_SITES, TOP_SITE},
						    {BATCH_CATEGORIES, TOP_CATEGORY},
						    {BATCH_ANNOTATIONS, TOP_ANNOTATION}};
static const struct held held_at_end[HELD_WAYS] = {{BATCH_SITES_END, TOP_SITE},
						   {BATCH_CATEGORIES_END, TOP_CATEGORY},
						   {BATCH_ANNOTATIONS_END, TOP_ANNOTATION}};

static int add_held(struct collector *c, const struct held *held, const struct top *top,
		    struct error *err)
{
	struct batch *b = c->b;
	char words[SITE_WORDS];
	int rc = 0;

	for (size_t i = 0; i < top->rows.n && i < c->kept && rc == 0; i++) {
		const struct top_row *row = &top->rows.at[i];

		rc = batch_add_row(b, held->table, c->file, err);
		if (rc < 0)
			break;
		batch_set_int(b, held->table, HELD_DEVICE, c->device->device->index);
		batch_set_u64(b, held->table, HELD_BYTES, row->bytes);
		batch_set_u64(b, held->table, HELD_BLOCKS, row->blocks);
		rc = batch_set_text(b, held->table, HELD_NAME,
				    top_key_words(words, sizeof words, c->m, held->by, row), err);
	}
	return rc;
}

static int add_moment(struct collector *c, struct replay *r, int64_t event,
		      const struct held ways[HELD_WAYS], const struct categories *categories,
		      struct error *err)
{
	struct state s;
	int rc = replay_seek(r, event, err);

	if (rc < 0 || (rc = replay_state(r, &s, err)) < 0)
		return rc;
	for (unsigned i = 0; i < HELD_WAYS && rc == 0; i++) {
		struct top top;

		/* Without any, one row would say so. */
		if (ways[i].by == TOP_ANNOTATION && !c->m->annotations.n)
			continue;
		rc = top_run(&top, c->m, &s, ways[i].by, NULL, categories, c->budget, err);
		if (rc < 0)
			break;
		rc = add_held(c, &ways[i], &top, err);
		top_release(&top);
	}
	state_release(&s);
	return rc;
}

static int add_leaks(struct collector *c, const struct purpose *p, struct error *err)
{
	const struct leaks_options o = {
		.until = (int64_t)c->device->device->n_events - 1,
		.categories = &p->categories,
		.capacity_bytes = leaks_capacity(&p->allocations, c->device->replay.start.reserved),
	};
	struct batch *b = c->b;
	struct leaks l;
	char site[SITE_WORDS];
	int rc = leaks_run(&l, &p->allocations, &p->phases, &o, c->budget, err);

	if (rc < 0)
		return rc;
	if (!l.too_few_steps)
		batch_set_real(b, BATCH_FILES, FILES_LEAK, l.growth);
	for (size_t i = 0; i < l.found.n && rc == 0; i++) {
		const struct leak *x = &l.found.at[i];

		rc = batch_add_row(b, BATCH_LEAKS, c->file, err);
		if (rc < 0)
			break;
		batch_set_int(b, BATCH_LEAKS, LEAKS_DEVICE, c->device->device->index);
		batch_set_u64(b, BATCH_LEAKS, LEAKS_BYTES, x->bytes);
		batch_set_u64(b, BATCH_LEAKS, LEAKS_BLOCKS, x->blocks);
		batch_set_real(b, BATCH_LEAKS, LEAKS_GROWTH, x->growth);
		if ((rc = batch_set_text(b, BATCH_LEAKS, LEAKS_KIND, leak_kind_name(x->kind),
					 err)) < 0 ||
		    (rc = batch_set_text(b, BATCH_LEAKS, LEAKS_CONFIDENCE,
					 confidence_name(x->confidence), err)) < 0)
			break;
		if (x->kind != LEAK_CACHE_GROWTH)
			rc = batch_set_text(b, BATCH_LEAKS, LEAKS_SITE,
					    site_words(c->m, x->site, site, sizeof site), err);
	}
	leaks_release(&l);
	return rc;
}

/* The row of c->device among the devices. */
static size_t device_row(const struct collector *c)
{
	size_t i = c->b->n_rows[BATCH_DEVICES] - 1;

	while (batch_int(c->b, BATCH_DEVICES, i, DEVICES_DEVICE, -2) != c->device->device->index)
		i--;
	return i;
}

/* In long traces info does not look for steps. */
static int add_step_count(struct collector *c, const struct phases *p, struct error *err)
{
	size_t row = device_row(c);

	if (c->device->steps_looked_for)
		return 0;
	batch_set_u64(c->b, BATCH_FILES, FILES_STEPS, p->steps.n);
	*batch_cell(c->b, BATCH_DEVICES, row, DEVICES_STEPS) =
		*batch_cell(c->b, BATCH_FILES, c->file, FILES_STEPS);
	if (p->source == STEPS_NONE)
		return 0;
	return batch_put_text(c->b, BATCH_DEVICES, row, DEVICES_STEP_SOURCE,
			      step_source_name(p->source), err);
}

/* One walk: the highest and the last allocated bytes of each step. */
static int add_steps(struct collector *c, const struct phases *p, struct replay *r,
		     struct error *err)
{
	struct batch *b = c->b;
	int rc = p->steps.n ? replay_seek(r, p->steps.at[0].first_event - 1, err) : 0;

	for (size_t i = 0; i < p->steps.n && rc >= 0; i++) {
		const struct training_step *s = &p->steps.at[i];
		uint64_t peak = 0;

		rc = 1;
		while (rc > 0 && replay_position(r) < s->last_event) {
			rc = replay_step(r, err);
			if (replay_position(r) >= s->first_event &&
			    replay_totals(r)->allocated > peak)
				peak = replay_totals(r)->allocated;
		}
		if (rc < 0 || (rc = batch_add_row(b, BATCH_STEPS, c->file, err)) < 0)
			break;
		batch_set_int(b, BATCH_STEPS, STEPS_DEVICE, c->device->device->index);
		batch_set_u64(b, BATCH_STEPS, STEPS_STEP, i);
		batch_set_int(b, BATCH_STEPS, STEPS_FIRST, s->first_event);
		batch_set_int(b, BATCH_STEPS, STEPS_LAST, s->last_event);
		batch_set_time(b, BATCH_STEPS, STEPS_START, s->start_us);
		batch_set_int(b, BATCH_STEPS, STEPS_WHOLE, s->whole);
		batch_set_u64(b, BATCH_STEPS, STEPS_PEAK, peak);
		batch_set_u64(b, BATCH_STEPS, STEPS_END, replay_totals(r)->allocated);
	}
	return rc < 0 ? rc : 0;
}

static int add_peak_phase(struct collector *c, const struct phases *p, struct error *err)
{
	int64_t peak = c->device->replay.allocated.event, run = phases_run_at(p, peak);
	int64_t step = phases_step_at(p, peak);

	if (step >= 0)
		batch_set_int(c->b, BATCH_FILES, FILES_PEAK_STEP, step);
	if (run < 0)
		return 0;
	return batch_set_text(c->b, BATCH_FILES, FILES_PEAK_PHASE,
			      phase_name(p->runs.at[run].phase), err);
}

static int add_with_purpose(struct collector *c, struct replay *r, const struct purpose *p,
			    struct error *err)
{
	const struct device *d = c->device->device;
	int rc = add_moment(c, r, c->device->replay.allocated.event, held_at_peak, &p->categories,
			    err);

	if (rc == 0)
		rc = add_peak_phase(c, &p->phases, err);
	if (rc == 0 && c->m->format < CONTAINER_TRACE)
		rc = add_leaks(c, p, err);
	if (rc == 0)
		rc = add_step_count(c, &p->phases, err);
	if (rc == 0)
		rc = add_steps(c, &p->phases, r, err);
	if (rc == 0)
		rc = batch_collect_points(c->b, c->file, c->m, d, r, p, err);
	if (rc == 0)
		rc = add_moment(c, r, (int64_t)d->n_events - 1, held_at_end, &p->categories, err);
	return rc;
}

/* `blocks`: the events say which block they are about. */
static int add_lives(struct collector *c, bool blocks, struct error *err)
{
	const struct device *d = c->device->device;
	struct replay *r = study_replay(&c->study, d, err);
	const struct purpose *p = r && blocks ? study_purpose(&c->study, d, err) : NULL;

	if (!r || (blocks && !p))
		return (int)err->code;
	return blocks ? add_with_purpose(c, r, p, err)
		      : batch_collect_points(c->b, c->file, c->m, d, r, NULL, err);
}

static void copy_leak_rate(struct collector *c)
{
	if (!isnan(batch_number(c->b, BATCH_FILES, c->file, FILES_LEAK)))
		*batch_cell(c->b, BATCH_DEVICES, device_row(c), DEVICES_LEAK) =
			*batch_cell(c->b, BATCH_FILES, c->file, FILES_LEAK);
}

int batch_collect(struct batch *b, const struct model *m, const struct explain_side *side,
		  const struct rules *rules, const struct phases_options *steps, size_t kept,
		  struct error *err)
{
	struct collector c = {
		.b = b, .m = m, .budget = m->budget, .file = b->n_rows[BATCH_FILES], .kept = kept};
	bool blocks = knows_blocks(m);
	int rc;

	study_init(&c.study, m, rules, steps, c.budget);
	rc = info_run(&c.info, &c.study, err);
	if (rc < 0) {
		study_release(&c.study);
		return rc;
	}
	c.device = highest(&c.info);
	rc = batch_add_row(b, BATCH_FILES, 0, err);
	if (rc == 0)
		rc = fill_file(&c, err);
	for (size_t i = 0; i < c.info.devices.n && rc == 0; i++)
		rc = add_device(&c, &c.info.devices.at[i], err);
	if (rc == 0 && blocks)
		rc = add_ooms(&c, side, err);
	if (rc == 0 && c.device)
		rc = add_lives(&c, blocks, err);
	if (rc == 0 && c.device)
		copy_leak_rate(&c);
	if (rc == 0)
		rc = add_settings(&c, err);
	info_release(&c.info);
	study_release(&c.study);
	return rc;
}

int batch_collect_failed(struct batch *b, const char *reason, struct error *err)
{
	int rc = batch_add_row(b, BATCH_FILES, 0, err);

	if (rc == 0)
		rc = batch_set_text(b, BATCH_FILES, FILES_STATUS, "failed", err);
	if (rc == 0)
		rc = batch_set_text(b, BATCH_FILES, FILES_REASON, reason, err);
	return rc;
}
