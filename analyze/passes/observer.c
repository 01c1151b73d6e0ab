/* SPDX-License-Identifier: MIT
 * observer.c -- what PyTorch told an out-of-memory observer, read from JSON.
 */
#include "passes/observer.h"

#include <string.h>

#include "decode/json.h"

struct note_reader {
	struct cells cells;
	struct strtab strings;
	struct observer_note note; /* of the last object, which is the outermost in the end */
	bool is_object;
};

static bool is_key(const struct note_reader *r, cell key, const char *name)
{
	const struct str *s;

	if (cell_tag(key) != CELL_STR)
		return false;
	s = strtab_get(&r->strings, (str_id){cell_id(key)});
	return s->length == strlen(name) && !memcmp(s->bytes, name, s->length);
}

static void take_pair(struct note_reader *r, cell key, cell value)
{
	uint64_t n;

	if (!cells_u64(&r->cells, value, &n))
		return;
	if (is_key(r, key, "device") && n < INT32_MAX)
		r->note.device = (int32_t)n;
	else if (is_key(r, key, "alloc"))
		r->note.attempted = n;
	else if (is_key(r, key, "device_alloc"))
		r->note.allowed = n;
	else if (is_key(r, key, "device_free"))
		r->note.device_free = n;
}

static int on_dict(void *ctx, cell have, const cell *pairs, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	struct note_reader *r = ctx;

	(void)offset;
	(void)err;
	if (cell_tag(have) != CELL_FOLD)
		r->note = (struct observer_note){-1, BYTES_NONE, BYTES_NONE, BYTES_NONE};
	for (size_t i = 0; i < n; i++)
		take_pair(r, pairs[2 * i], pairs[2 * i + 1]);
	r->is_object = true;
	*out = cell_make(CELL_FOLD, 0);
	return 0;
}

static int on_list(void *ctx, cell have, const cell *items, size_t n, uint64_t offset, cell *out,
		   struct error *err)
{
	struct note_reader *r = ctx;

	(void)have;
	(void)items;
	(void)n;
	(void)offset;
	(void)err;
	r->is_object = false;
	*out = cell_make(CELL_FOLD + 1, 0);
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
	return on_dict(ctx, have, pairs, n, offset, out, err);
}

int observer_read(struct observer_note *out, struct input *in, struct budget *budget,
		  struct error *err)
{
	struct note_reader r = {.is_object = false};
	struct fold fold = {.cells = &r.cells,
			    .ctx = &r,
			    .growing_tags = 1u << CELL_FOLD | 1u << (CELL_FOLD + 1),
			    .dict = on_dict,
			    .list = on_list,
			    .tuple = on_tuple,
			    .cut_dict = on_cut};
	struct json_result result;
	int rc = strtab_init(&r.strings, budget, err);

	if (rc < 0)
		return rc;
	cells_init(&r.cells, &r.strings, budget);
	rc = json_read(&result, in, &fold, err);
	if (rc == 0 && result.partial)
		rc = error_set(err, result.damage.code, result.damage.offset, "%s",
			       result.damage.text);
	else if (rc == 0 &&
		 (!r.is_object || (r.note.attempted == BYTES_NONE && r.note.allowed == BYTES_NONE &&
				   r.note.device_free == BYTES_NONE)))
		rc = error_set(err, ERR_SCHEMA, ERR_NO_OFFSET,
			       "no object with alloc, device_alloc and device_free");
	cells_release(&r.cells);
	strtab_release(&r.strings);
	if (rc == 0)
		*out = r.note;
	return rc;
}
