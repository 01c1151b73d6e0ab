/* SPDX-License-Identifier: MIT
 * describe_explain.c -- why memory ran out: the main failure on one screen, the others in a line.
 */
#include "reports/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "passes/site.h"
#include "reports/explain_parts.h"
#include "reports/describe_outside.h"
#include "reports/explain_words.h"
#include "reports/stack_lines.h"

#define SITE_BYTES 16384

/* Lines of other failures that people see. */
#define TEXT_OTHERS 4

/* Stacks of holders under --stacks. */
#define TEXT_STACKS 5

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

/* What a cause's numbers are called. */
static void describe_cause(struct emit *e, const struct model *m, const struct explain_cause *c)
{
	char text[SENTENCE_BYTES], site[SITE_BYTES];

	emit_str(e, "cause", NULL, cause_name(c->cause));
	if (c->cause == CAUSE_NONE) {
		emit_null(e, "cause_evidence", NULL);
		return;
	}
	emit_object_begin(e, "cause_evidence", NULL);
	emit_bytes(e, "bytes", NULL, c->bytes);
	emit_bytes(e, "of_bytes", NULL, c->of_bytes);
	emit_u64(e, "count", NULL, c->count);
	emit_u64(e, "count2", NULL, c->count2);
	emit_str(e, "site", NULL, c->has_site ? site_words(m, c->site, site, sizeof site) : NULL);
	emit_str(e, "text", NULL, cause_sentence(e, m, c, text, sizeof text));
	emit_object_end(e);
}

static void json_missing(struct emit *e, const struct explain_oom *o)
{
	emit_str(e, "confidence", NULL, confidence_name(o->confidence));
	emit_array_begin(e, "missing", NULL);
	for (unsigned bit = 0; bit < MISSING_BITS; bit++)
		if (o->missing >> bit & 1)
			emit_str(e, NULL, NULL, missing_name(bit));
	emit_array_end(e);
}

/* Who asked, where a snapshot tells. */
static void json_asker(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char site[SITE_BYTES];

	if (o->message_only)
		emit_null(e, "site", NULL);
	else
		emit_str(e, "site", NULL, site_words(m, o->site, site, sizeof site));
	emit_array_begin(e, "stack", NULL);
	if (!o->message_only)
		describe_stack(e, m, o->stack);
	emit_array_end(e);
	emit_array_begin(e, "annotations", NULL);
	for (size_t i = 0; i < o->n_phases; i++) {
		const struct str *name = strtab_get(&m->strings, o->phases[i]);

		emit_strn(e, NULL, NULL, name->bytes, name->length);
	}
	emit_array_end(e);
}

static void json_message(struct emit *e, const struct explain_oom *o)
{
	const struct oom_message *msg = o->card.message;

	if (!msg) {
		emit_null(e, "message", NULL);
		return;
	}
	emit_object_begin(e, "message", NULL);
	emit_u64(e, "line", NULL, msg->line);
	emit_str(e, "form", NULL, msg->form);
	if (msg->rank < 0)
		emit_null(e, "rank", NULL);
	else
		emit_i64(e, "rank", NULL, msg->rank);
	emit_bool(e, "cut", NULL, msg->cut);
	emit_object_end(e);
}

static void json_oom(struct emit *e, const struct model *m, const struct explain *x,
		     const struct explain_oom *o, const struct explain_report *r)
{
	const struct request *q = &o->request;
	bool pool_known = q->pool_known || o->survey.only_default_pool;
	char text[SENTENCE_BYTES];

	emit_object_begin(e, NULL, NULL);
	if (o->message_only && o->device < 0)
		emit_null(e, "device", NULL);
	else
		emit_i64(e, "device", NULL, o->device);
	if (o->message_only)
		emit_null(e, "event", NULL);
	else
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
	emit_pool(e, "pool_id", NULL, q->pool, pool_known && !o->message_only);
	emit_str(e, "size_class", NULL, o->message_only ? NULL : q->is_small ? "small" : "large");
	emit_bool(e, "retried", NULL, o->retried);
	emit_str(e, "verdict", NULL, verdict_name(o->verdict));
	describe_factors(e, o);
	describe_cause(e, m, &o->cause);
	json_missing(e, o);
	json_asker(e, m, o);
	json_message(e, o);
	explain_part_evidence(e, m, o);
	explain_part_balance(e, o, r->log);
	describe_outside(e, &o->outside);
	explain_part_holders(e, m, x, &o->look);
	explain_part_pinners(e, m, x, o);
	explain_part_advice(e, m, o);
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
	describe_outside(e, &p->outside);
	explain_part_holders(e, m, x, &p->look);
	emit_object_end(e);
}

