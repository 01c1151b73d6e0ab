/* SPDX-License-Identifier: MIT
 * describe_diff.c -- what changed between two states: how much, where, since when; then the rows.
 */
#include "reports/diff_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "passes/fragmentation.h"
#include "reports/describe.h"
#include "reports/top_key.h"

const char *diff_words_delta(const struct emit *e, char buf[UNITS_BUF + 1], uint64_t base,
			     uint64_t new)
{
	char words[UNITS_BUF];
	uint64_t amount = new > base ? new - base : base - new;
	const char *sign = new > base ? "+" : new < base ? "-" : "";

	(void)snprintf(buf, UNITS_BUF + 1, "%s%s", sign,
		       e ? emit_words_bytes(e, words, amount) : units_bytes(words, amount));
	return buf;
}

static uint64_t total_of(const struct diff *d, int side)
{
	return d->sides[side].total_bytes;
}

static const struct diff_side *side_of(const struct diff *d, int side)
{
	return side ? &d->new : &d->base;
}

/* --- the two sides ----------------------------------------------------------------------------- */

static int compare_us(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Median length of whole steps; TIME_NONE when none has times. */
#define MEDIAN_STEPS 4096
static int64_t median_step_us(const struct phases *p)
{
	int64_t length[MEDIAN_STEPS];
	size_t n = 0;

	for (size_t i = 0; i < p->steps.n && n < MEDIAN_STEPS; i++) {
		const struct training_step *s = &p->steps.at[i];

		if (s->whole && s->start_us != TIME_NONE && s->end_us != TIME_NONE &&
		    s->end_us >= s->start_us)
			length[n++] = s->end_us - s->start_us;
	}
	if (n == 0)
		return TIME_NONE;
	qsort(length, n, sizeof *length, compare_us);
	return length[n / 2];
}

static void describe_steps(struct emit *e, const struct phases *p)
{
	int64_t us = median_step_us(p);

	emit_object_begin(e, "steps", NULL);
	emit_u64(e, "count", NULL, p->steps.n);
	emit_str(e, "source", NULL, p->source == STEPS_NONE ? NULL : step_source_name(p->source));
	emit_str(e, "confidence", NULL,
		 p->source == STEPS_NONE ? NULL : confidence_name(p->confidence));
	if (us == TIME_NONE)
		emit_null(e, "median_us", NULL);
	else
		emit_i64(e, "median_us", NULL, us);
	emit_object_end(e);
}

static void describe_side(struct emit *e, const struct diff_report *r, int side, const char *key)
{
	const struct diff_side *s = side_of(r->diff, side);
	const struct str *file = strtab_get(&s->model->strings, s->model->file);

	emit_object_begin(e, key, NULL);
	emit_strn(e, "file", NULL, file->bytes, file->length);
	emit_i64(e, "device", NULL, s->device->index);
	emit_event(e, "event", NULL, s->at.event);
	emit_bytes(e, "total_bytes", NULL, total_of(r->diff, side));
	emit_u64(e, "blocks", NULL, r->diff->sides[side].blocks);
	emit_bool(e, "exact", NULL, s->state->exact);
	emit_bool(e, "partial", NULL, s->model->partial);
	describe_totals(e, &s->state->totals);
	emit_bytes(e, "peak_bytes", NULL, s->summary->allocated.bytes);
	emit_bytes(e, "peak_reserved_bytes", NULL, s->summary->reserved.bytes);
	emit_f64(e, "fragmentation", NULL, fragmentation_of(&s->state->totals));
	emit_str(e, "writer", NULL, s->model->writer);
	if (r->phases[side])
		describe_steps(e, r->phases[side]);
	emit_object_end(e);
}

/* --- settings ---------------------------------------------------------------------------------- */

static bool same_text(const struct model *a, str_id x, const struct model *b, str_id y)
{
	const struct str *s = strtab_get(&a->strings, x), *t = strtab_get(&b->strings, y);

	return s->length == t->length && !memcmp(s->bytes, t->bytes, s->length);
}

/* Values nest at most VALUE_MAX_DEPTH deep. */
static bool same_value(const struct model *a, const struct value *x, const struct model *b,
		       const struct value *y)
{
	if (!x || !y)
		return x == y;
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case VALUE_NULL:
		return true;
	case VALUE_BOOL:
		return x->boolean == y->boolean;
	case VALUE_I64:
	case VALUE_U64:
	case VALUE_F64:
		return !memcmp(&x->u64, &y->u64, sizeof x->u64);
	case VALUE_STR:
		return same_text(a, x->str, b, y->str);
	case VALUE_LIST:
	case VALUE_DICT:
		break;
	}
	if (x->items.n != y->items.n)
		return false;
	for (size_t i = 0; i < x->items.n; i++) {
		if (!same_text(a, x->items.at[i].key, b, y->items.at[i].key) ||
		    !same_value(a, &x->items.at[i], b, &y->items.at[i]))
			return false;
	}
	return true;
}

