/* SPDX-License-Identifier: MIT
 * json.c -- the structure of JSON: arrays and objects, batches to the fold, salvage after damage.
 */
#include "decode/json.h"

#include <string.h>

#include "decode/json_reader.h"

/* Items, or pairs, that one fold call gets. */
#define BATCH_ITEMS 1000u

enum state {
	WANT_VALUE,        /* behind a comma of an array, a colon, or at the start */
	WANT_VALUE_OR_END, /* behind [ */
	WANT_KEY,          /* behind a comma of an object */
	WANT_KEY_OR_END,   /* behind { */
	AFTER_VALUE,       /* a comma or the end of the container comes */
	DONE,
};

static int skip_space(struct json_reader *r, struct error *err)
{
	struct input *in = r->in;

	for (;;) {
		/* The zero behind the window ends this loop. */
		while (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')
			in->at++;
		if (in->at < in->end)
			return 0;
		int rc = input_need(in, 1, err);
		if (rc < 0)
			return rc;
	}
}

static struct json_open *innermost(struct json_reader *r)
{
	return &r->open.at[r->open.n - 1];
}

/* What an open container, the innermost one, has collected; NULL when that is nothing. */
static const cell *collected(const struct json_reader *r, const struct json_open *o)
{
	return r->items.n > o->base ? r->items.at + o->base : NULL;
}

/* Give what the innermost container has collected to the fold. */
static int flush(struct json_reader *r, struct error *err)
{
	const struct fold *f = r->fold;
	struct json_open *o = innermost(r);
	const cell *items = collected(r, o);
	size_t n = r->items.n - o->base;
	uint64_t offset = input_offset(r->in);
	int rc;

	if (n == 0)
		return 0;
	if (o->is_dict)
		rc = f->dict(f->ctx, o->have, items, n / 2, offset, &o->have, err);
	else
		rc = f->list(f->ctx, o->have, items, n, offset, &o->have, err);
	if (rc == 0)
		r->items.n = o->base;
	return rc;
}

/* A complete value goes where it belongs: into the innermost container, or it is the root. */
static int add_value(struct json_reader *r, cell value, cell *root, enum state *state,
		     struct error *err)
{
	if (r->open.n == 0) {
		*root = value;
		*state = DONE;
		return 0;
	}
	const struct json_open *o = innermost(r);
	int rc = vec_push(&r->items, value, r->budget, err);

	*state = AFTER_VALUE;
	if (rc == 0 && r->items.n - o->base >= (o->is_dict ? 2 * BATCH_ITEMS : BATCH_ITEMS))
		rc = flush(r, err);
	return rc;
}

static int begin_container(struct json_reader *r, bool is_dict, enum state *state,
			   struct error *err)
{
	struct json_open o = {
		.have = cell_make(CELL_EMPTY, is_dict ? CELL_EMPTY_DICT : CELL_EMPTY_LIST),
		.base = r->items.n,
		.is_dict = is_dict,
	};

	if (r->open.n >= JSON_MAX_DEPTH)
		return error_set(err, ERR_LIMIT, input_offset(r->in),
				 "JSON nested more than %d deep", JSON_MAX_DEPTH);
	r->in->at++;
	*state = is_dict ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	return vec_push(&r->open, o, r->budget, err);
}

static int end_container(struct json_reader *r, cell *root, enum state *state, struct error *err)
{
	r->in->at++;
	int rc = flush(r, err);
	if (rc < 0)
		return rc;
	cell value = innermost(r)->have;
	r->open.n--;
	return add_value(r, value, root, state, err);
}

static int read_value(struct json_reader *r, cell *root, enum state *state, struct error *err)
{
	uint8_t c = *r->in->at;
	cell value;
	int rc;

	if (c == '{' || c == '[')
		return begin_container(r, c == '{', state, err);
	if (c == '"')
		rc = json_string(r, &value, err);
	else if (c == '-' || (c >= '0' && c <= '9'))
		rc = json_number(r, &value, err);
	else if ((c >= 'a' && c <= 'z') || c == 'N' || c == 'I')
		rc = json_word(r, &value, err);
	else
		rc = json_malformed(r, err, "no value where one should begin");
	return rc < 0 ? rc : add_value(r, value, root, state, err);
}

/* Key and colon. */
static int read_key(struct json_reader *r, enum state *state, struct error *err)
{
	cell key;

	if (*r->in->at != '"')
		return json_malformed(r, err, "no name where one should begin");
	int rc = json_string(r, &key, err);
	if (rc == 0)
		rc = vec_push(&r->items, key, r->budget, err);
	if (rc == 0)
		rc = skip_space(r, err);
	if (rc < 0)
		return rc;
	if (*r->in->at != ':')
		return json_malformed(r, err, "no colon behind a name");
	r->in->at++;
	*state = WANT_VALUE;
	return 0;
}

static int read_separator(struct json_reader *r, cell *root, enum state *state, struct error *err)
{
	bool is_dict = innermost(r)->is_dict;
	uint8_t c = *r->in->at;

	if (c == (is_dict ? '}' : ']'))
		return end_container(r, root, state, err);
	if (c != ',')
		return json_malformed(r, err, "neither comma nor closing bracket behind a value");
	r->in->at++;
	*state = is_dict ? WANT_KEY : WANT_VALUE;
	return 0;
}

static int read_root(struct json_reader *r, cell *root, struct error *err)
{
	enum state state = WANT_VALUE;
	int rc = 0;

	while (rc == 0 && state != DONE) {
		rc = skip_space(r, err);
		if (rc < 0)
			break;
		uint8_t c = *r->in->at;
		if (state == AFTER_VALUE)
			rc = read_separator(r, root, &state, err);
		else if ((state == WANT_VALUE_OR_END && c == ']') ||
			 (state == WANT_KEY_OR_END && c == '}'))
			rc = end_container(r, root, &state, err);
		else if (state == WANT_KEY || state == WANT_KEY_OR_END)
			rc = read_key(r, &state, err);
		else
			rc = read_value(r, root, &state, err);
	}
	return rc;
}

/* Close the innermost container with the items it has. *keep is false when nothing of it stays:
 * the fold wants no part of it. Only trouble of our own ends the salvage. */
static int salvage_one(struct json_reader *r, cell *value, bool *keep, struct error *err)
{
	const struct fold *f = r->fold;
	const struct json_open *o = innermost(r);
	uint64_t offset = input_offset(r->in);
	int rc;

	*value = o->have;
	if (o->is_dict)
		rc = f->cut_dict(f->ctx, o->have, collected(r, o), (r->items.n - o->base) / 2,
				 offset, value, err);
	else
		rc = flush(r, err);
	*keep = rc == 0;
	if (rc == 0 && o->is_dict)
		*keep = !cell_is_const(*value, CELL_NONE);
	else if (rc == 0)
		*value = o->have;
	r->items.n = o->base;
	r->open.n--;
	return rc == ERR_LIMIT || rc == ERR_NOMEM || rc == ERR_SYSTEM ? rc : 0;
}

/* Close what the damage left open, innermost first. */
static int salvage(struct json_reader *r, cell *root, struct error *err)
{
	*root = cell_make(CELL_CONST, CELL_NONE);
	while (r->open.n > 0) {
		cell value;
		bool keep;
		int rc = salvage_one(r, &value, &keep, err);

		if (rc < 0)
			return rc;
		if (r->open.n == 0) {
			if (keep)
				*root = value;
		} else if (keep) {
			rc = vec_push(&r->items, value, r->budget, err);
			if (rc < 0)
				return rc;
		} else if (innermost(r)->is_dict) {
			r->items.n--; /* its key */
		}
	}
	return 0;
}

static int read_trailing(struct json_result *out, struct input *in, struct error *err)
{
	int rc = input_drain(in, " \t\r\n", 5, &out->trailing, err);

	if (rc != ERR_CUT && rc != ERR_FORMAT)
		return rc;
	out->partial = true;
	out->damage = *err;
	return 0;
}

int json_read(struct json_result *out, struct input *in, const struct fold *fold, struct error *err)
{
	struct json_reader r = {.in = in, .fold = fold, .budget = fold->cells->budget};
	struct json_result result = {0};
	int rc = input_peek(in, 3, err);

	if (rc < 0)
		return rc;
	if (in->end - in->at >= 3 && memcmp(in->at, "\xef\xbb\xbf", 3) == 0)
		in->at += 3;
	rc = read_root(&r, &result.root, err);
	if ((rc == ERR_CUT || rc == ERR_FORMAT) && r.open.n > 0) {
		result.partial = true;
		result.damage = *err;
		rc = salvage(&r, &result.root, err);
	}
	result.end_offset = input_offset(in);
	if (rc == 0 && !result.partial)
		rc = read_trailing(&result, in, err);
	if (rc == 0)
		*out = result;
	vec_release(&r.items, r.budget);
	vec_release(&r.open, r.budget);
	vec_release(&r.scratch, r.budget);
	return rc;
}