static void text_verdict(struct emit *e, const struct explain_oom *o)
{
	char words[300], bytes[UNITS_BUF];
	int n = snprintf(words, sizeof words, "%s", verdict_name(o->verdict));

	for (size_t i = 0; i < o->n_factors && n > 0 && (size_t)n < sizeof words; i++)
		n += snprintf(words + n, sizeof words - (size_t)n, "%s%s (%s)",
			      i ? ", " : "; also ", verdict_name(o->factors[i].rule),
			      emit_words_bytes(e, bytes, o->factors[i].bytes));
	emit_str(e, NULL, "verdict", words);
}

static void text_confidence(struct emit *e, const struct explain_oom *o)
{
	char words[900];
	size_t n = (size_t)snprintf(words, sizeof words, "%s", confidence_name(o->confidence));
	const char *join = "; to be sure: ";

	for (unsigned bit = 0; bit < MISSING_BITS && n < sizeof words; bit++) {
		if (!(o->missing >> bit & 1))
			continue;
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", join,
				      missing_words(bit));
		join = "; ";
	}
	emit_str(e, NULL, "confidence", words);
}

static void text_cause(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char words[SENTENCE_BYTES + 40], what[SENTENCE_BYTES];

	if (o->cause.cause == CAUSE_NONE)
		return;
	snprintf(words, sizeof words, "%s: %s", cause_name(o->cause.cause),
		 cause_sentence(e, m, &o->cause, what, sizeof what));
	emit_str(e, NULL, "cause", words);
}

static void text_when(struct emit *e, const struct explain_oom *o)
{
	char words[200], event[UNITS_BUF], when[UNITS_BUF];

	snprintf(words, sizeof words, "%s%s%s", describe_event(event, o->event),
		 o->time_us == TIME_NONE ? "" : ", ",
		 o->time_us == TIME_NONE ? "" : units_time_us(when, o->time_us));
	emit_str(e, NULL, "when", words);
}

static void text_annotations(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char words[2048] = "";
	size_t n = 0;

	for (size_t i = 0; i < o->n_phases && n < sizeof words; i++)
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%.200s", i ? " > " : "",
				      model_str(m, o->phases[i]));
	if (o->n_phases)
		emit_str(e, NULL, "inside", words);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* What was read besides the snapshot, and whether it is about this failure. */
static void text_sides(struct emit *e, const struct explain_oom *o, const struct explain_report *r)
{
	const struct {
		const char *file;
		bool differs;
	} sides[] = {{r->log_file, o->card.message_differs},
		     {r->observer_file, o->card.observer_differs},
		     {r->smi_file, false},
		     {r->driver_file, o->outside.differs}};

	char words[1200] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof sides / sizeof sides[0] && n < sizeof words; i++) {
		if (!sides[i].file)
			continue;
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%.300s%s", n ? ", " : "",
				      last_part(sides[i].file),
				      sides[i].differs ? " (about another failure: not used)" : "");
	}
	if (n)
		emit_str(e, NULL, "read too", words);
}