static void value_words(char *buf, size_t size, const struct model *m, const struct value *v)
{
	size_t n = 0;

	switch (v ? v->kind : VALUE_NULL) {
	case VALUE_NULL:
		(void)snprintf(buf, size, "-");
		return;
	case VALUE_BOOL:
		(void)snprintf(buf, size, "%s", v->boolean ? "yes" : "no");
		return;
	case VALUE_I64:
		(void)snprintf(buf, size, "%" PRId64, v->i64);
		return;
	case VALUE_U64:
		(void)snprintf(buf, size, "%" PRIu64, v->u64);
		return;
	case VALUE_F64:
		(void)snprintf(buf, size, "%g", v->f64);
		return;
	case VALUE_STR:
		(void)snprintf(buf, size, "%s", model_str(m, v->str));
		return;
	case VALUE_LIST:
	case VALUE_DICT:
		break;
	}
	for (size_t i = 0; i < v->items.n && n + 1 < size; i++) {
		const struct value *x = &v->items.at[i];
		char words[64];

		if (x->kind == VALUE_LIST || x->kind == VALUE_DICT)
			(void)snprintf(words, sizeof words, "...");
		else
			value_words(words, sizeof words, m, x);
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s%s", n ? ", " : "",
				      model_str(m, x->key), x->key.i ? "=" : "", words);
	}
}

static void describe_setting(struct emit *e, const struct diff *d, const char *name,
			     const struct value *base, const struct value *new)
{
	char words[512];

	emit_row_begin(e);
	emit_str(e, "name", "setting", name);
	if (emit_is_json(e)) {
		emit_value(e, "base", d->base.model, base);
		emit_value(e, "new", d->new.model, new);
	} else {
		value_words(words, sizeof words, d->base.model, base);
		emit_str(e, "base", "base", words);
		value_words(words, sizeof words, d->new.model, new);
		emit_str(e, "new", "new", words);
	}
	emit_row_end(e);
}

/* Those that differ. A file without settings has them all unknown. */
static void describe_changed_settings(struct emit *e, const struct diff *d)
{
	const struct value *b = d->base.model->settings_value, *n = d->new.model->settings_value;
	const struct strtab *b_strings = &d->base.model->strings;
	const struct strtab *n_strings = &d->new.model->strings;

	emit_table_begin(e, "settings", "Settings that differ");
	if (!emit_is_json(e) && (!b || !n))
		b = n = NULL;
	for (size_t i = 0; b && b->kind == VALUE_DICT && i < b->items.n; i++) {
		const struct value *x = &b->items.at[i];
		const char *name = model_str(d->base.model, x->key);
		const struct value *y = value_member(n, n_strings, name);

		if (!same_value(d->base.model, x, d->new.model, y))
			describe_setting(e, d, name, x, y);
	}
	for (size_t i = 0; n && n->kind == VALUE_DICT && i < n->items.n; i++) {
		const struct value *y = &n->items.at[i];
		const char *name = model_str(d->new.model, y->key);

		if (!value_member(b, b_strings, name))
			describe_setting(e, d, name, NULL, y);
	}
	emit_table_end(e);
}

/* --- rows -------------------------------------------------------------------------------------- */

static void emit_delta(struct emit *e, const char *key, const char *label, uint64_t base,
		       uint64_t new)
{
	char words[UNITS_BUF + 1], right[UNITS_BUF + 1];

	if (emit_is_json(e)) {
		emit_i64(e, key, NULL, diff_delta(base, new));
		return;
	}
	(void)snprintf(right, sizeof right, "%12s", diff_words_delta(e, words, base, new));
	emit_str(e, key, label, right);
}

