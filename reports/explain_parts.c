/* SPDX-License-Identifier: MIT
 * explain_parts.c -- parts of an explanation: balance sheet, facts, holders, pinners, advice.
 */
#include "reports/explain_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "passes/site.h"
#include "reports/explain_words.h"
#include "reports/stack_lines.h"

#define SITE_BYTES 16384

/* Rows and lines that people see, so that all of it fits one screen. */
#define TEXT_HOLDERS  6
#define TEXT_EVIDENCE 5
#define TEXT_ADVICE   4
#define TEXT_PINNERS  3

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
	enum no_stack_reason why = no_stack_main(&look->no_stack);
	char site[SITE_BYTES];

	emit_row_begin(e);
	emit_share(e, "share", "share", h->bytes, look->totals.active);
	emit_bytes(e, "bytes", "bytes", h->bytes);
	emit_u64(e, "blocks", "blocks", h->blocks);
	emit_str(e, "site", "site", site_words(m, h->site, site, sizeof site));
	if (emit_is_json(e)) {
		/* Of a site without frames: why there are none. */
		if (stacks_depth(&m->stacks, h->stack) == 0 && why < NO_STACK_REASONS)
			emit_str(e, "no_stack_reason", NULL, no_stack_name(why));
		emit_array_begin(e, "stack", NULL);
		describe_stack(e, m, h->stack);
		emit_array_end(e);
	}
	emit_row_end(e);
}

/* Why some of the bytes have no name, when they are many. */
static void text_no_stack(struct emit *e, const struct explain_look *look)
{
	enum no_stack_reason why = no_stack_main(&look->no_stack);
	char bytes[UNITS_BUF];

	if (why == NO_STACK_REASONS || look->no_stack.of[why].bytes < look->totals.active / 50)
		return;
	emit_prose(e, "%s without a stack were %s.",
		   emit_words_bytes(e, bytes, look->no_stack.of[why].bytes), no_stack_words(why));
}