static void text_facts(struct emit *e, const struct model *m, const struct explain_oom *o,
		       const struct explain_report *r)
{
	char words[SITE_BYTES], rounded[UNITS_BUF], attempted[UNITS_BUF];

	text_verdict(e, o);
	text_cause(e, m, o);
	text_confidence(e, o);
	if (!o->message_only) {
		snprintf(words, sizeof words, "%s (%s pool), for which the driver was asked for %s",
			 emit_words_bytes(e, rounded, o->request.rounded),
			 o->request.is_small ? "small" : "large",
			 emit_words_bytes(e, attempted, o->request.attempted));
		emit_str(e, NULL, "request", words);
		emit_str(e, NULL, "asked by", site_words(m, o->site, words, sizeof words));
		text_when(e, o);
		text_annotations(e, m, o);
	} else if (o->card.message) {
		snprintf(words, sizeof words, "line %" PRIu64 " of the log", o->card.message->line);
		emit_str(e, NULL, "message", words);
	}
	text_sides(e, o, r);
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
	emit_section_begin(e, m ? "Other refusals in this file" : "Other failures in this log");
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
		if (shown++ >= TEXT_OTHERS)
			continue;
		if (o->message_only)
			emit_prose(e, "- Line %" PRIu64 ", %s: %s", o->card.message->line,
				   verdict_name(o->verdict),
				   oom_sentence(e, m, o, text, sizeof text));
		else
			emit_prose(e, "- Event %s, %s: %s", units_count(count, (uint64_t)o->event),
				   verdict_name(o->verdict),
				   oom_sentence(e, m, o, text, sizeof text));
	}
	if (shown > TEXT_OTHERS)
		emit_line(e, "- and %s (--json tells all)",
			  units_noun(count, sizeof count, shown - TEXT_OTHERS, "more", "more"));
	emit_section_end(e);
}

static void text_stacks(struct emit *e, const struct model *m, const struct explain *x,
			const struct explain_oom *o)
{
	const struct explain_look *look = &o->look;
	char words[SITE_BYTES], bytes[UNITS_BUF];

	emit_section_begin(e, "Stacks, innermost first");
	emit_line(e, "who asked");
	text_stack(e, m, o->stack);
	for (size_t k = 0; k < look->n_holders && k < TEXT_STACKS; k++) {
		const struct holder *h = &x->holders.at[look->first_holder + k];

		emit_line(e, "%s by %s", emit_words_bytes(e, bytes, h->stack_bytes),
			  site_short(m, h->site, words, sizeof words));
		text_stack(e, m, h->stack);
	}
	emit_section_end(e);
}

static void text_oom(struct emit *e, const struct model *m, const struct explain *x,
		     const struct explain_report *r)
{
	const struct explain_oom *o = &x->ooms.at[x->main_oom];
	char text[SENTENCE_BYTES];

	emit_prose(e, "%s", oom_sentence(e, m, o, text, sizeof text));
	if (o->retried)
		emit_prose(e, "The same thread asked again at once and the program went on.");
	emit_blank(e);
	text_facts(e, m, o, r);
	explain_part_balance(e, o, r->log);
	describe_outside(e, &o->outside);
	explain_part_evidence(e, m, o);
	explain_part_holders(e, m, x, &o->look);
	explain_part_pinners(e, m, x, o);
	explain_part_advice(e, m, o);
	if (r->stacks && !o->message_only)
		text_stacks(e, m, x, o);
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
	describe_outside(e, &p->outside);
	explain_part_holders(e, m, x, &p->look);
}

static void json_sides(struct emit *e, const struct explain_report *r)
{
	const struct {
		const char *kind, *file;
	} sides[] = {{"log", r->log_file},
		     {"observer", r->observer_file},
		     {"nvidia-smi", r->smi_file},
		     {"driver", r->driver_file}};

	emit_array_begin(e, "side_files", NULL);
	for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
		if (!sides[i].file)
			continue;
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "kind", NULL, sides[i].kind);
		emit_str(e, "file", NULL, sides[i].file);
		emit_object_end(e);
	}
	emit_array_end(e);
}

/* A log without a failure that has amounts. */
static void text_no_message(struct emit *e, const struct explain *x)
{
	if (x->n_messages)
		emit_prose(e,
			   "The log tells that memory ran out, but no amounts: what a snapshot or "
			   "a newer PyTorch's message would tell is missing.");
	else
		emit_prose(e, "No message of the log says that memory ran out.");
}

void describe_explain(struct emit *e, const struct model *m, const struct explain *x,
		      const struct explain_report *r)
{
	if (!emit_is_json(e)) {
		if (x->ooms.n)
			text_oom(e, m, x, r);
		else if (m)
			text_peak(e, m, x);
		else
			text_no_message(e, x);
		return;
	}
	emit_bool(e, "partial", NULL, m && m->partial);
	json_sides(e, r);
	emit_array_begin(e, "ooms", NULL);
	for (size_t i = 0; i < x->ooms.n; i++)
		json_oom(e, m, x, &x->ooms.at[i], r);
	emit_array_end(e);
	if (!x->ooms.n && m)
		json_peak(e, m, x);
}