/* The key of a row in the words of the side that names it: new where it has it. */
static void describe_key(struct emit *e, const char *key, const char *label, const struct diff *d,
			 const struct diff_row *row, int side)
{
	describe_top_key(e, key, label, side_of(d, side)->model, d->by,
			 &d->sides[side].rows.at[side ? row->new : row->base]);
}

static bool words_differ(const struct diff_row *row)
{
	return row->base != DIFF_NONE && row->new != DIFF_NONE &&
	       (row->pairing == FRAME_MOVED || row->pairing == FRAME_RENAMED);
}

static void describe_row(struct emit *e, const struct diff *d, const struct diff_row *row)
{
	emit_row_begin(e);
	emit_delta(e, "delta_bytes", "change", row->base_bytes, row->new_bytes);
	emit_bytes(e, "base_bytes", "base", row->base_bytes);
	emit_bytes(e, "new_bytes", "new", row->new_bytes);
	emit_u64(e, "base_blocks", "blocks", row->base_blocks);
	emit_u64(e, "new_blocks", "new blocks", row->new_blocks);
	emit_str(e, "status", "status", diff_status_name(row->status));
	describe_key(e, "key", top_by_words[d->by], d, row, row->new != DIFF_NONE);
	if (emit_is_json(e)) {
		bool moved = words_differ(row);

		if (moved)
			describe_key(e, "base_key", NULL, d, row, 0);
		else
			emit_null(e, "base_key", NULL);
		emit_str(e, "match", NULL,
			 row->base == DIFF_NONE || row->new == DIFF_NONE ? NULL
			 : moved ? frame_pairing_name(row->pairing)
				 : "same");
	}
	emit_row_end(e);
}

/* What the rows that are not shown come to, so that the column still adds up. */
static void describe_rest(struct emit *e, const struct diff *d, size_t from)
{
	struct diff_row rest = {0};
	char words[UNITS_BUF];

	for (size_t i = from; i < d->rows.n; i++) {
		rest.base_bytes += d->rows.at[i].base_bytes;
		rest.new_bytes += d->rows.at[i].new_bytes;
		rest.base_blocks += d->rows.at[i].base_blocks;
		rest.new_blocks += d->rows.at[i].new_blocks;
	}
	emit_row_begin(e);
	emit_delta(e, "delta_bytes", "change", rest.base_bytes, rest.new_bytes);
	emit_bytes(e, "base_bytes", "base", rest.base_bytes);
	emit_bytes(e, "new_bytes", "new", rest.new_bytes);
	emit_u64(e, "base_blocks", "blocks", rest.base_blocks);
	emit_u64(e, "new_blocks", "new blocks", rest.new_blocks);
	rest.status = rest.new_bytes == rest.base_bytes  ? DIFF_SAME
		      : rest.new_bytes > rest.base_bytes ? DIFF_GROWN
							 : DIFF_SHRUNK;
	emit_str(e, "status", "status", diff_status_name(rest.status));
	if (emit_is_json(e)) {
		emit_str(e, "key", NULL, "(other)");
		emit_null(e, "base_key", NULL);
		emit_null(e, "match", NULL);
	} else {
		char line[UNITS_BUF + 32];

		(void)snprintf(line, sizeof line, "(other): %s",
			       units_noun(words, sizeof words, d->rows.n - from, "row", "rows"));
		emit_str(e, "key", top_by_words[d->by], line);
	}
	emit_row_end(e);
}

static void describe_rows(struct emit *e, const struct diff_report *r)
{
	const struct diff *d = r->diff;
	size_t n = r->max_rows < d->rows.n ? (size_t)r->max_rows : d->rows.n;
	const char *heading = emit_is_json(e) ? NULL : "Changes";

	/* In text what did not change is counted, not listed. */
	if (!emit_is_json(e)) {
		size_t changed = 0;

		while (changed < d->rows.n &&
		       d->rows.at[changed].base_bytes != d->rows.at[changed].new_bytes)
			changed++;
		if (n > changed)
			n = changed;
	}
	if (!emit_is_json(e) && n == 0)
		return;
	emit_table_begin(e, "rows", heading);
	for (size_t i = 0; i < n; i++)
		describe_row(e, d, &d->rows.at[i]);
	if (n < d->rows.n)
		describe_rest(e, d, n);
	emit_table_end(e);
}

