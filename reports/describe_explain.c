/* SPDX-License-Identifier: MIT
 * describe_explain.c -- why memory ran out: the main failure on one screen, the others in a line.
 */
#include "reports/describe.h"

#include <inttypes.h>
#include <stdio.h>

#include "passes/site.h"
#include "reports/explain_words.h"
#include "reports/stack_lines.h"

#define SITE_BYTES 16384

/* Rows and lines that people see, so that all of it fits one screen. */
#define TEXT_HOLDERS  8
#define TEXT_EVIDENCE 7
#define TEXT_OTHERS   5

static const char *const unusable_labels[UNUSABLE_COUNT] = {
	[UNUSABLE_OTHER_POOL] = "cached, in another pool",
	[UNUSABLE_OTHER_STREAM] = "cached, of another stream",
	[UNUSABLE_OTHER_CLASS] = "cached, other size class",
	[UNUSABLE_TOO_SMALL] = "cached, pieces too small",
	[UNUSABLE_SPLIT_GUARD] = "cached, kept by max_split",
	[UNUSABLE_MIXED_MODES] = "cached, expandable is off",
};

static void describe_holder(struct emit *e, const struct model *m, const struct holder *h,
			    const struct explain_look *look)
{
	char site[SITE_BYTES];

	emit_row_begin(e);
	emit_share(e, "share", "share", h->bytes, look->totals.active);
	emit_bytes(e, "bytes", "bytes", h->bytes);
	emit_u64(e, "blocks", "blocks", h->blocks);
	emit_str(e, "site", "site", site_words(m, h->site, site, sizeof site));
	if (emit_is_json(e)) {
		emit_array_begin(e, "stack", NULL);
		describe_stack(e, m, h->stack);
		emit_array_end(e);
	}
	emit_row_end(e);
}

/* People see no rows that would show 0.0 %. */
static size_t text_holders(const struct explain *x, const struct explain_look *look)
{
	size_t n = 0;

	while (n < look->n_holders && n < TEXT_HOLDERS &&
	       x->holders.at[look->first_holder + n].bytes > look->totals.active / 2000)
		n++;
	return n;
}

static void describe_holders(struct emit *e, const struct model *m, const struct explain *x,
			     const struct explain_look *look)
{
	char title[80], sites[UNITS_BUF];
	size_t n = emit_is_json(e) ? look->n_holders : text_holders(x, look);

	snprintf(title, sizeof title, "Who holds it (%zu of %s)", n,
		 units_noun(sites, sizeof sites, look->all_holders, "site", "sites"));
	emit_table_begin(e, "holders", title);
	for (size_t k = 0; k < n; k++)
		describe_holder(e, m, &x->holders.at[look->first_holder + k], look);
	emit_table_end(e);
}

static uint64_t if_exact(const struct explain_oom *o, uint64_t bytes)
{
	return o->look.exact ? bytes : BYTES_NONE;
}

static void describe_balance(struct emit *e, const struct explain_oom *o)
{
	const struct survey *s = &o->survey;
	bool json = emit_is_json(e);

	emit_object_begin(e, "balance", "Memory of this process at that moment");
	emit_bytes(e, "live_bytes", "in use, as asked for", if_exact(o, s->live));
	emit_bytes(e, "slack_bytes", "in use, rounding and slack", if_exact(o, s->slack));
	emit_bytes(e, "pending_free_bytes", s->pending ? "freed, waiting for a stream" : NULL,
		   if_exact(o, s->pending));
	emit_bytes(e, "cached_usable_bytes", s->usable ? "cached, usable" : NULL,
		   if_exact(o, s->usable));
	emit_array_begin(e, "cached_unusable", NULL);
	for (unsigned u = 0; u < UNUSABLE_COUNT; u++) {
		if (!s->unusable[u] || !o->look.exact)
			continue;
		if (json)
			emit_object_begin(e, NULL, NULL);
		emit_str(e, "reason", NULL, unusable_name((enum unusable)u));
		emit_bytes(e, "bytes", unusable_labels[u], s->unusable[u]);
		if (json)
			emit_object_end(e);
	}
	emit_array_end(e);
	emit_bytes(e, "reserved_bytes", "= reserved", if_exact(o, s->reserved));
	emit_bytes(e, "device_free_bytes", "free on the device", o->device_free);
	emit_object_end(e);
}

