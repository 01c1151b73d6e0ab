/* SPDX-License-Identifier: MIT
 * export_stacks.c -- bytes by stack: folded lines, speedscope, pprof.
 */
#include <inttypes.h>
#include <string.h>

#include "passes/site.h"
#include "reports/export.h"
#include "reports/gzip_out.h"
#include "reports/proto.h"
#include "reports/snapshot_sink.h"

#define WORDS_BYTES 4096

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
	char words[WORDS_BYTES];

	for (size_t i = 0; i < x->top->rows.n; i++) {
		const struct top_row *row = &x->top->rows.at[i];
		size_t depth = depth_of(x->model, row->stack);

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
	char words[WORDS_BYTES];

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

static void speedscope_profile(struct sink *k, const struct export *x)
{
	const struct model *m = x->model;
	uint64_t unnamed = m->stacks.frames.n - 1;

	sink_dict(k);
	member(k, "type", "sampled");
	member(k, "name", "GPU memory by stack");
	member(k, "unit", "bytes");
	key(k, "startValue");
	sink_u64(k, 0);
	key(k, "endValue");
	sink_u64(k, x->top->total_bytes);
	key(k, "samples");
	sink_list(k);
	for (size_t i = 0; i < x->top->rows.n; i++) {
		stack_id stack = x->top->rows.at[i].stack;
		size_t depth = depth_of(m, stack);

		sink_list(k);
		if (depth == 0)
			sink_u64(k, unnamed++);
		for (size_t n = depth; n-- > 0;)
			sink_u64(k, frame_at(m, stack, n).i - 1);
		sink_end(k);
	}
	sink_end(k);
	key(k, "weights");
	sink_list(k);
	for (size_t i = 0; i < x->top->rows.n; i++)
		sink_u64(k, x->top->rows.at[i].bytes);
	sink_end(k);
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
	sink_list(&k);
	speedscope_profile(&k, x);
	sink_end(&k);
	sink_end(&k);
	sink_finish(&k);
}

/* ---- pprof ---- */

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

struct pprof {
	const struct export *x;
	struct proto all, part, inner;
	uint64_t *string_row; /* by str_id: row of the table, 0: not in it */
	uint64_t n_strings;
};

/* Constant strings come first in the table; those of the model follow with their ids. */
static const char *const pprof_words[] = {"", "inuse_space", "bytes", "inuse_objects", "count"};
#define PPROF_WORDS (sizeof pprof_words / sizeof pprof_words[0])

/* Only strings of frames go into the table, in order of their first use. */
static uint64_t pprof_string(struct pprof *p, str_id id)
{
	if (id.i == STR_NONE.i)
		return 0;
	if (!p->string_row[id.i])
		p->string_row[id.i] = p->n_strings++;
	return p->string_row[id.i];
}

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

static void pprof_samples(struct pprof *p)
{
	const struct model *m = p->x->model;

	for (size_t i = 0; i < p->x->top->rows.n; i++) {
		const struct top_row *row = &p->x->top->rows.at[i];
		size_t depth = depth_of(m, row->stack);

		proto_clear(&p->part);
		proto_clear(&p->inner);
		if (depth == 0)
			proto_varint(&p->inner, pprof_unnamed(m, row->stack));
		for (size_t k = 0; k < depth; k++)
			proto_varint(&p->inner, frame_at(m, row->stack, k).i);
		proto_message(&p->part, 1, &p->inner);
		proto_clear(&p->inner);
		proto_varint(&p->inner, row->blocks);
		proto_varint(&p->inner, row->bytes);
		proto_message(&p->part, 2, &p->inner);
		proto_message(&p->all, PROFILE_SAMPLE, &p->part);
	}
}

static void pprof_location(struct pprof *p, uint64_t id, uint64_t name, uint64_t file, int64_t line)
{
	proto_clear(&p->part);
	proto_clear(&p->inner);
	proto_u64(&p->inner, 1, id);
	if (line > 0)
		proto_u64(&p->inner, 2, (uint64_t)line);
	proto_u64(&p->part, 1, id);
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

	for (uint32_t i = 1; i < m->stacks.frames.n; i++) {
		const struct frame *f = &m->stacks.frames.at[i];

		uint64_t name = pprof_string(p, f->name);

		pprof_location(p, i, name, pprof_string(p, f->file), f->line);
	}
	for (size_t i = 0; i < p->x->top->rows.n; i++) {
		stack_id stack = p->x->top->rows.at[i].stack;

		if (depth_of(m, stack) == 0)
			pprof_location(p, pprof_unnamed(m, stack), p->n_strings++, 0, 0);
	}
}

/* The table in the order of its rows: constants, frames' strings as they were first used, words of
 * stacks without frames. */
static void pprof_strings(struct pprof *p)
{
	const struct model *m = p->x->model;
	uint64_t next = PPROF_WORDS;
	char words[WORDS_BYTES];

	for (size_t i = 0; i < PPROF_WORDS; i++)
		proto_bytes(&p->all, PROFILE_STRING_TABLE, pprof_words[i], strlen(pprof_words[i]));
	for (uint32_t i = 1; i < m->stacks.frames.n; i++) {
		const struct frame *f = &m->stacks.frames.at[i];
		const str_id ids[] = {f->name, f->file};

		for (size_t k = 0; k < 2; k++) {
			const struct str *s = strtab_get(&m->strings, ids[k]);

			if (p->string_row[ids[k].i] != next)
				continue;
			proto_bytes(&p->all, PROFILE_STRING_TABLE, s->bytes, s->length);
			next++;
		}
	}
	for (size_t i = 0; i < p->x->top->rows.n; i++) {
		stack_id stack = p->x->top->rows.at[i].stack;

		if (depth_of(m, stack) > 0)
			continue;
		empty_words(m, stack, words, sizeof words);
		proto_bytes(&p->all, PROFILE_STRING_TABLE, words, strlen(words));
	}
}

int export_pprof(struct out *to, const struct export *x, struct error *err)
{
	struct proto empty = {.budget = x->budget, .err = err};
	struct pprof p = {
		.x = x, .all = empty, .part = empty, .inner = empty, .n_strings = PPROF_WORDS};
	const size_t row_bytes = x->model->strings.rows.n * sizeof *p.string_row;
	struct gzip_out *gzip;

	p.string_row = budget_realloc(x->budget, NULL, 0, row_bytes, err);
	if (!p.string_row)
		return err->code;
	memset(p.string_row, 0, row_bytes);

	pprof_value_type(&p, 3, 4);
	pprof_value_type(&p, 1, 2);
	pprof_samples(&p);
	pprof_locations(&p);
	pprof_strings(&p);
	proto_u64(&p.all, PROFILE_DEFAULT_SAMPLE_TYPE, 1);
	if (!p.all.failed) {
		gzip = gzip_out_open_level(to, 6);
		if (gzip)
			gzip_out_bytes(gzip, p.all.bytes.at, p.all.bytes.n);
		gzip_out_close(gzip);
	}
	budget_free(x->budget, p.string_row, row_bytes);
	proto_release(&p.all);
	proto_release(&p.part);
	proto_release(&p.inner);
	return p.all.failed;
}
