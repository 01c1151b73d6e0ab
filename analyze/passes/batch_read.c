/* SPDX-License-Identifier: MIT
 * batch_read.c -- the files of a batch's JSON document, back into tables.
 *
 * The reader hands over containers innermost first: rows of the inner tables come before the file
 * that they belong to. They wait in the batch, and each file takes those since the file before.
 */
#include "passes/batch.h"

#include <string.h>

#include "decode/json.h"

enum { DONE_OBJECT = CELL_FOLD, DONE_LIST };

struct batch_reader {
	struct batch *batch; /* of the caller's */
	struct cells cells;
	struct strtab strings; /* of the document */
	/* An object of an inner table is known for what it is only by the name of its list, which
	 * comes later: its pairs are kept. */
	VEC(cell) pairs;
	VEC(size_t) ends; /* of each object since the last file: where its pairs end */
	const char *version;
	bool other_version, has_schema, too_long;
	size_t n_files;
};

static const struct str *cell_text(const struct batch_reader *r, cell c)
{
	return cell_tag(c) == CELL_STR ? strtab_get(&r->strings, (str_id){cell_id(c)}) : NULL;
}

static bool text_is(const struct str *s, const char *text)
{
	return s && s->length == strlen(text) && !memcmp(s->bytes, text, s->length);
}

static int take_value(struct batch_reader *r, enum batch_table_id t, size_t column, cell value,
		      struct error *err)
{
	enum batch_kind kind = batch_schemas[t].columns[column].kind;
	const struct str *text = cell_text(r, value);
	int64_t i;
	double f;

	if (kind == BATCH_TEXT && text)
		return batch_set_text(r->batch, t, column, text->bytes, err);
	if (kind == BATCH_INT && cells_i64(&r->cells, value, &i))
		batch_set_int(r->batch, t, column, i);
	else if (kind == BATCH_REAL && cells_f64(&r->cells, value, &f))
		batch_set_real(r->batch, t, column, f);
	return 0;
}

static int take_row(struct batch_reader *r, enum batch_table_id t, const cell *pairs, size_t n,
		    size_t file, struct error *err)
{
	int rc = batch_add_row(r->batch, t, file, err);

	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct str *key = cell_text(r, pairs[2 * i]);

		for (size_t c = t == BATCH_FILES ? 0 : 1; c < batch_schemas[t].n && rc == 0; c++) {
			if (text_is(key, batch_schemas[t].columns[c].name))
				rc = take_value(r, t, c, pairs[2 * i + 1], err);
		}
	}
	return rc;
}

/* Objects are numbered from 1 on since the last file; a list's cell tells how many there were when
 * it ended, and the lists of a file follow each other. */
static int take_tables(struct batch_reader *r, const cell *pairs, size_t n, size_t file,
		       struct error *err)
{
	size_t from = 0;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct str *key = cell_text(r, pairs[2 * i]);
		size_t to = cell_id(pairs[2 * i + 1]);

		if (cell_tag(pairs[2 * i + 1]) != (enum cell_tag)DONE_LIST || to > r->ends.n)
			continue;
		for (unsigned t = BATCH_FILES + 1; t < BATCH_TABLES; t++) {
			char name[BATCH_LIST_NAME];

			/* Older results have the table's name for the list, too. */
			if (!text_is(key, batch_list_name((enum batch_table_id)t, name)) &&
			    !text_is(key, batch_schemas[t].name))
				continue;
			for (size_t k = from; k < to && rc == 0; k++) {
				size_t start = k ? r->ends.at[k - 1] : 0;

				rc = take_row(r, (enum batch_table_id)t, r->pairs.at + start,
					      (r->ends.at[k] - start) / 2, file, err);
			}
		}
		from = to > from ? to : from;
	}
	return rc;
}

static bool has_key(const struct batch_reader *r, const cell *pairs, size_t n, const char *key,
		    cell *value)
{
	for (size_t i = 0; i < n; i++) {
		if (text_is(cell_text(r, pairs[2 * i]), key)) {
			*value = pairs[2 * i + 1];
			return true;
		}
	}
	return false;
}

/* A file is the object with a status. */
static int on_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	struct batch_reader *r = ctx;
	size_t file = r->batch->n_rows[BATCH_FILES];
	cell value;
	int rc = 0;

	(void)offset;
	if (cell_tag(have) == (enum cell_tag)DONE_OBJECT)
		r->too_long = true;
	if (has_key(r, pairs, n, "status", &value)) {
		rc = take_row(r, BATCH_FILES, pairs, n, file, err);
		if (rc == 0)
			rc = take_tables(r, pairs, n, file, err);
		r->pairs.n = r->ends.n = 0;
		r->n_files++;
	} else if (has_key(r, pairs, n, "schema", &value)) {
		r->has_schema = text_is(cell_text(r, value), "vramscope.batch/1");
		if (r->version && has_key(r, pairs, n, "version", &value))
			r->other_version = !text_is(cell_text(r, value), r->version);
	} else {
		for (size_t i = 0; i < 2 * n && rc == 0; i++)
			rc = vec_push(&r->pairs, pairs[i], r->batch->budget, err);
		if (rc == 0)
			rc = vec_push(&r->ends, r->pairs.n, r->batch->budget, err);
	}
	*out = cell_make((enum cell_tag)DONE_OBJECT, 0);
	return rc;
}

static int on_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	struct batch_reader *r = ctx;

	(void)have;
	(void)items;
	(void)n;
	(void)offset;
	if (r->ends.n > CELL_ID_MAX)
		return error_set(err, ERR_LIMIT, offset, "too many rows in one file");
	*out = cell_make((enum cell_tag)DONE_LIST, (uint32_t)r->ends.n);
	return 0;
}

static int on_tuple(void *ctx, const cell *items, size_t n, uint64_t offset, cell *out,
		    struct error *err)
{
	return on_list(ctx, 0, items, n, offset, out, err);
}

static int on_cut(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		  struct error *err)
{
	(void)ctx;
	(void)have;
	(void)pairs;
	(void)n;
	(void)offset;
	(void)err;
	*out = cell_make(CELL_CONST, CELL_NONE);
	return 0;
}

int batch_read(struct batch *b, struct input *in, const char *version, struct error *err)
{
	struct batch_reader r = {.batch = b, .version = version};
	struct fold fold = {.cells = &r.cells,
			    .ctx = &r,
			    .growing_tags = 1u << DONE_OBJECT | 1u << DONE_LIST,
			    .dict = on_dict,
			    .list = on_list,
			    .tuple = on_tuple,
			    .cut_dict = on_cut};
	struct json_result result;
	int rc = strtab_init(&r.strings, b->budget, err);

	if (rc < 0)
		return rc;
	cells_init(&r.cells, &r.strings, b->budget);
	rc = json_read(&result, in, &fold, err);
	if (rc == 0 && result.partial)
		rc = error_set(err, result.damage.code, result.damage.offset, "%s",
			       result.damage.text);
	else if (rc == 0 && (!r.has_schema || r.too_long))
		rc = error_set(err, ERR_SCHEMA, ERR_NO_OFFSET, "no summary of a batch");
	else if (rc == 0 && r.other_version)
		rc = error_set(err, ERR_SCHEMA, ERR_NO_OFFSET,
			       "written by another version of vramscope");
	vec_release(&r.pairs, b->budget);
	vec_release(&r.ends, b->budget);
	cells_release(&r.cells);
	strtab_release(&r.strings);
	return rc;
}
