/* SPDX-License-Identifier: MIT
 * export_stacks.c -- bytes by stack: folded lines, speedscope, pprof.
 */
#include <inttypes.h>
#include <string.h>

#include "passes/site.h"
#include "reports/describe.h"
#include "reports/export.h"
#include "reports/gzip_out.h"
#include "reports/proto.h"
#include "reports/snapshot_sink.h"
#include "reports/top_key.h"

/* The key of a row of a split top. */
static const char *key_words(const struct export *x, const struct top_row *row,
			     char buf[TOP_KEY_BYTES])
{
	return top_key_words(buf, TOP_KEY_BYTES, x->model, x->top->by, row);
}

/* What stands for a stack without frames. */
static const char *empty_words(const struct model *m, stack_id stack, char *buf, size_t size)
{
	return site_words(m, site_of_stack(m, stack), buf, size);
}

static size_t depth_of(const struct model *m, stack_id stack)
{
	return stack.i == STACK_ABSENT.i ? 0 : stacks_depth(&m->stacks, stack);
}

static frame_id frame_at(const struct model *m, stack_id stack, size_t k)
{
	return m->stacks.pool.at[m->stacks.start.at[stack.i] + k];
}

/* ---- folded ---- */

/* A frame on one line of `;`-joined frames: what would end either is replaced. */
static void folded_frame(struct out *to, const char *words)
{
	for (; *words; words++) {
		char c = *words;

		if (c == ';')
			c = ':';
		else if ((unsigned char)c < 0x20)
			c = ' ';
		out_bytes(to, &c, 1);
	}
}

void export_folded(struct out *to, const struct export *x)
{
	char words[TOP_KEY_BYTES];

	for (size_t i = 0; i < x->top->rows.n; i++) {
		const struct top_row *row = &x->top->rows.at[i];
		size_t depth = depth_of(x->model, row->stack);

		if (x->by_key) {
			folded_frame(to, key_words(x, row, words));
			out_text(to, ";");
		}
		if (depth == 0)
			folded_frame(to, empty_words(x->model, row->stack, words, sizeof words));
		for (size_t k = depth; k-- > 0;) {
			folded_frame(to, frame_words(x->model, frame_at(x->model, row->stack, k),
						     words, sizeof words));
			if (k > 0)
				out_text(to, ";");
		}
		out_printf(to, " %" PRIu64 "\n", row->bytes);
	}
}

/* ---- speedscope ---- */

static void key(struct sink *k, const char *text)
{
	sink_key_text(k, text, strlen(text));
}

static void member(struct sink *k, const char *name, const char *value)
{
	key(k, name);
	sink_text(k, value, strlen(value));
}

/* Frames are numbered by frame_id; the numbers behind them stand for stacks without frames. */
static void speedscope_frames(struct sink *k, const struct export *x)
{
	const struct model *m = x->model;
	char words[TOP_KEY_BYTES];

	key(k, "shared");
	sink_dict(k);
	key(k, "frames");
	sink_list(k);
	for (uint32_t i = 1; i < m->stacks.frames.n; i++) {
		const struct frame *f = &m->stacks.frames.at[i];
		const struct str *name = strtab_get(&m->strings, f->name);
		const struct str *file = strtab_get(&m->strings, f->file);

		sink_dict(k);
		key(k, "name");
		sink_text(k, name->bytes, name->length);
		key(k, "file");
		sink_text(k, file->bytes, file->length);
		if (f->line > 0) {
			key(k, "line");
			sink_i64(k, f->line);
		}
		sink_end(k);
	}
	for (size_t i = 0; i < x->top->rows.n; i++) {
		stack_id stack = x->top->rows.at[i].stack;

		if (depth_of(m, stack) > 0)
			continue;
		sink_dict(k);
		member(k, "name", empty_words(m, stack, words, sizeof words));
		sink_end(k);
	}
	sink_end(k);
	sink_end(k);
}

static void speedscope_sample(struct sink *k, const struct export *x, size_t row, uint64_t *unnamed)
{
	const struct model *m = x->model;
	stack_id stack = x->top->rows.at[row].stack;
	size_t depth = depth_of(m, stack);

	sink_list(k);
	if (depth == 0)
		sink_u64(k, (*unnamed)++);
	for (size_t n = depth; n-- > 0;)
		sink_u64(k, frame_at(m, stack, n).i - 1);
	sink_end(k);
}

