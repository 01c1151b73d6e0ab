/* SPDX-License-Identifier: MIT
 * describe_top.c -- who holds the bytes at a moment, as a table.
 */
#include "reports/describe.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "reports/stack_lines.h"

/* Keys are whole in JSON as long as names are not absurd. */
#define KEY_BYTES 16384

const char *const top_by_words[] = {
	[TOP_SITE] = "site",         [TOP_STACK] = "stack",           [TOP_FILE] = "file",
	[TOP_FUNCTION] = "function", [TOP_ANNOTATION] = "annotation", [TOP_STREAM] = "stream",
	[TOP_POOL] = "pool",         [TOP_POOL + 1] = NULL,
};

static const char *special_key(enum top_key key)
{
	switch (key) {
	case TOP_KEY_BACKWARD:
		return "(backward)";
	case TOP_KEY_NONE:
		return "(none)";
	case TOP_KEY_BEFORE_RECORDING:
		return "(before recording)";
	case TOP_KEY_NO_TIME:
		return "(no time)";
	case TOP_KEY_NO_STACK:
	case TOP_KEY_NAME:
		break;
	}
	return "(no stack)";
}

/* The same stack has the same number in every file. */
static uint32_t stack_number(const struct model *m, stack_id stack)
{
	uint64_t h = stacks_depth(&m->stacks, stack);

	for (size_t k = 0; k < stacks_depth(&m->stacks, stack); k++) {
		const struct frame *f = stacks_frame(&m->stacks, stack, k);
		const struct str *file = strtab_get(&m->strings, f->file);
		const struct str *name = strtab_get(&m->strings, f->name);

		h = hash_combine(h, hash_bytes(file->bytes, file->length));
		h = hash_combine(h, hash_bytes(name->bytes, name->length));
		h = hash_combine(h, (uint64_t)f->line);
	}
	return (uint32_t)h;
}

/* The last cell of a row: paths keep their end there. */
static void describe_key(struct emit *e, const struct model *m, const struct top *t,
			 const struct top_row *row)
{
	const char *label = top_by_words[t->by];
	const struct str *file = strtab_get(&m->strings, row->file);
	const struct str *name = strtab_get(&m->strings, row->name);
	char buf[KEY_BYTES], words[KEY_BYTES];

	if (t->by == TOP_STREAM) {
		emit_addr(e, "key", label, row->stream);
	} else if (t->by == TOP_POOL) {
		emit_pool(e, "key", label, row->pool, true);
	} else if (t->by == TOP_STACK) {
		snprintf(words, sizeof words, "%.*s [%08" PRIx32 "]", KEY_BYTES - 16,
			 site_words(m, row->site, buf, sizeof buf - 16),
			 stack_number(m, row->stack));
		emit_str(e, "key", label, words);
	} else if (row->key != TOP_KEY_NAME) {
		emit_str(e, "key", label, special_key(row->key));
	} else if (t->by == TOP_SITE) {
		emit_str(e, "key", label, site_words(m, row->site, buf, sizeof buf));
	} else if (t->by == TOP_FUNCTION) {
		snprintf(buf, sizeof buf, "%s %s", file->bytes, name->bytes);
		emit_str(e, "key", label, buf);
	} else {
		const struct str *key = t->by == TOP_FILE ? file : name;

		emit_strn(e, "key", label, key->bytes, key->length);
	}
}

static void describe_row(struct emit *e, const struct model *m, const struct top *t,
			 const struct top_row *row)
{
	emit_row_begin(e);
	emit_share(e, "share", "share", row->bytes, t->total_bytes);
	emit_bytes(e, "bytes", "bytes", row->bytes);
	emit_u64(e, "blocks", "blocks", row->blocks);
	describe_key(e, m, t, row);
	if (emit_is_json(e) && t->by == TOP_STACK) {
		emit_array_begin(e, "stack", NULL);
		describe_stack(e, m, row->stack);
		emit_array_end(e);
	}
	emit_row_end(e);
}