static void describe_sizes(struct emit *e, const struct diff *d)
{
	emit_table_begin(e, "sizes", "Blocks by size");
	for (unsigned i = 0; i < DIFF_BUCKETS; i++) {
		const struct diff_sizes *b = &d->sizes[0], *n = &d->sizes[1];
		uint64_t most = i < 64 ? UINT64_C(1) << i : UINT64_MAX;

		if (!b->blocks[i] && !n->blocks[i])
			continue;
		/* People see what changed. */
		if (!emit_is_json(e) && b->blocks[i] == n->blocks[i] && b->bytes[i] == n->bytes[i])
			continue;
		emit_row_begin(e);
		emit_bytes(e, "up_to_bytes", "up to", most);
		emit_bytes(e, "base_bytes", "base", b->bytes[i]);
		emit_bytes(e, "new_bytes", "new", n->bytes[i]);
		emit_u64(e, "base_blocks", "blocks", b->blocks[i]);
		emit_u64(e, "new_blocks", "new blocks", n->blocks[i]);
		emit_delta(e, "delta_bytes", "change", b->bytes[i], n->bytes[i]);
		emit_row_end(e);
	}
	emit_table_end(e);
}

/* --- what people read first -------------------------------------------------------------------- */

static void text_moment(struct emit *e, const struct diff_report *r, int side, const char *which)
{
	const struct diff_side *s = side_of(r->diff, side);
	char name[UNITS_BUF], total[UNITS_BUF], words[UNITS_BUF], blocks[UNITS_BUF];

	describe_device_name(name, s->device->index);
	name[0] = (char)tolower((unsigned char)name[0]);
	emit_line(
		e, "%-4s  %s, %s%s%s: %s in %s", which, model_str(s->model, s->model->file), name,
		s->at.is_file_end ? " at the end of the file" : " after ",
		s->at.is_file_end ? "" : describe_event(words, s->at.event),
		emit_words_bytes(e, total, total_of(r->diff, side)),
		units_noun(blocks, sizeof blocks, r->diff->sides[side].blocks, "block", "blocks"));
}

/* Grown and shrunk sums: a difference of nothing may hide both. */
static void text_how_much(struct emit *e, const struct diff *d)
{
	char delta[UNITS_BUF + 1], grew[UNITS_BUF + 1], shrank[UNITS_BUF + 1];
	uint64_t more = 0, less = 0, base = total_of(d, 0), new = total_of(d, 1);

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct diff_row *r = &d->rows.at[i];

		if (r->new_bytes > r->base_bytes)
			more += r->new_bytes - r->base_bytes;
		else
			less += r->base_bytes - r->new_bytes;
	}
	if (!more && !less) {
		emit_line(e, "Nothing changed: both hold the same bytes of the same %ss.",
			  top_by_words[d->by]);
		return;
	}
	emit_line(e, "Change: %s (%s of what grew, %s of what shrank)",
		  new == base ? "none in sum" : diff_words_delta(e, delta, base, new),
		  diff_words_delta(e, grew, 0, more), diff_words_delta(e, shrank, less, 0));
}

static void text_where(struct emit *e, const struct diff *d)
{
	const struct diff_row *r = &d->rows.at[0];
	int side = r->new != DIFF_NONE;
	char key[TOP_KEY_BYTES], base[UNITS_BUF], new[UNITS_BUF], delta[UNITS_BUF + 1];

	top_key_words(key, sizeof key, side_of(d, side)->model, d->by,
		      &d->sides[side].rows.at[side ? r->new : r->base]);
	emit_line(e, "Where:  %s, %s (%s), from %s to %s", key,
		  diff_words_delta(e, delta, r->base_bytes, r->new_bytes),
		  diff_status_name(r->status), emit_words_bytes(e, base, r->base_bytes),
		  emit_words_bytes(e, new, r->new_bytes));
	if (words_differ(r)) {
		top_key_words(key, sizeof key, d->base.model, d->by, &d->sides[0].rows.at[r->base]);
		emit_line(e, "        (%s in base: %s)",
			  r->pairing == FRAME_RENAMED ? "another file" : "elsewhere", key);
	}
}