static void json_no_stack(struct emit *e, const struct explain_look *look)
{
	emit_array_begin(e, "no_stack", NULL);
	for (unsigned r = 0; r < NO_STACK_REASONS; r++) {
		if (!look->no_stack.of[r].blocks)
			continue;
		emit_object_begin(e, NULL, NULL);
		emit_str(e, "reason", NULL, no_stack_name((enum no_stack_reason)r));
		emit_bytes(e, "bytes", NULL, look->no_stack.of[r].bytes);
		emit_u64(e, "blocks", NULL, look->no_stack.of[r].blocks);
		emit_object_end(e);
	}
	emit_array_end(e);
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

void explain_part_holders(struct emit *e, const struct model *m, const struct explain *x,
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
	if (emit_is_json(e))
		json_no_stack(e, look);
	else
		text_no_stack(e, look);
}

/* --- the balance sheet ------------------------------------------------------------------------- */

static bool has_amounts(const struct explain_oom *o)
{
	return o->look.exact || (o->message_only && o->look.totals.allocated != BYTES_NONE);
}

static uint64_t if_known(const struct explain_oom *o, uint64_t bytes)
{
	return has_amounts(o) ? bytes : BYTES_NONE;
}

static uint64_t amount_bytes(const struct amount *a)
{
	return a->known ? a->bytes : BYTES_NONE;
}

static void json_unusable(struct emit *e, const char *reason, uint64_t bytes)
{
	emit_object_begin(e, NULL, NULL);
	emit_str(e, "reason", NULL, reason);
	emit_bytes(e, "bytes", NULL, bytes);
	emit_object_end(e);
}

static void json_processes(struct emit *e, const struct explain_oom *o, const struct oom_log *log)
{
	const struct oom_message *m = o->card.message;

	emit_array_begin(e, "processes", NULL);
	for (size_t i = 0; m && log && i < m->n_processes; i++) {
		const struct oom_process *p = &log->processes.at[m->first_process + i];

		emit_object_begin(e, NULL, NULL);
		emit_u64(e, "pid", NULL, p->pid);
		emit_bytes(e, "bytes", NULL, amount_bytes(&p->used));
		emit_object_end(e);
	}
	emit_array_end(e);
}

static void json_categories(struct emit *e, const struct explain_oom *o)
{
	if (!o->categories_known) {
		emit_null(e, "live_by_category", NULL);
		return;
	}
	emit_object_begin(e, "live_by_category", NULL);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		emit_bytes(e, category_name((enum category)c), NULL, o->by_category[c]);
	emit_object_end(e);
}

static void json_balance(struct emit *e, const struct explain_oom *o, const struct oom_log *log)
{
	const struct survey *s = &o->survey;
	const struct balance *b = &o->balance;

	emit_object_begin(e, "balance", NULL);
	emit_bytes(e, "device_total_bytes", NULL, amount_bytes(&b->total));
	emit_str(e, "device_total_from", NULL,
		 b->total.known ? fact_source_name(o->card.total_from) : NULL);
	emit_bytes(e, "allowed_bytes", NULL, amount_bytes(&o->card.allowed));
	emit_bytes(e, "other_processes_bytes", NULL, amount_bytes(&b->others));
	emit_bytes(e, "outside_allocator_bytes", NULL, amount_bytes(&b->outside));
	emit_bytes(e, "live_bytes", NULL, if_known(o, s->live));
	json_categories(e, o);
	emit_bytes(e, "pending_free_bytes", NULL, o->look.exact ? s->pending : BYTES_NONE);
	emit_bytes(e, "cached_usable_bytes", NULL, o->look.exact ? s->usable : BYTES_NONE);
	emit_array_begin(e, "cached_unusable", NULL);
	for (unsigned u = 0; u < UNUSABLE_COUNT && o->look.exact; u++)
		if (s->unusable[u])
			json_unusable(e, unusable_name((enum unusable)u), s->unusable[u]);
	if (has_amounts(o) && s->unsorted)
		json_unusable(e, "unknown", s->unsorted);
	emit_array_end(e);
	emit_bytes(e, "slack_bytes", NULL, o->look.exact ? s->slack : BYTES_NONE);
	emit_bytes(e, "reserved_bytes", NULL, if_known(o, s->reserved));
	emit_bytes(e, "device_free_bytes", NULL, o->device_free);
	if (b->total.known) {
		emit_i64(e, "unattributed_bytes", NULL, b->unattributed);
		emit_i64(e, "unattributed_min_bytes", NULL, b->unattributed_low);
		emit_i64(e, "unattributed_max_bytes", NULL, b->unattributed_high);
	} else {
		emit_null(e, "unattributed_bytes", NULL);
		emit_null(e, "unattributed_min_bytes", NULL);
		emit_null(e, "unattributed_max_bytes", NULL);
	}
	json_processes(e, o, log);
	emit_object_end(e);
}

static const char *signed_words(const struct emit *e, char buf[UNITS_BUF + 1], int64_t bytes)
{
	char amount[UNITS_BUF];

	snprintf(buf, UNITS_BUF + 1, "%s%s", bytes < 0 ? "-" : "",
		 emit_words_bytes(e, amount, bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes));
	return buf;
}

/* A line of the sheet, a word behind the amount where there is one. */
static void line(struct emit *e, const char *label, uint64_t bytes, const char *note)
{
	char amount[UNITS_BUF], words[400];

	snprintf(words, sizeof words, "%s%s%s", emit_words_bytes(e, amount, bytes),
		 *note ? "  " : "", note);
	emit_str(e, NULL, label, words);
}

/* What the blocks in use are for, the largest parts first. */
static void text_categories(struct emit *e, const struct explain_oom *o)
{
	char words[600] = "", bytes[UNITS_BUF];
	bool shown[CATEGORY_COUNT] = {false};
	size_t n = 0;

	if (!o->categories_known || o->by_category[CATEGORY_UNKNOWN] == o->survey.allocated)
		return;
	for (int k = 0; k < CATEGORY_COUNT; k++) {
		int most = -1;

		for (int c = 0; c < CATEGORY_COUNT; c++)
			if (!shown[c] && (most < 0 || o->by_category[c] > o->by_category[most]))
				most = c;
		shown[most] = true;
		/* People see none that would show 0 %. */
		if (o->by_category[most] <= o->survey.allocated / 200)
			break;
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%s %s", n ? ", " : "",
				      category_name((enum category)most),
				      emit_words_bytes(e, bytes, o->by_category[most]));
	}
	if (n)
		emit_str(e, NULL, "in use, what for", words);
}