static void json_evidence(struct emit *e, const struct model *m, const struct evidence *v,
			  const char *text)
{
	const struct evidence_keys *keys = evidence_keys(v->kind);
	char site[SITE_BYTES];

	emit_object_begin(e, NULL, NULL);
	emit_str(e, "fact", NULL, keys->fact);
	if (keys->bytes)
		emit_bytes(e, keys->bytes, NULL, v->bytes);
	if (keys->of_bytes)
		emit_bytes(e, keys->of_bytes, NULL, v->of_bytes);
	if (keys->count)
		emit_u64(e, keys->count, NULL, v->count);
	if (keys->count2)
		emit_u64(e, keys->count2, NULL, v->count2);
	if (v->kind == EVIDENCE_ELSEWHERE || v->kind == EVIDENCE_REFUSED_BLOCK) {
		emit_str(e, "reason", NULL, unusable_name(v->why));
		emit_addr(e, "stream", NULL, v->stream);
		emit_pool(e, "pool_id", NULL, v->pool, true);
	}
	if (v->kind == EVIDENCE_PINNING_SITE) {
		emit_str(e, "site", NULL, site_words(m, v->site, site, sizeof site));
		emit_bool(e, "alone", NULL, v->alone);
	}
	emit_str(e, "text", NULL, text);
	emit_object_end(e);
}

static void describe_evidence(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char text[SENTENCE_BYTES];
	unsigned lines = 0;

	emit_array_begin(e, "evidence", "Why");
	for (size_t i = 0; i < o->n_evidence; i++) {
		const struct evidence *v = &o->evidence[i];

		evidence_sentence(e, m, o, v, text, sizeof text);
		if (emit_is_json(e))
			json_evidence(e, m, v, text);
		/* The live bytes' sentence tells the idle ones too. */
		else if (v->kind != EVIDENCE_IDLE && lines++ < TEXT_EVIDENCE)
			emit_prose(e, "- %s", text);
	}
	emit_array_end(e);
}

