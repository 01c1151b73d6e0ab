/* SPDX-License-Identifier: MIT
 * export_rows.c -- allocations as rows, totals as metrics, and a summary for a ticket.
 */
#include <inttypes.h>
#include <string.h>

#include "passes/site.h"
#include "reports/describe.h"
#include "reports/export.h"
#include "reports/snapshot_sink.h"

#define WORDS_BYTES 4096

/* ---- allocations ---- */

static const char *row_site(const struct export *x, uint32_t row, char *buf, size_t size)
{
	return site_words(x->model, site_of_stack(x->model, x->allocations->rows.at[row].stack),
			  buf, size);
}

static int64_t freed_event(const struct allocation *a)
{
	return a->free_completed == ALLOCATION_ALIVE ? -1 : a->free_completed;
}

/* RFC 4180: quoted, quotes doubled. A first character that spreadsheets take for a formula is
 * preceded by an apostrophe. */
static void csv_text(struct out *to, const char *text)
{
	out_text(to, strchr("=+-@", *text) && *text ? "\"'" : "\"");
	for (; *text; text++) {
		if (*text == '"')
			out_text(to, "\"");
		out_bytes(to, text, 1);
	}
	out_text(to, "\"");
}

void export_allocations_csv(struct out *to, const struct export *x)
{
	char words[WORDS_BYTES];

	out_text(to,
		 "address,size,requested_size,alloc_event,free_event,alloc_time_us,free_time_us,"
		 "stream,category,site\r\n");
	for (uint32_t i = 0; i < x->allocations->rows.n; i++) {
		const struct allocation *a = &x->allocations->rows.at[i];
		int64_t born = allocations_time(x->allocations, a->born);
		int64_t died = allocations_time(x->allocations, a->free_completed);

		out_printf(to, "%" PRIu64 ",%" PRIu64 ",", a->address, a->size);
		if (a->requested != BYTES_NONE)
			out_printf(to, "%" PRIu64, a->requested);
		out_text(to, ",");
		if (a->born != EVENT_START)
			out_printf(to, "%" PRId32, a->born);
		out_text(to, ",");
		if (a->free_completed != ALLOCATION_ALIVE)
			out_printf(to, "%" PRId32, a->free_completed);
		out_text(to, ",");
		if (born != TIME_NONE)
			out_printf(to, "%" PRId64, born);
		out_text(to, ",");
		if (died != TIME_NONE)
			out_printf(to, "%" PRId64, died);
		out_printf(to, ",%" PRIu64 ",%s,", allocation_place(x->allocations, i).stream,
			   category_name(x->categories->rows.at[i].category));
		csv_text(to, row_site(x, i, words, sizeof words));
		out_text(to, "\r\n");
	}
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

void export_allocations_json(struct out *to, const struct export *x)
{
	char words[WORDS_BYTES];
	struct sink k;

	sink_start(&k, SNAPSHOT_JSON, to);
	sink_dict(&k);
	text(&k, "schema", "vramscope.allocations/1");
	text(&k, "file", model_str(x->model, x->model->file));
	number(&k, "device", x->device->index, true);
	sink_key_text(&k, "allocations", strlen("allocations"));
	sink_list(&k);
	for (uint32_t i = 0; i < x->allocations->rows.n; i++) {
		const struct allocation *a = &x->allocations->rows.at[i];
		int64_t born = allocations_time(x->allocations, a->born);
		int64_t died = allocations_time(x->allocations, a->free_completed);

		sink_dict(&k);
		sink_key(&k, SW_ADDRESS);
		sink_u64(&k, a->address);
		sink_key(&k, SW_SIZE);
		sink_u64(&k, a->size);
		sink_key(&k, SW_REQUESTED_SIZE);
		if (a->requested == BYTES_NONE)
			sink_none(&k);
		else
			sink_u64(&k, a->requested);
		number(&k, "alloc_event", a->born, a->born != EVENT_START);
		number(&k, "free_event", freed_event(a), a->free_completed != ALLOCATION_ALIVE);
		number(&k, "alloc_time_us", born, born != TIME_NONE);
		number(&k, "free_time_us", died, died != TIME_NONE);
		sink_key(&k, SW_STREAM);
		sink_u64(&k, allocation_place(x->allocations, i).stream);
		text(&k, "category", category_name(x->categories->rows.at[i].category));
		text(&k, "site", row_site(x, i, words, sizeof words));
		sink_end(&k);
	}
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

void export_markdown(struct out *to, const struct export *x)
{
	const struct replay_summary *s = replay_summary(x->replay);
	const struct totals *t = &x->state->totals;
	char words[WORDS_BYTES], a[UNITS_BUF], b[UNITS_BUF];
	size_t n = x->top->rows.n < MARKDOWN_SITES ? x->top->rows.n : MARKDOWN_SITES;

	out_text(to, "**GPU memory** of ");
	markdown_code(to, model_str(x->model, x->model->file));
	out_printf(to, ", device %" PRId32 ", after %s\n\n", x->device->index,
		   describe_event(a, x->state->event));
	out_text(to, "| | now | highest |\n|---|---:|---:|\n");
	out_printf(to, "| reserved | %s | %s |\n", units_bytes(a, t->reserved),
		   units_bytes(b, s->reserved.bytes));
	out_printf(to, "| allocated | %s | %s |\n", units_bytes(a, t->allocated),
		   units_bytes(b, s->allocated.bytes));
	out_printf(to, "| asked for | %s | %s |\n\n", units_bytes(a, t->requested),
		   units_bytes(b, s->requested.bytes));
	out_text(to, "| bytes | blocks | site |\n|---:|---:|---|\n");
	for (size_t i = 0; i < n; i++) {
		const struct top_row *row = &x->top->rows.at[i];

		out_printf(to, "| %s | %" PRIu64 " | ", units_bytes(a, row->bytes), row->blocks);
		markdown_code(to, site_words(x->model, row->site, words, sizeof words));
		out_text(to, " |\n");
	}
}
