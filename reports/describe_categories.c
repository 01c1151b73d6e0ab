/* SPDX-License-Identifier: MIT
 * describe_categories.c -- what each live block is, and which evidence says so.
 */
#include "reports/describe_categories.h"

#include <inttypes.h>
#include <stdio.h>

#include "passes/site.h"
#include "reports/describe.h"
#include "reports/stack_lines.h"

#define FRAME_BYTES 8192

struct category_sums {
	uint64_t total;
	uint64_t bytes[CATEGORY_COUNT], blocks[CATEGORY_COUNT];
	uint64_t sure[CONFIDENCE_HIGH + 1]; /* bytes by confidence */
};

const struct state_block *categories_block_at(const struct state *s, uint64_t address)
{
	for (size_t i = 0; i < s->blocks.n; i++) {
		const struct state_block *b = &s->blocks.at[i];

		if (b->state != BLOCK_INACTIVE && address >= b->address &&
		    address - b->address < b->size)
			return b;
	}
	return NULL;
}

static struct category_sums sum_up(const struct categories_view *v)
{
	struct category_sums sums = {0};

	for (size_t i = 0; i < v->state->blocks.n; i++) {
		const struct state_block *b = &v->state->blocks.at[i];
		struct allocation_category x;

		if (b->state == BLOCK_INACTIVE)
			continue;
		x = categories_of_block(&v->purpose->categories, b);
		sums.total += b->size;
		sums.bytes[x.category] += b->size;
		sums.blocks[x.category]++;
		sums.sure[x.confidence] += b->size;
	}
	return sums;
}

static const char *rule_id(const struct categories_view *v, uint16_t rule)
{
	const char *id = rule == RULE_NONE ? "" : rules_at(v->rules, rule)->id;

	return *id ? id : NULL;
}

static const char *user_category(const struct categories_view *v, struct allocation_category x)
{
	return x.user_category == RULE_NONE ? NULL : rules_at(v->rules, x.user_category)->name;
}

static void describe_sums(struct emit *e, const struct category_sums *sums)
{
	emit_object_begin(e, "by_category", NULL);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		emit_bytes(e, category_name((enum category)c), NULL, sums->bytes[c]);
	emit_object_end(e);
	if (emit_is_json(e))
		return;
	emit_table_begin(e, NULL, NULL);
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (!sums->blocks[c])
			continue;
		emit_row_begin(e);
		emit_share(e, NULL, "share", sums->bytes[c], sums->total);
		emit_bytes(e, NULL, "bytes", sums->bytes[c]);
		emit_u64(e, NULL, "blocks", sums->blocks[c]);
		emit_str(e, NULL, "category", category_name((enum category)c));
		emit_row_end(e);
	}
	emit_table_end(e);
}

static void describe_block(struct emit *e, const struct categories_view *v,
			   const struct state_block *b)
{
	const struct categories *c = &v->purpose->categories;
	struct allocation_category x = categories_of_block(c, b);
	const char *detail = category_detail(c, x);

	emit_row_begin(e);
	emit_addr(e, "address", "address", b->address);
	emit_bytes(e, "size", "size", b->size);
	emit_bytes(e, "requested_size", NULL, b->requested);
	emit_str(e, "category", "category", category_name((enum category)x.category));
	emit_str(e, "detail", "detail", detail);
	emit_str(e, "rule", "rule", rule_id(v, x.rule));
	emit_str(e, "confidence", "confidence", confidence_name((enum confidence)x.confidence));
	emit_str(e, "user_category", NULL, user_category(v, x));
	emit_str(e, "phase", NULL, phase_name((enum phase)x.phase));
	emit_str(e, "evidence", "evidence", category_reason_words((enum category_reason)x.reason));
	emit_row_end(e);
}

static void describe_blocks(struct emit *e, const struct categories_view *v)
{
	emit_table_begin(e, "blocks", "Blocks");
	for (size_t i = 0; i < v->state->blocks.n; i++)
		if (v->state->blocks.at[i].state != BLOCK_INACTIVE)
			describe_block(e, v, &v->state->blocks.at[i]);
	emit_table_end(e);
}

/* --- one block, with all that is known of it --------------------------------------------------- */

static void describe_rule(struct emit *e, const struct categories_view *v,
			  struct allocation_category x, stack_id stack)
{
	const struct stack_verdict *s = stack_rules_of(&v->purpose->stacks, stack);
	const struct rule *r = x.rule == RULE_NONE ? NULL : rules_at(v->rules, x.rule);
	frame_id frame = {0};
	char words[FRAME_BYTES];

	if (r)
		frame = x.rule == s->owner ? s->owner_frame : s->phase_frame;
	emit_str(e, "rule", "rule", r ? rule_id(v, x.rule) : NULL);
	emit_str(e, "rule_note", "says", r && *r->note ? r->note : NULL);
	emit_str(e, "rule_frame", "of frame",
		 frame.i ? frame_words(v->model, frame, words, sizeof words) : NULL);
}

static const char *phase_evidence_words(const struct categories_view *v, uint32_t row,
					struct allocation_category x)
{
	static const char *const words[] = {
		[PHASE_BY_NOTHING] = NULL,
		[PHASE_BY_STACK] = "its stack",
		[PHASE_BY_EMPTY_STACK] = "its empty stack: another thread than Python's",
		[PHASE_BY_ANNOTATION] = "the annotation around it",
	};
	uint8_t evidence = x.phase == PHASE_NONE ? PHASE_BY_NOTHING : PHASE_BY_STACK;