/* Rows from .. to - 1. */
static void speedscope_profile(struct sink *k, const struct export *x, size_t from, size_t to,
			       uint64_t *unnamed)
{
	char words[TOP_KEY_BYTES];
	uint64_t bytes = 0;

	for (size_t i = from; i < to; i++)
		bytes += x->top->rows.at[i].bytes;
	sink_dict(k);
	member(k, "type", "sampled");
	member(k, "name",
	       x->by_key ? key_words(x, &x->top->rows.at[from], words) : "GPU memory by stack");
	member(k, "unit", "bytes");
	key(k, "startValue");
	sink_u64(k, 0);
	key(k, "endValue");
	sink_u64(k, bytes);
	key(k, "samples");
	sink_list(k);
	for (size_t i = from; i < to; i++)
		speedscope_sample(k, x, i, unnamed);
	sink_end(k);
	key(k, "weights");
	sink_list(k);
	for (size_t i = from; i < to; i++)
		sink_u64(k, x->top->rows.at[i].bytes);
	sink_end(k);
	sink_end(k);
}

/* One profile, or one a key. */
static void speedscope_profiles(struct sink *k, const struct export *x)
{
	const size_t n = x->top->rows.n;
	uint64_t unnamed = x->model->stacks.frames.n - 1;

	sink_list(k);
	if (!x->by_key)
		speedscope_profile(k, x, 0, n, &unnamed);
	for (size_t i = 0, end; x->by_key && i < n; i = end) {
		for (end = i + 1;
		     end < n && x->top->rows.at[end].group == x->top->rows.at[i].group;)
			end++;
		speedscope_profile(k, x, i, end, &unnamed);
	}
	sink_end(k);
}

void export_speedscope(struct out *to, const struct export *x)
{
	const struct str *file = strtab_get(&x->model->strings, x->model->file);
	struct sink k;

	sink_start(&k, SNAPSHOT_JSON, to);
	sink_dict(&k);
	member(&k, "$schema", "https://www.speedscope.app/file-format-schema.json");
	key(&k, "name");
	sink_text(&k, file->bytes, file->length);
	member(&k, "exporter", "vramscope");
	speedscope_frames(&k, x);
	key(&k, "profiles");
	speedscope_profiles(&k, x);
	sink_end(&k);
	sink_finish(&k);
}

/* ---- pprof ---- */

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STR = 2,
};

struct pprof {
	const struct export *x;
	struct proto all, part, inner, label;
	uint64_t *string_row; /* by str_id: row of the table, 0: not in it */
	uint64_t n_strings;
};

/* ---- the string table: rows are numbered in the order of their writing ---- */

/* Constant strings come first; row 0 must be "". */
enum { WORD_NOTHING, WORD_SPACE, WORD_BYTES, WORD_OBJECTS, WORD_COUNT };

static uint64_t pprof_bytes(struct pprof *p, const char *bytes, size_t n)
{
	proto_text(&p->all, PROFILE_STRING_TABLE, bytes, n);
	return p->n_strings++;
}

static uint64_t pprof_text(struct pprof *p, const char *text)
{
	return pprof_bytes(p, text, strlen(text));
}