/* Is the next event an oom? Then this is the state in which memory ran out. */
static bool precedes_oom(const struct model *m, const struct top *t, const struct moment *at)
{
	const struct device *d = model_device(m, t->device);
	uint64_t next = (uint64_t)(t->event + 1);

	return d && !at->is_file_end && next < d->n_events &&
	       m->events.action.at[d->first_event + next] == ACTION_OOM;
}

static void text_head(struct emit *e, const struct model *m, const struct top *t,
		      const struct moment *at)
{
	char total[UNITS_BUF], words[UNITS_BUF], blocks[UNITS_BUF];

	emit_line(e, "Device %" PRId32 " %s%s%s: %s in %s%s", t->device,
		  at->is_file_end ? "at the end of the file" : "just after ",
		  at->is_file_end ? "" : describe_event(words, t->event),
		  precedes_oom(m, t, at) ? ", when memory ran out" : "",
		  emit_words_bytes(e, total, t->total_bytes),
		  units_noun(blocks, sizeof blocks, t->blocks, "block", "blocks"),
		  t->filtered ? " pass the filter" : "");
	if (t->filtered)
		emit_line(e, "%s in %s are left out.",
			  emit_words_bytes(e, total, t->left_out_bytes),
			  units_noun(blocks, sizeof blocks, t->left_out_blocks, "block", "blocks"));
	if (!t->exact)
		emit_prose(e, "Counted from the first event on: what lived before it is unknown, "
			      "because the trace does not reach the segments of the file.");
	emit_blank(e);
}

static void text_rest(struct emit *e, const struct top *t, size_t shown)
{
	char bytes[UNITS_BUF], rows[UNITS_BUF];
	uint64_t rest = t->total_bytes;

	if (shown >= t->rows.n)
		return;
	for (size_t i = 0; i < shown; i++)
		rest -= t->rows.at[i].bytes;
	emit_blank(e);
	emit_line(e, "%s hold %s (--limit-rows shows them)",
		  units_noun(rows, sizeof rows, t->rows.n - shown, "more row", "more rows"),
		  emit_words_bytes(e, bytes, rest));
}

/* By stack, people see the frames below the table's place of a row. */
static void text_stacks(struct emit *e, const struct model *m, const struct top *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct top_row *row = &t->rows.at[i];
		char bytes[UNITS_BUF], blocks[UNITS_BUF];
		double share =
			t->total_bytes ? 100.0 * (double)row->bytes / (double)t->total_bytes : 0;

		emit_line(e, "%.1f %%  %s in %s", share, emit_words_bytes(e, bytes, row->bytes),
			  units_noun(blocks, sizeof blocks, row->blocks, "block", "blocks"));
		text_stack(e, m, row->stack);
		emit_blank(e);
	}
}

void describe_top(struct emit *e, const struct model *m, const struct top *t,
		  const struct moment *at, uint64_t max_rows)
{
	size_t n = max_rows < t->rows.n ? (size_t)max_rows : t->rows.n;

	emit_i64(e, "device", NULL, t->device);
	emit_event(e, "event", NULL, t->event);
	emit_str(e, "by", NULL, top_by_words[t->by]);
	emit_bool(e, "exact", NULL, t->exact);
	emit_bool(e, "partial", NULL, m->partial);
	emit_bytes(e, "total_bytes", NULL, t->total_bytes);
	emit_u64(e, "blocks", NULL, t->blocks);
	emit_bool(e, "filtered", NULL, t->filtered);
	emit_bytes(e, "left_out_bytes", NULL, t->left_out_bytes);
	emit_u64(e, "row_count", NULL, t->rows.n);
	if (!emit_is_json(e))
		text_head(e, m, t, at);
	if (!emit_is_json(e) && t->by == TOP_STACK) {
		text_stacks(e, m, t, n);
	} else {
		emit_table_begin(e, "rows", NULL);
		for (size_t i = 0; i < n; i++)
			describe_row(e, m, t, &t->rows.at[i]);
		emit_table_end(e);
	}
	if (!emit_is_json(e))
		text_rest(e, t, n);
}
