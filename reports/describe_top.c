/* SPDX-License-Identifier: MIT
 * describe_top.c -- who holds the bytes at a moment, as a table.
 */
#include "reports/describe.h"

#include <inttypes.h>

#include "reports/stack_lines.h"
#include "reports/top_key.h"

const char *const top_by_words[] = {
	[TOP_SITE] = "site",         [TOP_STACK] = "stack",           [TOP_FILE] = "file",
	[TOP_FUNCTION] = "function", [TOP_ANNOTATION] = "annotation", [TOP_STREAM] = "stream",
	[TOP_POOL] = "pool",         [TOP_CATEGORY] = "category",     [TOP_CATEGORY + 1] = NULL,
};

static void describe_row(struct emit *e, const struct model *m, const struct top *t,
			 const struct top_row *row)
{
	emit_row_begin(e);
	emit_share(e, "share", "share", row->bytes, t->total_bytes);
	emit_bytes(e, "bytes", "bytes", row->bytes);
	emit_u64(e, "blocks", "blocks", row->blocks);
	describe_top_key(e, "key", top_by_words[t->by], m, t->by, row);
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
