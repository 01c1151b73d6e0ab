/* SPDX-License-Identifier: MIT
 * text_fold.c -- containers as interned text, one tag for those that may grow and one for others.
 */
#include "tests/lib/text_fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/trickle.h"

enum { TAG_OPEN = CELL_FOLD, TAG_CLOSED };

struct text {
	char at[TEXT_FOLD_BYTES];
	size_t n;
};

static void text_add(struct text *t, const char *bytes, size_t n)
{
	if (n > sizeof t->at - 1 - t->n)
		n = sizeof t->at - 1 - t->n;
	memcpy(t->at + t->n, bytes, n);
	t->n += n;
	t->at[t->n] = '\0';
}

static void text_puts(struct text *t, const char *s)
{
	text_add(t, s, strlen(s));
}

static void text_number(struct text *t, const struct cells *cells, cell c)
{
	char number[64];
	int64_t i;
	uint64_t u;
	double f;

	if (cells_i64(cells, c, &i))
		snprintf(number, sizeof number, "%" PRId64, i);
	else if (cells_u64(cells, c, &u))
		snprintf(number, sizeof number, "%" PRIu64, u);
	else if (cells_f64(cells, c, &f))
		snprintf(number, sizeof number, "%.17gf", f);
	else
		abort();
	text_puts(t, number);
}

static void text_cell(struct text *t, const struct text_fold *f, cell c)
{
	static const char *const consts[] = {"None", "False", "True"};
	static const char *const empties[] = {"[]", "{}", "()"};
	const struct str *s = strtab_get(&f->strings, (str_id){cell_id(c)});

	switch ((int)cell_tag(c)) {
	case CELL_CONST:
		text_puts(t, consts[cell_id(c)]);
		break;
	case CELL_INT:
	case CELL_WIDE:
		text_number(t, &f->cells, c);
		break;
	case CELL_STR:
		text_puts(t, "'");
		text_add(t, s->bytes, s->length);
		text_puts(t, "'");
		break;
	case CELL_BYTES:
		text_puts(t, "b''");
		break;
	case CELL_EMPTY:
		text_puts(t, empties[cell_id(c)]);
		break;
	case TAG_OPEN:
	case TAG_CLOSED:
		text_add(t, s->bytes, s->length);
		break;
	default:
		abort(); /* a cell of the decoder's own has leaked */
	}
}

static int answer(struct text_fold *f, const struct text *t, bool grows, cell *out,
		  struct error *err)
{
	str_id id;
	int rc = strtab_add(&f->strings, t->at, t->n, &id, err);

	if (rc == 0)
		*out = cell_make((enum cell_tag)(grows ? TAG_OPEN : TAG_CLOSED), id.i);
	return rc;
}

static int count_call(struct text_fold *f, size_t n, uint64_t offset, struct error *err)
{
	f->n_calls++;
	if (n > f->longest)
		f->longest = n;
	f->last_offset = offset;
	if (f->fail_at && f->n_calls == (size_t)f->fail_at)
		return error_set(err, ERR_SCHEMA, offset, "the fold was told to fail");
	return 0;
}

/* `have` without its closing bracket, then the items. */
static int render(struct text_fold *f, cell have, const char *brackets, const cell *items, size_t n,
		  bool pairs, struct text *t, struct error *err)
{
	t->n = 0;
	text_add(t, brackets, 1);
	if (cell_tag(have) == (enum cell_tag)TAG_CLOSED)
		return error_set(err, ERR_UNSUPPORTED, f->last_offset, "it is closed");
	if (cell_tag(have) == (enum cell_tag)TAG_OPEN) {
		const struct str *s = strtab_get(&f->strings, (str_id){cell_id(have)});

		if (s->bytes[0] != brackets[0])
			return error_set(err, ERR_UNSUPPORTED, f->last_offset,
					 "it is another kind");
		t->n = 0;
		text_add(t, s->bytes, s->length - 1);
		text_puts(t, ", ");
	} else if (cell_tag(have) != CELL_EMPTY) {
		abort();
	}
	for (size_t i = 0; i < n; i++) {
		if (i)
			text_puts(t, pairs && i % 2 ? ": " : ", ");
		text_cell(t, f, items[i]);
	}
	text_add(t, brackets + 1, 1);
	return 0;
}

