/* SPDX-License-Identifier: MIT
 * probe_fold.c -- containers as hashes, with every promise of fold.h checked.
 */
#include "tests/lib/probe_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tests/lib/trickle.h"

enum kind { KIND_LIST, KIND_DICT, KIND_TUPLE, KIND_CUT };
enum tag { TAG_GROWING = CELL_FOLD, TAG_CLOSED };

#define MUST(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

static const struct probe_row *row_of(const struct probe *p, cell c)
{
	MUST(cell_tag(c) == (enum cell_tag)TAG_GROWING || cell_tag(c) == (enum cell_tag)TAG_CLOSED);
	MUST(cell_id(c) < p->rows.n);
	return &p->rows.at[cell_id(c)];
}

uint64_t probe_hash(const struct probe *p, cell c)
{
	uint64_t seed = hash_u64((uint64_t)cell_tag(c));
	const struct str *s;

	switch ((int)cell_tag(c)) {
	case CELL_CONST:
		MUST(cell_id(c) <= CELL_TRUE);
		return hash_combine(seed, cell_id(c));
	case CELL_EMPTY:
		MUST(cell_id(c) <= CELL_EMPTY_TUPLE);
		return hash_combine(seed, cell_id(c));
	case CELL_INT:
		MUST(cell_int_fits(cell_int(c)));
		return hash_combine(seed, (uint64_t)cell_int(c));
	case CELL_WIDE:
		MUST(cell_id(c) < p->cells.wide.n);
		MUST(p->cells.wide.at[cell_id(c)].kind <= WIDE_F64);
		return hash_combine(seed, p->cells.wide.at[cell_id(c)].u64);
	case CELL_STR:
		MUST(cell_id(c) > 0 && cell_id(c) < p->strings.rows.n);
		s = strtab_get(&p->strings, (str_id){cell_id(c)});
		return hash_combine(seed, hash_bytes(s->bytes, s->length));
	case CELL_BYTES:
		return seed;
	default:
		return row_of(p, c)->hash;
	}
}

static int add_row(struct probe *p, enum kind kind, bool grows, cell *out, struct error *err)
{
	struct probe_row row = {.hash = hash_u64((uint64_t)kind + 99), .kind = (uint8_t)kind};
	int rc;

	if (p->rows.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, ERR_NO_OFFSET, "too many rows");
	rc = vec_push(&p->rows, row, p->cells.budget, err);
	if (rc < 0)
		return rc;
	*out = cell_make((enum cell_tag)(grows ? TAG_GROWING : TAG_CLOSED),
			 (uint32_t)p->rows.n - 1);
	return 0;
}

/* The row of a container that gets `n` items behind `have`. */
static int take(struct probe *p, enum kind kind, cell have, const cell *items, size_t n, bool grows,
		cell *out, struct error *err)
{
	cell answer = have;
	int rc = 0;

	p->n_calls++;
	if (cell_tag(have) == CELL_EMPTY) {
		MUST(cell_id(have) == (kind == KIND_LIST    ? (unsigned)CELL_EMPTY_LIST
				       : kind == KIND_TUPLE ? (unsigned)CELL_EMPTY_TUPLE
							    : (unsigned)CELL_EMPTY_DICT));
		rc = add_row(p, kind, grows, &answer, err);
		if (rc < 0)
			return rc;
	} else {
		const struct probe_row *row = row_of(p, have);

		if (cell_tag(have) == (enum cell_tag)TAG_CLOSED || row->kind != kind)
			return error_set(err, ERR_UNSUPPORTED, p->last_offset, "it cannot grow");
		MUST(!row->used);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t hash = probe_hash(p, items[i]);

		if (cell_tag(items[i]) >= CELL_FOLD) {
			MUST(cell_id(items[i]) != cell_id(answer));
			p->rows.at[cell_id(items[i])].used = true;
		}
		p->rows.at[cell_id(answer)].hash =
			hash_combine(p->rows.at[cell_id(answer)].hash, hash);
	}
	*out = answer;
	return 0;
}

