/* SPDX-License-Identifier: MIT
 * export_rows.c -- allocations as rows, totals as metrics, and a summary for a ticket.
 */
#include <inttypes.h>
#include <string.h>

#include "passes/holders.h"
#include "passes/site.h"
#include "reports/batch_report.h"
#include "reports/describe.h"
#include "reports/export.h"
#include "reports/snapshot_sink.h"
#include "reports/top_key.h"
#include "reports/utf8.h"

/* ---- allocations ---- */

static const char *row_site(const struct export *x, uint32_t row, char *buf, size_t size)
{
	return site_words(x->model, site_of_stack(x->model, x->allocations->rows.at[row].stack),
			  buf, size);
}

/* The stack of a life as `top` reads it, for the filter. */
static bool is_wanted(const struct export *x, const struct block_stacks *stacks, uint32_t row)
{
	const struct allocation *a = &x->allocations->rows.at[row];
	const struct state_block block = {.born = a->born, .stack = a->stack};

	if (x->at && !allocation_alive_at(a, x->state->event))
		return false;
	return filter_passes(x->filter, block_stack(stacks, &block));
}

static int64_t row_step(const struct export *x, const struct allocation *a)
{
	return a->born < 0 ? -1 : phases_step_at(x->phases, a->born);
}

static const char *row_pool(const struct export *x, uint32_t row, char *buf, size_t size)
{
	const struct top_row key = {.pool = allocation_place(x->allocations, row).pool};

	return top_key_words(buf, size, x->model, TOP_POOL, &key);
}

static void csv_number(struct out *to, bool known, int64_t v)
{
	if (known)
		out_printf(to, "%" PRId64, v);
	out_text(to, ",");
}

static void csv_row(struct out *to, const struct export *x, uint32_t i)
{
	const struct allocation *a = &x->allocations->rows.at[i];
	const struct allocation_category *c = &x->categories->rows.at[i];
	const int64_t born = allocations_time(x->allocations, a->born);
	const int64_t died = allocations_time(x->allocations, a->free_completed);
	const int64_t step = row_step(x, a);
	char words[TOP_KEY_BYTES];

	out_printf(to, "%" PRIu64 ",%" PRIu64 ",", a->address, a->size);
	if (a->requested != BYTES_NONE)
		out_printf(to, "%" PRIu64, a->requested);
	out_text(to, ",");
	csv_number(to, a->born != EVENT_START, a->born);
	csv_number(to, a->free_completed != ALLOCATION_ALIVE, a->free_completed);
	csv_number(to, born != TIME_NONE, born);
	csv_number(to, died != TIME_NONE, died);
	out_printf(to, "%" PRIu64 ",", allocation_place(x->allocations, i).stream);
	row_pool(x, i, words, sizeof words);
	batch_csv_text(to, words, strlen(words));
	out_printf(to, ",%s,%s,", category_name(c->category), phase_name(c->phase));
	csv_number(to, step >= 0, step);
	row_site(x, i, words, sizeof words);
	batch_csv_text(to, words, strlen(words));
	out_text(to, "\r\n");
}

void export_allocations_csv(struct out *to, const struct export *x)
{
	const struct block_stacks stacks = block_stacks_of(x->model, x->state);

	out_text(to,
		 "address,size,requested_size,alloc_event,free_event,alloc_time_us,free_time_us,"
		 "stream,pool,category,phase,step,site\r\n");
	for (uint32_t i = 0; i < x->allocations->rows.n; i++)
		if (is_wanted(x, &stacks, i))
			csv_row(to, x, i);
}

static void number(struct sink *k, const char *name, int64_t v, bool known)
{
	sink_key_text(k, name, strlen(name));
	if (known)
		sink_i64(k, v);
	else
		sink_none(k);
}

static void text(struct sink *k, const char *name, const char *value)
{
	sink_key_text(k, name, strlen(name));
	sink_text(k, value, strlen(value));
}