	if (row != ALLOCATION_NONE && row >= v->purpose->allocations.n_before)
		evidence = v->purpose->phases.evidence.at[row];
	return words[evidence];
}

static void describe_step(struct emit *e, const struct categories_view *v, const char *key,
			  const char *label, int64_t event)
{
	int64_t step = event < 0 || event >= ALLOCATION_ALIVE
			       ? -1
			       : phases_step_at(&v->purpose->phases, event);

	if (step < 0)
		emit_null(e, key, label);
	else
		emit_i64(e, key, label, step);
}

static void describe_life(struct emit *e, const struct categories_view *v, uint32_t row)
{
	const struct allocation *a = &v->purpose->allocations.rows.at[row];

	emit_event(e, "born_event", "made at event", a->born);
	describe_step(e, v, "born_step", "made in step", a->born);
	if (a->free_requested == ALLOCATION_ALIVE)
		emit_null(e, "free_event", "freed at event");
	else
		emit_event(e, "free_event", "freed at event", a->free_requested);
	describe_step(e, v, "free_step", "freed in step", a->free_requested);
}

static void describe_one(struct emit *e, const struct categories_view *v)
{
	const struct state_block *b = categories_block_at(v->state, v->explain);
	const struct categories *c = &v->purpose->categories;
	struct allocation_category x = categories_of_block(c, b);
	uint32_t row = allocations_of_block(&v->purpose->allocations, b);

	emit_object_begin(e, "explain", "Block");
	emit_addr(e, "address", "address", b->address);
	emit_bytes(e, "size", "size", b->size);
	emit_bytes(e, "requested_size", "requested", b->requested);
	emit_str(e, "category", "category", category_name((enum category)x.category));
	emit_str(e, "detail", "detail", category_detail(c, x));
	emit_str(e, "user_category", NULL, user_category(v, x));
	emit_str(e, "confidence", "confidence", confidence_name((enum confidence)x.confidence));
	emit_str(e, "evidence", "because", category_reason_words((enum category_reason)x.reason));
	describe_rule(e, v, x, b->stack);
	emit_str(e, "phase", "phase", phase_name((enum phase)x.phase));
	emit_str(e, "phase_evidence", "told by", phase_evidence_words(v, row, x));
	if (row != ALLOCATION_NONE)
		describe_life(e, v, row);
	emit_array_begin(e, "stack", NULL);
	describe_stack(e, v->model, b->stack);
	emit_array_end(e);
	emit_object_end(e);
	if (!emit_is_json(e)) {
		emit_blank(e);
		text_stack(e, v->model, b->stack);
	}
}

/* --- the whole --------------------------------------------------------------------------------- */

static void text_head(struct emit *e, const struct categories_view *v,
		      const struct category_sums *sums)
{
	char total[UNITS_BUF], words[UNITS_BUF], blocks[UNITS_BUF];
	uint64_t n = 0;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		n += sums->blocks[c];
	emit_line(e, "Device %" PRId32 " %s%s: %s in %s", v->state->device->index,
		  v->at->is_file_end ? "at the end of the file" : "just after ",
		  v->at->is_file_end ? "" : describe_event(words, v->state->event),
		  emit_words_bytes(e, total, sums->total),
		  units_noun(blocks, sizeof blocks, n, "block", "blocks"));
	if (!v->state->exact)
		emit_prose(e, "Counted from the first event on: what lived before it is unknown, "
			      "because the trace does not reach the segments of the file.");
}

static void text_sure(struct emit *e, const struct category_sums *sums)
{
	double whole = sums->total ? (double)sums->total / 100 : 1;

	emit_blank(e);
	emit_line(e, "Confidence: %.1f %% high, %.1f %% medium, %.1f %% low (by bytes)",
		  (double)sums->sure[CONFIDENCE_HIGH] / whole,
		  (double)sums->sure[CONFIDENCE_MEDIUM] / whole,
		  (double)sums->sure[CONFIDENCE_LOW] / whole);
}

static void describe_steps(struct emit *e, const struct phases *p)
{
	char words[UNITS_BUF];

	emit_object_begin(e, "steps", NULL);
	emit_u64(e, "count", NULL, p->steps.n);
	emit_str(e, "source", NULL, p->source == STEPS_NONE ? NULL : step_source_name(p->source));
	emit_str(e, "confidence", NULL,
		 p->source == STEPS_NONE ? NULL : confidence_name(p->confidence));
	emit_object_end(e);
	if (emit_is_json(e))
		return;
	if (p->source == STEPS_NONE)
		emit_line(e, "No steps were found.");
	else
		emit_line(e, "%s found, by %s (confidence %s)",
			  units_noun(words, sizeof words, p->steps.n, "step", "steps"),
			  step_source_name(p->source), confidence_name(p->confidence));
}

void describe_categories(struct emit *e, const struct categories_view *v)
{
	struct category_sums sums = sum_up(v);

	emit_i64(e, "device", NULL, v->state->device->index);
	emit_event(e, "event", NULL, v->state->event);
	emit_bool(e, "exact", NULL, v->state->exact);
	emit_bool(e, "partial", NULL, v->model->partial);
	emit_bytes(e, "total_bytes", NULL, sums.total);
	if (!emit_is_json(e))
		text_head(e, v, &sums);
	if (v->has_explain) {
		describe_one(e, v);
		return;
	}
	if (!emit_is_json(e))
		emit_blank(e);
	describe_sums(e, &sums);
	if (!emit_is_json(e))
		text_sure(e, &sums);
	describe_steps(e, &v->purpose->phases);
	if (emit_is_json(e) || v->list_blocks)
		describe_blocks(e, v);
}
