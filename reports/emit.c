/* SPDX-License-Identifier: MIT
 * emit.c -- a fact is said once; the format (JSON or text) decides how it looks.
 */
#include "reports/emit_private.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int emit_new(struct emit **out, struct out *sink, const struct emit_options *o, struct error *err)
{
	struct emit *e = calloc(1, sizeof *e);
	int rc;

	if (!e)
		return error_set(err, ERR_NOMEM, ERR_NO_OFFSET, "out of memory");
	e->out = sink;
	e->options = *o;
	if (!e->options.columns)
		e->options.columns = 100;
	e->ops = o->format == EMIT_JSON   ? &emit_json_ops
		 : o->format == EMIT_TEXT ? &emit_text_ops
					  : &emit_html_ops;
	rc = o->format == EMIT_JSON   ? 0
	     : o->format == EMIT_TEXT ? emit_text_init(e, err)
				      : emit_html_init(e, err);
	if (rc < 0) {
		free(e);
		return rc;
	}
	*out = e;
	return 0;
}

void emit_free(struct emit *e)
{
	if (!e)
		return;
	e->ops->finish(e);
	e->ops->release(e);
	free(e);
}

void emit_abandon(struct emit *e)
{
	if (!e)
		return;
	e->ops->release(e);
	free(e);
}

bool emit_is_json(const struct emit *e)
{
	return e->options.format == EMIT_JSON;
}

const char *emit_words_bytes(const struct emit *e, char buf[UNITS_BUF], uint64_t bytes)
{
	if (bytes != BYTES_NONE)
		return units_bytes_in(buf, bytes, e->options.units);
	snprintf(buf, UNITS_BUF, "-");
	return buf;
}

const char *emit_f64_words(char buf[UNITS_BUF], double v)
{
	int precision = 15;

	assert(isfinite(v));
	do
		snprintf(buf, UNITS_BUF, "%.*g", precision, v);
	while (strtod(buf, NULL) != v && ++precision <= 17);
	/* A float stays one for the reader: 1.0, not 1. */
	if (!strpbrk(buf, ".e"))
		snprintf(buf + strlen(buf), UNITS_BUF - strlen(buf), ".0");
	return buf;
}

void emit_object_begin(struct emit *e, const char *key, const char *heading)
{
	e->ops->begin(e, key, heading, false);
}

void emit_object_end(struct emit *e)
{
	e->ops->end(e, false);
}

void emit_section_begin(struct emit *e, const char *heading)
{
	if (!emit_is_json(e))
		e->ops->begin(e, NULL, heading, false);
}

void emit_section_end(struct emit *e)
{
	if (!emit_is_json(e))
		e->ops->end(e, false);
}

void emit_array_begin(struct emit *e, const char *key, const char *heading)
{
	e->ops->begin(e, key, heading, true);
}

void emit_array_end(struct emit *e)
{
	e->ops->end(e, true);
}

static void emit_item(struct emit *e, struct item item)
{
	e->ops->item(e, &item);
}

void emit_bytes(struct emit *e, const char *key, const char *label, uint64_t bytes)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = bytes == BYTES_NONE ? ITEM_NULL : ITEM_BYTES,
				   .numeric = true,
				   .u64 = bytes});
}

void emit_u64(struct emit *e, const char *key, const char *label, uint64_t n)
{
	emit_item(e,
		  (struct item){
			  .key = key, .label = label, .kind = ITEM_U64, .numeric = true, .u64 = n});
}

void emit_i64(struct emit *e, const char *key, const char *label, int64_t n)
{
	emit_item(e,
		  (struct item){
			  .key = key, .label = label, .kind = ITEM_I64, .numeric = true, .i64 = n});
}

void emit_event(struct emit *e, const char *key, const char *label, int64_t event)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = ITEM_EVENT,
				   .numeric = true,
				   .i64 = event});
}

void emit_addr(struct emit *e, const char *key, const char *label, uint64_t addr)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = ITEM_ADDR,
				   .numeric = true,
				   .u64 = addr});
}

void emit_time_us(struct emit *e, const char *key, const char *label, int64_t us)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = us == TIME_NONE ? ITEM_NULL : ITEM_TIME,
				   .i64 = us});
}