static void text_process(struct emit *e, const struct explain_oom *o)
{
	const struct survey *s = &o->survey;

	line(e, o->message_only ? "in use" : "in use, as asked for", s->live, "");
	if (!o->message_only)
		line(e, "in use, rounding and slack", s->slack, "");
	text_categories(e, o);
	if (s->pending)
		line(e, "freed, waiting for a stream", s->pending, "");
	if (s->usable)
		line(e, "cached, usable", s->usable, "");
	for (unsigned u = 0; u < UNUSABLE_COUNT; u++)
		if (s->unusable[u])
			line(e, unusable_labels[u], s->unusable[u], "");
	if (s->unsorted)
		line(e, "cached, nobody knows how", s->unsorted, "");
}

/* Bounds only where everybody who could hold it is known: they are those of rounding. */
static void text_rest(struct emit *e, const struct explain_oom *o)
{
	const struct balance *b = &o->balance;
	char rest[UNITS_BUF + 1], low[UNITS_BUF + 1], high[UNITS_BUF + 1], words[400];

	signed_words(e, rest, b->unattributed);
	if (b->others.known && b->outside.known)
		snprintf(words, sizeof words, "%s  driver and rounding, %s to %s", rest,
			 signed_words(e, low, b->unattributed_low),
			 signed_words(e, high, b->unattributed_high));
	else
		snprintf(words, sizeof words, "%s  %s%s", rest,
			 b->others.known ? "context and libraries of this process, driver"
					 : "other processes, contexts, driver",
			 o->device_free == BYTES_NONE ? ", and what was free" : "");
	emit_str(e, NULL, "unattributed", words);
}

static void text_card_head(struct emit *e, const struct explain_oom *o)
{
	const struct balance *b = &o->balance;
	char count[UNITS_BUF];

	if (b->others.known)
		line(e, "other processes", b->others.bytes,
		     o->card.n_others ? units_noun(count, sizeof count, o->card.n_others, "process",
						   "processes")
				      : "");
	if (b->outside.known)
		line(e, o->card.self.known ? "context and libraries" : "libraries",
		     b->outside.bytes,
		     o->card.self.known ? "of this process" : "of this process, as recorded");
}

static void text_limit(struct emit *e, const struct explain_oom *o)
{
	char low[UNITS_BUF], high[UNITS_BUF], words[200];

	if (o->card.allowed.known) {
		line(e, "limit of this process", o->card.allowed.bytes, "");
	} else if (explain_limited(o)) {
		snprintf(words, sizeof words, "%s or more, less than %s",
			 emit_words_bytes(e, low, o->survey.reserved),
			 emit_words_bytes(e, high, o->survey.reserved + o->request.attempted));
		emit_str(e, NULL, "limit of this process", words);
	}
}

static void text_balance(struct emit *e, const struct explain_oom *o)
{
	const struct balance *b = &o->balance;
	static const char *const from[] = {
		[FACT_NONE] = "",
		[FACT_OPTION] = ", as given",
		[FACT_OBSERVER] = "",
		[FACT_MESSAGE] = ", as the message says",
		[FACT_SMI] = ", as nvidia-smi says",
		[FACT_TRACE] = ", as the trace says",
		[FACT_DRIVER] = ", as the recording says",
	};
	char title[200], total[UNITS_BUF];

	if (b->total.known)
		snprintf(title, sizeof title, "Where the card's %s were%s",
			 emit_words_bytes(e, total, b->total.bytes), from[o->card.total_from]);
	else
		snprintf(title, sizeof title, "Memory of this process at that moment");
	emit_section_begin(e, title);
	text_card_head(e, o);
	if (has_amounts(o)) {
		text_process(e, o);
		if (!b->total.known)
			line(e, "= reserved", o->survey.reserved, "");
	}
	emit_bytes(e, NULL, "free on the device", o->device_free);
	if (b->total.known)
		text_rest(e, o);
	text_limit(e, o);
	emit_section_end(e);
}