static void text_since(struct emit *e, const struct diff_report *r)
{
	const struct diff_row *row = &r->diff->rows.at[0];
	bool grew = row->new_bytes > row->base_bytes;
	const struct phases *p = r->phases[grew];
	const char *which = grew ? "new" : "base";
	int64_t step = p && r->since >= 0 ? phases_step_at(p, r->since) : -1;
	char words[UNITS_BUF];

	if (r->since == ALLOCATION_ALIVE)
		return;
	if (r->since == EVENT_START)
		emit_line(e, "Since:  before recording began in %s", which);
	else if (step >= 0)
		emit_line(e, "Since:  %s of %s, in its step %" PRId64,
			  describe_event(words, r->since), which, step);
	else
		emit_line(e, "Since:  %s of %s", describe_event(words, r->since), which);
}

static void text_compared(struct emit *e, const struct diff_report *r)
{
	emit_table_begin(e, NULL, "Also compared");
	for (int side = 0; side < 2; side++) {
		const struct diff_side *s = side_of(r->diff, side);
		const struct phases *p = r->phases[side];
		int64_t us = p ? median_step_us(p) : TIME_NONE;
		char words[UNITS_BUF];

		emit_row_begin(e);
		emit_str(e, NULL, "", side ? "new" : "base");
		emit_bytes(e, NULL, "peak", s->summary->allocated.bytes);
		emit_bytes(e, NULL, "reserved", s->state->totals.reserved);
		emit_bytes(e, NULL, "peak reserved", s->summary->reserved.bytes);
		(void)snprintf(words, sizeof words, "%.1f %%",
			       100.0 * fragmentation_of(&s->state->totals));
		emit_str(e, NULL, "fragmented",
			 s->state->totals.reserved == BYTES_NONE ? NULL : words);
		emit_u64(e, NULL, "steps", p ? p->steps.n : 0);
		emit_str(e, NULL, "a step takes",
			 us == TIME_NONE ? NULL : units_duration_us(words, (uint64_t)us));
		emit_str(e, NULL, "writer", s->model->writer);
		emit_row_end(e);
	}
	emit_table_end(e);
}

void describe_diff_answer(struct emit *e, const struct diff_report *r)
{
	const struct diff *d = r->diff;

	text_moment(e, r, 0, "base");
	text_moment(e, r, 1, "new");
	if (!d->base.state->exact || !d->new.state->exact)
		emit_prose(e, "What lived before event 0 of a damaged file is unknown and missing "
			      "in its total.");
	emit_blank(e);
	text_how_much(e, d);
	if (d->rows.n && d->rows.at[0].base_bytes != d->rows.at[0].new_bytes) {
		text_where(e, d);
		text_since(e, r);
	}
}

static void describe_since(struct emit *e, const struct diff_report *r)
{
	bool grew =
		r->diff->rows.n && r->diff->rows.at[0].new_bytes > r->diff->rows.at[0].base_bytes;
	const struct phases *p = r->phases[grew];
	int64_t step = p && r->since >= 0 && r->since != ALLOCATION_ALIVE
			       ? phases_step_at(p, r->since)
			       : -1;

	if (!emit_is_json(e))
		return;
	if (r->since == ALLOCATION_ALIVE) {
		emit_null(e, "since", NULL);
		return;
	}
	emit_object_begin(e, "since", NULL);
	emit_str(e, "side", NULL, grew ? "new" : "base");
	emit_event(e, "event", NULL, r->since);
	if (step >= 0)
		emit_i64(e, "step", NULL, step);
	else
		emit_null(e, "step", NULL);
	emit_object_end(e);
}

void describe_diff_rows(struct emit *e, const struct diff_report *r)
{
	describe_rows(e, r);
	if (!emit_is_json(e))
		text_compared(e, r);
	describe_changed_settings(e, r->diff);
	describe_sizes(e, r->diff);
}

void describe_diff(struct emit *e, const struct diff_report *r)
{
	const struct diff *d = r->diff;

	describe_side(e, r, 0, "base");
	describe_side(e, r, 1, "new");
	emit_str(e, "by", NULL, top_by_words[d->by]);
	emit_delta(e, "total_delta_bytes", NULL, total_of(d, 0), total_of(d, 1));
	emit_u64(e, "row_count", NULL, d->rows.n);
	describe_since(e, r);
	if (!emit_is_json(e))
		describe_diff_answer(e, r);
	describe_diff_rows(e, r);
}