static void pprof_constants(struct pprof *p)
{
	static const char *const words[] = {
		[WORD_NOTHING] = "",    [WORD_SPACE] = "inuse_space",
		[WORD_BYTES] = "bytes", [WORD_OBJECTS] = "inuse_objects",
		[WORD_COUNT] = "count",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		(void)pprof_text(p, words[i]);
}

static uint64_t pprof_string(struct pprof *p, str_id id)
{
	const struct str *s = strtab_get(&p->x->model->strings, id);

	if (id.i == STR_NONE.i)
		return WORD_NOTHING;
	if (!p->string_row[id.i])
		p->string_row[id.i] = pprof_bytes(p, s->bytes, s->length);
	return p->string_row[id.i];
}

/* ---- samples ---- */

static void pprof_value_type(struct pprof *p, uint64_t type, uint64_t unit)
{
	proto_clear(&p->part);
	proto_u64(&p->part, 1, type);
	proto_u64(&p->part, 2, unit);
	proto_message(&p->all, PROFILE_SAMPLE_TYPE, &p->part);
}

/* Location and function ids are frame ids; stacks without frames have one of their own each. */
static uint64_t pprof_unnamed(const struct model *m, stack_id stack)
{
	return m->stacks.frames.n + stack.i;
}

static void pprof_sample(struct pprof *p, const struct top_row *row)
{
	const struct model *m = p->x->model;
	size_t depth = depth_of(m, row->stack);

	proto_clear(&p->part);
	proto_clear(&p->inner);
	if (depth == 0)
		proto_varint(&p->inner, pprof_unnamed(m, row->stack));
	for (size_t k = 0; k < depth; k++)
		proto_varint(&p->inner, frame_at(m, row->stack, k).i);
	proto_message(&p->part, SAMPLE_LOCATION, &p->inner);
	proto_clear(&p->inner);
	proto_varint(&p->inner, row->blocks);
	proto_varint(&p->inner, row->bytes);
	proto_message(&p->part, SAMPLE_VALUE, &p->inner);
	if (p->x->by_key)
		proto_message(&p->part, SAMPLE_LABEL, &p->label);
	proto_message(&p->all, PROFILE_SAMPLE, &p->part);
}

static void pprof_samples(struct pprof *p)
{
	const struct top *top = p->x->top;
	const uint64_t name = p->x->by_key ? pprof_text(p, top_by_words[top->by]) : 0;
	char words[TOP_KEY_BYTES];

	for (size_t i = 0; i < top->rows.n; i++) {
		const struct top_row *row = &top->rows.at[i];

		if (p->x->by_key && (i == 0 || row->group != row[-1].group)) {
			proto_clear(&p->label);
			proto_u64(&p->label, LABEL_KEY, name);
			proto_u64(&p->label, LABEL_STR, pprof_text(p, key_words(p->x, row, words)));
		}
		pprof_sample(p, row);
	}
}

/* ---- places ---- */

/* One mapping, called as the snapshot: without any, go tool pprof warns and looks for a binary. */
static void pprof_mapping(struct pprof *p)
{
	const struct str *file = strtab_get(&p->x->model->strings, p->x->model->file);

	proto_clear(&p->part);
	proto_u64(&p->part, 1, 1);
	proto_u64(&p->part, 5, pprof_bytes(p, file->bytes, file->length));
	for (unsigned has = 7; has <= 9; has++) /* functions, file names, lines */
		proto_u64(&p->part, has, 1);
	proto_message(&p->all, PROFILE_MAPPING, &p->part);
}

static void pprof_location(struct pprof *p, uint64_t id, uint64_t name, uint64_t file, int64_t line)
{
	proto_clear(&p->part);
	proto_clear(&p->inner);
	proto_u64(&p->inner, 1, id);
	if (line > 0)
		proto_u64(&p->inner, 2, (uint64_t)line);
	proto_u64(&p->part, 1, id);
	proto_u64(&p->part, 2, 1);
	proto_message(&p->part, 4, &p->inner);
	proto_message(&p->all, PROFILE_LOCATION, &p->part);
	proto_clear(&p->part);
	proto_u64(&p->part, 1, id);
	proto_u64(&p->part, 2, name);
	proto_u64(&p->part, 3, name);
	proto_u64(&p->part, 4, file);
	proto_message(&p->all, PROFILE_FUNCTION, &p->part);
}

static void pprof_locations(struct pprof *p)
{
	const struct model *m = p->x->model;
	char words[TOP_KEY_BYTES];

	for (uint32_t i = 1; i < m->stacks.frames.n; i++) {
		const struct frame *f = &m->stacks.frames.at[i];
		uint64_t name = pprof_string(p, f->name);

		pprof_location(p, i, name, pprof_string(p, f->file), f->line);
	}
	/* Only ids 0 and 1 have no frames, so each comes once however the rows are split. */
	for (uint32_t i = STACK_ABSENT.i; i <= STACK_EMPTY.i; i++) {
		const stack_id stack = {i};

		empty_words(m, stack, words, sizeof words);
		pprof_location(p, pprof_unnamed(m, stack), pprof_text(p, words), 0, 0);
	}
}

static void pprof_write(struct pprof *p)
{
	const struct export *x = p->x;
	const int64_t us = allocations_time(x->allocations, x->state->event);

	pprof_constants(p);
	pprof_value_type(p, WORD_OBJECTS, WORD_COUNT);
	pprof_value_type(p, WORD_SPACE, WORD_BYTES);
	pprof_samples(p);
	pprof_mapping(p);
	pprof_locations(p);
	if (us > 0 && us < INT64_MAX / 1000)
		proto_u64(&p->all, PROFILE_TIME_NANOS, (uint64_t)us * 1000);
	proto_u64(&p->all, PROFILE_DEFAULT_SAMPLE_TYPE, WORD_SPACE);
}

int export_pprof(struct out *to, const struct export *x, struct error *err)
{
	struct proto empty = {.budget = x->budget, .err = err};
	struct pprof p = {.x = x, .all = empty, .part = empty, .inner = empty, .label = empty};
	const size_t row_bytes = x->model->strings.rows.n * sizeof *p.string_row;
	struct gzip_out *gzip;
	int failed;

	p.string_row = budget_realloc(x->budget, NULL, 0, row_bytes, err);
	if (!p.string_row)
		return err->code;
	memset(p.string_row, 0, row_bytes);
	pprof_write(&p);
	failed = p.all.failed;
	if (!failed) {
		gzip = gzip_out_open_level(to, 6);
		if (gzip)
			gzip_out_bytes(gzip, p.all.bytes.at, p.all.bytes.n);
		gzip_out_close(gzip);
	}
	budget_free(x->budget, p.string_row, row_bytes);
	proto_release(&p.all);
	proto_release(&p.part);
	proto_release(&p.inner);
	proto_release(&p.label);
	return failed;
}