static void json_row(struct sink *k, const struct export *x, uint32_t i)
{
	const struct allocation *a = &x->allocations->rows.at[i];
	const struct allocation_category *c = &x->categories->rows.at[i];
	const int64_t born = allocations_time(x->allocations, a->born);
	const int64_t died = allocations_time(x->allocations, a->free_completed);
	const int64_t step = row_step(x, a);
	const struct pool_id pool = allocation_place(x->allocations, i).pool;
	char words[TOP_KEY_BYTES];

	sink_dict(k);
	sink_key(k, SW_ADDRESS);
	sink_u64(k, a->address);
	sink_key(k, SW_SIZE);
	sink_u64(k, a->size);
	sink_key(k, SW_REQUESTED_SIZE);
	if (a->requested == BYTES_NONE)
		sink_none(k);
	else
		sink_u64(k, a->requested);
	number(k, "alloc_event", a->born, a->born != EVENT_START);
	number(k, "free_event", a->free_completed, a->free_completed != ALLOCATION_ALIVE);
	number(k, "alloc_time_us", born, born != TIME_NONE);
	number(k, "free_time_us", died, died != TIME_NONE);
	sink_key(k, SW_STREAM);
	sink_u64(k, allocation_place(x->allocations, i).stream);
	sink_key_text(k, "pool", strlen("pool"));
	sink_pair(k, pool.a, pool.b);
	text(k, "category", category_name(c->category));
	text(k, "phase", phase_name(c->phase));
	number(k, "step", step, step >= 0);
	text(k, "site", row_site(x, i, words, sizeof words));
	sink_end(k);
}

void export_allocations_json(struct out *to, const struct export *x)
{
	const struct block_stacks stacks = block_stacks_of(x->model, x->state);
	struct sink k;

	sink_start(&k, SNAPSHOT_JSON, to);
	sink_dict(&k);
	text(&k, "schema", "vramscope.allocations/1");
	text(&k, "file", model_str(x->model, x->model->file));
	number(&k, "device", x->device->index, true);
	sink_key_text(&k, "allocations", strlen("allocations"));
	sink_list(&k);
	for (uint32_t i = 0; i < x->allocations->rows.n; i++)
		if (is_wanted(x, &stacks, i))
			json_row(&k, x, i);
	sink_end(&k);
	sink_end(&k);
	sink_finish(&k);
}

/* ---- totals ---- */

static void gauge(struct out *to, const struct export *x, const char *name, const char *help,
		  uint64_t bytes)
{
	if (bytes == BYTES_NONE)
		return;
	out_printf(to, "# TYPE vramscope_%s_bytes gauge\n# UNIT vramscope_%s_bytes bytes\n", name,
		   name);
	out_printf(to, "# HELP vramscope_%s_bytes %s\n", name, help);
	out_printf(to, "vramscope_%s_bytes{device=\"%" PRId32 "\"} %" PRIu64 "\n", name,
		   x->device->index, bytes);
}

/* The value of a label: quotes, backslashes and line ends are escaped, what is no UTF-8 shown. */
static void label_value(struct out *to, const char *words)
{
	const size_t n = strlen(words);
	char escape[16];
	unsigned columns;
	uint32_t code;

	for (size_t i = 0, used; i < n; i += used) {
		used = utf8_decode(words + i, n - i, &code);
		if (!used) {
			size_t k = utf8_escape(escape, words + i, n - i, &used, &columns);

			out_text(to, "\\");
			out_bytes(to, escape, k);
		} else if (code == '"' || code == '\\' || code == '\n') {
			out_printf(to, "\\%c", code == '\n' ? 'n' : (int)code);
		} else {
			out_bytes(to, words + i, used);
		}
	}
}

static void held_row(struct out *to, const struct export *x, const char *name,
		     const struct top_row *row, uint64_t value)
{
	char words[TOP_KEY_BYTES];

	out_printf(to, "vramscope_held_%s{device=\"%" PRId32 "\",%s=\"", name, x->device->index,
		   top_by_words[x->top->by]);
	label_value(to, top_key_words(words, sizeof words, x->model, x->top->by, row));
	out_printf(to, "\"} %" PRIu64 "\n", value);
}