void explain_part_balance(struct emit *e, const struct explain_oom *o, const struct oom_log *log)
{
	if (emit_is_json(e))
		json_balance(e, o, log);
	else
		text_balance(e, o);
}

/* --- pinners ----------------------------------------------------------------------------------- */

static void json_pinner(struct emit *e, const struct model *m, const struct explain_oom *o,
			const struct pinner *p)
{
	char site[SITE_BYTES];

	emit_row_begin(e);
	emit_addr(e, "address", NULL, p->address);
	emit_bytes(e, "size", NULL, p->size);
	emit_bytes(e, "joins_bytes", NULL, p->joins);
	emit_bytes(e, "releases_bytes", NULL, p->releases);
	emit_addr(e, "segment_address", NULL, p->segment_address);
	emit_bytes(e, "segment_size", NULL, p->segment_size);
	if (p->born < 0)
		emit_null(e, "age_events", NULL);
	else
		emit_i64(e, "age_events", NULL, o->event - p->born);
	emit_str(e, "site", NULL, site_words(m, p->site, site, sizeof site));
	emit_row_end(e);
}

static void text_pinner(struct emit *e, const struct model *m, const struct explain_oom *o,
			const struct pinner *p)
{
	char site[SITE_BYTES];

	emit_row_begin(e);
	emit_bytes(e, NULL, "hole it would leave", p->joins);
	emit_bytes(e, NULL, "block", p->size);
	if (p->born < 0)
		emit_str(e, NULL, "age", "older than the trace");
	else
		emit_u64(e, NULL, "age in events", (uint64_t)(o->event - p->born));
	emit_str(e, NULL, "site", site_words(m, p->site, site, sizeof site));
	emit_row_end(e);
}

void explain_part_pinners(struct emit *e, const struct model *m, const struct explain *x,
			  const struct explain_oom *o)
{
	bool json = emit_is_json(e);
	size_t n = o->n_pinners;

	if (!json && (o->verdict != VERDICT_FRAGMENTATION || n == 0))
		return;
	if (!json && n > TEXT_PINNERS)
		n = TEXT_PINNERS;
	emit_table_begin(e, "pinners", "Live blocks that split the free memory");
	for (size_t i = 0; i < n; i++)
		(json ? json_pinner : text_pinner)(e, m, o, &x->pinners.at[o->first_pinner + i]);
	emit_table_end(e);
}

/* --- facts and advice -------------------------------------------------------------------------- */

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

void explain_part_evidence(struct emit *e, const struct model *m, const struct explain_oom *o)
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

static void part_simulated(struct emit *e, const struct advice *a)
{
	if (!a->simulated.known) {
		emit_null(e, "simulated", NULL);
		return;
	}
	emit_object_begin(e, "simulated", NULL);
	emit_bytes(e, "peak_reserved_bytes", NULL, a->simulated.reserved);
	emit_bytes(e, "trace_peak_reserved_bytes", NULL, a->simulated.trace_reserved);
	if (a->simulated.passes || a->simulated.fails)
		emit_bool(e, "survives", NULL, a->simulated.passes);
	else
		emit_null(e, "survives", NULL);
	emit_object_end(e);
}

void explain_part_advice(struct emit *e, const struct model *m, const struct explain_oom *o)
{
	char text[SENTENCE_BYTES], setting[UNITS_BUF];

	emit_array_begin(e, "advice",
			 o->n_advice ? "What would have fitted (amounts are estimates)" : NULL);
	for (size_t i = 0; i < o->n_advice && (emit_is_json(e) || i < TEXT_ADVICE); i++) {
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
		emit_bytes(e, "recovers_min_bytes", NULL, a->low);
		emit_bytes(e, "recovers_max_bytes", NULL, a->high);
		emit_bool(e, "estimate", NULL, true);
		part_simulated(e, a);
		emit_str(e, "text", NULL, text);
		emit_object_end(e);
	}
	emit_array_end(e);
}