static void describe_advice(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char text[SENTENCE_BYTES], setting[UNITS_BUF];

	emit_array_begin(e, "advice", o->n_advice ? "What helps (amounts are estimates)" : NULL);
	for (size_t i = 0; i < o->n_advice; i++) {
		const struct advice *a = &o->advice[i];

		advice_sentence(e, m, o, a, text, sizeof text);
		if (!emit_is_json(e)) {
			emit_prose(e, "- %s", text);
			continue;
		}
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "action", NULL, advice_name(a->kind));
		emit_str(e, "setting", NULL, advice_setting(a, setting, sizeof setting));
		emit_bytes(e, "recovers_bytes", NULL, a->bytes);
		emit_bool(e, "estimate", NULL, true);
		emit_str(e, "text", NULL, text);
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void describe_factors(struct emit *e, const struct explain_oom *o)
{
	emit_array_begin(e, "factors", NULL);
	for (size_t i = 0; i < o->n_factors; i++) {
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "name", NULL, verdict_name(o->factors[i].rule));
		emit_bytes(e, "bytes", NULL, o->factors[i].bytes);
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void json_oom(struct emit *e, const struct model *m, const struct explain *x,
		     const struct explain_oom *o)
{
	const struct request *q = &o->request;
	bool pool_known = q->pool_known || o->survey.only_default_pool;
	char text[SENTENCE_BYTES], site[SITE_BYTES];

	emit_object_begin(e, NULL, NULL);
	emit_i64(e, "device", NULL, o->device);
	emit_event(e, "event", NULL, o->event);
	emit_time_us(e, "time_us", NULL, o->time_us);
	emit_str(e, "summary", NULL, oom_sentence(e, m, o, text, sizeof text));
	emit_bytes(e, "requested_bytes", NULL, q->rounded);
	emit_bytes(e, "attempted_bytes", NULL, q->attempted);
	emit_bytes(e, "device_free_bytes", NULL, o->device_free);
	if (q->stream_known)
		emit_addr(e, "stream", NULL, q->stream);
	else
		emit_null(e, "stream", NULL);
	emit_pool(e, "pool_id", NULL, q->pool, pool_known);
	emit_str(e, "size_class", NULL, q->is_small ? "small" : "large");
	emit_bool(e, "retried", NULL, o->retried);
	emit_str(e, "verdict", NULL, verdict_name(o->verdict));
	describe_factors(e, o);
	emit_str(e, "site", NULL, site_words(m, o->site, site, sizeof site));
	emit_array_begin(e, "stack", NULL);
	describe_stack(e, m, o->stack);
	emit_array_end(e);
	emit_array_begin(e, "annotations", NULL);
	for (size_t i = 0; i < o->n_phases; i++) {
		const struct str *name = strtab_get(&m->strings, o->phases[i]);

		emit_strn(e, NULL, NULL, name->bytes, name->length);
	}
	emit_array_end(e);
	describe_evidence(e, m, o);
	describe_balance(e, o);
	describe_holders(e, m, x, &o->look);
	describe_advice(e, m, o);
	emit_object_end(e);
}

static void json_peak(struct emit *e, const struct model *m, const struct explain *x)
{
	const struct explain_peak *p = &x->peak;

	if (!p->known) {
		emit_null(e, "peak", NULL);
		return;
	}
	emit_object_begin(e, "peak", NULL);
	emit_i64(e, "device", NULL, p->device);
	emit_event(e, "event", NULL, p->event);
	emit_time_us(e, "time_us", NULL, p->time_us);
	describe_totals(e, &p->look.totals);
	describe_holders(e, m, x, &p->look);
	emit_object_end(e);
}

static void text_verdict(struct emit *e, const struct explain_oom *o)
{
	char words[200], bytes[UNITS_BUF];
	int n = snprintf(words, sizeof words, "%s", verdict_name(o->verdict));

	for (size_t i = 0; i < o->n_factors && n > 0 && (size_t)n < sizeof words; i++)
		n += snprintf(words + n, sizeof words - (size_t)n, "%s%s (%s)",
			      i ? ", " : "; also ", verdict_name(o->factors[i].rule),
			      emit_words_bytes(e, bytes, o->factors[i].bytes));
	emit_str(e, NULL, "verdict", words);
}

static void text_facts(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char words[SITE_BYTES], rounded[UNITS_BUF], attempted[UNITS_BUF], when[UNITS_BUF];
	size_t n = 0;

	text_verdict(e, o);
	snprintf(words, sizeof words, "%s (%s pool), for which the driver was asked for %s",
		 emit_words_bytes(e, rounded, o->request.rounded),
		 o->request.is_small ? "small" : "large",
		 emit_words_bytes(e, attempted, o->request.attempted));
	emit_str(e, NULL, "request", words);
	emit_str(e, NULL, "asked by", site_words(m, o->site, words, sizeof words));
	snprintf(words, sizeof words, "event %" PRId64 "%s%s", o->event,
		 o->time_us == TIME_NONE ? "" : ", ",
		 o->time_us == TIME_NONE ? "" : units_time_us(when, o->time_us));
	emit_str(e, NULL, "when", words);
	words[0] = '\0';
	for (size_t i = 0; i < o->n_phases && n < sizeof words; i++)
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%.200s", i ? " > " : "",
				      model_str(m, o->phases[i]));
	if (o->n_phases)
		emit_str(e, NULL, "inside", words);
}

/* Every other failure in one line, attempts that were retried in one for all of them. */
static void text_others(struct emit *e, const struct model *m, const struct explain *x)
{
	uint64_t retried = 0, others = 0, shown = 0;
	char text[SENTENCE_BYTES], count[UNITS_BUF];

	for (size_t i = 0; i < x->ooms.n; i++) {
		retried += i != x->main_oom && x->ooms.at[i].retried;
		others += i != x->main_oom && !x->ooms.at[i].retried;
	}
	if (!retried && !others)
		return;
	emit_section_begin(e, "Other refusals in this file");
	if (retried)
		emit_prose(e,
			   "- %s: the same thread asked again at once and the program went on "
			   "(libraries such as cuDNN try smaller workspaces).",
			   units_noun(count, sizeof count, retried, "attempt was retried",
				      "attempts were retried"));
	for (size_t i = x->ooms.n; i-- > 0 && others;) {
		const struct explain_oom *o = &x->ooms.at[i];

		if (i == x->main_oom || o->retried)
			continue;
		others--;
		if (shown++ < TEXT_OTHERS)
			emit_prose(e, "- Event %" PRId64 ", %s: %s", o->event,
				   verdict_name(o->verdict),
				   oom_sentence(e, m, o, text, sizeof text));
	}
	if (shown > TEXT_OTHERS)
		emit_line(e, "- and %s (--json tells all)",
			  units_noun(count, sizeof count, shown - TEXT_OTHERS, "more", "more"));
	emit_section_end(e);
}

static void text_oom(struct emit *e, const struct model *m, const struct explain *x)
{
	const struct explain_oom *o = &x->ooms.at[x->main_oom];
	char text[SENTENCE_BYTES];

	emit_prose(e, "%s", oom_sentence(e, m, o, text, sizeof text));
	if (o->retried)
		emit_prose(e, "The same thread asked again at once and the program went on.");
	emit_blank(e);
	text_facts(e, m, o);
	describe_balance(e, o);
	describe_evidence(e, m, o);
	describe_holders(e, m, x, &o->look);
	describe_advice(e, m, o);
	text_others(e, m, x);
}

/* One event alone is what is left when recording is off. */
static bool has_trace(const struct model *m)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i].n_events > 1)
			return true;
	return false;
}