static void held_gauges(struct out *to, const struct export *x)
{
	out_printf(to,
		   "# TYPE vramscope_held_bytes gauge\n# UNIT vramscope_held_bytes bytes\n"
		   "# HELP vramscope_held_bytes Sizes of active blocks by %s.\n",
		   top_by_words[x->top->by]);
	for (size_t i = 0; i < x->top->rows.n; i++)
		held_row(to, x, "bytes", &x->top->rows.at[i], x->top->rows.at[i].bytes);
	out_printf(to,
		   "# TYPE vramscope_held_blocks gauge\n"
		   "# HELP vramscope_held_blocks Active blocks by %s.\n",
		   top_by_words[x->top->by]);
	for (size_t i = 0; i < x->top->rows.n; i++)
		held_row(to, x, "blocks", &x->top->rows.at[i], x->top->rows.at[i].blocks);
}

void export_openmetrics(struct out *to, const struct export *x)
{
	const struct replay_summary *s = replay_summary(x->replay);
	const struct totals *t = &x->state->totals;

	gauge(to, x, "reserved", "Segments obtained from the driver.", t->reserved);
	gauge(to, x, "allocated", "Blocks handed out, rounding included.", t->allocated);
	gauge(to, x, "active", "Allocated, and freed blocks that wait for a stream.", t->active);
	gauge(to, x, "requested", "What the program asked for in active blocks.", t->requested);
	gauge(to, x, "peak_allocated", "Highest allocated bytes of the trace.", s->allocated.bytes);
	gauge(to, x, "peak_reserved", "Highest reserved bytes of the trace.", s->reserved.bytes);
	if (x->by_key)
		held_gauges(to, x);
	out_text(to, "# EOF\n");
}

/* ---- Markdown ---- */

/* Inside a table cell and code span: neither may end early. */
static void markdown_code(struct out *to, const char *words)
{
	out_text(to, "`");
	for (; *words; words++) {
		char c = *words;

		if (c == '`')
			c = '\'';
		else if (c == '|')
			c = '/';
		else if ((unsigned char)c < 0x20)
			c = ' ';
		out_bytes(to, &c, 1);
	}
	out_text(to, "`");
}

#define MARKDOWN_SITES 10

static const char *markdown_bytes(char buf[UNITS_BUF], uint64_t bytes)
{
	return bytes == BYTES_NONE ? "unknown" : units_bytes(buf, bytes);
}

void export_markdown(struct out *to, const struct export *x)
{
	const struct replay_summary *s = replay_summary(x->replay);
	const struct totals *t = &x->state->totals;
	char words[TOP_KEY_BYTES], a[UNITS_BUF], b[UNITS_BUF];
	size_t n = x->top->rows.n < MARKDOWN_SITES ? x->top->rows.n : MARKDOWN_SITES;

	out_text(to, "**GPU memory** of ");
	markdown_code(to, model_str(x->model, x->model->file));
	out_printf(to, ", device %" PRId32 ", after %s\n\n", x->device->index,
		   describe_event(a, x->state->event));
	out_text(to, "| | now | highest |\n|---|---:|---:|\n");
	out_printf(to, "| reserved | %s | %s |\n", markdown_bytes(a, t->reserved),
		   markdown_bytes(b, s->reserved.bytes));
	out_printf(to, "| allocated | %s | %s |\n", markdown_bytes(a, t->allocated),
		   markdown_bytes(b, s->allocated.bytes));
	out_printf(to, "| asked for | %s | %s |\n\n", markdown_bytes(a, t->requested),
		   markdown_bytes(b, s->requested.bytes));
	out_printf(to, "| bytes | blocks | %s |\n|---:|---:|---|\n", top_by_words[x->top->by]);
	for (size_t i = 0; i < n; i++) {
		const struct top_row *row = &x->top->rows.at[i];

		out_printf(to, "| %s | %" PRIu64 " | ", units_bytes(a, row->bytes), row->blocks);
		markdown_code(to, top_key_words(words, sizeof words, x->model, x->top->by, row));
		out_text(to, " |\n");
	}
}