void emit_f64(struct emit *e, const char *key, const char *label, double v)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = isfinite(v) ? ITEM_F64 : ITEM_NULL,
				   .numeric = true,
				   .f64 = v});
}

void emit_share(struct emit *e, const char *key, const char *label, uint64_t part, uint64_t whole)
{
	bool known = whole && part != BYTES_NONE && whole != BYTES_NONE;

	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = known ? ITEM_SHARE : ITEM_NULL,
				   .numeric = true,
				   .f64 = known ? (double)part / (double)whole : 0});
}

void emit_bool(struct emit *e, const char *key, const char *label, bool v)
{
	emit_item(e, (struct item){.key = key, .label = label, .kind = ITEM_BOOL, .boolean = v});
}

void emit_null(struct emit *e, const char *key, const char *label)
{
	emit_item(e, (struct item){.key = key, .label = label, .kind = ITEM_NULL});
}

void emit_strn(struct emit *e, const char *key, const char *label, const char *bytes, size_t n)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = bytes ? ITEM_STR : ITEM_NULL,
				   .str = {bytes, n}});
}

void emit_str(struct emit *e, const char *key, const char *label, const char *text)
{
	emit_strn(e, key, label, text, text ? strlen(text) : 0);
}

void emit_pool(struct emit *e, const char *key, const char *label, struct pool_id pool, bool known)
{
	emit_item(e, (struct item){.key = key,
				   .label = label,
				   .kind = known ? ITEM_POOL : ITEM_NULL,
				   .pool = pool});
}

static void emit_value_scalar(struct emit *e, const char *key, const struct model *m,
			      const struct value *v)
{
	const struct str *s;

	switch (v->kind) {
	case VALUE_BOOL:
		emit_bool(e, key, NULL, v->boolean);
		break;
	case VALUE_I64:
		emit_i64(e, key, NULL, v->i64);
		break;
	case VALUE_U64:
		emit_u64(e, key, NULL, v->u64);
		break;
	case VALUE_F64:
		emit_f64(e, key, NULL, v->f64);
		break;
	case VALUE_STR:
		s = strtab_get(&m->strings, v->str);
		emit_strn(e, key, NULL, s->bytes, s->length);
		break;
	default:
		emit_null(e, key, NULL);
	}
}

void emit_value(struct emit *e, const char *key, const struct model *m, const struct value *v)
{
	if (!emit_is_json(e))
		return;
	if (!v || (v->kind != VALUE_LIST && v->kind != VALUE_DICT)) {
		emit_value_scalar(e, key, m, v ? v : &(struct value){.kind = VALUE_NULL});
		return;
	}
	/* No deeper than VALUE_MAX_DEPTH. */
	e->ops->begin(e, key, NULL, v->kind == VALUE_LIST);
	for (size_t i = 0; i < v->items.n; i++) {
		const struct value *item = &v->items.at[i];

		emit_value(e, v->kind == VALUE_DICT ? model_str(m, item->key) : NULL, m, item);
	}
	e->ops->end(e, v->kind == VALUE_LIST);
}

static void emit_people(struct emit *e, enum people_kind kind, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (emit_is_json(e))
		return;
	if (vasprintf(&text, fmt, ap) < 0) {
		out_fail(e->out, ENOMEM);
		return;
	}
	e->ops->people(e, kind, text);
	free(text);
}

void emit_prose(struct emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_people(e, PEOPLE_PROSE, fmt, ap);
	va_end(ap);
}

void emit_line(struct emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_people(e, PEOPLE_LINE, fmt, ap);
	va_end(ap);
}

void emit_heading(struct emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_people(e, PEOPLE_HEADING, fmt, ap);
	va_end(ap);
}

void emit_blank(struct emit *e)
{
	e->ops->people(e, PEOPLE_BLANK, "");
}

void emit_table_begin(struct emit *e, const char *key, const char *heading)
{
	e->ops->table_begin(e, key, heading);
}

void emit_row_begin(struct emit *e)
{
	e->ops->row_begin(e);
}

void emit_row_end(struct emit *e)
{
	e->ops->row_end(e);
}

void emit_table_end(struct emit *e)
{
	e->ops->table_end(e);
}