static void text_peak(struct emit *e, const struct model *m, const struct explain *x)
{
	const struct explain_peak *p = &x->peak;
	const struct totals *t = &p->look.totals;
	char words[UNITS_BUF];

	if (!has_trace(m))
		emit_prose(e,
			   "The file has no events, so it does not tell whether memory ran out.");
	else if (m->partial)
		emit_prose(e, "Memory did not run out in what could be read of the file: there is "
			      "no oom event.");
	else
		emit_prose(e, "Memory did not run out in this file: it has no oom event.");
	if (!p->known)
		return;
	emit_prose(e, "The highest use was on device %" PRId32 ", %s%s:", p->device,
		   p->event < 0 ? "at " : "just after ", describe_event(words, p->event));
	emit_blank(e);
	emit_bytes(e, NULL, "requested", t->requested);
	emit_bytes(e, NULL, "allocated", t->allocated);
	emit_bytes(e, NULL, "active", t->active);
	emit_bytes(e, NULL, "reserved", t->reserved);
	describe_holders(e, m, x, &p->look);
}

void describe_explain(struct emit *e, const struct model *m, const struct explain *x)
{
	if (!emit_is_json(e)) {
		if (x->ooms.n)
			text_oom(e, m, x);
		else
			text_peak(e, m, x);
		return;
	}
	emit_bool(e, "partial", NULL, m->partial);
	emit_array_begin(e, "ooms", NULL);
	for (size_t i = 0; i < x->ooms.n; i++)
		json_oom(e, m, x, &x->ooms.at[i]);
	emit_array_end(e);
	if (!x->ooms.n)
		json_peak(e, m, x);
}