static void at_offset(struct probe *p, uint64_t offset)
{
	MUST(offset >= p->last_offset);
	p->last_offset = offset;
}

static int fold_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct probe *p = ctx;

	MUST(n > 0);
	at_offset(p, offset);
	return take(p, KIND_DICT, have, pairs, 2 * n, cell_tag(pairs[0]) != CELL_STR, out, err);
}

static int fold_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		     struct error *err)
{
	struct probe *p = ctx;

	MUST(n > 0);
	at_offset(p, offset);
	return take(p, KIND_LIST, have, items, n, true, out, err);
}

static int fold_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		      struct error *err)
{
	struct probe *p = ctx;

	MUST(n > 0);
	at_offset(p, offset);
	return take(p, KIND_TUPLE, cell_make(CELL_EMPTY, CELL_EMPTY_TUPLE), items, n, false, out,
		    err);
}

static int fold_cut_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset,
			 cell *out, struct error *err)
{
	struct probe *p = ctx;

	at_offset(p, offset);
	/* As a loader does with rows: what is left of them is nothing. */
	if (n > 0 && cell_tag(pairs[0]) == CELL_STR && cell_id(pairs[0]) % 2) {
		for (size_t i = 0; i < 2 * n; i++)
			probe_hash(p, pairs[i]);
		*out = cell_make(CELL_CONST, CELL_NONE);
		return 0;
	}
	int rc = take(p, KIND_DICT, have, pairs, 2 * n, false, out, err);
	if (rc == 0)
		p->rows.at[cell_id(*out)].kind = KIND_CUT;
	return rc;
}

int probe_init(struct probe *p, uint64_t limit, struct error *err)
{
	*p = (struct probe){.budget.limit = limit};
	int rc = strtab_init(&p->strings, &p->budget, err);
	if (rc < 0) {
		strtab_release(&p->strings);
		return rc;
	}
	cells_init(&p->cells, &p->strings, &p->budget);
	p->fold = (struct fold){
		.cells = &p->cells,
		.ctx = p,
		.growing_tags = 1u << TAG_GROWING,
		.dict = fold_dict,
		.list = fold_list,
		.tuple = fold_tuple,
		.cut_dict = fold_cut_dict,
	};
	return 0;
}

void probe_release(struct probe *p)
{
	vec_release(&p->rows, &p->budget);
	cells_release(&p->cells);
	strtab_release(&p->strings);
	MUST(p->budget.used == 0);
}

static uint64_t hash_error(const struct error *e)
{
	MUST(e->code < 0);
	MUST(memchr(e->text, 0, sizeof e->text) && e->text[0]);
	return hash_combine(hash_bytes(e->text, strlen(e->text)), e->offset);
}

uint64_t probe_pickle(const void *bytes, size_t n, size_t step, uint64_t limit)
{
	struct probe p;
	struct pickle_result r;
	struct error err = {0};
	struct input *in;
	struct trickle state = {.at = bytes, .left = n, .step = step};
	uint64_t hash;

	if (probe_init(&p, limit, &err) < 0)
		return 1;
	int rc = step ? trickle_open(&in, &state, &p.budget, &err)
		      : input_open_bytes(&in, bytes, n, &p.budget, &err);
	if (rc < 0) {
		probe_release(&p);
		return 2;
	}
	rc = pickle_read(&r, in, &p.fold, &err);
	if (rc < 0) {
		MUST(rc == (int)err.code);
		hash = hash_error(&err);
	} else {
		hash = hash_combine(probe_hash(&p, r.root), r.partial);
		hash = hash_combine(hash, r.end_offset);
		hash = hash_combine(hash, r.trailing);
		hash = hash_combine(hash, (uint64_t)r.protocol);
		MUST(r.protocol >= 0 && r.protocol <= 5);
		MUST(r.end_offset <= n || input_raw_size(in) != n);
		if (r.partial) {
			MUST(r.damage.code == ERR_CUT || r.damage.code == ERR_FORMAT);
			hash = hash_combine(hash, hash_error(&r.damage));
		}
	}
	input_close(in);
	probe_release(&p);
	return hash;
}