static bool is_row(const struct text_fold *f, const cell *pairs, size_t n)
{
	return f->rows && n > 0 && cell_tag(pairs[0]) == CELL_STR &&
	       strcmp(strtab_get(&f->strings, (str_id){cell_id(pairs[0])})->bytes, "r") == 0;
}

static int fold_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct text_fold *f = ctx;
	struct text t;
	int rc = count_call(f, n, offset, err);

	if (rc == 0)
		rc = render(f, have, "{}", pairs, 2 * n, true, &t, err);
	if (rc == 0 && is_row(f, pairs, n))
		f->n_rows++;
	return rc < 0 ? rc : answer(f, &t, !f->rows, out, err);
}

static int fold_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct text_fold *f = ctx;
	struct text t;
	int rc = count_call(f, n, offset, err);

	if (rc == 0)
		rc = render(f, have, "[]", items, n, false, &t, err);
	return rc < 0 ? rc : answer(f, &t, true, out, err);
}

static int fold_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		      struct error *err)
{
	struct text_fold *f = ctx;
	struct text t;
	int rc = count_call(f, n, offset, err);

	if (rc == 0)
		rc = render(f, cell_make(CELL_EMPTY, CELL_EMPTY_TUPLE), "()", items, n, false, &t,
			    err);
	return rc < 0 ? rc : answer(f, &t, false, out, err);
}

static int fold_cut_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
			 cell *out, struct error *err)
{
	struct text_fold *f = ctx;
	struct text t, cut = {.n = 0};
	int rc = count_call(f, n, offset, err);

	if (rc == 0 && is_row(f, pairs, n)) {
		*out = cell_make(CELL_CONST, CELL_NONE);
		return 0;
	}
	if (rc == 0)
		rc = render(f, have, "{}", pairs, 2 * n, true, &t, err);
	if (rc < 0)
		return rc;
	text_puts(&cut, "<");
	text_add(&cut, t.at, t.n);
	text_puts(&cut, ">");
	return answer(f, &cut, false, out, err);
}

void text_fold_init(struct text_fold *t, uint64_t limit)
{
	struct error err;

	*t = (struct text_fold){.budget.limit = limit};
	if (strtab_init(&t->strings, &t->budget, &err) < 0)
		abort();
	cells_init(&t->cells, &t->strings, &t->budget);
	t->fold = (struct fold){
		.cells = &t->cells,
		.ctx = t,
		.growing_tags = 1u << TAG_OPEN,
		.dict = fold_dict,
		.list = fold_list,
		.tuple = fold_tuple,
		.cut_dict = fold_cut_dict,
	};
}

bool text_fold_release(struct text_fold *t)
{
	cells_release(&t->cells);
	strtab_release(&t->strings);
	return t->budget.used == 0;
}

int text_fold_read(struct text_fold *t, struct pickle_result *out, const void *bytes, size_t n,
		   size_t step, struct error *err)
{
	struct trickle state = {.at = bytes, .left = n, .step = step};
	struct input *in;
	int rc = step ? trickle_open(&in, &state, &t->budget, err)
		      : input_open_bytes(&in, bytes, n, &t->budget, err);

	if (rc < 0)
		return rc;
	rc = pickle_read(out, in, &t->fold, err);
	input_close(in);
	return rc;
}

const char *text_fold_words(struct text_fold *t, cell c)
{
	struct text text = {.n = 0};
	struct error err;
	str_id id;

	text_cell(&text, t, c);
	if (strtab_add(&t->strings, text.at, text.n, &id, &err) < 0)
		abort();
	return strtab_get(&t->strings, id)->bytes;
}
